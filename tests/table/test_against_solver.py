"""With a fresh shoe every hand the table's means are the exact values, by seat and kind of wager (one truth).

The side bets of Super Pan 9 and the means over all seats are in `test_session`; here are the seats one by
one, baccarat with its side bets, the back line (B8) and the wager on both hands (R1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest

from pan9_gym import load_rules, solver
from pan9_gym.rules.config import PAN_9_POINT_VALUES
from pan9_gym.table import Request, TableConfig, table_config
from pan9_gym.table.participants import Participant
from pan9_gym.table.session import Session
from tests.table.playing import SHEETS

STANDARD_ERRORS = 4.5
"""Allowed: a true table fails one of about 20 comparisons once in 7,000 seeds; the seeds are fixed. Power:
with 1,000 hands a bias of 0.18 units a hand is found with a probability of 0.9 (a standard error is 0.03),
with 10,000 hands one of 0.06."""

NUM_HANDS = [1_000, pytest.param(10_000, marks=pytest.mark.slow)]

Units = dict[tuple[int, str | None, int], list[Fraction]]
"""Net results per unit by (place, side bet, circle)."""


def tally(config: TableConfig, who: Participant | Mapping[str, Participant], num_hands: int) -> Units:
    """The hands that are played by the table's own sheet; the House's sheet is another test's."""
    session = Session(config, who, seed=num_hands)
    found: Units = defaultdict(list)
    played = 0
    while played < num_hands:
        events = session.hand()
        if session.table.state.current.rules != config.rules:
            continue
        played += 1
        for row in (event.data for event in events if event.kind == "settled"):
            unit = Fraction(row["net"]) / Fraction(row["amount"])
            found[row["place"], row["bet"], row["circle"]].append(unit)
    return found


def assert_mean(
    nets: list[Fraction], num_hands: int, exact: Fraction, variance: Fraction | None = None
) -> None:
    assert len(nets) == num_hands
    spread = float(np.var([float(net) for net in nets])) if variance is None else float(variance)
    assert spread > 0.0
    assert abs(float(sum(nets)) / num_hands - float(exact)) < STANDARD_ERRORS * sqrt(spread / num_hands)


PLAYERS = ("always_draw", "logical_way")


def two_players(sheet: str, **fields: Any) -> tuple[TableConfig, dict[str, Participant], tuple[int, int]]:
    """The House banks, or seat_0 whenever a player does; two hands of unlike policies oppose."""
    first = 0 if sheet == "uk_1994_house" else 1
    config = table_config(sheet, shoe="fresh", occupied=range(first + 2), **fields)
    who = {"seat_0": Participant(bank=1)} if first else {}
    for place, policy in enumerate(PLAYERS, first):
        who[f"seat_{place}"] = Participant(player=policy, bank=0, wager=4 + 2 * place)
    return config, who, (first, first + 1)


