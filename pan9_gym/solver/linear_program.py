"""The linear programme that proposes an equilibrium of one player against the banker, in floating point.

Formula:
    maximise   sum_{t, g} u[t, g]
    subject to u[t, g] <= sum_{r of pattern t} sum_h sum_{b in g} p_r(h) M[r, a][h, b] / (T U)
               for every pattern t, banker group g and legal banker action a;  0 <= p <= 1, forced p fixed

Symbols:
    u[t, g]: what the banker leaves the player at one of his decisions, units per unit wagered
    t, g: the banker's patterns, and his groups of hands (`levels`)
    p: the player's drawing probability per group of hands; p_r(h) is p for drawing, 1 - p for standing
    r, h, b, a, M, T: as in `duel`; U: its payoff unit

Source:
    The variables are those of the sequence form (Koller, Megiddo and von Stengel 1996), in which every
    sequence has one choice here. Derivation: this module. The banker, who answers p best, leaves the player
    the lesser of his actions' values at each decision, so the largest sum of the u is the value of the game,
    but for the constant of hands that a natural decides. Where both actions are legal the dual values of the
    two rows add up to 1; that of the DRAW row is the banker's drawing probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from pan9_gym.game.info_state import legal_table
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.duel import Duel
from pan9_gym.solver.levels import Level, groups

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Proposal:
    """A numerical solution, not yet proved.

    Attributes:
        player: Drawing probabilities, shape (1, player groups).
        banker: Drawing probabilities, shape (patterns, banker groups).
    """

    player: Floats
    banker: Floats


def propose(game: Duel, player_level: Level, banker_level: Level) -> Proposal:
    """Solve the programme with HiGHS.

    Raises:
        ArithmeticError: If the solver does not report an optimum.
    """
    player_groups = groups(game.player_states, player_level)
    banker_groups = groups(game.banker_states, banker_level)
    num_patterns = game.banker_states.shape[0]
    num_players, num_bankers = len(player_groups), len(banker_groups)
    num_decisions = num_patterns * num_bankers
    slopes, constants = _banker_lines(game, player_groups, banker_groups)
    banker_legal = legal_table(game.rules, game.banker_states)
    rows, limits, where = [], [], []
    for pattern in range(num_patterns):
        for index, group in enumerate(banker_groups):
            for action in banker_legal[pattern][group[0]]:
                row = np.zeros(num_players + num_decisions)
                row[:num_players] = -slopes[action, pattern, :, index]
                row[num_players + pattern * num_bankers + index] = 1.0
                rows.append(row)
                limits.append(constants[action, pattern, index])
                where.append((action, pattern, index))
    player_legal = legal_table(game.rules, game.player_states)[0]
    bounds: list[tuple[float | None, float | None]] = []
    for group in player_groups:
        legal = player_legal[group[0]]
        bounds.append((0.0, 1.0) if len(legal) > 1 else (float(legal[0]), float(legal[0])))
    bounds += [(None, None)] * num_decisions
    objective = np.concatenate([np.zeros(num_players), -np.ones(num_decisions)])
    result = linprog(objective, A_ub=np.array(rows), b_ub=np.array(limits), bounds=bounds, method="highs-ds")
    if result.status != 0:
        raise ArithmeticError(f"the linear programme of {game.rules.name!r} was not solved: {result.message}")
    banker = np.zeros((num_patterns, num_bankers))
    for (action, pattern, index), dual in zip(where, result.ineqlin.marginals, strict=True):
        if action is Action.DRAW:
            banker[pattern, index] = -dual
    return Proposal(result.x[None, :num_players], banker)


def _banker_lines(
    game: Duel, player_groups: tuple[tuple[int, ...], ...], banker_groups: tuple[tuple[int, ...], ...]
) -> tuple[Floats, Floats]:
    """What the banker's actions leave the player, as lines in p.

    Returns:
        Slopes, axes [action, pattern, player group, banker group], and constants, axes [action, pattern,
        banker group].
    """
    num_patterns = game.banker_states.shape[0]
    slopes = np.zeros((2, num_patterns, len(player_groups), len(banker_groups)))
    constants = np.zeros((2, num_patterns, len(banker_groups)))
    scale = game.num_deals * game.payoff_unit
    rows = _membership(player_groups, game.states(Role.PLAYER).shape[1])
    columns = _membership(banker_groups, game.states(Role.BANKER).shape[1])
    for branch in game.branches:
        for action in Action:
            values = rows @ np.array(branch.payoffs[action] / scale, dtype=float) @ columns.T
            if branch.action is Action.DRAW:
                slopes[action, branch.pattern] += values
            else:
                slopes[action, branch.pattern] -= values
                constants[action, branch.pattern] += values.sum(axis=0)
    return slopes, constants


def _membership(parts: tuple[tuple[int, ...], ...], size: int) -> Floats:
    members = np.zeros((len(parts), size))
    for index, group in enumerate(parts):
        members[index, list(group)] = 1.0
    return members
