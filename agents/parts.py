"""The parts of a task: the tables at which one agent is judged, each with a config of its own.

Most tasks have one part. One agent for several sheets or both roles has one for each sheet and role that ever
has a choice; an agent on depleted shoes has one for each shoe.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.config import TrainConfig
from pan9_gym.game.info_state import has_choice, info_states
from pan9_gym.rules import ConfigError, Role, load_rules
from pan9_gym.solver.depleted_shoes import depleted_shoes


@dataclass(frozen=True)
class Part:
    """One table.

    Attributes:
        label: What files and tables call it; empty where there is no other.
        config: The run's config with one sheet, one role, and no list of shoes.
        shoe: Cards left of each point value, lowest first; `None` for a full shoe.
    """

    label: str
    config: TrainConfig
    shoe: tuple[int, ...] | None = None


def parts_of(config: TrainConfig) -> tuple[Part, ...]:
    """The parts of a task.

    Raises:
        ConfigError: If no role of several ever has a choice, or a depth leaves too few cards.
    """
    if config.shoes is not None:
        return _shoes(config)
    if len(config.sheets) == 1 and len(config.roles) == 1:
        return (Part("", _single(config, config.sheet, config.roles[0])),)
    found = tuple(
        Part(f"{load_rules(sheet).name}_{role}", _single(config, sheet, role))
        for sheet in config.sheets
        for role in config.roles
        if _chooses(sheet, role)
    )
    if not found:
        raise ConfigError(f"rules {', '.join(config.sheets)}: {config.role} never has a choice under any")
    labels = [part.label for part in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ConfigError(f"field 'rules' has the value {config.rules!r}: names the sheet of {twice} twice")
    return found


def _chooses(sheet: str, role: Role) -> bool:
    rules = load_rules(sheet)
    return has_choice(rules, info_states(rules, role))


def _single(config: TrainConfig, sheet: str, role: Role) -> TrainConfig:
    return config.model_copy(update={"rules": sheet, "role": str(role), "shoes": None})


def _shoes(config: TrainConfig) -> tuple[Part, ...]:
    """The seeded shoes, as many at each depth."""
    shoes = config.shoes
    assert shoes is not None
    single = _single(config, config.sheet, config.roles[0])
    try:
        drawn = depleted_shoes(load_rules(single.sheet), shoes.number // len(shoes.depths), shoes.seed)
        states = [state for depth in shoes.depths for state in drawn.states(drawn.depth(depth))]
    except ValueError as error:
        raise ConfigError(f"field 'shoes' has the value {shoes.model_dump()!r}: {error}") from None
    return tuple(Part(f"shoe_{number:03d}", single, state.shoe) for number, state in enumerate(states))
