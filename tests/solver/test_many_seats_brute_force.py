"""Every hand of a tiny shoe with one to three players, played through `game.round`, adds up to the solver.

The enumeration walks `chance_outcomes` and `apply` and reads `returns`; the solver multiplies polynomials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.game import Round, info_states, legal_table, new_game
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig, load_rules, sheet_names

WAGERS = (Fraction(1), Fraction(5, 2), Fraction(3))


@dataclass(frozen=True, eq=False)
class Variant:
    """A tiny game; `shoe` counts the point values, lowest first."""

    name: str
    num_players: int
    fields: dict[str, Any]
    shoe: tuple[int, ...] | None = None
    first_to_deal: int = 0
    sheet: str = "bicycle"

    @cached_property
    def rules(self) -> RulesConfig:
        tiny = {"point_values": {"4": 4, "3": 3}, "num_decks": 1, "num_initial_cards": 1, "side_bets": {}}
        return load_rules(self.sheet, **{**tiny, **self.fields})

    @cached_property
    def wagers(self) -> tuple[Fraction, ...]:
        return WAGERS[: self.num_players]


TWO_CARDS = {"num_initial_cards": 2, "point_values": {"5": 5, "3": 3}}
THREE_RANKS = {"A": 1, "5": 5, "K": 0}
FORCED = {
    "player_draw_rule": {"must_draw": [0], "must_stand": [5]},
    "banker_draw_rule": {"must_draw": [1], "must_stand": [5]},
    "payout": "19/20",
    "banker_wins_ties": [0, 6],
}

VARIANTS = [
    *(
        Variant(f"{number} players, {choices}, banker sees {sees}", number, fields)
        for number in (1, 2, 3)
        for choices in ("in_turn", "simultaneous")
        for sees in ("choice", "nothing")
        for fields in [{"choices": choices, "banker_sees": sees}]
        if number > 1 or choices == "in_turn"
    ),
    Variant("two first cards, 1 player", 1, TWO_CARDS),
    Variant("two first cards, 2 players", 2, {**TWO_CARDS, "num_decks": 2}),
    Variant("three point values, 2 players", 2, {"point_values": THREE_RANKS}),
    Variant(
        "three point values, 2 players, simultaneous",
        2,
        {"point_values": THREE_RANKS, "choices": "simultaneous"},
    ),
    Variant("forced moves, odd payout, bought ties, 1 player", 1, {"point_values": THREE_RANKS, **FORCED}),
    Variant("forced moves, odd payout, bought ties, 2 players", 2, {"point_values": THREE_RANKS, **FORCED}),
    Variant("depleted to exactly the cards of a hand, 3 players", 3, {"num_decks": 2}, shoe=(5, 3)),
    Variant("depleted, a value is gone, 2 players", 2, {"point_values": THREE_RANKS}, shoe=(4, 0, 3)),
    Variant("depleted, two first cards, 2 players", 2, {**TWO_CARDS, "num_decks": 2}, shoe=(6, 3)),
    Variant("with replacement, 1 player", 1, {"num_decks": "infinite", **TWO_CARDS}),
    Variant("with replacement, 2 players", 2, {"num_decks": "infinite"}),
    Variant("with replacement, uneven shoe, 3 players", 3, {"num_decks": "infinite"}, shoe=(1, 3)),
    Variant("banker dealt first, 2 players", 2, {"point_values": THREE_RANKS}, first_to_deal=2),
    *(
        Variant(f"{sheet}, a pack of {' '.join(values)}, {number} players", number, fields, sheet=sheet)
        for sheet in sheet_names()
        if load_rules(sheet).max_players > 1
        for number, values in ((1, THREE_RANKS), (2, THREE_RANKS), (3, {"6": 6, "3": 3}))
        for fields in [{"point_values": values}]
    ),
]
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)


def mixed_policy(rules: RulesConfig, role: Role, number: int, seat: int) -> TabularPolicy:
    """A table that differs by seat and by pattern: mixed, some entries pure, forced moves taken."""
    states = info_states(rules, role, number, seat)
    rng = np.random.default_rng([number, seat, role is Role.PLAYER])

    def entry(moves: tuple[Action, ...]) -> Fraction:
        below = int(rng.integers(2, 9))
        return Fraction(int(rng.integers(0, below + 1)), below) if len(moves) > 1 else Fraction(moves[0])

    rows = tuple(tuple(entry(moves) for moves in legal) for legal in legal_table(rules, states))
    return TabularPolicy(rules, states, rows)


class Enumeration:
    """All hands of a table, with exact probabilities."""

    def __init__(self, variant: Variant) -> None:
        rules, number = variant.rules, variant.num_players
        counts = rules.initial_counts if variant.shoe is None else variant.shoe
        self.game = new_game(
            rules,
            number,
            wagers=variant.wagers,
            first_to_deal=variant.first_to_deal,
            shoe=dict(zip(rules.values, counts, strict=True)),
        )
        self.players = [mixed_policy(rules, Role.PLAYER, number, seat) for seat in range(number)]
        self.banker = mixed_policy(rules, Role.BANKER, number, 0)
        self.returns = [Fraction(0)] * (number + 1)
        self.products: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        self.patterns: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        self.joint: dict[tuple[int, int, int], Fraction] = defaultdict(Fraction)
        for prob, end in self._ends(self.game.new_round(), Fraction(1)):
            self._count(prob, end)

    def _count(self, prob: Fraction, end: Round) -> None:
        banker = self.game.banker_seat
        for seat, net in enumerate(end.returns()):
            self.returns[seat] += prob * net
        for first, net in enumerate(end.returns()):
            for second, other in enumerate(end.returns()):
                self.products[first, second] += prob * net * other
        tokens = tuple("draw" if choice is Action.DRAW else "stand" for choice in end.choices[:banker])
        self.patterns[tokens] += prob
        for seat in range(banker):
            self.joint[seat, end.total(seat), end.total(banker)] += prob

    def _weights(self, state: Round, seat: int) -> dict[Action, Fraction]:
        policy = [*self.players, self.banker][seat]
        draw = policy.draw_prob(state.initial_hand(seat), state.visible_choices(seat))
        return {Action.STAND: 1 - draw, Action.DRAW: draw}

    def _next(self, state: Round) -> Iterator[tuple[Round, Fraction]]:
        for card, chance in state.chance_outcomes():
            yield state.apply(card), chance
        if state.current_seat is not None:
            for action, weight in self._weights(state, state.current_seat).items():
                if weight:
                    yield state.apply(action), weight

    def _ends(self, state: Round, prob: Fraction) -> Iterator[tuple[Fraction, Round]]:
        if state.is_terminal:
            yield prob, state
        for after, weight in self._next(state):
            yield from self._ends(after, prob * weight)

    def action_values(self, own: int) -> tuple[dict[int, Fraction], dict[tuple[int, Action], Fraction]]:
        """Reach by everybody else, and reach times the seat's expectation of each legal action."""
        reach: dict[int, Fraction] = defaultdict(Fraction)
        values: dict[tuple[int, Action], Fraction] = defaultdict(Fraction)

        def ev(state: Round) -> Fraction:
            if state.is_terminal:
                return state.returns()[own]
            return sum((weight * ev(after) for after, weight in self._next(state)), Fraction(0))

        def walk(state: Round, prob: Fraction) -> None:
            if state.current_seat != own:
                for after, weight in self._next(state):
                    walk(after, prob * weight)
                return
            index = state.info_state(own)
            reach[index] += prob
            for action in state.legal_actions():
                values[index, action] += prob * ev(state.apply(action))

        walk(self.game.new_round(), Fraction(1))
        return reach, values


