"""The adapter gives SB3 what `DummyVecEnv` over monitored environments gives, without their work."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from agents.episode_infos import RUNNING
from agents.vec_env import Pan9VecEnv
from tests.agents.adapters import (
    IDS,
    NUM_ENVS,
    SHOE_IDS,
    actions_of,
    adapted,
    assert_same_steps,
    batch,
    comparable,
    counting_dummy,
)
from tests.agents.counting_envs import CountingVectorEnv, gymnasiums_own

RANKS = "A23456789TJQK"


@pytest.mark.parametrize("make", [CountingVectorEnv, gymnasiums_own])
def test_episodes_of_many_steps_are_those_of_monitored_environments(
    make: Callable[[int], VectorEnv[Any, Any, Any]],
) -> None:
    assert_same_steps(Pan9VecEnv(make(NUM_ENVS)), counting_dummy())


def playable(env_id: str, wanted: int) -> list[list[str]]:
    """Lists of cards that reach the agent's decision."""
    env, rng = gymnasium.make(env_id), np.random.default_rng(1)
    found: list[list[str]] = []
    while len(found) < wanted:
        cards = [RANKS[i] for i in rng.integers(0, len(RANKS), 8)]
        try:
            env.reset(options={"cards": cards})
        except ValueError:
            continue
        found.append(cards)
    return found


@pytest.mark.parametrize("env_id", IDS)
def test_on_the_same_cards_it_says_what_the_readable_environments_say(env_id: str) -> None:
    dummy = DummyVecEnv([lambda: Monitor(gymnasium.make(env_id))] * NUM_ENVS)
    ours = adapted(env_id)
    listed = iter(playable(env_id, 20 * NUM_ENVS))
    for actions in actions_of(3, 20):
        hands = [next(listed) for _ in range(NUM_ENVS)]
        for env in (ours, dummy):
            env.set_options([{"cards": cards} for cards in hands])
        assert np.array_equal(ours.reset(), dummy.reset())
        for one, two in zip(ours.reset_infos, dummy.reset_infos, strict=True):
            assert set(one) == set(two)
            assert all(np.array_equal(one[key], two[key]) for key in one)
        (_, rewards, dones, infos), other = ours.step(actions), dummy.step(actions)
        assert rewards.dtype == other[1].dtype
        assert np.array_equal(rewards, other[1])
        assert dones.all()
        assert comparable(infos) == comparable(other[3])


@pytest.mark.parametrize("env_id", IDS)
def test_on_the_same_seed_it_says_what_the_vector_environment_says(env_id: str) -> None:
    envs, ours = batch(env_id), adapted(env_id)
    ours.seed(7)
    assert np.array_equal(ours.reset(), envs.reset(seed=7)[0])
    for actions in actions_of(2, 50):
        obs, rewards, terminated, _, infos = envs.step(actions)
        got = ours.step(actions)
        assert np.array_equal(got[0], obs)
        assert np.array_equal(got[1], rewards.astype(np.float32))
        assert np.array_equal(got[2], terminated)
        lasts = [info["terminal_observation"] for info in got[3]]
        assert np.array_equal(lasts, infos["final_obs"])
        assert [info["episode"]["r"] for info in got[3]] == rewards.tolist()


@pytest.mark.parametrize("env_id", SHOE_IDS)
def test_whole_shoes_are_those_of_the_vector_environment(env_id: str) -> None:
    envs, ours = batch(env_id), adapted(env_id)
    ours.seed(7)
    assert np.array_equal(ours.reset(), envs.reset(seed=7)[0])
    returns, lengths, num_ended = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, dtype=int), 0
    for _ in range(300):
        actions = np.argmax(get_action_masks(ours), axis=1)  # the first legal one
        obs, rewards, terminated, truncated, infos = envs.step(actions)
        got = ours.step(actions)
        returns, lengths = returns + rewards, lengths + 1
        assert np.array_equal(got[0], obs)
        assert np.array_equal(got[1], rewards.astype(np.float32))
        assert np.array_equal(got[2], terminated | truncated)
        for i, info in enumerate(got[3]):
            assert bool(info) == got[2][i]
            if info:
                assert np.array_equal(info["terminal_observation"], infos["final_obs"][i])
                assert info["TimeLimit.truncated"] == (truncated[i] and not terminated[i])
                assert info["episode"]["r"] == pytest.approx(returns[i], abs=1e-6)
                assert info["episode"]["l"] == lengths[i]
                assert lengths[i] > 10
        returns[got[2]], lengths[got[2]] = 0, 0
        num_ended += got[2].sum()
    assert num_ended > NUM_ENVS


