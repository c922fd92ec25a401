"""Clauses S1-S9 at the table: worked hands with the money of every seat.

seat_0 banks with a stake of 10,000, the dice count to his left, who is not listed sits out.
"""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules import load_rules
from pan9_gym.table import table_config
from pan9_gym.table.participants import Participant
from pan9_gym.table.session import Session
from tests.table.playing import Scenario

TWO = {"seat_1": 10, "seat_2": 6}
STAKE = 10_000


def bonus(cards: str, bets: dict[str, Any], base: int = 10, **fields: Any) -> Scenario:
    rules = fields.pop("rules", "bicycle_bonus")
    moves = fields.pop("moves", {})
    stake = fields.pop("stake", STAKE)
    scenario = Scenario(rules, cards, **fields)
    return scenario.play({"seat_1": {"base": base, "side": bets}}, moves, stake=stake)


def test_S1_a_banker_may_bank_two_hands_or_pass_after_one_or_altogether() -> None:
    scenario = Scenario("bicycle_bonus", "6 " * 90, occupied=[0, 1, 2])
    found = []
    for refuse in ({}, {}, {}, {"seat_1": "refuse"}, {"seat_0": "refuse"}, {}):
        scenario.play(dict.fromkeys(("seat_0", "seat_1", "seat_2"), 5), bank=refuse, stake=STAKE)
        found.append(" ".join(scenario.who_drew("bank")))
    assert found == [
        "seat_0",
        "seat_0",  # a second hand
        "seat_1",
        "seat_1 seat_2",  # seat_1 passes after one
        "seat_2",
        "seat_0",
    ]
    scenario.play(bank={"seat_0": "refuse", "seat_1": "refuse"})
    assert scenario.who_drew("bank") == ["seat_0", "seat_1", "seat_2"]  # passed altogether
    assert scenario.of("bank_accepted")[0]["by"] == "seat_2"


def test_S1_both_hands_of_a_turn_are_banked_by_the_same_player() -> None:
    scenario = Scenario("bicycle_bonus", "6 6 6 K K A K K K " * 3, occupied=[0, 1, 2])  # 6, 6 against 7
    money = []
    for _ in range(3):
        scenario.play(dict.fromkeys(("seat_0", "seat_1", "seat_2"), 5), stake=8)
        money.append(scenario.net)
    assert money == [
        {"seat_1": -5, "seat_2": -3, "seat_0": 8},
        {"seat_1": -5, "seat_2": -3, "seat_0": 8},
        {"seat_2": -5, "seat_0": -3, "seat_1": 8},
    ]


def test_S1_to_pass_after_one_hand_is_no_refusal_of_the_turn() -> None:
    scenario = Scenario("bicycle_bonus", "6 5 K K K K " * 2, occupied=[0, 1], refused_rounds=1)
    scenario.play({"seat_1": 5})
    assert scenario.net == {"seat_1": 5, "seat_0": -5}
    scenario.play({"seat_1": 5}, bank={"seat_0": "refuse", "seat_1": "refuse"})
    assert scenario.who_drew("bank") == ["seat_0", "seat_1", "seat_0"]  # offered again, a turn of his own
    assert scenario.table.over


def test_S1_reading_one_hand_a_turn() -> None:
    scenario = Scenario("bicycle_bonus", "6 " * 60, occupied=[0, 1], max_consecutive_banks=1)
    found = []
    for _ in range(3):
        scenario.play({"seat_0": 5, "seat_1": 5})
        found += scenario.who_drew("bank")
    assert found == ["seat_0", "seat_1", "seat_0"]


def test_S2_the_action_seat_gets_the_first_card_and_is_settled_first() -> None:
    cards = "3 A 2 K K 6 6 K K"  # dealt from seat_2: 9, banker 1, seat_1 8
    hand = Scenario("bicycle_bonus", cards + " K", dice=[(1, 1, 1)]).play(TWO, stake=8)
    assert [card["to"] for card in hand.of("card")[:6]] == ["seat_2", "seat_0", "seat_1"] * 2
    assert [row["by"] for row in hand.of("settled")] == ["seat_2", "seat_1"]
    assert hand.covered() == {"seat_2": 6, "seat_1": 2}
    assert hand.net == {"seat_2": 6, "seat_1": 2, "seat_0": -8}


