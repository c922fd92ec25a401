"""Side bets on their own: exact expectation, spread and break-even payouts for any pair of policies.

Formula:
    ev = sum_i p_i a_i      variance = sum_i p_i (a_i - ev)^2
    skewness = sum_i p_i (a_i - ev)^3 / variance^(3/2)
    a_i = c_i / u, or (c_i - u) / u where a winner does not get the stake back;  -1 where the bet loses
    break-even payout of line i = c_i - ev u / p_i
    break-even scale of all payouts = 1 - ev u / sum_i p_i c_i

Symbols:
    i: a result: a line of the pay table, or one that loses or returns the stake (a_i = 0)
    p_i: its probability (`outcomes`)
    a_i: what it pays net, units per unit staked
    c_i: the payout in the table, paid for a stake of u; 0 where there is none
    u: 1, but for the BC bonus, whose prizes are sums of money: its stake in the same money

Source:
    Pay tables: S6 (BC bonus), S7 (Dragon), S8 (Super 0), U10 and R3 (tie), R3 (banker's hand). Break-even:
    derivation: this module. A payout greater by x adds p_i x / u to ev, all else as it is; payouts multiplied
    by y add (y - 1) sum_i p_i c_i / u.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

from pydantic import BaseModel

from pan9_gym.game.stakes import Amount, read_bet
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.cards import Card, suit_class
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import LOST, NEEDS_SUITS, BCBonus, SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.outcomes import endings
from pan9_gym.solver.setting import read_setting
from pan9_gym.solver.suits import own_cards

ONLY_LINE = "payout"
"""The line of a pay table that has only one."""


@dataclass(frozen=True)
class SideBetResult:
    """One result of a side bet.

    Attributes:
        name: The line of the pay table, such as "four_card.suited", "prizes.suited", "payouts.0" or "payout";
            "returned" or "lost" for the others.
        payout: What the table says; `None` where it does not pay.
        payoff: Net units per unit staked.
        prob: Its probability.
    """

    name: str
    payout: Fraction | None
    payoff: Fraction
    prob: Fraction


@dataclass(frozen=True)
class SideBetEvaluation:
    """What a side bet brings the player who makes it, exactly.

    Attributes:
        bet: The side bet.
        results: The lines of its pay table in the table's order, then what loses or returns the stake.
        stake: The stake that a payout is paid for.
        assumptions: What the figures take for granted.
    """

    bet: SideBet
    results: tuple[SideBetResult, ...]
    stake: Fraction
    assumptions: tuple[str, ...]

    @property
    def distribution(self) -> dict[Fraction, Fraction]:
        """The probability of each payoff, net units per unit staked, that may happen; lowest first."""
        probs: dict[Fraction, Fraction] = defaultdict(Fraction)
        for result in self.results:
            probs[result.payoff] += result.prob
        return {payoff: probs[payoff] for payoff in sorted(probs) if probs[payoff]}

    @property
    def by_result(self) -> dict[str, Fraction]:
        """The probability of each result by name."""
        return {result.name: result.prob for result in self.results}

    @property
    def win_prob(self) -> Fraction:
        """Probability that a line of the pay table is paid."""
        return sum((result.prob for result in self.results if result.payout is not None), Fraction(0))

    def _moment(self, power: int, about: Fraction) -> Fraction:
        return sum((result.prob * (result.payoff - about) ** power for result in self.results), Fraction(0))

    @property
    def ev(self) -> Fraction:
        """The player's expectation, in units per unit staked."""
        return self._moment(1, Fraction(0))

    @property
    def variance(self) -> Fraction:
        """Variance of the payoff."""
        return self._moment(2, self.ev)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the payoff."""
        return sqrt(self.variance)

    @property
    def skewness(self) -> float:
        """Skewness of the payoff; 0 where the payoff is certain."""
        return float(self._moment(3, self.ev)) / self.standard_deviation**3 if self.variance else 0.0

    def break_even(self, line: str) -> Fraction:
        """The payout of one line at which the bet is fair, the other lines as they are.

        It is not greater than 0 where the other lines alone make the bet worth its stake.

        Raises:
            ValueError: If there is no such line or it is never paid.
        """
        lines = {result.name: result for result in self.results if result.payout is not None}
        found = lines.get(line)
        if found is None or found.payout is None:
            raise ValueError(
                f"line {line!r} is not in the pay table of {self.bet}; it has {', '.join(lines)}"
            )
        if not found.prob:
            raise ValueError(f"line {line!r} of {self.bet} is never paid, so no payout makes the bet fair")
        return found.payout - self.ev * self.stake / found.prob

    @property
    def break_even_scale(self) -> Fraction:
        """The number by which all payouts must be multiplied to make the bet fair.

        Raises:
            ValueError: If nothing is ever paid.
        """
        paid = sum((result.prob * (result.payout or 0) for result in self.results), Fraction(0))
        if not paid:
            raise ValueError(f"side bet {self.bet} is never paid, so no payouts make it fair")
        return 1 - self.ev * self.stake / paid

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "bet": str(self.bet),
            "ev": str(self.ev),
            "variance": str(self.variance),
            "standard_deviation": self.standard_deviation,
            "skewness": self.skewness,
            "win_prob": str(self.win_prob),
            "distribution": {str(payoff): str(prob) for payoff, prob in self.distribution.items()},
            "results": [
                {
                    "name": result.name,
                    "payout": None if result.payout is None else str(result.payout),
                    "payoff": str(result.payoff),
                    "prob": str(result.prob),
                    "break_even": str(self.break_even(result.name))
                    if result.payout and result.prob
                    else None,
                }
                for result in self.results
            ],
            "break_even_scale": str(self.break_even_scale) if self.win_prob else None,
            "assumptions": list(self.assumptions),
        }


def side_bet(
    rules: RulesLike,
    bet: SideBet | str,
    player: PolicyLike = "logical_way",
    banker: PolicyLike = "logical_way",
    shoe: ShoeLike | None = None,
) -> SideBetEvaluation:
    """Evaluate a side bet of one player against the banker.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`; other pay tables as overrides,
            `load_rules("uk_1994_house", side_bets={"tie": {"payout": 8}})`.
        bet: "tie", "dragon", "super_0", "bc" or "banker_hand"; the sheet must offer it.
        player: The player's policy, by name or object. A table by suit class is one that holds a Dragon stake
            beside this bet.
        banker: The banker's policy, by name or object.
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.

    >>> tie = side_bet("uk_1994_house", "tie")
    >>> tie.ev, tie.break_even("payout")
    (Fraction(-3447902715919, 75705581486535), Fraction(66673371640208, 9032209846327))

    Raises:
        ValueError: If the bet is not offered, or another argument is not possible.
    """
    rules = load_rules(rules)
    bet = read_bet(rules, bet)
    stakes: dict[str, Amount] = {bet: 1}
    if isinstance(player, TabularPolicy) and player.states.with_suits:
        stakes[SideBet.DRAGON] = 1
    setting = read_setting(rules, shoe, stakes)
    pair = setting.policy(Role.PLAYER, player), setting.policy(Role.BANKER, banker)
    probs: dict[str, Fraction] = defaultdict(Fraction)
    for ending in endings(setting, *pair):
        probs[_result(rules, bet, ending.cards, ending.totals)[0]] += ending.prob
    table = getattr(rules.side_bets, bet)
    payouts = _payouts(table)
    payoffs = dict(
        _result(rules, bet, cards, totals)
        for cards in own_cards(rules, setting.suits).stand_ins
        for totals in product(TOTALS, TOTALS)
    )
    return SideBetEvaluation(
        bet=bet,
        results=tuple(
            SideBetResult(name, payouts.get(name), payoffs[name], probs[name])
            for name in (*payouts, *sorted(payoffs.keys() - payouts))
        ),
        stake=table.stake if isinstance(table, BCBonus) else Fraction(1),
        assumptions=rules.assumptions(num_players=1),
    )


def _payouts(table: BaseModel) -> dict[str, Fraction]:
    """What each line of a pay table pays, by field and, where the field has several lines, key."""
    payouts: dict[str, Fraction] = {}
    for field, value in table.model_dump().items():
        if isinstance(value, Mapping):
            payouts |= {f"{field}.{key}": Fraction(payout) for key, payout in value.items()}
        elif field == ONLY_LINE:
            payouts[field] = Fraction(value)
    return payouts


def _result(
    rules: RulesConfig, bet: SideBet, cards: tuple[Card, ...], totals: tuple[int, int]
) -> tuple[str, Fraction]:
    """The name of the result and the payoff of a final hand."""
    payoff = rules.side_bets.payoff(bet, cards, rules.num_initial_cards, totals)
    if payoff == LOST:
        return "lost", payoff
    if bet is SideBet.SUPER_0:
        return f"payouts.{totals[0]}", payoff
    if bet not in NEEDS_SUITS:
        return ONLY_LINE if payoff else "returned", payoff
    first = cards[: rules.num_initial_cards]
    field = "prizes" if bet is SideBet.BC else "three_card" if cards == first else "four_card"
    return f"{field}.{suit_class(first if bet is SideBet.BC else cards).name.lower()}", payoff
