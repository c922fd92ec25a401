"""Hands of the compiled engine against the exact values: totals, expectations and variances.

Every figure has significance 1e-4 (1e-5 in the slow test), fixed seeds, and a power above 0.99 that is
computed: a bias of `noticed` in a mean shows, and with 1e9 hands a hundredth of the commonest pairs of totals
that is moved from one to the other.

    python -m pytest -n 0 -s -m slow tests/game/test_batch_statistics.py     # 1e9 hands for every case
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2, ncx2, norm

from pan9_gym.game import Game, new_game
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.game.batch_tally import HandTally
from pan9_gym.policies.play import seat_policy
from pan9_gym.rules import load_rules
from pan9_gym.solver import evaluate, evaluate_seats

WANTED_POWER = 0.99


@dataclass(frozen=True)
class Case:
    """Who plays what."""

    sheet: str
    player: str
    banker: str
    side_stakes: dict[str, str] = field(default_factory=dict)
    noticed: float = 0.01

    @property
    def game(self) -> Game:
        return new_game(self.sheet, side_stakes=[self.side_stakes])


CASES = (
    Case("bicycle", "logical_way", "wizard"),
    Case("bicycle", "uniform", "uniform"),
    Case("bicycle_bonus", "uniform", "logical_way", {"dragon": "1/20", "super_0": "1/10"}),
    Case("bicycle_bonus", "logical_way", "uniform", {"bc": "1/10", "dragon": "1"}, noticed=0.1),
    Case("hawaiian_gardens", "logical_way", "uniform"),
    Case("uk_1994_house", "uniform", "logical_way", {"tie": "1/2"}, noticed=0.02),
    Case("uk_1994_player", "logical_way", "always_draw"),
    Case("baccarat_chemin_de_fer", "uniform", "uniform"),
    Case(
        "baccarat_punto_banco", "logical_way", "logical_way", {"tie": "1/4", "banker_hand": "1"}, noticed=0.02
    ),
)


def draw_probs(game: Game, names: Sequence[str]) -> list[npt.NDArray[np.float64]]:
    return [seat_policy(game, seat, name).array for seat, name in enumerate(names)]


def check_mean(
    mean: float, exact: Fraction, deviation: float, number: int, noticed: float, level: float
) -> float:
    """The deviation in standard errors, which must be within the interval."""
    error = deviation / sqrt(number)
    limit = norm.isf(level / 2)
    assert norm.sf(limit - noticed / error) > WANTED_POWER
    assert abs(mean - float(exact)) < limit * error
    return (mean - float(exact)) / error


def check_totals(counts: npt.NDArray[Any], probs: Sequence[Sequence[Fraction]], level: float) -> float:
    """Chi-square over the pairs of totals; its p-value, which must not be too small."""
    expected = np.array([[float(prob) for prob in row] for row in probs]).ravel() * counts.sum()
    observed = counts.ravel()
    possible = expected > 0
    assert observed[~possible].sum() == 0
    observed, expected = observed[possible], expected[possible]
    limit = chi2.isf(level, len(expected) - 1)
    moved = 0.01 * np.sort(expected)[-2:].min()
    shift = moved**2 * (1 / np.sort(expected)[-2:]).sum()
    if counts.sum() >= 10**9:
        assert ncx2.sf(limit, len(expected) - 1, shift) > WANTED_POWER
    distance = ((observed - expected) ** 2 / expected).sum()
    assert distance < limit
    return float(chi2.sf(distance, len(expected) - 1))


def check_case(case: Case, number: int, level: float, noticed: float) -> str:
    """What was found, in words; deviations that are too large fail."""
    game = case.game
    exact = evaluate(game.rules, case.player, case.banker, side_stakes=case.side_stakes or None)
    tally = HandTally(game, draw_probs(game, [case.player, case.banker]))
    for stream in range(10):
        tally.play(number // 10, seed=1, stream=stream)
    p_value = check_totals(tally.joint_totals[0], exact.joint_totals, level)
    mean = float(tally.sums[0] * tally.units[0]) / number
    z = check_mean(mean, exact.ev, exact.standard_deviation, number, noticed, level)
    square = float(tally.squares[0] * tally.units[0] ** 2) / number
    assert square - mean**2 == pytest.approx(
        float(exact.variance), rel=0.2 if "bc" in case.side_stakes else 0.02
    )
    names = f"{case.sheet} {case.player} {case.banker} {case.side_stakes or ''}"
    return f"{names}: {number:,} hands, ev {mean:.6f}, z {z:+.2f}; totals p = {p_value:.3f}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.sheet}-{case.player}-{case.banker}")
def test_one_player(case: Case) -> None:
    check_case(case, 2_000_000, 1e-4, case.noticed)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.sheet}-{case.player}-{case.banker}")
def test_one_player_with_a_billion_hands(case: Case) -> None:
    print(check_case(case, 1_000_000_000, 1e-5, case.noticed / 20))


def test_seats_with_unequal_wagers() -> None:
    number, names = 1_000_000, ["logical_way", "always_draw", "uniform", "uniform"]
    game = new_game("hawaiian_gardens", 3, wagers=["1/2", 4, 1], first_to_deal=2)
    exact = evaluate_seats(game.rules, names[:3], names[3], wagers=game.wagers)
    tally = HandTally(game, draw_probs(game, names))
    tally.play(number, seed=2)
    evs = [wager * ev for wager, ev in zip(game.wagers, exact.evs, strict=True)]
    for seat, ev in enumerate([*evs, exact.banker_ev]):
        deviation = sqrt(tally.squares[seat] * tally.units[seat] ** 2 / number)
        mean = float(tally.sums[seat] * tally.units[seat]) / number
        check_mean(mean, ev, deviation, number, 0.01 * deviation, 1e-4)
    for seat in range(3):
        check_totals(tally.joint_totals[seat], exact.joint_totals[seat], 1e-4)


@pytest.mark.parametrize("hand", [2, 5])
def test_a_later_hand_of_a_shoe_has_the_distribution_of_the_first(hand: int) -> None:
    """The k-th hand after a shuffle, always reached, comes from cards nobody has seen."""
    rules, number = load_rules("bicycle", num_decks=2), 500_000
    game = new_game(rules)
    exact = evaluate(rules, "logical_way", "wizard")
    batch = BatchRound(
        game, None, draw_probs(game, ["logical_way", "wizard"]), number, seed=3, continues=True
    )
    for _ in range(hand):
        batch.play()
    assert (batch.unseen.sum(axis=1) <= 72 - 6 * hand).all()  # nobody has shuffled
    counts = np.zeros((10, 10), dtype=np.int64)
    np.add.at(counts, (batch.totals[:, 0], batch.totals[:, 1]), 1)
    check_totals(counts, exact.joint_totals, 1e-4)
    check_mean(batch.payoffs[:, 0].mean(), exact.ev, exact.standard_deviation, number, 0.01, 1e-4)


def natural_probs(counts: Sequence[int]) -> list[list[Fraction]]:
    """How often two first cards each make the totals of a hand that a natural ends: [player][banker]."""
    size = sum(counts)
    found = [[Fraction(0)] * 10 for _ in range(10)]
    for cards in product(range(10), repeat=4):
        totals = (cards[0] + cards[1]) % 10, (cards[2] + cards[3]) % 10
        if max(totals) >= 8:
            left, ways = list(counts), 1
            for card in cards:
                ways *= left[card]
                left[card] -= 1
            found[totals[0]][totals[1]] += Fraction(ways, size * (size - 1) * (size - 2) * (size - 3))
    return found


def test_k1_an_agent_is_dealt_past_naturals() -> None:
    """The agent's hands have the exact distribution without the hands that a natural ends."""
    game, number = new_game("baccarat_chemin_de_fer"), 1_000_000
    policy, banker = draw_probs(game, ["logical_way", "uniform"])
    batch = BatchRound(game, 0, [None, banker], number, seed=4)
    batch.deal()
    batch.finish(policy[0, batch.info_state].astype(np.int64))
    assert not batch.replaced.any()
    naturals = natural_probs(game.rules.initial_counts)
    reached = 1 - sum(map(sum, naturals))
    exact = evaluate(game.rules, "logical_way", "uniform").joint_totals
    probs = [[(exact[i][j] - naturals[i][j]) / reached for j in range(10)] for i in range(10)]
    counts = np.zeros((10, 10), dtype=np.int64)
    np.add.at(counts, (batch.totals[:, 0], batch.totals[:, 1]), 1)
    check_totals(counts, probs, 1e-4)
