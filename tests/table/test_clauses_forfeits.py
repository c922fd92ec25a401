"""Clauses H13-H15 and H17: wagers forfeited or returned, and announced totals.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out.
"""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.table import Fault, FaultKind
from tests.table.playing import Scenario

TWO = {"seat_1": 10, "seat_2": 6}
# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"
WON = {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def scenario(*cards: str, faults: list[Fault], **fields: Any) -> Scenario:
    return Scenario("hawaiian_gardens", *cards, faults=faults, **fields)


@pytest.mark.parametrize(("penalty", "net"), [("forfeit", -10), ("none", 10)])
def test_H13_touching_a_wager_after_all_hands_are_set_may_forfeit_it(penalty: str, net: int) -> None:
    faults = [Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = scenario(THREE_HANDS, faults=faults, penalty=penalty).play(TWO)
    kinds = hand.kinds()
    assert kinds.index("hands_set") < kinds.index("fault") < kinds.index("settled")
    assert hand.net == {"seat_1": net, "seat_2": -6, "seat_0": 6 - net}


def test_H13_a_wager_is_forfeited_as_far_as_money_covers() -> None:
    faults = [Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = scenario(THREE_HANDS, faults=faults).play(TWO, stake=8)
    assert hand.covered() == {"seat_1": 8, "seat_2": 0}
    assert hand.net == {"seat_1": -8, "seat_0": 8}


def test_H13_only_the_wager_that_was_touched_is_forfeited() -> None:
    faults = [Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = Scenario("bicycle", "2 5 3 K 4 K", faults=faults)
    hand.play({"seat_1": 10}, others={"seat_5": {"back": {"seat_1": 4}}})
    assert hand.net == {"seat_1": -10, "seat_5": 4, "seat_0": 6}
    fouled = Scenario("bicycle", "2 5 3 K 4 K", faults=[Fault(FaultKind.FOULED, place=1)])
    fouled.play({"seat_1": 10}, others={"seat_5": {"back": {"seat_1": 4}}})
    assert fouled.net == {"seat_1": -10, "seat_5": -4, "seat_0": 14}


def test_H14_a_fouled_hand_forfeits_its_wager_like_a_lost_one() -> None:
    faults = [Fault(FaultKind.FOULED, place=1)]
    hand = scenario(THREE_HANDS, faults=faults).play(TWO)
    assert hand.of("settled")[0]["why"] == "fouled"
    assert hand.totals()["seat_1"] == 9  # which would have won
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}
    covered = scenario(THREE_HANDS, faults=[Fault(FaultKind.FOULED, place=2)]).play(TWO, stake=12)
    assert covered.covered() == {"seat_1": 10, "seat_2": 2}
    assert covered.net == {"seat_1": 10, "seat_2": -2, "seat_0": -8}


def test_H14_reading_the_wagers_on_a_fouled_hand_are_returned() -> None:
    faults = [Fault(FaultKind.FOULED, place=1)]
    hand = scenario(THREE_HANDS, faults=faults, fouled_hand="void").play(TWO)
    assert [row["why"] for row in hand.of("settled")] == ["void", "cards"]
    assert hand.net == {"seat_2": -6, "seat_0": 6}


def test_H14_a_fouled_hand_stays_fouled_where_its_wager_is_touched_too() -> None:
    faults = [Fault(FaultKind.FOULED, place=1), Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = Scenario("bicycle_bonus", "K 2 Q 3 J 3 4 5", faults=faults, occupied=(0, 1))
    hand.play({"seat_1": {"base": 5, "side": {"super_0": 1}}}, bank={"seat_1": "refuse"})
    assert [entry["why"] for entry in hand.of("settled")] == ["fouled", "fouled"]
    assert hand.net == {"seat_1": -6, "seat_0": 6}


@pytest.mark.parametrize("surplus", [True, False])
def test_H15_a_wrong_number_of_cards_reported_in_time_voids_that_hand_alone(surplus: bool) -> None:
    dealt = "K 6 5 K 6 K K K K K" if surplus else "K 6 5 K 6 K K K"
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1, surplus=surplus)]
    hand = scenario(dealt, faults=faults).play(TWO)
    assert hand.who_drew() == ["seat_2", "seat_0"]
    assert hand.hands() == {"seat_0": "5 K K", "seat_2": "6 6 K"}
    assert hand.of("settled")[0]["why"] == "void"
    assert hand.net == {"seat_2": -6, "seat_0": 6}


@pytest.mark.parametrize("surplus", [True, False])
def test_H15_otherwise_the_wager_is_forfeited(surplus: bool) -> None:
    dealt = "K 6 5 K 6 K K K K K" if surplus else "K 6 5 K 6 K K K"
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1, surplus=surplus, reported=False)]
    hand = scenario(dealt, faults=faults).play(TWO, stake=12)
    assert hand.who_drew() == ["seat_2", "seat_0"]
    assert hand.net == {"seat_1": -10, "seat_2": -2, "seat_0": 12}


