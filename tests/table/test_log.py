"""The log: its header, its documented schema, and damage, each a single error that names the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import load_rules
from pan9_gym.rules.errors import ConfigError
from pan9_gym.table import Request, log, table_config
from pan9_gym.table.audit import audit
from pan9_gym.table.log import LogWriter, open_log, session_lines
from pan9_gym.table.participants import Participant
from pan9_gym.table.replay import replay
from pan9_gym.table.session import Session
from tests.table.session_logs import LOGGED_SHEETS, VARIANTS, logged, write

FREE_FIELDS = {"fault"}
"""Kinds whose documented fields come as their kind of fault needs."""


def documented() -> dict[str, set[str]]:
    """The fields of each kind of line, read from the module's own words."""
    kinds: dict[str, set[str]] = {}
    for entry in re.split(r"\n- (?=`)", log.__doc__ or "")[1:]:
        kind, text = re.match(r"`(\w+)`: (.*?)\.(\s|$)", entry, re.DOTALL).group(1, 2)  # type: ignore[union-attr]
        words = set(re.findall(r"\b[a-z_]+\b", text))
        kinds[kind] = set() if "nothing" in words else words
    return kinds


def lines_of_all_kinds() -> Iterable[str]:
    for sheet in LOGGED_SHEETS:
        for variant in VARIANTS:
            yield from logged(sheet, variant)
    refused = Session(table_config("bicycle"), Participant(bank=0), seed=1)
    single = Session(table_config("uk_1994_player", occupied=(0, 1)), Participant(), seed=1)
    for played in (refused, single):
        yield from (log.line_text(line) for lines in session_lines(played, 3) for line in lines)


def test_every_kind_of_line_and_every_field_is_documented() -> None:
    known, met = documented(), set()
    for text in lines_of_all_kinds():
        data = json.loads(text)
        kind, found = data["event"], set(data) - {"event"}
        met.add(kind)
        assert found <= known[kind] if kind in FREE_FIELDS else found == known[kind], kind
    assert known.keys() == met


def session(**fields: Any) -> Session:
    return Session(table_config("bicycle", occupied=(0, 1, 2), **fields), Participant(wager=2), seed=5)


def test_lines_are_on_disk_after_every_decision(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    cuts = []
    with LogWriter(path) as writer:
        for lines in session_lines(session(), 2):
            for line in lines:
                writer.write(line)
            assert path.read_bytes().endswith(b"\n")
            for check in (replay, audit):  # as if the program had crashed here
                verdict = check(path)
                assert verdict.holds
                assert verdict.num_lines == len(path.read_text().splitlines())
            cuts.append((verdict.complete, verdict.num_hands))
    assert cuts[-1] == (True, 2)
    assert len(set(cuts)) < len(cuts)


def written(path: Path, played: Session) -> None:
    with LogWriter(path) as writer:
        for lines in session_lines(played, 3):
            for line in lines:
                writer.write(line)


class Crash(Exception):
    """What ends a session."""


def test_an_error_in_the_middle_of_a_hand_leaves_a_log_up_to_there(tmp_path: Path) -> None:
    def wager(request: Request, rng: Any) -> int:
        if played.table.state.num_hands == 2 and request.participant == "seat_0":
            raise Crash
        return 2

    played = Session(table_config("bicycle", occupied=(0, 1, 2)), Participant(wager=wager), seed=5)
    path = tmp_path / "log.jsonl"
    with pytest.raises(Crash):
        written(path, played)
    last = json.loads(path.read_text().splitlines()[-1])
    assert (last["event"], last["by"]) == ("wager", "seat_2")
    for check in (replay, audit):
        verdict = check(path)
        assert (verdict.holds, verdict.complete, verdict.num_hands) == (True, False, 1)


def test_a_stop_in_the_middle_of_a_hand_leaves_a_cut_log(tmp_path: Path) -> None:
    asked = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) == 12

    played = session()
    lines = [log.line_text(line) for step in session_lines(played, 9, stopped) for line in step]
    assert played.table.pending is not None
    for check in (replay, audit):
        verdict = check(write(tmp_path / "log.jsonl", lines))
        assert (verdict.holds, verdict.complete, verdict.num_lines) == (True, False, len(lines))


