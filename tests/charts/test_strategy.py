"""The strategy chart: its numbers are the policy's and the solver's, and it becomes a picture."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from pan9_gym import TabularPolicy, evaluation, load_rules, policies, solver
from pan9_gym.charts import chart_cells, strategy_chart
from pan9_gym.rules import RulesConfig, sheet_names
from tests.rules.tableau import BANKER_DRAWS_AGAINST

OTHER = {"player": "banker", "banker": "player"}
PNG = b"\x89PNG\r\n\x1a\n"


def values(rules: RulesConfig, role: str, opponent: str = "logical_way") -> solver.ActionValues:
    return solver.action_values(rules, role, policies.get(opponent, rules, OTHER[role]))


def logical(sheet: str, role: str, **arguments: Any) -> TabularPolicy:
    return policies.get("logical_way", load_rules(sheet), role, **arguments)


def test_a_player_has_one_row_and_a_banker_one_for_each_choice_seen() -> None:
    assert chart_cells(logical("bicycle", "player")).labels == ("",)
    assert chart_cells(logical("bicycle", "banker")).labels == ("player stood", "player drew")
    seeing = load_rules("bicycle", banker_sees="card")
    labels = chart_cells(policies.get("logical_way", seeing, "banker")).labels
    assert labels[:3] == ("player stood", "player drew 0", "player drew 1")
    assert len(labels) == 11


def test_patterns_of_several_players_are_put_together_by_the_number_of_drawers() -> None:
    drawn_on = {0: range(7), 1: range(6), 2: range(6), 3: range(5)}
    policy = TabularPolicy.from_totals(load_rules("bicycle"), "banker", drawn_on, num_players=3)
    cells = chart_cells(policy)
    assert cells.labels == ("0 of 3 drew", "1 of 3 drew", "2 of 3 drew", "3 of 3 drew")
    assert cells.draw_prob.sum(axis=1).tolist() == [7, 6, 6, 5]


def test_mixed_rows_are_averaged_over_hands_and_patterns() -> None:
    """One of the three patterns with one drawer draws on 6: a third."""
    policy = TabularPolicy.from_callable(
        load_rules("bicycle"),
        "banker",
        lambda hand, choices: sum(hand) % 10 == 6 and choices == ("stand", "draw", "stand"),
        num_players=3,
    )
    assert chart_cells(policy).draw_prob[1, 6] == pytest.approx(1 / 3)
    assert chart_cells(policy).draw_prob[0, 6] == 0


@pytest.mark.parametrize("sheet", sheet_names())
@pytest.mark.parametrize("role", ["player", "banker"])
def test_the_logical_way_draws_on_0_to_5_where_no_tableau_binds(sheet: str, role: str) -> None:
    cells = chart_cells(logical(sheet, role), values(load_rules(sheet), role))
    wanted = [[1.0] * 6 + [0.0] * 4] * len(cells.labels)
    if (sheet, role) == ("baccarat_punto_banco", "banker"):
        wanted = [[float(move == "D") for move in row + "SS"] for row in BANKER_DRAWS_AGAINST.values()]
    assert cells.draw_prob.tolist() == wanted


@pytest.mark.parametrize(
    ("sheet", "role", "free"),
    [
        ("bicycle", "player", range(10)),
        ("bicycle_bonus", "player", (5, 6)),
        ("hawaiian_gardens", "player", range(10)),
        ("hawaiian_gardens", "banker", (5, 6)),
        ("uk_1994_house", "banker", ()),
        ("baccarat_chemin_de_fer", "player", (5,)),
        ("baccarat_chemin_de_fer", "banker", range(8)),
        ("baccarat_punto_banco", "player", ()),
        ("baccarat_punto_banco", "banker", ()),
    ],
)
def test_forced_moves_are_marked(sheet: str, role: str, free: Any) -> None:
    cells = chart_cells(logical(sheet, role))
    wanted = [total not in free for total in range(10)]
    assert cells.forced.tolist() == [wanted] * len(cells.labels)


def test_gain_and_cost_are_the_solvers() -> None:
    """By total the gain is the one of the best response's table; the cost of the one mistake is the gap."""
    rules = load_rules("bicycle")
    cells = chart_cells(logical("bicycle", "banker"), values(rules, "banker"))
    best = solver.best_response(rules, "banker", logical("bicycle", "player"), level="total")
    for row, choices in enumerate([("stand",), ("draw",)]):
        for decision in best.table[choices]:
            assert cells.gain[row, int(decision.hand)] == pytest.approx(float(decision.draw_gain), abs=1e-12)
    gap = evaluation.report(rules, "logical_way", "banker").gap
    assert cells.cost[0, 6] == pytest.approx(float(gap), abs=1e-12)
    assert np.flatnonzero(cells.cost).tolist() == [6]  # row 0: the player stood


@pytest.mark.parametrize("name", ["always_draw", "always_stand", "uniform"])
def test_the_costs_of_all_cells_are_the_gap(name: str) -> None:
    for sheet in ("bicycle", "bicycle_bonus"):
        rules = load_rules(sheet)
        for role in OTHER:
            cells = chart_cells(policies.get(name, rules, role), values(rules, role))
            gap = evaluation.report(rules, name, role).gap
            assert cells.cost.sum() == pytest.approx(float(gap), abs=1e-12)
            assert not cells.cost[cells.forced].any()


