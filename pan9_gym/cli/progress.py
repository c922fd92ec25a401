"""Progress of anything that may take a while, on the error stream so that output can be piped."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds of silence after which a line is written where there is no terminal."""


def tracked(items: Sequence[Item], label: str) -> Iterator[Item]:
    """Go through `items`, saying on the error stream how far it is.

    On a terminal a bar that goes away at the end; elsewhere a line at most every `PATIENCE` seconds.

    Args:
        items: What has to be done, in order.
        label: What is being done.
    """
    if Console(stderr=True).is_terminal:
        yield from _with_bar(items, label)
        return
    said = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - said > PATIENCE:
            print(f"{label}: {done} of {len(items)}", file=sys.stderr, flush=True)
            said = time.monotonic()
        yield item


def _with_bar(items: Sequence[Item], label: str) -> Iterator[Item]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, description=label)


@contextmanager
def working(label: str) -> Iterator[None]:
    """Say that one long step is under way: at once on a terminal, elsewhere after `PATIENCE` seconds."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(label):
            yield
        return
    timer = threading.Timer(PATIENCE, lambda: print(f"{label} ...", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
