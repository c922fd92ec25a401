"""The vector environments by themselves: making, seeds, copies, modes and wrappers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from pan9_gym.envs.registration import ENTRY_POINTS, VECTOR_ENTRY_POINTS
from pan9_gym.envs.vector import HandVectorEnv
from pan9_gym.envs.vector_roles import PlayerVectorEnv
from pan9_gym.rules import load_rules, sheet_names
from tests.envs.vectors import HAND_IDS

PLAYER, DEALER = HAND_IDS
every_id = pytest.mark.parametrize("env_id", HAND_IDS)
every_sheet = pytest.mark.parametrize("sheet", sheet_names())
every_mode = pytest.mark.parametrize("mode", AutoresetMode)
both_copies = pytest.mark.parametrize("copies", [True, False])

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "player": (PLAYER, {}),
    "mixing opponents": (DEALER, {"num_players": 2, "opponents": {"players": "uniform"}}),
    "last of seven seats": (PLAYER, {"num_players": 7, "seat": 6, "observe": "total"}),
    "a continuing shoe": (DEALER, {"shoe_mode": "continuing", "penetration": 0.5, "start_cards": (232, 432)}),
    "a shoe observed": (PLAYER, {"shoe_mode": "continuing", "penetration": 0.03, "observe": "shoe"}),
    "a Dragon stake": (PLAYER, {"rules": "bicycle_bonus", "side_stakes": {"dragon": "1/20"}}),
    "skipped hands": (DEALER, {"rules": "baccarat_chemin_de_fer", "forced": "skip"}),
}
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def make(env_id: str, num_envs: int = 4, **arguments: Any) -> HandVectorEnv:
    env = gymnasium.make_vec(
        env_id, num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments
    ).unwrapped
    assert isinstance(env, HandVectorEnv)
    return env


def rollout(env: HandVectorEnv, steps: int, seed: int | None, wide: int | None = None) -> list[Any]:
    """Everything that steps and partial resets show; actions and masks repeat every `wide` environments."""
    number = env.num_envs
    mask = np.resize(np.arange(wide or number) % 3 == 0, number)
    disabled = env.autoreset_mode is AutoresetMode.DISABLED
    seen: list[Any] = [copy.deepcopy(env.reset(seed=seed))]
    for step in range(steps):
        actions = np.resize(np.arange(wide or number) + step, number) % 2
        seen.append(copy.deepcopy(env.step(actions)))
        if disabled or step % 3 == 2:
            chosen = np.ones(number, dtype=bool) if disabled else mask
            seen.append(copy.deepcopy(env.reset(options={"reset_mask": chosen})))
    return seen


def first(data: Any, number: int) -> Any:
    """The first rows of every array."""
    if isinstance(data, np.ndarray):
        return data[:number]
    if isinstance(data, dict):
        return {key: first(value, number) for key, value in data.items()}
    return type(data)(first(value, number) for value in data)


def test_every_id_has_a_vector_environment() -> None:
    assert {*VECTOR_ENTRY_POINTS} == {*ENTRY_POINTS}
    for env_id, entry_point in VECTOR_ENTRY_POINTS.items():
        assert gymnasium.spec(env_id).vector_entry_point == entry_point


@every_id
@every_sheet
def test_make_vec_with_every_sheet(env_id: str, sheet: str) -> None:
    env = make(env_id, 16, rules=sheet)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.spec is not None
    obs, infos = env.reset(seed=1)
    for _ in range(5):
        assert env.observation_space.contains(obs)
        assert infos["action_mask"].any(axis=1).all()
        assert np.array_equal(infos["action_mask"], env.action_masks())
        actions = infos["action_mask"].argmax(axis=1)
        obs, rewards, terminated, truncated, infos = env.step(actions)
        assert (rewards.dtype, rewards.shape) == (np.float64, (16,))
        assert terminated.all()
        assert not truncated.any()
        assert np.array_equal(infos["final_info"]["action"], actions)
        assert not infos["final_info"]["action_replaced"].any()
        assert not infos["final_info"]["action_mask"].any()
        assert env.observation_space.contains(infos["final_obs"])
    env.close()
    assert env.closed


def test_make_vec_takes_the_vector_environment_by_default_and_again_from_its_spec() -> None:
    env = gymnasium.make_vec(PLAYER, num_envs=3, rules="hawaiian_gardens", num_players=2, seat=1)
    again = gymnasium.make_vec(env.spec)
    assert isinstance(again, PlayerVectorEnv)
    assert (again.num_envs, again.game) == (3, env.unwrapped.game)
    assert same(rollout(env.unwrapped, 3, 1), rollout(again, 3, 1))


@every_mode
@every_variant
def test_hands_do_not_depend_on_how_many_environments_there_are(variant: str, mode: AutoresetMode) -> None:
    env_id, arguments = VARIANTS[variant]
    small, large = (make(env_id, number, autoreset_mode=mode, **arguments) for number in (8, 64))
    assert same(rollout(small, 7, 5, wide=8), first(rollout(large, 7, 5, wide=8), 8))


@every_variant
def test_the_seed_decides_everything(variant: str) -> None:
    env_id, arguments = VARIANTS[variant]
    one, other = (make(env_id, 32, **arguments) for _ in range(2))
    played = rollout(one, 5, 7)
    assert same(played, rollout(other, 5, 7))
    assert same(played, rollout(one, 5, 7))
    assert not same(played, rollout(one, 5, 8))
    assert not same(rollout(one, 5, None), rollout(one, 5, None))


def test_without_a_seed_the_first_reset_takes_fresh_entropy() -> None:
    one, other = (make(PLAYER, 64).reset()[1]["info_state"] for _ in range(2))
    assert not np.array_equal(one, other)


def test_environments_of_a_batch_differ() -> None:
    _, infos = make(PLAYER, 1000).reset(seed=1)
    assert len(np.unique(infos["info_state"])) > 70


@every_variant
def test_a_list_of_seeds_is_one_environment_each(variant: str) -> None:
    env_id, arguments = VARIANTS[variant]
    env, single = make(env_id, 3, **arguments), make(env_id, 1, **arguments)
    env.reset(seed=1)
    goes_on = make(env_id, 3, **arguments)
    goes_on.reset(seed=1)
    wanted = goes_on.reset()[1]["info_state"][1]
    infos = env.reset(seed=[5, None, np.int64(6)])[1]
    assert infos["info_state"].tolist() == [
        single.reset(seed=5)[1]["info_state"][0],
        wanted,
        single.reset(seed=6)[1]["info_state"][0],
    ]


def test_a_mask_limits_the_seeds_to_its_environments() -> None:
    for seed in (9, [9, 9, 9, 9]):
        env, untouched = make(PLAYER), make(PLAYER)
        before, _ = env.reset(seed=1)
        untouched.reset(seed=1)
        obs, infos = env.reset(seed=seed, options={"reset_mask": np.array([True, False, True, False])})
        assert np.array_equal(obs[1::2], before[1::2])
        assert infos["_info_state"].tolist() == [True, False, True, False]
        assert infos["info_state"][1::2].tolist() == [0, 0]
        actions = np.zeros(4, dtype=np.int64)
        for mine, wanted in zip(env.step(actions)[:2], untouched.step(actions)[:2], strict=True):
            assert np.array_equal(mine[1::2], wanted[1::2])


def arrays_in(data: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(data, np.ndarray):
        return [data]
    values = data.values() if isinstance(data, dict) else data
    return [array for value in values for array in arrays_in(value)]


@every_mode
def test_outputs_are_copies(mode: AutoresetMode) -> None:
    """They stay as they are, and what a caller writes into them changes nothing."""
    env, twin = (make(DEALER, 8, autoreset_mode=mode, num_players=2) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    actions = np.arange(8) % 2
    masks = env.action_masks()
    kept, wanted = env.step(actions), twin.step(actions)
    for array in arrays_in(kept):
        array[...] = True
    masks[...] = 0
    env.reset()
    twin.reset()
    assert all((array == 1).all() for array in arrays_in(kept))
    assert not same(kept, wanted)
    assert same(env.step(actions), twin.step(actions))


@every_mode
def test_the_in_place_mode_hands_out_the_same_arrays(mode: AutoresetMode) -> None:
    env, wanted = (make(PLAYER, 8, autoreset_mode=mode, copy=flag) for flag in (False, True))
    assert same(rollout(env, 6, 3), rollout(wanted, 6, 3))
    actions = np.zeros(8, dtype=np.int64)
    firsts = env.reset()[0], *env.step(actions)[:4]
    for array, again in zip(firsts, (env.reset()[0], *env.step(actions)[:4]), strict=True):
        assert array is again


def test_next_step_takes_two_steps_a_hand_and_ignores_the_second_action() -> None:
    env = make(PLAYER, autoreset_mode="NEXT_STEP")
    env.reset(seed=1)
    decided, _, terminated, _, infos = env.step(np.ones(4, dtype=int))
    assert terminated.all()
    assert infos["_totals"].all()
    assert not infos["action_mask"].any()
    obs, rewards, terminated, _, infos = env.step(np.full(4, 77))
    assert not np.array_equal(obs, decided)
    assert not np.any([rewards, terminated])
    assert "totals" not in infos
    assert infos["action_mask"].any(axis=1).all()


def test_disabled_waits_for_a_reset() -> None:
    env = make(PLAYER, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    env.step(np.zeros(4, dtype=int))
    env.reset(options={"reset_mask": np.array([True, True, False, True])})
    with pytest.raises(gymnasium.error.ResetNeeded, match="step: environment 2 has no hand that waits"):
        env.step(np.zeros(4, dtype=int))
    env.reset(options={"reset_mask": np.array([False, False, True, False])})
    assert env.step(np.zeros(4, dtype=int))[2].all()


@every_mode
def test_a_step_before_the_first_reset_and_a_partial_first_reset(mode: AutoresetMode) -> None:
    env = make(PLAYER, autoreset_mode=mode)
    with pytest.raises(gymnasium.error.ResetNeeded, match="environment 0 has no hand that waits"):
        env.step(np.zeros(4, dtype=int))
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first reset must be of all"):
        env.reset(options={"reset_mask": np.array([True, False, True, True])})
    assert not env.action_masks().any()


@both_copies
@every_variant
def test_a_copied_and_a_pickled_environment_go_on_as_the_original(variant: str, copies: bool) -> None:
    env_id, arguments = VARIANTS[variant]
    env = make(env_id, 8, copy=copies, **arguments)
    rollout(env, 2, 4)
    others = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    played = rollout(env, 5, None)
    for other in others:
        assert same(played, rollout(other, 5, None))


def test_opponents_change_from_the_next_hand_on() -> None:
    """Against a banker who always draws the banker's total moves; the first step's hands are the old ones."""
    env, always, never = (
        make(PLAYER, 256, opponents={"banker": name})
        for name in ("always_stand", "always_draw", "always_stand")
    )
    for each in (env, always, never):
        each.reset(seed=1)
    env.set_opponents({"banker": "always_draw"})
    with pytest.raises(ValueError, match=r"policy 'best' is not known"):
        env.set_opponents({"banker": "best"})
    actions = np.zeros(256, dtype=int)
    for unlike, like in ((always, never), (never, always)):
        totals = [each.step(actions)[4]["final_info"]["totals"][:, 1] for each in (env, unlike, like)]
        assert not np.array_equal(totals[0], totals[1])
        assert np.array_equal(totals[0], totals[2])


def test_encode_and_the_layout_are_those_of_the_observations() -> None:
    env = make(DEALER, 64)
    obs, infos = env.reset(seed=1)
    states = env.game.states[env.seat]
    for row, number in zip(obs, infos["info_state"], strict=True):
        pattern, column = divmod(int(number), states.shape[1])
        assert np.array_equal(row, env.encode(states.hands[column], states.patterns[pattern]))
    assert env.observation_layout() == env.encoder.layout_table()


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_gymnasiums_episode_statistics(mode: str) -> None:
    env = RecordEpisodeStatistics(make(PLAYER, 8, autoreset_mode=mode))
    env.reset(seed=1)
    _, rewards, *_, infos = env.step(np.zeros(8, dtype=int))
    assert np.array_equal(infos["episode"]["r"], rewards)
    assert infos["episode"]["l"].tolist() == [1] * 8


def test_the_environment_leaves_rules_with_many_seats_to_their_sheets() -> None:
    rules = load_rules("bicycle", num_decks="infinite")
    env = make(PLAYER, 8, rules=rules, num_players=7, seat=3, wagers=[1, 2, 3, "1/2", 5, 6, 7])
    env.reset(seed=1)
    rewards = env.step(np.zeros(8, dtype=int))[1]
    assert {*rewards.tolist()} <= {-0.5, 0.0, 0.5}
