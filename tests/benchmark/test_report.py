"""The benchmark: every budget has a line, each measuring function answers, the command prints tables."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from pan9_gym import load_rules, solver
from pan9_gym.benchmark import budgets
from pan9_gym.benchmark.budgets import Line
from pan9_gym.benchmark.openspiel import ratios
from pan9_gym.benchmark.report import Report
from pan9_gym.benchmark.timing import Timing
from pan9_gym.rules import Role, sheet_names


def test_every_sheet_and_seven_seats_have_their_budget() -> None:
    found = {budget.name: budget.seconds for budget in budgets.budgets()}
    one_on_one = {
        "exact evaluation": 0.2,
        "equilibrium by totals": 2,
        "equilibrium by hands": 15,
        "float best responses of both roles, new shoe": 0.001,
    }
    wanted = {f"{name}, {sheet}": most for name, most in one_on_one.items() for sheet in sheet_names()}
    assert found == wanted | {"banker against 7 seats, float": 5, "banker against 7 seats, exact": 60}


@pytest.mark.parametrize(
    ("seconds", "peak", "met"), [(1.0, 2048.0, True), (1.01, 100.0, False), (0.5, 2049.0, False)]
)
def test_a_budget_is_met_in_time_and_in_memory(seconds: float, peak: float, met: bool) -> None:
    assert Line("any", Timing(seconds, 0.0, peak), 1.0, "").is_met is met


def test_each_measuring_function_answers() -> None:
    assert budgets.exact_evaluation("baccarat_chemin_de_fer")[1] == "arbitrary mixed policies"
    assert budgets.equilibrium("bicycle", "hand")[1] == "exploitability 0"
    assert budgets.float_best_responses("uk_1994_house")[0].seconds < 0.1
    answer = solver.banker_best_response("bicycle", ["logical_way"] * 2)
    assert f"ev is {float(answer.ev):.6f}" in budgets.banker_exactly(2)[1]
    deviation = float(budgets.banker_in_float(2)[1].rsplit(": ", 1)[1])
    assert 0 < deviation < 1e-15


def test_an_arbitrary_policy_mixes_where_the_role_is_free() -> None:
    rules = load_rules("hawaiian_gardens")
    policy = budgets.arbitrary_policy(rules, Role.BANKER, np.random.default_rng(1))
    mixed = {
        total
        for row in policy.draw_probs
        for total, prob in zip(policy.states.column_totals, row, strict=True)
        if 0 < prob < 1
    }
    assert mixed == {5, 6}


SHOE = (3, 0, 2, 0, 0, 4, 0)


def test_openspiel_and_we_answer_alike() -> None:
    rules = load_rules("bicycle")
    for question in (ratios.best_responses, ratios.exploitabilities):
        found = question("any", rules, SHOE)
        assert found.difference < 1e-12
        assert found.ratio == found.openspiel.seconds / found.ours.seconds
    found = ratios.equilibria("any", rules, SHOE)
    assert "ours is 0" in found.note
    assert found.difference < 2 * ratios.CFR_TARGET  # a value is off by NashConv at most


def test_cfr_stops_at_its_last_iteration_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratios, "CFR_TARGET", 0.0)
    monkeypatch.setattr(ratios, "CFR_ITERATIONS", 10)
    game = ratios.Pan9Game(load_rules("bicycle"), SHOE)
    assert ratios.approach_by_cfr(game)[2] == 10


def test_the_size_of_a_tree_by_hand() -> None:
    """One first card each out of two of 0 and two of 5 points.

    The root, the player's 2 hands, then for each of them the banker's 2: 7 histories. If both have the same
    card one kind is left. After a stand the banker chooses: he, his stand, his card due, his card: 4; after a
    draw it is the player's card due and the same 4 again: 5. If one card of each kind is left a card may be
    either: he, his stand, his card due, 2 cards: 5; and after a draw the card due, then twice 4 again: 9.
    """
    rules = load_rules("bicycle", point_values={"A": 0, "2": 5}, num_initial_cards=1)
    game = ratios.Pan9Game(rules, (2, 2))
    assert ratios.num_histories(game.new_initial_state()) == 7 + 2 * (4 + 5) + 2 * (5 + 9)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "pan9_gym.cli.main", "bench", "solver", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_a_table() -> None:
    found = command("--only", "exploitability, chemin de fer")
    assert found.returncode == 0, found.stderr
    remark, _, _, _, row = found.stdout.splitlines()
    assert remark.endswith("4 of 0, 4 of 1, 3 of 4, 1 of 8, 4 of 9 points; a tree of 2833 histories")
    assert row.startswith("| OpenSpiel: exploitability, chemin de fer, 16 cards |")
    assert found.stderr == "measuring: OpenSpiel: exploitability, chemin de fer, 16 cards\n"


def test_both_tables_as_text() -> None:
    lines = (
        Line("quick", Timing(0.1234, 0.5, 99.6), 0.2, "as it should be"),
        Line("slow", Timing(3.0, 3.0, 100.0), 2, "-"),
    )
    ratio = ratios.Ratio("question", Timing(6.0, 6.0, 120.0), Timing(0.05, 0.05, 60.0), 1e-16, "small")
    text = Report(lines, (ratio,), ("what the game is",)).text()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert cells[2] == ["quick", "0.123", "0.5", "0.2", "met", "100", "as it should be"]
    assert cells[3][3:5] == ["2", "NOT MET"]
    assert "\n\nwhat the game is\n\n" in text
    assert cells[-1] == ["question", "6", "0.05", "120", "1.0e-16", "120", "small"]


def test_the_command_prints_json() -> None:
    found = command("--only", "totals, bicycle_bonus", "--json")
    assert found.returncode == 0, found.stderr
    (line,) = json.loads(found.stdout)["budgets"]
    assert (line["budget"], line["note"], line["met"]) == (2, "exploitability 0", True)
    assert set(line["timing"]) == {"seconds", "cpu_seconds", "peak_mib"}


def test_a_text_that_no_measurement_has_is_refused() -> None:
    found = command("--only", "nosuch")
    assert found.returncode == 2
    assert found.stderr.startswith(
        "error: --only 'nosuch': no measurement has this in its name; there are: exact"
    )
