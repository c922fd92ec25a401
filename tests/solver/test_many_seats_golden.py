"""One to seven logical-way players against tests/golden/many_seats.json, made by other code.

Fractions are compared as `Fraction`, the source's decimals as the nearest double.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, RulesConfig, load_rules
from pan9_gym.solver.levels import Level

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "many_seats.json").read_text(encoding="utf-8")
)
TABLES: dict[str, Any] = GOLDEN["num_players"]
SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens")
NEAR_THE_THRESHOLD = (4, 5, 6, 7)
LEVELS: dict[str, Level] = {"banker_br_totals": "total", "banker_br_composition": "hand"}

numbers = pytest.mark.parametrize("number", [2, 3])
sheets = pytest.mark.parametrize("sheet", SHEETS)
both_levels = pytest.mark.parametrize("entry", LEVELS)


@cache
def rules_of(sheet: str) -> RulesConfig:
    free = {"banker_draw_rule": {}} if sheet == "bicycle_bonus" else {}
    return load_rules(sheet, **free)


@cache
def values_of(number: int, sheet: str) -> solver.ActionValues:
    return solver.banker_values(rules_of(sheet), ["logical_way"] * number)


@cache
def answer_of(number: int, sheet: str, level: Level) -> solver.BestResponse:
    return solver.best_response_to_values(values_of(number, sheet), level)


@cache
def evaluation_of(number: int, sheet: str, entry: str) -> solver.SeatsEvaluation:
    policy = "logical_way" if entry == "banker_logical" else answer_of(number, sheet, LEVELS[entry]).policy
    return solver.evaluate_seats(rules_of(sheet), ["logical_way"] * number, policy)


def expected(number: int, sheet: str) -> dict[str, Any]:
    found: dict[str, Any] = TABLES[str(number)]["variants"][sheet]
    return found


@cache
def patterns(number: int, drawers: int) -> list[tuple[str, ...]]:
    """Every pattern with so many drawers: identical seats, so the same answer to each."""
    every = evaluation_of(number, "bicycle", "banker_logical").pattern_probs
    return [pattern for pattern in every if pattern.count("draw") == drawers]


def rows(number: int, sheet: str) -> Iterator[tuple[dict[str, Any], solver.Decision]]:
    """Each row of the source's tables by total with each decision that it is about."""
    table = answer_of(number, sheet, "total").table
    for drawers, entry in expected(number, sheet)["by_drawers"].items():
        for pattern in patterns(number, int(drawers)):
            for total, row in entry["totals_table"].items():
                yield row, table[pattern][int(total)]


@numbers
def test_pattern_probabilities(number: int) -> None:
    found = evaluation_of(number, "bicycle", "banker_logical")
    by_drawers = [Fraction(0)] * (number + 1)
    for pattern, prob in found.pattern_probs.items():
        by_drawers[pattern.count("draw")] += prob
    given = TABLES[str(number)]["pattern_prob"]
    assert by_drawers == [Fraction(given[str(drawers)]) for drawers in range(number + 1)]


@numbers
@sheets
@both_levels
def test_banker_best_response_ev(number: int, sheet: str, entry: str) -> None:
    given = expected(number, sheet)[entry]
    answer = answer_of(number, sheet, LEVELS[entry])
    assert answer.ev == Fraction(given["ev_per_hand"])
    found = evaluation_of(number, sheet, entry)
    assert found.banker_ev == Fraction(given["ev_per_hand"])
    assert found.ev_per_unit == Fraction(given["ev_per_seat"])
    assert found.evs == (-Fraction(given["ev_per_seat"]),) * number


@numbers
@sheets
def test_totals_tables(number: int, sheet: str) -> None:
    compared = 0
    for row, decision in rows(number, sheet):
        pattern_prob = sum(other.prob for other in answer_of(number, sheet, "total").table[decision.choices])
        assert decision.prob / pattern_prob == Fraction(row["prob_given_pattern"])
        assert decision.ev_stand == Fraction(row["ev_banker_stand"])
        assert decision.ev_draw == Fraction(row["ev_banker_draw"])
        assert decision.best is Action[row["best"].upper()]
        compared += 1
    assert compared == 10 * 2**number


@numbers
@sheets
def test_draw_sets_by_totals_and_by_composition(number: int, sheet: str) -> None:
    for drawers, entry in expected(number, sheet)["by_drawers"].items():
        assert entry["composition_differs"] == []
        for pattern in patterns(number, int(drawers)):
            by_total = answer_of(number, sheet, "total").table[pattern]
            drawn = [int(decision.hand) for decision in by_total if decision.best is Action.DRAW]
            assert drawn == entry["draw_on_totals"]
            assert drawn == expected(number, sheet)["banker_br_totals"]["draw_table"][drawers]
    by_hand = answer_of(number, sheet, "hand").policy
    assert by_hand.draw_probs == answer_of(number, sheet, "total").policy.draw_probs


@numbers
@sheets
def test_seat_outcomes_under_the_best_response(number: int, sheet: str) -> None:
    given = expected(number, sheet)["banker_br_totals"]["seat_outcomes"]
    for joint in evaluation_of(number, sheet, "banker_br_totals").joint_totals:
        pairs = [(p, b) for p in range(10) for b in range(10)]
        assert sum(joint[p][b] for p, b in pairs if p > b) == Fraction(given["W"])
        assert sum(joint[p][b] for p, b in pairs if p < b) == Fraction(given["L"])
        assert (joint[0][0], joint[1][1]) == (Fraction(given["T0"]), Fraction(given["T1"]))
        assert sum(joint[total][total] for total in range(2, 10)) == Fraction(given["TX"])


