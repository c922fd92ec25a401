"""Saved runs side by side: `python -m agents.compare RUN [RUN ...]`.

Runs of one task share a table with the logical way and the exact optimum; below it stands for every decision
on which they differ what each of them plays, and what is known of the seeds of each config. Every player
meets every banker of the same sheet in an exact matrix. Several tasks need `--across`. With `--on SHEET` the
runs are judged under another sheet than their own, forced moves played.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.compare_crossplay import CrossPlay, cross_play
from agents.compare_curves import write_curves
from agents.compare_runs import ComparedRun, by_task, open_runs
from agents.compare_seeds import seeds_study
from agents.results import YARDSTICKS, Results, judge_policies
from pan9_gym import evaluation
from pan9_gym.cli.tables import Study, written
from pan9_gym.evaluation.tables import markdown_table
from pan9_gym.rules import ConfigError


@dataclass(frozen=True)
class TaskTable:
    """The runs of one task.

    Attributes:
        runs: The runs.
        results: What is exactly true of them, the logical way and the optimum.
        seeds: The same by config and seed.
    """

    runs: tuple[ComparedRun, ...]
    results: Results
    seeds: Study

    def markdown(self) -> str:
        """The table, where the runs differ, and their seeds."""
        table = self.results.markdown(with_disagreements=False)
        labels = [*(run.name for run in self.runs), YARDSTICKS[0]]
        return f"{table}\n{_moves(self.results, labels)}\n\n{written(self.seeds, 'markdown')}\n"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        found = self.results.to_dict()
        return {
            "task": self.runs[0].task,
            "runs": {run.name: run.trained.model_dump(mode="json") for run in self.runs},
            "rows": found["rows"],
            "optimum": found["optimum"],
            "notes": found["notes"],
            "seeds": self.seeds.to_dict(),
        }


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        tasks: A table for each task.
        matrices: Exact cross-play, one for each sheet.
    """

    tasks: tuple[TaskTable, ...]
    matrices: tuple[CrossPlay, ...]

    def markdown(self) -> str:
        """All tables."""
        matrices = (written(matrix.study(), "markdown") + "\n" for matrix in self.matrices)
        return "\n".join([*(task.markdown() for task in self.tasks), *matrices])

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "tasks": [task.to_dict() for task in self.tasks],
            "cross_play": [matrix.study().to_dict() for matrix in self.matrices],
        }


def compare_runs(
    runs: Sequence[str], across: bool = False, on: Sequence[str] = (), against: Sequence[str] = ()
) -> Comparison:
    """Compare saved runs exactly.

    Args:
        runs: The runs' folders.
        across: Whether runs of different tasks are meant; each task then has a table of its own.
        on: Sheets to judge all runs under; default each run's own.
        against: More policies for the cross-play: names, or policy files.

    Raises:
        ConfigError: If there is no run, a folder is not one of a finished run, the tasks differ without
            `across`, or a sheet or a policy does not fit.
    """
    tasks: list[TaskTable] = []
    matrices: list[CrossPlay] = []
    sheets_on: Sequence[str | None] = on or [None]
    for sheet in sheets_on:
        opened = open_runs(runs, sheet)
        tasks += [_task_table(group) for group in by_task(opened, across)]
        sheets = {run.rules.fingerprint: run.rules for run in opened}
        for fingerprint, rules in sheets.items():
            under = [run for run in opened if run.rules.fingerprint == fingerprint]
            found = cross_play(rules, under, against)
            matrices += [] if found is None else [found]
    return Comparison(tuple(tasks), tuple(matrices))


def compare(runs: Sequence[str], across: bool = False, on: Sequence[str] = ()) -> str:
    """Saved runs compared, as Markdown; the arguments and errors are those of `compare_runs`."""
    return compare_runs(runs, across, on).markdown()


def _task_table(runs: Sequence[ComparedRun]) -> TaskTable:
    agents = []
    for run in runs:
        agents += [(run.name, run.policies.greedy), (f"{run.name}, stochastic", run.policies.stochastic)]
    notes = [f"Task: {'; '.join(runs[0].unusual)}."] if runs[0].unusual else []
    notes += [f"{run.name} was trained on `{run.trained.rules}`." for run in runs if run.elsewhere]
    notes += [f"{run.name}: {note}." for run in runs for note in run.notes]
    results = judge_policies(runs[0].judged, agents, notes)
    return TaskTable(tuple(runs), results, seeds_study(runs, dict(results.rows)))


def _moves(results: Results, labels: list[str]) -> str:
    """What each greedy policy plays wherever one of them is not optimal, with the price."""
    by_label = {label: results.report(label).disagreements for label in labels}
    situations: dict[str, str] = {}
    for entries in by_label.values():
        for entry in entries:
            situations.setdefault(entry.situation, entry.best.name.lower())
    if not situations:
        return "Every one of them plays the optimum everywhere."
    rows = []
    for situation, best in situations.items():
        row = [situation, best]
        for entries in by_label.values():
            found = [entry for entry in entries if entry.situation == situation]
            costs = [f"{entry.policy_move}: {evaluation.number(entry.cost)} a hand" for entry in found]
            row.append("; ".join(costs) or "best")
        rows.append(row)
    return markdown_table(["decision", "best", *labels], rows)


def main(
    runs: Annotated[list[str] | None, typer.Argument(help="The folders of runs.")] = None,
    across: Annotated[bool, typer.Option("--across", help="Compare runs of different tasks.")] = False,
    on: Annotated[
        list[str] | None, typer.Option(help="Judge under this sheet, not each run's own; may be repeated.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(help="Another policy for the cross-play: a name or a policy file.")
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="Write learning curves as PNG into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, fractions as texts.")] = False,
) -> None:
    """Compare saved runs exactly with each other, the logical way and the optimum."""
    if plots is not None and on:
        raise ConfigError("--plots shows how runs learned on their own sheets; give it without --on")
    found = compare_runs(runs or [], across, on or [], against or [])
    pictures = [] if plots is None else write_curves([task.runs for task in found.tasks], plots)
    if as_json:
        print(json.dumps({**found.to_dict(), "plots": [str(path) for path in pictures]}, indent=2))
        return
    print(found.markdown())
    for path in pictures:
        print(f"written: {path}")


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
