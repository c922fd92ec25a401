"""The judge of a task: scores policies exactly, by the values of both actions at every information state.

Against fixed opponents these values are computed once; after that an exact expectation is a dot product, and
the gap is the optimum minus it. One judge serves one to seven players, unequal wagers and side stakes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.config import RE_SOLVED, TrainConfig
from agents.make_env import wagers_of
from agents.opponents import others_key, others_of
from pan9_gym import evaluation, solver
from pan9_gym.evaluation import Disagreement, Matchup, Report
from pan9_gym.evaluation.at_table import AtTable, read_at_table
from pan9_gym.game.info_state import InfoStates, legal_table
from pan9_gym.game.stakes import Amount
from pan9_gym.policies import TabularPolicy
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import Row
from pan9_gym.rules import Role, RulesConfig, load_rules
from pan9_gym.solver import ActionValues, BestResponse, best_response_to_values

IntMatrix = npt.NDArray[Any]
"""Python integers."""

MOST_KEPT = 4
"""Policies whose worst-case gaps are kept: the greedy one often stays what it was for many evaluations."""


@dataclass(frozen=True)
class Judge:
    """Scores policies of one seat against fixed opponents, exactly.

    Attributes:
        table: Who sits where, for what money.
        values: What both actions are worth at every information state, a player's per unit wagered, the
            banker's in units, summed over the seats.
        best: The best response.
        is_answered: Whether the opponent answers the agent best: its expectation is then that against the
            best answer, and its gap the worst-case gap; `values` are those against the equilibrium.
    """

    table: AtTable
    values: ActionValues
    best: BestResponse
    is_answered: bool = False

    @classmethod
    def of(cls, config: TrainConfig, shoe: tuple[int, ...] | None = None) -> Judge:
        """The judge of one part of a task; seven players take about twelve seconds, once.

        Args:
            config: The part's config.
            shoe: Cards left of each point value, lowest first; default a full shoe.

        Raises:
            ConfigError: If the config asks for something impossible.
        """
        stakes = tuple(sorted((config.side_stakes or {}).items()))
        wagers = wagers_of(config)
        others = tuple(others_of(config).items())
        rules, role = load_rules(config.sheet), config.roles[0]
        judge = _judge(rules, role, config.seat, wagers, stakes, others, shoe)
        return replace(judge, is_answered=config.opponent == RE_SOLVED)

    def prepare(self) -> None:
        """Solve what worst-case gaps need now, where the game has a value, not in the first evaluation."""
        self.table.solution  # noqa: B018  # kept from here on

    @property
    def optimum(self) -> Fraction:
        """The best response's expectation."""
        return self.best.ev

    @cached_property
    def total_wager(self) -> Fraction:
        """What all players wager together where the gap is read per unit wagered, else 1.

        That is the banker's where wagers differ; a player's is per unit wagered in any case.
        """
        wagers = self.table.game.wagers
        differ = self.table.role is Role.BANKER and len(set(wagers)) > 1
        return sum(wagers, Fraction(0)) if differ else Fraction(1)

    def gap(self, policy: TabularPolicy) -> Fraction:
        """What a policy falls short of the optimum."""
        return self._worst_case_gap(policy) if self.is_answered else self.optimum - self.ev(policy)

    def judged_gap(self, policy: TabularPolicy) -> Fraction:
        """The gap that counts: per unit wagered where wagers differ."""
        return self.gap(policy) / self.total_wager

    def ev(self, policy: TabularPolicy) -> Fraction:
        """A policy's expectation: `values.ev`, faster where patterns share rows."""
        self.values.check(policy)
        if self.is_answered:
            return self.optimum - self._worst_case_gap(policy)
        probs, unit = scaled_table(policy)
        chosen = self._all_stand * unit + (self._gain * probs).sum()
        return Fraction(int(chosen), self.values.value_unit * unit)

    def figures(self, policy: TabularPolicy, worst_case: bool = True) -> dict[str, float]:
        """The exact figures of a policy as floats, by their names in TensorBoard; exactly 0 stays 0.

        Args:
            policy: The policy.
            worst_case: Whether to compute the worst-case gap too, which costs more than all others together.
        """
        ev = self.ev(policy)
        gap = self.optimum - ev
        found = {"ev": float(ev), "gap": float(gap), "agreement": float(self.agreement(policy))}
        if self.total_wager != 1:
            found["gap_per_unit"] = float(gap / self.total_wager)
        if worst_case and self.table.solution is not None:
            found["worst_case_gap"] = float(gap if self.is_answered else self._worst_case_gap(policy))
        return found

    def costliest(self, policy: TabularPolicy, number: int = 5) -> tuple[Disagreement, ...]:
        """The first of `evaluation.disagreements`, without looking at every state of seven players."""
        cells, costs = self._cells, np.zeros(len(self._cell_labels), dtype=object)
        np.add.at(costs, cells.ravel(), (self._distance(policy)[0] * self._cost_weight).ravel())
        order = sorted(np.flatnonzero(costs), key=lambda cell: -costs[cell])
        looked_at = number
        while True:
            kept = np.isin(cells, order[:looked_at])
            some = replace(self.values, reach=np.where(kept, self.values.reach, 0))
            found = evaluation.disagreements(some, policy)[:number]
            rest = [Fraction(costs[cell], self._unit(policy)) for cell in order[looked_at : looked_at + 1]]
            if not rest or (len(found) == number and found[-1].cost > rest[0]):  # equal ones have an order
                return found
            looked_at *= 2

    def report(self, policy: TabularPolicy) -> Report:
        """`evaluation.report` on a policy; with several players from the values that are known."""
        table = replace(self.table, own=policy)
        if table.num_players == 1:
            return evaluation.report(
                table.rules,
                policy,
                table.role,
                self._others,
                wagers=table.game.wagers,
                side_stakes=table.side_stakes,
                shoe=table.shoe,
            )
        return Report(
            rules=table.rules,
            role=table.role,
            policy=policy,
            against_opponent=_matchup(table.opponent_name, self.values, self.optimum, policy),
            against_equilibrium=None,
            against_logical_way=_matchup("logical_way", *self._against_logical_way, policy),
            worst_case_gap=None,
            best_response=self.best,
            disagreements=evaluation.disagreements(self.values, policy),
            logical_way_misses=evaluation.disagreements(self.values, self.logical_way),
            assumptions=table.rules.assumptions(table.num_players),
        )

    @property
    def logical_way(self) -> TabularPolicy:
        """The logical way at the seat."""
        return self.table.own

    @cached_property
    def blind_optimum(self) -> TabularPolicy | None:
        """The best policy that does not look at suits; `None` where nobody sees any."""
        states = self.values.states
        if not states.with_suits:
            return None
        classes = states.num_suit_classes
        gain = (self.values.draw - self.values.stand).reshape(states.shape[0], -1, classes).sum(axis=2)
        draws = np.repeat(gain > 0, classes, axis=1)
        return drawing_where(draws, self.values.rules, states, "suit-blind optimum")

    @property
    def _others(self) -> dict[str, TabularPolicy]:
        other = next(policy for policy in self.table.opponents if policy is not None)
        return {others_key(self.table.role): other}

    @cached_property
    def _against_logical_way(self) -> tuple[ActionValues, Fraction]:
        seated = self.table.seated("logical_way")
        if seated == self.table.opponents:
            return self.values, self.optimum
        values = self.table.values(seated)
        return values, best_response_to_values(values, "hand").ev

    @cached_property
    def _free(self) -> npt.NDArray[np.bool_]:
        """Where there is a choice, bool, the states' shape."""
        legal = legal_table(self.values.rules, self.values.states)
        return np.array([[len(moves) > 1 for moves in row] for row in legal])

    @cached_property
    def _gain(self) -> IntMatrix:
        gain: IntMatrix = self.values.draw - self.values.stand
        return gain

    @cached_property
    def _all_stand(self) -> int:
        return int(self.values.stand.sum()) + self.values.decided

    @cached_property
    def _cost_weight(self) -> IntMatrix:
        return np.where(self._free, np.abs(self._gain), 0)

    @cached_property
    def _agreement_weight(self) -> IntMatrix:
        return np.where(self._free & (self._gain != 0), self.values.reach, 0)

    @cached_property
    def _free_reach(self) -> int:
        return int(np.where(self._free, self.values.reach, 0).sum())

    @cached_property
    def _cells(self) -> npt.NDArray[np.int64]:
        """The number of each state's decision: its pattern, total and suit class."""
        states = self.values.states
        kinds = [
            total * states.num_suit_classes + column % states.num_suit_classes
            for column, total in enumerate(states.column_totals)
        ]
        most = 10 * states.num_suit_classes
        cells: npt.NDArray[np.int64] = np.arange(states.shape[0])[:, np.newaxis] * most + np.array(kinds)
        return cells

    @cached_property
    def _cell_labels(self) -> range:
        return range(int(self._cells.max()) + 1)

    def _distance(self, policy: TabularPolicy) -> tuple[IntMatrix, int]:
        """|p - p*| where p* draws if that gains, as integers over one denominator."""
        probs, unit = scaled_table(policy)
        return np.where(self._gain > 0, unit - probs, probs), unit

    def _unit(self, policy: TabularPolicy) -> int:
        return self.values.value_unit * scaled_table(policy)[1]

    def agreement(self, policy: TabularPolicy) -> Fraction:
        """The share of free decisions that a policy plays as the best response does."""
        distance, unit = self._distance(policy)
        lost = (distance * self._agreement_weight).sum()
        return 1 - Fraction(int(lost), unit * self._free_reach)

    def _worst_case_gap(self, policy: TabularPolicy) -> Fraction:
        """The gap against the best answer; kept for the latest policies, of which much is told."""
        known, table = self._worst_cases, self.table
        if policy.draw_probs in known:
            return known[policy.draw_probs]
        while len(known) >= MOST_KEPT:
            known.pop(next(iter(known)))
        found = solver.worst_case_gap(
            table.rules,
            policy,
            table.role,
            allow_bound=True,
            side_stakes=table.side_stakes,
            shoe=table.shoe,
        )
        return known.setdefault(policy.draw_probs, table.units * found)

    @cached_property
    def _worst_cases(self) -> dict[tuple[Row, ...], Fraction]:
        return {}


