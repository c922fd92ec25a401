"""Side stakes riding along: every hand of a tiny shoe of cards with suits, played through `game.round`.

The enumeration visits every pair of first hands, every pair of legal choices and every draw card, and keeps
sums per (player's state, his action, banker's state, his action). What any pair of policies brings follows
from these sums; the solver knows nothing of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import perm, prod
from typing import Any

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.game import Round, info_states, legal_table, new_game
from pan9_gym.game.shoe import CardKind
from pan9_gym.game.stakes import held_by_banker, need_suits, read_stakes, show_suits
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig, load_rules
from pan9_gym.rules.cards import SUITS, parse_card
from pan9_gym.solver.deal_distribution import num_orders

PACK = {"point_values": {"3": 3, "6": 6, "K": 0}, "num_decks": 3}
CARDS = {"Kc": 2, "Kh": 1, "3c": 3, "3s": 2, "3d": 1, "6c": 2}
DRAGON = {"three_card": {"suited": 20, "same_colour": 10, "off_suit": 2}}
FREE: dict[str, Any] = {"player_draw_rule": {}, "banker_draw_rule": {}}


@dataclass(frozen=True, eq=False)
class Variant:
    """A tiny game, its shoe as text or by point value, and what is staked beside a wager of 1."""

    name: str
    sheet: str
    fields: dict[str, Any]
    stakes: dict[str, str]
    cards: dict[Any, int] | None = None

    @cached_property
    def rules(self) -> RulesConfig:
        return load_rules(self.sheet, **{**PACK, **self.fields})

    @cached_property
    def kinds(self) -> dict[CardKind, int]:
        given = self.cards or CARDS
        if need_suits(read_stakes(self.rules, self.stakes)):
            return {parse_card(card): number for card, number in given.items()}
        if self.cards:
            return dict(given)
        by_value: Counter[CardKind] = Counter()
        for card, number in given.items():
            by_value[self.rules.point_values[parse_card(card).rank]] += number
        return dict(by_value)

    @cached_property
    def shoe(self) -> list[Any]:
        """As the solver takes it."""
        if all(isinstance(kind, int) for kind in self.kinds):
            return [self.kinds.get(value, 0) for value in self.rules.values]
        points = self.rules.point_values
        return [
            [
                sum(n for card, n in self.kinds.items() if (points[card.rank], card.suit) == (value, suit))
                for suit in SUITS
            ]
            for value in self.rules.values
        ]


VARIANTS = [
    Variant("all three bonus bets", "bicycle_bonus", {}, {"dragon": "1/20", "super_0": "1/7", "bc": "1/3"}),
    Variant(
        "Dragon and Super 0 on the own total, free choices, drawn card seen",
        "bicycle_bonus",
        {**FREE, "banker_sees": "card", "side_bets": {"dragon": DRAGON, "super_0": {"on": "own_total"}}},
        {"dragon": "2/3", "super_0": "1/30"},
    ),
    Variant(
        "a Dragon beside a tie wager against the House while a player banks at 19:20",
        "uk_1994_player",
        {"payout": "19/20", "side_bets": {"tie": {"payout": 7}, "dragon": {}}},
        {"tie": "1/3", "dragon": "1/9"},
    ),
    Variant(
        "a tie wager against the banker",
        "bicycle",
        {"side_bets": {"tie": {"payout": "15/2", "against": "banker"}}},
        {"tie": "5/2"},
    ),
    Variant(
        "BC bonus alone, the stake kept, nothing seen",
        "bicycle_bonus",
        {**FREE, "banker_sees": "nothing", "side_bets": {"bc": {"stake": "5/2", "stake_returned": False}}},
        {"bc": "1/10"},
    ),
    Variant(
        "with replacement",
        "bicycle_bonus",
        {"num_decks": "infinite", "side_bets": {"dragon": {}, "bc": {}}},
        {"dragon": "1/4", "bc": "1/100"},
        {"Kc": 1, "3c": 2, "3s": 1, "6d": 3},
    ),
    Variant(
        "naturals decide at once, and the bonus bets with them",
        "bicycle_bonus",
        {**FREE, "naturals": [8, 9], "max_players": 1},
        {"dragon": "1/3", "bc": "1/50", "super_0": "1/5"},
    ),
    Variant(
        "two first cards: tie and banker's hand",
        "baccarat_punto_banco",
        {
            "point_values": {"A": 1, "4": 4, "8": 8, "K": 0},
            "banker_tableau": {},
            "player_draw_rule": {"must_draw": [0, 1], "must_stand": [6, 7]},
        },
        {"tie": "1/4", "banker_hand": "2"},
        {0: 5, 1: 2, 4: 4, 8: 3},
    ),
]
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)

Key = tuple[int, Action, int, Action]


@dataclass
class Sums:
    """Probability, and probability times payoffs, of the hands with one key."""

    prob: Fraction = Fraction(0)
    player: Fraction = Fraction(0)
    player_squared: Fraction = Fraction(0)
    banker: Fraction = Fraction(0)


class Enumeration:
    """All hands of a variant by key; hands that a natural decides have the key `None`."""

    def __init__(self, variant: Variant) -> None:
        self.rules = variant.rules
        self.shoe, self.side_stakes = variant.shoe, variant.stakes
        self.stakes = read_stakes(self.rules, variant.stakes)
        self.states = {
            role: info_states(self.rules, role, with_suits=role is Role.PLAYER and show_suits(self.stakes))
            for role in Role
        }
        self.kinds = variant.kinds
        game = new_game(self.rules, side_stakes=[variant.stakes], shoe=self.kinds)
        assert game.with_suits is need_suits(self.stakes)
        self.start = game.new_round()
        self.sums: dict[Key | None, Sums] = defaultdict(Sums)
        self.totals: dict[Key | None, Counter[tuple[int, int]]] = defaultdict(Counter)
        self.side: dict[Key | None, dict[tuple[str, Fraction], Fraction]] = defaultdict(
            lambda: defaultdict(Fraction)
        )
        for prob, state in self._first_hands():
            for chance, end in self._ends(state):
                self._count(state, end, prob * chance)

    def _first_hands(self) -> Iterator[tuple[Fraction, Round]]:
        size, number = self.rules.num_initial_cards, sum(self.kinds.values())
        replaced = self.rules.with_replacement
        everything = number ** (2 * size) if replaced else perm(number, 2 * size)
        hands = list(combinations_with_replacement(self.kinds, size))
        for own in hands:
            for other in hands:
                taken = Counter(own + other)
                ways = prod(
                    self.kinds[kind] ** n if replaced else perm(self.kinds[kind], n)
                    for kind, n in taken.items()
                )
                if ways:
                    ways *= num_orders([*Counter(own).values()]) * num_orders([*Counter(other).values()])
                    cards = [card for pair in zip(own, other, strict=True) for card in pair]
                    yield Fraction(ways, everything), self.start.deal_first_cards(cards)

    def _ends(self, state: Round) -> Iterator[tuple[Fraction, Round]]:
        if state.is_terminal:
            yield Fraction(1), state
        for card, chance in state.chance_outcomes():
            for prob, end in self._ends(state.apply(card)):
                yield chance * prob, end
        for action in state.legal_actions():
            yield from self._ends(state.apply(action))

    def _count(self, first: Round, end: Round, prob: Fraction) -> None:
        key = (
            None
            if end.ends_on_a_natural
            else (end.info_state(0), end.choices[0], end.info_state(1), end.choices[1])
        )
        player, banker = end.returns()
        sums = self.sums[key]
        sums.prob += prob
        sums.player += prob * player
        sums.player_squared += prob * player**2
        sums.banker += prob * banker
        self.totals[key][end.total(0), end.total(1)] += prob
        rules = end.game.rules
        for bet, _ in self.stakes:
            totals = (end.total(0), end.total(1))
            paid = rules.side_bets.payoff(bet, end._cards(0), rules.num_initial_cards, totals)
            self.side[key][bet, paid] += prob

    def weight(self, key: Key | None, probs: dict[Role, list[Fraction]]) -> Fraction:
        """The probability that both roles choose as in a key."""
        if key is None:
            return Fraction(1)
        own, mine, other, theirs = key
        first, second = probs[Role.PLAYER][own], probs[Role.BANKER][other]
        return (first if mine else 1 - first) * (second if theirs else 1 - second)

    def best(self, role: Role, probs: list[Fraction]) -> tuple[Fraction, dict[tuple[int, Action], Fraction]]:
        """The value of the best answer to the other role's drawing probabilities, and of every action."""
        values: dict[tuple[int, Action], Fraction] = defaultdict(Fraction)
        once = Fraction(0)
        for key, sums in self.sums.items():
            net = sums.player if role is Role.PLAYER else sums.banker
            if key is None:
                once += net
                continue
            own, other = (key[:2], key[2:]) if role is Role.PLAYER else (key[2:], key[:2])
            values[own] += net * (probs[other[0]] if other[1] else 1 - probs[other[0]])
        indices = {index for index, _ in values}
        chosen = sum(max(values[i, a] for a in Action if (i, a) in values) for i in indices)
        return once + chosen, values


