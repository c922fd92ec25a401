"""Suit classes of the player's own cards: the formulas against dealing every single card."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from pan9_gym.game import info_states
from pan9_gym.rules import Role, SuitClass, load_rules
from pan9_gym.rules.cards import SUITS, Card, suit_class
from pan9_gym.solver.deal_distribution import SuitCounts, num_orders, read_shoe, read_suits
from pan9_gym.solver.suits import own_cards

RANKS = {"A": 1, "3": 3, "K": 0}
ORDER = ("K", "A", "3")  # by point value, as the rows of counts[value, suit]
SHOES: dict[str, SuitCounts] = {
    "every suit": ((1, 1, 0, 1), (0, 1, 1, 1), (1, 0, 2, 0)),
    "one suit only": ((2, 0, 0, 0), (3, 0, 0, 0), (3, 0, 0, 0)),
    "one colour only": ((2, 0, 0, 1), (1, 0, 0, 2), (2, 0, 0, 1)),
    "a value is missing": ((0, 0, 0, 0), (2, 1, 1, 0), (1, 2, 0, 1)),
}


def cards_of(shoe: SuitCounts) -> list[Card]:
    return [
        Card(rank, suit)
        for rank, row in zip(ORDER, shoe, strict=True)
        for suit, number in zip(SUITS, row, strict=True)
        for _ in range(number)
    ]


@pytest.mark.parametrize("shoe", SHOES.values(), ids=SHOES)
@pytest.mark.parametrize("num_decks", [3, "infinite"])
def test_parts_equal_the_deals_of_single_cards(shoe: SuitCounts, num_decks: int | str) -> None:
    rules = load_rules("bicycle", point_values=RANKS, num_decks=num_decks)
    cards = cards_of(shoe)
    deals = product(cards, repeat=4) if num_decks == "infinite" else permutations(cards, 4)
    stood: Counter[tuple[tuple[int, ...], SuitClass]] = Counter()
    drawn: Counter[tuple[tuple[int, ...], int, SuitClass, SuitClass]] = Counter()
    for deal in deals:
        values = [RANKS[card.rank] for card in deal]
        hand, first = tuple(sorted(values[:3])), suit_class(deal[:3])
        stood[hand, first] += 1
        drawn[hand, values[3], first, suit_class(deal)] += 1
    own = own_cards(rules, shoe)
    left = len(cards) if num_decks == "infinite" else len(cards) - 3
    hands = info_states(rules, Role.PLAYER).hands
    for index, hand in enumerate(hands):
        orders = num_orders([hand.count(value) for value in rules.values])
        for first, final in product(SuitClass, SuitClass):
            stands = stood[hand, first] if first is final else 0
            assert own.parts[None][index, first, final] * orders * left == stands
            for value in rules.values:
                ways = drawn[hand, value, first, final]
                assert own.parts[value][index, first, final] * orders == ways
    assert sum(stood.values()) == sum(drawn.values())


@pytest.mark.parametrize("drawn", [False, True])
def test_a_stand_in_has_the_classes_and_the_rank_it_stands_for(drawn: bool) -> None:
    """Where the classes are possible; a hand never becomes more alike by a card."""
    rules = load_rules("bicycle", point_values=RANKS)
    own = own_cards(rules, read_suits(rules, None))
    for index, hand in enumerate(info_states(rules, Role.PLAYER).hands):
        for first in SuitClass:
            for final in [kind for kind in SuitClass if (kind >= first if drawn else kind is first)]:
                cards = own.stand_ins[own.labels[3 if drawn else None][index, first, final]]
                assert len(cards) == 3 + drawn
                assert (suit_class(cards[:3]), suit_class(cards)) == (first, final)
                assert all(card.rank == "3" for card in cards) is (hand == (3, 3, 3))


def test_counts_by_suit_are_added_up_where_suits_do_not_matter() -> None:
    rules = load_rules("bicycle", point_values=RANKS, num_decks=3)
    shoe = SHOES["every suit"]
    assert read_shoe(rules, shoe) == (3, 3, 3)
    assert read_shoe(rules, np.array(shoe)) == (3, 3, 3)
    assert read_suits(rules, np.array(shoe)) == shoe


def test_a_full_shoe_needs_no_counts_by_suit() -> None:
    rules = load_rules("bicycle")
    full = ((36,) * 4, *((12,) * 4,) * 6)
    for shoe in (None, rules.initial_counts, list(rules.initial_counts), full):
        assert read_suits(rules, shoe) == full


BAD = {
    "depleted, without suits": ((143, 48, 48, 48, 48, 48, 48), "counts[value, suit], a row for each"),
    "a row is missing": (((36,) * 4, *((12,) * 4,) * 5), "counts[value, suit], a row for each"),
    "a suit is missing": (((36,) * 4, *((12,) * 3,) * 6), "counts[value, suit], a row for each"),
    "rows and numbers": (((36,) * 4, *((12,) * 4,) * 5, 48), "counts[value, suit], a row for each"),
    "too many": (
        ((37, 36, 36, 36), *((12,) * 4,) * 6),
        "the count of value 0 in suit c must be a whole number",
    ),
    "negative": (
        ((36,) * 4, *((12,) * 4,) * 5, (12, 12, -1, 12)),
        "value 6 in suit h must be a whole number",
    ),
    "no whole number": (((36,) * 4, *((12,) * 4,) * 5, (12, 1.5, 1, 1)), "value 6 in suit d must be a whole"),
    "too few cards": (((1,) * 4, (1,) * 3 + (0,), *((0,) * 4,) * 5), "holds 7 cards; one hand may need 8"),
}


@pytest.mark.parametrize("fault", BAD)
def test_counts_by_suit_that_do_not_fit(fault: str) -> None:
    shoe, message = BAD[fault]
    with pytest.raises(ValueError, match=r"^shoe \(") as caught:
        read_suits(load_rules("bicycle"), shoe)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_the_shares_of_a_hand_are_those_of_its_deals() -> None:
    """Ordered deals are shared out without a remainder and add up to what they were."""
    rules = load_rules("bicycle", point_values=RANKS, num_decks=3)
    own = own_cards(rules, SHOES["every suit"])
    parts = own.parts[1].sum(axis=2)
    deals = own.parts[1].sum(axis=(1, 2)) * 7
    shared = own.share_out(deals, 1, parts)
    assert (shared.sum(axis=1) == deals).all()
    assert (shared == parts * 7).all()
    assert Fraction(int(shared.sum()), 7) == parts.sum()
