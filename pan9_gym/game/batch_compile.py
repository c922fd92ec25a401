"""Kernels that are compiled once and kept on disk, and the one line that says when that takes its time."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

from pan9_gym.game.batch_steps import OPTIONS

kernel = njit(cache=True, **OPTIONS)


def needs_compiling(compiled: Any) -> bool:
    """Whether a kernel does not lie on disk yet, so that its first call takes some seconds."""
    module = compiled.py_func.__module__.rpartition(".")[2]
    return not any(Path(compiled.stats.cache_path).glob(f"{module}.{compiled.__name__}-*.nbc"))


@cache
def say_if_compiling(compiled: Any) -> None:
    """Write a line to standard error, once in a process, if a kernel's first call will take some seconds."""
    if needs_compiling(compiled):
        print(f"pan9_gym: compiling {compiled.__name__}, once; some seconds", file=sys.stderr, flush=True)
