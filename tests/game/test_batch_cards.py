"""The compiled engine's cards: streams of their own, every order of the shoe as likely, no card too often.

Each chi-square test has a fixed seed and significance 1e-4; what it would notice is said where its power is
not plain from a contrast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from pan9_gym.game import new_game
from pan9_gym.game.batch_cards import stream_keys
from pan9_gym.game.batch_dealing import Source, below, deal_fresh
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.game.batch_steps import OPTIONS, Array, Hand
from pan9_gym.game.batch_tables import HAND_KEYS, read_tables
from pan9_gym.game.batch_tally import HandTally
from pan9_gym.rules import load_rules
from tests.game.batches import random_policy
from tests.game.engine import (
    ONE_PACK,
    PACK,
    batch_of,
    is_likely,
    kinds,
)

# Streams


def outputs(batch: BatchRound, hands: int, rounds: slice) -> list[Any]:
    found = []
    for _ in range(hands):
        batch.deal()
        before = batch.info_state[rounds].tolist()
        batch.finish(np.ones(batch.num_rounds, dtype=np.int64))
        found.append((before, batch.totals[rounds].tolist(), batch.payoffs[rounds].tolist()))
    return found


@pytest.mark.parametrize("continues", [False, True])
def test_a_round_does_not_depend_on_the_others(continues: bool) -> None:
    game = new_game("bicycle", 3)
    mixed = [None, *(np.full(states.shape, 0.5) for states in game.states[1:])]
    few, many = (BatchRound(game, 0, mixed, number, seed=5, continues=continues) for number in (3, 70))
    assert outputs(few, 100, slice(0, 3)) == outputs(many, 100, slice(0, 3))


@pytest.mark.parametrize("continues", [False, True])
def test_a_seed_starts_everything_anew(continues: bool) -> None:
    game = new_game("bicycle")
    batch = batch_of(game, 20, seed=7, continues=continues)
    every = slice(None)
    first = outputs(batch, 70, every)
    assert outputs(batch, 70, every) != first
    batch.seed(7)
    assert outputs(batch, 70, every) == first
    batch.seed(8)
    assert outputs(batch, 70, every) != first


def test_a_seed_of_its_own_is_round_0_of_that_seed() -> None:
    game = new_game("bicycle")
    batch, other = batch_of(game, 3, seed=1), batch_of(game, 3, seed=1)
    batch.seed_each([9, None, 11])
    found = outputs(batch, 5, slice(None))
    for number, seed in ((0, 9), (2, 11)):
        alone = outputs(batch_of(game, 1, seed=seed), 5, slice(None))
        assert [[part[number] for part in hand] for hand in found] == [
            [part[0] for part in hand] for hand in alone
        ]
    assert [hand[0][1] for hand in found] == [hand[0][1] for hand in outputs(other, 5, slice(None))]


def test_only_the_chosen_rounds_are_seeded_and_dealt() -> None:
    game = new_game("bicycle")
    batch, which = batch_of(game, 4, seed=1), np.array([True, False, True, False])
    batch.deal(which)
    assert batch.waiting.tolist() == which.tolist()
    batch.deal(~which)
    whole = batch_of(game, 4, seed=1)
    whole.deal()
    assert batch.info_state.tolist() == whole.info_state.tolist()
    batch.seed(1, which)
    assert batch.waiting.tolist() == (~which).tolist()
    batch.deal(which)
    assert batch.info_state.tolist() == whole.info_state.tolist()


def test_streams_do_not_depend_on_their_number() -> None:
    assert stream_keys(3, 10).tolist()[4:] == stream_keys(3, 6, first=4).tolist()
    assert len(set(np.concatenate([stream_keys(seed, 10_000) for seed in range(20)]))) == 200_000


def test_neighbours_and_seeds_are_not_correlated() -> None:
    """Points of the first cards of 2e5 rounds: a correlation of 0.02 would show with power above 0.999."""
    game, number = new_game("bicycle"), 200_000
    hands = []
    for seed in (0, 1, 2):
        batch = batch_of(game, number, seed=seed)
        for _ in range(2):
            batch.deal()
            hands.append(batch._cards[:, :2].astype(np.float64) // 2048 % 64)
    series = [hand[:, card] for hand in hands for card in range(2)]
    pairs = [(a, b) for place, a in enumerate(series) for b in series[:place]]
    pairs += [(a[:-gap], a[gap:]) for a in series for gap in (1, 2, 64)]
    worst = max(abs(np.corrcoef(a, b)[0, 1]) for a, b in pairs)
    # The first and second card of a hand have correlation -1/431: far inside.
    assert worst < 5 / np.sqrt(number)


# No modulo bias


@njit(**OPTIONS)
def draw_fresh(table: Array, codes: Array, stamps: Array, cards: Array, stream: np.uint64) -> None:
    """Many hands from a full shoe, shape (hands, max_cards + 1); arrays that are not read are any."""
    t = table[0]
    s = Source(t, codes, stamps, stamps, cards, codes, cards, cards, codes)
    for number in range(cards.shape[0]):
        stream = deal_fresh(s, Hand(t, codes, codes, cards[number], cards, cards), stream)


@njit(**OPTIONS)
def draw_below(bound: np.uint64, stream: np.uint64, found: Array) -> None:
    for number in range(found.shape[0]):
        found[number], stream = below(bound, stream)


def test_no_place_of_a_shoe_is_favoured() -> None:
    """Of 40,000 places some have two of the 65,536 parts and some have one, were it not for the rejection."""
    size, number = 40_000, 100_000
    parts = np.bincount(np.arange(1 << 16) * size >> 16, minlength=size)
    assert set(parts) == {1, 2}
    shares = np.bincount(parts, minlength=3)[1:] / size
    tables = read_tables(new_game("bicycle"), None)
    tables["size"] = size
    cards = np.zeros((number, 9), dtype=np.uint32)
    codes, stamps = np.arange(size, dtype=np.uint32), np.zeros(size + 1, dtype=np.uint64)
    draw_fresh(tables, codes, stamps, cards, np.uint64(1))
    for place in (0, 7):
        assert is_likely(np.bincount(parts[cards[:, place]], minlength=3)[1:], shares * number)
    found = np.zeros(number, dtype=np.uint64)
    draw_below(np.uint64(size), np.uint64(2), found)
    assert found.max() < size
    assert is_likely(np.bincount(parts[found], minlength=3)[1:], shares * number)


# Fresh shoes


def test_no_card_comes_twice_from_one_pack() -> None:
    game = new_game(ONE_PACK, 7, shoe=None)
    batch = batch_of(game, 20_000)
    batch.deal()
    assert all(len(set(hand)) == game.max_cards for hand in kinds(batch).tolist())


def test_every_place_of_the_hand_gets_every_kind_as_often() -> None:
    game, number = new_game("bicycle", 2), 300_000
    batch = batch_of(game, number, seed=3)
    batch.deal()
    for place in range(game.max_cards):
        counts = np.bincount(kinds(batch)[:, place], minlength=PACK)
        assert counts.size == PACK
        assert is_likely(counts, number / PACK)


@pytest.mark.parametrize("pair", [(0, 1), (3, 7), (6, 7)])
def test_every_ordered_pair_from_one_pack_is_as_likely(pair: tuple[int, int]) -> None:
    number = 400_000
    batch = batch_of(new_game(ONE_PACK), number, seed=4)
    batch.deal()
    first, second = kinds(batch)[:, pair[0]], kinds(batch)[:, pair[1]]
    counts = np.bincount(first * PACK + second, minlength=PACK**2).reshape(PACK, PACK)
    assert np.trace(counts) == 0
    assert is_likely(counts[~np.eye(PACK, dtype=bool)], number / (PACK * (PACK - 1)))


@pytest.mark.parametrize(("num_decks", "prob"), [(12, 11 / 431), ("infinite", 1 / 36)])
def test_two_cards_are_of_a_kind_as_often_as_the_shoe_says(num_decks: int | str, prob: float) -> None:
    """2e6 pairs: that 12 packs were dealt with replacement would show with power above 0.999."""
    game = new_game(load_rules("bicycle", num_decks=num_decks))
    batch, same, number = batch_of(game, 250_000, seed=6), 0, 0
    for _ in range(2):
        batch.deal()
        found = kinds(batch)
        same += int(sum((found[:, place] == found[:, place + 1]).sum() for place in (0, 2, 4, 6)))
        number += 4 * len(found)
    assert abs(same - number * prob) < 4.5 * np.sqrt(number * prob * (1 - prob))


def test_a_depleted_shoe_deals_only_what_it_holds() -> None:
    game = new_game("bicycle", shoe={0: 3, 5: 40, 6: 1})
    batch = batch_of(game, 50_000, seed=2)
    batch.deal()
    values = batch._cards[:, :-1] // 2048 % 64
    assert set(np.unique(values)) == {0, 5, 6}
    assert (values == 6).sum(axis=1).max() == 1
    assert (values == 0).sum(axis=1).max() == 3
    expected = np.array([3, 40, 1]) / 44 * 50_000
    for place in range(game.max_cards):
        assert is_likely(np.bincount(values[:, place])[[0, 5, 6]], expected)


# Mixed choices


def test_a_mixed_choice_has_its_probability_and_no_part_in_anothers() -> None:
    game, number = new_game("bicycle", 3), 200_000
    probs = [0.1, 0.5, 0.25, 0.9]
    mixed = [np.full(states.shape, prob) for states, prob in zip(game.states, probs, strict=True)]
    batch = BatchRound(game, None, mixed, number, seed=2)
    batch.play()
    patterns = batch.actions.astype(np.int64) @ np.array([1, 2, 4, 8])
    expected = np.array(
        [np.prod([p if bits >> s & 1 else 1 - p for s, p in enumerate(probs)]) for bits in range(16)]
    )
    assert is_likely(np.bincount(patterns, minlength=16), expected * number)
    other = BatchRound(game, None, [np.ones(game.states[0].shape), *mixed[1:]], number, seed=2)
    other.play()
    assert (other.actions[:, 1:] == batch.actions[:, 1:]).all()


def test_the_same_stream_has_the_same_first_cards_whoever_gets_the_first() -> None:
    """Duplicate deals: with the banker first both seats have each other's first cards."""
    games = [new_game("bicycle", first_to_deal=first) for first in (0, 1)]
    ends = []
    for game in games:
        batch = batch_of(game, 1000, agent=None, action=0.0, seed=4)
        batch.play()
        ends.append(batch.totals)
    assert (ends[0] == ends[1][:, ::-1]).all()


