"""The log of a session: JSON Lines, from which it can be replayed to the bit and audited.

The first line says what was played, the last one how it ended; between them there is one line per event. What
follows from a decision is written before the next one is asked for, so that a crash or a stop leaves a log
that holds up to there, in the middle of a hand too; a log without its last line was cut off.

Every line is an object whose field `event` names its kind. Money is a whole number of chips or a text such as
"19/20"; a card is its text such as "Qs"; a place is a number from 0 to 7 clockwise, -1 for both hands (R1); a
participant is "seat_0" to "seat_7", "house" or "room". The kinds, with their other fields:

- `session`: format, package, numpy, rules, rules_fingerprint, house_rules_fingerprint, table_fingerprint,
  seed, participants, table. The first line. `table` is the whole `TableConfig`, rule sheets included;
  `participants` what decides for each (`Participant.to_dict`), for readers only.
- `hand_begins`: hand. Its number, from 1.
- `shuffle`: cards. A new shoe of so many cards.
- `bank_offered`: to.
- `bank_refused`: by.
- `bank_accepted`: by, place, rules. `rules` is the name of the sheet under which the hand is played.
- `no_banker`: session_over. All have refused.
- `decision`: by, phase, value. An answer as it was given, before anything follows from it (`Phase`).
- `stake`: by, amount. The banker's.
- `sits_out`: by.
- `wager`: by, place, circle, amount, bet. `circle` is 1 for the hand's own player, 2 and 3 for the back line,
  0 for wagers on other hands; `bet` is the side bet's name, or null for a wager on the hand.
- `no_wagers`: nothing else. The hand ends.
- `house_takes_bank`: former, wagers. One bettor with so many wagers (U5).
- `wagers_closed`: places. The places of the hands, in draw order.
- `top_up`: by, answer. "ask" or "decline" (U11).
- `transfer`: source, target, amount, reason. The only lines that move money; `reason` is "collection",
  "collection_returned" or "wager".
- `dice`: dice, counted, action, first. The counted place, where settlement begins, where the deal begins.
- `card`: place, to, card, turn, exposed. `turn` is "deal" or "draw"; `to` is empty where nobody has a wager.
- `card_removed`: place, card.
- `cards_returned`: cards. After a misdeal, shuffled in with those left.
- `discards_shuffled`: cards. Those that fill a shoe which ran out in the draw.
- `misdeal`: reason.
- `fault`: fault, and as the kind of fault needs: place, card, cards, reported, given_to, total, plays,
  forfeits, before, said.
- `choice`: place, by, action, how. `how` is "free", "forced" or "logical_way".
- `hands_set`: nothing else. No player may act any more.
- `banker_opened`: by, cards, total. The banker's first cards.
- `banker_commits`: by, action, total. `total` is of his final hand.
- `hand_opened`: place, by, cards, total. A final hand.
- `settled`: by, place, circle, amount, bet, against, covered, payoff, net, why. A wager: the part played for,
  what it gets per unit (null where it is void), what its bettor wins. `why` is "cards", "void" or the fault
  that forfeits it.
- `bank_turn`: holder, used, over, next. Whether the hand counts as his turn, whether that is over, who is
  next.
- `hand_over`: hand, dealt, net. What everybody has won in the hand; it sums to zero.
- `session_ends`: hands, over, accounts. The last line: hands begun, whether all have refused the bank, what
  everybody has won; it sums to zero.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from pan9_gym.rules.config import RulesConfig, fingerprint_of
from pan9_gym.rules.errors import ConfigError, validated
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.session import MOST_SEED, Session
from pan9_gym.table.table import Table

FORMAT = "pan9-table-log-1"

HEADER, FOOTER, DECISION = "session", "session_ends", "decision"

_ENCODED = json.JSONEncoder(separators=(",", ":")).encode
"""One encoder for all lines: `json.dumps` would make a new one for each."""

LONGEST_LINE = 4_000_000
"""Bytes; the longest real line, a header, has under a hundredth of it."""

LONGEST_QUOTE = 300
"""Characters of a line that are quoted."""

UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError)
"""What a line raises that is well formed, but from whose content nothing can be computed."""


def package_version() -> str:
    """The version of this package; empty where it is not installed."""
    try:
        return version("pan9-gym")
    except PackageNotFoundError:  # the source tree alone
        return ""


def line_text(data: Mapping[str, Any]) -> str:
    """A line of the log, without its end."""
    return _ENCODED(data)


class Header(BaseModel):
    """The first line of a log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: Literal["session"] = "session"
    format: Literal["pan9-table-log-1"] = "pan9-table-log-1"
    package: str
    numpy: str
    rules: str
    rules_fingerprint: str
    house_rules_fingerprint: str | None
    table_fingerprint: str
    seed: int = Field(ge=0, le=MOST_SEED, strict=True)
    participants: dict[str, dict[str, Any]]
    table: TableConfig


def header_of(session: Session) -> dict[str, Any]:
    """The first line of a session's log."""
    config = session.table.config
    return {
        "event": HEADER,
        "format": FORMAT,
        "package": package_version(),
        "numpy": np.__version__,
        "rules": config.rules.name,
        **_fingerprints(config),
        "seed": session.seed,
        "participants": {name: who.to_dict() for name, who in session.participants.items()},
        "table": config.model_dump(mode="json"),
    }


def _fingerprints(config: TableConfig) -> dict[str, str | None]:
    return {
        "rules_fingerprint": config.rules.fingerprint,
        "house_rules_fingerprint": None if config.house_rules is None else config.house_rules.fingerprint,
        "table_fingerprint": fingerprint_of(config.model_dump(mode="json")),
    }


