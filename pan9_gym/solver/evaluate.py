"""The exact evaluation of a pair of policies: expectation, outcomes and the joint distribution of totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import STAND_TOKEN, Outcome, Role, draw_token
from pan9_gym.solver.deal_distribution import IntMatrix, deal_distribution, read_shoe
from pan9_gym.solver.duel import scaled


@dataclass(frozen=True)
class Evaluation:
    """What a pair of policies brings, exactly.

    Attributes:
        ev: The player's expectation, in units per unit wagered; the banker's is its negative.
        joint_totals: Probability of each pair of final totals, `joint_totals[player][banker]`, 10 x 10.
        variance: Variance of the player's payoff.
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
    rules: RulesLike, player: PolicyLike, banker: PolicyLike, shoe: Sequence[int] | None = None
) -> Evaluation:
    """Evaluate one player against the banker.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player: The player's policy, by name or object.
        banker: The banker's policy, by name or object.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> from pan9_gym import load_rules, policies
    >>> rules = load_rules("uk_1994_house")
    >>> logical = [policies.get("logical_way", rules, role) for role in ("player", "banker")]
    >>> evaluate(rules, *logical).ev
    Fraction(-8334171455026, 378527907432675)

    Raises:
        ValueError: If a policy is for another seat or other cards, or the shoe does not fit.
    """
    rules = load_rules(rules)
    seated = (resolve(player, rules, Role.PLAYER), resolve(banker, rules, Role.BANKER))
    counts, unit = _joint_counts(rules, *seated, shoe)
    joint = tuple(tuple(Fraction(count, unit) for count in row) for row in counts)
    payoffs = payoff_table(rules)
    pairs = [(joint[p][b], payoffs[p][b]) for p in TOTALS for b in TOTALS]
    ev = sum((prob * payoff for prob, payoff in pairs), Fraction(0))
    square = sum((prob * payoff**2 for prob, payoff in pairs), Fraction(0))
    return Evaluation(ev, joint, square - ev**2, rules.assumptions(num_players=1))


def _joint_counts(
    rules: RulesConfig, player: TabularPolicy, banker: TabularPolicy, shoe: Sequence[int] | None
) -> tuple[IntMatrix, int]:
    """Weighted ordered deals for each pair of final totals, and their sum."""
    distribution = deal_distribution(rules, read_shoe(rules, shoe))
    states = banker.states
    player_probs, player_unit = scaled(player.draw_probs)
    banker_probs, banker_unit = scaled(banker.draw_probs)
    totals = np.array(player.states.column_totals)
    played, decided = (~distribution.decided).astype(object), distribution.decided.astype(object)
    once = _by_final_total(totals, None, np.ones(len(totals), dtype=object))
    counts = once @ (distribution.deals(None, None) * decided) @ once.T * (player_unit * banker_unit)
    for player_card in (None, *rules.values):
        token = STAND_TOKEN if player_card is None else draw_token(player_card if states.cards_seen else None)
        row = banker_probs[states.pattern_index((token,) if states.num_visible else ())]
        first = player_unit - player_probs[0] if player_card is None else player_probs[0]
        into_player = _by_final_total(totals, player_card, first)
        for banker_card in (None, *rules.values):
            second = banker_unit - row if banker_card is None else row
            into_banker = _by_final_total(totals, banker_card, second)
            deals = distribution.deals(player_card, banker_card) * played
            counts = counts + into_player @ deals @ into_banker.T
    return counts, distribution.num_deals * player_unit * banker_unit


def _by_final_total(totals: IntMatrix, card: int | None, weights: IntMatrix) -> IntMatrix:
    """Weights placed in the row of the final total, axes [total, hand]."""
    placed: IntMatrix = np.zeros((len(TOTALS), len(totals)), dtype=object)
    placed[(totals + (card or 0)) % 10, np.arange(len(totals))] = weights
    return placed
