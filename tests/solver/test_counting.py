"""Studies over random depleted shoes: penetration, and what counting is worth.

Statistical statements hold with fixed seeds at 4.5 standard errors: a two-sided chance of 7e-6 each.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.rules import Role, load_rules
from pan9_gym.rules.catalog import sheet_names
from pan9_gym.solver.depleted_shoes import depleted_shoes
from pan9_gym.solver.estimates import Estimate

STANDARD_ERRORS = 4.5
every_sheet = pytest.mark.parametrize("name", sheet_names())
roles = pytest.mark.parametrize("role", list(Role))


def assert_estimates(found: Estimate, expected: float) -> None:
    assert abs(found.mean - expected) <= STANDARD_ERRORS * found.standard_error + 1e-12


def test_shoes_are_random_rests_of_the_full_shoe() -> None:
    rules = load_rules("bicycle")
    sample = np.array([state.shoe for state in depleted_shoes(rules, 2000, seed=3).states(50)])
    assert (sample.sum(axis=1) == 50).all()
    for column, full in zip(sample.T, rules.initial_counts, strict=True):
        assert_estimates(Estimate.of(column), 50 * full / 432)
    # the variance of a count of a hypergeometric sample
    share = 144 / 432
    assert sample[:, 0].var(ddof=1) == pytest.approx(50 * share * (1 - share) * 382 / 431, rel=0.15)


def test_the_seed_and_the_depth_decide_the_shoes() -> None:
    rules = load_rules("bicycle")

    def shoes(seed: int, depth: int) -> list[tuple[int, ...]]:
        return [state.shoe for state in depleted_shoes(rules, 5, seed).states(depth)]

    assert shoes(1, 40) == shoes(1, 40)
    assert shoes(1, 40) != shoes(2, 40)
    several = solver.worth_of_counting(rules, "player", [60, 40], num_shoes=5, seed=1)
    assert several.depths[40] == solver.worth_of_counting(rules, "player", 40, num_shoes=5, seed=1).average


def test_shoes_of_different_depths_are_independent() -> None:
    """Else the standard error of an average over depths would be wrong."""
    rules = load_rules("bicycle")
    faces = [
        [next(depleted_shoes(rules, 2, seed).states(depth)).shoe[0] for depth in (40, 60)]
        for seed in range(1000)
    ]
    assert abs(np.corrcoef(np.transpose(faces))[0, 1]) < STANDARD_ERRORS / np.sqrt(1000)


@every_sheet
@roles
def test_the_control_is_the_expectation_with_a_full_shoe(name: str, role: Role) -> None:
    found = solver.worth_of_counting(name, role, [20, 60], num_shoes=150, seed=5)
    exact = float(solver.equilibrium(name).value) * (1 if role is Role.PLAYER else -1)
    assert found.fresh_ev == exact
    for gain in (*found.depths.values(), found.average):
        assert_estimates(gain.fixed_ev, exact)
        assert gain.playing_gain.mean >= 0


@roles
def test_a_gain_is_what_the_exact_solver_says_of_the_same_shoes(role: Role) -> None:
    rules = load_rules("bicycle")
    fresh = solver.equilibrium(rules)
    fixed, best = [], []
    for state in depleted_shoes(rules, 4, seed=8).states(25):
        response = solver.best_response(rules, role, fresh.policy(role.opponent), shoe=state.shoe)
        ev = solver.evaluate(rules, fresh.player, fresh.banker, state.shoe).ev
        fixed.append(ev if role is Role.PLAYER else -ev)
        best.append(response.ev)
    found = solver.worth_of_counting(rules, role, 25, num_shoes=4, seed=8).depths[25]
    gains = [float(b - f) for b, f in zip(best, fixed, strict=True)]
    assert found.fixed_ev.mean == pytest.approx(float(np.mean([float(ev) for ev in fixed])), abs=1e-14)
    assert found.playing_gain.mean == pytest.approx(float(np.mean(gains)), abs=1e-14)
    assert found.playing_gain.standard_error == pytest.approx(float(np.std(gains, ddof=1)) / 2, abs=1e-14)
    assert found.betting_gain.mean == pytest.approx(sum(float(max(ev, 0)) for ev in best) / 4, abs=1e-14)
    assert found.favourable.mean == sum(ev > 0 for ev in best) / 4


def test_a_role_without_a_choice_gains_nothing_by_playing() -> None:
    house = solver.worth_of_counting("uk_1994_house", "banker", 12, num_shoes=300, seed=2).average
    punto = solver.worth_of_counting("baccarat_punto_banco", "player", 12, num_shoes=300, seed=2).average
    for found in (house, punto):
        assert found.playing_gain == Estimate(0.0, 0.0)
    assert house.favourable.mean == 1  # whatever is left, the House's fixed strategy wins
    assert house.betting_gain == house.fixed_ev
    assert 0 < punto.favourable.mean < 1
    assert punto.betting_gain.mean > 0 > punto.fixed_ev.mean


def test_counting_is_worth_more_the_fewer_cards_are_left() -> None:
    found = solver.worth_of_counting("bicycle", "player", [20, 60, 200], num_shoes=300, seed=4)
    gains = [gain.playing_gain for gain in found.depths.values()]
    for deeper, earlier in pairwise(gains):
        assert deeper.mean - earlier.mean > STANDARD_ERRORS * deeper.standard_error
    for field in ("fixed_ev", "playing_gain", "betting_gain", "favourable"):
        means = [getattr(gain, field) for gain in found.depths.values()]
        average = getattr(found.average, field)
        assert average.mean == pytest.approx(np.mean([entry.mean for entry in means]))
        assert average.standard_error == pytest.approx(
            np.linalg.norm([entry.standard_error for entry in means]) / 3
        )


@roles
def test_with_all_cards_left_there_is_nothing_to_count(role: Role) -> None:
    found = solver.worth_of_counting("hawaiian_gardens", role, 432, num_shoes=2, seed=1)
    gain = found.depths[432]
    assert gain.fixed_ev.mean == pytest.approx(found.fresh_ev, abs=1e-14)
    assert gain.playing_gain.mean == pytest.approx(0.0, abs=1e-14)
    assert gain.favourable.mean == (role is Role.BANKER)


def test_a_penetration_study_is_what_the_exact_solver_says_of_the_same_shoes() -> None:
    rules = load_rules("bicycle")
    fresh = solver.equilibrium(rules)
    values, differs = [], dict.fromkeys(Role, 0)
    for state in depleted_shoes(rules, 4, seed=6).states(30):
        values.append(float(solver.equilibrium(rules, shoe=state.shoe).value))
        for role in Role:
            gap = solver.worst_case_gap(rules, fresh.policy(role), role, shoe=state.shoe)
            differs[role] += gap > 0
    found = solver.penetration_study(rules, 30, num_shoes=4, seed=6)
    assert found.value.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.standard_deviation == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert (found.least, found.most) == pytest.approx((min(values), max(values)), abs=1e-12)
    assert found.quantiles[0.5] == pytest.approx(np.median(values), abs=1e-12)
    assert found.player_favourable.mean == np.mean(np.array(values) > 0)
    assert {role: 4 * share.mean for role, share in found.differs.items()} == differs
    assert found.exploitability < 1e-12


def test_values_spread_wider_the_fewer_cards_are_left() -> None:
    deep, early = (solver.penetration_study("uk_1994_player", left, 60, seed=2) for left in (20, 160))
    assert deep.standard_deviation > early.standard_deviation > 0
    assert deep.least < early.least < early.most < deep.most
    for role in Role:
        assert deep.differs[role].mean > early.differs[role].mean
    levels = list(deep.quantiles.values())
    assert levels == sorted(levels)
    assert deep.least <= levels[0] <= levels[-1] <= deep.most


def test_a_study_of_full_shoes_is_the_equilibrium() -> None:
    found = solver.penetration_study("bicycle", 432, num_shoes=2, seed=1)
    assert found.value.mean == pytest.approx(found.fresh_value, abs=1e-14)
    assert found.standard_deviation == 0
    assert all(share.mean == 0 for share in (*found.differs.values(), found.mixed, found.player_favourable))


def test_the_json_of_both_studies() -> None:
    study = solver.penetration_study("uk_1994_house", 30, num_shoes=np.int64(3), seed=np.int64(1))
    data = json.loads(json.dumps(study.to_dict()))
    assert (data["num_shoes"], data["differs"]["banker"]["mean"]) == (3, 0.0)
    assert data["quantiles"]["0.5"] == study.quantiles[0.5]
    worth = solver.worth_of_counting("uk_1994_house", "player", np.array([20, 30]), num_shoes=3, seed=1)
    data = json.loads(json.dumps(worth.to_dict()))
    assert data["depths"]["20"]["playing_gain"]["mean"] == worth.depths[20].playing_gain.mean
    assert (data["role"], data["average"]["favourable"]["mean"]) == ("player", worth.average.favourable.mean)


INFINITE = load_rules("bicycle", num_decks="infinite")


@pytest.mark.parametrize(
    ("use", "parts"),
    [
        (lambda: solver.penetration_study("bicycle", 7, 10, 1), ("cards_left 7", "from 8 to 432")),
        (lambda: solver.penetration_study("bicycle", 433, 10, 1), ("cards_left 433", "from 8 to 432")),
        (lambda: solver.penetration_study("bicycle", 40.5, 10, 1), ("cards_left 40.5", "whole number")),
        (lambda: solver.penetration_study("bicycle", 40, 1, 1), ("num_shoes 1", "from 2")),
        (lambda: solver.penetration_study("bicycle", 40, 10, -1), ("seed -1", "from 0")),
        (
            lambda: solver.penetration_study(INFINITE, 40, 10, 1),
            ("num_decks infinite", "no shoe is depleted"),
        ),
        (lambda: solver.worth_of_counting("bicycle", "dealer", 40, 10, 1), ("role 'dealer'",)),
        (lambda: solver.worth_of_counting("bicycle", "player", [40, 5], 10, 1), ("cards_left 5", "8 to 432")),
        (lambda: solver.worth_of_counting("bicycle", "player", [], 10, 1), ("cards_left []", "one depth")),
        (lambda: solver.worth_of_counting("bicycle", "player", [40, 40], 10, 1), ("each once",)),
        (lambda: solver.worth_of_counting("bicycle", "player", 40, True, 1), ("num_shoes True",)),
        (lambda: solver.worth_of_counting(INFINITE, "player", 40, 10, 1), ("num_decks infinite",)),
    ],
)
def test_a_bad_argument_is_named(use: Callable[[], Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"^.+$") as caught:
        use()
    for part in parts:
        assert part in str(caught.value)
