"""The floating-point answers over a shoe agree with the exact ones, on every sheet and any shoe."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, RulesConfig, load_rules
from pan9_gym.rules.catalog import sheet_names

ROUNDING = 1e-13
"""Far above the rounding of sums of a few hundred products, far below every difference that matters."""

RARE = (144, 1, 1, 1, 1, 1, 1)
"""Most hands hardly ever arise."""

PLAYER_ONE_AT_A_TIME = (8, 2, 4, 3, 0, 2, 1)
"""Full answers go round in a circle; the player who corrects one hand at a time comes to a pure saddle."""

BANKER_ONE_AT_A_TIME = (9, 2, 0, 6, 0, 2, 1)
"""So does, where the player does not, the banker."""

SMALL_PROGRAMME = (6, 4, 5, 4, 3, 5, 3)
"""No pure saddle; the linear programme over the decisions that the search left open finds a mixed one."""

FULL_PROGRAMME = (2, 1, 2, 0, 3, 0, 0)
"""No pure saddle, and decisions on which the search settled are wrong: only the full programme holds."""

every_sheet = pytest.mark.parametrize("name", sheet_names())


def random_shoes(rules: RulesConfig, seed: int) -> list[tuple[int, ...]]:
    """The fewest cards one hand may need, a few more with values run out, many."""
    rng = np.random.default_rng(seed)
    fewest = 2 * rules.num_initial_cards + 2
    full = np.array(rules.initial_counts)
    small, many = (rng.multivariate_hypergeometric(full, number) for number in (fewest, 150))
    without = full.copy()
    without[rng.permutation(len(full))[:3]] = 0
    return [tuple(shoe.tolist()) for shoe in (small, rng.multivariate_hypergeometric(without, 20), many)]


def mixed_policy(rules: RulesConfig, role: Role, seed: int) -> TabularPolicy:
    states = info_states(rules, role)
    rng = np.random.default_rng(seed)
    rows = tuple(
        tuple(
            Fraction(moves[0]) if len(moves) == 1 else Fraction(int(number), 8)
            for moves, number in zip(legal, row, strict=True)
        )
        for legal, row in zip(legal_table(rules, states), rng.integers(0, 9, size=states.shape), strict=True)
    )
    return TabularPolicy(rules, states, rows)


def assert_agrees(rules: RulesConfig, shoe: tuple[int, ...] | None, seed: int) -> None:
    state = solver.shoe_state(rules, shoe)
    both = {role: mixed_policy(rules, role, seed + place) for place, role in enumerate(Role)}
    for role in Role:
        exact = solver.action_values(rules, role, both[role.opponent], shoe)
        values = state.values(role, both[role.opponent])
        for found, numbers, unit in (
            (values.reach, exact.reach, exact.reach_unit),
            (values.stand, exact.stand, exact.value_unit),
            (values.draw, exact.draw, exact.value_unit),
            (values.decided, np.array(exact.decided), exact.value_unit),
        ):
            assert np.shape(found) == numbers.shape
            np.testing.assert_allclose(found, (numbers / unit).astype(float), rtol=0, atol=ROUNDING)
        answer = solver.best_response_to_values(exact, "hand")
        response = state.best_response(role, both[role.opponent])
        assert response.ev == pytest.approx(float(answer.ev), abs=ROUNDING)
        assert (response.draw == answer.policy.array).all()
        own = both[role].array
        assert response.gap(own) == pytest.approx(float(answer.ev - exact.ev(both[role])), abs=ROUNDING)
    assert state.ev(both[Role.PLAYER], both[Role.BANKER]) == pytest.approx(
        float(solver.evaluate(rules, both[Role.PLAYER], both[Role.BANKER], shoe).ev), abs=ROUNDING
    )


@every_sheet
@pytest.mark.parametrize("number", range(3))
def test_values_and_best_responses_are_the_exact_ones(name: str, number: int) -> None:
    rules = load_rules(name)
    assert_agrees(rules, random_shoes(rules, seed=number)[number], seed=number)


@pytest.mark.parametrize("banker_sees", ["nothing", "card"])
def test_whatever_the_banker_sees(banker_sees: str) -> None:
    rules = load_rules("bicycle_bonus", banker_sees=banker_sees)
    assert_agrees(rules, (20, 7, 0, 5, 4, 3, 2), seed=5)


@pytest.mark.parametrize("name", ["hawaiian_gardens", "baccarat_chemin_de_fer"])
def test_with_replacement_powers_take_the_place_of_falling_factorials(name: str) -> None:
    assert_agrees(load_rules(name, num_decks="infinite"), None, seed=6)


def test_what_a_natural_decides_at_once_counts_for_the_right_role() -> None:
    """With even money naturals balance; with commission on the player's wins they do not."""
    rules = load_rules("baccarat_chemin_de_fer", payout="19/20")
    assert_agrees(rules, (9, 2, 1, 0, 3, 3, 2, 1, 4, 5), seed=7)
    assert solver.shoe_state(rules).values("banker", "uniform").decided > 0.005


