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

from matplotlib.figure import Figure
from stable_baselines3.common.base_class import BaseAlgorithm

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

    def extract(self, model: BaseAlgorithm, name: str) -> tuple[Extracted, ...]:
        """The model's policies at each part."""
        return self.extractor.extract(model, name)

    def gaps(self, policies: Policies) -> tuple[Fraction, ...]:
        """The gap at each part; per unit wagered where wagers differ."""
        return tuple(judge.judged_gap(policy) for judge, policy in zip(self.judges, policies, strict=True))

    def gap(self, policies: Policies) -> Fraction:
        """The gap of the task."""
        return self.together(self.gaps(policies))

    def together(self, gaps: Sequence[Fraction]) -> Fraction:
        """The gap of the task from those at its parts."""
        return sum(gaps, Fraction(0)) / len(gaps) if self.config.shoes else max(gaps)

    def figures(self, policies: Policies, thorough: bool) -> dict[str, float]:
        """Exact figures as floats, by their names in TensorBoard.

        Over several parts "ev" and "agreement" are means, and "mean_gap" and "worst_gap" stand beside the
        "gap" of the task.

        Args:
            policies: The policies.
            thorough: Whether to compute the worst-case gap too, where there is one part.
        """
        if len(self.parts) == 1:
            return self.judges[0].figures(policies[0], thorough)
        gaps = self.gaps(policies)
        agreements = [judge.agreement(policy) for judge, policy in zip(self.judges, policies, strict=True)]
        evs = [judge.optimum - gap for judge, gap in zip(self.judges, gaps, strict=True)]
        return {
            "ev": float(_mean(evs)),
            "gap": float(self.together(gaps)),
            "mean_gap": float(_mean(gaps)),
            "worst_gap": float(max(gaps)),
            "agreement": float(_mean(agreements)),
        }

    def costliest(self, policies: Policies, number: int) -> tuple[tuple[str, Disagreement], ...]:
        """The decisions that cost most, each with its part's label, out of the worst `LOOKED_AT` parts."""
        gaps = self.gaps(policies)
        worst = sorted(range(len(gaps)), key=lambda place: -gaps[place])[:LOOKED_AT]
        found = [
            (self.parts[place].label, entry)
            for place in worst
            for entry in self.judges[place].costliest(policies[place], number)
        ]
        return tuple(sorted(found, key=lambda labelled: -labelled[1].cost)[:number])

    def chart(self, policies: Policies, title: str) -> Figure:
        """The strategy chart at the part with the largest gap."""
        gaps = self.gaps(policies)
        place = gaps.index(max(gaps))
        label = self.parts[place].label
        return strategy_chart(
            policies[place], self.judges[place].values, f"{title}, {label}" if label else title
        )

    def by_part(self, **policies: Policies) -> dict[str, dict[str, float]]:
        """The gaps of each kind of policies by the part's label; empty where there is one part."""
        if len(self.parts) == 1:
            return {}
        gaps = {kind: self.gaps(given) for kind, given in policies.items()}
        return {
            part.label: {kind: float(values[place]) for kind, values in gaps.items()}
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


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def greedy_of(extracted: Sequence[Extracted]) -> tuple[TabularPolicy, ...]:
    """The greedy policy of each part."""
    return tuple(part.greedy for part in extracted)


def stochastic_of(extracted: Sequence[Extracted]) -> tuple[TabularPolicy, ...]:
    """The stochastic policy of each part."""
    return tuple(part.stochastic for part in extracted)
