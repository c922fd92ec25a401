"""Numbers about money: what is refused, in one line that names the argument; what survived an attack."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, isclose, nan
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr

from pan9_gym import evaluation
from pan9_gym.evaluation import bank_decisions, bankroll_for, break_even_action, ruin_prob, simulated_ruin
from pan9_gym.rules.collection import PUBLISHED_TIERS, CollectionTier

RNG = np.random.default_rng(1)
NO_NUMBERS: list[Any] = [None, "1", [1], nan, inf, -inf, True, 10**400, 1j]


@pytest.mark.parametrize("given", NO_NUMBERS, ids=lambda given: repr(given)[:8])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("ev", lambda v: ruin_prob(v, 1, 1)),
        ("standard_deviation", lambda v: ruin_prob(0, v, 1)),
        ("bankroll", lambda v: ruin_prob(0, 1, v)),
        ("risk", lambda v: bankroll_for(v, 0, 1, 10)),
        ("ev", lambda v: bankroll_for(0.1, v, 1, 10)),
        ("bankroll", lambda v: simulated_ruin([1.0, -1.0], v, 2, 2, RNG)),
    ],
)
def test_what_is_no_finite_number_is_refused(name: str, call: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} "):
        call(given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"results": 5}, "results 5: a list of numbers"),
        ({"results": []}, "results .*: a list of numbers"),
        ({"results": [1.0, nan]}, "results .*: every number must be finite"),
        ({"results": ["a"]}, "results .*: a list of numbers"),
        ({"probs": [1.0]}, "probs .*: one probability for each result"),
        ({"probs": [0.6, 0.6]}, "probs .*: one probability for each result"),
        ({"probs": [1.5, -0.5]}, "probs .*: one probability for each result"),
        ({"bankroll": -5}, "bankroll -5"),
        ({"num_hands": 10**400}, "num_hands 1000"),
        ({"num_runs": 1}, "num_runs 1"),
        ({"rng": 5}, "rng 5: a numpy.random.Generator"),
    ],
)
def test_a_simulation_of_ruin_that_is_not_possible(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "results": [1.0, -1.0],
        "bankroll": 5,
        "num_hands": 2,
        "num_runs": 2,
        "rng": RNG,
    }
    with pytest.raises(ValueError, match=message):
        simulated_ruin(**{**arguments, **changes})


@pytest.mark.parametrize("given", [None, nan, 0.5, "x", 1j, [1]])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("collection", lambda v: break_even_action(v, Fraction(1))),
        ("ev_per_unit", lambda v: break_even_action(Fraction(1), v)),
        ("banker_ev_per_unit", lambda v: bank_decisions(PUBLISHED_TIERS, v, 0, 1, 1)),
        ("action", lambda v: bank_decisions(PUBLISHED_TIERS, 0, 0, v, 1)),
        ("wager", lambda v: bank_decisions(PUBLISHED_TIERS, 0, 0, 1, v)),
    ],
)
def test_exact_money_is_exact(name: str, call: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} .*must be exact"):
        call(given)


def test_money_less_than_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="action -1: must be at least 0"):
        bank_decisions(PUBLISHED_TIERS, 0, 0, -1, 1)


@pytest.mark.parametrize(
    ("ev", "bankroll", "hands", "truth"),
    [(-1, 400, 400, 0.509967), (-0.05, 8000, 160_000, 0.509967), (-0.05, 7600, 160_000, 0.847545)],
)
def test_ruin_against_the_odds_keeps_the_reflected_part(
    ev: float, bankroll: float, hands: int, truth: float
) -> None:
    """The tail underflows where its factor is huge: the product is what counts."""
    assert isclose(ruin_prob(ev, 1, bankroll, hands), truth, rel_tol=2e-6)
    root = hands**0.5
    reflected = exp(log_ndtr((-bankroll + ev * hands) / root) - 2 * ev * bankroll)
    assert reflected > 0.005


def test_a_tiny_spread_has_its_bankroll_to_relative_precision() -> None:
    wide = bankroll_for(0.05, 0, 1, 100)
    assert isclose(bankroll_for(0.05, 0, 1e-12, 100), 1e-12 * wide, rel_tol=1e-9)


def test_no_ruin_in_the_runs_is_no_proof_that_there_is_none() -> None:
    found = simulated_ruin([1.0, -1.0], 1000, 10, 50, np.random.default_rng(1))
    assert found.mean == 0
    low, high = found.interval_99
    assert low == 0
    assert isclose(high, 2.5758293**2 / (50 + 2.5758293**2), rel_tol=1e-6)  # Wilson's, for no hit


def test_playing_that_costs_more_than_banking_for_nothing_makes_any_action_enough() -> None:
    """Playing loses 5, banking for nothing loses 1: banking is better from an action of 0 on."""
    tier = CollectionTier(1, 1, banker=1, player=5)
    (found,) = bank_decisions([tier], Fraction(1, 100), Fraction(0), Fraction(0), Fraction(1))
    assert found.preferred_from == 0
    (without_edge,) = bank_decisions([tier], Fraction(0), Fraction(0), Fraction(0), Fraction(1))
    assert without_edge.preferred_from == 0
    even = CollectionTier(1, 1, banker=5, player=5)
    (equal,) = bank_decisions([even], Fraction(0), Fraction(0), Fraction(0), Fraction(1))
    assert equal.preferred_from is None


@pytest.mark.parametrize("flag", ["False", 1, None])
def test_a_flag_is_a_truth_value(flag: Any) -> None:
    sample = evaluation.cover_sample("bicycle", ["logical_way"], "logical_way", num_hands=2)
    with pytest.raises(ValueError, match=r"push_uses_cover .*: must be True or False"):
        sample.settled(1, push_uses_cover=flag)


@pytest.mark.parametrize("players", [None, 5, "logical_way", {1: "logical_way"}, {0: "logical_way"}])
def test_players_are_a_list(players: Any) -> None:
    with pytest.raises(ValueError, match=r"players .*: a list with one policy per seat"):
        evaluation.cover_sample("bicycle", players, "logical_way")
