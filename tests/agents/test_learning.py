"""Learning, short and certain: what is obviously right is learnt in seconds; same seed, same weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from rich.console import Console

from agents.config import TrainConfig, load_config
from agents.learners import make_learner
from agents.make_env import make_vec_env
from agents.train import Run, train

OBVIOUS = """
fields:
  num_initial_cards: 1
  point_values: {A: 1, "2": 2}
  banker_draw_rule: {must_stand: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}
sources: {}
"""
"""One card worth 1 or 2 each, and a banker who may not draw: a drawn card always helps, by 0.75 or more."""

SHORT = {"num_decisions": 12_288, "early_checkpoint": 1024, "evaluate_every": 4096, "num_envs": 16}
FAST_PPO = {"rollout_decisions": 1024, "batch_size": 256, "learning_rate": 5e-3, "entropy_coefficient": 0.0}


def trained(tmp_path: Path, **fields: object) -> Run:
    sheet = tmp_path / "obvious.yaml"
    sheet.write_text(OBVIOUS, encoding="utf-8")
    config = TrainConfig.model_validate({"rules": str(sheet), **SHORT, **fields})
    return train(config, tmp_path, Console(quiet=True))


@pytest.mark.parametrize(
    "fields",
    [
        {"algorithm": "ppo", "ppo": FAST_PPO},
        {"algorithm": "maskable_ppo", "ppo": FAST_PPO},
        {"algorithm": "a2c", "a2c": {"rollout_decisions": 64, "entropy_coefficient": 0.0}},
        {"algorithm": "dqn", "dqn": {"learning_starts": 512, "batch_size": 512, "decisions_per_update": 32}},
    ],
    ids=lambda fields: fields["algorithm"],
)
def test_drawing_where_it_is_obviously_right_is_learnt(tmp_path: Path, fields: dict[str, object]) -> None:
    run = trained(tmp_path, **fields)
    report = run.results.report("agent at the end")
    assert report.gap == 0
    assert report.agreement == 1
    stochastic = run.results.report("agent at the end, stochastic").agreement
    assert stochastic is not None
    assert stochastic > (0.84 if fields["algorithm"] == "dqn" else 0.99)  # DQN acts with epsilon 0.3


SMALL_PPO = ["ppo.rollout_decisions=256", "ppo.batch_size=64"]
SMALL = {
    "ppo": SMALL_PPO,
    "maskable_ppo": SMALL_PPO,
    "a2c": ["a2c.rollout_decisions=64"],
    "dqn": ["dqn.batch_size=64", "dqn.learning_starts=128", "dqn.decisions_per_update=64"],
}


@pytest.mark.parametrize("algorithm", SMALL)
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(algorithm: str) -> None:
    small = ["num_envs=8", *SMALL[algorithm]]

    def weights(seed: int) -> list[torch.Tensor]:
        config = load_config("bicycle_player", [f"seed={seed}", f"algorithm={algorithm}", *small])
        model = make_learner(config, make_vec_env(config))
        model.learn(512)
        return [parameter.detach().clone() for parameter in model.policy.parameters()]

    first, again, other = weights(1), weights(1), weights(2)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first, other, strict=True))


def stochastic_labels(run: Run) -> list[str]:
    return [label for label, _ in run.results.rows if label.endswith("stochastic")]


@pytest.mark.slow
@pytest.mark.parametrize("role", ["player", "banker"])
def test_the_default_configs_reach_gap_0_and_hold_it_over_the_last_half(tmp_path: Path, role: str) -> None:
    config = load_config(f"bicycle_{role}")
    run = train(config, tmp_path, Console(quiet=True))
    late = [entry for entry in run.history if entry["decisions"] >= config.num_decisions / 2]
    assert len(late) > 10
    assert all(entry["exact"]["gap"] == 0 for entry in late)
    early, last = (run.results.report(label) for label in stochastic_labels(run))
    assert early.gap > 10 * last.gap
