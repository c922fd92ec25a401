"""`report`: the solver's numbers, what the tables say in words, JSON, and which opponents it takes."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import TabularPolicy, evaluation, load_rules, policies, solver
from pan9_gym.evaluation import Report
from pan9_gym.rules import sheet_names

OTHER = {"player": "banker", "banker": "player"}
GAP = Fraction(403172216947, 35169937233795)
"""What the banker's draw on 6 is worth, 12 packs: the golden value against the logical way."""

every_role = pytest.mark.parametrize("role", ["player", "banker"])
PAN9 = [name for name in sheet_names() if not name.startswith("baccarat")]
every_sheet = pytest.mark.parametrize("sheet", PAN9)


@every_role
@pytest.mark.parametrize(
    ("sheet", "name"), [*((sheet, "uniform") for sheet in sheet_names()), ("bicycle", "logical_way")]
)
def test_every_figure_is_the_solvers(sheet: str, role: str, name: str) -> None:
    rules = load_rules(sheet)
    policy = policies.get(name, rules, role)
    report = evaluation.report(sheet, policy, role)
    answers = solver.equilibrium(rules)
    opponents = {
        "against_opponent": policies.get("logical_way", rules, OTHER[role]),
        "against_logical_way": policies.get("logical_way", rules, OTHER[role]),
        "against_equilibrium": answers.policy(policy.role.opponent),
    }
    for field, opponent in opponents.items():
        match = getattr(report, field)
        pair = (policy, opponent) if role == "player" else (opponent, policy)
        ev = solver.evaluate(rules, *pair).ev * (1 if role == "player" else -1)
        assert match.opponent == opponent.name
        assert match.ev == ev
        assert match.gap == solver.best_response(rules, role, opponent).ev - ev
    assert (report.ev, report.gap) == (report.against_opponent.ev, report.against_opponent.gap)
    assert report.agreement == report.against_opponent.agreement
    assert report.worst_case_gap == solver.worst_case_gap(rules, policy, role)
    assert report.best_response == solver.best_response(rules, role, opponents["against_opponent"])
    assert report.assumptions == rules.assumptions(1)


@every_sheet
def test_the_players_optimum_is_the_logical_way(sheet: str) -> None:
    report = evaluation.report(sheet, "logical_way", "player")
    assert (report.gap, report.agreement, report.worst_case_gap) == (0, 1, 0)
    wanted = "The player's optimum against logical_way is the logical way: draw on 0-5, stand on 6-9."
    assert evaluation.optimum_in_words(report) == wanted
    assert wanted in report.table()
    assert "No decision differs from the optimum." in report.table()


