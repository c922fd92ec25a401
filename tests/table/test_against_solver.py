"""With a fresh shoe every hand the table's means are the solver's exact values (issue: one truth)."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.rules.config import PAN_9_POINT_VALUES
from pan9_gym.table import Decision, Phase, Request, new_table, table_config
from tests.table.playing import SHEETS

WAGERS = (4, 10)
STANDARD_ERRORS = 4.5  # 28 comparisons of two sides: a wrong alarm in 5,000 seeds


def logical(request: Request, bets: tuple[str, ...]) -> Any:
    """seat_0 (or the House) banks against two players of the logical way with all side bets."""
    who, view = request.participant, request.view
    if request.phase is Phase.DRAW:
        total = sum(PAN_9_POINT_VALUES[card.rank] for card in view.cards) % 10
        move = "draw" if total < 6 else "stand"
        return move if move in request.options else request.options[0]
    if request.phase is Phase.WAGER:
        players = [seat for seat in ("seat_0", "seat_1", "seat_2") if seat != view.banker]
        seat = players.index(who) - (view.banker == "house")
        return {"base": WAGERS[seat], "side": dict.fromkeys(bets, 1)} if 0 <= seat < 2 else {"base": 0}
    return {
        Phase.BANK: "accept" if who == "seat_0" else "refuse",
        Phase.STAKE: 10**6,
        Phase.OTHERS: {},
        Phase.TOP_UP: "decline",
    }[request.phase]


def tally(sheet: str, num_hands: int, seed: int) -> dict[tuple[int, str | None], list[Fraction]]:
    """Net results per unit by (seat in draw order, bet), of hands that the sheet's own banker banks."""
    config = table_config(sheet, shoe="fresh", occupied=[0, 1, 2], back_line=False, max_consecutive_banks=1)
    table = new_table(config, np.random.default_rng(seed))
    bets = tuple(bet.value for bet in config.rules.side_bets.offered)
    found: dict[tuple[int, str | None], list[Fraction]] = {}
    hands = 0
    while hands < num_hands:
        events = table.begin_hand()
        while table.pending is not None:
            request = table.pending
            value = logical(request, bets)
            events += table.decide(Decision(request.participant, request.phase, value))
        hand = table.state.current
        if hand.rules != config.rules:
            continue
        hands += 1
        for event in events:
            if event.kind == "settled":
                row = event.data
                net = Fraction(row["net"]) / row["amount"]
                found.setdefault((hand.seats.index(row["place"]), row["bet"]), []).append(net)
    return found


def check(sheet: str, num_hands: int, seed: int) -> None:
    rules = table_config(sheet).rules
    evs = solver.evaluate_seats(rules, ["logical_way"] * 2, "logical_way").evs
    exact: dict[str | None, Fraction] = {
        bet.value: solver.side_bet(rules, bet).ev for bet in rules.side_bets.offered
    }
    variances = {bet.value: solver.side_bet(rules, bet).variance for bet in rules.side_bets.offered}
    for (seat, bet), nets in tally(sheet, num_hands, seed).items():
        ev = evs[seat] if bet is None else exact[bet]
        variance = float(np.var([float(net) for net in nets])) if bet is None else float(variances[bet])
        error = sqrt(variance / len(nets))
        assert len(nets) == num_hands
        assert abs(float(sum(nets)) / len(nets) - float(ev)) < STANDARD_ERRORS * error, (seat, bet)


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_means_of_1000_hands_are_the_exact_values(sheet: str) -> None:
    check(sheet, 1000, 5)


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_means_of_10000_hands_are_the_exact_values(sheet: str) -> None:
    check(sheet, 10_000, 6)
