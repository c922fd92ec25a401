"""`pan9 study readings`: every reading of the rule texts is there, and its values are right."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor, log10
from pathlib import Path

import pytest

from pan9_gym import solver
from pan9_gym.cli.studies import reading_cover
from pan9_gym.cli.studies import readings as study_readings
from pan9_gym.cli.studies.reading_values import SEATS
from pan9_gym.cli.studies.readings import READINGS, readings, rounded
from pan9_gym.cli.tables import Cell, Study, Table, written
from pan9_gym.evaluation import Estimate
from pan9_gym.rules.catalog import sheet_names
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.strict_yaml import read_yaml

SHEETS = Path(__file__).parents[2] / "configs" / "rules"

# What the project's rule texts mark as a reading, clause by clause, in a word of the row; the texts are not
# in the repository.
MARKED = {
    "T1": ("stake is laid", "collection kept"),
    "T2": ("empty seat", "banker:", "three dice", "dealing begins"),
    "T3": ("cover gross", "action seat", "circle 1", "part-covered"),
    "T4": ("choices in_turn", "banker_sees"),
    "T5": ("occupied seats",),
    "T6": ("payout 1",),
    "T7": ("one hand a turn", "all refuse", "round of refusals", "players bank"),
    "U1": ("choices in_turn", "up to 7"),
    "U4": ("clockwise", "House keeps the bank"),
    "U5": ("one wager", "his turn", "no second one"),
    "U10": ("on every hand", "tie_bettors own"),
    "U11": ("own hand", "plays 0-5", "paid 1:1", "covered from"),
    "U13": ("U11 comes before",),
    "B5": ("hands closed",),
    "B8": ("equal wagers", "differing policies", "pays a collection", "back line"),
    "S3": ("as_players",),
    "S5": ("flat",),
    "S6": ("first three cards", "bc: colour", "bc: stake $1", "winner's stake"),
    "S7": ("dragon: colour", "no winning hand"),
    "S8": ("on a tie",),
    "S9": ("any combination", "against the banker", "after all wagers", "what is payable"),
    "H2": ("players are free",),
    "H3": ("unseen hands",),
    "H4": ("free on 5 and 6",),
    "H5": ("misplay is reset",),
    "H6": ("exposed banker",),
    "H7": ("keeps the bank", "keeps the wagers", "keeps the collection", "new dice"),
    "H11": ("5 keeps", "6 takes no card"),
    "H13": ("close before the deal",),
    "H14": ("fouled hand",),
    "H15": ("told in time", "too late"),
}


@pytest.mark.parametrize(("clause", "word"), [(clause, word) for clause in MARKED for word in MARKED[clause]])
def test_every_reading_of_the_rule_texts_has_a_row(clause: str, word: str) -> None:
    assert any(reading.clause == clause and word in reading.taken for reading in READINGS)


def readings_of_sheets() -> list[tuple[str, str, list[str]]]:
    """(sheet, field, clauses) of every source that marks a reading."""
    found = []
    for path in sorted(SHEETS.glob("*.yaml")):
        for field, source in read_yaml(path)["sources"].items():
            if "reading" in source:
                clauses = source["clause"]
                found.append((path.stem, field, [clauses] if isinstance(clauses, str) else list(clauses)))
    return found


@pytest.mark.parametrize(("sheet", "field", "clauses"), readings_of_sheets())
def test_every_reading_of_a_sheet_has_a_row(sheet: str, field: str, clauses: list[str]) -> None:
    rows = [reading for reading in READINGS if sheet in reading.sheets and reading.field == field]
    assert any(reading.clause in clauses for reading in rows)


def test_no_row_claims_a_reading_that_its_sheet_does_not_mark() -> None:
    marked = {(sheet, field) for sheet, field, _ in readings_of_sheets()}
    claimed = {(sheet, reading.field) for reading in READINGS if reading.field for sheet in reading.sheets}
    assert claimed == marked
    assert {sheet for sheet, _ in marked} == {*sheet_names()}


def test_every_entry_is_about_known_sheets_and_says_what_it_compares() -> None:
    for reading in READINGS:
        assert set(reading.sheets) <= set(sheet_names())
        assert reading.taken != reading.other
        assert reading.measure if isinstance(reading.measure, str) else reading.measure.quantity
    rows = [
        (
            reading.clause,
            reading.sheets,
            reading.taken,
            reading.other,
            getattr(reading.measure, "quantity", ""),
        )
        for reading in READINGS
    ]
    assert len(set(rows)) == len(rows)


def test_a_quantity_means_one_thing() -> None:
    notes: dict[str, set[str]] = {}
    for reading in READINGS:
        if not isinstance(reading.measure, str):
            notes.setdefault(reading.measure.quantity, set()).add(reading.measure.note)
    assert {quantity for quantity, said in notes.items() if len(said) > 1} == set()


def test_texts_are_short_enough_for_a_line() -> None:
    for reading in READINGS:
        assert len(reading.taken) <= 36
        assert len(reading.other) <= 26
        assert len(reading.measure if isinstance(reading.measure, str) else reading.measure.quantity) <= (
            62 if isinstance(reading.measure, str) else 25
        )


@pytest.fixture(scope="module")
def bicycle() -> Iterator[Study]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_cover, "NUM_HANDS", 400)
        reading_cover.hands.cache_clear()
        yield readings(["bicycle"])
    reading_cover.hands.cache_clear()


@pytest.fixture(scope="module")
def kingdom() -> Study:
    return readings(["uk_1994_house", "uk_1994_player"])


def row_of(table: Table, clause: str, other: str) -> dict[str, Cell]:
    """The one row of a clause and an alternative."""
    names = [column.name for column in table.columns]
    found = [dict(zip(names, row, strict=True)) for row in table.rows]
    (row,) = [row for row in found if row["clause"] == clause and row["alternative"] == other]
    return row


def test_a_row_has_both_values_and_their_difference(bicycle: Study) -> None:
    row = row_of(bicycle.tables[0], "T4", "banker_sees nothing")
    assert row["taken"] == Fraction(-403172216947, 35169937233795)
    assert row["other"] == 0
    assert row["difference"] == Fraction(403172216947, 35169937233795)


def test_alternatives_that_change_nothing_have_a_difference_of_exactly_0(bicycle: Study) -> None:
    """On a fresh shoe nobody's best move depends on the choices he sees, and forced moves are best anyway."""
    assert row_of(bicycle.tables[0], "T4", "choices simultaneous")["difference"] == 0
    assert row_of(bicycle.tables[0], "B4", "forced as in S3")["difference"] == 0
    assert solver.seats_equilibrium("bicycle", SEATS, level="total").kind == "nash"


