"""CFR+ on the full-size shoe: regret matching+ with alternating updates and linear averaging, no sampling.

Formula:
    p_k     = regret matching+ of the gains g (`regrets`)
    average = sum over k of k p_k / sum over k of k

Symbols:
    p_k[i]: the role's drawing probability at decision i in iteration k, 0 to 1
    g[i]: what drawing brings him more than standing against the opponent's latest strategy, weighted by the
        probability that i is reached (`bilinear`), in units per unit wagered
    k: the iteration, from 1; in each the player is updated first, and the banker answers his new strategy

Source:
    Tammelin 2014, "Solving large imperfect information games using CFR+"; Tammelin, Burch, Johanson and
    Bowling 2015. One decision a hand and role, so that counterfactual values are the gains themselves.
"""

from __future__ import annotations

from typing import ClassVar

from agents.baselines.bilinear import BilinearDuel, Floats
from agents.baselines.interface import Average, Settings, Task, Trainer, Unit
from agents.baselines.regrets import Regrets
from pan9_gym.rules import Role


class CFRPlusSettings(Settings):
    """CFR+ has nothing to set."""


class CFRPlus(Trainer[CFRPlusSettings]):
    """CFR+ for both roles."""

    unit: ClassVar[Unit] = "iterations"
    default_steps = 10_000
    settings_type = CFRPlusSettings
    samples = False

    def __init__(self, task: Task, settings: CFRPlusSettings) -> None:
        super().__init__(task, settings)
        self.game = BilinearDuel.of(task.rules, task.level)
        self._regrets = {role: Regrets(self.game.grid(role)) for role in Role}
        self._averages = {role: Average(regrets.probs) for role, regrets in self._regrets.items()}

    def advance(self, until: int) -> None:
        """Run iterations."""
        for iteration in range(self.step + 1, until + 1):
            for role, own in self._regrets.items():
                own.add(self.game.gains(role, self._regrets[role.opponent].probs))
                self._averages[role].add(own.probs, iteration)
        self.step = max(self.step, until)

    def draw_probs(self, role: Role, average: bool) -> Floats:
        """The average or the latest strategy."""
        return self._averages[role].probs if average else self._regrets[role].probs
