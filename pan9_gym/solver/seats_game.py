"""Several players against the banker as exact sums over patterns of choices.

In a pattern of choices every seat j has a polynomial P_j of its hands that choose so (see
`falling_functional`; a drawn card multiplies it by the sum of the variables). For a seat i let

    R_i(c) = L( prod_{j != i} P_j * x^c )

be the weighted number of deals to all other players, given that c is dealt to seat i and the banker. With the
weights u of seat i's final compositions and the banker's final composition b, the pattern's deals weighted by
a payoff f(player total, banker total) are

    X_i(b) = sum_c u(c) f(total(c), total(b)) R_i(c + b)

Seats that play alike share R_i and X_i, so seven players of one kind cost seven polynomials, not 7 * 128.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, lcm, prod
from typing import Any

import numpy as np

from pan9_gym.game.info_state import Choices, InfoStates, info_states
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import Action, Role, Visible
from pan9_gym.solver.deal_distribution import IntMatrix, ShoeCounts
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.falling_functional import Composition, FallingFunctional, Polynomial, product

Pattern = tuple[Action, ...]
"""What each player did, seat 0 first."""


@dataclass(frozen=True)
class SeatPart:
    """What one seat contributes to a pattern.

    Attributes:
        key: Equal for parts with equal weights.
        weights: Weighted ordered deals by final composition.
        unit: The denominator of the policy's probabilities in `weights`.
    """

    key: int
    weights: Polynomial
    unit: int


class SeatsGame:
    """The sums of one shoe and one set of players' policies; made once per question.

    Args:
        rules: The rules.
        players: The players' policies in seat order.
        shoe: Cards left of each point value, checked.
        exact: Whether sums are Python integers or float64.
    """

    def __init__(
        self, rules: RulesConfig, players: Sequence[TabularPolicy], shoe: ShoeCounts, exact: bool = True
    ) -> None:
        if rules.banker_sees is Visible.CARD or rules.naturals:
            raise ValueError(
                f"several seats: exact values are for rules without seen cards and naturals, "
                f"not for {rules.name!r}"
            )
        self.rules = rules
        self.players = tuple(players)
        self.shoe = shoe
        self.banker_states = info_states(rules, Role.BANKER, len(self.players))
        self._functional = FallingFunctional(shoe, rules.with_replacement, exact)
        self._scaled = [scaled(player.draw_probs) for player in self.players]
        self._part_keys: dict[frozenset[tuple[Composition, int]], int] = {}
        self._parts: dict[tuple[int, int, Action], SeatPart] = {}
        self._others: dict[tuple[int, ...], dict[Composition, int]] = {}
        self._sums: dict[tuple[int, tuple[int, ...], bool], dict[Composition, int]] = {}

    @property
    def num_players(self) -> int:
        """Players against the banker."""
        return len(self.players)

    @cached_property
    def hands(self) -> tuple[Composition, ...]:
        """The composition of each hand of first cards, in the order of information states."""
        values = self.rules.values
        return tuple(tuple(hand.count(value) for value in values) for hand in self.banker_states.hands)

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """In how many orders each hand can be dealt."""
        first = factorial(self.rules.num_initial_cards)
        return tuple(first // prod(map(factorial, hand)) for hand in self.hands)

    @cached_property
    def payoff_unit(self) -> int:
        """The denominator of the payoffs."""
        return lcm(*(payoff.denominator for row in payoff_table(self.rules) for payoff in row))

    @cached_property
    def payoffs(self) -> tuple[tuple[int, ...], ...]:
        """Payoffs times `payoff_unit`, [player total][banker total]."""
        return tuple(tuple(int(p * self.payoff_unit) for p in row) for row in payoff_table(self.rules))

    def total(self, composition: Composition) -> int:
        """The total of a composition."""
        return sum(v * number for v, number in zip(self.rules.values, composition, strict=True)) % 10

    def with_card(self, composition: Composition, column: int) -> Composition:
        """A composition with one more card of the value in `column`."""
        return (*composition[:column], composition[column] + 1, *composition[column + 1 :])

    def num_deals(self, num_cards: int) -> int:
        """All ordered deals of so many cards."""
        size, step = sum(self.shoe), 0 if self.rules.with_replacement else 1
        return prod(size - step * taken for taken in range(num_cards))

    def spread(self, num_cards: int) -> int:
        """What deals of `num_cards` cards are multiplied by to count deals of `max_cards` cards."""
        size, step = sum(self.shoe), 0 if self.rules.with_replacement else 1
        return prod(size - step * taken for taken in range(num_cards, self.max_cards))

    def num_dealt(self, pattern: Pattern) -> int:
        """Cards dealt to everybody before the banker chooses."""
        return (self.num_players + 1) * self.rules.num_initial_cards + sum(pattern)

    @property
    def max_cards(self) -> int:
        """The most cards one hand can take: the length of the deals that every sum counts."""
        return (self.num_players + 1) * (self.rules.num_initial_cards + 1)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Every pattern of choices; the first seat changes fastest, as in the numbering of patterns."""
        number = self.num_players
        return tuple(tuple(Action(index >> seat & 1) for seat in range(number)) for index in range(2**number))

    def banker_row(self, pattern: Pattern) -> int:
        """The row of the banker's policy that answers a pattern."""
        return _row(pattern, self.banker_states)

    def seat_row(self, seat: int, pattern: Pattern) -> int:
        """The row of a player's policy that a pattern reaches."""
        return _row(pattern, self.players[seat].states)

    def part(self, seat: int, pattern: Pattern) -> SeatPart:
        """What a seat contributes to a pattern."""
        row, action = self.seat_row(seat, pattern), pattern[seat]
        known = self._parts.get((seat, row, action))
        if known is None:
            known = self._parts[seat, row, action] = self._new_part(seat, row, action)
        return known

    def _new_part(self, seat: int, row: int, action: Action) -> SeatPart:
        probs, unit = self._scaled[seat]
        weights: dict[Composition, int] = {}
        for hand, orders, prob in zip(self.hands, self.orders, probs[row], strict=True):
            weight = orders * int(prob if action is Action.DRAW else unit - prob)
            if not weight:
                continue
            for final in self.finals(hand, action):
                weights[final] = weights.get(final, 0) + weight
        key = self._part_keys.setdefault(frozenset(weights.items()), len(self._part_keys))
        return SeatPart(key, weights, unit)

    def finals(self, hand: Composition, action: Action) -> list[Composition]:
        """The final compositions of a hand: itself, or itself with each card."""
        if action is Action.STAND:
            return [hand]
        return [self.with_card(hand, column) for column in range(len(hand))]

    def others(self, seat: int, pattern: Pattern) -> tuple[tuple[int, ...], dict[Composition, int]]:
        """R of a seat in a pattern, with the key of the seats it comes from; empty if nobody plays so."""
        parts = [self.part(other, pattern) for other in range(self.num_players) if other != seat]
        key = tuple(sorted(part.key for part in parts))
        known = self._others.get(key)
        if known is None:
            known = {}
            if all(part.weights for part in parts):
                first = self.rules.num_initial_cards
                joint = product([part.weights for part in parts], len(self.shoe))
                known = self._functional.shifted(joint, (2 * first, 2 * first + 1, 2 * first + 2))
            self._others[key] = known
        return key, known

    def banker_sums(self, seat: int, pattern: Pattern, with_payoff: bool) -> Mapping[Composition, int]:
        """X of a seat in a pattern for every final composition of the banker.

        Args:
            seat: The player.
            pattern: The choices of all players.
            with_payoff: Whether deals are weighted by the player's payoff, or just counted.
        """
        key, counts = self.others(seat, pattern)
        part = self.part(seat, pattern)
        known = self._sums.get((part.key, key, with_payoff))
        if known is None:
            known = self._sums[part.key, key, with_payoff] = self._new_sums(part, counts, with_payoff)
        return known

    def _new_sums(
        self, part: SeatPart, counts: Mapping[Composition, int], with_payoff: bool
    ) -> dict[Composition, int]:
        sums = {}
        for final in self.banker_finals:
            column = [row[self.total(final)] for row in self.payoffs]
            sums[final] = sum(
                (
                    weight * (column[self.total(own)] if with_payoff else 1) * counts[_added(own, final)]
                    for own, weight in part.weights.items()
                    if counts
                ),
                0,
            )
        return sums

    @cached_property
    def banker_finals(self) -> tuple[Composition, ...]:
        """Every final composition the banker can have."""
        drawn = (final for hand in self.hands for final in self.finals(hand, Action.DRAW))
        return tuple(dict.fromkeys((*self.hands, *drawn)))

    def banker_weights(self, probs: IntMatrix, unit: int, pattern: Pattern) -> Polynomial:
        """Weighted orders of the banker's final compositions, spread to deals of `max_cards` cards.

        Args:
            probs: The banker's drawing probabilities times `unit`.
            unit: Their denominator.
            pattern: The choices of all players.
        """
        row = self.banker_row(pattern)
        dealt = self.num_dealt(pattern)
        weights: dict[Composition, int] = {}
        for hand, orders, prob in zip(self.hands, self.orders, probs[row], strict=True):
            for action, chance in ((Action.STAND, unit - prob), (Action.DRAW, prob)):
                if chance:
                    weight = orders * int(chance) * self.spread(dealt + action)
                    for final in self.finals(hand, action):
                        weights[final] = weights.get(final, 0) + weight
        return weights

    def units(self, but: int | None = None) -> int:
        """The product of the players' probability denominators, one player left out if wanted."""
        return prod(unit for seat, (_, unit) in enumerate(self._scaled) if seat != but)

    def tokens(self, pattern: Pattern) -> Choices:
        """A pattern as tokens."""
        return tuple("draw" if action is Action.DRAW else "stand" for action in pattern)


def _row(pattern: Pattern, states: InfoStates) -> int:
    """The row of a policy that a pattern reaches: its visible choices in base 2, first seat first."""
    return sum(int(choice) << place for place, choice in enumerate(pattern[: states.num_visible]))


def _added(first: Composition, second: Composition) -> Composition:
    return tuple(map(int.__add__, first, second))


def zeros(shape: tuple[int, int]) -> Any:
    """A matrix of Python integers, all 0."""
    return np.zeros(shape, dtype=object)
