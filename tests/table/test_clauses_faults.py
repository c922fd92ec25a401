"""Clauses H7-H11, what happens to cards: one worked scenario per kind of fault with cards, choices and money.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out. Cards are numbered
from 0 since the deal began.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pan9_gym.game.shoe import Shoe
from pan9_gym.rules import load_rules
from pan9_gym.table import Fault, FaultKind, FaultRates, RandomFaults
from tests.table.playing import SHEETS, Scenario

TWO = {"seat_1": 10, "seat_2": 6}
# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"
WON = {"seat_1": 10, "seat_2": -6, "seat_0": -4}
FEES: dict[str, Any] = {"collection": {"banker": 2, "player": 1}}


def scenario(*cards: str, faults: list[Fault], **fields: Any) -> Scenario:
    return Scenario("hawaiian_gardens", *cards, faults=faults, **fields)


def test_H7_a_card_at_the_wrong_spot_is_a_misdeal_with_new_dice_and_the_same_wagers() -> None:
    faults = [Fault(FaultKind.WRONG_SPOT, card=4)]
    dice = [(1, 1), (1, 1, 1)]
    hand = scenario("K K K K K", "6 5 2 6 K 3 K K 4", faults=faults, dice=dice, **FEES).play(TWO)
    assert hand.of("misdeal") == [{"reason": "wrong_spot"}]
    assert len(hand.of("cards_returned")[0]["cards"]) == 5
    assert [throw["action"] for throw in hand.of("dice")] == [1, 2]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K"}
    assert len(hand.of("wager")) == 2
    assert hand.net == {"seat_1": 9, "seat_2": -7, "seat_0": -6, "room": 4}  # collected once


@pytest.mark.parametrize(("surplus", "dealt"), [(True, "K K K A A A K K K K"), (False, "K K K A A A K K")])
def test_H7_the_banker_with_a_wrong_number_of_cards_is_a_misdeal(surplus: bool, dealt: str) -> None:
    faults = [Fault(FaultKind.BANKER_COUNT, place=0, surplus=surplus)]
    hand = scenario(dealt, THREE_HANDS, faults=faults).play(TWO)
    assert hand.of("fault") == [
        {"fault": "banker_count", "place": 0, "cards": 4 if surplus else 2, "reported": True}
    ]
    assert hand.of("misdeal") == [{"reason": "banker_count"}]
    assert len(hand.of("cards_returned")[0]["cards"]) == len(dealt.split())
    assert hand.net == WON


@pytest.mark.parametrize(("surplus", "dealt"), [(True, "K K K A A A K K K K"), (False, "K K K A A A K K")])
def test_H7_and_even_when_the_draw_has_begun(surplus: bool, dealt: str) -> None:
    faults = [Fault(FaultKind.BANKER_COUNT, place=0, surplus=surplus, reported=False)]
    hand = scenario(dealt + " 6", THREE_HANDS + " 4", faults=faults).play(TWO, {"seat_2": "draw"})
    assert hand.of("misdeal") == [{"reason": "banker_count"}]
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_1", "seat_2", "seat_0"]  # all choose anew
    kinds = hand.kinds()
    assert kinds.index("hands_set") < kinds.index("misdeal") < kinds.index("banker_opened")
    assert hand.hands()["seat_2"] == "6 6 K 4"
    assert hand.net == {"seat_1": 10, "seat_2": 6, "seat_0": -16}


def test_H7_a_shoe_that_runs_out_in_the_deal_is_a_misdeal_from_a_new_shoe() -> None:
    hand = scenario("K K K K K K K", THREE_HANDS, faults=[]).play(TWO)
    assert hand.of("misdeal") == [{"reason": "shoe_ran_out"}]
    assert hand.kinds().count("shuffle") == 2
    assert hand.of("cards_returned") == []  # all cards are in the new shoe
    assert hand.net == WON


def test_H7_a_shoe_that_runs_out_in_the_draw_is_filled_from_the_discards() -> None:
    play = scenario("K K K K K K K " + THREE_HANDS, "A 4", faults=[])
    play.play({"seat_1": 10})  # seven cards: the banker drew one on 0
    play.play(TWO, {"seat_2": "draw"})
    assert len(play.of("discards_shuffled")[0]["cards"]) == 4  # half of the discards, rounded up
    assert play.of("misdeal") == []
    assert play.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K A"}
    assert play.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}
    assert len(play.table.state.discards) == 3 + 10
    assert play.table.state.stale  # the next hand has a new shoe


def test_H7_discards_that_are_shuffled_in_count_as_unseen_again() -> None:
    play = scenario("K K K K K K K " + THREE_HANDS, "A 4", faults=[])
    play.play({"seat_1": 10})  # shows seven of the 144 cards that count 0
    play.play(TWO, {"seat_2": "draw"})  # four of the seven are shuffled in for seat_2's card
    draws = [request for request in play.requests if request.phase == "draw"]
    assert [(request.participant, request.view.unseen) for request in draws] == [
        ("seat_1", (137, 48, 48, 48, 48, 48, 48)),
        ("seat_2", (137, 48, 48, 48, 48, 48, 48)),
        ("seat_0", (141, 48, 48, 48, 48, 48, 48)),
    ]
    assert play.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_H7_discards_that_nobody_saw_are_unseen_before_and_after() -> None:
    eight_hands = "2 6 K K K K K 5 3 6 K K K K K K 4 K K K K K K K"
    play = scenario("K " * 25 + eight_hands, "A 4", faults=[], deal_empty_seats=True, discard_part=1)
    play.play({"seat_1": 10})  # 25 cards, of which seat_1 and the banker show seven
    play.play(TWO, {"seat_2": "draw"})
    draws = [request for request in play.requests if request.phase == "draw"]
    assert [request.view.unseen[0] for request in draws] == [137, 137, 144]
    assert play.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K A"}
    assert play.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_H7_reading_all_discards_are_shuffled_in() -> None:
    play = scenario("K K K K K K K " + THREE_HANDS, "A 4", faults=[], discard_part=1)
    play.play({"seat_1": 10})
    play.play(TWO, {"seat_2": "draw"})
    assert len(play.of("discards_shuffled")[0]["cards"]) == 7
    assert play.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K A"}
    assert play.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_H8_a_card_exposed_on_the_deal_plays_and_is_public() -> None:
    faults = [Fault(FaultKind.EXPOSED, card=1), Fault(FaultKind.EXPOSED, card=8)]
    hand = scenario(THREE_HANDS, faults=faults).play(TWO)
    draws = [request for request in hand.requests if request.phase == "draw"]
    for request in draws:
        exposed = {who: [card.rank for card in cards] for who, cards in request.view.exposed.items()}
        assert exposed == {"seat_2": ["6"], "seat_0": ["K"]}
    assert [card["exposed"] for card in hand.of("card")] == [i in (1, 8) for i in range(9)]
    assert hand.net == WON


def test_H8_one_exposed_on_the_draw_is_replaced_after_the_banker_clockwise_from_his_left() -> None:
    # seat_1 has K and draws 5, exposed; seat_2 has 2 and draws 6, exposed; the banker on 4 draws 2 for 6;
    # then seat_1 gets 3 and seat_2 gets 6
    faults = [Fault(FaultKind.EXPOSED, card=9), Fault(FaultKind.EXPOSED, card=10)]
    hand = scenario("K 6 4 K 6 K K K K" + " 5 6 2 3 6", faults=faults)
    hand.play(TWO, {"seat_1": "draw", "seat_2": "draw"})
    assert hand.requests[-1].participant == "seat_2"
    assert [card.rank for card in hand.requests[-1].view.exposed["seat_1"]] == ["5"]  # he may use it
    assert hand.hands() == {"seat_0": "4 K K 2", "seat_1": "K K K 3", "seat_2": "6 6 K 6"}
    assert [row["place"] for row in hand.of("card_removed")] == [1, 2]
    assert hand.net == {"seat_1": -10, "seat_2": 6, "seat_0": 4}
    assert sum(hand.table.state.seen.values()) == len(hand.table.state.discards) == 14


def test_H8_the_banker_sees_the_exposed_draw_cards_when_he_chooses() -> None:
    faults = [Fault(FaultKind.EXPOSED, card=9)]
    hand = scenario("K 6 5 K 6 K K K K" + " 5 3", faults=faults).play(TWO, {"seat_1": "draw"})
    banker = hand.requests[-1]
    assert banker.participant == "seat_0"
    assert {who: [c.rank for c in cards] for who, cards in banker.view.exposed.items()} == {"seat_1": ["5"]}
    assert hand.hands()["seat_1"] == "K K K 3"
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


@pytest.mark.parametrize("sheet", ["hawaiian_gardens", "bicycle_bonus"])
def test_H8_the_bankers_own_draw_card_is_open_anyway_and_not_replaced(sheet: str) -> None:
    faults = [Fault(FaultKind.EXPOSED, card=6)]
    hand = Scenario(sheet, "6 4 K K K K" + " A 3", faults=faults).play({"seat_1": 10})
    drawn = [
        (row["to"], row["card"][:-1], row["exposed"]) for row in hand.of("card") if row["turn"] == "draw"
    ]
    assert drawn == [("seat_0", "A", False)]
    assert hand.hands() == {"seat_0": "4 K K A", "seat_1": "6 K K"}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_H9_a_boxed_card_does_not_exist_and_the_next_card_replaces_it() -> None:
    faults = [Fault(FaultKind.BOXED, card=1), Fault(FaultKind.BOXED, card=10)]
    hand = scenario("2 A 6 5 3 6 K 4 K K" + " A 4", faults=faults).play(TWO, {"seat_2": "draw"})
    assert [fault["fault"] for fault in hand.of("fault")] == ["boxed", "boxed"]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K 4"}
    assert hand.net == {"seat_1": 10, "seat_2": 6, "seat_0": -16}
    assert all(request.view.exposed == {} for request in hand.requests)  # it is no exposed card


def test_H9_all_have_seen_a_boxed_card_and_nobody_a_dead_one() -> None:
    faults = [Fault(FaultKind.BOXED, card=1), Fault(FaultKind.DEAD, card=3)]
    hand = scenario("2 A 6 3 5 3 6 K 4 K K", faults=faults).play(TWO)  # the ace is boxed, the first 3 is dead
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K"}
    assert hand.net == WON
    hand.play()
    assert hand.requests[0].view.unseen == (144 - 3, 48 - 1, 48 - 1, 48 - 1, 48 - 1, 48 - 1, 48 - 2)


def test_H9_a_card_dealt_off_the_table_is_dead_and_the_player_gets_the_next() -> None:
    faults = [Fault(FaultKind.DEAD, card=0)]
    hand = scenario("K " + THREE_HANDS, faults=faults).play(TWO)
    assert hand.of("fault")[0]["card"][:-1] == "K"
    assert hand.hands()["seat_1"] == "2 3 4"
    assert hand.net == WON


def test_H9_a_card_taken_out_by_error_is_the_next_card_in_play() -> None:
    faults = [Fault(FaultKind.OUT_OF_ORDER, card=2)]
    hand = scenario(THREE_HANDS, faults=faults).play(TWO)
    assert hand.of("fault") == [{"fault": "out_of_order", "card": hand.of("card")[2]["card"]}]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K"}
    assert hand.net == WON


@pytest.mark.parametrize(
    ("moves", "given_to", "hands"),
    [
        (
            {"seat_1": "draw", "seat_2": "draw"},
            2,
            {"seat_0": "5 K K", "seat_1": "K K K 6", "seat_2": "6 6 K 3"},
        ),
        (
            {"seat_1": "draw", "seat_0": "draw"},
            0,
            {"seat_0": "5 K K 3", "seat_1": "K K K 6", "seat_2": "6 6 K"},
        ),
        ({"seat_1": "draw"}, None, {"seat_0": "5 K K", "seat_1": "K K K 6", "seat_2": "6 6 K"}),
    ],
)
def test_H10_the_draw_cards_are_backed_up_so_that_each_hand_gets_its_own(
    moves: dict[str, str], given_to: int | None, hands: dict[str, str]
) -> None:
    faults = [Fault(FaultKind.MISSED_DRAW, place=1)]
    hand = scenario("K 6 5 K 6 K K K K" + " 6 3", faults=faults).play(TWO, moves)
    (fault,) = hand.of("fault")
    assert (fault["place"], fault["given_to"], fault["card"][:-1]) == (1, given_to, "6")
    assert hand.hands() == hands
    seat_1 = -10 if given_to == 0 else 10
    seat_2 = 0 if given_to == 2 else -6  # with 3 he has 5
    assert hand.net == {
        who: net for who, net in (("seat_1", seat_1), ("seat_2", seat_2), ("seat_0", -seat_1 - seat_2)) if net
    }


def test_H10_one_card_is_backed_up_at_a_time() -> None:
    # seat_1 is passed over and seat_2 gets his card: 6 is seat_1's and 3 seat_2's; then seat_3 is passed over
    # and the banker gets his card: 2 is seat_3's and the ace the banker's
    faults = [Fault(FaultKind.MISSED_DRAW, place=place) for place in (1, 2, 3)]
    hand = scenario("K 6 A 5 K 6 K K K K K K" + " 6 3 2 A", faults=faults)
    hand.play({**TWO, "seat_3": 7}, dict.fromkeys(("seat_1", "seat_2", "seat_3", "seat_0"), "draw"))
    assert [(row["place"], row["given_to"]) for row in hand.of("fault")] == [(1, 2), (3, 0)]
    drawn = [(row["to"], row["card"][:-1]) for row in hand.of("card") if row["turn"] == "draw"]
    assert drawn == [("seat_1", "6"), ("seat_2", "3"), ("seat_3", "2"), ("seat_0", "A")]
    assert hand.hands() == {
        "seat_0": "5 K K A",
        "seat_1": "K K K 6",
        "seat_2": "6 6 K 3",
        "seat_3": "A K K 2",
    }
    assert hand.net == {"seat_2": -6, "seat_3": -7, "seat_0": 13}  # 6, 5 and 3 against 6


def test_H10_a_hand_whose_card_lies_face_up_was_not_passed_over_and_the_banker_never_is() -> None:
    faults = [
        Fault(FaultKind.EXPOSED, card=9),
        Fault(FaultKind.MISSED_DRAW, place=1),
        Fault(FaultKind.MISSED_DRAW, place=0),
    ]
    hand = scenario("K 6 5 K 6 K K K K" + " 6 3 2", faults=faults)
    hand.play(TWO, {"seat_1": "draw", "seat_0": "draw"})
    assert hand.of("fault") == []
    assert [card.rank for card in hand.requests[-1].view.exposed["seat_1"]] == ["6"]
    assert hand.hands() == {"seat_0": "5 K K 3", "seat_1": "K K K 2", "seat_2": "6 6 K"}  # 2 replaces 6
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


@pytest.mark.parametrize(
    ("third", "move", "final", "net"),
    [
        ("3", "stand", "K K 3 6", 10),  # moved to "card", which is the logical way
        ("3", "draw", "K K 3 6", 10),  # moved to "no card", and plays the logical way
        ("6", "stand", "K K 6", 10),  # plays as it is
        ("6", "draw", "K K 6 6", -10),  # plays as it is
        ("5", "stand", "K K 5", 0),
        ("5", "draw", "K K 5 6", -10),
    ],
)
def test_H11_a_hand_moved_late_plays_the_logical_way_but_5_and_6_as_they_are(
    third: str, move: str, final: str, net: int
) -> None:
    faults = [Fault(FaultKind.LATE_MOVE, place=1)]
    hand = scenario(f"K 5 K K {third} K 6", faults=faults).play({"seat_1": 10}, {"seat_1": move})
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": final}
    assert hand.net == ({"seat_1": net, "seat_0": -net} if net else {})


def test_H11_a_7_that_drew_loses_its_card_and_the_banker_sees_that() -> None:
    faults = [Fault(FaultKind.LATE_MOVE, place=1)]
    hand = scenario("K 5 A K 6 K 6", faults=faults).play({"seat_1": 10}, {"seat_1": "draw"})
    assert hand.hands()["seat_1"] == "K A 6"
    assert hand.requests[-1].view.choices == ("stand",)
    assert hand.net == {"seat_1": 10, "seat_0": -10}


@pytest.mark.parametrize(
    ("third", "move", "final", "net"),
    [
        ("6", "stand", "K K 6 6", -10),  # 2 against 6
        ("6", "draw", "K K 6", 0),
        ("5", "stand", "K K 5 6", -10),
        ("5", "draw", "K K 5", -10),
        ("3", "stand", "K K 3 6", 10),  # 9: the logical way
    ],
)
def test_H11_reading_5_and_6_play_as_the_new_box_says(third: str, move: str, final: str, net: int) -> None:
    faults = [Fault(FaultKind.LATE_MOVE, place=1)]
    hand = scenario(f"K 4 K K {third} 2 6", faults=faults, late_move_5_6="new_box")
    hand.play({"seat_1": 10}, {"seat_1": move, "seat_0": "stand"})
    assert hand.hands() == {"seat_0": "4 K 2", "seat_1": final}
    assert hand.net == ({"seat_1": net, "seat_0": -net} if net else {})


def test_H11_a_hand_that_was_passed_over_gets_its_card_before_it_loses_it() -> None:
    faults = [Fault(FaultKind.MISSED_DRAW, place=1), Fault(FaultKind.LATE_MOVE, place=1)]
    hand = scenario("K 6 5 A 6 K 6 K K" + " 4 3", faults=faults)
    hand.play(TWO, {"seat_1": "draw", "seat_0": "draw"})  # seat_1 has 7, asks for a card and is passed over
    card = hand.of("card_removed")[0]["card"]
    told = [event for event in hand.events if event.kind in ("card", "card_removed")][9:]
    assert [(event.kind, event.data["place"], event.data["card"][:-1]) for event in told] == [
        ("card", 1, "4"),
        ("card_removed", 1, "4"),
        ("card", 0, "3"),
    ]
    assert told[0].data["card"] == card
    assert [(row["fault"], row["place"]) for row in hand.of("fault")] == [
        ("late_move", 1),
        ("missed_draw", 1),
    ]
    assert hand.hands() == {"seat_0": "5 K K 3", "seat_1": "K A 6", "seat_2": "6 6 K"}
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}  # 7 and 2 against 8


def test_H11_a_card_that_was_exposed_is_not_replaced_for_a_hand_that_loses_it() -> None:
    # seat_1 has 7 and draws 4, exposed, which the late move takes away; seat_2 draws 3, exposed, and gets 5
    faults = [
        Fault(FaultKind.EXPOSED, card=9),
        Fault(FaultKind.EXPOSED, card=10),
        Fault(FaultKind.LATE_MOVE, place=1),
    ]
    hand = scenario("K 6 5 A 6 K 6 K K" + " 4 3 5 2", faults=faults)
    hand.play(TWO, {"seat_1": "draw", "seat_2": "draw"})
    assert [row["place"] for row in hand.of("card_removed")] == [1, 2]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "K A 6", "seat_2": "6 6 K 5"}
    assert hand.net == {"seat_1": 10, "seat_2": 6, "seat_0": -16}  # 7 and 7 against 5


def test_H11_a_hand_played_the_logical_way_is_the_house_dealers_and_is_not_moved() -> None:
    # seat_1 has 4 and misses his card, which comes after the banker's (H5)
    faults = [Fault(FaultKind.MISPLAYED, place=1), Fault(FaultKind.LATE_MOVE, place=1)]
    hand = scenario("4 4 K K K K" + " A 3", faults=faults).play({"seat_1": 10}, {"seat_1": "logical_way"})
    assert [row["fault"] for row in hand.of("fault")] == ["misplayed"]
    assert hand.hands() == {"seat_0": "4 K K A", "seat_1": "4 K K 3"}
    assert hand.net == {"seat_1": 10, "seat_0": -10}  # 7 against 5
    # and a 5 that draws the logical way keeps its card where a late move would take it away
    moved = scenario("5 6 K K K K" + " 4", faults=faults[1:], late_move_5_6="new_box")
    moved.play({"seat_1": 10}, {"seat_1": "logical_way"})
    assert moved.hands() == {"seat_0": "6 K K", "seat_1": "5 K K 4"}
    assert moved.net == {"seat_1": 10, "seat_0": -10}  # 9 against 6


def test_faults_at_random_come_at_their_rates_and_none_by_default() -> None:
    faults = RandomFaults(FaultRates(boxed=0.25), np.random.default_rng(1))
    assert faults.active
    number = sum(faults.of_card(FaultKind.BOXED, i) is not None for i in range(10_000))
    assert abs(number - 2500) < 4 * (10_000 * 0.25 * 0.75) ** 0.5
    assert all(faults.of_hand(FaultKind.FOULED, 1) is None for _ in range(1000))
    rng = np.random.default_rng(2)
    before = rng.bit_generator.state
    none = RandomFaults(FaultRates(), rng)
    assert not none.active
    assert none.of_card(FaultKind.DEAD, 0) is None
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("sheet", SHEETS)
def test_cards_put_back_into_a_shoe_may_come_again_and_no_others(sheet: str) -> None:
    shoe = Shoe(load_rules(sheet), rng=np.random.default_rng(3), with_suits=True)
    full = shoe.counts()
    dealt = [shoe.draw() for _ in range(40)]
    shoe.put_back(dealt[10:20])
    assert shoe.counts() + type(full)(dealt[:10] + dealt[20:]) == full
    rest = [shoe.draw() for _ in range(full.total() - 30)]
    assert type(full)(rest) + type(full)(dealt[:10] + dealt[20:]) == full
    with pytest.raises(ValueError, match="none such is dealt"):
        shoe.put_back(["no card"])  # type: ignore[list-item]
