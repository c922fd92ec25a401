"""The sums over patterns of choices that answer questions about several seats (see `seats_game`).

Formula:
    banker   reach[t, b] = sum_a ways(b) C_a(b) / F(c_a)
             stand[t, b] = -sum_a ways(b) sum_i w_i X_i(b) / F(c_a)
             draw[t, b]  = -sum_a ways(b) sum_v sum_i w_i X_i(b + v) / F(c_a + 1)
    seat i   reach[t, h] = sum_a ways(h) sum_b z_a(b) R_i(h + b),                            a_i = STAND
             stand[t, h] = sum_a ways(h) sum_b z_a(b) f(total(h), total(b)) R_i(h + b),      a_i = STAND
             draw[t, h]  = sum_a ways(h) sum_v sum_b z_a(b) f(total(h + v), total(b)) R_i(h + v + b),
                                                                                             a_i = DRAW
    P(a) = sum_b ways(b) C_a(b) / F(c_a)
    joint_i[p][d] = sum_a sum u(c) z_a(b) R_i(c + b)        over c of total p and b of total d

Symbols:
    a: a pattern of choices, a_i the choice of seat i; sums are over those that show the role the row t
    h, b: first cards of seat i and of the banker; in z_a(b), and where it follows z_a, b is his final hand
    C_a(b) = sum_c u(c) R_i(c + b), the same for every seat i; R_i, X_i, u, f as in `seats_game`
    c_a: cards dealt before the banker chooses; F(m) = falling(N, m)
    z_a(b): for k cards ways(b) (1 - q(b)) / F(c_a), for k + 1 the sum of ways(b - v) q(b - v) / F(c_a + 1)
        over the values v in b; q: his drawing probability after a
    w_i: wager, in units; ways: orders of first cards; v: value of a drawn card

Source:
    Derivation: this module and `seats_game`. In code every exact sum is spread to deals of `max_cards` cards,
    F(max_cards) / F(m) times as many, and the policies' denominators are divided out at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from pan9_gym.game.info_state import Choices
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.falling_functional import Numbers
from pan9_gym.solver.float_values import FloatValues
from pan9_gym.solver.seats_game import SeatsGame


def banker_action_values(game: SeatsGame, stakes: Sequence[Fraction]) -> ActionValues:
    """What both actions are worth to the banker, by pattern and hand, in units.

    Args:
        game: The table, in exact numbers.
        stakes: Each player's wager.
    """
    wager_unit = lcm(*(wager.denominator for wager in stakes))
    reach, stand, draw = _banker_arrays(game, [int(wager * wager_unit) for wager in stakes])
    unit = game.num_deals(game.max_cards) * game.units()
    return ActionValues(
        rules=game.rules,
        states=game.banker_states,
        reach=reach,
        stand=stand,
        draw=draw,
        reach_unit=unit,
        value_unit=unit * game.payoff_unit * wager_unit,
        decided=0,
    )


def banker_float_values(game: SeatsGame, stakes: Sequence[Fraction]) -> FloatValues:
    """`banker_action_values` in double precision.

    Args:
        game: The table, in floating point.
        stakes: Each player's wager.
    """
    reach, stand, draw = _banker_arrays(game, [float(wager) for wager in stakes])
    return FloatValues(reach, stand / game.payoff_unit, draw / game.payoff_unit, decided=0.0)


def _banker_arrays(game: SeatsGame, weights: Sequence[Any]) -> tuple[Numbers, Numbers, Numbers]:
    """Reach, and the values of standing and drawing: counts if exact, else per deal; times `payoff_unit`."""
    reach, stand, draw = (np.zeros(game.banker_states.shape, dtype=game.dtype) for _ in range(3))
    num_hands = len(game.hands)
    for pattern in game.patterns:
        if not game.arises(pattern):
            continue
        row, dealt = game.banker_row(pattern), game.num_dealt(pattern)
        standing, drawing = (game.orders * _deals(game, dealt + extra) for extra in (0, 1))
        counts = game.banker_sums(0, pattern).sum(axis=0)
        paid = sum(weight * game.paid(seat, pattern) for seat, weight in enumerate(weights))
        reach[row] += standing * counts[:num_hands]
        stand[row] -= standing * paid[:num_hands]
        draw[row] -= drawing * paid[game.drawn].sum(axis=1)
    return reach, stand, draw


def _deals(game: SeatsGame, num_cards: int) -> int | float:
    """What a count of deals of `num_cards` cards is multiplied by, exact or as a share of all deals."""
    return game.spread(num_cards) if game.dtype is object else 1 / game.num_deals(num_cards)


def seat_action_values(game: SeatsGame, banker: TabularPolicy, seat: int) -> ActionValues:
    """What both actions are worth to one player, by visible choices and hand, per unit wagered.

    Args:
        game: The table; the seat's own policy is not used.
        banker: The banker's policy.
        seat: The player.
    """
    probs, banker_unit = scaled(banker.draw_probs)
    states = game.players[seat].states
    reach, stand, draw = (np.zeros(states.shape, dtype=object) for _ in range(3))
    num_hands = len(game.hands)
    payoffs = game.payoffs[game.final_totals]
    for pattern in game.patterns:
        _, counts = game.others(seat, pattern)
        if not len(counts):
            continue
        row = game.seat_row(seat, pattern)
        answers = game.banker_weights(probs, banker_unit, pattern)
        if pattern[seat] is Action.STAND:
            deals = game.by_banker_total(counts[game.pairs[:num_hands]] * answers)
            reach[row] += game.orders * deals.sum(axis=1)
            stand[row] += game.orders * (deals * payoffs[:num_hands]).sum(axis=1)
        else:
            values = (game.by_banker_total(counts[game.pairs] * answers) * payoffs).sum(axis=1)
            draw[row] += game.orders * values[game.drawn].sum(axis=1)
    unit = game.num_deals(game.max_cards) * game.units(but=seat) * banker_unit
    return ActionValues(
        rules=game.rules,
        states=states,
        reach=reach,
        stand=stand,
        draw=draw,
        reach_unit=unit,
        value_unit=unit * game.payoff_unit,
        decided=0,
    )


def pattern_probs(game: SeatsGame) -> dict[Choices, Fraction]:
    """The probability of every pattern of choices."""
    unit = game.num_deals(game.max_cards) * game.units()
    probs = {}
    for pattern in game.patterns:
        count = 0
        if game.arises(pattern):
            sums = game.banker_sums(0, pattern).sum(axis=0)[: len(game.hands)]
            count = game.spread(game.num_dealt(pattern)) * (game.orders * sums).sum()
        probs[game.tokens(pattern)] = Fraction(count, unit)
    return probs


def joint_totals(game: SeatsGame, banker: TabularPolicy) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
    """For each player the probability of each pair of final totals, [seat][player total][banker total]."""
    probs, banker_unit = scaled(banker.draw_probs)
    unit = game.num_deals(game.max_cards) * game.units() * banker_unit
    arising = [pattern for pattern in game.patterns if game.arises(pattern)]
    answers = [game.banker_weights(probs, banker_unit, pattern) for pattern in arising]
    joint = []
    for seat in range(game.num_players):
        counts = np.zeros((len(TOTALS), len(TOTALS)), dtype=object)
        for pattern, answer in zip(arising, answers, strict=True):
            counts += game.by_banker_total(game.banker_sums(seat, pattern) * answer)
        joint.append(tuple(tuple(Fraction(count, unit) for count in row) for row in counts))
    return tuple(joint)
