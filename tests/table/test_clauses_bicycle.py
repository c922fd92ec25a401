"""Clauses B1-B8 at the table: worked hands with the money of every seat.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out.
"""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.table import Decision, table_config
from tests.table.playing import Scenario

# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"
TWO = {"seat_1": 10, "seat_2": 6}


def test_B1_a_banker_and_up_to_seven_players_wager_before_the_cards_and_at_no_other_time() -> None:
    config = table_config("bicycle")
    assert (len(config.seats), config.rules.num_decks) == (8, 12)
    hand = Scenario("bicycle", "K K K K K K K A " + "K " * 16)
    hand.play(dict.fromkeys(config.seats, 5))
    assert len(hand.of("settled")) == 7
    assert hand.totals()["seat_0"] == 1
    assert hand.net == {f"seat_{place}": -5 for place in range(1, 8)} | {"seat_0": 35}
    phases = [phase for _, phase in hand.asked]
    assert phases.index("stake") < phases.index("wager")
    assert max(i for i, phase in enumerate(phases) if phase in ("stake", "wager", "others")) < phases.index(
        "draw"
    )


def test_B1_a_wager_after_the_deal_is_refused() -> None:
    scenario = Scenario("bicycle", THREE_HANDS)
    with pytest.raises(ValueError, match="draw 'hit': is not legal for 'seat_1'; allowed: stand, draw"):
        scenario.play(TWO, {"seat_1": "hit"})
    with pytest.raises(ValueError, match="phase 'wager': is not now; 'seat_1' is asked for 'draw'"):
        scenario.table.decide(Decision("seat_1", "wager", {"base": 5}))
    for who in ("seat_1", "seat_2", "seat_0"):
        events = scenario.table.decide(Decision(who, "draw", "stand"))
    assert events[-1].data["net"] == {"seat_0": -4, "seat_1": 10, "seat_2": -6}


def test_B2_the_bank_is_offered_clockwise_from_seat_1_to_each_in_turn() -> None:
    scenario = Scenario("bicycle", "2 6 5 3 6 K 4 K K " * 4, occupied=[1, 3, 6])
    order, money = [], []
    for refuse in ({}, {"seat_3": "refuse"}, {}, {}):
        scenario.play(dict.fromkeys(("seat_1", "seat_3", "seat_6"), 5), bank=refuse)
        order.append([*scenario.who_drew("bank"), scenario.of("bank_accepted")[0]["by"]])
        money.append(scenario.net)  # the banker's left wins 5 and the next loses 5
    assert order == [
        ["seat_1", "seat_1"],
        ["seat_3", "seat_6", "seat_6"],
        ["seat_1", "seat_1"],
        ["seat_3", "seat_3"],
    ]
    assert money == [
        {"seat_3": 5, "seat_6": -5, "seat_1": 0},
        {"seat_1": 5, "seat_3": -5, "seat_6": 0},
        {"seat_3": 5, "seat_6": -5, "seat_1": 0},
        {"seat_6": 5, "seat_1": -5, "seat_3": 0},
    ]


def test_B3_the_dice_fix_the_order_in_which_hands_are_compared_and_settled() -> None:
    # 3 counts to seat_2: it is dealt to first and, with little cover, paid first
    hand = Scenario("bicycle", "6 5 2 6 K 3 K K 4", dice=[(1, 1, 1)]).play(TWO, stake=8)
    assert hand.hands() == {"seat_0": "5 K K", "seat_2": "6 6 K", "seat_1": "2 3 4"}
    assert [row["by"] for row in hand.of("settled")] == ["seat_2", "seat_1"]
    assert hand.covered() == {"seat_2": 6, "seat_1": 2}
    assert hand.net == {"seat_2": -6, "seat_1": 2, "seat_0": 4}


