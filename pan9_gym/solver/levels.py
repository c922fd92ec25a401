"""At which level a strategy tells hands apart: by composition ("hand") or by total ("total").

Where a Dragon stake shows the suit class of the hand, both levels tell suit classes apart.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from pan9_gym.game.info_state import InfoStates
from pan9_gym.rules.terms import SuitClass

Level = Literal["hand", "total"]


def read_level(level: str) -> Level:
    """A level by name.

    Raises:
        ValueError: If there is no such level.
    """
    for known in get_args(Level):
        if level == known:
            return known  # type: ignore[no-any-return]  # get_args gives back the literals
    raise ValueError(f"level {level!r} is not known; allowed: {', '.join(get_args(Level))}")


def groups(states: InfoStates, level: Level) -> tuple[tuple[int, ...], ...]:
    """The columns that a strategy of this level cannot tell apart, in the order of hands or of totals."""
    if level == "hand":
        return tuple((column,) for column in range(states.shape[1]))
    by_total: dict[tuple[int, int], list[int]] = {}
    for column, total in enumerate(states.column_totals):
        by_total.setdefault((total, column % states.num_suit_classes), []).append(column)
    return tuple(tuple(by_total[key]) for key in sorted(by_total))


def group_label(states: InfoStates, level: Level, group: tuple[int, ...]) -> str:
    """A group's hand, such as "0 1 5", or its total, such as "6"; with its suit class if that is seen."""
    hand, suits = divmod(group[0], states.num_suit_classes)
    label = str(states.hand_totals[hand]) if level == "total" else " ".join(map(str, states.hands[hand]))
    return f"{label} {SuitClass(suits).label}" if states.with_suits else label


def expanded(
    states: InfoStates, level: Level, rows: tuple[tuple[Fraction, ...], ...]
) -> tuple[tuple[Fraction, ...], ...]:
    """Probabilities per group turned into probabilities per column."""
    parts = groups(states, level)
    place = {column: index for index, group in enumerate(parts) for column in group}
    return tuple(tuple(row[place[column]] for column in range(states.shape[1])) for row in rows)
