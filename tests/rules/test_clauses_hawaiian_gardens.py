"""Clauses H1, H2 and H4: ties for the banker, free players, a banker with a choice on 5 and 6."""

from __future__ import annotations

import pytest

from pan9_gym.rules import Action, Role, load_rules
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.settlement import wager_payoff

RULES = load_rules("hawaiian_gardens")
FREE = (Action.STAND, Action.DRAW)


@pytest.mark.parametrize("total", [0, 1])
def test_H1_the_bank_wins_ties_on_0_and_1(total: int) -> None:
    assert wager_payoff(RULES, total, total) == -1


@pytest.mark.parametrize("total", range(2, 10))
def test_H1_other_ties_push(total: int) -> None:
    assert wager_payoff(RULES, total, total) == 0


def test_H1_a_1_still_beats_a_0() -> None:
    assert wager_payoff(RULES, 1, 0) == 1
    assert wager_payoff(RULES, 0, 1) == -1


@pytest.mark.parametrize("total", range(10))
def test_H2_a_player_is_free_at_every_total(total: int) -> None:
    assert legal_actions(RULES, Role.PLAYER, total) == FREE


@pytest.mark.parametrize("total", range(5))
def test_H4_the_banker_draws_automatically_on_0_to_4(total: int) -> None:
    assert legal_actions(RULES, Role.BANKER, total) == (Action.DRAW,)


@pytest.mark.parametrize("total", [5, 6])
def test_H4_5_and_6_are_the_bankers_choice(total: int) -> None:
    assert legal_actions(RULES, Role.BANKER, total) == FREE


@pytest.mark.parametrize("total", [7, 8, 9])
def test_H4_the_banker_stands_automatically_on_7_to_9(total: int) -> None:
    assert legal_actions(RULES, Role.BANKER, total) == (Action.STAND,)


def test_H4_a_free_banker_is_an_alternative() -> None:
    rules = load_rules("hawaiian_gardens", banker_draw_rule={})
    assert {legal_actions(rules, Role.BANKER, total) for total in range(10)} == {FREE}