@pytest.mark.parametrize("sheet", [name for name in PAN9 if name != "uk_1994_house"])
def test_the_bankers_optimum_is_to_draw_on_6_when_the_player_stood(sheet: str) -> None:
    report = evaluation.report(sheet, "logical_way", "banker")
    wanted = (
        "The banker's optimum against logical_way beats the logical way: "
        "draw on 6, player stood, worth 0.0115 a hand."
    )
    assert evaluation.optimum_in_words(report) == wanted
    assert wanted in report.table()
    assert round(float(report.gap), 4) == 0.0115
    assert [d.situation for d in report.disagreements] == ["total 6, player stood"]
    row = next(line for line in report.table().splitlines() if line.startswith("| total 6"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:3] == ["total 6, player stood", "stand", "draw"]
    assert float(cells[5]) == pytest.approx(float(report.gap), abs=5e-7)


def test_the_bankers_gap_is_the_golden_value() -> None:
    for sheet in ("bicycle", "bicycle_bonus", "hawaiian_gardens"):
        report = evaluation.report(sheet, "logical_way", "banker")
        assert report.gap == report.worst_case_gap == GAP
    assert evaluation.report("bicycle", "wizard", "banker").gap == 0


@pytest.mark.parametrize(
    ("sheet", "role"),
    [
        ("uk_1994_house", "banker"),
        ("baccarat_punto_banco", "player"),
        ("baccarat_punto_banco", "banker"),
    ],
)
def test_a_role_that_never_chooses_is_said_to(sheet: str, role: str) -> None:
    report = evaluation.report(sheet, "logical_way", role)
    assert evaluation.optimum_in_words(report) == f"The {role} never has a choice under {sheet}."
    assert "no choice" in report.table()
    assert (report.gap, report.worst_case_gap, report.agreement) == (0, 0, None)


def test_in_chemin_de_fer_the_logical_player_is_right_against_its_like_and_not_in_the_worst_case() -> None:
    """Drawing on 5 always is right against a banker of 0-5 / 6-9; the equilibrium mixes there."""
    report = evaluation.report("baccarat_chemin_de_fer", "logical_way", "player")
    assert (report.gap, report.agreement, report.ev) == (0, 1, 0)
    assert report.worst_case_gap > 0
    wanted = "The player's optimum against logical_way is the logical way: draw on 0-5, stand on 6-9."
    assert evaluation.optimum_in_words(report) == wanted


def test_in_chemin_de_fer_the_logical_banker_misses_what_the_drawn_card_tells() -> None:
    report = evaluation.report("baccarat_chemin_de_fer", "logical_way", "banker")
    missed = {d.situation: d.best.name for d in report.disagreements if d.all_hands}
    assert missed == {
        "total 3, player drew 8": "STAND",
        **{f"total 4, player drew {card}": "STAND" for card in (0, 8, 9)},
        **{f"total 5, player drew {card}": "STAND" for card in (0, 1, 2, 3, 8, 9)},
        "total 6, player stood": "DRAW",
        "total 6, player drew 7": "DRAW",
    }
    assert sum(d.cost for d in report.disagreements) == report.gap > 0
    assert "beats the logical way: stand on 5, player drew 0, worth 0.0057 a hand" in report.table()


def test_a_banker_who_plays_the_optimum_is_told_so_but_the_logical_way_is_not_it() -> None:
    report = evaluation.report("bicycle", "wizard", "banker")
    assert (report.gap, report.agreement) == (0, 1)
    assert "beats the logical way: draw on 6, player stood" in report.table()
    assert "No decision differs from the optimum." in report.table()


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"banker_wins_ties": [0]}, "the tie on 0 goes to the banker"),
        ({"banker_wins_ties": [6]}, "a tie on 6 goes to the banker"),
        ({"payout": "19/20"}, "a winner is paid less"),
        ({"num_decks": 8}, "fewer packs"),
    ],
)
def test_a_changed_rule_moves_fractions_and_table(change: dict[str, Any], moves: str) -> None:
    for role in OTHER:
        plain = evaluation.report("bicycle", "always_draw", role)
        changed = evaluation.report(load_rules("bicycle", **change), "always_draw", role)
        assert changed.ev != plain.ev, moves
        assert changed.gap != plain.gap, moves
        assert changed.table() != plain.table(), moves


def test_a_tie_set_can_change_the_optimum_itself() -> None:
    """When the banker wins every tie on 6, standing on 6 is worth less and the player draws on it."""
    rules = load_rules("bicycle", banker_wins_ties=[6, 7])
    words = evaluation.optimum_in_words(evaluation.report(rules, "logical_way", "player"))
    plain = evaluation.optimum_in_words(evaluation.report("bicycle", "logical_way", "player"))
    assert words != plain
    assert "beats the logical way: draw on 6" in words


def test_a_shoe_changes_the_report() -> None:
    full = (144, 48, 48, 48, 48, 48, 48)
    assert evaluation.report("bicycle", "uniform", "player", shoe=full) == evaluation.report(
        "bicycle", "uniform", "player"
    )
    depleted = evaluation.report("bicycle", "uniform", "player", shoe=(20, 48, 48, 48, 48, 48, 48))
    rules = load_rules("bicycle")
    pair = [
        policies.get(name, rules, role) for name, role in (("uniform", "player"), ("logical_way", "banker"))
    ]
    assert depleted.ev == solver.evaluate(rules, *pair, shoe=(20, 48, 48, 48, 48, 48, 48)).ev


@every_role
@pytest.mark.parametrize("name", ["logical_way", "always_draw", "uniform"])
def test_to_dict_is_strict_json_and_its_fractions_come_back(role: str, name: str) -> None:
    report = evaluation.report("hawaiian_gardens", name, role)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data == report.to_dict()
    assert data["rules_name"] == "hawaiian_gardens"
    assert data["rules_fingerprint"] == load_rules("hawaiian_gardens").fingerprint
    assert (data["role"], data["policy"]) == (role, name)
    for field in ("against_opponent", "against_equilibrium", "against_logical_way"):
        for figure in ("ev", "gap", "agreement"):
            assert Fraction(data[field][figure]) == getattr(getattr(report, field), figure)
    assert Fraction(data["worst_case_gap"]) == report.worst_case_gap
    assert Fraction(data["best_response_ev"]) == report.best_response.ev
    assert len(data["disagreements"]) == len(report.disagreements)
    for entry, found in zip(data["disagreements"], report.disagreements, strict=True):
        assert [Fraction(entry[key]) for key in ("draw_prob", "prob", "loss", "cost")] == [
            found.draw_prob,
            found.prob,
            found.loss,
            found.cost,
        ]
        assert (entry["total"], entry["best"]) == (found.total, found.best.name)
        assert [tuple(hand) for hand in entry["hands"]] == [*found.hands]
        assert (entry["all_hands_of_the_total"], tuple(entry["choices"])) == (found.all_hands, found.choices)


