"""The kinds of value a rule sheet's fields hold: sets of totals, fractions, immutable mappings.

Each kind reads what YAML can write (lists, texts, mappings), refuses what is not exact, and writes back what
JSON can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from numbers import Integral, Rational
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BeforeValidator, InstanceOf, PlainSerializer

from pan9_gym.rules.cards import RANKS
from pan9_gym.rules.terms import STAND_TOKEN, draw_token

K = TypeVar("K")
V = TypeVar("V")

MAX_PLAYERS = 7
"""Hands that may play against the banker on any sheet."""

TOTALS = tuple(range(10))
"""The totals of the nine-point family (C1)."""

LARGEST_PAYOUT = 1_000_000
"""Far above every pay table; a larger number is a slip of the pen."""

MOST_WAGER = 1_000_000
"""Units; far above every table's limit."""

_LONGEST_NUMBER = 400
"""Characters of a number written as a text; a power of ten is refused, however short."""


class FrozenMapping(Mapping[K, V], Generic[K, V]):
    """A hashable, picklable mapping that cannot change, so that a frozen config stays frozen."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[K, V]) -> None:
        self._data = dict(data)

    def __getitem__(self, key: K) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        return hash(frozenset(self._data.items()))

    def __repr__(self) -> str:
        return repr(self._data)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; `True` and `3.0` are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_int(value: Any) -> Any:
    """A whole number of any library as an `int`; anything else as it is, for the caller to refuse."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def read_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number of any library from `least` to `most`.

    Raises:
        ValueError: Naming the argument, the value and the range.
    """
    number = as_int(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        end = "" if most is None else f" to {most}"
        raise ValueError(f"{name} {value!r}: a whole number from {least}{end} is needed")
    return number


def read_flag(name: str, value: object) -> bool:
    """A truth value; nothing else counts as one.

    Raises:
        ValueError: Naming the argument and the value.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} {value!r}: must be True or False")
    return value


def read_totals(value: object) -> frozenset[int]:
    """A set of totals 0-9 from a list, set or tuple without repetition."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise ValueError("must be a list of totals 0-9, such as [0, 1]")
    for total in value:
        if not is_whole(total) or total not in TOTALS:
            raise ValueError(f"{total!r} is not a total; allowed are 0-9")
    if len(set(value)) != len(value):
        raise ValueError("names a total twice")
    return frozenset(value)


def read_fraction(value: object) -> Fraction:
    """An exact number from a whole number, a Fraction, or a text such as "19/20"."""
    if isinstance(value, Rational) and not isinstance(value, bool):  # NumPy's integers too
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER and "e" not in value.lower():
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            pass
    raise ValueError('must be exact: a whole number, or a text such as "19/20"')


def read_payout(value: object) -> Fraction:
    """A ratio promised to the winner of a wager, or a sum of money, greater than 0."""
    payout = read_fraction(value)
    if not 0 < payout <= LARGEST_PAYOUT:
        raise ValueError(f"must be greater than 0 and at most {LARGEST_PAYOUT}")
    return payout


def _mapping_reader(
    read_key: Callable[[object], Any], read_value: Callable[[object], Any], example: str
) -> Callable[[object], FrozenMapping[Any, Any]]:
    def read(value: object) -> FrozenMapping[Any, Any]:
        if not isinstance(value, Mapping) or not value:
            raise ValueError(f"must be a mapping such as {example}")
        read_entries: dict[Any, Any] = {}
        for key, entry in value.items():
            known_key = read_key(key)
            if known_key in read_entries:  # such as the rank 2 and the rank "2"
                raise ValueError(f"names {known_key!r} twice")
            read_entries[known_key] = read_value(entry)
        return FrozenMapping(read_entries)

    return read


def _read_rank(value: object) -> str:
    text = str(value) if is_whole(value) else value
    if text not in RANKS:
        raise ValueError(f"{value!r} is not a rank; allowed are {', '.join(RANKS)}")
    return str(text)


def read_total(value: object) -> int:
    """One total, 0-9."""
    if isinstance(value, str) and value in map(str, TOTALS):  # JSON writes the keys of a mapping as texts
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value not in TOTALS:
        raise ValueError(f"{value!r} is not a total; allowed are 0-9")
    return value


def _read_token(value: object) -> str:
    if value not in (STAND_TOKEN, *map(draw_token, (None, *TOTALS))):
        raise ValueError(f"{value!r} is not a choice; allowed are stand, draw and draw:0 to draw:9")
    return str(value)


def _read_points(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in TOTALS:
        raise ValueError(f"{value!r} is not a point value; allowed are 0-9")
    return value


def _read_num_decks(value: object) -> int | None:
    if value == "infinite" or value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1000:
        raise ValueError("must be a whole number from 1 to 1000, or 'infinite' (cards with replacement)")
    return value


def _read_whole_from_1_to(limit: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= limit:
            raise ValueError(f"must be a whole number from 1 to {limit}")
        return value

    return read


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _sorted(value: frozenset[int]) -> list[int]:
    return sorted(value)


def _texts(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): str(entry) if isinstance(entry, Fraction) else entry for key, entry in value.items()}


_read_tableau_entries = _mapping_reader(_read_token, read_totals, '{stand: [0, 1], "draw:0": [0]}')


def _read_tableau(value: object) -> FrozenMapping[str, frozenset[int]]:
    """A set of totals for each choice; an empty mapping is no tableau."""
    return FrozenMapping({}) if value == {} else _read_tableau_entries(value)


def _tableau_lists(value: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    return {token: sorted(totals) for token, totals in value.items()}


Totals = Annotated[frozenset[int], BeforeValidator(read_totals), PlainSerializer(_sorted)]
Payout = Annotated[Fraction, BeforeValidator(read_payout), PlainSerializer(str)]
Flag = Annotated[bool, BeforeValidator(_read_flag)]
SeatCount = Annotated[int, BeforeValidator(_read_whole_from_1_to(MAX_PLAYERS))]
WagerLimit = Annotated[int, BeforeValidator(_read_whole_from_1_to(MOST_WAGER))]
InitialCards = Annotated[int, BeforeValidator(_read_whole_from_1_to(3))]
NumDecks = Annotated[
    int | None,
    BeforeValidator(_read_num_decks),
    PlainSerializer(lambda value: "infinite" if value is None else value),
]
Tableau = Annotated[
    InstanceOf[FrozenMapping[str, frozenset[int]]],
    BeforeValidator(_read_tableau),
    PlainSerializer(_tableau_lists),
]
PointValues = Annotated[
    InstanceOf[FrozenMapping[str, int]],
    BeforeValidator(_mapping_reader(_read_rank, _read_points, "{A: 1, 2: 2, K: 0}")),
    PlainSerializer(_texts),
]
TotalPayouts = Annotated[
    InstanceOf[FrozenMapping[int, Fraction]],
    BeforeValidator(_mapping_reader(read_total, read_payout, "{0: 100, 1: 50}")),
    PlainSerializer(_texts),
]
