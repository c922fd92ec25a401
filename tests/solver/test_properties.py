"""What must hold for any policies and any shoe, full or depleted (the same examples every run)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym import policies, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, RulesConfig, load_rules
from pan9_gym.solver.deal_distribution import deal_distribution
from pan9_gym.solver.levels import Level

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
LEVELS: st.SearchStrategy[Level] = st.sampled_from(["hand", "total"])
ROLES = st.sampled_from(list(Role))

modest = settings(max_examples=15, derandomize=True, deadline=None)
few = settings(max_examples=10, derandomize=True, deadline=None)


def with_enough_cards(counts: tuple[int, ...]) -> bool:
    return sum(counts) >= 8


shoes = (
    st.one_of(
        st.tuples(*[st.integers(0, 48)] * 7),
        st.tuples(*[st.integers(0, 4)] * 7),  # nearly dealt out, often with a value that has run out
        st.tuples(*[st.sampled_from([0, 0, 5, 20])] * 7),
    )
    .filter(with_enough_cards)
    .map(lambda counts: tuple(min(n, 32) for n in counts))
)
"""Counts of the points 0 to 6 that fit the 8 packs of the UK sheets too."""

sheets = st.sampled_from(SHEETS).map(load_rules)
seeds = st.integers(0, 2**32 - 1)


def random_policy(rules: RulesConfig, role: Role, seed: int) -> TabularPolicy:
    """A legal table of eighths; every fourth entry or so is pure."""
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


def pair(rules: RulesConfig, seed: int) -> dict[Role, TabularPolicy]:
    return {role: random_policy(rules, role, seed + place) for place, role in enumerate(Role)}


def evaluated(
    rules: RulesConfig, both: dict[Role, TabularPolicy], role: Role, shoe: tuple[int, ...]
) -> Fraction:
    """The role's expectation from the joint distribution of the totals."""
    ev = solver.evaluate(rules, both[Role.PLAYER], both[Role.BANKER], shoe).ev
    return ev if role is Role.PLAYER else -ev


@modest
@given(rules=sheets, shoe=shoes, seed=seeds, role=ROLES, level=LEVELS)
def test_no_policy_beats_the_best_response(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, role: Role, level: Level
) -> None:
    both = pair(rules, seed)
    values = solver.action_values(rules, role, both[role.opponent], shoe)
    answer = solver.best_response_to_values(values, level)
    rivals = [policies.get(name, rules, role) for name in policies.CHARTS]
    rivals += [random_policy(rules, role, seed + number) for number in range(9) if level == "hand"]
    assert all(answer.ev >= values.ev(rival) for rival in rivals)
    assert any(answer.ev > values.ev(rival) for rival in rivals) or rules.name == "uk_1994_house"


@modest
@given(rules=sheets, shoe=shoes, seed=seeds, role=ROLES, level=LEVELS)
def test_the_best_response_policy_earns_what_it_promises(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, role: Role, level: str
) -> None:
    both = pair(rules, seed)
    answer = solver.best_response(rules, role, both[role.opponent], level, shoe)
    assert evaluated(rules, {**both, role: answer.policy}, role, shoe) == answer.ev
    assert answer.policy.is_deterministic


@modest
@given(rules=sheets, shoe=shoes, seed=seeds, role=ROLES)
def test_a_gap_is_the_sum_of_the_prices_of_the_decisions(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, role: Role
) -> None:
    """gap = sum over decisions of reach * |draw probability off the best action| * |draw gain|."""
    both = pair(rules, seed)
    answer = solver.best_response(rules, role, both[role.opponent], "hand", shoe)
    prices = [
        decision.prob * abs(prob - decision.best) * abs(decision.draw_gain)
        for row, probs in zip(answer.table.values(), both[role].draw_probs, strict=True)
        for decision, prob in zip(row, probs, strict=True)
    ]
    values = solver.action_values(rules, role, both[role.opponent], shoe)
    assert values.ev(both[role]) == evaluated(rules, both, role, shoe)
    assert answer.ev - values.ev(both[role]) == sum(prices)


@modest
@given(rules=sheets, shoe=shoes, seed=seeds)
def test_an_evaluation_adds_up(rules: RulesConfig, shoe: tuple[int, ...], seed: int) -> None:
    both = pair(rules, seed)
    found = solver.evaluate(rules, both[Role.PLAYER], both[Role.BANKER], shoe)
    bought = sum(found.joint_totals[total][total] for total in rules.banker_wins_ties)
    assert found.win_prob + found.tie_prob + found.loss_prob == 1
    assert all(prob >= 0 for row in found.joint_totals for prob in row)
    assert found.ev == rules.payout * found.win_prob - found.loss_prob - bought
    square = rules.payout**2 * found.win_prob + found.loss_prob + bought
    assert found.variance == square - found.ev**2


