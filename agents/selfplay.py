"""Train both roles against each other and score them exactly: `python -m agents.selfplay TRAINER SHEET`.

Every trainer is behind one interface (`agents.baselines`), and what it has learned at log-spaced steps is
scored by exact NashConv and kept in a folder. Ctrl-C or SIGTERM ends a run early; what was scored is kept.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agents.baselines.registry import TRAINERS, make_trainer, trainer_type
from agents.baselines.runner import Row, figure, run
from agents.baselines.tasks import load_task, task_names
from agents.stopping import INTERRUPTED
from pan9_gym.cli.options import read_rules
from pan9_gym.cli.tables import written
from pan9_gym.rules import ConfigError


def main(
    trainer: Annotated[str, typer.Argument(help=f"One of {', '.join(TRAINERS)}.")],
    sheet: Annotated[
        str,
        typer.Argument(help="A rule sheet's name or path, such as bicycle, or a task in configs/selfplay/."),
    ],
    level: Annotated[
        str | None, typer.Option(help="What both roles tell apart: total, the default, or hand.")
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Players against the banker, who share one strategy; default 1.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides everything random.")] = 1,
    iterations: Annotated[int | None, typer.Option(help="How many; for exact trainers.")] = None,
    decisions: Annotated[int | None, typer.Option(help="How many; for trainers that deal hands.")] = None,
    rule: Annotated[list[str] | None, typer.Option(help="A rule that differs: num_decks=infinite.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting that differs, such as epsilon=0.2.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder that gets the run's folder.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, fractions as texts.")] = False,
) -> None:
    """Train a player and a banker against each other; their exact NashConv while they learn."""
    steps = _steps(trainer, {"iterations": iterations, "decisions": decisions})
    given = list(overrides or ())
    if sheet in task_names():
        task = load_task(sheet)
        plan = task.plan(trainer)
        sheet, level, steps = task.sheet, level or task.level, steps or plan.steps
        players = task.num_players if players is None else players
        given = [*plan.overrides, *given]
    seats = 1 if players is None else players
    made = make_trainer(trainer, read_rules(sheet, rule), level or "total", seed, steps, given, seats)
    finished = run(trainer, made, out, partial(_show, Console(stderr=True), made.unit))
    if as_json:
        print(json.dumps(finished.to_dict(), indent=1))
    else:
        print(written(finished.study(), "human"))
        print(f"\nkept in {finished.path}")
    if finished.interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(progress: Console, unit: str, row: Row) -> None:
    """Show a scored snapshot."""
    progress.print(
        f"{row.step:,} {unit}, {row.cpu_seconds:.1f} CPU s: NashConv "
        f"{figure(row.average.nash_conv)} of the average, {figure(row.last.nash_conv)} of the last",
        highlight=False,
        soft_wrap=True,
    )


def _steps(trainer: str, given: dict[str, int | None]) -> int | None:
    """How many steps, in the trainer's own unit.

    Raises:
        ConfigError: If the other unit was given.
    """
    unit = trainer_type(trainer).unit
    wrong = [name for name, value in given.items() if value is not None and name != unit]
    if wrong:
        raise ConfigError(f"--{wrong[0]}: trainer {trainer!r} counts {unit}; use --{unit}")
    return given[unit]


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
