"""H6-H9 and H11: what everybody has seen of cards that do not stay in a hand, and who may not see what.

seat_0 banks with a stake of 1,000, the dice count to his left, who is not listed sits out. Cards are numbered
from 0 since the deal began.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from pan9_gym.table import Fault, FaultKind, FaultRates, Phase, new_table, table_config
from tests.table.playing import Scenario, play_at_random


def scenario(*cards: str, faults: list[Fault]) -> Scenario:
    return Scenario("hawaiian_gardens", *cards, faults=faults)


def test_H8_face_up_draw_cards_cannot_be_exposed() -> None:
    # baccarat: the player's 3 lies face up anyway, and the banker's tableau has answered it
    hand = Scenario("baccarat_punto_banco", "2 K 3 3 3 2", faults=[Fault(FaultKind.EXPOSED, card=4)])
    hand.play({"seat_0": 10})
    assert hand.hands() == {"house": "K 3 2", "seat_0": "2 3 3"}
    assert hand.net == {"seat_0": 10, "house": -10}


@pytest.mark.parametrize("sheet", ["baccarat_chemin_de_fer", "baccarat_punto_banco"])
def test_faults_never_break_a_hand_on_sheets_whose_banker_sees_the_card(sheet: str) -> None:
    rates = FaultRates(**dict.fromkeys(map(str, FaultKind), 0.08))
    config = table_config(sheet, faults=rates, late_move_5_6="new_box", refused_rounds=1000)
    table, rng = new_table(config, np.random.default_rng(1)), np.random.default_rng(2)
    kinds: Counter[str] = Counter()
    for _ in range(400):
        events = play_at_random(table, rng)
        kinds.update(event.data["fault"] for event in events if event.kind == "fault")
        assert sum(Fraction(amount) for amount in events[-1].data["net"].values()) == 0
    assert kinds["late_move"] > 5


def test_H8_a_card_exposed_to_a_hand_that_is_void_has_been_seen() -> None:
    # seat_1's ace lies face up; his hand of four is void and is never opened
    faults = [Fault(FaultKind.WRONG_NUMBER, place=1), Fault(FaultKind.EXPOSED, card=0)]
    hand = scenario("A 6 5 3 6 K 4 K K 2", faults=faults).play({"seat_1": 10, "seat_2": 6})
    assert hand.hands() == {"seat_0": "5 K K", "seat_2": "6 6 K"}
    assert +hand.table.state.seen == {1: 1, 6: 2, 5: 1, 0: 3}
    assert hand.net == {"seat_2": -6, "seat_0": 6}


def test_H11_an_exposed_draw_card_that_a_late_move_removes_has_been_seen() -> None:
    # seat_1 has 7 and draws a 6 face up, then moves to the other box: he stands on 7 against 5
    faults = [Fault(FaultKind.LATE_MOVE, place=1), Fault(FaultKind.EXPOSED, card=6)]
    hand = scenario("4 5 3 K K K 6", faults=faults).play({"seat_1": 10}, {"seat_1": "draw"})
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "4 3 K"}
    assert +hand.table.state.seen == {4: 1, 3: 1, 5: 1, 0: 3, 6: 1}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_H9_a_boxed_card_is_known_within_its_hand() -> None:
    hand = scenario("A 2 5 3 K 4 K", faults=[Fault(FaultKind.BOXED, card=0)]).play({"seat_1": 10})
    draw = next(request for request in hand.requests if request.phase is Phase.DRAW)
    assert draw.view.unseen == (144, 47, 48, 48, 48, 48, 48)
    assert +hand.table.state.seen == {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 0: 2}
    assert hand.table.state.unseen() == (142, 47, 47, 47, 47, 47, 48)
    assert hand.net == {"seat_1": 10, "seat_0": -10}


@pytest.mark.parametrize(("surplus", "dealt"), [(False, "2 5 3 K 4"), (True, "2 5 3 K 4 K K")])
def test_H7_a_wrong_number_of_the_bankers_cards_is_found_when_they_are_exposed(
    surplus: bool, dealt: str
) -> None:
    # H6: his two or four cards lie open before seat_1 chooses; no card of another hand is shown for them
    faults = [
        Fault(FaultKind.BANKER_COUNT, place=0, reported=False, surplus=surplus),
        Fault(FaultKind.BANKER_EXPOSED, place=1),
    ]
    hand = scenario(dealt, "2 5 3 K 4 K", faults=faults).play({"seat_1": 10})
    assert [row["fault"] for row in hand.of("fault")] == ["banker_count"]
    assert [row["reason"] for row in hand.of("misdeal")] == ["banker_count"]
    assert hand.hands() == {"seat_0": "5 K K", "seat_1": "2 3 4"}
    assert hand.net == {"seat_1": 10, "seat_0": -10}


def test_only_a_scenario_is_copied_before_each_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pan9_gym.table.table.deepcopy", None)
    play_at_random(new_table(table_config("bicycle"), np.random.default_rng(1)), np.random.default_rng(2))
    with pytest.raises(TypeError):
        Scenario("bicycle", "2 5 3 K 4 K").play({"seat_1": 10})


def test_a_scenario_that_runs_out_of_cards_or_throws_leaves_the_table_as_it_was() -> None:
    hand = Scenario("bicycle", "2 5 3 K 4 K")
    with pytest.raises(ValueError, match="the stacked shoes are used up"):
        hand.play({"seat_1": 10}, {"seat_1": "draw"})
    assert hand.table.pending is hand.requests[-1]
    assert hand.table.state.current.actions == []
    without = Scenario("bicycle", "2 5 3 K 4 K", dice=())
    with pytest.raises(ValueError, match="the stacked dice have run out"):
        without.play({"seat_1": 10})
    assert without.table.pending is without.requests[-1]
    assert without.table.state.current.wagers[0].amount == 10
    assert without.table.state.current.cards == {}
