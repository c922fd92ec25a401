"""Monte Carlo against the exact values, and its own promises.

Significance 1e-4 for each test, seeds fixed, 8000 hands. Power: with a standard deviation below 0.96 a
mean that is off by 0.07 is caught with probability above 0.99.
"""

from __future__ import annotations

import json
from math import inf, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from pan9_gym import evaluation, load_rules, policies, solver
from pan9_gym.evaluation import Estimate, Simulation, simulate
from pan9_gym.rules import Outcome, sheet_names
from pan9_gym.rules.scoring import compare
from pan9_gym.solver.estimates import CONFIDENCE_99, estimate

HANDS = 8000
SIGNIFICANCE = 1e-4
Z = NormalDist().inv_cdf(1 - SIGNIFICANCE / 2)


def exact(sheet: str, player: str = "logical_way", banker: str = "logical_way") -> solver.Evaluation:
    rules = load_rules(sheet)
    return solver.evaluate(
        rules, policies.get(player, rules, "player"), policies.get(banker, rules, "banker")
    )


def test_the_power_is_what_the_module_says() -> None:
    error = 0.96 / sqrt(HANDS)
    assert 1 - NormalDist().cdf(Z - 0.07 / error) > 0.99
    assert max(exact(sheet).standard_deviation for sheet in sheet_names()) < 0.96


@pytest.mark.parametrize("sheet", sheet_names())
def test_the_mean_is_the_exact_value(sheet: str) -> None:
    wanted = exact(sheet)
    found = simulate(sheet, "logical_way", "logical_way", HANDS, seed=1)
    player, banker = found.ev
    assert abs(player.z_score(float(wanted.ev))) < Z
    assert abs(banker.z_score(-float(wanted.ev))) < Z
    assert player.standard_error == pytest.approx(wanted.standard_deviation / sqrt(HANDS), rel=0.05)


def test_the_wrong_opponent_is_caught() -> None:
    """The power in practice."""
    found = simulate("bicycle", "always_stand", "logical_way", HANDS, seed=1).ev[0]
    assert abs(found.z_score(float(exact("bicycle", player="always_stand").ev))) < Z
    assert abs(found.z_score(float(exact("bicycle").ev))) > Z


@pytest.mark.parametrize(
    ("player", "banker"), [("logical_way", "wizard"), ("uniform", "logical_way"), ("always_draw", "uniform")]
)
def test_final_totals_are_distributed_as_the_exact_ones(player: str, banker: str) -> None:
    """A chi-square test over the pairs of totals; rare pairs are put together, so that each expects 5."""
    wanted = exact("bicycle", player, banker).joint_totals
    found = simulate("bicycle", player, banker, HANDS, seed=2).joint_totals[0]
    cells = [(float(wanted[p][b]) * HANDS, found.get((p, b), 0)) for p in range(10) for b in range(10)]
    common = [cell for cell in cells if cell[0] >= 5]
    rare = [sum(column) for column in zip(*[cell for cell in cells if cell[0] < 5], strict=True)]
    common += [tuple(rare)] if rare and rare[0] >= 5 else []
    statistic = sum((seen - expected) ** 2 / expected for expected, seen in common)
    assert len(common) > 90
    assert sum(found.values()) == HANDS
    assert statistic < chi2.ppf(1 - SIGNIFICANCE, len(common) - 1)


def test_outcomes_are_counted_from_the_totals() -> None:
    found = simulate("hawaiian_gardens", ["logical_way", "uniform"], "logical_way", 500, seed=3)
    for outcomes, joint in zip(found.outcomes, found.joint_totals, strict=True):
        assert {*outcomes} == {*Outcome}
        for outcome in Outcome:
            assert outcomes[outcome] == sum(n for pair, n in joint.items() if compare(*pair) is outcome)
        assert sum(outcomes.values()) == 500


def test_the_same_seed_gives_the_same_result_and_another_one_another() -> None:
    runs = [simulate("bicycle", "uniform", "uniform", 300, seed) for seed in (4, 4, 5)]
    assert runs[0] == runs[1]
    assert runs[0].ev != runs[2].ev


def test_global_random_state_decides_nothing() -> None:
    runs = []
    for state in (1, 2):
        np.random.seed(state)  # noqa: NPY002  # the legacy state is what it must not depend on
        runs.append(simulate("bicycle", "uniform", "uniform", 100, seed=4))
    assert runs[0] == runs[1]


def test_three_players_and_the_bank_share_a_sum_of_zero() -> None:
    players = ["logical_way", "always_draw", "uniform"]
    found = simulate("bicycle_bonus", players, "logical_way", 400, seed=6)
    assert len(found.ev) == 4
    assert len(found.joint_totals) == 3
    assert sum(entry.mean for entry in found.ev) == pytest.approx(0, abs=1e-12)
    assert len({entry.mean for entry in found.ev}) == 4


