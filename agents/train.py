"""Train agents and judge them exactly: `python -m agents.train [CONFIG ...] [--set key=value]`.

Without arguments it trains a player and a player-dealer on the default sheet. Ctrl-C or SIGTERM ends a run
early; what was learned is judged and saved all the same.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from agents.callbacks import ExactCallback, TargetReachedError
from agents.config import TrainConfig, load_config
from agents.exam import Exam
from agents.illegal_moves import illegal_moves
from agents.learners import make_learner
from agents.make_env import make_vec_env, net_inputs
from agents.part_results import PartResults
from agents.re_solving import solving_again
from agents.results import Results, judge_run, judged_gap
from agents.run_folder import RunFolder
from agents.run_notes import Ending, Spent, hparams, notes
from agents.stopping import INTERRUPTED, stoppable

DEFAULT_CONFIGS = ["bicycle_player", "bicycle_banker"]


@dataclass(frozen=True)
class Run:
    """A finished or interrupted run.

    Attributes:
        folder: Where it is kept.
        results: Its table.
        history: Its metrics.
        interrupted: Whether it was ended early.
    """

    folder: RunFolder
    results: Results | PartResults
    history: tuple[dict[str, Any], ...]
    interrupted: bool


def train(config: TrainConfig, parent: Path, console: Console) -> Run:
    """Train one agent, judge it, and keep everything in a new folder.

    Args:
        config: What to train.
        parent: The folder that gets the run's folder.
        console: Where progress is shown.

    Raises:
        ConfigError: If the config asks for something impossible.
    """
    exam = Exam.of(config)
    exam.judges[0].prepare()
    vec_env = make_vec_env(config)
    model = make_learner(config, vec_env)
    folder = RunFolder.create(parent, config)
    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    model.logger.record("hparams", hparams(config), exclude=("stdout", "log", "json", "csv"))
    wall, cpu = time.perf_counter(), time.process_time()
    gc.collect()  # an earlier run's model must not be kept with what follows
    gc.freeze()  # what imports and the exam have left stays: collections need not look through it
    with _progress(console) as progress:
        callback = ExactCallback(config, folder, exam, _shown(progress, config))
        with stoppable() as stop:
            ending = _learn(model, [*solving_again(config, exam.extractor), callback], config)
            stop.ignore()  # what was learned is judged and kept, whatever comes now
            if model.num_timesteps == 0:
                folder.remove()
                raise KeyboardInterrupt
            final = callback.evaluate("agent", at_the_end=True)
            folder.save_policies(final)
            callback.keep_best()
            folder.save_checkpoint(model.num_timesteps, model, final)
            spent = Spent(model.num_timesteps, time.perf_counter() - wall, time.process_time() - cpu)
            lines = notes(config, callback, ending, spent, illegal_moves(vec_env))
            results = judge_run(exam, final, callback.early, lines)
            folder.save_table(results.to_dict(), results.markdown())
    vec_env.close()
    model.logger.close()
    gc.unfreeze()
    return Run(folder, results, tuple(callback.history), ending is Ending.INTERRUPTED)


def _learn(model: BaseAlgorithm, callbacks: list[BaseCallback], config: TrainConfig) -> Ending:
    """Learn until the run's end, its target, or an interrupt."""
    try:
        between = config.learner.log_interval(config)
        model.learn(config.num_decisions, callback=callbacks, log_interval=between)
    except KeyboardInterrupt:
        return Ending.INTERRUPTED
    except TargetReachedError:
        return Ending.STOPPED
    return Ending.TRAINED


def _shown(progress: Progress, config: TrainConfig) -> Callable[[int, dict[str, Any]], None]:
    """A function that shows an evaluation in a new line of the progress."""
    task = progress.add_task(config.name, total=config.num_decisions, gap="-", rate="-")
    start = time.perf_counter()

    def show(step: int, metrics: dict[str, Any]) -> None:
        gap = judged_gap(metrics)
        rate = step / max(time.perf_counter() - start, 1e-9)
        progress.update(task, completed=step, gap=f"{gap:.6f}" if gap else "0", rate=f"{rate:,.0f}")

    return show


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("decisions, {task.fields[rate]}/s, exact gap {task.fields[gap]}"),
        TimeRemainingColumn(),
        console=console,
    )


def main(
    configs: Annotated[
        list[str] | None,
        typer.Argument(help="Names in configs/train/ or paths; default a player and a banker."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="A field that differs, such as seed=3 or ppo.num_epochs=8."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder that gets the runs' folders.")] = Path("runs"),
) -> None:
    """Train agents by Stable-Baselines3 and judge them by the exact solver."""
    console = Console()
    loaded = [load_config(config, overrides) for config in configs or DEFAULT_CONFIGS]
    for config in loaded:
        net_inputs(config)  # refuses what is impossible before anything is trained
    runs = []
    for config in loaded:
        run = train(config, out, console)
        runs.append(run)
        console.print()
        console.print(run.results.markdown(), markup=False, highlight=False, soft_wrap=True)
        console.print(f"kept in {run.folder.path}", markup=False, highlight=False, soft_wrap=True)
        if run.interrupted:
            break
    console.print(f"TensorBoard: tensorboard --logdir {out}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{time.process_time():.0f} CPU seconds in all", markup=False, highlight=False)
    if runs[-1].interrupted:
        raise typer.Exit(INTERRUPTED)


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