def test_only_what_a_stake_limits_is_simulated(bicycle: Study) -> None:
    """T3: a banker's figure is simulated under `gross`, exact if every wager uses cover or all is covered."""
    table = bicycle.tables[1]
    assert {row[0] for row in table.rows} == {"T2", "T3"}
    net = row_of(table, "T3", "net")
    assert isinstance(net["taken"], float)
    assert isinstance(net["other"], float)
    assert net["exact"] is None
    alone = solver.banker_best_response("bicycle", ["logical_way"] * 3, level="total")
    assert row_of(table, "T3", "unlimited")["exact"] == alone.ev
    uses = row_of(table, "T3", "push_uses_cover true")
    assert uses["other"] is None
    assert uses["exact"] == alone.ev / 3  # the first of three equal seats
    assert row_of(table, "T3", "from the left")["exact"] == -alone.ev / 3
    assert isinstance(row_of(table, "T3", "it returns whole")["other"], float)


def test_simulated_figures_have_the_digits_that_their_errors_allow(bicycle: Study) -> None:
    assert rounded(Estimate(0.0299755, 0.0032)) == 0.03
    assert rounded(Estimate(-12.34567, 0.0996)) == -12.346
    assert rounded(Estimate(1234.5, 32.0)) == 1234
    assert rounded(Estimate(0.25, 0.0)) == 0.25
    for row in bicycle.tables[1].rows:
        *_, difference, error = row
        assert isinstance(difference, float)
        assert isinstance(error, float)
        digits = 2 - floor(log10(error))  # one more, where an error was rounded up to a power of ten
        assert (difference, error) == (round(difference, digits), round(error, digits))


def test_the_error_of_a_difference_is_its_own(bicycle: Study) -> None:
    """Both figures are of the same hands: the error is less than that of two independent ones."""
    found = row_of(bicycle.tables[1], "T3", "it returns whole")
    reading = next(entry for entry in READINGS if entry.other == "it returns whole")
    assert not isinstance(reading.measure, str)
    assert found["quantity"] == "banker's EV, stake 3/2"
    assert isinstance(found["error"], float)
    unlimited = row_of(bicycle.tables[1], "T3", "unlimited")["error"]
    assert found["error"] < unlimited  # type: ignore[operator]


def test_the_house_takes_the_bank_from_a_single_bettor(kingdom: Study) -> None:
    """U5: what the reading costs him."""
    row = row_of(kingdom.tables[0], "U5", "the player keeps the bank")
    assert row["taken"] == solver.equilibrium("uk_1994_house").value
    assert row["other"] == solver.equilibrium("uk_1994_player").value


