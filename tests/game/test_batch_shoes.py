"""The engine under the shoe environments: its arguments, its memory, and shoes that stay whole."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym.game import Game, batch_shoe_kernels, new_game
from pan9_gym.game.batch_shoes import BatchShoes
from pan9_gym.policies.play import seat_policy
from pan9_gym.rules import load_rules

BICYCLE = new_game("bicycle")
ONE_PACK = new_game(load_rules("bicycle", num_decks=1))
LIMITS = tuple(range(1, 11))


def batch_of(
    game: Game = BICYCLE, agent: Any = 0, number: Any = 4, amounts: Sequence[int] = LIMITS, **options: Any
) -> BatchShoes:
    others = [seat_policy(game, seat, "logical_way").array for seat in range(game.num_seats)]
    seats = [None if seat == agent else probs for seat, probs in enumerate(others)]
    return BatchShoes(game, agent, seats, number, others=others, amounts=amounts, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": 0}, "num_rounds 0: a whole number from 1 is needed"),
        ({"agent": 2}, "agent_seat 2: a whole number from 0 to 1 is needed"),
        ({"agent": None}, "agent_seat None"),
        ({"seed": -1}, "seed -1"),
        ({"penetration": 0}, "penetration 0: must be greater than 0"),
        ({"penetration": 7 / 432}, "leaves 7 cards; a hand with num_players=1 may take 8"),
        ({"start_cards": (7, 20)}, r"start_cards \(7, 20\): leaves 7 cards"),
        ({"game": new_game(load_rules("bicycle", num_decks="infinite"))}, "needs a full, finite shoe"),
        ({"game": new_game("bicycle", shoe={0: 100})}, "needs a full, finite shoe"),
        ({"fee": Fraction(1, 10**17)}, "can be held exactly, so use rounder amounts"),
        ({"amounts": (1, 10**16)}, "can be held exactly, so use rounder amounts"),
    ],
)
def test_arguments_that_are_not_possible(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batch_of(**arguments)


def test_a_shoe_that_is_over_or_was_never_started_is_not_played() -> None:
    batch = batch_of()
    with pytest.raises(ValueError, match="the shoe of round 0 is over; start another"):
        batch.play([2] * 4)
    batch.start(np.array([True, True, True, False]))
    with pytest.raises(ValueError, match="the shoe of round 3 is over"):
        batch.play([2] * 4)
    batch.play([2, 2, 2, 99], np.array([True, True, True, False]))
    assert batch.wagering.tolist() == [False, False, False, False]
    assert (batch.info_state[:3] >= 0).all()


def test_lists_that_do_not_fit_start_nothing() -> None:
    batch = batch_of(seed=3)
    batch.start()
    batch.play([2] * 4)
    before = batch.info_state.copy()
    for cards, message in (
        ([None] * 3, "3 lists; one per round is needed, so 4"),
        ([None, ["A"] * 7, None, None], r"cards\[1\] lists 7 cards; a hand may take 8"),
        ([None, ["9"] * 8, None, None], "card '9' is not in the pack"),
    ):
        with pytest.raises(ValueError, match=message):
            batch.start(cards=cards)
    assert np.array_equal(batch.info_state, before)


def test_bytes_a_round() -> None:
    """The engine's own arrays, for the default rules and one player."""
    sizes = []
    for number in (1000, 2000):
        arrays = [part for part in vars(batch_of(number=number)).values() if isinstance(part, np.ndarray)]
        sizes.append(sum(array.nbytes for array in arrays if array.base is None))
    assert (sizes[1] - sizes[0]) / 1000 <= 500


def cards_of(batch: BatchShoes, rounds: int, choose: Any) -> np.ndarray[Any, Any]:
    """Play to the end of a shoe; what is left of each point value before each decision of round 0."""
    seen = []
    for number in range(rounds):
        seen.append(batch.unseen[0].astype(int).tolist())
        batch.play(np.where(batch.wagering, choose(number), 1), ~batch.shoe_over)
        if batch.shoe_over[0]:
            break
    return np.array([*seen, batch.unseen[0].astype(int).tolist()])


@pytest.mark.parametrize("listed", [[*"KQJKQJKQ"], [*"AAAA2222"], [*"23456A"] * 4])
def test_a_shoe_that_is_shuffled_after_a_listed_one_has_every_card_once(listed: list[str]) -> None:
    batch, full = batch_of(ONE_PACK, number=1), np.array(ONE_PACK.rules.initial_counts)
    for _ in range(20):
        batch.start(cards=[listed])
        cards_of(batch, 40, lambda _: 2)
        batch.start()
        left = cards_of(batch, 40, lambda _: 2)
        assert batch.shoe_over[0]
        assert (left <= full).all()
        assert (np.diff(left, axis=0) <= 0).all()


def test_shuffled_shoes_after_listed_ones_are_those_of_the_stream() -> None:
    """A listed shoe uses no random numbers: the shuffled ones do not notice it but for the order it left."""
    means = []
    for listed in (None, [["K", "Q", "J"] * 4] * 4000):
        batch = batch_of(ONE_PACK, number=4000, seed=5)
        batch.start(cards=listed)
        batch.start()
        batch.play(np.full(4000, 2))
        batch.play(np.zeros(4000, dtype=np.int64))
        means.append(float((12 - batch.unseen[:, 0]).mean()))
    assert abs(means[0] - means[1]) < 5 * 1.2 * (2 / 4000) ** 0.5  # five deviations of a hand's zeros
    assert 6 / 3 <= means[0] <= 8 / 3


def test_sitting_out_takes_the_cards_of_the_hand_and_pays_nothing() -> None:
    batch = batch_of(agent=1, amounts=(0, 1), fee=Fraction(1, 3), number=200)
    batch.start()
    before = batch.unseen.sum(axis=1)
    batch.play(np.full(200, 2))
    assert batch.hand_over.all()
    assert not batch.payoffs.any()
    used = before - batch.unseen.sum(axis=1)
    assert np.array_equal(used, 6 + (batch.actions == 1).sum(axis=1))


def test_arrays_that_cannot_be_written_compile_nothing_anew() -> None:
    """NumPy's views of other libraries' arrays are such."""
    batch = batch_of()
    batch.start()
    batch.play(np.full(4, 2))
    kernels = batch_shoe_kernels.play_shoes, batch_shoe_kernels.start_shoes
    known = [len(kernel.signatures) for kernel in kernels]
    actions, which = np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.bool_)
    for array in (actions, which):
        array.flags.writeable = False
    batch.play(actions, which)
    batch.start(which)
    assert [len(kernel.signatures) for kernel in kernels] == known
