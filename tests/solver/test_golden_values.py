"""Every exact value of the one-player game against tests/golden/one_player.json, made by other code.

Compared as `Fraction` and `int`, never with a tolerance. `fresh` is a full shoe, `infinite` cards with
replacement.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig, load_rules

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "one_player.json").read_text(encoding="utf-8")
)
SHEETS: dict[str, Any] = GOLDEN["sheets"]
PATTERNS = {"player_stands": ("stand",), "player_draws": ("draw",)}
THRESHOLDS = {"draw<=4": range(5), "draw<=5": range(6), "draw<=6": range(7)}
TOTALS = [str(total) for total in range(10)]

every_sheet = pytest.mark.parametrize("sheet", SHEETS)
fresh_and_infinite = pytest.mark.parametrize("shoe", ["fresh", "infinite"])
every_threshold = pytest.mark.parametrize("threshold", THRESHOLDS)
both_levels = pytest.mark.parametrize("level", ["total", "hand"])


@cache
def rules_of(sheet: str, shoe: str) -> RulesConfig:
    rules = load_rules(sheet.removesuffix("_free_banker"))
    if sheet.endswith("_free_banker"):
        rules = load_rules(rules, banker_draw_rule={})
    return load_rules(rules, num_decks="infinite") if shoe == "infinite" else rules


def logical(sheet: str, shoe: str, role: str) -> TabularPolicy:
    return policies.get("logical_way", rules_of(sheet, shoe), role)


def threshold_player(sheet: str, threshold: str) -> TabularPolicy:
    return TabularPolicy.from_totals(rules_of(sheet, "fresh"), "player", THRESHOLDS[threshold])


def values_of(table: dict[str, dict[str, str]]) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    return {
        hand: (Fraction(row["prob"]), Fraction(row["ev_stand"]), Fraction(row["ev_draw"]))
        for hand, row in table.items()
    }


def values_found(row: tuple[solver.Decision, ...]) -> dict[str, tuple[Any, Any, Any]]:
    return {
        decision.hand.replace(" ", ""): (decision.prob, decision.ev_stand, decision.ev_draw)
        for decision in row
    }


def drawn_on(row: tuple[solver.Decision, ...]) -> list[str]:
    return [decision.hand.replace(" ", "") for decision in row if decision.best is Action.DRAW]


def by_totals(policy: TabularPolicy, choices: tuple[str, ...]) -> dict[str, Fraction]:
    """The probabilities of a policy that is the same for all hands of a total."""
    pattern = policy.states.pattern_index(choices)
    found: dict[int, set[Fraction]] = {}
    for total, prob in zip(policy.states.column_totals, policy.draw_probs[pattern], strict=True):
        found.setdefault(total, set()).add(prob)
    return {
        str(total): probs.pop() if len(probs) == 1 else Fraction(-1) for total, probs in sorted(found.items())
    }


def fractions(entries: dict[str, str]) -> dict[str, Fraction]:
    return {key: Fraction(value) for key, value in entries.items()}


def check_outcomes(found: solver.Evaluation, wanted: dict[str, str]) -> None:
    assert found.win_prob == Fraction(wanted["player_win"])
    assert found.tie_prob == Fraction(wanted["tie"])
    assert found.loss_prob == Fraction(wanted["player_loss"])
    assert found.joint_totals[0][0] == Fraction(wanted["tie_on_0"])
    assert found.joint_totals[1][1] == Fraction(wanted["tie_on_1"])


def check_joint_counts(found: solver.Evaluation, counts: list[list[str]], denominator: str) -> None:
    unit = int(denominator)
    assert [[prob * unit for prob in row] for row in found.joint_totals] == [
        [int(n) for n in row] for row in counts
    ]
    assert sum(int(number) for row in counts for number in row) == unit


def test_the_file_covers_all_five_sheets_and_says_where_it_is_from() -> None:
    five = {"bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player"}
    assert set(SHEETS) == {*five, "bicycle_bonus_free_banker"}
    assert GOLDEN["source"]
    assert "independent" in GOLDEN["method"]


@every_sheet
def test_initial_totals_and_packs(sheet: str) -> None:
    rules = rules_of(sheet, "fresh")
    answer = solver.best_response(rules, "player", logical(sheet, "fresh", "banker"), level="total")
    assert rules.num_decks == SHEETS[sheet]["decks"]
    assert {d.hand: d.prob for d in answer.table[()]} == fractions(SHEETS[sheet]["initial_total_prob"])


@every_sheet
@fresh_and_infinite
def test_logical_way_against_logical_way(sheet: str, shoe: str) -> None:
    golden = SHEETS[sheet] if shoe == "fresh" else SHEETS[sheet]["infinite_deck"]
    wanted = golden["logical_vs_logical"]
    found = solver.evaluate(
        rules_of(sheet, shoe), logical(sheet, shoe, "player"), logical(sheet, shoe, "banker")
    )
    assert found.ev == Fraction(wanted["ev_player"])
    check_outcomes(found, wanted)
    if shoe == "fresh":
        check_joint_counts(found, wanted["joint_counts_player_by_banker"], wanted["joint_denominator"])


@every_sheet
@fresh_and_infinite
def test_player_best_response_to_the_logical_banker(sheet: str, shoe: str) -> None:
    golden = SHEETS[sheet]
    wanted = (
        golden["player_best_response_to_logical_banker"]
        if shoe == "fresh"
        else golden["infinite_deck"]["player_br_vs_logical_banker"]
    )
    found = solver.best_response(
        rules_of(sheet, shoe), "player", logical(sheet, shoe, "banker"), level="total"
    )
    assert found.ev == Fraction(wanted["ev"])
    assert values_found(found.table[()]) == values_of(wanted["table"])
    assert drawn_on(found.table[()]) == [str(total) for total in wanted["draw_on"]]


def check_banker_answer(found: solver.BestResponse, wanted: dict[str, Any]) -> None:
    """Expectation, moves, ties, and the table where the file has one."""
    assert found.ev == Fraction(wanted["ev_banker"])
    for key, choices in PATTERNS.items():
        row = found.table[choices]
        assert drawn_on(row) == wanted["draw_on"][key]
        if "table" in wanted:
            assert values_found(row) == values_of(wanted["table"][key])
        if "exactly_indifferent" in wanted:
            even = [d.hand.replace(" ", "") for d in row if d.is_free and d.draw_gain == 0]
            assert even == wanted["exactly_indifferent"][key]


@every_sheet
@every_threshold
@both_levels
def test_banker_best_response_to_a_threshold_player(sheet: str, threshold: str, level: str) -> None:
    wanted = SHEETS[sheet]["banker_best_response_to_threshold_player"][threshold]
    assert wanted["legal_for_player"]
    player = threshold_player(sheet, threshold)
    found = solver.best_response(rules_of(sheet, "fresh"), "banker", player, level=level)
    check_banker_answer(found, wanted["totals" if level == "total" else "composition"])


def test_the_composition_table_is_compared_on_bicycle() -> None:
    answers = SHEETS["bicycle"]["banker_best_response_to_threshold_player"]
    assert len(answers["draw<=5"]["composition"]["table"]["player_stands"]) == 84


@every_sheet
def test_banker_best_response_with_replacement(sheet: str) -> None:
    wanted = SHEETS[sheet]["infinite_deck"]["banker_br_vs_logical_player"]
    player = logical(sheet, "infinite", "player")
    found = solver.best_response(rules_of(sheet, "infinite"), "banker", player, level="total")
    check_banker_answer(found, wanted)


@every_sheet
def test_outcomes_against_the_banker_best_response(sheet: str) -> None:
    wanted = SHEETS[sheet]["banker_best_response_to_threshold_player"]["draw<=5"]
    rules, player = rules_of(sheet, "fresh"), threshold_player(sheet, "draw<=5")
    banker = solver.best_response(rules, "banker", player, level="total").policy
    found = solver.evaluate(rules, player, banker)
    assert found.ev == -Fraction(wanted["totals"]["ev_banker"])
    check_outcomes(found, wanted["outcomes_under_totals_br"])
    denominator = SHEETS[sheet]["logical_vs_logical"]["joint_denominator"]
    check_joint_counts(found, wanted["joint_counts_under_totals_br"], denominator)


@every_sheet
def test_player_reply_to_the_banker_best_response(sheet: str) -> None:
    wanted = SHEETS[sheet]["banker_best_response_to_threshold_player"]["draw<=5"]["player_reply_to_totals_br"]
    rules = rules_of(sheet, "fresh")
    banker = solver.best_response(rules, "banker", threshold_player(sheet, "draw<=5"), level="total").policy
    found = solver.best_response(rules, "player", banker, level="total")
    assert found.ev == Fraction(wanted["totals"]["ev"])
    assert drawn_on(found.table[()]) == [str(total) for total in wanted["totals"]["draw_on"]]
    assert values_found(found.table[()]) == values_of(wanted["totals"]["table"])
    by_hand = solver.best_response(rules, "player", banker, level="hand")
    assert by_hand.ev == Fraction(wanted["composition"]["ev"])
    assert wanted["composition"]["differs_from_logical"] == []
    assert by_hand.policy.draw_probs == logical(sheet, "fresh", "player").draw_probs


@every_sheet
@both_levels
def test_equilibrium_of_a_fresh_shoe(sheet: str, level: str) -> None:
    wanted = SHEETS[sheet]["equilibrium_totals"]
    found = solver.equilibrium(rules_of(sheet, "fresh"), level, level)
    key = "value_to_player"
    value = wanted[key] if level == "total" else SHEETS[sheet]["equilibrium_composition_value"]
    assert (found.value, found.exploitability) == (Fraction(value), 0)
    assert found.lower == found.upper == found.value
    assert by_totals(found.player, ()) == fractions(wanted["player_draw_prob"])
    for pattern, choices in PATTERNS.items():
        assert by_totals(found.banker, choices) == fractions(wanted["banker_draw_prob"][pattern])
    assert found.mixed == ()


@every_sheet
def test_equilibrium_with_replacement(sheet: str) -> None:
    wanted = SHEETS[sheet]["infinite_deck"]["nash"]
    rules = rules_of(sheet, "infinite")
    found = solver.equilibrium(rules, "total", "total")
    assert (found.value, found.exploitability) == (Fraction(wanted["value_to_player"]), 0)
    assert found.unique is wanted["unique_equilibrium"]
    assert by_totals(found.player, ()) == fractions(wanted["player_draw_prob"])
    for pattern, choices in PATTERNS.items():
        assert by_totals(found.banker, choices) == fractions(wanted["banker_draw_prob"][pattern])
    assert [entry.hand for entry in found.mixed] == wanted["player_mixed"] + wanted.get("banker_mixed", [])
    check_outcomes(solver.evaluate(rules, found.player, found.banker), wanted["outcomes"])


@every_sheet
@pytest.mark.parametrize("role", list(Role))
def test_smallest_margins_with_replacement(sheet: str, role: Role) -> None:
    wanted = SHEETS[sheet]["infinite_deck"]["nash"].get(f"{role}_smallest_margin")
    found = solver.equilibrium(rules_of(sheet, "infinite"), "total", "total")
    margins = [entry for entry in found.margins if entry.role is role]
    assert margins == sorted(margins, key=lambda entry: entry.margin)
    if wanted is None:  # the House has no choice (U2)
        assert (sheet, role, margins) == ("uk_1994_house", Role.BANKER, [])
    else:
        assert ":".join((*margins[0].choices, margins[0].hand)) == wanted["infoset"]
        assert margins[0].margin == Fraction(wanted["margin"])


@every_sheet
@fresh_and_infinite
@both_levels
def test_exploitability_is_zero_at_the_equilibrium_and_known_at_the_logical_way(
    sheet: str, shoe: str, level: str
) -> None:
    rules = rules_of(sheet, shoe)
    found = solver.equilibrium(rules, level, level)
    assert solver.exploitability(rules, found.player, found.banker, level, level) == 0
    golden, fresh = SHEETS[sheet], shoe == "fresh"
    pair = [logical(sheet, shoe, role) for role in ("player", "banker")]
    infinite = golden["infinite_deck"]
    gain = (
        Fraction(golden["player_best_response_to_logical_banker"]["ev"])
        + Fraction(golden["banker_best_response_to_threshold_player"]["draw<=5"]["totals"]["ev_banker"])
        if fresh
        else Fraction(infinite["player_br_vs_logical_banker"]["ev"])
        + Fraction(infinite["banker_br_vs_logical_player"]["ev_banker"])
    )
    assert solver.nash_conv(rules, *pair, "total", "total") == gain
    assert solver.exploitability(rules, *pair, "total", "total") == gain / 2
