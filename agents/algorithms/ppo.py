"""PPO of Stable-Baselines3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.algorithms.base import OnPolicy, OnPolicySettings
from agents.fields import Positive

if TYPE_CHECKING:
    from agents.config import TrainConfig


class PPOSettings(OnPolicySettings):
    """PPO and MaskablePPO."""

    batch_size: Annotated[int, Field(ge=2)] = 1024
    """Decisions per gradient step."""
    num_epochs: Positive = 4
    """Passes over each rollout."""


class PPOLearner(OnPolicy):
    """Clipped policy gradients, several passes over each rollout."""

    name = "ppo"
    section = "ppo"
    settings = PPOSettings

    def check(self, config: TrainConfig) -> None:
        """Refuse settings that do not fit each other or the run."""
        super().check(config)
        settings = self._settings(config)
        if settings.batch_size > settings.rollout_decisions:
            raise ValueError(
                f"{self.section}.batch_size {settings.batch_size}: "
                f"at most {self.section}.rollout_decisions={settings.rollout_decisions} is possible"
            )

    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""
        return PPO(**self.ppo_arguments(config, vec_env))

    def ppo_arguments(self, config: TrainConfig, vec_env: VecEnv) -> dict[str, Any]:
        """What both kinds of PPO are made with."""
        settings = self._settings(config)
        passes = {"batch_size": settings.batch_size, "n_epochs": settings.num_epochs}
        return {**self.rollout_arguments(config, vec_env), **passes}

    def _settings(self, config: TrainConfig) -> PPOSettings:
        settings = config.settings
        assert isinstance(settings, PPOSettings)
        return settings


ALGORITHM = PPOLearner()
