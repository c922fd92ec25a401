"""`pan9 bench`: what the engine does in a CPU second; `pan9 bench solver`: what the exact answers cost."""

from __future__ import annotations

from typing import Annotated

import typer

from pan9_gym.benchmark.report import Report

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

MOST_HANDS = 10**13

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
    hands: Annotated[float, typer.Option(help="Hands of the long runs for memory, such as 1e9.")] = 0,
    as_json: AsJson = False,
    only: Only = "",
) -> None:
    """What the engine does in a CPU second, beside its targets and, with --peers, other card games."""
    if context.invoked_subcommand is not None:
        if as_json or only or quick or peers or sheets or hands:
            raise ValueError(f"options before {context.invoked_subcommand!r}: give them after it")
        return
    from pan9_gym.benchmark.engine import EngineReport, Settings  # loads Numba

    settings = Settings(rounds, peers, sheets, quick, _read_hands(hands), only)
    report = EngineReport.measured(settings, lambda line: typer.echo(line, err=True))
    typer.echo(report.json() if as_json else report.text())


def _read_hands(hands: float) -> int | None:
    """A number of hands; `None` for 0, which stands for the default."""
    if not 0 <= hands <= MOST_HANDS or hands != int(hands):
        raise ValueError(f"--hands {hands:g}: a whole number up to {MOST_HANDS:.0e} is needed, such as 1e9")
    return int(hands) or None


@app.command()
def solver(as_json: AsJson = False, only: Only = "") -> None:
    """The exact answers: time and memory against their budgets, and against OpenSpiel's algorithms."""
    report = Report.measured(only, lambda name: typer.echo(f"measuring: {name}", err=True))
    typer.echo(report.json() if as_json else report.text())