@pytest.mark.parametrize(("reported", "net"), [(True, {}), (False, {"seat_1": -10, "seat_0": 10})])
def test_H15_where_no_other_hand_is_left_the_banker_does_not_play(
    reported: bool, net: dict[str, int]
) -> None:
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1, reported=reported)]
    hand = scenario("K 5 K K K K K", faults=faults).play({"seat_1": 10})
    assert hand.who_drew() == []
    assert hand.net == net


def test_H15_reading_a_reported_one_is_a_misdeal() -> None:
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1)]
    hand = scenario("K 6 5 K 6 K K K K K", THREE_HANDS, faults=faults, reported_foul="misdeal").play(TWO)
    assert hand.of("misdeal") == [{"reason": "wrong_number"}]
    assert hand.net == WON


# seat_1: a suited 9; seat_2: 6; banker: 5
BONUS = "2c 6d 5h 3c Kd Kh 4c Ks Kc"
DRAGON = {"seat_1": {"base": 10, "side": {"dragon": 2}}, "seat_2": 6}


@pytest.mark.parametrize(("reading", "base"), [("forfeit", -10), ("none", 10)])
def test_H13_a_side_bet_stays_when_the_wager_beside_it_was_touched(reading: str, base: int) -> None:
    faults = [Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = Scenario("bicycle_bonus", BONUS, faults=faults, penalty=reading).play(DRAGON)
    assert [(row["by"], row["bet"], row["net"], row["why"]) for row in hand.of("settled")] == [
        ("seat_1", None, base, "touched_wager" if reading == "forfeit" else "cards"),
        ("seat_2", None, 6, "cards"),
        ("seat_1", "dragon", 40, "cards"),
    ]
    assert hand.net == {"seat_1": base + 40, "seat_2": 6, "seat_0": -base - 46}


@pytest.mark.parametrize("surplus", [True, False])
def test_H15_side_bets_on_a_void_hand_are_returned(surplus: bool) -> None:
    cards = f"{BONUS} Ad" if surplus else "2c 6d 5h 3c Kd Kh Ks Kc"
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1, surplus=surplus)]
    hand = Scenario("bicycle_bonus", cards, faults=faults).play(DRAGON)
    assert [(row["by"], row["bet"], row["net"], row["why"]) for row in hand.of("settled")] == [
        ("seat_1", None, 0, "void"),
        ("seat_2", None, 6, "cards"),
        ("seat_1", "dragon", 0, "void"),
    ]
    assert hand.net == {"seat_2": 6, "seat_0": -6}


def test_H15_side_bets_on_a_hand_that_was_not_reported_are_forfeited() -> None:
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1, reported=False)]
    hand = Scenario("bicycle_bonus", f"{BONUS} Ad", faults=faults).play(DRAGON)
    assert [(row["by"], row["bet"], row["net"], row["why"]) for row in hand.of("settled")] == [
        ("seat_1", None, -10, "wrong_number"),
        ("seat_2", None, 6, "cards"),
        ("seat_1", "dragon", -2, "wrong_number"),
    ]
    assert hand.net == {"seat_1": -12, "seat_2": 6, "seat_0": 6}


def test_H17_cards_speak_and_announced_totals_do_not_bind() -> None:
    faults = [Fault(FaultKind.MISANNOUNCED, place=2), Fault(FaultKind.MISANNOUNCED, place=0)]
    hand = scenario(THREE_HANDS, faults=faults).play(TWO)
    assert [(fault["place"], fault["said"]) for fault in hand.of("fault")] == [(0, 6), (2, 3)]
    assert hand.totals() == {"seat_0": 5, "seat_1": 9, "seat_2": 2}
    assert hand.net == WON
