"""The exact callback: while a learner trains, its policies are scored exactly, not by sampled hands.

Against a fixed opponent the value of both actions at every information state is computed once; after that an
exact expectation is a dot product, and the gap is the optimum minus it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Figure

from agents.config import TrainConfig
from agents.extract import Extracted, Extractor
from agents.run_folder import RunFolder
from pan9_gym import solver
from pan9_gym.charts import strategy_chart
from pan9_gym.evaluation import agreement
from pan9_gym.policies import TabularPolicy
from pan9_gym.solver import ActionValues


@dataclass(frozen=True)
class Judge:
    """Scores policies of one role against one fixed opponent, exactly.

    Attributes:
        values: What both actions are worth at every information state.
        optimum: The best response's expectation.
    """

    values: ActionValues
    optimum: Fraction

    @classmethod
    def against(cls, opponent: TabularPolicy) -> Judge:
        """A judge of the opponent's opponents."""
        values = solver.action_values(opponent.rules, opponent.role.opponent, opponent)
        return cls(values, solver.best_response_to_values(values, "hand").ev)

    def figures(self, policy: TabularPolicy) -> dict[str, float]:
        """The exact figures of a policy as floats, by their names in TensorBoard; exactly 0 stays 0."""
        ev = self.values.ev(policy)
        agreed = agreement(self.values, policy)
        worst = solver.worst_case_gap(policy.rules, policy, policy.role, allow_bound=True)
        return {
            "ev": float(ev),
            "gap": float(self.optimum - ev),
            "worst_case_gap": float(worst),
            "agreement": 1.0 if agreed is None else float(agreed),
        }


@dataclass(frozen=True)
class Early:
    """The agent of the early checkpoint.

    Attributes:
        decisions: The decisions it has learned from.
        policies: Its policies.
    """

    decisions: int
    policies: Extracted


class ExactCallback(BaseCallback):
    """Scores the greedy and the stochastic policy every `evaluate_every` decisions and keeps checkpoints.

    Args:
        config: The run's config.
        folder: Where metrics and checkpoints go.
        extractor: Turns the net into tables.
        judge: Scores the tables.
        on_evaluation: Called with (decisions, metrics) after every evaluation, to show progress.
    """

    def __init__(
        self, config: TrainConfig, folder: RunFolder, extractor: Extractor, judge: Judge, on_evaluation: Any
    ) -> None:
        super().__init__()
        self.config = config
        self.early: Early | None = None
        self.history: list[dict[str, Any]] = []
        self.seconds_evaluating = 0.0
        self._folder = folder
        self._extractor = extractor
        self._judge = judge
        self._on_evaluation = on_evaluation
        self._next_evaluation = 0
        self._next_checkpoint = self._checkpoint_distance = config.num_decisions // config.num_checkpoints

    def _on_rollout_start(self) -> None:
        """Score the model between two rollouts: it has then learned from all `num_timesteps` decisions."""
        step = self.num_timesteps
        if self.early is None and step >= self.config.early_checkpoint:
            self.early = Early(step, self.evaluate("agent, early"))
            self._folder.save_checkpoint(step, self.model, self.early.policies)
        elif step >= self._next_evaluation:
            self.evaluate("agent")
        if step >= self._next_checkpoint:
            self._next_checkpoint += self._checkpoint_distance
            self._folder.save_checkpoint(step, self.model, self._extractor.extract(self.model, "agent"))

    def _on_step(self) -> bool:
        return True

    def evaluate(self, name: str) -> Extracted:
        """Score the model as it is now and log the figures, once for each number of decisions."""
        started = time.perf_counter()
        step = self.num_timesteps
        if self.history and self.history[-1]["decisions"] == step:  # interrupted right after an evaluation
            return self._extractor.extract(self.model, name)
        self._next_evaluation = step + self.config.evaluate_every
        extracted = self._extractor.extract(self.model, name)
        scored = {"exact": extracted.greedy, "exact_stochastic": extracted.stochastic}
        figures = {group: self._judge.figures(policy) for group, policy in scored.items()}
        for group, entries in figures.items():
            for key, value in entries.items():
                self.logger.record(f"{group}/{key}", value)
        metrics = {"decisions": step, **figures}
        if len(self.history) % self.config.chart_every == 0:
            figure = strategy_chart(extracted.stochastic, self._judge.values, f"after {step} decisions")
            self.logger.record(
                "strategy/chart", Figure(figure, close=True), exclude=("stdout", "log", "json", "csv")
            )
        self.logger.dump(step)
        self.history.append(metrics)
        self._folder.add_metrics(metrics)
        self.seconds_evaluating += time.perf_counter() - started
        self._on_evaluation(step, metrics)
        return extracted
