"""Progress of anything that may take a while, on the error stream so that output can be piped."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

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
def counted(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Say how many of very many things are done, at what rate, and how long the rest will take.

    Args:
        total: How many there are.
        label: What they are, such as "hands".

    Yields:
        A function to be called with how many are done; its first call says where the work begins.
    """
    pace = _Pace(total, label)
    if not Console(stderr=True).is_terminal:
        with _saying(pace.line):
            yield pace.reached
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)

        def reached(done: int) -> None:
            pace.reached(done)
            progress.update(task, completed=done, description=pace.line(with_time_left=False))

        yield reached


class _Pace:
    """How far something is, and how fast it goes."""

    def __init__(self, total: int, label: str) -> None:
        self._total, self._label = total, label
        self._done, self._first, self._began = 0, -1, monotonic()

    def reached(self, done: int) -> None:
        self._done = done
        if self._first < 0:
            self._first, self._began = done, monotonic()

    def line(self, with_time_left: bool = True) -> str:
        text = f"{self._label}: {self._done:,} of {self._total:,}"
        played, seconds = self._done - max(self._first, 0), monotonic() - self._began
        if played <= 0 or seconds <= 0:
            return text
        text += f", {played / seconds:,.0f} a second"
        left = (self._total - self._done) * seconds / played
        return f"{text}, {_duration(left)} left" if with_time_left else text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


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