def test_a_fresh_shoe_is_the_default() -> None:
    state = solver.shoe_state("bicycle")
    assert state.shoe == load_rules("bicycle").initial_counts
    wizard = state.ev("logical_way", "wizard")
    assert wizard == pytest.approx(float(Fraction(-403172216947, 35169937233795)), abs=ROUNDING)
    assert state.best_response("banker", "logical_way").ev == pytest.approx(-wizard, abs=ROUNDING)


@pytest.mark.parametrize("role", list(Role))
def test_an_opponent_is_a_name_a_policy_or_an_array(role: Role) -> None:
    rules = load_rules("uk_1994_player")
    state = solver.shoe_state(rules, (30, 4, 9, 2, 11, 0, 3))
    policy = policies.get("logical_way", rules, role.opponent)
    array = policy.array
    found = [state.best_response(role, form).ev for form in ("logical_way", policy, array, array == 1)]
    assert len(set(found)) == 1


def test_ties_and_hands_that_never_arise_stand() -> None:
    """With nothing but face cards every hand is a tie at 0, and every other hand never arises."""
    state = solver.shoe_state("bicycle", (8, 0, 0, 0, 0, 0, 0))
    for role in Role:
        response = state.best_response(role, "uniform")
        assert not response.draw.any()
        assert (response.ev, (response.values.reach > 0).sum()) == (0.0, 1 if role is Role.PLAYER else 2)


def test_forced_moves_are_taken_even_where_they_never_arise() -> None:
    rules = load_rules("bicycle_bonus")
    response = solver.shoe_state(rules, (8, 0, 0, 0, 0, 0, 0)).best_response("player", "logical_way")
    must_draw = np.array(response.values.reach.shape[1] * [False])
    for column, total in enumerate(info_states(rules, "player").column_totals):
        must_draw[column] = total <= 4
    assert (response.draw[0] == must_draw).all()


@every_sheet
@pytest.mark.parametrize("number", range(2))
def test_the_saddle_has_the_value_of_the_exact_equilibrium(name: str, number: int) -> None:
    rules = load_rules(name)
    for shoe in random_shoes(rules, seed=20 + number)[number : number + 2]:
        found = solver.shoe_state(rules, shoe).saddle()
        exact = solver.equilibrium(rules, shoe=shoe)
        assert exact.exploitability == 0
        assert 0 <= found.exploitability < 1e-12
        assert found.value == pytest.approx(float(exact.value), abs=1e-12)


@pytest.mark.parametrize(
    ("shoe", "method"),
    [
        (None, "pure"),
        (RARE, "pure"),
        (PLAYER_ONE_AT_A_TIME, "pure"),
        (BANKER_ONE_AT_A_TIME, "pure"),
        (SMALL_PROGRAMME, "lp"),
        (FULL_PROGRAMME, "lp"),
    ],
)
def test_the_certificate_of_a_saddle_is_what_its_strategies_are_worth(
    shoe: tuple[int, ...] | None, method: str
) -> None:
    state = solver.shoe_state("bicycle", shoe)
    found = state.saddle()
    assert found.method == method
    assert found.is_pure == (method == "pure")
    upper = state.best_response("player", found.banker).ev
    lower = -state.best_response("banker", found.player).ev
    assert found.exploitability == max(0.0, (upper - lower) / 2) < 1e-12
    assert state.ev(found.player, found.banker) == pytest.approx(found.value, abs=1e-12)
    assert found.value == pytest.approx(float(solver.equilibrium("bicycle", shoe=shoe).value), abs=1e-12)


