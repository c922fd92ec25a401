"""Other card games of the field, one thread each, counted as strictly as this package counts itself.

Every peer is optional and imported when it is asked for; the extra `bench` brings them all. Actions are drawn
at random beforehand, as for our own environments; where not every action is always legal a random number,
drawn beforehand too, picks one of the legal ones while the clock runs, as a user's loop would have to.

- Gymnasium Blackjack (it comes with this package): through `gymnasium.make`, and 64 of them in a
  `SyncVectorEnv` with its next-step autoreset. A hand is an episode; a slot that only resets is no decision.
- EnvPool Blackjack in its synchronous Gymnasium mode; the same two rules.
- pgx Kuhn poker under its own `auto_reset`, compiled and vectorised, one call a step as an agent outside
  needs it; also 64 steps in one call. A finished game is replaced in the same step, so that every step is a
  decision.
- OpenSpiel Kuhn poker and Blackjack by the state API from Python, with the tensor of every decision; chance,
  which is uniform in both, is sampled beforehand and is no decision.
- RLCard Blackjack through its environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import count, cycle, islice
from typing import Any

import gymnasium
import numpy as np

from pan9_gym.benchmark.contenders import (
    SCALAR_HANDS,
    SEED,
    Makers,
    Play,
    drawn_actions,
    episodes,
    steps_of,
)
from pan9_gym.benchmark.rounds import Count

PACKAGES = ("gymnasium", "envpool", "pgx", "jax", "jaxlib", "open_spiel", "rlcard")
"""The packages whose versions decide how fast the peers are."""

GYMNASIUM = "Gymnasium Blackjack"
SYNC_ENVS = 64
SCANNED_STEPS = 64


def peers(sizes: Sequence[int]) -> tuple[Makers, list[str]]:
    """The peers that can be imported, and a remark about each that cannot.

    Args:
        sizes: Numbers of environments of the vectorised ones.
    """
    families: dict[str, Makers] = {
        "gymnasium": {GYMNASIUM: gymnasium_scalar, f"{GYMNASIUM}, SyncVectorEnv {SYNC_ENVS}": gymnasium_sync},
        "envpool": {envpool_name(size): partial(envpool_blackjack, size) for size in sizes},
        "pgx": {
            **{pgx_name(size): partial(pgx_kuhn, size) for size in sizes},
            f"{pgx_name(sizes[-1])}, {SCANNED_STEPS} steps a call": partial(pgx_kuhn_scanned, sizes[-1]),
        },
        "open_spiel": {
            "OpenSpiel Kuhn poker": partial(openspiel, "kuhn_poker"),
            "OpenSpiel Blackjack": partial(openspiel, "blackjack"),
        },
        "rlcard": {"RLCard Blackjack": rlcard_blackjack},
    }
    problems = {module: problem_with(module) for module in families}
    remarks = [problem for problem in problems.values() if problem]
    there = {
        name: make for module in families if not problems[module] for name, make in families[module].items()
    }
    return there, remarks


def problem_with(module: str) -> str:
    """Why a peer takes no part, and what helps; empty where it can be imported."""
    try:
        import_module(module)
    except ImportError as error:
        return f"{module} takes no part ({error}): pip install 'pan9-gym[bench]'"
    return ""


def envpool_name(size: int) -> str:
    """The name of EnvPool's Blackjack with so many environments."""
    return f"EnvPool Blackjack {size:,}"


def pgx_name(size: int) -> str:
    """The name of pgx's Kuhn poker with so many games."""
    return f"pgx Kuhn poker {size:,}"


def gymnasium_scalar() -> Play:
    """Gymnasium's Blackjack with its default wrappers."""
    return episodes(gymnasium.make("Blackjack-v1"))


def gymnasium_sync() -> Play:
    """Gymnasium's own vector environment of its Blackjack."""
    return next_step_slots(gymnasium.make_vec("Blackjack-v1", SYNC_ENVS), SYNC_ENVS)


def envpool_blackjack(num_envs: int) -> Play:
    """EnvPool's Blackjack with one thread."""
    import envpool

    envs = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=num_envs, num_threads=1, seed=SEED)
    return next_step_slots(envs, num_envs)


