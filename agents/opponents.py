"""Whom an agent meets: opponents by name, and those that only a solver can name."""

from __future__ import annotations

from agents.config import RE_SOLVED, TrainConfig
from pan9_gym import policies, solver
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, Role, RulesConfig, load_rules

SOLVED = ("equilibrium", "best_response", RE_SOLVED)
"""Opponents that are solved for; every other name is a named policy."""


def resolve_opponent(rules: RulesConfig, role: Role, name: str) -> TabularPolicy:
    """The policy of `role` by name: a named policy, or one that the solver finds.

    One that is solved for again and again starts as the equilibrium's, against which the agent is judged.

    Raises:
        ConfigError: If there is no such policy.
    """
    if name in ("equilibrium", RE_SOLVED):
        return solver.equilibrium(rules).policy(role)
    if name == "best_response":
        return solver.best_response(rules, role, policies.get("logical_way", rules, role.opponent)).policy
    try:
        return policies.get(name, rules, role)
    except ValueError as error:
        raise ConfigError(
            f"field 'opponent' has the value {name!r}: {error}; or {', '.join(SOLVED)}"
        ) from None


def others_of(config: TrainConfig) -> dict[str, TabularPolicy | str]:
    """Everybody else's policy at one part, as the environments take it; other players play the logical way.

    Raises:
        ConfigError: If the opponent is not known, or is solved for and there are several players.
    """
    rules, role = load_rules(config.sheet), config.roles[0]
    if config.num_players == 1:
        return {others_key(role): resolve_opponent(rules, role.opponent, config.opponent)}
    if config.opponent in SOLVED:
        raise ConfigError(
            f"field 'opponent' has the value {config.opponent!r}: is solved for one player against the "
            f"banker, not for num_players={config.num_players}"
        )
    return {others_key(role): _named_opponent(config, rules, role)}


def _named_opponent(config: TrainConfig, rules: RulesConfig, role: Role) -> str:
    try:
        policies.get(config.opponent, rules, role.opponent, config.num_players)
    except ValueError as error:
        raise ConfigError(f"field 'opponent' has the value {config.opponent!r}: {error}") from None
    return config.opponent


def others_key(role: Role) -> str:
    """What environments call everybody else of a role, in their opponents."""
    return "banker" if role is Role.PLAYER else "players"


def others_everywhere(config: TrainConfig, role: Role) -> dict[str, TabularPolicy | str]:
    """The same for all sheets of a role together.

    Raises:
        ConfigError: If the opponent is not known under one of them, or is solved for.
    """
    if len(config.sheets) == 1:
        return others_of(config.model_copy(update={"role": str(role)}))
    if config.opponent in SOLVED:
        raise ConfigError(
            f"field 'opponent' has the value {config.opponent!r}: is solved for one sheet, not for a list"
        )
    named = {_named_opponent(config, load_rules(sheet), role) for sheet in config.sheets}
    return {others_key(role): named.pop()}
