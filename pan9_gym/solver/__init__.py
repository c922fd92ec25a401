"""What is true: exact values, best responses, certified equilibria, for one to seven players."""

from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.banker_risk import BankerRisk, banker_risk, hand_covariance
from pan9_gym.solver.best_response import BestResponse, Decision, best_response, best_response_to_values
from pan9_gym.solver.by_start import StartOutcomes, outcomes_by_start
from pan9_gym.solver.counting import CountingGain, WorthOfCounting, worth_of_counting
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.estimates import Estimate
from pan9_gym.solver.evaluate import Evaluation, evaluate
from pan9_gym.solver.exploitability import exploitability, nash_conv, worst_case_gap
from pan9_gym.solver.float_saddle import FloatSaddle
from pan9_gym.solver.float_values import FloatResponse, FloatValues
from pan9_gym.solver.many_seats import (
    SeatsEvaluation,
    banker_best_response,
    banker_values,
    banker_values_in_float,
    evaluate_seats,
    seat_best_response,
    seat_values,
)
from pan9_gym.solver.penetration import PenetrationStudy, penetration_study
from pan9_gym.solver.removal import RemovalEffects, effects_of_removal
from pan9_gym.solver.seats_equilibrium import SeatsEquilibrium, seats_equilibrium
from pan9_gym.solver.shoe_state import ShoeState, shoe_state
from pan9_gym.solver.side_bets import SideBetEvaluation, SideBetResult, side_bet
from pan9_gym.solver.stake_ratios import StakeRatio, stake_ratios
from pan9_gym.solver.wager_ratios import WagerRatio, wager_ratios

__all__ = [
    "ActionValues",
    "BankerRisk",
    "BestResponse",
    "CountingGain",
    "Decision",
    "Equilibrium",
    "Estimate",
    "Evaluation",
    "FloatResponse",
    "FloatSaddle",
    "FloatValues",
    "PenetrationStudy",
    "RemovalEffects",
    "SeatsEquilibrium",
    "SeatsEvaluation",
    "ShoeState",
    "SideBetEvaluation",
    "SideBetResult",
    "StakeRatio",
    "StartOutcomes",
    "WagerRatio",
    "WorthOfCounting",
    "action_values",
    "banker_best_response",
    "banker_risk",
    "banker_values",
    "banker_values_in_float",
    "best_response",
    "best_response_to_values",
    "effects_of_removal",
    "equilibrium",
    "evaluate",
    "evaluate_seats",
    "exploitability",
    "hand_covariance",
    "nash_conv",
    "outcomes_by_start",
    "penetration_study",
    "seat_best_response",
    "seat_values",
    "seats_equilibrium",
    "shoe_state",
    "side_bet",
    "stake_ratios",
    "wager_ratios",
    "worst_case_gap",
    "worth_of_counting",
]
