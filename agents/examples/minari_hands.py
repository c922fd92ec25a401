"""Logged hands as a Minari dataset, read back, and what they say about another policy beside the exact value.

    pip install -e ".[minari]"
    python -m agents.examples.minari_hands --target wizard --num-hands 200000

The logged policy is the logical way with a share of random moves. Infos hold the information state and the
probability with which the logging policy drew there, without which no off-policy estimate is possible.

A hand is one step. Minari keeps a group of arrays for each episode, which takes 19 kB and 5 ms; so a Minari
episode is a sitting of `SITTING` hands here, each of which terminates: what follows a step is the next hand.
"""

from __future__ import annotations

import os
import shutil
import warnings
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer

from agents.examples.off_policy import ESTIMATES, LoggedHands, epsilon_mixed, log_hands, weight_check
from pan9_gym import TabularPolicy, policies, solver
from pan9_gym.evaluation.tables import markdown_table
from pan9_gym.rules import ConfigError, load_rules

DATASET = "pan9/{rules}/banker-epsilon-v0"

SITTING = 500
"""Hands in a Minari episode."""

FOLDER = "MINARI_DATASETS_PATH"
"""The environment variable by which Minari finds its datasets."""


def export(log: LoggedHands, rules: str, dataset: str, folder: Path) -> None:
    """Write logged hands of a banker as a Minari dataset; one of the same name is replaced.

    Args:
        log: The hands.
        rules: The sheet they were played under.
        dataset: The dataset's name.
        folder: Where Minari keeps its datasets.
    """
    minari = _minari(folder)
    shutil.rmtree(folder / dataset, ignore_errors=True)
    env = gymnasium.make("Pan9/PlayerDealer-v0", rules=rules)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`author_email` is set to None")
        minari.create_dataset_from_buffers(
            dataset,
            buffer=[_sitting(minari, log, start) for start in range(0, len(log.rewards), SITTING)],
            env=env,
            eval_env=env,
            algorithm_name="logical way with random moves",
            author="The pan9-gym authors",
            code_permalink="agents/examples/minari_hands.py",
            description="Sittings of a banker; infos: info_state, and draw_prob of the logging policy.",
        )
    env.close()


def read(dataset: str, folder: Path) -> LoggedHands:
    """The hands of a dataset that `export` wrote.

    Args:
        dataset: Its name.
        folder: Where Minari keeps its datasets.
    """
    sittings = list(_minari(folder).load_dataset(dataset).iterate_episodes())
    return LoggedHands(
        observations=np.concatenate([sitting.observations[:-1] for sitting in sittings]),
        info_states=np.concatenate([sitting.infos["info_state"][:-1] for sitting in sittings]),
        actions=np.concatenate([sitting.actions for sitting in sittings]),
        rewards=np.concatenate([sitting.rewards for sitting in sittings]),
        draw_probs=np.concatenate([sitting.infos["draw_prob"][:-1] for sitting in sittings]),
    )


def table(log: LoggedHands, target: TabularPolicy) -> str:
    """The estimates beside the exact value, as Markdown.

    Args:
        log: Hands against a player who plays the logical way.
        target: The policy asked about.
    """
    exact = float(-solver.evaluate(target.rules, "logical_way", target).ev)
    rows = []
    for name, estimate in ESTIMATES.items():
        found = estimate(log, target)
        rows.append(
            [name, f"{found.mean:+.5f}", f"{found.standard_error:.5f}", f"{found.z_score(exact):+.2f}"]
        )
    rows.append(["exact", f"{exact:+.5f}", "0", "-"])
    head = f"{target.name} as {target.role} under {target.rules.name}, from {len(log.rewards):,} logged hands"
    check = f"The mean weight lies {weight_check(log, target):+.2f} standard errors from 1."
    return "\n\n".join(
        [head, markdown_table(["estimate", "units a hand", "standard error", "z"], rows), check]
    )


def _sitting(minari: Any, log: LoggedHands, start: int) -> Any:
    """The hands from `start` on; after the last one stands the last once more, as nothing follows it."""
    hands = np.arange(start, min(start + SITTING, len(log.rewards)))
    before = np.append(hands, hands[-1])
    return minari.data_collector.EpisodeBuffer(
        id=start // SITTING,
        observations=log.observations[before],
        actions=log.actions[hands],
        rewards=log.rewards[hands],
        terminations=np.ones(len(hands), dtype=bool),
        truncations=np.zeros(len(hands), dtype=bool),
        infos={"info_state": log.info_states[before], "draw_prob": log.draw_probs[before]},
    )


def _minari(folder: Path) -> Any:
    os.environ[FOLDER] = str(folder.resolve())
    try:
        return import_module("minari")
    except ModuleNotFoundError:
        raise ConfigError(
            "minari is missing; the extra `minari` has it: pip install -e '.[minari]'"
        ) from None


def main(
    rules: Annotated[str, typer.Option(help="A sheet without forced moves.")] = "bicycle",
    target: Annotated[str, typer.Option(help="The policy asked about, by name.")] = "wizard",
    epsilon: Annotated[float, typer.Option(min=0.01, max=1, help="Share of random moves logged.")] = 0.2,
    num_hands: Annotated[int, typer.Option(min=100, max=1_000_000, help="Hands logged.")] = 200_000,
    seed: Annotated[int, typer.Option(min=0, help="Cards and actions.")] = 1,
    folder: Annotated[Path, typer.Option(help="Where the dataset goes.")] = Path("runs/minari"),
) -> None:
    """Log hands, keep them as a Minari dataset, read them back and estimate a policy's value."""
    sheet = load_rules(rules)
    logging = epsilon_mixed(policies.get("logical_way", sheet, "banker"), epsilon)
    dataset = DATASET.format(rules=sheet.name.replace("_", "-"))
    export(log_hands(rules, logging, num_hands, seed), rules, dataset, folder)
    print(table(read(dataset, folder), policies.get(target, sheet, "banker")))
    print(f"\nkept in {folder / dataset}")


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
