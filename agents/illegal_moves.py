"""How often a learner chooses a move that the rules do not allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from agents.joined_vec_env import JoinedVecEnv
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


def illegal_moves(vec_env: VecEnv | None) -> int | None:
    """How many illegal moves were chosen; `None` where nobody counts, because the rules force none."""
    parts = vec_env.parts if isinstance(vec_env, JoinedVecEnv) else (vec_env,)
    counted = [part.illegal_moves for part in parts if isinstance(part, CountingVecEnv)]
    return sum(counted) if counted else None
