"""The vector environments whose episode is a shoe, as anybody's: checked in every mode, reset in part."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from pan9_gym import load_rules
from pan9_gym.envs.vector_checker import Reference, check_vector_env

SAME, NEXT, OFF = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED
PLAYER, DEALER = "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"
ONE_PACK = load_rules("bicycle", num_decks=1)
SHORT: dict[str, Any] = {"start_cards": (8, 40)}

every_mode = pytest.mark.parametrize("mode", AutoresetMode)
every_id = pytest.mark.parametrize("env_id", [PLAYER, DEALER])


def maker(env_id: str, mode: AutoresetMode = SAME, num_envs: int = 3, **arguments: Any) -> Callable[[], Any]:
    return lambda: gymnasium.make_vec(
        env_id,
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        **arguments,
    )


def legal(env: Any, number: int) -> npt.NDArray[np.int64]:
    """The lowest legal action in even steps, the highest in odd ones; 0 where a shoe is over."""
    masks = env.unwrapped.action_masks()
    lowest = masks.argmax(axis=1)
    highest = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return np.where(masks.any(axis=1), highest if number % 2 else lowest, 0)


def rollout(env: Any, steps: int, first: int = 0) -> list[Any]:
    return [copy.deepcopy(env.step(legal(env, number))) for number in range(first, first + steps)]


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "one pack": (PLAYER, {"rules": ONE_PACK}),
    "a bank with a collection": (DEALER, {"rules": ONE_PACK, "fee": "1/7"}),
    "stakes, forced moves skipped": (
        PLAYER,
        {"rules": "bicycle_bonus", "side_stakes": {"dragon": "1/20"}, "forced": "skip", **SHORT},
    ),
    "naturals": (DEALER, {"rules": "baccarat_chemin_de_fer", "start_cards": (6, 40)}),
    "mixing opponents": (
        PLAYER,
        {
            "num_players": 3,
            "seat": 1,
            "opponents": {"players": "uniform", "banker": "uniform"},
            "start_cards": (16, 60),
        },
    ),
}


@every_mode
@pytest.mark.parametrize("case", CASES)
def test_the_environments_are_honest(case: str, mode: AutoresetMode) -> None:
    env_id, arguments = CASES[case]
    make = maker(env_id, mode, **arguments)
    summary = check_vector_env(make, num_steps=30, copies=True, observed_masks=True)
    wrong_mode = {
        SAME: {"actions of reset steps", "reset_mask"},
        NEXT: {"reset_mask"},
        OFF: {"actions of reset steps"},
    }
    assert {*summary.skipped} - {"one episode after another"} == wrong_mode[mode] | {"reference"}


@every_mode
@every_id
def test_the_in_place_mode_is_honest_and_must_be_told(env_id: str, mode: AutoresetMode) -> None:
    make = maker(env_id, mode, copy=False, **SHORT)
    check_vector_env(make, num_steps=30, in_place=True, copies=True, observed_masks=True)
    with pytest.raises(AssertionError, match=r"to stay after later calls \(or in_place=True\)"):
        check_vector_env(make, num_steps=30)


def test_the_in_place_mode_says_the_same() -> None:
    ours, theirs = (maker(PLAYER, copy=kept, **SHORT)() for kept in (True, False))
    assert same(ours.reset(seed=2), theirs.reset(seed=2))
    for number in range(60):
        results = ours.step(legal(ours, number)), theirs.step(legal(theirs, number))
        assert same(*results)
    assert results[1][0] is theirs.step(legal(theirs, 0))[0]


def stacked(number: int, seed: int, num_envs: int) -> tuple[dict[str, Any], Sequence[dict[str, Any]]]:
    """The same shoes for the vector and the scalar environments."""
    rng = np.random.default_rng([seed, number])
    pack = [f"{rank}{suit}" for rank in ONE_PACK.point_values for suit in "cdhs"]
    shoes = [[str(card) for card in rng.permutation(pack)[: rng.integers(8, 37)]] for _ in range(num_envs)]
    return {"options": {"cards": shoes}}, [{"options": {"cards": shoe}} for shoe in shoes]


@every_mode
@pytest.mark.parametrize(
    ("env_id", "arguments"),
    [(PLAYER, {"fee": "2/3"}), (DEALER, {"fee": "1/7", "wagers": ["5/3"]})],
    ids=str,
)
def test_they_follow_the_scalar_ones_on_listed_shoes(
    env_id: str, arguments: dict[str, Any], mode: AutoresetMode
) -> None:
    arguments = {"rules": ONE_PACK, **arguments}
    reference = Reference(lambda: gymnasium.make(env_id, **arguments), stacked, goes_on=False)
    make = maker(env_id, mode, **arguments)
    assert "reference" in check_vector_env(make, num_steps=50, reference=reference).passed


@every_id
def test_a_shoe_that_is_shuffled_after_a_listed_one_is_whole(env_id: str) -> None:
    env = maker(env_id, num_envs=2, rules=ONE_PACK)()
    env.reset(seed=1, options={"cards": [[*"KQJKQJKQ"], None]})
    env.reset()
    for number in range(200):
        assert env.observation_space.contains(env.step(legal(env, number))[0])


def test_masks_of_final_infos_are_not_written_by_a_later_reset() -> None:
    env = maker(PLAYER, start_cards=(8, 8))()
    env.reset(seed=1)
    for number in (0, 2):
        infos = env.step(legal(env, number))[4]
    env.reset(seed=1)
    assert infos["_final_obs"].all()
    assert infos["_final_info"].all()


@every_id
def test_a_list_of_seeds_starts_each_environment_as_the_first_of_its_seed(env_id: str) -> None:
    env, single = maker(env_id, **SHORT)(), maker(env_id, num_envs=1, **SHORT)()
    env.reset(seed=[4, 9, 4])
    ours = rollout(env, 40)
    for place, seed in enumerate((4, 9, 4)):
        single.reset(seed=seed)
        for mine, theirs in zip(ours, rollout(single, 40), strict=True):
            for array, other in zip(mine[:4], theirs[:4], strict=True):
                assert np.array_equal(array[place], other[0])
    assert not np.array_equal(ours[0][0][0], ours[0][0][1])


@every_id
def test_a_none_in_a_list_of_seeds_goes_on(env_id: str) -> None:
    one, two = maker(env_id, **SHORT)(), maker(env_id, **SHORT)()
    for env in (one, two):
        env.reset(seed=3)
        rollout(env, 7)
    reset = one.reset(seed=[None, 8, None])[0], two.reset()[0]
    assert np.array_equal(reset[0][[0, 2]], reset[1][[0, 2]])
    assert not np.array_equal(reset[0][1], reset[1][1])


@every_mode
@every_id
def test_a_partial_reset_leaves_the_others_and_their_shoes(env_id: str, mode: AutoresetMode) -> None:
    one, two = (maker(env_id, mode, num_envs=4)() for _ in range(2))
    mask = np.array([False, True, True, False])
    for env in (one, two):
        env.reset(seed=3)
        rollout(env, 7)  # a draw decision is due
    before = one.step(legal(one, 7))[0]
    two.step(legal(two, 7))
    obs, infos = one.reset(options={"reset_mask": mask})
    assert np.array_equal(obs[~mask], before[~mask])
    assert (obs[mask, -8:-1] == 1).all() if env_id == DEALER else (obs[mask, -7:] == 1).all()
    assert all(infos[key].tolist() == mask.tolist() for key in infos if key.startswith("_"))
    for number in range(8, 20):
        actions = legal(one, number)
        ours, theirs = one.step(actions), two.step(actions)
        for array, other in zip(ours[:4], theirs[:4], strict=True):
            assert np.array_equal(array[~mask], other[~mask])
    assert not np.array_equal(ours[0][mask], theirs[0][mask])


def test_a_partial_reset_with_a_list_deals_it() -> None:
    env = maker(PLAYER, num_envs=3)()
    env.reset(seed=5)
    env.step(np.full(3, 2))
    mask = np.array([True, False, False])
    shoe = [*"6AAKK2", "K", "K", "2"]  # 6, A, K against A, K, 2
    obs, infos = env.reset(options={"reset_mask": mask, "cards": [shoe, ["never", "read"], None]})
    assert obs[:, 0].tolist() == [0, 1, 1]
    assert infos["amount"].tolist() == [0, 0, 0]
    obs, *_ = env.step(np.array([4, 0, 0]))
    assert obs[0, :9].tolist() == [1, np.float32(3) / np.float32(10), 1, 1, 0, 0, 0, 0, 1]


def test_opponents_change_when_the_next_shoe_starts() -> None:
    env = maker(PLAYER, OFF, num_envs=1)()
    hand = ["A", "K", "K", "K", "K", "K"]

    def wins(number: int) -> list[float]:
        found = []
        for _ in range(number):
            env.step([2])
            found.append(float(env.step([0])[1][0]))
        return found

    env.reset(seed=1, options={"cards": [[*hand, "6", *hand, "6", "2"]]})
    assert wins(1) == [-1]
    env.unwrapped.set_opponents({"banker": "always_stand"})
    assert wins(1) == [-1]
    env.reset(options={"cards": [[*hand, *hand, "2", "3"]]})
    assert wins(2) == [1, 1]
    with pytest.raises(ValueError, match="unknown key 'dealer'"):
        env.unwrapped.set_opponents({"dealer": "always_draw"})


@every_id
def test_outputs_have_the_types_and_shapes_of_the_description(env_id: str) -> None:
    env = maker(env_id, num_envs=4, num_players=2, start_cards=(12, 40))()
    obs, infos = env.reset(seed=1)
    actions = env.single_action_space.n
    assert (obs.dtype, obs.shape) == (np.float32, (4, *env.single_observation_space.shape))
    wanted = {
        "info_state": (np.int64, (4,)),
        "action_mask": (np.int8, (4, actions)),
        "amount": (np.int64, (4,)),
        "action": (np.int64, (4,)),
        "action_replaced": (np.bool_, (4,)),
        "totals": (np.int8, (4, 3)),
    }
    assert {*infos} == {name for key in ("info_state", "action_mask", "amount") for name in (key, f"_{key}")}
    ends = 0
    for number in range(60):
        obs, rewards, terminated, truncated, infos = env.step(legal(env, number))
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        final = infos.pop("final_info", {})
        ends += bool(final)
        for given in (infos, final):
            for key in wanted.keys() & given.keys():
                assert (given[key].dtype, given[key].shape) == wanted[key]
                assert not given[key][~given[f"_{key}"]].any()
    assert ends


def test_gymnasiums_statistics_count_the_steps_and_rewards_of_shoes() -> None:
    env = RecordEpisodeStatistics(maker(PLAYER, start_cards=(8, 8))())
    env.reset(seed=1)
    env.step(np.full(3, 11))
    _, rewards, terminated, _, infos = env.step(np.zeros(3, dtype=np.int64))
    assert terminated.all()
    assert infos["episode"]["l"].tolist() == [2, 2, 2]
    assert np.array_equal(infos["episode"]["r"], rewards)
    assert set(np.abs(rewards)) <= {0.0, 10.0}
