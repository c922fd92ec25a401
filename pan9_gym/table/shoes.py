"""Where a table's cards come from: the game's `Shoe`, or cards that a scenario stacks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import Protocol

from pan9_gym.game.shoe import CardKind, CardSource
from pan9_gym.rules.cards import SUITS, Card, parse_card


class TableShoe(CardSource, Protocol):
    """A card source that a table can go on with from hand to hand; `game.Shoe` is one."""

    @property
    def num_cards_left(self) -> int | None:
        """Cards that are left; `None` with replacement."""
        ...

    @property
    def cut_card_reached(self) -> bool:
        """Whether the shoe is shuffled before the next hand."""
        ...

    def shuffle(self) -> None:
        """Return all cards and start a new shoe."""
        ...

    def put_back(self, cards: Iterable[CardKind]) -> None:
        """Return some cards and shuffle them in with those that are left."""
        ...


class StackedTableShoe:
    """Cards in a known order for worked scenarios.

    Args:
        cards: One text of cards per shoe, first card first; a card without a suit gets one in turn. The first
            is the first shoe; shuffling goes on to the next text, and so does a return of cards.

    >>> shoe = StackedTableShoe("A 5", "K")
    >>> str(shoe.draw())
    'Ac'
    """

    def __init__(self, *cards: str) -> None:
        suits = cycle(SUITS)
        self._shoes = [
            [
                card if card.suit else Card(card.rank, next(suits))
                for card in map(parse_card, text.replace(",", " ").split())
            ]
            for text in cards
        ]
        self._fresh = True
        self.cut_card_reached = False

    @property
    def num_cards_left(self) -> int:
        """Cards that are left in this shoe."""
        return len(self._shoes[0])

    def draw(self) -> CardKind:
        """The next card.

        Raises:
            ValueError: If the text has no more.
        """
        if not self._shoes[0]:
            raise ValueError("the stacked shoe has run out")
        self._fresh = False
        return self._shoes[0].pop(0)

    def shuffle(self) -> None:
        """Go on to the next text, unless no card of this one has been dealt."""
        if not self._fresh:
            self._next_text()

    def put_back(self, cards: Iterable[CardKind]) -> None:
        """Go on to the next text, whatever the cards."""
        self._next_text()

    def _next_text(self) -> None:
        if len(self._shoes) == 1:
            raise ValueError("the stacked shoes are used up: a shuffle needs one more text of cards")
        self._shoes.pop(0)
        self._fresh = True
