"""The Markdown tables: well formed whatever names and numbers they hold, and never rounded to 0 or 100 %."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan9_gym import TabularPolicy, evaluation, load_rules
from pan9_gym.evaluation import Disagreement, comparison_table, disagreement_table
from pan9_gym.evaluation.disagreements import describe_choices, mixed_percent
from pan9_gym.evaluation.tables import markdown_table, number, percent, short_number
from pan9_gym.rules import Action, sheet_names

shares = st.fractions(0, 1, max_denominator=10**12)


def cells(line: str) -> list[str]:
    assert line.startswith("| ")
    assert line.endswith(" |")
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables_in(text: str) -> list[list[list[str]]]:
    """Every Markdown table of a text, as rows of cells, checked for its form."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    for block in blocks:
        assert len({len(line) for line in block}) == 1  # aligned, so that it reads well in a terminal
        assert all(re.fullmatch(r"-+:?", cell) for cell in cells(block[1]))
    tables = [[cells(line) for line in block] for block in blocks]
    for table in tables:
        assert len({len(row) for row in table}) == 1
    return tables


@pytest.mark.parametrize("role", ["player", "banker"])
@pytest.mark.parametrize("name", ["logical_way", "always_stand", "uniform"])
@pytest.mark.parametrize("sheet", sheet_names())
def test_every_table_of_a_report_is_well_formed(sheet: str, role: str, name: str) -> None:
    report = evaluation.report(sheet, name, role)
    figures, *rest = tables_in(report.table())
    assert figures[0] == ["", "exact EV", "gap", "agreement"]
    assert [row[0] for row in figures[2:]] == ["against logical_way", figures[3][0]]
    assert figures[2][1:] == [number(report.ev), number(report.gap), percent(report.agreement)]
    assert bool(rest) is bool(report.disagreements)
    if rest:
        assert rest[0][0] == ["decision", "plays", "best", "arises", "loses then", "cost a hand"]
        assert len(rest[0]) - 2 == min(10, len(report.disagreements))
    assert f"worst-case gap {number(report.worst_case_gap)}" in report.table()
    assert report.table().endswith("Assumes " + "; ".join(report.assumptions) + ".")


def test_a_name_with_bars_and_line_breaks_stays_in_its_cell() -> None:
    rules = load_rules("bicycle")
    policy = TabularPolicy.from_totals(rules, "banker", range(5), name="a|b\nc")
    report = evaluation.report(rules, "logical_way", "player", policy)
    assert tables_in(report.table())[0][2][0] == r"against a\|b c"
    assert tables_in(comparison_table([("x|y", report)]))[0][2][0] == r"x\|y"


def test_the_comparison_table_has_one_row_for_each_policy_in_order() -> None:
    names = ["logical_way", "always_draw", "wizard"]
    reports = [(name, evaluation.report("bicycle", name, "banker")) for name in names]
    table = tables_in(comparison_table(reports))[0]
    assert table[0] == ["policy", "exact EV", "gap", "worst-case gap", "agreement"]
    for row, (name, report) in zip(table[2:], reports, strict=True):
        assert row == [
            name,
            number(report.ev),
            number(report.gap),
            number(report.worst_case_gap),
            percent(report.agreement),
        ]
    assert table[4][2:] == ["0", "0", "100%"]


def test_rows_beyond_the_limit_are_summed_up() -> None:
    report = evaluation.report("bicycle", "always_draw", "banker")
    entries = report.disagreements
    assert len(entries) > 2
    text = disagreement_table(entries, max_rows=2)
    assert len(tables_in(text)[0]) == 2 + 2
    rest = number(sum((entry.cost for entry in entries[2:]), Fraction(0)))
    assert text.endswith(f"\n\n{len(entries) - 2} more decisions cost {rest} a hand together.")
    assert "more decisions" not in disagreement_table(entries, max_rows=len(entries))
    assert report.table(max_rows=2).count("| total") == 2


def test_no_disagreement_is_said_in_words() -> None:
    assert disagreement_table(()) == "No decision differs from the optimum."