@lru_cache(maxsize=512)
def _judge(
    rules: RulesConfig,
    role: Role,
    seat: int,
    wagers: tuple[Fraction, ...],
    side_stakes: tuple[tuple[str, Amount], ...],
    others: tuple[tuple[str, PolicyLike], ...],
    shoe: tuple[int, ...] | None,
) -> Judge:
    table = read_at_table(
        rules, "logical_way", role, dict(others), seat, wagers, dict(side_stakes) or None, shoe
    )
    values = table.values(table.opponents)
    return Judge(table, values, best_response_to_values(values, "hand"))


def drawing_where(
    draws: npt.NDArray[np.bool_], rules: RulesConfig, states: InfoStates, name: str
) -> TabularPolicy:
    """The policy that draws where it says so, shape `states.shape`, and takes the forced moves elsewhere."""
    rows = tuple(
        tuple(
            Fraction(int(draw if len(moves) > 1 else moves[0]))
            for draw, moves in zip(row, legal, strict=True)
        )
        for row, legal in zip(draws.tolist(), legal_table(rules, states), strict=True)
    )
    return TabularPolicy(rules, states, rows, name)


def scaled_table(policy: TabularPolicy) -> tuple[IntMatrix, int]:
    """A policy's probabilities as integers over their least common denominator."""
    by_id = {id(row): row for row in policy.draw_probs}  # a row that stands for many patterns is read once
    unit = lcm(*{prob.denominator for row in by_id.values() for prob in row})
    known = {key: [prob.numerator * (unit // prob.denominator) for prob in row] for key, row in by_id.items()}
    return np.array([known[id(row)] for row in policy.draw_probs], dtype=object), unit


def _matchup(opponent: str, values: ActionValues, optimum: Fraction, policy: TabularPolicy) -> Matchup:
    ev = values.ev(policy)
    return Matchup(opponent, ev, optimum - ev, evaluation.agreement(values, policy))
