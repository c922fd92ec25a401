"""What is said about a run itself: how long it took, since when the gap is small, and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stable_baselines3.common.logger import HParam

from agents.callbacks import ExactCallback
from agents.config import TrainConfig
from agents.results import first_hit, held_since
from pan9_gym.evaluation import number


class Ending(StrEnum):
    """How the learning ended."""

    TRAINED = "Trained"
    STOPPED = "Stopped at the gap asked for"
    INTERRUPTED = "Interrupted"


@dataclass(frozen=True)
class Spent:
    """What a run has taken.

    Attributes:
        decisions: Hands learned from.
        seconds: By the clock.
        cpu_seconds: Of the processor.
    """

    decisions: int
    seconds: float
    cpu_seconds: float


def notes(
    config: TrainConfig, callback: ExactCallback, ending: Ending, spent: Spent, illegal_moves: int | None
) -> list[str]:
    """Lines about a run.

    Args:
        config: The run's config.
        callback: What watched it.
        ending: How it ended.
        spent: What it took.
        illegal_moves: How many were chosen; `None` where the rules force none.
    """
    share = 100 * callback.cpu_seconds / max(spent.cpu_seconds, 1e-9)
    found = [
        f"{ending} with {config.algorithm}, seed {config.seed}: {spent.decisions:,} decisions in "
        f"{spent.seconds:.0f} s ({spent.cpu_seconds:.1f} CPU s, {share:.1f}% of them for exact evaluation).",
        f"The greedy policy's exact gap was {_reached(config, callback)}.",
    ]
    best = callback.best
    if best is not None:
        found.append(
            f"The best greedy policy, kept in best_policy.json, is that after {best.decisions:,} decisions: "
            f"gap {number(best.gap)}."
        )
    if illegal_moves is not None:
        found.append(f"Illegal moves chosen while learning: {illegal_moves:,}.")
    return found


def _reached(config: TrainConfig, callback: ExactCallback) -> str:
    bound = config.target_gap
    at = f"at most {bound:g}" if bound else "0"
    unit = " per unit wagered" if callback.history and "gap_per_unit" in callback.history[-1]["exact"] else ""
    hit, held = first_hit(callback.history, bound), held_since(callback.history, bound)
    if held is not None:
        return f"first {at}{unit} after {hit:,} decisions, and {at} at every evaluation from {held:,} on"
    if hit is not None:
        return f"first {at}{unit} after {hit:,} decisions, but it did not stay {at}"
    return f"never {at}{unit}"


def hparams(config: TrainConfig) -> HParam:
    """The settings, and the figures they are judged by, for TensorBoard."""
    sections = config.other_sections | {config.learner.section}
    flat = {**config.model_dump(mode="json", exclude=sections), **config.settings.model_dump(mode="json")}
    values = {
        key: value if isinstance(value, int | float | str | bool) else str(value)
        for key, value in flat.items()
    }
    metrics: dict[str, float | int] = {"exact/gap": 0.0, "exact/ev": 0.0, "exact_stochastic/gap": 0.0}
    return HParam(hparam_dict=values, metric_dict=metrics)