@pytest.mark.parametrize("make", [adapted, lambda: Pan9VecEnv(CountingVectorEnv(NUM_ENVS))])
def test_what_was_handed_out_is_never_overwritten(make: Callable[[], Pan9VecEnv]) -> None:
    ours = make()
    ours.seed(1)
    kept: list[Any] = [ours.reset()]
    copies: list[Any] = [kept[0].copy()]
    unread = []
    for actions in actions_of(1, 12):
        step = ours.step(actions)
        kept += step[:3]
        copies += [array.copy() for array in step[:3]]
        unread.append(step[3])
    assert all(np.array_equal(one, two) for one, two in zip(kept, copies, strict=True))
    again = make()
    again.seed(1)
    again.reset()
    read_at_once = [comparable(again.step(actions)[3]) for actions in actions_of(1, 12)]
    assert [comparable(infos) for infos in unread] == read_at_once


def test_the_learner_may_write_into_rewards_and_infos() -> None:
    ours = Pan9VecEnv(CountingVectorEnv(NUM_ENVS))
    ours.reset()
    for actions in actions_of(1, 6):
        _, rewards, _, infos = ours.step(actions)
        rewards += 100
        for i in range(NUM_ENVS):
            if "episode" in infos[i]:
                assert infos[i]["episode"]["r"] < 5
                infos[i]["mine"] = i
                assert infos[i]["mine"] == i
                infos[i] = {"other": i}
                assert list(infos)[i] == {"other": i}


def test_environments_whose_episode_goes_on_share_one_empty_info() -> None:
    ours = Pan9VecEnv(CountingVectorEnv(NUM_ENVS))
    ours.reset()
    first, second = (ours.step([0] * NUM_ENVS)[3] for _ in range(2))
    assert all(info is RUNNING for info in first)
    assert "episode" in second[0]
    assert all(info is RUNNING for info in second[1:])
    assert RUNNING == {}
    for write in (lambda: RUNNING.update(a=1), lambda: RUNNING.setdefault("a", 1)):
        with pytest.raises(TypeError, match="share this empty info"):
            write()
    with pytest.raises(TypeError, match="share this empty info"):
        second[1]["a"] = 1
    assert pickle.loads(pickle.dumps(second))[1] == {}
    assert len(copy.deepcopy(second)) == NUM_ENVS
    assert repr(first) == repr([{}] * NUM_ENVS)


def test_statistics_have_python_numbers_and_times_that_grow() -> None:
    ours = adapted()
    ours.reset()
    times = []
    for actions in actions_of(1, 3):
        for info in ours.step(actions)[3]:
            assert {key: type(value) for key, value in info["episode"].items()} == {
                "r": float,
                "l": int,
                "t": float,
            }
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["l"] == 1
        times.append(info["episode"]["t"])
    assert times == sorted(times)


def test_a_reset_starts_the_statistics_anew() -> None:
    ours = Pan9VecEnv(CountingVectorEnv(NUM_ENVS))
    ours.reset()
    ours.step([1] * NUM_ENVS)
    ours.reset()
    ours.step([0] * NUM_ENVS)
    assert ours.step([0] * NUM_ENVS)[3][0]["episode"] | {"t": 0} == {"r": 0.666667, "l": 2, "t": 0}


