"""SB3's wrappers, learners and evaluation on the adapter; masked, nothing illegal is played."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_maskable
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecCheckNan, VecFrameStack, VecMonitor, VecNormalize

from agents.vec_env import Pan9VecEnv
from tests.agents.adapters import IDS, NUM_ENVS, SHOE_IDS, adapted, assert_same_steps, counting_dummy
from tests.agents.counting_envs import CountingVectorEnv

torch.set_num_threads(1)

WRAPPERS = {
    "normalize": lambda env: VecNormalize(env, gamma=0.9),
    "frames": lambda env: VecFrameStack(env, 3),
    "nan": lambda env: VecCheckNan(env, raise_exception=True),
    "normalized frames": lambda env: VecNormalize(VecFrameStack(env, 2)),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_SB3s_wrappers_say_the_same_on_top(name: str) -> None:
    wrap = WRAPPERS[name]
    assert_same_steps(wrap(Pan9VecEnv(CountingVectorEnv(NUM_ENVS))), wrap(counting_dummy()))


def test_SB3s_monitor_says_the_same_on_top_and_warns_the_same(tmp_path: Path) -> None:
    files = [tmp_path / "ours", tmp_path / "theirs"]
    monitored = []
    for env, file in zip((Pan9VecEnv(CountingVectorEnv(NUM_ENVS)), counting_dummy()), files, strict=True):
        with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
            monitored.append(VecMonitor(env, str(file)))
    assert_same_steps(monitored[0], monitored[1])
    for env in monitored:
        env.close()
    returns = [
        [line.split(",")[:2] for line in file.with_suffix(".monitor.csv").read_text().splitlines()[2:]]
        for file in files
    ]
    assert returns[0] == returns[1]
    assert len(returns[0]) > 40


@pytest.mark.parametrize("env_id", IDS)
def test_masks_are_one_array_and_reach_MaskablePPO(env_id: str) -> None:
    ours = adapted(env_id, rules="hawaiian_gardens", illegal_action="error")
    ours.seed(1)
    ours.reset()
    assert is_masking_supported(ours)
    for _ in range(30):
        masks = get_action_masks(ours)
        assert masks.shape == (NUM_ENVS, 2)
        assert np.array_equal(masks, ours.action_masks())
        rows = ours.env_method("action_masks", indices=[3, 1])
        assert np.array_equal(rows, masks[[3, 1]])
        ours.step(np.argmax(masks, axis=1))
    assert VecNormalize(ours).action_masks().shape == (NUM_ENVS, 2)
    assert not is_masking_supported(Pan9VecEnv(CountingVectorEnv(2)))


@pytest.mark.parametrize("env_id", IDS + SHOE_IDS)
def test_MaskablePPO_plays_nothing_illegal(env_id: str) -> None:
    ours = adapted(env_id, 16, rules="hawaiian_gardens", illegal_action="error")
    model = MaskablePPO("MlpPolicy", ours, n_steps=32, batch_size=512, n_epochs=1, seed=1, device="cpu")
    model.learn(1024)  # an illegal action would raise
    assert model.num_timesteps == 1024
    returns, _ = evaluate_maskable(model, ours, n_eval_episodes=64, return_episode_rewards=True)
    assert len(returns) == 64


@pytest.mark.parametrize(
    ("algorithm", "arguments"),
    [
        (PPO, {"n_steps": 16, "batch_size": 80, "n_epochs": 1}),
        (A2C, {"n_steps": 16}),
        (DQN, {"learning_starts": 64, "batch_size": 64, "buffer_size": 1000}),
    ],
)
@pytest.mark.parametrize("is_counting", [False, True])
def test_SB3s_learners_and_evaluation_take_it(
    algorithm: type, arguments: dict[str, Any], is_counting: bool, tmp_path: Path
) -> None:
    def bare() -> Pan9VecEnv:
        return Pan9VecEnv(CountingVectorEnv(NUM_ENVS)) if is_counting else adapted()

    def made() -> VecNormalize:
        return VecNormalize(bare())

    model = algorithm("MlpPolicy", made(), seed=1, device="cpu", **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn(320, callback=EvalCallback(made(), n_eval_episodes=10, eval_freq=16, verbose=0))
        returns, lengths = evaluate_policy(model, made(), n_eval_episodes=20, return_episode_rewards=True)
    assert len(returns) == 20
    assert set(lengths) == ({2, 3, 4, 5, 6} if is_counting else {1})
    assert len(model.ep_info_buffer) == 100 or is_counting
    model.save(tmp_path / "model")
    model.get_env().save(str(tmp_path / "normalize"))
    normalized = VecNormalize.load(str(tmp_path / "normalize"), bare())
    assert algorithm.load(tmp_path / "model", env=normalized, device="cpu").num_timesteps >= 320
