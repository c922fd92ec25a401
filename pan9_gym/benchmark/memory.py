"""Memory: what a round and an environment hold, and whether a long run holds more at its end.

What is held is counted by Python's own bookkeeping of allocations (`tracemalloc`), which includes NumPy's
arrays; growth is that of the process's resident memory. Each is measured in a process of its own.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import gymnasium

from pan9_gym.benchmark.contenders import (
    CONTINUING,
    PLAYER,
    SEED,
    Play,
    Table,
    agents_batch,
    drawn_actions,
    simulator,
    vector_env,
)
from pan9_gym.benchmark.timing import in_fresh_process, resident_mib
from pan9_gym.envs.setup import HandSetup, player_setup
from pan9_gym.rules.catalog import DEFAULT_SHEET

BYTES_A_ROUND = 500.0
GROWTH_MIB = 1.0
"""What counts as no growth: the allocator's own unrest."""

HELD_ROUNDS = 2**16
LONG_ENVS = 16384
WARM_PART = 10
"""A long run's first tenth warms up: pages that are touched for the first time are no growth."""


@dataclass(frozen=True)
class MemoryLine:
    """A measurement beside its target.

    Attributes:
        name: What was measured.
        value: How much.
        unit: Of what.
        target: The most it may be; `None` where it is only told.
    """

    name: str
    value: float
    unit: str
    target: float | None

    @property
    def is_met(self) -> bool | None:
        """Whether it is at most the target; `None` where there is none."""
        return None if self.target is None else self.value <= self.target

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "met": self.is_met}


@dataclass(frozen=True)
class MemoryQuestion:
    """What to measure, in a fresh interpreter.

    Attributes:
        name: What is measured.
        unit: In what unit.
        target: The most it may be; `None` where it is only told.
        measure: Gives the value.
    """

    name: str
    unit: str
    target: float | None
    measure: Callable[[], float]

    def line(self) -> MemoryLine:
        """Measure it."""
        return MemoryLine(self.name, in_fresh_process(self.measure), self.unit, self.target)


def memory_questions(num_hands: int, quick: bool) -> list[MemoryQuestion]:
    """All of them.

    Args:
        num_hands: Hands of each long run.
        quick: One player only.
    """
    found = []
    for table in (Table(DEFAULT_SHEET, number) for number in ((1,) if quick else (1, 7))):
        shoe = f"continuing shoe, {table}"
        found += [
            MemoryQuestion(f"a round, {shoe}", "bytes", BYTES_A_ROUND, partial(bytes_a_round, table)),
            MemoryQuestion(
                f"one of {HELD_ROUNDS:,} environments, {shoe}", "bytes", None, partial(bytes_an_env, table)
            ),
        ]
    suits = "a round, continuing shoe of suits, bicycle_bonus with a Dragon stake, 1 player"
    found.append(MemoryQuestion(suits, "bytes", BYTES_A_ROUND, bytes_a_round_of_suits))
    table, hands = Table(DEFAULT_SHEET, 1), f"growth over {num_hands:.3g} hands"
    return [
        *found,
        MemoryQuestion(
            f"{hands}: vector env {LONG_ENVS:,}, continuing shoe, {table}",
            "MiB",
            GROWTH_MIB,
            partial(env_growth, table, num_hands),
        ),
        MemoryQuestion(
            f"{hands}: simulator, {table}", "MiB", GROWTH_MIB, partial(simulator_growth, table, num_hands)
        ),
    ]


def bytes_a_round(table: Table) -> float:
    """What a batch with continuing shoes holds for each round."""
    return bytes_of(player_setup(**table.arguments, **CONTINUING))


def bytes_a_round_of_suits() -> float:
    """The same where suits count, so that the shoe has an order."""
    return bytes_of(player_setup(rules="bicycle_bonus", side_stakes={"dragon": 1}, **CONTINUING))


def bytes_of(setup: HandSetup) -> float:
    """What a batch of a setup holds for each round."""
    actions = drawn_actions(HELD_ROUNDS)[0]

    def make() -> object:
        rounds = agents_batch(setup, HELD_ROUNDS)
        rounds.deal()
        rounds.finish(actions)
        return rounds

    agents_batch(setup, 1).deal()  # what does not depend on the number is made once
    return held_bytes(make) / HELD_ROUNDS


def bytes_an_env(table: Table) -> float:
    """What the registered environment holds for each hand between two steps, its outputs not counted."""
    actions = drawn_actions(HELD_ROUNDS)[0]

    def make(num_envs: int = HELD_ROUNDS) -> object:
        envs = gymnasium.make_vec(
            PLAYER, num_envs, vectorization_mode="vector_entry_point", **table.arguments, **CONTINUING
        )
        envs.reset(seed=SEED)
        envs.step(actions[:num_envs])
        return envs

    make(1)
    return held_bytes(make) / HELD_ROUNDS


def held_bytes(make: Callable[[], object]) -> int:
    """The bytes of what is made and all it holds."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        del made
    finally:
        tracemalloc.stop()
    return held


def env_growth(table: Table, num_hands: int) -> float:
    """How many MiB a vector environment's process grows while it plays hands of continuing shoes."""
    return growth(vector_env(table, LONG_ENVS, **CONTINUING), num_hands)


def simulator_growth(table: Table, num_hands: int) -> float:
    """How many MiB a simulator's process grows while it plays hands."""
    return growth(simulator(table), num_hands)


def growth(play: Play, num_hands: int) -> float:
    """How many MiB more the process holds after all hands than after the first tenth of them."""
    hands, start = 0, None
    while hands < num_hands:
        hands += play().hands
        if start is None and hands * WARM_PART >= num_hands:
            start = resident_mib()
    return resident_mib() - (start or 0.0)
