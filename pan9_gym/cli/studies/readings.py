"""`pan9 study readings`: every reading of the rule sheets valued beside its alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import hypot

from pan9_gym.cli.progress import tracked
from pan9_gym.cli.studies.reading_values import NUM_HANDS, SEED, Reading, Value
from pan9_gym.cli.studies.readings_california import CALIFORNIA_READINGS
from pan9_gym.cli.studies.readings_uk import UK_READINGS
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.evaluation import Estimate
from pan9_gym.rules.catalog import load_rules, sheet_names
from pan9_gym.rules.errors import ConfigError, closest

READINGS = CALIFORNIA_READINGS + UK_READINGS

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
    Column("taken, exact", "exact"),
    Column("other", "float"),
    Column("other, exact", "exact"),
    Column("difference", "float"),
    Column("standard error", "float"),
)

WITHOUT = (*TEXTS, Column("why"))

Row = tuple[Cell, ...]


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
    exact, simulated = _valued(asked)
    return Study(
        "Readings beside their alternatives" + (f": {', '.join(sheets)}" if sheets is not None else ""),
        (
            _exact_table(exact),
            *([_simulated_table(simulated)] if simulated else []),
            Table("Readings that no expectation of a hand depends on", WITHOUT, _without(asked)),
        ),
        (
            "difference: the alternative less the reading taken",
            "value: of the equilibrium, in units per unit wagered; of side bets: per unit staked",
            "one player against a player-banker in the United Kingdom is hypothetical (U5)",
        ),
    )


def _valued(asked: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """The rows of exact and of simulated values; sheets of equal values in one row."""
    exact: list[Row] = []
    simulated: list[Row] = []
    for reading in tracked(READINGS, "valuing readings"):
        if isinstance(reading.measure, str):
            continue
        found: dict[tuple[Value, Value], list[str]] = {}
        for sheet in _asked(reading, asked):
            rules = load_rules(sheet)
            values = reading.measure.taken(rules), reading.measure.other(rules)
            found.setdefault(values, []).append(sheet)
        for (taken, other), named in found.items():
            texts = (*_texts(reading, named), reading.measure.quantity)
            if isinstance(taken, Fraction) and isinstance(other, Fraction):
                exact.append((*texts, taken, other, other - taken))
            else:
                simulated.append((*texts, *_compared(taken, other)))
    return exact, simulated


def _asked(reading: Reading, asked: Sequence[str]) -> list[str]:
    return [sheet for sheet in reading.sheets if sheet in asked]


def _texts(reading: Reading, named: Sequence[str]) -> tuple[str, ...]:
    return reading.clause, ", ".join(named), reading.taken, reading.other


def _exact_table(rows: Sequence[Row]) -> Table:
    same = sum(not row[-1] for row in rows)
    return Table(
        "Exact",
        EXACT,
        tuple(rows),
        (f"{same} of {len(rows)} alternatives change nothing: their difference is exactly 0",),
    )


def _simulated_table(rows: Sequence[Row]) -> Table:
    return Table(
        "Simulated, where the banker's stake limits the action",
        SIMULATED,
        tuple(rows),
        (
            f"{NUM_HANDS} hands, seed {SEED}; a figure is either simulated or exact",
            "standard error of the difference, as if both figures were independent",
        ),
    )


def _compared(taken: Value, other: Value) -> Row:
    """Both values, each in the column of its kind, their difference and its standard error."""
    cells: list[Cell] = []
    for value in (taken, other):
        cells += [value.mean, None] if isinstance(value, Estimate) else [None, value]
    first, second = _estimate(taken), _estimate(other)
    return (*cells, second.mean - first.mean, hypot(first.standard_error, second.standard_error))


def _estimate(value: Value) -> Estimate:
    return value if isinstance(value, Estimate) else Estimate(float(value), 0.0)


def _without(asked: Sequence[str]) -> tuple[Row, ...]:
    return tuple(
        (*_texts(reading, named), reading.measure)
        for reading in READINGS
        if isinstance(reading.measure, str) and (named := _asked(reading, asked))
    )
