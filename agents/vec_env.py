"""The vector environments as Stable-Baselines3 takes them: `Pan9VecEnv`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from agents.episode_infos import RUNNING, EpisodeInfos, Info
from pan9_gym.rules.fields import read_whole

Array = npt.NDArray[Any]

ROWS = "action_masks"
"""The method of vector environments that answers with one row for each environment."""


class SeededVecEnv(VecEnv):
    """What the vector environments for SB3 share: one seed for all environments, and which are asked for."""

    _seed: int | None = None
    """The seed of the next reset."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next reset; `None` draws a seed from NumPy's global generator, as all of SB3 does.

        Returns:
            The seed, once for each environment, which has its own stream of it.

        Raises:
            ValueError: If it is no whole number from 0.
        """
        self._seed = super().seed()[0] if seed is None else read_whole("seed", seed, 0)
        self._seeds = [self._seed] * self.num_envs
        return self._seeds

    def _chosen(self, indices: VecEnvIndices) -> list[int]:
        chosen = list(self._get_indices(indices))
        if not all(0 <= index < self.num_envs for index in chosen):
            raise ValueError(f"indices {indices!r}: must be None or out of 0 to {self.num_envs - 1}")
        return chosen


class Pan9VecEnv(SeededVecEnv):
    """A same-step vector environment behind SB3's interface, with no Python work for each environment.

    It stands for `DummyVecEnv` over environments that are each wrapped in `Monitor`: observations of the next
    episode where one ended, rewards as float32, and in the infos terminal observations and episode
    statistics, the returns in units whatever `reward_scale` is. Infos are made only if they are read (see
    `EpisodeInfos`); an environment whose episode goes on has the empty one. Everything that is handed out
    stays as it is: the vector environment may be made with `copy=False`.

    Environment i has random stream i of the seed. `DummyVecEnv` gives it the seed `seed + i`, so that runs of
    neighbouring seeds share nearly all of their hands.

    Sub-environments are no objects here: attributes and methods are the vector environment's, and `indices`
    only say how often an attribute is told, and which rows of `action_masks`. `reset_infos` are those of
    the last `reset`, not of later episodes.

    Args:
        envs: A vector environment with same-step autoreset.
        reward_scale: What rewards are multiplied by for the learner, more than 0.

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], reward_scale: float = 1.0) -> None:
        mode = envs.metadata.get("autoreset_mode") if isinstance(envs, VectorEnv) else None
        if mode is not AutoresetMode.SAME_STEP:
            raise ValueError(
                f"envs {type(envs).__name__} with autoreset_mode {mode!r}: a vector environment with "
                f"AutoresetMode.SAME_STEP is needed"
            )
        if not isinstance(reward_scale, int | float) or not 0 < reward_scale < float("inf"):
            raise ValueError(f"reward_scale {reward_scale!r}: must be a number greater than 0")
        self.envs = envs
        self.spec = envs.spec
        self.reward_scale = float(reward_scale)
        self._actions: Array = np.zeros(envs.num_envs, dtype=np.int64)
        self._statistics = _Statistics(envs.num_envs)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Array:
        """Start all episodes anew, with the seed and options given since the last reset.

        Returns:
            Observations, shape (num_envs, ...).
        """
        options = _stacked(self._options)
        obs, infos = self.envs.reset(seed=self._seed, **({"options": options} if options else {}))
        self._seed = None
        self._reset_seeds()
        self._reset_options()
        self._statistics.restart()
        self.reset_infos = _rows(infos, self.num_envs)
        return np.array(obs)

    def step_async(self, actions: Array) -> None:
        """Keep the actions, shape (num_envs,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the step.

        Returns:
            Observations, scaled rewards (float32), whose episode ended, and the infos.
        """
        obs, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        ended = np.logical_or(terminated, truncated)
        num_ended = int(np.count_nonzero(ended))
        returns, lengths = self._statistics.after(rewards, ended, num_ended)
        entries: Sequence[Info] = [RUNNING] * self.num_envs
        if num_ended:
            timeouts, seconds = np.greater(truncated, terminated), time.time() - self._statistics.start
            final_obs = np.array(infos["final_obs"])
            entries = EpisodeInfos(ended, timeouts, returns, lengths, seconds, final_obs)
        scaled = rewards if self.reward_scale == 1.0 else rewards * self.reward_scale
        # entries are a sequence of dicts, as the tuple of SubprocVecEnv is, and no list
        return np.array(obs), scaled.astype(np.float32), ended.copy(), cast(list[Info], entries)

    def action_masks(self) -> Array:
        """Which actions are legal now, int8, shape (num_envs, actions), in one array."""
        masks: Array = getattr(self.envs.unwrapped, ROWS)()
        return masks

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the vector environment has an attribute."""
        return hasattr(self.envs, attr_name) or hasattr(self.envs.unwrapped, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The vector environment's attribute, once for each of the environments asked for."""
        return [self._found(attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the vector environment.

        Raises:
            ValueError: If `indices` are not all of them.
        """
        self._need_all(f"attribute {attr_name!r}", indices)
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment, once.

        Returns:
            For each of the environments asked for its row of `action_masks`, else what the method returns.

        Raises:
            ValueError: If `indices` are not all of them, but for `action_masks`.
        """
        method = self._found(method_name)
        if method_name == ROWS:
            masks = method(*method_args, **method_kwargs)
            return list(masks) if indices is None else [masks[i] for i in self._chosen(indices)]
        self._need_all(f"method {method_name!r}", indices)
        return [method(*method_args, **method_kwargs)] * self.num_envs

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Yes for SB3's `Monitor`, whose statistics the infos have; no for every other wrapper."""
        return [wrapper_class is Monitor] * len(self._chosen(indices))

    def _found(self, name: str) -> Any:
        """An attribute of the vector environment or of what it wraps: wrappers hand none on."""
        return getattr(self.envs, name) if hasattr(self.envs, name) else getattr(self.envs.unwrapped, name)

    def _need_all(self, what: str, indices: VecEnvIndices) -> None:
        if sorted(self._chosen(indices)) != list(range(self.num_envs)):
            raise ValueError(f"indices {indices!r}: {what} is of all environments together; None is needed")


class _Statistics:
    """Returns and lengths of the episodes so far; arrays that were handed out are never written again."""

    def __init__(self, num_envs: int) -> None:
        self.start = time.time()
        self._one = np.ones(num_envs, dtype=np.int64)
        self._returns: npt.NDArray[np.float64] | None = None  # None: every episode is at its start
        self._lengths = self._one

    def restart(self) -> None:
        """All episodes are given up."""
        self._returns = None

    def after(
        self, rewards: Array, ended: npt.NDArray[np.bool_], num_ended: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Count a step; the returns and lengths with it, those of episodes that ended included."""
        if self._returns is None:
            returns, lengths = rewards.astype(np.float64), self._one
        else:
            returns, lengths = self._returns + rewards, self._lengths + 1
        if num_ended == len(ended):
            self._returns = None
        elif num_ended:
            self._returns, self._lengths = np.where(ended, 0.0, returns), np.where(ended, 0, lengths)
        else:
            self._returns, self._lengths = returns, lengths
        return returns, lengths


def _stacked(options: Sequence[Info]) -> Info:
    """The environments' options as the vector environment's: for each key a list, `None` where it is not."""
    keys: Iterable[str] = dict.fromkeys(key for one in options for key in one)
    return {key: [one.get(key) for one in options] for key in keys}


def _rows(infos: Info, num_envs: int) -> list[Info]:
    """The infos of each environment out of those of the vector environment."""
    keys = [key for key in infos if f"_{key}" in infos]
    values = {key: np.array(infos[key]) for key in keys}
    return [{key: values[key][i] for key in keys if infos[f"_{key}"][i]} for i in range(num_envs)]
