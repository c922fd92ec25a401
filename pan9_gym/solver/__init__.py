"""What is true: exact values, best responses, certified equilibria, for one to seven players."""

from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.banker_risk import BankerRisk, banker_risk, hand_covariance
from pan9_gym.solver.best_response import BestResponse, Decision, best_response, best_response_to_values
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.evaluate import Evaluation, evaluate
from pan9_gym.solver.exploitability import exploitability, nash_conv, worst_case_gap
from pan9_gym.solver.many_seats import (
    SeatsEquilibrium,
    SeatsEvaluation,
    banker_best_response,
    banker_values,
    banker_values_in_float,
    evaluate_seats,
    seat_best_response,
    seat_values,
    seats_equilibrium,
)
from pan9_gym.solver.wager_ratios import WagerRatio, wager_ratios

__all__ = [
    "ActionValues",
    "BankerRisk",
    "BestResponse",
    "Decision",
    "Equilibrium",
    "Evaluation",
    "SeatsEquilibrium",
    "SeatsEvaluation",
    "WagerRatio",
    "action_values",
    "banker_best_response",
    "banker_risk",
    "banker_values",
    "banker_values_in_float",
    "best_response",
    "best_response_to_values",
    "equilibrium",
    "evaluate",
    "evaluate_seats",
    "exploitability",
    "hand_covariance",
    "nash_conv",
    "seat_best_response",
    "seat_values",
    "seats_equilibrium",
    "wager_ratios",
    "worst_case_gap",
]
