"""The exact callback: when it evaluates, what it keeps, when it ends a run."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.callbacks import next_evaluation
from agents.config import load_config
from agents.judge import Judge
from agents.results import first_hit, held_since
from agents.train import Run, train
from pan9_gym import TabularPolicy, evaluation

SMALL = ["num_envs=64", "ppo.rollout_decisions=128", "ppo.batch_size=64", "early_checkpoint=128"]


def trained(path: Path, *overrides: str) -> Run:
    config = load_config("bicycle_banker", [*SMALL, *overrides])
    return train(config, path, Console(quiet=True))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained(tmp_path_factory.mktemp("runs"), "num_decisions=2048", "evaluate_every=512")


def lines(run: Run) -> list[dict[str, object]]:
    text = (run.folder.path / "metrics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_evaluations_are_dense_early_and_never_far_apart(run: Run) -> None:
    steps = [entry["decisions"] for entry in run.history]
    assert steps[:6] == [0, 128, 256, 384, 640, 1024]
    assert all(later - earlier <= 512 for earlier, later in pairwise(steps))
    assert steps[-1] == 2048


def test_the_next_evaluation_is_due_by_logarithm_or_by_distance() -> None:
    config = load_config("bicycle_banker", ["evaluate_every=1000", "evaluations_per_doubling=1"])
    assert [next_evaluation(config, step) for step in (0, 1, 300, 5000)] == [1, 2, 600, 6000]
    alone = load_config("bicycle_banker", ["evaluate_every=1000", "evaluations_per_doubling=0"])
    assert next_evaluation(alone, 1) == 1001


def test_the_metrics_name_the_five_costliest_disagreements(run: Run) -> None:
    entry = lines(run)[-1]
    policy = TabularPolicy.load(run.folder.path / "policy.json", "bicycle")
    found = evaluation.report("bicycle", policy, "banker").disagreements[:5]
    assert entry["costliest"] == [
        {
            "decision": one.situation,
            "plays": one.policy_move,
            "best": one.best.name.lower(),
            "prob": float(one.prob),
            "cost": float(one.cost),
        }
        for one in found
    ]


def test_tensorboard_has_them_as_text_and_both_policies(run: Run) -> None:
    events = EventAccumulator(str(run.folder.tensorboard))
    events.Reload()
    tags = events.Tags()
    assert "exact/costliest/text_summary" in tags["tensors"]
    assert {"exact/gap", "exact_stochastic/gap", "exact/worst_case_gap"} <= set(tags["scalars"])


def test_the_best_policy_is_kept_by_its_exact_gap(run: Run) -> None:
    kept = json.loads((run.folder.path / "best.json").read_text(encoding="utf-8"))
    gaps = {entry["decisions"]: entry["exact"]["gap"] for entry in run.history}
    assert float(Fraction(kept["gap"])) == min(gaps.values())
    assert kept["decisions"] == min(step for step, gap in gaps.items() if gap == min(gaps.values()))
    policy = TabularPolicy.load(run.folder.path / "best_policy.json", "bicycle")
    assert Judge.of(load_config("bicycle_banker")).gap(policy) == Fraction(kept["gap"])


def test_the_learning_time_leaves_the_evaluations_out(run: Run) -> None:
    seconds = [float(str(entry["cpu_seconds"])) for entry in lines(run)]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    (note,) = (note for note in run.results.notes if "for exact evaluation" in note)
    assert seconds[-1] < float(note.split("(")[1].split(" CPU")[0]) + 0.1


def test_a_run_ends_once_the_gap_has_been_small_often_enough(tmp_path: Path) -> None:
    stopped = trained(tmp_path, "num_decisions=4096", "evaluate_every=128", "stop_at_gap=10", "stop_after=3")
    assert [entry["decisions"] for entry in stopped.history] == [0, 128, 256]
    assert not stopped.interrupted
    assert stopped.results.notes[0].startswith("Stopped at the gap asked for with ppo, seed 1: 256 decisions")
    assert (stopped.folder.path / "table.json").is_file()


def test_a_gap_above_the_bound_ends_nothing(tmp_path: Path) -> None:
    went_on = trained(tmp_path, "num_decisions=512", "stop_at_gap=0", "stop_after=1")
    assert went_on.history[-1]["decisions"] == 512


def test_since_when_a_gap_is_held() -> None:
    gaps = [0.5, 0.0, 0.2, 0.01, 0.0, 0.01]
    history = [{"decisions": step, "exact": {"gap": gap}} for step, gap in enumerate(gaps)]
    assert (first_hit(history), held_since(history)) == (1, None)
    assert (first_hit(history, 0.01), held_since(history, 0.01)) == (1, 3)
    unequal = [{"decisions": 7, "exact": {"gap": 2.0, "gap_per_unit": 0.1}}]
    assert held_since(unequal, 0.1) == 7
