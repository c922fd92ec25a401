"""How programs end: bad input in one line, an interruption without a traceback."""

from __future__ import annotations

import sys

import typer

BAD_INPUT = 2
"""The exit code for bad input, as argument parsers use it."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells use it."""


def run(app: typer.Typer) -> None:
    """Run a program; a `ValueError` (`ConfigError` is one) is printed and ends it with `BAD_INPUT`."""
    try:
        app()
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
