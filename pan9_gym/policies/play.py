"""Seats that play: who sits where, and a hand carried forward by the seats' policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pan9_gym.game.round import Game, Round
from pan9_gym.game.shoe import CardSource
from pan9_gym.policies.base import Policy
from pan9_gym.policies.named import check_name, resolve
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.terms import Action, Role

PolicyLike = str | Policy
"""A policy's name, or a policy."""

Seats = tuple[TabularPolicy | None, ...]
"""The policy of each seat, banker last; `None` for a seat that somebody else plays."""

DEFAULT_POLICY = "logical_way"


def read_opponents(game: Game, agent_seat: int, opponents: Mapping[str, Any] | None) -> Seats:
    """The policies of all seats but the agent's.

    Args:
        game: Who is at the table.
        agent_seat: The agent's seat; its entry is `None`.
        opponents: `{"banker": policy, "players": policy or a list of them}`. A list names the other players
            in seat order; a missing entry is the logical way.

    Raises:
        ValueError: If a key or a policy is not known, or a list has the wrong length.
    """
    given: Mapping[str, Any] = {} if opponents is None else opponents
    if not isinstance(given, Mapping):
        raise ValueError(f"opponents {opponents!r}: a mapping such as {{'banker': 'logical_way'}} is needed")
    allowed = ["players"] if agent_seat == game.banker_seat else ["banker", "players"]
    unknown = sorted(set(given) - set(allowed), key=repr)
    if unknown:
        raise ValueError(f"opponents: unknown key {unknown[0]!r}; allowed: {', '.join(allowed)}")
    others = [seat for seat in range(game.num_players) if seat != agent_seat]
    players = given.get("players", DEFAULT_POLICY)
    by_seat: dict[int, PolicyLike] = dict.fromkeys(others, DEFAULT_POLICY)
    if isinstance(players, str | Policy):
        if isinstance(players, str):
            check_name(players)  # also where no other player is seated
        by_seat = dict.fromkeys(others, players)
    elif isinstance(players, Sequence) and len(players) == len(others):
        by_seat = dict(zip(others, players, strict=True))
    else:
        raise ValueError(
            f"opponents['players'] {players!r}: one policy, or a list of {len(others)}, is needed"
        )
    if agent_seat != game.banker_seat:
        by_seat[game.banker_seat] = given.get("banker", DEFAULT_POLICY)
    return tuple(
        None if seat == agent_seat else seat_policy(game, seat, by_seat[seat])
        for seat in range(game.num_seats)
    )


def seat_policy(game: Game, seat: int, policy: PolicyLike) -> TabularPolicy:
    """A seat's policy as a table.

    Raises:
        ValueError: If the policy is not known or is for another seat.
    """
    role = game.role(seat)
    return resolve(
        policy,
        game.rules,
        role,
        game.num_players,
        seat if role is Role.PLAYER else 0,
        game.states[seat].with_suits,
    )


def play(state: Round, source: CardSource, seats: Seats, rng: np.random.Generator) -> Round:
    """Carry a hand forward until a seat without a policy chooses, or to the end.

    Args:
        state: Where the hand stands.
        source: Where the cards come from.
        seats: The seats' policies.
        rng: Decides where a policy mixes; a pure decision uses no randomness.
    """
    if not state.num_dealt:
        state = state.deal_first_cards([source.draw() for _ in range(state.game.num_initial_deals)])
    while True:
        while state.seat_due is not None:
            state = state.apply(source.draw())
        seat = state.current_seat
        policy = None if seat is None else seats[seat]
        if seat is None or policy is None:
            return state
        state = state.apply(_choose(policy, state.info_state(seat), rng))


def _choose(policy: TabularPolicy, info_state: int, rng: np.random.Generator) -> Action:
    prob = policy.array.item(info_state)
    if prob == 0.0:
        return Action.STAND
    return Action.DRAW if prob == 1.0 or rng.random() < prob else Action.STAND
