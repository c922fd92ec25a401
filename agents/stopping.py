"""Stopping a run from outside: Ctrl-C and SIGTERM end the learning, and neither ends the saving."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit code of a program after Ctrl-C, as shells use it."""

STOPPERS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """What stopping does at the moment."""

    def ignore(self) -> None:
        """From now on, to the end of the block, a stop is ignored."""
        for number in STOPPERS:
            signal.signal(number, signal.SIG_IGN)


class _Anywhere(Stop):
    """Outside the main thread signals cannot be handled, and none arrive."""

    def ignore(self) -> None:
        """Nothing to ignore."""


@contextmanager
def stoppable() -> Iterator[Stop]:
    """A block in which Ctrl-C and SIGTERM raise `KeyboardInterrupt`, until `Stop.ignore` is called."""
    if threading.current_thread() is not threading.main_thread():
        yield _Anywhere()
        return
    before = {number: signal.getsignal(number) for number in STOPPERS}
    for number in STOPPERS:
        signal.signal(number, _interrupt)
    try:
        yield Stop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
