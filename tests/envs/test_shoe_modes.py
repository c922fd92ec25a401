"""The continuing shoe: no card comes more often than it exists, the cut card, shoes that start part dealt.

Hands are played with everybody drawing, so that each takes eight cards, from one pack of 36: four hands a
shoe, and then four cards are left, too few. The cards are read off the rendered end of each hand.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from pan9_gym import load_rules
from pan9_gym.envs.player import PlayerEnv

ONE_PACK = load_rules("bicycle", num_decks=1)
PACK = Counter({0: 12, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4})
HANDS = 400


def hands_played(seed: int = 1, **arguments: Any) -> list[Counter[int]]:
    """The cards of each of `HANDS` hands."""
    env = PlayerEnv(ONE_PACK, opponents={"banker": "always_draw"}, render_mode="ansi", **arguments)
    played = []
    for number in range(HANDS):
        env.reset(seed=seed if number == 0 else None)
        env.step(1)
        shown = re.findall(
            r"^(?:player 0 \(you\)|banker  ): (\d) (\d) (\d) (\d) = ", str(env.render()), re.MULTILINE
        )
        assert len(shown) == 2
        played.append(Counter(int(card) for cards in shown for card in cards))
    return played


def groups_beyond_the_pack(played: list[Counter[int]], size: int, every: int) -> int:
    """How many groups of `size` hands, one from every `every`th hand on, hold a card too often."""
    starts = range(0, HANDS - size + 1, every)
    return sum(any(count > PACK[card] for card, count in total(played[s : s + size]).items()) for s in starts)


def total(played: list[Counter[int]]) -> Counter[int]:
    return sum(played, Counter())


def test_the_four_hands_of_a_shoe_hold_no_card_more_often_than_the_pack() -> None:
    played = hands_played(shoe_mode="continuing")
    assert groups_beyond_the_pack(played, size=4, every=4) == 0


def test_a_fifth_hand_comes_from_a_new_shoe() -> None:
    """Four cards are left and a hand takes eight, so groups of five cannot all fit into one pack."""
    played = hands_played(shoe_mode="continuing")
    assert groups_beyond_the_pack(played, size=5, every=4) == len(range(0, HANDS - 4, 4))


def test_fresh_shoes_do_repeat_cards() -> None:
    """The contrast that shows that the count above can fail."""
    played = hands_played(shoe_mode="fresh")
    assert groups_beyond_the_pack(played, size=4, every=4) > 50


@pytest.mark.parametrize("seed", range(5))
def test_the_cards_left_at_the_end_of_a_shoe_are_the_rest_of_the_pack(seed: int) -> None:
    """32 of 36 cards are dealt: what is missing is four cards, never a negative number of any."""
    played = hands_played(seed=seed, shoe_mode="continuing")
    for start in range(0, HANDS, 4):
        rest = PACK.copy()
        rest.subtract(total(played[start : start + 4]))
        assert min(rest.values()) >= 0
        assert rest.total() == 4


@pytest.mark.parametrize(
    ("penetration", "hands"),
    [
        (0.01, 1),
        (Fraction(8, 36), 1),
        (Fraction(9, 36), 2),
        (0.5, 3),
        (Fraction(24, 36), 3),
        (Fraction(25, 36), 4),
        (1, 4),
        (None, 4),
    ],
)
def test_the_cut_card_ends_the_shoe_after_the_hand_in_which_it_comes(
    penetration: float | Fraction | None, hands: int
) -> None:
    """After k hands 8k cards are dealt; the first k with 8k >= 36 x penetration is the last of the shoe."""
    played = hands_played(shoe_mode="continuing", penetration=penetration)
    if hands > 1:
        assert groups_beyond_the_pack(played, size=hands, every=hands) == 0
    if hands < 4:
        assert groups_beyond_the_pack(played, size=hands + 1, every=hands) > 0


def test_a_shoe_that_starts_with_sixteen_cards_gives_two_hands() -> None:
    played = hands_played(shoe_mode="continuing", start_cards=(16, 16))
    assert groups_beyond_the_pack(played, size=2, every=2) == 0
    assert groups_beyond_the_pack(played, size=3, every=2) > 10


def test_the_number_of_starting_cards_is_drawn_from_the_whole_range() -> None:
    """From 8 to 17 cards: one hand from 8-15, two from 16 and 17, in the proportion 8 to 2.

    Over 500 seeds the share of two-hand shoes is 0.2 within 3.89 standard errors of 0.018 (significance
    1e-4).
    """
    env = PlayerEnv(
        ONE_PACK, shoe_mode="continuing", start_cards=(8, 17), opponents={"banker": "always_draw"}
    )
    lefts = []
    for seed in range(500):
        env.reset(seed=seed)
        env.step(1)
        lefts.append(_cards_left(env))
    assert {*lefts} == {*range(10)}
    share = sum(left >= 8 for left in lefts) / len(lefts)
    assert abs(share - 0.2) < 3.89 * (0.2 * 0.8 / 500) ** 0.5


def _cards_left(env: PlayerEnv) -> int:
    left = env._shoe().num_cards_left
    assert left is not None
    return left


def test_cards_dealt_out_unseen_are_like_any_others() -> None:
    """With 8 cards left each hand is one from a fresh shoe: the mean count of tens is 8 x 12 / 36."""
    played = hands_played(shoe_mode="continuing", start_cards=(8, 8))
    mean = sum(cards[0] for cards in played) / HANDS
    variance = 8 * (1 / 3) * (2 / 3) * (28 / 35)  # hypergeometric
    assert abs(mean - 8 / 3) < 3.89 * (variance / HANDS) ** 0.5


def test_hands_that_are_skipped_use_up_the_shoe_too() -> None:
    rules = load_rules("bicycle_bonus", num_decks=1)
    env = PlayerEnv(rules, shoe_mode="continuing", forced="skip")
    lefts = []
    for number in range(200):
        env.reset(seed=3 if number == 0 else None)
        env.step(0)
        lefts.append(_cards_left(env))
    assert any(after <= before - 12 for before, after in pairwise(lefts))  # two hands at once


def test_a_listed_hand_leaves_the_shoe_as_it_was() -> None:
    cards = ["6", "6", "2", "A", "K", "K"]
    runs = []
    for listed in (False, True):
        env = PlayerEnv(ONE_PACK, shoe_mode="continuing")
        env.reset(seed=1)
        env.step(0)
        if listed:
            env.reset(options={"cards": cards})
            env.step(0)
        runs.append([env.reset()[1]["info_state"] for _ in range(30)])
    assert runs[0] == runs[1]


def test_cards_with_replacement_are_a_fresh_shoe() -> None:
    env = PlayerEnv(load_rules("bicycle", num_decks="infinite"))
    states = {env.reset(seed=1 if number == 0 else None)[1]["info_state"] for number in range(500)}
    assert len(states) > 50
    assert env.reset(options={"cards": ["A"] * 60})[1]["info_state"] == env.game.states[0].hands.index(
        (1, 1, 1)
    )


def test_a_shoe_that_would_start_behind_its_cut_card_is_refused() -> None:
    with pytest.raises(ValueError, match=r"start_cards \(100, 120\): with penetration 0.5 the cut card lies"):
        PlayerEnv(shoe_mode="continuing", penetration=0.5, start_cards=(100, 120))
