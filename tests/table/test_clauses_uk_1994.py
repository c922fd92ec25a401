"""Clauses U1-U13 at the table. U6 and U12 are facts of the whole table, asserted over its wagers.

The players bank in turn and the House with them; unless a test says otherwise seat_0 banks with a stake of
1,000 and the deal begins at his left. The House's place is the last, at seat_0's right.
"""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import load_rules
from pan9_gym.table import Phase, table_config
from tests.table.playing import Scenario

# seat_1: 9, seat_2: 2, banker: 5
THREE_HANDS = "2 6 5 3 6 K 4 K K"
TWO = {"seat_1": 10, "seat_2": 6}


def test_U1_at_most_seven_oppose_the_banker() -> None:
    assert len(table_config("uk_1994_house").occupied) == 7
    with pytest.raises(ValueError, match="occupied: names place 7, which the House has at this table"):
        table_config("uk_1994_house", occupied=range(8))


def test_U1_a_banker_against_players_who_take_a_fourth_card_or_not() -> None:
    cards = THREE_HANDS + " A 3"  # seat_1 draws an ace, the House on 5 a three
    hand = Scenario("uk_1994_house", cards).play({"seat_0": 20, "seat_1": 6}, {"seat_1": "draw"})
    assert hand.hands() == {"seat_0": "2 3 4", "seat_1": "6 6 K A", "house": "5 K K 3"}
    assert hand.totals() == {"seat_0": 9, "seat_1": 3, "house": 8}
    assert hand.net == {"seat_0": 19, "seat_1": -6, "house": -13}


@pytest.mark.parametrize(("cards", "total"), [("2 5 3 K 4 K 2", 7), ("2 6 3 K 4 K", 6)])
def test_U2_the_house_draws_to_5_and_stands_on_6(cards: str, total: int) -> None:
    hand = Scenario("uk_1994_house", cards).play({"seat_0": 20})
    assert hand.totals() == {"seat_0": 9, "house": total}
    assert hand.who_drew() == ["seat_0"]  # the House is not asked
    assert hand.net == {"seat_0": 19, "house": -19}
    offered = Scenario("uk_1994_house", cards, offer_forced=True).play({"seat_0": 20})
    assert offered.who_drew() == ["seat_0", "house"]
    assert offered.requests[0].options == ("accept",)
    assert offered.requests[-1].options == ("draw" if total == 7 else "stand",)
    assert offered.net == hand.net


def test_U2_the_house_is_bound_where_the_bank_comes_to_it_in_turn_too() -> None:
    scenario = Scenario("uk_1994_player", "2 5 3 K 4 K 2", occupied=[0, 1])
    scenario.play({"seat_0": 20}, bank={"seat_0": "refuse", "seat_1": "refuse"})
    assert scenario.hands()["house"] == "5 K K 2"
    assert scenario.who_drew() == ["seat_0"]
    assert scenario.net == {"seat_0": 19, "house": -19}


def test_U2_another_banker_is_free() -> None:
    for move, total, net in (("stand", 5, -4), ("draw", 6, -4)):
        hand = Scenario("uk_1994_player", THREE_HANDS + " A").play(TWO, {"seat_0": move})
        assert hand.requests[-1].options == ("stand", "draw")
        assert hand.totals()["seat_0"] == total
        assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_0": net}


def test_U3_wagers_are_with_the_banker_and_the_tie_wager_is_with_the_house() -> None:
    cards = "2 2 5 K 3 K K K K"  # seat_1: 2, seat_2: 5, banker: 5
    wagers = {"seat_1": 10, "seat_2": {"base": 6, "side": {"tie": 2}}}
    hand = Scenario("uk_1994_player", cards).play(wagers)
    assert {row["bet"]: row["against"] for row in hand.of("settled")} == {None: "seat_0", "tie": "house"}
    assert hand.net == {"seat_1": -10, "seat_0": 10, "seat_2": 14, "house": -14}
    # the tie wager takes nothing from the banker's stake
    small = Scenario("uk_1994_player", cards).play(wagers, stake=10)
    assert small.net == {"seat_1": -10, "seat_0": 10, "seat_2": 14, "house": -14}


def bankers(scenario: Scenario, num_hands: int, **answers: Any) -> list[str]:
    everybody = dict.fromkeys(scenario.table.config.seats, 5)
    return [scenario.play(everybody, **answers).of("bank_accepted")[0]["by"] for _ in range(num_hands)]


