"""Clauses B1, B4, B5 and B6: the default sheet."""

from __future__ import annotations

import pytest

from pan9_gym.rules import Action, Role, load_rules
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.settlement import wager_payoff

RULES = load_rules("bicycle")
FREE = (Action.STAND, Action.DRAW)


def test_B1_eight_hands_from_twelve_packs() -> None:
    assert RULES.max_players == 7  # and the player-dealer
    assert RULES.num_decks == 12


@pytest.mark.parametrize("total", range(10))
def test_B4_a_player_is_free_at_every_total(total: int) -> None:
    assert legal_actions(RULES, Role.PLAYER, total) == FREE


@pytest.mark.parametrize("total", range(10))
def test_B5_the_player_dealer_is_free_at_every_total(total: int) -> None:
    assert legal_actions(RULES, Role.BANKER, total) == FREE


@pytest.mark.parametrize(("player", "banker"), [(1, 0), (9, 8), (9, 0), (5, 4)])
def test_B6_the_higher_total_wins(player: int, banker: int) -> None:
    assert wager_payoff(RULES, player, banker) == 1
    assert wager_payoff(RULES, banker, player) == -1


@pytest.mark.parametrize("total", range(10))
def test_B6_equal_totals_push(total: int) -> None:
    assert wager_payoff(RULES, total, total) == 0


def test_B8_no_side_bets() -> None:
    assert RULES.side_bets.offered == ()
