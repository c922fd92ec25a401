"""Learning curves as pictures: the exact gap against decisions and against seconds.

The gap's axis is logarithmic down to the smallest positive gap, and has a place for zero below it. A line is
a seed; the band of a config reaches from its best to its worst seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.compare_runs import ComparedRun, by_config, read_history
from pan9_gym.rules import ConfigError

Floats = npt.NDArray[np.float64]
Curve = tuple[Floats, Floats]
"""(x, gap), x rising."""

SECONDS = ("cpu_seconds", "seconds", "wall_seconds")
"""What metrics may call the time since the start, the preferred name first."""

GROUPS = {"exact": "greedy policy", "exact_stochastic": "stochastic policy"}

DPI = 110


def write_curves(groups: Sequence[Sequence[ComparedRun]], folder: Path) -> list[Path]:
    """Write the pictures of each task: against decisions and, where the metrics have times, against seconds.

    Args:
        groups: The runs of each task.
        folder: Where the PNG files go; made if it is not there.

    Returns:
        The files written.

    Raises:
        ConfigError: If a run kept no metrics, or the folder cannot be written to.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for runs in groups:
            histories = {run.name: _history(run) for run in runs}
            for axis in ("decisions", *_time_axis(histories)):
                path = _new_path(folder, f"{_slug(runs[0])}_{axis}", written)
                learning_curves(runs, histories, axis).savefig(path, dpi=DPI)
                written.append(path)
    except OSError as error:
        raise ConfigError(f"plots {str(folder)!r}: no picture can be kept there ({error.strerror})") from None
    return written


def learning_curves(
    runs: Sequence[ComparedRun], histories: Mapping[str, Sequence[Mapping[str, Any]]], axis: str
) -> Figure:
    """The curves of runs of one task.

    Args:
        runs: The runs.
        histories: The metrics of each, by the run's name.
        axis: The key of the metrics that is shown along the horizontal axis.
    """
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"Exact gap while learning: {_task_words(runs[0])}")
    for place, (kind, words) in enumerate(GROUPS.items(), start=1):
        axes = figure.add_subplot(1, len(GROUPS), place)
        configs = {
            label: [_curve(histories[run.name], kind, axis) for run in group]
            for label, group in by_config(runs).items()
        }
        for number, (label, curves) in enumerate(configs.items()):
            draw_curves(axes, label, curves, f"C{number % 10}")
        gaps = np.concatenate([gap for curves in configs.values() for _, gap in curves])
        scale_gaps(axes, gaps)
        axes.set_title(words)
        axes.set_xlabel(axis.replace("_", " ").replace("cpu", "CPU"))
    figure.axes[0].set_ylabel("exact gap, units a hand")
    figure.axes[0].legend(loc="best", fontsize="small")
    return figure


def band(curves: Sequence[Curve]) -> tuple[Floats, Floats, Floats]:
    """(x, lowest, highest) over several curves, each holding its last value until its next."""
    start = max(x[0] for x, _ in curves)
    end = min(x[-1] for x, _ in curves)
    every = np.unique(np.concatenate([x for x, _ in curves]))
    grid = every[(every >= start) & (every <= end)]
    held = [gap[np.searchsorted(x, grid, side="right") - 1] for x, gap in curves]
    return grid, np.min(held, axis=0), np.max(held, axis=0)


def draw_curves(axes: Axes, label: str, curves: Sequence[Curve], colour: str) -> None:
    """One config's seeds as lines, with the band between the best and the worst."""
    seeds = f"{len(curves)} seed{'' if len(curves) == 1 else 's'}"
    for number, (x, gap) in enumerate(curves):
        axes.plot(
            x,
            gap,
            color=colour,
            lw=1.2,
            alpha=0.8,
            marker=".",
            ms=3,
            drawstyle="steps-post",
            label=f"{label}, {seeds}" if number == 0 else None,
        )
    if len(curves) > 1:
        axes.fill_between(*band(curves), step="post", color=colour, alpha=0.15, lw=0)


def scale_gaps(axes: Axes, gaps: Floats) -> None:
    """A logarithmic axis with a place for zero, and a horizontal one that does not crowd the start."""
    positive = gaps[gaps > 0]
    least = 10.0 ** np.floor(np.log10(positive.min())) if positive.size else 1e-6
    axes.set_yscale("symlog", linthresh=least, linscale=0.4)
    axes.set_ylim(bottom=-0.1 * least)
    axes.set_xlim(left=0)
    axes.axhline(0, color="0.6", lw=0.8, zorder=0)
    axes.grid(alpha=0.3)


def _curve(history: Sequence[Mapping[str, Any]], kind: str, axis: str) -> Curve:
    x = np.array([float(entry[axis]) for entry in history])
    gap = np.array([float(entry[kind]["gap"]) for entry in history])
    return x, np.maximum(gap, 0.0)


def _history(run: ComparedRun) -> list[dict[str, Any]]:
    history = read_history(run)
    if not history:
        raise ConfigError(f"run {run.name!r}: kept no metrics, so it has no learning curve")
    return history


def _time_axis(histories: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[str, ...]:
    """The name of the time in these metrics, if all have one."""
    entries = [entry for history in histories.values() for entry in history]
    return tuple(key for key in SECONDS if all(key in entry for entry in entries))[:1]


def _task_words(run: ComparedRun) -> str:
    task = run.task
    return "; ".join([f"{task['role']} under {task['rules']}, against {task['opponent']}", *run.unusual])


def _slug(run: ComparedRun) -> str:
    words = [*(str(run.task[key]) for key in ("rules", "role", "opponent")), *run.unusual]
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", "_".join(words))


def _new_path(folder: Path, stem: str, taken: Sequence[Path]) -> Path:
    """A name that no other task of this comparison has; older pictures are replaced."""
    path, number = folder / f"{stem}.png", 2
    while path in taken:
        path, number = folder / f"{stem}-{number}.png", number + 1
    return path
