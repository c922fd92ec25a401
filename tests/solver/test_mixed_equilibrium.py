"""A game whose equilibrium mixes: baccarat's cards and forced draws, without naturals.

The answers are this project's own; each is proved again here from the two indifference conditions and by
changing the mix in both directions, without use of how the solver found it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from pan9_gym import solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, RulesConfig, load_rules

POINTS = {**{str(rank): rank for rank in range(2, 10)}, "A": 1, "10": 0, "J": 0, "Q": 0, "K": 0}
VALUE = Fraction(-814416, 53094899)
PLAYER_DRAWS_5 = Fraction(5, 11)
BANKER_DRAWS_6_AFTER_STAND = Fraction(1691, 2288)


@cache
def rules_of(num_decks: int | str = "infinite") -> RulesConfig:
    return load_rules(
        "bicycle",
        num_decks=num_decks,
        point_values=POINTS,
        num_initial_cards=2,
        banker_sees="card",
        player_draw_rule={"must_draw": [0, 1, 2, 3, 4], "must_stand": [6, 7, 8, 9]},
    )


@cache
def solution() -> solver.Equilibrium:
    return solver.equilibrium(rules_of(), "total", "total")


def player_who_draws_5_with(prob: Fraction) -> TabularPolicy:
    return TabularPolicy.from_callable(
        rules_of(), "player", lambda hand, choices: prob if sum(hand) % 10 == 5 else Fraction(0)
    )


def banker_who_draws_6_after_a_stand_with(prob: Fraction) -> TabularPolicy:
    """The equilibrium banker but for his mixed decision."""
    best = solution().banker

    def answer(hand: tuple[int, ...], choices: tuple[str, ...]) -> Fraction:
        mixes = choices == ("stand",) and sum(hand) % 10 == 6
        return prob if mixes else best.draw_prob(hand, choices)

    return TabularPolicy.from_callable(rules_of(), "banker", answer)


def gain_on(role: Role, opponent: TabularPolicy, choices: tuple[str, ...], total: int) -> Fraction:
    """What drawing on a total gains, summed over its hands and weighted by their reach."""
    values = solver.action_values(rules_of(), role, opponent)
    pattern = values.states.pattern_index(choices)
    columns = [c for c, t in enumerate(values.states.column_totals) if t == total]
    return sum((values.draw_gain(pattern, column) for column in columns), Fraction(0))


def test_the_value_and_both_mixes_are_certified() -> None:
    found = solution()
    assert (found.value, found.exploitability) == (VALUE, 0)
    assert found.lower == found.upper == VALUE
    assert [(m.role, m.hand, m.choices, m.draw_prob) for m in found.mixed] == [
        (Role.PLAYER, "5", (), PLAYER_DRAWS_5),
        (Role.BANKER, "6", ("stand",), BANKER_DRAWS_6_AFTER_STAND),
    ]
    assert found.unique is True
    assert all(entry.margin > 0 for entry in found.margins)


def test_the_player_on_5_is_indifferent_and_tips_when_the_banker_moves() -> None:
    def gain(prob: Fraction) -> Fraction:
        return gain_on(Role.PLAYER, banker_who_draws_6_after_a_stand_with(prob), (), 5)

    step = Fraction(1, 1000)
    assert gain(BANKER_DRAWS_6_AFTER_STAND) == 0
    below, above = gain(BANKER_DRAWS_6_AFTER_STAND - step), gain(BANKER_DRAWS_6_AFTER_STAND + step)
    assert below == -above
    assert below * above < 0


def test_the_banker_on_6_after_a_stand_is_indifferent_and_tips_when_the_player_moves() -> None:
    def gain(prob: Fraction) -> Fraction:
        return gain_on(Role.BANKER, player_who_draws_5_with(prob), ("stand",), 6)

    step = Fraction(1, 1000)
    assert gain(PLAYER_DRAWS_5) == 0
    # he who draws on 5 more often has the better hands when he stands, so that the banker must draw
    assert gain(PLAYER_DRAWS_5 + step) > 0 > gain(PLAYER_DRAWS_5 - step)


def test_the_pair_evaluates_to_the_value_whatever_one_side_mixes() -> None:
    best = solution()
    for prob in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert solver.evaluate(rules_of(), player_who_draws_5_with(prob), best.banker).ev == VALUE
        banker = banker_who_draws_6_after_a_stand_with(prob)
        assert solver.evaluate(rules_of(), best.player, banker).ev == VALUE


@pytest.mark.parametrize("prob", [Fraction(0), Fraction(4, 11), Fraction(6, 11), Fraction(1)])
def test_another_mix_of_the_player_is_worse_in_the_worst_case(prob: Fraction) -> None:
    policy = player_who_draws_5_with(prob)
    assert solver.worst_case_gap(rules_of(), policy, "player", "total", "total") > 0


@pytest.mark.parametrize("num_decks", [1, 6])
def test_finite_packs_by_hand_are_certified_at_exactly_zero(num_decks: int) -> None:
    found = solver.equilibrium(rules_of(num_decks), "hand", "hand")
    assert found.exploitability == 0
    assert found.lower == found.value == found.upper
    assert {entry.role for entry in found.mixed} == set(Role)
    values = solver.action_values(rules_of(num_decks), Role.PLAYER, found.banker)
    for entry in found.mixed:
        if entry.role is Role.PLAYER:
            assert values.draw_gain(0, values.states.column(entry.hand)) == 0
            assert sum(map(int, entry.hand.split())) % 10 == 5
    assert abs(found.value - VALUE) < Fraction(1, 500)
