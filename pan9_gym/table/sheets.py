"""What each sheet says about the table, in one place: the defaults of `TableConfig` with their clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import validated
from pan9_gym.table.config import TableConfig
from pan9_gym.table.seating import HOUSE_PLACE, NUM_PLACES

UNITED_KINGDOM: Mapping[str, Any] = {
    "num_dice": 0,  # T2 is of the California sheets; deal and settlement begin at the banker's left
    "push_uses_cover": True,  # U11: the stake is used up from the banker's left, before the deal
}

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "bicycle": {
        "max_consecutive_banks": 1,  # T7
        "back_line": True,  # B8
    },
    "bicycle_bonus": {
        "max_consecutive_banks": 2,  # S1
        "cards_after_choices": True,  # T4, S3
    },
    "hawaiian_gardens": {
        "max_consecutive_banks": 2,  # T7, as S1
        "logical_way": True,  # H5
    },
    "uk_1994_house": {**UNITED_KINGDOM, "bank": "house"},  # U4: the House's option, not taken
    "uk_1994_player": {
        **UNITED_KINGDOM,
        "bank": "with_house",  # U4
        "house_rules": "uk_1994_house",  # U2, U9
        "house_tops_up": True,  # U11
    },
    "baccarat_chemin_de_fer": {"bank": "until_lost", "num_dice": 0},  # R2
    "baccarat_punto_banco": {"bank": "house", "num_dice": 0},  # R2
}
"""By the sheet's name; a sheet of another name, or one with changed fields, starts from the sheet it was made
from or, if it is none of these, from `bicycle`."""


def table_config(rules: RulesLike = "bicycle", **fields: Any) -> TableConfig:
    """A table for a rule sheet.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        **fields: Fields of `TableConfig` that differ from what the sheet says.

    >>> table_config("bicycle_bonus").max_consecutive_banks
    2

    Raises:
        ConfigError: Naming the field, the value and what is allowed.
    """
    loaded = load_rules(rules)
    data: dict[str, Any] = {"limits": loaded.wager_limits, "side_limits": loaded.wager_limits}
    data |= {**DEFAULTS.get(_sheet_name(loaded), DEFAULTS["bicycle"])} | fields
    if isinstance(data.get("house_rules"), str):
        data["house_rules"] = _of_the_same_shoe(load_rules(data["house_rules"]), loaded)
    data.setdefault("occupied", _places(loaded, data))
    return validated(TableConfig, {"rules": loaded, **data}, f"table of {loaded.name!r}")


def _of_the_same_shoe(house: RulesConfig, rules: RulesConfig) -> RulesConfig:
    """The House's sheet with the other's number of packs."""
    same = house.num_decks == rules.num_decks
    return house if same else load_rules(house, num_decks=rules.num_decks or "infinite")


def _sheet_name(rules: RulesConfig) -> str:
    return rules.name.split(",")[0]


def _places(rules: RulesConfig, data: Mapping[str, Any]) -> tuple[int, ...]:
    """As many places as the rules and the House leave."""
    if data.get("bank") == "house":
        return tuple(range(min(rules.max_players, HOUSE_PLACE)))
    house = data.get("bank") == "with_house" or data.get("house_tops_up") or rules.house_banks_single_wager
    return tuple(range(min(rules.max_players + 1, HOUSE_PLACE if house else NUM_PLACES)))