@given(shares)
def test_a_percentage_is_100_only_for_one_and_0_only_for_zero(share: Fraction) -> None:
    for digits in (2, 3):
        text = percent(share, digits)
        assert (text == "100%") is (share == 1)
        assert (text == "0%") is (share == 0)
        value = float(text.removesuffix("%"))
        assert abs(value - 100 * share) <= 10.0**-digits
        assert (value in (0, 100)) is (share in (0, 1))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 10**9), "0.01%"),
        (Fraction(1, 3), "33.33%"),
        (1 - Fraction(1, 10**9), "99.99%"),
        (Fraction(1), "100%"),
        (None, "no choice"),
    ],
)
def test_percentages(share: Fraction | None, text: str) -> None:
    assert percent(share) == text


@given(st.fractions(-10, 10, max_denominator=10**15))
def test_a_figure_is_0_only_for_zero(value: Fraction) -> None:
    assert (number(value) == "0") is (value == 0)
    assert (float(number(value)) == 0) is (value == 0)
    assert abs(float(number(value)) - value) <= max(Fraction(6, 10**7), abs(value) / 10) or value == 0
    assert (float(short_number(value)) == 0) is (value == 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(-1, 10**6), "-0.000001"),
        (Fraction(1, 4 * 10**7), "2.5e-08"),
    ],
)
def test_figures(value: Fraction, text: str) -> None:
    assert number(value) == text


@given(st.floats(1e-12, 1 - 1e-12))
def test_a_mixed_probability_is_never_written_as_certain(prob: float) -> None:
    text = mixed_percent(prob).removesuffix("%")
    bound = text.strip("<>")
    assert 0 < float(bound) < 100
    if text == bound:
        assert abs(float(text) - 100 * prob) <= 0.05 + 1e-9
    else:
        assert 100 * prob < float(bound) if text.startswith("<") else 100 * prob > float(bound)


def entry(draw_prob: Fraction, hands: tuple[tuple[int, ...], ...], choices: tuple[str, ...]) -> Disagreement:
    return Disagreement(
        6, hands, False, choices, draw_prob, Action.STAND, Fraction(1, 10**7), Fraction(1, 10**9)
    )


@pytest.mark.parametrize(
    ("draw_prob", "words"),
    [(0, "stand"), (1, "draw"), (Fraction(1, 3), "draw 33.3%"), (1 - Fraction(1, 10**6), "draw >99.9%")],
)
def test_a_move_in_words(draw_prob: Fraction, words: str) -> None:
    assert entry(Fraction(draw_prob), ((0, 0, 6),), ()).policy_move == words


def test_a_situation_lists_three_hands_and_counts_the_others() -> None:
    hands = ((0, 0, 6), (0, 1, 5), (0, 2, 4), (0, 3, 3), (1, 1, 4))
    assert entry(Fraction(1), hands[:1], ()).situation == "total 6 from 0 0 6"
    assert (
        entry(Fraction(1), hands, ("draw",)).situation
        == "total 6 from 0 0 6, 0 1 5, 0 2 4 and 2 more, player drew"
    )


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ((), ""),
        (("stand",), ", player stood"),
        (("draw",), ", player drew"),
        (("draw:7",), ", player drew 7"),
        (("stand", "draw"), ", players: stand draw"),
    ],
)
def test_choices_in_words(choices: tuple[str, ...], words: str) -> None:
    assert describe_choices(choices) == words


def test_a_rare_decision_is_not_written_as_one_that_never_arises() -> None:
    row = tables_in(disagreement_table([entry(Fraction(1), ((0, 0, 6),), ())]))[0][2]
    assert row[3:] == ["0.001%", "0.010000", "1.0e-09"]


def test_a_table_of_one_row_and_of_none() -> None:
    assert tables_in(markdown_table(["a", "bb"], [["x", "1"]])) == [[["a", "bb"], ["-", "-:"], ["x", "1"]]]
    assert tables_in(markdown_table(["a", "bb"], [])) == [[["a", "bb"], ["-", "-:"]]]
