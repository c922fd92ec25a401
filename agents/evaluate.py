"""Judge a saved run again: `python -m agents.evaluate RUN [--opponent NAME]`.

Nothing is trained and no model file is opened: the policy files are the agent.
"""

from __future__ import annotations

from typing import Annotated

import typer

from agents.config import TrainConfig
from agents.exam import Exam
from agents.results import judge_run
from agents.run_folder import RunFolder
from pan9_gym.rules.errors import validated


def evaluate(run: str, opponent: str | None = None) -> str:
    """The table of a saved run as Markdown.

    Args:
        run: The run's folder.
        opponent: Another opponent than the one it was trained against.

    Raises:
        ConfigError: If the folder is not one of a finished run, or the opponent is not known.
    """
    folder = RunFolder.open(run)
    config = folder.config()
    if opponent is not None:
        data = config.model_dump(mode="json", exclude=config.other_sections)
        config = validated(TrainConfig, {**data, "opponent": opponent, "resolve_every": 1}, f"run {run!r}")
    return judge_run(Exam.of(config), folder.policies(), early=None).markdown()


def main(
    run: Annotated[str, typer.Argument(help="The folder of a run.")],
    opponent: Annotated[
        str | None,
        typer.Option(help="A named policy, equilibrium, best_response or re_solved; default the run's own."),
    ] = None,
) -> None:
    """Judge a saved run exactly: its policies beside the logical way and the optimum."""
    print(evaluate(run, opponent))


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
