"""Clauses T1-T7 at the table: worked hands with the money of every seat.

Unless a test says otherwise seat_0 banks with a stake of 1,000, the dice count to his left, and who is not
listed sits out. Cards are in the order they leave the shoe.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from pan9_gym.rules import load_rules
from pan9_gym.rules.cover import POSITION_WAYS
from pan9_gym.table import new_table, table_config
from pan9_gym.table.seating import counted_place
from tests.table.playing import Scenario

# seat_1: 2 3 4 = 9; seat_2: 6 6 K = 2; banker: 5 K K = 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"


def test_T1_a_hand_goes_bank_collection_stake_wagers_dice_deal_draw_banker_settlement() -> None:
    hand = Scenario("bicycle", THREE_HANDS + " A", collection={"banker": 2, "player": 1}, back_line=False)
    hand.play({"seat_1": 10, "seat_2": 5}, {"seat_2": "draw"}, stake=100)
    assert hand.kinds() == [
        *("hand_begins", "shuffle", "bank_offered", "bank_accepted"),
        *("transfer", "stake"),
        *("transfer", "wager") * 2,
        *("sits_out",) * 5,
        *("wagers_closed", "dice"),
        *("card",) * 9,
        *("choice", "choice", "card", "hands_set"),
        *("banker_opened", "choice", "banker_commits"),
        *("hand_opened",) * 3,
        *("settled", "transfer") * 2,
        *("bank_turn", "hand_over"),
    ]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4", "seat_2": "6 6 K A"}
    assert hand.net == {"seat_0": -2 - 10 + 5, "seat_1": 10 - 1, "seat_2": -5 - 1, "room": 4}


@pytest.mark.parametrize("seated", [False, True])
def test_T1_the_house_pays_no_collection_for_the_bank(seated: bool) -> None:
    fields: dict[str, Any] = {"collection": {"banker": 2, "player": 1}, "occupied": [0, 1]}
    fields["collection_from"] = "seated" if seated else "bettors"
    hand = Scenario("uk_1994_house", "2 6 3 K 4 K", **fields).play({"seat_0": 20})  # 9 against 6
    others = {"seat_1": -1} if seated else {}
    assert hand.net == {"seat_0": 18, "house": -19, "room": 1 + seated, **others}


def test_T1_reading_who_is_seated_pays_before_the_wagers() -> None:
    fields: dict[str, Any] = {"collection": {"banker": 2, "player": 1}, "occupied": [0, 1, 2, 3]}
    hand = Scenario("bicycle", THREE_HANDS, collection_from="seated", **fields)
    hand.play({"seat_1": 10, "seat_2": 5})
    assert hand.net == {"seat_0": -2 - 10 + 5, "seat_1": 9, "seat_2": -6, "seat_3": -1, "room": 5}
    kinds = hand.kinds()
    assert kinds.index("stake") > max(i for i, kind in enumerate(kinds[:10]) if kind == "transfer")


@pytest.mark.parametrize(("returned", "seat_2", "room"), [(False, -1, 4), (True, 0, 3)])
def test_T1_reading_collection_for_a_wager_without_cover(returned: bool, seat_2: int, room: int) -> None:
    fields: dict[str, Any] = {"collection": {"banker": 2, "player": 1}, "collection_returned": returned}
    hand = Scenario("bicycle", THREE_HANDS, **fields).play({"seat_1": 10, "seat_2": 5}, stake=10)
    assert hand.covered() == {"seat_1": 10, "seat_2": 0}
    assert hand.net == {"seat_0": -12, "seat_1": 9, "seat_2": seat_2, "room": room}


def test_T1_reading_a_collection_comes_back_with_the_wager_it_was_paid_for() -> None:
    fields: dict[str, Any] = {"collection": {"banker": 3, "player": 1}, "collection_returned": True}
    # the stake covers seat_1's wager; seat_2's on the back line and on his own hand come back with one each
    hand = Scenario("bicycle", THREE_HANDS, **fields)
    hand.play({"seat_1": 10, "seat_2": 5}, stake=10, others={"seat_2": {"back": {"seat_1": 4}}})
    assert hand.net == {"seat_0": -13, "seat_1": 9, "seat_2": 0, "room": 4}
    # a side bet without cover gives back nothing: its bettor's wager was played for
    side = Scenario("bicycle_bonus", "2c 5h 3c Kh 4s Kc", **fields)
    side.play({"seat_1": {"base": 10, "side": {"dragon": 2}}}, stake=10)
    assert [(row["bet"], row["covered"]) for row in side.of("settled")] == [(None, 10), ("dragon", 0)]
    assert side.net == {"seat_0": -13, "seat_1": 9, "room": 4}


def test_T1_reading_the_stake_is_placed_after_the_wagers() -> None:
    hand = Scenario("bicycle", THREE_HANDS, stake_placed="after_wagers")
    hand.play({"seat_1": 10, "seat_2": 5}, stake=12)
    assert hand.asked[0:2] == [("seat_0", "bank"), ("seat_1", "wager")]
    stake = hand.asked.index(("seat_0", "stake"))
    assert [asked for _, asked in hand.asked[stake - 1 : stake + 2]] == ["others", "stake", "draw"]
    assert [row["amount"] for row in hand.requests[stake].view.wagers] == [10, 5]  # which he has seen
    assert hand.requests[1].view.stake is None
    assert hand.covered() == {"seat_1": 10, "seat_2": 2}
    assert hand.net == {"seat_0": -8, "seat_1": 10, "seat_2": -2}


def test_T1_reading_a_stake_after_the_wagers_comes_before_the_top_up_and_not_from_the_house() -> None:
    topped = Scenario("uk_1994_player", "2 6 6 5 3 6 K K 4 K K K", stake_placed="after_wagers")
    topped.play({"seat_1": 10, "seat_2": 5}, stake=20, top_up="ask")
    assert [asked for who, asked in topped.asked if who == "seat_0"] == ["bank", "stake", "top_up", "draw"]
    assert topped.net == {"seat_0": -10, "seat_1": 10, "seat_2": -5, "house": 5}
    single = Scenario("uk_1994_player", "2 6 3 K 4 K", stake_placed="after_wagers").play({"seat_1": 20})
    assert [asked for _, asked in single.asked].count("stake") == 0  # U5: the House has taken the bank
    assert single.net == {"seat_1": 19, "house": -19}


def test_T1_no_hand_is_dealt_where_nobody_wagers_and_collections_come_back() -> None:
    hand = Scenario("bicycle", THREE_HANDS, collection={"banker": 2, "player": 1}).play()
    assert hand.net == {"seat_0": 0, "room": 0}
    assert hand.of("card") == []
    assert hand.events[-1].data["dealt"] is False
    assert hand.of("bank_turn") == [{"holder": "seat_0", "used": True, "over": True, "next": "seat_1"}]
    assert hand.play().of("bank_accepted")[0]["by"] == "seat_1"


@pytest.mark.parametrize(
    ("dice", "action", "first_cards"),
    [
        ((1, 1), 1, "seat_1 seat_4 seat_7 seat_0"),
        ((1, 1, 1), 4, "seat_4 seat_7 seat_0 seat_1"),  # 3 is place 2, which is empty
        ((2, 3, 3), 7, "seat_7 seat_0 seat_1 seat_4"),  # 8 is the banker's right-hand neighbour
        ((5, 5, 6), 7, "seat_7 seat_0 seat_1 seat_4"),  # 16 too
        ((3, 3, 3), 1, "seat_0 seat_1 seat_4 seat_7"),  # 9 is the banker, who gets the first card
        ((6, 6, 5), 1, "seat_0 seat_1 seat_4 seat_7"),  # 17
        ((6, 6, 6), 1, "seat_1 seat_4 seat_7 seat_0"),
    ],
)
def test_T2_the_dice_count_eight_places_and_pass_over_empty_ones(
    dice: tuple[int, ...], action: int, first_cards: str
) -> None:
    cards = "2 K K K K K K K K K K K K"
    hand = Scenario("hawaiian_gardens", cards, dice=[dice])
    hand.play({"seat_1": 5, "seat_4": 6, "seat_7": 7})
    assert [card["to"] for card in hand.of("card")[:4]] == first_cards.split()
    assert hand.of("dice")[0]["action"] == action
    order = [row["place"] for row in hand.of("settled")]
    assert order == sorted((1, 4, 7), key=lambda place: (place - action) % 8)
    lucky = first_cards.split()[0]  # has 2, the others 0: the bank wins ties on 0
    wagers = {"seat_1": 5, "seat_4": 6, "seat_7": 7}
    expected = {who: wager if who == lucky else -wager for who, wager in wagers.items()}
    assert hand.net == {**expected, "seat_0": -sum(expected.values())}


def test_T2_reading_the_deal_begins_at_the_left_or_after_the_banker() -> None:
    wagers, cards = {"seat_1": 5, "seat_4": 6}, "2 3 4 K K K K K K"
    left = Scenario("bicycle", cards, dice=[(1, 4)], deal_from="left").play(wagers)  # 5: place 4
    assert [card["to"] for card in left.of("card")[:3]] == ["seat_1", "seat_4", "seat_0"]
    assert [row["by"] for row in left.of("settled")] == ["seat_4", "seat_1"]
    assert left.net == {"seat_1": -5, "seat_4": -6, "seat_0": 11}
    skipped = Scenario("bicycle", cards, dice=[(3, 6)], banker_count="next_seat").play(wagers)
    assert [card["to"] for card in skipped.of("card")[:3]] == ["seat_1", "seat_4", "seat_0"]
    asis = Scenario("bicycle", cards, dice=[(3, 6)]).play(wagers)
    assert [card["to"] for card in asis.of("card")[:3]] == ["seat_0", "seat_1", "seat_4"]
    assert asis.net == {"seat_1": 5, "seat_4": 6, "seat_0": -11}


def test_T2_three_dice_count_the_places_in_28_28_28_28_27_25_25_27_ways() -> None:
    ways = Counter(counted_place(0, sum(dice)) for dice in product(range(1, 7), repeat=3))
    assert tuple(ways[place] for place in range(8)) == POSITION_WAYS == (28, 28, 28, 28, 27, 25, 25, 27)


def test_T2_reading_two_dice_never_reach_17() -> None:
    reached = {counted_place(3, sum(dice)) for dice in product(range(1, 7), repeat=2)}
    assert reached == set(range(8))
    for number, most in ((2, 12), (3, 18)):
        table = new_table(table_config("bicycle", num_dice=number), np.random.default_rng(1))
        throws = [table.state.dice.throw() for _ in range(3000)]
        assert {len(throw) for throw in throws} == {number}
        assert max(map(sum, throws)) == most


# T3: wagers of 5; seat_1 wins (9), seat_2 pushes (5), seat_3 loses (2), seat_4 wins (9); the banker has 5
FOUR = "2 5 6 2 5 3 K 6 3 K 4 K K 4 K"
FIVES = dict.fromkeys(("seat_1", "seat_2", "seat_3", "seat_4"), 5)


@pytest.mark.parametrize(
    ("fields", "stake", "covered", "net"),
    [
        ({"cover": "gross"}, 12, (5, 5, 5, 2), (5, 0, -5, 2)),
        ({"cover": "gross", "push_uses_cover": True}, 12, (5, 5, 2, 0), (5, 0, -2, 0)),
        ({"cover": "net"}, 7, (5, 2, 2, 4), (5, 0, -2, 4)),
        ({"cover": "gross"}, 7, (5, 2, 2, 0), (5, 0, -2, 0)),
        ({"cover": "gross"}, 5, (5, 0, 0, 0), (5, 0, 0, 0)),
        ({"cover": "unlimited"}, 5, (5, 5, 5, 5), (5, 0, -5, 5)),
        ({"cover": "gross"}, 3, (3, 0, 0, 0), (3, 0, 0, 0)),
    ],
)
def test_T3_the_stake_covers_wagers_in_the_order_of_settlement(
    fields: dict[str, Any], stake: int, covered: tuple[int, ...], net: tuple[int, ...]
) -> None:
    hand = Scenario("bicycle", FOUR, **fields).play(FIVES, stake=stake)
    assert hand.hands()["seat_0"] == "5 K K"
    assert tuple(hand.covered().values()) == covered
    assert tuple(hand.net.get(who, 0) for who in FIVES) == net
    assert hand.net.get("seat_0", 0) == -sum(net)


@pytest.mark.parametrize(("cover", "seat_2"), [("gross", -5), ("net", -5)])
def test_T3_the_stake_caps_what_the_banker_loses_where_a_win_is_paid_more(cover: str, seat_2: int) -> None:
    # seat_1 wins 2 to 1 with 9 against 5: a stake of 10 covers 5 of his 10 chips, and nothing is left
    hand = Scenario(load_rules("bicycle", payout=2), "2 5 3 K 4 K", cover=cover).play(
        {"seat_1": 10}, stake=10
    )
    assert hand.covered() == {"seat_1": 5}
    assert hand.net == {"seat_0": -10, "seat_1": 10}
    two = Scenario(load_rules("bicycle", payout=2), THREE_HANDS, cover=cover)
    two.play({"seat_1": 10, "seat_2": 5}, stake=25)
    assert two.covered() == {"seat_1": 10, "seat_2": 5}
    assert two.net == {"seat_0": -20 + 5, "seat_1": 20, "seat_2": seat_2}


def test_T3_settlement_begins_at_the_action_seat_so_the_cover_does() -> None:
    cards = "6 2 5 2 5 6 3 K 3 K K 4 K 4 K"  # the same hands, dealt from seat_3
    hand = Scenario("bicycle", cards, dice=[(2, 2)]).play(FIVES, stake=8)
    assert hand.totals() == {"seat_0": 5, "seat_1": 9, "seat_2": 5, "seat_3": 2, "seat_4": 9}
    assert hand.covered() == {"seat_3": 5, "seat_4": 3, "seat_1": 0, "seat_2": 0}
    assert hand.net == {"seat_3": -5, "seat_4": 3, "seat_0": 2}


@pytest.mark.parametrize(
    ("wager", "message"),
    [
        (4, r"base 4: must be 0 or a whole number of chips from 5 to 20"),
        (21, r"base 21: must be 0 or a whole number of chips from 5 to 20"),
    ],
)
def test_T3_wagers_lie_within_the_limits_and_the_stake_has_no_maximum(wager: int, message: str) -> None:
    fields: dict[str, Any] = {"limits": {"least": 5, "most": 20}}
    with pytest.raises(ValueError, match=message):
        Scenario("bicycle", FOUR, **fields).play({"seat_1": wager})
    with pytest.raises(ValueError, match=r"stake 4: must be a whole number of chips from 5, with no limit"):
        Scenario("bicycle", FOUR, **fields).play({"seat_1": 5}, stake=4)
    rich = Scenario("bicycle", "2 5 3 K 4 K", **fields).play({"seat_1": 20}, stake=10**9)
    assert rich.net == {"seat_1": 20, "seat_0": -20}
    none = Scenario("bicycle", "2 5 3 K 4 K", cover="unlimited", **fields).play({"seat_1": 20})
    assert none.who_drew("stake") == []  # without a cap there is nothing to place
    assert none.net == {"seat_1": 20, "seat_0": -20}


def test_T4_later_seats_and_the_banker_see_the_choices_and_not_the_cards() -> None:
    hand = Scenario("bicycle", "2 5 6 2 5 3 K 6 3 K 4 K K 4 K A", back_line=False)
    hand.play(FIVES, {"seat_2": "draw"})
    seen = {request.participant: request.view.choices for request in hand.requests if request.phase == "draw"}
    assert seen == {
        "seat_1": (),
        "seat_2": ("stand",),
        "seat_3": ("stand", "draw"),
        "seat_4": ("stand", "draw", "stand"),
        "seat_0": ("stand", "draw", "stand", "stand"),
    }
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_3", "seat_4", "seat_0"]
    assert hand.totals()["seat_2"] == 6
    assert hand.net == {"seat_1": 5, "seat_2": 5, "seat_3": -5, "seat_4": 5, "seat_0": -10}


def test_T4_reading_simultaneous_choices_are_seen_by_the_banker_only() -> None:
    rules = load_rules("bicycle", choices="simultaneous")
    hand = Scenario(rules, "2 5 6 2 5 3 K 6 3 K 4 K K 4 K A").play(FIVES, {"seat_2": "draw"})
    seen = [request.view.choices for request in hand.requests if request.phase == "draw"]
    assert seen == [(), (), (), (), ("stand", "draw", "stand", "stand")]
    assert hand.net == {"seat_1": 5, "seat_2": 5, "seat_3": -5, "seat_4": 5, "seat_0": -10}


@pytest.mark.parametrize(
    ("sheet", "kinds"),
    [
        ("bicycle", "choice card choice card hands_set"),
        ("bicycle_bonus", "choice choice card card hands_set"),
    ],
)
def test_T4_on_the_bonus_page_all_choose_first_and_then_the_cards_are_given(sheet: str, kinds: str) -> None:
    cards = "A 2 K A A K K K 6" + " 5 6"  # seat_1: 2, seat_2: 3, banker: 6
    hand = Scenario(sheet, cards).play({"seat_1": 5, "seat_2": 6}, {"seat_1": "draw", "seat_2": "draw"})
    found = hand.kinds()
    assert found[found.index("choice") : found.index("banker_opened")] == kinds.split()
    assert hand.hands() == {"seat_1": "A A K 5", "seat_2": "2 A K 6", "seat_0": "K K 6"}
    assert hand.net == {"seat_1": 5, "seat_2": 6, "seat_0": -11}


def test_T5_only_places_with_a_wager_are_dealt_to() -> None:
    hand = Scenario("bicycle", THREE_HANDS).play({"seat_1": 5, "seat_2": 6})
    assert len(hand.of("card")) == 9
    assert hand.net == {"seat_1": 5, "seat_2": -6, "seat_0": 1}


def test_T5_reading_eight_hands_are_dealt_and_the_rest_discarded_unseen() -> None:
    cards = "2 6 K K K K K 5  3 6 K K K K K K  4 K K K K K K K"
    hand = Scenario("bicycle", cards, deal_empty_seats=True).play({"seat_1": 5, "seat_2": 6})
    assert hand.hands() == {"seat_1": "2 3 4", "seat_2": "6 6 K", "seat_0": "5 K K"}
    assert len(hand.of("card")) == 24
    assert Counter(card["to"] for card in hand.of("card"))[""] == 15
    assert hand.net == {"seat_1": 5, "seat_2": -6, "seat_0": 1}
    state = hand.table.state
    assert (len(state.discards), sum(state.seen.values())) == (24, 9)  # nobody has seen the other fifteen


def test_T6_the_room_gets_the_collections_and_nothing_else() -> None:
    hand = Scenario("hawaiian_gardens", THREE_HANDS, collection={"banker": "5/2", "player": 1})
    hand.play({"seat_1": 10, "seat_2": 5})
    assert hand.net == {"seat_0": "-15/2", "seat_1": 9, "seat_2": -6, "room": "9/2"}
    with_room = [row for row in hand.of("transfer") if "room" in (row["source"], row["target"])]
    assert {row["reason"] for row in with_room} == {"collection"}
    assert {row["against"] for row in hand.of("settled")} == {"seat_0"}
    assert sum(Fraction(row["amount"]) for row in with_room) == Fraction(9, 2)


def test_T6_reading_other_odds_than_even_money() -> None:
    rules = load_rules("bicycle", payout="19/20")
    hand = Scenario(rules, THREE_HANDS).play({"seat_1": 10, "seat_2": 5})
    assert hand.net == {"seat_1": "19/2", "seat_2": -5, "seat_0": "-9/2"}


def bankers(scenario: Scenario, num_hands: int, **answers: Any) -> list[str]:
    found = []
    for _ in range(num_hands):
        scenario.play(dict.fromkeys(("seat_0", "seat_1", "seat_2"), 5), **answers)
        found.append(scenario.of("bank_accepted")[0]["by"])
    return found


@pytest.mark.parametrize(
    ("sheet", "fields", "expected"),
    [
        ("bicycle", {}, "seat_0 seat_1 seat_2 seat_0 seat_1"),
        ("bicycle", {"max_consecutive_banks": 2}, "seat_0 seat_0 seat_1 seat_1 seat_2"),
        ("hawaiian_gardens", {}, "seat_0 seat_0 seat_1 seat_1 seat_2"),
        ("hawaiian_gardens", {"max_consecutive_banks": 1}, "seat_0 seat_1 seat_2 seat_0 seat_1"),
    ],
)
def test_T7_one_hand_a_turn_at_the_bicycle_and_two_at_hawaiian_gardens(
    sheet: str, fields: dict[str, Any], expected: str
) -> None:
    scenario = Scenario(sheet, "K " * 60, occupied=[0, 1, 2], **fields)
    assert bankers(scenario, 5) == expected.split()


@pytest.mark.parametrize("rounds", [1, 2])
def test_T7_where_all_refuse_no_hand_is_dealt_and_then_the_session_ends(rounds: int) -> None:
    scenario = Scenario("bicycle", "K " * 60, occupied=[0, 1, 2], refused_rounds=rounds)
    scenario.play({"seat_1": 5, "seat_2": 5})
    nobody = dict.fromkeys(("seat_0", "seat_1", "seat_2"), "refuse")
    for number in range(1, rounds + 1):
        scenario.play(bank=nobody)
        assert scenario.who_drew("bank") == ["seat_1", "seat_2", "seat_0"]  # the offer starts again
        assert scenario.net == {}
        assert scenario.table.over is (number == rounds)
    with pytest.raises(ValueError, match="the session has ended"):
        scenario.table.begin_hand()


def test_T7_a_hand_between_two_rounds_of_refusals_lets_the_session_go_on() -> None:
    scenario = Scenario("bicycle", "K " * 60, occupied=[0, 1, 2])
    nobody = dict.fromkeys(("seat_0", "seat_1", "seat_2"), "refuse")
    for _ in range(3):
        scenario.play(bank=nobody)
        scenario.play({"seat_1": 5, "seat_2": 5})
    assert not scenario.table.over
