"""Clauses R1 and R2 at the table: the baccarat of the same Regulations."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import load_rules
from pan9_gym.table import Fault, FaultKind
from tests.table.playing import Scenario

# two cards each out of full packs, no naturals: so that two hands may oppose the banker
POINTS = {"A": 1, **{str(rank): rank for rank in range(2, 10)}, "10": 0, "J": 0, "Q": 0, "K": 0}
TWO_HANDS = load_rules("bicycle", point_values=POINTS, num_initial_cards=2, max_players=2, num_decks=6)
FIELDS: dict[str, Any] = {"occupied": [0, 1, 2], "num_dice": 0, "back_line": False, "both_hands": True}


def test_R1_wagers_are_1_to_1_with_the_banker_and_a_tie_voids() -> None:
    cards = "9 5 5 K K K"  # 9 and 5 against 5
    hand = Scenario(TWO_HANDS, cards, **FIELDS).play({"seat_1": 10, "seat_2": 6})
    assert hand.totals() == {"seat_0": 5, "seat_1": 9, "seat_2": 5}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


@pytest.mark.parametrize(
    ("cards", "payoff"),
    [
        ("9 8 5 K K K", 1),  # both win
        ("2 3 5 K K K", -1),  # both lose
        ("9 3 5 K K K", 0),  # one each
        ("9 5 5 K K K", 0),  # a win and a tie
        ("2 5 5 K K K", 0),  # a loss and a tie
    ],
)
def test_R1_a_wager_on_both_hands_is_void_unless_both_win_or_both_lose(cards: str, payoff: int) -> None:
    alone = Scenario(TWO_HANDS, cards, **FIELDS).play({"seat_1": 10, "seat_2": 6})
    hand = Scenario(TWO_HANDS, cards, **FIELDS).play(
        {"seat_1": 10, "seat_2": 6}, others={"seat_2": {"both": 4}}
    )
    assert hand.of("settled")[-1]["payoff"] == payoff
    expected = dict(alone.net)
    expected["seat_2"] = expected.get("seat_2", 0) + 4 * payoff
    expected["seat_0"] = expected.get("seat_0", 0) - 4 * payoff
    assert {who: net for who, net in hand.net.items() if net} == {
        who: net for who, net in expected.items() if net
    }


def test_R1_a_touched_wager_leaves_one_on_both_hands_alone() -> None:
    # H13: seat_1 forfeits the wager that he touched; the hand is a 9 all the same, and both hands win
    faults = [Fault(FaultKind.TOUCHED_WAGER, place=1)]
    hand = Scenario(TWO_HANDS, "9 8 5 K K K", faults=faults, **FIELDS)
    hand.play({"seat_1": 10, "seat_2": 6}, others={"seat_2": {"both": 4}})
    assert [row["net"] for row in hand.of("settled")] == [-10, 6, 4]
    assert hand.net == {"seat_1": -10, "seat_2": 10, "seat_0": 0}


def test_R1_a_wager_on_both_hands_is_void_where_one_of_them_is() -> None:
    faults = [Fault(FaultKind.WRONG_NUMBER, place=2)]
    hand = Scenario(TWO_HANDS, "9 9 5 K K K K", faults=faults, **FIELDS)
    hand.play({"seat_1": 10, "seat_2": 6}, others={"seat_1": {"both": 3}, "seat_2": {"both": 4}})
    void = {"payoff": None, "covered": 0, "net": 0, "why": "void"}
    rows = [(row["by"], {name: row[name] for name in void}) for row in hand.of("settled")]
    assert rows[0] == ("seat_1", {"payoff": 1, "covered": 10, "net": 10, "why": "cards"})
    assert rows[1:] == [("seat_2", void), ("seat_1", void), ("seat_2", void)]
    assert hand.hands() == {"seat_0": "5 K", "seat_1": "9 K"}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_R1_with_one_opposing_hand_there_is_no_wager_on_both() -> None:
    hand = Scenario(TWO_HANDS, "9 5 K K", **FIELDS).play({"seat_1": 10})
    assert hand.who_drew("others") == []
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_R2_a_chemin_de_fer_banker_gives_up_the_bank_as_soon_as_an_opposing_hand_wins() -> None:
    # seat_0 wins, ties and loses; then seat_1 banks
    cards = "6 7 K K" + " 6 6 K K" + " 7 6 K K" + " 6 7 K K"
    scenario = Scenario("baccarat_chemin_de_fer", cards, occupied=[0, 1])
    found = []
    for _ in range(4):
        scenario.play({"seat_0": 10, "seat_1": 10})
        found.append(
            (scenario.of("bank_accepted")[0]["by"], scenario.net, scenario.of("bank_turn")[0]["over"])
        )
    assert found == [
        ("seat_0", {"seat_1": -10, "seat_0": 10}, False),
        ("seat_0", {}, False),
        ("seat_0", {"seat_1": 10, "seat_0": -10}, True),
        ("seat_1", {"seat_0": -10, "seat_1": 10}, False),
    ]
    assert "house" not in scenario.table.accounts  # it neither holds nor shares the bank


def test_R2_a_side_bet_that_wins_is_no_opposing_hand_that_wins() -> None:
    # seat_1 ties with a suited 9, which wins the bonus of 20 to 1; then he wins with 6 against 5
    scenario = Scenario(
        "bicycle_bonus", "2c 4c 3c 4d 4c Ah" + " 6 5 K K K K", bank="until_lost", occupied=[0, 1]
    )
    scenario.play({"seat_1": {"base": 10, "side": {"dragon": 2}}})
    assert scenario.of("bank_turn") == [{"holder": "seat_0", "used": True, "over": False, "next": "seat_0"}]
    assert scenario.net == {"seat_1": 40, "seat_0": -40}
    scenario.play({"seat_1": 10})
    assert scenario.of("bank_turn") == [{"holder": "seat_0", "used": True, "over": True, "next": "seat_1"}]
    assert scenario.net == {"seat_1": 10, "seat_0": -10}


def test_R2_otherwise_the_house_alone_holds_the_bank() -> None:
    scenario = Scenario("baccarat_punto_banco", "7 6 K K" + " 9 K K K", occupied=[0])
    for net in (10, 10):
        scenario.play({"seat_0": 10})
        assert scenario.of("bank_accepted")[0]["by"] == "house"
        assert scenario.who_drew("bank") == scenario.who_drew("stake") == []
        assert scenario.net == {"seat_0": net, "house": -net}