@numbers
@sheets
def test_banker_logical_ev(number: int, sheet: str) -> None:
    given = expected(number, sheet)["banker_logical"]
    found = evaluation_of(number, sheet, "banker_logical")
    assert found.banker_ev == Fraction(given["ev_per_hand"])
    assert found.ev_per_unit == Fraction(given["ev_per_seat"])


@numbers
@sheets
def test_smallest_banker_margin_of_a_free_decision(number: int, sheet: str) -> None:
    """Free under the sheet's forced moves at Hawaiian Gardens: a free banker's least margin is on 0 there."""
    given = expected(number, sheet)["smallest_banker_margin"]
    margins = [
        (abs(decision.draw_gain), pattern.count("draw"), int(decision.hand))
        for pattern, row in answer_of(number, sheet, "total").table.items()
        for decision in row
        if decision.is_free
    ]
    assert min(margins) == (Fraction(given["margin"]), given["drawers"], given["total"])


@numbers
@sheets
def test_per_seat_gains_come_from_the_wagers_alone(number: int, sheet: str) -> None:
    """`gains` of `wager_ratios` against the source's split of the totals tables by seat."""
    players = ["logical_way"] * number
    compared = 0
    for total in NEAR_THE_THRESHOLD:
        for ratio in solver.wager_ratios(rules_of(sheet), players, total):
            drawers = str(ratio.choices.count("draw"))
            row = expected(number, sheet)["by_drawers"][drawers]["totals_table"][str(total)]
            for token, gain in zip(ratio.choices, ratio.gains, strict=True):
                kind = "drawer" if token == "draw" else "stander"
                assert gain == Fraction(row[f"per_{kind}_draw"]) - Fraction(row[f"per_{kind}_stand"])
                compared += 1
    assert compared == len(NEAR_THE_THRESHOLD) * number * 2**number


@numbers
@sheets
def test_gain_from_drawing_over_hands_and_patterns(number: int, sheet: str) -> None:
    """The banker's gain from drawing per unit of one seat, over all hands of a total and all patterns."""
    given = expected(number, sheet)["banker_gain_from_drawing_range_over_hands_and_patterns"]
    players = ["logical_way"] * number
    doubled = solver.banker_values(rules_of(sheet), players, [2] + [1] * (number - 1))
    single = values_of(number, sheet)
    found: dict[tuple[str, str], list[Fraction]] = {}
    for pattern, choices in enumerate(single.states.patterns):
        for column, total in enumerate(single.states.column_totals):
            gain = doubled.draw_gain(pattern, column) - single.draw_gain(pattern, column)
            kind = "drawer" if choices[0] == "draw" else "stander"
            found.setdefault((kind, str(total)), []).append(gain / single.reach_prob(pattern, column))
    assert {key: [min(gains), max(gains)] for key, gains in found.items()} == {
        (kind, total): [Fraction(bound) for bound in bounds]
        for kind, by_total in given.items()
        for total, bounds in by_total.items()
    }


def banker_of(number: int, sheet: str, name: str) -> TabularPolicy:
    if name == "banker_logical":
        return policies.get("logical_way", rules_of(sheet), "banker", number)
    return answer_of(number, sheet, LEVELS[name]).policy


@numbers
@sheets
@pytest.mark.parametrize("name", ["banker_logical", "banker_br_composition"])
def test_player_given_predecessors(number: int, sheet: str, name: str) -> None:
    given = expected(number, sheet)["player_given_predecessors"][name]
    assert given["total_deviations_from_logical"] == given["composition_deviations_from_logical"] == []
    rules, players = rules_of(sheet), ["logical_way"] * number
    compared = set()
    for seat in range(number):
        values = solver.seat_values(rules, players, banker_of(number, sheet, name), seat)
        logical = policies.get("logical_way", rules, "player", number, seat)
        for level in LEVELS.values():
            answer = solver.best_response_to_values(values, level)
            assert answer.policy.draw_probs == logical.draw_probs
        for choices, row in solver.best_response_to_values(values, "total").table.items():
            cell = f"seat{seat + 1}_after_{choices.count('draw')}_drawers"
            compared.add(cell)
            for decision in row:
                printed = given["cells"][cell][decision.hand]
                assert decision.prob > 0
                assert float(decision.ev_stand or 0) == printed["ev_stand"]
                assert float(decision.ev_draw or 0) == printed["ev_draw"]
                if "draw_minus_stand" in printed:
                    assert decision.draw_gain == Fraction(printed["draw_minus_stand"])
    assert compared == set(given["cells"])


@pytest.mark.parametrize(
    "number", [1, 2, 3, 4, *(pytest.param(number, marks=pytest.mark.slow) for number in (5, 6, 7))]
)
def test_U10_the_tie_wager_beside_other_players_when_a_player_banks(number: int) -> None:
    expected = GOLDEN["uk_tie_wager_by_seats"][str(number)]
    players = ["logical_way"] * number
    banker = solver.banker_best_response("uk_1994_player", players).policy
    found = solver.evaluate_seats("uk_1994_player", players, banker)
    for joint in found.joint_totals:
        tie_prob = sum(joint[total][total] for total in range(10))
        assert tie_prob == Fraction(expected["p_tie"])
        assert 8 * tie_prob - 1 == Fraction(expected["ev"])
