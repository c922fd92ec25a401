"""The examples of other frameworks: they learn, and off-policy estimates agree with the exact value."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from agents.examples.cleanrl_style_ppo import Agent, Args, Batch, loss, policies, train
from agents.examples.minari_hands import DATASET, export, read, table
from agents.examples.off_policy import ESTIMATES, LoggedHands, epsilon_mixed, log_hands, weight_check, weights
from pan9_gym import TabularPolicy, evaluation, load_rules, solver
from pan9_gym import policies as named_policies
from pan9_gym.rules import ConfigError

ROOT = Path(__file__).parents[2]
SIGNIFICANCE = 1e-4
LIMIT = float(stats.norm.isf(SIGNIFICANCE / 2))
"""Standard errors within which a right estimate lies but once in 10,000."""

needs_minari = pytest.mark.skipif(
    find_spec("minari") is None, reason="minari is not installed: pip install -e '.[minari]'"
)


def banker(name: str) -> TabularPolicy:
    return named_policies.get(name, load_rules("bicycle"), "banker")


def logged(num_hands: int = 200_000, epsilon: float = 0.2, seed: int = 1) -> LoggedHands:
    return log_hands("bicycle", epsilon_mixed(banker("logical_way"), epsilon), num_hands, seed)


def test_a_single_file_learns_the_players_optimum() -> None:
    args = Args(env_id="Pan9/Player-v0", num_decisions=150_000)
    greedy, stochastic = policies(*train(args), args)
    report = evaluation.report("bicycle", greedy, "player")
    assert report.gap == 0
    assert stochastic.name == "PPO, stochastic"
    assert 0 < evaluation.report("bicycle", stochastic, "player").gap < 0.05


def test_a_single_file_takes_forced_moves() -> None:
    args = Args(rules="bicycle_bonus", num_decisions=8 * 256, num_envs=256, num_steps=4)
    greedy, _ = policies(*train(args), args)
    assert evaluation.report("bicycle_bonus", greedy, "banker").gap < 0.2


def test_the_loss_is_the_formula_of_the_file() -> None:
    torch.manual_seed(1)
    agent, args = Agent(num_features=3), Args(clip=0.2, entropy_coefficient=0.1)
    nn.init.normal_(agent.actor[-1].weight, std=0.1)
    obs, masks = torch.randn(40, 3), torch.rand(40, 2) < 0.8
    masks[:, 0] |= ~masks[:, 1]
    with torch.no_grad():
        probs = agent.choices(obs, masks).probs.numpy()
        values = agent.critic(obs)[:, 0].numpy()
    assert (probs[~masks.numpy()] == 0).all()
    actions, rewards = probs.argmax(axis=1), np.linspace(-1, 1, 40, dtype=np.float32)
    ratios = np.random.default_rng(1).uniform(0.5, 1.5, 40)
    old = np.log(probs[np.arange(40), actions] / ratios).astype(np.float32)
    batch = Batch(obs, masks, *map(torch.from_numpy, (actions, old, rewards)))
    gains = (rewards - values - (rewards - values).mean()) / (rewards - values).std(ddof=1)
    actor = np.maximum(-gains * ratios, -gains * ratios.clip(0.8, 1.2)).mean()
    entropy = -np.where(probs > 0, probs * np.log(np.maximum(probs, 1e-30)), 0).sum(axis=1).mean()
    expected = actor + 0.5 * np.square(values - rewards).mean() - 0.1 * 0.5 * entropy
    assert loss(agent, batch, args, left=0.5).item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_single_file_learns_the_bankers_optimum(seed: int) -> None:
    args = Args(seed=seed)
    greedy, stochastic = policies(*train(args), args)
    assert evaluation.report("bicycle", greedy, "banker").gap == 0
    assert evaluation.report("bicycle", stochastic, "banker").gap < 1e-3


@pytest.mark.parametrize("name", ESTIMATES)
@pytest.mark.parametrize("target", ["wizard", "always_draw", "uniform"])
def test_an_estimate_agrees_with_the_exact_value(name: str, target: str) -> None:
    exact = float(-solver.evaluate("bicycle", "logical_way", banker(target)).ev)
    found = ESTIMATES[name](logged(), banker(target))
    assert 0 < found.standard_error < 0.01
    assert abs(found.z_score(exact)) < LIMIT


@pytest.mark.parametrize("name", ESTIMATES)
def test_standard_errors_are_those_of_many_logs(name: str) -> None:
    exact = float(-solver.evaluate("bicycle", "logical_way", banker("wizard")).ev)
    whole, size = logged(300_000, seed=2), 2000
    logs = [part(whole, start, start + size) for start in range(0, 300_000, size)]
    scores = [ESTIMATES[name](log, banker("wizard")).z_score(exact) for log in logs]
    low, high = stats.chi2.ppf([SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2], len(scores))
    assert low < float(np.square(scores).sum()) < high


def part(log: LoggedHands, start: int, end: int) -> LoggedHands:
    fields = (field.name for field in dataclasses.fields(log))
    return LoggedHands(*(getattr(log, name)[start:end] for name in fields))


def test_doubly_robust_has_the_smallest_error() -> None:
    log = logged()
    errors = [estimate(log, banker("wizard")).standard_error for estimate in ESTIMATES.values()]
    assert errors[2] == min(errors)


def test_doubly_robust_asks_the_model_of_the_other_half() -> None:
    """Two hands, drawn with 1/2 by the log and 1 by the target: terms 0 + 2 (1 - 0) and 1 + 2 (0 - 1)."""
    two = np.array([60, 60])
    log = LoggedHands(
        np.zeros((2, 1), np.float32), two, np.array([1, 1]), np.array([1.0, 0.0]), np.full(2, 0.5)
    )
    found = ESTIMATES["doubly robust"](log, banker("always_draw"))
    assert (found.mean, found.standard_error) == pytest.approx((0.5, 1.5))


def test_on_its_own_hands_importance_sampling_is_the_mean_reward() -> None:
    log = logged(20_000, epsilon=1.0)
    assert (weights(log, banker("uniform")) == 1).all()
    found = ESTIMATES["importance sampling"](log, banker("uniform"))
    assert found.mean == pytest.approx(log.rewards.mean(), abs=1e-12)
    assert weight_check(log, banker("uniform")) == 0


def test_wrong_propensities_are_found() -> None:
    right = logged()
    assert abs(weight_check(right, banker("wizard"))) < LIMIT
    claimed = epsilon_mixed(banker("logical_way"), 0.25)[right.info_states]
    wrong = dataclasses.replace(right, draw_probs=claimed)
    assert abs(weight_check(wrong, banker("wizard"))) > LIMIT


def test_doubly_robust_survives_propensities_that_are_wrong() -> None:
    """By totals the model is nearly right, as the wizard plays by totals."""
    right = logged()
    wrong = dataclasses.replace(
        right, draw_probs=epsilon_mixed(banker("logical_way"), 0.5)[right.info_states]
    )
    exact = float(-solver.evaluate("bicycle", "logical_way", banker("always_stand")).ev)
    scores = {
        name: estimate(wrong, banker("always_stand")).z_score(exact) for name, estimate in ESTIMATES.items()
    }
    assert abs(scores["doubly robust"]) < LIMIT < abs(scores["importance sampling"])


def test_an_action_of_probability_zero_cannot_have_been_taken() -> None:
    log = logged(1000)
    with pytest.raises(ValueError, match="propensities: an action that was taken"):
        weights(dataclasses.replace(log, draw_probs=np.zeros(1000)), banker("wizard"))


def test_the_table_stands_beside_the_exact_value() -> None:
    text = table(logged(5000), banker("wizard"))
    assert [f"| {name}" in text for name in (*ESTIMATES, "exact")] == [True] * 4
    assert "+0.01146" in text


@needs_minari
def test_a_minari_dataset_gives_the_same_hands(tmp_path: Path) -> None:
    log, dataset = logged(1700), DATASET.format(rules="bicycle")
    for _ in range(2):  # the second one replaces the first
        export(log, "bicycle", dataset, tmp_path)
    found = read(dataset, tmp_path)
    for field in dataclasses.fields(log):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(log, field.name))
    assert table(found, banker("wizard")) == table(log, banker("wizard"))


@pytest.mark.skipif(find_spec("minari") is not None, reason="minari is installed")
def test_without_minari_the_extra_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[minari\]'"):
        read("pan9/bicycle/banker-epsilon-v0", tmp_path)


@pytest.mark.skipif(
    find_spec("torchrl") is None, reason="torchrl is not installed: pip install -e '.[torchrl]'"
)
def test_torchrl_learns_the_players_optimum() -> None:
    """In a process of its own: importing TorchRL warns."""
    done = example("torchrl_ppo", "--num-decisions", "200000")
    assert done.returncode == 0, done.stderr
    first = done.stdout.split("TorchRL PPO, stochastic")[0]
    assert "No decision differs from the optimum." in first


@pytest.mark.skipif(find_spec("torchrl") is not None, reason="torchrl is installed")
def test_without_torchrl_the_extra_is_named() -> None:
    done = example("torchrl_ppo")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("the extra `torchrl` has it: pip install -e '.[torchrl]'")


def test_the_single_file_prints_the_exact_report() -> None:
    done = example("cleanrl_style_ppo", "--env-id", "Pan9/Player-v0", "--num-decisions", "16384")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("worst-case gap") == 2


def example(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"agents.examples.{name}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