def test_rewards_are_scaled_and_returns_are_not() -> None:
    ours = Pan9VecEnv(CountingVectorEnv(1), reward_scale=0.25)
    ours.reset()
    rewards = [ours.step([1])[1][0] for _ in range(1)]
    _, reward, _, infos = ours.step([1])
    assert rewards[0] == reward[0] == np.float32((1 / 3 + 0.1) / 4)
    assert infos[0]["episode"]["r"] == round(2 * (1 / 3 + 0.1), 6)


def test_environment_i_has_the_same_hands_however_many_there_are() -> None:
    few, many = adapted(num_envs=2), adapted(num_envs=9)
    for env in (few, many):
        assert env.seed(5) == [5] * env.num_envs
    assert np.array_equal(few.reset(), many.reset()[:2])
    assert np.array_equal(few.step([1] * 2)[0], many.step([1] * 9)[0][:2])


def test_a_seed_is_used_once_and_none_takes_numpys() -> None:
    ours = adapted(num_envs=64)
    ours.seed(5)
    first, second = ours.reset(), ours.reset()
    assert not np.array_equal(first, second)
    np.random.seed(3)  # noqa: NPY002  # what SB3's set_random_seed does
    drawn = ours.seed()
    first = ours.reset()
    ours.seed(drawn[0])
    assert np.array_equal(ours.reset(), first)


def test_a_copied_or_pickled_adapter_goes_on_as_the_first() -> None:
    ours = adapted()
    ours.seed(1)
    ours.reset()
    others = [copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))]
    for actions in actions_of(1, 5):
        obs = ours.step(actions)[0]
        assert all(np.array_equal(other.step(actions)[0], obs) for other in others)


def test_attributes_and_methods_are_the_vector_environments() -> None:
    ours = adapted()
    assert ours.render_mode is None
    assert ours.spec is not None
    assert ours.spec.id == IDS[0]
    assert ours.has_attr("game")
    assert not ours.has_attr("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        ours.get_attr("nothing")
    assert ours.get_attr("seat") == [0] * NUM_ENVS
    assert ours.get_attr("seat", indices=[0, 2]) == [0, 0]
    assert ours.get_attr("seat", indices=1) == [0]
    ours.set_attr("label", "x")
    assert ours.get_attr("label", 0) == ["x"]
    ours.env_method("set_opponents", {"banker": "always_draw"})
    assert len(ours.env_method("observation_layout")) == NUM_ENVS
    assert ours.env_is_wrapped(Monitor) == [True] * NUM_ENVS
    assert ours.env_is_wrapped(gymnasium.wrappers.ClipAction, indices=[1]) == [False]
    ours.close()


def test_what_cannot_be_is_refused_in_words() -> None:
    ours = adapted()
    for wrong in (
        lambda: ours.set_attr("label", "x", indices=[0]),
        lambda: ours.env_method("set_opponents", None, indices=0),
    ):
        with pytest.raises(ValueError, match=r"indices .*of all environments together; None is needed"):
            wrong()
    with pytest.raises(ValueError, match=r"indices \[5\]: must be None or out of 0 to 4"):
        ours.get_attr("seat", indices=[5])
    with pytest.raises(ValueError, match="seed"):
        ours.seed(-1)
    with pytest.raises(ValueError, match="reward_scale 0: must be a number greater than 0"):
        Pan9VecEnv(batch(), reward_scale=0)
    with pytest.raises(ValueError, match=r"CountingVectorEnv .*NEXT_STEP.*SAME_STEP is needed"):
        Pan9VecEnv(CountingVectorEnv(2, AutoresetMode.NEXT_STEP))
    with pytest.raises(ValueError, match=r"envs .*a vector environment .*is needed"):
        Pan9VecEnv(gymnasium.make(IDS[0]))
    ours.set_options({"card": ["A"]})
    with pytest.raises(ValueError, match="card"):
        ours.reset()
