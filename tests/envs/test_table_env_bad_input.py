"""One clear error for each thing that is not possible; a refused action changes nothing."""

from __future__ import annotations

import copy
import re
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from pan9_gym import load_rules
from pan9_gym.envs import table_env
from pan9_gym.envs.one_agent import OneAgentEnv
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.game.shoe import Shoe

WRONG_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"mode": "whole"}, "mode 'whole' is not known; allowed: 'draw', 'full'"),
    ({"num_players": 0}, "num_players 0"),
    ({"num_players": 8}, "num_players 8"),
    ({"num_players": "two"}, "num_players 'two'"),
    ({"num_hands": 0}, "num_hands 0"),
    ({"forced": "yes"}, "forced 'yes' is not known"),
    ({"shoe_mode": "new"}, "shoe_mode 'new' is not known"),
    ({"observe": "all"}, "observe 'all' is not known"),
    ({"penetration": 0.5}, "need shoe_mode='continuing'"),
    ({"num_player": 2}, "argument 'num_player' is not known with mode='draw'"),
    ({"num_seats": 3}, "argument 'num_seats' is not known with mode='draw'"),
    ({"rules": "baccarat_punto_banco", "forced": "skip"}, "nobody ever has a choice"),
    ({"mode": "full", "num_players": 3}, "argument 'num_players' is not known with mode='full'"),
    ({"mode": "full", "num_seats": 1}, "occupied: 1 places are taken"),
    ({"mode": "full", "num_seats": 9}, "num_seats 9"),
    ({"mode": "full", "wager_choices": [11]}, "wager_choices 11: a whole number from 1 to 10"),
    ({"mode": "full", "wager_choices": [5, 1]}, "each sum may come once, the lowest first"),
    ({"mode": "full", "side_choices": []}, "side_choices []"),
    ({"mode": "full", "stake_choices": [0]}, "stake_choices 0"),
    ({"mode": "full", "table": 3}, "table 3: a mapping"),
    ({"mode": "full", "table": {"occupied": [0, 1]}}, "table: 'occupied' is given by the argument num_seats"),
    ({"mode": "full", "table": {"collections": {}}}, "collections"),
    ({"render_mode": "rgb_array"}, "render_mode 'rgb_array' is not known"),
    ({"illegal_action": "ignore"}, "illegal_action 'ignore' is not known"),
    ({"max_cycles": 0}, "max_cycles 0"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), WRONG_ARGUMENTS, ids=[row[1][:40] for row in WRONG_ARGUMENTS]
)
def test_an_argument_that_is_not_possible_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        pettingzoo.make("aec", "Pan9/Table-v0", **arguments)


def everything(env: TableEnv) -> Any:
    """All that could change."""
    seen = [env.observe(agent)["observation"].tolist() for agent in env.agents]
    masks = [env.observe(agent)["action_mask"].tolist() for agent in env.agents]
    random = env._rng.bit_generator.state if env._rng is not None else None
    return copy.deepcopy(
        (seen, masks, random, env.agent_selection, env.rewards, env._cumulative_rewards, env.infos)
    )


@pytest.mark.parametrize("action", [2, -1, 0.5, "draw", None, True, np.array([0, 1]), 10**9])
def test_an_action_that_is_none_is_refused_and_nothing_changes(action: Any) -> None:
    env = table_env.env(num_players=2, num_hands=3)
    env.reset(seed=1)
    for _ in range(4):
        env.step(1)
    before = everything(env)
    with pytest.raises(ValueError, match="must be a whole number from 0 to 1"):
        env.step(action)
    assert str(everything(env)) == str(before)


@pytest.mark.parametrize("mode", ["draw", "full"])
def test_an_action_that_is_masked_is_refused_and_nothing_changes(mode: str) -> None:
    env = table_env.env(mode=mode, rules="bicycle_bonus", num_hands=3)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    refused = 0
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        mask = env.observe(env.agent_selection)["action_mask"]
        for action in np.flatnonzero(mask == 0)[:3]:
            before = everything(env)
            with pytest.raises(
                ValueError, match=f"action {action} .* of '{env.agent_selection}': is not legal"
            ):
                env.step(int(action))
            assert str(everything(env)) == str(before)
            refused += 1
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert refused > 5


