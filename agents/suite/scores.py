"""What a finished run of a cell is worth: its metrics and its saved policies, read into one record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from agents.baselines.registry import trainer_type
from agents.baselines.tasks import load_task
from agents.results import judged_gap
from agents.run_folder import METRICS
from agents.suite.cells import Cell, SelfPlayCell, TrainCell
from pan9_gym.rules import ConfigError

BOUNDS = (1e-2, 1e-3, 1e-4, 0.0)
"""Gaps whose time is told."""


@dataclass(frozen=True)
class Point:
    """One evaluation.

    Attributes:
        step: Decisions, or iterations, so far.
        cpu_seconds: CPU seconds of learning so far, judging not included.
        gap: The exact gap, or NashConv, that the target is about.
    """

    step: int
    cpu_seconds: float
    gap: float


@dataclass(frozen=True)
class Score:
    """A finished run.

    Attributes:
        cell: The cell's label.
        seed: The seed.
        key: What decided the run, as in `Cell.key`.
        run: The run's folder, relative to the benchmark's.
        unit: "decisions" or "iterations".
        target: The gap that counts as reached.
        other_target: The same for the other gap, where one is asked for.
        points: Its evaluations.
        gap: The exact gap at the end, by the other process.
        other_gap: That of the stochastic policy, or of the strategies that are not judged.
        worst_rescored: The largest gap of the checkpoints of the last half.
        yardstick: The gap that has to be beaten besides.
        illegal_moves: How many were chosen; `None` where the rules force none.
        cpu_seconds: Of the whole process, imports and judging included.
        met: Whether the target was reached and held over the last half.
    """

    cell: str
    seed: int
    key: str
    run: str
    unit: str
    target: float
    other_target: float | None
    points: tuple[Point, ...]
    gap: Fraction
    other_gap: Fraction
    worst_rescored: Fraction
    yardstick: Fraction | None
    illegal_moves: int | None
    cpu_seconds: float

    def since(self, bound: float) -> Point | None:
        """The first evaluation from which on the gap was `bound` or less to the end."""
        found = None
        for point in self.points:
            found = (found or point) if point.gap <= bound else None
        return found

    def first(self, bound: float) -> Point | None:
        """The first evaluation at which it was."""
        return next((point for point in self.points if point.gap <= bound), None)

    @property
    def met(self) -> bool:
        """Whether the target was reached and held over the last half, by metrics and by saved policies."""
        since = self.since(self.target)
        held = since is not None and 2 * since.step <= self.points[-1].step
        beaten = not self.yardstick or self.worst_rescored < self.yardstick  # one of 0 cannot be beaten
        mixed = self.other_target is None or self.other_gap <= self.other_target
        return held and self.worst_rescored <= self.target and beaten and mixed and not self.illegal_moves

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        exact = {key: str(value) for key, value in plain.items() if isinstance(value, Fraction)}
        points = [[point.step, point.cpu_seconds, point.gap] for point in self.points]
        return {**plain, **exact, "points": points, "met": self.met}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Score:
        """The score from what `to_dict` gave.

        Raises:
            KeyError: If something is missing; ValueError or TypeError if something is no number.
        """
        yardstick, moves = data["yardstick"], data["illegal_moves"]
        if not data["points"]:
            raise ValueError("points: none")
        return Score(
            cell=str(data["cell"]),
            seed=int(data["seed"]),
            key=str(data["key"]),
            run=str(data["run"]),
            unit=str(data["unit"]),
            target=float(data["target"]),
            other_target=None if data["other_target"] is None else float(data["other_target"]),
            points=tuple(Point(int(step), float(cpu), float(gap)) for step, cpu, gap in data["points"]),
            gap=Fraction(data["gap"]),
            other_gap=Fraction(data["other_gap"]),
            worst_rescored=Fraction(data["worst_rescored"]),
            yardstick=None if yardstick is None else Fraction(yardstick),
            illegal_moves=None if moves is None else int(moves),
            cpu_seconds=float(data["cpu_seconds"]),
        )


def score_of(cell: Cell, seed: int, run: Path, base: Path, rescored: dict[str, Any], cpu: float) -> Score:
    """The score of a finished run.

    Args:
        cell: What was trained.
        seed: The seed.
        run: The run's folder.
        base: The benchmark's folder.
        rescored: What `agents.suite.rescore` printed.
        cpu: CPU seconds of the whole process.
    """
    entries = read_metrics(run)
    unit, points = _points(cell, entries)
    checkpoints, yardstick = rescored["checkpoints"], rescored["yardstick"]
    return Score(
        cell=cell.label,
        seed=seed,
        key=cell.key(seed),
        run=str(run.relative_to(base)),
        unit=unit,
        target=cell.target,
        other_target=cell.config().target_stochastic_gap if isinstance(cell, TrainCell) else None,
        points=points,
        gap=Fraction(checkpoints[-1]["gap"]),
        other_gap=Fraction(checkpoints[-1]["other_gap"]),
        worst_rescored=max(Fraction(entry["gap"]) for entry in checkpoints),
        yardstick=None if yardstick is None else Fraction(yardstick),
        illegal_moves=entries[-1].get("illegal_moves"),
        cpu_seconds=cpu,
    )


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics.

    Raises:
        ConfigError: If there are none.
    """
    try:
        lines = (run / METRICS).read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    if not lines:
        raise ConfigError(f"run {str(run)!r}: has no {METRICS}")
    return [json.loads(line) for line in lines]


def _points(cell: Cell, entries: Sequence[dict[str, Any]]) -> tuple[str, tuple[Point, ...]]:
    """The unit and the evaluations."""
    if isinstance(cell, SelfPlayCell):
        unit, judged = trainer_type(cell.learner).unit, load_task(cell.task).judged
        gaps = [entry[judged]["nash_conv"] for entry in entries]
    else:
        unit, gaps = "decisions", [judged_gap(entry) for entry in entries]
    points = [Point(entry[unit], entry["cpu_seconds"], gap) for entry, gap in zip(entries, gaps, strict=True)]
    return unit, tuple(points)
