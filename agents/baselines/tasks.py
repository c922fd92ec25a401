"""The self-play tasks of the suite: YAML in `configs/selfplay/`, with each trainer's settings and target."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.baselines.registry import TRAINERS, trainer_type
from agents.fields import Positive, Strict
from pan9_gym.rules import ConfigError, load_rules
from pan9_gym.rules.errors import closest, validated
from pan9_gym.rules.strict_yaml import parse_yaml
from pan9_gym.solver.levels import Level

Judged = Literal["average", "last"]


class TrainerPlan(Strict):
    """How one trainer learns a task."""

    target: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """The NashConv that counts as reached."""
    steps: Positive
    """Iterations or decisions, as the trainer counts."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The trainer's settings that differ from its defaults."""

    @property
    def overrides(self) -> tuple[str, ...]:
        """The settings as texts such as "epsilon=0.2"."""
        return tuple(f"{key}={json.dumps(value)}" for key, value in self.settings.items())


class SelfPlayTask(Strict):
    """Both roles of one game."""

    name: str
    """Set from the file's name."""
    sheet: str
    """A rule sheet's name."""
    level: Level = "total"
    """Which hands both roles tell apart."""
    num_players: Positive = 1
    """Players against the banker; several share one strategy."""
    judged: Judged
    """Which strategies the target is about: the average ones or the last ones."""
    by_trainer: Annotated[dict[str, TrainerPlan], Field(min_length=1)]
    """The trainers that learn it."""

    def plan(self, trainer: str) -> TrainerPlan:
        """A trainer's plan.

        Raises:
            ConfigError: Listing the trainers that have one.
        """
        if trainer not in self.by_trainer:
            trainer_type(trainer)  # no trainer at all is said first
            raise ConfigError(
                f"task {self.name!r} has no plan for trainer {trainer!r}; "
                f"it has them for {', '.join(self.by_trainer)}"
            )
        return self.by_trainer[trainer]


def task_names() -> tuple[str, ...]:
    """The self-play tasks, sorted."""
    names = (entry.name for entry in (files("pan9_gym.configs") / "selfplay").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def load_task(name: str) -> SelfPlayTask:
    """A self-play task.

    Raises:
        ConfigError: If there is none of this name, or its file is wrong.
    """
    if name not in task_names():
        raise ConfigError(
            f"task {name!r} is not known{closest(name, task_names())}; known: {', '.join(task_names())}"
        )
    file, label = files("pan9_gym.configs") / "selfplay" / f"{name}.yaml", f"configs/selfplay/{name}.yaml"
    data = parse_yaml(file.read_text(encoding="utf-8"), label)
    task = validated(SelfPlayTask, {**data, "name": name}, label)
    try:
        load_rules(task.sheet)
    except ConfigError as error:
        raise ConfigError(f"{label}: field 'sheet': {error}") from None
    for trainer, plan in task.by_trainer.items():
        if trainer not in TRAINERS:
            raise ConfigError(
                f"{label}: by_trainer: {trainer!r} is no trainer{closest(trainer, TRAINERS)}; "
                f"known: {', '.join(TRAINERS)}"
            )
        validated(trainer_type(trainer).settings_type, dict(plan.settings), f"{label}: {trainer}")
    return task
