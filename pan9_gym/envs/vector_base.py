"""What all vector environments on the compiled engine share: their own arguments, resets, outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pan9_gym.envs.arguments import UnsupportedRenderMode, check_option
from pan9_gym.envs.observation import Observation
from pan9_gym.envs.vector_arguments import (
    Flags,
    read_autoreset_mode,
    read_reset_options,
    read_vector_seed,
)
from pan9_gym.game.batch_arrays import CardList, SeededRounds
from pan9_gym.rules.fields import read_flag, read_whole

Array = npt.NDArray[Any]
Infos = dict[str, Any]


class EngineVectorEnv(VectorEnv[Observation, Array, Array]):
    """Many copies of one environment on one batch of the compiled engine.

    Args:
        batch: The engine's rounds, one per environment.
        low: The smallest observation, float32, shape (D,).
        high: The largest one.
        num_actions: How many actions there are.
        autoreset_mode: An `AutoresetMode` or its name.
        copy: Whether outputs are new arrays.
        render_mode: `None`.

    Raises:
        ValueError: If an argument is not possible.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # instance-level upstream
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        batch: SeededRounds,
        low: Observation,
        high: Observation,
        num_actions: int,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
    ) -> None:
        check_option("render_mode", render_mode, (None,), UnsupportedRenderMode)
        self.num_envs = batch.num_rounds
        self.autoreset_mode = read_autoreset_mode(autoreset_mode)
        self.copy = read_flag("copy", copy)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self._rounds = batch
        self._started = False
        self._over = np.zeros(self.num_envs, dtype=np.bool_)
        self._every, self._none = ~self._over, self._over.copy()
        self._own: dict[str, Array] = {}
        self.single_observation_space = spaces.Box(low, high, dtype=np.float32)
        self.single_action_space = spaces.Discrete(num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def render(self) -> NoReturn:
        """Refused: one hand is drawn by the scalar environment."""
        raise NotImplementedError(
            'render: a vector environment draws nothing; use gymnasium.make(..., render_mode="ansi")'
        )

    def _read_reset(
        self, seed: int | Sequence[int | None] | None, options: Mapping[str, Any] | None
    ) -> tuple[Flags | None, Sequence[CardList | None] | None]:
        """The mask and the cards of a reset, whose seeds are set.

        Raises:
            ValueError: If an argument is not possible.
            gymnasium.error.ResetNeeded: If the first reset is not of all.
        """
        mask, cards = read_reset_options(options, self.num_envs)
        seed = read_vector_seed(seed, self.num_envs)
        if not self._started and not (mask is None or mask.all()):
            raise gymnasium.error.ResetNeeded("reset: the first reset must be of all environments")
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._started:
            self._rounds.seed(int(self.np_random.integers(2**62)))
        if isinstance(seed, int):
            self._rounds.seed(seed, mask)
        elif seed is not None:
            chosen = [True] * self.num_envs if mask is None else mask.tolist()
            self._rounds.seed_each([one if reset else None for one, reset in zip(seed, chosen, strict=True)])
        return mask, cards

    def _give(self, name: str, values: Array) -> Array:
        """Values to hand out: as a new array, or written into the environment's own one."""
        if self.copy:
            return values.copy()
        own = self._own.get(name)
        if own is None:
            own = self._own[name] = np.empty_like(values, order="C")
        own[...] = values
        return own

    def _look_up(self, name: str, table: Observation, rows: Array) -> Observation:
        """Rows of a table of observations to hand out; row -1 is the last one."""
        own = None if self.copy else self._own.get(name)
        obs = table.take(rows, axis=0, mode="wrap", out=own)
        if not self.copy:
            self._own[name] = obs
        return obs


def marked(infos: Infos, there: Flags) -> Infos:
    """Infos with, for each key, the mask of the environments that they are about."""
    return {**infos, **{f"_{key}": there for key in infos}}


def read_num_envs(num_envs: object) -> int:
    """How many environments there are.

    Raises:
        ValueError: If it is no whole number from 1.
    """
    return read_whole("num_envs", num_envs, 1)
