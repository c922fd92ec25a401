"""`pan9 simulate` as users type it: figures and exact values, Ctrl-C, checkpoints, bad input in one line."""

from __future__ import annotations

import json
import os
import re
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
    for more in ((), ("--versus", "banker=wizard", "--duplicate")):
        asked = ("--hands", "1100000", "--no-exact", *more)
        assert pan9(*asked, "--threads", "1") == pan9(*asked, "--threads", "all")
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


def test_duplicate_deals_are_counted_and_their_meaning_said() -> None:
    asked = ("--players", "2", "--versus", "banker=logical_way", "--duplicate", "--hands", "1000")
    text = pan9(*asked)
    assert text.startswith("1,002 hands of bicycle, 2 players, 334 deals\n")
    assert "each deal is played 3 times, once for each seat that may get its first card; these" in text
    assert "the policies brought the same on every deal played: no difference, no standard error" in text
    found = tables(*asked)
    for row in found["Difference of the nets on the same cards"]:
        assert (row["estimate"], row["standard error"], row["z"]) == (0, 0, 0)
    run = {row["argument"]: row["value"] for row in found["Run"]}
    assert run["duplicate deals"] == "yes"
    assert (run["hands"], run["hands played"], run["deals played"]) == ("1000", "1002", "334")
    assert "the second time with the player's and the banker's cards swapped" in pan9(
        "--duplicate", "--hands", "10"
    )


def test_side_stakes_ride_along_beside_their_exact_values() -> None:
    stakes = {"dragon": "1/20"}
    asked = ("bicycle_bonus", "--stake", "dragon=1/20", "--wagers", "2", "--hands", "200000")
    text = pan9(*asked)
    assert "1 player, wagers 2, side stakes player 0 dragon 1/20\n" in text
    assert re.search(r"the largest \|z\| of 5 nets, outcomes and differences is \d\.\d\d, as large by", text)
    player, banker = tables(*asked)["Net units a hand"]
    value = solver.evaluate("bicycle_bonus", "logical_way", "logical_way", side_stakes=stakes).ev
    assert (player["exact"], banker["exact"]) == (str(2 * value), str(-2 * value))
    assert abs(player["z"]) < 4
    best = ("bicycle_bonus", "--stake", "dragon=1/20", "--player", "equilibrium", "--hands", "10")
    policy = solver.equilibrium("bicycle_bonus", side_stakes=stakes).policy("player")
    value = solver.evaluate("bicycle_bonus", policy, "logical_way", side_stakes=stakes).ev
    assert tables(*best)["Net units a hand"][0]["exact"] == str(value)


def test_what_the_solver_has_not_is_said_in_words() -> None:
    asked = ("bicycle_bonus", "--players", "2", "--stake", "super_0=1", "--hands", "1000")
    assert "no exact value" not in pan9(*asked)
    asked += ("--stake", "1:dragon=1")
    assert "no exact value of some nets: of several players, side stakes that a player's cards" in pan9(
        *asked
    )
    assert [row["exact"] is None for row in tables(*asked)["Net units a hand"]] == [False, True, True]
    assert "no exact value" not in pan9(*asked, "--no-exact")


def test_the_rate_is_said_after_a_long_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(simulate, "PATIENCE", 0.0)
    simulate.simulate_command(hands="1000", exact=False)
    assert re.search(r"^hands: 1,000 in \d+\.\d s, [\d,]+ a second$", capsys.readouterr().err, re.MULTILINE)


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
        (["--threads", "two"], "--threads two: 1 to"),
        (["--wagers", "1,2"], "--wagers '1,2': 2 are given; one per player is needed, so 1"),
        (["--wagers", "0"], "wagers 0: must be greater than 0"),
        (["--stake", "dragon"], "--stake 'dragon': write a side bet once, such as dragon=1/20"),
        (["--stake", "dragon=1/20"], "--stake 'dragon=1/20': side bet 'dragon' is not offered by 'bicycle'"),
        (
            ["bicycle_bonus", "--stake", "dragon=0"],
            "--stake 'dragon=0': side_stakes dragon 0: must be",
        ),
        (["bicycle_bonus", "--stake", "1:dragon=1"], "--stake '1:dragon=1': there is no player '1'; 0 to 0"),
        (["bicycle_bonus", "--stake", "dragon=1", "--stake", "0:dragon=2"], "side bet is given twice"),
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
    kept = path.read_text()
    for text, more, said in (
        (kept, ("--seed", "2"), "seed 1 there, 2 here"),
        (kept, ("--duplicate",), "duplicate deals 'no' there, 'yes' here"),
        ("{", (), "damaged"),
    ):
        path.write_text(text)
        monkeypatch.setattr(sys, "argv", ["pan9", "simulate", *asked, *more])
        with pytest.raises(SystemExit):
            main()
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
