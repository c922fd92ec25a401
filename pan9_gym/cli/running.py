"""How programs end: bad input in one line with its exit code, never with a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

BAD_INPUT = 2
"""The exit code for bad input, as argument parsers use it."""

STOPS: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""The signals that stop a program, and what they usually do."""


def run(app: typer.Typer) -> None:
    """Run a program; bad input (a `ValueError`, a number too large) is one line and the code `BAD_INPUT`.

    A reader of the output that goes away, such as `head`, ends the program quietly.
    """
    try:
        app()
    except (ValueError, OverflowError, MemoryError) as error:
        said = str(error) or "more memory is needed than there is"
        sys.exit(_failed(said))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to write to
    except OSError as error:
        sys.exit(_failed(f"{error.filename or 'output'}: {error.strerror}"))


@contextmanager
def until_interrupted() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C or SIGTERM sets; the second one ends the program as usual."""
    stop = threading.Event()

    def interrupted(*_: object) -> None:
        stop.set()
        for number, usual in STOPS.items():
            signal.signal(number, usual)

    before = {number: signal.signal(number, interrupted) for number in STOPS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return BAD_INPUT
