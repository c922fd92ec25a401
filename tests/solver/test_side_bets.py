"""The side bets of the sheets on a full shoe: golden values, and what must hold for any stake."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.game import info_states
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import load_rules

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "side_bets.json").read_text(encoding="utf-8")
)
BONUS = load_rules("bicycle_bonus")
HOUSE = load_rules("uk_1994_house")
ANY_PLAYER = load_rules(BONUS, player_draw_rule={})
FULL_BY_SUIT = [[36] * 4, *[[12] * 4 for _ in range(6)]]


def fractions(entries: dict[str, str]) -> dict[str, Fraction]:
    return {key: Fraction(value) for key, value in entries.items()}


def lines(found: solver.SideBetEvaluation) -> dict[str, Fraction]:
    return {result.name: result.prob for result in found.results if result.payout is not None}


def refused(call: Any, *parts: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


def suited_player(seed: int = 5) -> TabularPolicy:
    """Free moves that depend on the suit class."""
    rng = np.random.default_rng(seed)
    return TabularPolicy.from_callable(
        BONUS, "player", lambda hand, choices, suits: Fraction(int(rng.integers(0, 5)), 4), with_suits=True
    )


# Golden values


@pytest.mark.parametrize("highest", ["4", "5", "6"])
def test_S7_dragon_bonus(highest: str) -> None:
    golden = GOLDEN["dragon_bonus_12_decks"]
    player = TabularPolicy.from_totals(ANY_PLAYER, "player", range(int(highest) + 1))
    found = solver.side_bet(ANY_PLAYER, "dragon", player)
    assert lines(found) == fractions(golden["probabilities"][highest])
    assert found.ev == Fraction(golden["ev"][highest])
    assert found.win_prob == Fraction(golden["any_win"][highest]) == 1 - found.by_result["lost"]


@pytest.mark.parametrize("banker", ["banker_logical", "banker_best_response_1v1"])
def test_S8_super_0(banker: str) -> None:
    golden = GOLDEN["super_0_tie_12_decks"][banker]
    policy = (
        policies.get("logical_way", BONUS, "banker")
        if banker == "banker_logical"
        else solver.best_response(BONUS, "banker", "logical_way").policy
    )
    ties = solver.evaluate(BONUS, "logical_way", policy).joint_totals
    assert [ties[total][total] for total in range(10)] == [*fractions(golden["tie_prob"]).values()]
    found = solver.side_bet(BONUS, "super_0", banker=policy)
    assert [found.by_result[f"payouts.{total}"] for total in range(5)] == [ties[t][t] for t in range(5)]
    assert (found.win_prob, found.ev) == (Fraction(golden["any_win"]), Fraction(golden["ev"]))


def test_S8_super_0_read_as_the_own_total() -> None:
    golden = GOLDEN["super_0_own_total_12_decks"]
    found = solver.side_bet(load_rules(BONUS, side_bets={"super_0": {"on": "own_total"}}), "super_0")
    assert (found.win_prob, found.ev) == (Fraction(golden["any_win"]), Fraction(golden["ev"]))


@pytest.mark.parametrize("banker", ["logical_way", "always_stand"])
def test_S6_bc_bonus_whoever_plays_how(banker: str) -> None:
    golden = GOLDEN["bc_bonus_12_decks"]
    if banker == "always_stand":
        banker = policies.get(banker, BONUS, "banker")
    found = solver.side_bet(BONUS, "bc", suited_player(), banker)
    assert lines(found) == {f"prizes.{kind}": Fraction(p) for kind, p in golden["probabilities"].items()}
    assert found.win_prob == Fraction(golden["any_three_3s"])
    assert found.ev == Fraction(golden["ev_per_stake_if_stake_returned"]["1"])


@pytest.mark.parametrize("stake", [1, 5])
@pytest.mark.parametrize("returned", [True, False])
def test_S6_the_stake_at_which_the_bc_bonus_is_fair(stake: int, returned: bool) -> None:
    """Prizes so many times as high are prizes for a stake so many times as small."""
    golden = GOLDEN["bc_bonus_12_decks"]
    rules = load_rules(BONUS, side_bets={"bc": {"stake": stake, "stake_returned": returned}})
    found = solver.side_bet(rules, "bc")
    if returned:
        assert found.ev == Fraction(golden["ev_per_stake_if_stake_returned"][str(stake)])
    else:
        assert found.ev == Fraction(golden["expected_prize"]) / stake - 1
    fair = Fraction(golden[f"breakeven_stake_if_stake_{'' if returned else 'not_'}returned"])
    assert stake / found.break_even_scale == fair
    at_fair = load_rules(BONUS, side_bets={"bc": {"stake": str(fair), "stake_returned": returned}})
    assert solver.side_bet(at_fair, "bc").ev == 0


UK = GOLDEN["uk_tie_wager_8_decks"]


def test_U10_tie_wager_against_the_house() -> None:
    found = solver.side_bet(HOUSE, "tie")
    assert found.by_result["payout"] == Fraction(UK["house_banker_logical_player"]["p_tie"])
    assert found.ev == Fraction(UK["house_banker_logical_player"]["ev"])
    assert found.distribution == {Fraction(-1): 1 - found.win_prob, Fraction(UK["pays"]): found.win_prob}
    infinite = solver.side_bet(load_rules(HOUSE, num_decks="infinite"), "tie")
    assert infinite.win_prob == Fraction(UK["infinite_deck_logical"]["p_tie"])
    assert infinite.ev == Fraction(UK["infinite_deck_logical"]["ev"])


@pytest.mark.parametrize("level", ["hand", "total"])
def test_U10_tie_wager_while_a_player_banks_and_answers_best(level: str) -> None:
    golden = UK["player_banker_1v1_best_response"]
    banker = solver.best_response("uk_1994_player", "banker", "logical_way", level).policy
    found = solver.side_bet("uk_1994_player", "tie", banker=banker)
    assert (found.win_prob, found.ev) == (Fraction(golden["p_tie"]), Fraction(golden["ev"]))


@pytest.mark.parametrize("level", ["hand", "total"])
def test_U10_a_player_who_wants_nothing_but_a_tie(level: str) -> None:
    """What the tie wager gains by drawing, whatever the wager does: the best policy for the wager alone."""
    golden = UK[f"tie_maximising_player_{'composition' if level == 'hand' else 'totals'}"]
    found = [
        entry for total in range(10) for entry in solver.stake_ratios(HOUSE, "tie", total=total, level=level)
    ]
    draws = {entry.hand for entry in found if entry.gain_per_stake > 0}
    assert {hand.replace(" ", "") for hand in draws} == set(golden["draw_on"])
    key = "hands" if level == "hand" else "hand_totals"
    states = info_states(HOUSE, "player")
    names = [" ".join(map(str, h)) if level == "hand" else str(h) for h in getattr(states, key)]
    policy = TabularPolicy(HOUSE, states, (tuple(Fraction(name in draws) for name in names),))
    tie = solver.side_bet(HOUSE, "tie", policy)
    assert (tie.win_prob, tie.ev) == (Fraction(golden["p_tie"]), Fraction(golden["ev"]))


def test_R3_punto_banco_has_a_stake_that_comes_back() -> None:
    found = solver.side_bet("baccarat_punto_banco", "banker_hand")
    ties = solver.side_bet("baccarat_punto_banco", "tie").win_prob
    assert [result.name for result in found.results] == ["payout", "lost", "returned"]
    assert found.by_result["returned"] == ties == found.distribution[Fraction(0)]
    assert found.ev == Fraction(19, 20) * found.win_prob - found.by_result["lost"]


# What must hold


@pytest.mark.parametrize("sheet", ["bicycle_bonus", "uk_1994_house", "baccarat_punto_banco"])
def test_every_side_bet_is_a_distribution_with_these_moments(sheet: str) -> None:
    rules = load_rules(sheet)
    for bet in rules.side_bets.offered:
        found = solver.side_bet(rules, bet)
        assert sum(found.by_result.values()) == sum(found.distribution.values()) == 1
        mean = sum(payoff * prob for payoff, prob in found.distribution.items())
        second = sum((payoff - mean) ** 2 * prob for payoff, prob in found.distribution.items())
        third = sum((payoff - mean) ** 3 * prob for payoff, prob in found.distribution.items())
        assert (found.ev, found.variance) == (mean, second)
        assert found.standard_deviation == math.sqrt(second)
        assert math.isclose(found.skewness, float(third) / float(second) ** 1.5, rel_tol=1e-12)


SMALL = load_rules(BONUS, point_values={"A": 1, "3": 3, "6": 6, "K": 0}, num_decks=3)
PRIZES = {"suited": 30, "same_colour": 20, "off_suit": 10}
TABLES = {
    "dragon": {},
    "super_0": {},
    "bc": {"prizes": PRIZES},
    "bc, other stake": {"prizes": PRIZES, "stake": "5/2"},
    "bc, stake kept": {"prizes": PRIZES, "stake": "5/2", "stake_returned": False},
}
every_table = pytest.mark.parametrize("name", TABLES)


def table_of(name: str) -> tuple[str, dict[str, Any]]:
    bet = name.split(",")[0]
    rules = load_rules(SMALL, side_bets={bet: TABLES[name]})
    return bet, rules.side_bets.model_dump(mode="json")[bet]


@every_table
def test_a_bet_is_fair_at_the_break_even_payout_of_any_one_line(name: str) -> None:
    bet, table = table_of(name)
    found = solver.side_bet(load_rules(SMALL, side_bets={bet: table}), bet)
    for line in lines(found):
        field, key = line.split(".")
        other = {**table, field: {**table[field], key: str(found.break_even(line))}}
        assert solver.side_bet(load_rules(SMALL, side_bets={bet: other}), bet).ev == 0


@every_table
def test_a_bet_is_fair_when_all_payouts_are_scaled(name: str) -> None:
    bet, table = table_of(name)
    found = solver.side_bet(load_rules(SMALL, side_bets={bet: table}), bet)
    for field, entry in table.items():
        if isinstance(entry, dict):
            table[field] = {key: str(found.break_even_scale * Fraction(p)) for key, p in entry.items()}
    assert solver.side_bet(load_rules(SMALL, side_bets={bet: table}), bet).ev == 0


def test_a_shoe_may_be_counted_by_suit_as_a_list_or_an_array() -> None:
    wanted = solver.side_bet(BONUS, "dragon")
    for shoe in (FULL_BY_SUIT, np.array(FULL_BY_SUIT), BONUS.initial_counts):
        assert solver.side_bet(BONUS, "dragon", shoe=shoe) == wanted
    plain = solver.evaluate(BONUS, "logical_way", "logical_way", shoe=FULL_BY_SUIT)
    assert plain == solver.evaluate(BONUS, "logical_way", "logical_way")


def test_S7_what_suits_are_gone_matters() -> None:
    """Two shoes with the same values left; in one the hearts and diamonds are all but gone."""
    even = [[18] * 4, *[[6] * 4 for _ in range(6)]]
    black = [[36, 0, 0, 36], *[[12, 0, 0, 12] for _ in range(6)]]
    found = [solver.side_bet(BONUS, "dragon", shoe=shoe) for shoe in (even, black)]
    assert found[0].win_prob == found[1].win_prob
    assert found[1].by_result["three_card.off_suit"] == found[1].by_result["four_card.off_suit"] == 0
    assert found[0].ev < 0 < found[1].ev
    assert found[1].skewness != found[0].skewness


def test_results_go_to_json() -> None:
    found = solver.side_bet(BONUS, "dragon", shoe=[[36, 0, 0, 36], *[[12, 0, 0, 12] for _ in range(6)]])
    data = json.loads(json.dumps(found.to_dict()))
    assert Fraction(data["ev"]) == found.ev
    by_name = {entry["name"]: entry for entry in data["results"]}
    assert by_name["three_card.off_suit"]["break_even"] is None  # never paid
    assert Fraction(by_name["four_card.suited"]["break_even"]) == found.break_even("four_card.suited")
    assert Counter(entry["payout"] is None for entry in data["results"]) == {False: 6, True: 1}
    never = solver.side_bet(load_rules(BONUS, point_values={"A": 1, "2": 2, "K": 0}), "bc")
    assert (never.win_prob, never.variance, never.skewness) == (0, 0, 0.0)
    assert never.to_dict()["break_even_scale"] is None


# Bad arguments


def test_a_bet_that_is_not_offered() -> None:
    refused(
        lambda: solver.side_bet("bicycle", "dragon"), "'dragon' is not offered by 'bicycle'; offered: none"
    )
    refused(lambda: solver.stake_ratios(BONUS, "tie"), "'tie' is not offered by", "dragon, super_0, bc")


def test_threes_that_point_values_cannot_tell() -> None:
    rules = load_rules(BONUS, point_values={"3": 3, "4": 3, "K": 0})
    refused(lambda: solver.side_bet(rules, "bc"), "side_stakes 'bc'", "rank 3", "4", "worth 3")
    assert solver.side_bet(rules, "dragon").win_prob > 0


def test_a_line_that_does_not_exist_or_is_never_paid() -> None:
    found = solver.side_bet(BONUS, "dragon", shoe=[[36, 0, 0, 0], *[[12, 0, 0, 0] for _ in range(6)]])
    refused(lambda: found.break_even("lost"), "line 'lost'", "three_card.suited, three_card.same_colour")
    refused(lambda: found.break_even("four_card.off_suit"), "never paid")
    never = solver.side_bet(load_rules(BONUS, point_values={"A": 1, "2": 2, "K": 0}), "bc")
    refused(lambda: never.break_even_scale, "bc is never paid")