def test_U3_a_banker_has_no_wager_with_himself_but_may_have_one_with_the_house() -> None:
    fields: dict[str, Any] = {
        "tie_bettors": "banker",
        "back_line": True,
        "both_hands": True,
        "house_tops_up": False,
    }
    hand = Scenario("uk_1994_player", THREE_HANDS, **fields).play(
        TWO, others={"seat_0": {"tie": {"seat_1": 5}}}
    )
    offers = {row.participant: set(row.amounts) for row in hand.requests if row.phase == "others"}
    assert offers["seat_0"] == {"tie seat_1", "tie seat_2"}
    assert offers["seat_1"] == {"tie seat_2", "back seat_2", "both"}
    assert offers["seat_3"] == {"tie seat_1", "tie seat_2", "back seat_1", "back seat_2", "both"}
    assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4 - 5, "house": 5}


def test_U4_each_in_turn_banks_one_hand_the_house_included() -> None:
    three = "2 6 K 3 K K 4 K K "  # the banker's left has 9, the next 6, a player-banker 0
    scenario = Scenario(
        "uk_1994_player", three * 3 + "2 6 K 6 3 K K K 4 K K K " + "K " * 9, occupied=[0, 2, 4]
    )
    found = []
    for _ in range(5):
        scenario.play(dict.fromkeys(("seat_0", "seat_2", "seat_4"), 5))
        found.append((scenario.of("bank_accepted")[0]["by"], scenario.net))
    assert found == [
        ("seat_0", {"seat_2": 5, "seat_4": 5, "seat_0": -10}),
        ("seat_2", {"seat_4": 5, "seat_0": 5, "seat_2": -10}),
        ("seat_4", {"seat_0": 5, "seat_2": 5, "seat_4": -10}),
        ("house", {"seat_0": "19/4", "seat_4": -5, "house": "1/4"}),
        ("seat_0", {}),
    ]
    again = Scenario("uk_1994_player", "K " * 150, occupied=[0, 2, 4])
    assert bankers(again, 5) == ["seat_0", "seat_2", "seat_4", "house", "seat_0"]


def test_U4_a_player_may_refuse_and_the_house_may_not() -> None:
    scenario = Scenario("uk_1994_player", "K " * 150, occupied=[0, 2, 4])
    refuse = dict.fromkeys(("seat_0", "seat_2", "seat_4"), "refuse")
    assert bankers(scenario, 3, bank=refuse) == ["house"] * 3
    assert ("house", "bank") not in scenario.asked
    assert not scenario.table.over


def test_U4_the_house_need_not_offer_the_bank() -> None:
    scenario = Scenario("uk_1994_player", "K " * 150, occupied=[0, 2, 4], bank="house")
    assert bankers(scenario, 3) == ["house"] * 3
    assert scenario.who_drew("bank") == []


def test_U5_with_a_single_wager_the_house_takes_the_bank_and_the_turn_is_not_used() -> None:
    cards = "2 5 3 K 4 K 2"  # seat_1: 9; the House has 5 and must draw
    scenario = Scenario("uk_1994_player", cards + " K" * 40)
    scenario.play({"seat_1": 20})
    assert scenario.of("house_takes_bank") == [{"former": "seat_0", "wagers": 1}]
    assert scenario.hands() == {"seat_1": "2 3 4", "house": "5 K K 2"}
    assert scenario.net == {"seat_1": 19, "house": -19}  # by the House's rules, at 19 to 20
    scenario.play(TWO)
    assert scenario.of("bank_accepted")[0]["by"] == "seat_0"


def test_U5_the_house_stakes_nothing_and_covers_all_whatever_the_former_banker_staked() -> None:
    hand = Scenario("uk_1994_player", "2 5 3 K 4 K 2").play({"seat_1": 20}, stake=1)
    assert hand.requests[-1].participant == "seat_1"
    assert hand.requests[-1].view.stake is None
    assert hand.covered() == {"seat_1": 20}
    assert hand.net == {"seat_1": 19, "house": -19}


def test_U5_the_turn_that_is_not_used_keeps_all_its_hands() -> None:
    cards = "2 5 3 K 4 K 2 " + "K " * 27
    scenario = Scenario("uk_1994_player", cards, occupied=[0, 1, 2], max_consecutive_banks=2)
    scenario.play({"seat_1": 20})  # the House's hand
    assert scenario.net == {"seat_1": 19, "house": -19}
    assert bankers(scenario, 3) == ["seat_0", "seat_0", "seat_1"]


