"""`TabularPolicy`: what its constructors take, and what they refuse in one clear line."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.game import info_states
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, SuitClass, load_rules

RULES = load_rules("bicycle")
BONUS = load_rules("bicycle_bonus")
SEEING = load_rules("bicycle", banker_sees="card")
ON_5, ON_6 = set(range(6)), set(range(7))


def draws(policy: TabularPolicy, choices: tuple[str, ...] = ()) -> set[int]:
    """The totals a policy by totals draws on."""
    return {total for total, hand in HAND_OF.items() if policy.draw_prob(hand, choices) == 1}


HAND_OF = {**{total: (0, 0, total) for total in range(7)}, 7: (0, 1, 6), 8: (0, 2, 6), 9: (0, 3, 6)}


# from_totals


def test_a_plain_set_stands_for_every_pattern() -> None:
    banker = TabularPolicy.from_totals(RULES, "banker", {0, 3})
    assert draws(banker, ("stand",)) == draws(banker, ("draw",)) == {0, 3}
    assert TabularPolicy.from_totals(RULES, "player", ()).draw_probs == ((Fraction(0),) * 84,)


@pytest.mark.parametrize("draw_on", [{0, 3}, [3, 0], (0, 3), frozenset({0, 3}), range(0, 4, 3), iter([0, 3])])
def test_any_collection_of_totals_is_taken(draw_on: Any) -> None:
    assert draws(TabularPolicy.from_totals(RULES, "player", draw_on)) == {0, 3}


def test_all_hands_of_a_total_are_played_alike() -> None:
    policy = TabularPolicy.from_totals(RULES, "player", {6})
    states = policy.states
    assert policy.draw_probs[0] == tuple(Fraction(total == 6) for total in states.hand_totals)


def test_one_set_per_token_of_the_one_earlier_seat() -> None:
    banker = TabularPolicy.from_totals(RULES, "banker", {"stand": ON_6, "draw": ON_5})
    assert (draws(banker, ("stand",)), draws(banker, ("draw",))) == (ON_6, ON_5)
    second = TabularPolicy.from_totals(RULES, "player", {"stand": {1}, "draw": {2}}, num_players=3, seat=1)
    assert (draws(second, ("stand",)), draws(second, ("draw",))) == ({1}, {2})


def test_one_set_per_seen_card() -> None:
    keys = {"stand": {0}, **{f"draw:{value}": {value} for value in range(10)}}
    banker = TabularPolicy.from_totals(SEEING, "banker", keys)
    assert draws(banker, ("stand",)) == {0}
    for value in range(10):
        assert draws(banker, (f"draw:{value}",)) == {value}


def test_one_set_per_number_of_drawers() -> None:
    banker = TabularPolicy.from_totals(RULES, "banker", {0: {0}, 1: {1}, 2: {2}, 3: {3}}, num_players=3)
    for pattern in banker.states.patterns:
        assert draws(banker, pattern) == {pattern.count("draw")}


def test_one_set_per_tuple_of_tokens() -> None:
    keys = {("stand", "stand"): {0}, ("draw", "stand"): {1}, ("stand", "draw"): {2}, ("draw", "draw"): {3}}
    banker = TabularPolicy.from_totals(RULES, "banker", keys, num_players=2)
    for pattern, totals in keys.items():
        assert draws(banker, pattern) == totals


def test_kinds_of_key_may_be_mixed_where_exactly_one_fits() -> None:
    keys = {0: {0}, ("draw", "stand"): {1}, ("stand", "draw"): {2}, 2: {3}}
    banker = TabularPolicy.from_totals(RULES, "banker", keys, num_players=2)
    assert [draws(banker, pattern) for pattern in banker.states.patterns] == [{0}, {1}, {2}, {3}]


@pytest.mark.parametrize(
    ("draw_on", "num_players", "message"),
    [
        ({"stand": {1}}, 1, r"draw_on: no key for the choices \('draw',\); exactly one is needed"),
        ({0: {1}, 2: {1}}, 2, r"draw_on: no key for the choices \('draw', 'stand'\)"),
        (
            {"stand": {1}, "draw": {1}, 1: {2}},
            1,
            r"draw_on: the keys \['draw', 1\] for the choices \('draw',\)",
        ),
        ({0: {1}, 1: {1}, 2: {1}}, 1, "draw_on: no pattern of choices fits the key 2"),
        ({"stand": {1}, "draw": {1}, "hit": {2}}, 1, "draw_on: no pattern of choices fits the key 'hit'"),
        ({0: {1}, 1: {1}, 2: {1}, "draw": {1}}, 2, "draw_on: no pattern of choices fits the key 'draw'"),
        ({0: {1}, 1: {1}, ("draw",): {3}}, 1, r"the keys \[1, \('draw',\)\] for the choices \('draw',\)"),
        ({10}, 1, "draw_on: 10 is not a total; allowed are 0-9"),
        ({-1, 3}, 1, "draw_on: -1 is not a total"),
        ({"0"}, 1, "draw_on: '0' is not a total"),
        ({0.5}, 1, "draw_on: 0.5 is not a total"),
        ({"stand": {1}, "draw": {11}}, 1, "draw_on: 11 is not a total"),
        (5, 1, "draw_on 5: a collection of totals, such as {0, 1}, is needed"),
        ({"stand": {1}, "draw": 5}, 1, "draw_on 5: a collection of totals"),
        ([[1]], 1, r"draw_on \[\[1\]\]: a collection of totals"),
    ],
)
def test_draw_on_that_does_not_fit(draw_on: Any, num_players: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TabularPolicy.from_totals(RULES, "banker", draw_on, num_players=num_players)


def test_a_table_of_a_user_that_does_not_take_a_forced_move_is_refused() -> None:
    """S3: must draw on 0-4, must stand on 7-9."""
    with pytest.raises(
        ValueError, match=r"draw_prob 1 for hand 0 1 6 \(total 7\), choices \(\): .* STAND on 7"
    ):
        TabularPolicy.from_totals(BONUS, "player", range(8))
    with pytest.raises(
        ValueError,
        match=r"draw_prob 0 for hand 0 0 4 \(total 4\), choices \(\): 'bicycle_bonus' "
        "forces the player to DRAW on 4, so 1 is needed",
    ):
        TabularPolicy.from_totals(BONUS, "player", {0, 1, 2, 3})
    with pytest.raises(
        ValueError, match=r"choices \('draw',\).*forces the banker to STAND on 8, so 0 is needed"
    ):
        TabularPolicy.from_totals(BONUS, "banker", {"stand": ON_6, "draw": ON_6 | {8}})
    assert draws(TabularPolicy.from_totals(BONUS, "player", ON_6)) == ON_6


# from_callable


def test_the_function_is_asked_once_about_every_free_state_and_nowhere_else() -> None:
    asked = []

    def answer(hand: tuple[int, ...], choices: tuple[str, ...]) -> float:
        asked.append((hand, choices))
        return 0.25

    policy = TabularPolicy.from_callable(BONUS, "banker", answer)
    free = {
        (hand, choices)
        for hand in policy.states.hands
        for choices in policy.states.patterns
        if sum(hand) % 10 in {5, 6}
    }
    assert set(asked) == free
    assert len(asked) == len(free)
    assert {policy.draw_prob(*state) for state in free} == {Fraction(1, 4)}
    assert draws(policy, ("stand",)) == {0, 1, 2, 3, 4}


def test_the_function_gets_the_sorted_hand_and_the_tokens() -> None:
    policy = TabularPolicy.from_callable(
        SEEING, "banker", lambda hand, choices: Fraction(hand[2] == 6 and choices == ("draw:4",))
    )
    assert policy.draw_prob("6 0 A", ("draw:4",)) == 1
    assert policy.draw_prob("6 0 A", ("draw:5",)) == 0
    assert policy.draw_prob("5 0 A", ("draw:4",)) == 0


def test_with_a_dragon_stake_the_function_gets_the_suit_class() -> None:
    policy = TabularPolicy.from_callable(
        RULES, "player", lambda hand, choices, suits: Fraction(int(suits), 2), with_suits=True
    )
    assert [policy.draw_prob("0 1 5", (), suits) for suits in SuitClass] == [0, Fraction(1, 2), 1]


class Scalar:
    """Like a tensor with one element."""

    def item(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (0, Fraction(0)),
        (True, Fraction(1)),
        (Fraction(9, 11), Fraction(9, 11)),
        (0.1, Fraction(0.1)),  # the float's exact value
        (np.float32(0.25), Fraction(1, 4)),
        (np.float64(0.1), Fraction(0.1)),
        (np.int64(1), Fraction(1)),
        (np.bool_(True), Fraction(1)),
        (np.array(0.5), Fraction(1, 2)),
        (np.array([[0.5]], dtype=np.float32), Fraction(1, 2)),
        (Decimal("0.5"), Fraction(1, 2)),
        (Scalar(), Fraction(1, 2)),
    ],
)
def test_answers_of_any_kind_of_number_are_kept_exactly(answer: Any, wanted: Fraction) -> None:
    policy = TabularPolicy.from_callable(RULES, "player", lambda hand, choices: answer)
    probs = {prob for row in policy.draw_probs for prob in row}
    assert probs == {wanted}
    # Python integers inside: those of NumPy would overflow in the solver
    assert {type(number) for prob in probs for number in (prob.numerator, prob.denominator)} == {int}


@pytest.mark.parametrize(
    "answer",
    [
        float("nan"),
        float("inf"),
        np.float32("nan"),
        None,
        "0.5",
        b"1",
        "draw",
        1j,
        [],
        np.array([0.5, 0.5]),
        object(),
    ],
)
def test_an_answer_that_is_no_number_is_refused(answer: Any) -> None:
    with pytest.raises(
        ValueError, match=r"function\(\(0, 0, 0\), \(\)\) answered .*; a probability is needed"
    ):
        TabularPolicy.from_callable(RULES, "player", lambda hand, choices: answer)


@pytest.mark.parametrize("answer", [-1e-12, 1.0000001, 2, Fraction(-1, 3), np.int64(-1), 10**400])
def test_an_answer_out_of_range_is_refused(answer: Any) -> None:
    with pytest.raises(ValueError, match=r"answered .*; a probability from 0 to 1 is needed"):
        TabularPolicy.from_callable(RULES, "player", lambda hand, choices: answer)


def test_a_policy_with_numbers_of_numpy_is_evaluated_exactly() -> None:
    player = TabularPolicy.from_callable(RULES, "player", lambda hand, choices: np.int64(sum(hand) % 10 < 6))
    banker = policies.get("logical_way", RULES, "banker")
    assert solver.evaluate(RULES, player, banker).ev == 0
    assert player.draw_probs == policies.get("logical_way", RULES, "player").draw_probs


# The table itself


def table(value: Any, shape: tuple[int, int] = (1, 84)) -> tuple[tuple[Any, ...], ...]:
    return ((value,) * shape[1],) * shape[0]


@pytest.mark.parametrize("shape", [(1, 83), (1, 85), (2, 84), (0, 84)])
def test_a_table_of_the_wrong_shape_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"draw_prob has shape \(.*\); 1 x 84 are needed"):
        TabularPolicy(RULES, info_states(RULES, "player"), table(Fraction(0), shape))


@pytest.mark.parametrize("entry", [Fraction(-1, 2), Fraction(3, 2), 0.5, float("nan"), 1, None])
def test_an_entry_that_is_no_exact_probability_is_refused(entry: Any) -> None:
    row = (*[Fraction(0)] * 80, entry, *[Fraction(0)] * 3)
    with pytest.raises(
        ValueError, match=r"for hand 5 5 5 \(total 5\), choices \(\): must be a Fraction from 0 to 1"
    ):
        TabularPolicy(RULES, info_states(RULES, "player"), (row,))


def test_array_is_the_table_in_floats_and_read_only() -> None:
    policy = policies.get("wizard", RULES, "banker")
    assert policy.array.shape == (2, 84)
    assert policy.array.dtype == np.float64
    assert (policy.array == np.array([[int(prob) for prob in row] for row in policy.draw_probs])).all()
    with pytest.raises(ValueError, match="read-only"):
        policy.array[0, 0] = 1


def test_greedy_takes_the_likelier_move_and_stands_on_equal_chances() -> None:
    probs = {5: Fraction(1, 2), 6: Fraction(51, 100), 4: Fraction(49, 100)}
    policy = TabularPolicy.from_callable(
        RULES, "player", lambda hand, choices: probs.get(sum(hand) % 10, Fraction(0)), name="net"
    )
    assert not policy.is_deterministic
    assert policy.greedy().is_deterministic
    assert draws(policy.greedy()) == {6}
    assert (policy.greedy().name, policy.greedy("best").name) == ("net, greedy", "best")


def test_greedy_keeps_forced_moves() -> None:
    assert draws(policies.get("uniform", BONUS, "player").greedy()) == {0, 1, 2, 3, 4}


def test_a_policy_knows_its_seat() -> None:
    policy = policies.get("logical_way", RULES, "player", num_players=4, seat=2)
    assert (policy.role, policy.num_players, policy.seat) == (Role.PLAYER, 4, 2)
    banker = policies.get("logical_way", RULES, "banker", num_players=4)
    assert (banker.role, banker.num_players, banker.seat) == (Role.BANKER, 4, 4)


def test_draw_prob_refuses_states_that_do_not_exist() -> None:
    policy = policies.get("logical_way", RULES, "banker")
    with pytest.raises(ValueError, match="hand '0 1 9' is not possible"):
        policy.draw_prob("0 1 9", ("stand",))
    with pytest.raises(ValueError, match="this banker sees 1 earlier seat"):
        policy.draw_prob("0 1 5")


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ValueError, match=r"function 5: a function\(hand, choices\) -> draw probability"):
        TabularPolicy.from_callable("bicycle", "player", 5)


def test_choices_that_are_no_list_are_refused() -> None:
    wizard = policies.get("wizard", "bicycle", "banker")
    with pytest.raises(ValueError, match="choices None: this banker sees 1 earlier seat"):
        wizard.draw_prob("0 1 5", None)
