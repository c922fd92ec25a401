"""The tables of `pan9 bench solver`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pan9_gym.benchmark.budgets import PEAK_MIB, Line, budgets
from pan9_gym.evaluation.tables import markdown_table

if TYPE_CHECKING:
    from pan9_gym.benchmark.openspiel.ratios import Ratio

BUDGET_HEADER = ("measurement", "seconds", "CPU seconds", "budget", "met", "peak MiB", "remark")
RATIO_HEADER = ("question", "OpenSpiel's seconds", "our seconds", "ratio", "difference", "peak MiB", "remark")


@dataclass(frozen=True)
class Report:
    """What was measured.

    Attributes:
        lines: Measurements beside their budgets.
        ratios: The same questions asked of OpenSpiel.
        remarks: What the games given to OpenSpiel are, or which extra is missing.
    """

    lines: tuple[Line, ...]
    ratios: tuple[Ratio, ...]
    remarks: tuple[str, ...]

    @classmethod
    def measured(cls, only: str, tell: Callable[[str], object]) -> Report:
        """Measure everything whose name has a text.

        Args:
            only: The text; empty for everything.
            tell: Called with each name before it is measured.

        Raises:
            ValueError: If no name has the text.
        """
        lines = []
        for budget in budgets():
            if only in budget.name:
                tell(budget.name)
                lines.append(budget.line())
        ratios, remarks = openspiel_ratios(only, tell)
        if not lines and not ratios and not remarks:
            names = ", ".join(budget.name for budget in budgets())
            raise ValueError(f"--only {only!r}: no measurement has this in its name; there are: {names}")
        return cls(tuple(lines), ratios, remarks)

    def text(self) -> str:
        """Both tables as Markdown, which also reads well in a terminal."""
        parts = (
            [markdown_table(BUDGET_HEADER, [budget_row(line) for line in self.lines])] if self.lines else []
        )
        parts += ["\n".join(self.remarks)] if self.remarks else []
        parts += (
            [markdown_table(RATIO_HEADER, [ratio_row(ratio) for ratio in self.ratios])] if self.ratios else []
        )
        return "\n\n".join(parts)

    def json(self) -> str:
        """The same as JSON."""
        found: dict[str, Any] = {
            "peak_mib_budget": PEAK_MIB,
            "budgets": [{**asdict(line), "met": line.is_met} for line in self.lines],
            "openspiel": [{**asdict(ratio), "ratio": ratio.ratio} for ratio in self.ratios],
            "remarks": self.remarks,
        }
        return json.dumps(found, indent=2)


def openspiel_ratios(only: str, tell: Callable[[str], object]) -> tuple[tuple[Ratio, ...], tuple[str, ...]]:
    """The ratios and what the games are; without OpenSpiel the one line that names the extra."""
    try:
        from pan9_gym.benchmark.openspiel.ratios import comparisons
    except ImportError as error:
        return (), (str(error),)
    chosen = [comparison for comparison in comparisons() if only in comparison.name]
    ratios = []
    for comparison in chosen:
        tell(comparison.name)
        ratios.append(comparison.ratio())
    games = {comparison.game: comparison for comparison in chosen}
    return tuple(ratios), tuple(comparison.remark() for comparison in games.values())


def budget_row(line: Line) -> tuple[str, ...]:
    """A row of the first table."""
    return (
        line.name,
        seconds_text(line.timing.seconds),
        seconds_text(line.timing.cpu_seconds),
        f"{line.budget:g}",
        "met" if line.is_met else "NOT MET",
        f"{line.timing.peak_mib:.0f}",
        line.note,
    )


def ratio_row(ratio: Ratio) -> tuple[str, ...]:
    """A row of the second table."""
    return (
        ratio.name,
        seconds_text(ratio.openspiel.seconds),
        seconds_text(ratio.ours.seconds),
        f"{ratio.ratio:.0f}",
        f"{ratio.difference:.1e}",
        f"{ratio.openspiel.peak_mib:.0f}",
        ratio.note,
    )


def seconds_text(seconds: float) -> str:
    """Three significant digits."""
    return f"{seconds:.3g}"
