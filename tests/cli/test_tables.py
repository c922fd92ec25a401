"""One study in four forms; what JSON holds is all of it."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest

from pan9_gym.cli.tables import Column, Form, Study, Table, written

STUDY = Study(
    "A title",
    (
        Table(
            "First",
            (
                Column("name"),
                Column("number", "whole"),
                Column("value", "exact"),
                Column("part", "share"),
                Column("rough", "float"),
            ),
            (("a|b", 3, Fraction(-1, 3), Fraction(1, 8), 0.25), ("c", None, None, Fraction(1), None)),
            ("a note",),
        ),
    ),
    ("an assumption",),
)


def test_json_holds_everything() -> None:
    assert Study.from_dict(json.loads(written(STUDY, "json"))) == STUDY


def test_csv_has_exact_values_beside_decimals() -> None:
    lines = written(STUDY, "csv").splitlines()
    assert lines[:5] == ["# A title", "# an assumption", "", "# First", "# a note"]
    header, first, second = csv.reader(lines[5:])
    assert header == ["name", "number", "value", "value (exact)", "part", "part (exact)", "rough"]
    assert first == ["a|b", "3", str(-1 / 3), "-1/3", "0.125", "1/8", "0.25"]
    assert second == ["c", "", "", "", "1.0", "1", ""]


def test_markdown_is_a_table() -> None:
    text = written(STUDY, "markdown")
    assert "| a\\|b |      3 | -0.333333 | 12.500% |  0.25 |" in text
    assert "| c    |      - |         - |    100% |     - |" in text
    assert text.endswith("- an assumption")


def test_people_see_titles_cells_and_notes() -> None:
    text = written(STUDY, "human")
    for part in ("A title", "First", "-0.333333", "12.500%", "a note", "note: an assumption"):
        assert part in text


@pytest.mark.parametrize("form", ["human", "markdown", "csv", "json"])
def test_an_empty_table_can_be_written(form: Form) -> None:
    assert "Nothing" in written(Study("x", (Table("Nothing", (Column("a"),), ()),)), form)


def test_a_row_that_does_not_fit_is_a_fault_of_the_program() -> None:
    with pytest.raises(AssertionError, match="does not fit"):
        Table("x", (Column("a"), Column("b")), (("1",),))


def test_whole_numbers_beyond_other_readers_numbers_stay_whole() -> None:
    study = Study("x", (Table("t", (Column("n", "whole"),), ((2**60 + 1,),)),))
    assert json.loads(written(study, "json"))["tables"][0]["rows"] == [[str(2**60 + 1)]]
    assert Study.from_dict(json.loads(written(study, "json"))) == study


def test_a_narrow_terminal_wraps_inside_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    wide = Study("x", (Table("t", (Column("a"), Column("b")), (("word " * 12, "thing " * 12),)),))
    assert max(map(len, written(wide, "human").splitlines())) <= 70


def test_a_stream_that_has_no_lines_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    assert written(STUDY, "human").isascii()
