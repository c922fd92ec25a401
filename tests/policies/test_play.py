"""Seats that play: who sits where, and a hand carried forward by the seats' policies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.game import Shoe, StackedShoe, new_game
from pan9_gym.policies.play import play, read_opponents, seat_policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, load_rules

RULES = load_rules("bicycle")
TABLE = new_game(RULES, 3)


def names(seats: tuple[TabularPolicy | None, ...]) -> list[str | None]:
    return [None if policy is None else policy.name for policy in seats]


class NoRandomness:
    """A generator that must not be asked."""

    def random(self) -> float:
        raise AssertionError("a pure decision uses no randomness")


def test_missing_opponents_play_the_logical_way() -> None:
    assert names(read_opponents(TABLE, 1, None)) == ["logical_way", None, "logical_way", "logical_way"]
    assert names(read_opponents(TABLE, 3, {})) == ["logical_way"] * 3 + [None]


def test_one_policy_for_all_players_or_one_each_in_seat_order() -> None:
    one = read_opponents(TABLE, 1, {"banker": "uniform", "players": "always_draw"})
    assert names(one) == ["always_draw", None, "always_draw", "uniform"]
    each = read_opponents(TABLE, 1, {"players": ["always_draw", "always_stand"]})
    assert names(each) == ["always_draw", None, "always_stand", "logical_way"]
    assert [policy.seat for policy in each if policy is not None] == [0, 2, 3]


@pytest.mark.parametrize(
    ("seat", "opponents", "message"),
    [
        (1, {"dealer": "uniform"}, "opponents: unknown key 'dealer'; allowed: banker, players"),
        (3, {"banker": "uniform"}, "opponents: unknown key 'banker'; allowed: players"),
        (
            1,
            {"players": ["uniform"]},
            r"opponents\['players'\] \['uniform'\]: one policy, or a list of 2, is needed",
        ),
        (1, {"players": 5}, r"opponents\['players'\] 5"),
        (1, {"players": "nobody"}, "policy 'nobody' is not known"),
        (1, "uniform", "opponents 'uniform': a mapping"),
        (1, {"banker": "wizard"}, "'wizard': its banker is published for one player only"),
        (1, {"banker": policies.get("uniform", RULES, "banker")}, "is for banker seat 1 of num_players=1"),
    ],
)
def test_opponents_that_do_not_fit(seat: int, opponents: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_opponents(TABLE, seat, opponents)


def test_a_hand_stops_where_a_seat_without_a_policy_chooses() -> None:
    seats = read_opponents(TABLE, 1, {"players": "always_draw", "banker": "always_stand"})
    shoe = StackedShoe(RULES, "K K K K K K K K K K K K 5 6".split())
    state = play(TABLE.new_round(), shoe, seats, NoRandomness())  # type: ignore[arg-type]
    assert state.current_seat == 1
    assert state.hands[0] == (0, 0, 0, 5)
    end = play(state.apply(Action.STAND), shoe, seats, NoRandomness())  # type: ignore[arg-type]
    assert end.is_terminal
    assert end.choices == (Action.DRAW, Action.STAND, Action.DRAW, Action.STAND)
    assert end.hands == ((0, 0, 0, 5), (0, 0, 0), (0, 0, 0, 6), (0, 0, 0))


def test_where_a_policy_mixes_the_generator_decides_with_its_probability() -> None:
    """Draws on 0 with 1/4: 4000 hands, within five standard deviations."""
    game = new_game(RULES)
    player = TabularPolicy.from_callable(RULES, "player", lambda hand, choices: Fraction(1, 4))
    seats = (player, policies.get("always_stand", RULES, "banker"))
    rng = np.random.default_rng(3)
    drawn = sum(
        play(game.new_round(), StackedShoe(RULES, ["K"] * 7), seats, rng).choices[0] for _ in range(4000)
    )
    assert abs(drawn - 1000) < 5 * (4000 * 3 / 16) ** 0.5


def test_hands_played_earn_what_the_solver_says() -> None:
    """20 000 hands of uniform against the logical way: the mean is within four standard errors."""
    game = new_game(RULES)
    seats = tuple(seat_policy(game, seat, name) for seat, name in enumerate(("uniform", "logical_way")))
    rng = np.random.default_rng(4)
    shoe = Shoe(RULES, rng=rng)
    net = []
    for _ in range(20_000):
        shoe.shuffle()
        net.append(float(play(game.new_round(), shoe, seats, rng).returns()[0]))
    exact = solver.evaluate(RULES, *seats)
    error = exact.standard_deviation / len(net) ** 0.5
    assert abs(np.mean(net) - float(exact.ev)) < 4 * error
    assert abs(float(exact.ev)) > 10 * error  # a mean of zero would not pass


@pytest.mark.parametrize("agent_seat", [0, 1])
def test_a_misspelt_policy_is_refused_even_where_nobody_plays_it(agent_seat: int) -> None:
    game = new_game(load_rules("bicycle"))
    with pytest.raises(ValueError, match="policy 'logical' is not known"):
        read_opponents(game, agent_seat, {"players": "logical"})


def test_unknown_keys_of_any_type_are_named() -> None:
    game = new_game(load_rules("bicycle"))
    with pytest.raises(ValueError, match="opponents: unknown key 'dealer'"):
        read_opponents(game, 0, {1: 2, "dealer": "wizard"})
