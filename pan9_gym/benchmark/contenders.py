"""What this package brings to the benchmark: the round, the environments, the bare kernel, the simulator.

The environments are the registered ones, made as users make them, with their defaults: masks and infos on,
outputs copied, same-step autoreset, so that every step of an environment is one decision and ends one hand.

Actions are drawn at random beforehand, as they are for the peers, and are taken one after the other;
drawing them is not timed. Where a sheet forces a move and the other one comes, the environment replaces it,
as it does by default. The other seats play the logical way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import pan9_gym  # noqa: F401  # registers the environments
from pan9_gym.benchmark.rounds import Count
from pan9_gym.envs.hand_env import MANY_HANDS
from pan9_gym.envs.setup import HandSetup, player_setup
from pan9_gym.evaluation.simulate import played_hands
from pan9_gym.game.batch_round import BatchRound, Finished
from pan9_gym.game.batch_tally import HandTally
from pan9_gym.game.round import new_game
from pan9_gym.policies.play import seat_policy

Play = Callable[[], Count]
Makers = dict[str, Callable[[], Play]]
"""For each contender's name what makes its `play`."""

Actions = npt.NDArray[np.int64]

PLAYER, BANKER = "Pan9/Player-v0", "Pan9/PlayerDealer-v0"

CONTINUING: dict[str, Any] = {"shoe_mode": "continuing", "observe": "shoe", "penetration": 0.8}
"""A shoe that goes on until the cut card after four fifths of it, with the counts observed."""

SEED = 1
POLICY = "logical_way"

MOST_ACTIONS = 2**20
MOST_STEPS = 64
CHUNK = 2**15
"""About so many hands of a vector environment are one call of `play`."""

SCALAR_HANDS = 100
"""So many hands of an environment of one hand are one call of `play`."""

NUM_SCALAR_ACTIONS = 2**16
"""Few actions again and again would not be half of each."""

SIMULATED_HANDS = 2**18
SAMPLED_HANDS = 2**16


@dataclass(frozen=True)
class Table:
    """Who plays what.

    Attributes:
        sheet: The rule sheet's name.
        num_players: Players against the banker.
    """

    sheet: str
    num_players: int

    @property
    def players(self) -> str:
        """The number of players in words."""
        return f"{self.num_players} player{'s' if self.num_players > 1 else ''}"

    def __str__(self) -> str:
        return f"{self.sheet}, {self.players}"

    @property
    def arguments(self) -> dict[str, Any]:
        """For the environments."""
        return {"rules": self.sheet, "num_players": self.num_players}


def vector_env(table: Table, num_envs: int, env_id: str = PLAYER, **arguments: Any) -> Play:
    """The registered vector environment."""
    envs = gymnasium.make_vec(
        env_id, num_envs, vectorization_mode="vector_entry_point", **table.arguments, **arguments
    )
    envs.reset(seed=SEED)
    rows = drawn_actions(num_envs)
    steps = steps_of(num_envs)
    cards = steps * num_envs * cards_per_hand(table)
    turn = count()

    def play() -> Count:
        for number in islice(turn, steps):
            envs.step(rows[number % len(rows)])
        return Count(steps * num_envs, steps * num_envs, cards)

    return play


def scalar_env(table: Table, env_id: str = PLAYER, **arguments: Any) -> Play:
    """The registered environment of one hand with Gymnasium's default wrappers."""
    env = gymnasium.make(env_id, **table.arguments, **arguments)
    cards = cards_per_hand(table)

    def counted(hands: int, decisions: int) -> Count:
        return Count(hands, decisions, hands * cards)

    return episodes(env, counted, MANY_HANDS)


def episodes(env: Any, counted: Callable[[int, int], Count] = Count, num_before: int = 0) -> Play:
    """Episodes of any Gymnasium environment with two actions, all of them legal.

    Args:
        env: The environment; every step is a decision.
        counted: What episodes and steps amount to.
        num_before: Episodes of one step that are played before anything is measured.
    """
    actions = drawn_actions(NUM_SCALAR_ACTIONS // MOST_STEPS).ravel().tolist()
    env.reset(seed=SEED)
    for _ in range(num_before):
        env.step(0)
        env.reset()
    turn = count()

    def play() -> Count:
        hands = decisions = 0
        while hands < SCALAR_HANDS:
            _, _, terminated, truncated, _ = env.step(actions[next(turn) % len(actions)])
            decisions += 1
            if terminated or truncated:
                hands += 1
                env.reset()
        return counted(hands, decisions)

    return play


def bare_kernel(table: Table, num_rounds: int) -> Play:
    """The compiled batch without an environment around it, finishing and dealing as the environment does."""
    rounds = agents_batch(player_setup(**table.arguments), num_rounds)
    rounds.deal()
    done = Finished.empty(num_rounds, rounds.game.num_seats)
    rows, steps = drawn_actions(num_rounds), steps_of(num_rounds)
    cards = steps * num_rounds * cards_per_hand(table)
    turn = count()

    def play() -> Count:
        for number in islice(turn, steps):
            rounds.advance(rows[number % len(rows)], done)
        return Count(steps * num_rounds, steps * num_rounds, cards)

    return play


def readable_round(table: Table) -> Play:
    """The readable engine: whole hands from fresh shoes, every seat's decision by its policy."""
    game = new_game(table.sheet, table.num_players)
    hands = played_hands(game, [POLICY] * game.num_seats, 10**15, SEED)
    cards = cards_per_hand(table)

    def play() -> Count:
        decisions = sum(len(state.choices) for state in islice(hands, SCALAR_HANDS))
        return Count(SCALAR_HANDS, decisions, SCALAR_HANDS * cards)

    return play


def simulator(table: Table) -> Play:
    """The compiled tally behind `pan9 simulate`: whole hands, every seat's decision by its policy."""
    game = new_game(table.sheet, table.num_players)
    draw_probs = [seat_policy(game, seat, POLICY).array for seat in range(game.num_seats)]
    tally = HandTally(game, draw_probs)
    sample = BatchRound(game, None, draw_probs, SAMPLED_HANDS, seed=SEED)
    sample.play()
    decisions = round(SIMULATED_HANDS * float((sample.actions >= 0).mean() * game.num_seats))
    cards = SIMULATED_HANDS * float(sample.num_used.mean())
    stream = count()

    def play() -> Count:
        tally.play(SIMULATED_HANDS, SEED, next(stream))
        return Count(SIMULATED_HANDS, decisions, cards)

    return play


@cache
def cards_per_hand(table: Table) -> float:
    """The mean number of cards of a hand whose player in seat 0 acts at random, sampled and not timed."""
    rounds = agents_batch(player_setup(**table.arguments), SAMPLED_HANDS)
    rounds.deal()
    rounds.finish(drawn_actions(SAMPLED_HANDS)[0])
    return float(rounds.num_used.mean())


def agents_batch(setup: HandSetup, num_rounds: int) -> BatchRound:
    """The batch that a vector environment has inside."""
    return BatchRound(
        setup.game,
        setup.seat,
        setup.draw_probs,
        num_rounds,
        seed=SEED,
        continues=setup.continues,
        **setup.shoe,
    )


def drawn_actions(num_envs: int) -> Actions:
    """Random actions, int64, shape (steps, num_envs), to be taken row by row again and again."""
    steps = max(4, min(MOST_STEPS, MOST_ACTIONS // num_envs))
    return np.random.default_rng(SEED).integers(0, 2, (steps, num_envs), dtype=np.int64)


def steps_of(num_envs: int) -> int:
    """Steps of a vector environment in one call of `play`."""
    return max(1, CHUNK // num_envs)
