"""Bad input to the environments whose episode is a shoe: one clear line each, and nothing is played."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode

from pan9_gym import load_rules
from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_roles import ShoePlayerDealerEnv, ShoePlayerEnv
from pan9_gym.envs.vector_roles import ShoePlayerDealerVectorEnv, ShoePlayerVectorEnv

PLAYER, DEALER = "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"
PLAYERS: tuple[Any, ...] = (ShoePlayerEnv, ShoePlayerVectorEnv)
DEALERS: tuple[Any, ...] = (ShoePlayerDealerEnv, ShoePlayerDealerVectorEnv)
INFINITE = load_rules("bicycle", num_decks="infinite")
NARROW = load_rules("bicycle", wager_limits={"least": 2, "most": 5})
TOO_FINE = "can be held exactly, so use rounder amounts"

Parts = tuple[str, ...]
every_mode = pytest.mark.parametrize("mode", AutoresetMode)

NO_WAGERS: list[list[Any]] = [[0], [11], [-3], [1.0], ["1"], [True], [None], [np.float64(2)]]
NO_ORDER: list[Any] = [[1, 1], [2, 1], (1, 3, 2)]
NO_LISTS: list[Any] = [[], (), "12", 5, {1, 2}, {1: 2}]
FOR_PLAYERS: list[tuple[dict[str, Any], Parts]] = [
    *(({"wager_choices": given}, ("wager_choices", repr(given[0]), "from 1 to 10")) for given in NO_WAGERS),
    ({"wager_choices": [2, 6], "rules": NARROW}, ("wager_choices 6", "from 2 to 5")),
    *(({"wager_choices": given}, (repr(given), "lowest first")) for given in NO_ORDER),
    *(
        ({"wager_choices": given}, (f"wager_choices {given!r}", "a list of whole units"))
        for given in NO_LISTS
    ),
    ({"seat": 1}, ("seat 1 is out of range", "with num_players=1 it is 0 to 0")),
    ({"observe": ("wagers", "shoe")}, ("observe", "'wagers' is not possible")),
    ({"opponents": {"banker": None}}, ("policy None",)),
]
FOR_BOTH: list[tuple[dict[str, Any], Parts]] = [
    *(({"fee": given}, (f"fee {given!r}", "1000000000000")) for given in (-1, "-1/2", 10**13)),
    *(
        ({"fee": given}, (f"fee {given!r}", "must be exact"))
        for given in (0.1, "x", None, True, False, [1], "nan", "1e3")
    ),
    ({"rules": INFINITE}, ("finite shoe", "num_decks is infinite")),
    *(
        ({"penetration": given}, (f"penetration {given!r}", "at most 1"))
        for given in (0, -0.5, 1.5, "half", True)
    ),
    ({"start_cards": (7, 70)}, ("start_cards (7, 70)", "low must be at least 8, what a hand may take")),
    ({"start_cards": (70, 60)}, ("start_cards (70, 60)", "low <= high <= 432")),
    ({"start_cards": (60, 433)}, ("start_cards (60, 433)", "low <= high <= 432")),
    ({"start_cards": 60}, ("start_cards 60", "two whole numbers")),
    ({"start_cards": (8, 9), "penetration": 0.5}, ("start_cards (8, 9)", "every shoe would be over at once")),
    ({"opponents": {"dealer": "logical_way"}}, ("opponents: unknown key 'dealer'", "players")),
    ({"opponents": "logical_way"}, ("opponents 'logical_way'", "a mapping such as")),
    ({"opponents": {"banker": "logical_wey"}}, ("policy 'logical_wey'", "did you mean 'logical_way'?")),
    ({"forced": "sometimes"}, ("forced 'sometimes'", "'offer', 'skip'")),
    ({"illegal_action": "penalty"}, ("illegal_action 'penalty'", "'replace', 'error'")),
    ({"num_players": 8}, ("num_players 8", "'bicycle' allows 1 to 7")),
    ({"render_mode": "human"}, ("render_mode 'human'", "None")),
    ({"rules": "bicycel"}, ("'bicycel'", "did you mean 'bicycle'?")),
]
FOR_VECTORS: list[tuple[dict[str, Any], Parts]] = [
    *(({"num_envs": given}, (f"num_envs {given!r}", "from 1")) for given in (0, -1, 2.0, True, "3")),
    ({"autoreset_mode": "never"}, ("autoreset_mode 'never'", "'NEXT_STEP', 'SAME_STEP', 'DISABLED'")),
    ({"copy": 1}, ("copy 1", "True or False")),
    ({"penetration": 0.01}, ("penetration 0.01", "leaves 4 cards", "may take 8")),
    ({"fee": "1/999999937000000000000"}, ("fee", "1/999999937000000000000", TOO_FINE)),
]


def refused(call: Callable[[], Any], *parts: str, error: type[Exception] = ValueError) -> None:
    with pytest.raises(error, match=r".+") as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


def ids(cases: list[tuple[dict[str, Any], Parts]]) -> list[str]:
    return [re.sub(r"\s+", " ", str(given))[:60] for given, _ in cases]


@pytest.mark.parametrize(("given", "parts"), FOR_PLAYERS, ids=ids(FOR_PLAYERS))
def test_an_argument_that_is_not_possible_for_a_player(given: dict[str, Any], parts: Parts) -> None:
    for env in PLAYERS:
        refused(partial(env, **given), *parts)


@pytest.mark.parametrize(("given", "parts"), FOR_BOTH, ids=ids(FOR_BOTH))
def test_an_argument_that_is_not_possible(given: dict[str, Any], parts: Parts) -> None:
    for env in (*PLAYERS, *DEALERS):
        refused(partial(env, **given), *parts)


@pytest.mark.parametrize(("given", "parts"), FOR_VECTORS, ids=ids(FOR_VECTORS))
def test_an_argument_that_is_not_possible_for_a_vector(given: dict[str, Any], parts: Parts) -> None:
    for env in (ShoePlayerVectorEnv, ShoePlayerDealerVectorEnv):
        refused(partial(env, **given), *parts)


def test_a_bank_that_never_has_a_choice_cannot_skip_forced_moves() -> None:
    for env in DEALERS:
        refused(partial(env, rules="uk_1994_house", forced="skip"), "forced='skip'", "'uk_1994_house'")


def test_amounts_that_are_too_fine_to_be_exact_together() -> None:
    fine, finer = "1/999999937", "1/999999929"
    stakes: dict[str, Any] = {"rules": "bicycle_bonus", "side_stakes": {"dragon": fine}, "fee": finer}
    refused(partial(ShoePlayerVectorEnv, **stakes), "fee", TOO_FINE)
    refused(partial(ShoePlayerDealerVectorEnv, wagers=[fine], fee=finer), "wagers", "fee", TOO_FINE)
    refused(partial(ShoePlayerDealerVectorEnv, num_players=2, wagers=[fine, finer]), "wagers", TOO_FINE)
    env = ShoePlayerVectorEnv(1, fee=fine)  # alone it is held exactly
    env.reset(seed=1, options={"cards": [[*"65AAKKKK"]]})
    env.step([11])
    assert env.step([0])[1][0] == float(10 - Fraction(fine))


@pytest.mark.parametrize(
    ("env_id", "unknown"),
    [
        (PLAYER, "decks"),
        (PLAYER, "wagers"),
        (PLAYER, "shoe_mode"),
        (DEALER, "seat"),
        (DEALER, "wager_choices"),
    ],
)
def test_an_argument_that_does_not_exist_is_named(env_id: str, unknown: str) -> None:
    make_vec = partial(gymnasium.make_vec, env_id, num_envs=2, vectorization_mode="vector_entry_point")
    refused(partial(make_vec, **{unknown: 1}), f"unknown argument '{unknown}'", "allowed:", error=TypeError)
    make: Any = gymnasium.make
    refused(partial(make, env_id, **{unknown: 1}), f"'{unknown}'", error=TypeError)


NO_ACTIONS = (12, -1, "2", 2.0, True, None, [2], (2,), np.float32(2), np.bool_(True), np.array([2]))


@pytest.mark.parametrize("illegal_action", ["replace", "error"])
@pytest.mark.parametrize("action", NO_ACTIONS, ids=str)
def test_an_action_that_is_none_changes_nothing(action: Any, illegal_action: Any) -> None:
    env, twin = (ShoePlayerEnv(illegal_action=illegal_action) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    for legal in (4, 1, 2, 0):
        refused(lambda: env.step(action), f"action {action!r}", "0 (STAND), 1 (DRAW), or 2 to 11")
        assert same(env.step(legal), twin.step(legal))


def test_illegal_actions_are_errors_that_change_nothing() -> None:
    env, twin = (ShoePlayerDealerEnv("hawaiian_gardens", illegal_action="error") for _ in range(2))
    forced = False
    for shoe in range(30):
        env.reset(seed=shoe)
        twin.reset(seed=shoe)
        refused(lambda: env.step(1), "action 1 is illegal: an amount is due; legal: 2, 3")
        mask = env.step(3)[4]["action_mask"]
        twin.step(3)
        for action in np.flatnonzero(mask == 0):
            refused(partial(env.step, action), f"action {action} is illegal: a draw decision is due; legal: ")
        forced |= mask.sum() == 1
        legal = int(mask.argmax())
        assert same(env.step(legal), twin.step(legal))
    assert forced


def test_illegal_actions_are_replaced_by_the_legal_one_with_the_lowest_number() -> None:
    env, twin = ShoePlayerEnv("bicycle_bonus", wager_choices=[3, 5]), ShoePlayerEnv("bicycle_bonus")
    forced = 0
    for shoe in range(30):
        env.reset(seed=shoe)
        twin.reset(seed=shoe)
        info = env.step(shoe % 2)[4]
        assert (info["action"], info["action_replaced"], info["amount"]) == (2, True, 3)
        mask = twin.step(4)[4]["action_mask"][:2]
        lowest = int(mask.argmax())
        forced += lowest
        results = env.step(3), twin.step(lowest)
        assert results[0][1] == results[1][1]
        assert (results[0][4]["action"], results[0][4]["action_replaced"]) == (lowest, True)
    assert 0 < forced < 30


@every_mode
@pytest.mark.parametrize("illegal_action", ["replace", "error"])
@pytest.mark.parametrize(
    ("actions", "parts"),
    [
        (np.zeros(3, dtype=int), ("shape (4,)", "shape (3,)")),
        (np.zeros((4, 1), dtype=int), ("shape (4, 1)",)),
        (2, ("shape ()",)),
        (np.full(4, 2.0), ("whole numbers", "float64")),
        (np.ones(4, dtype=bool), ("whole numbers", "bool")),
        (["2"] * 4, ("whole numbers",)),
        (None, ("whole numbers", "object")),
        ([2, 2, 12, 2], ("actions[2] 12", "0 (STAND), 1 (DRAW), or 2 to 11")),
        (np.array([2, -1, 77, 2]), ("actions[1] -1", "0 (STAND), 1 (DRAW), or 2 to 11")),
    ],
)
def test_wrong_actions_are_refused_and_nothing_is_played(
    actions: Any, parts: Parts, illegal_action: Any, mode: AutoresetMode
) -> None:
    arguments: dict[str, Any] = {"illegal_action": illegal_action, "autoreset_mode": mode}
    env, twin = (ShoePlayerVectorEnv(4, **arguments) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    refused(lambda: env.step(actions), *parts)
    for legal in (4, 1):
        assert same(env.step(np.full(4, legal)), twin.step(np.full(4, legal)))


@every_mode
def test_an_illegal_action_names_the_environment_and_what_is_due(mode: AutoresetMode) -> None:
    arguments: dict[str, Any] = {"illegal_action": "error", "autoreset_mode": mode}
    env, twin = (ShoePlayerVectorEnv(4, **arguments) for _ in range(2))
    for one in (env, twin):
        one.reset(seed=1)
    refused(lambda: env.step([2, 2, 1, 0]), "actions[2] 1 is illegal: an amount is due; legal: 2, 3,")
    assert same(env.step(np.full(4, 2)), twin.step(np.full(4, 2)))
    refused(lambda: env.step([0, 5, 1, 0]), "actions[1] 5 is illegal: a draw decision is due; legal: 0, 1")
    assert same(env.step(np.zeros(4, dtype=int)), twin.step(np.zeros(4, dtype=int)))


@every_mode
def test_there_is_no_step_before_the_first_reset(mode: AutoresetMode) -> None:
    refused(lambda: ShoePlayerEnv().step(2), "call reset()", error=gymnasium.error.ResetNeeded)
    env = ShoePlayerVectorEnv(2, autoreset_mode=mode)
    refused(lambda: env.step([2, 2]), "environment 0", "call reset()", error=gymnasium.error.ResetNeeded)
    mask = np.array([True, False])
    refused(
        lambda: env.reset(options={"reset_mask": mask}),
        "the first reset must be of all",
        error=gymnasium.error.ResetNeeded,
    )


def test_there_is_no_step_after_the_end() -> None:
    last = [*"6AAKKKKK"]
    scalar = ShoePlayerEnv()
    scalar.reset(options={"cards": last})
    env = ShoePlayerVectorEnv(2, autoreset_mode="DISABLED")
    env.reset(seed=1, options={"cards": [None, last]})
    for action in (2, 0):
        over = scalar.step(action)[2], env.step(np.full(2, action))[2].tolist()
    assert over == (True, [False, True])
    for action in (0, 2):
        refused(partial(scalar.step, action), "the shoe is over", error=gymnasium.error.ResetNeeded)
        refused(
            partial(env.step, np.full(2, action)),
            "the shoe of environment 1",
            error=gymnasium.error.ResetNeeded,
        )


LISTS: list[tuple[Any, Parts]] = [
    (["A"] * 7, ("lists 7 cards; a hand may take 8",)),
    ([], ("lists 0 cards; a hand may take 8",)),
    (["A"] * 49, ("card 'A'", "listed 49 times; the shoe has 48")),
    (["7"] * 8, ("card '7' is not in the pack of 'bicycle'", "A, 2, 3, 4, 5, 6, J, Q, K")),
    (["Z"] * 8, ("card 'Z'",)),
    ([5] * 8, ("5 is no card",)),
    ("AAAAAAAA", ("'AAAAAAAA'", "a list of cards such as")),
]


@pytest.mark.parametrize(("cards", "parts"), LISTS, ids=str)
def test_a_listed_shoe_that_is_not_possible(cards: Any, parts: Parts) -> None:
    scalar: ShoeEnv = ShoePlayerEnv()
    scalar.reset(seed=1)
    refused(lambda: scalar.reset(options={"cards": cards}), *parts)
    refused(lambda: scalar.step(2), "call reset()", error=gymnasium.error.ResetNeeded)
    env = ShoePlayerVectorEnv(3)
    env.reset(seed=1)
    mask = np.array([False, True, True])
    refused(lambda: env.reset(options={"cards": [None, None, cards], "reset_mask": mask}), *parts)
    env.reset(seed=2)
    twin = ShoePlayerVectorEnv(3)
    twin.reset(seed=2)
    assert same(env.step(np.full(3, 2)), twin.step(np.full(3, 2)))


def test_a_side_stake_needs_suits_in_a_listed_shoe() -> None:
    arguments: dict[str, Any] = {"rules": "bicycle_bonus", "side_stakes": {"dragon": 1}}
    for env, cards in (
        (ShoePlayerEnv(**arguments), ["A"] * 8),
        (ShoePlayerVectorEnv(2, **arguments), [["A"] * 8, None]),
    ):
        refused(partial(env.reset, options={"cards": cards}), "card 'A'", "need a suit")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"seed": -1}, ("seed -1", "from 0")),
        ({"seed": [1, 2]}, ("seed: 2 seeds", "so 4")),
        ({"seed": [1, 2, "x", 4]}, ("seed[2] 'x'",)),
        ({"options": {"mask": 1}}, ("unknown key 'mask'", "'reset_mask'")),
        ({"options": {"reset_mask": np.zeros(4, dtype=bool)}}, ("at least one environment",)),
        ({"options": {"reset_mask": np.ones(3, dtype=bool)}}, ("bool of shape (3,)",)),
        ({"options": {"reset_mask": [True] * 4}}, ("a bool array of shape (4,)",)),
        ({"options": {"cards": [["A"] * 8] * 3}}, ("for each of the 4 environments",)),
    ],
)
def test_arguments_of_reset_that_are_not_possible_change_nothing(
    arguments: dict[str, Any], parts: Parts
) -> None:
    env, twin = ShoePlayerVectorEnv(4), ShoePlayerVectorEnv(4)
    env.reset(seed=1)
    twin.reset(seed=1)
    refused(lambda: env.reset(**arguments), *parts)
    assert same(env.step(np.full(4, 2)), twin.step(np.full(4, 2)))


def test_a_vector_draws_nothing() -> None:
    refused(ShoePlayerVectorEnv(2).render, "draws nothing", error=NotImplementedError)
