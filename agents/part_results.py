"""What a run of several parts found: its agents beside the logical way, over all parts and at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, median
from typing import Any

from agents.config import TrainConfig
from agents.exam import Exam, Policies
from pan9_gym.evaluation.tables import markdown_table, number, percent

MOST_LISTED = 20
"""Parts that are listed one by one; of more only how their gaps are spread."""


@dataclass(frozen=True)
class PartRow:
    """One agent at all parts.

    Attributes:
        label: What tables call it.
        gap: The gap of the task.
        gaps: The gap at each part.
        evs: The expectation at each part.
        agreement: The mean of the agreements with each part's optimum.
    """

    label: str
    gap: Fraction
    gaps: tuple[Fraction, ...]
    evs: tuple[Fraction, ...]
    agreement: Fraction

    def to_dict(self, labels: Sequence[str]) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "gap": str(self.gap),
            "agreement": str(self.agreement),
            "parts": {
                label: {"gap": str(gap), "ev": str(ev)}
                for label, gap, ev in zip(labels, self.gaps, self.evs, strict=True)
            },
        }


@dataclass(frozen=True)
class PartResults:
    """The tables of one run of several parts.

    Attributes:
        config: The run's config.
        labels: The parts' labels.
        rows: The agents, the best without a look at the shoe where parts are shoes, and the logical way.
        notes: Lines about the run itself.
    """

    config: TrainConfig
    labels: tuple[str, ...]
    rows: tuple[PartRow, ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The agents over all parts, and at each or how they spread."""
        kind = "depleted shoes: its gap is the mean" if self.config.shoes else "parts: its gap is the largest"
        every = markdown_table(
            ["policy", "gap", "mean gap", "worst gap", "parts at 0", "agreement"],
            [
                [
                    row.label,
                    number(row.gap),
                    number(mean(row.gaps)),
                    number(max(row.gaps)),
                    str(sum(gap == 0 for gap in row.gaps)),
                    percent(row.agreement),
                ]
                for row in self.rows
            ],
        )
        sheets = ", ".join(f"`{sheet}`" for sheet in self.config.sheets)
        parts = [
            f"## One agent ({self.config.role}) under {sheets}, against `{self.config.opponent}`",
            f"Judged at {len(self.labels)} {kind} of theirs. EV and gaps in units per unit wagered.",
            every,
            self._listed() if len(self.labels) <= MOST_LISTED else self._spread(),
            "\n".join(f"- {note}" for note in self.notes),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "config": self.config.model_dump(mode="json"),
            "rows": {row.label: row.to_dict(self.labels) for row in self.rows},
            "notes": list(self.notes),
        }

    def _listed(self) -> str:
        """The gap of every agent at every part."""
        header = ["part", *(f"gap, {row.label}" for row in self.rows), "exact optimum"]
        rows = []
        for place, label in enumerate(self.labels):
            optimum = self.rows[0].evs[place] + self.rows[0].gaps[place]
            gaps = [number(row.gaps[place]) for row in self.rows]
            rows.append([label.replace("_", " "), *gaps, number(optimum)])
        return markdown_table(header, rows)

    def _spread(self) -> str:
        """The quantiles of the gaps over the parts."""
        header = ["gap", "least", "median", "nine in ten below", "worst"]
        rows = []
        for row in self.rows:
            gaps = sorted(row.gaps)
            tenth = gaps[-(-9 * len(gaps) // 10) - 1]
            rows.append([row.label, *map(number, (gaps[0], Fraction(median(gaps)), tenth, gaps[-1]))])
        return markdown_table(header, rows)


def judge_parts(exam: Exam, agents: Sequence[tuple[str, Policies]], notes: Sequence[str]) -> PartResults:
    """The exact figures of agents at all parts.

    Args:
        exam: Scores them.
        agents: (label, policies) in the order of the rows.
        notes: Lines about the run.
    """
    rows = [_row(exam, label, policies) for label, policies in agents]
    if exam.shoe_blind is not None:
        rows.append(_row(exam, "shoe-blind optimum", exam.shoe_blind))
    rows.append(_row(exam, "logical way", [judge.logical_way for judge in exam.judges]))
    labels = tuple(part.label for part in exam.parts)
    return PartResults(exam.config, labels, tuple(rows), tuple(notes))


def _row(exam: Exam, label: str, policies: Policies) -> PartRow:
    scored = exam.score(policies)
    return PartRow(label, scored.gap, scored.gaps, scored.evs, scored.agreement)
