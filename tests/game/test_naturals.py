"""A total of the first cards that ends the hand at once, on either side (K1), in the readable engine."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym.game import Round, Shoe, has_choice, info_states, legal_table, new_game
from pan9_gym.policies import get
from pan9_gym.policies.play import play as play_seats
from pan9_gym.rules import Action, Role, load_rules
from tests.game.hands import BACCARAT, one_on_one
from tests.rules.tableau import BANKER_DRAWS_AGAINST, PLAYER

STAND, DRAW = Action.STAND, Action.DRAW
TWO_CARDS = ("K Q", "K A", "K 2", "K 3", "K 4", "K 5", "K 6", "K 7", "K 8", "K 9")
"""Two cards of each total, 0 to 9."""

both_sheets = pytest.mark.parametrize("sheet", BACCARAT)


def dealt(sheet: str, player: int, banker: int, **options: Any) -> Round:
    """The state after the four first cards, hands given by their totals."""
    return one_on_one(load_rules(sheet), TWO_CARDS[player], TWO_CARDS[banker], **options)


@both_sheets
@pytest.mark.parametrize("player", range(10))
@pytest.mark.parametrize("banker", range(10))
def test_K1_a_natural_on_either_side_ends_the_hand_and_nothing_else_does(
    sheet: str, player: int, banker: int
) -> None:
    state = dealt(sheet, player, banker)
    ends = player >= 8 or banker >= 8
    assert state.is_terminal is state.ends_on_a_natural is ends
    assert not state.is_chance
    assert state.seat_due is None
    assert state.current_seat == (None if ends else 0)
    assert bool(state.legal_actions()) is not ends
    assert state.chance_outcomes() == ()
    if ends:
        net = (player > banker) - (player < banker)
        assert state.returns() == (net, -net)
        assert (state.num_dealt, state.choices) == (4, ())
    else:
        with pytest.raises(ValueError, match="returns are known only when the hand is over"):
            state.returns()


@both_sheets
@pytest.mark.parametrize(("player", "banker"), [(8, 3), (3, 9), (9, 9)])
def test_K1_after_a_natural_no_move_is_legal_and_no_card_comes(sheet: str, player: int, banker: int) -> None:
    state = dealt(sheet, player, banker)
    for move in (STAND, DRAW):
        with pytest.raises(ValueError, match="is not legal here; legal: none: the hand is over"):
            state.apply(move)
    with pytest.raises(ValueError, match="sees 1 earlier seats; they have not all chosen yet"):
        state.info_state(1)


@both_sheets
def test_K1_all_first_cards_are_dealt_before_a_natural_ends_the_hand(sheet: str) -> None:
    """The player's 9 is complete with the third card; the fourth, the banker's, is still dealt."""
    state = new_game(load_rules(sheet)).new_round().apply_all([9, 4, 0])
    assert (state.is_chance, state.seat_due, state.is_terminal) == (True, 1, False)
    assert state.apply(5).returns() == (0, 0)  # two nines
    assert state.apply(3).returns() == (1, -1)


@both_sheets
def test_K1_the_first_cards_at_once_end_the_hand_too(sheet: str) -> None:
    start = new_game(load_rules(sheet)).new_round()
    state = start.deal_first_cards([4, 2, 4, 3])
    assert state == start.apply_all([4, 2, 4, 3])
    assert state.is_terminal
    assert state.returns() == (1, -1)


@both_sheets
@pytest.mark.parametrize("card", [3, 4])
def test_K1_a_third_card_makes_no_natural(sheet: str, card: int) -> None:
    """The player's 5 becomes 8 or 9 with a card; the banker still has his turn."""
    state = dealt(sheet, 5, 2).apply_all([DRAW, card])
    assert state.total(0) in (8, 9)
    assert not state.is_terminal
    assert state.current_seat == 1
    state = state.apply_all([DRAW, 7])
    assert state.total(1) == 9
    assert state.is_terminal
    assert not state.ends_on_a_natural


def test_naturals_are_a_field_that_any_sheet_with_one_player_may_set() -> None:
    """Three first cards, and a 0 ends the hand."""
    rules = load_rules("bicycle", max_players=1, naturals=[0])
    assert one_on_one(rules, "K K K", "6 K K").returns() == (-1, 1)
    assert one_on_one(rules, "6 3 K", "6 K K").current_seat == 0


def test_without_naturals_an_8_is_a_hand_like_any_other() -> None:
    rules = load_rules("baccarat_chemin_de_fer", naturals=[])
    assert one_on_one(rules, "K 8", "K 3").legal_actions() == (STAND, DRAW)


