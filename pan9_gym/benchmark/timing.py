"""Wall time, CPU time and peak memory of one piece of work, in a process of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Timing:
    """What a piece of work took.

    Attributes:
        seconds: Wall time.
        cpu_seconds: CPU time of all threads.
        peak_mib: The process's peak memory by then, imports included, in MiB.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float

    def each(self, number: int) -> Timing:
        """The mean time of `number` equal pieces; the peak is that of all."""
        return Timing(self.seconds / number, self.cpu_seconds / number, self.peak_mib)


def timed(work: Callable[[], Result]) -> tuple[Result, Timing]:
    """Do the work once; what it gives and what it took."""
    cpu, wall = process_time(), perf_counter()
    result = work()
    seconds, cpu_seconds = perf_counter() - wall, process_time() - cpu
    return result, Timing(seconds, cpu_seconds, peak_mib())


def peak_mib() -> float:
    """The peak resident memory of this process, in MiB.

    On Linux from /proc, because `ru_maxrss` of a new process starts from what its parent had.
    """
    found = _status_mib("VmHWM")
    if found is not None:
        return found
    from resource import RUSAGE_SELF, getrusage  # not on Windows

    return getrusage(RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def resident_mib() -> float:
    """The resident memory of this process now, in MiB; its peak where the system does not say."""
    found = _status_mib("VmRSS")
    return peak_mib() if found is None else found


def _status_mib(name: str) -> float | None:
    found = re.search(rf"{name}:\s+(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    return int(found[1]) / 1024 if found else None


def in_fresh_process(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call a function of a module in a new interpreter, so that no cache is warm and the peak is its own."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()
