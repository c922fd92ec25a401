"""DQN of Stable-Baselines3 as it comes."""

from __future__ import annotations

from stable_baselines3 import DQN

from agents.algorithms import dqn
from agents.algorithms.stock import Stock


class StockDQN(Stock):
    """DQN as it comes."""

    name = "stock_dqn"
    kind = DQN
    tuned = dqn.ALGORITHM
    between = 4


ALGORITHM = StockDQN()
