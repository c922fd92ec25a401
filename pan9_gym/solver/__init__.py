"""What is true: exact values, best responses and certified equilibria for one player against the banker."""

from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.best_response import BestResponse, Decision, best_response, best_response_to_values
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.evaluate import Evaluation, evaluate
from pan9_gym.solver.exploitability import exploitability, nash_conv, worst_case_gap

__all__ = [
    "ActionValues",
    "BestResponse",
    "Decision",
    "Equilibrium",
    "Evaluation",
    "action_values",
    "best_response",
    "best_response_to_values",
    "equilibrium",
    "evaluate",
    "exploitability",
    "nash_conv",
    "worst_case_gap",
]
