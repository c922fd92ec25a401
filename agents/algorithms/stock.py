"""Stable-Baselines3 as it comes: its own settings on one scalar environment, to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.algorithms.base import Algorithm, Probs, Settings

if TYPE_CHECKING:
    from agents.config import TrainConfig

HIDDEN_SIZES = [64, 64]
"""Of SB3's `MlpPolicy`."""


class StockSettings(Settings):
    """Nothing can be set."""


class Stock(Algorithm):
    """A learner with SB3's settings; what it plays is asked of the learner of the same kind.

    Attributes:
        kind: SB3's class.
        tuned: The learner of this kind whose settings can be set.
        between: Decisions between two updates.
    """

    section = "stock"
    settings = StockSettings
    scalar = True
    kind: ClassVar[Any]
    tuned: ClassVar[Algorithm]
    between: ClassVar[int]

    def check(self, config: TrainConfig) -> None:
        """Refuse whatever would not be stock."""
        if config.settings != StockSettings():
            raise ValueError(f"{self.section}: {self.name} takes no settings")
        for field, needed in (("num_envs", 1), ("hidden_sizes", HIDDEN_SIZES)):
            if getattr(config, field) != needed:
                raise ValueError(f"{field} {getattr(config, field)!r}: {self.name} has {needed}")

    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""
        made: BaseAlgorithm = self.kind("MlpPolicy", vec_env, seed=config.seed, device="cpu")
        return made

    def draw_probs(
        self, model: Any, observations: torch.Tensor, masks: npt.NDArray[np.bool_]
    ) -> tuple[Probs, Probs]:
        """As the learner of the same kind."""
        return self.tuned.draw_probs(model, observations, masks)

    def decisions_between_updates(self, config: TrainConfig) -> int:
        """SB3's."""
        return self.between