def test_a_stop_between_two_hands_leaves_a_whole_log(tmp_path: Path) -> None:
    played = session()
    steps = session_lines(played, 9, lambda: played.table.pending is None)
    path = write(tmp_path / "log.jsonl", [log.line_text(line) for step in steps for line in step])
    assert (replay(path).complete, replay(path).num_hands) == (True, 1)


def test_a_log_is_never_written_over_another_file(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", ["mine"])
    with pytest.raises(ConfigError, match="is there already"):
        LogWriter(path)
    assert path.read_text() == "mine\n"


def test_the_header_holds_the_whole_table(tmp_path: Path) -> None:
    played = session(cover="net", collection={"player": "1/2"})
    (header,) = next(session_lines(played, 0))
    reader = open_log(write(tmp_path / "log.jsonl", [log.line_text(header)]))
    assert reader.header.table == played.table.config
    assert reader.header.seed == 5
    assert reader.header.participants["seat_1"]["wager"] == 2


HEADER = json.loads(logged("bicycle")[0])


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"format": "pan9-table-log-2"}, "line 1: format 'pan9-table-log-2' is not 'pan9-table-log-1'"),
        ({"event": "hand_begins"}, "line 1: format"),
        ({"package": "9.9"}, "line 1: was written by version '9.9'"),
        ({"seed": -1}, "line 1: field 'seed'"),
        ({"seed": "1"}, "line 1: field 'seed'"),
        ({"more": 1}, "line 1: unknown key 'more'"),
        ({"rules_fingerprint": "0"}, "line 1: field 'rules_fingerprint' has the value '0'"),
        ({"table": {**HEADER["table"], "cover": "net"}}, "line 1: field 'table_fingerprint'"),
        ({"table": {**HEADER["table"], "cover": "all"}}, "line 1: field 'table.cover'"),
        ({"table": None}, "line 1: field 'table'"),
        ({"rules": "hawaiian_gardens"}, "line 1: field 'rules' has the value 'hawaiian_gardens'"),
        ({"participants": {}}, "line 1: field 'participants' has the value {}"),
        ({"participants": {f"chair_{n}": {} for n in range(8)}}, "line 1: field 'participants'"),
        ({"participants": {**HEADER["participants"], "seat_9": {}}}, "line 1: field 'participants'"),
    ],
)
def test_a_log_of_another_version_or_other_rules_is_refused(
    tmp_path: Path, header: dict[str, Any], said: str
) -> None:
    lines = [log.line_text(HEADER | header), *logged("bicycle")[1:]]
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        replay(write(tmp_path / "log.jsonl", lines))
    assert "\n" not in str(error.value)


def test_a_log_of_another_numpy_is_replayed_with_a_note(tmp_path: Path) -> None:
    lines = [log.line_text(HEADER | {"numpy": "0.1"}), *logged("bicycle")[1:]]
    verdict = replay(write(tmp_path / "log.jsonl", lines))
    assert verdict.holds
    assert verdict.notes[0].startswith("the log was written with numpy 0.1; with ")
    assert replay(write(tmp_path / "log.jsonl", logged("bicycle"))).notes == ()


def test_a_log_must_be_of_the_rules_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", logged("bicycle"))
    with pytest.raises(ConfigError, match="line 1: is a log of the rules 'bicycle'"):
        open_log(path, load_rules("hawaiian_gardens"))
    assert open_log(path, load_rules("bicycle")).header.rules == "bicycle"


@pytest.mark.parametrize(
    "damage",
    [b"{", b"not json", b"\xff\xfe", b"[1]", b"{}", b'{"event": 1}', b'{"event":"x","event":"y"}', b""],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: bytes) -> None:
    lines = [text.encode() for text in logged("bicycle")]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([*lines[:49], damage, *lines[50:]]) + b"\n")
    with pytest.raises(ConfigError, match="line 50: is damaged") as error:
        replay(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_file_without_a_whole_first_line_is_no_log(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"line 1: is (missing|cut off)"):
        open_log(path)