@cache
def enumeration(variant: Variant) -> Enumeration:
    return Enumeration(variant)


@every_variant
def test_evaluate_seats_equals_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    found = solver.evaluate_seats(
        variant.rules, brute.players, brute.banker, wagers=variant.wagers, shoe=variant.shoe
    )
    assert sum(brute.patterns.values()) == 1
    wagered = list(zip(variant.wagers, brute.returns, strict=False))
    assert list(found.evs) == [net / wager for wager, net in wagered]
    assert found.banker_ev == brute.returns[-1]
    assert found.ev_per_unit == brute.returns[-1] / sum(variant.wagers)
    assert len(found.pattern_probs) == 2**variant.num_players
    assert found.pattern_probs == {pattern: brute.patterns[pattern] for pattern in found.pattern_probs}
    for seat, joint in enumerate(found.joint_totals):
        assert [list(row) for row in joint] == [
            [brute.joint[seat, p, b] for b in range(10)] for p in range(10)
        ]


@every_variant
def test_banker_risk_equals_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    found = solver.banker_risk(variant.rules, brute.players, brute.banker, variant.wagers, variant.shoe)
    banker, evs = variant.num_players, brute.returns
    assert found.ev == evs[banker]
    assert found.variance == brute.products[banker, banker] - evs[banker] ** 2
    for first, row in enumerate(found.covariances):
        for second, covariance in enumerate(row):
            scale = variant.wagers[first] * variant.wagers[second]
            assert scale * covariance == brute.products[first, second] - evs[first] * evs[second]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.num_players == 1], ids=lambda v: v.name)
