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
from pan9_gym.envs.setup import HandSetup
from pan9_gym.envs.sheets import read_sheet, sheets_of
from pan9_gym.envs.shoe_setup import ShoeSetup
from pan9_gym.envs.vector_arguments import (
    Flags,
    read_autoreset_mode,
    read_reset_options,
    read_vector_seed,
)
from pan9_gym.game.batch_arrays import CardList, SeededRounds
from pan9_gym.game.batch_mixed import Mixed
from pan9_gym.rules.fields import read_flag, read_whole

Array = npt.NDArray[Any]
Infos = dict[str, Any]


class EngineVectorEnv(VectorEnv[Observation, Array, Array]):
    """Many copies of one environment on one batch of the compiled engine.

    Args:
        setups: The arguments, read; one for each sheet.
        batch: The engine's rounds, one per environment; mixed where there are several sheets.
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
        setups: Sequence[HandSetup] | Sequence[ShoeSetup],
        batch: SeededRounds | Mixed[Any],
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
        self._names = sheets_of(setups)
        self._rounds = batch
        self._mixed = batch if isinstance(batch, Mixed) else None
        self._started = False
        self._over = np.zeros(self.num_envs, dtype=np.bool_)
        self._every, self._none = ~self._over, self._over.copy()
        self._own: dict[str, Array] = {}
        encoder = setups[0].encoder
        self.single_observation_space = spaces.Box(encoder.low, encoder.high, dtype=np.float32)
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
        """The mask and the cards of a reset, whose seeds are set and whose sheets are drawn.

        Raises:
            ValueError: If an argument is not possible.
            gymnasium.error.ResetNeeded: If the first reset is not of all.
        """
        mask, cards, rules = read_reset_options(options, self.num_envs, len(self._names) > 1)
        sheets = None if rules is None else self._read_sheets(rules)
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
        self._draw_sheets(self._every if mask is None else mask, sheets)
        return mask, cards

    def _read_sheets(self, rules: Sequence[Any]) -> Array:
        """The places of the sheets of a reset, int64, shape (num_envs,); -1 where one is to be drawn."""
        places = [
            -1 if one is None else read_sheet(self._names, one, f"options['rules'][{number}]")
            for number, one in enumerate(rules)
        ]
        return np.array(places, dtype=np.int64)

    def _draw_sheets(self, which: Flags, sheets: Array | None = None) -> None:
        """Draw the sheets of new episodes, where there are several."""
        if self._mixed is not None:
            self._mixed.choose(which, sheets)

    def _sheets(self) -> Array | None:
        """The place of each environment's sheet, where there are several; a new array."""
        return None if self._mixed is None else self._mixed.games.copy()

    def _sheet_infos(self, about: Flags) -> Infos:
        """Which sheet an episode has, where there are several; zeros elsewhere."""
        return {} if self._mixed is None else {"rules": self._mixed.games * about}

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
