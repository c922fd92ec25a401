"""The learning benchmark: `python -m agents.benchmark [--cells PATTERN] [--seeds N] [--out FOLDER]`.

Trains every cell of tasks and learners with several seeds, each run in a process of its own, and prints which
exact gaps are reached and held, and how long they take. Runs that are in the folder already, with the same
settings, are not made again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agents.stopping import INTERRUPTED
from agents.suite.cells import chosen_cells
from agents.suite.curves import write_curves
from agents.suite.runs import jobs_of, run_all
from agents.suite.tables import study
from pan9_gym.cli.tables import written
from pan9_gym.policies.storage import write_text
from pan9_gym.rules import ConfigError


def main(
    cells: Annotated[
        list[str] | None,
        typer.Option("--cells", help="Only these, such as task_a_totals/ppo or 'task_b_*'; may be repeated."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to N of each cell.")] = 3,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once; default one for each core.")] = None,
    out: Annotated[Path, typer.Option(help="The folder that keeps the runs.")] = Path("benchmark"),
    as_list: Annotated[bool, typer.Option("--list", help="List the cells and train nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, fractions as texts.")] = False,
) -> None:
    """Train the suite and say how close every learner gets, exactly."""
    chosen = chosen_cells(cells or [])
    if as_list:
        for cell in chosen:
            print(f"{cell.label}, target {cell.target:g}")
        return
    progress = Console(stderr=True)
    todo = jobs_of(chosen, range(1, seeds + 1), out)

    def tell(line: str) -> None:
        progress.print(line, highlight=False, markup=False, soft_wrap=True)

    try:
        outcome = run_all(todo, jobs or len(os.sched_getaffinity(0)), tell)
    except KeyboardInterrupt:
        tell("interrupted; the same command goes on with what is left")
        raise typer.Exit(INTERRUPTED) from None
    there = [cell for cell in chosen if any(score.cell == cell.label for score in outcome.scores)]
    if there:
        found = study(there, outcome.scores)
        write_text(out / "table.md", written(found, "markdown") + "\n")
        write_text(out / "table.json", written(found, "json") + "\n")
        write_curves(there, outcome.scores, out / "curves.png")
        print(written(found, "json" if as_json else "markdown"))
        tell(f"kept in {out}")
    if outcome.failed:
        raise ConfigError("\n".join(outcome.failed))


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
