"""Regret matching+ and hedge at many decisions with two actions each.

Formula:
    R_draw[i]  <- max(R_draw[i] + (1 - p[i]) g[i], 0)
    R_stand[i] <- max(R_stand[i] - p[i] g[i], 0)
    regret matching+:  p[i] = R_draw[i] / (R_draw[i] + R_stand[i]),        1/2 where both are 0
    optimistic hedge:  G[i] <- G[i] + g[i],        p[i] = 1 / (1 + exp(-rate (G[i] + optimism g[i])))

Symbols:
    R, G: regrets and summed gains, from 0 on
    rate: the step size of hedge, 1 / unit of g
    optimism: how often more the latest gain counts, because the next will be like it; without it two hedges
        that play each other go round the equilibrium for ever
    p[i]: drawing probability at decision i, 0 to 1; forced moves are taken
    g[i]: what drawing brings more than standing, in any unit that may differ from decision to decision

Source:
    Regret matching: Hart and Mas-Colell 2000; the floor at 0: Tammelin 2014, "Solving large imperfect
    information games using CFR+". Hedge: Freund and Schapire 1999, "Adaptive game playing using
    multiplicative weights"; optimistic: Rakhlin and Sridharan 2013; Syrgkanis et al. 2015.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from agents.baselines.bilinear import Floats, Grid


class Regrets:
    """One role's regrets.

    Attributes:
        probs: The strategy that they say, in the shape of the grid; 1/2 at the start.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._draw, self._stand = np.zeros(grid.shape), np.zeros(grid.shape)
        self.probs = grid.legal(np.full(grid.shape, 0.5))

    def add(self, gains: Floats) -> None:
        """Add the regrets of an iteration, and match them."""
        self._draw = np.maximum(self._draw + (1 - self.probs) * gains, 0)
        self._stand = np.maximum(self._stand - self.probs * gains, 0)
        both = self._draw + self._stand
        matched = np.divide(self._draw, both, out=np.full_like(both, 0.5), where=both > 0)
        self.probs = self._grid.legal(matched)


class Hedge:
    """One role's summed gains.

    Attributes:
        probs: The strategy that they say, in the shape of the grid; 1/2 at the start.
    """

    def __init__(self, grid: Grid, rate: float, optimism: float) -> None:
        self._grid, self._rate, self._optimism = grid, rate, optimism
        self._gains = np.zeros(grid.shape)
        self.probs = grid.legal(np.full(grid.shape, 0.5))

    def add(self, gains: Floats) -> None:
        """Add the gains of an iteration."""
        self._gains += gains
        said = self._rate * (self._gains + self._optimism * gains)
        self.probs = self._grid.legal(expit(said))
