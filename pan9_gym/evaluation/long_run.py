"""Monte Carlo on the compiled engine: up to 10^13 hands, beside the exact values where they are known.

`simulate` plays on the readable engine and stays the cross-check; this is some thousand times as fast.

Formula:
    z of a mean = (mean - exact) / standard error
    z of a share = (share - p) / sqrt(p (1 - p) / n),        p the exact probability

Symbols:
    n: hands; mean, standard error, share: of the sample (`Estimate`), the sums being exact whole numbers

Source:
    Definition: this module. Of two tables of policies the difference of the nets is one number per hand,
    since both play the same cards, and its mean and standard error are those of that number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isfinite, sqrt
from pathlib import Path
from time import monotonic
from typing import Any

from pan9_gym.evaluation.checkpoint import read_checkpoint, write_checkpoint
from pan9_gym.evaluation.chunks import Counts, Plan, Policies, run_chunks
from pan9_gym.evaluation.simulate import Simulation, at_table, outcomes_of
from pan9_gym.game.round import Game, new_game
from pan9_gym.game.stakes import Amount
from pan9_gym.policies.play import PolicyLike, seat_policy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import TOTALS, read_whole
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Outcome, Role
from pan9_gym.solver import evaluate, evaluate_seats
from pan9_gym.solver.estimates import Estimate, share

CHECKPOINT_SECONDS = 10.0
"""Seconds between two checkpoints."""


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
class ExactTable:
    """What is exactly true of a table.

    Attributes:
        evs: Each seat's expectation in units, banker last.
        joint_totals: For each player the probability of each pair of totals, `[player][banker]`.
    """

    evs: tuple[Fraction, ...]
    joint_totals: tuple[tuple[tuple[Fraction, ...], ...], ...]


@dataclass(frozen=True)
class SimulatedTable:
    """What policies brought at one table.

    Attributes:
        policies: Each seat's policy by name, banker last.
        simulation: The counts.
        exact: What is exactly true, or `None`.
    """

    policies: tuple[str, ...]
    simulation: Simulation
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
        for seat, numbers in enumerate(self.simulation.outcomes):
            exact = dict.fromkeys(Outcome, Fraction(0))
            for (player, banker), prob in self._joint_probs(seat).items():
                exact[compare(player, banker)] += prob
            found.append({key: self._share(numbers[key], exact[key]) for key in Outcome})
        return tuple(found)

    @property
    def joint_totals(self) -> tuple[dict[tuple[int, int], Figure], ...]:
        """For each player how often each (player total, banker total) came."""
        return tuple(
            {
                (player, banker): self._share(
                    numbers.get((player, banker), 0),
                    self._joint_probs(seat).get((player, banker), Fraction(0)),
                )
                for player in TOTALS
                for banker in TOTALS
            }
            for seat, numbers in enumerate(self.simulation.joint_totals)
        )

    def _joint_probs(self, seat: int) -> dict[tuple[int, int], Fraction]:
        if self.exact is None:
            return {}
        rows = self.exact.joint_totals[seat]
        return {(player, banker): rows[player][banker] for player in TOTALS for banker in TOTALS}

    def _share(self, number: int, exact: Fraction) -> Figure:
        return Figure(share(number, self.simulation.num_hands), None if self.exact is None else exact)

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


@dataclass(frozen=True)
class LongRun:
    """What a long simulation found.

    Attributes:
        num_hands: Hands played.
        num_asked: Hands asked for; more than were played if the run was stopped.
        seed: The seed.
        own: The policies' table.
        other: The other policies' table, which played the same cards, or `None`.
        differences: How much more each seat's net was at the first table than at the other, banker last.
    """

    num_hands: int
    num_asked: int
    seed: int
    own: SimulatedTable
    other: SimulatedTable | None
    differences: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "num_hands": self.num_hands,
            "num_asked": self.num_asked,
            "seed": self.seed,
            "own": self.own.to_dict(),
            "other": None if self.other is None else self.other.to_dict(),
            "differences": [figure.to_dict() for figure in self.differences],
        }


def read_plan(
    rules: RulesLike,
    players: Sequence[PolicyLike] | PolicyLike,
    banker: PolicyLike,
    num_hands: int,
    seed: int,
    wagers: Sequence[Amount] | None = None,
    versus: Sequence[PolicyLike] | PolicyLike | None = None,
    versus_role: Role = Role.BANKER,
) -> Plan:
    """A simulation, checked.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object; one policy alone is one player.
        banker: The banker's policy.
        num_hands: How many hands, at least 1.
        seed: Decides every card and every mixed choice.
        wagers: One per player; default 1 each.
        versus: Other policies of one role, which play the same cards, or `None`.
        versus_role: That role.

    Raises:
        ValueError: If an argument is not possible.
    """
    own = at_table(players)
    game = new_game(load_rules(rules), len(own), wagers=wagers)
    other: Policies | None = None
    if versus is not None:
        instead = at_table(versus)
        wanted = len(own) if versus_role is Role.PLAYER else 1
        if len(instead) != wanted:
            raise ValueError(
                f"versus: {len(instead)} policies of the {versus_role} are given; {wanted} needed here"
            )
        other = _seated(game, [*instead, banker] if versus_role is Role.PLAYER else [*own, *instead])
    return Plan(game, _seated(game, [*own, banker]), other, num_hands, seed)


def _seated(game: Game, policies: Sequence[PolicyLike]) -> Policies:
    return tuple(seat_policy(game, seat, policy) for seat, policy in enumerate(policies))


def exact_tables(plan: Plan) -> tuple[ExactTable, ...]:
    """What is exactly true of each table of a plan; seven players may take a minute."""
    return tuple(_exact_table(plan.game, policies) for policies in plan.tables)


def _exact_table(game: Game, policies: Policies) -> ExactTable:
    *players, banker = policies
    if len(players) == 1:
        one = evaluate(game.rules, players[0], banker)
        return ExactTable((game.wagers[0] * one.ev, -game.wagers[0] * one.ev), (one.joint_totals,))
    found = evaluate_seats(game.rules, players, banker, game.wagers)
    evs = (wager * ev for wager, ev in zip(game.wagers, found.evs, strict=True))
    return ExactTable((*evs, found.banker_ev), found.joint_totals)


def long_run(
    plan: Plan,
    *,
    exact: Sequence[ExactTable] | None = None,
    num_threads: int = 1,
    checkpoint: Path | str | None = None,
    on_progress: Callable[[int], None] | None = None,
    stop: threading.Event | None = None,
) -> LongRun:
    """Play a plan's hands on the compiled engine.

    Args:
        plan: What is to be played (`read_plan`).
        exact: What is exactly true of its tables (`exact_tables`), to stand beside the estimates.
        num_threads: How many threads, from 1 to the number of cores; the result is the same.
        checkpoint: A file that keeps the counts so far; an earlier run's are gone on from.
        on_progress: Called with the number of hands so far, at the start and after every chunk.
        stop: Once set, the result so far is returned.

    >>> plan = read_plan("bicycle", "logical_way", "wizard", 1000, seed=1)
    >>> long_run(plan, exact=exact_tables(plan)).num_hands
    1000

    Raises:
        ValueError: If an argument is not possible, the checkpoint is another run's, or nothing was played.
    """
    read_whole("num_threads", num_threads, 1)
    path = None if checkpoint is None else Path(checkpoint)
    start = None if path is None else read_checkpoint(path, plan)
    keeper = _Keeper(path, plan)

    def on_chunk(counts: Counts) -> None:
        keeper.keep(counts, CHECKPOINT_SECONDS)
        if on_progress is not None:
            on_progress(plan.hands_in(counts.num_chunks))

    if on_progress is not None:
        on_progress(0 if start is None else plan.hands_in(start.num_chunks))
    keeper.keep(start or Counts.none(plan), 0)  # what cannot be written is an error before the work
    counts = run_chunks(plan, num_threads=num_threads, start=start, on_chunk=on_chunk, stop=stop)
    keeper.keep(counts, 0)
    if not counts.num_chunks:
        raise ValueError("the simulation was stopped before its first hands were counted")
    return _result(plan, counts, exact)


class _Keeper:
    """Writes the checkpoint, where there is one, not too often."""

    def __init__(self, path: Path | None, plan: Plan) -> None:
        self._path, self._plan = path, plan
        self._last = 0.0

    def keep(self, counts: Counts, seconds: float) -> None:
        if self._path is not None and monotonic() - self._last >= seconds:
            write_checkpoint(self._path, self._plan, counts)
            self._last = monotonic()


def _result(plan: Plan, counts: Counts, exact: Sequence[ExactTable] | None) -> LongRun:
    seats, num_hands = plan.game.num_seats, plan.hands_in(counts.num_chunks)
    means = [
        _estimate(counts.sums[place], counts.squares[place], num_hands, plan.units[place % seats])
        for place in range(plan.num_sums)
    ]
    tables = [
        SimulatedTable(
            tuple(policy.name for policy in policies),
            _simulation(plan, counts, number, tuple(means[number * seats : (number + 1) * seats])),
            None if exact is None else exact[number],
        )
        for number, policies in enumerate(plan.tables)
    ]
    differences = tuple(
        Figure(mean, None if exact is None else exact[0].evs[seat] - exact[1].evs[seat])
        for seat, mean in enumerate(means[2 * seats :])
    )
    other = tables[1] if len(tables) > 1 else None
    return LongRun(num_hands, plan.num_hands, plan.seed, tables[0], other, differences)


def _estimate(total: int, squares: int, number: int, unit: Fraction) -> Estimate:
    """The mean of whole numbers times their unit; nothing is rounded before the end."""
    mean = Fraction(total, number)
    if number < 2:
        return Estimate(float(mean * unit), inf)
    variance = (squares - number * mean**2) / (number - 1)
    return Estimate(float(mean * unit), sqrt(variance / number) * float(unit))


def _simulation(plan: Plan, counts: Counts, table: int, evs: tuple[Estimate, ...]) -> Simulation:
    joint = [
        {
            (player, banker): int(numbers[player, banker])
            for player in TOTALS
            for banker in TOTALS
            if numbers[player, banker]
        }
        for numbers in counts.joint_totals[table]
    ]
    return Simulation(
        num_hands=plan.hands_in(counts.num_chunks),
        seed=plan.seed,
        ev=evs,
        outcomes=tuple(map(outcomes_of, joint)),
        joint_totals=tuple(joint),
    )
