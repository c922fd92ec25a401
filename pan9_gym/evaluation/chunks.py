"""Hands by the thousand million: counted chunk by chunk on the compiled engine, over threads if asked.

A chunk has random streams of its own and its counts are whole numbers, and chunks are added in their order.
So the counts depend on nothing but the plan: not on the number of threads, nor on where a run was stopped and
taken up again. With a second table of policies each hand is played by both from the same cards and the same
random numbers for mixed choices, and the differences of the nets are counted too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from pan9_gym.evaluation.chunk_workers import Counts, Worker, new_worker
from pan9_gym.evaluation.plan import Plan
from pan9_gym.rules.fields import read_whole


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
        self._free: SimpleQueue[Worker] = SimpleQueue()
        self._free.put(new_worker(plan))  # what does not fit is an error here and now

    def play(self, chunk: int) -> Counts:
        try:
            worker = self._free.get_nowait()
        except Empty:
            worker = new_worker(self._plan)
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
