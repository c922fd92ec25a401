"""`pan9 simulate`: hands by the thousand million, beside what is exactly true."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from pan9_gym.cli.options import (
    POLICIES,
    AsCsv,
    AsJson,
    AsMarkdown,
    Sets,
    Sheet,
    Wagers,
    read_amounts,
    read_exact,
    read_output,
    read_rules,
)
from pan9_gym.cli.progress import counted, working
from pan9_gym.cli.strategy import read_policy
from pan9_gym.cli.tables import Cell, Column, Study, Table, written
from pan9_gym.evaluation.chunks import MOST_HANDS, Plan
from pan9_gym.evaluation.long_run import Figure, LongRun, SimulatedTable, exact_tables, long_run, read_plan
from pan9_gym.game.info_state import read_role
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import DEFAULT_SHEET
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role

FIGURES = (
    Column("estimate", "float"),
    Column("standard error", "float"),
    Column("99 % from", "float"),
    Column("to", "float"),
    Column("exact", "exact"),
    Column("z", "float"),
)

SEATED = Column("seat"), Column("policy")


def simulate_command(
    sheet: Sheet = DEFAULT_SHEET,
    player: Annotated[
        str, typer.Option(help=f"The players' policy, or one for each with commas: {POLICIES}.")
    ] = "logical_way",
    banker: Annotated[str, typer.Option(help="The banker's policy.")] = "logical_way",
    players: Annotated[
        int | None, typer.Option(help="Players against the banker; default as many as policies.")
    ] = None,
    hands: Annotated[str, typer.Option(help="Hands to play, such as 1e9 or 1000000.")] = "1e7",
    versus: Annotated[
        str | None,
        typer.Option(
            help="Other policies of one role, such as banker=wizard or player=uniform,logical_way, "
            "which play the same cards; the differences are reported."
        ),
    ] = None,
    wagers: Wagers = None,
    seed: Annotated[int, typer.Option(help="Decides every card and every mixed choice.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads; the result is the same for any number.")] = 1,
    checkpoint: Annotated[
        str | None, typer.Option(help="A file that keeps the counts; an unfinished run goes on from it.")
    ] = None,
    joint: Annotated[
        bool, typer.Option("--joint", help="The pairs of totals too; JSON and CSV always have them.")
    ] = False,
    exact: Annotated[bool, typer.Option(help="The exact values beside the estimates.")] = True,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
) -> None:
    """Play hands on the compiled engine; Ctrl-C ends the run with the result so far."""
    rules, output = read_rules(sheet, changes), read_output(json, csv, markdown)
    if not 1 <= threads <= (os.cpu_count() or 1):
        raise ConfigError(f"--threads {threads}: 1 to {os.cpu_count() or 1} are possible on this machine")
    seated = _read_players(player, players, rules)
    role, instead = _read_versus(versus, len(seated), rules)
    own = read_policy(banker, rules, Role.BANKER if len(seated) == 1 else None)
    amounts, num_hands = read_amounts("wagers", wagers), _read_hands(hands)
    plan = read_plan(rules, seated, own, num_hands, seed, amounts, instead, role)
    found = _played(plan, threads, None if checkpoint is None else Path(checkpoint), exact)
    print(written(_study(plan, found, joint or output.form in ("json", "csv")), output.form))


def _read_hands(text: str) -> int:
    """A number of hands.

    Raises:
        ConfigError: If it is none, or out of range.
    """
    digits, _, power = text.strip().lower().partition("e")
    known = power.removeprefix("+")
    number = Fraction(0)
    if not power or (known.isascii() and known.isdigit() and len(known) <= 2):
        number = read_exact("hands", digits) * 10 ** int(known or 0)
    if ("e" in text.lower() and not power) or number.denominator != 1 or not 1 <= number <= MOST_HANDS:
        raise ConfigError(
            f"--hands {text!r}: a whole number from 1 to 1e13 is needed, such as 1e9 or 1000000"
        )
    return int(number)


def _read_players(text: str, number: int | None, rules: RulesConfig) -> list[PolicyLike]:
    """The players' policies in seat order; one alone is everybody's.

    Raises:
        ConfigError: If there are more or fewer than players.
    """
    texts = [part.strip() for part in text.split(",")]
    if number is not None and not 1 <= number <= rules.max_players:
        raise ConfigError(f"--players {number}: {rules.name!r} allows 1 to {rules.max_players}")
    if number is not None and len(texts) == 1:
        texts *= number
    if number not in (None, len(texts)):
        raise ConfigError(f"--player {text!r}: {len(texts)} policies for --players {number}; one or all")
    role = Role.PLAYER if len(texts) == 1 else None
    return [read_policy(part, rules, role) for part in texts]


def _read_versus(text: str | None, number: int, rules: RulesConfig) -> tuple[Role, list[PolicyLike] | None]:
    if text is None:
        return Role.BANKER, None
    name, equals, policy = text.partition("=")
    if not equals or name not in tuple(Role):
        raise ConfigError(f"--versus {text!r}: write the role and its policy, such as banker=wizard")
    role = read_role(name)
    if role is Role.PLAYER:
        return role, _read_players(policy, None if "," in policy else number, rules)
    return role, [read_policy(policy, rules, role if number == 1 else None)]


def _played(plan: Plan, threads: int, checkpoint: Path | None, exact: bool) -> LongRun:
    known = None
    if exact:
        with working("finding the exact values"):
            known = exact_tables(plan)
    with _until_interrupted() as stop, counted(plan.num_hands, "hands") as reached:
        return long_run(
            plan,
            exact=known,
            num_threads=threads,
            checkpoint=checkpoint,
            on_progress=reached,
            stop=stop,
        )


@contextmanager
def _until_interrupted() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one ends the program as usual."""
    stop = threading.Event()

    def interrupted(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _study(plan: Plan, found: LongRun, with_joint: bool) -> Study:
    rules, number = plan.game.rules, plan.game.num_players
    tables = _tables(found.own, "", with_joint)
    if found.other is not None:
        tables += _tables(found.other, ", the other policies", with_joint)
        names = [
            own if own == other else f"{own} less {other}"
            for own, other in zip(found.own.policies, found.other.policies, strict=True)
        ]
        rows = [
            (_seat(seat, number), names[seat], *_cells(figure))
            for seat, figure in enumerate(found.differences)
        ]
        tables.append(Table("Difference of the nets on the same cards", (*SEATED, *FIGURES), tuple(rows)))
    played = f"{found.num_hands:,} hands"
    if found.num_hands < found.num_asked:
        played += f" of {found.num_asked:,} (stopped)"
    players = "1 player" if number == 1 else f"{number} players"
    notes = (
        f"seed {found.seed}; a fresh shoe each hand; nets in units; win, tie and loss by total alone",
        *rules.assumptions(num_players=number),
        f"rules fingerprint {rules.fingerprint}",
    )
    return Study(f"{played} of {rules.name}, {players}", tuple(tables), notes)


def _tables(table: SimulatedTable, label: str, with_joint: bool) -> list[Table]:
    number = len(table.policies) - 1
    nets = [
        (_seat(seat, number), table.policies[seat], *_cells(figure)) for seat, figure in enumerate(table.evs)
    ]
    outcomes = [
        (_seat(seat, number), key.name.lower(), table.simulation.outcomes[seat][key], *_cells(figure))
        for seat, row in enumerate(table.outcomes)
        for key, figure in sorted(row.items(), reverse=True)
    ]
    tables = [
        Table(f"Net units a hand{label}", (*SEATED, *FIGURES), tuple(nets)),
        Table(
            f"Outcomes{label}",
            (Column("seat"), Column("outcome"), Column("hands", "whole"), *FIGURES),
            tuple(outcomes),
        ),
    ]
    return [*tables, _joint_table(table, label)] if with_joint else tables


def _joint_table(table: SimulatedTable, label: str) -> Table:
    number = len(table.policies) - 1
    rows = [
        (
            _seat(seat, number),
            player,
            banker,
            table.simulation.joint_totals[seat].get((player, banker), 0),
            *_cells(figure),
        )
        for seat, row in enumerate(table.joint_totals)
        for (player, banker), figure in row.items()
    ]
    head = (Column("seat"), Column("player total", "whole"), Column("banker total", "whole"))
    return Table(f"Joint totals{label}", (*head, Column("hands", "whole"), *FIGURES), tuple(rows))


def _seat(seat: int, num_players: int) -> str:
    if seat == num_players:
        return "banker"
    return "player" if num_players == 1 else f"player {seat}"


def _cells(figure: Figure) -> tuple[Cell, ...]:
    """The cells of `FIGURES`; what is unknown after a single hand is left out."""
    said = figure.to_dict()
    low, high = said["interval_99"] or (None, None)
    return said["mean"], said["standard_error"], low, high, figure.exact, said["z_score"]
