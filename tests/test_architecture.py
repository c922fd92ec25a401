"""The architecture: import direction, budgets, what is lazy, what is forbidden, what lies at the top."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SOURCES = sorted([*ROOT.glob("pan9_gym/**/*.py"), *ROOT.glob("agents/**/*.py")])
LIBRARY = [path for path in SOURCES if path.is_relative_to(ROOT / "pan9_gym")]

LONGEST_FILE = 400
LONGEST_FUNCTION = 40  # lines of the body, without its docstring
HEAVY = {
    *("scipy", "numba", "torch", "matplotlib", "flint", "stable_baselines3", "sb3_contrib", "tensorboard"),
    *("pyspiel", "open_spiel"),
}
TOP_LEVEL = {"pyproject.toml", "README.md", "LICENSE", "pan9_gym", "agents", "configs", "tests"}

every_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "", "COLUMNS": "200"},
    )


def test_imports_point_the_way_the_contracts_say() -> None:
    found = lint_imports(ROOT)
    assert found.returncode == 0, found.stdout + found.stderr
    number = len(PROJECT["tool"]["importlinter"]["contracts"])
    assert f"Contracts: {number} kept, 0 broken." in found.stdout


@pytest.mark.parametrize(
    ("module", "statement", "contract"),
    [
        ("envs/rendering.py", "import pan9_gym.solver", "An environment cannot ask for the optimum"),
        ("evaluation/tables.py", "import gymnasium", "What is true does not depend on Gymnasium"),
        ("policies/base.py", "import torch", "torch and Stable-Baselines3 live in agents only"),
        ("rules/terms.py", "import pan9_gym.game", "Layers: imports point up, data flows down"),
        ("solver/levels.py", "import agents", "Layers: imports point up, data flows down"),
    ],
)
def test_a_wrong_import_breaks_its_contract(
    module: str, statement: str, contract: str, tmp_path: Path
) -> None:
    for name in ("pan9_gym", "agents", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    changed = tmp_path / "pan9_gym" / module
    changed.write_text(changed.read_text() + f"\n{statement}\n")
    found = lint_imports(tmp_path)
    assert found.returncode != 0
    assert re.search(rf"^{re.escape(contract)} BROKEN", found.stdout, flags=re.MULTILINE), found.stdout


def test_the_package_list_is_the_folders_on_disk() -> None:
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "pan9_gym").glob("**/__init__.py")
    }
    assert {*PROJECT["tool"]["setuptools"]["packages"]} == folders | {"pan9_gym.configs"}
    assert (ROOT / "configs" / "__init__.py").is_file()
    bare = {path.parent for path in LIBRARY} - {path.parent for path in LIBRARY if path.name == "__init__.py"}
    assert bare == set()  # no folder of modules without an __init__.py, which the wheel would not have


def test_every_yaml_file_of_the_package_is_under_its_package_data() -> None:
    data = PROJECT["tool"]["setuptools"]["package-data"]
    assert data["pan9_gym.configs"] == ["**/*.yaml"]
    assert not any((ROOT / "configs").rglob("*.yml"))
    assert len([*(ROOT / "configs" / "rules").glob("*.yaml")]) >= 5


def test_the_top_level_is_the_fixed_list() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    top = {line.split("/")[0] for line in listed.splitlines()}
    assert {name for name in top if not name.startswith(".")} == TOP_LEVEL


@pytest.mark.parametrize(
    "path", [*SOURCES, *sorted(ROOT.glob("tests/**/*.py"))], ids=lambda path: str(path.relative_to(ROOT))
)
def test_no_file_is_longer_than_the_budget(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return 0 if not body else (body[-1].end_lineno or 0) - body[0].lineno + 1


@every_source
def test_no_function_is_longer_than_the_budget(path: Path) -> None:
    too_long = {f.name: body_lines(f) for f in functions(path) if body_lines(f) > LONGEST_FUNCTION}
    assert too_long == {}


def imported(tree: ast.AST) -> set[str]:
    """Dotted names of everything that a module imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


GENERATORS = {"default_rng", "Generator", "SeedSequence", "PCG64", "Philox", "BitGenerator"}


def forbidden_in(source: str) -> list[str]:
    """What no module may use: hidden randomness, and readers that run what they read."""
    tree = ast.parse(source)
    found = [
        f"import {name}" for name in imported(tree) if name.split(".")[0] in ("random", "pickle", "yaml")
    ]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("eval", "exec")
        ):
            found.append(node.func.id)
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        legacy = re.fullmatch(r"(?:np|numpy)\.random\.(\w+)", text)
        if legacy and legacy[1] not in GENERATORS:
            found.append(text)
        if re.fullmatch(r"\w*(?:pickle|yaml)\.(?:load|loads|unsafe_load|full_load)", text):
            found.append(text)
        if isinstance(node, ast.Call) and any(
            keyword.arg == "allow_pickle"
            and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
            for keyword in node.keywords
        ):
            found.append("allow_pickle")
    return found


@every_source
def test_no_hidden_randomness_and_no_reader_that_runs_code(path: Path) -> None:
    assert forbidden_in(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import choice",
        "import numpy as np; np.random.seed(1)",
        "import numpy; x = numpy.random.rand()",
        "import pickle",
        "import yaml",
        "eval('1')",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_the_search_for_what_is_forbidden_finds_it(source: str) -> None:
    assert forbidden_in(source)


def test_the_search_for_what_is_forbidden_lets_injected_randomness_pass() -> None:
    assert forbidden_in("import numpy as np; rng: np.random.Generator = np.random.default_rng(1)") == []


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, pan9_gym; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    loaded = set(found.stdout.split())
    assert {"pan9_gym", "gymnasium"} <= loaded
    assert loaded & HEAVY == set()


def test_importing_the_package_loads_no_submodule_but_the_registration() -> None:
    code = "import sys, pan9_gym; print(*sorted(name for name in sys.modules if name.startswith('pan9_gym')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["pan9_gym", "pan9_gym.envs", "pan9_gym.envs.registration"]


def test_making_an_environment_needs_no_solver_and_nothing_heavy() -> None:
    code = """
import sys, gymnasium, pan9_gym
gymnasium.make("Pan9/PlayerDealer-v0").reset(seed=1)
print(*sorted({name.split(".")[0] for name in sys.modules} | {"pan9_gym.solver"} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) & (HEAVY | {"pan9_gym.solver"}) == set()


def test_every_public_name_of_the_package_loads_on_first_use() -> None:
    code = """
import pan9_gym
for name in pan9_gym.__all__:
    getattr(pan9_gym, name)
assert set(pan9_gym.__all__) <= set(dir(pan9_gym))
try:
    pan9_gym.nothing
except AttributeError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "module 'pan9_gym' has no attribute 'nothing'\n"


def public_definitions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """Public functions and classes of a module, and public methods of its public classes."""
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, kinds) and not method.name.startswith("_"):
                        yield f"{node.name}.{method.name}", method


@every_source
def test_every_module_and_everything_public_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))
    bare = [name for name, node in public_definitions(path) if not ast.get_docstring(node)]
    assert bare == []
