"""Reports as Markdown tables, which also read well in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pan9_gym.evaluation.disagreements import Disagreement
    from pan9_gym.evaluation.exact import Report


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns: the first one left, the others right."""
    header, rows = _escaped(header), [_escaped(row) for row in rows]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    rule = [("-" * width) if column == 0 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    return "\n".join(line(row) for row in [header, rule, *rows])


def _escaped(cells: Sequence[str]) -> list[str]:
    """Cells that stay in their column, whatever name a user gave to a policy."""
    return [" ".join(cell.split()).replace("|", "\\|") for cell in cells]


def number(value: Fraction) -> str:
    """A figure with six decimals; an exact zero is written `0`, a smaller one in scientific notation."""
    if value == 0:
        return "0"
    return f"{float(value):.6f}" if abs(value) >= Fraction(1, 1_000_000) else f"{float(value):.1e}"


def short_number(value: Fraction) -> str:
    """A figure with four decimals; one that would look like zero in scientific notation."""
    return f"{float(value):.4f}" if abs(value) >= Fraction(1, 10_000) else number(value)


def percent(value: Fraction | None, digits: int = 2) -> str:
    """A share in percent; exactly one is written `100%`, exactly zero `0%`, and nothing else is."""
    if value is None:
        return "no choice"
    if value in (0, 1):
        return f"{100 * int(value)}%"
    least = 10.0**-digits
    return f"{min(max(float(100 * value), least), 100 - least):.{digits}f}%"


def comparison_table(reports: Sequence[tuple[str, Report]]) -> str:
    """Policies of one role side by side: exact EV, gap, worst-case gap and agreement.

    Args:
        reports: (label, report) in the order of the rows.
    """
    rows = [
        [label, number(entry.ev), number(entry.gap), _gap(entry.worst_case_gap), percent(entry.agreement)]
        for label, entry in reports
    ]
    return markdown_table(["policy", "exact EV", "gap", "worst-case gap", "agreement"], rows)


def _gap(gap: Fraction | None) -> str:
    """A worst-case gap; a game of several players has no value to fall short of."""
    return "-" if gap is None else number(gap)


def disagreement_table(entries: Sequence[Disagreement], max_rows: int = 10) -> str:
    """Where a policy parts from the optimum: how often, what it loses each time, what that costs a hand."""
    if not entries:
        return "No decision differs from the optimum."
    rows = [
        [
            entry.situation,
            entry.policy_move,
            entry.best.name.lower(),
            percent(entry.prob, digits=3),
            number(entry.loss),
            number(entry.cost),
        ]
        for entry in entries[:max_rows]
    ]
    table = markdown_table(["decision", "plays", "best", "arises", "loses then", "cost a hand"], rows)
    rest = entries[max_rows:]
    if rest:
        cost = sum((entry.cost for entry in rest), Fraction(0))
        table += f"\n\n{len(rest)} more decisions cost {number(cost)} a hand together."
    return table


def optimum_in_words(report: Report) -> str:
    """How the optimum relates to the logical way: that it is the logical way, or where it differs."""
    role, opponent = report.role, report.against_opponent.opponent
    if report.agreement is None:
        return f"The {role} never has a choice under {report.rules.name}."
    if not report.logical_way_misses:
        return f"The {role}'s optimum against {opponent} is the logical way: draw on 0-5, stand on 6-9."
    return f"The {role}'s optimum against {opponent} beats the logical way: {missed_in_words(report)}."


def missed_in_words(report: Report) -> str:
    """The moves that the logical way misses against the opponent, with their worth; empty if none."""
    return "; ".join(
        f"{entry.best.name.lower()} on {entry.situation.removeprefix('total ')}, "
        f"worth {short_number(entry.cost)} a hand"
        for entry in report.logical_way_misses
    )


def report_table(report: Report, max_rows: int) -> str:
    """One report as Markdown: the figures, the optimum in words, the disagreements."""
    rows = [
        [f"against {match.opponent}", number(match.ev), number(match.gap), percent(match.agreement)]
        for match in (report.against_opponent, report.against_equilibrium, report.against_logical_way)
        if match is not None
    ]
    parts = [
        f"{report.policy.name} as {report.role} under {report.rules.name}",
        markdown_table(["", "exact EV", "gap", "agreement"], list(dict.fromkeys(map(tuple, rows)))),
        f"worst-case gap {_gap(report.worst_case_gap)}",
        optimum_in_words(report),
        disagreement_table(report.disagreements, max_rows),
        "Assumes " + "; ".join(report.assumptions) + ".",
    ]
    return "\n\n".join(parts)
