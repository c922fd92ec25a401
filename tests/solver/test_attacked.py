"""What reviewers found wrong or unproved in the solver, pinned."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import TabularPolicy, evaluation, load_rules, policies, solver
from pan9_gym.rules import RulesConfig, SuitClass
from pan9_gym.solver.estimates import Estimate

TINY = {"point_values": {"4": 4, "3": 3}, "num_decks": 2, "num_initial_cards": 1}


def test_roles_are_taken_by_name_everywhere() -> None:
    found = solver.equilibrium("bicycle", "total", "total")
    saddle = solver.shoe_state("bicycle").saddle()
    for role in ("player", "banker"):
        assert found.policy(role).role == role
        assert saddle.draw_prob(role) is getattr(saddle, role)
    with pytest.raises(ValueError, match="role 'dealer' is not known"):
        found.policy("dealer")
    rules = load_rules("hawaiian_gardens")
    assert rules.draw_rule("banker") == rules.banker_draw_rule  # type: ignore[arg-type]  # a StrEnum's text


@pytest.mark.parametrize(
    "policy",
    [
        policies.get("wizard", "bicycle", "banker"),
        policies.get("logical_way", "bicycle", "player", num_players=2, seat=1),
        policies.get("logical_way", "baccarat_chemin_de_fer", "player"),
    ],
)
def test_values_refuse_the_policy_of_another_seat(policy: TabularPolicy) -> None:
    values = solver.action_values("bicycle", "player", "wizard")
    for judge in (
        values.ev,
        lambda p: evaluation.agreement(values, p),
        lambda p: evaluation.disagreements(values, p),
    ):
        with pytest.raises(ValueError, match="these values are for player seat 0 of num_players=1"):
            judge(policy)


def test_float_values_refuse_another_shape() -> None:
    values = solver.shoe_state("bicycle").best_response("banker", "logical_way").values
    with pytest.raises(ValueError, match=r"draw_prob has shape \(1, 84\); \(2, 84\) is needed"):
        values.ev(np.zeros((1, 84)))


def test_a_level_is_read_everywhere() -> None:
    values = solver.action_values("bicycle", "player", "wizard")
    with pytest.raises(ValueError, match="level 'Hand' is not known"):
        solver.best_response_to_values(values, "Hand")
    with pytest.raises(ValueError, match="banker_level 'suit' is not known"):
        solver.equilibrium("bicycle", "hand", "suit")
    with pytest.raises(ValueError, match="level array"):
        solver.best_response("bicycle", "player", "wizard", level=np.array([1, 2, 3]))  # type: ignore[arg-type]


def test_a_full_shoe_that_is_too_small_is_refused() -> None:
    rules = load_rules("bicycle", num_decks=1, point_values={"K": 0})
    for call in (
        lambda: solver.shoe_state(rules),
        lambda: solver.evaluate(rules, "logical_way", "logical_way"),
    ):
        with pytest.raises(ValueError, match="shoe 'a full one': holds 4 cards; one hand may need 8"):
            call()


def test_counts_with_replacement_have_a_bound_in_floating_point() -> None:
    rules, huge = load_rules("bicycle", num_decks="infinite"), [10**40, 1, 1, 1, 1, 1, 1]
    for call in (
        lambda: solver.shoe_state(rules, huge),
        lambda: solver.banker_values_in_float(rules, ["logical_way"], shoe=huge),
    ):
        with pytest.raises(ValueError, match="in floating point a count may be at most 100000000"):
            call()
    assert solver.evaluate(rules, "logical_way", "logical_way", shoe=huge).ev == 0


def identical_players_and_a_banker_who_tells_them_apart() -> tuple[
    RulesConfig, list[TabularPolicy], TabularPolicy
]:
    rules = load_rules("bicycle", **TINY)
    mixed = [TabularPolicy.from_callable(rules, "player", lambda h, c: Fraction(1, 2), 2, s) for s in (0, 1)]
    first_drew = ("draw", "stand")
    banker = TabularPolicy.from_callable(rules, "banker", lambda h, c: float(tuple(c) == first_drew), 2)
    return rules, mixed, banker


def test_the_variance_tells_patterns_of_identical_players_apart() -> None:
    """Only the banker's row differs between the patterns (draw, stand) and (stand, draw)."""
    rules, players, banker = identical_players_and_a_banker_who_tells_them_apart()
    found = solver.banker_risk(rules, players, banker)
    simulated = evaluation.simulate(rules, players, banker, num_hands=20_000, seed=3)
    variance = simulated.ev[-1].standard_error ** 2 * simulated.num_hands
    assert abs(variance - float(found.variance)) < 0.03
    swapped = TabularPolicy.from_callable(
        rules, "banker", lambda h, c: float(tuple(c) == ("stand", "draw")), 2
    )
    other = solver.banker_risk(rules, players, swapped)
    assert other.variance == found.variance  # by symmetry of the seats
    both = TabularPolicy.from_callable(rules, "banker", lambda h, c: float("draw" in c and "stand" in c), 2)
    assert solver.banker_risk(rules, players, both).variance != found.variance


