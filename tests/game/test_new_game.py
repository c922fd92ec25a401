"""What `new_game` refuses: one clear line that names the argument and the value."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.game import new_game
from pan9_gym.rules import load_rules

RULES = load_rules("bicycle")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 0}, "num_players 0: 'bicycle' allows 1 to 7"),
        ({"num_players": 8}, "num_players 8"),
        ({"first_to_deal": 2}, "first_to_deal 2: must be a seat from 0 to 1"),
        ({"first_to_deal": -1}, "first_to_deal -1"),
        ({"wagers": [1, 1]}, r"wagers \[1, 1\]: one per player is needed, so 1"),
        ({"wagers": "1"}, "wagers '1': one per player is needed"),
        ({"wagers": [0]}, "wagers 0: must be greater than 0"),
        ({"wagers": [-1]}, "wagers -1: must be greater than 0"),
        ({"wagers": [0.5]}, "wagers 0.5: must be exact"),
        ({"wagers": ["1e9"]}, "wagers '1e9': must be exact"),
        ({"side_stakes": [{"tie": 1}]}, "side bet 'tie' is not offered by 'bicycle'; offered: none"),
        ({"side_stakes": [None, None]}, "side_stakes .*: one entry per player is needed, so 1"),
        ({"side_stakes": {"tie": 1}}, "side_stakes .*: one entry per player is needed, so 1"),
        ({"side_stakes": ["tie"]}, "side_stakes 'tie': a mapping such as .* is needed"),
        ({"wagers": 5}, "wagers 5: one per player is needed"),
        ({"first_to_deal": 0.5}, "first_to_deal 0.5"),
        ({"shoe": {0: 7}}, "the shoe holds 7 cards; a hand with num_players=1 may take 8"),
        ({"shoe": {0: 20, 7: 1}}, "shoe: card 7 is not in the pack; cards allowed: 1, 2, 3, 4, 5, 6, 0"),
        ({"shoe": {0: 145}}, "shoe: card 0 has the number 145; allowed is 0 to 144"),
        ({"shoe": {0: 20, 1: -1}}, "shoe: card 1 has the number -1"),
        ({"shoe": {0: 20.0}}, "shoe: card 0 has the number 20.0"),
    ],
)
def test_a_game_that_is_not_possible(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        new_game(RULES, **options)


def test_side_stakes_must_be_positive_and_known() -> None:
    bonus = load_rules("bicycle_bonus")
    with pytest.raises(ValueError, match="side_stakes dragon 0: must be greater than 0"):
        new_game(bonus, side_stakes=[{"dragon": 0}])
    with pytest.raises(
        ValueError, match="side bet 'tie' is not offered by 'bicycle_bonus'; offered: dragon, super_0, bc"
    ):
        new_game(bonus, side_stakes=[{"tie": 1}])
