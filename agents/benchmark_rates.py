"""How many decisions a CPU second SB3's adapter plays, beside SB3's own `DummyVecEnv`.

Nobody learns here: actions are random, drawn beforehand. Every contender is stepped by the same loop, which
counts the hands that ended. In its favour, `DummyVecEnv`'s infos are never read and its environments have no
`Monitor`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count, islice
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import FlattenObservation
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from agents.vec_env import Pan9VecEnv
from pan9_gym.benchmark.contenders import PLAYER, SEED, Makers, Play, Table, drawn_actions
from pan9_gym.benchmark.figures import Figure
from pan9_gym.benchmark.groups import Group
from pan9_gym.benchmark.rounds import Count
from pan9_gym.rules.catalog import DEFAULT_SHEET

NUM_ENVS = 64
SIZES = (NUM_ENVS, 1024)

TIMES_BLACKJACK = 150.0
"""What the adapter must reach, in decisions and with infos left unread."""

BLACKJACK = f"DummyVecEnv {NUM_ENVS}, Blackjack-v1"
READABLE = f"DummyVecEnv {NUM_ENVS}, readable environments"

ADAPTER_STEPS, DUMMY_STEPS = 256, 4
"""Steps in one call of `play`."""


def adapter_group() -> Group:
    """The adapter, with infos unread and read, and what it is compared with."""
    makers: Makers = {
        adapter_name(size, reads): partial(adapter, size, reads) for size in SIZES for reads in (False, True)
    }
    makers[READABLE] = partial(dummy, readable_env)
    makers[BLACKJACK] = partial(dummy, blackjack)
    figures = [
        Figure(adapter_name(NUM_ENVS, False), BLACKJACK, TIMES_BLACKJACK, unit="decisions"),
        Figure(adapter_name(NUM_ENVS, False), BLACKJACK),
        Figure(adapter_name(NUM_ENVS, True), BLACKJACK, unit="decisions"),
        Figure(adapter_name(NUM_ENVS, False), READABLE),
        Figure(adapter_name(NUM_ENVS, True), READABLE),
    ]
    return Group(f"SB3's adapter, {DEFAULT_SHEET}, 1 player, random actions", makers, tuple(figures))


def adapter_name(num_envs: int, reads: bool) -> str:
    """The name of the adapter as a contender."""
    return f"adapter {num_envs:,}, infos {'read' if reads else 'unread'}"


def player_env(num_envs: int, env_id: str = PLAYER, num_players: int = 1) -> Pan9VecEnv:
    """The adapter over the registered vector environment, as training uses it."""
    arguments = Table(DEFAULT_SHEET, num_players).arguments
    envs = gymnasium.make_vec(
        env_id, num_envs, vectorization_mode="vector_entry_point", copy=False, **arguments
    )
    return Pan9VecEnv(envs)


def adapter(num_envs: int, reads: bool) -> Play:
    """The adapter's play."""
    return stepped(player_env(num_envs), ADAPTER_STEPS, reads)


def dummy(make: Callable[[], gymnasium.Env[Any, Any]]) -> Play:
    """The play of `DummyVecEnv` over environments."""
    return stepped(DummyVecEnv([make] * NUM_ENVS), DUMMY_STEPS, reads=False)


def readable_env() -> gymnasium.Env[Any, Any]:
    """Our environment of one hand."""
    return gymnasium.make(PLAYER, **Table(DEFAULT_SHEET, 1).arguments)


def blackjack() -> gymnasium.Env[Any, Any]:
    """Gymnasium's Blackjack with its tuple made flat, which SB3 needs."""
    return FlattenObservation(gymnasium.make("Blackjack-v1"))


def stepped(env: VecEnv, steps: int, reads: bool) -> Play:
    """Steps of SB3's vector environment, whose infos are read as SB3's learners do or are not."""
    rows = drawn_actions(env.num_envs)
    env.seed(SEED)
    env.reset()
    turn = count()

    def play() -> Count:
        hands = 0
        for number in islice(turn, steps):
            _, _, dones, infos = env.step(rows[number % len(rows)])
            hands += int(np.count_nonzero(dones))
            if reads:
                read_infos(infos, dones)
        return Count(hands, steps * env.num_envs)

    return play


def read_infos(infos: Any, dones: Any) -> list[Any]:
    """What SB3's on-policy learners read: first the episode statistics, then who ended by a time limit."""
    statistics = [info.get("episode") for info in infos if info.get("is_success") is None]
    limited = [
        index
        for index, done in enumerate(dones)
        if done
        and infos[index].get("terminal_observation") is not None
        and infos[index].get("TimeLimit.truncated", False)
    ]
    return [statistics, limited]
