"""Bad input to the fields of baccarat: naturals, and a tableau that binds the banker."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import ConfigError, load_rules

A_LIST = "must be a list of totals 0-9"
A_TOTAL = "is not a total; allowed are 0-9"
A_TABLEAU = 'must be a mapping such as {stand: [0, 1], "draw:0": [0]}'
A_CHOICE = "is not a choice; allowed are stand, draw and draw:0 to draw:9"


def refusal(**overrides: Any) -> str:
    """The message with which the sheet bicycle refuses fields."""
    with pytest.raises(ConfigError) as caught:
        load_rules("bicycle", **overrides)
    return str(caught.value)


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("naturals", 9, A_LIST),
        ("naturals", "9", A_LIST),
        ("naturals", [10], f"10 {A_TOTAL}"),
        ("naturals", [8.0], f"8.0 {A_TOTAL}"),
        ("naturals", [9, 9], "names a total twice"),
        ("banker_tableau", [0], A_TABLEAU),
        ("banker_tableau", "fixed", A_TABLEAU),
        ("banker_tableau", None, A_TABLEAU),
        ("banker_tableau", {"hit": [0]}, f"'hit' {A_CHOICE}"),
        ("banker_tableau", {"draw:10": [0]}, f"'draw:10' {A_CHOICE}"),
        ("banker_tableau", {7: [0]}, f"7 {A_CHOICE}"),
        ("banker_tableau", {"stand": 0, "draw": [0]}, A_LIST),
        ("banker_tableau", {"stand": [10], "draw": [0]}, f"10 {A_TOTAL}"),
        ("banker_tableau", {"stand": [0, 0], "draw": [0]}, "names a total twice"),
    ],
)
def test_impossible_values(field: str, value: object, allowed: str) -> None:
    message = refusal(max_players=1, **{field: value})
    assert f"field {field!r} has the value {value!r}: {allowed}" in message


@pytest.mark.parametrize("field", ["naturals", "banker_tableau"])
@pytest.mark.parametrize("max_players", [2, 7])
def test_baccarats_rules_with_several_players(field: str, max_players: int) -> None:
    value = {"naturals": [8, 9], "banker_tableau": {"stand": [0], "draw": [0]}}[field]
    message = refusal(max_players=max_players, **{field: value})
    assert message.endswith(f"{field}: is defined for max_players 1; max_players is {max_players}")
    assert getattr(load_rules("bicycle", max_players=1, **{field: value}), field)


TABLEAU = {"stand": [0, 1], **{f"draw:{card}": [0] for card in range(7)}}


@pytest.mark.parametrize(
    ("sees", "tableau", "needs"),
    [
        ("card", {key: TABLEAU[key] for key in TABLEAU if key != "draw:4"}, sorted(TABLEAU)),
        ("card", {**TABLEAU, "draw:7": [0]}, sorted(TABLEAU)),  # no 7 is in this pack
        ("card", {"stand": [0], "draw": [0]}, sorted(TABLEAU)),
        ("choice", TABLEAU, ["draw", "stand"]),
        ("choice", {"stand": [0]}, ["draw", "stand"]),
        ("nothing", {"stand": [0], "draw": [0]}, []),
    ],
)
def test_a_tableau_must_answer_every_choice_that_can_be_seen_and_no_other(
    sees: str, tableau: dict[str, Any], needs: list[str]
) -> None:
    message = refusal(max_players=1, banker_sees=sees, banker_tableau=tableau)
    assert f"banker_tableau: has the choices {sorted(tableau)}; with banker_sees {sees!r}" in message
    assert message.endswith(f"it needs {needs}")


@pytest.mark.parametrize("key", ["must_draw", "must_stand"])
def test_a_tableau_together_with_a_draw_rule_of_the_banker(key: str) -> None:
    tableau = {"stand": [0], "draw": [0]}
    message = refusal(max_players=1, banker_tableau=tableau, banker_draw_rule={key: [9]})
    assert message.endswith("banker_tableau and banker_draw_rule both bind the banker; one may be given")


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_naturals_that_leave_no_hand_to_play(cards: int) -> None:
    message = refusal(max_players=1, num_initial_cards=cards, naturals=list(range(10)))
    assert message.endswith(
        "naturals: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] end every hand at once; one must be left"
    )
    kings = {"point_values": {"K": 0}, "num_initial_cards": cards, "max_players": 1}
    assert "naturals: [0] end every hand at once" in refusal(naturals=[0], **kings)
    assert load_rules("bicycle", naturals=[9], **kings).naturals == {9}