@cache
def enumeration(variant: Variant) -> Enumeration:
    return Enumeration(variant)


def mixed_policy(brute: Enumeration, role: Role, seed: int) -> TabularPolicy:
    """Probabilities with small denominators that differ from suit class to suit class; forced moves taken."""
    states, rng = brute.states[role], np.random.default_rng(seed)
    rows = tuple(
        tuple(
            Fraction(moves[0]) if len(moves) == 1 else Fraction(int(rng.integers(0, 6)), 5) for moves in legal
        )
        for legal in legal_table(brute.rules, states)
    )
    return TabularPolicy(brute.rules, states, rows)


def flat(policy: TabularPolicy) -> list[Fraction]:
    return [prob for row in policy.draw_probs for prob in row]


def pair_of(brute: Enumeration) -> dict[Role, TabularPolicy]:
    return {role: mixed_policy(brute, role, seed) for seed, role in enumerate(Role, start=51)}


@every_variant
def test_evaluate_equals_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    pair = pair_of(brute)
    weights = {key: brute.weight(key, {role: flat(p) for role, p in pair.items()}) for key in brute.sums}
    found = solver.evaluate(
        brute.rules, pair[Role.PLAYER], pair[Role.BANKER], brute.shoe, side_stakes=brute.side_stakes
    )
    assert sum(weights[key] * sums.prob for key, sums in brute.sums.items()) == 1
    ev = sum(weights[key] * sums.player for key, sums in brute.sums.items())
    square = sum(weights[key] * sums.player_squared for key, sums in brute.sums.items())
    assert (found.ev, found.variance) == (ev, square - ev**2)
    joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for key, totals in brute.totals.items():
        for pair_of_totals, prob in totals.items():
            joint[pair_of_totals] += weights[key] * prob
    assert [[joint[p, b] for b in range(10)] for p in range(10)] == [list(row) for row in found.joint_totals]


