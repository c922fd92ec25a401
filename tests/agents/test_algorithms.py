"""The registry of algorithms: one file adds one; configs are checked by the algorithm that they name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import agents
from agents.algorithms import ALGORITHMS
from agents.config import load_config
from pan9_gym.rules import ConfigError

OWN = '''
"""PPO without an entropy bonus, by another name."""

from agents.algorithms.base import Share
from agents.algorithms.ppo import PPOLearner, PPOSettings


class PlainSettings(PPOSettings):
    clip: Share = 0.1


class Plain(PPOLearner):
    name = section = "plain"
    settings = PlainSettings

    def ppo_arguments(self, config, vec_env):
        return {**super().ppo_arguments(config, vec_env), "clip_range": config.settings.clip, "ent_coef": 0.0}


ALGORITHM = Plain()
'''


def test_the_algorithms_are_those_of_the_folder() -> None:
    assert set(ALGORITHMS) == {"ppo", "maskable_ppo", "a2c", "dqn"}


def test_one_file_adds_an_algorithm(tmp_path: Path) -> None:
    shutil.copytree(Path(agents.__file__).parent, tmp_path / "agents")
    (tmp_path / "agents" / "algorithms" / "plain.py").write_text(OWN, encoding="utf-8")
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
    with pytest.raises(ConfigError, match=message):
        load_config("bicycle_player", [override])


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
        ("by_algorithm: {ppo: {num_env: 3}}\n", "unknown key 'num_env'"),
    ],
)
def test_wrong_differences_by_algorithm_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, text))
