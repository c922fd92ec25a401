"""The policies of a session as they are written on the command line; equilibria of all numbers of players."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from fractions import Fraction

from pan9_gym.cli.cache import cached
from pan9_gym.cli.strategy import EQUILIBRIUM, read_policy
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.game.info_state import info_states
from pan9_gym.policies.named import check_name, resolve
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role
from pan9_gym.solver import equilibrium, seats_equilibrium
from pan9_gym.table.participants import OnePolicy, SeatPolicies

MOST_SEATS = 8


class EquilibriumPolicies:
    """The equilibrium of the fresh shoe and equal wagers, solved for each number of players asked for.

    Args:
        use_cache: Whether an equilibrium that is kept will do.

    Attributes:
        name: What logs call it.
        notes: What is known of each one that was needed.
    """

    def __init__(self, use_cache: bool = True) -> None:
        self.name = EQUILIBRIUM
        self.notes: list[str] = []
        self._use_cache = use_cache
        self._solved: dict[tuple[str, int], list[TabularPolicy]] = {}

    def seat_policy(
        self, rules: RulesConfig, role: Role, num_players: int, seat: int, with_suits: bool
    ) -> TabularPolicy:
        """The policy of a seat, the banker being the last."""
        key = rules.fingerprint, num_players
        if key not in self._solved:
            question = {
                "command": "table",
                "rules": rules.fingerprint,
                "name": rules.name,
                "num_players": num_players,
            }
            study = cached(question, lambda: _solve(rules, num_players), self._use_cache)
            self._solved[key] = [_policy(rules, table, num_players) for table in study.tables]
            self.notes += study.notes
        own = seat if role is Role.PLAYER else 0
        return resolve(self._solved[key][seat], rules, role, num_players, own, with_suits)


def _solve(rules: RulesConfig, num_players: int) -> Study:
    """The equilibrium's tables as a study, which can be kept."""
    players = "1 player" if num_players == 1 else f"{num_players} players"
    print(f"solving the equilibrium of {rules.name} for {players} ...", file=sys.stderr, flush=True)
    if num_players == 1:
        duel = equilibrium(rules)
        policies, found = [duel.player, duel.banker], f"exploitability {duel.exploitability}"
    else:
        table = seats_equilibrium(rules, num_players)
        policies = [*table.players, table.banker]
        found = (
            "NashConv 0" if table.kind == "nash" else f"NashConv {float(table.nash_conv):.2e}: only a bound"
        )
    title = f"equilibrium of {rules.name} for {players}"
    return Study(title, tuple(map(_table, policies)), (f"{title}, fresh shoe, equal wagers: {found}",))


def _table(policy: TabularPolicy) -> Table:
    rows = tuple((" ".join(map(str, row)),) for row in policy.draw_probs)
    return Table(str(policy.role), (Column("draw probabilities"),), rows)


def _policy(rules: RulesConfig, table: Table, num_players: int) -> TabularPolicy:
    """A seat's policy from what `_table` made of it; its seat is seen from its number of patterns."""
    role = Role(table.title)
    wanted = tuple(tuple(map(Fraction, str(row[0]).split())) for row in table.rows)
    seats = range(num_players) if role is Role.PLAYER else range(1)
    states = (info_states(rules, role, num_players, seat) for seat in seats)
    fitting = next(own for own in states if own.shape[0] == len(wanted))
    return TabularPolicy(rules, fitting, wanted, EQUILIBRIUM)


def read_seated(text: str, rules: RulesConfig, shared: EquilibriumPolicies) -> list[SeatPolicies]:
    """Everybody's policy from a text such as "logical_way*3,equilibrium".

    Raises:
        ConfigError: If a policy or a number is not possible.
    """
    seated: list[SeatPolicies] = []
    for part in text.split(","):
        name, times, number = (piece.strip() for piece in part.partition("*"))
        known = number if times else "1"
        if not re.fullmatch(r"[1-9]", known) or len(seated) + int(known) > MOST_SEATS:
            raise ConfigError(
                f"--players {text!r}: write policies for 1 to {MOST_SEATS} seats, such as "
                f"logical_way*6 or equilibrium,logical_way*2"
            )
        seated += [read_one(name, rules, shared)] * int(known)
    return seated


def read_one(name: str, rules: RulesConfig, shared: EquilibriumPolicies) -> SeatPolicies:
    """One policy.

    Raises:
        ConfigError: If there is no such policy.
    """
    if name == EQUILIBRIUM:
        return shared
    policy = read_policy(name, rules)
    if isinstance(policy, str):
        check_name(policy)
    return OnePolicy(policy)


def spread(field: str, texts: Sequence[str], number: int) -> Sequence[str]:
    """One text for each seat; one alone is everybody's.

    Raises:
        ConfigError: If there are more or fewer.
    """
    if len(texts) == 1:
        return list(texts) * number
    if len(texts) != number:
        raise ConfigError(f"--{field}: {len(texts)} are given for {number} seats; one or {number} are needed")
    return texts
