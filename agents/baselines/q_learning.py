"""Tabular Q-learning from dealt hands: the mean reward of each action at each decision, updated by batches.

Formula:
    batch of round k:  n[i, a] <- n[i, a] + m,    Q[i, a] <- Q[i, a] + (m / n[i, a]) (r - Q[i, a])
    before round k:    n[i, a] <- n[i, a] (1 - 1/k)^f
    gain of drawing:   Q[i, DRAW] - Q[i, STAND]

Symbols:
    i, a: decision and action
    m, r: how often the batch took a at i, and the mean reward it got, in units
    n: weight of what is known; with f = 0 the number of samples, so that m / n is the step size 1 / n
    f: how fast is forgotten (`FORGETTING`): in round k a hand of round l weighs (l / k)^f, because the
        opponent has moved since

Source:
    Watkins and Dayan 1992, "Q-learning", for hands of one decision: nothing follows it, so that the target is
    the reward. Step sizes 1 / n meet their conditions.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.baselines.bilinear import Floats
from agents.baselines.interface import Pair, Task
from agents.baselines.self_play import Learner, SelfPlay, ValueLearner, ValueSettings, stream
from pan9_gym.rules import Action, Role

FORGETTING = {"round": inf, "recent": 2.0, "all": 0.0}


class QLearningSettings(ValueSettings):
    """What can be set about tabular Q-learning."""

    response: Literal["best", "matching", "hedge"] = "matching"
    """Whether the better action is played, regrets are matched, or summed gains weighed."""
    against: Literal["average", "last", "fixed"] = "last"
    """Whom a role meets: the other's average strategy, his latest one, or `opponent`."""
    memory: Literal["round", "recent", "all"] = "round"
    """Which hands count: those against the present opponent, the recent ones most, or all alike."""


class QLearner(ValueLearner):
    """One role's table.

    Attributes:
        values: Q, shape (cells, actions).
        counts: n, the same shape.
        visits: How often each information state was decided on, shape (states,).
    """

    def __init__(self, task: Task, role: Role, settings: QLearningSettings) -> None:
        super().__init__(task, role, settings)
        self._settings = settings
        self._cells = self.grid.cells()
        self._rng = np.random.default_rng(stream(task, role, 1))
        size = (self.grid.shape[0] * self.grid.shape[1], len(Action))
        self.values, self.counts = np.zeros(size), np.zeros(size)
        self.visits = np.zeros(len(self._cells), dtype=np.int64)
        self._rounds = 0

    def learn(self, met: Pair, decisions: int, done: float) -> int:
        """Play and update."""
        self._rounds += 1
        self.counts *= (1 - 1 / self._rounds) ** FORGETTING[self._settings.memory]
        self.meet(met)
        _, infos = self.envs.reset()
        num_batches = -(-decisions // self.envs.num_envs)
        for _ in range(num_batches):
            infos = self._batch(infos["info_state"])
        return num_batches * self.envs.num_envs

    def _batch(self, info_states: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        """One decision in every environment; the infos of the next hands."""
        cells = self._cells[info_states]
        self.visits += np.bincount(info_states, minlength=len(self.visits))
        actions = (self.values[cells, Action.DRAW] > self.values[cells, Action.STAND]).astype(np.int64)
        explores = self._rng.random(len(cells)) < self._settings.epsilon
        actions[explores] = self._rng.integers(2, size=int(explores.sum()))
        _, rewards, _, _, infos = self.envs.step(actions)
        keys = cells * len(Action) + infos["final_info"]["action"]  # forced moves have been taken
        size = self.values.size
        taken = np.bincount(keys, minlength=size).reshape(self.values.shape)
        paid = np.bincount(keys, weights=rewards, minlength=size).reshape(self.values.shape)
        self.counts += taken
        where = taken > 0
        self.values[where] += (paid - taken * self.values)[where] / self.counts[where]
        return infos

    def gains(self) -> Floats:
        """Q[DRAW] - Q[STAND]."""
        gains: Floats = (self.values[:, Action.DRAW] - self.values[:, Action.STAND]).reshape(self.grid.shape)
        return gains


class QLearning(SelfPlay[QLearningSettings]):
    """Tabular Q-learning for both roles."""

    default_steps = 20_000_000
    settings_type = QLearningSettings

    def make_learner(self, role: Role) -> Learner:
        """A new table."""
        return QLearner(self.task, role, self.settings)
