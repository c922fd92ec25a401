"""The tables of the benchmark: which targets are met, and how long each gap takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from agents.suite.cells import SUITE, Cell
from agents.suite.scores import BOUNDS, Point, Score
from pan9_gym.cli.tables import Cell as Value
from pan9_gym.cli.tables import Column, Study, Table

TARGETS = (
    Column("task"),
    Column("learner"),
    Column("target"),
    Column("to beat"),
    Column("met, seeds"),
    Column("gap at the end"),
    Column("stochastic or other"),
    Column("first at"),
    Column("held from"),
    Column("run"),
    Column("CPU s"),
)

TIMES = (Column("task"), Column("learner"), *(Column(f"{bound:g}" if bound else "0") for bound in BOUNDS))


def study(cells: Sequence[Cell], scores: Sequence[Score]) -> Study:
    """What the benchmark found.

    Args:
        cells: The cells that were run.
        scores: The scores of their seeds.
    """
    by_cell = {cell: [score for score in scores if score.cell == cell.label] for cell in cells}
    aimed = [cell for cell in cells if cell.has_target]
    missed = [cell.label for cell in aimed if not all(score.met for score in by_cell[cell])]
    return Study(
        f"Learning benchmark, {SUITE}",
        (
            Table("Targets", TARGETS, tuple(_target_row(cell, own) for cell, own in by_cell.items())),
            Table(
                "Decisions, and CPU seconds of learning, from which on the gap is at most so much",
                TIMES,
                tuple(_time_row(cell, own) for cell, own in by_cell.items()),
            ),
        ),
        (
            f"Missed with at least one seed: {len(missed)} of {len(aimed)} cells with a target"
            + (f", {', '.join(missed)}." if missed else "."),
            "Gaps are exact, read from the saved policies by a process of its own; those of self-play are "
            "NashConv, with one player against best responses that go by the total, as the strategies do. A "
            "target is met if the metrics and all checkpoints of the last half of the run keep it.",
            "To beat: the gap of the best strategy that does not look at what more is seen in the task, "
            "suits or the shoe.",
            "The other gap: of the stochastic policy; in self-play of the strategies that are not judged.",
            "First at, held from: decisions of each seed at which the target was first reached, and from "
            "which on it was kept to the end. Run: decisions, or iterations. CPU s: of the whole process, "
            "imports and judging included.",
            "Times: the median of the seeds, their range in brackets, and how many seeds if not all.",
        ),
    )


def _target_row(cell: Cell, scores: Sequence[Score]) -> tuple[Value, ...]:
    spent = [score.cpu_seconds for score in scores]
    return (
        cell.task.removeprefix("task_"),
        cell.learner,
        f"{cell.target:g}" if cell.has_target else "none",
        _yardstick(scores),
        f"{sum(score.met for score in scores)} of {len(scores)}" if cell.has_target else "-",
        _gaps([float(score.gap) for score in scores]),
        _gaps([float(score.other_gap) for score in scores]),
        _places([score.first(cell.target) for score in scores]),
        _places([score.since(cell.target) for score in scores]),
        in_short(scores[0].points[-1].step),
        _range(spent, lambda value: f"{value:.0f}"),
    )


def _time_row(cell: Cell, scores: Sequence[Score]) -> tuple[Value, ...]:
    return (cell.task.removeprefix("task_"), cell.learner, *(_time(scores, bound) for bound in BOUNDS))


def _time(scores: Sequence[Score], bound: float) -> str:
    found = [point for score in scores if (point := score.since(bound)) is not None]
    if not found:
        return "never"
    steps = _spread(found)
    seconds = sorted(point.cpu_seconds for point in found)
    spread = "" if len(found) == 1 else f" [{seconds[0]:.2g}-{seconds[-1]:.2g}]"
    some = "" if len(found) == len(scores) else f", {len(found)} of {len(scores)}"
    return f"{steps}, {median(seconds):.2g} s{spread}{some}"


def _spread(points: Sequence[Point]) -> str:
    steps = sorted(point.step for point in points)
    middle = in_short(round(median(steps)))
    return middle if len(steps) == 1 else f"{middle} [{in_short(steps[0])}-{in_short(steps[-1])}]"


def _yardstick(scores: Sequence[Score]) -> str:
    """The gap of the best strategy that does not look at shoes or suits; one of 0 cannot be beaten."""
    yardstick = scores[0].yardstick
    return f"{float(yardstick):.1e}" if yardstick else "-"


def _places(points: Sequence[Point | None]) -> str:
    return ", ".join("never" if point is None else in_short(point.step) for point in points)


def _gaps(gaps: Sequence[float]) -> str:
    return _range(gaps, lambda gap: "0" if gap == 0 else f"{gap:.1e}")


def _range(values: Sequence[float], write: Callable[[float], str]) -> str:
    """The least and the greatest; one value where they are written alike."""
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} - {high}"


def in_short(steps: int) -> str:
    """A number of decisions in three places.

    >>> in_short(999), in_short(16384), in_short(1015808)
    ('999', '16k', '1.0M')
    """
    if steps < 1000:
        return str(steps)
    return f"{steps / 1000:.0f}k" if steps < 1_000_000 else f"{steps / 1e6:.1f}M"
