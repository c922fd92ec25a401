"""How often a learner chooses a move that the rules do not allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.vec_env import Pan9VecEnv


class CountingVecEnv(Pan9VecEnv):
    """`Pan9VecEnv` that counts the illegal moves it is given; the environments play the forced move instead.

    Attributes:
        illegal_moves: How many there were so far.
    """

    illegal_moves: int = 0

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Count, and keep the actions, shape (num_envs,), for `step_wait`."""
        legal = self.action_masks()[np.arange(self.num_envs), actions]
        self.illegal_moves += int(np.count_nonzero(legal == 0))
        super().step_async(actions)
