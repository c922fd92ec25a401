"""Scalar environments that play many hands get them from the compiled engine: the same game, much faster."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from math import sqrt
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import load_rules, solver
from pan9_gym.envs.hand_blocks import BLOCK_HANDS, HandBlocks
from pan9_gym.envs.hand_env import MANY_HANDS
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.game.batch_tables import KIND_SHIFT
from tests.envs.vectors import HAND_IDS
from tests.game.hands import SHEETS

every_id = pytest.mark.parametrize("env_id", HAND_IDS)


def warm(env: Any, seed: int = 1) -> Any:
    """The environment just before the engine takes over."""
    env.reset(seed=seed)
    for _ in range(MANY_HANDS - 1):
        env.reset()
    assert env._blocks is None
    return env


def made(env_id: str, **arguments: Any) -> Any:
    return gymnasium.make(env_id, **arguments).unwrapped


def run(env: Any, hands: int) -> list[tuple[Any, ...]]:
    found = []
    for number in range(hands):
        obs, info = env.reset()
        last, reward, *_, final = env.step(number % 2)
        found.append((obs.tolist(), info["action_mask"].tolist(), last.tolist(), reward, final["totals"]))
    return found


def cards_of(blocks: HandBlocks, env: Any) -> list[str]:
    """The cards of the latest hand, in the order of the deal."""
    row = blocks._batch._cards[blocks._place]
    pack = [f"{rank}{suit}" for rank in env.game.rules.point_values for suit in "cdhs"]
    return [pack[int(code) >> KIND_SHIFT] for code in row[: env.game.max_cards]]


@pytest.mark.parametrize("sheet", [*SHEETS, "baccarat_chemin_de_fer"])
@pytest.mark.parametrize("dealer", [False, True])
def test_a_hand_of_a_block_is_the_hand_of_its_cards(sheet: str, dealer: bool) -> None:
    env = (PlayerDealerEnv if dealer else PlayerEnv)(sheet, num_players=1)
    readable = (PlayerDealerEnv if dealer else PlayerEnv)(sheet, num_players=1)
    warm(env)
    for number in range(60):
        obs, info = env.reset()
        blocks = env._blocks
        assert blocks is not None
        wanted, wanted_info = readable.reset(options={"cards": cards_of(blocks, env)})
        assert np.array_equal(obs, wanted)
        results, wanted_results = env.step(number % 2), readable.step(number % 2)
        assert np.array_equal(results[0], wanted_results[0])
        assert results[1:4] == wanted_results[1:4]
        for mine, theirs in ((info, wanted_info), (results[4], wanted_results[4])):
            assert mine.keys() == theirs.keys()
            assert all(np.array_equal(mine[key], theirs[key]) for key in mine)


@every_id
def test_the_mean_is_the_exact_one(env_id: str) -> None:
    """Significance 1e-4, fixed seed; a deviation of 0.03 shows with a power above 0.99."""
    env, rewards = warm(made(env_id, rules="hawaiian_gardens"), seed=3), []
    for _ in range(40_000):
        env.reset()
        rewards.append(env.step(1)[1])
    role = "player" if env_id == HAND_IDS[0] else "banker"
    always = {role: "always_draw"}
    rules = load_rules("hawaiian_gardens")
    exact = solver.evaluate(rules, always.get("player", "logical_way"), always.get("banker", "logical_way"))
    wanted = float(exact.ev if role == "player" else -exact.ev)
    assert abs(np.mean(rewards) - wanted) < 3.9 * exact.standard_deviation / sqrt(len(rewards))


@every_id
def test_a_seed_decides_the_blocks_too(env_id: str) -> None:
    one, other = warm(made(env_id)), warm(made(env_id))
    hands = run(one, BLOCK_HANDS + 50)
    assert hands == run(other, BLOCK_HANDS + 50)
    assert hands != run(warm(made(env_id), seed=2), BLOCK_HANDS + 50)
    assert len({str(hand) for hand in hands[:200]} & {str(hand) for hand in hands[BLOCK_HANDS:]}) < 50
    again = warm(one)
    assert run(again, 20) == hands[:20]


def test_copies_and_pickles_go_on_alike() -> None:
    env = warm(made(HAND_IDS[0]))
    run(env, 5)
    env.reset()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    assert all(other.step(1)[1] == env.step(1)[1] for other in others[:1])
    env = others[1]
    env.step(1)
    assert run(env, 30) == run(others[0], 30)


def test_new_opponents_play_from_the_next_hand_on() -> None:
    env = warm(made(HAND_IDS[1]))
    run(env, 3)
    env.reset()
    env.set_opponents({"players": "always_stand"})
    env.step(0)
    for _ in range(50):
        _, info = env.reset()
        assert info["info_state"] < 84  # the pattern: stood
        env.step(0)


def test_listed_cards_between_the_blocks() -> None:
    env = warm(made(HAND_IDS[0]))
    run(env, 3)
    env.reset()  # is given up
    listed = ["4", "5", "K", "J", "Q", "J", "3", "2"]
    _, info = env.reset(options={"cards": listed})
    assert info["info_state"] == PlayerEnv().reset(options={"cards": listed})[1]["info_state"]
    assert env.step(0)[4]["totals"] == (4, 8)
    assert len(run(env, 3)) == 3


@pytest.mark.parametrize("listed", [["A"] * 8, ["A"] * 500])
def test_new_opponents_before_a_listed_hand_play_after_it_too(listed: list[str]) -> None:
    env = warm(made(HAND_IDS[1]))
    run(env, 3)
    env.set_opponents({"players": "always_draw"})
    try:
        env.reset(options={"cards": listed})
    except ValueError:
        assert len(listed) == 500
    for _ in range(MANY_HANDS + 200):
        assert env.reset()[1]["info_state"] >= 84  # the pattern: drew
        env.step(0)
    assert env._blocks is not None


def test_opponents_that_change_with_every_hand_make_no_blocks() -> None:
    env = warm(made(HAND_IDS[1]))
    run(env, 3)
    for number in range(20):
        env.set_opponents({"players": ["always_draw", "always_stand"][number % 2]})
        env.reset()
        assert env._blocks is None


def test_wrong_actions_in_a_block() -> None:
    env = warm(made(HAND_IDS[0], rules="bicycle_bonus", illegal_action="error"))
    while (state := env.reset())[1]["action_mask"].tolist() != [0, 1]:
        pass
    with pytest.raises(ValueError, match=r"action STAND is illegal: 'bicycle_bonus' forces DRAW on [0-4]"):
        env.step(0)
    with pytest.raises(ValueError, match="action 2: must be 0"):
        env.step(2)
    assert env.action_masks().tolist() == state[1]["action_mask"].tolist()
    env.step(1)
    assert env.action_masks().tolist() == [0, 0]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)


def test_an_environment_that_plays_little_loads_no_numba() -> None:
    code = f"""
import sys, gymnasium, pan9_gym
env = gymnasium.make("Pan9/Player-v0")
env.reset(seed=1)
for _ in range({MANY_HANDS - 1}):
    env.reset()
assert "numba" not in sys.modules
env.reset()
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "arguments",
    [{"shoe_mode": "continuing"}, {"render_mode": "ansi"}, {"rules": ["bicycle", "hawaiian_gardens"]}],
)
def test_who_never_gets_blocks(arguments: dict[str, Any]) -> None:
    env = made(HAND_IDS[0], **arguments)
    env.reset(seed=1)
    for _ in range(MANY_HANDS + 5):
        env.reset()
    assert env._blocks is None