def footer_of(table: Table) -> dict[str, Any]:
    """The last line of a log."""
    accounts = {name: money(amount) for name, amount in table.accounts.items()}
    return {"event": FOOTER, "hands": table.state.num_hands, "over": table.over, "accounts": accounts}


def session_lines(
    session: Session, num_hands: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[list[dict[str, Any]]]:
    """Play a session and say every line of its log.

    Args:
        session: The session, before its first hand.
        num_hands: How many hands.
        stopped: Asked after each decision whether that was the last one; in the middle of a hand the log then
            is one that was cut off.

    Yields:
        The header alone, the lines that follow from each decision together, the footer alone.

    Raises:
        ValueError: If `num_hands` is no whole number from 0.
    """
    steps = session.steps(num_hands)
    yield [header_of(session)]
    for events in steps:
        yield [event.to_dict() for event in events]
        if stopped():
            break
    if session.table.pending is None:
        yield [footer_of(session.table)]


def check_new(path: str | Path) -> None:
    """Refuse to write a log over another file.

    Raises:
        ConfigError: If the file is there.
    """
    if Path(path).exists():
        raise ConfigError(f"{path}: is there already; a log is written to a new file")


class LogWriter:
    """A new log file; lines are handed to the operating system one by one.

    Args:
        path: The file; it must not exist.

    Raises:
        ConfigError: If the file is there.
    """

    def __init__(self, path: str | Path) -> None:
        check_new(path)
        self._file = Path(path).open("x", encoding="utf-8", buffering=1, newline="\n")

    def __enter__(self) -> Self:
        """The writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def write(self, data: Mapping[str, Any]) -> None:
        """Add a line."""
        self._file.write(line_text(data) + "\n")


@dataclass
class LogReader:
    """A log to be read; made by `open_log`.

    Attributes:
        path: The file.
        header: Its first line.
        cut: After reading: whether the last line is only a part of one.
    """

    path: Path
    header: Header
    cut: bool = False

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines after the header as (number, text).

        Raises:
            ConfigError: If a line is damaged in a way that leaves no text.
        """
        for number, text, whole in _texts(self.path):
            if number == 1:
                continue
            if not whole and not _is_object(text):
                self.cut = True
                return
            yield number, text

    def parse(self, number: int, text: str) -> dict[str, Any]:
        """What a line says.

        Raises:
            ConfigError: Naming the line, if it is damaged.
        """
        return parse_line(self.path, number, text)


def open_log(path: str | Path, rules: RulesConfig | None = None) -> LogReader:
    """Read the first line of a log.

    Args:
        path: The file.
        rules: The rules that it must be of; `None` for any.

    Raises:
        ConfigError: If it is no log, damaged, of another format, version or other rules.
    """
    path = Path(path)
    _, text, whole = next(_texts(path), (1, "", False))
    if not text:
        raise ConfigError(f"{path}: line 1: is missing; the file is empty")
    if not whole and not _is_object(text):
        raise ConfigError(f"{path}: line 1: is cut off; nothing can be replayed")
    data = parse_line(path, 1, text)
    where = f"{path}: line 1"
    if data.get("event") != HEADER or data.get("format") != FORMAT:
        raise ConfigError(f"{where}: format {_quoted(data.get('format'))} is not {FORMAT!r}: not such a log")
    if data.get("package") != package_version():
        raise ConfigError(
            f"{where}: was written by version {_quoted(data.get('package'))}; this is {package_version()!r}"
        )
    try:
        header = validated(Header, data, where)
    except ConfigError as error:  # one line, whatever the number of faults
        raise ConfigError(str(error).splitlines()[0][: 3 * LONGEST_QUOTE]) from None
    _check_header(where, header, rules)
    return LogReader(path, header)


def _check_header(where: str, header: Header, rules: RulesConfig | None) -> None:
    """Hold what the header says about its table against the table."""
    table = header.table
    wanted = {**_fingerprints(table), "rules": table.rules.name, "participants": list(table.participants)}
    for name, value in wanted.items():
        found = getattr(header, name)
        if (list(found) if isinstance(found, dict) else found) != value:
            raise ConfigError(
                f"{where}: field {name!r} has the value {_quoted(found)}; of the table written there it is "
                f"{_quoted(value)}"
            )
    if rules is not None and rules.fingerprint != header.rules_fingerprint:
        raise ConfigError(
            f"{where}: is a log of the rules {header.rules!r} ({header.rules_fingerprint}), not of "
            f"{rules.name!r} ({rules.fingerprint})"
        )


def parse_line(path: str | Path, number: int, text: str) -> dict[str, Any]:
    """What a line says.

    Raises:
        ConfigError: Naming the line, if it is damaged.
    """
    try:
        data = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: line {number}: is damaged ({error}): {_quoted(text)}") from None
    if not isinstance(data, dict) or not isinstance(data.get("event"), str):
        raise ConfigError(f"{path}: line {number}: is damaged (no event is named): {_quoted(text)}")
    return data


def _texts(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Lines as (number, text, whether it has an end)."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE):
            number += 1
            whole = raw.endswith(b"\n")
            if not whole and len(raw) == LONGEST_LINE:
                raise ConfigError(f"{path}: line {number}: is longer than {LONGEST_LINE} bytes")
            try:
                text = raw.decode("utf-8").removesuffix("\n")
            except UnicodeDecodeError as error:
                if not whole:
                    yield number, "", False
                    return
                raise ConfigError(f"{path}: line {number}: is damaged ({error.reason})") from None
            yield number, text, whole


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def shortened(text: str) -> str:
    """A text as it is quoted."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _quoted(value: object) -> str:
    return shortened(repr(value))


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} comes twice")
    return found
