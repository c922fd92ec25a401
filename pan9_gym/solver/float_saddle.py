"""A saddle point in floating point: best responses in turn, or a linear programme where they find none.

A pure pair is sought by letting both roles answer each other in full, then one decision at a time (the one
that gains most), from either side. The programme is tried first with only those decisions left open on which
the search did not settle. Every pair is certified by the best responses to it.

Formula:
    l <= value of the game <= u,        value = (u + l) / 2,        exploitability = (u - l) / 2

    maximise sum_{t, b} z[t, b]
    subject to z[t, b] <= constants[a, t, b] + sum_h slopes[a, t, h, b] p[h]        for both actions a
               least <= p <= greatest legal probability

Symbols:
    u: the player's best expectation against the banker's strategy
    l: what the player is sure to get with his own; both per unit wagered
    t, b: the banker's patterns and hands; h: the player's hands; a: the banker's action
    p: the player's drawing probabilities
    z[t, b]: what the banker's better action leaves the player there; a settled decision adds its line instead
    constants, slopes: what action a leaves the player, as a line in p (`Lines`)

Source:
    Derivation: this module. Each role's best response bounds the value from its side. The programme is that
    of `linear_program` (sequence form: Koller, Megiddo and von Stengel 1996). Here each decision is divided
    by its largest slope, so that rare ones count; the dual value of its DRAW row, divided by that slope, is
    the banker's drawing probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy.optimize import linprog

from pan9_gym.game.info_state import read_role
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.final_hands import Floats
from pan9_gym.solver.float_values import FloatResponse

PURE = 1e-12
"""A pure pair is taken for a saddle if its exploitability is no more than this: rounding is about 1e-16."""

CERTIFIED = 1e-9
"""The largest exploitability with which the small programme is taken and the full one not solved."""

MAX_STEPS = 64
"""Answers of one search; it nearly always settles or comes round again within ten."""

Bounds = Mapping[Role, tuple[Floats, Floats]]
"""Least and greatest drawing probability of each role, two arrays of `states.shape`."""


@dataclass(frozen=True, eq=False)
class FloatSaddle:
    """A pair of strategies and how good it is.

    Attributes:
        value: The middle of the bounds on the player's value of the game, within `exploitability` of it.
        player: The player's drawing probabilities, float64, (1, hands).
        banker: The banker's, float64, (patterns, hands).
        exploitability: Half the sum of both roles' gains from a best response.
        method: "pure" where best responses found it, "lp" where the linear programme did.
    """

    value: float
    player: Floats
    banker: Floats
    exploitability: float
    method: Literal["pure", "lp"]

    @property
    def is_pure(self) -> bool:
        """Whether neither role mixes."""
        return all(bool(np.isin(probs, (0.0, 1.0)).all()) for probs in (self.player, self.banker))

    def draw_prob(self, role: Role | str) -> Floats:
        """The strategy of a role."""
        return self.player if read_role(role) is Role.PLAYER else self.banker


@dataclass(frozen=True, eq=False)
class Lines:
    """What the banker's decisions leave the player.

    Attributes:
        slopes: Axes [banker's action, pattern, player's hand, banker's hand].
        constants: Axes [banker's action, pattern, banker's hand].
    """

    slopes: Floats
    constants: Floats


@dataclass(frozen=True, eq=False)
class SaddleSearch:
    """Looks for a saddle point.

    Attributes:
        respond: The best response of a role to the other's drawing probabilities.
        lines: Computes the banker's lines; called only if they are needed.
        bounds: The legal drawing probabilities.
    """

    respond: Callable[[Role, Floats], FloatResponse]
    lines: Callable[[], Lines]
    bounds: Bounds
    _met: dict[Role, list[Floats]] = field(default_factory=lambda: {role: [] for role in Role})

    def run(self, player: Floats) -> FloatSaddle:
        """The saddle point, from a pure strategy of the player to start with.

        Raises:
            ArithmeticError: If the linear programme is not solved.
        """
        start = {Role.PLAYER: player, Role.BANKER: self.respond(Role.BANKER, player).draw.astype(float)}
        for role, in_full in ((Role.PLAYER, True), (Role.PLAYER, False), (Role.BANKER, False)):
            found = self._in_turn(role, start[role], in_full)
            if found is not None:
                return found
        lines = self.lines()
        small = self._solved(lines, self._unsettled())
        return small if small.exploitability <= CERTIFIED else self._solved(lines, self.bounds)

    def _in_turn(self, role: Role, own: Floats, in_full: bool) -> FloatSaddle | None:
        """Both roles in turn: `role` corrects his strategy in full or at one place, the other answers."""
        seen = set()
        for _ in range(MAX_STEPS):
            answer = self.respond(role.opponent, own)
            answering = answer.draw.astype(float)
            back = self.respond(role, answering)
            pair = {role: own, role.opponent: answering}
            if answer.ev + back.ev <= 2 * PURE:
                return self._certified(pair, "pure")
            for who, strategy in pair.items():
                self._met[who].append(strategy)
            seen.add(own.tobytes())
            own = back.draw.astype(float) if in_full else _corrected(own, back)
            if own.tobytes() in seen:
                return None
        return None

    def _certified(self, pair: dict[Role, Floats], method: Literal["pure", "lp"]) -> FloatSaddle:
        upper = self.respond(Role.PLAYER, pair[Role.BANKER]).ev
        lower = -self.respond(Role.BANKER, pair[Role.PLAYER]).ev
        return FloatSaddle(
            value=(upper + lower) / 2,
            player=pair[Role.PLAYER],
            banker=pair[Role.BANKER],
            exploitability=max(0.0, (upper - lower) / 2),
            method=method,
        )

    def _unsettled(self) -> Bounds:
        """Bounds that leave open what the search has met both ways."""
        return {role: (np.min(met, axis=0), np.max(met, axis=0)) for role, met in self._met.items()}

    def _solved(self, lines: Lines, bounds: Bounds) -> FloatSaddle:
        return self._certified(_programme(lines, bounds), "lp")


def _corrected(own: Floats, best: FloatResponse) -> Floats:
    """A pure strategy with its costliest decision turned round."""
    loss = np.abs(best.values.draw - best.values.stand) * (best.draw != own)
    changed = own.copy()
    place = np.unravel_index(loss.argmax(), loss.shape)
    changed[place] = 1.0 - changed[place]
    return changed


def _programme(lines: Lines, bounds: Bounds) -> dict[Role, Floats]:
    """Solve the programme with HiGHS, the decisions whose bounds meet being settled.

    Raises:
        ArithmeticError: If the solver does not report an optimum.
    """
    (low, high), (least, most) = bounds[Role.PLAYER], bounds[Role.BANKER]
    columns = np.flatnonzero(low[0] < high[0])
    is_open = least < most
    where = np.nonzero(is_open)
    slopes = lines.slopes[:, :, columns]
    constants = lines.constants + np.tensordot(lines.slopes, low[0], axes=(2, 0))
    largest = np.abs(slopes).max(axis=(0, 2), initial=0.0)[where]
    scale = np.where(largest > 0, largest, 1.0)
    leaves = np.eye(len(scale))
    rows = [np.hstack((-slopes[action].swapaxes(1, 2)[where] / scale[:, None], leaves)) for action in Action]
    settled = np.stack(((1 - least) * ~is_open, least * ~is_open))
    result = linprog(
        -np.concatenate((np.einsum("atcb,atb->c", slopes, settled), scale)),
        A_ub=np.vstack(rows),
        b_ub=np.concatenate([constants[action][where] / scale for action in Action]),
        bounds=[(0, 1)] * len(columns) + [(None, None)] * len(scale),
        method="highs-ds",
    )
    if result.status != 0:
        raise ArithmeticError(f"the linear programme of a shoe was not solved: {result.message}")
    player, banker = low.copy(), least.copy()
    player[0, columns] = _snapped(result.x[: len(columns)])
    banker[where] = _snapped(-result.ineqlin.marginals[len(scale) :] / scale)
    return {Role.PLAYER: player, Role.BANKER: banker}


def _snapped(probs: Floats) -> Floats:
    """Probabilities with what is 0 or 1 but for rounding set to it."""
    nearest = np.clip(np.round(probs), 0.0, 1.0)
    snapped: Floats = np.where(np.abs(probs - nearest) < CERTIFIED, nearest, np.clip(probs, 0.0, 1.0))
    return snapped
