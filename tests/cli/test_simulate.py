"""`pan9 simulate` as users type it: figures and exact values, Ctrl-C, checkpoints, bad input in one line."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pan9_gym import load_rules, policies, solver
from pan9_gym.cli import progress, simulate
from pan9_gym.cli.main import app, main


def pan9(*arguments: str) -> str:
    done = CliRunner().invoke(app, ("simulate", *arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def tables(*arguments: str) -> dict[str, list[dict[str, Any]]]:
    return {
        entry["title"]: [
            dict(zip((column["name"] for column in entry["columns"]), row, strict=True))
            for row in entry["rows"]
        ]
        for entry in json.loads(pan9(*arguments, "--json"))["tables"]
    }


def test_figures_stand_beside_the_exact_values() -> None:
    found = tables("bicycle", "--banker", "equilibrium", "--hands", "1e5", "--wagers", "5/2")
    player, banker = found["Net units a hand"]
    value = solver.equilibrium("bicycle").policy("banker")
    exact = solver.evaluate("bicycle", "logical_way", value)
    assert player["exact"] == str(exact.ev * 5 / 2)
    assert banker["estimate"] == -player["estimate"]
    assert abs(player["z"]) < 4
    win, tie, loss = found["Outcomes"]
    assert (win["outcome"], tie["outcome"], loss["outcome"]) == ("win", "tie", "loss")
    assert int(win["hands"]) + int(tie["hands"]) + int(loss["hands"]) == 100_000
    assert tie["exact"] == str(exact.tie_prob)
    assert sum(int(row["hands"]) for row in found["Joint totals"]) == 100_000


def test_the_seed_decides_and_threads_do_not() -> None:
    texts = [
        pan9("--hands", "1100000", "--threads", str(number)) for number in (1, min(2, os.cpu_count() or 1))
    ]
    assert texts[0] == texts[1]
    assert pan9("--hands", "1000", "--seed", "2") != pan9("--hands", "1000")


def test_every_form_and_the_pairs_of_totals_where_asked() -> None:
    assert "Joint totals" not in pan9("--hands", "1000")
    assert "Joint totals" in pan9("--hands", "1000", "--joint")
    assert pan9("--hands", "1000", "--markdown").startswith("## 1,000 hands of bicycle, 1 player\n")
    assert "player,9,9," in pan9("--hands", "1000", "--csv")
    assert tables("--hands", "1000", "--no-exact")["Outcomes"][0]["exact"] is None
    assert tables("--hands", "1")["Net units a hand"][0]["standard error"] is None


def test_seats_wagers_and_policies_of_their_own(tmp_path: Path) -> None:
    found = tables(
        "uk_1994_house", "--player", "uniform,logical_way", "--wagers", "1,3", "--hands", "1000", "--no-exact"
    )
    seats = [(row["seat"], row["policy"]) for row in found["Net units a hand"]]
    assert seats == [("player 0", "uniform"), ("player 1", "logical_way"), ("banker", "logical_way")]
    assert len(tables("--players", "7", "--hands", "100", "--no-exact")["Net units a hand"]) == 8
    path = tmp_path / "mine.json"
    policies.get("always_stand", load_rules("bicycle"), role="player").save(path)
    assert tables("--player", str(path), "--hands", "10")["Net units a hand"][0]["policy"] == "always_stand"


def test_two_policies_on_the_same_cards() -> None:
    found = tables("--banker", "wizard", "--versus", "banker=logical_way", "--hands", "200000")
    player, banker = found["Difference of the nets on the same cards"]
    assert (player["policy"], banker["policy"]) == ("logical_way", "wizard less logical_way")
    exact = solver.evaluate("bicycle", "logical_way", "wizard").ev
    assert player["exact"] == str(exact - solver.evaluate("bicycle", "logical_way", "logical_way").ev)
    assert abs(player["z"]) < 4
    assert player["standard error"] < found["Net units a hand"][0]["standard error"]
    assert "Net units a hand, the other policies" in found
    other = tables("--versus", "player=uniform", "--players", "2", "--hands", "100", "--no-exact")
    difference = other["Difference of the nets on the same cards"]
    assert [row["policy"] for row in difference] == ["logical_way less uniform"] * 2 + ["logical_way"]


def test_ctrl_c_gives_the_result_so_far_and_the_checkpoint_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "run.json", simulate.long_run

    def interrupted(*arguments: Any, **options: Any) -> Any:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        return real(*arguments, **options)

    monkeypatch.setattr(simulate, "long_run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    asked = ("--hands", "1e12", "--no-exact", "--checkpoint", str(path))
    first = pan9(*asked).splitlines()[0]
    assert signal.getsignal(signal.SIGINT) is before
    assert "hands of 1,000,000,000,000 (stopped) of bicycle" in first
    second = pan9(*asked).splitlines()[0]
    played = [int(text.split()[0].replace(",", "")) for text in (first, second)]
    assert 0 < played[0] < played[1] < 10**12


def test_progress_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.counted(1000, "hands") as reached:
        reached(0)
        threading.Event().wait(0.03)
        reached(500)
        threading.Event().wait(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "hands: 0 of 1,000"
    assert lines[-1].startswith("hands: 500 of 1,000, ")
    assert lines[-1].endswith(" a second, 0 s left")


def test_a_time_left_is_said_in_its_units() -> None:
    assert [progress._duration(seconds) for seconds in (5, 65, 7260)] == ["5 s", "1 min 5 s", "2 h 1 min"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--hands", "0"], "--hands '0': a whole number from 1 to 1e13 is needed"),
        (["--hands", "1e14"], "--hands '1e14': a whole number"),
        (["--hands", "1e999999999"], "--hands '1e999999999': a whole number"),
        (["--hands", "1e"], "--hands '1e': a whole number"),
        (["--hands", "1.5"], "--hands '1.5': a whole number"),
        (["--hands", "-5"], "--hands '-5': a whole number"),
        (["--hands", "many"], "--hands 'many'"),
        (["--threads", "0"], "--threads 0: 1 to"),
        (["--threads", "9999"], "--threads 9999: 1 to"),
        (["--seed", "-1"], "seed -1: a whole number from 0 is needed"),
        (["--players", "0"], "--players 0: 'bicycle' allows 1 to"),
        (["--players", "3", "--player", "uniform,uniform"], "2 policies for --players 3"),
        (["--player", "nobody"], "nobody"),
        (["--player", "uniform,equilibrium"], "equilibrium"),
        (["--wagers", "1,2"], "wagers"),
        (["--versus", "wizard"], "--versus 'wizard': write the role and its policy, such as banker=wizard"),
        (["--versus", "player=uniform,uniform"], "versus: 2 policies of the player are given; 1 needed here"),
        (["--versus", "banker=nobody"], "nobody"),
        (["--checkpoint", "/nowhere/at/all.json"], "/nowhere/at/"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
        (["bicicle"], "did you mean"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pan9", "simulate", "--no-exact", "--hands", "10", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_checkpoint_of_another_seed_or_a_damaged_one_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    asked = ("--hands", "100", "--no-exact", "--checkpoint", str(path))
    assert pan9(*asked) == pan9(*asked)
    for text, seed, said in ((path.read_text(), "2", "seed 1 there, 2 here"), ("{", "1", "damaged")):
        path.write_text(text)
        monkeypatch.setattr(sys, "argv", ["pan9", "simulate", *asked, "--seed", seed])
        with pytest.raises(SystemExit):
            main()
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
