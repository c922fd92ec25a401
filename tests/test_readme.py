"""The README is true: its snippets run, its map names what exists, its table of sheets is the sheets'."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pan9_gym.rules import Role, RulesConfig, load_rules, sheet_names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def table_after(heading: str) -> list[list[str]]:
    """The rows of the first Markdown table after a heading, without its header."""
    text = README.split(f"## {heading}\n", 1)[1]
    rows = re.findall(r"^\|(.*)\|$", text.split("\n## ", 1)[0], flags=re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in rows[2:]]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_every_snippet_runs_from_anywhere(snippet: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", snippet]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_solver_snippet_prints_what_its_comment_says() -> None:
    snippet = next(text for text in SNIPPETS if "solver.equilibrium" in text)
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=True)
    comment = re.search(r"# (-\d+/\d+ 0)$", snippet, flags=re.MULTILINE)
    assert comment is not None
    assert done.stdout.splitlines()[0] == comment[1]


def test_the_worked_hand_prints_what_its_comments_say() -> None:
    snippet = next(text for text in SNIPPETS if "pettingzoo.make" in text)
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(
        f"{line}\n" for line in re.findall(r"^# (.*)$", snippet, flags=re.MULTILINE)
    )


def test_every_environment_snippet_shows_the_import() -> None:
    using = [snippet for snippet in SNIPPETS if "gymnasium.make" in snippet]
    assert len(using) >= 2
    assert all(re.search(r"^import pan9_gym\b", snippet, flags=re.MULTILINE) for snippet in using)


MAP = table_after("Map of the code")


@pytest.mark.parametrize(("path", "name"), [row[:2] for row in MAP], ids=[row[0] for row in MAP])
def test_what_the_map_names_exists(path: str, name: str) -> None:
    file = ROOT / path.strip("`")
    assert file.is_file()
    module = import_module(str(file.relative_to(ROOT).with_suffix("")).replace("/", "."))
    found = getattr(module, name.strip("`"))
    assert found.__module__ == module.__name__


def test_the_map_names_the_function_that_decides_a_forced_draw() -> None:
    (row,) = [row for row in MAP if "forced draw" in row[2]]
    assert row[:2] == ["`pan9_gym/rules/drawing.py`", "`legal_actions`"]
    callers = []
    for file in (ROOT / "pan9_gym").rglob("*.py"):
        written = file.name == "effects.py"  # changes that rule, as a sheet does
        decides = file.name in {"drawing.py", "config.py"}
        if not written and not decides and "must_draw" in file.read_text(encoding="utf-8"):
            callers.append(file.name)
    assert callers == [], "forced moves are decided in one place"


def described(rules: RulesConfig, role: Role) -> str:
    if role is Role.BANKER and rules.banker_tableau:
        return "fixed tableau"
    rule = rules.draw_rule(role)
    if not rule.must_draw and not rule.must_stand:
        return "anything"
    draws, stands = sorted(rule.must_draw), sorted(rule.must_stand)
    free = [str(total) for total in range(10) if total not in {*draws, *stands, *rules.naturals}]
    text = f"draws {draws[0]}-{draws[-1]}, stands {stands[0]}-{stands[-1]}"
    return f"{text}, free on {', '.join(free)}" if free else text


def test_the_table_of_sheets_is_what_the_sheets_say() -> None:
    rows = {row[0].split("`")[1]: row[1:] for row in table_after("The rules in brief")}
    assert sorted(rows) == list(sheet_names())
    for name, row in rows.items():
        rules = load_rules(name)
        assert row == [
            str(rules.num_decks),
            described(rules, Role.PLAYER),
            described(rules, Role.BANKER),
            ", ".join(map(str, sorted(rules.banker_wins_ties))) or "none",
            str(rules.payout),
            ", ".join(rules.side_bets.offered) or "none",
        ]


def test_the_two_commands_are_marked_for_CI() -> None:
    for marker, last in (("main", "python -m agents.train"), ("test", "pytest")):
        block = re.search(rf"<!-- command: {marker} -->\n```\n(.*?)```", README, flags=re.DOTALL)
        assert block is not None
        lines = block[1].splitlines()
        assert lines[0] == "python3 -m venv .venv && . .venv/bin/activate"
        assert lines[-1] == last
