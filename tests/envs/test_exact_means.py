"""The mean reward of seeded hands lies inside the interval around the solver's exact value.

Where naturals end hands before any decision, that value is the one on condition of none.

Significance 1e-4 for each test (two-sided, normal approximation), seeds fixed. Power, with 6000 hands and a
standard deviation below 0.96: an environment that is off by 0.08 units a hand is caught with probability
0.99.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import load_rules, policies, solver
from pan9_gym.rules import RulesConfig, sheet_names
from pan9_gym.solver.deal_distribution import deal_distribution
from tests.envs.vectors import HAND_IDS

HANDS = 6000
SIGNIFICANCE = 1e-4
Z = NormalDist().inv_cdf(1 - SIGNIFICANCE / 2)
LARGEST_DEVIATION = 0.96
DETECTED = 0.08


def mean_reward(env: gymnasium.Env[Any, Any], seed: int = 1) -> float:
    """The logical way's mean reward, its moves taken from the observation."""
    total = 0.0
    values = env.unwrapped.game.rules.values
    for number in range(HANDS):
        obs, _ = env.reset(seed=seed if number == 0 else None)
        points = sum(value * int(count) for value, count in zip(values, obs, strict=False))
        total += float(env.step(int(points % 10 <= 5))[1])
    return total / HANDS


def exact(sheet: str, env_id: str, opponent: str = "logical_way") -> tuple[float, float]:
    """The exact expectation of the agent's logical way in one episode, and its standard deviation."""
    rules = load_rules(sheet)
    own, other = ("player", "banker") if env_id == "Pan9/Player-v0" else ("banker", "player")
    table = {own: policies.get("logical_way", rules, own), other: policies.get(opponent, rules, other)}
    values = solver.action_values(rules, own, table[other])
    found = solver.evaluate(rules, table["player"], table["banker"])
    assert values.ev(table[own]) == found.ev * (1 if own == "player" else -1)
    played = Fraction(values.reach.sum(), values.reach_unit)
    ev = (values.ev(table[own]) - Fraction(values.decided, values.value_unit)) / played
    square = (found.variance + found.ev**2 - won_or_lost_at_once(rules)) / played
    return float(ev), float(square - ev**2) ** 0.5


def won_or_lost_at_once(rules: RulesConfig) -> Fraction:
    """The probability that a natural ends the hand without a tie; those wagers are paid 1 to 1."""
    deals = deal_distribution(rules, None)
    totals = np.array([sum(hand) % 10 for hand in deals.hands])
    ended = deals.decided & (totals[:, None] != totals[None, :])
    return Fraction((deals.deals(None, None) * ended).sum(), deals.num_deals)


def half_width(deviation: float) -> float:
    return Z * deviation / HANDS**0.5


def test_the_power_is_what_the_module_says() -> None:
    error = LARGEST_DEVIATION / HANDS**0.5
    assert 1 - NormalDist().cdf((half_width(LARGEST_DEVIATION) - DETECTED) / error) > 0.99
    deviations = [exact(sheet, env_id)[1] for sheet in sheet_names() for env_id in HAND_IDS]
    assert 0.9 < min(deviations) <= max(deviations) < LARGEST_DEVIATION


@pytest.mark.parametrize("env_id", HAND_IDS)
@pytest.mark.parametrize("sheet", sheet_names())
def test_the_logical_way_earns_its_exact_value(sheet: str, env_id: str) -> None:
    ev, deviation = exact(sheet, env_id)
    assert abs(mean_reward(gymnasium.make(env_id, rules=sheet)) - ev) < half_width(deviation)


@pytest.mark.parametrize("env_id", HAND_IDS)
def test_an_opponent_who_never_draws_is_told_from_the_logical_way(env_id: str) -> None:
    """The power in practice: the same test rejects the wrong opponent and accepts the right value."""
    key = {"Pan9/Player-v0": "banker", "Pan9/PlayerDealer-v0": "players"}[env_id]
    found = mean_reward(gymnasium.make(env_id, opponents={key: "always_stand"}))
    right, deviation = exact("bicycle", env_id, "always_stand")
    wrong, _ = exact("bicycle", env_id)
    assert abs(found - right) < half_width(deviation)
    assert abs(found - wrong) > half_width(deviation)


def test_every_seat_of_a_full_table_earns_the_exact_value_of_one_player() -> None:
    """A player's expectation against a banker who plays the logical way does not depend on his seat."""
    ev, deviation = exact("bicycle", "Pan9/Player-v0")
    for seat in (0, 6):
        env = gymnasium.make("Pan9/Player-v0", num_players=7, seat=seat)
        assert abs(mean_reward(env, seed=seat) - ev) < half_width(deviation)
