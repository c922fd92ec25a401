"""At which level a strategy tells hands apart: by composition ("hand") or by total ("total").

Formula:
    "hand": every column is a group of its own
    "total": columns i and j are in one group if total(i) = total(j) and class(i) = class(j)
    expanded: p[t, i] = p[t, group of i]

Symbols:
    i, j: columns of a policy array, hand * num_suit_classes + suit class (`game.info_state`)
    total: of the first cards, 0 to 9
    class: suit class of the first cards while the player holds a Dragon stake, else the same for all
    t: pattern of choices seen; both levels tell all patterns apart
    p: probability of drawing, 0 to 1

Source:
    Definition: this module. The published models of chemin de fer differ in the same way: both roles by total
    in Kemeny and Snell 1957; the player by total or both by composition in Ethier and Gamez 2013.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from pan9_gym.game.info_state import InfoStates
from pan9_gym.rules.terms import SuitClass

Level = Literal["hand", "total"]


def read_level(level: str, name: str = "level") -> Level:
    """A level by name.

    Raises:
        ValueError: If there is no such level.
    """
    for known in get_args(Level):
        if isinstance(level, str) and level == known:
            return known  # type: ignore[no-any-return]  # get_args gives back the literals
    raise ValueError(f"{name} {level!r} is not known; allowed: {', '.join(get_args(Level))}")


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