@modest
@given(rules=sheets, shoe=shoes, seed=seeds, level=LEVELS)
def test_exploitability_is_half_of_both_gaps_and_not_negative(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, level: str
) -> None:
    both = (
        {role: policies.get("uniform", rules, role) for role in Role}
        if level == "total"
        else pair(rules, seed)
    )
    gaps = []
    for role in Role:
        values = solver.action_values(rules, role, both[role.opponent], shoe)
        gaps.append(
            solver.best_response(rules, role, both[role.opponent], level, shoe).ev - values.ev(both[role])
        )
    found = solver.exploitability(rules, both[Role.PLAYER], both[Role.BANKER], level, level, shoe)
    assert min(gaps) >= 0
    assert found == sum(gaps) / 2
    assert solver.nash_conv(rules, both[Role.PLAYER], both[Role.BANKER], level, level, shoe) == 2 * found


@few
@given(rules=sheets, shoe=shoes, seed=seeds, level=LEVELS)
def test_an_equilibrium_is_certified_and_bounds_every_best_response(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, level: str
) -> None:
    found = solver.equilibrium(rules, level, level, shoe)
    assert found.lower <= found.value <= found.upper
    assert found.upper - found.lower == 2 * found.exploitability
    assert found.exploitability == 0
    assert all(entry.margin >= 0 for entry in found.margins)
    value = solver.evaluate(rules, found.player, found.banker, shoe).ev
    assert value == found.value
    both = pair(rules, seed)
    for role, sign in ((Role.PLAYER, 1), (Role.BANKER, -1)):
        opponent = both[role.opponent] if level == "hand" else policies.get("uniform", rules, role.opponent)
        # whatever the opponent plays, the best answer to it earns at least the value of the game
        assert solver.best_response(rules, role, opponent, level, shoe).ev >= sign * found.value


@few
@given(rules=sheets, shoe=shoes, seed=seeds, role=ROLES)
def test_worst_case_gap_is_not_negative_and_zero_at_the_equilibrium(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, role: Role
) -> None:
    gap = solver.worst_case_gap(rules, random_policy(rules, role, seed), role, shoe=shoe)
    best = solver.equilibrium(rules, shoe=shoe).policy(role)
    assert gap >= 0
    assert solver.worst_case_gap(rules, best, role, shoe=shoe) == 0


@few
@given(rules=sheets, shoe=shoes)
def test_a_finer_level_is_worth_no_less(rules: RulesConfig, shoe: tuple[int, ...]) -> None:
    value = {
        levels: solver.equilibrium(rules, *levels, shoe).value
        for levels in (("hand", "total"), ("total", "total"), ("total", "hand"))
    }
    assert value["hand", "total"] >= value["total", "total"] >= value["total", "hand"]


@modest
@given(rules=sheets, shoe=shoes, seed=seeds, role=ROLES)
def test_a_hand_that_the_shoe_cannot_deal_never_arises(
    rules: RulesConfig, shoe: tuple[int, ...], seed: int, role: Role
) -> None:
    opponent = random_policy(rules, role.opponent, seed)
    answer = solver.best_response(rules, role, opponent, "hand", shoe)
    for row in answer.table.values():
        for decision in row:
            cards = decision.hand.split()
            if any(cards.count(str(value)) > left for value, left in zip(rules.values, shoe, strict=True)):
                assert (decision.prob, decision.ev_stand, decision.ev_draw) == (0, None, None)
                assert not decision.is_free
    assert sum(decision.prob for row in answer.table.values() for decision in row) == 1


@modest
@given(rules=sheets, shoe=shoes)
def test_deal_counts_are_counts_and_symmetric(rules: RulesConfig, shoe: tuple[int, ...]) -> None:
    distribution = deal_distribution(rules, shoe)
    for first in (None, *rules.values):
        for second in (None, *rules.values):
            deals = distribution.deals(first, second)
            assert deals.min() >= 0
            # to exchange the seats and their cards changes no count
            assert (deals == distribution.deals(second, first).T).all()
            assert all(type(number) is int for number in deals.ravel()[:: len(deals)])
