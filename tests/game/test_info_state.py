"""The numbers of information states: a policy file and a trained net mean nothing without them."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym.game import info_states, legal_table
from pan9_gym.rules import Action, Role, SuitClass, load_rules, sheet_names

RULES = load_rules("bicycle")
SEEING = load_rules("bicycle", banker_sees="card")
BACCARAT_POINTS = {**{str(rank): rank for rank in range(2, 10)}, "A": 1, "10": 0, "J": 0, "Q": 0, "K": 0}


def test_the_84_hands_are_in_lexicographic_order() -> None:
    hands = info_states(RULES, "player").hands
    assert len(hands) == 84
    assert list(hands) == sorted(set(hands)) == list(combinations_with_replacement(range(7), 3))
    assert hands[:3] + hands[-2:] == ((0, 0, 0), (0, 0, 1), (0, 0, 2), (5, 6, 6), (6, 6, 6))


def test_one_player_has_84_states_and_the_banker_two_patterns_of_them() -> None:
    assert info_states(RULES, "player").shape == (1, 84)
    banker = info_states(RULES, "banker")
    assert banker.patterns == (("stand",), ("draw",))
    assert (banker.shape, banker.num_states) == ((2, 84), 168)


def test_index_is_pattern_times_hands_plus_hand() -> None:
    banker = info_states(RULES, "banker")
    assert banker.index((0, 0, 0), ("stand",)) == 0
    assert banker.index((6, 6, 6), ("stand",)) == 83
    assert banker.index((0, 0, 1), ("draw",)) == 84 + 1


def test_the_first_seat_is_the_least_significant_digit() -> None:
    banker = info_states(RULES, "banker", num_players=3)
    assert banker.patterns[1] == ("draw", "stand", "stand")
    assert banker.patterns[4] == ("stand", "stand", "draw")
    assert banker.pattern_index(("draw", "draw", "stand")) == 1 + 2
    assert banker.shape == (8, 84)


def test_where_cards_are_seen_the_pattern_is_in_base_11() -> None:
    banker = info_states(SEEING, "banker", num_players=2)
    assert banker.tokens == ("stand", *(f"draw:{value}" for value in range(10)))
    assert banker.pattern_index(("draw:7", "stand")) == 8
    assert banker.pattern_index(("stand", "draw:0")) == 11
    assert banker.pattern_index(("draw:3", "draw:9")) == 4 + 11 * 10
    assert banker.shape == (121, 84)


@pytest.mark.parametrize("rules", [RULES, SEEING], ids=["choices seen", "cards seen"])
@pytest.mark.parametrize(("role", "seat"), [("player", 0), ("player", 2), ("banker", 0)])
def test_numbers_and_states_are_one_to_one(rules: Any, role: str, seat: int) -> None:
    states = info_states(rules, role, num_players=3, seat=seat)
    found = [states.index(hand, choices) for choices in states.patterns for hand in states.hands]
    assert found == list(range(states.num_states))
    for number, choices in enumerate(states.patterns):
        assert states.pattern_index(choices) == number


def test_a_dragon_stake_adds_the_suit_class() -> None:
    """index = (pattern x num_hands + hand) x 3 + suit_class."""
    bonus = load_rules("bicycle_bonus")
    states = info_states(bonus, "player", num_players=3, seat=2, with_suits=True)
    assert states.shape == (4, 84 * 3)
    cases = product(enumerate(states.patterns), enumerate(states.hands), SuitClass)
    for (pattern, choices), (hand, cards), suits in cases:
        assert states.index(cards, choices, suits) == (pattern * 84 + hand) * 3 + suits
    assert states.column_totals[3 * 1 : 3 * 2] == (1, 1, 1)  # the hand 0 0 1 in its three suit classes


@given(st.lists(st.integers(0, 6), min_size=3, max_size=3), st.permutations([0, 1, 2]))
@settings(derandomize=True, max_examples=50)
def test_the_order_of_the_cards_does_not_matter(cards: list[int], order: list[int]) -> None:
    states = info_states(RULES, "player")
    turned = [cards[place] for place in order]
    assert states.hand_index(cards) == states.hand_index(turned)
    assert states.hand_index(" ".join(map(str, turned))) == states.hand_index(tuple(cards))
    assert states.hand_totals[states.hand_index(cards)] == sum(cards) % 10


def test_a_hand_may_be_given_as_ranks_points_or_numbers_of_numpy() -> None:
    states = info_states(RULES, "player")
    wanted = states.hand_index((0, 1, 5))
    for hand in ("Q A 5", "5, a, k", "0 1 5", [5, 0, 1], np.array([1, 5, 0]), iter((0, 1, 5))):
        assert states.hand_index(hand) == wanted
    baccarat = info_states(load_rules("bicycle", point_values=BACCARAT_POINTS, num_initial_cards=2), "player")
    assert baccarat.hand_index("10 9") == baccarat.hand_index((0, 9))


@pytest.mark.parametrize(
    "hand",
    [
        "",
        "0 1",
        "0 1 5 6",
        "0 1 7",
        "0 1 x",
        "0 1 ²",
        "0 1 -1",
        (0, 1),
        (0, 1, 7),
        (0, 1, "5"),
        5,
        None,
        ((0,), 1, 5),
    ],
)
def test_a_hand_that_is_not_possible(hand: Any) -> None:
    with pytest.raises(
        ValueError, match=r"hand .* is not possible: 3 point values out of \[0, 1, 2, 3, 4, 5, 6\]"
    ):
        info_states(RULES, "player").hand_index(hand)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ((), "this banker sees 1 earlier seat, so 1 tokens are needed"),
        (("stand", "stand"), "sees 1 earlier seat"),
        ("stand", "sees 1 earlier seat"),
        (("hit",), "choice 'hit' is not known; allowed: stand, draw"),
        (("draw:5",), "choice 'draw:5' is not known; allowed: stand, draw"),
    ],
)
def test_choices_that_are_not_possible(choices: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        info_states(RULES, "banker").pattern_index(choices)


def test_suit_class_missing_or_not_part_of_the_state() -> None:
    with pytest.raises(ValueError, match="a suit class is not part of this state"):
        info_states(RULES, "player").column("0 1 5", SuitClass.SUITED)
    with pytest.raises(ValueError, match="a suit class is needed while a Dragon stake is held"):
        info_states(RULES, "player", with_suits=True).column("0 1 5")
    with pytest.raises(ValueError, match="the banker never holds a Dragon stake"):
        info_states(RULES, "banker", with_suits=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dealer",), "role 'dealer' is not known; allowed: player, banker"),
        (("player", 0), "num_players 0: 'bicycle' allows 1 to 7"),
        (("player", 8), "num_players 8: 'bicycle' allows 1 to 7"),
        (("player", 1.0), "num_players 1.0: 'bicycle' allows 1 to 7"),
        (("player", 3, 3), "seat 3 is out of range: with num_players=3 it is 0 to 2"),
        (("player", 3, -1), "seat -1 is out of range"),
        (("player", 3, 0.5), "seat 0.5 is out of range"),
    ],
)
def test_seats_that_are_not_possible(arguments: tuple[Any, ...], message: str) -> None:
    info_states(RULES, "player")  # a cache must not take 1.0 or True for this 1
    with pytest.raises(ValueError, match=message):
        info_states(RULES, *arguments)


def test_t4_who_sees_whom() -> None:
    """In turn a seat sees the earlier ones; at once only the banker sees anybody; "nothing" means nobody."""

    def seen(rules: Any) -> list[int]:
        seats = [info_states(rules, "player", 3, seat).num_visible for seat in range(3)]
        return [*seats, info_states(rules, "banker", 3).num_visible]

    assert seen(RULES) == [0, 1, 2, 3]
    assert seen(load_rules("bicycle", choices="simultaneous")) == [0, 0, 0, 3]
    assert seen(load_rules("bicycle", banker_sees="nothing")) == [0, 0, 0, 0]
    assert seen(SEEING) == [0, 1, 2, 3]


def test_fingerprints_differ_when_the_layout_differs() -> None:
    two_cards = load_rules("bicycle", num_initial_cards=2)
    other_points = load_rules(
        "bicycle", point_values={"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "K": 0}
    )
    layouts = [
        info_states(RULES, "player"),
        info_states(RULES, "player", 2, 0),
        info_states(RULES, "player", 2, 1),
        info_states(RULES, "player", with_suits=True),
        info_states(RULES, "banker"),
        info_states(RULES, "banker", 2),
        info_states(SEEING, "banker"),
        info_states(load_rules("bicycle", banker_sees="nothing"), "banker"),
        info_states(two_cards, "player"),
        info_states(other_points, "player"),
    ]
    assert len({states.fingerprint for states in layouts}) == len(layouts)


@pytest.mark.parametrize(
    ("role", "num_players", "seat"), [("player", 1, 0), ("banker", 1, 0), ("player", 4, 2)]
)
def test_fingerprints_are_equal_over_all_sheets_of_super_pan_9(
    role: str, num_players: int, seat: int
) -> None:
    """All five sheets have the same cards and the same view: one layout, so that policies can be compared."""
    pan9 = [sheet for sheet in sheet_names() if not sheet.startswith("baccarat")]
    prints = {info_states(load_rules(sheet), role, num_players, seat).fingerprint for sheet in pan9}
    assert len(pan9) == 5
    assert len(prints) == 1


@pytest.mark.parametrize("role", ["player", "banker"])
def test_the_two_baccarat_sheets_share_a_layout_of_their_own(role: str) -> None:
    baccarat = [sheet for sheet in sheet_names() if sheet.startswith("baccarat")]
    prints = {info_states(load_rules(sheet), role).fingerprint for sheet in baccarat}
    assert len(baccarat) == 2
    assert len(prints) == 1
    assert info_states(RULES, role).fingerprint not in prints


def test_fingerprints_do_not_depend_on_ranks_of_the_same_points() -> None:
    fewer_courts = load_rules(
        "bicycle", point_values={"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "K": 0}
    )
    assert info_states(fewer_courts, "player").fingerprint == info_states(RULES, "player").fingerprint


def test_s3_legal_moves_of_the_columns() -> None:
    bonus = load_rules("bicycle_bonus")
    states = info_states(bonus, "player")
    for total, moves in zip(states.column_totals, legal_table(bonus, states)[0], strict=True):
        if total <= 4:
            assert moves == (Action.DRAW,)
        elif total >= 7:
            assert moves == (Action.STAND,)
        else:
            assert moves == (Action.STAND, Action.DRAW)


def test_patterns_that_no_table_can_hold_are_refused() -> None:
    seven = info_states(load_rules("bicycle", banker_sees="card"), Role.BANKER, num_players=7)
    with pytest.raises(ValueError, match=r"num_players 7: 19487171 patterns .* at most 20000"):
        _ = seven.patterns


@pytest.mark.parametrize("one", [np.int64(1), np.uint8(1)])
def test_whole_numbers_of_any_library_are_taken(one: Any) -> None:
    assert info_states(RULES, "player", one + one, one) == info_states(RULES, "player", 2, 1)


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None])
def test_what_equals_one_but_is_no_number_of_players_is_refused(wrong: Any) -> None:
    info_states(RULES, "player", 1, 0)
    with pytest.raises(ValueError, match="num_players"):
        info_states(RULES, "player", wrong)
    with pytest.raises(ValueError, match="seat"):
        info_states(RULES, "player", 3, wrong)
