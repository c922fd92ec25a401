"""A2C of Stable-Baselines3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stable_baselines3 import A2C
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.algorithms.base import OnPolicy, OnPolicySettings
from agents.fields import Positive, Rate

if TYPE_CHECKING:
    from agents.config import TrainConfig


class A2CSettings(OnPolicySettings):
    """A2C: one gradient step for each rollout, so that rollouts are short and many."""

    rollout_decisions: Positive = 1024
    """Decisions of a rollout, and of its one gradient step; a multiple of `num_envs`."""
    learning_rate: Rate = 3e-3
    """Adam's step size at the start; falls linearly. SB3's default is RMSProp, with steps that grow large
    where gradients are small."""


class A2CLearner(OnPolicy):
    """Policy gradients, one step for each rollout."""

    name = "a2c"
    section = "a2c"
    settings = A2CSettings

    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""
        return A2C(**self.rollout_arguments(config, vec_env), use_rms_prop=False)


ALGORITHM = A2CLearner()
