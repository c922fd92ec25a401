"""Training environments for Stable-Baselines3, and the opponents that only a solver can name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import gymnasium

import pan9_gym
from agents.config import TrainConfig
from agents.illegal_moves import CountingVecEnv
from agents.vec_env import Pan9VecEnv
from pan9_gym import policies, solver
from pan9_gym.envs.hand_env import HandEnv
from pan9_gym.game.info_state import InfoStates, has_choice, info_states, legal_table, read_role, read_seat
from pan9_gym.game.stakes import Amount, read_side_stakes, read_wagers
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, Role, RulesConfig, load_rules

gymnasium.register_envs(pan9_gym)

SOLVED = ("equilibrium", "best_response")
"""Opponents that are solved for; every other name is a named policy."""


def resolve_opponent(rules: RulesConfig, role: Role, name: str) -> TabularPolicy:
    """The policy of `role` by name: a named policy, or one that the solver finds.

    Raises:
        ConfigError: If there is no such policy.
    """
    if name == "equilibrium":
        return solver.equilibrium(rules).policy(role)
    if name == "best_response":
        return solver.best_response(rules, role, policies.get("logical_way", rules, role.opponent)).policy
    try:
        return policies.get(name, rules, role)
    except ValueError as error:
        raise ConfigError(
            f"field 'opponent' has the value {name!r}: {error}; or {', '.join(SOLVED)}"
        ) from None


def make_hand_env(config: TrainConfig) -> HandEnv:
    """The unwrapped environment of a run, which plays one hand at a time.

    Raises:
        ConfigError: If the role has no choice, or the rules, opponent or observation are not possible.
    """
    env_id, arguments = _environment(config)
    with _observe_is_named(config):
        env = gymnasium.make(env_id, **arguments).unwrapped
    assert isinstance(env, HandEnv)
    return env


def reward_scale(config: TrainConfig) -> float:
    """What rewards are multiplied by for the learner; the algorithm says why."""
    return config.learner.reward_scale(float(sum(wagers_of(config))))


def wagers_of(config: TrainConfig) -> tuple[Fraction, ...]:
    """Each player's wager, in units.

    Raises:
        ConfigError: If one is not exact or not greater than 0.
    """
    try:
        return read_wagers(config.num_players, config.wagers)
    except ValueError as error:
        raise ConfigError(f"field 'wagers': {error}") from None


def make_vec_env(config: TrainConfig) -> Pan9VecEnv:
    """`config.num_envs` environments on the compiled engine, seeded; episode statistics are in units.

    Raises:
        ConfigError: If the role has no choice, or the rules, opponent or observation are not possible.
    """
    env_id, arguments = _environment(config)
    with _observe_is_named(config):
        envs = gymnasium.make_vec(
            env_id,
            num_envs=config.num_envs,
            vectorization_mode="vector_entry_point",
            copy=False,
            **arguments,
        )
    kind = CountingVecEnv if forces_moves(config) else Pan9VecEnv
    vec_env = kind(envs, reward_scale(config))
    vec_env.seed(config.seed)
    return vec_env


def own_states(config: TrainConfig) -> InfoStates:
    """The information states of the seat that learns.

    Raises:
        ConfigError: If there is no such seat.
    """
    rules = load_rules(config.rules)
    try:
        seat = read_seat(config.num_players, config.seat)
        return info_states(rules, config.role, config.num_players, seat)
    except ValueError as error:
        raise ConfigError(f"field 'num_players' or 'seat': {error}") from None


def forces_moves(config: TrainConfig) -> bool:
    """Whether the rules force a move of the role on a hand that is played on."""
    rules, states = load_rules(config.rules), own_states(config)
    return any(
        len(moves) == 1 and total not in rules.naturals  # a natural ends the hand before any decision
        for row in set(legal_table(rules, states))
        for total, moves in zip(states.column_totals, row, strict=True)
    )


def others_of(config: TrainConfig) -> dict[str, TabularPolicy | str]:
    """Everybody else's policy, as the environments take it; other players play the logical way.

    Raises:
        ConfigError: If the opponent is not known, or is solved for and there are several players.
    """
    rules, role = load_rules(config.rules), read_role(config.role)
    key = "banker" if role is Role.PLAYER else "players"
    if config.num_players == 1:
        return {key: resolve_opponent(rules, role.opponent, config.opponent)}
    if config.opponent in SOLVED:
        raise ConfigError(
            f"field 'opponent' has the value {config.opponent!r}: is solved for one player against the "
            f"banker, not for num_players={config.num_players}"
        )
    try:
        policies.get(config.opponent, rules, role.opponent, config.num_players)
    except ValueError as error:
        raise ConfigError(f"field 'opponent' has the value {config.opponent!r}: {error}") from None
    return {key: config.opponent}


def _environment(config: TrainConfig) -> tuple[str, dict[str, Any]]:
    """The id of a run's environment, and its arguments."""
    rules, role = load_rules(config.rules), read_role(config.role)
    if not has_choice(rules, own_states(config)):
        raise ConfigError(
            f"field 'role' has the value {config.role!r}: the {role} never has a choice under "
            f"{rules.name!r}, so there is nothing to learn"
        )
    why = config.learner.refusal(config, forces_moves(config))
    if why:
        raise ConfigError(
            f"field 'algorithm' has the value {config.algorithm!r}: cannot learn the {role} under "
            f"{rules.name!r}: {why}"
        )
    arguments: dict[str, Any] = {
        "rules": rules,
        "num_players": config.num_players,
        "wagers": wagers_of(config),
        "side_stakes": _stakes_of(config),
        "opponents": others_of(config),
        "observe": config.observe if isinstance(config.observe, str) else tuple(config.observe),
    }
    if role is Role.BANKER:
        return "Pan9/PlayerDealer-v0", arguments
    return "Pan9/Player-v0", {**arguments, "seat": config.seat}


def _stakes_of(config: TrainConfig) -> dict[str, Amount] | None:
    """The stakes on side bets.

    Raises:
        ConfigError: If a bet is not offered, or a stake is not exact or not greater than 0.
    """
    try:
        read_side_stakes(
            load_rules(config.rules), config.num_players, [config.side_stakes] * config.num_players
        )
    except ValueError as error:
        raise ConfigError(f"field 'side_stakes': {error}") from None
    return None if config.side_stakes is None else dict(config.side_stakes)


@contextmanager
def _observe_is_named(config: TrainConfig) -> Iterator[None]:
    """What else could be wrong with an environment has been checked before."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(f"field 'observe' has the value {config.observe!r}: {error}") from None