def test_after_the_end_an_agent_takes_none_alone() -> None:
    env = table_env.env()
    env.reset(seed=1)
    env.step(0)
    env.step(0)
    before = str((env.agents, env.agent_selection, env.rewards))
    with pytest.raises(ValueError, match="the episode has ended for 'player_0', whose only action is None"):
        env.step(1)
    assert str((env.agents, env.agent_selection, env.rewards)) == before
    env.step(None)
    env.step(None)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no agent is left"):
        env.step(None)


def test_nothing_works_before_the_first_reset() -> None:
    env = table_env.env(render_mode="ansi")
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.render):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()


def test_an_unknown_agent_is_named() -> None:
    env = table_env.env()
    for call in (env.observe, env.observation_space, env.action_space, env.observation_layout):
        with pytest.raises(
            ValueError, match="agent 'player_1' is not at this table; agents: player_0, banker_0"
        ):
            call("player_1")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ({}, {"cards": "A 5"}, "options['cards'] 'A 5': a list of cards"),
        ({}, {"cards": ["A"] * 7}, "options['cards'] lists 7 cards; a hand may take 8"),
        ({}, {"cards": ["9"] * 8}, "9"),
        (
            {"rules": "baccarat_chemin_de_fer"},
            {"cards": ["9", "A", "K", "A", "2", "2"]},
            "nobody has a decision",
        ),
        ({"mode": "full", "num_hands": 1}, {"cards": ["A"] * 31}, "lists 31 cards; num_hands=1 may take 32"),
        ({"mode": "full"}, {"dice": [(1, 1, 6)]}, "a list of 20 throws of 3 dice is needed"),
        ({"mode": "full", "num_hands": 1}, {"dice": [(1, 1, 7)]}, "a list of 1 throws of 3 dice is needed"),
        (
            {"mode": "full", "num_hands": 1},
            {"dice": [(True, 1, 1)]},
            "a list of 1 throws of 3 dice is needed",
        ),
        ({"mode": "full", "num_hands": 1}, {"dice": [(1, 1)]}, "a list of 1 throws of 3 dice is needed"),
        ({"mode": "full", "num_hands": 1}, {"cards": ["7"] * 40}, "card '7' is not in the pack of 'bicycle'"),
        ({"mode": "full", "num_hands": 1}, {"cards": ["x"] * 40}, "card 'x' is not known"),
        ({"mode": "full", "num_hands": 1}, {"cards": ["A 2"] * 40}, "card 'A 2' is not known"),
        (
            {"mode": "full", "num_hands": 1},
            {"cards": ["A"] * 200},
            "card 'A' is listed 200 times; the shoe has 48",
        ),
        (
            {"mode": "full", "num_hands": 1},
            {"cards": ["A"] * 19 + ["5h"] * 13},
            "card '5h' is listed 13 times; the shoe has 12",
        ),
        (
            {"mode": "full", "num_hands": 1},
            {"cards": ["A"] * 40 + ["Ah"] * 9},
            "card 'A' is listed 49 times; the shoe has 48",
        ),
        (
            {"mode": "full", "num_hands": 1, "table": {"faults": {"dead": 0.1}}},
            {"cards": ["A"] * 40},
            "not possible with faults",
        ),
    ],
)
def test_cards_and_dice_that_are_not_possible_are_refused(
    arguments: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    env = table_env.env(**arguments)
    with pytest.raises(ValueError, match=re.escape(message)):
        env.reset(options=options)
    assert env.agents == []
    env.reset()
    env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))