def test_S3_players_draw_on_0_to_4_stand_on_7_to_9_and_choose_on_5_and_6() -> None:
    # seat_1 4 must draw, seat_2 5 is free, seat_3 7 must stand, banker 6 is free
    cards = "4 5 6 6 K K A K K K K K" + " 5 2 2"
    hand = Scenario("bicycle_bonus", cards).play(
        {**TWO, "seat_3": 7}, {"seat_2": "draw", "seat_0": "draw"}, stake=STAKE
    )
    assert hand.who_drew() == ["seat_2", "seat_0"]
    assert [(c["place"], c["how"]) for c in hand.of("choice")] == [
        (1, "forced"),
        (2, "free"),
        (3, "forced"),
        (0, "free"),
    ]
    assert hand.totals() == {"seat_1": 9, "seat_2": 7, "seat_3": 7, "seat_0": 8}
    assert hand.net == {"seat_1": 10, "seat_2": -6, "seat_3": -7, "seat_0": 3}


def test_S3_a_seat_may_be_asked_for_a_forced_move_and_cannot_make_another() -> None:
    cards = "4 5 6 6 K K A K K K K K" + " 5"
    hand = Scenario("bicycle_bonus", cards, offer_forced=True).play(TWO | {"seat_3": 7}, stake=STAKE)
    options = [request.options for request in hand.requests if request.phase == "draw"]
    assert options == [("draw",), ("stand", "draw"), ("stand",), ("stand", "draw")]
    with pytest.raises(ValueError, match="draw 'stand': is not legal for 'seat_1'; allowed: draw"):
        Scenario("bicycle_bonus", cards, offer_forced=True).play(TWO, {"seat_1": "stand"})


@pytest.mark.parametrize(("banker", "asked"), [("as_players", []), ("free", ["seat_0"])])
def test_S3_reading_the_banker_plays_as_the_players_or_is_free(banker: str, asked: list[str]) -> None:
    rules = load_rules("bicycle_bonus")
    if banker == "free":
        rules = load_rules(rules, banker_draw_rule={"must_draw": [], "must_stand": []})
    hand = Scenario(rules, "6 4 A K A K 2").play({"seat_1": 10}, stake=STAKE)  # 8 against 4
    assert hand.who_drew() == asked
    assert hand.totals()["seat_0"] == (4 if banker == "free" else 6)
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_S4_ties_push_but_a_tie_on_0_loses() -> None:
    push = Scenario("bicycle_bonus", "5 5 K K K K").play({"seat_1": 10})
    assert push.net == {}
    zero = Scenario("bicycle_bonus", "K K K K K K K K").play({"seat_1": 10})
    assert zero.hands() == {"seat_0": "K K K K", "seat_1": "K K K K"}
    assert zero.net == {"seat_1": -10, "seat_0": 10}
    other = Scenario(load_rules("bicycle_bonus", banker_wins_ties=[]), "K " * 8).play({"seat_1": 10})
    assert other.net == {}


@pytest.mark.parametrize("wagers", [{"seat_1": 10, "seat_2": 6}, {"seat_1": 100, "seat_2": 60}])
def test_S5_the_collection_is_flat_and_no_share_of_the_wager(wagers: dict[str, int]) -> None:
    cards = "6 5 6 K K K A K K"  # 7, 5, 6
    hand = Scenario("bicycle_bonus", cards, collection={"banker": 2, "player": 1}).play(wagers, stake=STAKE)
    assert hand.net["room"] == 4
    assert hand.net == {
        "seat_1": wagers["seat_1"] - 1,
        "seat_2": -wagers["seat_2"] - 1,
        "seat_0": wagers["seat_2"] - wagers["seat_1"] - 2,
        "room": 4,
    }


@pytest.mark.parametrize(
    ("cards", "paid"),
    [("3h 3h 3h", 3000), ("3h 3h 3d", 300), ("3h 3s 3d", 150), ("3h 3h 4h", -1)],
)
def test_S6_three_threes_win_the_bc_bonus(cards: str, paid: int) -> None:
    one, two, three = cards.split()
    forced = " 2c" if three == "4h" else ""  # 0 must draw
    hand = bonus(f"{one} 5c {two} Kc {three} Kd{forced}", {"bc": 1})
    base = 10 if three != "4h" else -10
    assert hand.net == {"seat_1": base + paid, "seat_0": -base - paid}


def test_S6_it_is_paid_on_the_first_three_cards() -> None:
    rules = load_rules("bicycle_bonus", player_draw_rule={"must_draw": [], "must_stand": []})
    hand = bonus("3h 5c 3h Kc 3h Kd As", {"bc": 1}, rules=rules, moves={"seat_1": "draw"})
    assert hand.hands()["seat_1"] == "3 3 3 A"
    assert hand.net == {"seat_1": 2990, "seat_0": -2990}


