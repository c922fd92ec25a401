"""One agent's view of the table is the scalar environment, and a learner learns there what it learns here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

from pan9_gym import TabularPolicy, evaluation, load_rules
from pan9_gym.envs import table_env
from pan9_gym.envs.one_agent import OneAgentEnv
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.policies.named import resolve
from pan9_gym.rules.terms import Role


@pytest.mark.parametrize(
    ("num_players", "agent"), [(1, "player_0"), (1, "banker_0"), (3, "player_1"), (3, "banker_0")]
)
def test_it_is_the_scalar_environment_hand_for_hand(num_players: int, agent: str) -> None:
    ours = OneAgentEnv(table_env.env(rules="bicycle_bonus", num_players=num_players), agent)
    fields: dict[str, Any] = {"rules": "bicycle_bonus", "num_players": num_players, "render_mode": "ansi"}
    theirs = PlayerDealerEnv(**fields) if agent == "banker_0" else PlayerEnv(seat=int(agent[-1]), **fields)
    for hand in range(200):
        seed = 5 if hand == 0 else None
        (obs, info), (other, other_info) = ours.reset(seed=seed), theirs.reset(seed=seed)
        assert np.array_equal(obs, other)
        assert np.array_equal(ours.action_masks(), other_info["action_mask"])
        assert info["info_state"] == other_info["info_state"]
        action = int(np.flatnonzero(info["action_mask"])[hand % int(info["action_mask"].sum())])
        one, two = ours.step(action), theirs.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        assert one[4]["totals"] == two[4]["totals"]


@pytest.mark.parametrize(("mode", "agent"), [("draw", "player_0"), ("full", "seat_2")])
def test_it_is_an_environment_by_gymnasiums_checker(mode: str, agent: str) -> None:
    table = table_env.env(mode=mode, rules="bicycle", illegal_action="replace", num_hands=3)
    others = dict.fromkeys([name for name in table.possible_agents if name != agent], "uniform")
    check_env(OneAgentEnv(table, agent, others), skip_render_check=True)


def learner(envs: list[Any], seed: int) -> PPO:
    return PPO(
        "MlpPolicy",
        DummyVecEnv([lambda env=env: env for env in envs]),
        seed=seed,
        n_steps=256,
        batch_size=256,
        n_epochs=6,
        learning_rate=5e-3,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [32]},
        device="cpu",
    )


def exact_gap(model: PPO) -> float:
    rules = load_rules("bicycle")
    encode = PlayerEnv(observe="total").encode

    def net(hand: Any, choices: Any) -> float:
        return float(model.predict(encode(hand, choices), deterministic=True)[0])

    policy = TabularPolicy.from_callable(rules, "player", net)
    return float(evaluation.report(rules, policy, "player", opponents={"banker": "logical_way"}).gap)


def test_ppo_learns_the_optimum_through_the_table() -> None:
    torch.set_num_threads(1)
    model = learner([OneAgentEnv(table_env.env(observe="total")) for _ in range(8)], seed=1)
    assert exact_gap(model) > 0.1
    model.learn(10_240)
    assert exact_gap(model) == 0


class DrawAtTable(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Seat 1's draw decisions at a whole table of two; it wagers 1, seat 0 banks the logical way.

    The observation is the total of its hand, one-hot, read from the table's.
    """

    def __init__(self) -> None:
        table = table_env.env(mode="full", num_seats=2, num_hands=1, forced="skip", wager_choices=[1])
        logical = resolve("logical_way", load_rules("bicycle"), Role.BANKER, 1, 0, False).array

        def banker(seen: Any, info: Any) -> int:
            if info["phase"] == "draw":
                return int(logical.item(info["info_state"]))
            return int(np.argmax(seen["action_mask"]))  # "accept", the lowest stake

        super().__init__(OneAgentEnv(table, "seat_1", {"seat_0": banker}))
        self.play = table.play
        self.counts = [entry.feature == "counts" for entry in table.play.layouts["seat_1"]]
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(0, 1, (10,), np.float32)

    def total(self, obs: Any) -> Any:
        return np.eye(10, dtype=np.float32)[int(obs[self.counts] @ np.arange(7)) % 10]

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        obs, info = self.env.reset(**arguments)
        while info["phase"] != "draw":
            nothing = self.play.actions.index("others: nothing")
            wagers = self.play.actions.index("wager: 1")
            obs, _, _, _, info = self.env.step(wagers if info["phase"] == "wager" else nothing)
        return self.total(obs), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        obs, *rest = self.env.step(action)
        return (self.total(obs), *rest)


def gap_at_table(model: PPO, env: DrawAtTable) -> float:
    def net(hand: Any, choices: Any) -> float:
        known = replace(env.play.glimpse("seat_1"), values=tuple(hand))
        return float(model.predict(env.total(env.play.encoder.encode(known)), deterministic=True)[0])

    rules = load_rules("bicycle")
    policy = TabularPolicy.from_callable(rules, "player", net)
    return float(evaluation.report(rules, policy, "player", opponents={"banker": "logical_way"}).gap)


def test_ppo_learns_the_optimum_of_the_draw_at_a_whole_table() -> None:
    torch.set_num_threads(1)
    envs = [DrawAtTable() for _ in range(8)]
    model = learner(envs, seed=1)
    envs[0].reset(seed=1)
    assert gap_at_table(model, envs[0]) > 0.1
    model.learn(8192)
    assert gap_at_table(model, envs[0]) == 0


def test_the_same_seed_gives_the_weights_of_the_scalar_environment() -> None:
    torch.set_num_threads(1)
    tables = [OneAgentEnv(table_env.env(observe="total")) for _ in range(8)]
    scalars = [PlayerEnv(observe="total", render_mode="ansi") for _ in range(8)]
    weights = []
    for envs in (tables, scalars):
        model = learner(envs, seed=2).learn(2048)
        weights.append([parameter.detach().clone() for parameter in model.policy.parameters()])
    assert all(torch.equal(one, two) for one, two in zip(*weights, strict=True))