def test_without_values_nothing_is_known_of_gain_and_cost() -> None:
    cells = chart_cells(logical("bicycle", "player"))
    assert np.isnan(cells.gain).all()
    assert not cells.cost.any()


def test_the_chart_moves_when_a_rule_changes() -> None:
    plain, tied = load_rules("bicycle"), load_rules("bicycle", banker_wins_ties=[6, 7])
    before, after = (
        chart_cells(policies.get("logical_way", rules, "player"), values(rules, "player"))
        for rules in (plain, tied)
    )
    assert before.gain[0, 6] < 0 < after.gain[0, 6]
    assert before.cost[0, 6] == 0 < after.cost[0, 6]


def test_a_total_that_no_hand_makes_is_left_empty() -> None:
    rules = load_rules("bicycle", point_values={"K": 0, "5": 5})
    cells = chart_cells(policies.get("logical_way", rules, "player"))
    assert np.flatnonzero(~np.isnan(cells.draw_prob[0])).tolist() == [0, 5]
    assert texts(strategy_chart(policies.get("logical_way", rules, "player"))) == ["D", "D"]


def test_a_hand_that_cannot_arise_has_no_gain() -> None:
    """Against a player who always stands, the banker never sees a card taken."""
    rules = load_rules("bicycle")
    cells = chart_cells(logical("bicycle", "banker"), values(rules, "banker", "always_stand"))
    assert not np.isnan(cells.gain[0]).any()
    assert np.isnan(cells.gain[1]).all()
    assert cells.draw_prob[1].tolist() == [1.0] * 6 + [0.0] * 4


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_every_cell_says_the_move_and_a_mistake_its_cost() -> None:
    rules = load_rules("bicycle")
    figure = strategy_chart(logical("bicycle", "banker"), values(rules, "banker"))
    shown = texts(figure)
    assert shown == ["D"] * 6 + ["S\n-0.0115"] + ["S"] * 3 + ["D"] * 6 + ["S"] * 4
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["player stood", "player drew"]
    assert figure.axes[0].get_title() == "logical_way: banker under bicycle"


@pytest.mark.parametrize(
    ("prob", "text"),
    [(Fraction(1, 3), "33.3%"), (1 - Fraction(1, 10**7), ">99.9%"), (Fraction(1, 10**7), "<0.1%")],
)
def test_a_mixed_move_is_a_percentage_that_never_looks_certain(prob: Fraction, text: str) -> None:
    policy = TabularPolicy.from_callable(load_rules("bicycle"), "player", lambda hand, choices: prob)
    assert texts(strategy_chart(policy)) == [text] * 10


def test_a_tiny_cost_is_not_written_as_zero() -> None:
    rules = load_rules("bicycle")
    almost = 1 - Fraction(1, 10**7)
    policy = TabularPolicy.from_callable(
        rules, "player", lambda hand, choices: almost if sum(hand) % 10 == 5 else sum(hand) % 10 < 5
    )
    found = texts(strategy_chart(policy, values(rules, "player")))[5]
    move, cost = found.split("\n")
    assert move == ">99.9%"
    assert 0 < -float(cost) < 1e-6


def test_forced_cells_are_grey_and_mistakes_framed_in_red() -> None:
    rules = load_rules("bicycle_bonus")
    figure = strategy_chart(logical("bicycle_bonus", "banker"), values(rules, "banker"))
    patches = figure.axes[0].patches
    assert sum(patch.get_facecolor()[:3] == (0.85, 0.85, 0.85) for patch in patches) == 16
    assert sum(patch.get_edgecolor() == (1, 0, 0, 1) and not patch.get_fill() for patch in patches) == 1


@pytest.mark.parametrize("with_values", [True, False])
@pytest.mark.parametrize("role", ["player", "banker"])
def test_it_becomes_a_picture(role: str, with_values: bool, tmp_path: Path) -> None:
    known = values(load_rules("bicycle"), role) if with_values else None
    figure = strategy_chart(logical("bicycle", role), known, "my title")
    assert figure.axes[0].get_title() == "my title"
    path = tmp_path / "chart.png"
    figure.savefig(path)
    assert path.read_bytes().startswith(PNG)
    assert path.stat().st_size > 5000


def test_pictures_of_different_policies_differ() -> None:
    rules = load_rules("bicycle")
    pictures = []
    for name in ("logical_way", "always_draw"):
        stream = BytesIO()
        strategy_chart(policies.get(name, rules, "player"), title="t").savefig(
            stream, format="png", metadata={}
        )
        pictures.append(stream.getvalue())
    assert pictures[0] != pictures[1]


def test_values_of_another_seat_or_game_are_refused() -> None:
    bicycle, bonus = load_rules("bicycle"), load_rules("bicycle_bonus")
    for call in (chart_cells, strategy_chart):
        with pytest.raises(
            ValueError, match=r"values: are of player seat 0.*is of banker seat 1 of num_players=1"
        ):
            call(logical("bicycle", "banker"), values(bicycle, "player"))
        with pytest.raises(
            ValueError, match=r"values: are of banker seat 1.*is of banker seat 3 of num_players=3"
        ):
            call(logical("bicycle", "banker", num_players=3), values(bicycle, "banker"))
        with pytest.raises(ValueError, match=r"values: are under 'bicycle_bonus', .* is under 'bicycle'"):
            call(logical("bicycle", "player"), values(bonus, "player"))
