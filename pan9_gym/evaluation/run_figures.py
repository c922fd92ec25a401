"""Estimates of a long simulation beside the exact values where they are known.

Formula:
    mean = sum_d x_d / (m D)
    standard error = sqrt(variance / D) / m,        variance = sum_d (x_d - m mean)^2 / (D - 1)
    z of a mean = (mean - exact) / standard error
    z of a share = (share - p) / sqrt(p (1 - p) / n)
    n = share (1 - share) / standard error^2        where m > 1; all the hands where m = 1

Symbols:
    d, D: a deal, and how many were played; deals are independent of each other
    m: hands of a deal, which are not: 1, or with duplicate deals the number of seats
    x_d: what the hands of a deal bring together, or how many of them had the result whose share is sought
    p: the exact probability
    n: as many independent hands would leave the same error; D where the sample has no spread

Source:
    Definition: this module. The sums are whole numbers of units; nothing is rounded before the end. The
    interval of a share is Wilson's for n hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isfinite, sqrt
from typing import Any

from pan9_gym.evaluation.chunk_workers import NUM_PAIRS, Counts
from pan9_gym.evaluation.exact_table import ExactTable
from pan9_gym.evaluation.plan import Plan
from pan9_gym.evaluation.simulate import Simulation, outcomes_of
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Outcome
from pan9_gym.solver.estimates import Estimate, share

Pair = tuple[int, int]
"""Totals of a player and the banker."""

PAIRS: tuple[Pair, ...] = tuple((player, banker) for player in TOTALS for banker in TOTALS)


@dataclass(frozen=True)
class Figure:
    """An estimate beside the exact value.

    Attributes:
        estimate: What the sample says.
        exact: What is true; `None` where nobody asked the solver.
    """

    estimate: Estimate
    exact: Fraction | None

    @property
    def z_score(self) -> float | None:
        """The distance in standard errors, of a share in those of the exact value; `None` if unknown."""
        estimate, exact = self.estimate, self.exact
        if exact is None or not isfinite(estimate.standard_error):
            return None
        difference = estimate.mean - float(exact)
        error = estimate.standard_error
        if estimate.num_trials is not None:
            error = sqrt(float(exact * (1 - exact)) / estimate.num_trials)
        if error == 0:
            return copysign(inf, difference) if difference else 0.0
        return difference / error

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity: `None` for it; fractions as texts."""
        z_score = self.z_score
        return {
            **self.estimate.to_dict(),
            "exact": None if self.exact is None else str(self.exact),
            "z_score": z_score if z_score is not None and isfinite(z_score) else None,
        }


@dataclass(frozen=True)
class SimulatedTable:
    """What policies brought at one table.

    Attributes:
        policies: Each seat's policy by name, banker last.
        simulation: The counts.
        outcome_shares: For each player the estimated share of each outcome.
        joint_shares: For each player that of each pair of totals.
        exact: What is exactly true, or `None`.
    """

    policies: tuple[str, ...]
    simulation: Simulation
    outcome_shares: tuple[dict[Outcome, Estimate], ...]
    joint_shares: tuple[dict[Pair, Estimate], ...]
    exact: ExactTable | None

    @property
    def evs(self) -> tuple[Figure, ...]:
        """Each seat's net units per hand, banker last."""
        exact = self.exact
        return tuple(
            Figure(entry, None if exact is None else exact.evs[seat])
            for seat, entry in enumerate(self.simulation.ev)
        )

    @property
    def outcomes(self) -> tuple[dict[Outcome, Figure], ...]:
        """For each player how often it won, tied and lost, by total alone."""
        found = []
        for seat, shares in enumerate(self.outcome_shares):
            exact = dict.fromkeys(Outcome, Fraction(0))
            known = self._joint_probs(seat)
            for pair, prob in known.items():
                exact[compare(*pair)] += prob
            found.append({key: Figure(shares[key], exact[key] if known else None) for key in Outcome})
        return tuple(found)

    @property
    def joint_totals(self) -> tuple[dict[Pair, Figure], ...]:
        """For each player how often each (player total, banker total) came."""
        found = []
        for seat, shares in enumerate(self.joint_shares):
            known = self._joint_probs(seat)
            found.append({pair: Figure(shares[pair], known.get(pair)) for pair in PAIRS})
        return tuple(found)

    def _joint_probs(self, seat: int) -> dict[Pair, Fraction]:
        """The exact probability of each pair; empty if it is not known."""
        rows = None if self.exact is None else self.exact.joint_totals[seat]
        return {} if rows is None else {(player, banker): rows[player][banker] for player, banker in PAIRS}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "policies": list(self.policies),
            "evs": [figure.to_dict() for figure in self.evs],
            "outcomes": [{key.name: entry.to_dict() for key, entry in row.items()} for row in self.outcomes],
            "counts": self.simulation.to_dict()["joint_totals"],
            "joint_totals": [
                [[row[player, banker].to_dict() for banker in TOTALS] for player in TOTALS]
                for row in self.joint_totals
            ],
        }


