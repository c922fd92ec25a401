"""`pan9 table` plays a session of the whole table; `pan9 replay` checks the log of one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from pan9_gym.cli.options import (
    POLICIES,
    AsCsv,
    AsJson,
    AsMarkdown,
    NoCache,
    read_exact,
    read_hands,
    read_output,
)
from pan9_gym.cli.progress import counted, tracked, working
from pan9_gym.cli.running import until_interrupted
from pan9_gym.cli.session_policies import EquilibriumPolicies, read_one, read_seated, spread
from pan9_gym.cli.tables import Cell, Column, Study, Table, written
from pan9_gym.rules.catalog import DEFAULT_SHEET, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import Cover
from pan9_gym.rules.errors import ConfigError, validated
from pan9_gym.rules.side_bets import BCBonus
from pan9_gym.rules.strict_yaml import apply_override
from pan9_gym.table import TableConfig, table_config
from pan9_gym.table.audit import audit
from pan9_gym.table.ledger import Ledger, SeatAccount, ledger_of
from pan9_gym.table.log import LogWriter, check_new, session_lines
from pan9_gym.table.participants import Participant, SeatPolicies, default_stake
from pan9_gym.table.replay import Verdict, replay
from pan9_gym.table.session import Session

WRONG_LOG = 1
"""The exit code of `pan9 replay` for a log with a line that does not follow."""

DEFAULT_SEATS = 6

COUNTS = ("hands_played", "hands_banked", "offers_refused")


def table_command(
    rules: Annotated[str, typer.Option(help="A sheet's name or a path.")] = DEFAULT_SHEET,
    hands: Annotated[str, typer.Option(help="Hands to play, such as 1000 or 1e5.")] = "1000",
    players: Annotated[
        str | None,
        typer.Option(
            help="Who sits at the table, clockwise, and how each plays a hand against the banker, such as "
            f"logical_way*6 or equilibrium,logical_way*2: {POLICIES.replace(' (one player)', '')}. Where "
            "players bank, the bank goes round among them. Default logical_way*6, or as many as may sit."
        ),
    ] = None,
    banker: Annotated[str, typer.Option(help="How whoever banks plays the banker's hand.")] = "logical_way",
    wager: Annotated[
        str, typer.Option(help="Chips wagered on the own hand, for all, or one for each seat with commas.")
    ] = "1",
    side: Annotated[
        list[str] | None, typer.Option("--side", help="A side bet of everybody in chips, such as dragon=1.")
    ] = None,
    banker_stake: Annotated[
        int | None,
        typer.Option(
            help="A player-banker's stake; default seven wagers of the table maximum, no side bets."
        ),
    ] = None,
    bank: Annotated[
        str, typer.Option(help="The probability that a player accepts the bank, for all or for each seat.")
    ] = "1",
    top_up: Annotated[
        str, typer.Option(help="The probability that a player-banker asks the House to fill his stake.")
    ] = "0",
    seed: Annotated[int, typer.Option(help="Decides every card, throw, fault and mixed choice.")] = 1,
    log: Annotated[
        str | None, typer.Option(help="A new file for the log, which `pan9 replay` checks.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A field of the table that differs, such as cover=net or rules.num_decks=8."
        ),
    ] = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """Play a session of the whole table: bank, wagers, dice, cards, settlement.

    Ctrl-C ends it at the next decision, also in the middle of a hand; the log then is good up to there.
    """
    output, number = read_output(json, csv, markdown, no_cache), read_hands(hands)
    loaded, shared = load_rules(rules), EquilibriumPolicies(output.use_cache)
    most = len(table_config(loaded).occupied)
    players = f"logical_way*{min(most, DEFAULT_SEATS)}" if players is None else players
    seated = read_seated(players, loaded, shared)
    config = _read_table(loaded, len(seated), changes or [])
    sides = _read_sides(side or [])
    options = {
        "banker": read_one(banker, loaded, shared),
        "stake": banker_stake,
        "top_up": read_exact("top-up", top_up),
        "side": sides,
    }
    participants = _participants(config, seated, wager.split(","), bank.split(","), options)
    session = Session(config, participants, seed=seed)
    if log is not None:
        check_new(log)
    for post in tracked(session.posts(), "policies"):
        session.prepare(post)
    ledger = _played(session, number, log)
    notes = [*shared.notes, f"seed {seed}; policies: {players}; bankers: {banker}"]
    notes += [f"log: {log}"] if log is not None else []
    notes += _stake_notes(config, sides, banker_stake)
    if session.table.over:
        notes.append(f"the session ended after {ledger.num_hands} hands: all refused the bank")
    elif session.table.pending is not None:
        notes.append(f"stopped in the middle of hand {ledger.num_hands}; the log ends there")
    print(written(_report(config, ledger, notes), output.form))


def replay_command(
    log: Annotated[str, typer.Argument(help="The log that `pan9 table --log` wrote.")],
    rules: Annotated[str | None, typer.Option(help="The sheet that the log must be of; default any.")] = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
) -> None:
    """Replay a session's log to the bit and audit it; exit code 1 if a line does not follow."""
    output = read_output(json, csv, markdown)
    wanted = None if rules is None else load_rules(rules)
    with working(f"replaying {log}"):
        found = _checked(log, wanted)
        ledger = ledger_of(log) if all(verdict.holds for verdict in found.values()) else None
    print(written(_verdicts(log, found, ledger), output.form))
    if ledger is None:
        raise typer.Exit(WRONG_LOG)


