"""What must hold at any table, for any policies and wagers (the same examples every run)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym import policies, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, RulesConfig, load_rules

few = settings(max_examples=12, derandomize=True, deadline=None)

SMALL: dict[str, Any] = {
    "point_values": {"A": 1, "3": 3, "5": 5, "K": 0},
    "num_decks": 2,
    "num_initial_cards": 2,
}
RULES = [
    load_rules("bicycle", **SMALL),
    load_rules("bicycle", **SMALL, choices="simultaneous", payout="19/20"),
    load_rules("hawaiian_gardens", **SMALL),
    load_rules("bicycle_bonus", **{**SMALL, "side_bets": {}}, banker_sees="nothing"),
]
rule_sets = st.sampled_from(RULES)
numbers = st.integers(1, 3)
seeds = st.integers(0, 2**32 - 1)
amounts = st.fractions(min_value="1/7", max_value=9, max_denominator=7)
shoes = st.one_of(
    st.none(),
    st.tuples(*[st.integers(0, 8)] * 4).filter(lambda counts: sum(counts) >= 12),
)
levels = st.sampled_from(["hand", "total"])


def random_policy(rules: RulesConfig, role: Role, number: int, seat: int, seed: int) -> TabularPolicy:
    """A legal table of sixths, pure entries among them, that differs by what is seen."""
    states = info_states(rules, role, number, seat)
    sixths = np.random.default_rng([seed, seat, role is Role.BANKER]).integers(0, 7, size=states.shape)
    rows = tuple(
        tuple(
            Fraction(moves[0]) if len(moves) == 1 else Fraction(int(part), 6)
            for moves, part in zip(legal, row, strict=True)
        )
        for legal, row in zip(legal_table(rules, states), sixths, strict=True)
    )
    return TabularPolicy(rules, states, rows)


def table(rules: RulesConfig, number: int, seed: int) -> tuple[list[TabularPolicy], TabularPolicy]:
    players = [random_policy(rules, Role.PLAYER, number, seat, seed) for seat in range(number)]
    return players, random_policy(rules, Role.BANKER, number, 0, seed)


Wagers = list[Fraction]
Shoe = tuple[int, ...] | None
money = st.lists(amounts, min_size=3, max_size=3)


@few
@given(rules=rule_sets, number=numbers, wagers=money, shoe=shoes, seed=seeds)
def test_an_evaluation_adds_up(
    rules: RulesConfig, number: int, wagers: Wagers, shoe: Shoe, seed: int
) -> None:
    players, banker = table(rules, number, seed)
    stakes = wagers[:number]
    found = solver.evaluate_seats(rules, players, banker, stakes, shoe)
    values = solver.banker_values(rules, players, stakes, shoe)
    assert sum(w * ev for w, ev in zip(stakes, found.evs, strict=True)) == -found.banker_ev
    assert found.banker_ev == values.ev(banker)
    assert found.ev_per_unit * sum(stakes) == found.banker_ev
    assert sum(found.pattern_probs.values()) == 1
    assert all(prob >= 0 for prob in found.pattern_probs.values())
    banker_totals = [[sum(column) for column in zip(*joint, strict=True)] for joint in found.joint_totals]
    assert banker_totals == [banker_totals[0]] * number  # one and the same banker
    assert sum(banker_totals[0]) == 1
    for seat in range(number):
        assert solver.seat_values(rules, players, banker, seat, shoe).ev(players[seat]) == found.evs[seat]


def price(policy: TabularPolicy, values: solver.ActionValues) -> Fraction:
    """Sum over states of |draw probability off the best action| * |gain|: what the policy gives away."""
    prices = []
    for pattern, legal in enumerate(legal_table(values.rules, values.states)):
        for column, moves in enumerate(legal):
            gain = values.draw_gain(pattern, column)
            best = int(gain > 0) if len(moves) > 1 else int(moves[0])
            prices.append(abs(policy.draw_probs[pattern][column] - best) * abs(gain))
    return sum(prices, Fraction(0))


@few
@given(rules=rule_sets, number=numbers, wagers=money, shoe=shoes, seed=seeds)
def test_a_gap_is_the_sum_of_the_prices_of_the_decisions(
    rules: RulesConfig, number: int, wagers: Wagers, shoe: Shoe, seed: int
) -> None:
    players, banker = table(rules, number, seed)
    stakes = wagers[:number]
    values = solver.banker_values(rules, players, stakes, shoe)
    answer = solver.banker_best_response(rules, players, stakes, shoe=shoe)
    assert answer.ev - values.ev(banker) == price(banker, values) >= 0
    for seat, own in enumerate(players):
        of_seat = solver.seat_values(rules, players, banker, seat, shoe)
        best = solver.seat_best_response(rules, players, banker, seat, shoe=shoe)
        assert best.ev - of_seat.ev(own) == price(own, of_seat) >= 0


@few
@given(rules=rule_sets, number=numbers, wagers=money, shoe=shoes, seed=seeds, level=levels)
def test_a_best_response_earns_what_it_promises_and_beats_its_rivals(
    rules: RulesConfig, number: int, wagers: Wagers, shoe: Shoe, seed: int, level: str
) -> None:
    players, banker = table(rules, number, seed)
    stakes = wagers[:number]
    answer = solver.banker_best_response(rules, players, stakes, level, shoe)
    found = solver.evaluate_seats(rules, players, answer.policy, stakes, shoe)
    assert found.banker_ev == answer.ev
    for name in ("logical_way", "always_draw", "always_stand", "uniform"):
        rival = policies.get(name, rules, "banker", number)
        assert solver.evaluate_seats(rules, players, rival, stakes, shoe).banker_ev <= answer.ev
    for seat in range(number):
        best = solver.seat_best_response(rules, players, banker, seat, stakes, level, shoe)
        changed = [*players[:seat], best.policy, *players[seat + 1 :]]
        assert solver.evaluate_seats(rules, changed, banker, stakes, shoe).evs[seat] == best.ev
        for name in ("logical_way", "always_draw", "always_stand"):
            changed[seat] = policies.get(name, rules, "player", number, seat)
            assert solver.evaluate_seats(rules, changed, banker, stakes, shoe).evs[seat] <= best.ev


@few
@given(
    wagers=money, order=st.permutations(range(3)), shoe=shoes, name=st.sampled_from(sorted(policies.CHARTS))
)
def test_permuting_the_wagers_of_identical_players_permutes_the_answer(
    wagers: Wagers, order: list[int], shoe: Shoe, name: str
) -> None:
    rules = RULES[0]
    players = [name] * 3
    plain = solver.banker_best_response(rules, players, wagers, shoe=shoe)
    moved = solver.banker_best_response(rules, players, [wagers[seat] for seat in order], shoe=shoe)
    assert moved.ev == plain.ev
    for choices, row in plain.table.items():
        other = moved.table[tuple(choices[seat] for seat in order)]
        assert [(d.prob, d.ev_stand, d.ev_draw) for d in other] == [
            (d.prob, d.ev_stand, d.ev_draw) for d in row
        ]


def nash_conv(rules: RulesConfig, found: solver.SeatsEquilibrium, wagers: Wagers, level: str) -> Fraction:
    """What everybody gains by the best response, through the public functions only."""
    players, banker = list(found.players), found.banker
    now = solver.evaluate_seats(rules, players, banker, wagers)
    assert (now.evs, now.banker_ev) == (found.evs, found.banker_ev)
    gains = [solver.banker_best_response(rules, players, wagers, level).ev - now.banker_ev]
    for seat, wager in enumerate(wagers):
        best = solver.seat_best_response(rules, players, banker, seat, level=level)
        gains.append(wager * (best.ev - now.evs[seat]))
    assert min(gains) >= 0
    return sum(gains, Fraction(0))


def assert_consistent(
    rules: RulesConfig, found: solver.SeatsEquilibrium, wagers: Wagers, level: str, max_rounds: int
) -> None:
    assert found.nash_conv == nash_conv(rules, found, wagers, level) == min(found.history)
    assert found.kind == ("nash" if found.nash_conv == 0 else "bound")
    assert all(gain > 0 for gain in found.history[:-1])
    assert len(found.history) == max_rounds or found.history[-1] == 0
    assert len(found.history) <= max_rounds


@few
@given(rules=rule_sets, number=numbers, wagers=money, level=levels, max_rounds=st.integers(1, 4))
def test_a_seats_equilibrium_is_what_it_says(
    rules: RulesConfig, number: int, wagers: Wagers, level: str, max_rounds: int
) -> None:
    stakes = wagers[:number]
    found = solver.seats_equilibrium(rules, number, stakes, level, max_rounds=max_rounds)
    assert_consistent(rules, found, stakes, level, max_rounds)
    for seat, player in enumerate(found.players):
        assert player.states == info_states(rules, "player", number, seat)
    assert found.banker.states == info_states(rules, "banker", number)


def test_too_few_rounds_give_a_bound_and_enough_an_equilibrium() -> None:
    """On the full shoe the players keep the logical way; the banker's answer to it takes one round."""
    rules, wagers = load_rules("bicycle"), [Fraction(1), Fraction(5)]
    bound = solver.seats_equilibrium(rules, 2, wagers, max_rounds=1)
    assert bound.kind == "bound"
    assert bound.history == (bound.nash_conv,)
    assert bound.banker == policies.get("logical_way", rules, "banker", 2)
    found = solver.seats_equilibrium(rules, 2, wagers)
    assert (found.kind, found.nash_conv, found.history[0]) == ("nash", 0, bound.nash_conv)
    assert_consistent(rules, found, wagers, "hand", 8)
    for seat, player in enumerate(found.players):
        logical = policies.get("logical_way", rules, "player", 2, seat)
        assert player.draw_probs == logical.draw_probs
    answer = solver.banker_best_response(rules, ["logical_way"] * 2, wagers)
    assert (found.banker.draw_probs, found.banker_ev) == (answer.policy.draw_probs, answer.ev)
    assert found.history[0] == found.banker_ev  # at first only the banker gains, from 0


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize(
    ("kind", "shoe"),
    [
        ("logical_way", None),
        ("logical_way", (20, 0, 7, 3, 11, 1, 9)),
        ("equal weights over other units", None),
        ("mixed", (20, 0, 7, 3, 11, 1, 9)),
    ],
)
def test_double_precision_is_the_exact_value_to_1e_12(
    number: int, kind: str, shoe: tuple[int, ...] | None
) -> None:
    rules = load_rules("hawaiian_gardens", payout="19/20")
    wagers = [Fraction(1), Fraction(5, 2), Fraction(3)][:number]
    players: Any = {
        "logical_way": ["logical_way"] * number,
        "equal weights over other units": ["always_draw", "uniform", "always_draw"][:number],
        "mixed": table(rules, number, 7)[0],
    }[kind]
    exact = solver.banker_values(rules, players, wagers, shoe)
    found = solver.banker_values_in_float(rules, players, wagers, shoe)
    compared = 0
    for array, matrix, unit in (
        (found.reach, exact.reach, exact.reach_unit),
        (found.stand, exact.stand, exact.value_unit),
        (found.draw, exact.draw, exact.value_unit),
    ):
        assert array.dtype == np.float64
        assert array.shape == exact.states.shape
        for value, whole, reach in zip(array.flat, matrix.flat, exact.reach.flat, strict=True):
            true = whole / unit
            assert abs(value - true) <= 1e-12 * abs(true)
            compared += reach > 0
    assert compared > 3 * 40 * (2 if kind.startswith("equal") else 2**number)


def test_double_precision_bears_policies_with_huge_denominators() -> None:
    """A net's tiny probabilities are dyadic fractions with hundreds of bits; three of them exceed a float."""
    rules = RULES[0]
    tiny = Fraction(1, 2**500)
    players = [
        TabularPolicy.from_callable(rules, "player", lambda hand, choices: tiny, 3, seat) for seat in range(3)
    ]
    found = solver.banker_values_in_float(rules, players)
    exact = solver.banker_values(rules, players)
    assert found.reach.sum() == pytest.approx(1, rel=1e-12)
    for column in range(exact.states.shape[1]):
        reach = float(exact.reach_prob(0, column))
        assert found.reach[0, column] == pytest.approx(reach, rel=1e-12, abs=0)
