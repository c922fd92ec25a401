"""Command-line programs: bad input ends in one line, never in a traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from pan9_gym.cli.running import run


def run_command(command: Callable[..., Any]) -> None:
    """Run a function with typer's annotations as a program (see `pan9_gym.cli.running.run`)."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    run(app)
