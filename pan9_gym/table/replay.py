"""A log replayed: the same table and seed, the decisions of the log; every line must be the same text."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan9_gym.rules.config import RulesConfig
from pan9_gym.table.log import DECISION, FOOTER, Header, LogReader, footer_of, line_text, open_log, shortened
from pan9_gym.table.requests import Decision, Request
from pan9_gym.table.session import open_table
from pan9_gym.table.table import Table


@dataclass(frozen=True)
class Discrepancy:
    """The first line of a log that does not follow from those before it.

    Attributes:
        line: Its number, from 1.
        says: What it says.
        expected: What must stand there.
    """

    line: int
    says: str
    expected: str

    def __str__(self) -> str:
        return f"line {self.line}: says {self.says}, but there must be {self.expected}"


@dataclass(frozen=True)
class Verdict:
    """What a check of a log found.

    Attributes:
        num_lines: Lines that follow, the header counted.
        num_hands: Hands that are complete.
        complete: Whether the log's last line is there; if not, it was cut off after `num_lines`.
        discrepancy: The first line that does not follow; `None` if all do.
        notes: What may explain it.
    """

    num_lines: int
    num_hands: int
    complete: bool
    discrepancy: Discrepancy | None = None
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every line follows."""
        return self.discrepancy is None


def replay(path: str | Path, rules: RulesConfig | None = None) -> Verdict:
    """Play the session of a log again from its seed and decisions.

    Args:
        path: The log.
        rules: The rules that it must be of; `None` for any.

    Raises:
        ConfigError: If it is no log, damaged, of another version or other rules; naming the line.
    """
    reader = open_log(path, rules)
    again = _Again(reader, open_table(reader.header.table, reader.header.seed))
    notes, num_lines = _notes(reader.header), 1
    for number, text in reader.lines():
        expected = again.line_after(number, text)
        if expected != text:
            reader.parse(number, text)
            wrong = Discrepancy(number, shortened(text), expected or "no line")
            return Verdict(num_lines, again.num_hands, False, wrong, notes)
        num_lines = number
    return Verdict(num_lines, again.num_hands, again.over, notes=notes)


def _notes(header: Header) -> tuple[str, ...]:
    if header.numpy == np.__version__:
        return ()
    return (
        f"the log was written with numpy {shortened(header.numpy)}; with {np.__version__}, used here, a seed "
        "may give other throws and cards; the audit does not depend on it",
    )


class _Again:
    """A table that is played again, a line at a time."""

    def __init__(self, reader: LogReader, table: Table) -> None:
        self._reader = reader
        self._table = table
        self._due: deque[str] = deque()
        self.over = False

    @property
    def num_hands(self) -> int:
        """Hands that are complete."""
        playing = bool(self._due) or self._table.pending is not None
        return self._table.state.num_hands - playing

    def line_after(self, number: int, text: str) -> str:
        """What must stand where a line stands; a text in words if there is more than one answer."""
        if self.over:
            return ""
        if not self._due:
            request = self._table.pending
            refused = (
                self._next_hand(number, text) if request is None else self._decide(request, number, text)
            )
            if refused:
                return refused
        return self._due.popleft() if self._due else text

    def _next_hand(self, number: int, text: str) -> str:
        """Go on with the footer or the next hand; what must stand there if it is neither."""
        footer = line_text(footer_of(self._table))
        if self._table.over or self._reader.parse(number, text)["event"] == FOOTER:
            self.over = text == footer
            return "" if self.over else footer
        self._due.extend(line_text(event.to_dict()) for event in self._table.begin_hand())
        return ""

    def _decide(self, request: Request, number: int, text: str) -> str:
        """Go on with the decision that the line says; what must stand there if it is none."""
        data: dict[str, Any] = self._reader.parse(number, text)
        wanted = f"a decision by {request.participant!r} for phase {request.phase.value!r}"
        if data.keys() != {"event", "by", "phase", "value"} or data["event"] != DECISION:
            return wanted
        try:
            events = self._table.decide(Decision(data["by"], data["phase"], data["value"]))
        except ValueError as error:
            return f"{wanted}; {error}"
        self._due.extend(line_text(event.to_dict()) for event in events)
        return ""