def test_U5_the_house_that_has_the_bank_in_turn_keeps_it_and_its_turn_is_used() -> None:
    refuse = {"seat_0": "refuse", "seat_1": "refuse"}
    hand = Scenario("uk_1994_player", "2 5 3 K 4 K 2", occupied=[0, 1]).play({"seat_1": 20}, bank=refuse)
    assert hand.of("house_takes_bank") == []
    assert hand.of("bank_turn") == [{"holder": "house", "used": True, "over": True, "next": "seat_0"}]
    assert hand.net == {"seat_1": 19, "house": -19}


def test_U5_two_who_wager_on_one_hand_are_not_a_single_one() -> None:
    hand = Scenario("uk_1994_player", "2 5 3 K 4 K", back_line=True)
    hand.play({"seat_1": 20}, others={"seat_2": {"back": {"seat_1": 4}}})
    assert hand.of("house_takes_bank") == []
    assert hand.net == {"seat_1": 20, "seat_2": 4, "seat_0": -24}


def test_U5_two_wagers_of_one_player_are_a_single_one() -> None:
    hand = Scenario("uk_1994_player", "2 5 3 K 4 K 2")
    hand.play({"seat_1": {"base": 20, "side": {"tie": 3}}})  # 9 against the House's 7
    assert hand.of("house_takes_bank") == [{"former": "seat_0", "wagers": 1}]
    assert hand.net == {"seat_1": 19 - 3, "house": -16}


def test_U5_reading_the_turn_is_used_or_the_player_keeps_the_bank() -> None:
    fields: dict[str, Any] = {"single_wager_uses_turn": True}
    scenario = Scenario("uk_1994_player", "2 5 3 K 4 K 2" + " K" * 40, **fields)
    scenario.play({"seat_1": 20})
    scenario.play({"seat_0": 10, "seat_2": 6})
    assert scenario.of("bank_accepted")[0]["by"] == "seat_1"
    kept = Scenario(load_rules("uk_1994_player", house_banks_single_wager=False), "2 5 3 K 4 K")
    kept.play({"seat_1": 20})
    assert kept.net == {"seat_1": 20, "seat_0": -20}


def test_U5_a_wager_of_the_house_is_no_second_one() -> None:
    scenario = Scenario("uk_1994_player", "2 5 3 K 4 K 2").play({"seat_1": 20 - 10}, stake=30, top_up="ask")
    assert scenario.of("house_takes_bank") == [{"former": "seat_0", "wagers": 1}]
    assert scenario.of("top_up") == []
    assert scenario.net == {"seat_1": "19/2", "house": "-19/2"}


def test_U6_nobody_else_has_an_interest_in_the_bank_of_the_house() -> None:
    """Stated reason: no phase offers a share in a bank; on the House's hands all money is with the House."""
    hand = Scenario("uk_1994_house", THREE_HANDS + " 3").play({"seat_0": 10, "seat_1": 6})
    assert {row["against"] for row in hand.of("settled")} == {"house"}
    assert {*Phase} == {"bank", "stake", "wager", "others", "top_up", "draw"}


def test_U7_the_wager_is_made_before_any_card_is_dealt() -> None:
    hand = Scenario("uk_1994_player", THREE_HANDS).play(TWO)
    kinds = hand.kinds()
    assert max(i for i, kind in enumerate(kinds) if kind == "wager") < kinds.index("card")
    phases = [phase for _, phase in hand.asked]
    assert max(i for i, phase in enumerate(phases) if phase == "wager") < phases.index("draw")
    assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}


def test_U8_the_higher_total_wins_and_equal_totals_are_void() -> None:
    cards = "2 5 5 3 K K 4 K K"  # 9, 5 and the banker's 5
    hand = Scenario("uk_1994_player", cards).play(TWO)
    assert hand.net == {"seat_1": 10, "seat_0": -10}
    assert [row["net"] for row in hand.of("settled")] == [10, 0]


