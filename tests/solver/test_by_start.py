"""Outcomes by the total of the first cards equal those of every hand of a tiny shoe, by `game.round`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from pan9_gym.game import Round, new_game
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import Action, Role
from pan9_gym.rules.scoring import compare, hand_total
from pan9_gym.rules.terms import Outcome
from pan9_gym.solver.by_start import outcomes_by_start
from tests.solver.test_brute_force import Variant, every_variant, mixed_policy


def ends(
    state: Round, prob: Fraction, policies: dict[Role, TabularPolicy]
) -> Iterator[tuple[Fraction, Round]]:
    if state.is_terminal:
        yield prob, state
    for card, chance in state.chance_outcomes():
        yield from ends(state.apply(card), prob * chance, policies)
    seat = state.current_seat
    if seat is not None:
        policy = policies[state.game.role(seat)]
        draw = policy.draw_prob(state.initial_hand(seat), state.visible_choices(seat))
        for action, weight in ((Action.STAND, 1 - draw), (Action.DRAW, draw)):
            if weight:
                yield from ends(state.apply(action), prob * weight, policies)


@every_variant
def test_every_start_equals_the_hands_played(variant: Variant) -> None:
    rules, shoe = variant.rules, variant.shoe
    policies = {role: mixed_policy(rules, role) for role in Role}
    wanted: dict[tuple[int, object], Fraction] = defaultdict(Fraction)
    cards = dict(zip(rules.values, rules.initial_counts if shoe is None else shoe, strict=True))
    for prob, end in ends(new_game(rules, shoe=cards).new_round(), Fraction(1), policies):
        start = hand_total(end.initial_hand(0))
        wanted[start, compare(end.total(0), end.total(1))] += prob
        wanted[start, "ev"] += prob * end.returns()[0]
    found = outcomes_by_start(rules, policies[Role.PLAYER], policies[Role.BANKER], shoe)
    assert [entry.start for entry in found] == list(range(10))
    for entry in found:
        outcomes = entry.win_prob, entry.tie_prob, entry.loss_prob
        assert outcomes == tuple(wanted[entry.start, o] for o in (Outcome.WIN, Outcome.TIE, Outcome.LOSS))
        assert entry.ev == wanted[entry.start, "ev"]
        assert entry.prob == sum(outcomes)
