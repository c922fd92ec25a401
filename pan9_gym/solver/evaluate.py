"""The exact evaluation of a pair of policies: expectation, outcomes and the joint distribution of totals.

Formula:
    ev = sum_e P(e) X(e)
    variance = sum_e P(e) X(e)^2 - ev^2
    joint[i][j] = sum of P(e) over the endings e with totals (i, j)
    win, tie, loss = sum of joint[i][j] over i > j, i = j, i < j

Symbols:
    e: an ending of the hand, and P(e) its probability (`outcomes`)
    X(e): the player's payoff, wager and side stakes together, in units per unit wagered
    i, j: final totals of the player and the banker, 0 to 9

Source:
    Definition: this module. Payoffs: B6, S4, H1, U8, U9, K1 and, for side stakes, the clauses of `setting`.
    Win, tie and loss compare the totals; a tie that the banker wins (S4, H1) is still counted as a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import Outcome, Role
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.outcomes import endings
from pan9_gym.solver.setting import StakesLike, read_setting


@dataclass(frozen=True)
class Evaluation:
    """What a pair of policies brings, exactly.

    Attributes:
        ev: The player's expectation, side stakes included, in units per unit wagered; the banker's is its
            negative unless a House that lets a player bank holds a stake.
        joint_totals: Probability of each pair of final totals, `joint_totals[player][banker]`, 10 x 10.
        variance: Variance of the player's payoff, the wager and the side stakes taken together.
        assumptions: What the figures take for granted.
    """

    ev: Fraction
    joint_totals: tuple[tuple[Fraction, ...], ...]
    variance: Fraction
    assumptions: tuple[str, ...]

    def _outcome_prob(self, outcome: Outcome) -> Fraction:
        pairs = (
            (player, banker) for player in TOTALS for banker in TOTALS if compare(player, banker) is outcome
        )
        return sum((self.joint_totals[player][banker] for player, banker in pairs), Fraction(0))

    @property
    def win_prob(self) -> Fraction:
        """Probability that the player's total is higher."""
        return self._outcome_prob(Outcome.WIN)

    @property
    def tie_prob(self) -> Fraction:
        """Probability of equal totals, whoever they pay."""
        return self._outcome_prob(Outcome.TIE)

    @property
    def loss_prob(self) -> Fraction:
        """Probability that the banker's total is higher."""
        return self._outcome_prob(Outcome.LOSS)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the player's payoff."""
        return sqrt(self.variance)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "ev": str(self.ev),
            "win_prob": str(self.win_prob),
            "tie_prob": str(self.tie_prob),
            "loss_prob": str(self.loss_prob),
            "standard_deviation": self.standard_deviation,
            "joint_totals": [[str(prob) for prob in row] for row in self.joint_totals],
            "assumptions": list(self.assumptions),
        }


def evaluate(
    rules: RulesLike,
    player: PolicyLike,
    banker: PolicyLike,
    shoe: ShoeLike | None = None,
    side_stakes: StakesLike | None = None,
) -> Evaluation:
    """Evaluate one player against the banker.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player: The player's policy, by name or object; with a Dragon stake it may depend on the suit class.
        banker: The banker's policy, by name or object.
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.
        side_stakes: The player's stakes by side bet, per unit wagered.

    >>> from pan9_gym import load_rules, policies
    >>> rules = load_rules("uk_1994_house")
    >>> logical = [policies.get("logical_way", rules, role) for role in ("player", "banker")]
    >>> evaluate(rules, *logical).ev
    Fraction(-8334171455026, 378527907432675)

    Raises:
        ValueError: If a policy is for another seat or other cards, or the shoe or a stake does not fit.
    """
    setting = read_setting(rules, shoe, side_stakes)
    pair = setting.policy(Role.PLAYER, player), setting.policy(Role.BANKER, banker)
    payoffs = payoff_table(setting.rules)
    joint = [[Fraction(0) for _ in TOTALS] for _ in TOTALS]
    ev = square = Fraction(0)
    for ending in endings(setting, *pair):
        own, other = ending.totals
        joint[own][other] += ending.prob
        payoff = payoffs[own][other] + setting.side_payoff(ending.cards, ending.totals)
        ev += ending.prob * payoff
        square += ending.prob * payoff**2
    rows = tuple(map(tuple, joint))
    return Evaluation(ev, rows, square - ev**2, setting.rules.assumptions(num_players=1))
