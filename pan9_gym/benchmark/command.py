"""`pan9 benchmark solver`: what the exact answers cost, beside their budgets and OpenSpiel."""

from __future__ import annotations

from typing import Annotated

import typer

from pan9_gym.benchmark.report import Report

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def benchmark() -> None:
    """Times and peak memory on this machine."""


@app.command()
def solver(
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of tables.")] = False,
    only: Annotated[str, typer.Option(help="Only measurements whose name has this text.")] = "",
) -> None:
    """The exact answers: time and memory against their budgets, and against OpenSpiel's algorithms."""
    report = Report.measured(only, lambda name: typer.echo(f"measuring: {name}", err=True))
    typer.echo(report.json() if as_json else report.text())
