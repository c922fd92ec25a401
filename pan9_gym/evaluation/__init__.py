"""How good it is: the exact report on a policy, and Monte Carlo as its cross-check."""

from pan9_gym.evaluation.bankroll import (
    BankDecision,
    bank_decisions,
    bankroll_for,
    break_even_action,
    ruin_prob,
    simulated_ruin,
)
from pan9_gym.evaluation.disagreements import Disagreement, agreement, disagreements
from pan9_gym.evaluation.exact import Matchup, Report, report
from pan9_gym.evaluation.limited_cover import CoverSample, CoverValue, LimitedCover, cover_sample
from pan9_gym.evaluation.long_run import LongRun, exact_tables, long_run, read_plan
from pan9_gym.evaluation.simulate import Simulation, simulate
from pan9_gym.evaluation.tables import (
    comparison_table,
    disagreement_table,
    missed_in_words,
    number,
    optimum_in_words,
)
from pan9_gym.solver.estimates import Estimate

__all__ = [
    "BankDecision",
    "CoverSample",
    "CoverValue",
    "Disagreement",
    "Estimate",
    "LimitedCover",
    "LongRun",
    "Matchup",
    "Report",
    "Simulation",
    "agreement",
    "bank_decisions",
    "bankroll_for",
    "break_even_action",
    "comparison_table",
    "cover_sample",
    "disagreement_table",
    "disagreements",
    "exact_tables",
    "long_run",
    "missed_in_words",
    "number",
    "optimum_in_words",
    "read_plan",
    "report",
    "ruin_prob",
    "simulate",
    "simulated_ruin",
]
