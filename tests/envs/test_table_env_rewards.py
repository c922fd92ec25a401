"""Who gets which reward at which call; money is that of the round and of the table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym.envs import table_env
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.rules import sheet_names

PAN9 = [sheet for sheet in sheet_names() if not sheet.startswith("baccarat")]
CARDS = ["2", "6", "4", "3", "K", "Q", "K", "J", "2", "3", "A", "5"]


def calls(env: TableEnv, moves: list[int]) -> list[tuple[Any, ...]]:
    """Every call: the agent, `last()`'s reward and ending, and the action that followed."""
    found, left = [], iter(moves)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else next(left)
        found.append((agent, reward, terminated, truncated, action))
        env.step(action)
    assert next(left, None) is None
    return found


def test_the_worked_hand_gives_every_call_the_documented_reward() -> None:
    env = table_env.env(num_players=2, wagers=[3, 1])
    env.reset(options={"cards": CARDS})
    assert calls(env, [1, 0, 1]) == [
        ("player_0", 0.0, False, False, 1),
        ("player_1", 0.0, False, False, 0),
        ("banker_0", 0.0, False, False, 1),
        ("player_0", 3.0, True, False, None),
        ("player_1", -1.0, True, False, None),
        ("banker_0", -2.0, True, False, None),
    ]
    assert env.agents == []


def test_between_hands_a_reward_comes_with_the_agents_next_decision() -> None:
    env = table_env.env(num_players=2, wagers=[3, 1], num_hands=2)
    env.reset(seed=1, options={"cards": CARDS})
    found = calls(env, [1, 0, 1, 0, 0, 0])
    assert [call[:2] for call in found[:6]] == [
        ("player_0", 0.0),
        ("player_1", 0.0),
        ("banker_0", 0.0),
        ("player_0", 3.0),  # of the first hand, with the decision in the second
        ("player_1", -1.0),
        ("banker_0", -2.0),
    ]
    assert sum(call[1] for call in found[6:]) == 0  # the second hand's alone
    assert [call[2] for call in found] == [False] * 6 + [True] * 3


def test_at_a_whole_table_all_get_the_flows_when_the_hand_is_settled() -> None:
    env = table_env.env(
        mode="full",
        num_seats=3,
        num_hands=1,
        table={"collection": {"banker": 1, "player": "1/2"}},
    )
    env.reset(options={"cards": CARDS, "dice": [(1, 1, 6)]})
    answers = ["bank: accept", "stake: 40", "wager: 5", "wager: 1", "others: nothing", "others: nothing"]
    answers += ["draw: draw", "draw: stand", "draw: draw"]
    found = calls(env, [env.play.actions.index(answer) for answer in answers])
    assert [call[0] for call in found] == [
        *("seat_0", "seat_0", "seat_1", "seat_2", "seat_1", "seat_2", "seat_1", "seat_2", "seat_0"),
        *("seat_0", "seat_1", "seat_2"),
    ]
    assert [call[1] for call in found] == [0.0] * 9 + [-5.0, 4.5, -1.5]  # -4 - 1, 5 - 1/2, -1 - 1/2
    assert [call[3] for call in found] == [False] * 9 + [True] * 3


def played_at_random(env: TableEnv, seed: int) -> dict[str, float]:
    """What each agent's calls brought it in one episode."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    won = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        won[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    return won


@pytest.mark.parametrize("sheet", PAN9)
def test_rewards_of_a_session_are_the_tables_accounts(sheet: str) -> None:
    env = table_env.env(mode="full", rules=sheet, num_hands=25, table={"collection": {"player": 1}})
    won = played_at_random(env, 3)
    accounts = env.play.table.accounts
    room = accounts.pop("room")
    assert room > 0
    assert sum(map(Fraction, accounts.values())) == -room
    names = {"house": "house_0"}
    assert won == pytest.approx({names.get(name, name): float(total) for name, total in accounts.items()})


@pytest.mark.parametrize("sheet", PAN9)
def test_draw_rewards_sum_to_zero_with_all_money(sheet: str) -> None:
    won = played_at_random(table_env.env(rules=sheet, num_players=5, num_hands=40), 2)
    assert sum(won.values()) == pytest.approx(0, abs=1e-9)
    assert any(won.values())


def test_the_house_wins_a_tie_wager_that_the_banker_does_not_hold() -> None:
    env = table_env.env(rules="uk_1994_player", num_players=1, side_stakes={"tie": 1}, num_hands=200)
    won = played_at_random(env, 1)
    assert abs(sum(won.values())) > 1


def test_a_session_ends_when_all_refuse_the_bank() -> None:
    env = table_env.env(mode="full", num_seats=3)
    env.reset(seed=1)
    refuse = env.play.actions.index("bank: refuse")
    found = calls(env, [refuse] * 6)
    assert [call[2:4] for call in found[6:]] == [(True, False)] * 3


def test_forced_moves_may_be_skipped() -> None:
    for arguments in ({"num_players": 2}, {"mode": "full", "num_seats": 3}):
        offered = table_env.env(rules="bicycle_bonus", forced="offer", num_hands=20, **arguments)
        skipped = table_env.env(rules="bicycle_bonus", forced="skip", num_hands=20, **arguments)
        sizes = []
        for env in (offered, skipped):
            env.reset(seed=4)
            rng = np.random.default_rng(4)
            choices = []
            while not (any(env.terminations.values()) or any(env.truncations.values())):
                legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
                choices.append(len(legal))
                banks = env.play.actions[legal[0]] == "bank: accept"
                env.step(int(legal[0] if banks else rng.choice(legal)))
            sizes.append(choices)
        assert 1 in sizes[0]
        assert min(sizes[1]) > 1
