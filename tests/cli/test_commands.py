"""The `pan9` command as users type it: answers, forms, and bad input in one line with exit code 2."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.cli.cache import FOLDER_VARIABLE
from pan9_gym.cli.main import app, main
from pan9_gym.rules import sheet_names


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))


def pan9(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def answer(*arguments: str) -> Any:
    return json.loads(pan9(*arguments, "--json"))


def table(found: Any, title: str) -> list[dict[str, Any]]:
    (entry,) = [entry for entry in found["tables"] if entry["title"] == title]
    names = [column["name"] for column in entry["columns"]]
    return [dict(zip(names, row, strict=True)) for row in entry["rows"]]


def test_rules_lists_every_sheet_and_every_field_of_one() -> None:
    assert [row["sheet"] for row in table(answer("rules"), "Sheets")] == list(sheet_names())
    fields = {row["field"]: row["value"] for row in table(answer("rules", "uk_1994_house"), "Fields")}
    assert fields["payout"] == "19/20"
    assert fields["fingerprint"] == load_rules("uk_1994_house").fingerprint
    assert set(fields) == {*type(load_rules()).model_fields, "fingerprint"} - {"name"}


def test_solve_gives_the_certified_equilibrium() -> None:
    found = answer("solve", "bicycle", "--set", "num_decks=8")
    value = solver.equilibrium(load_rules("bicycle", num_decks=8)).value
    figures = {row["figure"]: row["exactly"] for row in table(found, "Value")}
    assert (
        figures["value to the player, units per unit wagered"] == str(value) == "-29247307841/2549079256185"
    )
    assert figures["exploitability"] == "0"
    play = {(row["seat"], row["choices seen"]): row["draws on"] for row in table(found, "How to play")}
    assert play == {("player", "none"): "0-5", ("banker", "stand"): "0-6", ("banker", "draw"): "0-5"}


def test_solve_shows_the_published_mix_of_chemin_de_fer() -> None:
    found = answer(
        "solve", "baccarat_chemin_de_fer", "--set", "num_decks=infinite", "--player-level", "total",
        "--banker-level", "total",
    )  # fmt: skip
    mixed = {
        (row["seat"], row["hand or total"]): row["draws with"] for row in table(found, "Decisions that mix")
    }
    assert mixed == {("player", "5"): "9/11", ("banker", "6"): "859/2288"}


def test_solve_against_a_policy_is_the_best_response() -> None:
    found = answer("solve", "--role", "banker", "--against", "logical_way", "--banker-level", "total")
    best = solver.best_response("bicycle", "banker", "logical_way", "total")
    assert table(found, "Value")[0]["exactly"] == str(best.ev)
    six = next(
        row
        for row in table(found, "Decisions")
        if (row["choices seen"], row["hand or total"]) == ("stand", "6")
    )
    assert six["best"] == "draw"
    gain = Fraction(six["draw brings there, units"]) - Fraction(six["stand brings there, units"])
    assert gain == best.table["stand",][6].draw_gain


def test_solve_several_seats_with_wagers() -> None:
    arguments = ["--players", "2", "--wagers", "1,5", "--player-level", "total", "--banker-level", "total"]
    found = answer("solve", "hawaiian_gardens", *arguments)
    expected = solver.seats_equilibrium("hawaiian_gardens", 2, [1, 5], "total")
    figures = {row["figure"]: row["exactly"] for row in table(found, "Value")}
    assert figures["banker, units"] == str(expected.banker_ev)
    assert figures["NashConv, units"] == "0"


def test_solve_with_a_side_stake_plays_by_suit_class() -> None:
    plain = answer("solve", "bicycle_bonus", "--role", "player", "--player-level", "total")
    staked = answer(
        "solve", "bicycle_bonus", "--role", "player", "--player-level", "total", "--stake", "dragon=1/20"
    )
    assert table(plain, "How to play")[0]["draws on"] == "0-5"
    assert "suited 0-6" in table(staked, "How to play")[0]["draws on"]


def test_solve_on_a_given_shoe() -> None:
    shoe = "20,5,5,5,5,5,5"
    found = answer("solve", "bicycle", "--shoe", shoe)
    value = solver.equilibrium("bicycle", shoe=[20, 5, 5, 5, 5, 5, 5]).value
    assert table(found, "Value")[0]["exactly"] == str(value)


def test_evaluate_a_name_and_a_file(tmp_path: Path) -> None:
    by_name = answer("evaluate", "logical_way", "--role", "banker")
    assert table(by_name, "Against")[0]["gap exactly"] == "403172216947/35169937233795"
    path = tmp_path / "policy.json"
    policies.get("logical_way", "bicycle", "banker").save(path)
    by_file = answer("evaluate", str(path))
    assert table(by_file, "Against") == table(by_name, "Against")
    (missed,) = table(by_file, "Where it differs from the optimum against logical_way")
    assert missed["decision"] == "total 6, player stood"


def test_a_policy_file_may_be_the_opponent(tmp_path: Path) -> None:
    path = tmp_path / "cautious.json"
    TabularPolicy.from_totals("bicycle", "player", draw_on={0, 1, 2, 3, 4}).save(path)
    found = answer("solve", "--role", "banker", "--against", str(path))
    cautious = TabularPolicy.load(path, "bicycle")
    assert table(found, "Value")[0]["exactly"] == str(solver.best_response("bicycle", "banker", cautious).ev)


def test_every_form_is_printed() -> None:
    assert "How to play" in pan9("solve")
    assert pan9("solve", "--markdown").startswith("## Equilibrium")
    assert ["figure", "value", "value (exact)", "exactly"] in list(
        csv.reader(io.StringIO(pan9("solve", "--csv")))
    )


def test_a_kept_answer_is_the_same_answer() -> None:
    first = pan9("solve", "bicycle", "--json")
    assert pan9("solve", "bicycle", "--json") == first == pan9("solve", "bicycle", "--json", "--no-cache")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "bicyle"], "did you mean 'bicycle'"),
        (["solve", "--json", "--csv"], "--json and --csv exclude each other"),
        (["solve", "--set", "decks=3"], "unknown key 'decks'"),
        (["solve", "--set", "num_decks"], "write key=value"),
        (["solve", "--shoe", "1,2,x"], "--shoe '1,2,x': whole numbers"),
        (["solve", "--shoe", "1,1,1,1,1,1,1"], "holds 7 cards; one hand may need 8"),
        (["solve", "--shoe", "-1,9,9,9,9,9,9"], "the count of value 0"),
        (["solve", "--wagers", "1,2"], "one per player is needed, so 1"),
        (["solve", "--wagers", "2"], "--wagers: one player's values are per unit wagered"),
        (["solve", "--players", "2", "--wagers", "1,-1"], "wagers -1: must be greater than 0"),
        (["solve", "--seat", "1"], "--seat 1: is for --role player with --against"),
        (["solve", "--set", "num_decks="], "has no value"),
        (["solve", "--wagers", "a"], "--wagers 'a': must be exact"),
        (["solve", "--players", "9"], "num_players 9: 'bicycle' allows 1 to 7"),
        (["solve", "--role", "house"], "role 'house' is not known"),
        (["solve", "--player-level", "suit"], "level 'suit' is not known"),
        (["solve", "--stake", "dragon"], "--stake 'dragon': write a side bet once"),
        (["solve", "--stake", "dragon=1"], "side bet 'dragon' is not offered by 'bicycle'"),
        (["solve", "--against", "logical_way"], "--against: say with --role"),
        (["solve", "--against", "nobody", "--role", "banker"], "policy 'nobody' is not known"),
        (["solve", "--against", "no/such.json", "--role", "banker"], "no/such.json"),
        (["evaluate", "logical_way"], "--role is needed"),
        (["evaluate", "wizzard", "--role", "banker"], "did you mean 'wizard'"),
        (
            ["evaluate", "logical_way", "--role", "banker", "--opponent", "always"],
            "policy 'always' is not known",
        ),
        (["study", "seats", "--most", "8"], "--most 8: 'bicycle' allows 1 to 7 players"),
        (["study", "money", "--hands-per-hour", "1" + "0" * 400], "must be from 1 to 10000"),
        (["study", "money", "--collection", "4"], "--collection '4': two amounts"),
        (["study", "money", "baccarat_punto_banco"], "without naturals"),
        (["study", "counting", "--shoes", "1" + "0" * 400], "num_shoes"),
        (["study", "money", "--wager", "0"], "--wager 0: must be greater than 0"),
        (["study", "money", "--penetration", "3/2"], "--penetration 3/2"),
        (["study", "counting", "--cards-left", "5"], "cards_left 5"),
        (["study", "counting", "--set", "num_decks=infinite"], "num_decks infinite"),
        (["study", "counting", "--shoes", "1"], "num_shoes 1"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pan9", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_the_program_ends_with_the_exit_code() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pan9_gym.cli.main", "solve", "bicyle"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_a_policy_file_of_the_wrong_role_or_for_several_seats_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "banker.json"
    policies.get("logical_way", "bicycle", "banker").save(path)
    for arguments, message in (
        (
            ["evaluate", "logical_way", "--role", "banker", "--opponent", str(path)],
            "is a policy of the banker",
        ),
        (
            ["solve", "--players", "2", "--role", "player", "--against", str(path)],
            "a policy file is for one seat",
        ),
    ):
        monkeypatch.setattr(sys, "argv", ["pan9", *arguments])
        with pytest.raises(SystemExit):
            main()
        assert message in capsys.readouterr().err


def test_equal_tables_of_other_names_are_other_answers(tmp_path: Path) -> None:
    for name in ("zebra", "ant"):
        policy = policies.get("logical_way", "bicycle", "player")
        TabularPolicy(policy.rules, policy.states, policy.draw_probs, name).save(tmp_path / f"{name}.json")
        assert f"'{name}'" in answer("study", "returns", "--player", str(tmp_path / f"{name}.json"))["title"]


def test_the_equilibrium_is_a_policy_on_the_command_line() -> None:
    found = answer("evaluate", "equilibrium", "--role", "banker", "--opponent", "equilibrium")
    assert table(found, "Against")[0]["gap exactly"] == "0"


def test_a_file_for_other_rules_is_taken_on_request(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    policies.get("logical_way", "bicycle", "banker").save(path)
    found = answer("evaluate", str(path), "--set", "num_decks=8", "--other-rules")
    assert Fraction(table(found, "Against")[0]["gap exactly"]) == Fraction(29247307841, 2549079256185)


def test_money_names_the_collection_and_what_is_sampled() -> None:
    found = answer("study", "money", "--players", "1", "--wager", "5", "--collection", "1,1")
    (row,) = table(found, "Collections as given")
    assert (row["banker pays"], row["player pays"], row["best"]) == ("1", "1", "sit out")
    bank = Fraction(row["bank brings"])
    assert bank == 5 * -solver.equilibrium("bicycle").value - 1
    assert any("seed 1" in note for note in found["notes"])
    none = answer("study", "money", "--players", "1", "--wager", "5")
    assert not [entry for entry in none["tables"] if entry["title"].startswith("Collections")]


def test_the_cache_says_where_it_is_and_is_cleared(tmp_path: Path) -> None:
    pan9("solve")
    assert pan9("cache").strip() == str(tmp_path / "cache")
    assert "1 answers deleted" in pan9("cache", "--clear")


def test_the_version_is_printed() -> None:
    assert pan9("--version").strip() == "0.1.0"


def test_help_names_the_commands() -> None:
    text = pan9("--help")
    for command in ("rules", "solve", "evaluate", "study", "bench", "cache"):
        assert command in text
