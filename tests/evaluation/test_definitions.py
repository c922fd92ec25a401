"""Gap, worst-case gap, agreement and disagreements: the definitions, on policies and games made by hand.

The toy game is played with fives and kings, with replacement, against a banker who always stands. Three cards
make 0 or 5 with probability 1/2 each, and so does a fourth card. With 0, standing ties or loses (-1/2) and
drawing is worth 0; with 5, standing ties or wins (+1/2) and drawing is worth 0. So the best response draws on
0, stands on 5 and earns 1/4; each wrong decision costs 1/2 when it arises, 1/4 a hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pan9_gym import TabularPolicy, evaluation, load_rules, policies, solver
from pan9_gym.evaluation import Report, agreement, disagreements
from pan9_gym.rules import Action, RulesConfig, sheet_names
from pan9_gym.rules.drawing import legal_actions

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "one_player.json").read_text())["sheets"]

TOY = load_rules("bicycle", num_decks="infinite", point_values={"K": 0, "5": 5})
PROB = {
    (0, 0, 0): Fraction(1, 8),
    (0, 0, 5): Fraction(3, 8),
    (0, 5, 5): Fraction(3, 8),
    (5, 5, 5): Fraction(1, 8),
}
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

FREE = load_rules("bicycle")
BONUS = load_rules("bicycle_bonus")


def toy_report(draw_prob: Callable[[tuple[int, ...]], Any]) -> Report:
    policy = TabularPolicy.from_callable(TOY, "player", lambda hand, choices: draw_prob(hand))
    return evaluation.report(TOY, policy, "player", "always_stand")


def player(rules: RulesConfig, function: Callable[[tuple[int, ...]], Any]) -> TabularPolicy:
    return TabularPolicy.from_callable(rules, "player", lambda hand, choices: function(hand), name="by hand")


def logical(hand: tuple[int, ...]) -> int:
    return int(sum(hand) % 10 <= 5)


def initial_prob(sheet: str, total: int) -> Fraction:
    """The probability of a total of the first three cards, from the golden values."""
    return Fraction(GOLDEN[sheet]["initial_total_prob"][str(total)])


@pytest.mark.parametrize(
    ("draw_prob", "gap", "agrees"),
    [
        (lambda hand: sum(hand) % 10 == 0, 0, 1),
        (lambda hand: 1, QUARTER, HALF),
        (lambda hand: 0, QUARTER, HALF),
        (lambda hand: sum(hand) % 10 == 5, HALF, 0),
        (lambda hand: HALF, QUARTER, HALF),
        (lambda hand: QUARTER if sum(hand) % 10 == 0 else 0, Fraction(3, 16), Fraction(5, 8)),
        (lambda hand: hand == (0, 0, 0), HALF * PROB[0, 5, 5], 1 - PROB[0, 5, 5]),
        (lambda hand: hand in [(0, 5, 5), (5, 5, 5)], HALF / 4, 1 - Fraction(1, 4)),
    ],
)
def test_gap_and_agreement_of_toy_policies(draw_prob: Any, gap: Fraction, agrees: Fraction) -> None:
    report = toy_report(draw_prob)
    assert report.best_response.ev == QUARTER
    assert report.gap == gap
    assert report.ev == QUARTER - gap
    assert report.agreement == agrees


def test_a_hand_is_a_row_of_its_own_unless_the_whole_total_is_misplayed() -> None:
    report = toy_report(lambda hand: hand == (0, 0, 0) or hand == (0, 0, 5) or hand == (5, 5, 5))
    rows = [
        (d.total, d.hands, d.all_hands, d.best, d.draw_prob, d.prob, d.cost) for d in report.disagreements
    ]
    assert rows == [
        (5, ((0, 0, 5), (5, 5, 5)), True, Action.STAND, 1, HALF, QUARTER),
        (0, ((0, 5, 5),), False, Action.DRAW, 0, PROB[0, 5, 5], HALF * PROB[0, 5, 5]),
    ]
    assert [d.situation for d in report.disagreements] == ["total 5", "total 0 from 0 5 5"]
    assert [d.policy_move for d in report.disagreements] == ["draw", "stand"]
    assert {d.loss for d in report.disagreements} == {HALF}
    assert sum(d.cost for d in report.disagreements) == report.gap


def test_hands_of_one_total_misplayed_to_different_degrees_are_merged_with_the_mean_probability() -> None:
    report = toy_report(lambda hand: {(0, 0, 0): 0, (0, 5, 5): HALF}.get(hand, 0))
    assert len(report.disagreements) == 1
    found = report.disagreements[0]
    assert (found.total, found.all_hands, found.prob) == (0, True, HALF)
    assert found.draw_prob == (PROB[0, 5, 5] * HALF) / HALF
    assert found.cost == HALF * (PROB[0, 0, 0] + PROB[0, 5, 5] * HALF)
    assert found.policy_move == "draw 37.5%"


def test_the_costliest_comes_first() -> None:
    report = toy_report(lambda hand: {(0, 0, 0): 0, (0, 5, 5): 1, (0, 0, 5): 0, (5, 5, 5): HALF}[hand])
    assert [d.hands for d in report.disagreements] == [((0, 0, 0),), ((5, 5, 5),)]
    assert [d.cost for d in report.disagreements] == [Fraction(1, 16), Fraction(1, 32)]


def test_where_both_actions_are_worth_the_same_every_policy_agrees() -> None:
    """With kings only every hand is 0 and a card changes nothing: everything ties."""
    rules = load_rules("bicycle", point_values={"K": 0})
    for name in ("always_draw", "always_stand", "uniform"):
        report = evaluation.report(rules, name, "player")
        assert (report.ev, report.gap, report.agreement) == (0, 0, 1)
        assert report.disagreements == ()


@pytest.mark.parametrize("name", ["always_draw", "logical_way", "always_stand"])
def test_forced_states_are_not_counted(name: str) -> None:
    """Under S3 only 5 and 6 are free; the optimum draws on 5 and stands on 6."""
    five, six = (initial_prob("bicycle_bonus", total) for total in (5, 6))
    wanted = {"always_draw": five / (five + six), "logical_way": 1, "always_stand": six / (five + six)}
    report = evaluation.report(BONUS, name, "player")
    assert report.agreement == wanted[name]
    assert {d.total for d in report.disagreements} <= {5, 6}


def test_a_role_without_a_choice_has_no_agreement_and_no_gap() -> None:
    report = evaluation.report("uk_1994_house", "always_draw", "banker")
    assert report.agreement is None
    assert report.against_equilibrium.agreement is None
    assert (report.gap, report.worst_case_gap, report.disagreements) == (0, 0, ())


@pytest.mark.parametrize("prob", [Fraction(1, 3), Fraction(9, 10), Fraction(1, 1000)])
def test_a_mixed_policy_agrees_by_how_near_it_is(prob: Fraction) -> None:
    """Drawing on 5 with probability p instead of 1: the share of fives times 1 - p is lost."""
    policy = player(FREE, lambda hand: prob if sum(hand) % 10 == 5 else logical(hand))
    report = evaluation.report(FREE, policy, "player")
    assert report.agreement == 1 - initial_prob("bicycle", 5) * (1 - prob)
    stands_on_5 = evaluation.report(FREE, player(FREE, lambda hand: int(sum(hand) % 10 < 5)), "player")
    assert report.gap == stands_on_5.gap * (1 - prob)
    assert [d.situation for d in report.disagreements] == ["total 5"]


def test_one_hand_played_otherwise_is_named_with_its_frequency_and_price() -> None:
    policy = player(FREE, lambda hand: int(hand != (0, 1, 4) and logical(hand)))
    report = evaluation.report(FREE, policy, "player")
    assert len(report.disagreements) == 1
    found = report.disagreements[0]
    assert (found.total, found.hands, found.all_hands, found.best) == (5, ((0, 1, 4),), False, Action.DRAW)
    assert found.prob == Fraction(6 * 144 * 48 * 48, 432 * 431 * 430)
    assert found.cost == report.gap > 0
    assert found.loss == found.cost / found.prob
    assert found.situation == "total 5 from 0 1 4"


def test_a_banker_is_judged_by_what_he_sees() -> None:
    policy = TabularPolicy.from_totals(FREE, "banker", {"stand": range(7), "draw": range(7)})
    found = evaluation.report(FREE, policy, "banker").disagreements
    assert [(d.situation, d.best, d.all_hands) for d in found] == [
        ("total 6, player drew", Action.STAND, True)
    ]


def test_hands_that_cannot_arise_do_not_count_as_part_of_a_total() -> None:
    """From a shoe without sixes a 6 is made of other cards only; they are still all of its hands."""
    shoe = (144, 48, 48, 48, 48, 48, 0)
    found = evaluation.report(FREE, "logical_way", "banker", shoe=shoe).disagreements
    six = next(d for d in found if d.total == 6)
    assert six.all_hands
    assert six.situation == "total 6, player stood"
    assert all(6 not in hand for hand in six.hands)


def test_hands_that_cannot_arise_do_not_split_a_total_that_is_misplayed_to_different_degrees() -> None:
    shoe = (144, 48, 48, 48, 48, 48, 0)
    policy = player(FREE, lambda hand: Fraction(hand[0], 6) if sum(hand) % 10 == 5 else logical(hand))
    found = evaluation.report(FREE, policy, "player", shoe=shoe).disagreements
    assert [(d.situation, d.all_hands) for d in found] == [("total 5", True)]
    assert 0 < found[0].draw_prob < HALF


def random_policy(role: str, seed: int, rules: RulesConfig) -> TabularPolicy:
    rng = np.random.default_rng(seed)
    return TabularPolicy.from_callable(
        rules, role, lambda hand, choices: Fraction(int(rng.integers(0, 5)), 4), name=f"random {seed}"
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("role", ["player", "banker"])
@pytest.mark.parametrize("sheet", sheet_names())
def test_the_costs_of_all_disagreements_are_the_gap_exactly(sheet: str, role: str, seed: int) -> None:
    rules = load_rules(sheet)
    policy = random_policy(role, seed, rules)
    opponent = policies.get("logical_way", rules, {"player": "banker", "banker": "player"}[role])
    values = solver.action_values(rules, role, opponent)
    found = disagreements(values, policy)
    gap = solver.best_response(rules, role, opponent).ev - values.ev(policy)
    assert sum((d.cost for d in found), Fraction(0)) == gap >= 0
    assert all(d.cost > 0 and 0 < d.prob < 1 and d.loss == d.cost / d.prob for d in found)
    assert [d.cost for d in found] == sorted((d.cost for d in found), reverse=True)
    places = [(d.choices, hand) for d in found for hand in d.hands]
    assert len({*places}) == len(places)  # no decision is counted twice
    free = [hand for _, hand in places if len(legal_actions(rules, values.states.role, sum(hand) % 10)) == 2]
    assert len(free) == len(places)


@pytest.mark.parametrize("role", ["player", "banker"])
def test_agreement_is_the_mean_nearness_over_free_decisions_weighted_by_frequency(role: str) -> None:
    """The definition once more, from the best response's own table of decisions."""
    policy = random_policy(role, 7, BONUS)
    opponent = policies.get("uniform", BONUS, {"player": "banker", "banker": "player"}[role])
    best = solver.best_response(BONUS, role, opponent)
    free = [decision for row in best.table.values() for decision in row if decision.is_free]
    near = sum(
        decision.prob * (1 - abs(policy.draw_prob(decision.hand, decision.choices) - decision.best))
        for decision in free
    )
    wanted = near / sum(decision.prob for decision in free)
    assert agreement(solver.action_values(BONUS, role, opponent), policy) == wanted
    assert 0 < wanted < 1


@pytest.mark.parametrize("role", ["player", "banker"])
@pytest.mark.parametrize("name", ["logical_way", "always_draw", "always_stand", "uniform"])
def test_the_worst_case_gap_is_the_value_less_what_the_best_answer_leaves(role: str, name: str) -> None:
    other = {"player": "banker", "banker": "player"}[role]
    policy = policies.get(name, FREE, role)
    value = solver.equilibrium(FREE).value * (1 if role == "player" else -1)
    left = -solver.best_response(FREE, other, policy).ev
    report = evaluation.report(FREE, name, role)
    assert report.worst_case_gap == value - left >= 0
    # against the equilibrium, which is one of the answers, it loses no more than against the best answer
    assert report.against_equilibrium.gap <= report.worst_case_gap
