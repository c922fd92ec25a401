"""What a wager pays: net, in units per unit wagered, for the player; the banker's payoff is its negative."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Outcome


def wager_payoff(rules: RulesConfig, player_total: int, banker_total: int) -> Fraction:
    """Net units per unit wagered that a player gets for the final totals (U9, S4, H1).

    >>> from pan9_gym.rules import load_rules
    >>> wager_payoff(load_rules("uk_1994_house"), 9, 8)
    Fraction(19, 20)
    """
    outcome = compare(player_total, banker_total)
    if outcome is Outcome.WIN:
        return rules.payout
    if outcome is Outcome.TIE and player_total not in rules.banker_wins_ties:
        return Fraction(0)
    return Fraction(-1)


def both_hands_payoff(first: Fraction, second: Fraction) -> Fraction:
    """Net units per unit of a wager on both opposing hands, from what each gets per unit (R1).

    It is void unless both hands win or both lose.

    >>> both_hands_payoff(Fraction(1), Fraction(-1))
    Fraction(0, 1)
    """
    if first > 0 and second > 0:
        return min(first, second)
    return max(first, second) if first < 0 and second < 0 else Fraction(0)


@lru_cache(maxsize=64)
def payoff_table(rules: RulesConfig) -> tuple[tuple[Fraction, ...], ...]:
    """`wager_payoff` for all totals: `payoff_table(rules)[player_total][banker_total]`, 10 x 10."""
    return tuple(tuple(wager_payoff(rules, player, banker) for banker in TOTALS) for player in TOTALS)
