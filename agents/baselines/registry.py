"""The trainers by name, loaded only when they are asked for: PyTorch takes seconds to import."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from agents.baselines.interface import Task, Trainer
from pan9_gym.game.info_state import info_states, read_num_players
from pan9_gym.rules import ConfigError, Role, load_rules
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.errors import closest, validated
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.strict_yaml import apply_override
from pan9_gym.solver.levels import read_level
from pan9_gym.solver.many_seats import read_game

TRAINERS = {
    "cfr_plus": ("agents.baselines.cfr_plus", "CFRPlus"),
    "fictitious_play": ("agents.baselines.fictitious_play", "FictitiousPlay"),
    "q_learning": ("agents.baselines.q_learning", "QLearning"),
    "nfsp": ("agents.baselines.neural", "NFSP"),
    "q_hedge": ("agents.baselines.neural", "QHedge"),
    "ppo": ("agents.baselines.neural", "PPOSelfPlay"),
}
"""Name -> the module and the class; a new trainer is a subclass of `Trainer` and a line here."""


def trainer_type(name: str) -> type[Trainer[Any]]:
    """A trainer's class.

    Raises:
        ConfigError: Listing the known names.
    """
    if name not in TRAINERS:
        raise ConfigError(
            f"trainer {name!r} is not known{closest(name, TRAINERS)}; known: {', '.join(TRAINERS)}"
        )
    module, attribute = TRAINERS[name]
    found: type[Trainer[Any]] = getattr(import_module(module), attribute)
    return found


def make_trainer(
    name: str,
    rules: RulesLike,
    level: str = "total",
    seed: int = 1,
    steps: int | None = None,
    overrides: Sequence[str] = (),
    num_players: int = 1,
) -> Trainer[Any]:
    """A new trainer.

    Args:
        name: One of `TRAINERS`.
        rules: A sheet's name, a path, or a `RulesConfig`.
        level: "total" or "hand": which hands both roles tell apart.
        seed: Decides everything random.
        steps: Iterations or decisions, as the trainer counts; default its own number.
        overrides: Texts such as "epsilon=0.2": settings that differ.
        num_players: Players against the banker; several share one strategy.

    Raises:
        ValueError: If an argument is not possible; a `ConfigError` names what is allowed.
    """
    kind = trainer_type(name)
    known = load_rules(rules)
    task = Task(
        rules=known,
        level=read_level(level),
        seed=read_whole("seed", seed, 0),
        steps=read_whole(kind.unit, kind.default_steps if steps is None else steps, 1),
        num_players=read_num_players(known, num_players),
    )
    _check_players(name, task)
    changed: dict[str, Any] = {}
    for override in overrides:
        apply_override(changed, override)
    settings = validated(kind.settings_type, changed, f"trainer {name}")
    for role in Role:
        info_states(task.rules, role)  # refuses tables that are too large
    return kind(task, settings)


def _check_players(name: str, task: Task) -> None:
    """Refuse more players than the trainer or the solver know.

    Raises:
        ValueError: A `ConfigError` if it is the trainer that does not.
    """
    number = task.num_players
    if number == 1:
        return
    if not trainer_type(name).samples:
        raise ConfigError(
            f"num_players {number}: trainer {name!r} knows one player against the banker; "
            "those that deal hands take several"
        )
    read_game(task.rules, ["logical_way"] * number, None)
