"""`pan9 study returns`: golden numbers, exact sums, changed pay tables and payouts that break even."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import solver
from pan9_gym.cli.options import read_rules
from pan9_gym.cli.studies.returns import returns
from pan9_gym.cli.tables import Study, Table, written
from pan9_gym.rules import RulesConfig, load_rules

GOLDEN: dict[str, Any] = {
    name: json.loads((Path(__file__).parents[1] / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("one_player", "siblings", "side_bets")
}
SUPER_PAN_9 = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
every_sheet = pytest.mark.parametrize("sheet", [*SUPER_PAN_9, "baccarat_punto_banco"])


@cache
def study(sheet: str) -> Study:
    return returns(load_rules(sheet))


def table(found: Study, title: str) -> Table:
    return next(entry for entry in found.tables if entry.title == title)


def lines(found: Table) -> dict[str, dict[str, Any]]:
    """A table's rows by their first cell, each by column."""
    names = [column.name for column in found.columns]
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in found.rows}


def wagers(found: Study) -> dict[str, dict[str, dict[str, Any]]]:
    """The return tables by wager."""
    head = "Returns: "
    return {
        entry.title.removeprefix(head): lines(entry) for entry in found.tables if entry.title.startswith(head)
    }


def without_all(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for name, row in rows.items() if name != "all"]


def with_payout(rules: RulesConfig, wager: str, line: str, payout: Fraction) -> RulesConfig:
    """The same rules with one payout changed, however long the fraction is."""
    if wager == "wager":
        return load_rules(rules, payout=payout)
    data = rules.side_bets.model_dump(mode="json")
    place = data[wager]
    *fields, last = line.split(".")
    for field in fields:
        place[field] = place = dict(place[field])
    place[last] = payout
    return load_rules(rules, side_bets=data)


def ev_of(rules: RulesConfig, wager: str, banker: solver.Equilibrium) -> Fraction:
    if wager == "wager":
        return solver.evaluate(rules, "logical_way", banker.banker).ev
    return solver.side_bet(rules, wager, "logical_way", banker.banker).ev


@every_sheet
def test_probabilities_are_one_and_contributions_the_return(sheet: str) -> None:
    summary = lines(table(study(sheet), "Every wager"))
    for name, rows in wagers(study(sheet)).items():
        assert sum(row["probability"] for row in without_all(rows)) == 1 == rows["all"]["probability"]
        assert sum(row["combinations"] for row in without_all(rows)) == rows["all"]["combinations"]
        assert sum(row["contribution"] for row in without_all(rows)) == rows["all"]["contribution"]
        assert rows["all"]["contribution"] == summary[name]["return"] == -summary[name]["edge"]
        for row in without_all(rows):
            assert row["probability"] == Fraction(row["combinations"], rows["all"]["combinations"])


@pytest.mark.parametrize("sheet", SUPER_PAN_9)
def test_the_wager_returns_the_golden_value(sheet: str) -> None:
    golden = GOLDEN["one_player"]["sheets"][sheet]
    wager = wagers(study(sheet))["wager"]
    assert wager["all"]["contribution"] == Fraction(golden["equilibrium_composition_value"])
    assert wager["all"]["combinations"] == int(golden["logical_vs_logical"]["joint_denominator"])
    outcomes = golden["banker_best_response_to_threshold_player"]["draw<=5"]["outcomes_under_totals_br"]
    assert wager["win"]["probability"] == Fraction(outcomes["player_win"])
    assert wager["loss"]["probability"] == Fraction(outcomes["player_loss"])
    ties = [row["probability"] for name, row in wager.items() if name.startswith("tie")]
    assert sum(ties) == Fraction(outcomes["tie"])


@pytest.mark.parametrize("sheet", SUPER_PAN_9)
def test_final_totals_are_the_golden_counts(sheet: str) -> None:
    golden = GOLDEN["one_player"]["sheets"][sheet]
    counts = golden["banker_best_response_to_threshold_player"]["draw<=5"]["joint_counts_under_totals_br"]
    unit = int(golden["logical_vs_logical"]["joint_denominator"])
    found = lines(table(study(sheet), "Final totals"))
    for player in range(10):
        row = [found[str(player)][str(banker)] * unit for banker in range(10)]
        assert row == [int(number) for number in counts[player]]
        assert found[str(player)]["all"] * unit == sum(row)
    assert found["all"]["all"] == 1


