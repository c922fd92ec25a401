"""The Stable-Baselines3 learners, set up from a config; torch with one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.config import OnPolicySettings, TrainConfig


def make_learner(config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
    """A new learner for a run."""
    torch.set_num_threads(1)  # more threads are slower on nets this small, and change the weights
    common: dict[str, Any] = {
        "policy": "MlpPolicy",
        "env": vec_env,
        "seed": config.seed,
        "device": "cpu",
        "policy_kwargs": {"net_arch": list(config.hidden_sizes)},
        "gamma": 1.0,
    }
    if config.algorithm == "dqn":
        return DQN(**common, **_dqn_arguments(config))
    kind = PPO if config.algorithm == "ppo" else MaskablePPO
    return kind(**common, **_on_policy_arguments(config.ppo, config.num_envs))


def _on_policy_arguments(settings: OnPolicySettings, num_envs: int) -> dict[str, Any]:
    return {
        "n_steps": settings.rollout_decisions // num_envs,
        "batch_size": settings.batch_size,
        "n_epochs": settings.num_epochs,
        "learning_rate": _falling(settings.learning_rate, settings.final_rate_share),
        "ent_coef": settings.entropy_coefficient,
        "gae_lambda": 1.0,
    }


def _dqn_arguments(config: TrainConfig) -> dict[str, Any]:
    settings = config.dqn
    return {
        "buffer_size": settings.buffer_size,
        "batch_size": settings.batch_size,
        "learning_starts": settings.learning_starts,
        "train_freq": settings.decisions_per_update // config.num_envs,
        "gradient_steps": 1,
        "learning_rate": _falling(settings.learning_rate, settings.final_rate_share),
        "exploration_initial_eps": settings.epsilon,
        "exploration_final_eps": settings.epsilon,
    }


def _falling(rate: float, final_share: float) -> Callable[[float], float]:
    """A rate that falls linearly to `final_share` of itself."""

    def rate_at(remaining: float) -> float:
        return rate * (final_share + (1 - final_share) * remaining)

    return rate_at