def test_no_agreement_is_null_in_json() -> None:
    data = evaluation.report("uk_1994_house", "logical_way", "banker").to_dict()
    assert data["against_opponent"]["agreement"] is None


class StandsOnFive:
    """A `Policy` that is no table."""

    def draw_prob(self, hand: Any, choices: Any = (), suits: Any = None) -> float:
        return float(sum(hand) % 10 < 5)


def test_opponents_may_be_given_in_every_form() -> None:
    rules = load_rules("bicycle")
    table = TabularPolicy.from_totals(rules, "banker", range(5), name="StandsOnFive")
    reports = [
        evaluation.report(rules, "logical_way", "player", opponents)
        for opponents in (table, StandsOnFive(), {"banker": table}, {"banker": StandsOnFive()})
    ]
    assert len({report.ev for report in reports}) == 1
    assert reports[0].ev != evaluation.report(rules, "logical_way", "player").ev
    named = [
        evaluation.report(rules, "logical_way", "player", form) for form in ("wizard", {"banker": "wizard"})
    ]
    assert named[0] == named[1]
    assert named[0].against_opponent.opponent == "wizard"
    players = [
        evaluation.report(rules, "logical_way", "banker", form)
        for form in ("uniform", {"players": "uniform"}, {"players": ["uniform"]})
    ]
    assert players[0] == players[1] == players[2]


def test_without_opponents_it_is_the_logical_way() -> None:
    for role in OTHER:
        plain = evaluation.report("bicycle", "uniform", role)
        assert plain == evaluation.report("bicycle", "uniform", role, {})
        assert plain == evaluation.report("bicycle", "uniform", role, "logical_way")
        assert plain.against_opponent == plain.against_logical_way


def test_a_policy_may_be_any_function_or_class() -> None:
    rules = load_rules("bicycle")
    wanted = evaluation.report(rules, TabularPolicy.from_totals(rules, "player", range(5)), "player")
    for policy in (
        StandsOnFive(),
        TabularPolicy.from_callable(rules, "player", lambda hand, choices: np.float64(sum(hand) % 10 < 5)),
    ):
        found: Report = evaluation.report(rules, policy, "player")
        assert (found.ev, found.gap, found.worst_case_gap) == (wanted.ev, wanted.gap, wanted.worst_case_gap)


POLICIES = "logical_way, always_draw, always_stand, uniform, wizard"


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"rules": "bicicle"}, ("rule sheet 'bicicle'", "did you mean 'bicycle'?")),
        ({"rules": 5}, ("rules 5", "a sheet's name")),
        ({"policy": "logical"}, ("policy 'logical'", "did you mean 'logical_way'?", POLICIES)),
        ({"policy": None}, ("policy None", POLICIES)),
        ({"role": "dealer"}, ("role 'dealer'", "player, banker")),
        ({"role": None}, ("role None", "player, banker")),
        ({"opponents": "best"}, ("policy 'best'", POLICIES)),
        ({"opponents": 5}, ("policy 5", POLICIES)),
        ({"opponents": ["logical_way"]}, ("policy ['logical_way']", POLICIES)),
        ({"opponents": {"dealer": "wizard"}}, ("opponents: unknown key 'dealer'", "banker, players")),
        ({"opponents": {"banker": "wizzard"}}, ("policy 'wizzard'", "did you mean 'wizard'?")),
        (
            {"role": "banker", "opponents": {"banker": "wizard"}},
            ("opponents: unknown key 'banker'", "allowed: players"),
        ),
        ({"shoe": (1, 2, 3)}, ("shoe (1, 2, 3)", "one count for each of the point values")),
        ({"shoe": (145, 48, 48, 48, 48, 48, 48)}, ("value 0", "from 0 to 144")),
    ],
)
def test_bad_arguments_are_one_clear_line(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    arguments = {"rules": "bicycle", "policy": "logical_way", "role": "player", **given}
    with pytest.raises(ValueError, match=r".+") as caught:
        evaluation.report(**arguments)
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


def test_a_table_for_the_other_role_is_refused() -> None:
    rules = load_rules("bicycle")
    table = policies.get("logical_way", rules, "banker")
    with pytest.raises(ValueError, match="is for banker seat 1 of num_players=1; here player seat 0"):
        evaluation.report(rules, table, "player")
    with pytest.raises(ValueError, match="is for banker seat 1 of num_players=1; here player seat 0"):
        evaluation.report(rules, table, "banker", {"players": table})


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        ({"seat": 1}, "seat 1 is out of range: with num_players=1"),
        ({"seat": 2, "wagers": [1, 5]}, "seat 2 is out of range: with num_players=2"),
        ({"role": "banker", "seat": 1}, "seat 1: the banker has no seat number"),
        ({"wagers": 5}, "wagers 5: one per player is needed, so 1"),
        ({"wagers": [1, 0]}, "wagers 0: must be greater than 0"),
        ({"wagers": [1] * 8}, "num_players 8: 'bicycle_bonus' allows 1 to 7"),
        ({"side_stakes": {"tie": 1}}, "side bet 'tie' is not offered by 'bicycle_bonus'"),
        ({"side_stakes": {"dragon": 1}, "wagers": [1, 5]}, "side_stakes .*: .* one player"),
        ({"wagers": [1, 5], "opponents": {"players": ["logical_way"] * 2}}, "different numbers of players"),
    ],
)
def test_what_a_report_cannot_take_is_refused(arguments: dict[str, Any], needle: str) -> None:
    arguments = {"role": "player", **arguments}
    with pytest.raises(ValueError, match=needle):
        evaluation.report("bicycle_bonus", "logical_way", **arguments)


