"""At which level a strategy tells hands apart: by composition ("hand") or by total ("total")."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from pan9_gym.game.info_state import InfoStates
from pan9_gym.rules.fields import TOTALS

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
    """The columns that a strategy of this level cannot tell apart; for "total" in the order of the totals."""
    if level == "hand":
        return tuple((column,) for column in range(states.shape[1]))
    by_total = [tuple(c for c, total in enumerate(states.column_totals) if total == t) for t in TOTALS]
    return tuple(group for group in by_total if group)


def group_label(states: InfoStates, level: Level, group: tuple[int, ...]) -> str:
    """A group's hand, such as "0 1 5", or its total, such as "6"."""
    if level == "total":
        return str(states.column_totals[group[0]])
    return " ".join(map(str, states.hands[group[0] // states.num_suit_classes]))


def expanded(
    states: InfoStates, level: Level, rows: tuple[tuple[Fraction, ...], ...]
) -> tuple[tuple[Fraction, ...], ...]:
    """Probabilities per group turned into probabilities per column."""
    parts = groups(states, level)
    place = {column: index for index, group in enumerate(parts) for column in group}
    return tuple(tuple(row[place[column]] for column in range(states.shape[1])) for row in rows)
