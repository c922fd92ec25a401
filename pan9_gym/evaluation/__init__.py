"""How good it is: the exact report on a policy, and Monte Carlo as its cross-check."""

from pan9_gym.evaluation.disagreements import Disagreement, agreement, disagreements
from pan9_gym.evaluation.exact import Matchup, Report, report
from pan9_gym.evaluation.simulate import Simulation, simulate
from pan9_gym.evaluation.statistics import Estimate
from pan9_gym.evaluation.tables import (
    comparison_table,
    disagreement_table,
    missed_in_words,
    number,
    optimum_in_words,
)

__all__ = [
    "Disagreement",
    "Estimate",
    "Matchup",
    "Report",
    "Simulation",
    "agreement",
    "comparison_table",
    "disagreement_table",
    "disagreements",
    "missed_in_words",
    "number",
    "optimum_in_words",
    "report",
    "simulate",
]
