"""What the floating-point path over a shoe answers: values per information state, and the best response.

Formula:
    ev(p) = D + sum over states of stand + p (draw - stand)
    gap(p) = ev(best response) - ev(p)

Symbols:
    p: drawing probability at each state, 0 to 1
    stand, draw: expectation of the action, weighted by the probability that the state is reached
    D: expectation over the hands that a natural decides at once
    All are float64, a player's per unit wagered, the banker's in units.

Source:
    Definition: this module; the exact counterpart is `action_values`, where the formula is derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.solver.final_hands import Floats

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FloatValues:
    """Values per information state against a fixed opponent, float64, shape `states.shape`.

    Attributes:
        reach: Probability that the state is reached.
        stand: Expectation of standing, weighted by reach; positive for the role.
        draw: Expectation of drawing, weighted by reach.
        decided: Expectation over the hands that a natural decides at once.
    """

    reach: Floats
    stand: Floats
    draw: Floats
    decided: float

    def ev(self, draw_prob: npt.NDArray[Any]) -> float:
        """The expectation of drawing probabilities of the same shape: a player's per unit wagered.

        ev = decided + sum over states of (1 - p) stand + p draw
        """
        if draw_prob.shape != self.stand.shape:
            raise ValueError(f"draw_prob has shape {draw_prob.shape}; {self.stand.shape} is needed")
        return float((self.stand + draw_prob * (self.draw - self.stand)).sum()) + self.decided


@dataclass(frozen=True, eq=False)
class FloatResponse:
    """The best response by hand to a fixed opponent.

    Attributes:
        ev: Its expectation, positive for the role that responds.
        draw: Where it draws, bool, shape `states.shape`; ties and hands that never arise stand, forced moves
            are taken.
        values: What it is computed from.
    """

    ev: float
    draw: Bools
    values: FloatValues

    def gap(self, draw_prob: npt.NDArray[Any]) -> float:
        """What drawing probabilities of the same shape leave on the table: `ev` less their expectation."""
        return self.ev - self.values.ev(draw_prob)
