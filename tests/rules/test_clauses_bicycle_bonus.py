"""Clauses S1, S3, S4 and S6-S9: forced draws, the tie on 0 and the three bonus bets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pan9_gym.rules import Action, Role, RulesConfig, load_rules
from pan9_gym.rules.cards import parse_cards
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.settlement import wager_payoff
from pan9_gym.rules.side_bets import SideBet

RULES = load_rules("bicycle_bonus")
FREE = (Action.STAND, Action.DRAW)


def with_bets(**bets: Any) -> RulesConfig:
    """The sheet with pay tables that differ."""
    return load_rules("bicycle_bonus", side_bets=bets)


def payoff(bet: SideBet, cards: str, banker_total: int, rules: RulesConfig = RULES) -> Fraction:
    """What a side bet pays on a final hand in text notation."""
    hand = parse_cards(cards)
    totals = (hand_total(card_values(rules, hand)), banker_total)
    return rules.side_bets.payoff(bet, hand, rules.num_initial_cards, totals)


def test_S1_twelve_packs() -> None:
    assert RULES.num_decks == 12
    assert sum(RULES.initial_counts) == 432


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("total", range(5))
def test_S3_must_draw_on_0_to_4(role: Role, total: int) -> None:
    assert legal_actions(RULES, role, total) == (Action.DRAW,)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("total", [7, 8, 9])
def test_S3_must_stand_on_7_to_9(role: Role, total: int) -> None:
    assert legal_actions(RULES, role, total) == (Action.STAND,)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("total", [5, 6])
def test_S3_free_on_5_and_6(role: Role, total: int) -> None:
    assert legal_actions(RULES, role, total) == FREE


@pytest.mark.parametrize("total", range(10))
def test_S3_a_free_banker_is_an_alternative_that_leaves_the_players_bound(total: int) -> None:
    rules = load_rules("bicycle_bonus", banker_draw_rule={})
    assert legal_actions(rules, Role.BANKER, total) == FREE
    assert legal_actions(rules, Role.PLAYER, total) == legal_actions(RULES, Role.PLAYER, total)


def test_S4_a_tie_on_0_loses_for_the_player() -> None:
    assert wager_payoff(RULES, 0, 0) == -1


@pytest.mark.parametrize("total", range(1, 10))
def test_S4_other_ties_push(total: int) -> None:
    assert wager_payoff(RULES, total, total) == 0


def test_S4_the_higher_total_wins() -> None:
    assert wager_payoff(RULES, 1, 0) == 1
    assert wager_payoff(RULES, 0, 1) == -1


@pytest.mark.parametrize(
    ("cards", "prize"),
    [
        ("3h 3h 3h", 3000),
        ("3s 3s 3s", 3000),
        ("3h 3d 3h", 300),
        ("3c 3s 3s", 300),
        ("3h 3s 3h", 150),
        ("3c 3d 3h", 150),
        ("3h 3h 2h", -1),
        ("3h 3h Kh", -1),
        ("Ah Ah Ah", -1),
    ],
)
def test_S6_bc_bonus_on_a_stake_of_1_dollar(cards: str, prize: int) -> None:
    assert payoff(SideBet.BC, cards, banker_total=9) == prize


def test_S6_bc_bonus_looks_at_the_first_three_cards() -> None:
    assert payoff(SideBet.BC, "3h 3h 3h Ks", banker_total=0) == 3000
    assert payoff(SideBet.BC, "Ks 3h 3h 3h", banker_total=0) == -1


@pytest.mark.parametrize(("stake", "net"), [(1, 3000), (5, 600), (20, 150), ("1/2", 6000)])
def test_S6_another_stake_is_an_alternative(stake: int | str, net: int) -> None:
    rules = with_bets(bc={"stake": stake})
    assert payoff(SideBet.BC, "3h 3h 3h", 9, rules) == net
    assert payoff(SideBet.BC, "3h 3h 4h", 9, rules) == -1


def test_S6_a_stake_that_is_not_returned_is_an_alternative() -> None:
    rules = with_bets(bc={"stake": 5, "stake_returned": False})
    assert payoff(SideBet.BC, "3h 3d 3h", 9, rules) == 59
    assert payoff(SideBet.BC, "3h 3d 4h", 9, rules) == -1


DRAGON_ROWS = [
    ("Kh Qh 3h 6h", 100),
    ("Kh Qd 3h 6h", 40),
    ("Ks 4s 5s", 20),
    ("Ks 4c 5s", 10),
    ("Kh Qs 3h 6h", 4),
    ("Ks 4h 5s", 2),
]


@pytest.mark.parametrize(("cards", "net"), DRAGON_ROWS)
def test_S7_dragon_bonus_pay_table(cards: str, net: int) -> None:
    assert payoff(SideBet.DRAGON, cards, banker_total=0) == net


@pytest.mark.parametrize(("cards", "net"), DRAGON_ROWS)
def test_S7_dragon_bonus_needs_no_winning_hand(cards: str, net: int) -> None:
    assert payoff(SideBet.DRAGON, cards, banker_total=9) == net
    assert wager_payoff(RULES, 9, 9) == 0


def test_S7_a_hand_of_19_points_is_a_9() -> None:
    assert payoff(SideBet.DRAGON, "6d 6d 6d Ad", banker_total=0) == 100


@pytest.mark.parametrize("cards", ["Ks 3s 5s", "Ks Qs Js", "4h 5h Kh Ah", "Kh Qh 2h 6h", "4h 4h 4h 6h"])
def test_S7_any_other_total_loses(cards: str) -> None:
    assert payoff(SideBet.DRAGON, cards, banker_total=0) == -1


def test_S7_it_is_the_final_hand_that_counts() -> None:
    assert payoff(SideBet.DRAGON, "Ah 2h 3h 3s", banker_total=0) == 4  # suited until the draw
    assert payoff(SideBet.DRAGON, "Kh 4h 5h Ah", banker_total=0) == -1  # 9 until the draw


SUPER_0_ROWS = [(0, 100), (1, 50), (2, 40), (3, 20), (4, 10)]


@pytest.mark.parametrize(("total", "net"), SUPER_0_ROWS)
def test_S8_super_0_pay_table(total: int, net: int) -> None:
    assert RULES.side_bets.payoff(SideBet.SUPER_0, (), 3, (total, total)) == net


@pytest.mark.parametrize("total", range(5, 10))
def test_S8_a_tie_on_5_or_more_loses(total: int) -> None:
    assert RULES.side_bets.payoff(SideBet.SUPER_0, (), 3, (total, total)) == -1


@pytest.mark.parametrize(("player", "banker"), [(0, 1), (1, 0), (0, 9), (4, 3), (9, 0)])
def test_S8_without_a_tie_it_loses(player: int, banker: int) -> None:
    assert RULES.side_bets.payoff(SideBet.SUPER_0, (), 3, (player, banker)) == -1


@pytest.mark.parametrize(("total", "net"), [*SUPER_0_ROWS, (5, -1), (9, -1)])
@pytest.mark.parametrize("banker", [0, 5, 9])
def test_S8_the_players_own_total_is_an_alternative(total: int, net: int, banker: int) -> None:
    rules = with_bets(super_0={"on": "own_total"})
    assert rules.side_bets.payoff(SideBet.SUPER_0, (), 3, (total, banker)) == net


def test_S9_a_0_0_tie_loses_the_base_bet_and_wins_super_0() -> None:
    assert wager_payoff(RULES, 0, 0) == -1
    assert payoff(SideBet.SUPER_0, "Kh 4s 6d", banker_total=0) == 100


def test_S9_all_three_bonus_bets_are_on_offer_and_no_other() -> None:
    assert set(RULES.side_bets.offered) == {SideBet.BC, SideBet.DRAGON, SideBet.SUPER_0}


@pytest.mark.parametrize("bet", [SideBet.BC, SideBet.DRAGON, SideBet.SUPER_0])
def test_S9_the_bonus_bets_are_against_the_player_dealer(bet: SideBet) -> None:
    assert RULES.banker_holds(bet)


def test_S9_a_bet_that_is_not_on_offer_has_no_payoff() -> None:
    with pytest.raises(ValueError, match="side bet 'tie' is not offered"):
        RULES.side_bets.payoff(SideBet.TIE, (), 3, (4, 4))
