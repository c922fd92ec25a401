"""Several players against the banker as exact sums over patterns of choices.

Formula:
    R_i(c) = L( prod_{j != i} P_j * x^c ) * falling(N - (n - 1) k - |c|, drawers other than i)
    X_i(b) = sum_c u(c) f(total(c), total(b)) R_i(c + b)

Symbols:
    n, k, N: players, first cards of a hand, cards in the shoe
    P_j: polynomial of seat j's first cards with which it chooses as in the pattern; L (`falling_functional`)
    R_i(c): weighted deals to all other n - 1 players, given that c is dealt to seat i and the banker
    |c|: number of cards in c
    u(c): weighted orders of seat i's final compositions; b: the banker's final composition
    f: what is paid for the final totals of the player and the banker, units per unit wagered
    X_i(b): the pattern's deals weighted by f; the banker's own orders and choice are not in it
    Weights are probabilities times their denominators: integers, divided out at the end (`units`).

Source:
    Choices: T4, B4, B5. Derivation: this module. Which cards other players draw is not seen and pays nothing
    to seat i, so that each is any of the cards left: the second factor of R_i. Seats that play alike share
    R_i and the sums over c, so seven players of one kind cost seven polynomials, not 7 * 128.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import Choices, InfoStates, info_states
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import DRAW_TOKEN, STAND_TOKEN, Action, Role, Visible
from pan9_gym.solver.deal_distribution import IntMatrix, ShoeCounts, falling, num_orders
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.falling_functional import Composition, FallingFunctional, Numbers, Terms, product

Pattern = tuple[Action, ...]
"""What each player did, seat 0 first."""

Indices = npt.NDArray[np.int64]

OthersKey = tuple[tuple[int, ...], int]
"""Keys of the other seats' parts, and how many of them draw."""


@dataclass(frozen=True)
class SeatPart:
    """What one seat contributes to a pattern.

    Attributes:
        key: Equal for parts with equal hands and units.
        action: What the seat does.
        hands: Weighted orders of the first cards with which it does so, by composition.
        unit: The denominator of the policy's probabilities in `hands`.
    """

    key: int
    action: Action
    hands: dict[Composition, int]
    unit: int

    @cached_property
    def finals(self) -> dict[Composition, int]:
        """Weighted orders of its final compositions."""
        return finals_of(self.hands, self.action)


