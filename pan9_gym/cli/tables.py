"""What commands print: tables of exact numbers, and the forms in which they can be had."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from pan9_gym.evaluation.tables import markdown_table, number, percent, short_number

Cell = str | int | float | Fraction | None
"""A value of a table; `None` where there is none."""

Kind = Literal["text", "whole", "exact", "share", "chips", "float", "part"]
"""How a column is written: `exact`, `share` and `chips` hold fractions, `float` and `part` rounded or sampled
numbers; a share and a part are shown in percent, whole chips without decimals."""

Form = Literal["human", "json", "csv", "markdown"]

NOTHING = "-"
"""Shown where there is no value."""

MIN_WIDTH, MAX_WIDTH = 60, 200
"""Characters of a line of a table for people."""

COLUMN_GAP = 3
"""Characters between two columns of such a table."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its heading.
        kind: What its cells hold.
    """

    name: str
    kind: Kind = "text"

    @property
    def is_written_as_text(self) -> bool:
        """Whether JSON holds its cells as texts: whole numbers may be larger than other readers' numbers."""
        return self.kind in ("exact", "share", "chips", "whole", "text")

    @property
    def is_exact(self) -> bool:
        """Whether its cells are fractions."""
        return self.kind in ("exact", "share", "chips")

    def shown(self, cell: Cell) -> str:
        """A cell as people read it."""
        if cell is None:
            return NOTHING
        if self.kind == "share" and isinstance(cell, int | Fraction):
            return percent(Fraction(cell), 3)
        if self.kind == "chips" and isinstance(cell, int | Fraction):
            return str(cell) if cell == int(cell) else short_number(Fraction(cell))
        if self.kind == "exact" and isinstance(cell, int | Fraction):
            return number(Fraction(cell))
        if self.kind == "part" and isinstance(cell, float):
            return f"{cell:.1%}"
        return f"{cell:.5g}" if isinstance(cell, float) else str(cell)

    def from_json(self, cell: Any) -> Cell:
        """A cell from what JSON holds of it."""
        if cell is None or not self.is_written_as_text:
            return cell  # type: ignore[no-any-return]  # JSON's own kinds
        return Fraction(cell) if self.is_exact else int(cell) if self.kind == "whole" else str(cell)


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: What it shows.
        columns: Its columns.
        rows: Its rows, a cell for each column.
        notes: What has to be said about it.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise AssertionError(f"table {self.title!r}: the row {row} does not fit its columns")

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "title": self.title,
            "columns": [{"name": column.name, "kind": column.kind} for column in self.columns],
            "rows": [[self._for_json(place, cell) for place, cell in enumerate(row)] for row in self.rows],
            "notes": list(self.notes),
        }

    def _for_json(self, place: int, cell: Cell) -> Cell:
        written = cell is not None and self.columns[place].is_written_as_text
        return str(cell) if written else cell

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Table:
        """The table from what `to_dict` gave."""
        columns = tuple(Column(entry["name"], entry["kind"]) for entry in data["columns"])
        rows = tuple(
            tuple(column.from_json(cell) for column, cell in zip(columns, row, strict=True))
            for row in data["rows"]
        )
        return Table(data["title"], columns, rows, tuple(data["notes"]))


@dataclass(frozen=True)
class Study:
    """What a command found.

    Attributes:
        title: What was asked.
        tables: The answer.
        notes: What the figures take for granted.
    """

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "title": self.title,
            "tables": [table.to_dict() for table in self.tables],
            "notes": list(self.notes),
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Study:
        """The study from what `to_dict` gave."""
        return Study(data["title"], tuple(map(Table.from_dict, data["tables"])), tuple(data["notes"]))


def written(study: Study, form: Form) -> str:
    """A study in one of the forms, without a line break at its end."""
    if form == "json":
        return json.dumps(study.to_dict(), indent=2, ensure_ascii=False)
    if form == "csv":
        head = _comments([study.title, *study.notes])
        return "\n\n".join([head, *(_csv(table) for table in study.tables)])
    return _human(study) if form == "human" else _markdown(study)


def _markdown(study: Study) -> str:
    parts = [f"## {study.title}"]
    for table in study.tables:
        rows = [_shown(table, row) for row in table.rows]
        parts += [f"### {table.title}", markdown_table([column.name for column in table.columns], rows)]
        parts += [_bullets(table.notes)] if table.notes else []
    parts += [_bullets(study.notes)] if study.notes else []
    return "\n\n".join(parts)


def _bullets(notes: Sequence[str]) -> str:
    return "\n".join(f"- {note}" for note in notes)


def _shown(table: Table, row: Sequence[Cell]) -> list[str]:
    return [column.shown(cell) for column, cell in zip(table.columns, row, strict=True)]


def _comments(lines: Sequence[str]) -> str:
    return "\n".join(f"# {line}" for line in lines)


def _csv(table: Table) -> str:
    """The table with a column more for each exact one: its decimal value beside the fraction."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    text.write(_comments([table.title, *table.notes]) + "\n")
    header: list[str] = []
    for column in table.columns:
        header += [column.name, f"{column.name} (exact)"] if column.is_exact else [column.name]
    writer.writerow(header)
    for row in table.rows:
        cells: list[Any] = []
        for column, cell in zip(table.columns, row, strict=True):
            exact = column.is_exact and cell is not None
            cells += [float(cell), str(cell)] if exact else [cell, cell] if column.is_exact else [cell]  # type: ignore[arg-type]
        writer.writerow(cells)
    return text.getvalue().rstrip("\n")


def _width() -> int:
    """As wide as the terminal, so that tables wrap inside their cells; wide enough where there is none."""
    on_terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
    return max(MIN_WIDTH, shutil.get_terminal_size().columns) if on_terminal else MAX_WIDTH


def _console(text: io.StringIO, width: int) -> Console:
    return Console(file=text, width=width, markup=False, highlight=False, emoji=False)


def _least_width(table: Table, place: int) -> int:
    """The least characters of a column that cut no number and no word, its heading's neither."""
    column = table.columns[place]
    cells = [column.shown(row[place]) for row in table.rows]
    kept = [word for cell in cells for word in cell.split()] if column.kind == "text" else cells
    return max(map(len, [*column.name.split(), *kept, ""]))


def _draws_lines() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _human(study: Study) -> str:
    text = io.StringIO()
    console = _console(text, _width())
    console.print(study.title)
    for table in study.tables:
        console.print()
        console.print(table.title)
        least = [_least_width(table, place) for place in range(len(table.columns))]
        drawn = RichTable(box=box.SIMPLE_HEAD if _draws_lines() else box.ASCII2, pad_edge=False)
        for column, width in zip(table.columns, least, strict=True):
            drawn.add_column(
                column.name, justify="left" if column.kind == "text" else "right", min_width=width
            )
        for row in table.rows:
            drawn.add_row(*_shown(table, row))
        needed = sum(least) + COLUMN_GAP * len(least)
        _console(text, max(_width(), needed)).print(drawn, end="", crop=False)
        for note in table.notes:
            console.print(f"  {note}")
    console.print()
    for note in study.notes:
        console.print(f"note: {note}")
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    doubled = [line for place, line in enumerate(lines) if line or place == 0 or lines[place - 1]]
    return "\n".join(doubled).rstrip("\n")