def _checked(log: str, rules: RulesConfig | None) -> dict[str, Verdict]:
    """What the checks find; the first wrong line counts, even where a later one cannot be read at all."""
    found: dict[str, Verdict] = {}
    for name, check in {"replay": replay, "audit": audit}.items():
        try:
            found[name] = check(log, rules)
        except ConfigError:
            if all(verdict.holds for verdict in found.values()):
                raise
    return found


def _read_table(rules: RulesConfig, number: int, changes: list[str]) -> TableConfig:
    """The table with as many seats as policies, and what differs."""
    try:
        config = table_config(rules, occupied=tuple(range(number)))
    except ConfigError as error:
        raise ConfigError(f"--players: {number} do not fit: {error}") from None
    if not changes:
        return config
    data: dict[str, Any] = config.model_dump(mode="json")
    for change in changes:
        apply_override(data, change)
    changed = [change for change in changes if change.strip().startswith("rules.")]
    if changed:
        data["rules"]["name"] = f"{rules.name}, {', '.join(changed)}"
    found = validated(TableConfig, data, f"table of {rules.name!r} with {', '.join(changes)}")
    if len(found.occupied) != number:
        raise ConfigError(f"--set occupied: {len(found.occupied)} places for {number} --players")
    return found


def _read_sides(texts: list[str]) -> dict[str, int]:
    sides: dict[str, int] = {}
    for text in texts:
        bet, equals, amount = (part.strip() for part in text.partition("="))
        if not equals or bet in sides or not (amount.isascii() and amount.isdigit()):
            raise ConfigError(f"--side {text!r}: write a side bet once in whole chips, such as dragon=1")
        sides[bet] = int(amount)
    return sides


def _participants(
    config: TableConfig,
    seated: list[SeatPolicies],
    wagers: list[str],
    bank: list[str],
    options: dict[str, Any],
) -> dict[str, Participant]:
    number = len(seated)
    wagers = [text.strip() for text in spread("wager", wagers, number)]
    if not all(text.isascii() and text.isdigit() for text in wagers):
        raise ConfigError(f"--wager {','.join(wagers)!r}: whole chips are needed, such as 5 or 1,5,2")
    accepts = [read_exact("bank", text) for text in spread("bank", bank, number)]
    return {
        seat: Participant(player=policy, wager=int(wager), bank=prob, **options)
        for seat, policy, wager, prob in zip(config.seats, seated, wagers, accepts, strict=True)
    }


