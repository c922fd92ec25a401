"""The compiled engine's continuing shoes, with and without suits: every card once, every order as likely.

Chi-square tests have a fixed seed and significance 1e-4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pan9_gym.game import new_game
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.policies.play import seat_policy
from pan9_gym.rules import load_rules
from tests.game.engine import (
    ONE_PACK,
    PACK,
    PACK_COUNTS,
    batch_of,
    is_likely,
    kinds,
    point_values,
)


def shoe_hands(
    number: int, suits: bool = False, **options: Any
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """The cards of each hand in which everybody draws, the counts before it, and the cards used before.

    Cards are places in a pack where suits count, else point values.
    """
    rules = load_rules(ONE_PACK, side_bets={"dragon": {}})
    game = new_game(rules, side_stakes=[{"dragon": 1}]) if suits else new_game(ONE_PACK)
    batch = batch_of(game, 1, continues=True, seed=1, **options)
    cards, unseen, left = [], [], []
    for _ in range(number):
        batch.deal()
        unseen.append(batch.unseen[0].tolist())
        left.append(PACK - int(batch._at[0]))
        batch.finish([1])
        cards.append((kinds(batch)[0] if suits else point_values(batch)[0]).tolist())
    return cards, unseen, left


def test_no_card_comes_twice_from_one_shoe() -> None:
    """Each hand takes 8 of 36 cards, so a shoe has four hands."""
    cards, unseen, _ = shoe_hands(2000, suits=True)
    for start in range(0, 2000, 4):
        dealt = [card for hand in cards[start : start + 4] for card in hand]
        assert len(set(dealt)) == 32
        assert unseen[start] == PACK_COUNTS
    assert len({card for hand in cards[:5] for card in hand}) < 40
    for place in range(32):
        counts = np.bincount(
            [cards[start + place // 8][place % 8] for start in range(0, 2000, 4)], minlength=PACK
        )
        assert is_likely(counts, 500 / PACK)


def test_no_value_comes_too_often_from_one_shoe_without_suits() -> None:
    """Four hands take 32 of 36 cards; each place of the deal has each value as often as the pack."""
    cards, _, _ = shoe_hands(4000)
    for start in range(0, 4000, 4):
        dealt = [value for hand in cards[start : start + 4] for value in hand]
        assert (np.bincount(dealt, minlength=7) <= PACK_COUNTS).all()
    for place in range(32):
        values = [cards[start + place // 8][place % 8] for start in range(0, 4000, 4)]
        assert is_likely(np.bincount(values, minlength=7), 1000 * np.array(PACK_COUNTS) / PACK)


def test_neighbouring_cards_without_suits_come_as_from_a_shuffled_shoe() -> None:
    """Pairs of cards at any two places of a shoe, the last ones included: drawn without replacement."""
    cards, _, _ = shoe_hands(8000)
    counts = np.array(PACK_COUNTS, dtype=float)
    expected = np.outer(counts, counts) - np.diag(counts)
    for one, other in ((0, 1), (3, 17), (30, 31)):
        pairs = np.zeros((7, 7))
        for start in range(0, 8000, 4):
            shoe = [value for hand in cards[start : start + 4] for value in hand]
            pairs[shoe[one], shoe[other]] += 1
        assert is_likely(pairs.ravel(), (2000 * expected / expected.sum()).ravel())


def test_a_shoe_with_ten_point_values() -> None:
    """Whole hands from a pack of 52, shoe after shoe, take every value as often as it is there."""
    rules = load_rules("baccarat_chemin_de_fer", num_decks=1)
    game = new_game(rules)
    probs = [seat_policy(game, seat, "logical_way").array for seat in range(2)]
    batch = BatchRound(game, None, probs, 1, continues=True, seed=4)
    found = np.zeros(10)
    for _ in range(4000):
        batch.play()
        found += np.bincount(point_values(batch)[0], minlength=10)
        assert (batch.unseen <= [16, *[4] * 9]).all()
    assert is_likely(found, found.sum() * np.array([16, *[4] * 9]) / 52)


@pytest.mark.parametrize("suits", [False, True])
def test_counts_are_the_cards_left_before_the_hand(suits: bool) -> None:
    cards, unseen, left = shoe_hands(400, suits)
    values = [0 if kind >= 24 else kind // 4 + 1 for kind in range(PACK)] if suits else list(range(7))
    for number in range(1, 400):
        if number % 4:
            expected = list(unseen[number - 1])
            for kind in cards[number - 1]:
                expected[values[kind]] -= 1
            assert unseen[number] == expected
        assert sum(unseen[number]) == left[number]


@pytest.mark.parametrize(("penetration", "hands"), [(1, 4), (0.75, 4), (24 / 36, 3), (0.5, 3), (8 / 36, 1)])
def test_the_shoe_is_shuffled_after_the_cut_card(penetration: float, hands: int) -> None:
    _, _, left = shoe_hands(100, penetration=penetration)
    assert left == [PACK - 8 * (number % hands) for number in range(100)]


def test_a_new_shoe_holds_a_number_of_cards_from_the_range() -> None:
    game, number = new_game("bicycle"), 20_000
    batch = batch_of(game, number, continues=True, start_cards=(100, 109), seed=3)
    batch.deal()
    held = batch.unseen.sum(axis=1)
    assert is_likely(np.bincount(held - 100, minlength=10), number / 10)
    full = np.array([144, *[48] * 6])
    mean = batch.unseen.sum(axis=0) / held.sum()
    assert np.abs(mean - full / 432).max() < 0.005
    assert (batch.unseen <= full).all()


def test_untaken_draws_stay_in_the_shoe() -> None:
    """Nobody draws: six cards a hand, and six hands from a pack of 36 but for the two that are too few."""
    batch = batch_of(new_game(ONE_PACK), 1, continues=True, action=0.0)
    left = []
    for _ in range(20):
        batch.deal()
        left.append(PACK - int(batch._at[0]))
        assert batch.unseen[0].sum() == left[-1]
        batch.finish([0])
        assert batch.num_used[0] == 6
    assert left == [36, 30, 24, 18, 12] * 4


def test_the_cards_of_a_hand_that_is_given_up_are_gone() -> None:
    batch = batch_of(new_game(ONE_PACK), 1, continues=True, seed=5)
    dealt: list[int] = []
    for number in range(5):
        batch.deal()
        assert batch.unseen[0].sum() == PACK - 6 * number
        dealt += point_values(batch)[0, :6].tolist()
    assert len(dealt) == 30
    assert (np.bincount(dealt, minlength=7) <= PACK_COUNTS).all()
    batch.deal(cards=["A 2 3 4 5 6 K K".split()])
    batch.deal()
    assert batch.unseen[0].sum() == PACK  # 6 were left, too few for a hand
