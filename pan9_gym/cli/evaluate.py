"""`pan9 evaluate`: what is exactly true of a policy."""

from __future__ import annotations

from pan9_gym.cli.strategy import strategy_table
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.evaluation import Report, optimum_in_words

MOST_DECISIONS = 20
"""Costliest decisions listed."""

AGAINST = (
    Column("against"),
    Column("exact EV", "exact"),
    Column("gap", "exact"),
    Column("agreement", "share"),
    Column("gap exactly"),
)

DECISIONS = (
    Column("decision"),
    Column("plays"),
    Column("best"),
    Column("arises", "share"),
    Column("loses then", "exact"),
    Column("cost a hand", "exact"),
)


def evaluation_study(report: Report) -> Study:
    """A report as tables.

    Args:
        report: What is true of the policy.
    """
    gap = report.worst_case_gap
    worst = (("worst-case gap", gap, "the game has no value" if gap is None else str(gap)),)
    return Study(
        f"{report.policy.name} as {report.role} under {report.rules.name}",
        (
            _against(report),
            Table("Worst case", (Column("figure"), Column("value", "exact"), Column("exactly")), worst),
            strategy_table("How it plays", {report.role.value: report.policy}),
            _decisions(report),
        ),
        (optimum_in_words(report), *report.assumptions),
    )


def _against(report: Report) -> Table:
    matches = (report.against_opponent, report.against_equilibrium, report.against_logical_way)
    rows = [
        (match.opponent, match.ev, match.gap, match.agreement, str(match.gap))
        for match in matches
        if match is not None
    ]
    return Table("Against", AGAINST, tuple(dict.fromkeys(rows)))


def _decisions(report: Report) -> Table:
    rows = [
        (entry.situation, entry.policy_move, entry.best.name.lower(), entry.prob, entry.loss, entry.cost)
        for entry in report.disagreements
    ]
    left_out = len(rows) - MOST_DECISIONS
    return Table(
        f"Where it differs from the optimum against {report.against_opponent.opponent}",
        DECISIONS,
        tuple(rows[:MOST_DECISIONS]),
        (f"{left_out} cheaper decisions are left out",) if left_out > 0 else (),
    )
