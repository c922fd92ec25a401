"""Ruin and bankrolls against the closed formula of a fair walk and simulation; collections in exact dollars.

Significance 1e-6 for each statistical test, seeds fixed, 20,000 runs: a probability near 0.3 that is off by
0.03 is caught with probability above 0.99.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, inf, isclose, nan
from typing import Any

import numpy as np
import pytest

from pan9_gym.evaluation import (
    bank_decisions,
    bankroll_for,
    break_even_action,
    ruin_prob,
    simulated_ruin,
)
from pan9_gym.rules.collection import PUBLISHED_TIERS

RUNS = 20_000


def test_ruin_in_the_long_run_is_an_exponential() -> None:
    assert isclose(ruin_prob(0.02, 0.9, 50), exp(-2 * 0.02 * 50 / 0.81))
    assert ruin_prob(0.0, 1, 50) == ruin_prob(-0.01, 1, 50) == 1


def test_many_hands_approach_the_long_run() -> None:
    assert isclose(ruin_prob(0.02, 0.9, 50, 10**7), ruin_prob(0.02, 0.9, 50), rel_tol=1e-9)
    assert ruin_prob(-0.02, 0.9, 50, 10**6) == 1


def test_ruin_of_a_fair_walk_is_near_the_reflection_principle_of_counts() -> None:
    """P(a walk of +-1 reaches -B within N) = P(S >= B) + P(S > B), counted."""
    hands, bankroll = 400, 20
    ways = {2 * heads - hands: comb(hands, heads) for heads in range(hands + 1)}
    exact = sum(n * ((s >= bankroll) + (s > bankroll)) for s, n in ways.items()) / 2**hands
    assert abs(ruin_prob(0, 1, bankroll, hands) - exact) < 0.02


@pytest.mark.parametrize(("risk", "hands"), [(0.05, 1000), (0.3, 50), (0.01, None), (0.999, 10)])
def test_bankroll_is_the_inverse_of_ruin(risk: float, hands: int | None) -> None:
    bankroll = bankroll_for(risk, 0.0115, 0.94, hands)
    assert isclose(ruin_prob(0.0115, 0.94, bankroll, hands), risk, rel_tol=1e-6)


def test_without_an_edge_no_bankroll_is_safe_for_ever() -> None:
    assert bankroll_for(0.05, 0, 1) == inf


def test_simulated_ruin_agrees_with_the_normal_approximation() -> None:
    results, probs = np.array([-1.0, 0.0, 1.0]), np.array([0.43, 0.12, 0.45])
    mean, sd = 0.02, float(np.sqrt(0.88 - 0.02**2))
    found = simulated_ruin(results, 20, 600, RUNS, np.random.default_rng(4), probs)
    # Steps of one unit stop half a step late: the formula is wrong by about a third of a step of bankroll.
    low, high = ruin_prob(mean, sd, 21, 600), ruin_prob(mean, sd, 19, 600)
    assert low - 5 * found.standard_error < found.mean < high + 5 * found.standard_error
    assert high - low < 0.1


def test_simulated_ruin_of_a_sure_loss_and_a_sure_win() -> None:
    rng = np.random.default_rng(1)
    assert simulated_ruin(np.array([-1.0]), 5, 5, 10, rng).mean == 1
    assert simulated_ruin(np.array([-1.0]), 6, 5, 10, rng).mean == 0
    assert simulated_ruin(np.array([1.0]), 1, 5, 10, rng).mean == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((nan, 1, 1), "ev nan"),
        ((0, 0, 1), "standard_deviation 0"),
        ((0, 1, 0), "bankroll 0"),
        ((0, 1, inf), "bankroll inf"),
        ((0, 1, 1, 0), "num_hands 0"),
    ],
)
def test_ruin_refuses_what_is_not_possible(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ruin_prob(*arguments)


@pytest.mark.parametrize("risk", [0, 1, -0.1, nan])
def test_bankroll_refuses_a_risk_that_is_no_probability(risk: float) -> None:
    with pytest.raises(ValueError, match="risk"):
        bankroll_for(risk, 0.01, 1, 10)


def test_S5_break_even_action() -> None:
    assert break_even_action(Fraction(2), Fraction(1, 100)) == 200
    assert break_even_action(Fraction(2), Fraction(0)) is None
    assert break_even_action(Fraction(2), Fraction(-1, 100)) is None


def test_bank_decisions_follow_the_money() -> None:
    edge = Fraction(1, 100)
    found = bank_decisions(PUBLISHED_TIERS, edge, -edge, action=Fraction(400), wager=Fraction(100))
    first = found[0]  # limits 10-100, collections 2 and 1
    assert first.break_even_action == 200
    assert first.bank_ev == 2
    assert first.play_ev == -2
    assert first.preferred_from == 0  # banking for nothing loses 2, playing loses 2: any action is better
    last = found[-1]  # 10 and 10
    assert last.bank_ev == -6
    assert last.play_ev == -11
    assert last.take_the_bank
    assert all(entry.take_the_bank == (entry.bank_ev > entry.play_ev) for entry in found)


def test_bank_decisions_break_even_where_both_are_worth_the_same() -> None:
    (found,) = bank_decisions(
        PUBLISHED_TIERS[:1], Fraction(1, 50), Fraction(1, 100), Fraction(1), Fraction(10)
    )
    action = found.preferred_from
    assert action is not None
    assert action * Fraction(1, 50) - 2 == Fraction(10, 100) - 1 == found.play_ev


def test_without_an_edge_more_action_does_not_help() -> None:
    (found,) = bank_decisions(PUBLISHED_TIERS[:1], Fraction(-1, 50), Fraction(0), Fraction(1), Fraction(10))
    assert found.preferred_from is None
    assert found.break_even_action is None
    assert not found.take_the_bank
