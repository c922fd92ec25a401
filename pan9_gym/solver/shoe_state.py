"""The game over any shoe in floating point, fast enough to be asked for every hand.

Both roles' best responses over a new shoe take about 0.3 ms in Pan 9 and 0.45 ms in chemin de fer.

Formula:
    R[c, d] = g(c, d) A(c + d)

    player   w[t, d] = sum_b ways(b) ((1 - q[t, b]) [d = b] + q[t, b] sum_x [d = b + x]),      Y = R w^T
             stand(h) = ways(h) Y[h, t(stand)],        draw(h) = ways(h) sum_v Y[h + v, t(draw v)]
             reach(h) = ways(h) sum_b ways(b) A(h + b)
    banker   w[t, c] = sum_h ways(h) ((1 - p[h]) [c = h, t = t(stand)]
                                      + p[h] sum_v [c = h + v, t = t(draw v)]),                Z = w R
             stand(t, b) = -ways(b) Z[t, b],           draw(t, b) = -ways(b) sum_x Z[t, b + x]
             reach(t, b) = ways(b) sum_c w[t, c] A(c + b)
    decided  sum_{h, b} decided_ways(h, b) R[h, b],    negated for the banker

Symbols:
    c, d: final hands of the player and the banker; h, b: their first cards; v, x: values they draw
    A, ways, decided_ways: as in `final_hands`
    g(c, d): the player's payoff, units per unit wagered
    p, q: drawing probabilities of the player and the banker, 0 to 1
    t: the banker's patterns, t(stand) and t(draw v) those that answer the player; [...]: 1 if true, else 0

Source:
    Naturals: K1. Derivation: this module. Against a fixed opponent everything is linear in R, the one matrix
    that depends on the shoe. The exact counterpart is `action_values`, with which it agrees to about 1e-15.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates, read_role
from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.deal_distribution import ShoeCounts, ShoeLike, read_shoe_for_float
from pan9_gym.solver.final_hands import FinalHands, Floats, final_hands
from pan9_gym.solver.float_saddle import FloatSaddle, Lines, SaddleSearch
from pan9_gym.solver.float_values import FloatResponse, FloatValues

FloatPolicy = PolicyLike | npt.NDArray[Any]
"""A policy's name, a policy, or its drawing probabilities as an array of shape `states.shape`."""

TIE = 1e-12
"""Actions whose values differ by no more, given that the state is reached, are a tie; rounding is 1e-15."""

BLOCK_ROWS = 3
"""Rows per product: with more, BLAS starts threads, which costs more than these small products themselves."""


