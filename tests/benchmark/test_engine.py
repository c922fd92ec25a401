"""`pan9 bench`: groups and their figures, the tables, memory, and a smoke run of the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pan9_gym.benchmark import engine, groups, machine, memory, peers
from pan9_gym.benchmark.contenders import Table
from pan9_gym.benchmark.engine import EngineReport, GroupResult, Settings
from pan9_gym.benchmark.figures import Figure
from pan9_gym.benchmark.memory import MemoryLine
from pan9_gym.benchmark.rounds import Count, Rounds, Turn
from pan9_gym.rules import sheet_names

ROOT = Path(__file__).parents[2]


def unplayed() -> None:
    raise AssertionError("nothing is made here")


def with_peers(monkeypatch: pytest.MonkeyPatch, **wanted: bool) -> list[groups.Group]:
    """The groups as they are where every peer is installed."""
    monkeypatch.setattr(peers, "problem_with", lambda module: "")
    return groups.all_groups(True, wanted.get("all_sheets", False), wanted.get("quick", False))[0]


def targets(group: groups.Group) -> dict[str, str]:
    return {figure.name: figure.target_text for figure in group.figures if figure.target is not None}


def test_the_figures_of_the_default_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    (group,) = with_peers(monkeypatch)
    found = targets(group)
    one, seven = "1 player", "7 players"
    assert found[f"vector env 64, {one} / EnvPool Blackjack 64"] == "at least 25"
    for size in ("1,024", "16,384"):
        own = f"vector env {size}, {one}"
        assert found[f"{own} / EnvPool Blackjack {size}"] == "at least 60"
        assert found[f"{own} / pgx Kuhn poker {size}"] == "at least 6"
        assert found[f"cost of a card: vector env {size}, {seven} / {own}"] == "at most 1.5"
    assert found[f"vector env 16,384, {one} / bare kernel 16,384, {one}"] == "at least 0.6"
    for table in (one, seven):
        fresh = f"vector env 16,384, {table}"
        assert found[f"vector env 16,384, continuing shoe, {table} / {fresh}"] == "at least 0.5"
    assert found[f"scalar env, {one} / Gymnasium Blackjack"] == "at least 10"
    told = {figure.name for figure in group.figures} - set(found)
    assert f"vector env 1,024, {seven} / EnvPool Blackjack 1,024" in told
    assert set(group.makers) > {f"readable round, {one}", f"simulator, {seven}", "RLCard Blackjack"}
    assert all({figure.over, figure.under} <= set(group.makers) for figure in group.figures)


def test_every_sheet_has_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    found = with_peers(monkeypatch, all_sheets=True)
    assert sorted(group.title for group in found) == list(sheet_names())
    for group in found:
        assert "scalar env, 1 player / Gymnasium Blackjack" in targets(group)
        assert "RLCard Blackjack" in group.makers or group.title != "bicycle"
    alone = next(group for group in found if group.title == "baccarat_punto_banco")
    assert not [name for name in alone.makers if "7 players" in name]


def test_without_peers_ours_alone_are_compared() -> None:
    (group,), remarks = groups.all_groups(False, False, False)
    assert remarks == []
    assert not [figure.name for figure in group.figures if "EnvPool" in figure.name]


def test_a_text_picks_figures_with_what_they_need() -> None:
    group = groups.Group(
        "any", {"a": unplayed, "b": unplayed, "c": unplayed}, (Figure("a", "b"), Figure("b", "c"))
    )
    chosen = group.with_text("b / c")
    assert (list(chosen.makers), [figure.name for figure in chosen.figures]) == (["b", "c"], ["b / c"])
    assert list(group.with_text("nosuch").makers) == []
    assert group.with_text("any") == group


def test_both_tables_as_text_and_json() -> None:
    turns = {"ours": (Turn(Count(3_000_000, 3_000_000, 21e6), 1.0),), "theirs": (Turn(Count(50, 100), 1.0),)}
    rounds = Rounds(turns)
    figures = (
        Figure("ours", "theirs", 60_001.0),
        Figure("ours", "theirs"),
        Figure("theirs", "ours", 1, True),
    )
    result = GroupResult("sheet", rounds, tuple(figure.line(rounds) for figure in figures))
    report = EngineReport(
        machine.this_machine(()),
        Settings(),
        True,
        (result,),
        (MemoryLine("held", 512.0, "bytes", 500.0), MemoryLine("told", 1.0, "MiB", None)),
        ("a peer takes no part",),
    )
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report.text().splitlines()]
    rows = [row for row in cells if row and not row[0].startswith("---")]
    assert rows[1] == ["ours", "3M", "3M to 3M", "3M", "21M"]
    assert rows[2] == ["theirs", "50", "50 to 50", "100", "-"]
    assert rows[4] == [
        "ours / theirs",
        "hands",
        "6e+04",
        "6e+04 to 6e+04",
        "3e+04",
        "at least 60001",
        "NOT MET",
    ]
    assert rows[5][-2:] == ["-", "-"]
    assert rows[6][-2:] == ["at most 1", "met"]
    assert rows[8] == ["held", "512 bytes", "at most 500", "NOT MET"]
    assert report.text().endswith("1 of 3 targets met")
    assert "a peer takes no part" in report.text()
    found = json.loads(report.json())
    assert [figure["met"] for figure in found["groups"][0]["figures"]] == [False, None, True]
    assert found["groups"][0]["rates"]["theirs"]["decisions"]["median"] == 100
    assert [line["met"] for line in found["memory"]] == [False, None]


def test_what_is_held_is_counted_to_the_byte() -> None:
    held = memory.held_bytes(lambda: np.zeros(10**6, dtype=np.uint8))
    assert 10**6 <= held < 10**6 + 2000


def test_a_round_with_a_continuing_shoe_is_small() -> None:
    """Counts of what is left, the cards of the hand, and what it is played with."""
    assert 24 + 36 < memory.bytes_a_round(Table("bicycle", 1)) <= memory.BYTES_A_ROUND
    assert memory.bytes_an_env(Table("bicycle", 1)) > memory.bytes_a_round(Table("bicycle", 1))


def test_growth_is_from_the_first_tenth_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([100.0, 130.0])
    monkeypatch.setattr(memory, "resident_mib", lambda: next(sizes))
    played = []

    def play() -> Count:
        played.append(1)
        return Count(10, 10)

    assert memory.growth(play, 200) == 30.0
    assert len(played) == 20


def test_the_machine_without_host_names_and_paths() -> None:
    found = machine.this_machine(("numpy", "nosuch-package"))
    assert list(found.versions) == ["numpy"]
    assert found.num_cores >= found.num_usable >= 1
    assert os.uname().nodename not in " ".join(found.lines()).split()
    assert json.loads(json.dumps(found.to_dict()))["cpu"] == found.cpu


def test_the_extra_that_is_named_has_the_peers() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = " ".join(extras["bench"])
    assert all(name in needed for name in ("envpool", "pgx", "jax", "rlcard", "openspiel"))
    assert "torch" not in needed


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "pan9_gym.cli.main", "bench", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_in_a_smoke_run() -> None:
    found = command("--quick", "--json", "--rounds", "2", "--only", "continuing shoe", "--hands", "1e4")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["num_rounds"] == 2
    (group,) = answer["groups"]
    names = [
        f"vector env {size}{shoe}, 1 player" for size in ("64", "1,024") for shoe in ("", ", continuing shoe")
    ]
    assert set(group["rates"]) == {"scalar env, continuing shoe, 1 player", *names}
    assert all(rate["hands"]["median"] > 0 for rate in group["rates"].values())
    assert answer["held_to_one_core"] is hasattr(os, "sched_setaffinity")
    assert [line["unit"] for line in answer["memory"]] == ["bytes", "bytes", "bytes", "MiB"]
    assert "measuring: bicycle, round 2 of 2" in found.stderr.splitlines()


def test_a_text_that_nothing_has_is_refused() -> None:
    found = command("--only", "nosuch")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "error: --only 'nosuch': nothing that is measured has this in its name\n"


def test_turns_of_a_smoke_run_are_short() -> None:
    assert Settings(quick=True).cpu_seconds == engine.QUICK_CPU_SECONDS < Settings().cpu_seconds
    assert Settings(quick=True).long_run == engine.QUICK_NUM_HANDS
    assert Settings(quick=True, num_hands=7).long_run == 7


def test_a_leak_is_seen() -> None:
    """Thirty-six of forty pieces of 4 MiB each come after the first tenth of the hands."""
    code = """
import numpy as np
from pan9_gym.benchmark.memory import growth
from pan9_gym.benchmark.rounds import Count
leaked = []
def play():
    leaked.append(np.ones(2**19))
    return Count(1, 1)
print(growth(play, 40))
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert 140 < float(found.stdout) < 150
