"""A small game of many steps in two forms, one environment and a batch, for tests of SB3's adapter."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

GARBAGE = 77.0
"""What `final_obs` holds where no episode ended."""

SPACE = spaces.Box(-100.0, 100.0, (2,), dtype=np.float32)


class CountingEnv(gymnasium.Env[Any, Any]):
    """Environment i counts to i + 2, and is then over if i is even, cut off if it is odd.

    The observation is (i, count); a step pays a third and a tenth of the action.
    """

    observation_space = SPACE
    action_space = spaces.Discrete(2)

    def __init__(self, place: int) -> None:
        self.place = place
        self.count = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.count = 0
        return self._obs(), {"place": self.place}

    def step(self, action: Any) -> Any:
        self.count += 1
        is_last = self.count == self.place + 2
        even = self.place % 2 == 0
        return self._obs(), 1 / 3 + float(action) / 10, is_last and even, is_last and not even, {}

    def _obs(self) -> Any:
        return np.array([self.place, self.count], dtype=np.float32)


class CountingVectorEnv(VectorEnv[Any, Any, Any]):
    """The same in one array each, which every step overwrites, as with `copy=False`."""

    def __init__(self, num_envs: int, autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.single_observation_space, self.single_action_space = SPACE, spaces.Discrete(2)
        self.observation_space = batch_space(SPACE, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._place = np.arange(num_envs)
        self._obs = np.zeros((num_envs, 2), dtype=np.float32)
        self._final_obs = np.full((num_envs, 2), GARBAGE, dtype=np.float32)
        self._rewards = np.zeros(num_envs)
        self._over, self._cut_off, self._ended = np.zeros((3, num_envs), dtype=np.bool_)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self._obs[:, 0], self._obs[:, 1] = self._place, 0
        every = np.ones(self.num_envs, dtype=np.bool_)
        return self._obs, {"place": self._place, "_place": every}

    def step(self, actions: Any) -> Any:
        self._obs[:, 1] += 1
        self._rewards[:] = 1 / 3 + np.asarray(actions) / 10
        self._ended[:] = self._obs[:, 1] == self._place + 2
        self._over[:] = self._ended & (self._place % 2 == 0)
        self._cut_off[:] = self._ended & (self._place % 2 == 1)
        self._final_obs[:] = GARBAGE
        self._final_obs[self._ended] = self._obs[self._ended]
        self._obs[self._ended, 1] = 0
        ended = {"final_obs": self._final_obs, "_final_obs": self._ended} if self._ended.any() else {}
        return self._obs, self._rewards, self._over, self._cut_off, ended


def gymnasiums_own(num_envs: int) -> SyncVectorEnv[Any, Any]:
    """Gymnasium's batch of the environments, whose `final_obs` is an array of objects."""
    makers = [lambda place=place: CountingEnv(place) for place in range(num_envs)]
    return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
