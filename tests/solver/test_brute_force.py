"""Every hand of a tiny shoe, played through `game.round`, adds up to what the fast solver says.

Neither side knows the other: the enumeration walks `chance_outcomes` and `apply` and reads `returns`, the
solver multiplies matrices of deal counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import perm
from typing import Any

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.game import Round, info_states, legal_table, new_game
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig, load_rules
from pan9_gym.solver.deal_distribution import deal_distribution

THREE_RANKS = {"A": 1, "5": 5, "K": 0}
NATURALS: dict[str, Any] = {"naturals": [2, 6], "max_players": 1}


@dataclass(frozen=True, eq=False)
class Variant:
    """A tiny game; `shoe` are the counts of the points 0, 1 and 5."""

    name: str
    fields: dict[str, Any]
    shoe: tuple[int, int, int] | None = None

    @cached_property
    def rules(self) -> RulesConfig:
        tiny = {"point_values": THREE_RANKS, "num_decks": 1, "num_initial_cards": 2}
        return load_rules("bicycle", **{**tiny, **self.fields})


VARIANTS = [
    *(
        Variant(f"{cards} first cards, banker sees {sees}", {"num_initial_cards": cards, "banker_sees": sees})
        for cards in (2, 3)
        for sees in ("nothing", "choice", "card")
    ),
    Variant("one first card", {"num_initial_cards": 1}),
    Variant(
        "odd payout, bought ties, forced moves",
        {
            "payout": "19/20",
            "banker_wins_ties": [0, 6],
            "player_draw_rule": {"must_draw": [1], "must_stand": [6]},
            "banker_draw_rule": {"must_draw": [0, 2], "must_stand": [5]},
        },
    ),
    Variant("no card of 5 left", {}, shoe=(4, 3, 0)),
    Variant("depleted, drawn card seen", {"banker_sees": "card"}, shoe=(2, 3, 1)),
    Variant("with replacement", {"num_decks": "infinite"}),
    Variant(
        "with replacement, uneven shoe", {"num_decks": "infinite", "banker_sees": "card"}, shoe=(3, 0, 7)
    ),
    Variant("naturals, drawn card seen", {**NATURALS, "banker_sees": "card"}),
    Variant("naturals, choice seen, three first cards", {**NATURALS, "num_initial_cards": 3}),
    Variant("naturals, nothing seen, depleted", {**NATURALS, "banker_sees": "nothing"}, shoe=(2, 3, 4)),
    Variant(
        "naturals with replacement, odd payout",
        {**NATURALS, "num_decks": "infinite", "banker_sees": "card", "payout": "19/20"},
        shoe=(4, 3, 2),
    ),
    Variant(
        "naturals, bought ties, forced moves",
        {
            **NATURALS,
            "banker_wins_ties": [6],
            "player_draw_rule": {"must_draw": [0], "must_stand": [2]},
            "banker_draw_rule": {"must_draw": [1]},
        },
    ),
    Variant(
        "naturals and a tableau over the drawn card",
        {
            **NATURALS,
            "banker_sees": "card",
            "player_draw_rule": {"must_draw": [0], "must_stand": [5]},
            "banker_tableau": {"stand": [0, 1], "draw:0": [0, 5], "draw:1": [1, 2], "draw:5": []},
        },
    ),
    Variant(
        "a tableau over the choice, no naturals",
        {"max_players": 1, "banker_tableau": {"stand": [0, 5, 6], "draw": [1, 2]}},
        shoe=(3, 2, 3),
    ),
]
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)


def mixed_policy(rules: RulesConfig, role: Role) -> TabularPolicy:
    """A table without pattern: denominators 2 to 8, pure entries among them, forced moves taken."""
    states = info_states(rules, role)
    rng = np.random.default_rng(97 if role is Role.PLAYER else 98)
    rows = []
    for legal in legal_table(rules, states):
        below = [int(rng.integers(2, 9)) for _ in legal]
        probs = [Fraction(int(rng.integers(0, number + 1)), number) for number in below]
        rows.append(
            tuple(Fraction(moves[0]) if len(moves) == 1 else p for moves, p in zip(legal, probs, strict=True))
        )
    return TabularPolicy(rules, states, tuple(rows))


class Enumeration:
    """All hands of one player against the banker, with exact probabilities."""

    def __init__(self, variant: Variant) -> None:
        self.rules = variant.rules
        self.shoe = variant.shoe
        counts = self.rules.initial_counts if variant.shoe is None else variant.shoe
        cards = dict(zip(self.rules.values, counts, strict=True))
        self.game = new_game(self.rules, shoe=cards)
        self.policies = {role: mixed_policy(self.rules, role) for role in Role}
        self.joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        self.ev = Fraction(0)
        self.natural_prob, self.natural_ev = Fraction(0), Fraction(0)
        for prob, end in self._ends(self.game.new_round(), Fraction(1)):
            self.joint[end.total(0), end.total(1)] += prob
            self.ev += prob * end.returns()[0]
            if end.ends_on_a_natural:
                self.natural_prob += prob
                self.natural_ev += prob * end.returns()[0]

    def _draw_prob(self, state: Round, seat: int) -> Fraction:
        policy = self.policies[self.game.role(seat)]
        return policy.draw_prob(state.initial_hand(seat), state.visible_choices(seat))

    def _ends(self, state: Round, prob: Fraction) -> Iterator[tuple[Fraction, Round]]:
        if state.is_terminal:
            yield prob, state
        for card, chance in state.chance_outcomes():
            yield from self._ends(state.apply(card), prob * chance)
        seat = state.current_seat
        if seat is not None:
            draw = self._draw_prob(state, seat)
            for action, weight in ((Action.STAND, 1 - draw), (Action.DRAW, draw)):
                if weight:
                    yield from self._ends(state.apply(action), prob * weight)

    def action_values(self, role: Role) -> tuple[dict[int, Fraction], dict[tuple[int, Action], Fraction]]:
        """Reach by chance and the opponent, and reach times the role's expectation of each legal action."""
        own = 0 if role is Role.PLAYER else 1
        reach: dict[int, Fraction] = defaultdict(Fraction)
        values: dict[tuple[int, Action], Fraction] = defaultdict(Fraction)

        def weighted_ev(state: Round, prob: Fraction) -> Fraction:
            if state.is_terminal:
                return prob * state.returns()[own]
            seat = state.current_seat
            if seat is None:
                outcomes = state.chance_outcomes()
                return sum((weighted_ev(state.apply(c), prob * p) for c, p in outcomes), Fraction(0))
            draw = self._draw_prob(state, seat)
            weights = {Action.STAND: 1 - draw, Action.DRAW: draw}
            if seat != own:
                return sum(
                    (weighted_ev(state.apply(a), prob * weights[a]) for a in state.legal_actions()),
                    Fraction(0),
                )
            index = state.info_state(seat)
            reach[index] += prob
            mixed = Fraction(0)
            for action in state.legal_actions():
                value = weighted_ev(state.apply(action), prob)
                values[index, action] += value
                mixed += weights[action] * value
            return mixed

        weighted_ev(self.game.new_round(), Fraction(1))
        return reach, values


