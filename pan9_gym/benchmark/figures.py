"""What a ratio of two contenders must reach, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan9_gym.benchmark.rounds import Rounds, Spread, Unit


@dataclass(frozen=True)
class Figure:
    """A ratio of two contenders' rates, beside its target.

    Attributes:
        over: The contender whose rate is divided.
        under: The one by whose rate it is divided.
        target: What it must reach; `None` where it is only told.
        at_most: Whether the target is the most it may be, not the least.
        unit: What is counted.
        label: What the ratio means, where it is more than one contender to the other.
    """

    over: str
    under: str
    target: float | None = None
    at_most: bool = False
    unit: Unit = "hands"
    label: str = ""

    @property
    def name(self) -> str:
        """What is divided by what, or what that means."""
        return self.label or f"{self.over} / {self.under}"

    @property
    def target_text(self) -> str:
        """The target in words."""
        if self.target is None:
            return "-"
        return f"{'at most' if self.at_most else 'at least'} {self.target:g}"

    def line(self, rounds: Rounds) -> FigureLine:
        """The figure from what was measured."""
        decisions = None if self.unit == "cards" else rounds.ratio(self.over, self.under, "decisions")
        return FigureLine(self, rounds.ratio(self.over, self.under, self.unit), decisions)


@dataclass(frozen=True)
class FigureLine:
    """A figure that was measured.

    Attributes:
        figure: What it is.
        ratio: The ratio, in the figure's unit.
        decisions: The ratio of decisions, told beside that of hands.
    """

    figure: Figure
    ratio: Spread
    decisions: Spread | None

    @property
    def is_met(self) -> bool | None:
        """Whether the median reaches the target; `None` where there is none."""
        if self.figure.target is None:
            return None
        if self.figure.at_most:
            return self.ratio.median <= self.figure.target
        return self.ratio.median >= self.figure.target

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.figure.name,
            "unit": self.figure.unit,
            "ratio": self.ratio.to_dict(),
            "decisions_ratio": None if self.decisions is None else self.decisions.to_dict(),
            "target": self.figure.target,
            "at_most": self.figure.at_most,
            "met": self.is_met,
        }
