"""What a session came to: the part of a stake that was used, worked by hand under each reading of T3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pan9_gym.table import table_config
from pan9_gym.table.ledger import Ledger

SETTLED: tuple[tuple[int, str | int | None, str | None], ...] = (
    (10, -1, None),  # a wager of 10 is lost,
    (8, 1, None),  # one of 8 is won,
    (5, 0, None),  # one of 5 is returned,
    (9, 1, None),  # one of 9 is won,
    (6, None, None),  # one of 6 is void,
    (2, 4, "super_0"),  # and a side bet of 2 wins 4 to 1
)


def used(stake: int, *settled: tuple[int, str | int | None, str | None], **fields: Any) -> Fraction:
    """The cover used in a hand whose wagers are all covered."""
    ledger = Ledger()
    table = table_config("bicycle_bonus", occupied=(0, 1), **fields).model_dump(mode="json")
    ledger.add({"event": "session", "table": table})
    ledger.add({"event": "hand_begins", "hand": 1})
    ledger.add({"event": "bank_accepted", "by": "seat_0", "place": 0, "rules": "bicycle_bonus"})
    if stake:
        ledger.add({"event": "stake", "by": "seat_0", "amount": stake})
    for amount, payoff, bet in settled:
        net = str(amount * Fraction(payoff or 0))
        wager = {"by": "seat_1", "place": 1, "circle": 1, "amount": amount, "bet": bet, "against": "seat_0"}
        ledger.add({"event": "settled", **wager, "covered": amount, "payoff": payoff, "net": net})
    ledger.add({"event": "hand_over", "hand": 1, "dealt": True, "net": {}})
    assert ledger.seats["seat_0"].stakes == stake
    return ledger.seats["seat_0"].cover_used


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 10 + 8 + 9 + 2 * 4),  # 35: every wager won or lost uses its amount, the side bet what it pays
        ({"push_uses_cover": True}, 10 + 8 + 5 + 9 + 2 * 4),  # 40
        ({"cover": "net"}, -10 + 8 + 9 + 2 * 4),  # 15: at the end the most is paid out
    ],
)
def test_the_cover_used_by_hand(fields: dict[str, Any], expected: int) -> None:
    assert used(50, *SETTLED, **fields) == expected


def test_under_net_the_most_that_was_in_use_counts() -> None:
    won_first = ((8, 1, None), (9, 1, None), (10, -1, None))
    lost_first = ((10, -1, None), (8, 1, None), (9, 1, None))
    all_lost = ((10, -1, None), (9, -1, None))
    assert [used(50, *each, cover="net") for each in (won_first, lost_first, all_lost)] == [17, 7, 0]


def test_without_a_limit_there_is_no_stake_to_use() -> None:
    assert used(0, *SETTLED, cover="unlimited") == 0