@every_variant
@pytest.mark.parametrize("role", list(Role))
def test_action_values_and_best_responses_equal_the_enumeration(variant: Variant, role: Role) -> None:
    brute = enumeration(variant)
    pair = pair_of(brute)
    best, values = brute.best(role, flat(pair[role.opponent]))
    found = solver.action_values(brute.rules, role, pair[role.opponent], brute.shoe, brute.side_stakes)
    assert found.states == brute.states[role]
    for (index, action), value in values.items():
        matrix = found.draw if action is Action.DRAW else found.stand
        assert Fraction(matrix.flat[index], found.value_unit) == value
    assert found.reach.sum() == found.reach_unit * (1 - brute.sums[None].prob)
    answer = solver.best_response(
        brute.rules, role, pair[role.opponent], shoe=brute.shoe, side_stakes=brute.side_stakes
    )
    assert answer.ev == best == found.ev(answer.policy)


@every_variant
def test_side_bets_equal_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    pair = pair_of(brute)
    probs = {role: flat(policy) for role, policy in pair.items()}
    for bet, _ in brute.stakes:
        wanted: dict[Fraction, Fraction] = defaultdict(Fraction)
        for key, side in brute.side.items():
            for (name, payoff), prob in side.items():
                if name == bet:
                    wanted[payoff] += prob * brute.weight(key, probs)
        found = solver.side_bet(brute.rules, bet, pair[Role.PLAYER], pair[Role.BANKER], brute.shoe)
        assert found.distribution == {payoff: prob for payoff, prob in wanted.items() if prob}
        ev = sum(payoff * prob for payoff, prob in wanted.items())
        assert found.ev == ev
        assert found.variance == sum(payoff**2 * prob for payoff, prob in wanted.items()) - ev**2


@every_variant
def test_nash_conv_is_the_sum_of_both_gaps_by_enumeration(variant: Variant) -> None:
    """Also where a House holds a stake, so that one role's money is not the other's."""
    brute = enumeration(variant)
    pair = pair_of(brute)
    probs = {role: flat(policy) for role, policy in pair.items()}
    own = [
        sum(brute.weight(key, probs) * getattr(sums, role) for key, sums in brute.sums.items())
        for role in Role
    ]
    best = [brute.best(role, probs[role.opponent])[0] for role in Role]
    arguments = (brute.rules, pair[Role.PLAYER], pair[Role.BANKER])
    options = {"shoe": brute.shoe, "side_stakes": brute.side_stakes}
    assert solver.nash_conv(*arguments, **options) == sum(best) - sum(own)
    assert solver.exploitability(*arguments, **options) == (sum(best) - sum(own)) / 2


@every_variant
def test_equilibria_are_proved_by_the_enumeration(variant: Variant) -> None:
    brute = enumeration(variant)
    options = {"shoe": brute.shoe, "side_stakes": brute.side_stakes}
    if held_by_banker(brute.rules, brute.stakes) != brute.stakes:
        with pytest.raises(ValueError, match=r"side_stakes tie: .* not zero-sum"):
            solver.equilibrium(brute.rules, **options)
        return
    found = solver.equilibrium(brute.rules, **options)
    answers = [brute.best(role, flat(found.policy(role.opponent)))[0] for role in Role]
    assert answers == [found.value, -found.value]
    assert found.exploitability == 0
    for role in Role:
        assert solver.worst_case_gap(brute.rules, found.policy(role), role, **options) == 0
        gap = (
            found.value * (1 if role is Role.PLAYER else -1)
            + brute.best(role.opponent, flat(mixed_policy(brute, role, 7)))[0]
        )
        assert solver.worst_case_gap(brute.rules, mixed_policy(brute, role, 7), role, **options) == gap
