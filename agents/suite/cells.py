"""The cells of the benchmark: each task with each learner that its config has settings for.

A task is a file `task_*` in `configs/train/` or in `configs/selfplay/`; nothing else names it.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from agents.baselines.registry import trainer_type
from agents.baselines.tasks import load_task, task_names
from agents.config import TrainConfig, config_algorithms, config_names, load_config
from pan9_gym.rules import ConfigError, load_rules

SUITE = "pan9-tasks-1"
"""The version of the suite; raised whenever a task, not only how it is learned, changes."""

PREFIX = "task_"


@dataclass(frozen=True)
class Cell(ABC):
    """One task with one learner.

    Attributes:
        task: The task's name.
        learner: The algorithm's or the trainer's.
    """

    task: str
    learner: str

    program: ClassVar[str]

    @property
    def label(self) -> str:
        """What tables and patterns call it."""
        return f"{self.task}/{self.learner}"

    @property
    @abstractmethod
    def target(self) -> float:
        """The exact gap, or NashConv, that counts as reached."""

    @property
    def is_random(self) -> bool:
        """Whether seeds make a difference."""
        return True

    @property
    def has_target(self) -> bool:
        """Whether the target is meant to be met; other cells are there to compare with."""
        return True

    @abstractmethod
    def arguments(self, seed: int) -> list[str]:
        """The arguments of the program that trains it."""

    @abstractmethod
    def settings(self, seed: int) -> dict[str, Any]:
        """Everything that decides what is trained, the rules by fingerprint."""

    def key(self, seed: int) -> str:
        """A text that changes with anything that decides what is trained."""
        data = {"suite": SUITE, "cell": self.label, "seed": seed, **self.settings(seed)}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class TrainCell(Cell):
    """An agent against given opponents, by `agents.train`."""

    program: ClassVar[str] = "agents.train"

    def config(self, seed: int = 1) -> TrainConfig:
        """The config of a run."""
        return load_config(self.task, [f"algorithm={self.learner}", f"seed={seed}"])

    @property
    def has_target(self) -> bool:
        """Not for SB3 as it comes."""
        return not self.config().learner.scalar

    @property
    def target(self) -> float:
        """The config's."""
        return self.config().target_gap

    def arguments(self, seed: int) -> list[str]:
        """The config, with algorithm and seed."""
        return [self.task, "--set", f"algorithm={self.learner}", "--set", f"seed={seed}"]

    def settings(self, seed: int) -> dict[str, Any]:
        """The resolved config."""
        config = self.config(seed)
        rules = [load_rules(sheet).fingerprint for sheet in config.sheets]
        return {"config": config.model_dump(mode="json", exclude=config.other_sections), "rules": rules}


@dataclass(frozen=True)
class SelfPlayCell(Cell):
    """Both roles against each other, by `agents.selfplay`."""

    program: ClassVar[str] = "agents.selfplay"

    @property
    def target(self) -> float:
        """The plan's."""
        return load_task(self.task).plan(self.learner).target

    @property
    def is_random(self) -> bool:
        """Whether the trainer deals hands."""
        return trainer_type(self.learner).samples

    def arguments(self, seed: int) -> list[str]:
        """The trainer, the task and the seed."""
        return [self.learner, self.task, "--seed", str(seed)]

    def settings(self, seed: int) -> dict[str, Any]:
        """The task with the trainer's plan."""
        task = load_task(self.task)
        fields = task.model_dump(mode="json", exclude={"by_trainer"})
        plan = task.plan(self.learner).model_dump(mode="json")
        return {"task": fields, "plan": plan, "rules": load_rules(task.sheet).fingerprint}


def all_cells() -> tuple[Cell, ...]:
    """Every cell, the tasks in the order of their names."""
    trained = [name for name in config_names() if name.startswith(PREFIX)]
    cells: list[Cell] = [
        TrainCell(name, algorithm) for name in trained for algorithm in config_algorithms(name)
    ]
    cells += [SelfPlayCell(name, trainer) for name in task_names() for trainer in load_task(name).by_trainer]
    return tuple(sorted(cells, key=lambda cell: cell.task))


def chosen_cells(patterns: Sequence[str]) -> tuple[Cell, ...]:
    """The cells whose labels match one of the patterns, such as "task_a_*" or "*/ppo"; without any, all.

    Raises:
        ConfigError: If a pattern matches nothing, listing the cells.
    """
    cells = all_cells()
    for pattern in patterns:
        if not any(_matches(cell, pattern) for cell in cells):
            known = ", ".join(cell.label for cell in cells)
            raise ConfigError(f"cells {pattern!r}: matches no cell; known: {known}")
    return tuple(cell for cell in cells if not patterns or any(_matches(cell, one) for one in patterns))


def _matches(cell: Cell, pattern: str) -> bool:
    return fnmatchcase(cell.label, pattern) or fnmatchcase(cell.task, pattern)
