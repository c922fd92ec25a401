"""The table's fields: what each sheet says, and one clear line for each impossible value."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import ConfigError, load_rules
from pan9_gym.table import TableConfig, table_config


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("bicycle", ("players", 1, 3, "gross", False, True, False)),
        ("bicycle_bonus", ("players", 2, 3, "gross", False, False, True)),
        ("hawaiian_gardens", ("players", 2, 3, "gross", False, False, False)),
        ("uk_1994_house", ("house", 1, 0, "gross", True, False, False)),
        ("uk_1994_player", ("with_house", 1, 0, "gross", True, False, False)),
        ("baccarat_chemin_de_fer", ("until_lost", 1, 0, "gross", False, False, False)),
        ("baccarat_punto_banco", ("house", 1, 0, "gross", False, False, False)),
    ],
)
def test_what_each_sheet_says(sheet: str, expected: tuple[Any, ...]) -> None:
    config = table_config(sheet)
    assert expected == (
        config.bank,
        config.max_consecutive_banks,
        config.num_dice,
        config.cover,
        config.push_uses_cover,
        config.back_line,
        config.cards_after_choices,
    )


def test_rules_with_changed_fields_keep_what_their_sheet_says() -> None:
    config = table_config(load_rules("uk_1994_player", num_decks=2))
    assert config.bank == "with_house"
    assert config.house_rules is not None
    assert config.house_rules.num_decks == 2
    endless = table_config(load_rules("uk_1994_player", num_decks="infinite"))
    assert endless.house_rules is not None
    assert endless.house_rules.with_replacement


def test_the_config_goes_through_json() -> None:
    for sheet in ("bicycle", "bicycle_bonus", "uk_1994_player"):
        config = table_config(sheet, collection={"banker": "5/2"}, discard_part="1/3")
        assert TableConfig.model_validate(config.model_dump(mode="json")) == config


@pytest.mark.parametrize(
    ("sheet", "fields", "message"),
    [
        (
            "bicycle",
            {"occupied": [0, 0]},
            "field 'occupied' has the value [0, 0]: must be a list of different",
        ),
        ("bicycle", {"occupied": [0, 8]}, "must be a list of different places from 0 to 7"),
        (
            "bicycle",
            {"occupied": [3]},
            "occupied: 1 places are taken; under 'bicycle' with bank 'players' it",
        ),
        ("uk_1994_house", {"occupied": range(8)}, "occupied: names place 7, which the House has"),
        ("baccarat_punto_banco", {"occupied": [0, 1]}, "it must be 1 to 1"),
        ("bicycle", {"cover": "half"}, "field 'cover' has the value 'half'"),
        ("bicycle", {"bank": "club"}, "field 'bank' has the value 'club'"),
        ("bicycle", {"num_dice": 4}, "must be a whole number from 0 to 3"),
        ("bicycle", {"num_dice": True}, "must be a whole number from 0 to 3"),
        ("bicycle", {"penetration": 0}, "must be greater than 0 and at most 1"),
        ("bicycle", {"penetration": 0.5}, "must be exact"),
        ("bicycle", {"collection": {"banker": -1}}, "field 'collection.banker' has the value -1: must be at"),
        ("bicycle", {"limits": {"least": 5, "most": 1}}, "least 5 is greater than most 1"),
        ("bicycle", {"back_lines": True}, "unknown key 'back_lines' (did you mean 'back_line'?)"),
        ("bicycle", {"faults": {"boxed": 1.5}}, "field 'faults.boxed' has the value 1.5"),
        ("bicycle", {"faults": {"boxes": 0.5}}, "unknown key 'faults.boxes' (did you mean 'boxed'?)"),
        ("bicycle", {"tie_bettors": "any"}, "tie_bettors: 'any', but 'bicycle' has no tie wager"),
        ("bicycle", {"bank": "with_house"}, "house_rules: is missing"),
        ("bicycle", {"house_rules": load_rules("uk_1994_house", num_decks=12)}, "the House never banks"),
        ("bicycle", {"both_hands": True, "occupied": [0, 1]}, "both_hands: needs two hands against"),
        ("baccarat_punto_banco", {"both_hands": True}, "two hands against the banker; there can be 1"),
        ("uk_1994_house", {"both_hands": True, "occupied": [0]}, "there can be 1"),
        ("uk_1994_player", {"both_hands": True}, "both_hands: is not possible with house_tops_up"),
        ("bicycle", {"faults": {"boxed": "0.1"}}, "field 'faults.boxed' has the value '0.1'"),
        ("bicycle", {"faults": {"wrong_spot": 0.3}}, "is dealt 5.22e+03 times in the mean; at most 100"),
        ("bicycle", {"faults": {"banker_count": 0.995}}, "is dealt 200 times in the mean"),
        (
            "bicycle",
            {"faults": {"wrong_number": 0.9, "reported": 0.9}, "reported_foul": "misdeal"},
            "is dealt 1.12e+05 times in the mean",
        ),
        ("bicycle", {"faults": {"boxed": 0.9}}, "takes 320 cards in the mean; at most half a shoe of 432"),
        ("bicycle", {"late_move_5_6": "both"}, "field 'late_move_5_6' has the value 'both'"),
    ],
)
def test_an_impossible_value_is_one_clear_line(sheet: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        table_config(sheet, **fields)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_faults_without_misdeals_may_be_as_frequent_as_one_likes() -> None:
    rates = {"exposed": 0.9, "late_move": 0.9, "wrong_number": 0.9, "missed_draw": 0.9, "fouled": 0.9}
    assert table_config("bicycle", faults=rates).faults.exposed == 0.9


def test_the_house_sheet_keeps_its_name_where_its_shoe_is_the_tables() -> None:
    house = table_config("uk_1994_player").house_rules
    assert house is not None
    assert house.name == "uk_1994_house"


def test_a_house_with_another_shoe_is_refused() -> None:
    with pytest.raises(
        ConfigError, match="house_rules: has num_decks 6; one shoe serves both, so it must be 8"
    ):
        table_config("uk_1994_player", house_rules=load_rules("uk_1994_house", num_decks=6))