class SeatsGame:
    """The sums of one shoe and one set of players' policies; made once per question.

    Exact sums are Python integers, over `num_deals(max_cards)` deals times `units()`; in floating point the
    policies' denominators are divided out at once, so that no denominator is too large for a float.

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
        self.dtype: Any = object if exact else np.float64
        self._functional = FallingFunctional(shoe, rules.with_replacement, exact)
        self._scaled = [scaled(player.draw_probs) for player in self.players]
        self._part_keys: dict[tuple[frozenset[tuple[Composition, int]], int], int] = {}
        self._parts: dict[tuple[int, int, Action], SeatPart] = {}
        self._others: dict[OthersKey, Numbers] = {}
        self._sums: dict[tuple[int, Action, OthersKey], Numbers] = {}

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
    def orders(self) -> Numbers:
        """In how many orders each hand can be dealt."""
        return np.array([num_orders(hand) for hand in self.hands], dtype=self.dtype)

    @cached_property
    def finals(self) -> tuple[Composition, ...]:
        """Every final composition a hand can have: the hands in their order, then those with a card more."""
        drawn = (_with_card(hand, column) for hand in self.hands for column in range(len(hand)))
        return tuple(dict.fromkeys((*self.hands, *drawn)))

    @cached_property
    def _final_index(self) -> dict[Composition, int]:
        return {final: index for index, final in enumerate(self.finals)}

    @cached_property
    def drawn(self) -> Indices:
        """The number of each hand with each card more among `finals`, shape (num_hands, num_values)."""
        cards = range(len(self.shoe))
        return np.array(
            [[self._final_index[_with_card(hand, column)] for column in cards] for hand in self.hands]
        )

    @cached_property
    def final_totals(self) -> Indices:
        """The total of each final composition."""
        totals: Indices = np.array(self.finals) @ np.array(self.rules.values) % 10
        return totals

    @cached_property
    def pairs(self) -> Indices:
        """Where R has the sum of two final compositions, shape (num_finals, num_finals)."""
        codes = self._codes(self.finals)
        _, places = np.unique(codes[:, None] + codes[None, :], return_inverse=True)
        indices: Indices = places.reshape(len(codes), len(codes))
        return indices

    def _codes(self, compositions: Sequence[Composition]) -> Indices:
        """Compositions as numbers, so that the code of a sum is the sum of the codes."""
        base = 2 * self.rules.num_initial_cards + 3
        codes: Indices = np.array(compositions, dtype=np.int64) @ base ** np.arange(len(self.shoe))
        return codes

    @cached_property
    def _scaled_payoffs(self) -> tuple[IntMatrix, int]:
        return scaled(payoff_table(self.rules))

    @property
    def payoff_unit(self) -> int:
        """The denominator of the payoffs."""
        return self._scaled_payoffs[1]

    @cached_property
    def payoffs(self) -> Numbers:
        """A player's payoffs times `payoff_unit`, [player total, banker total]."""
        return self._scaled_payoffs[0].astype(self.dtype)

    def num_deals(self, num_cards: int) -> int:
        """All ordered deals of so many cards."""
        return falling(sum(self.shoe), num_cards, self.rules.with_replacement)

    def spread(self, num_cards: int) -> int:
        """What deals of `num_cards` cards are multiplied by to count deals of `max_cards` cards."""
        return self._falling_after(num_cards, self.max_cards - num_cards)

    def _falling_after(self, num_dealt: int, num_cards: int) -> int:
        """Ways to deal `num_cards` cards after `num_dealt` others."""
        left = sum(self.shoe) - (0 if self.rules.with_replacement else num_dealt)
        return falling(left, num_cards, self.rules.with_replacement)

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
        hands = self.hands_that(action, probs[row], unit)
        key = self._part_keys.setdefault((frozenset(hands.items()), unit), len(self._part_keys))
        return SeatPart(key, action, hands, unit)

    def hands_that(self, action: Action, probs: IntMatrix, unit: int) -> dict[Composition, int]:
        """Weighted orders of the first cards with which a seat takes an action.

        Args:
            action: The action.
            probs: The seat's drawing probabilities times `unit`, one for each hand.
            unit: Their denominator.
        """
        taken = probs if action is Action.DRAW else unit - probs
        weights = [num_orders(hand) * int(prob) for hand, prob in zip(self.hands, taken, strict=True)]
        return {hand: weight for hand, weight in zip(self.hands, weights, strict=True) if weight}

    def arises(self, pattern: Pattern) -> bool:
        """Whether every seat has a hand with which it chooses so."""
        return all(self.part(seat, pattern).hands for seat in range(self.num_players))

    def others(self, seat: int, pattern: Pattern) -> tuple[OthersKey, Numbers]:
        """R of a seat in a pattern, with the key of the seats it comes from; empty if nobody plays so."""
        parts = self.parts_but((seat,), pattern)
        key = others_key(parts)
        known = self._others.get(key)
        if known is None:
            known = np.zeros(0, dtype=self.dtype)
            if all(part.hands for part in parts):
                first = self.rules.num_initial_cards
                found = self.deals_to(parts, (2 * first, 2 * first + 1, 2 * first + 2))
                order = np.argsort(self._codes(list(found)))
                known = np.array(list(found.values()), dtype=self.dtype)[order]
            self._others[key] = known
        return key, known

    def parts_but(self, seats: Sequence[int], pattern: Pattern) -> list[SeatPart]:
        """What all players but `seats` contribute to a pattern."""
        return [self.part(other, pattern) for other in range(self.num_players) if other not in seats]

    def deals_to(self, parts: Sequence[SeatPart], degrees: Sequence[int]) -> dict[Composition, Any]:
        """Weighted deals to some players, for every composition that everybody else may get.

        Args:
            parts: What each of them contributes.
            degrees: How many cards everybody else may get.
        """
        joint = product([part.hands for part in parts], len(self.shoe))
        weights = self._per_unit(joint.weights, prod(part.unit for part in parts))
        found = self._functional.shifted(Terms(joint.powers, weights), degrees)
        num_drawers = sum(part.action is Action.DRAW for part in parts)
        before = len(parts) * self.rules.num_initial_cards
        drawn = {degree: self._falling_after(before + degree, num_drawers) for degree in degrees}
        return {composition: number * drawn[sum(composition)] for composition, number in found.items()}

    def _per_unit(self, numbers: Numbers, unit: int) -> Numbers:
        """Python integers as they are in exact sums, divided by their denominator in floating point."""
        return numbers if self.dtype is object else (numbers / unit).astype(np.float64)

    def banker_sums(self, seat: int, pattern: Pattern) -> Numbers:
        """Weighted deals by the seat's final total and the banker's final composition.

        Args:
            seat: The player.
            pattern: The choices of all players; it arises.

        Returns:
            Shape (10, num_finals); the banker's own orders and choice are not in it.
        """
        key, counts = self.others(seat, pattern)
        part = self.part(seat, pattern)
        known = self._sums.get((part.key, part.action, key))
        if known is None:
            own = np.array([self._final_index[final] for final in part.finals])
            factors = self._per_unit(np.array([*part.finals.values()], dtype=object), part.unit)
            deals = counts[self.pairs[own]] * factors[:, None]
            totals = self.final_totals[own]
            known = np.stack([deals[totals == total].sum(axis=0) for total in TOTALS])
            self._sums[part.key, part.action, key] = known
        return known

    def paid(self, seat: int, pattern: Pattern) -> Numbers:
        """X of a seat in a pattern for every final composition of the banker, times `payoff_unit`."""
        paid: Numbers = (self.banker_sums(seat, pattern) * self.payoffs[:, self.final_totals]).sum(axis=0)
        return paid

    def banker_weights(self, probs: IntMatrix, unit: int, pattern: Pattern) -> Numbers:
        """Weighted orders of the banker's final compositions, spread to deals of `max_cards` cards.

        Args:
            probs: The banker's drawing probabilities times `unit`.
            unit: Their denominator.
            pattern: The choices of all players.
        """
        row, dealt = probs[self.banker_row(pattern)], self.num_dealt(pattern)
        weights = np.zeros(len(self.finals), dtype=object)
        weights[: len(self.hands)] = self.orders * (unit - row) * self.spread(dealt)
        np.add.at(weights, self.drawn, (self.orders * row * self.spread(dealt + 1))[:, None])
        return weights

    def by_banker_total(self, deals: Numbers) -> Numbers:
        """Deals [..., final composition of the banker] summed to [..., total of the banker]."""
        return np.stack([deals[:, self.final_totals == total].sum(axis=1) for total in TOTALS], axis=1)

    def units(self, but: int | None = None) -> int:
        """The product of the players' probability denominators, one player left out if wanted."""
        return prod(unit for seat, (_, unit) in enumerate(self._scaled) if seat != but)

    def tokens(self, pattern: Pattern) -> Choices:
        """A pattern as tokens."""
        return tuple(DRAW_TOKEN if action is Action.DRAW else STAND_TOKEN for action in pattern)


def others_key(parts: Sequence[SeatPart]) -> OthersKey:
    """Equal for players of whom `SeatsGame.deals_to` gives the same."""
    return tuple(sorted(part.key for part in parts)), sum(part.action is Action.DRAW for part in parts)


def finals_of(hands: Mapping[Composition, int], action: Action) -> dict[Composition, int]:
    """Weighted orders of final compositions, from those of the first cards."""
    if action is Action.STAND:
        return dict(hands)
    finals: dict[Composition, int] = {}
    for hand, weight in hands.items():
        for column in range(len(hand)):
            final = _with_card(hand, column)
            finals[final] = finals.get(final, 0) + weight
    return finals


def _row(pattern: Pattern, states: InfoStates) -> int:
    """The row of a policy that a pattern reaches: its visible choices in base 2, first seat first."""
    return sum(int(choice) << place for place, choice in enumerate(pattern[: states.num_visible]))


def _with_card(composition: Composition, column: int) -> Composition:
    """A composition with one more card of the value in `column`."""
    return (*composition[:column], composition[column] + 1, *composition[column + 1 :])