def test_U9_a_win_from_the_house_pays_19_to_20_and_from_a_player_1_to_1() -> None:
    house = Scenario("uk_1994_player", "2 6 6 3 K K 4 K K", occupied=[0, 1])
    house.play({"seat_0": 7, "seat_1": 6}, bank={"seat_0": "refuse", "seat_1": "refuse"})
    assert house.net == {"seat_0": "133/20", "house": "-133/20"}
    player = Scenario("uk_1994_player", "2 6 6 3 K K 4 K K").play(TWO)
    assert player.net == {"seat_1": 10, "seat_0": -10}


@pytest.mark.parametrize(("reading", "paid"), [("exact", "133/20"), ("down", 6), ("nearest", 7)])
def test_U9_reading_what_is_paid_is_rounded_to_chips_or_not(reading: str, paid: Any) -> None:
    hand = Scenario("uk_1994_house", "2 6 3 K 4 K", round_to_chips=reading).play({"seat_0": 7})
    assert hand.net["seat_0"] == paid
    assert hand.of("transfer")[0]["amount"] == paid


def test_U10_the_tie_wager_pays_7_to_1_on_equal_final_totals() -> None:
    cards = "2 5 6 K K K K 3 K 4"  # seat_1: 2 then 6, seat_2: 8, banker: 6
    tie = {"seat_1": {"base": 10, "side": {"tie": 3}}, "seat_2": {"base": 6, "side": {"tie": 4}}}
    hand = Scenario("uk_1994_player", cards).play(tie, {"seat_1": "draw"})
    assert hand.totals() == {"seat_1": 6, "seat_2": 8, "seat_0": 6}
    assert hand.net == {"seat_1": 21, "seat_2": 6 - 4, "house": -17, "seat_0": -6}


PLAYERS = {f"seat_{place}" for place in range(1, 7)}


@pytest.mark.parametrize(
    ("reading", "bettors"), [("own", set()), ("any", PLAYERS), ("banker", {*PLAYERS, "seat_0"})]
)
def test_U10_reading_who_may_wager_on_a_tie(reading: str, bettors: set[str]) -> None:
    cards = "2 5 6 K K K K 3 K"  # seat_1: 2, seat_2: 8, banker: 6
    ties = {"seat_3": {"tie": {"seat_1": 2}}} if reading == "any" else {}
    if reading == "banker":
        ties = {"seat_0": {"tie": {"seat_2": 5}}}
    hand = Scenario("uk_1994_player", cards, tie_bettors=reading).play(TWO, others=ties)
    offers = {row.participant: set(row.amounts) for row in hand.requests if row.phase == "others"}
    others = {"tie seat_1", "tie seat_2"}
    # who has wagered has been asked for his own hand with his wager, and is not asked again
    assert offers == {who: others - {f"tie {who}"} for who in bettors}
    expected = {"seat_1": -10, "seat_2": 6, "seat_0": 4}
    if reading == "any":
        expected |= {"seat_3": -2, "house": 2}
    if reading == "banker":
        expected |= {"seat_0": 4 - 5, "house": 5}
    assert hand.net == expected


@pytest.mark.parametrize("reading", ["own", "any", "banker"])
def test_U10_the_tie_wager_on_a_hand_that_the_house_banks(reading: str) -> None:
    cards = "2 6 K K K K K K K" + " 6"  # seat_0: 2, seat_1: 6, the House: 0, which draws 6
    others = {"seat_0": {"tie": {"seat_1": 4}}, "seat_2": {"tie": {"seat_1": 5}}}
    hand = Scenario("uk_1994_player", cards, tie_bettors=reading, occupied=[0, 1, 2])
    refuse = dict.fromkeys(("seat_0", "seat_1", "seat_2"), "refuse")
    hand.play({"seat_0": 10, "seat_1": {"base": 6, "side": {"tie": 3}}}, bank=refuse, others=others)
    # the House banks and has no tie wager with itself
    assert hand.who_drew("others") == ([] if reading == "own" else ["seat_0", "seat_1", "seat_2"])
    assert hand.hands()["house"] == "K K K 6"
    assert {row["against"] for row in hand.of("settled")} == {"house"}
    own = {"seat_0": -10, "seat_1": 21, "house": -11}
    all_three = {"seat_0": -10 + 28, "seat_1": 21, "seat_2": 35, "house": 10 - 84}
    assert hand.net == (own if reading == "own" else all_three)


def test_U10_a_tie_wager_of_another_gives_no_say_over_the_hand() -> None:
    hand = Scenario("uk_1994_player", "2 5 6 K K K K 3 K", tie_bettors="any")
    hand.play({"seat_1": 4, "seat_2": 3}, others={"seat_3": {"tie": {"seat_1": 9}}})
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_0"]
    assert hand.net == {"seat_1": -4, "seat_2": 3, "seat_3": -9, "house": 9, "seat_0": 1}