def test_a_saddle_found_by_best_responses_is_pure() -> None:
    rules = load_rules("hawaiian_gardens")
    rng = np.random.default_rng(3)
    for counts in rng.multivariate_hypergeometric(rules.initial_counts, 30, size=40):
        found = solver.shoe_state(rules, counts).saddle()
        assert found.exploitability < 1e-12
        assert found.is_pure or found.method == "lp"


@pytest.mark.parametrize("sheet", ["bicycle", "baccarat_chemin_de_fer"])
def test_many_saddles_are_certified(sheet: str) -> None:
    rules = load_rules(sheet)
    rng = np.random.default_rng(4)
    methods = set()
    for number in (8, 30, 100):
        for counts in rng.multivariate_hypergeometric(rules.initial_counts, number, size=15):
            found = solver.shoe_state(rules, counts).saddle()
            methods.add(found.method)
            assert found.exploitability < 1e-12
    assert methods == {"pure", "lp"}


@pytest.mark.slow
@every_sheet
def test_both_best_responses_over_a_new_shoe_take_at_most_a_millisecond(name: str) -> None:
    """The budget: CPU time, warm; the best of many, so that a busy machine does not matter."""
    rules = load_rules(name)
    opponents = {role: policies.get("logical_way", rules, role.opponent) for role in Role}
    rng = np.random.default_rng(1)
    times = []
    for counts in rng.multivariate_hypergeometric(rules.initial_counts, 100, size=200):
        start = time.process_time()
        state = solver.shoe_state(rules, counts)
        for role in Role:
            state.best_response(role, opponents[role])
        times.append(time.process_time() - start)
    assert np.median(times) < 1e-3


@pytest.mark.parametrize(
    ("use", "parts"),
    [
        (lambda: solver.shoe_state("bicycle", (1,) * 7), ("shoe", "7 cards", "may need 8")),
        (lambda: solver.shoe_state("bicycle", (-1, 9, 9, 9, 9, 9, 9)), ("shoe", "value 0", "0 to 144")),
        (lambda: solver.shoe_state("bicycle", (9, 9)), ("shoe", "one count for each")),
        (
            lambda: solver.shoe_state("bicycle").values("dealer", "wizard"),
            ("role 'dealer'", "player, banker"),
        ),
        (lambda: solver.shoe_state("bicycle").values("player", "wizzard"), ("policy 'wizzard'", "known:")),
        (
            lambda: solver.shoe_state("bicycle").values("player", np.zeros((1, 84))),
            ("draw_prob of the banker", "(1, 84)", "(2, 84) is needed"),
        ),
        (
            lambda: solver.shoe_state("bicycle").values("banker", np.full((1, 84), 1.5)),
            ("draw_prob 1.5 of the player", "hand (0, 0, 0)", "allows 0 to 1"),
        ),
        (
            lambda: solver.shoe_state("bicycle").values("banker", np.full((1, 84), np.nan)),
            ("draw_prob nan of the player", "allows 0 to 1"),
        ),
        (
            lambda: solver.shoe_state("uk_1994_house").values("player", np.ones((2, 84))),
            ("draw_prob 1.0 of the banker", "hand (0, 0, 6)", "allows 0 to 0"),
        ),
        (
            lambda: solver.shoe_state("bicycle").best_response(
                "player", policies.get("uniform", "bicycle", "player")
            ),
            ("policy 'uniform' is for player", "banker"),
        ),
    ],
)
def test_a_bad_argument_is_named(use: Callable[[], Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"^.+$") as caught:
        use()
    for part in parts:
        assert part in str(caught.value)
