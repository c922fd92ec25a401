"""Clause H7: after a misdeal nothing of the first deal is left but bank, wagers and collections.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out. A fourth card of
the banker is found when his hand is opened: so the first deal has had choices and draw cards.
"""

from __future__ import annotations

from pan9_gym.table import Fault, FaultKind
from tests.table.playing import Scenario

TWO = {"seat_1": 10, "seat_2": 6}
# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"
FOURTH_CARD = Fault(FaultKind.BANKER_COUNT, place=0, reported=False)


def test_H7_what_was_exposed_before_a_misdeal_is_returned_too() -> None:
    faults = [Fault(FaultKind.EXPOSED, card=0), Fault(FaultKind.WRONG_SPOT, card=4)]
    hand = Scenario("hawaiian_gardens", "A K K K K", THREE_HANDS, faults=faults).play(TWO)
    draws = [request for request in hand.requests if request.phase == "draw"]
    assert [request.view.exposed for request in draws] == [{}, {}, {}]
    assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}
    hand.play()
    assert hand.requests[0].view.unseen[1] == 48  # nobody can tell the ace from another now


def test_H7_choices_draw_cards_and_what_was_open_do_not_outlive_a_misdeal() -> None:
    # first deal: seat_1 draws 4, exposed; then the banker's hand of four is exposed, which is a misdeal.
    # Second deal: seat_1 draws an ace, which is not exposed, and seat_2 stands on 2 of his own will
    faults = [
        FOURTH_CARD,
        Fault(FaultKind.EXPOSED, card=10),
        Fault(FaultKind.BANKER_EXPOSED, place=2),
    ]
    hand = Scenario("hawaiian_gardens", "K K 5 K A 5 K K 5 K" + " 4 2", THREE_HANDS + " A 3", faults=faults)
    hand.play(TWO, {"seat_1": "draw"})
    assert hand.of("misdeal") == [{"reason": "banker_count"}]
    assert hand.who_drew() == ["seat_1", "seat_1", "seat_2", "seat_0"]
    assert [request.view.exposed for request in hand.requests[-3:]] == [{}, {}, {}]
    assert [(row["action"], row["how"]) for row in hand.of("choice")] == [
        ("draw", "free"),
        *(("draw", "free"), ("stand", "free"), ("stand", "free")),
    ]
    assert hand.of("banker_commits") == [{"by": "seat_0", "action": "stand", "total": 5}]
    assert hand.of("card_removed") == []
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4 A", "seat_2": "6 6 K"}
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


def test_H7_a_hand_passed_over_before_a_misdeal_is_owed_no_card_after_it() -> None:
    faults = [FOURTH_CARD, Fault(FaultKind.MISSED_DRAW, place=1)]
    hand = Scenario("hawaiian_gardens", "K K 5 K A 5 K K 5 K" + " 4", THREE_HANDS + " A", faults=faults)
    hand.play(TWO, {"seat_1": "draw"})
    assert [row["fault"] for row in hand.of("fault")] == ["banker_count"]
    drawn = [(row["to"], row["card"][:-1]) for row in hand.of("card") if row["turn"] == "draw"]
    assert drawn == [("seat_1", "A")]
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


def test_H7_cards_that_were_to_come_after_all_choices_do_not_outlive_a_misdeal() -> None:
    # the page with the bonus bets: seat_1 has 0 and draws 4; then 4 and draws 3
    hand = Scenario("bicycle_bonus", "K 5 K 5 K 5 K" + " 4", "4 6 K K K K" + " 3", faults=[FOURTH_CARD])
    hand.play({"seat_1": 10})
    drawn = [(row["to"], row["card"][:-1]) for row in hand.of("card") if row["turn"] == "draw"]
    assert drawn == [("seat_1", "4"), ("seat_1", "3")]  # one in each deal
    assert hand.hands() == {"seat_0": "6 K K", "seat_1": "4 K K 3"}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_H7_the_bankers_wrong_number_is_found_where_a_natural_ends_the_hand() -> None:
    hand = Scenario("baccarat_chemin_de_fer", "9 5 K K K", "6 7 K K", faults=[FOURTH_CARD], occupied=[0, 1])
    hand.play({"seat_1": 10})
    assert hand.of("misdeal") == [{"reason": "banker_count"}]
    assert hand.hands() == {"seat_0": "7 K", "seat_1": "6 K"}
    assert hand.net == {"seat_1": -10, "seat_0": 10}


def test_H7_a_shoe_that_runs_out_in_the_deal_is_not_filled_from_the_discards() -> None:
    table = Scenario("hawaiian_gardens", "K K K K K K K" + " 2 6 5", THREE_HANDS)
    table.play({"seat_1": 10})  # leaves seven discards and three cards
    table.play(TWO)
    assert table.of("misdeal") == [{"reason": "shoe_ran_out"}]
    assert table.of("discards_shuffled") == []
    assert table.requests[-1].view.unseen == (144, 48, 48, 48, 48, 48, 48)  # a new shoe
    assert table.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K"}
    assert table.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_H7_without_discards_a_shoe_that_runs_out_in_the_draw_leaves_only_a_new_deal() -> None:
    table = Scenario("hawaiian_gardens", "K 6 5 K 6 K K K K", THREE_HANDS + " A").play(
        TWO, {"seat_1": "draw"}
    )
    assert table.of("misdeal") == [{"reason": "shoe_ran_out"}]
    assert table.who_drew() == ["seat_1", "seat_1", "seat_2", "seat_0"]
    assert table.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4 A", "seat_2": "6 6 K"}
    assert table.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}
