"""Effects of removal: exact differences that balance for fixed policies."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from pan9_gym import solver
from pan9_gym.rules import load_rules

SHOE = (9, 2, 1, 4, 0, 3, 5)
"""A shoe of the points 0 to 6 without a 4."""


@pytest.mark.parametrize(
    ("name", "banker", "shoe"),
    [
        ("bicycle", "wizard", None),
        ("hawaiian_gardens", "uniform", SHOE),
        ("uk_1994_house", "logical_way", SHOE),
        ("baccarat_chemin_de_fer", "always_draw", (3, 1, 0, 2, 5, 1, 1, 0, 4, 2)),
    ],
)
def test_the_effects_of_fixed_policies_balance(name: str, banker: str, shoe: tuple[int, ...] | None) -> None:
    found = solver.effects_of_removal(name, shoe, player="logical_way", banker=banker)
    assert found.quantity == "ev"
    assert found.mean == 0
    counted = zip(found.shoe, found.effects.values(), strict=True)
    assert sum(number * effect for number, effect in counted if effect is not None) == 0
    assert any(found.effects.values())
    assert [effect is None for effect in found.effects.values()] == [number == 0 for number in found.shoe]


def test_an_effect_is_the_difference_of_two_expectations() -> None:
    found = solver.effects_of_removal("bicycle", SHOE, player="uniform", banker="wizard")
    fewer = (9, 2, 1, 4, 0, 2, 5)
    before, after = (solver.evaluate("bicycle", "uniform", "wizard", shoe).ev for shoe in (SHOE, fewer))
    assert found.base == before
    assert found.effects[5] == after - before


def test_the_effects_on_the_value_are_differences_of_game_values() -> None:
    found = solver.effects_of_removal("bicycle", SHOE)
    fewer = (8, 2, 1, 4, 0, 3, 5)
    assert found.quantity == "value"
    assert found.base == solver.equilibrium("bicycle", shoe=SHOE).value
    assert found.effects[0] == solver.equilibrium("bicycle", shoe=fewer).value - found.base
    assert found.effects[4] is None
    assert found.mean != 0  # both roles see which card is missing


def test_on_a_fresh_shoe_one_card_changes_no_decision() -> None:
    """So that the effects on the value are those of the equilibrium's strategies, and balance."""
    pair = solver.equilibrium("bicycle")
    fixed = solver.effects_of_removal("bicycle", player=pair.player, banker=pair.banker)
    game = solver.effects_of_removal("bicycle")
    assert game.effects == fixed.effects
    assert game.base == pair.value
    assert game.mean == 0
    gains = {value for value, effect in game.effects.items() if effect is not None and effect > 0}
    assert gains == {1, 2, 3}  # the player gains where aces, twos and threes are gone


@pytest.mark.parametrize(
    ("value", "published"),
    [(4, -0.0000435175), (0, -0.0000373810), (1, -0.0000295798), (3, -0.0000217068)],
)
def test_published_effects_on_the_punto_hand_winning(value: int, published: float) -> None:
    """Punto banco, 8 decks: source excelpunks.com, Concepts 16: Baccarat - Effects of Card Removal.

    The page gives the change in the probability that the player's hand wins when one card is removed.
    """
    rules = load_rules("baccarat_punto_banco")
    shoe = list(rules.initial_counts)
    before = solver.evaluate(rules, "logical_way", "logical_way", shoe).win_prob
    shoe[value] -= 1
    after = solver.evaluate(rules, "logical_way", "logical_way", shoe).win_prob
    assert float(after - before) == pytest.approx(published, abs=1e-10)


def test_the_json_keeps_the_fractions() -> None:
    found = solver.effects_of_removal("bicycle", SHOE, player="uniform", banker="uniform")
    data = json.loads(json.dumps(found.to_dict()))
    assert Fraction(data["base"]) == found.base
    assert data["effects"]["4"] is None
    assert Fraction(data["effects"]["6"]) == found.effects[6]
    assert (data["mean"], data["shoe"], data["quantity"]) == ("0", list(SHOE), "ev")


@pytest.mark.parametrize(
    ("use", "parts"),
    [
        (lambda: solver.effects_of_removal("bicycle", player="wizard"), ("banker None", "for both roles")),
        (lambda: solver.effects_of_removal("bicycle", banker="wizard"), ("player None", "for both roles")),
        (lambda: solver.effects_of_removal("bicycle", (2, 1, 1, 1, 1, 1, 1)), ("8 cards", "9 are needed")),
        (lambda: solver.effects_of_removal("bicycle", (145, 1, 1, 1, 1, 1, 1)), ("value 0", "0 to 144")),
        (
            lambda: solver.effects_of_removal(load_rules("bicycle", num_decks="infinite")),
            ("num_decks infinite", "none is ever removed"),
        ),
    ],
)
def test_a_bad_argument_is_named(use: Callable[[], Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"^.+$") as caught:
        use()
    for part in parts:
        assert part in str(caught.value)