def test_B4_each_in_turn_from_the_bankers_left_stands_or_draws_one_at_any_total() -> None:
    cards = "2 6 5 3 6 K 4 K K" + " A 6"
    hand = Scenario("bicycle", cards, dice=[(2, 2, 2)], occupied=[0, 1, 2])  # counts to the banker's left
    hand.play(TWO, {"seat_1": "draw", "seat_2": "draw"})
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_0"]
    assert {request.options for request in hand.requests if request.phase == "draw"} == {("stand", "draw")}
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4 A", "seat_2": "6 6 K 6"}
    assert hand.net == {"seat_1": -10, "seat_2": 6, "seat_0": 4}


def test_B4_a_set_hand_is_not_touched_again() -> None:
    scenario = Scenario("bicycle", THREE_HANDS + " A")
    with pytest.raises(ValueError, match="draw 'hit'"):
        scenario.play(TWO, {"seat_2": "hit"})  # seat_1 has stood
    with pytest.raises(ValueError, match="participant 'seat_1': is not to act; allowed is 'seat_2'"):
        scenario.table.decide(Decision("seat_1", "draw", "draw"))


def test_B5_the_bankers_hand_is_opened_when_all_are_set_and_the_players_at_settlement() -> None:
    hand = Scenario("bicycle", THREE_HANDS + " A 4").play(TWO, {"seat_2": "draw", "seat_0": "draw"})
    kinds = hand.kinds()
    assert kinds.index("hands_set") < kinds.index("banker_opened") < kinds.index("banker_commits")
    assert kinds.index("banker_commits") < kinds.index("hand_opened")
    assert hand.totals() == {"seat_0": 9, "seat_1": 9, "seat_2": 3}
    assert hand.net == {"seat_2": -6, "seat_0": 6}
    banker = hand.requests[-1]
    assert banker.view.exposed == {}  # he has seen the choices only
    assert banker.view.choices == ("stand", "draw")


def test_B6_the_higher_total_wins_and_equal_totals_push() -> None:
    hand = Scenario("bicycle", "2 5 5 6 3 K K K 4 K K K").play({**TWO, "seat_3": 7})
    assert hand.totals() == {"seat_0": 6, "seat_1": 9, "seat_2": 5, "seat_3": 5}
    assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_3": -7, "seat_0": 3}
    push = Scenario("bicycle", "K K K K K K K K K").play(TWO)  # 0 too
    assert push.net == {}
    assert [row["payoff"] for row in push.of("settled")] == [0, 0]


def test_B7_the_stake_caps_what_the_banker_wins_or_loses() -> None:
    wins = Scenario("bicycle", "6 6 5 6 6 K K K K").play(TWO, stake=12)  # 2, 2 against 5
    assert wins.net == {"seat_1": -10, "seat_2": -2, "seat_0": 12}
    loses = Scenario("bicycle", "2 2 5 3 3 K 4 4 K").play(TWO, stake=12)
    assert loses.net == {"seat_1": 10, "seat_2": 2, "seat_0": -12}
    limits: dict[str, Any] = {"least": 6, "most": 9}
    with pytest.raises(ValueError, match="base 10: must be 0 or a whole number of chips from 6 to 9"):
        Scenario("bicycle", THREE_HANDS, limits=limits).play(TWO)


def test_B8_others_wager_in_circles_2_and_3_and_pay_the_same_collection() -> None:
    fields: dict[str, Any] = {"collection": {"banker": 3, "player": 1}}
    hand = Scenario("bicycle", "2 5 3 K 4 K", **fields).play(
        {"seat_1": 10}, others={"seat_5": {"back": {"seat_1": 4}}, "seat_6": {"back": {"seat_1": 5}}}
    )
    assert [(row["by"], row["circle"]) for row in hand.of("settled")] == [
        ("seat_1", 1),
        ("seat_5", 2),
        ("seat_6", 3),
    ]
    assert hand.net == {"seat_1": 9, "seat_5": 3, "seat_6": 4, "seat_0": -3 - 19, "room": 6}
    short = Scenario("bicycle", "2 5 3 K 4 K").play(
        {"seat_1": 10},
        stake=12,
        others={"seat_5": {"back": {"seat_1": 4}}, "seat_6": {"back": {"seat_1": 5}}},
    )
    assert short.covered() == {"seat_1": 10, "seat_5": 2, "seat_6": 0}  # circles 1, 2, 3
    assert short.net == {"seat_1": 10, "seat_5": 2, "seat_0": -12}


