"""Policies carried over: tables of this package become one of OpenSpiel's, and one of OpenSpiel's a table.

policy = to_openspiel(game, ["logical_way"], "wizard")
player = to_table(game, cfr_solver.average_policy(), seat=0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pan9_gym.envs.openspiel_extra import openspiel_policy
from pan9_gym.envs.openspiel_game import Pan9Game, Pan9State
from pan9_gym.envs.openspiel_tables import MoveProbs, TablePolicy, move_probs
from pan9_gym.game.info_state import Choices, Hand
from pan9_gym.game.round import Game
from pan9_gym.policies.play import PolicyLike, seat_policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.terms import Action, token_action


def to_openspiel(game: Pan9Game, players: Sequence[PolicyLike], banker: PolicyLike) -> TablePolicy:
    """One policy of OpenSpiel's that plays every seat.

    Args:
        game: The game.
        players: Each player's policy, by name or object, in seat order.
        banker: The banker's.

    Raises:
        ValueError: If their number is wrong, or a policy is not known or is for another seat.
    """
    table = game.table
    if isinstance(players, str) or len(players) != table.game.num_players:
        raise ValueError(f"players {players!r}: one policy per player is needed, so {table.game.num_players}")
    probs: MoveProbs = {}
    for seat, policy in enumerate((*players, banker)):
        probs |= move_probs(seat_policy(table.game, seat, policy), partial(table.text, seat))
    return TablePolicy(game, probs)


def to_table(
    game: Pan9Game,
    policy: openspiel_policy.Policy,
    seat: int,
    elsewhere: PolicyLike = "logical_way",
    name: str = "openspiel",
) -> TabularPolicy:
    """What a policy of OpenSpiel's does in one seat, asked once about each information state with a choice.

    Args:
        game: The game.
        policy: Any policy of OpenSpiel's that answers for the seat.
        seat: The seat; `num_players` is the banker.
        elsewhere: What the table says where no hand with this shoe leads.
        name: What tables call it.

    Raises:
        ValueError: If there is no such seat, or an answer is no probability.
    """
    table = game.table.game
    if seat not in range(table.num_seats):
        raise ValueError(f"seat {seat!r}: must be a seat from 0 to {table.banker_seat}")
    default = seat_policy(table, seat, elsewhere)

    def draw_prob(hand: Hand, choices: Choices) -> Any:
        state = state_at(game, seat, hand, choices)
        if state is None:
            return default.draw_prob(hand, choices)
        probs = policy.action_probabilities(state)
        total = sum(probs.values())
        if not abs(total - 1) < 1e-6:
            raise ValueError(
                f"policy: probabilities {probs} at {state.information_state_string()!r} sum to {total}"
            )
        return probs.get(int(Action.DRAW), 0.0) / total

    return TabularPolicy.from_callable(
        table.rules, table.role(seat), draw_prob, table.num_players, min(seat, table.num_players - 1), name
    )


def state_at(game: Pan9Game, seat: int, hand: Hand, choices: Choices) -> Pan9State | None:
    """A state of the game at an information state of a seat; `None` if no hand leads there.

    Args:
        game: The game.
        seat: The seat that chooses.
        hand: Point values of its first cards, sorted.
        choices: Tokens of the earlier seats that it sees.
    """
    table = game.table.game
    hands = next(_hands_around(table, seat, hand, choices), None)
    if hands is None:
        return None
    state = game.new_initial_state()
    for dealt in hands:
        state.apply_action(table.states[0].hand_index(dealt))
    drawn = [_seen_card(token) for token in choices]
    while state.current_player() != seat:
        if state.is_chance_node():
            card = drawn[len(state.position.round.choices) - 1] if choices else None
            state.apply_action(state.chance_outcomes()[0][0] if card is None else card)
        else:
            actor = state.current_player()
            state.apply_action(int(token_action(choices[actor])) if choices else state.legal_actions()[0])
    return state


def _seen_card(token: str) -> int | None:
    """The points of a drawn card that is seen."""
    _, _, card = token.partition(":")
    return int(card) if card else None


def _hands_around(game: Game, seat: int, hand: Hand, choices: Choices) -> Iterator[list[Hand]]:
    """Hands for all seats from which the seat comes to choose with these choices before it."""
    left = Counter({value: game.counts.get(value, 0) for value in game.rules.values})
    needed = [*hand, *(card for card in map(_seen_card, choices) if card is not None)]
    if hand_total(hand) not in game.rules.naturals and _take(game, left, needed):
        yield from _deal(game, left, seat, hand, choices, [])


def _deal(
    game: Game, left: Counter[int], own: int, hand: Hand, choices: Choices, dealt: list[Hand]
) -> Iterator[list[Hand]]:
    seat = len(dealt)
    if seat == game.num_seats:
        yield dealt
    elif seat == own:
        yield from _deal(game, left, own, hand, choices, [*dealt, hand])
    else:
        token = choices[seat] if seat < len(choices) else None
        for other in game.states[0].hands:
            rest = left.copy()
            if _chooses(game, seat, other, token) and _take(game, rest, other):
                yield from _deal(game, rest, own, hand, choices, [*dealt, other])


def _take(game: Game, left: Counter[int], cards: Sequence[int]) -> bool:
    """Take cards out of those that are left; whether they were there."""
    if game.rules.with_replacement:
        return all(left[card] > 0 for card in cards)
    left.subtract(cards)
    return all(left[card] >= 0 for card in cards)


def _chooses(game: Game, seat: int, hand: Hand, token: str | None) -> bool:
    """Whether a seat that is dealt this hand comes to choose, and may choose what is seen of it."""
    total = hand_total(hand)
    if total in game.rules.naturals:
        return False
    return token is None or token_action(token) in game.legal_moves[seat][total]
