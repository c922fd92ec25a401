"""Who is paid what: the settlement of every sheet, side stakes, and money that adds up."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym.game import Game, new_game
from pan9_gym.rules import Action, load_rules
from tests.game.hands import HAND_OF, games, one_on_one, play, random_hand

STAND, DRAW = Action.STAND, Action.DRAW
RULES = load_rules("bicycle")


def test_b6_the_higher_total_wins_and_equal_totals_push() -> None:
    state = play(new_game(RULES, 3, wagers=[1, "5/2", 10]), "A 5 K A 5 K Q K K A 6 K", [STAND] * 4)
    assert [state.total(seat) for seat in range(4)] == [6, 6, 6, 1]
    assert state.returns() == (1, Fraction(5, 2), 10, Fraction(-27, 2))
    pushed = play(new_game(RULES), "A K 5 6 K K", [STAND, STAND])
    assert pushed.returns() == (0, 0)


@pytest.mark.parametrize(
    ("sheet", "total", "net"),
    [
        ("bicycle", 0, 0),
        ("bicycle_bonus", 0, -1),  # S4
        ("bicycle_bonus", 1, 0),
        ("hawaiian_gardens", 0, -1),  # H1
        ("hawaiian_gardens", 1, -1),
        ("hawaiian_gardens", 2, 0),
        ("uk_1994_house", 0, 0),  # U8
    ],
)
def test_ties(sheet: str, total: int, net: int) -> None:
    state = one_on_one(load_rules(sheet, player_draw_rule={}, banker_draw_rule={}), *[HAND_OF[total]] * 2)
    assert state.apply_all([STAND, STAND]).returns() == (net, -net)


def test_u9_a_win_pays_19_to_20_when_the_house_banks() -> None:
    won = play(new_game(load_rules("uk_1994_house"), wagers=[20]), "3 6 6 K K K", [STAND, STAND])
    assert won.returns() == (19, -19)
    lost = play(new_game(load_rules("uk_1994_house"), wagers=[20]), "K 6 6 K K A", [STAND, STAND])
    assert lost.returns() == (-20, 20)


def test_side_stakes_are_per_unit_wagered() -> None:
    """S7: a four-card 9 off suit pays 4 to 1; S8: a tie on 0 pays 100 to 1."""
    rules = load_rules("bicycle_bonus")
    game = new_game(rules, wagers=[2], side_stakes=[{"dragon": "1/4"}])
    state = play(game, "Kc 6s Kd Ks 4h 2s 5s", [DRAW, STAND])
    assert (state.total(0), state.total(1)) == (9, 8)
    assert state.returns() == (2 + 2, -4)
    tied = play(
        new_game(rules, wagers=[3], side_stakes=[{"super_0": "1/3"}]), "K K K K K K Q J", [DRAW, DRAW]
    )
    assert tied.returns() == (-3 + 100, -97)


def test_s6_the_bc_bonus_is_paid_on_the_first_three_cards() -> None:
    game = new_game(load_rules("bicycle_bonus"), side_stakes=[{"bc": 1}])
    state = play(game, "3h Ks 3h Ks 3h 2s 5c", [STAND, DRAW])
    assert state.returns() == (1 + 3000, -3001)


@pytest.mark.parametrize(("sheet", "banker_pays"), [("uk_1994_player", False), ("uk_1994_house", True)])
def test_u10_a_tie_wager_is_against_the_house_whoever_banks(sheet: str, banker_pays: bool) -> None:
    game = new_game(load_rules(sheet), wagers=[2], side_stakes=[{"tie": "1/2"}])
    tied = play(game, "6 6 K K K K", [STAND, STAND]).returns()
    assert tied == (7, -7 if banker_pays else 0)
    lost = play(game, "6 6 K K K A", [STAND, STAND]).returns()
    assert lost == (-2 - 1, 2 + 1 if banker_pays else 2)


def test_returns_are_known_only_at_the_end() -> None:
    with pytest.raises(ValueError, match="returns are known only when the hand is over"):
        play(new_game(RULES), "K K K K K K", [STAND]).returns()


@settings(derandomize=True, max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_returns_sum_to_zero_but_for_the_tie_wagers_of_a_house_that_does_not_bank(
    game: Game, seed: int
) -> None:
    end = random_hand(game, seed)[-1]
    house = Fraction(0)
    if game.rules.name == "uk_1994_player":
        for seat in range(game.num_players):
            tied = end.total(seat) == end.total(game.banker_seat)
            stake = dict(game.side_stakes[seat]).get("tie", Fraction(0))
            house -= game.wagers[seat] * stake * (7 if tied else -1)
    assert len(end.returns()) == game.num_seats
    assert sum(end.returns()) + house == 0


def test_a_seat_return_is_its_entry_of_the_returns() -> None:
    game = new_game(load_rules("uk_1994_player"), 2, wagers=[3, 1], side_stakes=[{"tie": 1}, None])
    end = play(game, "6 K 6 K A K K K K", [STAND] * 3)
    assert end.returns() == (21, -1, 1)
    assert tuple(map(end.seat_return, range(3))) == end.returns()