def _played(session: Session, number: int, log: str | None) -> Ledger:
    ledger = Ledger()
    with ExitStack() as stack:
        writer = None if log is None else stack.enter_context(LogWriter(Path(log)))
        stop = stack.enter_context(until_interrupted())
        show = stack.enter_context(counted(number, "hands"))
        show(0)
        for lines in session_lines(session, number, stop.is_set):
            for line in lines:
                ledger.add(line)
                if writer is not None:
                    writer.write(line)
            show(ledger.num_hands)
    return ledger


def _report(config: TableConfig, ledger: Ledger, notes: list[str]) -> Study:
    title = f"{ledger.num_hands:,} hands of {config.rules.name}, {ledger.num_dealt:,} dealt"
    notes = [*notes, f"rules fingerprint {config.rules.fingerprint}"]
    return Study(title, (_seats(ledger), _room(ledger)), tuple(notes))


def _stake_notes(config: TableConfig, side: dict[str, int], stake: int | None) -> list[str]:
    """Which side bets may win more than a player-banker's stake holds."""
    if config.bank == "house" or config.cover is Cover.UNLIMITED:
        return []
    held, notes = default_stake(config) if stake is None else stake, []
    for bet in config.rules.side_bets.offered:
        if not side.get(bet) or not config.rules.banker_holds(bet):
            continue
        pays = getattr(config.rules.side_bets, bet)
        is_money = isinstance(pays, BCBonus)
        prize = _largest(pays.prizes) / config.chip_value if is_money else side[bet] * _largest(pays)
        if prize > held:
            notes.append(
                f"{bet} wins up to {float(prize):,.10g} chips, and a banker's stake holds {held:,}: such a "
                "wager plays for a part (--banker-stake)"
            )
    return notes


def _largest(pays: object) -> Fraction:
    """The largest payout in a pay table."""
    if isinstance(pays, Fraction):
        return pays
    parts = dict(pays) if isinstance(pays, BaseModel | Mapping) else {}
    return max(map(_largest, parts.values()), default=Fraction(0))


def _seats(ledger: Ledger) -> Table:
    names = list(SeatAccount().to_dict())
    columns = [Column(name.replace("_", " "), "whole" if name in COUNTS else "chips") for name in names]
    rows: list[tuple[Cell, ...]] = [(seat, *own.to_dict().values()) for seat, own in ledger.seats.items()]
    notes = (
        "chips; net = as player + as banker + side bets - collections",
        "wagered: on hands; returned: wagers and side bets, or parts, that found no cover",
        "cover used: of each stake, the most that was used up at a moment of its settlement",
    )
    return Table("By seat, from the log alone", (Column("seat"), *columns), tuple(rows), notes)


def _room(ledger: Ledger) -> Table:
    nets = sum((seat.net for seat in ledger.seats.values()), Fraction(0))
    rows = (("nets of all seats", nets), ("the room's fees", ledger.fees), ("sum", ledger.balance))
    return Table("Balance", (Column("account"), Column("chips", "chips")), rows)


def _verdicts(log: str, found: dict[str, Verdict], ledger: Ledger | None) -> Study:
    rows: list[tuple[Cell, ...]] = []
    for name, verdict in found.items():
        wrong = verdict.discrepancy
        said = "every line follows" if wrong is None else "a line does not follow"
        if wrong is None and not verdict.complete:
            said = f"every line follows up to the cut after line {verdict.num_lines}"
        says, expected = (None, None) if wrong is None else (wrong.says, wrong.expected)
        line = None if wrong is None else wrong.line
        rows.append((name, said, verdict.num_lines, verdict.num_hands, line, says, expected))
    columns = (
        Column("check"),
        Column("result"),
        Column("lines right", "whole"),
        Column("hands", "whole"),
        Column("first wrong line", "whole"),
        Column("it says"),
        Column("there must be"),
    )
    checks = Table("Checks", columns, tuple(rows))
    tables = (checks,) if ledger is None else (checks, _seats(ledger), _room(ledger))
    notes = [note for verdict in found.values() for note in verdict.notes]
    wrong_lines = [found_.discrepancy.line for found_ in found.values() if found_.discrepancy is not None]
    if wrong_lines:
        notes.append(f"the first wrong line is line {min(wrong_lines)}")
    return Study(f"Log {log}", tables, tuple(notes))
