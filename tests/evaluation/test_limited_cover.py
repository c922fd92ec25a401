"""T3 valued: exact where cover does not depend on the cards, simulated and labelled where it does.

The simulated figures are held against an enumeration of one seat's outcomes, seeds fixed; significance 1e-5.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from pan9_gym import load_rules, solver
from pan9_gym.evaluation import cover_sample
from pan9_gym.game.round import Round, new_game
from pan9_gym.policies.play import Seats, seat_policy
from pan9_gym.rules import Action
from pan9_gym.rules.cover import Cover, covered_wagers, settlement_order

TWO = ["logical_way", "always_draw"]


def test_T3_a_stake_that_covers_everything_changes_nothing() -> None:
    plain = solver.evaluate_seats("bicycle", TWO, "logical_way", wagers=[2, 3])
    sample = cover_sample("bicycle", TWO, "logical_way", [2, 3], num_hands=50)
    for cover in ("gross", "net", "unlimited"):
        for start in (0, 1):
            found = sample.settled(5, cover, action_seat=start)
            assert found.action_seat == start
            assert [value.exact for value in found.players] == [2 * plain.evs[0], 3 * plain.evs[1]]
            assert found.banker.exact == plain.banker_ev
            assert found.banker.simulated is None
            assert found.banker.covered == 5


def test_T3_when_pushes_use_cover_every_seat_is_exact() -> None:
    plain = solver.evaluate_seats("bicycle", TWO, "logical_way")
    sample = cover_sample("bicycle", TWO, "logical_way", num_hands=50)
    first, second = (sample.settled("3/2", push_uses_cover=True, action_seat=seat) for seat in (0, 1))
    half = Fraction(1, 2)
    assert [value.exact for value in first.players] == [plain.evs[0], half * plain.evs[1]]
    assert [value.exact for value in second.players] == [half * plain.evs[0], plain.evs[1]]
    assert first.banker.exact == -plain.evs[0] - half * plain.evs[1]


def test_T3_gross_the_second_seat_is_covered_when_the_first_pushes() -> None:
    found = cover_sample("bicycle", TWO, "logical_way", num_hands=20_000, seed=3).settled(1)
    plain = solver.evaluate_seats("bicycle", TWO, "logical_way")
    assert found.players[0].exact == plain.evs[0]
    assert found.players[1].exact is None
    assert found.banker.exact is None
    ties = float(sum(plain.joint_totals[0][total][total] for total in range(10)))
    assert abs(found.players[1].covered - ties) < 4.5 * (ties * (1 - ties) / found.num_hands) ** 0.5


def every_end(state: Round, seats: Seats, prob: Fraction = Fraction(1)) -> Iterator[tuple[Fraction, Round]]:
    """Every way a hand can end, played by pure policies, with its probability."""
    if state.is_terminal:
        yield prob, state
        return
    for card, chance in state.chance_outcomes():
        yield from every_end(state.apply(card), seats, prob * chance)
    if state.current_seat is not None:
        policy = seats[state.current_seat]
        assert policy is not None
        info = state.info_state(state.current_seat)
        yield from every_end(state.apply(Action(int(policy.array.item(info)))), seats, prob)


@pytest.mark.parametrize("cover", list(Cover))
@pytest.mark.parametrize("pushes", [False, True])
@pytest.mark.parametrize("start", [0, 1, 2])
def test_T3_every_reading_equals_the_enumeration_of_a_tiny_shoe(
    cover: Cover, pushes: bool, start: int
) -> None:
    tiny = {"point_values": {"4": 4, "3": 3}, "num_decks": 1, "num_initial_cards": 1, "payout": "19/20"}
    rules, wagers, stake = load_rules("bicycle", **tiny), (Fraction(2), Fraction(1), Fraction(3)), Fraction(3)
    game = new_game(rules, 3)
    names = ["logical_way", "always_stand", "logical_way", "logical_way"]
    seats = tuple(seat_policy(game, seat, name) for seat, name in enumerate(names))
    evs, order = [Fraction(0)] * 3, settlement_order(3, start)
    for prob, end in every_end(game.new_round(), seats):
        payoffs = end.returns()[:-1]
        parts = covered_wagers(stake, wagers, payoffs, order, cover, pushes)
        evs = [ev + prob * p * part for ev, p, part in zip(evs, payoffs, parts, strict=True)]
    sample = cover_sample(rules, names[:3], names[3], wagers, num_hands=4000)
    found = sample.settled(stake, cover, pushes, start)
    for value, ev in [*zip(found.players, evs, strict=True), (found.banker, -sum(evs))]:
        if value.simulated is None:
            assert value.exact == ev
        else:
            assert abs(value.simulated.z_score(float(ev))) < 4.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stake": 0}, "stake 0: must be greater than 0"),
        ({"stake": 0.5}, "stake 0.5: must be exact"),
        ({"cover": "half"}, "cover 'half' is not known; allowed: gross, net, unlimited"),
        ({"action_seat": 2}, "seat 2 is out of range"),
    ],
)
def test_a_settlement_that_is_not_possible_is_named(changes: dict[str, Any], message: str) -> None:
    sample = cover_sample("bicycle", TWO, "logical_way", num_hands=2)
    with pytest.raises(ValueError, match=message):
        sample.settled(**{"stake": 1, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"wagers": [1]}, "wagers"), ({"num_hands": 1}, "num_hands 1"), ({"seed": -1}, "seed")],
)
def test_a_table_that_is_not_possible_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cover_sample("bicycle", TWO, "logical_way", **changes)
