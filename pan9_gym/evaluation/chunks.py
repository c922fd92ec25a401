"""Hands by the thousand million: counted chunk by chunk on the compiled engine, over threads if asked.

A chunk has random streams of its own and its counts are whole numbers, and chunks are added in their order.
So the counts depend on nothing but the plan: not on the number of threads, nor on where a run was stopped and
taken up again. With a second table of policies each hand is played by both from the same cards and the same
random numbers for mixed choices, and the differences of the nets are counted too.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from pan9_gym.game.round import Game
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import read_whole

if TYPE_CHECKING:
    from pan9_gym.game.batch_round import BatchRound

CHUNK_HANDS = 2**20
"""Hands of a chunk: some hundredths of a second for one player."""

MOST_HANDS = 10**13
"""Hands of one simulation; they would take days."""

ROUNDS = 2**14
"""Rounds at once where two tables play the same cards."""

MOST_UNITS = 2**23
"""Below it the squares of `ROUNDS` differences add up in int64."""

Policies = tuple[TabularPolicy, ...]


@dataclass(frozen=True)
class Plan:
    """A simulation, before it is run.

    Attributes:
        game: Who is at the table, for what stakes.
        policies: Each seat's policy, banker last.
        versus: The other policies that play the same cards, or `None`.
        num_hands: Hands to play.
        seed: Decides every card and every mixed choice.
        chunk_hands: Hands of a chunk; the last one may have fewer.
    """

    game: Game
    policies: Policies
    versus: Policies | None
    num_hands: int
    seed: int
    chunk_hands: int = CHUNK_HANDS

    def __post_init__(self) -> None:
        read_whole("num_hands", self.num_hands, 1, MOST_HANDS)
        read_whole("seed", self.seed, 0)
        read_whole("chunk_hands", self.chunk_hands, 1, 2**31)

    @property
    def tables(self) -> tuple[Policies, ...]:
        """The policies, and the others if there are any."""
        return (self.policies,) if self.versus is None else (self.policies, self.versus)

    @property
    def num_sums(self) -> int:
        """How many sums are kept: one per seat; for two tables those of both and of the differences."""
        return self.game.num_seats * (1 if self.versus is None else 3)

    @property
    def num_chunks(self) -> int:
        """Chunks to play."""
        return -(-self.num_hands // self.chunk_hands)

    def hands_in(self, num_chunks: int) -> int:
        """How many hands the first chunks have together."""
        return min(num_chunks * self.chunk_hands, self.num_hands)

    @cached_property
    def units(self) -> tuple[Fraction, ...]:
        """What one unit of each seat's sums is worth."""
        from pan9_gym.game.batch_tally import HandTally  # loads Numba

        return HandTally(self.game, _draw_probs(self.policies)).units

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that decides the counts, as JSON data in words."""
        game = self.game
        return {
            "rules": f"{game.rules.name} ({game.rules.fingerprint})",
            "players": game.num_players,
            "wagers": ", ".join(map(str, game.wagers)),
            "side stakes": ", ".join(
                f"{bet} {amount}" for entry in game.side_stakes for bet, amount in entry
            ),
            "policies": ", ".join(map(_known_as, self.policies)),
            "versus": ", ".join(map(_known_as, self.versus or ())),
            "seed": self.seed,
            "hands": self.num_hands,
            "hands of a chunk": self.chunk_hands,
        }


def _known_as(policy: TabularPolicy) -> str:
    content = json.dumps(policy.texts())
    return f"{policy.name} ({hashlib.sha256(content.encode()).hexdigest()[:12]})"


def _draw_probs(policies: Policies) -> list[npt.ArrayLike]:
    return [policy.array for policy in policies]


@dataclass(frozen=True)
class Counts:
    """What the first chunks of a plan brought.

    Attributes:
        num_chunks: How many chunks.
        joint_totals: How often each pair of totals came, int64, shape (tables, players, 10, 10).
        sums: The sums of `Plan.num_sums` numbers, each in units of its seat.
        squares: The sums of their squares, in squared units.
    """

    num_chunks: int
    joint_totals: npt.NDArray[np.int64]
    sums: tuple[int, ...]
    squares: tuple[int, ...]

    @staticmethod
    def none(plan: Plan) -> Counts:
        """Before the first chunk."""
        joint = np.zeros((len(plan.tables), plan.game.num_players, 10, 10), dtype=np.int64)
        return Counts(0, joint, (0,) * plan.num_sums, (0,) * plan.num_sums)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.num_chunks + other.num_chunks,
            self.joint_totals + other.joint_totals,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.squares, other.squares, strict=True)),
        )


class _Worker(Protocol):
    def play(self, chunk: int) -> Counts:
        """The counts of one chunk."""


class _OneTable:
    """Plays chunks: chunk k has stream k of the seed."""

    def __init__(self, plan: Plan) -> None:
        from pan9_gym.game.batch_tally import HandTally  # loads Numba

        self._plan = plan
        self._tally = HandTally(plan.game, _draw_probs(plan.policies))

    def play(self, chunk: int) -> Counts:
        tally, plan = self._tally, self._plan
        tally.clear()
        tally.play(plan.hands_in(chunk + 1) - plan.hands_in(chunk), plan.seed, chunk)
        return Counts(1, tally.joint_totals[None], tuple(tally.sums), tuple(tally.squares))


class _TwoTables:
    """Plays chunks at two tables from the same cards: chunk k has streams `k * ROUNDS` and following."""

    def __init__(self, plan: Plan) -> None:
        from pan9_gym.game.batch_round import BatchRound  # loads Numba
        from pan9_gym.game.batch_tables import most_units, read_tables

        tables = read_tables(plan.game, None)
        most = max(most_units(tables, seat) for seat in range(plan.game.num_seats))
        if most >= MOST_UNITS:
            raise ValueError(
                f"wagers: a net may be {most} times the smallest difference of nets; where two tables are "
                f"compared less than {MOST_UNITS} times can be summed, so use rounder amounts"
            )
        self._plan = plan
        self._units = np.array([float(unit) for unit in plan.units])
        self._rounds = [BatchRound(plan.game, None, _draw_probs(table), ROUNDS) for table in plan.tables]

    def play(self, chunk: int) -> Counts:
        plan = self._plan
        for rounds in self._rounds:
            rounds.seed(plan.seed, first=chunk * ROUNDS)
        joint = np.zeros((2, plan.game.num_players, 100), dtype=np.int64)
        sums, squares = [0] * plan.num_sums, [0] * plan.num_sums
        left = plan.hands_in(chunk + 1) - plan.hands_in(chunk)
        while left > 0:
            number = min(left, ROUNDS)
            nets = self._play_once(number, joint)
            for place in range(plan.num_sums):
                sums[place] += int(nets[:, place].sum())
                squares[place] += int(np.dot(nets[:, place], nets[:, place]))
            left -= number
        return Counts(1, joint.reshape(2, -1, 10, 10), tuple(sums), tuple(squares))

    def _play_once(self, number: int, joint: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """One hand of the first rounds: nets in units, of both tables and their differences."""
        which = np.arange(ROUNDS) < number
        for table, rounds in enumerate(self._rounds):
            rounds.play(which)
            totals = rounds.totals[:number].astype(np.int64)
            for seat in range(self._plan.game.num_players):
                pairs = totals[:, seat] * 10 + totals[:, -1]
                joint[table, seat] += np.bincount(pairs, minlength=100)
        own, other = (self._nets(rounds, number) for rounds in self._rounds)
        return np.concatenate([own, other, own - other], axis=1)

    def _nets(self, rounds: BatchRound, number: int) -> npt.NDArray[np.int64]:
        nets: npt.NDArray[np.int64] = np.rint(rounds.payoffs[:number] / self._units).astype(np.int64)
        return nets


def run_chunks(
    plan: Plan,
    *,
    num_threads: int = 1,
    start: Counts | None = None,
    on_chunk: Callable[[Counts], None] | None = None,
    stop: threading.Event | None = None,
) -> Counts:
    """Play the chunks of a plan that are missing, each on a thread of its own choice.

    Args:
        plan: What is to be played.
        num_threads: How many threads, from 1 to the number of cores.
        start: What an earlier run brought.
        on_chunk: Called with the counts so far after every chunk, on the calling thread.
        stop: Once set, the chunks under way are finished and no more are begun.

    Raises:
        ValueError: If `num_threads` is out of range.
    """
    num_threads = read_whole("num_threads", num_threads, 1, os.cpu_count() or 1)
    counts = start or Counts.none(plan)
    over = stop or threading.Event()
    workers = _Workers(plan)
    pending: dict[int, Future[Counts]] = {}
    with _pool(num_threads) as pool:
        ahead = counts.num_chunks
        while counts.num_chunks < plan.num_chunks:
            while not over.is_set() and ahead < min(plan.num_chunks, counts.num_chunks + 2 * num_threads):
                pending[ahead] = pool.submit(workers.play, ahead)
                ahead += 1
            future = pending.pop(counts.num_chunks, None)
            if future is None or (over.is_set() and future.cancel()):
                break  # chunks begin in their order: none after one that has not begun
            counts += future.result()
            if on_chunk is not None:
                on_chunk(counts)
    return counts


class _Workers:
    """As many workers as there are chunks under way; their arrays are used again."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._make: type[_OneTable] | type[_TwoTables] = _OneTable if plan.versus is None else _TwoTables
        first: _Worker = self._make(plan)  # what does not fit is an error here and now
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._free.put(first)

    def play(self, chunk: int) -> Counts:
        try:
            worker = self._free.get_nowait()
        except Empty:
            worker = self._make(self._plan)
        counts = worker.play(chunk)
        self._free.put(worker)
        return counts


@contextmanager
def _pool(num_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads; chunks that have not begun are given up at the end."""
    pool = ThreadPoolExecutor(num_threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
