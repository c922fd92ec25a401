"""Clauses H1-H6, H12 and H16 at the table; the faults H7-H15 and H17 are in test_clauses_faults.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out.
"""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import load_rules
from pan9_gym.table import Decision, Fault, FaultKind
from tests.table.playing import Scenario

TWO = {"seat_1": 10, "seat_2": 6}
# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"


@pytest.mark.parametrize(
    ("cards", "totals", "net"),
    [
        ("K 4 K 6 K K K", (0, 0), -10),  # the banker has 0 and draws a king
        ("K 5 K 6 A K K", (1, 1), -10),
        ("K 6 K 6 2 K K", (2, 2), 0),
        ("5 5 K K K K", (5, 5), 0),
        ("6 5 K K K K", (6, 5), 10),
    ],
)
def test_H1_the_bank_wins_ties_on_0_and_1_and_other_ties_push(
    cards: str, totals: tuple[int, int], net: int
) -> None:
    hand = Scenario("hawaiian_gardens", cards).play({"seat_1": 10})
    assert (hand.totals()["seat_1"], hand.totals()["seat_0"]) == totals
    assert hand.net == ({"seat_1": net, "seat_0": -net} if net else {})


def test_H1_dealing_and_settlement_run_clockwise_from_the_action_seat() -> None:
    # 3 counts to seat_2: he has 9, seat_1 8, the banker 5; the stake pays seat_2 first
    hand = Scenario("hawaiian_gardens", "2 5 K 3 K 4 4 K 4", dice=[(1, 1, 1)]).play(TWO, stake=9)
    assert [card["to"] for card in hand.of("card")] == ["seat_2", "seat_0", "seat_1"] * 3
    assert [row["by"] for row in hand.of("settled")] == ["seat_2", "seat_1"]
    assert hand.net == {"seat_2": 6, "seat_1": 3, "seat_0": -9}


def test_H2_the_bankers_left_chooses_first_wherever_the_count_fell() -> None:
    # 3 counts to seat_2, who gets the first card; seat_1 has 9, seat_2 2, the banker 5
    hand = Scenario("hawaiian_gardens", "6 5 2 6 K 3 K K 4" + " A 3 4", dice=[(1, 1, 1)])
    hand.play(TWO, {"seat_1": "draw", "seat_2": "draw", "seat_0": "draw"})
    assert hand.of("card")[0]["to"] == "seat_2"
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_0"]
    assert hand.hands() == {"seat_0": "5 K K 4", "seat_2": "6 6 K 3", "seat_1": "2 3 4 A"}
    assert [row["by"] for row in hand.of("settled")] == ["seat_2", "seat_1"]
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


def test_H3_a_bettor_looks_at_one_hand_only() -> None:
    """Stated reason: at this sheet's table one bettor has one hand, and is shown no other."""
    hand = Scenario("hawaiian_gardens", THREE_HANDS).play(TWO)
    assert not hand.table.config.back_line
    shown = {
        request.participant: " ".join(card.rank for card in request.view.cards) for request in hand.requests
    }
    assert shown["seat_1"] == "2 3 4"
    assert shown["seat_2"] == "6 6 K"
    assert shown["seat_3"] == ""


@pytest.mark.parametrize(
    ("banker", "asked", "total"),
    [("4 K K", False, 7), ("K K K", False, 3), ("5 K K", True, 5), ("6 K K", True, 6), ("6 A K", False, 7)],
)
def test_H4_the_banker_draws_on_0_to_4_stands_on_7_to_9_and_chooses_on_5_and_6(
    banker: str, asked: bool, total: int
) -> None:
    one, two, three = banker.split()
    hand = Scenario("hawaiian_gardens", f"2 {one} 3 {two} 4 {three} 3").play({"seat_1": 10})
    assert ("seat_0" in hand.who_drew()) is asked
    assert hand.totals()["seat_0"] == total
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_H4_reading_the_banker_is_free() -> None:
    rules = load_rules("hawaiian_gardens", banker_draw_rule={"must_draw": [], "must_stand": []})
    hand = Scenario(rules, "2 4 3 K 4 K").play({"seat_1": 10})
    assert hand.who_drew() == ["seat_1", "seat_0"]
    assert hand.net == {"seat_1": 10, "seat_0": -10}


@pytest.mark.parametrize(("third", "drawn", "net"), [("5", " 3", 10), ("6", "", 10), ("4", " A", -10)])
def test_H5_on_request_a_hand_draws_on_5_or_less_and_stands_on_6_or_more(
    third: str, drawn: str, net: int
) -> None:
    cards = f"K 5 K K {third} K{drawn}"  # the banker stands on 5
    hand = Scenario("hawaiian_gardens", cards).play({"seat_1": 10}, {"seat_1": "logical_way"})
    assert hand.hands()["seat_1"] == f"K K {third}{drawn}"
    expected = net if third != "4" else 0  # 4 and an ace tie with 5
    assert hand.net == ({"seat_1": expected, "seat_0": -expected} if expected else {})


