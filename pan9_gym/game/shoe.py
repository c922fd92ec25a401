"""The shoe: the cards that are left, and where the next one comes from.

A card is its point value (an int) where only points matter, and a `Card` where suits do. Chance is injected:
a `Shoe` draws with the Generator it is given, a `StackedShoe` deals the cards a test lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np

from pan9_gym.rules.cards import SUITS, Card, parse_card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import is_whole
from pan9_gym.rules.scoring import card_values

CardKind = int | Card
"""A point value, or a rank and suit."""

ROW_CARDS = 32
"""Cards per row of prepared random numbers: a full table of eight hands draws at most this many."""

BLOCK_NUMBERS = 4096
"""Random numbers prepared at a time; one Generator call costs as much as about a hundred numbers."""


class CardSource(Protocol):
    """Anything that deals cards one at a time."""

    def draw(self) -> CardKind:
        """The next card."""
        ...


def full_shoe(rules: RulesConfig, with_suits: bool = False) -> list[CardKind]:
    """Every card of a full shoe (with replacement: of one pack), in a fixed order."""
    pack: list[CardKind]
    if with_suits:
        pack = [Card(rank, suit) for rank in rules.point_values for suit in SUITS]
    else:
        pack = [value for value in rules.point_values.values() for _ in SUITS]
    return pack * (rules.num_decks or 1)


def read_counts(
    rules: RulesConfig, with_suits: bool, counts: Mapping[CardKind, int] | None
) -> Counter[CardKind]:
    """How many cards of each kind a shoe holds, checked; a full shoe for `None`.

    Raises:
        ValueError: If a kind is not in the pack, or its number is negative or more than the packs have.
    """
    full = Counter(full_shoe(rules, with_suits))
    if counts is None:
        return full
    for kind, number in counts.items():
        if kind not in full:
            raise ValueError(f"shoe: card {kind!r} is not in the pack; cards allowed: {_listed(full)}")
        if not is_whole(number) or number < 0 or (number > full[kind] and not rules.with_replacement):
            raise ValueError(f"shoe: card {kind!r} has the number {number!r}; allowed is 0 to {full[kind]}")
    return Counter(dict(counts))


def counts_by_value(rules: RulesConfig, counts: Mapping[CardKind, int]) -> list[int]:
    """How many cards of each point value there are, lowest value first."""
    found = dict.fromkeys(rules.values, 0)
    for kind, number in counts.items():
        found[rules.point_values[kind.rank] if isinstance(kind, Card) else kind] += number
    return list(found.values())


def _listed(kinds: Iterable[CardKind]) -> str:
    return ", ".join(map(str, kinds))


class Shoe:
    """A shuffled shoe.

    Every order of the remaining cards has the same probability: the next card is picked uniformly among those
    left (a partial Fisher-Yates shuffle), by unbiased bounded integers that are prepared in blocks.

    Args:
        rules: The pack, the number of packs, and whether cards are dealt with replacement.
        rng: The source of randomness.
        with_suits: Whether cards are `Card`s with suits or point values.
        penetration: The part of the shoe dealt before the cut card comes up, in (0, 1]; to the nearest card.
        start_cards: How many cards a newly shuffled shoe holds, as an inclusive range from which the number
            is drawn; the others are dealt out before the first hand. `None` for all.

    Raises:
        ValueError: If `penetration` or `start_cards` is out of range.
    """

    def __init__(
        self,
        rules: RulesConfig,
        *,
        rng: np.random.Generator,
        with_suits: bool = False,
        penetration: float | Fraction = 1,
        start_cards: tuple[int, int] | None = None,
    ) -> None:
        self._cards = full_shoe(rules, with_suits)
        self._with_replacement = rules.with_replacement
        self._rng = rng
        if not 0 < penetration <= 1:
            raise ValueError(f"penetration {penetration!r}: must be greater than 0 and at most 1")
        if start_cards is not None and not 1 <= start_cards[0] <= start_cards[1] <= len(self._cards):
            raise ValueError(
                f"start_cards {start_cards!r}: must be (low, high), 1 <= low <= high <= {len(self._cards)}"
            )
        self._cut_position = round(penetration * len(self._cards))
        if start_cards is not None and start_cards[1] <= len(self._cards) - self._cut_position:
            raise ValueError(
                f"start_cards {start_cards!r}: with penetration {penetration} the cut card lies before the "
                f"last {len(self._cards) - self._cut_position} cards, so every shoe would be over at once"
            )
        self._start_cards = start_cards
        self._rows: list[list[int]] = []
        self._row: list[int] = []
        self._position = 0
        self.shuffle()

    def shuffle(self) -> None:
        """Return all cards and start a new shoe."""
        self._new_row()
        if self._start_cards is not None:
            low, high = self._start_cards
            for _ in range(len(self._cards) - int(self._rng.integers(low, high + 1))):
                self.draw()

    def _new_row(self) -> None:
        if not self._rows:
            self._rows = self._offsets(0, BLOCK_NUMBERS // ROW_CARDS)
        self._row = self._rows.pop()
        self._position = 0

    def draw(self) -> CardKind:
        """Deal the next card.

        Raises:
            ValueError: If the shoe is empty.
        """
        if self._position >= len(self._row):
            self._extend_row()
        position = self._position
        self._position = position + 1
        cards = self._cards
        if self._with_replacement:
            return cards[self._row[position]]
        picked = position + self._row[position]
        cards[position], cards[picked] = cards[picked], cards[position]
        return cards[position]

    def _extend_row(self) -> None:
        position = self._position
        if self._with_replacement:  # every place is alike, so that a row is never longer than the first
            self._new_row()
        elif position >= len(self._cards):
            raise ValueError(f"the shoe is empty: all {len(self._cards)} cards are dealt")
        else:
            self._row = self._row + self._offsets(position, 1)[0]

    def _offsets(self, position: int, num_rows: int) -> list[list[int]]:
        """Rows of distances to the picked card, each uniform on the cards left at that place of the shoe."""
        size = len(self._cards)
        if self._with_replacement:
            bounds = np.full(ROW_CARDS, size)
        else:
            bounds = size - np.arange(position, min(position + ROW_CARDS, size))
        rows: list[list[int]] = self._rng.integers(0, bounds, size=(num_rows, len(bounds))).tolist()
        return rows

    def put_back(self, cards: Iterable[CardKind]) -> None:
        """Return dealt cards to those that are left, in an order that nobody knows.

        Args:
            cards: Cards of this shoe that are dealt; with replacement they are back already.

        Raises:
            ValueError: If one of them is not dealt.
        """
        if self._with_replacement:
            return
        for card in cards:
            try:
                place = self._cards.index(card, 0, self._position)
            except ValueError:
                raise ValueError(f"card {card!r}: none such is dealt, so none can be put back") from None
            self._position -= 1
            last = self._position
            self._cards[place], self._cards[last] = self._cards[last], self._cards[place]
        self._row = self._row[: self._position]  # what comes next is drawn anew

    @property
    def num_cards_left(self) -> int | None:
        """Cards that are left; `None` with replacement."""
        return None if self._with_replacement else len(self._cards) - self._position

    @property
    def cut_card_reached(self) -> bool:
        """Whether the cut card has come up, so that the shoe is shuffled before the next hand."""
        return not self._with_replacement and self._position >= self._cut_position

    def counts(self) -> Counter[CardKind]:
        """How many cards of each kind are left; with replacement, those of one pack."""
        return Counter(self._cards if self._with_replacement else self._cards[self._position :])


class StackedShoe:
    """Cards in a known order, first one first: chance for tests and worked examples.

    Args:
        rules: The rules whose pack the cards must come from.
        cards: Cards in text notation or as `Card`, in the order they are dealt.
        with_suits: Whether every card needs a suit.

    Raises:
        ValueError: If a card is not in the pack, lacks a suit, or comes more often than the shoe has it.
    """

    def __init__(self, rules: RulesConfig, cards: Iterable[str | Card], with_suits: bool = False) -> None:
        parsed = [card if isinstance(card, Card) else parse_card(card) for card in cards]
        values = card_values(rules, parsed)
        if with_suits and any(not card.suit for card in parsed):
            bare = next(card for card in parsed if not card.suit)
            raise ValueError(f"card {str(bare)!r}: side stakes need a suit on every card, such as '{bare}s'")
        self._cards: tuple[CardKind, ...] = tuple(parsed) if with_suits else values
        self._position = 0
        if not rules.with_replacement:
            available = Counter(full_shoe(rules, with_suits))
            for card, number in Counter(self._cards).items():
                if number > available[card]:
                    text = str(parsed[self._cards.index(card)])
                    raise ValueError(
                        f"card {text!r}: cards of its kind are listed {number} times; "
                        f"the shoe has {available[card]}"
                    )

    def draw(self) -> CardKind:
        """Deal the next listed card.

        Raises:
            ValueError: If all are dealt.
        """
        if self._position == len(self._cards):
            raise ValueError(
                f"the stacked shoe has run out: {len(self._cards)} cards were listed and the hand needs more"
            )
        card = self._cards[self._position]
        self._position += 1
        return card

    @property
    def num_cards_left(self) -> int:
        """Listed cards that are left."""
        return len(self._cards) - self._position
