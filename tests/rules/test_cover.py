"""T2 and T3: where settlement begins, and how far the banker's stake reaches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from pan9_gym.rules.cover import (
    POSITION_WAYS,
    Cover,
    action_seat_probs,
    certain_cover,
    covered_wagers,
    settlement_order,
)

WIN, PUSH, LOSS = Fraction(1), Fraction(0), Fraction(-1)


def amounts(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


def test_T2_the_ways_of_three_dice() -> None:
    counts = dict.fromkeys(range(1, 9), 0)
    for dice in product(range(1, 7), repeat=3):
        counts[(sum(dice) - 1) % 8 + 1] += 1
    assert tuple(counts.values()) == POSITION_WAYS


def test_T2_a_count_on_an_empty_seat_or_the_banker_moves_on_to_seat_0() -> None:
    assert action_seat_probs(1) == (1,)
    assert action_seat_probs(2) == (Fraction(216 - 28, 216), Fraction(28, 216))
    seven = action_seat_probs(7)
    assert sum(seven) == 1
    assert [prob * 216 for prob in seven] == [28 + 28, 28, 28, 27, 25, 25, 27]


def test_T3_settlement_goes_clockwise_from_the_action_seat() -> None:
    assert settlement_order(4, 2) == (2, 3, 0, 1)


@pytest.mark.parametrize(
    ("cover", "pushes", "covered"),
    [
        (Cover.GROSS, False, (10, 5, 5, 0)),  # 15: a loss uses 10, a push nothing, a win the last 5
        (Cover.GROSS, True, (10, 5, 0, 0)),  # the push uses the last 5
        (Cover.NET, False, (10, 10, 10, 10)),  # 15 + 10 collected, 10 paid, 15 left
        (Cover.UNLIMITED, False, (10, 10, 10, 10)),
    ],
)
def test_T3_the_readings_of_cover(cover: Cover, pushes: bool, covered: tuple[int, ...]) -> None:
    payoffs = (LOSS, PUSH, WIN, LOSS)
    found = covered_wagers(Fraction(15), amounts(10, 10, 10, 10), payoffs, (0, 1, 2, 3), cover, pushes)
    assert found == covered


def test_T3_under_net_only_what_is_paid_out_uses_the_stake() -> None:
    found = covered_wagers(Fraction(12), amounts(10, 10, 5), (WIN, WIN, LOSS), (0, 1, 2), Cover.NET)
    assert found == (10, 2, 0)
    fees = Fraction(19, 20)
    found = covered_wagers(Fraction(19), amounts(10, 10, 5), (fees, fees, LOSS), (0, 1, 2), Cover.NET)
    assert found == (10, 10, 0)


def test_T3_the_action_seat_decides_who_is_covered() -> None:
    payoffs = (WIN, WIN, WIN)
    for start in range(3):
        order = settlement_order(3, start)
        found = covered_wagers(Fraction(10), amounts(10, 10, 10), payoffs, order, Cover.GROSS)
        assert [seat for seat, part in enumerate(found) if part] == [start]


@pytest.mark.parametrize("cover", list(Cover))
@pytest.mark.parametrize("pushes", [False, True])
@pytest.mark.parametrize("stake", [1, 4, 7, 9, 12])
@pytest.mark.parametrize("payout", [Fraction(19, 20), Fraction(1), Fraction(2)])
def test_certain_cover_is_what_every_outcome_gives_and_leaves_out_what_differs(
    cover: Cover, pushes: bool, stake: int, payout: Fraction
) -> None:
    wagers, order = amounts(4, 3, 5), (1, 2, 0)
    certain = certain_cover(Fraction(stake), wagers, payout, order, cover, pushes)
    every = [
        covered_wagers(Fraction(stake), wagers, payoffs, order, cover, pushes)
        for payoffs in product((payout, PUSH, LOSS), repeat=3)
    ]
    for seat in range(3):
        parts = {covered[seat] for covered in every}
        if seat in certain:
            assert parts == {certain[seat]}
        elif cover is Cover.GROSS:
            assert len(parts) > 1


def test_net_cover_is_certain_only_for_the_payout_that_it_can_bear() -> None:
    """At 19 to 20 a stake of 19/20 of a wager covers it if it wins and 19/20 of it if it loses."""
    fee, wager = Fraction(19, 20), amounts(1)
    assert certain_cover(fee, wager, fee, (0,), Cover.NET) == {}
    assert covered_wagers(fee, wager, (fee,), (0,), Cover.NET) == (1,)
    assert covered_wagers(fee, wager, (LOSS,), (0,), Cover.NET) == (fee,)
    even = certain_cover(fee, wager, Fraction(1), (0,), Cover.NET)
    assert even == {0: fee}