def test_H5_other_sheets_and_the_banker_have_no_such_request() -> None:
    hand = Scenario("hawaiian_gardens", THREE_HANDS).play(TWO)
    options = {request.participant: request.options for request in hand.requests if request.phase == "draw"}
    assert options["seat_1"] == ("stand", "draw", "logical_way")
    assert options["seat_0"] == ("stand", "draw")
    off = Scenario("hawaiian_gardens", THREE_HANDS, logical_way=False)
    with pytest.raises(ValueError, match="draw 'logical_way': is not legal"):
        off.play(TWO, {"seat_1": "logical_way"})


def test_H5_a_misplayed_hand_is_reset_the_missing_card_comes_after_the_bankers() -> None:
    # both ask for the logical way: seat_1 has 5 and gets no card, seat_2 has 6 and gets an ace
    cards = "5 6 4 K K K K K K" + " A 2 3"  # the banker has 4 and draws 2; then seat_1 gets 3
    faults = [Fault(FaultKind.MISPLAYED, place=1), Fault(FaultKind.MISPLAYED, place=2)]
    hand = Scenario("hawaiian_gardens", cards, faults=faults)
    hand.play(TWO, {"seat_1": "logical_way", "seat_2": "logical_way"})
    assert [choice["action"] for choice in hand.of("choice")] == ["stand", "draw", "draw"]
    assert hand.hands() == {"seat_0": "4 K K 2", "seat_1": "5 K K 3", "seat_2": "6 K K"}
    assert [row["place"] for row in hand.of("card_removed")] == [2]
    assert hand.net == {"seat_1": 10, "seat_0": -10}  # 8 against 6; 6 against 6


def test_H5_a_hand_is_reset_before_exposed_cards_are_replaced() -> None:
    # seat_1 has 6 and gets an ace, exposed, by mistake: it is removed and nothing replaces it; seat_2 has 2
    # and draws 5, exposed; the banker has 4 and draws 2; then seat_2 gets 3
    faults = [
        Fault(FaultKind.MISPLAYED, place=1),
        Fault(FaultKind.EXPOSED, card=9),
        Fault(FaultKind.EXPOSED, card=10),
    ]
    hand = Scenario("hawaiian_gardens", "6 6 4 K 6 K K K K" + " A 5 2 3 6", faults=faults)
    hand.play(TWO, {"seat_1": "logical_way", "seat_2": "draw"})
    assert [row["place"] for row in hand.of("card_removed")] == [1, 2]
    assert hand.hands() == {"seat_0": "4 K K 2", "seat_1": "6 K K", "seat_2": "6 6 K 3"}
    assert hand.net == {"seat_2": -6, "seat_0": 6}  # 6 and 5 against 6


def test_H5_reading_the_players_draw_cards_are_backed_up() -> None:
    # seat_1 has 5 and is passed over, seat_2 has 4 and gets the ace that was seat_1's; the banker has 4
    cards = "5 4 4 K K K K K K" + " A 2 3"
    faults = [Fault(FaultKind.MISPLAYED, place=1)]
    hand = Scenario("hawaiian_gardens", cards, faults=faults, misplayed_card="backed_up")
    hand.play(TWO, {"seat_1": "logical_way", "seat_2": "draw"})
    assert hand.hands() == {"seat_0": "4 K K 2", "seat_1": "5 K K A", "seat_2": "4 K K 3"}
    assert hand.net == {"seat_2": 6, "seat_0": -6}  # 6 against 6; 7 against 6


def test_H5_reading_a_surplus_card_is_the_next_hands() -> None:
    # seat_1 has 6 and gets an ace that is seat_2's, whose 2 is left over
    cards = "6 4 4 K K K K K K" + " A 2 3"
    faults = [Fault(FaultKind.MISPLAYED, place=1)]
    hand = Scenario("hawaiian_gardens", cards, faults=faults, misplayed_card="backed_up")
    hand.play(TWO, {"seat_1": "logical_way", "seat_2": "draw"})
    assert hand.hands() == {"seat_0": "4 K K 3", "seat_1": "6 K K", "seat_2": "4 K K A"}
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}


def test_H5_reading_an_exposed_draw_card_that_was_backed_up_is_replaced_all_the_same() -> None:
    # seat_1 has 5 and is passed over; the ace, its own, lay face up at seat_2: its replacement comes first
    cards = "5 4 4 K K K K K K" + " A 2 3 6"
    faults = [Fault(FaultKind.MISPLAYED, place=1), Fault(FaultKind.EXPOSED, card=9)]
    hand = Scenario("hawaiian_gardens", cards, faults=faults, misplayed_card="backed_up")
    hand.play(TWO, {"seat_1": "logical_way", "seat_2": "draw"})
    assert hand.hands() == {"seat_0": "4 K K 2", "seat_1": "5 K K 6", "seat_2": "4 K K 3"}
    assert hand.net == {"seat_1": -10, "seat_2": 6, "seat_0": 4}


