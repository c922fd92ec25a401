"""The strategy chart: a policy's move for every total and every pattern of choices, as a picture.

A cell says D (draw), S (stand) or the drawing probability in percent. Where values are given the colour says
what drawing gains over standing, a red frame marks a move that is not the optimum, with its cost a hand, and
grey marks a forced move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pan9_gym.evaluation.disagreements import mixed_percent
from pan9_gym.evaluation.tables import short_number
from pan9_gym.game.info_state import InfoStates, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action, token_action
from pan9_gym.solver.action_values import ActionValues

Floats = npt.NDArray[np.float64]

INCHES_PER_CELL = (0.95, 0.75)

MARGINS = (1.5, 1.3, 0.6, 0.5)
"""Inches left, right, below and above the cells."""

GAIN_LIMIT = 0.5
"""Units; a draw that gains or loses more has the strongest colour."""


@dataclass(frozen=True)
class Cells:
    """What the chart shows, axes [row, total].

    Attributes:
        labels: The rows' names.
        draw_prob: Mean drawing probability; NaN where no hand has the total.
        forced: Whether the move is forced.
        gain: What drawing gains over standing when the decision arises; NaN where not known.
        cost: What the policy loses there per hand.
    """

    labels: tuple[str, ...]
    draw_prob: Floats
    forced: npt.NDArray[np.bool_]
    gain: Floats
    cost: Floats


def strategy_chart(policy: TabularPolicy, values: ActionValues | None = None, title: str = "") -> Figure:
    """Draw a policy.

    Args:
        policy: The policy.
        values: What both actions are worth against the opponent, from `solver.action_values`; optional.
        title: The title; default the policy's name, role and rules.

    Returns:
        A matplotlib figure with its own canvas; `figure.savefig(path)` writes it.

    Raises:
        ValueError: If the values are another seat's or another game's.
    """
    cells = chart_cells(policy, values)
    figure, axes, bar = _empty(len(cells.labels))
    shown = cells.gain if values is not None else cells.draw_prob - 0.5
    image = axes.imshow(shown, cmap="RdYlGn", vmin=-GAIN_LIMIT, vmax=GAIN_LIMIT, aspect="auto")
    for row in range(len(cells.labels)):
        for total in TOTALS:
            _draw_cell(axes, cells, row, total)
    axes.set_xticks(range(len(TOTALS)), [str(total) for total in TOTALS])
    axes.set_yticks(range(len(cells.labels)), cells.labels)
    axes.set_xlabel("total of the first cards")
    axes.set_title(title or f"{policy.name}: {policy.role} under {policy.rules.name}")
    label = "drawing minus standing, units" if values is not None else "draw probability - 1/2"
    figure.colorbar(image, cax=bar, label=label)
    return figure


def _empty(num_rows: int) -> tuple[Figure, Axes, Axes]:
    """A figure, the axes of the cells and those of the colour bar.

    The margins are fixed: a layout that looks for them takes longer than everything else about a chart.
    """
    left, right, below, above = MARGINS
    width, height = INCHES_PER_CELL[0] * len(TOTALS), INCHES_PER_CELL[1] * num_rows
    size = (left + width + right, below + height + above)
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    cells = figure.add_axes((left / size[0], below / size[1], width / size[0], height / size[1]))
    bar = figure.add_axes(((left + width + 0.2) / size[0], below / size[1], 0.25 / size[0], height / size[1]))
    return figure, cells, bar


def chart_cells(policy: TabularPolicy, values: ActionValues | None = None) -> Cells:
    """The numbers of the chart; patterns with the same number of drawers share a row.

    Raises:
        ValueError: If the values are another seat's or another game's.
    """
    _check_values(policy, values)
    rows = _rows(policy.states)
    shape = (len(rows), len(TOTALS))
    draw_prob, gain = np.full(shape, np.nan), np.full(shape, np.nan)
    cost, forced = np.zeros(shape), np.zeros(shape, dtype=bool)
    legal = legal_table(policy.rules, policy.states)
    for row, (_, patterns) in enumerate(rows):
        for total in TOTALS:
            columns = [c for c, own in enumerate(policy.states.column_totals) if own == total]
            if not columns:
                continue
            forced[row, total] = all(len(legal[pattern][columns[0]]) == 1 for pattern in patterns)
            places = [(pattern, column) for pattern in patterns for column in columns]
            weights = _weights(values, places)
            probs = np.array([float(policy.draw_probs[p][c]) for p, c in places])
            draw_prob[row, total] = np.average(probs, weights=weights if weights.sum() else None)
            if values is not None and weights.sum():
                gains = np.array([float(values.draw_gain(p, c)) for p, c in places])
                gain[row, total] = gains.sum() / weights.sum()
                if not forced[row, total]:
                    cost[row, total] = np.abs(gains * (probs - (gains > 0))).sum()
    return Cells(tuple(label for label, _ in rows), draw_prob, forced, gain, cost)


def _check_values(policy: TabularPolicy, values: ActionValues | None) -> None:
    if values is None:
        return
    if values.states != policy.states:
        raise ValueError(
            f"values: are of {_seat_text(values.states)}, "
            f"the policy {policy.name!r} is of {_seat_text(policy.states)}"
        )
    if values.rules.fingerprint != policy.rules.fingerprint:
        raise ValueError(
            f"values: are under {values.rules.name!r}, "
            f"the policy {policy.name!r} is under {policy.rules.name!r}"
        )


def _seat_text(states: InfoStates) -> str:
    return f"{states.role} seat {states.seat} of num_players={states.num_players}"


def _weights(values: ActionValues | None, places: Sequence[tuple[int, int]]) -> Floats:
    if values is None:
        return np.ones(len(places))
    return np.array([float(values.reach_prob(*place)) for place in places])


def _rows(states: InfoStates) -> list[tuple[str, list[int]]]:
    """Row labels with the patterns they hold."""
    if not states.num_visible:
        return [("", [0])]
    if states.num_visible == 1:
        return [(_label(pattern[0]), [index]) for index, pattern in enumerate(states.patterns)]
    by_drawers: dict[int, list[int]] = {}
    for index, pattern in enumerate(states.patterns):
        drawers = sum(token_action(token) is Action.DRAW for token in pattern)
        by_drawers.setdefault(drawers, []).append(index)
    return [(f"{number} of {states.num_visible} drew", by_drawers[number]) for number in sorted(by_drawers)]


def _label(token: str) -> str:
    action, _, card = token.partition(":")
    return "player stood" if action == "stand" else f"player drew {card}".rstrip()


def _draw_cell(axes: Axes, cells: Cells, row: int, total: int) -> None:
    prob = cells.draw_prob[row, total]
    if np.isnan(prob):
        return
    letter = "D" if prob == 1 else "S" if prob == 0 else mixed_percent(float(prob))
    wrong = cells.cost[row, total] > 0
    if cells.forced[row, total]:
        axes.add_patch(Rectangle((total - 0.5, row - 0.5), 1, 1, facecolor="0.85"))
    if wrong:
        axes.add_patch(Rectangle((total - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="red", lw=2.5))
        letter += f"\n-{short_number(Fraction(cells.cost[row, total]))}"
    axes.text(total, row, letter, ha="center", va="center", fontsize=9 if wrong else 12)