def net_estimates(plan: Plan, counts: Counts) -> list[Estimate]:
    """Mean nets in units a hand, in the order of `Plan.num_sums`."""
    seats, number = plan.game.num_seats, plan.deals_in(counts.num_chunks)
    return [
        _estimate(
            counts.sums[place], counts.squares[place], number, plan.units[place % seats] / plan.hands_of_deal
        )
        for place in range(plan.num_sums)
    ]


def simulated_tables(
    plan: Plan, counts: Counts, evs: list[Estimate], exact: tuple[ExactTable, ...] | None
) -> list[SimulatedTable]:
    """What the counts say of each table of a plan.

    Args:
        plan: What was played.
        counts: What it brought.
        evs: `net_estimates`.
        exact: What is exactly true of the tables, or `None`.
    """
    seats = plan.game.num_seats
    tables = []
    for number, policies in enumerate(plan.tables):
        simulation = _simulation(plan, counts, number, tuple(evs[number * seats : (number + 1) * seats]))
        players = range(plan.game.num_players)
        tables.append(
            SimulatedTable(
                policies=tuple(policy.name for policy in policies),
                simulation=simulation,
                outcome_shares=tuple(
                    {
                        key: _share(
                            plan, counts, number, seat, NUM_PAIRS + place, simulation.outcomes[seat][key]
                        )
                        for place, key in enumerate(sorted(Outcome))
                    }
                    for seat in players
                ),
                joint_shares=tuple(
                    {
                        pair: _share(
                            plan, counts, number, seat, place, simulation.joint_totals[seat].get(pair, 0)
                        )
                        for place, pair in enumerate(PAIRS)
                    }
                    for seat in players
                ),
                exact=None if exact is None else exact[number],
            )
        )
    return tables


def _share(plan: Plan, counts: Counts, table: int, seat: int, label: int, number: int) -> Estimate:
    """A share of hands; `label` is its place in `Counts.share_squares`, `number` how many hands had it."""
    deals, hands = plan.deals_in(counts.num_chunks), plan.hands_in(counts.num_chunks)
    if not plan.duplicate:
        return share(number, hands)
    squares = int(counts.share_squares[table, seat, label])
    found = _estimate(number, squares, deals, Fraction(1, plan.hands_of_deal))
    if deals < 2:
        return found
    spread, error = found.mean * (1 - found.mean), found.standard_error
    return Estimate(found.mean, error, round(spread / error**2) if spread and error else deals)


def _estimate(total: int, squares: int, number: int, unit: Fraction) -> Estimate:
    """The mean of whole numbers times their unit; nothing is rounded before the end."""
    mean = Fraction(total, number)
    if number < 2:
        return Estimate(float(mean * unit), inf)
    variance = (squares - number * mean**2) / (number - 1)
    return Estimate(float(mean * unit), sqrt(variance / number) * float(unit))


def _simulation(plan: Plan, counts: Counts, table: int, evs: tuple[Estimate, ...]) -> Simulation:
    joint = [
        {pair: int(numbers[pair]) for pair in PAIRS if numbers[pair]}
        for numbers in counts.joint_totals[table]
    ]
    return Simulation(
        num_hands=plan.hands_in(counts.num_chunks),
        seed=plan.seed,
        ev=evs,
        outcomes=tuple(map(outcomes_of, joint)),
        joint_totals=tuple(joint),
    )