def test_wagers_scale_each_seat_and_the_bank_pays_the_sum() -> None:
    plain = simulate("uk_1994_player", ["logical_way"] * 3, "logical_way", 300, seed=7)
    scaled = simulate("uk_1994_player", ["logical_way"] * 3, "logical_way", 300, seed=7, wagers=[1, "1/2", 5])
    assert plain.joint_totals == scaled.joint_totals
    for entry, other, wager in zip(plain.ev[:3], scaled.ev[:3], (1, 0.5, 5), strict=True):
        assert other.mean == pytest.approx(wager * entry.mean, abs=1e-12)
        assert other.standard_error == pytest.approx(wager * entry.standard_error)
    assert scaled.ev[3].mean == pytest.approx(-sum(entry.mean for entry in scaled.ev[:3]), abs=1e-12)


def test_a_single_policy_is_one_player() -> None:
    one = simulate("bicycle", "logical_way", "logical_way", 50, seed=8)
    assert one == simulate("bicycle", ["logical_way"], "logical_way", 50, seed=8)
    table = policies.get("logical_way", load_rules("bicycle"), "player")
    assert one == simulate("bicycle", table, "logical_way", 50, seed=8)


@pytest.mark.parametrize("num_hands", [1, 2, 50])
def test_to_dict_is_strict_json(num_hands: int) -> None:
    found = simulate("bicycle", ["uniform"] * 2, "logical_way", num_hands, seed=9)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["num_hands"], data["seed"]) == (num_hands, 9)
    assert [entry["mean"] for entry in data["ev"]] == [entry.mean for entry in found.ev]
    assert (data["ev"][0]["standard_error"] is None) is (num_hands == 1)
    assert data["outcomes"][0] == {key.name: value for key, value in found.outcomes[0].items()}
    for joint, counts in zip(data["joint_totals"], found.joint_totals, strict=True):
        assert {(p, b): joint[p][b] for p in range(10) for b in range(10) if joint[p][b]} == counts


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        *(
            ({"num_hands": v}, (f"num_hands {v!r}", "a whole number from 1"))
            for v in (0, -5, 1.5, "10", True, None)
        ),
        *(({"seed": v}, (f"seed {v!r}", "a whole number from 0")) for v in (-1, 1.5, "1", True, None)),
        *(({"players": v}, (f"players {v!r}", "in seat order")) for v in (5, None)),
        ({"players": []}, ("num_players 0", "1 to 7")),
        ({"players": ["logical_way"] * 8}, ("num_players 8", "1 to 7")),
        ({"players": "logic"}, ("policy 'logic'", "logical_way, always_draw")),
        ({"players": ["logical_way", None]}, ("policy None", "logical_way, always_draw")),
        ({"banker": "logic"}, ("policy 'logic'", "logical_way, always_draw")),
        ({"banker": None}, ("policy None", "logical_way, always_draw")),
        ({"wagers": [1, 1]}, ("wagers [1, 1]", "one per player is needed, so 1")),
        ({"wagers": [0.5]}, ("wagers 0.5", "must be exact")),
        ({"rules": "bicicle"}, ("rule sheet 'bicicle'", "did you mean 'bicycle'?")),
    ],
)
def test_bad_arguments_are_one_clear_line(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    arguments = {
        "rules": "bicycle",
        "players": "logical_way",
        "banker": "logical_way",
        "num_hands": 3,
        "seed": 1,
    }
    with pytest.raises(ValueError, match=r".+") as caught:
        simulate(**{**arguments, **given})
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


def test_an_estimate_from_its_sums() -> None:
    """The values 1, 2, 3, 6: mean 3, variance 14 / 3, standard error sqrt(14 / 12)."""
    found = estimate(12.0, 50.0, 4)
    assert found.mean == 3
    assert found.standard_error == pytest.approx(sqrt(14 / 12))
    low, high = found.interval_99
    assert (low + high) / 2 == pytest.approx(3)
    assert (high - low) / 2 == pytest.approx(CONFIDENCE_99 * found.standard_error)
    assert pytest.approx(NormalDist().inv_cdf(0.995)) == CONFIDENCE_99


def test_an_estimate_without_spread() -> None:
    assert estimate(4.0, 4.0, 4) == Estimate(1.0, 0.0)
    assert Estimate(1.0, 0.0).z_score(1.0) == 0
    assert Estimate(1.0, 0.0).z_score(0.5) == inf


def test_a_single_value_has_no_known_error() -> None:
    assert estimate(2.0, 4.0, 1) == Estimate(2.0, inf)
    assert estimate(2.0, 4.0, 1).z_score(0.0) == 0
    assert nan not in estimate(2.0, 4.0, 1).interval_99


def test_the_names_of_the_package_are_its_public_ones() -> None:
    assert evaluation.simulate is simulate
    assert evaluation.Simulation is Simulation
    for name in evaluation.__all__:
        assert hasattr(evaluation, name)
