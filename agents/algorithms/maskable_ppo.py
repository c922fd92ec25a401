"""MaskablePPO of sb3-contrib: PPO that never chooses a move that the rules do not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.algorithms.ppo import PPOLearner

if TYPE_CHECKING:
    from agents.config import TrainConfig


class MaskablePPOLearner(PPOLearner):
    """PPO with the action mask; the settings are PPO's."""

    name = "maskable_ppo"
    masks = True

    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""
        return MaskablePPO(**self.ppo_arguments(config, vec_env))


ALGORITHM = MaskablePPOLearner()
