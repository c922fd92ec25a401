"""Monte Carlo on the compiled engine: up to 10^13 hands, beside the exact values where they are known.

`simulate` plays on the readable engine and stays the cross-check; this is some thousand times as fast.

Of two tables of policies the difference of the nets is one number per deal, since both play the same cards,
and its mean and standard error are those of that number. With duplicate deals each deal is played once for
each seat that may get its first card, and what its hands bring together is that one number. What that is good
for was measured: see `read_plan`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any

from pan9_gym.evaluation.checkpoint import read_checkpoint, write_checkpoint
from pan9_gym.evaluation.chunk_workers import Counts
from pan9_gym.evaluation.chunks import run_chunks
from pan9_gym.evaluation.exact_table import ExactTable, exact_table
from pan9_gym.evaluation.plan import Plan, Policies
from pan9_gym.evaluation.run_figures import Figure, SimulatedTable, net_estimates, simulated_tables
from pan9_gym.evaluation.simulate import at_table
from pan9_gym.game.round import Game, new_game
from pan9_gym.game.stakes import Amount
from pan9_gym.policies.play import PolicyLike, seat_policy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.terms import Role
from pan9_gym.solver.setting import StakesLike

CHECKPOINT_SECONDS = 10.0
"""Seconds between two checkpoints."""


@dataclass(frozen=True)
class LongRun:
    """What a long simulation found.

    Attributes:
        num_hands: Hands played at each table.
        num_asked: Hands asked for, with duplicate deals to the end of the last deal; more than were played if
            the run was stopped.
        num_deals: Deals played: as many as hands but for duplicate deals.
        seed: The seed.
        own: The policies' table.
        other: The other policies' table, which played the same cards, or `None`.
        differences: How much more each seat's net was at the first table than at the other, banker last.
    """

    num_hands: int
    num_asked: int
    num_deals: int
    seed: int
    own: SimulatedTable
    other: SimulatedTable | None
    differences: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "num_hands": self.num_hands,
            "num_asked": self.num_asked,
            "num_deals": self.num_deals,
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
    *,
    side_stakes: Sequence[StakesLike | None] | None = None,
    duplicate: bool = False,
) -> Plan:
    """A simulation, checked.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object; one policy alone is one player.
        banker: The banker's policy.
        num_hands: How many hands at each table, at least 1; with duplicates as many more as complete the
            last deal.
        seed: Decides every card and every mixed choice.
        wagers: One per player; default 1 each.
        versus: Other policies of one role, which play the same cards, or `None`.
        versus_role: That role.
        side_stakes: For each player the stakes on side bets by name, per unit wagered, or `None`.
        duplicate: Whether each deal is played once for each seat that may get its first card. With one
            player a table's nets then need about 0.4 times the hands for the same standard error (measured on
            three sheets), but the difference of two tables 0.9 to 1.4 times as many: the same cards have
            taken the luck of the hands out of it already, and hands of one deal are alike where they differ.

    Raises:
        ValueError: If an argument is not possible.
    """
    own = at_table(players)
    game = new_game(load_rules(rules), len(own), wagers=wagers, side_stakes=side_stakes)
    other: Policies | None = None
    if versus is not None:
        instead = at_table(versus)
        wanted = len(own) if versus_role is Role.PLAYER else 1
        if len(instead) != wanted:
            raise ValueError(
                f"versus: {len(instead)} policies of the {versus_role} are given; {wanted} needed here"
            )
        other = _seated(game, [*instead, banker] if versus_role is Role.PLAYER else [*own, *instead])
    return Plan(game, _seated(game, [*own, banker]), other, num_hands, seed, duplicate)


def _seated(game: Game, policies: Sequence[PolicyLike]) -> Policies:
    return tuple(seat_policy(game, seat, policy) for seat, policy in enumerate(policies))


def exact_tables(plan: Plan) -> tuple[ExactTable, ...]:
    """What is exactly true of each table of a plan; seven players may take a minute."""
    return tuple(exact_table(plan.game, policies) for policies in plan.tables)


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
    evs, known = net_estimates(plan, counts), None if exact is None else tuple(exact)
    tables = simulated_tables(plan, counts, evs, known)
    other = tables[1] if len(tables) > 1 else None
    return LongRun(
        num_hands=plan.hands_in(counts.num_chunks),
        num_asked=plan.num_deals * plan.hands_of_deal,
        num_deals=plan.deals_in(counts.num_chunks),
        seed=plan.seed,
        own=tables[0],
        other=other,
        differences=tuple(
            Figure(mean, _exact_difference(known, seat))
            for seat, mean in enumerate(evs[2 * plan.game.num_seats :])
        ),
    )


def _exact_difference(exact: Sequence[ExactTable] | None, seat: int) -> Fraction | None:
    own, other = (None, None) if exact is None else (table.evs[seat] for table in exact)
    return None if own is None or other is None else own - other
