"""The game of one player against the banker as integer matrices: what every exact answer is computed from.

A *branch* is what the player can be seen to have done: stand, draw, or draw a seen card. It fixes the
player's action and the banker's pattern.

Formula:
    M[r, a][h, b] = sum over unseen cards of deals(h, b, x, y) g u,        0 where a natural decides the hand
    D = sum over pairs that a natural decides of deals(h, b) g u
    ev = (D + sum_r sum_{h, b} p_r(h) (M[r, STAND][h, b] (1 - q[t, b]) + M[r, DRAW][h, b] q[t, b])) / (T u)

Symbols:
    r, t: a branch, and the banker's pattern that answers it
    a: the banker's action, STAND or DRAW
    h, b: hand of the player, with its suit class while he holds a Dragon stake, and hand of the banker
    p_r(h): probability of the branch's action: 1 - p(h) for standing, p(h) for drawing
    p, q: drawing probabilities of the player and the banker, 0 to 1
    g: the player's payoff for the final totals and his own cards, side stakes included, per unit wagered
    u: least common denominator of all g (`payoff_unit`), so that M and D are integers
    T: all ordered deals, falling(N, 2k + 2) (`num_deals`); deals as in `deal_distribution`

Source:
    What the banker sees: T4, K1, K2. Payoffs: B6, S4, H1, U8, U9; naturals: K1. Derivation: this module. Each
    role acts once in a hand, so the expectation is linear in p and in q. With a Dragon stake the deals of a
    hand are shared out to its suit classes, and what the Dragon and BC bonus pay is added, by the counts of
    `suits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates, info_states
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role, draw_token
from pan9_gym.solver.deal_distribution import IntMatrix, deal_distribution
from pan9_gym.solver.setting import Setting
from pan9_gym.solver.suits import own_cards


@dataclass(frozen=True)
class Branch:
    """One thing the player can be seen to have done.

    Attributes:
        action: The player's action.
        pattern: The row of the banker's policy that answers it.
        deals: Ordered deals, [player column, banker hand].
        payoffs: For the banker's STAND and DRAW: deals times the player's payoff, the same axes.
    """

    action: Action
    pattern: int
    deals: IntMatrix
    payoffs: tuple[IntMatrix, IntMatrix]


@dataclass(frozen=True)
class Duel:
    """One player against the banker over one shoe; made by `duel`.

    Attributes:
        rules: The rules.
        player_states: The player's information states.
        banker_states: The banker's information states.
        num_deals: The denominator of deal counts.
        payoff_unit: The denominator of the payoffs in the matrices.
        branches: What the player can be seen to have done.
        decided_payoff: Deals times the player's payoff over the hands that a natural decides at once.
    """

    rules: RulesConfig
    player_states: InfoStates
    banker_states: InfoStates
    num_deals: int
    payoff_unit: int
    branches: tuple[Branch, ...]
    decided_payoff: int

    def states(self, role: Role) -> InfoStates:
        """The information states of a role."""
        return self.player_states if role is Role.PLAYER else self.banker_states


@lru_cache(maxsize=16)
def duel(setting: Setting) -> Duel:
    """The matrices of the game in a setting, with all its side stakes."""
    sums = _PayoffSums(setting)
    rules, states = setting.rules, setting.states(Role.BANKER)
    decided = np.repeat(sums.distribution.decided, sums.num_classes, axis=0).astype(object)
    at_once, branches = 0, []
    for action, token, cards in _branch_cards(rules):
        pattern = states.pattern_index((token,) if states.num_visible else ())
        own = sums.own_payoffs(cards)
        stand, draw = (sums.payoffs(cards, banker) + own for banker in ((None,), rules.values))
        played = 1 - decided
        branches.append(Branch(action, pattern, sums.deals(cards) * played, (stand * played, draw * played)))
        if action is Action.STAND:
            at_once = int((stand * decided).sum())
    return Duel(
        rules=rules,
        player_states=setting.states(Role.PLAYER),
        banker_states=states,
        num_deals=sums.distribution.num_deals,
        payoff_unit=sums.unit,
        branches=tuple(branches),
        decided_payoff=at_once,
    )


def _branch_cards(rules: RulesConfig) -> Iterable[tuple[Action, str, tuple[int | None, ...]]]:
    yield Action.STAND, STAND_TOKEN, (None,)
    if info_states(rules, Role.BANKER).cards_seen:
        for value in rules.values:
            yield Action.DRAW, draw_token(value), (value,)
    else:
        yield Action.DRAW, draw_token(None), rules.values


class _PayoffSums:
    """Sums of ordered deals and payoffs over unseen cards, axes [player column, banker hand]."""

    def __init__(self, setting: Setting) -> None:
        rules = setting.rules
        self.distribution = deal_distribution(rules, setting.shoe)
        self.num_classes = setting.states(Role.PLAYER).num_suit_classes
        self._own = own_cards(rules, setting.suits)
        self._totals = np.array(info_states(rules, Role.PLAYER).hand_totals)
        by_totals = [
            [
                payoff + setting.side_payoff((), (player, banker), of_suits=False)
                for banker, payoff in enumerate(row)
            ]
            for player, row in enumerate(payoff_table(rules))
        ]
        by_hand = [
            [setting.side_payoff(cards, (player, 0), of_suits=True) for player in TOTALS]
            for cards in self._own.stand_ins
        ]
        table, self.unit = scaled([*by_totals, *by_hand])
        self._by_totals, self._by_hand = table[: len(TOTALS)], table[len(TOTALS) :]

    def deals(self, cards: Iterable[int | None]) -> IntMatrix:
        """Deals in which the player takes one of the cards and the banker any."""
        return self._by_column(np.asarray(sum(self.distribution.deals(card, None) for card in cards)))

    def payoffs(self, player_cards: Iterable[int | None], banker_cards: Sequence[int | None]) -> IntMatrix:
        """Deals times what the final totals bring the player."""
        result: IntMatrix = np.zeros((len(self._totals), len(self._totals)), dtype=object)
        for player_card in player_cards:
            player_totals = self._final_totals(player_card)
            for banker_card in banker_cards:
                payoffs = self._by_totals[np.ix_(player_totals, self._final_totals(banker_card))]
                result = result + self.distribution.deals(player_card, banker_card) * payoffs
        return self._by_column(result)

    def own_payoffs(self, cards: Iterable[int | None]) -> IntMatrix | int:
        """Deals times what the player's own cards bring him on bets that suits settle."""
        if not self._by_hand.any():
            return 0
        return sum(self._own_payoff(card) for card in cards)

    def _own_payoff(self, card: int | None) -> IntMatrix:
        """The same for one card drawn, or none."""
        paid = self._by_hand[self._own.labels[card], self._final_totals(card)[:, None, None]]
        return self._shared(
            self.distribution.deals(card, None), card, (self._own.parts[card] * paid).sum(axis=2)
        )

    def _by_column(self, deals: IntMatrix) -> IntMatrix:
        """Sums by hand shared out to the player's columns."""
        return (
            deals if self.num_classes == 1 else self._shared(deals, None, self._own.parts[None].sum(axis=2))
        )

    def _shared(self, deals: IntMatrix, card: int | None, parts: IntMatrix) -> IntMatrix:
        by_class = parts if self.num_classes > 1 else parts.sum(axis=1, keepdims=True)
        return self._own.share_out(deals, card, by_class).reshape(-1, deals.shape[1])

    def _final_totals(self, card: int | None) -> npt.NDArray[np.int64]:
        totals: npt.NDArray[np.int64] = (self._totals + (card or 0)) % 10
        return totals


def scaled(rows: Sequence[Sequence[Fraction]]) -> tuple[IntMatrix, int]:
    """Fractions as integers over their least common denominator: (integers in their shape, denominator)."""
    unit = lcm(*(prob.denominator for row in rows for prob in row))
    return np.array([[int(prob * unit) for prob in row] for row in rows], dtype=object), unit
