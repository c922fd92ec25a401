"""Training environments for Stable-Baselines3, and the opponents that only a solver can name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium

import pan9_gym
from agents.config import TrainConfig
from agents.vec_env import Pan9VecEnv
from pan9_gym import policies, solver
from pan9_gym.envs.hand_env import HandEnv
from pan9_gym.game.info_state import has_choice, info_states, read_role
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
    """What rewards are multiplied by for the learner: 1, for DQN 1 / (2 x players).

    SB3's DQN minimises a smooth-L1 loss, which is quadratic up to errors of 1 and linear beyond; only where
    it is quadratic does its minimum lie at the mean reward. A reward and its estimate differ by up to 2.
    """
    return 1.0 if config.on_policy else 0.5


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
    vec_env = Pan9VecEnv(envs, reward_scale(config))
    vec_env.seed(config.seed)
    return vec_env


def _environment(config: TrainConfig) -> tuple[str, dict[str, Any]]:
    """The id of a run's environment, and its arguments."""
    rules, role = load_rules(config.rules), read_role(config.role)
    if not has_choice(rules, info_states(rules, role)):
        raise ConfigError(
            f"field 'role' has the value {config.role!r}: the {role} never has a choice under "
            f"{rules.name!r}, so there is nothing to learn"
        )
    opponent = resolve_opponent(rules, role.opponent, config.opponent)
    env_id, key = ("Pan9/Player-v0", "banker") if role is Role.PLAYER else ("Pan9/PlayerDealer-v0", "players")
    observe = config.observe if isinstance(config.observe, str) else tuple(config.observe)
    return env_id, {"rules": rules, "opponents": {key: opponent}, "observe": observe}


@contextmanager
def _observe_is_named(config: TrainConfig) -> Iterator[None]:
    """What else could be wrong with an environment has been checked before."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(f"field 'observe' has the value {config.observe!r}: {error}") from None
