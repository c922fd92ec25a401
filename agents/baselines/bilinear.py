"""One player against the banker as one bilinear form in floats: what the exact trainers iterate on.

Formula:
    ev(p, q) = k + c p + d q + p A q
    player's gain of drawing, weighted by reach:  g(q) = c + A q
    banker's gain of drawing, weighted by reach:  f(p) = -(d + p A)
    nash_conv(p, q) = sum over i of (max(g_i, 0) - p_i g_i) + the same of q and f, over free decisions

    c[i]    = sum_{h in i} sum_b (sum_{r draws} M[r, STAND][h, b] - sum_{r stands} M[r, STAND][h, b]) / (T u)
    d[t, j] = sum_{r stands, of t} sum_h sum_{b in j} N[r][h, b] / (T u)
    A[i, (t, j)] = sum_{r of t} s_r sum_{h in i, b in j} N[r][h, b] / (T u)

Symbols:
    p[i], q[t, j]: drawing probabilities of the player and the banker, 0 to 1; i, j: groups of hands that the
        level cannot tell apart (`solver.levels`); q is flattened
    r, t, h, b, M, T, u: as in `solver.duel`; N[r] = M[r, DRAW] - M[r, STAND]
    s_r: 1 where the player draws in branch r, -1 where he stands
    ev, g, f: the player's, the player's and the banker's expectation, in units per unit wagered

Source:
    Derivation: this module, by collecting terms in the formula of `solver.duel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates, legal_table
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig
from pan9_gym.rules.terms import token_action
from pan9_gym.solver.duel import Branch, duel
from pan9_gym.solver.levels import Level, expanded, groups
from pan9_gym.solver.setting import read_setting

Floats = npt.NDArray[np.float64]

PROBABILITY_UNIT = 2**40
"""Learned probabilities become fractions over this: an error below 1e-12, and short texts in policy files."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The decisions of one role at one level, and which of them are free.

    Attributes:
        rules: The rules.
        states: The role's information states.
        level: Which hands are told apart.
        rows: The row of each pattern of choices, shape (patterns,): a row of its own with one player. With
            several the banker goes by how many drew; players with equal wagers are the same to him.
        least: The least legal drawing probability, shape (rows, groups).
        most: The greatest one.
    """

    rules: RulesConfig
    states: InfoStates
    level: Level
    rows: npt.NDArray[np.int64]
    least: Floats
    most: Floats

    @classmethod
    def of(cls, rules: RulesConfig, states: InfoStates, level: Level) -> Grid:
        """The grid of a role's information states."""
        firsts = [group[0] for group in groups(states, level)]
        rows = _rows(states)
        legal = [legal_table(rules, states)[pattern] for pattern in np.unique(rows, return_index=True)[1]]
        least = [[float(Action.STAND not in row[column]) for column in firsts] for row in legal]
        most = [[float(Action.DRAW in row[column]) for column in firsts] for row in legal]
        return cls(rules, states, level, rows, np.array(least), np.array(most))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, groups)."""
        return self.least.shape[0], self.least.shape[1]

    @property
    def free(self) -> npt.NDArray[np.bool_]:
        """Where there is a choice."""
        return self.least < self.most

    def legal(self, draw: npt.ArrayLike) -> Floats:
        """Drawing probabilities with forced moves taken, in the shape of the grid."""
        wanted = np.asarray(draw, dtype=np.float64).reshape(self.shape)
        return np.clip(wanted, self.least, self.most)

    def cells(self) -> npt.NDArray[np.int64]:
        """The number of each information state's cell in the flattened grid, shape (states,)."""
        parts = groups(self.states, self.level)
        place = np.empty(self.states.shape[1], dtype=np.int64)
        for number, group in enumerate(parts):
            place[list(group)] = number
        return np.ravel(self.rows[:, None] * len(parts) + place)

    def policy(self, draw: npt.ArrayLike, name: str) -> TabularPolicy:
        """Drawing probabilities as an exact table, rounded to multiples of 1 / `PROBABILITY_UNIT`."""
        units = np.rint(self.legal(draw) * PROBABILITY_UNIT).astype(np.int64)
        known = {value: Fraction(int(value), PROBABILITY_UNIT) for value in np.unique(units)}
        rows = tuple(tuple(known[value] for value in row) for row in units)
        told = expanded(self.states, self.level, rows)
        return TabularPolicy(self.rules, self.states, tuple(told[row] for row in self.rows), name)