def test_a_banker_of_several_players_with_unequal_wagers() -> None:
    report = evaluation.report(
        "bicycle", "logical_way", "banker", {"players": ["uniform", "wizard"]}, wagers=[1, 5]
    )
    players = [
        policies.get(name, "bicycle", "player", 2, seat) for seat, name in enumerate(["uniform", "wizard"])
    ]
    values = solver.banker_values("bicycle", players, [1, 5])
    ev = solver.evaluate_seats("bicycle", players, "logical_way", [1, 5]).banker_ev
    assert report.ev == ev
    assert report.gap == solver.banker_best_response("bicycle", players, [1, 5]).ev - ev
    assert report.agreement == evaluation.agreement(values, report.policy)
    assert sum(entry.cost for entry in report.disagreements) == report.gap
    assert (report.against_equilibrium, report.worst_case_gap) == (None, None)
    assert "worst-case gap -" in report.table()
    assert json.loads(json.dumps(report.to_dict()))["worst_case_gap"] is None


def test_a_player_beside_others() -> None:
    report = evaluation.report(
        "bicycle", "uniform", "player", {"players": "always_draw"}, seat=1, wagers=[1, 2, 1]
    )
    others = ["always_draw", "uniform", "always_draw"]
    assert report.ev == solver.evaluate_seats("bicycle", others, "logical_way").evs[1]
    best = solver.seat_best_response("bicycle", others, "logical_way", 1)
    assert report.best_response.ev == best.ev
    assert report.against_logical_way.opponent == "logical_way"
    assert report.against_opponent.opponent == "always_draw, logical_way"


def test_the_number_of_players_is_read_off_the_policy() -> None:
    policy = policies.get("logical_way", "bicycle", "banker", num_players=2)
    assert evaluation.report("bicycle", policy, "banker").ev == 0


def test_a_dragon_stake_makes_the_suit_class_part_of_a_decision() -> None:
    """S7: with a large stake the logical way is wrong on 6, and each suit class has its price."""
    stakes = {"dragon": Fraction(1, 5)}
    report = evaluation.report("bicycle_bonus", "logical_way", "player", side_stakes=stakes)
    situations = [entry.situation for entry in report.disagreements]
    assert sorted(situations) == ["total 6 off suit", "total 6 same colour", "total 6 suited"]
    assert sum(entry.cost for entry in report.disagreements) == report.gap > 0
    solution = solver.equilibrium("bicycle_bonus", side_stakes=stakes)
    assert report.worst_case_gap is not None
    assert report.worst_case_gap >= 0
    assert report.against_equilibrium is not None
    assert report.against_equilibrium.ev <= solution.value


def test_U10_a_game_whose_tie_wager_the_house_holds_has_no_value() -> None:
    report = evaluation.report("uk_1994_player", "logical_way", "player", side_stakes={"tie": "1/10"})
    assert (report.against_equilibrium, report.worst_case_gap) == (None, None)
    tie = solver.side_bet("uk_1994_player", "tie").ev
    assert report.ev == solver.evaluate("uk_1994_player", "logical_way", "logical_way").ev + tie / 10


def test_the_arguments_of_one_player_change_nothing() -> None:
    plain = evaluation.report("bicycle", "wizard", "banker")
    assert evaluation.report("bicycle", "wizard", "banker", None, 0, [1], None, None) == plain
