"""Whole hands from a fresh shoe each, counted while they are played: the compiled part of a simulator."""

from __future__ import annotations

import numpy as np

from pan9_gym.game import batch_kernels as kernels
from pan9_gym.game.batch_arrays import DrawProbs, Rounds
from pan9_gym.game.batch_cards import stream_keys
from pan9_gym.game.batch_compile import say_if_compiling
from pan9_gym.game.batch_tables import most_units, unit
from pan9_gym.game.round import Game
from pan9_gym.rules.fields import read_whole

MOST_UNITS = 2**31
"""Below it the nets of 2^31 hands add up in int64, and one square fits too."""


class HandTally(Rounds):
    """Whole hands from a fresh shoe each, played one after the other and counted; for a simulator.

    Args:
        game: Who is at the table, for what stakes, from what shoe.
        draw_probs: As in `BatchRound`, for every seat.

    Raises:
        ValueError: If a policy does not fit, or the amounts are too fine for sums of whole numbers.

    Attributes:
        num_hands: Hands counted so far.
        joint_totals: How often each pair of totals came, int64, shape (players, 10, 10), axes player,
            player total, banker total.
        sums: The sum of each seat's nets, in units of `units`, banker last.
        squares: The sum of their squares, in squared units.
        units: What one unit of a seat is worth.
    """

    def __init__(self, game: Game, draw_probs: DrawProbs) -> None:
        super().__init__(game, None, draw_probs, 1, 0)
        self.units = tuple(unit(self._tables, seat) for seat in range(game.num_seats))
        most = max(most_units(self._tables, seat) for seat in range(game.num_seats))
        if most >= MOST_UNITS:
            raise ValueError(
                f"wagers and side_stakes: a net may be {most} times the smallest difference of nets; sums "
                f"hold less than {MOST_UNITS} times, so use rounder amounts"
            )
        self.clear()
        say_if_compiling(kernels.tally_hands)

    def clear(self) -> None:
        """Forget the hands counted so far."""
        self.num_hands = 0
        self.joint_totals = np.zeros((self.game.num_players, 10, 10), dtype=np.int64)
        self.sums = [0] * self.game.num_seats
        self.squares = [0] * self.game.num_seats

    def play(self, num_hands: int, seed: int, stream: int = 0) -> None:
        """Play hands and add them to the counts; other threads run meanwhile.

        Args:
            num_hands: How many, from 1 to 2^31.
            seed: A whole number from 0.
            stream: Which stream of the seed: the cards and mixed choices of its hands.
        """
        num_hands = read_whole("num_hands", num_hands, 1, 2**31)
        self._streams[:] = stream_keys(read_whole("seed", seed, 0), 1, read_whole("stream", stream, 0))
        sums = np.zeros(self.game.num_seats, dtype=np.int64)
        squares = np.zeros((self.game.num_seats, 2), dtype=np.uint64)
        kernels.tally_hands(self._arrays(), np.uint64(num_hands), self.joint_totals, sums, squares)
        self.num_hands += num_hands
        for seat, (low, high) in enumerate(squares.tolist()):
            self.sums[seat] += int(sums[seat])
            self.squares[seat] += low + (high << 64)
