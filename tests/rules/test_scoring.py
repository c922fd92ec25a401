"""Totals and comparison: scalar and array forms agree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym.rules import Outcome, RulesConfig
from pan9_gym.rules.cards import Card
from pan9_gym.rules.scoring import card_values, compare, hand_total, hand_totals

HANDS = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=20)


@settings(deadline=None)
@given(HANDS)
def test_array_and_scalar_totals_agree(hands: list[list[int]]) -> None:
    totals = hand_totals(np.array(hands, dtype=np.int8))
    assert totals.dtype == np.int64
    assert totals.shape == (len(hands),)
    assert totals.tolist() == [hand_total(hand) for hand in hands]


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), max_size=6).flatmap(
        lambda hand: st.tuples(st.just(hand), st.permutations(hand))
    )
)
def test_the_order_of_the_cards_does_not_matter(hands: tuple[list[int], list[int]]) -> None:
    hand, shuffled = hands
    assert hand_total(shuffled) == hand_total(hand)
    assert 0 <= hand_total(hand) <= 9


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=3, max_size=4))
def test_the_total_is_the_last_digit_written_out(hand: list[int]) -> None:
    assert str(sum(hand))[-1] == str(hand_total(hand))


def test_totals_keep_the_leading_axes() -> None:
    values = np.arange(24).reshape(2, 3, 4) % 10
    assert hand_totals(values).shape == (2, 3)
    assert int(hand_totals(values)[1, 2]) == (0 + 1 + 2 + 3) % 10


def test_a_missing_fourth_card_counts_nothing() -> None:
    assert hand_totals([[6, 6, 4, 0]]).tolist() == [hand_total([6, 6, 4])] == [6]


@pytest.mark.parametrize(("player", "banker"), list(itertools.product(range(10), repeat=2)))
def test_compare_is_for_the_player(player: int, banker: int) -> None:
    outcome = compare(player, banker)
    assert outcome == (player > banker) - (player < banker)
    assert isinstance(outcome, Outcome)
    assert compare(banker, player) == -outcome


def test_suits_do_not_change_the_points() -> None:
    for rank, points in RulesConfig().point_values.items():
        assert card_values(RulesConfig(), [Card(rank, suit) for suit in "cdhs"]) == (points,) * 4
