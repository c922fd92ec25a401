"""Who sits where when a policy is judged, and what both actions are worth to it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from pan9_gym.game.info_state import read_role, read_seat
from pan9_gym.game.round import Game, new_game
from pan9_gym.game.stakes import Amount
from pan9_gym.policies.play import PolicyLike, Seats, read_opponents, seat_policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.many_seats import banker_values, seat_values
from pan9_gym.solver.setting import StakesLike, read_setting


@dataclass(frozen=True)
class AtTable:
    """A policy at its table; made by `read_at_table`.

    Attributes:
        game: Rules, players and wagers.
        seat: The policy's seat; `num_players` for the banker.
        own: The policy.
        opponents: Everybody's policy, banker last; `None` at the policy's own seat.
        side_stakes: The player's stakes on side bets, or `None`.
        shoe: Cards left, or `None` for a full shoe.
    """

    game: Game
    seat: int
    own: TabularPolicy
    opponents: Seats
    side_stakes: StakesLike | None
    shoe: ShoeLike | None

    @property
    def rules(self) -> RulesConfig:
        """The rules."""
        return self.game.rules

    @property
    def role(self) -> Role:
        """The policy's role."""
        return self.game.role(self.seat)

    @property
    def num_players(self) -> int:
        """Players against the banker."""
        return self.game.num_players

    @property
    def units(self) -> Fraction:
        """What values per unit wagered are multiplied by: the banker's are in units."""
        return self.game.wagers[0] if self.role is Role.BANKER and self.num_players == 1 else Fraction(1)

    @property
    def opponent_name(self) -> str:
        """What the others are called; each name once."""
        return ", ".join(dict.fromkeys(policy.name for policy in self.opponents if policy is not None))

    @cached_property
    def solution(self) -> Equilibrium | None:
        """The equilibrium; `None` where the game has no value."""
        setting = read_setting(self.rules, self.shoe, self.side_stakes)
        if self.num_players > 1 or setting.held.stakes != setting.stakes:
            return None
        return equilibrium(self.rules, shoe=self.shoe, side_stakes=self.side_stakes)

    def seated(self, policy: PolicyLike) -> Seats:
        """Everybody else playing one policy."""
        return tuple(
            None if seat == self.seat else seat_policy(self.game, seat, policy)
            for seat in range(self.game.num_seats)
        )

    def values(self, others: Seats) -> ActionValues:
        """What both actions are worth to the policy's seat when the others play so."""
        if self.num_players == 1:
            opponent = next(policy for policy in others if policy is not None)
            values = action_values(self.rules, self.role, opponent, self.shoe, self.side_stakes)
            return values.times(self.units)
        players = [policy or self.own for policy in others[:-1]]
        if self.role is Role.BANKER:
            return banker_values(self.rules, players, self.game.wagers, self.shoe)
        banker = others[-1]
        assert banker is not None
        return seat_values(self.rules, players, banker, self.seat, self.shoe)


def read_at_table(
    rules: RulesLike,
    policy: PolicyLike,
    role: Role | str,
    opponents: Mapping[str, Any] | PolicyLike | None,
    seat: int,
    wagers: Sequence[Amount] | None,
    side_stakes: StakesLike | None,
    shoe: ShoeLike | None,
) -> AtTable:
    """The table of a report, its arguments checked.

    Raises:
        ValueError: If an argument is not possible, or two of them do not fit.
    """
    loaded, own_role = load_rules(rules), read_role(role)
    number = _num_players(policy, own_role, opponents, wagers)
    stakes = None if side_stakes is None else [side_stakes] * number
    game = new_game(loaded, number, wagers=wagers, side_stakes=stakes)
    if side_stakes and number > 1:
        raise ValueError(f"side_stakes {side_stakes!r}: a report with side stakes is about one player")
    if own_role is Role.BANKER and (type(seat) is not int or seat != 0):
        raise ValueError(f"seat {seat!r}: the banker has no seat number; leave it out")
    own_seat = game.banker_seat if own_role is Role.BANKER else read_seat(number, seat)
    return AtTable(
        game=game,
        seat=own_seat,
        own=seat_policy(game, own_seat, policy),
        opponents=read_opponents(game, own_seat, _by_role(own_role, opponents)),
        side_stakes=side_stakes,
        shoe=shoe,
    )


def _by_role(role: Role, opponents: Mapping[str, Any] | PolicyLike | None) -> Mapping[str, Any] | None:
    if opponents is None or isinstance(opponents, Mapping):
        return opponents
    return {"banker" if role is Role.PLAYER else "players": opponents}


def _num_players(
    policy: PolicyLike,
    role: Role,
    opponents: Mapping[str, Any] | PolicyLike | None,
    wagers: Sequence[Amount] | None,
) -> int:
    """How many players the arguments speak of.

    Raises:
        ValueError: If they speak of different numbers.
    """
    said: dict[str, int] = {}
    if isinstance(wagers, Sequence | np.ndarray) and not isinstance(wagers, str):
        said["wagers"] = len(wagers)
    if isinstance(policy, TabularPolicy):
        said["policy"] = policy.num_players
    by_role = _by_role(role, opponents) or {}
    for name, given in by_role.items():
        if isinstance(given, TabularPolicy):
            said[f"opponents[{name!r}]"] = given.num_players
        elif name == "players" and isinstance(given, list | tuple):
            said["opponents['players']"] = len(given) + (role is Role.PLAYER)
    if len(set(said.values())) > 1:
        raise ValueError(f"num_players: the arguments speak of different numbers of players, {said}")
    return next(iter(said.values()), 1)
