"""The registry of algorithms: one file adds one; configs are checked by the algorithm that they name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import gymnasium
import pytest
import torch
from rich.console import Console
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv

import agents.config
from agents.algorithms import ALGORITHMS
from agents.config import load_config
from agents.learners import make_learner
from agents.make_env import make_vec_env
from agents.suite.cells import chosen_cells
from agents.train import train
from pan9_gym.rules import ConfigError
from pan9_gym.rules.strict_yaml import parse_yaml

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def shown(file: str) -> str:
    """A file that the README shows."""
    return README.split(f"<!-- file: {file} -->\n", 1)[1].split("```", 2)[1].partition("\n")[2]


def test_the_algorithms_are_those_of_the_folder() -> None:
    tuned = {"ppo", "maskable_ppo", "a2c", "dqn"}
    assert set(ALGORITHMS) == tuned | {"stock_ppo", "stock_a2c", "stock_dqn"}


def test_one_file_adds_an_algorithm(tmp_path: Path) -> None:
    shutil.copytree(Path(agents.__file__).parent, tmp_path / "agents")
    own = shown("agents/algorithms/plain.py")
    (tmp_path / "agents" / "algorithms" / "plain.py").write_text(own, encoding="utf-8")
    small = ("num_decisions=512", "num_envs=64", "early_checkpoint=128", "plain.rollout_decisions=128")
    overrides = ("algorithm=plain", *small, "plain.batch_size=64", "plain.clip=0.2")
    arguments = [part for override in overrides for part in ("--set", override)]
    done = subprocess.run(
        [sys.executable, "-m", "agents.train", "bicycle_player", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "Trained with plain, seed 1: 512 decisions" in done.stdout
    (config,) = (tmp_path / "runs").glob("*/config.yaml")
    assert "clip: 0.2" in config.read_text(encoding="utf-8")


def test_one_config_adds_a_task_to_the_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(str(files("pan9_gym.configs") / "train"), tmp_path / "train")
    text = shown("configs/train/task_own.yaml").replace(
        "plain: {plain: {clip: 0.2, num_epochs: 6}}", "a2c: {}"
    )
    (tmp_path / "train" / "task_own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(agents.config, "files", lambda package: tmp_path)
    cells = chosen_cells(["task_own"])
    assert [cell.label for cell in cells] == ["task_own/ppo", "task_own/a2c"]
    assert [cell.target for cell in cells] == [1e-3, 1e-3]
    run = train(load_config("task_own", ["num_decisions=8192"]), tmp_path, Console(quiet=True))
    assert run.history[-1]["decisions"] == 8192


def test_the_readmes_algorithm_and_task_fit_each_other() -> None:
    settings = parse_yaml(shown("configs/train/task_own.yaml"), "task_own")["by_algorithm"]["plain"]["plain"]
    assert set(settings) == {"clip", "num_epochs"}
    assert "clip: Share" in shown("agents/algorithms/plain.py")


def test_an_unknown_algorithm_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no such algorithm \(did you mean 'ppo'\?\); known: 'a2c', 'dqn'"):
        load_config("bicycle_player", ["algorithm=pppo"])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("a2c.batch_size=64", r"unknown key 'a2c.batch_size'.*allowed: learning_rate"),
        ("dqn.num_epochs=2", r"unknown key 'dqn.num_epochs'"),
        ("ppo.epsilon=0.1", r"unknown key 'ppo.epsilon'"),
        ("maskable_ppo.num_epochs=2", r"unknown key 'maskable_ppo'"),
        ("ppo.activation=gelu", r"'ppo.activation' has the value 'gelu'.*'tanh' or 'relu'"),
    ],
)
def test_a_key_that_an_algorithm_does_not_have_is_refused(override: str, message: str) -> None:
    algorithm = override.partition(".")[0].removeprefix("maskable_")
    with pytest.raises(ConfigError, match=message):
        load_config("bicycle_player", [f"algorithm={algorithm}", override])


def test_settings_of_another_algorithm_than_the_one_that_learns_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"'ppo.num_epochs=4': dqn has no settings 'ppo'; allowed: 'dqn'"):
        load_config("task_a_totals", ["algorithm=dqn", "ppo.num_epochs=4"])
    assert load_config("task_e_player", ["ppo.num_epochs=4"]).algorithm == "maskable_ppo"  # which shares them


@pytest.mark.parametrize(
    ("task", "algorithm"), [("task_e_player", "dqn"), ("task_e_player", "stock_ppo"), ("task_j_all", "dqn")]
)
def test_what_no_setting_can_mend_is_said_before_what_one_could(task: str, algorithm: str) -> None:
    with pytest.raises(ConfigError, match=f"{algorithm} would choose illegal ones; use maskable_ppo"):
        load_config(task, [f"algorithm={algorithm}"])


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


VARIANTS = """
num_envs: 64
by_algorithm:
  dqn: {num_envs: 128, dqn: {epsilon: 0.5}}
