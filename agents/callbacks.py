"""The exact callback: while a learner trains, its policies are scored exactly, not by sampled hands."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Figure

from agents.config import TrainConfig
from agents.exam import Exam, Scored, greedy_of, stochastic_of
from agents.extract import Extracted
from agents.illegal_moves import illegal_moves
from agents.run_folder import RunFolder
from pan9_gym import evaluation
from pan9_gym.evaluation import Disagreement
from pan9_gym.policies import TabularPolicy

COSTLIEST = 5
"""Disagreements listed at each evaluation."""

MOST_LOGGED = 20
"""Parts whose gaps TensorBoard gets one by one; metrics.jsonl has those of all."""

CHARTS_SHARE = 0.03
"""Charts are left out, but at the end, while evaluations have taken more than this share of the run."""

NOT_AS_TEXT = ("stdout", "log", "json", "csv")


@dataclass(frozen=True)
class Early:
    """The agent of the early checkpoint.

    Attributes:
        decisions: The decisions it has learned from.
        policies: Its policies at each part of the task.
    """

    decisions: int
    policies: tuple[Extracted, ...]


@dataclass(frozen=True)
class Best:
    """The greedy policy with the smallest exact gap so far; the first of equals.

    Attributes:
        decisions: The decisions it had learned from.
        gap: Its gap.
        policies: It, at each part of the task.
        is_kept: Whether it has been written.
    """

    decisions: int
    gap: Fraction
    policies: tuple[TabularPolicy, ...]
    is_kept: bool = False


class TargetReachedError(Exception):
    """Ends the learning: the gap has been as small as asked for, at as many evaluations as asked for."""


class ExactCallback(BaseCallback):
    """Scores the greedy and the stochastic policy; keeps checkpoints, and with them the best policy so far.

    Evaluations come at steps spaced by logarithm, dense early and sparse late, and at the latest every
    `evaluate_every` decisions.

    Args:
        config: The run's config.
        folder: Where metrics and checkpoints go.
        exam: Turns the net into tables and scores them.
        on_evaluation: Called with (decisions, metrics) after every evaluation, to show progress.

    Attributes:
        cpu_seconds: What all of it took so far; the metrics' `cpu_seconds` are the learning's, without it.
    """

    def __init__(self, config: TrainConfig, folder: RunFolder, exam: Exam, on_evaluation: Any) -> None:
        super().__init__()
        self.config = config
        self.early: Early | None = None
        self.best: Best | None = None
        self.history: list[dict[str, Any]] = []
        self.cpu_seconds = 0.0
        self._folder = folder
        self._exam = exam
        self._extractor = exam.extractor  # made now, so that no evaluation has to
        self._on_evaluation = on_evaluation
        self._next_evaluation = 0
        self._next_checkpoint = self._checkpoint_distance = config.num_decisions // config.num_checkpoints
        self._in_a_row = 0
        self._charted: object = None
        self._started = self._learning_until = 0.0

    def _on_training_start(self) -> None:
        self._started = time.process_time()

    def _on_rollout_start(self) -> None:
        """Score the model between two rollouts: it has then learned from all `num_timesteps` decisions."""
        started = self._learning_until = time.process_time()
        step, extracted = self.num_timesteps, None
        if self.early is None and step >= self.config.early_checkpoint:
            self.early = Early(step, self.evaluate("agent, early"))
            self._folder.save_checkpoint(step, self.model, self.early.policies)
        elif step >= self._next_evaluation:
            extracted = self.evaluate("agent")
        if step >= self._next_checkpoint:
            self._next_checkpoint += self._checkpoint_distance
            extracted = extracted or self._extractor.extract(self.model, "agent")
            self._folder.save_checkpoint(step, self.model, extracted)
            self.keep_best()
        self.cpu_seconds += time.process_time() - started
        if self.config.stop_at_gap is not None and self._in_a_row >= self.config.stop_after:
            raise TargetReachedError

    def _on_step(self) -> bool:
        return True

    def evaluate(self, name: str, at_the_end: bool = False) -> tuple[Extracted, ...]:
        """Score the model as it is now and log the figures, once for each number of decisions.

        Args:
            name: What the greedy policy is called.
            at_the_end: Whether no evaluation follows.
        """
        extracted = self._extractor.extract(self.model, name)
        if self.history and self.history[-1]["decisions"] == self.num_timesteps:
            return extracted  # ended right after an evaluation
        if at_the_end:
            self._learning_until = time.process_time()
        self._next_evaluation = next_evaluation(self.config, self.num_timesteps)
        greedy, stochastic = map(self._exam.score, (greedy_of(extracted), stochastic_of(extracted)))
        metrics = {
            "decisions": self.num_timesteps,
            "cpu_seconds": self._learning_until - self._started - self.cpu_seconds,
            **self._figures(greedy, stochastic, at_the_end),
        }
        moves = illegal_moves(self.model.get_env())
        if moves is not None:
            metrics["illegal_moves"] = moves
        self.logger.dump(self.num_timesteps)
        self._remember(greedy)
        self.history.append(metrics)
        self._folder.add_metrics(metrics)
        self._on_evaluation(self.num_timesteps, metrics)
        return extracted

    def _figures(self, greedy: Scored, stochastic: Scored, at_the_end: bool) -> dict[str, Any]:
        """The metrics of the policies, which TensorBoard gets too."""
        thorough = at_the_end or len(self.history) % self.config.chart_every == 0
        found: dict[str, Any] = {
            "exact": greedy.figures(thorough),
            "exact_stochastic": stochastic.figures(thorough),
        }
        by_part = self._exam.by_part(exact=greedy, exact_stochastic=stochastic)
        costliest = greedy.costliest(COSTLIEST)
        self._log(found, by_part if len(by_part) <= MOST_LOGGED else {}, costliest)
        if thorough:
            self._chart(greedy, stochastic, at_the_end)
        parts = {"parts": by_part} if by_part else {}
        return {**found, **parts, "costliest": [_in_short(*entry) for entry in costliest]}

    def _log(
        self,
        figures: dict[str, dict[str, float]],
        by_part: dict[str, dict[str, float]],
        costliest: tuple[tuple[str, Disagreement], ...],
    ) -> None:
        """Hand the figures to TensorBoard."""
        for group, entries in figures.items():
            for key, value in entries.items():
                self.logger.record(f"{group}/{key}", value)
        for label, gaps in by_part.items():
            for group, gap in gaps.items():
                self.logger.record(f"{group}_{label}/gap", gap)
        text = evaluation.disagreement_table([entry for _, entry in costliest], COSTLIEST)
        self.logger.record("exact/costliest", text, exclude=NOT_AS_TEXT)

    def _chart(self, greedy: Scored, stochastic: Scored, at_the_end: bool) -> None:
        """Draw the stochastic policy, unless the greedy one is still that of the last chart.

        A picture takes as long as twenty evaluations: there is one only where time is left for it.
        """
        tables = [policy.draw_probs for policy in greedy.policies]
        left = CHARTS_SHARE * (self._learning_until - self._started) - self.cpu_seconds
        nothing_new = tables == self._charted or not self.num_timesteps
        if (nothing_new or left <= 0) and not at_the_end:
            return
        self._charted = tables
        figure = stochastic.chart(f"after {self.num_timesteps} decisions")
        self.logger.record("strategy/chart", Figure(figure, close=True), exclude=NOT_AS_TEXT)

    def _remember(self, greedy: Scored) -> None:
        """Keep the policies if they are the best so far; count evaluations at the gap that ends the run."""
        gap = greedy.gap
        if self.best is None or gap < self.best.gap:
            self.best = Best(self.num_timesteps, gap, tuple(greedy.policies))
        bound = self.config.stop_at_gap
        enough = bound is not None and gap <= bound
        self._in_a_row = self._in_a_row + 1 if enough else 0

    def keep_best(self) -> None:
        """Write the best policies so far, unless they are written already."""
        best = self.best
        if best is not None and not best.is_kept:
            self._folder.save_best(best.decisions, best.gap, best.policies)
            self.best = replace(best, is_kept=True)


def next_evaluation(config: TrainConfig, step: int) -> int:
    """The decisions at which the next evaluation is due, from those of the last one."""
    latest = step + config.evaluate_every
    if not config.evaluations_per_doubling:
        return latest
    return min(latest, max(step + 1, int(step * 2 ** (1 / config.evaluations_per_doubling))))


def _in_short(label: str, entry: Disagreement) -> dict[str, Any]:
    """A disagreement for the metrics."""
    return {
        **({"part": label} if label else {}),
        "decision": entry.situation,
        "plays": entry.policy_move,
        "best": entry.best.name.lower(),
        "prob": float(entry.prob),
        "cost": float(entry.cost),
    }
