"""The wheel: what it holds, and that it works in a fresh virtual environment, outside the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from pan9_gym.envs.registration import ENTRY_POINTS

ROOT = Path(__file__).parents[1]
UNREACHABLE = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError")

PROGRAM = """
import sys
from pathlib import Path
import gymnasium
import pan9_gym
from pan9_gym import evaluation, load_rules, policies, solver
from pan9_gym.envs.registration import ENTRY_POINTS
from pan9_gym.rules import sheet_names

assert Path(pan9_gym.__file__).is_relative_to(sys.prefix), pan9_gym.__file__
for env_id in ENTRY_POINTS:
    for sheet in sheet_names():
        env = gymnasium.make(env_id, rules=sheet)
        _, info = env.reset(seed=1)
        reward = env.step(int(info["action_mask"].argmax()))[1]
        print(env_id, sheet, load_rules(sheet).name, -1 <= reward <= 1)
rules = load_rules("bicycle")
pair = [policies.get("logical_way", rules, role) for role in ("player", "banker")]
print(solver.evaluate(rules, *pair).ev, solver.equilibrium(rules).exploitability)
print(evaluation.report("bicycle", "logical_way", "banker").gap)
"""
SHEETS = (
    "baccarat_chemin_de_fer",
    "baccarat_punto_banco",
    "bicycle",
    "bicycle_bonus",
    "hawaiian_gardens",
    "uk_1994_house",
    "uk_1994_player",
)
OUTPUT = [
    *(f"{env_id} {sheet} {sheet} True" for env_id in ENTRY_POINTS for sheet in SHEETS),
    "0 0",
    "403172216947/35169937233795",
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that no build folder appears in the repository."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pan9_gym", "configs", "agents"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(out), str(copy))
    wheels = [*out.glob("*.whl")]
    assert len(wheels) == 1
    return wheels[0]


def pip(python: str, *arguments: str) -> None:
    """Run pip; without a way to the package index the test is skipped."""
    found = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode and any(sign in found.stderr + found.stdout for sign in UNREACHABLE):
        pytest.skip("the package index cannot be reached")
    assert found.returncode == 0, found.stdout + found.stderr


def test_it_holds_the_library_and_the_sheets_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "pan9_gym").rglob("*.py")}
    configs = {
        f"pan9_gym/{path.relative_to(ROOT)}"
        for path in (ROOT / "configs").rglob("*")
        if path.suffix in (".py", ".yaml")
    }
    assert names == modules | configs | {"pan9_gym/py.typed"}
    assert {f"pan9_gym/configs/rules/{sheet}.yaml" for sheet in SHEETS} <= names


def test_its_metadata_has_the_readme_the_licence_and_the_extras(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    metadata = next(name for name in archive.namelist() if name.endswith("METADATA"))
    text = archive.read(metadata).decode()
    assert "Name: pan9-gym\n" in text
    assert "License-Expression: MIT\n" in text
    assert "Provides-Extra: train\n" in text
    assert (ROOT / "README.md").read_text().splitlines()[0] in text
    assert not any(
        "torch" in line
        for line in text.splitlines()
        if line.startswith("Requires-Dist") and "extra" not in line
    )


def test_it_works_in_a_fresh_environment_outside_the_repository(wheel: Path, tmp_path: Path) -> None:
    fresh, empty = tmp_path / "fresh", tmp_path / "empty"
    venv.create(fresh, with_pip=True)
    empty.mkdir()
    python = str(fresh / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    pip(python, "install", "--quiet", str(wheel))
    found = subprocess.run(
        [python, "-I", "-W", "error", "-c", PROGRAM], capture_output=True, text=True, cwd=empty, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines() == OUTPUT