def test_cards_of_a_pack_without_end_may_come_any_number_of_times() -> None:
    env = table_env.env(mode="full", rules=load_rules("bicycle", num_decks="infinite"), num_hands=1)
    env.reset(options={"cards": ["Ah"] * 200})
    assert env.agents


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "full", "rules": "uk_1994_player", "num_hands": 6},
        {"mode": "full", "rules": "bicycle_bonus", "num_hands": 6, "forced": "skip"},
        {"mode": "full", "num_hands": 6, "max_cycles": 5, "table": {"faults": {"exposed": 0.1}}},
        {"mode": "draw", "num_hands": 20, "num_players": 3, "shoe_mode": "continuing"},
    ],
)
def test_an_error_within_a_step_leaves_the_episode_as_it_was(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shoe breaks at one card after the other; the session goes on as it would have without that."""
    in_full_mode = arguments["mode"] == "full"
    broken, whole = table_env.env(**arguments), table_env.env(**arguments)
    for env in (broken, whole):
        env.reset(seed=3)
    rng = np.random.default_rng(3)
    draw, failures = Shoe.draw, 0
    while not (any(whole.terminations.values()) or any(whole.truncations.values())):
        action = int(rng.choice(np.flatnonzero(whole.observe(whole.agent_selection)["action_mask"])))
        left = int(rng.integers(4))

        def breaks(shoe: Shoe) -> Any:
            nonlocal left
            left -= 1
            if left == -1:
                raise RuntimeError("the shoe breaks")
            return draw(shoe)

        before = everything(broken)
        monkeypatch.setattr(Shoe, "draw", breaks)
        try:
            broken.step(action)
        except RuntimeError:
            failures += 1
            monkeypatch.setattr(Shoe, "draw", draw)
            if in_full_mode:
                assert str(everything(broken)) == str(before)
            else:  # but for the cards that the shoe has dealt
                assert str(everything(broken)[3:]) == str(before[3:])
                assert str(everything(broken)[:2]) == str(before[:2])
                return
            broken.step(action)
        monkeypatch.setattr(Shoe, "draw", draw)
        whole.step(action)
        assert str(everything(broken)) == str(everything(whole))
    assert failures > 2


def test_one_agents_view_names_wrong_others() -> None:
    table = table_env.env(num_players=2)
    with pytest.raises(
        ValueError, match="others: 'player_0' is none of the others; allowed: player_1, banker_0"
    ):
        OneAgentEnv(table, "player_0", {"player_0": "uniform"})
    with pytest.raises(ValueError, match="policy 'wise' is not known"):
        OneAgentEnv(table, "player_0", {"player_1": "wise"})
    with pytest.raises(ValueError, match="a callable or 'uniform' is needed"):
        OneAgentEnv(table_env.env(mode="full"), "seat_0")


@pytest.mark.parametrize(
    "arguments",
    [
        {"rules": "uk_1994_house", "forced": "skip"},
        {"max_decisions": 1},
        {"num_players": 3, "max_decisions": 2},
    ],
)
def test_an_agent_that_is_never_due_is_told_so(arguments: dict[str, Any]) -> None:
    one = OneAgentEnv(table_env.env(**arguments), "banker_0")
    with pytest.raises(ValueError, match="agent 'banker_0': had no decision in 1000 episodes"):
        one.reset(seed=1)


def test_listed_cards_that_leave_the_agent_no_decision_are_refused() -> None:
    one = OneAgentEnv(table_env.env(rules="baccarat_chemin_de_fer", forced="skip"), "player_0")
    with pytest.raises(ValueError, match="'player_0' has no decision in what they list"):
        one.reset(seed=1, options={"cards": ["4", "A", "3", "2", "2", "2"]})


def test_listed_cards_without_suits_get_those_that_the_shoe_has() -> None:
    env = table_env.env(mode="full", num_seats=3, num_hands=1, rules="bicycle_bonus")
    env.reset(options={"cards": ["3", "K", "K", "K"] * 13})
    dealt = Counter(str(card) for card in env.play._cards)
    assert max(dealt.values()) <= 12
