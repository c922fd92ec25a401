"""What a trainer of both roles is: steps of its own unit, and two strategies for each role to be scored.

A trainer knows nothing of scoring: `snapshots` lets it run to log-spaced steps and takes its strategies.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np

from agents.baselines.bilinear import Floats, Grid
from agents.fields import Strict
from pan9_gym.game.info_state import has_choice, info_states
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, Role, RulesConfig
from pan9_gym.solver.levels import Level

Unit = Literal["iterations", "decisions"]

STEPS_PER_DECADE = 6
"""How many snapshots are taken while the steps grow tenfold."""

LATE_SHARE = 1 / 12
"""In the last half a snapshot is taken for each such part of the run: what is held is seen to hold."""


@dataclass(frozen=True)
class Task:
    """What is to be learned; one player, or several with equal wagers, against the banker over a full shoe.

    Several players share one strategy that looks at the own hand alone.

    Attributes:
        rules: The rules.
        level: Which hands both roles tell apart, in learning and in the best responses that score them.
        seed: Decides everything random.
        steps: For how many steps the trainer will run: schedules fall over them.
        num_players: Players against the banker.
    """

    rules: RulesConfig
    level: Level
    seed: int
    steps: int
    num_players: int = 1

    def grid(self, role: Role) -> Grid:
        """The decisions of a role; of the players those at seat 0, who sees no other's choice."""
        return Grid.of(self.rules, info_states(self.rules, role, self.num_players), self.level)


@dataclass(frozen=True)
class Pair:
    """A strategy for each role.

    Attributes:
        player: The player's; of several, as it is at seat 0.
        banker: The banker's.
    """

    player: TabularPolicy
    banker: TabularPolicy

    def policy(self, role: Role) -> TabularPolicy:
        """The strategy of a role."""
        return self.player if role is Role.PLAYER else self.banker

    def same_as(self, other: Pair) -> bool:
        """Whether both roles play alike."""
        return all(self.policy(role).draw_probs == other.policy(role).draw_probs for role in Role)

    @property
    def players(self) -> tuple[TabularPolicy, ...]:
        """The player's strategy at every seat, in seat order, whatever the seat sees of others."""
        return tuple(_at_seat(self.player, seat) for seat in range(self.player.num_players))


def _at_seat(policy: TabularPolicy, seat: int) -> TabularPolicy:
    states = info_states(policy.rules, Role.PLAYER, policy.num_players, seat)
    return TabularPolicy(policy.rules, states, policy.draw_probs * states.shape[0], policy.name)


@dataclass(frozen=True)
class Snapshot:
    """What a trainer has learned so far.

    Attributes:
        step: Its steps so far.
        cpu_seconds: CPU seconds it has run, scoring not included.
        average: The average strategies.
        last: The latest strategies.
    """

    step: int
    cpu_seconds: float
    average: Pair
    last: Pair


class Settings(Strict):
    """What can be set about a trainer; an unknown key is an error."""


S = TypeVar("S", bound=Settings)


class Trainer(ABC, Generic[S]):
    """Trains both roles. A subclass sets the four class attributes and keeps `step` up to date.

    Attributes:
        unit: What a step is.
        default_steps: How many are run if nobody says.
        settings_type: What can be set.
        samples: Whether it learns from dealt hands, not from exact values.
        task: What is to be learned.
        settings: Its settings.
        step: Steps so far.

    Raises:
        ConfigError: If the task is not possible for it.
    """

    unit: ClassVar[Unit]
    default_steps: ClassVar[int]
    settings_type: ClassVar[type[Settings]]
    samples: ClassVar[bool]

    def __init__(self, task: Task, settings: S) -> None:
        self.task = task
        self.settings = settings
        self.step = 0
        if not any(has_choice(task.rules, info_states(task.rules, role)) for role in Role):
            raise ConfigError(f"rules {task.rules.name!r}: neither role ever has a choice")

    @abstractmethod
    def advance(self, until: int) -> None:
        """Train until `step` is at least `until`."""

    @abstractmethod
    def draw_probs(self, role: Role, average: bool) -> Floats:
        """Drawing probabilities of the average or the latest strategy, in the shape of the role's grid."""

    def opponents(self) -> Pair | None:
        """The fixed opponents of both roles, where the trainer does not play against itself."""
        return None

    def close(self) -> None:
        """Give back what is open; most trainers keep nothing."""

    def pair(self, average: bool) -> Pair:
        """The average or the latest strategies as exact tables."""
        name = "average" if average else "last"
        both = [
            self.task.grid(role).policy(self.draw_probs(role, average), f"{name} strategy of the {role}")
            for role in Role
        ]
        return Pair(*both)


class Average:
    """A weighted average of strategies. Each role decides once a hand, so probabilities are averaged.

    Formula:
        average[i] = sum over k of w_k p_k[i] / sum over k of w_k

    Symbols:
        p_k: the k-th strategy's drawing probabilities
        w_k: its weight, more than 0

    Source:
        The realisation-equivalent average of extensive games (Zinkevich et al. 2007, equation 4) where the
        own reach of every decision is 1.
    """

    def __init__(self, start: Floats) -> None:
        self._sum = np.zeros_like(start)
        self._weight = 0.0
        self._start = start

    def add(self, probs: Floats, weight: float = 1.0) -> None:
        """Add a strategy."""
        self._sum += weight * probs
        self._weight += weight

    @property
    def probs(self) -> Floats:
        """The average; before the first strategy, the start."""
        return self._sum / self._weight if self._weight else self._start


def log_spaced(steps: int) -> list[int]:
    """Whole numbers from 1 to `steps`, the last.

    There are about `STEPS_PER_DECADE` to a decade, and in the last half one for each `LATE_SHARE` besides.
    """
    count = int(np.ceil(np.log10(steps) * STEPS_PER_DECADE)) + 1
    late = np.arange(0.5, 1, LATE_SHARE) * steps
    return sorted({*np.rint([*np.geomspace(1, steps, count), *late]).astype(int).tolist(), steps} - {0})


def snapshots(trainer: Trainer[S]) -> Iterator[Snapshot]:
    """Train for the task's steps, and what was learned at log-spaced ones; the last is the end."""
    used = 0.0
    for until in log_spaced(trainer.task.steps):
        if trainer.step >= until:
            continue  # a round has gone beyond it
        start = time.process_time()
        trainer.advance(until)
        used += time.process_time() - start
        yield Snapshot(trainer.step, used, trainer.pair(average=True), trainer.pair(average=False))