# Tables


def test_sums_of_keys_tell_hands_apart() -> None:
    sums = [
        a + b + c
        for i, a in enumerate(HAND_KEYS)
        for j, b in enumerate(HAND_KEYS[: i + 1])
        for c in HAND_KEYS[: j + 1]
    ]
    assert len(set(sums)) == len(sums) == 220
    assert max(sums) < 2048


def test_a_tally_counts_what_the_rounds_are() -> None:
    """The hands of one stream, whether played one after the other or as a tally."""
    game = new_game(
        "bicycle_bonus", 2, wagers=["5/2", 3], side_stakes=[{"dragon": "1/3"}, {"bc": 1, "super_0": 2}]
    )
    rng = np.random.default_rng(1)
    probs = [random_policy(game, seat, rng, mixed=True) for seat in range(3)]
    tally, batch = HandTally(game, probs), BatchRound(game, None, probs, 1, seed=8)
    tally.play(500, seed=8)
    nets = []
    for _ in range(500):
        batch.play()
        nets.append(batch.payoffs[0].copy())
    total = np.array(nets).sum(axis=0)
    squares = (np.array(nets) ** 2).sum(axis=0)
    assert np.allclose(
        [float(s * u) for s, u in zip(tally.sums, tally.units, strict=True)], total, rtol=1e-12
    )
    assert np.allclose(
        [float(s * u**2) for s, u in zip(tally.squares, tally.units, strict=True)], squares, rtol=1e-12
    )
    assert tally.joint_totals.sum(axis=(1, 2)).tolist() == [500, 500]
