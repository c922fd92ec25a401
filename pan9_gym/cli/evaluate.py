"""`pan9 evaluate`: what is exactly true of a policy."""

from __future__ import annotations

from pan9_gym.cli.strategy import strategy_table
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.evaluation import Report, optimum_in_words

MOST_DECISIONS = 20
"""Costliest decisions listed."""


def evaluation_study(report: Report) -> Study:
    """A report as tables.

    Args:
        report: What is true of the policy.
    """
    matches = (report.against_opponent, report.against_equilibrium, report.against_logical_way)
    figures = [
        (match.opponent, match.ev, match.gap, match.agreement, str(match.gap))
        for match in matches
        if match is not None
    ]
    decisions = [
        (
            entry.situation,
            entry.policy_move,
            entry.best.name.lower(),
            entry.prob,
            entry.loss,
            entry.cost,
        )
        for entry in report.disagreements[:MOST_DECISIONS]
    ]
    columns = (
        Column("against"),
        Column("exact EV", "exact"),
        Column("gap", "exact"),
        Column("agreement", "share"),
        Column("gap exactly"),
    )
    where = (
        Column("decision"),
        Column("plays"),
        Column("best"),
        Column("arises", "share"),
        Column("loses then", "exact"),
        Column("cost a hand", "exact"),
    )
    left_out = len(report.disagreements) - len(decisions)
    gap = report.worst_case_gap
    worst = (("worst-case gap", gap, "the game has no value" if gap is None else str(gap)),)
    return Study(
        f"{report.policy.name} as {report.role} under {report.rules.name}",
        (
            Table("Against", columns, tuple(dict.fromkeys(figures))),
            Table("Worst case", (Column("figure"), Column("value", "exact"), Column("exactly")), worst),
            strategy_table("How it plays", {report.role.value: report.policy}),
            Table(
                f"Where it differs from the optimum against {report.against_opponent.opponent}",
                where,
                tuple(decisions),
                (f"{left_out} cheaper decisions are left out",) if left_out else (),
            ),
        ),
        (optimum_in_words(report), *report.assumptions),
    )
