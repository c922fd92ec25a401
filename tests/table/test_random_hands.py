"""Random hands of every sheet: flows sum to zero, cards are conserved, the round and the log agree."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym.rules import load_rules
from pan9_gym.table import Decision, Event, FaultKind, FaultRates, Table, new_table, table_config
from tests.table.playing import SHEETS, play_at_random

COLLECTION = {"banker": 2, "player": 1}
VARIANTS: dict[str, dict[str, Any]] = {
    "as the sheet says": {},
    "with faults": {"faults": FaultRates(**dict.fromkeys(map(str, FaultKind), 0.02))},
}


def open_table(sheet: str, seed: int, **fields: Any) -> Table:
    return new_table(
        table_config(sheet, collection=COLLECTION, refused_rounds=1000, **fields), np.random.default_rng(seed)
    )


def check_balance(table: Table, num_hands: int, seed: int) -> None:
    rng = np.random.default_rng(seed + 1)
    fees = Fraction(0)
    for _ in range(num_hands):
        events = play_at_random(table, rng)
        net = {name: Fraction(amount) for name, amount in events[-1].data["net"].items()}
        assert sum(net.values()) == 0
        fees += net.get("room", Fraction(0))
        paid = sum(event.data["amount"] for event in events if event.data.get("reason") == "collection")
        back = [event for event in events if event.data.get("reason") == "collection_returned"]
        assert net.get("room", 0) == paid - sum(event.data["amount"] for event in back)
    assert sum(table.accounts.values()) == 0
    assert table.accounts["room"] == fees > 0


@pytest.mark.parametrize("sheet", SHEETS)
def test_flows_of_2000_random_hands_sum_to_zero(sheet: str) -> None:
    check_balance(open_table(sheet, 7), 2000, 7)


@pytest.mark.parametrize("sheet", SHEETS)
def test_flows_of_500_random_hands_with_faults_sum_to_zero(sheet: str) -> None:
    check_balance(open_table(sheet, 7, **VARIANTS["with faults"]), 500, 7)


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS)
def test_flows_of_a_million_random_hands_sum_to_zero(sheet: str) -> None:
    check_balance(open_table(sheet, 11), 200_000, 11)  # five sheets


@pytest.mark.parametrize("sheet", SHEETS)
def test_one_shoe_is_never_dealt_beyond_its_cards(sheet: str) -> None:
    table, rng = open_table(sheet, 3, penetration=1), np.random.default_rng(4)
    dealt: Counter[str] = Counter()
    shoes = 0
    for _ in range(100):
        for event in play_at_random(table, rng):
            if event.kind in ("shuffle", "misdeal", "discards_shuffled"):
                shoes += 1
                dealt.clear()
            elif event.kind == "card":
                dealt[event.data["card"]] += 1
        assert max(dealt.values(), default=0) <= table.config.rules.num_decks  # type: ignore[operator]
    assert shoes > 2


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_same_seed_and_decisions_give_the_same_events(sheet: str) -> None:
    def events() -> list[Any]:
        table, rng = open_table(sheet, 5, **VARIANTS["with faults"]), np.random.default_rng(6)
        return [event.to_dict() for _ in range(50) for event in play_at_random(table, rng)]

    assert events() == events()


def hands_of_the_log(events: list[Event]) -> dict[int, list[str]]:
    """Every place's cards from the log alone."""
    found: dict[int, list[str]] = {}
    for event in events:
        if event.kind == "misdeal":
            found.clear()
        elif event.kind == "card":
            found.setdefault(event.data["place"], []).append(event.data["card"])
        elif event.kind == "card_removed":
            assert found[event.data["place"]].pop() == event.data["card"]
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_cards_of_the_log_are_the_cards_of_the_round(sheet: str, variant: str) -> None:
    table, rng = open_table(sheet, 8, **VARIANTS[variant]), np.random.default_rng(9)
    for _ in range(200):
        events = play_at_random(table, rng)
        opened = {event.data["place"]: event.data["cards"] for event in events if event.kind == "hand_opened"}
        dealt = hands_of_the_log(events)
        assert {place: dealt[place] for place in opened} == opened
        hand = table.state.current
        if hand.round is not None:
            points = table.config.rules.point_values
            played = [
                [kind if isinstance(kind, int) else points[kind.rank] for kind in cards]
                for cards in hand.round.hands
            ]
            assert played == [[points[card[:-1]] for card in opened[place]] for place in hand.seats]


def test_with_replacement_there_are_no_discards_and_nothing_runs_out() -> None:
    rules = load_rules("bicycle", num_decks="infinite")
    table, rng = new_table(table_config(rules), np.random.default_rng(1)), np.random.default_rng(2)
    for _ in range(60):
        play_at_random(table, rng)
    assert table.state.discards == []
    assert table.state.unseen() == rules.initial_counts
    assert sum(table.accounts.values()) == 0


def test_every_hand_has_a_fresh_shoe_where_the_table_says_so() -> None:
    table, rng = (
        new_table(table_config("bicycle", shoe="fresh"), np.random.default_rng(1)),
        np.random.default_rng(2),
    )
    for _ in range(20):
        kinds = [event.kind for event in play_at_random(table, rng)]
        assert kinds.count("shuffle") == 1


@pytest.mark.parametrize(("penetration", "hands"), [("1/2", 9), ("3/4", 14)])
def test_the_shoe_goes_on_to_the_cut_card(penetration: str, hands: int) -> None:
    scenario = open_table("bicycle", 1, penetration=penetration, back_line=False)
    between, count = [], 0
    for _ in range(60):
        events = scenario.begin_hand()
        count = 1 if any(event.kind == "shuffle" for event in events) else count + 1
        between.append(count)
        while scenario.pending is not None:
            request = scenario.pending
            value = {"bank": "accept", "stake": 100, "wager": {"base": 1}, "draw": request.options[:1]}[
                request.phase
            ]
            answer = value[0] if isinstance(value, tuple) else value
            events += scenario.decide(Decision(request.participant, request.phase, answer))
        assert sum(event.kind == "card" for event in events) == 24
    assert max(between) == hands  # the first multiple of 24 at or after the cut card