def test_what_a_house_without_a_choice_sees_is_worth_nothing(kingdom: Study) -> None:
    rows = [row for row in kingdom.tables[0].rows if row[:2] == ("T4", "uk_1994_house")]
    assert [row[-1] for row in rows] == [0, 0]


def test_a_lost_turn_loses_the_bank_s_edge(kingdom: Study) -> None:
    """U5."""
    row = row_of(kingdom.tables[0], "U5", "it is lost")
    banker = solver.seats_equilibrium("uk_1994_player", SEATS, level="total").banker_ev
    assert (row["taken"], row["other"]) == (banker, 0)


def test_a_house_that_may_decline_saves_what_its_wager_loses(kingdom: Study) -> None:
    """U13."""
    row = row_of(kingdom.tables[0], "U13", "the House may decline")
    assert row["taken"] == row_of(kingdom.tables[0], "U11", "as a player: freely")["taken"]
    assert row["difference"] == -row["taken"]  # type: ignore[operator]


def test_a_single_sheet_has_only_the_tables_and_notes_that_it_needs() -> None:
    """`baccarat_punto_banco`: nobody chooses, but decks and a tie are readings."""
    study = readings(["baccarat_punto_banco"])
    (table,) = study.tables
    assert [row[:2] for row in table.rows] == [
        ("R3", "baccarat_punto_banco"),
        ("R4", "baccarat_punto_banco"),
        ("R4", "baccarat_punto_banco"),
    ]
    assert not any("change" in note for note in table.notes)
    assert study.notes == ("difference: the alternative less the reading taken",)
    lost = row_of(table, "R3", "a tie loses it")["difference"]
    assert lost == -solver.evaluate("baccarat_punto_banco", "logical_way", "logical_way").tie_prob
    assert row_of(table, "R4", "6 packs")["taken"] == solver.equilibrium("baccarat_punto_banco").value


def test_alternatives_without_effect_are_counted(kingdom: Study) -> None:
    rows = kingdom.tables[0].rows
    same = sum(row[-1] == 0 for row in rows)
    assert kingdom.tables[0].notes[0].startswith(f"{same} of {len(rows)} rows have the difference 0, exactly")


def test_every_step_of_the_progress_is_one_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def counted(items: list[object], label: str) -> list[object]:
        seen.append(len(items))
        return []

    monkeypatch.setattr(study_readings, "tracked", counted)
    readings()
    assert seen == [sum(len(reading.sheets) for reading in READINGS)]


def test_the_order_of_circles_and_shared_bank_are_valued(bicycle: Study) -> None:
    """T3, B8: a covered unit has the value of the game; a half share has half of the bank's."""
    value = solver.equilibrium("bicycle").value
    circles = row_of(bicycle.tables[0], "T3", "circle 2 first")
    assert (circles["taken"], circles["other"]) == (0, value)
    bank = solver.seats_equilibrium("bicycle", SEATS, level="total").banker_ev
    assert row_of(bicycle.tables[0], "B8", "half of it may be shared")["other"] == bank / 2
    banker = solver.equilibrium("bicycle").banker
    standing = solver.evaluate("bicycle", "always_stand", banker).ev
    tie = row_of(bicycle.tables[0], "B8", "the higher circle decides")
    assert (tie["taken"], tie["other"]) == (value, standing)


def test_sheets_of_a_group_with_one_value_share_a_row(kingdom: Study) -> None:
    assert {row[1] for row in kingdom.tables[-1].rows} == {"UK", "uk_1994_player"}
    assert "UK: uk_1994_house, uk_1994_player" in kingdom.notes
    assert len(kingdom.tables) == 2  # nothing simulated


def test_the_study_can_be_written_and_read_back(kingdom: Study) -> None:
    assert Study.from_dict(kingdom.to_dict()) == kingdom
    assert "tie_bettors banker" in written(kingdom, "human")


def test_an_unknown_sheet_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"rule sheet 'bicycel' is not known .did you mean 'bicycle'"):
        readings(["bicycel"])


def test_a_banker_who_stakes_enough_on_ties_beats_the_house(kingdom: Study) -> None:
    """U10: his own choice lifts the tie wager, which loses 4.6 % between players, above 0."""
    rows = [row for row in kingdom.tables[0].rows if row[3] == "tie_bettors banker"]
    small, large = (row[-2] for row in rows)
    assert small < 0 < large  # type: ignore[operator]
