"""The script that needs the standard library alone: true logs pass, planted changes do not."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from pan9_gym.table import audit_script
from tests.table.session_logs import LOGGED_SHEETS, VARIANTS, changed, first, logged, write
from tests.table.test_replay import PLANTED

BELIEVED = {
    "the bank's turn",
    "whether a turn is over",
    "whom the bank is offered",
    "a wager",
    "a wager's place",
    "a stake",
    "a move",
    "the banker's move",
}
"""Not totals or payments: what the script takes from the log, so that a change may be found later or not."""


def test_it_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    script = Path(audit_script.__file__).resolve()
    paths = [write(tmp_path / f"{sheet}.jsonl", logged(sheet)) for sheet in LOGGED_SHEETS]
    for path in paths:
        command = [sys.executable, "-I", "-S", str(script), str(path)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "every total and payment is right" in done.stdout


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sheet", LOGGED_SHEETS)
def test_true_logs_pass(tmp_path: Path, sheet: str, variant: str) -> None:
    code, said = audit_script.check(str(write(tmp_path / "log.jsonl", logged(sheet, variant))))
    assert code == 0
    assert "every total and payment is right" in said


@pytest.mark.parametrize("planted", sorted(PLANTED.keys() - BELIEVED))
def test_a_change_is_found(tmp_path: Path, planted: str) -> None:
    wanted, fields = PLANTED[planted]
    lines = logged("bicycle")
    place = first(lines, wanted)
    code, said = audit_script.check(str(write(tmp_path / "log.jsonl", changed(lines, place, **fields))))
    assert code == 1
    if planted != "who pays the collection":  # found where wagers close
        assert said.startswith(f"line {place + 1}: ")


def test_a_sum_with_an_exponent_cannot_be_read(tmp_path: Path) -> None:
    lines = logged("bicycle")
    place = first(lines, lambda data: data["event"] == "stake")
    path = write(tmp_path / "log.jsonl", changed(lines, place, amount="1e99999999"))
    code, said = audit_script.check(str(path))
    assert (code, said.split(":")[0]) == (2, f"line {place + 1}")


@pytest.mark.parametrize("sheet", ["bicycle_bonus", "uk_1994_player", "baccarat_punto_banco"])
def test_a_changed_payment_of_every_side_bet_is_found(tmp_path: Path, sheet: str) -> None:
    lines = logged(sheet, num_hands=200)
    bets = {"bicycle_bonus": ("bc", "dragon", "super_0"), "baccarat_punto_banco": ("tie", "banker_hand")}
    for bet in bets.get(sheet, ("tie",)):
        for won in (True, False):
            place = first(
                lines,
                lambda data, bet=bet, won=won: (
                    data["event"] == "settled"  # type: ignore[misc]
                    and data["bet"] == bet
                    and data["net"]
                    and (
                        won == (data["payoff"] > 0 if isinstance(data["payoff"], int) else won) or bet == "bc"
                    )
                ),
            )
            code, said = audit_script.check(
                str(write(tmp_path / "log.jsonl", changed(lines, place, payoff=3)))
            )
            assert (code, said.split(":")[0]) == (1, f"line {place + 1}")


def test_a_cut_log_and_a_damaged_one(tmp_path: Path) -> None:
    lines = logged("bicycle")
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines[:100]) + '\n{"ev')
    code, said = audit_script.check(str(path))
    assert (code, said.split(" ")[0]) == (0, "cut")
    assert audit_script.check(str(write(path, [*lines[:100], "{", *lines[100:]])))[0] == 2
    assert audit_script.main([str(tmp_path / "none.jsonl")]) == 2


def with_line(text: str) -> bytes:
    lines = logged("bicycle")
    return "\n".join([*lines[:40], text, *lines[40:]]).encode() + b"\n"


LOG = ("\n".join(logged("bicycle")) + "\n").encode()
UNREADABLE = {
    "nothing": b"",
    "gzip": gzip.compress(LOG),
    "utf-16": LOG.decode().encode("utf-16"),
    "latin-1": LOG.replace(b'"room"', '"r\u00f6m"'.encode("latin-1"), 1),
    "a wrong byte in the middle": LOG[:9000] + b"\xff" + LOG[9001:],
    "half a header": LOG[:1000],
    "another header": LOG.replace(b"pan9-table-log-1", b"pan9-table-log-2", 1),
    "no log at all": b"a,b\n1,2\n",
    "a division by zero": with_line('{"event":"stake","by":"seat_0","amount":"1/0"}'),
    "infinity": with_line('{"event":"stake","by":"seat_0","amount":Infinity}'),
    "a number too large": with_line('{"event":"stake","by":"seat_0","amount":1e999}'),
    "too deep": with_line("[" * 100_000),
    "an empty line": with_line(""),
    "a key that comes twice": with_line('{"event":"sits_out","by":"seat_0","by":"seat_1"}'),
    "a line without its fields": with_line('{"event":"transfer"}'),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_exit_code_2(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    assert audit_script.main([str(path)]) == 2
    said = capsys.readouterr()
    assert (said.out.count("\n"), said.err) == (1, "")
    assert "right" not in said.out


@pytest.mark.parametrize("arguments", [[], ["a", "b"]])
def test_without_one_log_the_usage_is_shown(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_script.main(arguments) == 2
    assert "python audit_script.py LOG" in capsys.readouterr().err
