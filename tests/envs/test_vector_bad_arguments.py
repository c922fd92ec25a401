"""Bad input to the vector environments: one clear line each, and nothing is played."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode

from pan9_gym.envs import vector
from pan9_gym.envs.vector import HandVectorEnv
from pan9_gym.envs.vector_roles import PlayerDealerVectorEnv, PlayerVectorEnv
from tests.envs.vectors import HAND_IDS

PLAYER, DEALER = HAND_IDS
every_mode = pytest.mark.parametrize("mode", AutoresetMode)


def make(env_id: str, num_envs: int = 4, **arguments: Any) -> HandVectorEnv:
    env = gymnasium.make_vec(env_id, num_envs=num_envs, **arguments).unwrapped
    assert isinstance(env, HandVectorEnv)
    return env


def one_line(call: Callable[[], Any], *parts: str, error: type[Exception] = ValueError) -> None:
    with pytest.raises(error, match=r".+") as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"num_envs": 0}, ("num_envs 0", "a whole number from 1")),
        ({"num_envs": 2.5}, ("num_envs 2.5",)),
        ({"autoreset_mode": "never"}, ("autoreset_mode 'never'", "'NEXT_STEP', 'SAME_STEP', 'DISABLED'")),
        ({"autoreset_mode": None}, ("autoreset_mode None",)),
        ({"copy": "no"}, ("copy 'no'", "True or False")),
        ({"render_mode": "ansi"}, ("render_mode 'ansi'", "allowed: None")),
        ({"rules": "bicycl"}, ("'bicycl'", "bicycle")),
        ({"observe": "hands"}, ("observe 'hands'", "'hand'")),
        ({"illegal_action": "skip"}, ("illegal_action 'skip'", "'replace', 'error'")),
        ({"penetration": 0.5}, ("penetration 0.5", "need shoe_mode='continuing'")),
        ({"shoe_mode": "continuing", "penetration": 0.01}, ("penetration 0.01", "may take 8")),
    ],
)
def test_an_argument_that_is_not_possible(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    for env in (PlayerVectorEnv, PlayerDealerVectorEnv):
        one_line(partial(env, **given), *parts)


@pytest.mark.parametrize("env", [PlayerVectorEnv, PlayerDealerVectorEnv])
def test_an_argument_that_does_not_exist(env: Any) -> None:
    for unknown in ("decks", "seat" if env is PlayerDealerVectorEnv else "role", "game", "agent_seat"):
        one_line(partial(env, **{unknown: 1}), f"'{unknown}'", error=TypeError)


def test_a_table_of_observations_that_would_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "MOST_TABLE_BYTES", 100_000)
    one_line(lambda: PlayerDealerVectorEnv(num_players=7), "10752 information states", "use fewer players")


@every_mode
@pytest.mark.parametrize(
    ("actions", "parts"),
    [
        (np.zeros(3, dtype=int), ("shape (4,)", "shape (3,)")),
        (np.zeros((4, 1), dtype=int), ("shape (4, 1)",)),
        (0, ("shape ()",)),
        (np.zeros(4), ("whole numbers", "float64")),
        (np.zeros(4, dtype=bool), ("whole numbers", "bool")),
        (["0"] * 4, ("whole numbers",)),
        (None, ("whole numbers", "object")),
        ([0, 1, 2, 0], ("actions[2] 2", "must be 0 (STAND) or 1 (DRAW)")),
        (np.array([0, -1, 7, 0]), ("actions[1] -1",)),
    ],
)
def test_wrong_actions_are_refused_and_nothing_is_played(
    actions: Any, parts: tuple[str, ...], mode: AutoresetMode
) -> None:
    env, twin = (make(PLAYER, autoreset_mode=mode) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    one_line(lambda: env.step(actions), *parts)
    assert same(env.step(np.ones(4, dtype=int)), twin.step(np.ones(4, dtype=int)))


@every_mode
def test_an_illegal_action_is_an_error_that_names_the_environment(mode: AutoresetMode) -> None:
    env, twin = (
        make(DEALER, 64, rules="uk_1994_house", illegal_action="error", autoreset_mode=mode) for _ in range(2)
    )
    masks = env.reset(seed=1)[1]["action_mask"]
    twin.reset(seed=1)
    legal = masks.argmax(axis=1)
    wrong = legal.copy()
    wrong[[9, 30]] ^= 1
    one_line(lambda: env.step(wrong), "actions[9]", "is illegal: 'uk_1994_house' forces")
    assert same(env.step(legal), twin.step(legal))


def test_an_illegal_action_is_replaced_by_default() -> None:
    env = make(DEALER, 64, rules="uk_1994_house")
    legal = env.reset(seed=1)[1]["action_mask"].argmax(axis=1)
    final = env.step(1 - legal)[4]["final_info"]
    assert np.array_equal(final["action"], legal)
    assert final["action_replaced"].all()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"seed": -1}, ("seed -1", "a whole number from 0")),
        ({"seed": "1"}, ("seed '1'",)),
        ({"seed": 1.5}, ("seed 1.5",)),
        ({"seed": [1, 2]}, ("seed: 2 seeds", "so 4")),
        ({"seed": [1, 2, -3, 4]}, ("seed[2] -3",)),
        ({"options": 5}, ("options 5", "a mapping")),
        ({"options": {"mask": 1}}, ("unknown key 'mask'", "allowed: 'cards', 'reset_mask'")),
        ({"options": {"reset_mask": [True] * 4}}, ("options['reset_mask']", "a bool array of shape (4,)")),
        ({"options": {"reset_mask": np.ones(4)}}, ("float64 of shape (4,)",)),
        ({"options": {"reset_mask": np.ones(3, dtype=bool)}}, ("bool of shape (3,)",)),
        ({"options": {"reset_mask": np.zeros(4, dtype=bool)}}, ("at least one environment",)),
        ({"options": {"cards": ["A"] * 6}}, ("options['cards']", "for each of the 4 environments")),
        ({"options": {"cards": "A5KQ"}}, ("options['cards'] 'A5KQ'",)),
        ({"options": {"cards": [None, 5, None, None]}}, ("options['cards'][1] 5", "a list of cards")),
        ({"options": {"cards": [None, None, [5] * 8, None]}}, ("options['cards'][2]: 5 is no card",)),
    ],
)
def test_arguments_of_reset_that_are_not_possible_change_nothing(
    arguments: dict[str, Any], parts: tuple[str, ...]
) -> None:
    env, twin = make(PLAYER), make(PLAYER)
    env.reset(seed=1)
    twin.reset(seed=1)
    one_line(lambda: env.reset(**arguments), *parts)
    assert same(env.step(np.ones(4, dtype=int)), twin.step(np.ones(4, dtype=int)))


@pytest.mark.parametrize(
    ("cards", "parts"),
    [
        (["A"] * 5, ("cards[1] lists 5 cards", "6 to 8")),
        (["Z"] * 8, ("card 'Z'",)),
        (["7"] * 8, ("card '7' is not in the pack",)),
    ],
)
def test_wrong_cards_leave_the_environments_that_were_to_be_reset_without_a_hand(
    cards: list[str], parts: tuple[str, ...]
) -> None:
    env = make(PLAYER)
    env.reset(seed=1)
    mask = np.array([False, True, True, False])
    good = ["6", "6", "2", "A", "K", "K", "A", "A"]
    one_line(lambda: env.reset(options={"cards": [None, cards, good, None], "reset_mask": mask}), *parts)
    assert env.action_masks().any(axis=1).tolist() == (~mask).tolist()
    with pytest.raises(gymnasium.error.ResetNeeded, match="environment 1"):
        env.step(np.zeros(4, dtype=int))
    env.reset(options={"reset_mask": mask})
    assert env.step(np.zeros(4, dtype=int))[2].all()


def test_listed_cards_that_run_out() -> None:
    env = make(PLAYER, opponents={"banker": "always_draw"})
    env.reset(seed=1, options={"cards": [None, ["6", "6", "2", "A", "K", "K", "A"], None, None]})
    one_line(lambda: env.step(np.ones(4, dtype=int)), "cards[1] lists 7 cards and the hand needs more")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(4, dtype=int))
    env.reset()
    assert env.step(np.zeros(4, dtype=int))[2].all()


def test_render_says_what_draws() -> None:
    with pytest.raises(NotImplementedError, match=r"gymnasium.make\(..., render_mode=\"ansi\"\)"):
        make(PLAYER).render()


@pytest.mark.parametrize("env_id", ["Pan9/Player-v0", "Pan9/PlayerDealer-v0"])
def test_an_argument_that_does_not_exist_is_named(env_id: str) -> None:
    with pytest.raises(
        TypeError, match=r"VectorEnv: unknown argument 'num_player' \(did you mean 'num_players'\?\)"
    ):
        gymnasium.make_vec(env_id, num_envs=2, vectorization_mode="vector_entry_point", num_player=3)


def test_a_malformed_list_gives_up_the_waiting_hands() -> None:
    """With a continuing shoe the cards of a hand that was seen may not go back into it."""
    env = gymnasium.make_vec(
        "Pan9/Player-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        shoe_mode="continuing",
        observe="shoe",
    )
    env.reset(seed=1)
    before, *_ = env.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="card '7' is not in the pack"):
        env.reset(options={"cards": [None, ["7"] * 8]})
    after, *_ = env.reset()
    left = [(shares[:, 7:] * [144, 48, 48, 48, 48, 48, 48]).sum(axis=1).round() for shares in (before, after)]
    assert (left[0] - left[1] == 6).all()


def test_a_failed_first_reset_is_none() -> None:
    env = gymnasium.make_vec("Pan9/Player-v0", num_envs=2, vectorization_mode="vector_entry_point")
    with pytest.raises(ValueError, match="card '7' is not in the pack"):
        env.reset(options={"cards": [["7"] * 8, None]})
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first reset must be of all"):
        env.reset(options={"reset_mask": np.array([True, False])})
