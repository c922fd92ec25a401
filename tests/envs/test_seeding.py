"""Seeds: fresh entropy without one, the same hands from the same one, other hands from another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pan9_gym
from tests.envs.vectors import HAND_IDS

every_id = pytest.mark.parametrize("env_id", HAND_IDS)

PROGRAM = """
import sys, gymnasium, pan9_gym
shown = []
for env_id in ("Pan9/Player-v0", "Pan9/PlayerDealer-v0"):
    env = gymnasium.make(env_id, num_players=2, opponents={"players": "uniform"}, shoe_mode=sys.argv[1])
    for number in range(50):
        _, info = env.reset(seed=11 if number == 0 else None)
        shown.append((info["info_state"], env.step(number % 2)[1]))
print(shown)
"""


def make(env_id: str, **arguments: Any) -> gymnasium.Env[Any, Any]:
    assert pan9_gym.__name__ == "pan9_gym"  # the import registers the ids
    return gymnasium.make(env_id, **arguments)


def states(env: gymnasium.Env[Any, Any], seed: int | None, hands: int = 12) -> tuple[int, ...]:
    """The information states of some hands from a seed; 84 and more are possible each time."""
    shown = []
    for number in range(hands):
        shown.append(env.reset(seed=seed if number == 0 else None)[1]["info_state"])
        env.step(0)
    return tuple(shown)


@every_id
def test_without_a_seed_every_environment_has_fresh_entropy(env_id: str) -> None:
    """Ten unseeded runs of 12 hands; two equal ones have a probability below 1e-10."""
    runs = {states(make(env_id), None) for _ in range(10)}
    assert len(runs) == 10


@every_id
def test_without_a_seed_a_later_reset_goes_on_with_the_stream(env_id: str) -> None:
    env = make(env_id)
    runs = [states(env, None) for _ in range(10)]
    assert len({*runs}) == 10


@every_id
def test_the_same_seed_gives_the_same_hands(env_id: str) -> None:
    env = make(env_id)
    wanted = states(env, 5)
    assert states(env, 5) == wanted  # in the middle of a stream
    assert states(make(env_id), 5) == wanted


@every_id
def test_a_seed_restarts_a_continuing_shoe_too(env_id: str) -> None:
    env = make(env_id, shoe_mode="continuing")
    wanted = states(env, 5, hands=80)
    assert states(env, 5, hands=80) == wanted
    env.reset(seed=5)  # a hand that is given up
    assert states(env, 5, hands=80) == wanted


@every_id
def test_hands_given_up_before_the_choice_are_dealt_all_the_same(env_id: str) -> None:
    """Resetting twice uses up a hand of the stream: the second hand is not the first one again."""
    env = make(env_id)
    first = [env.reset(seed=5 if number == 0 else None)[1]["info_state"] for number in range(12)]
    assert len({*first}) > 6


@every_id
def test_different_seeds_give_disjoint_runs(env_id: str) -> None:
    env = make(env_id)
    runs = [states(env, seed) for seed in range(200)]
    assert len({*runs}) == 200
    windows = [run[start : start + 6] for run in runs for start in range(7)]
    assert len({*windows}) == len(windows)  # no run is another one shifted


@every_id
def test_neighbouring_seeds_are_not_correlated(env_id: str) -> None:
    """First hands of seeds 0-1999 against those of 1-2000: |r| < 3.89 / sqrt(2000), significance 1e-4."""
    env = make(env_id)
    first = [env.reset(seed=seed)[1]["info_state"] for seed in range(2001)]
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 3.89 / 2000**0.5


@every_id
def test_the_seed_is_reported(env_id: str) -> None:
    env = make(env_id)
    env.reset(seed=17)
    assert env.unwrapped.np_random_seed == 17


@pytest.mark.parametrize("shoe_mode", ["fresh", "continuing"])
def test_two_processes_play_the_same_hands(shoe_mode: str, tmp_path: Path) -> None:
    """With different hash seeds, so that no set or dictionary order decides anything."""
    shown = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM, shoe_mode],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert shown[0] == shown[1]
    assert shown[0].count("(") == 100
