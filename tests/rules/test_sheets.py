"""The seven sheets as files: complete, sourced, and with fingerprints that only rules can change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pan9_gym.rules import RulesConfig, load_rules, sheet_names
from pan9_gym.rules.strict_yaml import read_yaml

FOLDER = Path(__file__).parents[2] / "configs" / "rules"
FINGERPRINTS = {
    "bicycle": "8c2897f99e21116b",
    "bicycle_bonus": "07bf7c302d411765",
    "hawaiian_gardens": "9d5790dda263c324",
    "uk_1994_house": "4f184975fc88e543",
    "uk_1994_player": "eb6b219115424b2f",
    "baccarat_chemin_de_fer": "63988f3cc0af1605",
    "baccarat_punto_banco": "5cd2959f2dbdeda8",
}
SHEETS = tuple(FINGERPRINTS)
RULE_FIELDS = tuple(field for field in RulesConfig.model_fields if field != "name")
HAND_FIELDS = tuple(field for field in RULE_FIELDS if field != "wager_limits")
"""Fields that decide a hand or what it pays."""
CLAUSES = {
    f"{letter}{number}"
    for letter, last in {"C": 3, "T": 7, "U": 13, "B": 8, "S": 9, "H": 17, "R": 4, "K": 3}.items()
    for number in range(1, last + 1)
}
OWN_CLAUSES = {
    "bicycle": set("CTB"),
    "bicycle_bonus": set("CTS"),
    "hawaiian_gardens": set("CTH"),
    "uk_1994_house": set("CTU"),
    "uk_1994_player": set("CTU"),
    "baccarat_chemin_de_fer": set("RK"),
    "baccarat_punto_banco": set("RK"),
}
INHERITED_WITH_SOURCES = {
    "bicycle_bonus": {"num_decks", "choices", "payout", "bank"},
    "hawaiian_gardens": {"num_decks", "choices", "payout", "player_draw_rule"},
    "uk_1994_house": {"player_draw_rule", "banker_wins_ties", "choices"},
    "uk_1994_player": {"banker_draw_rule", "player_draw_rule", "payout", "banker_wins_ties", "choices"},
    "baccarat_chemin_de_fer": {"banker_draw_rule", "payout", "banker_wins_ties", "bank"},
    "baccarat_punto_banco": {"payout"},
}
SILENT = [
    ("bicycle", "wager_limits", "10 and 100 dollars"),
    ("bicycle", "choices", "simultaneous"),
    ("bicycle", "payout", "Even money"),
    ("bicycle_bonus", "banker_draw_rule", '"free"'),
    ("bicycle_bonus", "choices", "simultaneous"),
    ("bicycle_bonus", "payout", "Even money"),
    ("bicycle_bonus", "side_bets", "own_total"),
    ("bicycle_bonus", "side_bets", "stake_returned"),
    ("bicycle_bonus", "side_bets", "leaves out suited"),
    ("hawaiian_gardens", "num_decks", "assumed"),
    ("hawaiian_gardens", "choices", "simultaneous"),
    ("hawaiian_gardens", "payout", "Even money"),
    ("hawaiian_gardens", "banker_draw_rule", "choice"),
    ("uk_1994_house", "side_bets", "every hand"),
    ("uk_1994_player", "house_banks_single_wager", "hypothetical"),
    ("baccarat_chemin_de_fer", "num_decks", "does not say"),
    ("baccarat_chemin_de_fer", "max_players", "not modelled"),
    ("baccarat_punto_banco", "num_decks", "does not say"),
    ("baccarat_punto_banco", "side_bets", "tie voids the wager on the banker's hand"),
]
OTHER_VALUES: dict[str, Any] = {
    "num_decks": 11,
    "point_values": {"A": 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, "J": 0, "Q": 0, "K": 0},
    "num_initial_cards": 2,
    "player_draw_rule": {"must_draw": [0]},
    "banker_draw_rule": {"must_stand": [9]},
    "naturals": [9],
    "banker_tableau": {"stand": [0], "draw": [1]},
    "banker_sees": "card",
    "choices": "simultaneous",
    "banker_wins_ties": [9],
    "payout": "99/100",
    "max_players": 6,
    "bank": "house",
    "house_banks_single_wager": True,
    "side_bets": {"tie": {"payout": 8}},
}
ONE_PLAYER = {"naturals", "banker_tableau"}
"""Fields that are possible with one player only."""


def raw(sheet: str) -> dict[str, Any]:
    return read_yaml(FOLDER / f"{sheet}.yaml")


def test_the_sheets_that_must_exist_do() -> None:
    assert set(SHEETS) == set(sheet_names())
    assert list(sheet_names()) == sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_loads_under_its_name_with_the_known_fingerprint(sheet: str) -> None:
    rules = load_rules(sheet)
    assert rules.name == sheet
    assert rules.fingerprint == FINGERPRINTS[sheet]


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_path_loads_the_same_rules_as_the_name(sheet: str) -> None:
    path = FOLDER / f"{sheet}.yaml"
    assert load_rules(path) == load_rules(str(path)) == load_rules(sheet)


def test_bicycle_is_the_default_and_equals_the_defaults_of_the_model() -> None:
    assert load_rules("bicycle") == RulesConfig()
    assert load_rules() == RulesConfig()


def test_bicycle_lists_every_field() -> None:
    assert tuple(raw("bicycle")["fields"]) == RULE_FIELDS


@pytest.mark.parametrize("sheet", [sheet for sheet in SHEETS if sheet != "bicycle"])
def test_another_sheet_lists_only_what_differs(sheet: str) -> None:
    rules, default = load_rules(sheet), RulesConfig()
    differs = {field for field in RULE_FIELDS if getattr(rules, field) != getattr(default, field)}
    assert set(raw(sheet)["fields"]) == differs


def test_bicycle_bonus_writes_its_pay_tables_out_in_full() -> None:
    tables = raw("bicycle_bonus")["fields"]["side_bets"]
    resolved = load_rules("bicycle_bonus").side_bets
    for name, table in tables.items():
        assert set(table) == set(type(getattr(resolved, name)).model_fields)
    assert set(tables) == {"bc", "dragon", "super_0"}


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_field_given_has_a_source(sheet: str) -> None:
    data = raw(sheet)
    assert set(data["fields"]) <= set(data["sources"])
    assert INHERITED_WITH_SOURCES.get(sheet, set()) <= set(data["sources"]) - set(data["fields"])


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_source_is_clause_text_and_perhaps_a_reading(sheet: str) -> None:
    for field, entry in raw(sheet)["sources"].items():
        assert field in RULE_FIELDS
        assert {"clause", "text"} <= set(entry) <= {"clause", "text", "reading"}, field
        words = [entry["text"], *([entry["reading"]] if "reading" in entry else [])]
        assert all(isinstance(text, str) and len(text.split()) >= 5 for text in words), field


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_clause_ids_exist_and_are_the_sheets_own(sheet: str) -> None:
    for field, entry in raw(sheet)["sources"].items():
        ids = [entry["clause"]] if isinstance(entry["clause"], str) else entry["clause"]
        assert ids, field
        assert set(ids) <= CLAUSES, field
        assert {clause[0] for clause in ids} <= OWN_CLAUSES[sheet], field


@pytest.mark.parametrize(("sheet", "field", "words"), SILENT)
def test_where_the_text_is_silent_the_reading_is_written_down(sheet: str, field: str, words: str) -> None:
    assert words in raw(sheet)["sources"][field]["reading"]


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_says_at_its_head_where_its_text_is_from(sheet: str) -> None:
    head = (FOLDER / f"{sheet}.yaml").read_text(encoding="utf-8").split("\nfields:")[0].splitlines()
    assert len(head) >= 5
    assert all(line.startswith("#") for line in head if line)
    assert any(line.startswith("# Text: ") for line in head)


def test_limits_of_wagers_change_no_fingerprint() -> None:
    limits = {"least": 2, "most": 5}
    rules = load_rules("bicycle", wager_limits=limits)
    assert rules.wager_limits.model_dump() == limits
    assert rules.fingerprint == FINGERPRINTS["bicycle"]
    assert rules != load_rules("bicycle")


def test_the_other_values_cover_every_field() -> None:
    assert set(OTHER_VALUES) == set(HAND_FIELDS)


@pytest.mark.parametrize("field", HAND_FIELDS)
def test_the_fingerprint_changes_with_each_field(field: str) -> None:
    plain = load_rules("bicycle", max_players=1) if field in ONE_PLAYER else load_rules("bicycle")
    changed = load_rules(plain, **{field: OTHER_VALUES[field]})
    assert changed.fingerprint != plain.fingerprint


def test_the_fingerprints_of_the_changed_fields_all_differ() -> None:
    one, default = load_rules("bicycle", max_players=1), load_rules("bicycle")
    changed = {
        load_rules(one if field in ONE_PLAYER else default, **{field: value}).fingerprint
        for field, value in OTHER_VALUES.items()
    }
    assert len(changed | {one.fingerprint}) == len(OTHER_VALUES) + 1


def test_the_fingerprint_changes_with_the_bet_on_the_bankers_hand() -> None:
    bets = ({}, {"banker_hand": {}}, {"banker_hand": {"payout": 1}})
    assert len({load_rules("bicycle", side_bets=bet).fingerprint for bet in bets}) == 3


def test_the_fingerprint_ignores_name_comments_and_sources(tmp_path: Path) -> None:
    path = tmp_path / "renamed.yaml"
    path.write_text("# words\nfields: {num_decks: 8, payout: '38/40'}  # more words\n", encoding="utf-8")
    bare = load_rules(path)
    path.write_text(
        "fields:\n  payout: '19/20'\n  num_decks: 8\n  name: another\n"
        "sources:\n  payout: {clause: U9, text: 19 for 20}\n",
        encoding="utf-8",
    )
    sourced = load_rules(path)
    assert (bare.name, sourced.name) == ("renamed", "another")
    assert bare.fingerprint == sourced.fingerprint


def test_the_fingerprint_ignores_the_order_of_the_ranks() -> None:
    ranks = load_rules("bicycle").point_values
    backwards = load_rules("bicycle", point_values={rank: ranks[rank] for rank in reversed(list(ranks))})
    assert list(backwards.point_values) == list(reversed(list(ranks)))
    assert backwards.fingerprint == load_rules("bicycle").fingerprint
