"""Train agents and judge them exactly: `python -m agents.train [CONFIG ...] [--set key=value]`.

Without arguments it trains a player and a player-dealer on the default sheet. Ctrl-C or SIGTERM ends a run
early; what was learned is judged and saved all the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.logger import HParam, configure

from agents.callbacks import ExactCallback, Judge
from agents.config import TrainConfig, load_config
from agents.extract import Extractor
from agents.learners import make_learner
from agents.make_env import make_hand_env, make_vec_env, resolve_opponent
from agents.results import Results, first_hit, held_since, judge_run
from agents.run_folder import RunFolder
from agents.stopping import stoppable
from pan9_gym.game.info_state import read_role
from pan9_gym.rules import load_rules

DEFAULT_CONFIGS = ["bicycle_player", "bicycle_banker"]

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells use it."""


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
    results: Results
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
    rules, role = load_rules(config.rules), read_role(config.role)
    judge = Judge.against(resolve_opponent(rules, role.opponent, config.opponent))
    extractor = Extractor(make_hand_env(config))
    vec_env = make_vec_env(config)
    model = make_learner(config, vec_env)
    folder = RunFolder.create(parent, config)
    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    model.logger.record("hparams", _hparams(config), exclude=("stdout", "log", "json", "csv"))
    wall, cpu = time.perf_counter(), time.process_time()
    interrupted = False
    with _progress(console) as progress:
        task = progress.add_task(config.name, total=config.num_decisions, gap="-", rate="-")

        def show(step: int, metrics: dict[str, Any]) -> None:
            gap = metrics["exact"]["gap"]
            rate = step / max(time.perf_counter() - wall, 1e-9)
            progress.update(task, completed=step, gap=f"{gap:.6f}" if gap else "0", rate=f"{rate:,.0f}")

        callback = ExactCallback(config, folder, extractor, judge, show)
        with stoppable() as stop:
            try:
                model.learn(config.num_decisions, callback=callback)
            except KeyboardInterrupt:
                interrupted = True
            stop.ignore()  # what was learned is judged and kept, whatever comes now
            if model.num_timesteps == 0:
                folder.remove()
                raise KeyboardInterrupt
            final = callback.evaluate("agent")
            progress.update(task, completed=model.num_timesteps)
            folder.save_policies(final)
            folder.save_checkpoint(model.num_timesteps, model, final)
            seconds = (time.perf_counter() - wall, time.process_time() - cpu)
            notes = _notes(config, callback, model.num_timesteps, seconds, interrupted)
            results = judge_run(config, final, callback.early, notes)
            folder.save_table(results.to_dict(), results.markdown())
    vec_env.close()
    model.logger.close()
    return Run(folder, results, tuple(callback.history), interrupted)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("decisions, {task.fields[rate]}/s, exact gap {task.fields[gap]}"),
        TimeRemainingColumn(),
        console=console,
    )


def _hparams(config: TrainConfig) -> HParam:
    settings = config.ppo if config.on_policy else config.dqn
    flat = {**config.model_dump(mode="json", exclude={"ppo", "dqn"}), **settings.model_dump(mode="json")}
    values = {
        key: value if isinstance(value, int | float | str | bool) else str(value)
        for key, value in flat.items()
    }
    metrics: dict[str, float | int] = {"exact/gap": 0.0, "exact/ev": 0.0, "exact_stochastic/gap": 0.0}
    return HParam(hparam_dict=values, metric_dict=metrics)


def _notes(
    config: TrainConfig,
    callback: ExactCallback,
    decisions: int,
    seconds: tuple[float, float],
    interrupted: bool,
) -> list[str]:
    hit, held = first_hit(callback.history), held_since(callback.history)
    if held is not None:
        reached = f"first 0 after {hit:,} decisions, and 0 at every evaluation from {held:,} on"
    elif hit is not None:
        reached = f"first 0 after {hit:,} decisions, but it did not stay 0"
    else:
        reached = "never 0"
    share = 100 * callback.seconds_evaluating / max(seconds[0], 1e-9)
    ended = "Interrupted" if interrupted else "Trained"
    return [
        f"{ended} with {config.algorithm}, seed {config.seed}: {decisions:,} decisions in {seconds[0]:.0f} s "
        f"({seconds[1]:.0f} CPU s), {share:.0f}% of the time for exact evaluation.",
        f"The greedy policy's exact gap was {reached}.",
    ]


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
        make_hand_env(config)  # refuses what is impossible before anything is trained
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
