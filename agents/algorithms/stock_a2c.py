"""A2C of Stable-Baselines3 as it comes."""

from __future__ import annotations

from stable_baselines3 import A2C

from agents.algorithms import a2c
from agents.algorithms.stock import Stock


class StockA2C(Stock):
    """A2C as it comes."""

    name = "stock_a2c"
    kind = A2C
    tuned = a2c.ALGORITHM
    between = 5


ALGORITHM = StockA2C()
