"""Chance by drawing one card after another: no formula, no counts of deals."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

from pan9_gym.game.info_state import Hand


@dataclass(frozen=True)
class Shoe:
    """What can be dealt.

    Attributes:
        values: The point values, lowest first.
        counts: Cards of each.
        with_replacement: Whether a dealt card goes back.
    """

    values: tuple[int, ...]
    counts: tuple[int, ...]
    with_replacement: bool

    def next_card(self, dealt: Hand) -> dict[int, Fraction]:
        """The probability of each point value as the next card, when `dealt` are out."""
        back = 0 if self.with_replacement else 1
        left = {
            value: number - back * dealt.count(value)
            for value, number in zip(self.values, self.counts, strict=True)
        }
        size = sum(left.values())
        return {value: Fraction(number, size) for value, number in left.items() if number > 0}

    def next_cards(self, dealt: Hand, number: int) -> dict[Hand, Fraction]:
        """The probability of each multiset as the next `number` cards: the sum over its orders."""
        orders: dict[Hand, Fraction] = {(): Fraction(1)}
        for _ in range(number):
            orders = {
                (*cards, card): prob * next_prob
                for cards, prob in orders.items()
                for card, next_prob in self.next_card((*dealt, *cards)).items()
            }
        found: defaultdict[Hand, Fraction] = defaultdict(Fraction)
        for cards, prob in orders.items():
            found[tuple(sorted(cards))] += prob
        return found


@cache
def multisets(values: tuple[int, ...], number: int) -> tuple[Hand, ...]:
    """Every multiset of `number` point values, in lexicographic order."""
    return tuple(combinations_with_replacement(values, number))


@cache
def outcomes(shoe: Shoe, dealt: Hand, number: int) -> list[tuple[int, float]]:
    """The multisets that may come as the next `number` cards, each by its number, with its probability."""
    probs = shoe.next_cards(dealt, number)
    every = multisets(shoe.values, number)
    return [(action, float(probs[cards])) for action, cards in enumerate(every) if cards in probs]
