"""What the scalar environments share: their sheets, their shoes, their spaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic

import gymnasium
import numpy as np
from gymnasium import spaces

from pan9_gym.envs.arguments import UnsupportedRenderMode, check_option
from pan9_gym.envs.observation import Observation
from pan9_gym.envs.setup import HandSetup
from pan9_gym.envs.sheets import Setup, drawn_sheet, read_sheet, sheets_of
from pan9_gym.game.round import Game
from pan9_gym.game.shoe import Shoe


class SeatEnv(gymnasium.Env[Observation, np.int64], Generic[Setup], ABC):
    """One seat of a table, by one of several sheets.

    Args:
        setups: The arguments, read; one for each sheet.
        num_actions: How many actions there are.
        render_mode: "ansi" or `None`.

    Raises:
        ValueError: If an argument is not possible.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]  # instance-level upstream

    def __init__(self, setups: Sequence[Setup], num_actions: int, render_mode: str | None) -> None:
        modes = (None, *self.metadata["render_modes"])
        check_option("render_mode", render_mode, modes, UnsupportedRenderMode)
        self.render_mode = render_mode
        self._setups: tuple[Setup, ...] = tuple(setups)
        self._names = sheets_of(setups)
        self._sheet = 0
        self.seat = self._hand.seat
        self._shoes: list[Shoe | None] = [None] * len(setups)
        encoder = setups[0].encoder
        self.observation_space = spaces.Box(encoder.low, encoder.high, dtype=np.float32)
        self.action_space = spaces.Discrete(num_actions)

    @property
    def game(self) -> Game:
        """Who is at the table, for what stakes, by which sheet; who chooses its wagers wagers 1 in it."""
        return self._hand.game

    def observation_layout(self) -> str:
        """The layout of observations as a Markdown table, generated from the encoder."""
        return self._setup.encoder.layout_table()

    @property
    def _setup(self) -> Setup:
        present: Setup = self._setups[self._sheet]
        return present

    @property
    @abstractmethod
    def _hand(self) -> HandSetup:
        """What one hand of the present sheet has."""

    def _start(self, seed: int | None, sheet: int | None) -> None:
        """Start the random stream where there is a seed, and take a sheet or draw one."""
        super().reset(seed=seed)
        if seed is not None:
            self._shoes = [None] * len(self._setups)
        self._sheet = drawn_sheet(self.np_random, len(self._setups)) if sheet is None else sheet

    def _shoe(self) -> Shoe:
        """The sheet's shoe, a new one after a seed."""
        shoe = self._shoes[self._sheet]
        if shoe is None:
            game = self.game
            shoe = Shoe(game.rules, rng=self.np_random, with_suits=game.with_suits, **self._hand.shoe)
            self._shoes[self._sheet] = shoe
        return shoe

    def _place(self, rules: str | int | None) -> int:
        """The place of a sheet by name or place; `None` for the present one."""
        return self._sheet if rules is None else read_sheet(self._names, rules, "rules")

    def _sheet_info(self) -> dict[str, Any]:
        return {"rules": self._sheet} if len(self._setups) > 1 else {}

    def _draws(self) -> bool:
        """Whether there is a render mode; a warning where there is none."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() was called without render_mode="ansi"')
        return self.render_mode is not None