@dataclass(frozen=True, eq=False)
class ShoeState:
    """One player against the banker over one shoe; made by `shoe_state`.

    Attributes:
        rules: The rules.
        shoe: Cards left of each point value, lowest value first.
    """

    rules: RulesConfig
    shoe: ShoeCounts

    @cached_property
    def _finals(self) -> FinalHands:
        return final_hands(self.rules)

    def states(self, role: Role | str) -> InfoStates:
        """The information states of a role: the axes of its arrays."""
        return self._finals.states[read_role(role)]

    @cached_property
    def _probs(self) -> Floats:
        """A(c + d), axes [final hand, final hand]."""
        finals = self._finals
        longest = int(finals.lengths[-1])
        step = 0 if self.rules.with_replacement else 1
        counts = np.array((*self.shoe, sum(self.shoe)), dtype=float)
        falling = np.ones((len(counts), longest + 1))
        np.cumprod(counts[:, None] - step * np.arange(longest), axis=1, out=falling[:, 1:])
        deals = np.multiply.reduce(np.take(falling, finals.powers), axis=0)
        probs: Floats = np.take(deals / falling[-1, finals.lengths], finals.sum_index)
        return probs

    @cached_property
    def _payoffs(self) -> Floats:
        """R[c, d], axes [player's final hand, banker's final hand]."""
        return self._probs * self._finals.payoffs

    @cached_property
    def _decided(self) -> float:
        """The player's expectation over the hands that a natural decides at once."""
        size = len(self._finals.ways)
        return float((self._finals.decided_ways * self._payoffs[:size, :size]).sum())

    def values(self, role: Role | str, opponent: FloatPolicy) -> FloatValues:
        """Reach and the values of both actions at every information state of `role`.

        Args:
            role: "player" or "banker".
            opponent: The other role's policy, by name, object or array.

        Raises:
            ValueError: If the role is not known or the opponent is no policy of the other role.
        """
        role = read_role(role)
        return self._values(role, self.draw_prob(role.opponent, opponent))

    def _values(self, role: Role, opponent: Floats) -> FloatValues:
        return self._player_values(opponent) if role is Role.PLAYER else self._banker_values(opponent)

    def _player_values(self, banker: Floats) -> FloatValues:
        finals, ways = self._finals, self._finals.ways
        drawing = banker * ways
        weights = np.concatenate((ways - drawing, drawing @ finals.became), axis=1)
        worth = _rows_times(weights, self._payoffs.T)
        drew = worth[finals.draw_patterns[:, None], finals.drawn].sum(axis=0)
        size = len(ways)
        return FloatValues(
            reach=(ways * (self._probs[:size, :size] @ ways))[None],
            stand=(ways * worth[finals.stand_pattern, :size])[None],
            draw=(ways * drew)[None],
            decided=self._decided,
        )

    def _banker_values(self, player: Floats) -> FloatValues:
        finals, ways = self._finals, self._finals.ways
        size, num_finals = len(ways), len(finals.payoffs)
        num_patterns = finals.states[Role.BANKER].shape[0]
        drawing = player[0] * ways
        places = finals.draw_patterns[:, None] * num_finals + finals.drawn
        spread = np.broadcast_to(drawing, places.shape).ravel()
        flat = np.bincount(places.ravel(), spread, num_patterns * num_finals)
        weights = flat.astype(np.float64, copy=False).reshape(num_patterns, num_finals)
        weights[finals.stand_pattern, :size] += ways - drawing
        worth = _rows_times(weights, self._payoffs)
        return FloatValues(
            reach=ways * (weights @ self._probs[:, :size]),
            stand=-ways * worth[:, :size],
            draw=-ways * (worth[:, size:] @ finals.became.T),
            decided=-self._decided,
        )

    def ev(self, player: FloatPolicy, banker: FloatPolicy) -> float:
        """The player's expectation, per unit wagered.

        Raises:
            ValueError: If one is no policy of its role.
        """
        return self.values(Role.PLAYER, banker).ev(self.draw_prob(Role.PLAYER, player))

    def best_response(self, role: Role | str, opponent: FloatPolicy) -> FloatResponse:
        """The best response of `role` by hand.

        Args:
            role: "player" or "banker": who responds.
            opponent: The other role's policy, by name, object or array.

        >>> from pan9_gym import load_rules
        >>> round(shoe_state(load_rules("bicycle")).best_response("banker", "logical_way").ev, 6)
        0.011464

        Raises:
            ValueError: If the role is not known or the opponent is no policy of the other role.
        """
        role = read_role(role)
        return self._respond(role, self.draw_prob(role.opponent, opponent))

    def _respond(self, role: Role, opponent: Floats) -> FloatResponse:
        values = self._values(role, opponent)
        low, high = self._finals.bounds[role]
        draw = ((values.draw - values.stand > TIE * values.reach) | (low > 0)) & (high > 0)
        return FloatResponse(values.ev(draw), draw, values)

    def saddle(self) -> FloatSaddle:
        """An equilibrium by hand, certified by the best responses to it.

        Raises:
            ArithmeticError: If a linear programme is needed and is not solved.
        """
        search = SaddleSearch(self._respond, self._lines, self._finals.bounds)
        return search.run(self.draw_prob(Role.PLAYER, "logical_way"))

    def _lines(self) -> Lines:
        """What each of the banker's decisions leaves the player."""
        finals, ways = self._finals, self._finals.ways
        size, num_patterns = len(ways), finals.states[Role.BANKER].shape[0]
        answered = np.stack((self._payoffs[:, :size], self._payoffs[:, size:] @ finals.became.T)) * ways
        slopes = np.zeros((len(Action), num_patterns, size, size))
        constants = np.zeros((len(Action), num_patterns, size))
        stood = ways[:, None] * answered[:, :size]
        constants[:, finals.stand_pattern] = stood.sum(axis=1)
        slopes[:, finals.stand_pattern] -= stood
        for drawn, pattern in zip(finals.drawn, finals.draw_patterns, strict=True):
            slopes[:, pattern] += ways[:, None] * answered[:, drawn]
        return Lines(slopes, constants)

    def draw_prob(self, role: Role | str, policy: FloatPolicy) -> Floats:
        """A policy's drawing probabilities as float64, shape `states(role).shape`; an array is checked.

        Raises:
            ValueError: If the policy is for another seat, or an array has the wrong shape or a probability
                that is not legal.
        """
        role = read_role(role)
        if isinstance(policy, str):
            return _named(self.rules, role, policy)
        if not isinstance(policy, np.ndarray):
            return resolve(policy, self.rules, role).array
        low, high = self._finals.bounds[role]
        if policy.dtype.kind not in "biuf":
            raise ValueError(f"draw_prob of the {role} has the dtype {policy.dtype}; numbers are needed")
        if policy.shape != low.shape:
            raise ValueError(f"draw_prob of the {role} has shape {policy.shape}; {low.shape} is needed")
        legal = (policy >= low) & (policy <= high)
        if not legal.all():
            raise ValueError(self._problem(role, policy, np.argwhere(~legal)[0].tolist()))
        return policy.astype(np.float64, copy=False)

    def _problem(self, role: Role, policy: npt.NDArray[Any], place: list[int]) -> str:
        pattern, column = place
        states = self._finals.states[role]
        low, high = (end[pattern, column] for end in self._finals.bounds[role])
        return (
            f"draw_prob {policy[pattern, column]} of the {role} for hand {states.hands[column]}, choices "
            f"{states.patterns[pattern]}: {self.rules.name!r} allows {low:g} to {high:g}"
        )


def _rows_times(rows: Floats, matrix: Floats) -> Floats:
    """The product of a few rows and a matrix, in blocks."""
    blocks = [rows[start : start + BLOCK_ROWS] @ matrix for start in range(0, len(rows), BLOCK_ROWS)]
    return np.concatenate(blocks)


@lru_cache(maxsize=64)
def _named(rules: RulesConfig, role: Role, name: str) -> Floats:
    return resolve(name, rules, role).array


def shoe_state(rules: RulesLike, shoe: ShoeLike | None = None) -> ShoeState:
    """The game over a shoe, for answers in floating point; computed when they are asked for.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`; the object where it is called for every hand.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If the shoe does not fit the rules.
    """
    rules = load_rules(rules)
    return ShoeState(rules, read_shoe_for_float(rules, shoe))
