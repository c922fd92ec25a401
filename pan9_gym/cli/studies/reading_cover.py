"""What two readings are worth where the banker's stake does not cover every wager: from simulated hands.

Both figures of a row come from the same hands, so that the error of their difference is that of the
difference itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from pan9_gym.cli.studies.reading_stakes import SMALL_POOL, super_0_from_pool
from pan9_gym.cli.studies.reading_values import (
    SEATS,
    Floats,
    Measure,
    Sampled,
    Valuation,
    Value,
    logical_value,
)
from pan9_gym.evaluation import CoverSample, CoverValue, cover_sample
from pan9_gym.evaluation.simulate import played_hands
from pan9_gym.game.round import new_game
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import Cover, action_seat_probs, covered_wagers, settlement_order
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.solver import banker_best_response, evaluate_seats

NUM_HANDS = 10_000
SEED = 1

AT_THE_TABLE = f"{SEATS} logical-way players, wagers 1, the banker's best answer by total for full cover"


@cache
def hands(rules: RulesConfig) -> CoverSample:
    """`SEATS` players with wagers of 1 who play the logical way, and the banker's best answer by total."""
    players = ["logical_way"] * SEATS
    banker = banker_best_response(rules, players, level="total").policy
    return cover_sample(rules, players, banker, num_hands=NUM_HANDS, seed=SEED)


def _results(
    sample: CoverSample, stake: Fraction, cover: Cover, push_uses_cover: bool, action_seat: int
) -> Floats:
    """What each hand brings each player, axes [hand, player], with the same control as `cover_sample`."""
    order = settlement_order(len(sample.wagers), action_seat)
    covered = [
        covered_wagers(stake, sample.wagers, row, order, cover, push_uses_cover) for row in sample.rows
    ]
    parts = np.array([[float(part) for part in row] for row in covered])[sample.places]
    means = parts.mean(axis=0)
    results: Floats = sample.payoffs() * (parts - means) + means * [float(ev) for ev in sample.evs]
    return results


def banker_under_cover(
    cover: str = "gross", push_uses_cover: bool = False, stake: Fraction = Fraction(1)
) -> Valuation:
    """The banker's value if his stake covers few of `SEATS` equal wagers, settled from his left."""

    def found(rules: RulesConfig) -> Value:
        sample = hands(rules)
        value = sample.settled(stake, cover, push_uses_cover).banker
        if value.exact is not None:
            return value.exact
        return Sampled(-_results(sample, stake, Cover(cover), push_uses_cover, 0).sum(axis=1))

    return found


def first_player_if_begun(probs: Sequence[Fraction]) -> Valuation:
    """The value at the banker's left, stake 1, if settlement begins at each seat with these chances."""

    def found(rules: RulesConfig) -> Value:
        sample = hands(rules)
        exact, results = Fraction(0), np.zeros(len(sample.places))
        certain = True
        for seat, prob in enumerate(probs):
            value: CoverValue = sample.settled(1, action_seat=seat).players[0]
            if prob and value.exact is None:
                certain = False
            exact += prob * (value.exact or 0)
            results += float(prob) * _results(sample, Fraction(1), Cover.GROSS, False, seat)[:, 0]
        return exact if certain else Sampled(results)

    return found


def at_the_left(taken: Sequence[Fraction], other: Sequence[Fraction]) -> Measure:
    """Two readings of where settlement begins, by the chances of each seat."""
    return Measure(
        "EV at the left, stake 1",
        first_player_if_begun(taken),
        first_player_if_begun(other),
        f"of a unit at the banker's left; {AT_THE_TABLE}, his stake is 1",
    )


BY_DICE = action_seat_probs(SEATS)


def share_of_cover(part: Fraction) -> Callable[[RulesConfig], Fraction]:
    """The value at the banker's left if a part of the wager is played for, whatever the hands."""

    def found(rules: RulesConfig) -> Fraction:
        players = ["logical_way"] * SEATS
        banker = banker_best_response(rules, players, level="total").policy
        return part * evaluate_seats(rules, players, banker).evs[0]

    return found


@cache
def _bonus_hands(rules: RulesConfig) -> tuple[Floats, Floats]:
    """What wagers and stakes on Super 0 of 1 each would bring, axes [hand, player]; all the logical way."""
    game = new_game(rules, SEATS)
    wagers, stakes = [], []
    for state in played_hands(game, ["logical_way"] * (SEATS + 1), NUM_HANDS, SEED):
        wagers.append([float(net) for net in state.returns()[:-1]])
        totals = [(state.total(seat), state.total(game.banker_seat)) for seat in range(SEATS)]
        pays = rules.side_bets.payoff
        stakes.append([float(pays(SideBet.SUPER_0, (), rules.num_initial_cards, pair)) for pair in totals])
    return np.array(wagers), np.array(stakes)


def with_super_0_at_once(rules: RulesConfig) -> Fraction:
    """What a wager and a stake on Super 0 bring whoever is settled first, from a stake of `SMALL_POOL`."""
    return logical_value(rules) + super_0_from_pool(payable=True)(rules)


def with_super_0_at_last(rules: RulesConfig) -> Value:
    """The same if stakes on Super 0 are settled after all players' wagers: less by what those used up."""
    wagers, stakes = _bonus_hands(rules)
    before = _paid_in_order([*wagers.T, *stakes.T], SMALL_POOL)
    at_once = _paid_in_order([wagers[:, 0], stakes[:, 0]], SMALL_POOL)
    less = before[0] + before[SEATS] - sum(at_once)
    return Sampled(float(with_super_0_at_once(rules)) + less)


def _paid_in_order(items: Sequence[Floats], stake: int) -> list[Floats]:
    """What each item brings if every amount won or lost uses the banker's stake, in order, gross."""
    left = np.full(len(items[0]), float(stake))
    paid = []
    for item in items:
        amount = np.minimum(np.abs(item), left)
        left = left - amount
        paid.append(np.sign(item) * amount)
    return paid
