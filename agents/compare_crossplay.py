"""Every player against every banker under one sheet, exactly: runs, named policies and best responses.

The last column is the banker's best response to each player, the last row the player's to each banker: what a
policy is worth against somebody who knows it. Entries are the player's expectation, as in `solver.evaluate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from agents.compare_runs import ComparedRun
from agents.opponents import resolve_opponent
from pan9_gym import solver
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, Role, RulesConfig

NAMED = ("logical_way", "equilibrium")
"""Policies of both roles that every matrix has."""

BEST = "best response"

Labelled = tuple[str, TabularPolicy]


@dataclass(frozen=True)
class CrossPlay:
    """The matrix of one sheet.

    Attributes:
        rules: The rules.
        players: Labels of the rows, the best response last.
        bankers: Labels of the columns, the best response last.
        evs: The player's exact expectation per unit wagered, [row][column]; `None` where both respond.
        notes: What is not in it.
    """

    rules: RulesConfig
    players: tuple[str, ...]
    bankers: tuple[str, ...]
    evs: tuple[tuple[Fraction | None, ...], ...]
    notes: tuple[str, ...] = ()

    def ev(self, player: str, banker: str) -> Fraction | None:
        """The entry of a player and a banker."""
        return self.evs[self.players.index(player)][self.bankers.index(banker)]

    def study(self) -> Study:
        """The matrix as a table; the role that has more policies is in the rows."""
        corner, beside, above, evs = "player, against banker", self.players, self.bankers, self.evs
        if len(above) > len(beside):
            corner, beside, above = "banker, against player", above, beside
            evs = tuple(zip(*evs, strict=True))
        columns = (Column(corner), *(Column(label, "exact") for label in above))
        rows = tuple((label, *row) for label, row in zip(beside, evs, strict=True))
        said = "The player's exact EV in units per unit wagered; the banker's is its negative."
        return Study(
            f"Cross-play under `{self.rules.name}`",
            (Table("Every player against every banker", columns, rows),),
            (said, *self.notes),
        )


def cross_play(
    rules: RulesConfig, runs: Sequence[ComparedRun], against: Sequence[str] = ()
) -> CrossPlay | None:
    """The matrix of runs under a sheet, with named policies; `None` if no run can be in it.

    Args:
        rules: The sheet under which all these runs are judged.
        runs: Runs of either role; those with several players or side stakes are left out.
        against: More policies, besides those in `NAMED`: names, which join both roles, and policy files.

    Raises:
        ConfigError: If a policy is not known, or a file is for other rules.
    """
    duels = [run for run in runs if run.is_duel]
    if not duels:
        return None
    left_out = [run.name for run in runs if not run.is_duel]
    notes = (f"Left out for their several players or side stakes: {', '.join(left_out)}.",)
    seated = {role: [*_agents(duels, role), *_others(rules, role, against)] for role in Role}
    return matrix(rules, seated[Role.PLAYER], seated[Role.BANKER], notes if left_out else ())


def matrix(
    rules: RulesConfig, players: Sequence[Labelled], bankers: Sequence[Labelled], notes: tuple[str, ...] = ()
) -> CrossPlay:
    """The matrix of any policies, with the best responses to each.

    Args:
        rules: The rules.
        players: (label, policy) of the rows.
        bankers: (label, policy) of the columns.
        notes: What has to be said about it.
    """
    columns = []
    for _, banker in bankers:
        values = solver.action_values(rules, Role.PLAYER, banker)
        best = solver.best_response_to_values(values, "hand").ev
        columns.append([*(values.ev(player) for _, player in players), best])
    answers: list[Fraction | None] = [
        -solver.best_response(rules, Role.BANKER, player).ev for _, player in players
    ]
    rows = zip(*columns, [*answers, None], strict=True)
    return CrossPlay(
        rules,
        (*(label for label, _ in players), BEST),
        (*(label for label, _ in bankers), BEST),
        tuple(map(tuple, rows)),
        notes,
    )


def _agents(runs: Sequence[ComparedRun], role: Role) -> list[Labelled]:
    agents: list[Labelled] = []
    for run in runs:
        if run.policies.greedy.role is role:
            agents += [(run.name, run.policies.greedy), (f"{run.name}, stochastic", run.policies.stochastic)]
    return agents


def _others(rules: RulesConfig, role: Role, against: Sequence[str]) -> list[Labelled]:
    found: list[Labelled] = []
    for name in dict.fromkeys([*NAMED, *against]):
        if name.endswith(".json"):
            policy = TabularPolicy.load(name, rules)
            if policy.num_players != 1 or policy.states.with_suits:
                raise ConfigError(f"{name}: is of {policy.states.seat_text}; one player is needed, unsuited")
            found += [(name, policy)] if policy.role is role else []
        else:
            found.append((name.replace("_", " "), resolve_opponent(rules, role, name)))
    return found
