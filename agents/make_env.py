"""Training environments for Stable-Baselines3, and what nets are asked about each part of a task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

import pan9_gym
from agents.config import TrainConfig, unlearnable
from agents.illegal_moves import CountingVecEnv
from agents.joined_vec_env import JoinedVecEnv, Layout
from agents.opponents import others_everywhere
from agents.parts import Part, parts_of
from agents.vec_env import Pan9VecEnv
from pan9_gym.envs.observation import Encoder, shoe_shares
from pan9_gym.envs.setup import dealer_setup, player_setup
from pan9_gym.envs.sheets import each_sheet
from pan9_gym.game.info_state import InfoStates, has_choice, info_states, legal_table, read_seat
from pan9_gym.game.stakes import Amount, read_side_stakes, read_wagers
from pan9_gym.rules import ConfigError, Role, RulesConfig, load_rules

gymnasium.register_envs(pan9_gym)


@dataclass(frozen=True)
class NetInputs:
    """What a net is asked about one part of its task.

    Attributes:
        rules: The rules.
        states: The information states.
        observations: Each of them as the net sees it, float32, shape (states, features).
    """

    rules: RulesConfig
    states: InfoStates
    observations: npt.NDArray[np.float32]


def net_inputs(config: TrainConfig) -> tuple[NetInputs, ...]:
    """The inputs for every part of a task, in the order of the parts.

    Raises:
        ConfigError: If a role has no choice, or the rules, opponent or observation are not possible.
    """
    encoders = {role: _encoders(config, role) for role in _roles(config)}
    layout = Layout(tuple(len(next(iter(some.values())).layout) for some in encoders.values()))
    found = []
    for part in parts_of(config):
        role, rules = Role(part.config.role), load_rules(part.config.sheet)
        encoder = encoders[role][rules.name]
        seen = encoder.encode_all()
        if part.shoe is not None:
            encoder.show_shoe(seen, shoe_shares(part.shoe, rules.initial_counts))
        if len(encoders) > 1:
            seen = layout.encode(list(encoders).index(role), seen)
        found.append(NetInputs(rules, encoder.states, seen))
    return tuple(found)


def make_vec_env(config: TrainConfig) -> VecEnv:
    """`config.num_envs` environments on the compiled engine, seeded; episode statistics are in units.

    For a learner that takes scalar environments it is SB3's `DummyVecEnv` of one.

    Raises:
        ConfigError: If a role has no choice, or the rules, opponent or observation are not possible.
    """
    vec_env = _scalar_env(config) if config.learner.scalar else _engine_env(config)
    vec_env.seed(config.seed)
    return vec_env


def _scalar_env(config: TrainConfig) -> VecEnv:
    (role,) = _roles(config)
    env_id, arguments = _environment(config, role)
    with _observe_is_named(config):
        env = gymnasium.make(env_id, **arguments)
    return DummyVecEnv([lambda: Monitor(env)])


def _engine_env(config: TrainConfig) -> VecEnv:
    kind = CountingVecEnv if forces_moves(config) else Pan9VecEnv
    roles = _roles(config)
    made = []
    for role in roles:
        env_id, arguments = _environment(config, role)
        with _observe_is_named(config):
            envs = gymnasium.make_vec(
                env_id,
                num_envs=config.num_envs // len(roles),
                vectorization_mode="vector_entry_point",
                copy=False,
                **arguments,
            )
        made.append(kind(envs, reward_scale(config)))
    return made[0] if len(made) == 1 else JoinedVecEnv(made)


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


def own_states(config: TrainConfig) -> InfoStates:
    """The information states of the seat that learns, of one part.

    Raises:
        ConfigError: If there is no such seat.
    """
    rules = load_rules(config.sheet)
    try:
        seat = read_seat(config.num_players, config.seat)
        return info_states(rules, config.roles[0], config.num_players, seat)
    except ValueError as error:
        raise ConfigError(f"field 'num_players' or 'seat': {error}") from None


def forces_moves(config: TrainConfig) -> bool:
    """Whether the rules force a move on a hand that is played on, in any part."""
    return any(_forces_moves(part.config) for part in parts_of(config))


def _forces_moves(config: TrainConfig) -> bool:
    rules, states = load_rules(config.sheet), own_states(config)
    return any(
        len(moves) == 1 and total not in rules.naturals  # a natural ends the hand before any decision
        for row in set(legal_table(rules, states))
        for total, moves in zip(states.column_totals, row, strict=True)
    )


def _roles(config: TrainConfig) -> tuple[Role, ...]:
    """The roles that have something to learn, in the order of `Role`."""
    learning = {part.config.role for part in parts_of(config)}
    return tuple(role for role in config.roles if role in learning)


def _encoders(config: TrainConfig, role: Role) -> dict[str, Encoder]:
    """The encoder of each sheet under which a role learns, by the sheet's name."""
    _, arguments = _environment(config, role)
    with _observe_is_named(config):
        setups = each_sheet(dealer_setup if role is Role.BANKER else player_setup, **arguments)
    return {setup.game.rules.name: setup.encoder for setup in setups}


def _environment(config: TrainConfig, role: Role) -> tuple[str, dict[str, Any]]:
    """The id of the environment of a role, and its arguments."""
    parts = [part for part in parts_of(config) if part.config.role == role]
    for part in parts:
        _check_part(part, config)
    sheets = [load_rules(sheet) for sheet in dict.fromkeys(part.config.sheet for part in parts)]
    arguments: dict[str, Any] = {
        "rules": sheets if len(sheets) > 1 else sheets[0],
        "num_players": config.num_players,
        "wagers": wagers_of(config),
        "side_stakes": _stakes_of(config),
        "opponents": others_everywhere(config, role),
        "observe": config.observe if isinstance(config.observe, str) else tuple(config.observe),
        **_shoe_arguments(config, sheets[0]),
    }
    if role is Role.BANKER:
        return "Pan9/PlayerDealer-v0", arguments
    return "Pan9/Player-v0", {**arguments, "seat": config.seat}


def _check_part(part: Part, config: TrainConfig) -> None:
    rules, role = load_rules(part.config.sheet), part.config.role
    if not has_choice(rules, own_states(part.config)):
        raise ConfigError(
            f"field 'role' has the value {role!r}: the {role} never has a choice under "
            f"{rules.name!r}, so there is nothing to learn"
        )
    why = config.learner.refusal(config, _forces_moves(part.config))
    if why:
        raise ConfigError(unlearnable(config.algorithm, role, rules, why))


def _shoe_arguments(config: TrainConfig, rules: RulesConfig) -> dict[str, Any]:
    """Nearly every hand comes from a shoe of its own: only with the most cards left there is a second one."""
    if config.shoes is None:
        return {}
    fewest, most = config.shoes.cards_left
    total = sum(rules.initial_counts)
    return {
        "shoe_mode": "continuing",
        "start_cards": (fewest, most),
        "penetration": (total - most + 1) / total,
    }


def _stakes_of(config: TrainConfig) -> dict[str, Amount] | None:
    """The stakes on side bets.

    Raises:
        ConfigError: If a bet is not offered, or a stake is not exact or not greater than 0.
    """
    try:
        read_side_stakes(
            load_rules(config.sheets[0]), config.num_players, [config.side_stakes] * config.num_players
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
