"""Clauses U1, U2, U5 and U8-U10: regulation 9, the House or a player as banker."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pan9_gym.rules import Action, Role, load_rules
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.settlement import wager_payoff
from pan9_gym.rules.side_bets import SideBet

SHEETS = ("uk_1994_house", "uk_1994_player")
FREE = (Action.STAND, Action.DRAW)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("total", range(10))
def test_U1_an_opposing_player_may_take_a_fourth_card_at_every_total(sheet: str, total: int) -> None:
    assert legal_actions(load_rules(sheet), Role.PLAYER, total) == FREE


@pytest.mark.parametrize("sheet", SHEETS)
def test_U1_up_to_seven_opposing_players(sheet: str) -> None:
    assert load_rules(sheet).max_players == 7


@pytest.mark.parametrize("total", range(6))
def test_U2_the_house_must_draw_on_5_or_less(total: int) -> None:
    assert legal_actions(load_rules("uk_1994_house"), Role.BANKER, total) == (Action.DRAW,)


@pytest.mark.parametrize("total", range(6, 10))
def test_U2_the_house_must_stand_on_6_or_more(total: int) -> None:
    assert legal_actions(load_rules("uk_1994_house"), Role.BANKER, total) == (Action.STAND,)


@pytest.mark.parametrize("total", range(10))
def test_U2_another_banker_is_free(total: int) -> None:
    assert legal_actions(load_rules("uk_1994_player"), Role.BANKER, total) == FREE


@pytest.mark.parametrize(("sheet", "bank"), [("uk_1994_house", "house"), ("uk_1994_player", "player")])
def test_U4_who_holds_the_bank(sheet: str, bank: str) -> None:
    assert load_rules(sheet).bank == bank


def test_U5_one_opposing_seat_against_a_player_banker_is_labelled_hypothetical() -> None:
    labels = [note for note in load_rules("uk_1994_player").assumptions(1) if "U5" in note]
    assert len(labels) == 1
    assert labels[0].startswith("hypothetical")


@pytest.mark.parametrize("num_players", range(2, 8))
def test_U5_several_opposing_seats_are_not_labelled(num_players: int) -> None:
    assert not any("U5" in note for note in load_rules("uk_1994_player").assumptions(num_players))


@pytest.mark.parametrize("sheet", ["uk_1994_house", "bicycle", "bicycle_bonus", "hawaiian_gardens"])
def test_U5_is_a_rule_of_the_player_bank_only(sheet: str) -> None:
    assert not any("U5" in note for note in load_rules(sheet).assumptions(1))


def test_U5_says_nothing_where_the_house_has_the_bank_anyway() -> None:
    rules = load_rules("uk_1994_house", house_banks_single_wager=True)
    assert not any("U5" in note for note in rules.assumptions(1))


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("total", range(10))
def test_U8_equal_totals_are_void(sheet: str, total: int) -> None:
    assert wager_payoff(load_rules(sheet), total, total) == 0


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(("player", "banker"), [(0, 1), (8, 9), (0, 9)])
def test_U8_the_higher_total_wins(sheet: str, player: int, banker: int) -> None:
    assert wager_payoff(load_rules(sheet), player, banker) == -1
    assert wager_payoff(load_rules(sheet), banker, player) > 0


@pytest.mark.parametrize(
    ("sheet", "odds"), [("uk_1994_house", Fraction(19, 20)), ("uk_1994_player", Fraction(1))]
)
def test_U9_what_a_win_pays(sheet: str, odds: Fraction) -> None:
    payoff = wager_payoff(load_rules(sheet), 9, 0)
    assert isinstance(payoff, Fraction)
    assert payoff == odds


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("total", range(10))
def test_U10_the_tie_wager_pays_7_to_1_on_every_tie(sheet: str, total: int) -> None:
    assert load_rules(sheet).side_bets.payoff(SideBet.TIE, (), 3, (total, total)) == 7


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(("player", "banker"), [(9, 8), (8, 9), (0, 9), (1, 0)])
def test_U10_the_tie_wager_loses_otherwise(sheet: str, player: int, banker: int) -> None:
    assert load_rules(sheet).side_bets.payoff(SideBet.TIE, (), 3, (player, banker)) == -1


@pytest.mark.parametrize("sheet", SHEETS)
def test_U3_U10_the_tie_wager_is_with_the_house_whoever_banks(sheet: str) -> None:
    tie = load_rules(sheet).side_bets.tie
    assert tie is not None
    assert tie.against == "house"


@pytest.mark.parametrize(("sheet", "holds"), [("uk_1994_house", True), ("uk_1994_player", False)])
def test_U10_the_banker_holds_the_tie_wager_only_where_he_is_the_house(sheet: str, holds: bool) -> None:
    assert load_rules(sheet).banker_holds(SideBet.TIE) is holds


@pytest.mark.parametrize("sheet", SHEETS)
def test_U10_a_tie_wager_with_the_banker_is_an_alternative(sheet: str) -> None:
    rules = load_rules(sheet, side_bets={"tie": {"payout": 7, "against": "banker"}})
    assert rules.side_bets.tie is not None
    assert rules.side_bets.tie.against == "banker"
    assert rules.banker_holds(SideBet.TIE)
    assert rules.fingerprint != load_rules(sheet).fingerprint


@pytest.mark.parametrize("sheet", SHEETS)
def test_U12_the_tie_wager_is_the_only_side_bet(sheet: str) -> None:
    assert load_rules(sheet).side_bets.offered == (SideBet.TIE,)