@every_sheet
def test_starts_add_up_to_the_whole_game(sheet: str) -> None:
    rows = lines(table(study(sheet), "By the total of the player's first cards"))
    starts = without_all(rows)
    assert sum(row["probability"] for row in starts) == 1
    assert (
        sum(row["contribution"] for row in starts) == rows["all"]["contribution"] == rows["all"]["EV there"]
    )
    for outcome in ("win", "tie", "loss"):
        assert sum(row["probability"] * row[outcome] for row in starts) == rows["all"][outcome]
    assert [row["plays"] for row in starts] == ["draws"] * 6 + ["stands"] * 4
    if sheet in SUPER_PAN_9:
        wanted = GOLDEN["one_player"]["sheets"][sheet]["initial_total_prob"]
        assert {row["first cards"]: str(row["probability"]) for row in starts} == wanted


def test_punto_banco_has_the_published_combinations() -> None:
    golden = GOLDEN["siblings"]["punto_banco_8_decks"]
    found = wagers(study("baccarat_punto_banco"))
    player, banker, tie = (found[name] for name in ("wager", "banker_hand", "tie"))
    assert player["win"]["combinations"] == banker["lost"]["combinations"] == int(golden["player_wins"])
    assert player["loss"]["combinations"] == banker["payout"]["combinations"] == int(golden["banker_wins"])
    assert tie["payout"]["combinations"] == player["tie, returned"]["combinations"] == int(golden["tie"])
    assert player["all"]["combinations"] == prod(range(411, 417))
    percents = {"wager": "player", "banker_hand": "banker_hand", "tie": "tie"}
    for name, key in percents.items():
        ev = found[name]["all"]["contribution"]
        assert f"{float(100 * ev):.4f}" == golden["ev_percent_to_four_decimals"][key]


def test_the_side_bets_are_the_golden_ones() -> None:
    golden, found = GOLDEN["side_bets"], wagers(study("bicycle_bonus"))
    dragon = golden["dragon_bonus_12_decks"]
    assert found["dragon"]["all"]["contribution"] == Fraction(dragon["ev"]["5"])
    for line, prob in dragon["probabilities"]["5"].items():
        assert found["dragon"][line]["probability"] == Fraction(prob)
    super_0 = golden["super_0_tie_12_decks"]["banker_best_response_1v1"]
    assert found["super_0"]["all"]["contribution"] == Fraction(super_0["ev"])
    for total in range(5):
        assert found["super_0"][f"payouts.{total}"]["probability"] == Fraction(
            super_0["tie_prob"][str(total)]
        )
    bc = golden["bc_bonus_12_decks"]
    assert found["bc"]["all"]["contribution"] == Fraction(bc["ev_per_stake_if_stake_returned"]["1"])
    for line, prob in bc["probabilities"].items():
        assert found["bc"][f"prizes.{line}"]["probability"] == Fraction(prob)
    tie = golden["uk_tie_wager_8_decks"]
    for sheet, key in (
        ("uk_1994_house", "house_banker_logical_player"),
        ("uk_1994_player", "player_banker_1v1_best_response"),
    ):
        assert wagers(study(sheet))["tie"]["payout"]["probability"] == Fraction(tie[key]["p_tie"])
        assert wagers(study(sheet))["tie"]["all"]["contribution"] == Fraction(tie[key]["ev"])


def test_ties_that_the_bank_wins_have_a_line_of_their_own() -> None:
    golden = GOLDEN["one_player"]["sheets"]["hawaiian_gardens"]["banker_best_response_to_threshold_player"]
    outcomes = golden["draw<=5"]["outcomes_under_totals_br"]
    row = wagers(study("hawaiian_gardens"))["wager"]["tie, the bank wins"]
    assert row["probability"] == Fraction(outcomes["tie_on_0"]) + Fraction(outcomes["tie_on_1"])
    assert row["payoff"] == -1
    assert "tie, the bank wins" not in wagers(study("bicycle"))["wager"]


def test_the_summary_says_who_takes_a_wager() -> None:
    def against(sheet: str) -> dict[str, str]:
        return {name: row["against"] for name, row in lines(table(study(sheet), "Every wager")).items()}

    assert against("uk_1994_player") == {"wager": "banker", "tie": "House"}
    assert against("uk_1994_house") == {"wager": "House", "tie": "House"}
    assert set(against("bicycle_bonus").values()) == {"banker"}


def test_spread_of_a_wager() -> None:
    row = lines(table(study("bicycle"), "Every wager"))["wager"]
    win, loss = (wagers(study("bicycle"))["wager"][name]["probability"] for name in ("win", "loss"))
    mean, square = win - loss, win + loss
    variance = square - mean**2
    assert row["standard deviation"] == pytest.approx(float(variance) ** 0.5, rel=1e-12)
    third = mean - 3 * mean * square + 2 * mean**3  # the third power of a payoff of -1, 0 or 1 is itself
    assert row["skewness"] == pytest.approx(float(third) / float(variance) ** 1.5, rel=1e-9)


