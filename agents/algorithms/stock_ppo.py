"""PPO of Stable-Baselines3 as it comes."""

from __future__ import annotations

from stable_baselines3 import PPO

from agents.algorithms import ppo
from agents.algorithms.stock import Stock


class StockPPO(Stock):
    """PPO as it comes."""

    name = "stock_ppo"
    kind = PPO
    tuned = ppo.ALGORITHM
    between = 2048


ALGORITHM = StockPPO()
