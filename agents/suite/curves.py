"""Curves of the benchmark: a panel for each task, a colour for each learner, a line for each seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from agents.compare_curves import Curve, draw_curves, scale_gaps
from agents.suite.cells import Cell
from agents.suite.scores import Score
from pan9_gym.rules import ConfigError

COLUMNS = 4

DPI = 75


def write_curves(cells: Sequence[Cell], scores: Sequence[Score], path: Path) -> None:
    """Write the picture.

    Args:
        cells: The cells that were run.
        scores: The scores of their seeds.
        path: A PNG file; its folder is made.

    Raises:
        ConfigError: If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        curves(cells, scores).savefig(path, dpi=DPI)
    except OSError as error:
        raise ConfigError(f"curves {str(path)!r}: cannot be written ({error.strerror})") from None


def curves(cells: Sequence[Cell], scores: Sequence[Score]) -> Figure:
    """The picture."""
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    rows = -(-len(tasks) // COLUMNS)
    figure = Figure(figsize=(4.2 * min(COLUMNS, len(tasks)), 3.1 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for place, task in enumerate(tasks, start=1):
        axes = figure.add_subplot(rows, min(COLUMNS, len(tasks)), place)
        _panel(axes, task, [cell for cell in cells if cell.task == task], scores)
    return figure


def _panel(axes: Axes, task: str, cells: Sequence[Cell], scores: Sequence[Score]) -> None:
    every = []
    for number, cell in enumerate(cells):
        own = [_curve(score) for score in scores if score.cell == cell.label]
        if own:
            draw_curves(axes, cell.learner, own, f"C{number}")
            every += own
        if cell.target:
            axes.axhline(cell.target, color=f"C{number}", lw=0.8, ls=":")
    scale_gaps(axes, np.concatenate([gap for _, gap in every]))
    axes.set_xscale("log")
    least, most = min(x[0] for x, _ in every), max(x[-1] for x, _ in every)
    if np.floor(np.log10(most)) <= np.log10(least):  # show the whole decade: it has labels
        axes.set_xlim(10.0 ** np.floor(np.log10(least)), 10.0 ** np.ceil(np.log10(most)))
    else:
        axes.set_xlim(left=least)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_title(task, fontsize="medium")
    axes.legend(loc="best", fontsize="x-small")


def _curve(score: Score) -> Curve:
    """Decisions, from 1 on because their axis is logarithmic, and gaps."""
    steps = np.array([max(point.step, 1) for point in score.points], dtype=float)
    return steps[1:], np.array([max(point.gap, 0.0) for point in score.points])[1:]