@both_sheets
def test_policies_play_naturals_and_other_hands_to_the_end(sheet: str) -> None:
    """The share of hands that a natural ends is 1 - 0.657 with replacement; 1000 hands, 3.9 deviations."""
    rules = load_rules(sheet, num_decks="infinite")
    seats = tuple(get("logical_way", rules, role) for role in Role)
    rng = np.random.default_rng(5)
    game, shoe = new_game(rules), Shoe(rules, rng=rng)
    ends = [play_seats(game.new_round(), shoe, seats, rng) for _ in range(1000)]
    assert all(end.is_terminal for end in ends)
    naturals = [end for end in ends if end.ends_on_a_natural]
    assert all(end.num_dealt == 4 and not end.choices for end in naturals)
    assert all(len(end.choices) == 2 for end in ends if not end.ends_on_a_natural)
    share = 1 - (137 / 169) ** 2  # 137 of the 169 ordered pairs of ranks make 0 to 7
    assert abs(len(naturals) - 1000 * share) < 3.9 * (1000 * share * (1 - share)) ** 0.5


def test_K3_the_round_asks_the_tableau_for_the_bankers_move() -> None:
    for banker, (seen, row) in [(b, item) for b in range(8) for item in BANKER_DRAWS_AGAINST.items()]:
        if seen == "stand":
            state = dealt("baccarat_punto_banco", 6, banker).apply(STAND)
        else:
            state = dealt("baccarat_punto_banco", 5, banker).apply_all([DRAW, int(seen[-1])])
        assert state.visible_choices(1) == (seen,)
        assert state.legal_actions() == ((DRAW,) if row[banker] == "D" else (STAND,))


def test_K3_the_table_of_legal_moves_is_the_tableau() -> None:
    rules = load_rules("baccarat_punto_banco")
    states = info_states(rules, Role.BANKER)
    table = legal_table(rules, states)
    assert [pattern for (pattern,) in states.patterns] == list(BANKER_DRAWS_AGAINST)
    for moves, row in zip(table, BANKER_DRAWS_AGAINST.values(), strict=True):
        wanted = [DRAW if move == "D" else STAND for move in row + "SS"]
        assert list(moves) == [(wanted[total],) for total in states.column_totals]
    players = info_states(rules, Role.PLAYER)
    wanted = [DRAW if move == "D" else STAND for move in PLAYER + "SS"]
    assert legal_table(rules, players) == (tuple((wanted[total],) for total in players.column_totals),)


def test_a_card_that_is_not_in_the_pack_has_a_row_in_the_table_of_a_tableau() -> None:
    """Without nines nobody sees one; its row is that of a player who stood, so that tables have one shape."""
    points = {"A": 1, "2": 2, "K": 0}
    tableau = {"stand": [0], "draw:0": [1], "draw:1": [1], "draw:2": [2]}
    rules = load_rules(
        "baccarat_punto_banco", point_values=points, naturals=[], banker_tableau=tableau, side_bets={}
    )
    states = info_states(rules, Role.BANKER)
    table = legal_table(rules, states)
    assert table[10] == table[0] != table[1]
    assert not has_choice(rules, states)


@pytest.mark.parametrize(
    ("sheet", "role", "wanted"),
    [
        ("baccarat_chemin_de_fer", Role.PLAYER, True),
        ("baccarat_chemin_de_fer", Role.BANKER, True),
        ("baccarat_punto_banco", Role.PLAYER, False),
        ("baccarat_punto_banco", Role.BANKER, False),
        ("uk_1994_house", Role.BANKER, False),
        ("uk_1994_house", Role.PLAYER, True),
    ],
)
def test_who_has_a_choice(sheet: str, role: Role, wanted: bool) -> None:
    rules = load_rules(sheet)
    assert has_choice(rules, info_states(rules, role)) is wanted


def test_a_natural_settles_the_side_bets_at_once() -> None:
    """19:20 on the banker's hand for a stake of 2, and a lost tie stake of 1, with a wager of 3."""
    bets = [{"banker_hand": 2, "tie": 1}]
    lost = dealt("baccarat_punto_banco", 6, 9, wagers=[3], side_stakes=bets)
    assert lost.returns()[0] == 3 * (-1 + 2 * Fraction(19, 20) - 1)
    tied = dealt("baccarat_punto_banco", 8, 8, wagers=[3], side_stakes=bets)
    assert tied.returns()[0] == 3 * (0 + 0 + 8)
    won = dealt("baccarat_punto_banco", 9, 8, wagers=[3], side_stakes=bets)
    assert won.returns()[0] == 3 * (1 - 2 - 1)
    for end in (lost, tied, won):
        assert sum(end.returns()) == 0
