"""`pan9 simulate`: hands by the thousand million, beside what is exactly true."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import erfc, isfinite, sqrt
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from pan9_gym.cli.options import (
    POLICIES,
    AsCsv,
    AsJson,
    AsMarkdown,
    SeatStakes,
    Sets,
    Sheet,
    Threads,
    Wagers,
    read_amounts,
    read_hands,
    read_output,
    read_rules,
    read_seat_stakes,
    read_threads,
)
from pan9_gym.cli.progress import PATIENCE, counted, working
from pan9_gym.cli.running import until_interrupted
from pan9_gym.cli.strategy import EQUILIBRIUM, read_policy
from pan9_gym.cli.tables import Cell, Column, Study, Table, written
from pan9_gym.evaluation import LongRun, exact_tables, long_run, read_plan
from pan9_gym.evaluation.plan import Plan, stakes_text
from pan9_gym.evaluation.run_figures import PAIRS, Figure, SimulatedTable
from pan9_gym.game.info_state import read_role
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import DEFAULT_SHEET
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role
from pan9_gym.solver import equilibrium

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
    duplicate: Annotated[
        bool,
        typer.Option(
            help="Play each deal once for each seat that may get the first card, so that every seat holds "
            "every hand; with one player the second time swaps his cards and the banker's. Makes the errors "
            "of nets, wins and losses smaller, but seldom that of a difference."
        ),
    ] = False,
    wagers: Wagers = None,
    stake: SeatStakes = None,
    seed: Annotated[int, typer.Option(help="Decides every card and every mixed choice.")] = 1,
    threads: Threads = "1",
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
    num_threads, number = read_threads(threads), _read_number(player, players, rules)
    stakes = read_seat_stakes(stake, number, rules)
    equilibrium_stakes = stakes[0] if number == 1 else None
    seated = _read_players(player, players, rules, equilibrium_stakes)
    role, instead = _read_versus(versus, number, rules, equilibrium_stakes)
    plan = read_plan(
        rules,
        seated,
        _read_policy(banker, rules, Role.BANKER if number == 1 else None, equilibrium_stakes),
        read_hands(hands),
        seed,
        _read_wagers(wagers, number),
        instead,
        role,
        side_stakes=stakes,
        duplicate=duplicate,
    )
    found = _played(plan, num_threads, None if checkpoint is None else Path(checkpoint), exact)
    print(written(_study(plan, found, exact, joint, output.form in ("json", "csv")), output.form))


def _read_number(text: str, number: int | None, rules: RulesConfig) -> int:
    """How many players there are.

    Raises:
        ConfigError: If the sheet does not allow as many.
    """
    if number is not None and not 1 <= number <= rules.max_players:
        raise ConfigError(f"--players {number}: {rules.name!r} allows 1 to {rules.max_players}")
    return text.count(",") + 1 if number is None else number


def _read_players(
    text: str, number: int | None, rules: RulesConfig, stakes: dict[str, Fraction] | None
) -> list[PolicyLike]:
    """The players' policies in seat order; one alone is everybody's.

    Raises:
        ConfigError: If there are more or fewer than players.
    """
    texts = [part.strip() for part in text.split(",")]
    if number is not None and len(texts) == 1:
        texts *= number
    if number not in (None, len(texts)):
        raise ConfigError(f"--player {text!r}: {len(texts)} policies for --players {number}; one or all")
    role = Role.PLAYER if len(texts) == 1 else None
    return [_read_policy(part, rules, role, stakes) for part in texts]


def _read_versus(
    text: str | None, number: int, rules: RulesConfig, stakes: dict[str, Fraction] | None
) -> tuple[Role, list[PolicyLike] | None]:
    if text is None:
        return Role.BANKER, None
    name, equals, policy = text.partition("=")
    if not equals or name not in tuple(Role):
        raise ConfigError(f"--versus {text!r}: write the role and its policy, such as banker=wizard")
    role = read_role(name)
    if role is Role.PLAYER:
        return role, _read_players(policy, None if "," in policy else number, rules, stakes)
    return role, [_read_policy(policy, rules, role if number == 1 else None, stakes)]


def _read_policy(
    text: str, rules: RulesConfig, role: Role | None, stakes: dict[str, Fraction] | None
) -> PolicyLike:
    """A policy; the equilibrium is that of the game with the side stakes."""
    if text == EQUILIBRIUM and role is not None:
        return equilibrium(rules, side_stakes=stakes).policy(role)
    return read_policy(text, rules, role)


def _read_wagers(text: str | None, number: int) -> list[Fraction] | None:
    """One wager per player.

    Raises:
        ConfigError: If there are more or fewer.
    """
    found = read_amounts("wagers", text)
    if found is not None and len(found) != number:
        raise ConfigError(f"--wagers {text!r}: {len(found)} are given; one per player is needed, so {number}")
    return found


def _played(plan: Plan, threads: int, checkpoint: Path | None, exact: bool) -> LongRun:
    known = None
    if exact:
        with working("finding the exact values"):
            known = exact_tables(plan)
    reached: list[int] = []
    began = monotonic()
    with until_interrupted() as stop, counted(plan.num_deals * plan.hands_of_deal, "hands") as show:

        def on_progress(done: int) -> None:
            reached.append(done)
            del reached[1:-1]
            show(done)

        found = long_run(
            plan,
            exact=known,
            num_threads=threads,
            checkpoint=checkpoint,
            on_progress=on_progress,
            stop=stop,
        )
    played, seconds = reached[-1] - reached[0], monotonic() - began
    if seconds >= PATIENCE:
        said = f"hands: {played:,} in {seconds:.1f} s, {played / seconds:,.0f} a second"
        print(said, file=sys.stderr)
    return found


def _study(plan: Plan, found: LongRun, exact: bool, joint: bool, with_all: bool) -> Study:
    """The result as tables; `with_all` for programs, which get the pairs of totals and the arguments too."""
    tables = _tables(found.own, "", joint or with_all)
    if found.other is not None:
        tables += _tables(found.other, ", the other policies", joint or with_all)
        tables.append(_differences(found))
    if with_all:
        tables.append(_arguments(plan, found))
    notes = (
        f"seed {found.seed}; a fresh shoe each hand; nets in units; win, tie and loss by total alone",
        *_deal_note(plan),
        "intervals are 99 % intervals, those of shares Wilson's",
        *(_exact_notes(found) if exact else ()),
        *plan.game.rules.assumptions(num_players=plan.game.num_players),
        f"rules fingerprint {plan.game.rules.fingerprint}",
    )
    return Study(_title(plan, found), tuple(tables), notes)


def _title(plan: Plan, found: LongRun) -> str:
    game, number = plan.game, plan.game.num_players
    played = f"{found.num_hands:,} hands"
    if found.num_hands < found.num_asked:
        played += f" of {found.num_asked:,} (stopped)"
    parts = [f"{played} of {game.rules.name}", "1 player" if number == 1 else f"{number} players"]
    if any(wager != 1 for wager in game.wagers):
        parts.append(f"wagers {', '.join(map(str, game.wagers))}")
    if any(game.side_stakes):
        parts.append(f"side stakes {stakes_text(game)}")
    if plan.duplicate:
        parts.append(f"{found.num_deals:,} deals")
    return ", ".join(parts)


def _deal_note(plan: Plan) -> tuple[str, ...]:
    if not plan.duplicate:
        return ()
    swapped = ", the second time with the player's and the banker's cards swapped" * (plan.hands_of_deal == 2)
    return (
        f"each deal is played {plan.hands_of_deal} times, once for each seat that may get its first card"
        f"{swapped}; these hands depend on each other, so errors are those of whole deals",
    )


def _exact_notes(found: LongRun) -> tuple[str, ...]:
    """How to read z, and what is not known exactly."""
    tables = [found.own] if found.other is None else [found.own, found.other]
    figures = [figure for table in tables for figure in table.evs]
    unsolved = any(figure.exact is None for figure in figures)
    figures += [figure for table in tables for row in table.outcomes for figure in row.values()]
    scores = [figure.z_score for figure in (*figures, *found.differences)]
    known = [abs(score) for score in scores if score is not None and isfinite(score)]
    notes = ["z: how many standard errors the estimate is from the exact value"]
    if known:
        chance = min(1.0, len(known) * erfc(max(known) / sqrt(2)))
        notes[0] += (
            f"; the largest |z| of {len(known)} nets, outcomes and differences is {max(known):.2f}, "
            f"as large by chance in at most {chance:.2%} of such runs"
        )
    if unsolved:
        notes.append(
            "no exact value of some nets: of several players, side stakes that a player's cards settle "
            "(dragon, bc) are not solved, nor is play that depends on suits"
        )
    return tuple(notes)


def _differences(found: LongRun) -> Table:
    assert found.other is not None
    number = len(found.own.policies) - 1
    names = [
        own if own == other else f"{own} less {other}"
        for own, other in zip(found.own.policies, found.other.policies, strict=True)
    ]
    rows = [
        (_seat(seat, number), names[seat], *_cells(figure)) for seat, figure in enumerate(found.differences)
    ]
    alike = all(figure.estimate.standard_error == figure.estimate.mean == 0 for figure in found.differences)
    notes = ("the policies brought the same on every deal played: no difference, no standard error",)
    title = "Difference of the nets on the same cards"
    return Table(title, (*SEATED, *FIGURES), tuple(rows), notes if alike else ())


def _arguments(plan: Plan, found: LongRun) -> Table:
    """All that decides the figures, for programs."""
    rows = [(name, str(value)) for name, value in plan.identity.items()]
    rows += [
        ("hands asked for", str(found.num_asked)),
        ("hands played", str(found.num_hands)),
        ("deals played", str(found.num_deals)),
        ("level of intervals", "99 %"),
    ]
    return Table("Run", (Column("argument"), Column("value")), tuple(rows))


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
        (_seat(seat, number), *pair, table.simulation.joint_totals[seat].get(pair, 0), *_cells(row[pair]))
        for seat, row in enumerate(table.joint_totals)
        for pair in PAIRS
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
