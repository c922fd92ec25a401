"""DQN of Stable-Baselines3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.algorithms.base import Algorithm, Probs, Settings
from agents.fields import Positive, Rate, Share
from pan9_gym.rules import Action

if TYPE_CHECKING:
    from agents.config import TrainConfig


class DQNSettings(Settings):
    """DQN; rewards are scaled for it, see `DQNLearner.reward_scale`."""

    buffer_size: Positive = 500_000
    """Transitions kept."""
    batch_size: Positive = 4096
    """Transitions per gradient step."""
    learning_starts: Positive = 4096
    """Decisions before the first gradient step."""
    decisions_per_update: Positive = 256
    """Decisions between two updates, over all environments; a multiple of `num_envs`."""
    gradient_steps: Positive = 1
    """Gradient steps of an update."""
    learning_rate: Rate = 3e-3
    """Adam's step size at the start; falls linearly. At a constant one DQN oscillates."""
    activation: Literal["tanh", "relu"] = "relu"
    """Between the layers of the net."""
    epsilon: Share = 0.3
    """Share of random moves, from start to end: with one decision a hand, exploring costs nothing later.
    SB3 draws once for all environments of a step."""


class DQNLearner(Algorithm):
    """Q-learning from a buffer; acts epsilon-greedily."""

    name = "dqn"
    section = "dqn"
    settings = DQNSettings

    def check(self, config: TrainConfig) -> None:
        """Refuse settings that do not fit each other or the run."""
        settings = self._settings(config)
        if settings.learning_starts >= config.num_decisions:
            raise ValueError(
                f"dqn.learning_starts {settings.learning_starts}: must be less than "
                f"num_decisions={config.num_decisions}"
            )
        if settings.batch_size > settings.buffer_size:
            raise ValueError(
                f"dqn.batch_size {settings.batch_size}: "
                f"at most dqn.buffer_size={settings.buffer_size} is possible"
            )
        if settings.decisions_per_update % config.num_envs:
            raise ValueError(
                f"dqn.decisions_per_update {settings.decisions_per_update}: "
                f"a multiple of num_envs={config.num_envs} is needed"
            )

    def refusal(self, config: TrainConfig, forced: bool) -> str | None:
        """Forced moves, and side stakes, whose prizes its loss does not average."""
        if config.side_stakes:
            return (
                "a side stake wins many times itself, and SB3's DQN minimises a smooth-L1 loss, which does "
                "not average such prizes; use an algorithm with policy gradients"
            )
        return super().refusal(config, forced)

    def reward_scale(self, total_wager: float) -> float:
        """1 / (2 x all wagers).

        SB3's DQN minimises a smooth-L1 loss, which is quadratic up to errors of 1 and linear beyond; only
        where it is quadratic does its minimum lie at the mean reward. A reward and its estimate differ by up
        to twice the wagers.
        """
        return 1 / (2 * total_wager)

    def log_interval(self, config: TrainConfig) -> int:
        """About once an evaluation; SB3's own every fourth episode takes longer than learning from hands."""
        return config.evaluate_every

    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""
        settings = self._settings(config)
        return DQN(
            **self.common_arguments(config, vec_env),
            buffer_size=settings.buffer_size,
            batch_size=settings.batch_size,
            learning_starts=settings.learning_starts,
            train_freq=settings.decisions_per_update // config.num_envs,
            gradient_steps=settings.gradient_steps,
            exploration_initial_eps=settings.epsilon,
            exploration_final_eps=settings.epsilon,
        )

    def draw_probs(
        self, model: Any, observations: torch.Tensor, masks: npt.NDArray[np.bool_]
    ) -> tuple[Probs, Probs]:
        """The higher-valued action, and the same with epsilon's share of random moves."""
        values = model.policy.q_net(observations).double().numpy()
        greedy = (values[:, Action.DRAW] > values[:, Action.STAND]).astype(np.float64)
        epsilon = model.exploration_final_eps  # the same from start to end, see DQNSettings
        return (1 - epsilon) * greedy + epsilon / 2, greedy

    def _settings(self, config: TrainConfig) -> DQNSettings:
        settings = config.settings
        assert isinstance(settings, DQNSettings)
        return settings


ALGORITHM = DQNLearner()
