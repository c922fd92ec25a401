"""Text notation and suit classes."""

from __future__ import annotations

import itertools

import pytest

from pan9_gym.rules import SuitClass
from pan9_gym.rules.cards import RANKS, SUITS, Card, parse_card, parse_cards, suit_class

PACK = [Card(rank, suit) for rank in RANKS for suit in SUITS]


def test_a_full_pack_has_52_cards() -> None:
    assert len(set(PACK)) == 52
    assert len({str(card) for card in PACK}) == 52


@pytest.mark.parametrize("card", PACK, ids=str)
def test_notation_round_trip(card: Card) -> None:
    assert parse_card(str(card)) == card
    assert str(parse_card(str(card).swapcase())) == str(card)
    assert parse_card(f" {card} ") == card


@pytest.mark.parametrize("rank", RANKS)
def test_a_rank_alone_is_a_card_without_a_suit(rank: str) -> None:
    assert parse_card(rank) == Card(rank, "")
    assert str(parse_card(rank.lower())) == rank


def test_cards_are_separated_by_blanks_or_commas() -> None:
    expected = (Card("A", "s"), Card("10", "h"), Card("Q"))
    assert parse_cards("As 10h Q") == parse_cards("As,10h,Q") == parse_cards("  As , 10h  Q ") == expected
    assert parse_cards("") == ()


@pytest.mark.parametrize("text", ["", "1", "11", "0", "T", "X", "s", "Asx", "hA", "A-s", "5 5", "10x", "♠"])
def test_a_text_that_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not known: write a rank \(A, 2, .* K\) .*suits c, d, h, s"
    ) as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("suits", list(itertools.product("cdhs", repeat=3)), ids="".join)
def test_suit_class_of_three_cards(suits: tuple[str, ...]) -> None:
    cards = tuple(Card("3", suit) for suit in suits)
    if suits[0] == suits[1] == suits[2]:
        expected = SuitClass.SUITED
    elif set(suits) in ({"c", "s"}, {"d", "h"}):
        expected = SuitClass.SAME_COLOUR
    else:
        expected = SuitClass.OFF_SUIT
    assert suit_class(cards) is expected


@pytest.mark.parametrize("cards", ["3 3 3", "3h 3h 3", "A Kd"])
def test_suit_class_needs_a_suit_on_every_card(cards: str) -> None:
    with pytest.raises(ValueError, match="a suit is needed on every card"):
        suit_class(parse_cards(cards))