@pytest.mark.parametrize("num_hands", NUM_HANDS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_means_of_each_seat_are_the_exact_values(sheet: str, num_hands: int) -> None:
    config, who, places = two_players(sheet)
    exact = solver.evaluate_seats(config.rules, PLAYERS, "logical_way").evs
    found = tally(config, who, num_hands)
    assert set(found) == {(place, None, 1) for place in places}
    for place, ev in zip(places, exact, strict=True):
        assert_mean(found[place, None, 1], num_hands, ev)


@pytest.mark.parametrize("num_hands", NUM_HANDS)
def test_a_wager_on_the_back_line_is_worth_what_the_hand_is_as_its_bettor_plays_it(num_hands: int) -> None:
    """seat_3 has the largest wager on seat_1's hand, draws always, and so decides for both (B8)."""

    def behind_seat_1(request: Request, rng: np.random.Generator) -> dict[str, Any]:
        return {"back": {"seat_1": 9}}

    config = table_config("bicycle", shoe="fresh", occupied=(0, 1, 2, 3))
    who = {
        "seat_0": Participant(bank=1),
        "seat_1": Participant(player="always_stand", bank=0, wager=4),
        "seat_2": Participant(player=PLAYERS[1], bank=0, wager=6),
        "seat_3": Participant(player=PLAYERS[0], bank=0, wager=0, others=behind_seat_1),
    }
    exact = solver.evaluate_seats(config.rules, PLAYERS, "logical_way").evs
    found = tally(config, who, num_hands)
    assert found[1, None, 1] == found[1, None, 2]
    assert_mean(found[1, None, 2], num_hands, exact[0])
    assert_mean(found[2, None, 1], num_hands, exact[1])


@pytest.mark.parametrize("num_hands", NUM_HANDS)
def test_the_means_of_punto_banco_and_its_side_bets_are_the_exact_values(num_hands: int) -> None:
    config = table_config("baccarat_punto_banco", shoe="fresh", occupied=(0,))
    bets = ("tie", "banker_hand")
    found = tally(config, Participant(wager=4, side=dict.fromkeys(bets, 2)), num_hands)
    hand = solver.evaluate(config.rules, "logical_way", "logical_way")  # nobody ever chooses (R3)
    assert set(found) == {(0, bet, 1) for bet in (None, *bets)}
    assert_mean(found[0, None, 1], num_hands, hand.ev, hand.variance)
    for bet in bets:
        exact = solver.side_bet(config.rules, bet)
        assert_mean(found[0, bet, 1], num_hands, exact.ev, exact.variance)
        assert set(found[0, bet, 1]) == set(exact.distribution)


@pytest.mark.parametrize("num_hands", NUM_HANDS)
@pytest.mark.parametrize("banker", ["logical_way", "always_stand"])
def test_the_mean_of_chemin_de_fer_is_the_exact_value(banker: str, num_hands: int) -> None:
    config = table_config("baccarat_chemin_de_fer", shoe="fresh", occupied=(0, 1))
    found = tally(config, Participant(banker=banker, wager=4), num_hands)
    exact = solver.evaluate(config.rules, "logical_way", banker)
    assert set(found) == {(0, None, 1), (1, None, 1)}  # each banks until he loses (R2)
    assert_mean(found[0, None, 1] + found[1, None, 1], num_hands, exact.ev, exact.variance)


def total_probs(draws: bool) -> list[Fraction]:
    """The final totals of a hand out of endless packs that draws the logical way, or never."""
    kinds, probs = list(PAN_9_POINT_VALUES.values()), [Fraction(0)] * 10
    for points in product(kinds, repeat=4):  # the fourth is the card that it may draw
        total = sum(points[:3]) % 10
        total = (total + points[3]) % 10 if draws and total <= 5 else total
        probs[total] += Fraction(1, len(kinds) ** 4)
    return probs


@pytest.mark.parametrize("num_hands", NUM_HANDS)
def test_the_mean_of_the_wager_on_both_hands_is_the_exact_value(num_hands: int) -> None:
    """Out of endless packs the hands are independent: both beat a banker's total with the square of one's."""

    def on_both(request: Request, rng: np.random.Generator) -> dict[str, Any]:
        return {"both": 3}

    rules = load_rules("bicycle", num_decks="infinite")
    config = table_config(rules, occupied=(0, 1, 2), back_line=False, both_hands=True)
    player = Participant(bank=0, wager=4)
    bettor = Participant(bank=0, wager=6, others=on_both)
    who = {"seat_0": Participant(banker="always_stand"), "seat_1": player, "seat_2": bettor}
    found = tally(config, who, num_hands)
    own, banker = total_probs(draws=True), total_probs(draws=False)
    wins = [sum(own[total + 1 :], Fraction(0)) for total in range(10)]
    losses = [sum(own[:total], Fraction(0)) for total in range(10)]
    hand = sum(banker[total] * (wins[total] - losses[total]) for total in range(10))
    assert hand == solver.evaluate(rules, "logical_way", "always_stand").ev
    both_win = sum(banker[total] * wins[total] ** 2 for total in range(10))
    both_lose = sum(banker[total] * losses[total] ** 2 for total in range(10))
    ev = Fraction(both_win - both_lose)
    assert_mean(found[-1, None, 0], num_hands, ev, both_win + both_lose - ev**2)
    assert set(found[-1, None, 0]) == {-1, 0, 1}
    for place in (1, 2):
        assert_mean(found[place, None, 1], num_hands, Fraction(hand))