def test_a_changed_pay_table_changes_its_line() -> None:
    changed = wagers(returns(read_rules("bicycle_bonus", ["side_bets.dragon.four_card.suited=120"])))
    before = wagers(study("bicycle_bonus"))
    line = changed["dragon"].pop("four_card.suited")
    old = before["dragon"]["four_card.suited"]
    assert (line["pays"], line["payoff"]) == ("120", 120)
    assert line["combinations"] == old["combinations"]
    assert line["contribution"] == old["contribution"] + 20 * old["probability"]
    assert line["break-even payout"] == old["break-even payout"]
    for name, row in changed["dragon"].items():
        if name != "all":
            assert row["contribution"] == before["dragon"][name]["contribution"]
    assert [changed[name] for name in ("wager", "super_0", "bc")] == [
        before[name] for name in ("wager", "super_0", "bc")
    ]


@pytest.mark.parametrize("sheet", ["bicycle_bonus", "uk_1994_house", "baccarat_punto_banco"])
def test_the_break_even_payout_makes_the_wager_fair(sheet: str) -> None:
    rules = load_rules(sheet)
    banker = solver.equilibrium(rules)
    checked = 0
    for wager, rows in wagers(study(sheet)).items():
        for line, row in rows.items():
            if row["break-even payout"] is not None:
                fair = with_payout(rules, wager, line, row["break-even payout"])
                assert ev_of(fair, wager, banker) == 0
                checked += 1
    assert checked == {"bicycle_bonus": 15, "uk_1994_house": 2, "baccarat_punto_banco": 3}[sheet]


def test_the_break_even_scale_makes_the_wager_fair() -> None:
    rules = load_rules("bicycle_bonus")
    banker = solver.equilibrium(rules)
    for wager, row in lines(table(study("bicycle_bonus"), "Every wager")).items():
        fair = rules
        for line, result in wagers(study("bicycle_bonus"))[wager].items():
            if result["pays"] is not None:
                fair = with_payout(fair, wager, line, Fraction(result["pays"]) * row["break-even scale"])
        assert ev_of(fair, wager, banker) == 0


def test_mixed_policies_have_whole_combinations_of_a_finer_unit() -> None:
    rules = load_rules("baccarat_chemin_de_fer")
    solution = solver.equilibrium(rules, "total", "hand")
    found = returns(rules, solution.player, solution.banker)
    rows = wagers(found)["wager"]
    deals = prod(range(307, 313))
    assert rows["all"]["contribution"] == solution.value
    assert rows["all"]["combinations"] > deals
    assert rows["all"]["combinations"] % deals == 0
    assert sum(row["combinations"] for row in without_all(rows)) == rows["all"]["combinations"]
    assert "mixed policies" in table(found, "Returns: wager").notes[0]
    assert lines(table(found, "By the total of the player's first cards"))["5"]["plays"] == "mixes"


def test_a_shoe_without_suits_leaves_out_what_needs_them() -> None:
    rules = load_rules("bicycle_bonus")
    counts = [20, 2, 2, 0, 2, 2, 2]
    plain = returns(rules, shoe=counts)
    assert set(wagers(plain)) == {"wager", "super_0"}
    assert [note.split()[0] for note in plain.notes if "left out" in note] == ["dragon", "bc"]
    assert wagers(plain)["wager"]["all"]["combinations"] == prod(range(sum(counts) - 7, sum(counts) + 1))
    super_0 = table(plain, "Returns: super_0")
    assert lines(super_0)["payouts.4"]["break-even payout"] < 0
    assert super_0.notes[-1].startswith("a break-even payout of 0 or less")
    assert len(table(study("bicycle_bonus"), "Returns: super_0").notes) == 1


def test_the_title_and_the_notes_say_who_plays() -> None:
    assert "'logical_way' against the banker 'equilibrium banker'" in study("bicycle").title
    assert "the banker plays the equilibrium by hand, of exploitability 0" in study("bicycle").notes
    other = returns(load_rules("bicycle", banker_wins_ties=list(range(10))), "always_stand", "wizard")
    assert "'always_stand' against the banker 'wizard'" in other.title
    assert other.notes == load_rules("bicycle").assumptions(1)
    assert {row["plays"] for row in without_all(lines(other.tables[-1]))} == {"stands"}
    assert set(wagers(other)["wager"]) == {"win", "tie, the bank wins", "loss", "all"}


def test_it_can_be_kept_and_written_in_every_form() -> None:
    found = study("bicycle_bonus")
    assert Study.from_dict(json.loads(written(found, "json"))) == found
    assert "497331123360422289408" in written(found, "human")
    assert "497331123360422289408" in written(found, "csv")
    assert "| win " in written(found, "markdown")
