"""Stable-Baselines3's own ways of making an environment from an id work."""

from __future__ import annotations

import warnings

import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env

import pan9_gym

IDS = ("Pan9/Player-v0", "Pan9/PlayerDealer-v0")

assert pan9_gym.__doc__, "importing the package registers the ids"


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("algorithm", [PPO, DQN, A2C, MaskablePPO])
def test_an_algorithm_takes_an_id(algorithm: type, env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium says that there is no rgb_array, which SB3 asks for first
        model = algorithm("MlpPolicy", env_id, device="cpu")
    assert model.action_space.n == 2
    assert model.observation_space.shape in {(7,), (8,)}


@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_env_takes_an_id(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vec_env = make_vec_env(env_id, n_envs=3, seed=1)
    assert vec_env.reset().shape[0] == 3
    _, rewards, dones, _ = vec_env.step([1, 0, 1])
    assert dones.all()
    assert set(rewards) <= {-1.0, 0.0, 1.0}
