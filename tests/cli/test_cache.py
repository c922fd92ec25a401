"""Kept answers: used, rebuilt when damaged, safe to delete, safe for two processes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pan9_gym.cli.cache import FOLDER_VARIABLE, cache_folder, cached, solver_version
from pan9_gym.cli.tables import Study

ANSWER = Study("the answer", ())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "not" / "there" / "yet"
    monkeypatch.setenv(FOLDER_VARIABLE, str(path))
    return path


def never() -> Study:
    raise AssertionError("the kept answer was not used")


def test_an_answer_is_found_once_and_kept(folder: Path) -> None:
    assert cache_folder() == folder
    assert cached({"a": 1}, lambda: ANSWER) == ANSWER
    assert cached({"a": 1}, never) == ANSWER
    assert [path.suffix for path in folder.iterdir()] == [".json"]


def test_another_question_has_another_answer() -> None:
    cached({"a": 1}, lambda: ANSWER)
    assert cached({"a": 2}, lambda: Study("other", ())).title == "other"
    assert cached({"a": 1}, never) == ANSWER


def test_a_kept_answer_can_be_passed_over_and_is_then_replaced() -> None:
    cached({"a": 1}, lambda: ANSWER)
    assert cached({"a": 1}, lambda: Study("new", ()), use_cache=False).title == "new"
    assert cached({"a": 1}, never).title == "new"


def test_another_version_of_the_solver_answers_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cached({"a": 1}, lambda: ANSWER)
    monkeypatch.setattr("pan9_gym.cli.cache.solver_version", lambda: "another")
    assert cached({"a": 1}, lambda: Study("new", ())).title == "new"


def test_the_version_is_a_hash_of_the_sources() -> None:
    assert len(solver_version()) == 16
    int(solver_version(), 16)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace("the answer", "\udcff").encode("utf-8", "surrogateescape"),
        lambda text: json.dumps({**json.loads(text), "question": "another"}),
        lambda text: json.dumps({**json.loads(text), "study": {"title": "x", "tables": [{}], "notes": []}}),
        lambda text: text.replace("the answer", "the anzwer"),
        lambda text: "[" * 200_000,
    ],
    ids=["empty", "cut off", "list", "no keys", "no text", "other question", "other form", "digit", "nested"],
)
def test_a_damaged_entry_is_made_anew_with_a_warning(
    damage: Callable[[str], str | bytes], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cached({"a": 1}, lambda: ANSWER)
    (entry,) = folder.iterdir()
    damaged = damage(entry.read_text())
    entry.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
    assert cached({"a": 1}, lambda: ANSWER) == ANSWER
    warning = capsys.readouterr().err
    assert warning.startswith("warning: cache entry")
    assert "made anew" in warning
    assert warning.count("\n") == 1
    assert cached({"a": 1}, never) == ANSWER
    assert capsys.readouterr().err == ""


def test_a_deleted_folder_only_costs_time(folder: Path) -> None:
    cached({"a": 1}, lambda: ANSWER)
    for entry in folder.iterdir():
        entry.unlink()
    folder.rmdir()
    assert cached({"a": 1}, lambda: ANSWER) == ANSWER


def test_a_folder_that_cannot_be_written_only_costs_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "folder"))
    assert cached({"a": 1}, lambda: ANSWER) == ANSWER
    assert "cannot be kept" in capsys.readouterr().err


WRITER = """
import sys
from pan9_gym.cli.cache import cached
from pan9_gym.cli.tables import Column, Study, Table
study = Study("long", (Table("t", (Column("a"),), tuple((str(n),) for n in range(20_000))),))
for _ in range(10):
    assert cached({"a": 1}, lambda: study, use_cache=False) == study
    assert cached({"a": 1}, lambda: study) == study
"""


def test_two_processes_may_write_the_same_answer_at_once(folder: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", WRITER], stderr=subprocess.PIPE) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=100)
        assert process.returncode == 0
        assert errors == b""
    assert [path.suffix for path in folder.iterdir()] == [".json"]