def test_B8_a_position_has_three_circles_and_the_bank_has_none() -> None:
    hand = Scenario("bicycle", "2 5 3 K 4 K").play(
        {"seat_1": 10}, others={f"seat_{place}": {"back": {"seat_1": 1}} for place in (2, 3)}
    )
    offers = {request.participant: set(request.amounts) for request in hand.requests}
    assert offers["seat_3"] == {"back seat_1"}
    assert hand.who_drew("others") == ["seat_2", "seat_3"]  # full, and never the banker
    assert hand.net == {"seat_1": 10, "seat_2": 1, "seat_3": 1, "seat_0": -12}


@pytest.mark.parametrize(
    ("back", "decider", "total", "net"),
    [(9, "seat_1", 9, 10), (10, "seat_1", 9, 10), (11, "seat_5", 0, -10)],
)
def test_B8_in_a_dispute_the_largest_wager_decides_and_a_tie_goes_to_the_lower_circle(
    back: int, decider: str, total: int, net: int
) -> None:
    hand = Scenario("bicycle", "2 5 3 K 4 K A").play(
        {"seat_1": 10}, {"seat_5": "draw"}, others={"seat_5": {"back": {"seat_1": back}}}
    )
    assert hand.who_drew() == [decider, "seat_0"]
    asked = next(request for request in hand.requests if request.phase == "draw")
    assert (asked.view.place, asked.view.seat) == (1, 0)
    assert hand.totals()["seat_1"] == total
    sign = net // 10
    assert hand.net == {"seat_1": net, "seat_5": sign * back, "seat_0": -net - sign * back}


def test_B8_reading_a_tie_in_a_dispute_goes_to_the_higher_circle() -> None:
    hand = Scenario("bicycle", "2 5 3 K 4 K A", tied_circles="higher")
    hand.play({"seat_1": 10}, {"seat_5": "draw"}, others={"seat_5": {"back": {"seat_1": 10}}})
    assert hand.who_drew() == ["seat_5", "seat_0"]
    assert hand.hands()["seat_1"] == "2 3 4 A"  # 9, and he draws
    assert hand.net == {"seat_1": -10, "seat_5": -10, "seat_0": 20}


def test_B8_a_side_bet_is_no_wager_on_the_position_and_does_not_decide() -> None:
    # seat_1 has 5 and would stand; seat_5 draws 2 for 7 against 6
    hand = Scenario("bicycle_bonus", "5 6 K K K K 2", back_line=True)
    hand.play(
        {"seat_1": {"base": 5, "side": {"dragon": 7}}},
        {"seat_5": "draw"},
        others={"seat_5": {"back": {"seat_1": 6}}},
    )
    assert hand.who_drew() == ["seat_5", "seat_0"]
    assert hand.hands() == {"seat_0": "6 K K", "seat_1": "5 K K 2"}
    assert hand.net == {"seat_1": 5 - 7, "seat_5": 6, "seat_0": -4}


def test_B8_reading_another_collection_for_the_back_line_or_no_back_line() -> None:
    fields: dict[str, Any] = {"collection": {"banker": 3, "player": 1, "back_line": 2}}
    others = {"seat_5": {"back": {"seat_1": 4}}}
    hand = Scenario("bicycle", "2 5 3 K 4 K", **fields).play({"seat_1": 10}, others=others)
    assert hand.net == {"seat_1": 9, "seat_5": 2, "seat_0": -3 - 14, "room": 6}
    without = Scenario("bicycle", "2 5 3 K 4 K", back_line=False).play({"seat_1": 10}, others=others)
    assert without.who_drew("others") == []
    assert without.net == {"seat_1": 10, "seat_0": -10}
