"""Decisions: a refused one says why in one line and changes nothing; what is asked is complete data."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from pan9_gym.policies import get, resolve
from pan9_gym.rules import Role
from pan9_gym.table import Decision, FaultKind, FaultRates, Phase, Request, Table, new_table, table_config
from tests.table.playing import SHEETS, play_at_random, random_value


def snapshot(table: Table) -> bytes:
    """Everything at the table, the Generator's state too."""
    return pickle.dumps(table)


def wrong_decisions(request: Request) -> list[tuple[Any, str]]:
    """Decisions that must be refused, and what the message must contain."""
    who, phase = request.participant, request.phase
    other = "seat_9" if who == "seat_0" else "seat_0"
    later = Phase.DRAW if phase is not Phase.DRAW else Phase.WAGER
    found: list[tuple[Any, str]] = [
        (None, "decision None: must be a Decision"),
        (Decision(np.zeros(2), phase, "stand"), "is not to act"),  # type: ignore[arg-type]
        (Decision(who, np.zeros(2), "stand"), "is not now"),  # type: ignore[arg-type]
        (Decision(other, phase, "stand"), f"participant {other!r}: is not to act"),
        (Decision(who, later, "stand"), f"phase {later.value!r}: is not now"),
        (Decision(who, "shuffle", "stand"), "phase 'shuffle': is not now"),
    ]
    if request.options:
        values: list[Any] = ["hit", "", None, 1, True, ["draw"]]
        allowed = f"allowed: {', '.join(request.options)}"
    elif phase is Phase.STAKE:
        values, allowed = [0, -5, 2.0, True, "10", None, 10**5000], "must be a whole number of chips from"
    elif phase is Phase.WAGER:
        values = [{"base": bad} for bad in (-1, 11, 2.0, True, "5", None)]
        values += [{"base": 0, "side": {name: 1}} for name in request.amounts if name not in ("base", "bc")]
        values += [5, {"bet": 5}, {"base": 5, "side": {"dragons": 1}}, {"base": 5, "side": 1}]
        allowed = ""
    else:
        values = [
            7,
            {"base": 5},
            {"back": {"seat_9": 1}},
            {"back": {who: 5}},
            {"tie": {"seat_0": -1}},
            {"both": 1},
        ]
        allowed = ""
    return found + [(Decision(who, phase, value), allowed) for value in values]


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_refused_decision_leaves_the_table_as_it_was(sheet: str) -> None:
    rates = FaultRates(**dict.fromkeys(map(str, FaultKind), 0.05))
    table = new_table(table_config(sheet, faults=rates), np.random.default_rng(1))
    rng, refused = np.random.default_rng(2), 0
    for _ in range(4):
        table.begin_hand()
        while table.pending is not None:
            request = table.pending
            before = snapshot(table)
            for decision, message in wrong_decisions(request):
                with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is looked at below
                    table.decide(decision)
                text = str(error.value)
                assert message in text
                assert "\n" not in text
                refused += 1
            with pytest.raises(ValueError, match="is in play"):
                table.begin_hand()
            assert snapshot(table) == before
            table.decide(Decision(request.participant, request.phase, random_value(request, rng)))
    assert refused > 300


def test_two_decisions_for_one_turn_are_refused() -> None:
    table = new_table(table_config("bicycle"), np.random.default_rng(1))
    table.begin_hand()
    first = Decision("seat_0", "bank", "accept")
    table.decide(first)
    before = snapshot(table)
    with pytest.raises(ValueError, match="phase 'bank': is not now; 'seat_0' is asked for 'stake'"):
        table.decide(first)
    assert snapshot(table) == before


def test_a_decision_between_hands_is_refused() -> None:
    table = new_table(table_config("bicycle"), np.random.default_rng(1))
    before = snapshot(table)
    with pytest.raises(ValueError, match="'accept' by 'seat_0': nobody is asked now"):
        table.decide(Decision("seat_0", "bank", "accept"))
    assert snapshot(table) == before


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_copy_goes_on_as_the_table_does(sheet: str) -> None:
    table = new_table(table_config(sheet), np.random.default_rng(3))
    play_at_random(table, np.random.default_rng(4))
    twin: Table = copy.deepcopy(table)
    saved: Table = pickle.loads(pickle.dumps(table))
    for copied in (twin, saved):
        again = [event.to_dict() for event in play_at_random(copied, np.random.default_rng(5))]
        assert again[-1]["hand"] == 2
    events = [event.to_dict() for event in play_at_random(table, np.random.default_rng(5))]
    assert events == again


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_event_is_data_that_json_can_hold(sheet: str) -> None:
    rates = FaultRates(**dict.fromkeys(map(str, FaultKind), 0.05))
    table, rng = (
        new_table(table_config(sheet, faults=rates), np.random.default_rng(6)),
        np.random.default_rng(7),
    )
    for _ in range(100):
        for event in play_at_random(table, rng):
            assert json.loads(json.dumps(event.to_dict())) == event.to_dict()


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_request_to_draw_has_what_a_policy_needs(sheet: str) -> None:
    table = new_table(table_config(sheet), np.random.default_rng(8))
    rng = np.random.default_rng(9)
    for _ in range(20):
        table.begin_hand()
        while table.pending is not None:
            request = table.pending
            value = random_value(request, rng)
            if request.phase is Phase.DRAW:
                view, hand = request.view, table.state.current
                assert view.seat is not None
                role = Role.BANKER if view.seat == view.num_players else Role.PLAYER
                with_suits = hand.dealt.states[view.seat].with_suits
                policy = resolve("logical_way", hand.rules, role, view.num_players, view.seat, with_suits)
                prob = policy.array.item(view.info_state)
                points = [hand.rules.point_values[card.rank] for card in view.cards]
                legal = {"stand": 0.0, "draw": 1.0}
                forced = [legal[option] for option in request.options if option in legal]
                assert prob == (forced[0] if len(forced) == 1 else float(sum(points) % 10 < 6))
                plain = get("logical_way", hand.rules, role, view.num_players, view.seat)
                assert plain.draw_prob(points, view.choices) == prob
            table.decide(Decision(request.participant, request.phase, value))


def test_what_is_unseen_counts_down_by_the_opened_hands() -> None:
    table, rng = (
        new_table(table_config("bicycle", penetration=1), np.random.default_rng(1)),
        np.random.default_rng(2),
    )
    full, unseen = 432, 432
    for _ in range(8):
        events = play_at_random(table, rng)
        shown = sum(len(event.data["cards"]) for event in events if event.kind == "hand_opened")
        now = sum(table.state.unseen())
        assert now in (unseen - shown, full - shown)
        unseen = now