def test_S6_reading_the_stake_is_another_sum_or_not_returned() -> None:
    bc = {"prizes": {"suited": 3000, "same_colour": 300, "off_suit": 150}, "stake": 5}
    rules = load_rules("bicycle_bonus", side_bets={"bc": {**bc, "stake_returned": False}})
    hand = bonus("3h 5c 3h Kc 3h Kd", {"bc": 5}, rules=rules)
    assert hand.net["seat_1"] == 10 + 3000 - 5
    with pytest.raises(ValueError, match="bc 1: must be 0 or a whole number of chips from 5 to 5"):
        bonus("3h 5c 3h Kc 3h Kd", {"bc": 1}, rules=rules)
    chips = Scenario("bicycle_bonus", "3h 5c 3h Kc 3h Kd", chip_value=2)
    chips.play({"seat_1": {"base": 10, "side": {"bc": "1/2"}}}, stake=STAKE)
    assert chips.net["seat_1"] == 10 + 1500


@pytest.mark.parametrize("reading", ["exact", "down", "nearest"])
def test_S6_a_lost_stake_that_is_no_whole_number_of_chips_is_not_rounded(reading: str) -> None:
    hand = bonus("6 5 K K K K", {"bc": "1/2"}, chip_value=2, round_to_chips=reading)
    assert hand.net == {"seat_1": "19/2", "seat_0": "-19/2"}


def test_S6_who_has_the_bonus_in_his_plan_stakes_what_the_page_says_and_only_beside_a_wager() -> None:
    config = table_config("bicycle_bonus", chip_value=2, occupied=(0, 1, 2))
    plan = {
        "seat_0": Participant(),
        "seat_1": Participant(side={"bc": 1, "dragon": 3}),
        "seat_2": Participant(wager=lambda request, rng: 0, side={"bc": 1}),
    }
    events = Session(config, plan, seed=1).hand()
    wagers = [
        (event.data["by"], event.data["bet"], event.data["amount"])
        for event in events
        if event.kind == "wager"
    ]
    assert wagers == [("seat_1", None, 1), ("seat_1", "dragon", 3), ("seat_1", "bc", "1/2")]


@pytest.mark.parametrize(
    ("first", "draw", "payout"),
    [
        ("2c Ac 5c", "", -1),  # an 8 of three cards stands and loses the bonus
        ("2c 3c 4c", "", 20),
        ("2c 3c 4s", "", 10),
        ("2c 3c 4d", "", 2),
        ("Ac 2c Kc", "6c", 100),
        ("Ac 2c Kc", "6s", 40),
        ("Ac 2c Kc", "6h", 4),
        ("Ac 2c Kc", "5c", -1),
    ],
)
def test_S7_a_final_9_wins_the_dragon_bonus(first: str, draw: str, payout: int) -> None:
    one, two, three = first.split()
    hand = bonus(f"{one} 5c {two} Kc {three} Kd {draw}", {"dragon": 2})
    assert hand.net == {"seat_1": 10 + 2 * payout, "seat_0": -10 - 2 * payout}


@pytest.mark.parametrize(("side", "states", "net"), [({}, 1, -10), ({"dragon": 2}, 3, -12)])
def test_S7_the_choice_may_depend_on_the_suits_where_the_bonus_is_wagered(
    side: dict[str, Any], states: int, net: int
) -> None:
    seen = set()
    for cards in ("2c 2c Ac", "2c 2s Ac", "2c 2h Ac"):  # 5 suited, of one colour, off suit
        one, two, three = cards.split()
        hand = bonus(f"{one} 6d {two} Kd {three} Kh", side)
        assert hand.who_drew() == ["seat_1", "seat_0"]
        seen.add(next(row.view.info_state for row in hand.requests if row.phase == "draw"))
        assert hand.net == {"seat_1": net, "seat_0": -net}
    assert len(seen) == states


def test_S7_it_needs_no_winning_hand() -> None:
    hand = bonus("2c 4c 3c 4d 4c Ah", {"dragon": 2})  # 9 against 9
    assert hand.net == {"seat_1": 40, "seat_0": -40}


@pytest.mark.parametrize(("total", "payout"), [(0, 100), (1, 50), (2, 40), (3, 20), (4, 10), (5, -1)])
def test_S8_a_tie_on_0_to_4_wins_super_0(total: int, payout: int) -> None:
    card = {0: "K", 5: "5"}.get(total, "A" if total == 1 else str(total))
    hand = bonus(f"{card} {card} K K K K K K", {"super_0": 2})
    assert hand.totals() == {"seat_0": total, "seat_1": total}
    base = -10 if total == 0 else 0
    assert hand.net == {"seat_1": base + 2 * payout, "seat_0": -base - 2 * payout}


