"""Return tables: each result of a wager with its combinations, probability, payoff and contribution."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from pan9_gym.cli.tables import Cell, Column, Table
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.solver.evaluate import Evaluation
from pan9_gym.solver.side_bets import SideBetEvaluation, SideBetResult

WAGER = "wager"
"""What the base wager is called beside the side bets."""

SUMMARY = (
    Column("wager"),
    Column("against"),
    Column("wins", "share"),
    Column("return", "exact"),
    Column("edge", "exact"),
    Column("standard deviation", "float"),
    Column("skewness", "float"),
    Column("break-even scale", "exact"),
)
RESULTS = (
    Column("result"),
    Column("combinations", "whole"),
    Column("probability", "share"),
    Column("pays", "text"),
    Column("payoff", "exact"),
    Column("contribution", "exact"),
    Column("break-even payout", "exact"),
)


def wager_results(rules: RulesConfig, found: Evaluation) -> tuple[SideBetResult, ...]:
    """The lines of the base wager, as those of a side bet; ties only as the sheet pays them."""
    lost = sum((found.joint_totals[total][total] for total in rules.banker_wins_ties), Fraction(0))
    ties = {
        "tie, returned": (Fraction(0), found.tie_prob - lost),
        "tie, the bank wins": (Fraction(-1), lost),
    }
    return (
        SideBetResult("win", rules.payout, rules.payout, found.win_prob),
        *(SideBetResult(name, None, payoff, prob) for name, (payoff, prob) in ties.items() if prob),
        SideBetResult("loss", None, Fraction(-1), found.loss_prob),
    )


def summary_table(
    rules: RulesConfig, found: Evaluation, wager: Sequence[SideBetResult], bets: Sequence[SideBetEvaluation]
) -> Table:
    """Every wager in a line: who takes it, its return, edge, spread, and what would make it fair.

    Args:
        rules: The rules.
        found: The base wager.
        wager: Its lines.
        bets: The side bets.
    """
    third = sum((result.prob * (result.payoff - found.ev) ** 3 for result in wager), Fraction(0))
    deviation = found.standard_deviation
    skewness = float(third) / deviation**3 if deviation else 0.0
    fair = _break_even(wager[0], found.ev, Fraction(1))
    scale = None if fair is None else fair / rules.payout
    rows: list[tuple[Cell, ...]] = [
        (WAGER, _holder(rules), found.win_prob, found.ev, -found.ev, deviation, skewness, scale)
    ]
    for bet in bets:
        scale = bet.break_even_scale if bet.win_prob else None
        spread = bet.standard_deviation, bet.skewness
        rows.append((bet.bet.value, _holder(rules, bet.bet), bet.win_prob, bet.ev, -bet.ev, *spread, scale))
    notes = (
        "return: the player's expectation per unit staked; edge: that of the other side",
        "break-even scale: the wager is fair if all its payouts are multiplied by it",
    )
    return Table("Every wager", SUMMARY, tuple(rows), notes)


def _holder(rules: RulesConfig, bet: SideBet | None = None) -> str:
    """Who is on the other side of a side bet, or of the wager."""
    with_banker = bet is None or rules.banker_holds(bet)
    return "banker" if with_banker and rules.bank == "player" else "House"


def _break_even(result: SideBetResult, ev: Fraction, stake: Fraction) -> Fraction | None:
    """The payout of one line that makes the wager fair; `None` where the line is never paid."""
    if result.payout is None or not result.prob:
        return None
    return result.payout - ev * stake / result.prob


def results_table(
    name: str, results: Sequence[SideBetResult], ev: Fraction, stake: Fraction, num_deals: int
) -> Table:
    """The return table of one wager; its contributions add up to the return.

    Args:
        name: The wager.
        results: Its lines.
        ev: The player's expectation per unit staked.
        stake: The stake that a payout is paid for.
        num_deals: All ordered deals, the denominator of the probabilities of pure policies.
    """
    unit = lcm(num_deals, *(result.prob.denominator for result in results))
    rows: list[tuple[Cell, ...]] = [
        (
            result.name,
            int(result.prob * unit),
            result.prob,
            None if result.payout is None else str(result.payout),
            result.payoff,
            result.prob * result.payoff,
            _break_even(result, ev, stake),
        )
        for result in results
    ]
    rows.append(("all", unit, sum((result.prob for result in results), Fraction(0)), None, None, ev, None))
    notes = [f"combinations: out of {num_deals} ordered deals of all cards that a hand may need"]
    if unit != num_deals:
        times = unit // num_deals
        notes = [f"combinations: {num_deals} ordered deals, each counted {times} times (mixed policies)"]
    if stake != 1:
        notes.append(f"pays: for a stake of {stake}")
    if any(isinstance(row[-1], Fraction) and row[-1] <= 0 for row in rows):
        notes.append("a break-even payout of 0 or less: the other lines alone make the wager fair or better")
    return Table(f"Returns: {name}", RESULTS, tuple(rows), tuple(notes))
