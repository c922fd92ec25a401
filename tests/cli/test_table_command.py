"""`pan9 table` and `pan9 replay` as users type them: the report by seat, the log, wrong lines, bad input."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from typer.testing import CliRunner

from pan9_gym.cli.main import app, main
from pan9_gym.table.audit import audit
from pan9_gym.table.log import open_log
from pan9_gym.table.posts import Post
from pan9_gym.table.replay import replay
from pan9_gym.table.session import Session


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAN9_CACHE_DIR", str(tmp_path / "cache"))


def pan9(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout


def tables(text: str) -> dict[str, list[dict[str, Any]]]:
    return {
        entry["title"]: [
            dict(zip((column["name"] for column in entry["columns"]), row, strict=True))
            for row in entry["rows"]
        ]
        for entry in json.loads(text)["tables"]
    }


FEES = ("--set", "collection.player=1", "--set", "collection.banker=2")


def test_a_session_is_reported_by_seat_and_its_log_says_the_same(tmp_path: Path) -> None:
    log = str(tmp_path / "log.jsonl")
    asked = ("--rules", "hawaiian_gardens", "--hands", "60", "--players", "logical_way*3", *FEES)
    played = tables(pan9("table", *asked, "--wager", "2,3,4", "--seed", "5", "--log", log, "--json"))
    seats = played["By seat, from the log alone"]
    assert [seat["seat"] for seat in seats] == ["seat_0", "seat_1", "seat_2"]
    for seat, wager in zip(seats, (2, 3, 4), strict=True):
        amounts = {name: Fraction(amount) for name, amount in seat.items() if name != "seat"}
        assert amounts["hands played"] + amounts["hands banked"] == 60
        assert amounts["wagered"] == wager * amounts["hands played"]
        assert amounts["collections"] == amounts["hands played"] + 2 * amounts["hands banked"]
        won = amounts["as player"] + amounts["as banker"] + amounts["side bets"]
        assert amounts["net"] == won - amounts["collections"]
    nets, fees, total = (Fraction(row["chips"]) for row in played["Balance"])
    assert (fees, nets + fees, total) == (60 * 4, 0, 0)
    checked = tables(pan9("replay", log, "--rules", "hawaiian_gardens", "--json"))
    assert [row["result"] for row in checked.pop("Checks")] == ["every line follows"] * 2
    assert checked == played
    assert pan9("table", *asked, "--seed", "5").splitlines()[0] == "60 hands of hawaiian_gardens, 60 dealt"


def test_the_equilibrium_is_solved_for_the_numbers_that_occur_and_kept(tmp_path: Path) -> None:
    asked = ("table", "--rules", "bicycle_bonus", "--hands", "5", "--players", "equilibrium,logical_way*2")
    asked += ("--banker", "equilibrium", "--side", "dragon=1", "--side", "bc=1")
    first = CliRunner().invoke(app, asked)
    solving = [line for line in first.stderr.splitlines() if "solving" in line]
    assert solving == ["solving the equilibrium of bicycle_bonus for 2 players ..."]
    note = "note: equilibrium of bicycle_bonus for 2 players, fresh shoe, equal wagers: NashConv 0"
    assert note in first.stdout
    again = CliRunner().invoke(app, asked)
    assert again.stdout == first.stdout
    assert "solving" not in again.stderr


def test_policies_are_prepared_before_the_log_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, find = tmp_path / "log.jsonl", Session._find
    begun = []

    def watched(session: Session, post: Post) -> Any:
        begun.append(log.exists())
        return find(session, post)

    monkeypatch.setattr(Session, "_find", watched)
    pan9("table", "--hands", "9", "--players", "logical_way*3", "--log", str(log))
    assert begun
    assert not any(begun)


def test_a_policy_that_does_not_fit_is_refused_before_the_log_begins(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with pytest.raises(ValueError, match="seat_0 as banker against 2: policy 'wizard'"):
        pan9("table", "--players", "logical_way*3", "--banker", "wizard", "--log", str(log))
    assert not log.exists()
    pan9("table", "--hands", "2", "--players", "logical_way*2", "--banker", "wizard", "--log", str(log))


def test_a_stake_that_cannot_pay_the_largest_prize_is_noted() -> None:
    asked = ("table", "--rules", "bicycle_bonus", "--hands", "1", "--side", "bc=1", "--json")
    note = "bc wins up to 3,000 chips, and a banker's stake holds 70"
    assert any(said.startswith(note) for said in json.loads(pan9(*asked))["notes"])
    for enough in (("--banker-stake", "3000"), ("--set", "cover=unlimited"), ("--set", "chip_value=100")):
        assert not any("wins up to" in said for said in json.loads(pan9(*asked, *enough))["notes"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_session_is_reported_and_its_log_holds(tmp_path: Path, number: signal.Signals) -> None:
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "pan9_gym.cli.main", "table", "--hands", "1e9", "--log", str(log)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until = monotonic() + 300
        while not (log.exists() and log.stat().st_size > 100_000):
            assert running.poll() is None
            assert monotonic() < until
            sleep(0.02)
        running.send_signal(number)
        printed, _ = running.communicate(timeout=300)
    finally:
        running.kill()
    assert running.returncode == 0
    assert "By seat, from the log alone" in printed
    for check in (replay, audit):
        verdict = check(log)
        assert verdict.holds
        assert verdict.complete is not ("stopped in the middle of hand" in printed)
        assert verdict.num_lines == len(log.read_text().splitlines())
    pan9("replay", str(log))


def test_the_first_wrong_line_is_named_whatever_comes_later(tmp_path: Path) -> None:
    """A shuffle that the audit believes, and later a line that no check can read."""
    log = tmp_path / "log.jsonl"
    pan9("table", "--hands", "3", "--players", "logical_way*2", "--log", str(log))
    lines = log.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if '"shuffle"' in line)
    lines[place] = '{"event":"shuffle","cards":431}'
    lines[-5] = "broken"
    log.write_text("\n".join(lines) + "\n")
    said = json.loads(pan9("replay", str(log), "--json", code=1))
    assert f"the first wrong line is line {place + 1}" in said["notes"]
    assert [check["first wrong line"] for check in tables(json.dumps(said))["Checks"]] == [str(place + 1)]


def test_what_the_audit_cannot_compute_does_not_hide_the_first_wrong_line(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    pan9("table", "--rules", "bicycle_bonus", "--hands", "3", "--side", "bc=1", "--log", str(log))
    lines = log.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if '"card"' in line)
    data = json.loads(lines[place])
    lines[place] = json.dumps({**data, "place": data["place"] + 1}, separators=(",", ":"))
    log.write_text("\n".join(lines) + "\n")
    said = json.loads(pan9("replay", str(log), "--json", code=1))
    assert f"the first wrong line is line {place + 1}" in said["notes"]


def test_a_log_of_another_numpy_is_noted(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    pan9("table", "--hands", "1", "--players", "logical_way*2", "--log", str(log))
    log.write_text(re.sub('"numpy":"[^"]*"', '"numpy":"0.1"', log.read_text(), count=1))
    assert "written with numpy 0.1" in json.loads(pan9("replay", str(log), "--json"))["notes"][0]


def test_a_wrong_line_is_reported_with_what_must_stand_there(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    pan9("table", "--hands", "3", "--players", "logical_way*2", "--log", str(log))
    lines = log.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if '"hand_opened"' in line)
    right = lines[place]
    lines[place] = right.replace('"total":', '"total":1')
    log.write_text("\n".join(lines) + "\n")
    checks = tables(pan9("replay", str(log), "--json", code=1))["Checks"]
    for check in checks:
        assert check["first wrong line"] == str(place + 1)
        assert (check["it says"], check["there must be"]) == (lines[place], right)


def test_a_cut_log_says_where_it_ends(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    pan9("table", "--hands", "3", "--players", "logical_way*2", "--log", str(log))
    log.write_bytes(log.read_bytes()[:-10])
    for check in tables(pan9("replay", str(log), "--json"))["Checks"]:
        assert check["result"] == f"every line follows up to the cut after line {check['lines right']}"
        assert check["hands"] == "3"


def test_fields_of_the_table_and_of_its_rules_differ_as_asked(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    changes = ("--set", "cover=net", "--set", "rules.num_decks=6", "--set", "occupied=[0, 4]")
    pan9("table", "--hands", "1", "--players", "logical_way*2", "--log", str(log), *changes)
    table = open_log(log).header.table
    assert (table.cover, table.rules.num_decks, table.occupied) == ("net", 6, (0, 4))
    assert table.rules.name == "bicycle, rules.num_decks=6"


def test_without_players_as_many_sit_as_may() -> None:
    said = json.loads(pan9("table", "--rules", "baccarat_punto_banco", "--hands", "2", "--json"))
    assert "seed 1; policies: logical_way*1; bankers: logical_way" in said["notes"]


def test_a_session_that_ends_since_all_refuse_says_so() -> None:
    said = pan9("table", "--hands", "9", "--players", "logical_way*2", "--bank", "0", "--json")
    assert "the session ended after 2 hands: all refused the bank" in json.loads(said)["notes"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("table", "--players", "logical_way*9"),
            "--players 'logical_way*9': write policies for 1 to 8 seats",
        ),
        (("table", "--players", "wizzard*2"), "policy 'wizzard' is not known (did you mean 'wizard'?)"),
        (
            ("table", "--players", "logical_way"),
            "--players: 1 do not fit: table of 'bicycle': occupied: 1",
        ),
        (
            ("table", "--rules", "bicycle_bonus", "--side", "bc=5"),
            "bc' 5: must be 0, or 1 for the stake",
        ),
        (("table", "--wager", "1,2"), "--wager: 2 are given for 6 seats; one or 6 are needed"),
        (("table", "--wager", "x"), "--wager 'x,x,x,x,x,x': whole chips are needed"),
        (("table", "--wager", "11"), "seat_0: wager 11: must be 0 or a whole number of chips from 1 to 10"),
        (("table", "--bank", "2"), "bank 2: must be a probability"),
        (("table", "--side", "dragon=1"), "seat_0: side bet 'dragon': is not offered by 'bicycle'"),
        (("table", "--side", "dragon"), "--side 'dragon': write a side bet once"),
        (("table", "--set", "cover=all"), "field 'cover' has the value 'all'"),
        (("table", "--set", "occupied=[0,1]"), "--set occupied: 2 places for 6 --players"),
        (("table", "--hands", "0"), "--hands '0'"),
        (("table", "--seed", "-1"), "seed -1: must be a whole number from 0"),
        (("table", "--log", "/"), "/: is there already"),
        (("replay", "/no/such.jsonl"), "/no/such.jsonl: No such file or directory"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["pan9", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1
