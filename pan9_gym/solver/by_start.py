"""How a hand ends by the total of the player's first cards, exactly, one player against the banker.

Formula:
    part_t[i][j] = J_t[i][j] - S[i][j] for i != t,        J_t[t][j] for i = t

Symbols:
    part_t: probability, of all hands, that the player starts from t and the final totals are (i, j)
    J_t: distribution of final totals when he follows his policy on hands of total t and stands on all others
    S: the distribution when he always stands
    t, i, j: totals of his first cards, of his final hand and of the banker's final hand, 0 to 9

Source:
    Derivation: this module; the tests play every hand of a small shoe. A pair's distribution of final totals
    is linear in the player's drawing probabilities, hand by hand. One who stands ends on the total he started
    with: so in J_t whatever ends on i != t started from t, or stood on i, which S[i][j] counts. Naturals end
    a hand in J_t and S alike (K1), so the formula holds for them too. Forced draws are lifted, so that he can
    stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import DrawRule, RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import Outcome, Role
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.evaluate import evaluate
from pan9_gym.solver.setting import read_setting

Joint = tuple[tuple[Fraction, ...], ...]
"""Probability of each pair of final totals, `[player][banker]`, 10 x 10."""


@dataclass(frozen=True)
class StartOutcomes:
    """How the hands that start from one total end; probabilities are of all hands, not of these.

    Attributes:
        start: The total of the player's first cards.
        prob: The probability of that start.
        win_prob: The probability of that start and a higher total than the banker's in the end.
        tie_prob: The same for equal totals, whoever they pay.
        loss_prob: The same for a lower total.
        ev: What these hands add to the player's expectation, in units per unit wagered.
    """

    start: int
    prob: Fraction
    win_prob: Fraction
    tie_prob: Fraction
    loss_prob: Fraction
    ev: Fraction


def outcomes_by_start(
    rules: RulesLike, player: PolicyLike, banker: PolicyLike, shoe: ShoeLike | None = None
) -> tuple[StartOutcomes, ...]:
    """Win, tie, loss and expectation for each total of the player's first cards, 0 to 9.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player: The player's policy, by name or object.
        banker: The banker's policy, by name or object.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> nine = outcomes_by_start("bicycle", "logical_way", "logical_way")[9]
    >>> nine.prob, nine.loss_prob
    (Fraction(70057, 833985), Fraction(0, 1))

    Raises:
        ValueError: If a policy is for another seat or other cards, or the shoe does not fit.
    """
    rules = load_rules(rules)
    policy = read_setting(rules, shoe).policy(Role.PLAYER, player)
    free = rules.model_copy(update={"player_draw_rule": DrawRule()})

    def joint(follows_on: int | None) -> Joint:
        probs = zip(policy.states.column_totals, policy.draw_probs[0], strict=True)
        row = tuple(prob if total == follows_on else Fraction(0) for total, prob in probs)
        return evaluate(free, TabularPolicy(free, policy.states, (row,)), banker, shoe).joint_totals

    return tuple(_summed(rules, start, part) for start, part in enumerate(_parts(policy, joint)))


def _parts(policy: TabularPolicy, joint: Callable[[int | None], Joint]) -> list[Joint]:
    """The distribution of final totals of the hands that start from each total."""
    draws_on = {
        total for total, p in zip(policy.states.column_totals, policy.draw_probs[0], strict=True) if p
    }
    stood, nothing = joint(None), (Fraction(0),) * len(TOTALS)
    parts = []
    for start in TOTALS:
        followed = joint(start) if start in draws_on else stood
        others = [nothing if total == start else stood[total] for total in TOTALS]
        parts.append(
            tuple(
                tuple(prob - other for prob, other in zip(*rows, strict=True))
                for rows in zip(followed, others, strict=True)
            )
        )
    return parts


def _summed(rules: RulesConfig, start: int, part: Joint) -> StartOutcomes:
    probs = dict.fromkeys(Outcome, Fraction(0))
    ev = Fraction(0)
    payoffs = payoff_table(rules)
    for own in TOTALS:
        for other in TOTALS:
            probs[compare(own, other)] += part[own][other]
            ev += part[own][other] * payoffs[own][other]
    return StartOutcomes(
        start=start,
        prob=sum(probs.values(), Fraction(0)),
        win_prob=probs[Outcome.WIN],
        tie_prob=probs[Outcome.TIE],
        loss_prob=probs[Outcome.LOSS],
        ev=ev,
    )
