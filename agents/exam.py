"""The exam of a task: one agent's policies at all parts, extracted from its net and scored exactly.

Formula:
    gap of a task = the gap at its only part
                  = the mean over its shoes
                  = the largest over its sheets and roles
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import mean

from matplotlib.figure import Figure

from agents.config import TrainConfig
from agents.extract import Extracted, Extractor
from agents.judge import Judge, drawing_where
from agents.make_env import net_inputs
from agents.parts import Part, parts_of
from pan9_gym.charts import strategy_chart
from pan9_gym.evaluation import Disagreement
from pan9_gym.policies import TabularPolicy

LOOKED_AT = 5
"""Parts with the largest gaps, out of which the costliest disagreements are looked for."""

Policies = Sequence[TabularPolicy]
"""A policy for each part."""


@dataclass(frozen=True)
class Exam:
    """Scores one agent at all parts of its task.

    Attributes:
        config: The task's config.
        parts: Its parts.
        judges: The judge of each.
    """

    config: TrainConfig
    parts: tuple[Part, ...]
    judges: tuple[Judge, ...]

    @classmethod
    def of(cls, config: TrainConfig) -> Exam:
        """The exam of a config's task.

        Raises:
            ConfigError: If the config asks for something impossible.
        """
        parts = parts_of(config)
        return cls(config, parts, tuple(Judge.of(part.config, part.shoe) for part in parts))

    @cached_property
    def extractor(self) -> Extractor:
        """Turns a net into the policies of all parts."""
        return Extractor(net_inputs(self.config), self.config.learner)

    def gaps(self, policies: Policies) -> tuple[Fraction, ...]:
        """The gap at each part; per unit wagered where wagers differ."""
        return tuple(judge.judged_gap(policy) for judge, policy in zip(self.judges, policies, strict=True))

    def gap(self, policies: Policies) -> Fraction:
        """The gap of the task."""
        return self.together(self.gaps(policies))

    def together(self, gaps: Sequence[Fraction]) -> Fraction:
        """The gap of the task from those at its parts."""
        return mean(gaps) if self.config.shoes else max(gaps)

    def score(self, policies: Policies) -> Scored:
        """The policies with everything that is told about them."""
        return Scored(self, tuple(policies))

    def by_part(self, **scored: Scored) -> dict[str, dict[str, float]]:
        """The gaps of each kind of policies by the part's label; empty where there is one part."""
        if len(self.parts) == 1:
            return {}
        return {
            part.label: {kind: float(one.gaps[place]) for kind, one in scored.items()}
            for place, part in enumerate(self.parts)
        }

    @property
    def blind_gap(self) -> Fraction | None:
        """The gap of the best strategy that does not look at shoes or suits; `None` where it sees neither."""
        if self.shoe_blind is not None:
            return self.gap(self.shoe_blind)
        suit_blind = self.judges[0].blind_optimum
        return None if suit_blind is None else self.gap([suit_blind])

    @cached_property
    def shoe_blind(self) -> Policies | None:
        """The best strategy that does not look at the shoe, at every part; `None` where all parts are full.

        It draws where drawing gains in the mean over the shoes; there is one table for all.
        """
        if not self.config.shoes:
            return None
        values = [judge.values for judge in self.judges]
        gain = sum((one.draw - one.stand) * Fraction(1, one.value_unit) for one in values)
        table = drawing_where(gain > 0, values[0].rules, values[0].states, "shoe-blind optimum")
        return (table,) * len(self.parts)


@dataclass(frozen=True, eq=False)
class Scored:
    """One agent's policies at all parts, scored once for everything that is told about them.

    Attributes:
        exam: The exam.
        policies: The policy of each part.
    """

    exam: Exam
    policies: Policies

    @cached_property
    def gaps(self) -> tuple[Fraction, ...]:
        """The gap at each part."""
        return self.exam.gaps(self.policies)

    @property
    def gap(self) -> Fraction:
        """The gap of the task."""
        return self.exam.together(self.gaps)

    @property
    def evs(self) -> tuple[Fraction, ...]:
        """The expectation at each part."""
        return tuple(judge.optimum - gap for judge, gap in zip(self.exam.judges, self.gaps, strict=True))

    @property
    def agreement(self) -> Fraction:
        """The mean of the agreements with each part's optimum."""
        pairs = zip(self.exam.judges, self.policies, strict=True)
        return mean(judge.agreement(policy) for judge, policy in pairs)

    def figures(self, thorough: bool) -> dict[str, float]:
        """Exact figures as floats, by their names in TensorBoard.

        Over several parts "ev" and "agreement" are means, and "mean_gap" and "worst_gap" stand beside the
        "gap" of the task.

        Args:
            thorough: Whether to compute the worst-case gap too, where there is one part.
        """
        if len(self.policies) == 1:
            return self.exam.judges[0].figures(self.policies[0], thorough)
        return {
            "ev": float(mean(self.evs)),
            "gap": float(self.gap),
            "mean_gap": float(mean(self.gaps)),
            "worst_gap": float(max(self.gaps)),
            "agreement": float(self.agreement),
        }

    def costliest(self, number: int) -> tuple[tuple[str, Disagreement], ...]:
        """The decisions that cost most, each with its part's label, out of the worst `LOOKED_AT` parts."""
        worst = sorted(range(len(self.gaps)), key=lambda place: -self.gaps[place])[:LOOKED_AT]
        found = [
            (self.exam.parts[place].label, entry)
            for place in worst
            for entry in self.exam.judges[place].costliest(self.policies[place], number)
        ]
        return tuple(sorted(found, key=lambda labelled: -labelled[1].cost)[:number])

    def chart(self, title: str) -> Figure:
        """The strategy chart at the part with the largest gap."""
        place = self.gaps.index(max(self.gaps))
        label = self.exam.parts[place].label
        values = self.exam.judges[place].values
        return strategy_chart(self.policies[place], values, f"{title}, {label}" if label else title)


def greedy_of(extracted: Sequence[Extracted]) -> tuple[TabularPolicy, ...]:
    """The greedy policy of each part."""
    return tuple(part.greedy for part in extracted)


def stochastic_of(extracted: Sequence[Extracted]) -> tuple[TabularPolicy, ...]:
    """The stochastic policy of each part."""
    return tuple(part.stochastic for part in extracted)
