"""`pan9 study effects`: a rule changed on one sheet gives the golden value of another."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import solver
from pan9_gym.cli.studies.effects import MILLION, effects, rule_changes
from pan9_gym.cli.tables import Study, Table, written
from pan9_gym.rules import RulesConfig, load_rules

GOLDEN: dict[str, Any] = {
    name: json.loads((Path(__file__).parents[1] / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("one_player", "siblings")
}
SHEETS = GOLDEN["one_player"]["sheets"]


@cache
def bicycle() -> Study:
    return effects(load_rules("bicycle"))


@cache
def chemin_de_fer() -> Table:
    return rule_changes(load_rules("baccarat_chemin_de_fer"))


def rows(found: Table) -> dict[tuple[str, str], dict[str, Any]]:
    """A table's rows by rule and by what it is changed to, each by column."""
    names = [column.name for column in found.columns]
    return {
        (str(row[0]), str(row[1]).removesuffix(" (as it is)")): dict(zip(names, row, strict=True))
        for row in found.rows
    }


def tiny(**fields: Any) -> RulesConfig:
    """A game of three ranks and two first cards, solved in an instant."""
    pack = {"point_values": {"A": 1, "5": 5, "K": 0}, "num_initial_cards": 2, "num_decks": 1}
    return load_rules("bicycle", **{**pack, **fields})


def golden_value(sheet: str) -> Fraction:
    return Fraction(SHEETS[sheet]["equilibrium_composition_value"])


CROSS_CHECKS = {
    ("packs", "12"): golden_value("bicycle"),
    ("packs", "8"): golden_value("uk_1994_player"),
    ("packs", "infinite"): Fraction(SHEETS["bicycle"]["infinite_deck"]["nash"]["value_to_player"]),
    ("the bank wins ties", "none"): golden_value("bicycle"),
    ("the bank wins ties", "on 0"): golden_value("bicycle_bonus_free_banker"),
    ("the bank wins ties", "on 0 and 1"): golden_value("hawaiian_gardens"),
    ("forced moves of the banker", "draw 0-5, stand 6-9"): Fraction(0),
}


@pytest.mark.parametrize("change", CROSS_CHECKS, ids=" ".join)
def test_a_rule_changed_gives_the_golden_value_of_another_sheet(change: tuple[str, str]) -> None:
    row = rows(bicycle().tables[0])[change]
    assert row["value"] == CROSS_CHECKS[change]
    assert row["difference"] == CROSS_CHECKS[change] - golden_value("bicycle")


def test_every_value_is_proved_and_the_sheet_differs_from_itself_in_nothing() -> None:
    found = rows(bicycle().tables[0])
    assert all(row["exploitability"] == 0 for row in found.values())
    assert [label for rule, label in found if rule == "packs"] == [*map(str, range(1, 17)), "infinite"]
    same = [row for row in found.values() if str(row["is"]).endswith("(as it is)")]
    assert len(same) == 6
    for row in same:
        assert (row["difference"], row["player differs on"], row["banker differs on"]) == (0, None, None)


def test_where_strategies_differ_is_named_by_what_the_player_did() -> None:
    found = rows(bicycle().tables[0])
    assert found["the banker sees", "nothing"]["banker differs on"] == "stood 6"
    assert found["the banker sees", "card"]["banker differs on"] == "drew 5, 6"
    assert found["packs", "1"]["player differs on"] == "6"
    assert found["a win pays", "19/20"]["equilibrium"] == "pure"


def test_a_game_that_mixes_says_so() -> None:
    found = rows(chemin_de_fer())
    one_pack = found["packs", "1"]
    wanted = GOLDEN["siblings"]["chemin_de_fer_1_deck"]["B3_value_to_player"]
    assert f"{float(one_pack['value']):.10f}" == wanted
    assert one_pack["equilibrium"] == "mixes on 2 decisions"
    assert found["forced moves of the player", "draw 0-5, stand 6-9"]["equilibrium"] == "pure"
    assert all(row["exploitability"] == 0 for row in found.values())


def test_effects_of_removal_are_those_of_the_solver() -> None:
    found = {row[0]: row[1:] for row in bicycle().tables[1].rows}
    rules = load_rules("bicycle")
    full = rules.initial_counts
    fewer = solver.equilibrium(rules, shoe=(*full[:-1], full[-1] - 1)).value - solver.equilibrium(rules).value
    assert found["6"][:2] == (48, fewer * MILLION)
    number, _, of_pair = found["any"]
    assert (number, of_pair) == (432, 0)
    assert sum(count * effect for name, (count, _, effect) in found.items() if name != "any") == 0


def test_rules_that_a_sheet_cannot_have_are_left_out() -> None:
    tableau = {"stand": [0, 5], "draw:0": [0], "draw:1": [0], "draw:5": [0, 1]}
    found = rule_changes(tiny(banker_sees="card", banker_tableau=tableau, max_players=1))
    assert found.notes[-1] == "not possible here: the banker sees nothing; the banker sees choice"
    changed = {rule for rule, _ in rows(found)} - {"as it is", "packs", "the bank wins ties", "a win pays"}
    assert changed == {"forced moves of the player", "the banker sees"}
    assert not any("not possible" in note for note in bicycle().tables[0].notes)


def test_cards_with_replacement_have_no_effects_of_removal() -> None:
    found = effects(tiny(num_decks="infinite"))
    assert [table.title for table in found.tables] == ["Each rule changed alone"]
    assert "cards are dealt with replacement, so no card is ever removed" in found.notes


def test_it_can_be_kept_and_written() -> None:
    assert Study.from_dict(json.loads(written(bicycle(), "json"))) == bicycle()
    assert "19/20" in written(bicycle(), "human")