def test_H5_the_logical_way_yields_to_what_the_rules_force_and_nobody_misplays_that() -> None:
    # a house where 5 must stand: nothing is reset; and the bonus page, where 4 must draw
    faults = [Fault(FaultKind.BANKER_EXPOSED, place=1), Fault(FaultKind.MISPLAYED, place=1)]
    rules = load_rules("hawaiian_gardens", player_draw_rule={"must_draw": [], "must_stand": [5]})
    stands = Scenario(rules, "5 6 K K K K" + " 4", faults=faults).play({"seat_1": 10})
    assert stands.hands() == {"seat_0": "6 K K", "seat_1": "5 K K"}
    assert stands.net == {"seat_1": -10, "seat_0": 10}
    draws = Scenario("bicycle_bonus", "4 6 K K K K" + " 4", faults=faults).play({"seat_1": 10})
    assert draws.hands() == {"seat_0": "6 K K", "seat_1": "4 K K 4"}
    assert draws.net == {"seat_1": 10, "seat_0": -10}


def test_H6_once_the_bankers_hand_is_open_the_rest_is_played_the_logical_way() -> None:
    # exposed before seat_2 chooses: seat_2 has 2 and gets a card though he would stand; seat_3 has 6
    cards = "2 6 6 5 3 6 K K 4 K K K" + " 6"
    faults = [Fault(FaultKind.BANKER_EXPOSED, place=place) for place in (2, 3)]
    hand = Scenario("hawaiian_gardens", cards, faults=faults)
    hand.play({**TWO, "seat_3": 7}, {"seat_3": "draw", "seat_0": "stand"})
    assert [row["before"] for row in hand.of("fault")] == [2]  # what is open cannot be exposed again
    assert hand.who_drew() == ["seat_1", "seat_0"]  # the banker keeps his own choice
    assert [choice["how"] for choice in hand.of("choice")] == ["free", "logical_way", "logical_way", "free"]
    assert [card.rank for card in hand.requests[-1].view.exposed["seat_0"]] == ["5", "K", "K"]
    assert hand.totals() == {"seat_1": 9, "seat_2": 8, "seat_3": 6, "seat_0": 5}
    assert hand.net == {"seat_1": 10, "seat_2": 6, "seat_3": 7, "seat_0": -23}


@pytest.mark.parametrize(("reading", "total"), [("own_choice", 5), ("logical_way", 9)])
def test_H6_reading_the_banker_plays_the_logical_way_too(reading: Any, total: int) -> None:
    # nobody plays the banker's hand for him, so that no house dealer misplays it (H5)
    faults = [Fault(FaultKind.BANKER_EXPOSED, place=1), Fault(FaultKind.MISPLAYED, place=0)]
    hand = Scenario("hawaiian_gardens", "2 5 3 K 3 K 4", faults=faults, exposed_banker=reading)
    hand.play({"seat_1": 10})
    assert hand.totals() == {"seat_0": total, "seat_1": 8}
    net = 10 if total == 5 else -10
    assert hand.net == {"seat_1": net, "seat_0": -net}


def test_H12_nothing_is_settled_before_the_banker_has_committed_himself_to_stand() -> None:
    scenario = Scenario("hawaiian_gardens", THREE_HANDS)
    with pytest.raises(ValueError, match="draw 'wait'"):
        scenario.play(TWO, {"seat_0": "wait"})
    table = scenario.table
    assert table.pending is not None
    assert (table.pending.participant, table.pending.options) == ("seat_0", ("stand", "draw"))
    assert not any(table.accounts.values())
    events = table.decide(Decision("seat_0", "draw", "stand"))
    kinds = [event.kind for event in events]
    assert kinds.index("banker_commits") < kinds.index("settled")
    committed = next(event.data for event in events if event.kind == "banker_commits")
    assert committed == {"by": "seat_0", "action": "stand", "total": 5}
    assert events[-1].data["net"] == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_H12_a_forced_stand_is_a_commitment() -> None:
    hand = Scenario("hawaiian_gardens", "2 5 3 2 4 K").play({"seat_1": 10})
    assert hand.of("choice")[-1]["how"] == "forced"
    assert hand.of("banker_commits") == [{"by": "seat_0", "action": "stand", "total": 7}]
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_H16_a_hand_out_of_sight_risks_what_a_fouled_hand_does() -> None:
    """Stated reason: the clause names no other consequence than that of a fouled hand (H14)."""
    faults = [Fault(FaultKind.FOULED, place=1)]
    hand = Scenario("hawaiian_gardens", THREE_HANDS, faults=faults).play(TWO)
    assert hand.net == {"seat_1": -10, "seat_2": -6, "seat_0": 16}