def test_U11_the_house_fills_the_stake_on_request_and_plays_0_to_5_and_6_to_9() -> None:
    cards = "2 6 4 5  3 6 A K  4 K K K  4"  # seat_1 9, seat_2 2, House 5 draws 4, banker 5
    hand = Scenario("uk_1994_player", cards).play(TWO, stake=20, top_up="ask")
    assert hand.of("wager")[-1] == {"by": "house", "place": 7, "circle": 1, "amount": 4, "bet": None}
    assert hand.hands() == {"seat_1": "2 3 4", "seat_2": "6 6 K", "house": "4 A K 4", "seat_0": "5 K K"}
    assert hand.net == {"seat_1": 10, "seat_2": -6, "house": 4, "seat_0": -8}  # 1 to 1
    assert hand.who_drew() == ["seat_1", "seat_2", "seat_0"]
    offered = Scenario("uk_1994_player", cards, offer_forced=True).play(TWO, stake=20, top_up="ask")
    assert [r.options for r in offered.requests if r.participant == "house"] == [("draw",)]
    assert offered.net == hand.net


def test_U11_the_house_wagers_the_shortfall_up_to_the_table_maximum() -> None:
    cards = "2 6 6 5  3 6 K K  4 K K K"
    limits = {"least": 1, "most": 10}
    hand = Scenario("uk_1994_player", cards, limits=limits).play(TWO, stake=100, top_up="ask")
    assert hand.of("wager")[-1]["amount"] == 10
    assert hand.net == {"seat_1": 10, "seat_2": -6, "house": 10, "seat_0": -14}


def test_U11_without_the_request_or_a_shortfall_the_house_does_not_wager() -> None:
    declined = Scenario("uk_1994_player", THREE_HANDS).play(TWO, stake=20)
    assert declined.who_drew("top_up") == ["seat_0"]
    assert declined.net == {"seat_1": 10, "seat_2": -6, "seat_0": -4}
    full = Scenario("uk_1994_player", THREE_HANDS).play(TWO, stake=16, top_up="ask")
    assert full.who_drew("top_up") == []
    off = Scenario("uk_1994_player", THREE_HANDS, house_tops_up=False).play(TWO, stake=20, top_up="ask")
    assert off.who_drew("top_up") == []
    assert full.net == off.net == declined.net


def test_U11_wagers_above_the_stake_are_not_covered_from_the_bankers_left() -> None:
    cards = "5 6 5 K 6 K K K K"  # seat_1 pushes with 5, seat_2 has 2, banker 5
    hand = Scenario("uk_1994_player", cards).play(TWO, stake=12)
    assert hand.covered() == {"seat_1": 10, "seat_2": 2}  # though seat_1's wager is void
    assert hand.net == {"seat_2": -2, "seat_0": 2}
    later = Scenario("uk_1994_player", cards, push_uses_cover=False).play(TWO, stake=12)
    assert later.net == {"seat_2": -6, "seat_0": 6}


def test_U12_every_kind_of_wager_is_on_offer_to_every_player() -> None:
    """Stated reason: the wagers on offer are the sheet's, and the same for everybody who is asked."""
    hand = Scenario("uk_1994_player", THREE_HANDS).play(TWO)
    offers = [set(request.amounts) for request in hand.requests if request.phase == "wager"]
    assert offers == [{"base", "tie"}] * 6


def test_U13_no_wager_need_be_accepted_but_the_house_must_fill_the_stake() -> None:
    hand = Scenario("uk_1994_player", THREE_HANDS).play(TWO, stake=10)  # the stake says how much is accepted
    assert hand.covered() == {"seat_1": 10, "seat_2": 0}
    assert hand.net == {"seat_1": 10, "seat_0": -10}
    asked = Scenario("uk_1994_player", "2 6 6 5  3 6 K K  4 K K K").play(TWO, stake=20, top_up="ask")
    assert [wager["by"] for wager in asked.of("wager")] == ["seat_1", "seat_2", "house"]
    assert ("house", "top_up") not in asked.asked  # U11 prevails: the House is not asked
    assert asked.net == {"seat_1": 10, "seat_2": -6, "house": 4, "seat_0": -8}
