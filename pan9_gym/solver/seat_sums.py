"""The sums over patterns of choices that answer questions about several seats (see `seats_game`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import Choices
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.deal_distribution import IntMatrix
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.falling_functional import Composition
from pan9_gym.solver.seats_game import Pattern, SeatsGame, zeros


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


@dataclass(frozen=True)
class FloatValues:
    """Values per information state in double precision, shape `states.shape`.

    Attributes:
        reach: Probability that the state is reached.
        stand: Expectation of standing, weighted by reach, in units.
        draw: Expectation of drawing, weighted by reach, in units.
    """

    reach: npt.NDArray[np.float64]
    stand: npt.NDArray[np.float64]
    draw: npt.NDArray[np.float64]


def banker_float_values(game: SeatsGame, stakes: Sequence[Fraction]) -> FloatValues:
    """`banker_action_values` in double precision.

    Args:
        game: The table, in floating point.
        stakes: Each player's wager.
    """
    reach, stand, draw = _banker_arrays(game, [float(wager) for wager in stakes])
    unit = float(game.num_deals(game.max_cards) * game.units())
    scale = unit * game.payoff_unit
    return FloatValues(
        *((array / by).astype(float) for array, by in ((reach, unit), (stand, scale), (draw, scale)))
    )


def _banker_arrays(game: SeatsGame, weights: Sequence[Any]) -> tuple[IntMatrix, IntMatrix, IntMatrix]:
    """Reach, and the values of standing and drawing, times their units."""
    reach, stand, draw = (zeros(game.banker_states.shape) for _ in range(3))
    for pattern in game.patterns:
        if any(not game.part(seat, pattern).weights for seat in range(game.num_players)):
            continue
        row = game.banker_row(pattern)
        standing, drawing = (game.spread(game.num_dealt(pattern) + extra) for extra in (0, 1))
        counts = game.banker_sums(0, pattern, with_payoff=False)
        paid = _paid(game, pattern, weights)
        for column, (hand, orders) in enumerate(zip(game.hands, game.orders, strict=True)):
            after = sum(paid[final] for final in game.finals(hand, Action.DRAW))
            reach[row, column] += orders * standing * counts[hand]
            stand[row, column] -= orders * standing * paid[hand]
            draw[row, column] -= orders * drawing * after
    return reach, stand, draw


def _paid(game: SeatsGame, pattern: Pattern, weights: Sequence[Any]) -> dict[Composition, Any]:
    """For every final composition of the banker what all players together are paid."""
    sums = [game.banker_sums(seat, pattern, with_payoff=True) for seat in range(game.num_players)]
    return {
        final: sum(weight * of_seat[final] for weight, of_seat in zip(weights, sums, strict=True))
        for final in game.banker_finals
    }


def seat_action_values(game: SeatsGame, banker: TabularPolicy, seat: int) -> ActionValues:
    """What both actions are worth to one player, by visible choices and hand, per unit wagered.

    Args:
        game: The table; the seat's own policy is not used.
        banker: The banker's policy.
        seat: The player.
    """
    probs, banker_unit = scaled(banker.draw_probs)
    states = game.players[seat].states
    reach = zeros(states.shape)
    values = {action: zeros(states.shape) for action in Action}
    for pattern in game.patterns:
        _, counts = game.others(seat, pattern)
        if not counts:
            continue
        row, action = game.seat_row(seat, pattern), pattern[seat]
        answers = game.banker_weights(probs, banker_unit, pattern)
        for column, (hand, orders) in enumerate(zip(game.hands, game.orders, strict=True)):
            for final in game.finals(hand, action):
                payoffs = game.payoffs[game.total(final)]
                for other, weight in answers.items():
                    deals = weight * counts[tuple(map(int.__add__, final, other))]
                    values[action][row, column] += orders * deals * payoffs[game.total(other)]
                    if action is Action.STAND:
                        reach[row, column] += orders * deals
    unit = game.num_deals(game.max_cards) * game.units(but=seat) * banker_unit
    return ActionValues(
        rules=game.rules,
        states=states,
        reach=reach,
        stand=values[Action.STAND],
        draw=values[Action.DRAW],
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
        if all(game.part(seat, pattern).weights for seat in range(game.num_players)):
            sums = game.banker_sums(0, pattern, with_payoff=False)
            count = game.spread(game.num_dealt(pattern)) * sum(
                orders * sums[hand] for hand, orders in zip(game.hands, game.orders, strict=True)
            )
        probs[game.tokens(pattern)] = Fraction(count, unit)
    return probs


def joint_totals(game: SeatsGame, banker: TabularPolicy) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
    """For each player the probability of each pair of final totals, [seat][player total][banker total]."""
    probs, banker_unit = scaled(banker.draw_probs)
    unit = game.num_deals(game.max_cards) * game.units() * banker_unit
    known: dict[tuple[object, ...], dict[tuple[int, int], int]] = {}
    joint = []
    for seat in range(game.num_players):
        counts: dict[tuple[int, int], int] = dict.fromkeys(((p, b) for p in TOTALS for b in TOTALS), 0)
        for pattern in game.patterns:
            key, others = game.others(seat, pattern)
            part = game.part(seat, pattern)
            if not others or not part.weights:
                continue
            answer = tuple(probs[game.banker_row(pattern)])
            found = known.get((key, part.key, sum(pattern), answer))
            if found is None:
                answers = game.banker_weights(probs, banker_unit, pattern)
                found = known[key, part.key, sum(pattern), answer] = _pair_counts(
                    game, part.weights, answers, others
                )
            for pair, number in found.items():
                counts[pair] += number
        joint.append(tuple(tuple(Fraction(counts[p, b], unit) for b in TOTALS) for p in TOTALS))
    return tuple(joint)


def _pair_counts(game: SeatsGame, own: Any, answers: Any, others: Any) -> dict[tuple[int, int], int]:
    """Weighted deals by (player total, banker total)."""
    pairs: dict[tuple[int, int], int] = {}
    for final, weight in own.items():
        for other, chance in answers.items():
            pair = (game.total(final), game.total(other))
            deals = weight * chance * others[tuple(map(int.__add__, final, other))]
            pairs[pair] = pairs.get(pair, 0) + deals
    return pairs
