"""Fictitious play: both roles answer the average of the other's past answers exactly, no sampling.

Formula:
    simultaneous:  p_{k+1} = best response to Q_k,    q_{k+1} = best response to P_k
    alternating:   p_{k+1} = best response to Q_k,    q_{k+1} = best response to P_{k+1}
    P_k = sum over l <= k of w_l p_l / sum over l <= k of w_l,        w_l = 1 or l

Symbols:
    p_k, q_k: the roles' k-th answers, pure; P_k, Q_k: their averages
    w_l: weights; `linear` ones forget the first answers faster
    P_0, Q_0: draw with probability 1/2 wherever there is a choice, without weight

Source:
    Brown 1951, "Iterative solution of games by fictitious play"; it converges in zero-sum games: Robinson
    1951. Alternating and simultaneous forms: Berger 2007, "Brown's original fictitious play".
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from agents.baselines.bilinear import BilinearDuel, Floats
from agents.baselines.interface import Average, Settings, Task, Trainer, Unit
from pan9_gym.rules import Role


class FictitiousPlaySettings(Settings):
    """What can be set about fictitious play."""

    updates: Literal["alternating", "simultaneous"] = "alternating"
    """Whether the banker answers the player's new average or the one before."""
    weights: Literal["equal", "linear"] = "equal"
    """How much the k-th answer counts: 1 or k."""


class FictitiousPlay(Trainer[FictitiousPlaySettings]):
    """Fictitious play for both roles."""

    unit: ClassVar[Unit] = "iterations"
    default_steps = 10_000
    settings_type = FictitiousPlaySettings
    samples = False

    def __init__(self, task: Task, settings: FictitiousPlaySettings) -> None:
        super().__init__(task, settings)
        self.game = BilinearDuel.of(task.rules, task.level)
        halves = {role: self.game.grid(role) for role in Role}
        self._last = {role: grid.legal(np.full(grid.shape, 0.5)) for role, grid in halves.items()}
        self._averages = {role: Average(probs) for role, probs in self._last.items()}

    def advance(self, until: int) -> None:
        """Run iterations."""
        for iteration in range(self.step + 1, until + 1):
            weight = iteration if self.settings.weights == "linear" else 1
            before = {role: average.probs for role, average in self._averages.items()}
            for role in Role:
                alternating = self.settings.updates == "alternating"
                met = self._averages[role.opponent].probs if alternating else before[role.opponent]
                self._last[role] = self.game.best(role, met)
                self._averages[role].add(self._last[role], weight)
        self.step = max(self.step, until)

    def draw_probs(self, role: Role, average: bool) -> Floats:
        """The average or the latest answer."""
        return self._averages[role].probs if average else self._last[role]
