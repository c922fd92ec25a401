"""Every final hand of the game, numbered, and the tables that depend on the rules but not on the shoe.

A *final hand* is a multiset of point values as it is compared: k first cards (84 in Pan 9, 55 in baccarat),
or k first cards and a drawn one (210, 220).

Formula:
    A(s) = prod_v falling(n_v, s_v) / falling(N, m),        N = sum_v n_v,    m = sum_v s_v
    P(first cards h and b become c and d) = ways(h) ways(b) A(c + d),        c = h or h + x,  d = b or b + y
    decided_ways(h, b) = orders(h) orders(b) - ways(h) ways(b)

Symbols:
    A(s): probability that m cards dealt in a fixed order of values have the composition s
    n_v, N, k, falling: as in `deal_distribution`; the tables hold all of A but the shoe's n_v and N
    h, b: first cards; c, d: final hands of the player and the banker; x, y: cards drawn
    orders(h): k! / prod_v h_v!; ways(h): the same, but 0 where a natural decides the hand at once
    s = c + d: 5643 different sums in Pan 9, 7722 in baccarat; `sum_index` says which one a pair has

Source:
    Naturals: K1. Derivation: this module and `deal_distribution`. A depends on the composition alone, not on
    who holds which card, and cards that nobody takes need not be counted; so a pair of final hands needs only
    the A of its sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates, info_states, legal_table
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import STAND_TOKEN, Role, draw_token
from pan9_gym.solver.deal_distribution import num_orders

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FinalHands:
    """The tables of one rule set; made by `final_hands`.

    H first hands, F final hands (the first hands come first, in the order of the information states), V
    point values, S different sums of two final hands. `ways` of a hand is in how many orders its cards can be
    dealt, k! / prod_v h_v!.

    Attributes:
        ways: `ways`, but 0 where a natural decides the hand at once (K1), float64, (H,).
        decided_ways: `ways` of both hands where a natural decides the pair at once, else 0, float64,
            [player's hand, banker's hand].
        drawn: The final hand that a first hand becomes by drawing a value, int64, [value, hand].
        became: 1 where a first hand can become a final hand with a drawn card, float64, [hand, F - H].
        stand_pattern: The banker's pattern after a player who stood.
        draw_patterns: The banker's pattern after a player who drew each value, int64, (V,).
        lengths: Cards of each sum, int64, (S,).
        powers: Where a sum's falling factorial of each value is in a flat (V, 2k + 3) table, int64,
            [value, sum].
        sum_index: The sum of two final hands, int64, [final hand, final hand].
        payoffs: The player's payoff for two final hands, float64, [player's, banker's].
        states: The information states of each role.
        bounds: Least and greatest legal drawing probability of each role, two arrays of `states.shape` each.
    """

    ways: Floats
    decided_ways: Floats
    drawn: Ints
    became: Floats
    stand_pattern: int
    draw_patterns: Ints
    lengths: Ints
    powers: Ints
    sum_index: Ints
    payoffs: Floats
    states: Mapping[Role, InfoStates]
    bounds: Mapping[Role, tuple[Floats, Floats]]


@lru_cache(maxsize=16)
def final_hands(rules: RulesConfig) -> FinalHands:
    """The tables of a rule set (about 0.2 s, once)."""
    states = {role: info_states(rules, role) for role in Role}
    hands, values = states[Role.PLAYER].hands, rules.values
    finals = [*hands, *combinations_with_replacement(values, rules.num_initial_cards + 1)]
    number = {final: index for index, final in enumerate(finals)}
    counts = np.array([[final.count(value) for value in values] for final in finals])
    pairs = (counts[:, None] + counts[None]).reshape(-1, len(values))
    sums, sum_index = np.unique(pairs, axis=0, return_inverse=True)
    drawn = np.array([[number[tuple(sorted((*hand, value)))] for hand in hands] for value in values])
    became = np.zeros((len(hands), len(finals)))
    became[np.arange(len(hands)), drawn] = 1.0
    totals = np.array([sum(final) % 10 for final in finals])
    orders = np.array([num_orders(row) for row in counts[: len(hands)].tolist()], dtype=float)
    ways = orders * ~np.isin(totals[: len(hands)], list(rules.naturals))
    seen = _patterns(states[Role.BANKER], values)
    row_length = 2 * rules.num_initial_cards + 3
    return FinalHands(
        ways=ways,
        decided_ways=np.outer(orders, orders) - np.outer(ways, ways),
        drawn=drawn,
        became=became[:, len(hands) :].copy(),
        stand_pattern=seen[0],
        draw_patterns=np.array(seen[1:]),
        lengths=sums.sum(axis=1),
        powers=(sums + np.arange(len(values)) * row_length).T.copy(),
        sum_index=sum_index.reshape(len(finals), len(finals)),
        payoffs=np.array(payoff_table(rules), dtype=float)[np.ix_(totals, totals)],
        states=states,
        bounds={role: _bounds(rules, states[role]) for role in Role},
    )


def _patterns(banker: InfoStates, values: tuple[int, ...]) -> list[int]:
    """The banker's patterns after a player who stood, and after one who drew each value."""
    tokens = [STAND_TOKEN, *(draw_token(value if banker.cards_seen else None) for value in values)]
    return [banker.pattern_index((token,) if banker.num_visible else ()) for token in tokens]


def _bounds(rules: RulesConfig, states: InfoStates) -> tuple[Floats, Floats]:
    legal = legal_table(rules, states)
    low, high = ([[float(end(moves)) for moves in row] for row in legal] for end in (min, max))
    return np.array(low), np.array(high)
