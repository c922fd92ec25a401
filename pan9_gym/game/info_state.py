"""Information states and their numbers: what a seat knows when it chooses, and which row and column that is.

A seat knows its own hand as a multiset of point values (84 in Pan 9, in lexicographic order), the choices of
the earlier seats it can see (one token each), and, while it holds a Dragon stake, its hand's suit class.

    index = (pattern * num_hands + hand) * num_suit_classes + suit_class

The pattern is a number in base 2 (stand 0, draw 1), or base 11 where drawn cards are seen (stand 0,
draw:v 1 + v), the first seat being the least significant digit. A policy is an array over these states of
shape (num_patterns, num_columns): one row per pattern, columns = hand * num_suit_classes + suit_class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig, fingerprint_of
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS, FrozenMapping, as_int
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.terms import (
    DRAW_TOKEN,
    STAND_TOKEN,
    Action,
    Role,
    SuitClass,
    Visible,
    draw_token,
)

MAX_PATTERNS = 20_000
"""Rows of the largest table: seen cards of four players, or choices of fourteen."""

Hand = tuple[int, ...]
"""Point values of the first cards, sorted."""

Choices = tuple[str, ...]
"""Tokens of the earlier seats that are seen, first seat first."""


@dataclass(frozen=True)
class InfoStates:
    """The numbering of one seat's information states; made by `info_states`.

    Attributes:
        role: Player or banker.
        num_players: Players against the banker.
        seat: The player's seat, 0 at the banker's left; `num_players` for the banker.
        num_visible: How many earlier seats' choices the seat sees.
        cards_seen: Whether a drawn card is seen with the choice.
        with_suits: Whether the suit class is part of the state.
        num_initial_cards: Cards in a hand before the choice.
        point_values: Points of each rank.
    """

    role: Role
    num_players: int
    seat: int
    num_visible: int
    cards_seen: bool
    with_suits: bool
    num_initial_cards: int
    point_values: FrozenMapping[str, int]

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """Every hand of first cards, in lexicographic order."""
        values = sorted(set(self.point_values.values()))
        return tuple(combinations_with_replacement(values, self.num_initial_cards))

    @cached_property
    def _hand_index(self) -> dict[Hand, int]:
        return {hand: index for index, hand in enumerate(self.hands)}

    @cached_property
    def hand_totals(self) -> tuple[int, ...]:
        """The total of each hand."""
        return tuple(hand_total(hand) for hand in self.hands)

    @property
    def num_suit_classes(self) -> int:
        """3 while a Dragon stake is held, else 1."""
        return len(SuitClass) if self.with_suits else 1

    @cached_property
    def column_totals(self) -> tuple[int, ...]:
        """The total of each column of a policy array, shape (num_columns,)."""
        return tuple(total for total in self.hand_totals for _ in range(self.num_suit_classes))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """What one earlier seat can be seen to have done, in the order of the digits."""
        if not self.cards_seen:
            return (STAND_TOKEN, DRAW_TOKEN)
        return (STAND_TOKEN, *(draw_token(value) for value in range(10)))

    @cached_property
    def patterns(self) -> tuple[Choices, ...]:
        """Every pattern of visible choices, by number.

        Raises:
            ValueError: If there are more than `MAX_PATTERNS`, so that no table can hold them.
        """
        if self.shape[0] > MAX_PATTERNS:
            raise ValueError(
                f"num_players {self.num_players}: {self.shape[0]} patterns of seen cards; "
                f"a table holds at most {MAX_PATTERNS}"
            )
        digits = product(self.tokens, repeat=self.num_visible)
        return tuple(tuple(reversed(pattern)) for pattern in digits)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(num_patterns, num_columns): the shape of a policy array."""
        return len(self.tokens) ** self.num_visible, len(self.hands) * self.num_suit_classes

    @property
    def num_states(self) -> int:
        """How many information states there are."""
        patterns, columns = self.shape
        return patterns * columns

    @property
    def seat_text(self) -> str:
        """Which seat it is, in words."""
        suits = " with a Dragon stake" if self.with_suits else ""
        return f"{self.role} seat {self.seat} of num_players={self.num_players}{suits}"

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides what a number means."""
        return fingerprint_of(
            {
                "role": self.role,
                "num_players": self.num_players,
                "seat": self.seat,
                "num_visible": self.num_visible,
                "cards_seen": self.cards_seen,
                "with_suits": self.with_suits,
                "num_initial_cards": self.num_initial_cards,
                "values": sorted(set(self.point_values.values())),
            }
        )

    def number(self, digits: Sequence[int], hand: Hand, suits: int = 0) -> int:
        """The number of an information state from its parts, unchecked: the formula of this module.

        Args:
            digits: What each visible seat did, as digits, first seat first.
            hand: Point values, sorted.
            suits: The suit class, 0 where it is not part of the state.
        """
        pattern = self._pattern(digits)
        return (pattern * len(self.hands) + self._hand_index[hand]) * self.num_suit_classes + suits

    def _pattern(self, digits: Sequence[int]) -> int:
        index, base = 0, len(self.tokens)
        for digit in reversed(digits):
            index = index * base + digit
        return index

    def hand_index(self, hand: str | Iterable[int]) -> int:
        """The number of a hand, given as point values in any order or as text such as "0 1 5" or "Q A 5".

        Raises:
            ValueError: If there is no such hand.
        """
        try:
            index = self._hand_index.get(tuple(sorted(self._values_of(hand))))
        except TypeError:  # no collection of numbers
            index = None
        if index is None:
            raise ValueError(
                f"hand {hand!r} is not possible: {self.num_initial_cards} point values out of "
                f"{sorted(set(self.point_values.values()))} are needed"
            )
        return index

    def _values_of(self, hand: str | Iterable[int]) -> list[int]:
        if not isinstance(hand, str):
            return list(hand)
        parts = hand.replace(",", " ").split()
        points = {str(value): value for value in self.point_values.values()}
        return [self.point_values.get(part.upper(), points.get(part, -1)) for part in parts]

    def pattern_index(self, choices: Sequence[str]) -> int:
        """The number of a pattern of visible choices.

        Raises:
            ValueError: If their number or a token is wrong.
        """
        if not isinstance(choices, list | tuple) or len(choices) != self.num_visible:
            raise ValueError(
                f"choices {choices!r}: this {self.role} sees {self.num_visible} earlier "
                f"seat{'' if self.num_visible == 1 else 's'}, so {self.num_visible} tokens are needed"
            )
        for token in choices:
            if token not in self.tokens:
                raise ValueError(f"choice {token!r} is not known; allowed: {', '.join(self.tokens)}")
        return self._pattern([self.tokens.index(token) for token in choices])

    def column(self, hand: str | Iterable[int], suits: SuitClass | None = None) -> int:
        """The column of a hand (and suit class) in a policy array.

        Raises:
            ValueError: If the hand is not possible, or a suit class is missing or not part of the state.
        """
        if (suits is not None) != self.with_suits:
            need = (
                "is needed while a Dragon stake is held" if self.with_suits else "is not part of this state"
            )
            raise ValueError(f"suit class {suits!r}: a suit class {need}")
        return self.hand_index(hand) * self.num_suit_classes + (suits or 0)

    def index(
        self, hand: str | Iterable[int], choices: Sequence[str] = (), suits: SuitClass | None = None
    ) -> int:
        """The number of an information state."""
        return self.pattern_index(choices) * self.shape[1] + self.column(hand, suits)


def info_states(
    rules: RulesLike, role: Role | str, num_players: int = 1, seat: int = 0, with_suits: bool = False
) -> InfoStates:
    """The information states of a seat under `rules`.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        role: "player" or "banker".
        num_players: Players against the banker.
        seat: The player's seat, from 0 at the banker's left; not used for the banker.
        with_suits: Whether the player holds a Dragon stake; the banker never does.

    Raises:
        ValueError: If the role, the number of players or the seat is not possible.
    """
    loaded, role = load_rules(rules), read_role(role)
    num_players = read_num_players(loaded, num_players)
    if role is Role.BANKER and with_suits:
        raise ValueError("the banker never holds a Dragon stake, so his state has no suit class")
    own_seat = num_players if role is Role.BANKER else read_seat(num_players, seat)
    return _info_states(loaded, role, num_players, own_seat, bool(with_suits))


@lru_cache(maxsize=256)
def _info_states(rules: RulesConfig, role: Role, num_players: int, seat: int, with_suits: bool) -> InfoStates:
    hidden = rules.banker_sees is Visible.NOTHING or (role is Role.PLAYER and rules.choices == "simultaneous")
    return InfoStates(
        role=role,
        num_players=num_players,
        seat=seat,
        num_visible=0 if hidden else seat,
        cards_seen=rules.banker_sees is Visible.CARD,
        with_suits=with_suits,
        num_initial_cards=rules.num_initial_cards,
        point_values=rules.point_values,
    )


def read_role(role: Role | str) -> Role:
    """A role from its name.

    Raises:
        ValueError: If there is no such role.
    """
    try:
        return Role(role)
    except ValueError:
        raise ValueError(f"role {role!r} is not known; allowed: player, banker") from None


def read_num_players(rules: RulesConfig, num_players: Any) -> int:
    """A number of players that the rules allow, a whole number of any library.

    Raises:
        ValueError: Naming the number and the range.
    """
    number = as_int(num_players)
    if type(number) is not int or not 1 <= number <= rules.max_players:
        raise ValueError(f"num_players {num_players!r}: {rules.name!r} allows 1 to {rules.max_players}")
    return number


def read_seat(num_players: int, seat: Any) -> int:
    """A player's seat, a whole number of any library.

    Raises:
        ValueError: Naming the seat and the range.
    """
    number = as_int(seat)
    if type(number) is not int or not 0 <= number < num_players:
        raise ValueError(
            f"seat {seat!r} is out of range: with num_players={num_players} it is 0 to {num_players - 1}"
        )
    return number


@lru_cache(maxsize=256)
def legal_table(rules: RulesConfig, states: InfoStates) -> tuple[tuple[tuple[Action, ...], ...], ...]:
    """The legal actions at every information state: `legal_table(rules, states)[pattern][column]`.

    Where the legal actions do not depend on the pattern all rows are the same object.
    """

    def row(choices: Choices) -> tuple[tuple[Action, ...], ...]:
        by_total = [legal_actions(rules, states.role, total, choices) for total in TOTALS]
        return tuple(by_total[total] for total in states.column_totals)

    if states.role is Role.BANKER and rules.banker_tableau:
        # A card that is not in the pack is never seen; its pattern has the row of a player who stood.
        known = rules.banker_tableau
        return tuple(row(pattern if pattern[0] in known else (STAND_TOKEN,)) for pattern in states.patterns)
    return (row(()),) * states.shape[0]


def has_choice(rules: RulesConfig, states: InfoStates) -> bool:
    """Whether a seat ever has more than one legal action."""
    return any(len(legal) > 1 for row in set(legal_table(rules, states)) for legal in row)
