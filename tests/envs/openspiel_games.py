"""Games for OpenSpiel, for several files of this folder; who imports this is skipped without open_spiel."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym import load_rules
from pan9_gym.rules import RulesConfig, sheet_names

pyspiel = pytest.importorskip("pyspiel")
import pan9_gym.envs.openspiel_game  # noqa: E402, F401  # registers the game

TABLES = [
    (sheet, num_players)
    for sheet in sheet_names()
    for num_players in (1, 2, 3)
    if num_players <= load_rules(sheet).max_players
]

SMALL: dict[str, tuple[str, tuple[int, ...]]] = {
    "bicycle": ("bicycle", (3, 0, 2, 0, 0, 4, 0)),
    "bicycle_bonus": ("bicycle_bonus", (0, 5, 0, 2, 0, 0, 7)),
    "hawaiian_gardens": ("hawaiian_gardens", (3, 0, 2, 0, 0, 4, 0)),
    "uk_1994_house": ("uk_1994_house", (3, 0, 2, 0, 0, 4, 0)),
    "uk_1994_player": ("uk_1994_player", (0, 5, 0, 2, 0, 0, 7)),
    "chemin de fer": ("baccarat_chemin_de_fer", (0, 4, 0, 0, 3, 0, 0, 0, 0, 4)),
    "punto banco": ("baccarat_punto_banco", (0, 4, 0, 0, 3, 0, 0, 0, 0, 4)),
}
"""Sheets with shoes small enough for OpenSpiel to walk through the whole tree."""

every_table = pytest.mark.parametrize(("sheet", "num_players"), TABLES)
every_small = pytest.mark.parametrize("case", SMALL)


def load(sheet: str, num_players: int = 1, **params: Any) -> Any:
    return pyspiel.load_game("python_pan9", {"rules": sheet, "num_players": num_players, **params})


def small(case: str) -> tuple[Any, RulesConfig, tuple[int, ...]]:
    sheet, shoe = SMALL[case]
    return load(sheet, shoe=" ".join(map(str, shoe))), load_rules(sheet), shoe
