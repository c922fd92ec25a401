"""The game of one player against the banker as integer matrices: what every exact answer is computed from.

A *branch* is what the player can be seen to have done: stand, draw, or draw a seen card. It fixes the
player's action, the banker's pattern, and for each action of the banker the matrix

    M[branch, banker action][h, b] = sum over unseen cards of (ordered deals) * (player's payoff)

over hands h of the player and b of the banker, and 0 where a natural decides the hand at once, which adds a
constant. With drawing probabilities p(h) and q(pattern, b) the player's expectation is

    sum_branch sum_{h, b} p(action | h) (M_stand (1 - q) + M_draw q) / (deals * payoff unit)
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
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role, draw_token
from pan9_gym.solver.deal_distribution import (
    DealDistribution,
    IntMatrix,
    ShoeCounts,
    deal_distribution,
    read_shoe,
)

IntVector = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Branch:
    """One thing the player can be seen to have done.

    Attributes:
        action: The player's action.
        pattern: The row of the banker's policy that answers it.
        deals: Ordered deals, [player hand, banker hand].
        payoffs: For the banker's STAND and DRAW: deals times the player's payoff, [player hand, banker hand].
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
def _duel(rules: RulesConfig, shoe: ShoeCounts) -> Duel:
    distribution = deal_distribution(rules, shoe)
    banker_states = info_states(rules, Role.BANKER)
    payoffs, unit = scaled(payoff_table(rules))
    played = (~distribution.decided).astype(object)
    branches = []
    for action, token, cards in _branch_cards(rules):
        pattern = banker_states.pattern_index((token,) if banker_states.num_visible else ())
        answers = [_payoff_sum(distribution, payoffs, cards, banker) for banker in ((None,), rules.values)]
        deals = np.asarray(sum(distribution.deals(card, None) for card in cards))
        branches.append(Branch(action, pattern, deals * played, (answers[0] * played, answers[1] * played)))
    at_once = _payoff_sum(distribution, payoffs, (None,), (None,)) * distribution.decided
    return Duel(
        rules=rules,
        player_states=info_states(rules, Role.PLAYER),
        banker_states=banker_states,
        num_deals=distribution.num_deals,
        payoff_unit=unit,
        branches=tuple(branches),
        decided_payoff=int(at_once.sum()),
    )


def duel(rules: RulesConfig, shoe: Sequence[int] | None = None) -> Duel:
    """The matrices of the game for a shoe, a full one by default.

    Raises:
        ValueError: If `shoe` does not fit the rules.
    """
    return _duel(rules, read_shoe(rules, shoe))


def _branch_cards(rules: RulesConfig) -> Iterable[tuple[Action, str, tuple[int | None, ...]]]:
    yield Action.STAND, STAND_TOKEN, (None,)
    if info_states(rules, Role.BANKER).cards_seen:
        for value in rules.values:
            yield Action.DRAW, draw_token(value), (value,)
    else:
        yield Action.DRAW, draw_token(None), rules.values


def _payoff_sum(
    distribution: DealDistribution,
    payoffs: IntMatrix,
    player_cards: Iterable[int | None],
    banker_cards: Iterable[int | None],
) -> IntMatrix:
    totals = np.array([sum(hand) % 10 for hand in distribution.hands])
    size = len(totals)
    result: IntMatrix = np.zeros((size, size), dtype=object)
    banker_cards = tuple(banker_cards)
    for player_card in player_cards:
        player_totals = (totals + (player_card or 0)) % 10
        for banker_card in banker_cards:
            banker_totals = (totals + (banker_card or 0)) % 10
            result = (
                result
                + distribution.deals(player_card, banker_card) * payoffs[np.ix_(player_totals, banker_totals)]
            )
    return result


def scaled(rows: Sequence[Sequence[Fraction]]) -> tuple[IntMatrix, int]:
    """Fractions as integers over their least common denominator: (integers in their shape, denominator)."""
    unit = lcm(*(prob.denominator for row in rows for prob in row))
    return np.array([[int(prob * unit) for prob in row] for row in rows], dtype=object), unit
