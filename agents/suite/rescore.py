"""Score a run again from its saved policies alone: `python -m agents.suite.rescore TASK LEARNER RUN`.

What is judged comes from the suite, not from the run: the process knows nothing of it but its policy files.
It prints JSON: for every checkpoint of the last half of the run the exact gap, or NashConv.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.baselines.registry import trainer_type
from agents.baselines.runner import rescore as rescored_pairs
from agents.baselines.tasks import load_task
from agents.exam import Exam, greedy_of, stochastic_of
from agents.run_folder import RunFolder, load_policies
from agents.suite.cells import SelfPlayCell, TrainCell, chosen_cells
from pan9_gym.rules import ConfigError, load_rules


def rescore(task: str, learner: str, run: Path) -> dict[str, Any]:
    """The exact figures of the last half of a run's checkpoints.

    Args:
        task: The task that says what is judged.
        learner: The learner whose settings the task's config is read with.
        run: The run's folder.

    Returns:
        "checkpoints": for each "decisions" or "iterations", "gap" and "other_gap" as fractions; "yardstick":
        the gap of the best strategy that does not look at what this task shows besides, or `None`.

    Raises:
        ConfigError: If the folder is not one of such a run, or a file is damaged.
    """
    (cell,) = chosen_cells([f"{task}/{learner}"])
    if isinstance(cell, TrainCell):
        return _rescored_training(cell, RunFolder(run))
    assert isinstance(cell, SelfPlayCell)
    return _rescored_selfplay(cell, run)


def _rescored_training(cell: TrainCell, folder: RunFolder) -> dict[str, Any]:
    exam = Exam.of(cell.config())
    places = folder.checkpoints()
    last = max(places, default=0)
    found = []
    for step, place in places.items():
        if 2 * step < last:
            continue
        policies = load_policies(place, exam.parts)
        greedy, stochastic = exam.gap(greedy_of(policies)), exam.gap(stochastic_of(policies))
        found.append({"step": step, "gap": str(greedy), "other_gap": str(stochastic)})
    if not found:
        raise ConfigError(f"run {str(folder.path)!r}: has no checkpoints")
    blind = exam.blind_gap
    return {"checkpoints": found, "yardstick": None if blind is None else str(blind)}


def _rescored_selfplay(cell: SelfPlayCell, run: Path) -> dict[str, Any]:
    task = load_task(cell.task)
    other = "last" if task.judged == "average" else "average"
    entries = rescored_pairs(run, load_rules(task.sheet), task.level, task.num_players, last_half=True)
    unit = trainer_type(cell.learner).unit
    found = [
        {
            "step": entry[unit],
            "gap": entry[task.judged]["nash_conv"],
            "other_gap": entry[other]["nash_conv"],
        }
        for entry in entries
    ]
    return {"checkpoints": found, "yardstick": None}


def main(
    task: Annotated[str, typer.Argument(help="The task that says what is judged.")],
    learner: Annotated[str, typer.Argument(help="The algorithm or the trainer.")],
    run: Annotated[Path, typer.Argument(help="The folder of the run.")],
) -> None:
    """Score a run again from its saved policies."""
    print(json.dumps(rescore(task, learner, run), indent=1))


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
