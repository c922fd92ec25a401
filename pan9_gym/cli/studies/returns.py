"""`pan9 study returns`: what every wager of a sheet returns, one player against the banker, exactly.

In the style of published return tables: for each result of a wager its combinations (ordered deals of all the
cards that a hand may need), probability, payoff and contribution to the return.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pan9_gym.cli.progress import tracked
from pan9_gym.cli.studies.return_tables import WAGER, results_table, summary_table, wager_results
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import NEEDS_SUITS
from pan9_gym.rules.terms import Role
from pan9_gym.solver.by_start import StartOutcomes, outcomes_by_start
from pan9_gym.solver.deal_distribution import ShoeLike, deal_distribution, read_shoe
from pan9_gym.solver.equilibrium import equilibrium
from pan9_gym.solver.evaluate import Evaluation, evaluate
from pan9_gym.solver.setting import read_setting
from pan9_gym.solver.side_bets import SideBetEvaluation, side_bet

STARTS = (
    Column("first cards"),
    Column("plays"),
    Column("probability", "share"),
    Column("win", "share"),
    Column("tie", "share"),
    Column("loss", "share"),
    Column("EV there", "exact"),
    Column("contribution", "exact"),
)


def returns(
    rules: RulesConfig,
    player: PolicyLike = "logical_way",
    banker: PolicyLike | None = None,
    shoe: ShoeLike | None = None,
) -> Study:
    """Return tables of every wager, the final totals, and the outcomes by starting total.

    Args:
        rules: The rules; changed pay tables are in them.
        player: The player's policy, by name or object.
        banker: The banker's policy; default that of the equilibrium by hand.
        shoe: Cards left of each point value, lowest first, or counts[value, suit]; default a full shoe.

    Raises:
        ValueError: If a policy is for another seat or other cards, or the shoe does not fit.
    """
    setting = read_setting(rules, shoe)
    notes = []
    if banker is None:
        solution = equilibrium(rules, shoe=shoe)
        banker = solution.banker
        notes.append(f"the banker plays the equilibrium by hand, of exploitability {solution.exploitability}")
    own, other = setting.policy(Role.PLAYER, player), setting.policy(Role.BANKER, banker)
    found = evaluate(rules, own, other, shoe)
    bets, left_out = _side_bets(rules, own, other, shoe)
    num_deals = deal_distribution(rules, read_shoe(rules, shoe)).num_deals
    wager = wager_results(rules, found)
    tables = [
        summary_table(rules, found, wager, bets),
        results_table(WAGER, wager, found.ev, Fraction(1), num_deals),
        *(results_table(bet.bet.value, bet.results, bet.ev, bet.stake, num_deals) for bet in bets),
        _totals_table(found),
        _starts_table(rules, own, outcomes_by_start(rules, own, other, shoe), found),
    ]
    return Study(
        f"{rules.name}: what every wager returns, the player {own.name!r} against the banker {other.name!r}",
        tuple(tables),
        (*notes, *left_out, *found.assumptions),
    )


def _side_bets(
    rules: RulesConfig, player: TabularPolicy, banker: TabularPolicy, shoe: ShoeLike | None
) -> tuple[list[SideBetEvaluation], list[str]]:
    """Every side bet on offer, and why a bet that needs suits is left out where there are none."""
    found, left_out = [], []
    for bet in tracked(rules.side_bets.offered, "side bets"):
        try:
            found.append(side_bet(rules, bet, player, banker, shoe))
        except ValueError as error:
            if bet not in NEEDS_SUITS:
                raise
            left_out.append(f"{bet.value} is left out: {error}")
    return found, left_out


def _totals_table(found: Evaluation) -> Table:
    by_banker = [sum(column, Fraction(0)) for column in zip(*found.joint_totals, strict=True)]
    columns = (
        Column("player \\ banker"),
        *(Column(str(total), "share") for total in TOTALS),
        Column("all", "share"),
    )
    rows: list[tuple[Cell, ...]] = [
        (str(total), *row, sum(row, Fraction(0)))
        for total, row in zip(TOTALS, found.joint_totals, strict=True)
    ]
    rows.append(("all", *by_banker, sum(by_banker, Fraction(0))))
    return Table("Final totals", columns, tuple(rows))


def _starts_table(
    rules: RulesConfig, player: TabularPolicy, starts: Sequence[StartOutcomes], found: Evaluation
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for entry in starts:
        parts = (entry.win_prob, entry.tie_prob, entry.loss_prob, entry.ev)
        there = [part / entry.prob if entry.prob else None for part in parts]
        rows.append((str(entry.start), _move(player, entry.start), entry.prob, *there, entry.ev))
    whole = (found.win_prob, found.tie_prob, found.loss_prob, found.ev)
    rows.append(("all", None, sum((entry.prob for entry in starts), Fraction(0)), *whole, found.ev))
    notes = ["win, tie, loss and EV there: of the hands with this start"]
    if rules.banker_wins_ties:
        totals = ", ".join(map(str, sorted(rules.banker_wins_ties)))
        notes.append(f"a tie on {totals} loses the wager")
    return Table("By the total of the player's first cards", STARTS, tuple(rows), tuple(notes))


def _move(player: TabularPolicy, total: int) -> str:
    """What the player does with hands of a total."""
    hands = zip(player.states.column_totals, player.draw_probs[0], strict=True)
    probs = {prob for own, prob in hands if own == total}
    moves = {Fraction(0): "stands", Fraction(1): "draws"}
    return moves.get(probs.pop(), "mixes") if len(probs) == 1 else "by hand"
