"""Cards and their text notation: `A`, `5`, `10`, `Q` without a suit, `As`, `10h` with one.

Hands in code, tests and documentation are written this way: `parse_cards("A A Q 5")`.
"""

from __future__ import annotations

from typing import NamedTuple

from pan9_gym.rules.terms import SuitClass

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("c", "d", "h", "s")
RED_SUITS = frozenset({"d", "h"})


class Card(NamedTuple):
    """A playing card; `suit` is empty where only the point value matters."""

    rank: str
    suit: str = ""

    def __str__(self) -> str:
        """The card in text notation, such as `10h`."""
        return self.rank + self.suit


def parse_card(text: str) -> Card:
    """Read one card.

    >>> parse_card("10h")
    Card(rank='10', suit='h')

    Raises:
        ValueError: If the text is no card; the message says which texts are.
    """
    cleaned = text.strip()
    suit = cleaned[-1:].lower() if cleaned[-1:].lower() in SUITS else ""
    rank = cleaned[: len(cleaned) - len(suit)].upper()
    if rank not in RANKS:
        raise ValueError(
            f"card {text!r} is not known: write a rank ({', '.join(RANKS)}) "
            f"and, where suits matter, one of the suits {', '.join(SUITS)}, such as 'As' or '5'"
        )
    return Card(rank, suit)


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards separated by blanks or commas.

    >>> [str(card) for card in parse_cards("A 5, Qs")]
    ['A', '5', 'Qs']
    """
    return tuple(parse_card(part) for part in text.replace(",", " ").split())


def suit_class(cards: tuple[Card, ...]) -> SuitClass:
    """How alike the suits of a hand are (clauses S6 and S7).

    >>> suit_class(parse_cards("3h 3h 3d"))
    <SuitClass.SAME_COLOUR: 1>

    Raises:
        ValueError: If a card has no suit.
    """
    suits = {card.suit for card in cards}
    if "" in suits:
        raise ValueError(f"cards {' '.join(map(str, cards))!r}: a suit is needed on every card, such as 'As'")
    if len(suits) == 1:
        return SuitClass.SUITED
    if len({suit in RED_SUITS for suit in suits}) == 1:
        return SuitClass.SAME_COLOUR
    return SuitClass.OFF_SUIT
