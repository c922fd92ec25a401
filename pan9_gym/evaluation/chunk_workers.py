"""What a chunk of a long simulation brings, and how it is played on the compiled engine.

Where tables or hands of one deal play the same cards each has rounds of its own, whose random streams start
alike: card k of a hand is a function of its stream alone, whoever gets the first card and whatever is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from pan9_gym.evaluation.plan import Plan, draw_probs
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Outcome

if TYPE_CHECKING:
    from pan9_gym.game.batch_round import BatchRound

ROUNDS = 2**14
"""Rounds at once where the same cards are played more than once."""

MOST_UNITS = 2**23
"""Below it the squares of `ROUNDS` differences add up in int64."""

IntArray = npt.NDArray[np.int64]

OUTCOMES = np.array([compare(player, banker) - min(Outcome) for player in TOTALS for banker in TOTALS])
"""The place among the outcomes, loss first, of each pair of totals."""

NUM_PAIRS, NUM_OUTCOMES = len(OUTCOMES), len(Outcome)


@dataclass(frozen=True)
class Counts:
    """What the first chunks of a plan brought.

    Attributes:
        num_chunks: How many chunks.
        joint_totals: How often each pair of totals came, int64, shape (tables, players, 10, 10).
        share_squares: With duplicates, for each pair of totals and then each outcome, loss first, the sum
            over the deals of the square of how many of their hands had it; int64, shape (tables, players,
            103), or (tables, players, 0) without duplicates, where the number itself is that sum.
        sums: The sums of `Plan.num_sums` numbers, each in units of its seat.
        squares: The sums over the deals of the squares of what their hands bring together, in squared units.
    """

    num_chunks: int
    joint_totals: IntArray
    share_squares: IntArray
    sums: tuple[int, ...]
    squares: tuple[int, ...]

    @staticmethod
    def none(plan: Plan) -> Counts:
        """Before the first chunk."""
        shape = len(plan.tables), plan.game.num_players
        joint = np.zeros((*shape, len(TOTALS), len(TOTALS)), dtype=np.int64)
        share_squares = np.zeros((*shape, (NUM_PAIRS + NUM_OUTCOMES) * plan.duplicate), dtype=np.int64)
        return Counts(0, joint, share_squares, (0,) * plan.num_sums, (0,) * plan.num_sums)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.num_chunks + other.num_chunks,
            self.joint_totals + other.joint_totals,
            self.share_squares + other.share_squares,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.squares, other.squares, strict=True)),
        )


class Worker(Protocol):
    """Plays chunks."""

    def play(self, chunk: int) -> Counts:
        """The counts of one chunk."""


def new_worker(plan: Plan) -> Worker:
    """A worker for a plan.

    Raises:
        ValueError: If the amounts are too fine for sums of whole numbers.
    """
    return OneTable(plan) if plan.versus is None and not plan.duplicate else SameCards(plan)


class OneTable:
    """Plays chunks of single hands: chunk k has stream k of the seed."""

    def __init__(self, plan: Plan) -> None:
        from pan9_gym.game.batch_tally import HandTally  # loads Numba

        self._plan = plan
        self._tally = HandTally(plan.game, draw_probs(plan.policies))

    def play(self, chunk: int) -> Counts:
        """The counts of one chunk."""
        tally, plan = self._tally, self._plan
        tally.clear()
        tally.play(plan.deals_in(chunk + 1) - plan.deals_in(chunk), plan.seed, chunk)
        none = Counts.none(plan).share_squares
        return Counts(1, tally.joint_totals[None], none, tuple(tally.sums), tuple(tally.squares))


class SameCards:
    """Plays chunks of deals, each several times: chunk k has streams `k * ROUNDS` and following."""

    def __init__(self, plan: Plan) -> None:
        from pan9_gym.game.batch_round import BatchRound  # loads Numba
        from pan9_gym.game.batch_tables import most_units, read_tables

        tables = read_tables(plan.game, None)
        most = max(most_units(tables, seat) for seat in range(plan.game.num_seats))
        limit = MOST_UNITS // plan.hands_of_deal
        if most >= limit:
            raise ValueError(
                f"wagers and side_stakes: a net may be {most} times the smallest difference of nets; where "
                f"the same cards are played again less than {limit} times can be summed, so use rounder "
                "amounts"
            )
        self._plan = plan
        self._units = np.array([float(unit) for unit in plan.units])
        self._rounds = [
            [BatchRound(game, None, draw_probs(table), ROUNDS) for game in plan.rotations]
            for table in plan.tables
        ]

    def play(self, chunk: int) -> Counts:
        """The counts of one chunk."""
        plan, start = self._plan, Counts.none(self._plan)
        for rounds in (rounds for table in self._rounds for rounds in table):
            rounds.seed(plan.seed, first=chunk * ROUNDS)
        joint = start.joint_totals.reshape(*start.joint_totals.shape[:2], NUM_PAIRS)
        sums, squares = [0] * plan.num_sums, [0] * plan.num_sums
        left = plan.deals_in(chunk + 1) - plan.deals_in(chunk)
        while left > 0:
            number = min(left, ROUNDS)
            nets = self._play_once(number, joint, start.share_squares)
            for place in range(plan.num_sums):
                sums[place] += int(nets[:, place].sum())
                squares[place] += int(np.dot(nets[:, place], nets[:, place]))
            left -= number
        return Counts(1, start.joint_totals, start.share_squares, tuple(sums), tuple(squares))

    def _play_once(self, number: int, joint: IntArray, share_squares: IntArray) -> IntArray:
        """One deal of the first rounds: what its hands bring in units, at all tables, and the differences."""
        which, nets = np.arange(ROUNDS) < number, []
        for table, rotations in enumerate(self._rounds):
            for rounds in rotations:
                rounds.play(which)
            totals = np.stack([rounds.totals[:number] for rounds in rotations]).astype(np.int64)
            for seat in range(self._plan.game.num_players):
                pairs = totals[:, :, seat] * len(TOTALS) + totals[:, :, -1]
                joint[table, seat] += np.bincount(pairs.ravel(), minlength=NUM_PAIRS)
                if self._plan.duplicate:
                    share_squares[table, seat] += _share_squares(pairs)
            nets.append(sum(self._nets(rounds, number) for rounds in rotations))
        difference = [nets[0] - nets[1]] if len(nets) > 1 else []
        return np.concatenate([*nets, *difference], axis=1)

    def _nets(self, rounds: BatchRound, number: int) -> IntArray:
        nets: IntArray = np.rint(rounds.payoffs[:number] / self._units).astype(np.int64)
        return nets


def _share_squares(pairs: IntArray) -> IntArray:
    """`Counts.share_squares` of one seat from pairs of totals, shape (hands of a deal, deals)."""
    by_outcome = _squares_of(OUTCOMES[pairs], NUM_OUTCOMES)
    return np.concatenate([_squares_of(pairs, NUM_PAIRS), by_outcome])


def _squares_of(labels: IntArray, number: int) -> IntArray:
    """For each label the sum of squared numbers of hands: those with it, and twice the pairs of hands."""
    found = np.bincount(labels.ravel(), minlength=number)
    for first, second in combinations(labels, 2):
        found += 2 * np.bincount(first[first == second], minlength=number)
    return found