def test_a_shoe_for_one_hand_holds_no_two() -> None:
    with pytest.raises(ValueError, match="holds 9 cards; two hands may need 16"):
        solver.hand_covariance("bicycle", "logical_way", "logical_way", shoe=[9, 0, 0, 0, 0, 0, 0])


def test_unequal_wagers_of_independent_seats() -> None:
    found = solver.banker_risk("bicycle", ["logical_way"] * 2, "logical_way", wagers=[1, 3])
    alone = float(found.covariances[0][0]) + 9 * float(found.covariances[1][1])
    assert found.independent_standard_deviation == pytest.approx(alone**0.5, rel=1e-12)


def test_the_correlation_of_no_seat_is_refused() -> None:
    found = solver.banker_risk("bicycle", ["logical_way"] * 2, "logical_way")
    for seat in (5, -1):
        with pytest.raises(ValueError, match="is out of range"):
            found.correlation(0, seat)


def test_the_sufficient_ratio_takes_the_least_favourable_seats() -> None:
    """Seats that draw on 0-5, 0-3, 0-5; in (draw, draw, stand) the two drawing hands lose differently."""
    rules = load_rules("bicycle")
    players = [
        policies.get("logical_way", rules, "player", 3, 0),
        TabularPolicy.from_totals(rules, "player", draw_on={0, 1, 2, 3}, num_players=3, seat=1),
        policies.get("logical_way", rules, "player", 3, 2),
    ]
    found = {entry.choices: entry for entry in solver.wager_ratios(rules, players)}
    entry = found["draw", "draw", "stand"]
    losses, gain = entry.gains[:2], entry.gains[2]
    assert losses[0] != losses[1]
    assert entry.ratio == -min(losses) / gain
    assert entry.lower_ratio == -max(losses) / gain
    assert round(float(entry.ratio), 4) == 1.3212
    assert round(float(entry.lower_ratio), 4) == 1.1239


def test_a_share_of_nothing_has_an_interval() -> None:
    none, some = Estimate.of(np.zeros(50, dtype=bool)), Estimate.of(np.arange(50) < 25)
    assert none.mean == none.standard_error == none.interval_99[0] == 0
    assert 0.1 < none.interval_99[1] < 0.13
    assert 0 < some.interval_99[0] < 0.5 < some.interval_99[1] < 1
    with pytest.raises(ValueError, match="at least two are needed"):
        Estimate.of([1.0])


def test_a_banker_with_one_wager_of_5_has_five_times_the_figures() -> None:
    one = evaluation.report("bicycle", "logical_way", "banker")
    five = evaluation.report("bicycle", "logical_way", "banker", wagers=[5])
    assert (five.ev, five.gap) == (5 * one.ev, 5 * one.gap)
    assert one.worst_case_gap is not None
    assert five.worst_case_gap == 5 * one.worst_case_gap
    baccarat = evaluation.report("baccarat_chemin_de_fer", "uniform", "player", wagers=[2])
    assert baccarat.ev == evaluation.report("baccarat_chemin_de_fer", "uniform", "player").ev


@pytest.mark.parametrize("bet", [["tie"], {"tie": 1}, None, np.array(["tie"])])
def test_a_side_bet_is_a_name(bet: Any) -> None:
    for call in (
        lambda: solver.side_bet("uk_1994_house", bet),
        lambda: solver.stake_ratios("uk_1994_house", bet),
    ):
        with pytest.raises(ValueError, match=r"side bet .* is not offered"):
            call()


@pytest.mark.parametrize("wagers", [np.array(3), b"12", {1: 2}])
def test_wagers_are_a_list(wagers: Any) -> None:
    with pytest.raises(ValueError, match=r"wagers .*: one per player is needed"):
        solver.evaluate_seats("bicycle", ["logical_way"] * 2, "logical_way", wagers=wagers)


def test_a_class_is_no_policy() -> None:
    with pytest.raises(ValueError, match=r"a name .*, a TabularPolicy or a Policy is needed"):
        solver.evaluate("bicycle", TabularPolicy, "logical_way")  # type: ignore[arg-type]


def test_an_array_of_words_is_no_policy() -> None:
    with pytest.raises(ValueError, match="draw_prob of the player has the dtype"):
        solver.shoe_state("bicycle").ev(np.full((1, 84), "a"), "logical_way")


def test_a_policy_by_hand_plays_every_suit_class_alike() -> None:
    rules = load_rules("bicycle_bonus")
    by_hand = policies.get("logical_way", rules, "player")
    spread = by_hand.for_every_suit_class()
    assert spread == policies.get("logical_way", rules, "player", with_suits=True)
    assert spread.states.shape == (1, 84 * len(SuitClass))
