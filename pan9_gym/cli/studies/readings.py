"""`pan9 study readings`: every reading of the rule sheets valued beside its alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, log10

from pan9_gym.cli.progress import tracked
from pan9_gym.cli.studies.reading_cover import NUM_HANDS, SEED
from pan9_gym.cli.studies.reading_values import Measure, Reading, Sampled, Value
from pan9_gym.cli.studies.readings_baccarat import BACCARAT_READINGS
from pan9_gym.cli.studies.readings_bicycle import BICYCLE_READINGS
from pan9_gym.cli.studies.readings_bonus import BONUS_READINGS
from pan9_gym.cli.studies.readings_california import CALIFORNIA, CALIFORNIA_READINGS
from pan9_gym.cli.studies.readings_hawaiian import HAWAIIAN_READINGS
from pan9_gym.cli.studies.readings_uk import UK, UK_READINGS
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.evaluation import Estimate
from pan9_gym.rules.catalog import load_rules, sheet_names
from pan9_gym.rules.errors import ConfigError, closest

READINGS = (
    *CALIFORNIA_READINGS,
    *BICYCLE_READINGS,
    *BONUS_READINGS,
    *HAWAIIAN_READINGS,
    *UK_READINGS,
    *BACCARAT_READINGS,
)

GROUPS = {"California": CALIFORNIA, "UK": UK}
"""Sheets that go by one name where a row is about all of them."""

TEXTS = (Column("clause"), Column("sheet"), Column("reading taken"), Column("alternative"))

EXACT = (
    *TEXTS,
    Column("quantity"),
    Column("taken", "exact"),
    Column("other", "exact"),
    Column("difference", "exact"),
)

SIMULATED = (
    *TEXTS,
    Column("quantity"),
    Column("taken", "float"),
    Column("other", "float"),
    Column("exact", "exact"),
    Column("difference", "float"),
    Column("error", "float"),
)

WITHOUT = (*TEXTS, Column("why"))

Row = tuple[Cell, ...]


@dataclass(frozen=True)
class _Found:
    """What a reading and its alternative are worth on sheets that agree in both."""

    reading: Reading
    measure: Measure
    sheets: tuple[str, ...]
    taken: Value
    other: Value

    @property
    def texts(self) -> tuple[str, ...]:
        """The first cells of its row."""
        return (*_texts(self.reading, self.sheets), self.measure.quantity)


def readings(sheets: Sequence[str] | None = None) -> Study:
    """The study of all readings, or of those that bear on some sheets.

    Args:
        sheets: Names of rule sheets; default all.

    Raises:
        ConfigError: If there is no sheet of a name.
    """
    known = sheet_names()
    for sheet in sheets or ():
        if sheet not in known:
            raise ConfigError(
                f"rule sheet {sheet!r} is not known{closest(sheet, known)}; known sheets: {', '.join(known)}"
            )
    asked = known if sheets is None else sheets
    found = _valued(asked)
    tables = (
        _exact_table([entry for entry in found if not _is_sampled(entry)]),
        _simulated_table([entry for entry in found if _is_sampled(entry)]),
        _table("Without a value", WITHOUT, _without(asked)),
    )
    return Study(
        "Readings beside their alternatives" + (f": {', '.join(sheets)}" if sheets is not None else ""),
        tuple(table for table in tables if table.rows),
        tuple(_notes(asked, found)),
    )


def _notes(asked: Sequence[str], found: Sequence[_Found]) -> Iterable[str]:
    for name, group in GROUPS.items():
        if set(group) <= set(asked):
            yield f"{name}: {', '.join(group)}"
    if found:
        yield "difference: the alternative less the reading taken"
    if "uk_1994_player" in asked:
        yield "uk_1994_player: one player against a player-banker is hypothetical (U5)"


def _valued(asked: Sequence[str]) -> list[_Found]:
    """Every reading on every sheet; sheets with equal exact values together."""
    items = [(reading, sheet) for reading in READINGS for sheet in reading.sheets if sheet in asked]
    together: dict[tuple[int, Value, Value], _Found] = {}
    for reading, sheet in tracked(items, "valuing readings"):
        measure = reading.measure
        if isinstance(measure, str):
            continue
        rules = load_rules(sheet)
        taken, other = measure.taken(rules), measure.other(rules)
        key = id(reading), taken, other
        before = together[key].sheets if key in together else ()
        together[key] = _Found(reading, measure, (*before, sheet), taken, other)
    return [replace(entry, sheets=part) for entry in together.values() for part in _rows_of(entry.sheets)]


def _rows_of(sheets: Sequence[str]) -> list[tuple[str, ...]]:
    """All sheets of a group in one row, else a row for each."""
    whole = any(set(group) == set(sheets) for group in GROUPS.values())
    return [tuple(sheets)] if whole else [(sheet,) for sheet in sheets]


def _is_sampled(found: _Found) -> bool:
    return isinstance(found.taken, Sampled)


def _texts(reading: Reading, sheets: Sequence[str]) -> tuple[str, ...]:
    return reading.clause, _named(sheets), reading.taken, reading.other


def _named(sheets: Sequence[str]) -> str:
    names = [name for name, group in GROUPS.items() if set(group) == set(sheets)]
    return ", ".join(names or sheets)


def _table(title: str, columns: tuple[Column, ...], rows: Sequence[Row], notes: Sequence[str] = ()) -> Table:
    """The table without the columns in which there is nothing."""
    kept = [place for place in range(len(columns)) if any(row[place] is not None for row in rows)]
    return Table(
        title,
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in rows),
        tuple(notes),
    )


def _quantities(found: Sequence[_Found]) -> list[str]:
    """What the quantities are, each once, in the order of the rows."""
    measures = [entry.measure for entry in found]
    return list(dict.fromkeys(f"{entry.quantity}: {entry.note}" for entry in measures if entry.note))


def _exact_table(found: Sequence[_Found]) -> Table:
    rows: list[Row] = []
    for entry in found:
        assert isinstance(entry.taken, Fraction)
        assert isinstance(entry.other, Fraction)
        rows.append((*entry.texts, entry.taken, entry.other, entry.other - entry.taken))
    same = sum(not row[-1] for row in rows)
    changes = (
        f"{same} of {len(rows)} rows have the difference 0, exactly: the alternative changes nothing there"
    )
    return _table("Exact", EXACT, rows, (*([changes] if same else []), *_quantities(found)))


def _simulated_table(found: Sequence[_Found]) -> Table:
    return _table(
        "Simulated, where the banker's stake limits the action",
        SIMULATED,
        [_compared(entry) for entry in found],
        (
            f"{NUM_HANDS} hands, seed {SEED}, the same for both figures; rounded to what their errors allow",
            "exact: the alternative's value where it needs no simulation; error: standard, of the difference",
            *_quantities(found),
        ),
    )


def _compared(found: _Found) -> Row:
    """Both values, the alternative's in the column of its kind, their difference and its standard error."""
    taken, other = found.taken, found.other
    assert isinstance(taken, Sampled)
    if isinstance(other, Sampled):
        estimate = Estimate.of(other.results - taken.results)
        cells: tuple[Cell, Cell] = (rounded(other.estimate), None)
    else:
        estimate = Estimate.of(float(other) - taken.results)
        cells = (None, other)
    error = rounded(Estimate(estimate.standard_error, estimate.standard_error))
    return (*found.texts, rounded(taken.estimate), *cells, rounded(estimate), error)


def rounded(value: Estimate) -> float:
    """The mean to as many digits as two digits of its standard error have."""
    if not value.standard_error:
        return value.mean
    return round(value.mean, 1 - floor(log10(value.standard_error)))


def _without(asked: Sequence[str]) -> list[Row]:
    return [
        (*_texts(reading, sheets), reading.measure)
        for reading in READINGS
        if isinstance(reading.measure, str)
        for sheets in _rows_of([sheet for sheet in reading.sheets if sheet in asked])
    ]
