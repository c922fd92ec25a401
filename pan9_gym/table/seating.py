"""The eight places round the table, the dice, and where the action begins (T2, T5).

A place is a number from 0 to 7, clockwise; the sheets' seat 1 is place 0. Where the House may bank or wager
it has the last place, so that nobody else sits there and no hand has more than seven opponents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

import numpy as np

NUM_PLACES = 8
"""Places that the dice count, however many are taken (T2)."""

HOUSE_PLACE = NUM_PLACES - 1
"""The House's place where it is a participant."""

BOTH = -1
"""Stands for the place of a wager on both opposing hands (R1)."""

HOUSE = "house"
"""The House as a participant: it banks and wagers in the United Kingdom only (U2, U11)."""

ROOM = "room"
"""Who gets the collections; it never wins or loses a wager (T6)."""

DIE_FACES = 6


def seat_name(place: int) -> str:
    """The participant who sits at a place.

    >>> seat_name(3)
    'seat_3'
    """
    return f"seat_{place}"


def place_of(participant: str) -> int:
    """The place of a participant."""
    return HOUSE_PLACE if participant == HOUSE else int(participant.removeprefix("seat_"))


def clockwise_from(first: int, places: Iterable[int]) -> tuple[int, ...]:
    """Places in clockwise order, `first` being the first where it is among them.

    >>> clockwise_from(5, (0, 3, 6))
    (6, 0, 3)
    """
    return tuple(sorted(places, key=lambda place: (place - first) % NUM_PLACES))


def left_of(banker: int, places: Iterable[int]) -> tuple[int, ...]:
    """Places in clockwise order from the banker's left."""
    return clockwise_from((banker + 1) % NUM_PLACES, places)


class Dice(Protocol):
    """Whatever says how the dice fall."""

    def throw(self) -> tuple[int, ...]:
        """The faces."""
        ...


class DiceCup:
    """Fair dice in the cup that the banker shakes.

    Args:
        num_dice: How many; with none there is nothing to count.
        rng: The source of randomness.
    """

    def __init__(self, num_dice: int, rng: np.random.Generator) -> None:
        self._num_dice = num_dice
        self._rng = rng

    def throw(self) -> tuple[int, ...]:
        """The faces."""
        return tuple(int(face) for face in self._rng.integers(1, DIE_FACES + 1, size=self._num_dice))


class StackedDice:
    """Throws in a known order for worked scenarios.

    Args:
        throws: The faces of each throw.
    """

    def __init__(self, *throws: tuple[int, ...]) -> None:
        self._throws = list(throws)

    def throw(self) -> tuple[int, ...]:
        """The faces of the next throw.

        Raises:
            ValueError: If there is none.
        """
        if not self._throws:
            raise ValueError("the stacked dice have run out")
        return self._throws.pop(0)


def counted_place(banker: int, count: int) -> int:
    """The place that a count of the dice falls on: the banker is 1, 9 and 17, clockwise (T2).

    >>> counted_place(2, 8), counted_place(2, 17)
    (1, 2)
    """
    return (banker + count - 1) % NUM_PLACES


def action_place(banker: int, counted: int, hands: Collection[int]) -> int:
    """Where settlement begins: at the counted place, or the next one clockwise that has a hand (T2).

    Args:
        banker: The banker's place.
        counted: The counted place; the banker's own moves on too.
        hands: The places of the players' hands.
    """
    return clockwise_from(counted, (place for place in hands if place != banker))[0]