def _rows(states: InfoStates) -> npt.NDArray[np.int64]:
    if states.role is Role.PLAYER or states.num_players == 1:
        return np.arange(states.shape[0])
    return np.array([sum(map(token_action, pattern)) for pattern in states.patterns], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BilinearDuel:
    """The bilinear form.

    Attributes:
        player: The player's decisions.
        banker: The banker's decisions.
        c: What drawing brings the player whatever the banker's draws, shape (player's cells,).
        d: What the banker's draws bring the player where he stands, shape (banker's cells,).
        matrix: A, shape (player's cells, banker's cells).
    """

    player: Grid
    banker: Grid
    c: Floats
    d: Floats
    matrix: Floats

    @classmethod
    def of(cls, rules: RulesConfig, level: Level) -> BilinearDuel:
        """The form of a sheet with a full shoe."""
        game = duel(read_setting(rules))
        player, banker = (Grid.of(rules, game.states(role), level) for role in Role)
        sums = _Sums(player, banker, float(game.num_deals * game.payoff_unit))
        for branch in game.branches:
            sums.add(branch)
        return cls(player, banker, sums.c, sums.d.ravel(), sums.matrix.reshape(len(sums.c), -1))

    def grid(self, role: Role) -> Grid:
        """The decisions of a role."""
        return self.player if role is Role.PLAYER else self.banker

    def gains(self, role: Role, opponent: Floats) -> Floats:
        """What drawing brings a role more than standing, weighted by reach, in the shape of his grid."""
        flat = opponent.ravel()
        gains = self.c + self.matrix @ flat if role is Role.PLAYER else -(self.d + flat @ self.matrix)
        return gains.reshape(self.grid(role).shape)

    def best(self, role: Role, opponent: Floats) -> Floats:
        """A best response as drawing probabilities; where both moves are worth the same it stands."""
        return self.grid(role).legal(self.gains(role, opponent) > 0)

    def nash_conv(self, player: Floats, banker: Floats) -> float:
        """The sum of both roles' gaps, in floats."""
        pair = {Role.PLAYER: player, Role.BANKER: banker}
        return sum(
            float(
                ((self.best(role, pair[role.opponent]) - own) * self.gains(role, pair[role.opponent])).sum()
            )
            for role, own in pair.items()
        )


class _Sums:
    """The form while branches are added to it."""

    def __init__(self, player: Grid, banker: Grid, unit: float) -> None:
        self._parts = [groups(grid.states, grid.level) for grid in (player, banker)]
        self._unit = unit
        self.c = np.zeros(player.shape[1])
        self.d = np.zeros(banker.shape)
        self.matrix = np.zeros((player.shape[1], *banker.shape))

    def add(self, branch: Branch) -> None:
        """Add what a branch pays."""
        sign = 1.0 if branch.action is Action.DRAW else -1.0
        stand, draw = (self._grouped(payoffs) for payoffs in branch.payoffs)
        self.c += sign * stand.sum(axis=1)
        self.matrix[:, branch.pattern] += sign * (draw - stand)
        if branch.action is Action.STAND:
            self.d[branch.pattern] += (draw - stand).sum(axis=0)

    def _grouped(self, payoffs: npt.NDArray[np.object_]) -> Floats:
        """Exact sums over groups of hands, as floats per deal."""
        rows = np.stack([payoffs[list(group)].sum(axis=0) for group in self._parts[0]])
        both = np.stack([rows[:, list(group)].sum(axis=1) for group in self._parts[1]], axis=1)
        floats: Floats = (both / self._unit).astype(np.float64)
        return floats
