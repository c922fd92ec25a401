"""Monte Carlo through the readable engine: the cross-check of exact values, for any number of seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pan9_gym.game.round import Game, Round, new_game
from pan9_gym.game.shoe import Shoe
from pan9_gym.policies.base import Policy
from pan9_gym.policies.play import PolicyLike, play, seat_policy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Outcome
from pan9_gym.solver.estimates import Estimate, estimate

MOST_HANDS = 10**9
"""Hands of one simulation; the readable engine would take hours for as many."""


@dataclass(frozen=True)
class Simulation:
    """What a simulation found.

    Attributes:
        num_hands: Hands played.
        seed: The seed.
        ev: Each seat's mean net units per hand, banker last.
        outcomes: For each player how often it won, tied and lost, by total alone.
        joint_totals: For each player how often each (player total, banker total) came.
    """

    num_hands: int
    seed: int
    ev: tuple[Estimate, ...]
    outcomes: tuple[dict[Outcome, int], ...]
    joint_totals: tuple[dict[tuple[int, int], int], ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "num_hands": self.num_hands,
            "seed": self.seed,
            "ev": [entry.to_dict() for entry in self.ev],
            "outcomes": [{key.name: number for key, number in entry.items()} for entry in self.outcomes],
            "joint_totals": [
                [[entry.get((player, banker), 0) for banker in range(10)] for player in range(10)]
                for entry in self.joint_totals
            ],
        }


def simulate(
    rules: RulesLike,
    players: Sequence[PolicyLike] | PolicyLike,
    banker: PolicyLike,
    num_hands: int,
    seed: int,
    wagers: Sequence[int | str | Fraction] | None = None,
) -> Simulation:
    """Play hands from a full shoe each.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object; one policy alone is one player.
        banker: The banker's policy.
        num_hands: How many hands, at least 1.
        seed: Decides every card and every mixed choice.
        wagers: One per player; default 1 each.

    >>> simulate("bicycle", "logical_way", "wizard", num_hands=100, seed=1).num_hands
    100

    Raises:
        ValueError: If an argument is not possible.
    """
    num_hands, seed = read_whole("num_hands", num_hands, 1, MOST_HANDS), read_whole("seed", seed, 0)
    seated = at_table(players)
    game = new_game(load_rules(rules), len(seated), wagers=wagers)
    joint: list[Counter[tuple[int, int]]] = [Counter() for _ in seated]
    totals, squares = np.zeros(game.num_seats), np.zeros(game.num_seats)
    for state in played_hands(game, [*seated, banker], num_hands, seed):
        nets = np.array([float(net) for net in state.returns()])
        totals += nets
        squares += nets**2
        banker_total = state.total(game.banker_seat)
        for seat, counter in enumerate(joint):
            counter[state.total(seat), banker_total] += 1
    return Simulation(
        num_hands=num_hands,
        seed=seed,
        ev=tuple(estimate(float(a), float(b), num_hands) for a, b in zip(totals, squares, strict=True)),
        outcomes=tuple(outcomes_of(counter) for counter in joint),
        joint_totals=tuple(dict(counter) for counter in joint),
    )


def played_hands(game: Game, policies: Sequence[PolicyLike], num_hands: int, seed: int) -> Iterator[Round]:
    """Hands from a full shoe each, played to their end.

    Args:
        game: Who is at the table.
        policies: Each seat's policy, banker last.
        num_hands: How many hands.
        seed: Decides every card and every mixed choice.
    """
    seats = tuple(seat_policy(game, seat, policy) for seat, policy in enumerate(policies))
    rng = np.random.default_rng(seed)
    shoe = Shoe(game.rules, rng=rng)
    for _ in range(num_hands):
        shoe.shuffle()
        yield play(game.new_round(), shoe, seats, rng)


def at_table(players: Sequence[PolicyLike] | PolicyLike) -> list[PolicyLike]:
    """The players' policies in seat order.

    Raises:
        ValueError: If they are neither a policy nor a list.
    """
    if isinstance(players, str | Policy):
        return [players]
    if not isinstance(players, Sequence):
        raise ValueError(f"players {players!r}: one policy, or a list of them in seat order, is needed")
    return list(players)


def outcomes_of(joint: Mapping[tuple[int, int], int]) -> dict[Outcome, int]:
    """How often a player won, tied and lost, from how often each (player total, banker total) came."""
    found: Counter[Outcome] = Counter()
    for (player, banker), number in joint.items():
        found[compare(player, banker)] += number
    return {outcome: found[outcome] for outcome in Outcome}
