"""A missing extra gives one line that says which one to install."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITHOUT_MATPLOTLIB = "import sys; sys.modules['matplotlib'] = None\n"  # what a missing package looks like


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


WITHOUT_OPENSPIEL = "import sys; sys.modules['pyspiel'] = None\n"
NO_OPENSPIEL = "pan9_gym.benchmark.openspiel needs open_spiel: pip install 'pan9-gym[openspiel]'"


@pytest.mark.parametrize(
    "statement",
    [
        "import pan9_gym.charts",
        "from pan9_gym.charts import strategy_chart",
        "import pan9_gym; pan9_gym.charts",
    ],
)
def test_charts_without_matplotlib_name_the_extra_in_one_line(statement: str) -> None:
    found = run(WITHOUT_MATPLOTLIB + statement)
    assert found.returncode != 0
    assert found.stderr.splitlines()[-1] == (
        "ImportError: pan9_gym.charts needs matplotlib: pip install 'pan9-gym[train]'"
    )


@pytest.mark.parametrize("module", ["openspiel", "openspiel.dealing", "openspiel.ratios"])
def test_the_game_for_openspiel_names_its_extra_in_one_line(module: str) -> None:
    found = run(f"{WITHOUT_OPENSPIEL}import pan9_gym.benchmark.{module}")
    assert found.returncode != 0
    assert found.stderr.splitlines()[-1] == f"ImportError: {NO_OPENSPIEL}"


@pytest.mark.parametrize("module", ["game", "observer", "tables", "policies"])
def test_the_game_to_be_loaded_by_openspiel_names_its_extra_in_one_line(module: str) -> None:
    found = run(f"{WITHOUT_OPENSPIEL}import pan9_gym.envs.openspiel_{module}")
    assert found.returncode != 0
    assert found.stderr.splitlines()[-1] == (
        "ImportError: pan9_gym's game for OpenSpiel needs open_spiel: pip install 'pan9-gym[openspiel]'"
    )


def test_the_benchmark_without_openspiel_says_so_in_one_line() -> None:
    code = "from pan9_gym.benchmark.report import Report; print(Report.measured('OpenSpiel', print).text())"
    found = run(WITHOUT_OPENSPIEL + code)
    assert (found.returncode, found.stderr, found.stdout) == (0, "", f"{NO_OPENSPIEL}\n")


@pytest.mark.parametrize("module", ["table_env", "table_aec", "one_agent"])
def test_the_table_environment_names_its_extra_in_one_line(module: str) -> None:
    found = run(f"import sys; sys.modules['pettingzoo'] = None\nimport pan9_gym.envs.{module}")
    assert found.returncode != 0
    assert found.stderr.splitlines()[-1] == (
        "ImportError: pan9_gym.envs.table_env needs pettingzoo: pip install 'pan9-gym[table]'"
    )


@pytest.mark.parametrize(
    ("extra", "package"), [("train", "matplotlib"), ("openspiel", "open_spiel"), ("table", "pettingzoo")]
)
def test_the_extra_that_is_named_has_what_is_missing(extra: str, package: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any(re.match(rf"{package}\b", requirement) for requirement in extras[extra])


def test_everything_else_works_without_matplotlib() -> None:
    code = """
import gymnasium, pan9_gym
from pan9_gym import evaluation
env = gymnasium.make("Pan9/Player-v0")
env.reset(seed=1)
env.step(0)
print(evaluation.report("bicycle", "logical_way", "banker").table().count("draw on 6"))
"""
    found = run(WITHOUT_MATPLOTLIB + code)
    assert (found.returncode, found.stderr, found.stdout) == (0, "", "1\n")
