"""`pan9 bench`: what the engine does in a CPU second; `pan9 bench solver`: what the exact answers cost."""

from __future__ import annotations

from typing import Annotated

import typer

from pan9_gym.benchmark.report import Report

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of tables.")]
Only = Annotated[str, typer.Option(help="Only measurements whose name has this text.")]


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure the installed peers too, and the ratios to them.")
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds.")] = 5,
    sheets: Annotated[bool, typer.Option("--sheets", help="Every rule sheet, not the default one.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run; its figures mean nothing.")] = False,
    hands: Annotated[float, typer.Option(min=0, help="Hands of the long runs for memory, such as 1e9.")] = 0,
    as_json: AsJson = False,
    only: Only = "",
) -> None:
    """What the engine does in a CPU second, beside its targets and, with --peers, other card games."""
    if context.invoked_subcommand is not None:
        return
    from pan9_gym.benchmark.engine import EngineReport, Settings  # loads Numba

    settings = Settings(rounds, peers, sheets, quick, int(hands) or None, only)
    report = EngineReport.measured(settings, lambda line: typer.echo(line, err=True))
    typer.echo(report.json() if as_json else report.text())


@app.command()
def solver(as_json: AsJson = False, only: Only = "") -> None:
    """The exact answers: time and memory against their budgets, and against OpenSpiel's algorithms."""
    report = Report.measured(only, lambda name: typer.echo(f"measuring: {name}", err=True))
    typer.echo(report.json() if as_json else report.text())
