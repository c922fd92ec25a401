"""How programs end: bad input in one line with its exit code, never with a traceback."""

from __future__ import annotations

import os
import sys

import typer

BAD_INPUT = 2
"""The exit code for bad input, as argument parsers use it."""


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


def _failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return BAD_INPUT
