"""Command-line programs: bad input ends in one line, never in a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import typer

from pan9_gym.rules import ConfigError

BAD_INPUT = 2
"""The exit code for bad input, as argument parsers use it."""


def run_command(command: Callable[..., Any]) -> None:
    """Run a typer command; a `ConfigError` is printed and ends the program with code 2."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    try:
        app()
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