def next_step_slots(envs: Any, num_envs: int) -> Play:
    """Steps of environments that reset in the step after a hand's end, in which the action is ignored."""
    rows = drawn_actions(num_envs).astype(np.int32)
    envs.reset()
    over, turn = np.zeros(num_envs, dtype=np.bool_), count()
    steps = max(1, steps_of(num_envs) // 8)

    def play() -> Count:
        nonlocal over
        hands = ignored = 0
        for number in islice(turn, steps):
            ignored += int(np.count_nonzero(over))
            _, _, terminated, truncated, _ = envs.step(rows[number % len(rows)])
            over = terminated | truncated
            hands += int(np.count_nonzero(over))
        return Count(hands, steps * num_envs - ignored)

    return play


def pgx_kuhn(num_envs: int) -> Play:
    """Pgx's Kuhn poker, one call for each step of all games."""
    import jax

    start, step = pgx_functions(num_envs)
    step = jax.jit(step)
    rows, turn = [jax.numpy.asarray(row) for row in drawn_actions(num_envs).astype(np.int32)], count()
    states = start
    steps = steps_of(num_envs)

    def play() -> Count:
        nonlocal states
        hands = 0
        for number in islice(turn, steps):
            states, ended = step(states, rows[number % len(rows)])
            hands += int(ended)
        return Count(hands, steps * num_envs)

    return play


def pgx_kuhn_scanned(num_envs: int) -> Play:
    """Pgx's Kuhn poker, many steps in one call, which an agent outside cannot use."""
    import jax

    states, step = pgx_functions(num_envs)
    rows = jax.numpy.asarray(np.resize(drawn_actions(num_envs), (SCANNED_STEPS, num_envs)).astype(np.int32))
    scan = jax.jit(lambda states: jax.lax.scan(step, states, rows))

    def play() -> Count:
        nonlocal states
        states, ended = scan(states)
        return Count(int(ended.sum()), SCANNED_STEPS * num_envs)

    return play


def pgx_functions(num_envs: int) -> tuple[Any, Callable[[Any, Any], Any]]:
    """First states with their random key, and the step of all games with the number of those that it ends."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("kuhn_poker")
    step_all = jax.vmap(auto_reset(env.step, env.init))

    def step(states: Any, actions: Any) -> Any:
        games, key = states
        key, own = jax.random.split(key)
        games = step_all(games, actions, jax.random.split(own, num_envs))
        return (games, key), (games.terminated | games.truncated).sum()

    key, own = jax.random.split(jax.random.key(SEED))
    return (jax.jit(jax.vmap(env.init))(jax.random.split(own, num_envs)), key), step


def drawn_numbers() -> Iterator[float]:
    """Random numbers from 0 to 1, drawn beforehand, again and again."""
    return cycle(np.random.default_rng(SEED).random(2**16).tolist())


def openspiel(name: str) -> Play:
    """A game of OpenSpiel's in C++, driven from Python; chance in it is uniform."""
    import pyspiel

    game, numbers = pyspiel.load_game(name), drawn_numbers()
    whole = game.get_type().provides_information_state_tensor

    def play() -> Count:
        decisions = 0
        for _ in range(SCALAR_HANDS):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()  # at chance: its outcomes
                if not state.is_chance_node():
                    state.information_state_tensor() if whole else state.observation_tensor()
                    decisions += 1
                state.apply_action(actions[int(next(numbers) * len(actions))])
        return Count(SCALAR_HANDS, decisions)

    return play


def rlcard_blackjack() -> Play:
    """RLCard's Blackjack for one player."""
    import rlcard

    env, numbers = rlcard.make("blackjack", config={"seed": SEED}), drawn_numbers()

    def play() -> Count:
        decisions = 0
        for _ in range(SCALAR_HANDS):
            state, _ = env.reset()
            while not env.is_over():
                legal = tuple(state["legal_actions"])
                state, _ = env.step(legal[int(next(numbers) * len(legal))])
                decisions += 1
            env.get_payoffs()
        return Count(SCALAR_HANDS, decisions)

    return play
