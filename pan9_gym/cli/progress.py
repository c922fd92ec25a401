"""Progress of anything that may take a while, on the error stream so that output can be piped."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds between two lines where there is no terminal; the first one comes after as many."""


def tracked(items: Sequence[Item], label: str) -> Iterator[Item]:
    """Go through `items`, saying on the error stream how far it is.

    On a terminal a bar that goes away at the end; elsewhere a line every `PATIENCE` seconds.

    Args:
        items: What has to be done, in order.
        label: What is being done.
    """
    if not items:
        return
    if Console(stderr=True).is_terminal:
        yield from _with_bar(items, label)
        return
    done = 0
    with _saying(lambda: f"{label}: {done} of {len(items)} done"):
        for item in items:
            yield item
            done += 1


def _with_bar(items: Sequence[Item], label: str) -> Iterator[Item]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, description=label)


@contextmanager
def working(label: str) -> Iterator[None]:
    """Say that one long step is under way: at once on a terminal, elsewhere every `PATIENCE` seconds."""
    console = Console(stderr=True)
    with console.status(label) if console.is_terminal else _saying(lambda: f"{label} ..."):
        yield


@contextmanager
def _saying(text: Callable[[], str]) -> Iterator[None]:
    """Write a line every `PATIENCE` seconds for as long as it takes."""
    over = threading.Event()

    def talk() -> None:
        while not over.wait(PATIENCE):
            print(text(), file=sys.stderr, flush=True)

    talker = threading.Thread(target=talk, daemon=True)
    talker.start()
    try:
        yield
    finally:
        over.set()
