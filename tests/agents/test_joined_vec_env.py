"""Environments joined side by side say what each says alone, padded and marked, and one net learns them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize

from agents.episode_infos import RUNNING
from agents.illegal_moves import CountingVecEnv
from agents.joined_vec_env import JoinedVecEnv, part_seeds
from agents.vec_env import Pan9VecEnv
from pan9_gym.envs.setup import dealer_setup
from pan9_gym.envs.sheets import each_sheet
from tests.agents.adapters import IDS, SHOE_IDS, adapted, batch, comparable
from tests.agents.counting_envs import CountingVectorEnv

torch.set_num_threads(1)

SHEETS = (
    ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player"),
    ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_player"),
)
OBSERVE = ("total", "rules", "choices")
NUM = (3, 4)
ROWS = (slice(0, 3), slice(3, 7))
WIDTHS = (62, 63)


def parts(num: tuple[int, int] = NUM, **arguments: Any) -> list[Pan9VecEnv]:
    each = zip(IDS, num, SHEETS, strict=True)
    return [adapted(name, n, rules=list(rules), observe=OBSERVE, **arguments) for name, n, rules in each]


def joined(num: tuple[int, int] = NUM, **arguments: Any) -> JoinedVecEnv:
    return JoinedVecEnv(parts(num, **arguments))


def counting_parts() -> list[Pan9VecEnv]:
    return [Pan9VecEnv(CountingVectorEnv(n)) for n in NUM]


def assert_same(both: JoinedVecEnv, alone: list[Pan9VecEnv], steps: int) -> None:
    """The joined environments go on as the parts do alone; these are started already."""
    rng = np.random.default_rng(1)
    for _ in range(steps):
        actions = rng.integers(0, 2, both.num_envs)
        obs, rewards, dones, infos = both.step(actions)
        assert (obs.dtype, rewards.dtype, dones.dtype) == (np.float32, np.float32, np.bool_)
        assert len(infos) == both.num_envs
        for number, (part, rows) in enumerate(zip(alone, ROWS, strict=True)):
            own = part.step(actions[rows])
            assert np.array_equal(obs[rows], both.encode_part(number, own[0]))
            assert np.array_equal(rewards[rows], own[1])
            assert np.array_equal(dones[rows], own[2])
            expected = [dict(info) for info in own[3]]
            for info in expected:
                if info:
                    last = both.encode_part(number, info["terminal_observation"][np.newaxis])
                    info["terminal_observation"] = last[0]
            assert comparable(infos[rows]) == comparable(expected)


def test_each_row_is_what_its_part_says_alone() -> None:
    both, alone = joined(), parts()
    both.seed(7)
    obs = both.reset()
    for number, (part, seed, rows) in enumerate(zip(alone, part_seeds(7, 2), ROWS, strict=True)):
        part.seed(seed)
        assert np.array_equal(obs[rows], both.encode_part(number, part.reset()))
    assert_same(both, alone, 50)


def test_episodes_of_many_steps_end_as_those_of_the_parts() -> None:
    both, alone = JoinedVecEnv(counting_parts()), counting_parts()
    both.reset()
    for part in alone:
        part.reset()
    assert_same(both, alone, 40)


def test_rows_are_padded_with_zeros_and_have_a_one_hot_of_the_part() -> None:
    both = joined()
    both.seed(1)
    obs = both.reset()
    assert obs.shape == (7, 63 + 2)
    for rows, width, marks in zip(ROWS, WIDTHS, ([1, 0], [0, 1]), strict=True):
        assert (obs[rows, width:63] == 0).all()
        assert (obs[rows, 63:] == marks).all()
        assert (obs[rows, :10].sum(axis=1) == 1).all()  # the total
    for _ in range(20):
        assert both.observation_space.contains(obs[0])
        assert both.observation_space.contains(obs[-1])
        obs = both.step(np.ones(7, dtype=np.int64))[0]
    space = both.observation_space
    assert isinstance(space, spaces.Box)
    assert (space.low[63:] == 0).all()
    assert (space.high[62:] == 1).all()  # whether the player drew, and the part
    alone = JoinedVecEnv(parts()[:1]).observation_space
    assert isinstance(alone, spaces.Box)
    assert alone.shape == (63,)
    assert (alone.low[62], alone.high[62]) == (0, 1)


def test_every_information_state_is_encoded_as_environments_show_it() -> None:
    both = joined((1, 600))
    both.seed(1)
    obs = both.reset()[1:]
    states = both.parts[1].reset_infos
    setups = each_sheet(dealer_setup, SHEETS[1], observe=OBSERVE)
    tables = [both.encode_part(1, setup.encoder.encode_all()) for setup in setups]
    assert tables[0].shape == (168, 65)
    assert {info["rules"] for info in states} == {0, 1, 2, 3}
    for row, info in zip(obs, states, strict=True):
        assert np.array_equal(row, tables[info["rules"]][info["info_state"]])


def test_masks_are_those_of_the_parts_and_reach_MaskablePPO() -> None:
    both = joined(illegal_action="error")
    both.seed(2)
    both.reset()
    assert is_masking_supported(both)
    for _ in range(30):
        masks = get_action_masks(both)
        assert masks.shape == (7, 2)
        assert masks.dtype == np.int8
        assert np.array_equal(masks, both.action_masks())
        for part, rows in zip(both.parts, ROWS, strict=True):
            assert np.array_equal(masks[rows], part.action_masks())
        assert np.array_equal(both.env_method("action_masks", indices=[5, 0]), masks[[5, 0]])
        both.step(np.argmax(masks, axis=1))
    assert VecNormalize(both).action_masks().shape == (7, 2)
    assert not is_masking_supported(JoinedVecEnv(counting_parts()))


def test_illegal_moves_are_counted_by_the_parts() -> None:
    shared = {"rules": "bicycle_bonus", "observe": "total", "copy": False}
    counting = [CountingVecEnv(batch(name, 64, **shared)) for name in IDS]
    both = JoinedVecEnv(counting)
    both.reset()
    illegal = both.action_masks()[:, 1] == 0
    both.step(np.ones(128, dtype=np.int64))
    assert [part.illegal_moves for part in counting] == [illegal[:64].sum(), illegal[64:].sum()]
    assert illegal.any()


def test_infos_are_made_when_read_and_stay_the_same() -> None:
    made = counting_parts()
    both = JoinedVecEnv(made)
    both.reset()
    first, second = (both.step(np.zeros(7, dtype=np.int64))[3] for _ in range(2))
    both.step(np.zeros(7, dtype=np.int64))  # what was handed out says the same later
    assert all(info is RUNNING for info in first)
    assert [bool(info) for info in second] == [True, False, False, True, False, False, False]
    assert second[0]["terminal_observation"].tolist() == [0, 2, 1, 0]
    assert second[3]["terminal_observation"].tolist() == [0, 2, 0, 1]
    assert second[0]["episode"]["l"] == 2
    assert second[3] is second[3] is second[3:5][0] is list(second)[3]
    second[3]["mine"] = 1
    second[1] = {"other": 2}
    assert second[3]["mine"] == 1
    assert second[1] == {"other": 2}
    for other in (copy.deepcopy(second), pickle.loads(pickle.dumps(second))):
        assert repr(other) == repr(second)


def test_what_was_handed_out_is_never_overwritten() -> None:
    both = joined()
    both.seed(1)
    kept: list[Any] = [both.reset()]
    for actions in np.random.default_rng(1).integers(0, 2, (10, 7)):
        kept += both.step(actions)[:3]
    copies = [array.copy() for array in kept]
    for actions in np.random.default_rng(2).integers(0, 2, (5, 7)):
        both.step(actions)
    assert all(np.array_equal(one, two) for one, two in zip(kept, copies, strict=True))
    assert not np.array_equal(kept[0], kept[1])


def observed(both: JoinedVecEnv, steps: int = 5) -> list[Any]:
    seen = [both.reset()]
    for actions in np.random.default_rng(3).integers(0, 2, (steps, both.num_envs)):
        seen += both.step(actions)[:2]
    return seen


def test_a_seed_gives_the_same_hands_again_and_is_used_once() -> None:
    one, two = joined(), joined()
    assert one.seed(5) == [5] * 7
    two.seed(5)
    seen, again = observed(one), observed(two)
    assert all(np.array_equal(x, y) for x, y in zip(seen, again, strict=True))
    assert not all(np.array_equal(x, y) for x, y in zip(seen, observed(one), strict=True))
    one.seed(6)
    assert not all(np.array_equal(x, y) for x, y in zip(seen, observed(one), strict=True))
    np.random.seed(3)  # noqa: NPY002  # what SB3's set_random_seed does
    drawn = one.seed()
    seen = observed(one)
    two.seed(drawn[0])
    assert all(np.array_equal(x, y) for x, y in zip(seen, observed(two), strict=True))


def test_parts_and_neighbouring_seeds_share_no_hands() -> None:
    seeds = [seed for run in range(20) for seed in part_seeds(run, 3)]
    assert len(set(seeds)) == 60
    alike = JoinedVecEnv([adapted(IDS[0], 64, observe="hand") for _ in range(2)])
    alike.seed(1)
    obs = alike.reset()
    assert not np.array_equal(obs[:64, :-2], obs[64:, :-2])


def test_options_go_to_the_environments_they_are_for() -> None:
    both = joined()
    chosen = [{"rules": name} for name in ("bicycle", "bicycle_bonus", "uk_1994_house")]
    both.set_options([*chosen, *({"rules": number} for number in (3, 2, 1, 0))])
    both.reset()
    assert [info["rules"] for info in both.reset_infos] == [0, 1, 3, 3, 2, 1, 0]
    both.set_options({"rules": "hawaiian_gardens"})
    both.reset()
    assert [info["rules"] for info in both.reset_infos] == [2] * 7
    both.set_options([{}] * 8)
    with pytest.raises(ValueError, match="options: 8 dicts for 7 environments"):
        both.reset()


def test_attributes_and_methods_are_those_of_the_parts() -> None:
    both = joined()
    assert both.render_mode is None
    assert both.has_attr("game")
    assert not both.has_attr("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        both.get_attr("nothing")
    assert both.get_attr("seat") == [0] * 3 + [1] * 4
    assert both.get_attr("seat", indices=[6, 0, 3]) == [1, 0, 1]
    both.set_attr("label", "x")
    assert both.get_attr("label", 6) == ["x"]
    both.set_attr("label", "y", indices=range(3, 7))
    both.set_attr("only", "z", indices=[2, 1, 0])
    assert both.get_attr("label") == ["x"] * 3 + ["y"] * 4
    assert both.get_attr("only", indices=2) == ["z"]
    assert not both.has_attr("only")
    both.env_method("set_opponents", {"banker": "always_draw"}, indices=range(3))
    layouts = both.env_method("observation_layout")
    assert len(set(layouts[:3])) == len(set(layouts[3:])) == 1
    assert layouts[0] != layouts[3]
    assert both.env_is_wrapped(Monitor) == [True] * 7
    assert both.env_is_wrapped(gymnasium.wrappers.ClipAction, indices=[1]) == [False]
    both.close()


def test_a_copied_or_pickled_one_goes_on_as_the_first() -> None:
    both = joined()
    both.seed(1)
    both.reset()
    others = [copy.deepcopy(both), pickle.loads(pickle.dumps(both))]
    for actions in np.random.default_rng(1).integers(0, 2, (5, 7)):
        obs = both.step(actions)[0]
        assert all(np.array_equal(other.step(actions)[0], obs) for other in others)


def test_MaskablePPO_plays_nothing_illegal_and_learns() -> None:
    both = joined((512, 512), illegal_action="error")
    setups = each_sheet(dealer_setup, SHEETS[1], observe=OBSERVE)
    obs = both.encode_part(1, setups[0].encoder.encode_all())
    totals = np.array(setups[0].game.states[1].column_totals * 2)
    shared: dict[str, Any] = {"n_steps": 8, "batch_size": 2048, "n_epochs": 4, "learning_rate": 5e-3}
    model = MaskablePPO("MlpPolicy", both, **shared, gamma=1.0, gae_lambda=1.0, seed=1, device="cpu")

    def is_right() -> list[bool]:
        actions, _ = model.predict(obs, deterministic=True, action_masks=np.ones((168, 2), dtype=np.int8))
        few, many = (totals >= 1) & (totals <= 4), totals >= 8
        return [bool((actions[few] == 1).all()), bool((actions[many] == 0).all())]

    assert is_right() != [True, True]
    model.learn(65_536)  # an illegal action would raise
    assert len(model.ep_info_buffer or ()) == 100
    assert is_right() == [True, True]


def test_SB3s_learners_take_episodes_of_many_steps() -> None:
    both = JoinedVecEnv(counting_parts())
    model = PPO("MlpPolicy", both, n_steps=10, batch_size=70, n_epochs=1, seed=1, device="cpu")
    model.learn(700)
    assert model.num_timesteps == 700
    assert {info["l"] for info in model.ep_info_buffer or ()} == {2, 3, 4, 5}


def test_what_cannot_be_joined_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="parts: none is given; at least one"):
        JoinedVecEnv([])
    with pytest.raises(ValueError, match=r"part 1 has the actions Discrete.*part 0 has Discrete\(2\)"):
        JoinedVecEnv([adapted(IDS[0]), adapted(SHOE_IDS[0], wager_choices=[1, 2, 3])])
    with pytest.raises(ValueError, match="part 1 stands there twice: each must be an environment of its own"):
        JoinedVecEnv([adapted()] * 2)
    pictures = Pan9VecEnv(CountingVectorEnv(2))
    pictures.observation_space = spaces.Box(0, 1, (2, 2), dtype=np.float32)
    with pytest.raises(ValueError, match=r"part 0 observes Box.*a flat box of float32 is needed"):
        JoinedVecEnv([pictures])


def test_what_cannot_be_asked_is_refused_in_words() -> None:
    both = joined()
    for wrong in (
        lambda: both.set_attr("label", "x", indices=[0]),
        lambda: both.set_attr("label", "x", indices=[0, 1, 2, 3]),
        lambda: both.env_method("set_opponents", None, indices=6),
    ):
        with pytest.raises(ValueError, match=r"indices .*all environments of a part together; None or those"):
            wrong()
    for index in (-1, 7):
        with pytest.raises(ValueError, match=rf"indices \[{index}\]: must be None or out of 0 to 6"):
            both.get_attr("seat", indices=[index])
    with pytest.raises(ValueError, match="seed"):
        both.seed(-1)
    with pytest.raises(ValueError, match="part 2: must be 0 to 1"):
        both.encode_part(2, np.zeros((1, 62)))
    for shape in ((1, 63), (62,)):
        with pytest.raises(ValueError, match=r"observations of shape .*: part 0 needs \(N, 62\)"):
            both.encode_part(0, np.zeros(shape))
    both.reset()
    with pytest.raises(ValueError, match=r"actions of shape \(6,\): \(7,\) is needed"):
        both.step(np.zeros(6, dtype=np.int64))
