"""What the tests of SB3's adapter share: adapters, what they stand for, and the comparison of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

import pan9_gym
from agents.vec_env import Pan9VecEnv
from tests.agents.counting_envs import CountingEnv

gymnasium.register_envs(pan9_gym)

NUM_ENVS = 5
IDS = ("Pan9/Player-v0", "Pan9/PlayerDealer-v0")
SHOE_IDS = ("Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0")


def batch(env_id: str = IDS[0], num_envs: int = NUM_ENVS, **arguments: Any) -> VectorEnv[Any, Any, Any]:
    return gymnasium.make_vec(env_id, num_envs, vectorization_mode="vector_entry_point", **arguments)


def adapted(env_id: str = IDS[0], num_envs: int = NUM_ENVS, **arguments: Any) -> Pan9VecEnv:
    return Pan9VecEnv(batch(env_id, num_envs, copy=False, **arguments))


def counting_dummy() -> DummyVecEnv:
    return DummyVecEnv([lambda place=place: Monitor(CountingEnv(place)) for place in range(NUM_ENVS)])


def actions_of(seed: int, steps: int) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield rng.integers(0, 2, NUM_ENVS)


def comparable(infos: Any) -> list[dict[str, Any]]:
    """What must be the same: without times, and without the keys of our own environment."""
    found = []
    for info in infos:
        keys = ("terminal_observation", "episode", "TimeLimit.truncated")
        kept = {key: info[key] for key in keys if key in info and "terminal_observation" in info}
        if "episode" in kept:
            kept["episode"] = {key: kept["episode"][key] for key in ("r", "l")}
        if "terminal_observation" in kept:
            kept["terminal_observation"] = kept["terminal_observation"].tolist()
        found.append(kept)
    return found


def assert_same_steps(ours: VecEnv, theirs: VecEnv, steps: int = 40) -> None:
    assert np.array_equal(ours.reset(), theirs.reset())
    for actions in actions_of(1, steps):
        (obs, rewards, dones, infos), other = ours.step(actions), theirs.step(actions)
        for one, two in zip((obs, rewards, dones), other, strict=False):
            assert one.dtype == two.dtype
            assert np.array_equal(one, two)
        assert len(infos) == NUM_ENVS
        assert comparable(infos) == comparable(other[3])
