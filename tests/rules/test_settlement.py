"""Every sheet's 10 x 10 table against one written by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pan9_gym.rules import load_rules
from pan9_gym.rules.settlement import payoff_table, wager_payoff

# A row per player total, a column per banker total: + won, - lost, = void unless the diagonal differs.
GRID = """
=---------
+=--------
++=-------
+++=------
++++=-----
+++++=----
++++++=---
+++++++=--
++++++++=-
+++++++++=
""".split()
DIAGONALS = {
    "bicycle": "==========",
    "bicycle_bonus": "-=========",
    "hawaiian_gardens": "--========",
    "uk_1994_house": "==========",
    "uk_1994_player": "==========",
}
PAID = {
    "bicycle": "1",
    "bicycle_bonus": "1",
    "hawaiian_gardens": "1",
    "uk_1994_house": "19/20",
    "uk_1994_player": "1",
}
SHEETS = tuple(PAID)


def expected(sheet: str) -> list[list[Fraction]]:
    worth = {"+": Fraction(PAID[sheet]), "-": Fraction(-1), "=": Fraction(0)}
    rows = [list(row) for row in GRID]
    for total, sign in enumerate(DIAGONALS[sheet]):
        rows[total][total] = sign
    return [[worth[sign] for sign in row] for row in rows]


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_table_of_each_sheet(sheet: str) -> None:
    assert [list(row) for row in payoff_table(load_rules(sheet))] == expected(sheet)


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_table_is_the_wager_payoff_and_exact(sheet: str) -> None:
    rules = load_rules(sheet)
    for player, row in enumerate(payoff_table(rules)):
        assert len(row) == 10
        for banker, payoff in enumerate(row):
            assert type(payoff) is Fraction
            assert payoff == wager_payoff(rules, player, banker)


@pytest.mark.parametrize("sheet", ["bicycle", "uk_1994_player"])
def test_where_neither_side_is_favoured_changing_places_changes_the_sign(sheet: str) -> None:
    table = payoff_table(load_rules(sheet))
    assert all(table[a][b] + table[b][a] == 0 for a in range(10) for b in range(10))


@pytest.mark.parametrize(
    ("sheet", "banker_gains"),
    [("bicycle_bonus", 1), ("hawaiian_gardens", 2), ("uk_1994_house", Fraction(45, 20))],
)
def test_what_the_banker_is_favoured_by(sheet: str, banker_gains: Fraction) -> None:
    """One unit for each tie the banker wins; a twentieth for each of the 45 pairs a player wins."""
    table = payoff_table(load_rules(sheet))
    assert -sum(sum(row) for row in table) == banker_gains


def test_tables_of_rules_that_differ_are_not_mixed_up() -> None:
    table, other = payoff_table(load_rules("bicycle")), payoff_table(load_rules("bicycle", payout="1/2"))
    assert table[9][0] == 1
    assert other[9][0] == Fraction(1, 2)
    assert payoff_table(load_rules("bicycle")) is table


@pytest.mark.parametrize("totals", [[], [5], [9], list(range(10))])
def test_the_banker_wins_the_ties_the_field_names(totals: list[int]) -> None:
    rules = load_rules("bicycle", banker_wins_ties=totals)
    for total in range(10):
        assert wager_payoff(rules, total, total) == (-1 if total in totals else 0)
