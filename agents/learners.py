"""A new learner for a run, by the algorithm that the config names (`agents.algorithms`)."""

from __future__ import annotations

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.config import TrainConfig


def make_learner(config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
    """A new learner for a run; torch has one thread."""
    torch.set_num_threads(1)  # more threads are slower on nets this small, and change the weights
    return config.learner.build(config, vec_env)