"""


def test_what_differs_by_algorithm_applies_to_it_alone_and_yields_to_overrides(tmp_path: Path) -> None:
    path = written(tmp_path, VARIANTS)
    assert load_config(path).num_envs == 64
    dqn = load_config(path, ["algorithm=dqn"])
    assert (dqn.num_envs, dqn.settings.model_dump()["epsilon"]) == (128, 0.5)
    assert load_config(path, ["algorithm=dqn", "num_envs=256"]).num_envs == 256
    assert load_config(written(tmp_path, f"algorithm: dqn\n{VARIANTS}")) == dqn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("by_algorithm: 3\n", "by_algorithm: must be a mapping"),
        ("by_algorithm: {dqm: {}}\n", "'dqm' is no algorithm .did you mean 'dqn'.*known: a2c"),
        ("by_algorithm: {ppo: {num_env: 3}}\n", "'num_env' is part .*did you mean 'num_envs'"),
    ],
)
def test_wrong_differences_by_algorithm_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, text))


STOCK = ["num_envs=1", "num_decisions=4200", "early_checkpoint=128"]


@pytest.mark.parametrize(("name", "kind"), [("stock_ppo", PPO), ("stock_a2c", A2C), ("stock_dqn", DQN)])
def test_stock_learners_are_those_of_a_user_who_sets_nothing(name: str, kind: type) -> None:
    config = load_config("bicycle_player", [*STOCK, f"algorithm={name}"])
    model = make_learner(config, make_vec_env(config))
    env = gymnasium.make("Pan9/Player-v0", rules="bicycle", observe="total")
    plain = kind("MlpPolicy", env, seed=config.seed, device="cpu")
    skipped = {"env", "policy", "logger", "start_time", "lr_schedule", "rollout_buffer", "replay_buffer"}
    for key, value in vars(plain).items():
        if isinstance(value, int | float | str | bool | dict) and key not in skipped:
            assert repr(getattr(model, key)) == repr(value), key
    mine, his = model.policy.state_dict(), plain.policy.state_dict()
    assert all(torch.equal(mine[key], his[key]) for key in his)
    assert isinstance(model.get_env(), DummyVecEnv)


def test_a_stock_learner_learns_and_is_extracted(tmp_path: Path) -> None:
    config = load_config("bicycle_player", [*STOCK, "algorithm=stock_dqn", "num_decisions=600"])
    run = train(config, tmp_path, Console(quiet=True))
    assert run.history[-1]["decisions"] >= 600
    assert run.results.report("agent at the end").policy.is_deterministic


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("num_envs=2", r"num_envs 2: stock_ppo has 1"),
        ("hidden_sizes=[8]", r"hidden_sizes \[8\]: stock_ppo has \[64, 64\]"),
        ("stock.learning_rate=1e-2", "stock_ppo takes no settings"),
    ],
)
def test_what_is_not_stock_is_refused(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config("bicycle_player", [*STOCK, "algorithm=stock_ppo", override])


def test_what_differs_is_merged_into_a_section(tmp_path: Path) -> None:
    text = "ppo: {learning_rate: 5e-3}\nby_algorithm: {maskable_ppo: {ppo: {num_epochs: 9}}}\n"
    settings = load_config(written(tmp_path, text), ["algorithm=maskable_ppo"]).settings
    assert (settings.learning_rate, settings.num_epochs) == (5e-3, 9)


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ("{dqn: {algorithm: a2c}}", "by_algorithm.dqn: 'algorithm' is part of the task or no field"),
        ("{dqn: {rules: hawaiian_gardens}}", "by_algorithm.dqn: 'rules' is part of the task"),
        ("{1: {}}", "by_algorithm: 1 is no algorithm"),
    ],
)
def test_what_differs_is_not_another_task(tmp_path: Path, variants: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, f"by_algorithm: {variants}\n"))


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 3.0])
def test_the_step_size_falls_to_its_last_value_and_not_below(power: float) -> None:
    config = load_config("bicycle_player", [f"ppo.rate_power={power}", "ppo.learning_rate=1e-2"])
    rate = config.settings.rate()
    assert [rate(1.0), rate(0.0), rate(-0.1)] == [1e-2, 2e-4, 2e-4]
    assert rate(0.5) == pytest.approx(1e-2 * (0.02 + 0.98 * 0.5**power))
