"""One field of the rules at a time: each moves the exact answers by what the clause says."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import RulesConfig, load_rules

ROLES = ("player", "banker")


def pair(rules: RulesConfig, name: str = "logical_way") -> tuple[TabularPolicy, TabularPolicy]:
    return policies.get(name, rules, "player"), policies.get(name, rules, "banker")


@cache
def evaluated(rules: RulesConfig, name: str = "logical_way") -> solver.Evaluation:
    return solver.evaluate(rules, *pair(rules, name))


def ev(rules: RulesConfig, name: str = "logical_way") -> Fraction:
    return evaluated(rules, name).ev


@pytest.mark.parametrize("total", range(10))
@pytest.mark.parametrize("name", ["logical_way", "uniform"])
def test_a_tie_that_the_banker_wins_costs_its_probability(total: int, name: str) -> None:
    free = load_rules("bicycle")
    bought = load_rules("bicycle", banker_wins_ties=[total])
    tie = evaluated(free, name).joint_totals[total][total]
    assert 0 < tie < 1
    assert ev(bought, name) == ev(free, name) - tie


def test_ties_that_the_banker_wins_add_up() -> None:
    free = load_rules("bicycle")
    joint = evaluated(free).joint_totals
    bought = load_rules("bicycle", banker_wins_ties=[0, 1])
    assert ev(bought) == ev(free) - joint[0][0] - joint[1][1]
    everything = load_rules("bicycle", banker_wins_ties=list(range(10)))
    assert ev(everything) == -evaluated(free).tie_prob  # a fair game but for the ties


@pytest.mark.parametrize("payout", ["19/20", "1/3", 2, "7/5"])
@pytest.mark.parametrize("name", ["logical_way", "wizard", "uniform"])
def test_a_payout_multiplies_the_wins(payout: Any, name: str) -> None:
    even = load_rules("bicycle")
    found = evaluated(even, name)
    paid = load_rules("bicycle", payout=payout)
    assert ev(paid, name) == Fraction(payout) * found.win_prob - found.loss_prob


def test_a_smaller_payout_makes_the_value_lower() -> None:
    values = [
        solver.equilibrium(load_rules("bicycle", payout=payout), "total", "total").value
        for payout in ("9/10", "19/20", 1, "21/20")
    ]
    assert values == sorted(set(values))


@pytest.mark.parametrize(("role", "sign"), [("player", 1), ("banker", -1)])
def test_a_forced_draw_costs_what_drawing_there_is_worth(role: str, sign: int) -> None:
    """Against a fixed opponent: the priced decisions of the free game give the forced game's expectation."""
    free = load_rules("bicycle")
    forced = load_rules("bicycle", **{f"{role}_draw_rule": {"must_draw": [7], "must_stand": [2]}})
    opponent = policies.get("logical_way", free, "banker" if role == "player" else "player")
    before = solver.best_response(free, role, opponent, "total")
    after = solver.best_response(forced, role, opponent, "total")
    loss = sum(
        decision.prob * abs(decision.draw_gain)
        for row in before.table.values()
        for decision in row
        if decision.hand in {"2", "7"}  # both are the wrong move there
    )
    assert loss > 0
    assert before.ev - after.ev == loss
    assert sign * (ev(forced) - ev(free)) < 0


def test_moves_forced_as_the_logical_way_change_nothing_for_it() -> None:
    free = load_rules("bicycle")
    logical = {"must_draw": list(range(6)), "must_stand": list(range(6, 10))}
    for field in ("player_draw_rule", "banker_draw_rule"):
        assert ev(load_rules("bicycle", **{field: logical})) == ev(free)
    tied = load_rules("bicycle", player_draw_rule=logical, banker_draw_rule=logical)
    found = solver.equilibrium(tied, "total", "total")
    assert (found.value, found.exploitability, found.margins) == (0, 0, ())


def test_a_banker_who_sees_more_concedes_no_more() -> None:
    values = [
        solver.equilibrium(load_rules("bicycle", banker_sees=sees), "total", "total").value
        for sees in ("nothing", "choice", "card")
    ]
    assert values[0] > values[1] > values[2]
    assert values[0] == 0  # who sees nothing plays the player's own game


@pytest.mark.parametrize("num_decks", [1, 2, 8, 12])
def test_the_chance_of_a_tie_on_one_card_each_follows_the_packs(num_decks: int) -> None:
    """One card each and nobody draws: both have the same value with sum n_v (n_v - 1) / (N (N - 1))."""
    rules = load_rules("bicycle", num_decks=num_decks, num_initial_cards=1)
    counts = [12 * num_decks, *[4 * num_decks] * 6]
    size = 36 * num_decks
    assert sum(counts) == size
    found = solver.evaluate(rules, *pair(rules, "always_stand"))
    assert found.tie_prob == Fraction(sum(n * (n - 1) for n in counts), size * (size - 1))
    assert found.win_prob == found.loss_prob


def test_more_packs_come_nearer_to_cards_with_replacement() -> None:
    infinite = solver.equilibrium(load_rules("bicycle", num_decks="infinite"), "total", "total").value
    away = [
        abs(solver.equilibrium(load_rules("bicycle", num_decks=packs), "total", "total").value - infinite)
        for packs in (4, 8, 16, 64)
    ]
    assert away == sorted(away, reverse=True)
    assert 0 < 64 * away[-1] < Fraction(1, 100)  # about as one over the number of packs
    assert abs(away[1] / away[2] - 2) < Fraction(1, 20)


def test_cards_with_replacement_ignore_how_many_packs_are_weighed() -> None:
    rules = load_rules("bicycle", num_decks="infinite")
    one = solver.evaluate(rules, *pair(rules), shoe=rules.initial_counts)
    ten = solver.evaluate(rules, *pair(rules), shoe=[10 * number for number in rules.initial_counts])
    huge = solver.evaluate(rules, *pair(rules), shoe=[10**30 * number for number in rules.initial_counts])
    assert one == ten == huge


def test_a_shoe_moves_the_answer_as_its_packs_do() -> None:
    eight, twelve = load_rules("bicycle", num_decks=8), load_rules("bicycle")
    left = [96, *[32] * 6]
    assert solver.evaluate(twelve, *pair(twelve), shoe=left).joint_totals == (
        solver.evaluate(eight, *pair(eight)).joint_totals
    )


def test_the_name_of_the_rules_changes_nothing() -> None:
    renamed = load_rules("bicycle").model_copy(update={"name": "another"})
    for role in ROLES:
        opponent = policies.get("logical_way", renamed, "banker" if role == "player" else "player")
        assert (
            solver.best_response(renamed, role, opponent).ev
            == solver.best_response(load_rules("bicycle"), role, opponent).ev
        )