def test_S8_reading_the_players_own_total() -> None:
    payouts = {0: 100, 1: 50, 2: 40, 3: 20, 4: 10}
    rules = load_rules("bicycle_bonus", side_bets={"super_0": {"payouts": payouts, "on": "own_total"}})
    cards = "2 5 K K K K K"  # 2 against 5
    assert bonus(cards, {"super_0": 2}, rules=rules).net == {"seat_1": 70, "seat_0": -70}
    assert bonus(cards, {"super_0": 2}).net == {"seat_1": -12, "seat_0": 12}


def test_S9_side_bets_come_with_a_base_bet_in_any_combination_against_the_banker() -> None:
    hand = bonus("3h 5c 3h Kc 3h Kd", {"bc": 1, "dragon": 2, "super_0": 3})
    assert {row["bet"]: row["net"] for row in hand.of("settled")} == {
        None: 10,
        "dragon": 40,
        "super_0": -3,
        "bc": 3000,
    }
    assert hand.net == {"seat_1": 3047, "seat_0": -3047}
    with pytest.raises(ValueError, match=r"side .*: needs a base wager"):
        bonus("3h 5c 3h Kc 3h Kd", {"bc": 1}, base=0)
    with pytest.raises(ValueError, match="side 'tie': is not on offer; allowed: dragon, super_0, bc"):
        bonus("3h 5c 3h Kc 3h Kd", {"tie": 1})


def test_S9_side_bets_are_settled_after_all_base_wagers_from_the_cover_that_is_left() -> None:
    # seat_1: suited 9 wins 10 and 20 to 1; seat_2: 6 wins 6; the banker's stake of 40 leaves 24 for the bonus
    wagers = {"seat_1": {"base": 10, "side": {"dragon": 2}}, "seat_2": 6}
    hand = Scenario("bicycle_bonus", "2c 6d 5h 3c Kd Kh 4c Ks Kc").play(wagers, stake=40)
    assert [(row["by"], row["bet"], row["net"]) for row in hand.of("settled")] == [
        ("seat_1", None, 10),
        ("seat_2", None, 6),
        ("seat_1", "dragon", 24),
    ]
    assert hand.of("settled")[2]["covered"] == "6/5"  # 24 at 20 to 1; the rest of the stake comes back
    assert hand.net == {"seat_1": 34, "seat_2": 6, "seat_0": -40}


@pytest.mark.parametrize("names", [("dragon", "super_0"), ("super_0", "dragon")])
def test_S9_side_bets_are_settled_in_the_order_of_the_sheet_however_they_are_named(
    names: tuple[str, str],
) -> None:
    # both lose; of a stake of 14 the wager uses 10, the dragon 3, and 1 is left for super 0
    wagers = {"seat_1": {"base": 10, "side": dict.fromkeys(names, 3)}}
    hand = Scenario("bicycle_bonus", "2c 5d 3h Kd 3c Kh", occupied=(0, 1)).play(wagers, stake=14)
    assert [(row["bet"], row["covered"]) for row in hand.of("settled")] == [
        (None, 10),
        ("dragon", 3),
        ("super_0", 1),
    ]
    assert hand.net == {"seat_1": 10 - 4, "seat_0": -6}


def test_S9_reading_side_bets_are_settled_with_the_wagers_on_their_hand() -> None:
    wagers = {"seat_1": {"base": 10, "side": {"dragon": 2}}, "seat_2": 6}
    hand = Scenario("bicycle_bonus", "2c 6d 5h 3c Kd Kh 4c Ks Kc", side_bets_settled="with_wager")
    hand.play(wagers, stake=40)
    assert [(row["by"], row["bet"], row["net"]) for row in hand.of("settled")] == [
        ("seat_1", None, 10),
        ("seat_1", "dragon", 30),
        ("seat_2", None, 0),
    ]
    assert hand.net == {"seat_1": 40, "seat_0": -40}


def test_S9_a_tie_on_0_loses_the_base_bet_and_wins_super_0() -> None:
    hand = bonus("K " * 8, {"super_0": 1})
    assert {row["bet"]: row["net"] for row in hand.of("settled")} == {None: -10, "super_0": 100}
    assert hand.net == {"seat_1": 90, "seat_0": -90}
