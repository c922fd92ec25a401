"""How a hand unfolds: who gets which card, who may do what, and who sees what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym.game import Game, new_game
from pan9_gym.rules import Action, RulesConfig, SuitClass, load_rules, sheet_names
from pan9_gym.rules.cards import Card, parse_cards
from tests.game.hands import HAND_OF, SHEETS, games, one_on_one, play, random_hand

STAND, DRAW = Action.STAND, Action.DRAW
RULES = load_rules("bicycle")
COUNTS = {0: 144, 1: 48, 2: 48, 3: 48, 4: 48, 5: 48, 6: 48}
FREE = (STAND, DRAW)


# Dealing


def test_t2_cards_go_one_at_a_time_clockwise_from_seat_0() -> None:
    state = play(new_game(RULES, 2), "A 2 3 4 5 6 J Q K")
    assert state.hands == ((1, 4, 0), (2, 5, 0), (3, 6, 0))
    assert (state.num_dealt, state.current_seat) == (9, 0)


@pytest.mark.parametrize(
    ("first", "hands"),
    [
        (0, ((1, 4, 0), (2, 5, 0), (3, 6, 0))),
        (1, ((3, 6, 0), (1, 4, 0), (2, 5, 0))),
        (2, ((2, 5, 0), (3, 6, 0), (1, 4, 0))),  # the banker gets the first card
    ],
)
def test_t2_the_first_card_goes_to_first_to_deal(first: int, hands: tuple[tuple[int, ...], ...]) -> None:
    game = new_game(RULES, 2, first_to_deal=first)
    assert game.new_round().seat_due == first
    assert play(game, "A 2 3 4 5 6 J Q K").hands == hands


@pytest.mark.parametrize("first", [0, 2, 3])
def test_h2_choices_and_draw_cards_start_at_seat_0_wherever_the_deal_did(first: int) -> None:
    state = play(new_game(RULES, 3, first_to_deal=first), "K " * 12)
    order = []
    for card in (1, 2, 3, 4):
        order.append(state.current_seat)
        state = state.apply(DRAW)
        assert state.seat_due == order[-1]
        state = state.apply(card)
    assert order == [0, 1, 2, 3]
    assert [hand[3:] for hand in state.hands] == [(1,), (2,), (3,), (4,)]
    assert state.is_terminal


def test_a_draw_that_is_not_taken_consumes_no_card() -> None:
    state = play(new_game(RULES, 2), "K K K K K K K K K 5 6", [STAND, DRAW, DRAW])
    assert state.hands == ((0, 0, 0), (0, 0, 0, 5), (0, 0, 0, 6))
    assert state.num_dealt == 11
    nobody = play(new_game(RULES, 2), "K K K K K K K K K", [STAND, STAND, STAND])
    assert nobody.is_terminal
    assert nobody.num_dealt == 9


def test_u1_a_seat_draws_one_card_at_most() -> None:
    state = play(new_game(RULES), "K K K K K K 5", [DRAW])
    assert state.current_seat == 1
    assert state.hands[0] == (0, 0, 0, 5)


def test_b1_seven_players_and_the_banker_take_at_most_32_cards() -> None:
    game = new_game(RULES, 7)
    assert (game.num_seats, game.banker_seat, game.num_initial_deals, game.max_cards) == (8, 7, 24, 32)
    state = play(game, "K " * 32, [DRAW] * 8)
    assert state.is_terminal
    assert state.num_dealt == 32


def test_two_first_cards_where_the_rules_say_so() -> None:
    state = play(new_game(load_rules("bicycle", num_initial_cards=2)), "A 2 3 4")
    assert state.hands == ((1, 3), (2, 4))
    assert state.current_seat == 0


@pytest.mark.parametrize("first", [0, 1, 2])
def test_first_cards_dealt_at_once_lie_as_dealt_one_by_one(first: int) -> None:
    game = new_game(RULES, 2, first_to_deal=first)
    cards = [1, 2, 3, 4, 5, 6, 0, 0, 6]
    assert game.new_round().deal_first_cards(cards) == game.new_round().apply_all(cards)
    assert game.new_round().deal_first_cards(cards).current_seat == 0


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([0] * 5, "5 first cards: 6 are due"),
        ([0] * 7, "7 first cards: 6 are due"),
        ([0, 0, 0, 0, 0, 7], "card 7 is dealt 1 times; the shoe has 0"),
        ([1, 0, 1, 0, 0, 0], "card 1 is dealt 2 times; the shoe has 1"),
    ],
)
def test_first_cards_that_are_not_possible(cards: list[int], message: str) -> None:
    game = new_game(RULES, shoe={0: 20, 1: 1})
    with pytest.raises(ValueError, match=message):
        game.new_round().deal_first_cards(cards)


def test_first_cards_are_dealt_at_the_start_only() -> None:
    with pytest.raises(ValueError, match="6 first cards: 5 are due"):
        new_game(RULES).new_round().apply(0).deal_first_cards([0] * 6)


# Immutability


def test_a_state_is_not_changed_by_what_follows_it() -> None:
    before = play(new_game(RULES), "A 2 3 4 5 6")
    copy = replace(before)
    drawn = before.apply(DRAW)
    after = drawn.apply(5).apply(STAND)
    assert after.is_terminal
    assert before == copy
    assert hash(before) == hash(copy)
    assert drawn != before
    before.remaining()[5] = 0
    assert before.remaining()[5] == 47
    with pytest.raises(FrozenInstanceError):
        before.num_dealt = 7  # type: ignore[misc]


def test_branches_of_one_state_do_not_meet() -> None:
    state = play(new_game(RULES), "A 2 3 4 5 6", [DRAW])
    totals = {state.apply(card).total(0) for card, _ in state.chance_outcomes()}
    assert totals == {9, 0, 1, 2, 3, 4, 5}  # 1 + 3 + 5 = 9, and a card of 0 to 6


# Legal actions

FORCED = {  # one letter for each total 0-9: D must draw, S must stand, f free
    "bicycle": ("ffffffffff", "ffffffffff"),  # B4, B5
    "bicycle_bonus": ("DDDDDffSSS", "DDDDDffSSS"),  # S3
    "hawaiian_gardens": ("ffffffffff", "DDDDDffSSS"),  # H2, H4
    "uk_1994_house": ("ffffffffff", "DDDDDDSSSS"),  # U1, U2
    "uk_1994_player": ("ffffffffff", "ffffffffff"),  # U2
}


MOVES = {"D": (DRAW,), "S": (STAND,), "f": FREE}


@pytest.mark.parametrize("sheet", FORCED)
@pytest.mark.parametrize("total", range(10))
def test_forced_moves_of_the_sheets(sheet: str, total: int) -> None:
    rules = load_rules(sheet)
    player, banker = FORCED[sheet]
    state = one_on_one(rules, HAND_OF[total], HAND_OF[total])
    assert state.total(0) == state.total(1) == total
    assert state.legal_actions() == MOVES[player[total]]
    state = state.apply(state.legal_actions()[0])
    if state.is_chance:
        state = state.apply(0)
    assert state.current_seat == 1
    assert state.legal_actions() == MOVES[banker[total]]


def test_the_five_sheets_are_covered() -> None:
    assert set(SHEETS) == set(FORCED)
    assert set(FORCED) <= set(sheet_names())


def test_nobody_chooses_at_a_chance_node_or_at_the_end() -> None:
    start = new_game(RULES).new_round()
    end = play(new_game(RULES), "K K K K K K", [STAND, STAND])
    for state in (start, end):
        assert state.current_seat is None
        assert state.legal_actions() == ()
    assert start.is_chance
    assert end.is_terminal
    assert end.seat_due is None
    assert end.chance_outcomes() == ()


# Chance


def test_chance_outcomes_are_the_cards_left_over_their_number() -> None:
    start = new_game(RULES).new_round()
    assert dict(start.chance_outcomes()) == {value: Fraction(number, 432) for value, number in COUNTS.items()}
    state = start.apply_all([0, 0, 5])
    assert dict(state.chance_outcomes()) == {
        0: Fraction(142, 429),
        5: Fraction(47, 429),
        **{value: Fraction(48, 429) for value in (1, 2, 3, 4, 6)},
    }


def test_with_replacement_the_probabilities_do_not_move() -> None:
    start = new_game(load_rules("bicycle", num_decks="infinite")).new_round()
    wanted = {0: Fraction(1, 3), **{value: Fraction(1, 9) for value in range(1, 7)}}
    assert dict(start.chance_outcomes()) == wanted
    assert dict(start.apply_all([6, 6, 6, 6, 6]).chance_outcomes()) == wanted


def test_with_suits_the_outcomes_are_the_36_kinds_of_card() -> None:
    game = new_game(load_rules("bicycle_bonus"), side_stakes=[{"dragon": 1}])
    start = game.new_round()
    outcomes = dict(start.chance_outcomes())
    assert len(outcomes) == 36
    assert set(outcomes.values()) == {Fraction(12, 432)}
    ace = Card("A", "s")
    after = dict(start.apply(ace).chance_outcomes())
    assert (after[ace], after[Card("K", "h")]) == (Fraction(11, 431), Fraction(12, 431))


def test_side_bets_that_suits_do_not_settle_need_no_suits() -> None:
    game = new_game(load_rules("bicycle_bonus"), side_stakes=[{"super_0": 1}])
    assert not game.with_suits
    assert len(game.new_round().chance_outcomes()) == 7


def test_a_card_that_has_run_out_is_no_outcome() -> None:
    state = new_game(RULES, shoe={0: 1, 5: 8}).new_round().apply(0)
    assert state.chance_outcomes() == ((5, Fraction(1)),)
    with pytest.raises(ValueError, match="card 0 is due to seat 1 and none such is left"):
        state.apply(0)


def test_a_round_of_a_continuing_shoe_starts_from_the_cards_that_are_left() -> None:
    game = new_game(RULES)
    state = game.new_round({0: 3, 6: 9})
    assert dict(state.chance_outcomes()) == {0: Fraction(1, 4), 6: Fraction(3, 4)}
    assert dict(state.apply(0).chance_outcomes()) == {0: Fraction(2, 11), 6: Fraction(9, 11)}
    assert dict(game.new_round().chance_outcomes())[0] == Fraction(1, 3)


# What a seat sees


def seen_by(rules: RulesConfig, seat: int) -> tuple[str, ...]:
    state = play(new_game(rules, 3), "K " * 12 + "5 6", [DRAW, STAND, DRAW])
    return state.visible_choices(seat)


def test_t4_in_turn_and_simultaneous() -> None:
    assert [seen_by(RULES, seat) for seat in range(4)] == [
        (),
        ("draw",),
        ("draw", "stand"),
        ("draw", "stand", "draw"),
    ]
    at_once = load_rules("bicycle", choices="simultaneous")
    assert [seen_by(at_once, seat) for seat in range(4)] == [(), (), (), ("draw", "stand", "draw")]


def test_banker_sees_nothing_a_choice_or_the_card() -> None:
    assert seen_by(load_rules("bicycle", banker_sees="nothing"), 3) == ()
    assert seen_by(load_rules("bicycle", banker_sees="choice"), 3) == ("draw", "stand", "draw")
    assert seen_by(load_rules("bicycle", banker_sees="card"), 3) == ("draw:5", "stand", "draw:6")


def test_choices_that_are_still_to_come_cannot_be_seen() -> None:
    rules = load_rules("bicycle", banker_sees="card")
    start = play(new_game(rules, 2), "K " * 9)
    due = start.apply(DRAW)  # the card is not on the table yet
    for state, seat in ((start, 1), (start, 2), (due, 1), (due, 2)):
        with pytest.raises(
            ValueError, match=f"seat {seat} sees {seat} earlier seats; they have not all chosen"
        ):
            state.visible_choices(seat)
    assert due.apply(4).visible_choices(1) == ("draw:4",)


def test_a_hand_that_is_not_dealt_has_no_info_state() -> None:
    for cards in ("", "K", "K K K K K"):
        with pytest.raises(
            ValueError, match="seat 0 has no information state before all first cards are dealt"
        ):
            play(new_game(RULES), cards).info_state(0)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    cards=st.lists(st.integers(0, 6), min_size=3, max_size=3),
    order=st.permutations([0, 1, 2]),
    banker_cards=st.lists(st.integers(0, 6), min_size=3, max_size=3),
    sees=st.sampled_from(["nothing", "choice", "card"]),
)
def test_the_order_of_the_cards_does_not_matter_for_what_a_seat_knows(
    cards: list[int], order: list[int], banker_cards: list[int], sees: str
) -> None:
    rules = load_rules("bicycle", banker_sees=sees)

    def states(hand: Sequence[int], other: Sequence[int]) -> tuple[int, int]:
        dealt = [card for pair in zip(hand, other, strict=True) for card in pair]
        choosing = new_game(rules).new_round().apply_all(dealt)
        answering = choosing.apply_all([DRAW, 4])
        return choosing.info_state(0), answering.info_state(1)

    turned = [cards[place] for place in order]
    assert states(cards, banker_cards) == states(turned, banker_cards[::-1])


def test_info_state_is_the_number_of_hand_and_choices() -> None:
    state = one_on_one(RULES, "A K 6", "5 5 6")
    states = state.game.states
    assert state.info_state(0) == states[0].index("0 1 6")
    after = state.apply_all([DRAW, 3])
    assert after.info_state(1) == states[1].index("5 5 6", ("draw",))
    assert after.info_state(0) == state.info_state(0)  # what it knew when it chose


def test_a_dragon_stake_adds_the_suit_class_of_the_first_cards() -> None:
    game = new_game(load_rules("bicycle_bonus"), 2, side_stakes=[{"dragon": 1}, {"super_0": 1}])
    state = play(game, "3h 2c 5s 3d Ac Kh 4h Kd 6c")
    assert state.suit_class(0) is SuitClass.SAME_COLOUR
    assert state.info_state(0) == game.states[0].index("3 3 4", (), SuitClass.SAME_COLOUR)
    assert state.suit_class(1) is None
    assert state.suit_class(2) is None


# A whole hand


@settings(derandomize=True, max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_every_state_of_a_hand_is_consistent(game: Game, seed: int) -> None:
    hand = random_hand(game, seed)
    for state, after in pairwise(hand):
        assert [state.is_chance, state.current_seat is not None, state.is_terminal].count(True) == 1
        if state.is_chance:
            assert sum(prob for _, prob in state.chance_outcomes()) == 1
            assert after.num_dealt == state.num_dealt + 1
        else:
            seat = state.current_seat
            assert seat == len(state.choices)
            assert 0 <= state.info_state(seat) < game.states[seat].num_states
            assert 1 <= len(state.legal_actions()) <= 2
    end = hand[-1]
    dealt = Counter(card for cards in end.hands for card in cards)
    assert dealt <= Counter(game.counts)  # no card more often than it exists
    assert dealt + end.remaining() == Counter(game.counts)
    assert end.num_dealt == dealt.total() == game.num_initial_deals + sum(end.choices)
    choices = (0,) * game.num_seats if end.ends_on_a_natural else end.choices
    first = game.rules.num_initial_cards
    assert [len(cards) for cards in end.hands] == [first + choice for choice in choices]


# Errors


def test_an_illegal_action_is_refused() -> None:
    state = one_on_one(load_rules("bicycle_bonus"), "K K 4", "K K K")
    with pytest.raises(ValueError, match=r"action <Action.STAND: 0> is not legal here; legal: DRAW"):
        state.apply(STAND)
    end = play(new_game(RULES), "K K K K K K", [STAND, STAND])
    with pytest.raises(ValueError, match="is not legal here; legal: none: the hand is over"):
        end.apply(STAND)


@pytest.mark.parametrize("move", [5, -1, "stand", None, Card("A")])
def test_no_action_is_refused_at_a_decision(move: Any) -> None:
    with pytest.raises(ValueError, match="is not legal here; legal: STAND, DRAW"):
        one_on_one(RULES, "K K 4", "K K K").apply(move)


@pytest.mark.parametrize("card", [7, -1, "A", Card("A", "s"), STAND, DRAW])
def test_no_card_is_refused_at_a_chance_node(card: Any) -> None:
    with pytest.raises(ValueError, match="is due to seat 0 and none such is left"):
        new_game(RULES).new_round().apply(card)


def test_with_suits_a_bare_value_is_refused() -> None:
    game = new_game(load_rules("bicycle_bonus"), side_stakes=[{"bc": 1}])
    with pytest.raises(ValueError, match="card 1 is due to seat 0 and none such is left"):
        game.new_round().apply(1)
    assert game.new_round().apply(*parse_cards("As")).hands[0] == parse_cards("As")
