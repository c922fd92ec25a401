"""One seat is the one-player solver; bad arguments; seven seats."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig, load_rules

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
DEPLETED = (20, 0, 7, 3, 11, 1, 9)
RULES = load_rules("bicycle")
TWO = ["logical_way"] * 2


def mixed(rules: RulesConfig, role: Role) -> TabularPolicy:
    states = info_states(rules, role)
    drawn = np.random.default_rng(5).integers(0, 10, size=states.shape)
    rows = tuple(
        tuple(
            Fraction(moves[0]) if len(moves) == 1 else Fraction(int(ninths), 9)
            for moves, ninths in zip(legal, row, strict=True)
        )
        for legal, row in zip(legal_table(rules, states), drawn, strict=True)
    )
    return TabularPolicy(rules, states, rows)


every_sheet = pytest.mark.parametrize("sheet", SHEETS)
full_and_depleted = pytest.mark.parametrize("shoe", [None, DEPLETED], ids=["full", "depleted"])


@every_sheet
@full_and_depleted
def test_one_seat_evaluates_as_the_one_player_solver(sheet: str, shoe: tuple[int, ...] | None) -> None:
    rules = load_rules(sheet)
    player, banker = mixed(rules, Role.PLAYER), mixed(rules, Role.BANKER)
    one = solver.evaluate(rules, player, banker, shoe)
    found = solver.evaluate_seats(rules, [player], banker, wagers=["5/2"], shoe=shoe)
    assert found.evs == (one.ev,)
    assert (found.banker_ev, found.ev_per_unit) == (-one.ev * Fraction(5, 2), -one.ev)
    assert found.joint_totals == (one.joint_totals,)
    assert found.assumptions == one.assumptions


def assert_same_values(found: solver.ActionValues, one: solver.ActionValues) -> None:
    assert found.states == one.states
    assert found.decided == one.decided == 0
    for matrix, other, unit, other_unit in (
        (found.reach, one.reach, found.reach_unit, one.reach_unit),
        (found.stand, one.stand, found.value_unit, one.value_unit),
        (found.draw, one.draw, found.value_unit, one.value_unit),
    ):
        assert (matrix * other_unit == other * unit).all()


@every_sheet
@full_and_depleted
def test_one_seat_has_the_values_and_answers_of_the_one_player_solver(
    sheet: str, shoe: tuple[int, ...] | None
) -> None:
    rules = load_rules(sheet)
    player, banker = mixed(rules, Role.PLAYER), mixed(rules, Role.BANKER)
    assert_same_values(
        solver.banker_values(rules, [player], shoe=shoe), solver.action_values(rules, "banker", player, shoe)
    )
    assert_same_values(
        solver.seat_values(rules, [player], banker, 0, shoe),
        solver.action_values(rules, "player", banker, shoe),
    )
    for level in ("hand", "total"):
        assert solver.banker_best_response(rules, [player], level=level, shoe=shoe) == solver.best_response(
            rules, "banker", player, level, shoe
        )
        assert solver.seat_best_response(
            rules, [player], banker, 0, level=level, shoe=shoe
        ) == solver.best_response(rules, "player", banker, level, shoe)


def test_the_seats_own_policy_does_not_change_its_values() -> None:
    values = [
        solver.seat_values(RULES, ["logical_way", own], "logical_way", 1)
        for own in ("uniform", "always_draw")
    ]
    assert_same_values(*values)


def test_to_dict_holds_every_figure_as_text() -> None:
    found = solver.evaluate_seats(RULES, ["logical_way", "always_stand"], "logical_way", wagers=[1, 2])
    data = found.to_dict()
    assert [Fraction(ev) for ev in data["evs"]] == list(found.evs)
    assert Fraction(data["banker_ev"]) == found.banker_ev
    assert Fraction(data["ev_per_unit"]) == found.ev_per_unit == found.banker_ev / 3
    assert data["pattern_probs"]["draw stand"] == str(found.pattern_probs["draw", "stand"])
    assert data["pattern_probs"]["stand draw"] == "0"
    assert Fraction(data["joint_totals"][1][6][5]) == found.joint_totals[1][6][5]
    assert data["assumptions"] == list(found.assumptions)


CALLS: dict[str, Callable[..., Any]] = {
    "banker_values": lambda rules=RULES, players=TWO, banker=None, **options: solver.banker_values(
        rules, players, **options
    ),
    "banker_values_in_float": lambda rules=RULES, players=TWO, banker=None, **options: (
        solver.banker_values_in_float(rules, players, **options)
    ),
    "banker_best_response": lambda rules=RULES, players=TWO, banker=None, **options: (
        solver.banker_best_response(rules, players, **options)
    ),
    "evaluate_seats": lambda rules=RULES, players=TWO, banker="logical_way", **options: solver.evaluate_seats(
        rules, players, banker, **options
    ),
    "seat_best_response": lambda rules=RULES, players=TWO, banker="logical_way", seat=0, **options: (
        solver.seat_best_response(rules, players, banker, seat, **options)
    ),
}
every_call = pytest.mark.parametrize("function", CALLS)


def refused(call: Callable[[], Any], *parts: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in parts:
        assert part in message


@every_call
@pytest.mark.parametrize("wagers", [[1], [1, 1, 1], [], "12", 3])
def test_wagers_that_are_not_one_per_player(function: str, wagers: Any) -> None:
    refused(lambda: CALLS[function](wagers=wagers), f"wagers {wagers!r}", "one per player is needed, so 2")


@every_call
@pytest.mark.parametrize("wager", [0, -1, 0.5, "much"])
def test_a_wager_that_is_no_exact_positive_amount(function: str, wager: Any) -> None:
    refused(lambda: CALLS[function](wagers=[1, wager]), f"wagers {wager!r}")


@every_call
@pytest.mark.parametrize("players", ["logical_way", 2, None, {"a": "logical_way"}])
@pytest.mark.parametrize("options", [{}, {"wagers": [1, 1]}], ids=["no wagers", "wagers"])
def test_players_that_are_not_a_list(function: str, players: Any, options: dict[str, Any]) -> None:
    refused(
        lambda: CALLS[function](players=players, **options),
        f"players {players!r}",
        "a list with one policy per seat is needed",
    )


@every_call
@pytest.mark.parametrize("number", [0, 8])
def test_a_number_of_players_that_the_sheet_does_not_allow(function: str, number: int) -> None:
    refused(
        lambda: CALLS[function](players=["logical_way"] * number),
        f"num_players {number}: 'bicycle' allows 1 to 7",
    )


@every_call
@pytest.mark.parametrize(
    ("shoe", "message"),
    [
        ((11, 0, 0, 0, 0, 0, 0), "holds 11 cards; 2 players may need 12"),
        ((4, 0, 0, 0, 0, 0, 0), "holds 4 cards"),
        ((144, 48), "one count for each of the point values"),
        ((145, 48, 48, 48, 48, 48, 48), "the count of value 0 must be a whole number from 0 to 144"),
    ],
)
def test_a_shoe_that_does_not_fit_the_seats(function: str, shoe: tuple[int, ...], message: str) -> None:
    refused(lambda: CALLS[function](shoe=shoe), f"shoe {shoe!r}", message)


def test_a_shoe_of_exactly_the_cards_of_a_hand_is_enough() -> None:
    found = solver.evaluate_seats(RULES, TWO, "logical_way", shoe=(12, 0, 0, 0, 0, 0, 0))
    assert found.pattern_probs["draw", "draw"] == 1
    assert [joint[0][0] for joint in found.joint_totals] == [1, 1]


@every_call
def test_a_policy_for_another_seat(function: str) -> None:
    second = policies.get("logical_way", RULES, "player", num_players=2, seat=1)
    refused(
        lambda: CALLS[function](players=[second, second]),
        "seat 1",
        "player seat 0 of num_players=2 is needed",
    )


@pytest.mark.parametrize("function", ["evaluate_seats", "seat_best_response"])
def test_a_banker_for_another_number_of_players(function: str) -> None:
    alone = policies.get("logical_way", RULES, "banker")
    refused(lambda: CALLS[function](banker=alone), "num_players=1", "of num_players=2 is needed")


@pytest.mark.parametrize("seat", [-1, 2, True, 0.0, "0", None])
def test_a_seat_out_of_range(seat: Any) -> None:
    message = f"seat {seat!r} is out of range: with num_players=2 it is 0 to 1"
    refused(lambda: CALLS["seat_best_response"](seat=seat), message)
    refused(lambda: solver.seat_values(RULES, TWO, "logical_way", seat), message)


@every_call
@pytest.mark.parametrize("sheet", ["baccarat_chemin_de_fer", "baccarat_punto_banco"])
def test_seen_cards_and_naturals_are_refused(function: str, sheet: str) -> None:
    rules = load_rules(sheet)
    refused(
        lambda: CALLS[function](rules=rules, players=["logical_way"]),
        "rules without seen cards and naturals",
        f"not for {sheet!r}",
    )


@pytest.mark.parametrize("function", ["banker_best_response", "seat_best_response"])
def test_a_level_that_is_not_known(function: str) -> None:
    refused(lambda: CALLS[function](level="suit"), "level 'suit' is not known")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 0}, "num_players 0: 'bicycle' allows 1 to 7"),
        ({"num_players": True}, "num_players True"),
        ({"wagers": [1]}, "wagers [1]: one per player is needed, so 2"),
        ({"level": "suit"}, "level 'suit' is not known"),
        ({"shoe": (11, 0, 0, 0, 0, 0, 0)}, "holds 11 cards; 2 players may need 12"),
        ({"max_rounds": 0}, "max_rounds 0: a whole number from 1 is needed"),
        ({"max_rounds": 1.5}, "max_rounds 1.5: a whole number from 1 is needed"),
    ],
)
def test_seats_equilibrium_refuses(options: dict[str, Any], message: str) -> None:
    refused(lambda: solver.seats_equilibrium(RULES, **{"num_players": 2, **options}), message)


SEVEN = ["logical_way"] * 7


@cache
def answer_to_seven() -> solver.BestResponse:
    return solver.banker_best_response(RULES, SEVEN, level="total")


@pytest.mark.slow
def test_against_seven_logical_way_players_the_banker_leaves_the_logical_way_only_on_6() -> None:
    logical = policies.get("logical_way", RULES, "banker", 7)
    changed = {
        (choices.count("draw"), int(decision.hand))
        for choices, row in answer_to_seven().table.items()
        for decision in row
        if decision.best is not Action(int(decision.hand) <= 5)
    }
    assert {total for _, total in changed} == {6}
    most = max(drawers for drawers, _ in changed)
    assert {drawers for drawers, _ in changed} == set(range(most + 1))  # the fewer drew, the rather he draws
    differing = {
        total
        for pattern in range(2**7)
        for total, own, way in zip(
            logical.states.column_totals,
            answer_to_seven().policy.draw_probs[pattern],
            logical.draw_probs[pattern],
            strict=True,
        )
        if own != way
    }
    assert differing == {6}


@pytest.mark.slow
def test_seven_seats_the_evaluation_of_the_best_response_gives_its_ev() -> None:
    answer = answer_to_seven()
    found = solver.evaluate_seats(RULES, SEVEN, answer.policy)
    assert answer.ev == found.banker_ev == -sum(found.evs)
    assert len(set(found.evs)) == 1
    assert f"{float(answer.ev):.11f}" == "0.01182679083"
    assert sum(found.pattern_probs.values()) == 1
    by_table = {choices: sum(decision.prob for decision in row) for choices, row in answer.table.items()}
    assert by_table == found.pattern_probs


def test_an_equilibrium_says_at_which_level_nobody_gains() -> None:
    """By totals nobody gains here, by composition somebody does."""
    shoe = (3, 1, 1, 2, 1, 3, 1)
    found = solver.seats_equilibrium("bicycle", 2, shoe=shoe, level="total")
    assert (found.kind, found.level, found.nash_conv) == ("nash", "total", 0)
    finer = solver.banker_best_response("bicycle", found.players, shoe=shoe).ev
    assert finer > found.banker_ev
    assert found.to_dict()["level"] == "total"
    assert len(found.to_dict()["players"]) == 2


def test_seats_and_wagers_of_numpy_are_taken() -> None:
    players = ["logical_way"] * 2
    seat = solver.seat_best_response("bicycle", players, "logical_way", np.int64(1)).ev
    assert seat == solver.seat_best_response("bicycle", players, "logical_way", 1).ev
    given = solver.evaluate_seats("bicycle", players, "logical_way", wagers=np.array([1, 5]))
    assert given == solver.evaluate_seats("bicycle", players, "logical_way", wagers=[1, 5])