def test_hand_covariance_equals_the_enumeration(variant: Variant) -> None:
    """The first hand dealt by `game.round`, the second valued on the cards that it leaves."""
    brute, rules = enumeration(variant), variant.rules
    shoe = tuple(2 * count for count in rules.initial_counts)  # two hands fit into two packs
    rules = rules.model_copy(update={"num_decks": None if rules.with_replacement else 2 * rules.num_decks})
    game = new_game(rules, 1, shoe=dict(zip(rules.values, shoe, strict=True)))
    policies = [TabularPolicy(rules, p.states, p.draw_probs) for p in (*brute.players, brute.banker)]
    both = first = Fraction(0)
    for prob, end in brute._ends(game.new_round(), Fraction(1)):
        remaining = end.remaining()
        left = tuple(remaining[value] for value in rules.values)
        both += prob * end.returns()[0] * solver.evaluate(rules, *policies, shoe=left).ev
        first += prob * end.returns()[0]
    assert solver.hand_covariance(rules, *policies, shoe=shoe) == both - first**2


def compare(
    found: solver.ActionValues,
    reach: dict[int, Fraction],
    values: dict[tuple[int, Action], Fraction],
    wager: Fraction,
) -> None:
    """Every state: reach, and both actions where they are legal, per unit of `wager`."""
    columns = found.states.shape[1]
    assert sum(reach.values()) == 1
    for index in range(found.states.num_states):
        pattern, column = divmod(index, columns)
        assert found.reach_prob(pattern, column) == reach[index]
        for action, matrix in ((Action.STAND, found.stand), (Action.DRAW, found.draw)):
            if (index, action) in values:
                value = Fraction(matrix[pattern, column], found.value_unit)
                assert wager * value == values[index, action]


@every_variant
def test_banker_values_equal_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    found = solver.banker_values(variant.rules, brute.players, variant.wagers, variant.shoe)
    compare(found, *brute.action_values(variant.num_players), Fraction(1))
    assert found.ev(brute.banker) == brute.returns[-1]


@every_variant
def test_seat_values_equal_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    for seat, wager in enumerate(variant.wagers):
        found = solver.seat_values(variant.rules, brute.players, brute.banker, seat, variant.shoe)
        compare(found, *brute.action_values(seat), wager)
        assert wager * found.ev(brute.players[seat]) == brute.returns[seat]


@every_variant
def test_best_responses_take_the_better_action_of_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    for seat in range(variant.num_players + 1):
        reach, values = brute.action_values(seat)
        if seat == variant.num_players:
            found = solver.banker_best_response(
                variant.rules, brute.players, variant.wagers, shoe=variant.shoe
            )
            wager = Fraction(1)
        else:
            found = solver.seat_best_response(
                variant.rules, brute.players, brute.banker, seat, variant.wagers, shoe=variant.shoe
            )
            wager = variant.wagers[seat]
        best = {
            index: max(value for (state, _), value in values.items() if state == index) for index in reach
        }
        assert wager * found.ev == sum(best.values())
        for index, value in best.items():
            pattern, column = divmod(index, found.policy.states.shape[1])
            chosen = Action(int(found.policy.draw_probs[pattern][column]))
            assert values[index, chosen] == value


def test_the_mixed_policies_depend_on_the_seat_and_on_what_is_seen() -> None:
    brute = enumeration(VARIANTS[6])
    assert VARIANTS[6].num_players == 3
    last = brute.players[2].draw_probs
    assert len(last) == 4
    assert len(set(last)) == 4
    assert len(set(brute.banker.draw_probs)) == 8
    assert len({player.draw_probs[0] for player in brute.players}) == 3
