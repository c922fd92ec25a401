"""How far the banker's stake covers the players' wagers, and where settlement begins (T2, T3).

Wagers are settled clockwise from the action seat. Under `gross`, the reading taken for the California sheets,
every wager that is won or lost uses its amount of the stake, or what it is paid where that is more: a stake
caps what the banker can lose. A wager that the rest of the stake covers in part plays for that part, and what
is not covered is returned. Under `net` collected losses refill the stake
and only what is paid out uses it. Under `unlimited` every wager is covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

POSITION_WAYS = (28, 28, 28, 28, 27, 25, 25, 27)
"""Of 216 throws of three dice, how many count out each position; the banker is position 1 (T2)."""


class Cover(StrEnum):
    """The readings of T3."""

    GROSS = "gross"
    NET = "net"
    UNLIMITED = "unlimited"


def covered_wagers(
    stake: Fraction,
    wagers: Sequence[Fraction],
    payoffs: Sequence[Fraction],
    order: Sequence[int],
    cover: Cover,
    push_uses_cover: bool = False,
) -> tuple[Fraction, ...]:
    """The part of each wager that is played for.

    Args:
        stake: The banker's stake.
        wagers: Each player's wager.
        payoffs: What each wager would get per unit: greater than 0 won, 0 returned, less than 0 lost.
        order: The seats in the order of settlement.
        cover: The reading of T3.
        push_uses_cover: Whether a returned wager uses its amount too, under `gross`.

    >>> three = [Fraction(5)] * 3
    >>> payoffs = [Fraction(1), Fraction(0), Fraction(-1)]
    >>> [int(part) for part in covered_wagers(Fraction(8), three, payoffs, (0, 1, 2), Cover.GROSS)]
    [5, 3, 3]
    """
    if cover is Cover.UNLIMITED:
        return tuple(wagers)
    left, parts = stake, list(wagers)
    for seat in order:
        payoff = payoffs[seat]
        needs = payoff if cover is Cover.NET and payoff > 0 else max(Fraction(1), payoff)
        parts[seat] = min(wagers[seat], left / needs)
        left -= parts[seat] * used_cover(payoff, cover, push_uses_cover)
    return tuple(parts)


def used_cover(payoff: Fraction, cover: Cover, push_uses_cover: bool = False) -> Fraction:
    """What a unit that is played for takes from the stake; less than 0 where it refills it.

    Args:
        payoff: What the unit gets.
        cover: The reading of T3.
        push_uses_cover: Whether a returned wager uses its amount too, under `gross`.
    """
    if cover is Cover.UNLIMITED:
        return Fraction(0)
    if cover is Cover.NET:
        return payoff
    return max(Fraction(1), payoff) if payoff or push_uses_cover else Fraction(0)


def certain_cover(
    stake: Fraction,
    wagers: Sequence[Fraction],
    payout: Fraction,
    order: Sequence[int],
    cover: Cover,
    push_uses_cover: bool = False,
) -> dict[int, Fraction]:
    """The parts that `covered_wagers` gives however the hands end, by seat; the other seats are left out.

    Args:
        stake: The banker's stake.
        wagers: Each player's wager.
        payout: What a winning wager is paid per unit.
        order: The seats in the order of settlement.
        cover: The reading of T3.
        push_uses_cover: Whether a returned wager uses its amount too, under `gross`.
    """
    parts: dict[int, Fraction] = {}
    used = least_used = Fraction(0)  # at most and at least, by the wagers before
    every_wager_uses = cover is Cover.GROSS and push_uses_cover
    first_is_certain = payout == 1 or (cover is Cover.GROSS and payout < 1)
    for place, seat in enumerate(order):
        most = wagers[seat] * max(Fraction(1), payout)
        if cover is Cover.UNLIMITED or used + most <= stake:
            parts[seat] = wagers[seat]
        elif (every_wager_uses and (payout <= 1 or least_used >= stake)) or (place == 0 and first_is_certain):
            parts[seat] = min(wagers[seat], max(Fraction(0), stake - least_used))
        used += most
        least_used += wagers[seat]
    return parts


def settlement_order(num_players: int, action_seat: int) -> tuple[int, ...]:
    """The players' seats clockwise from the action seat."""
    return tuple((action_seat + place) % num_players for place in range(num_players))


def action_seat_probs(num_players: int) -> tuple[Fraction, ...]:
    """The probability that settlement begins at each player's seat, by the dice (T2).

    Player k sits at position k + 2. A count on an empty position, or on the banker himself, moves on
    clockwise past the banker to seat 0.
    """
    probs = [Fraction(ways, sum(POSITION_WAYS)) for ways in POSITION_WAYS[1 : num_players + 1]]
    probs[0] += 1 - sum(probs)
    return tuple(probs)
