"""Kernels that are compiled once and kept on disk, and the one line that says when that takes its time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

from pan9_gym.game.batch_steps import OPTIONS

SOURCES = ("batch_tables", "batch_steps", "batch_dealing", "batch_kernels", "batch_shoe_kernels")
"""Files a change of which compiles the kernels anew."""


def kernel(function: Callable[..., Any]) -> Any:
    """A compiled loop, kept on disk where Numba finds a folder that can be written."""
    try:
        return njit(cache=True, **OPTIONS)(function)
    except RuntimeError:
        return njit(**OPTIONS)(function)


def needs_compiling(compiled: Any) -> bool:
    """Whether a kernel does not lie on disk as it is now, so that its first call takes some seconds."""
    folder, module = compiled.stats.cache_path, compiled.py_func.__module__.rpartition(".")[2]
    if folder is None:
        return True
    kept = [file.stat().st_mtime for file in Path(folder).glob(f"{module}.{compiled.__name__}-*.nbc")]
    sources = [Path(__file__).with_name(f"{name}.py") for name in SOURCES]
    return max(kept, default=0.0) < max(file.stat().st_mtime for file in sources)


@cache
def say_if_compiling(compiled: Any) -> None:
    """Write a line to standard error, once in a process, if a kernel's first call will take some seconds."""
    if needs_compiling(compiled):
        print(f"pan9_gym: compiling {compiled.__name__}, once; some seconds", file=sys.stderr, flush=True)