@cache
def enumeration(variant: Variant) -> Enumeration:
    return Enumeration(variant)


@every_variant
def test_evaluate_equals_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    found = solver.evaluate(
        brute.rules, brute.policies[Role.PLAYER], brute.policies[Role.BANKER], shoe=brute.shoe
    )
    assert sum(brute.joint.values()) == 1
    assert found.ev == brute.ev
    assert [[brute.joint[p, b] for b in range(10)] for p in range(10)] == [
        list(r) for r in found.joint_totals
    ]


@every_variant
@pytest.mark.parametrize("role", list(Role))
def test_action_values_and_reach_equal_the_enumeration(variant: Variant, role: Role) -> None:
    brute = enumeration(variant)
    reach, values = brute.action_values(role)
    found = solver.action_values(brute.rules, role, brute.policies[role.opponent], brute.shoe)
    columns = found.states.shape[1]
    for index in range(found.states.num_states):
        pattern, column = divmod(index, columns)
        assert found.reach_prob(pattern, column) == reach[index]
        for action, matrix in ((Action.STAND, found.stand), (Action.DRAW, found.draw)):
            if (index, action) in values:
                assert Fraction(matrix[pattern, column], found.value_unit) == values[index, action]
    assert sum(reach.values()) == 1 - brute.natural_prob
    assert (brute.natural_prob > 0) is bool(brute.rules.naturals)
    assert found.ev(brute.policies[role]) == (brute.ev if role is Role.PLAYER else -brute.ev)


@every_variant
@pytest.mark.parametrize("role", list(Role))
def test_best_response_table_equals_the_enumeration(variant: Variant, role: Role) -> None:
    brute = enumeration(variant)
    reach, values = brute.action_values(role)
    found = solver.best_response(brute.rules, role, brute.policies[role.opponent], "hand", brute.shoe)
    best = Fraction(0)
    for index in range(found.policy.states.num_states):
        pattern, column = divmod(index, found.policy.states.shape[1])
        decision = found.table[found.policy.states.patterns[pattern]][column]
        assert decision.prob == reach[index]
        if not reach[index]:
            assert (decision.ev_stand, decision.ev_draw) == (None, None)
            continue
        by_action = {action: values[index, action] / reach[index] for action in decision.legal}
        for action, value in by_action.items():
            assert (decision.ev_stand, decision.ev_draw)[action] == value
        assert by_action[decision.best] == max(by_action.values())
        assert found.policy.draw_probs[pattern][column] == decision.best
        best += reach[index] * max(by_action.values())
    assert found.ev == best + brute.natural_ev * (1 if role is Role.PLAYER else -1)


@every_variant
def test_deal_counts_add_up_to_all_ordered_deals(variant: Variant) -> None:
    rules = variant.rules
    distribution = deal_distribution(rules, variant.shoe)
    cards = sum(variant.shoe or rules.initial_counts)
    length = 2 * rules.num_initial_cards + 2
    everything = cards**length if rules.with_replacement else perm(cards, length)
    assert distribution.num_deals == everything
    for player in ((None,), rules.values):
        for banker in ((None,), rules.values):
            total = sum(distribution.deals(x, y).sum() for x in player for y in banker)
            assert total == everything
