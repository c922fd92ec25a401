"""`python -m agents.selfplay`: the table, the folder, the policies scored anew, bad input in one line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from agents.baselines.interface import log_spaced
from agents.baselines.registry import make_trainer
from agents.baselines.runner import METRICS, RUN, SNAPSHOTS, TABLE_JSON, TABLE_MD, Finished, rescore, run
from pan9_gym import TabularPolicy, load_rules, solver
from pan9_gym.cli.tables import written
from pan9_gym.rules import ConfigError

CHEMIN = "baccarat_chemin_de_fer"


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agents.selfplay", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    trainer = make_trainer("cfr_plus", load_rules(CHEMIN, num_decks=4), "total", seed=3, steps=100)
    return run("cfr_plus", trainer, tmp_path_factory.mktemp("runs"))


def test_the_program_prints_what_the_solver_says_of_the_files(tmp_path: Path) -> None:
    arguments = ("fictitious_play", CHEMIN, "--iterations", "40", "--set", "weights=linear", "--json")
    done = program(*arguments, "--rule", "num_decks=infinite", "--level", "hand", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "torch" not in done.stderr
    printed = json.loads(done.stdout)
    path = Path(printed["path"])
    assert path.parent == tmp_path
    assert printed["settings"] == {"updates": "alternating", "weights": "linear"}
    rules = load_rules(CHEMIN, num_decks="infinite")
    last = max((path / SNAPSHOTS).iterdir())
    assert last.name == "step_000000000040"
    for kind in ("average", "last"):
        pair = [TabularPolicy.load(last / f"{kind}_{role}.json", rules) for role in ("player", "banker")]
        said = printed["rows"][-1][kind]
        assert Fraction(said["nash_conv"]) == solver.nash_conv(rules, *pair)
        assert Fraction(said["exploitability"]) == solver.exploitability(rules, *pair)
        assert Fraction(said["ev"]) == solver.action_values(rules, "player", pair[1]).ev(pair[0])


def test_every_snapshot_scored_anew_is_what_was_kept(finished: Finished) -> None:
    kept = json.loads((finished.path / TABLE_JSON).read_text())
    again = rescore(finished.path)
    assert [entry["iterations"] for entry in again] == log_spaced(100)
    assert again == [{key: row[key] for key in ("iterations", "average", "last")} for row in kept["rows"]]


def test_metrics_are_the_same_as_floats(finished: Finished) -> None:
    lines = [json.loads(line) for line in (finished.path / METRICS).read_text().splitlines()]
    assert len(lines) == len(finished.rows)
    for line, row in zip(lines, finished.rows, strict=True):
        assert line["iterations"] == row.step
        assert line["average"]["nash_conv"] == float(row.average.nash_conv)
        assert line["last"]["exploitability"] == float(row.last.exploitability)
        assert line["cpu_seconds"] == pytest.approx(row.cpu_seconds, abs=1e-3)
    assert lines[-1]["average"]["nash_conv"] < lines[0]["average"]["nash_conv"] / 100


def test_the_table_shows_every_snapshot(finished: Finished) -> None:
    text = (finished.path / TABLE_MD).read_text()
    assert text == written(finished.study(), "markdown") + "\n"
    assert f"cfr_plus on `{CHEMIN}, num_decks=4`, both roles by total, seed 3" in text
    assert len([line for line in text.splitlines() if line.startswith("|")]) == len(finished.rows) + 3
    assert f"{float(finished.rows[-1].average.nash_conv):.2e}" in text
    assert {entry.name for entry in finished.path.iterdir()} == {
        RUN,
        METRICS,
        SNAPSHOTS,
        TABLE_JSON,
        TABLE_MD,
    }


def test_the_mix_stands_beside_that_of_the_equilibrium(finished: Finished) -> None:
    rules = load_rules(CHEMIN, num_decks=4)
    solution = solver.equilibrium(rules, "total", "total")
    assert [decision.label for decision in finished.mix] == ["player 5", "banker 6, stand"]
    assert [decision.prob for decision in finished.mix] == [state.draw_prob for state in solution.mixed]
    policy = TabularPolicy.load(
        finished.path / SNAPSHOTS / "step_000000000100" / "average_player.json", rules
    )
    assert finished.rows[-1].mix["player 5"] == policy.draw_prob("1 4")
    assert finished.to_dict()["equilibrium_mix"]["player 5"] == str(solution.mixed[0].draw_prob)
    assert "| equilibrium |" in (finished.path / TABLE_MD).read_text()


def test_gaps_to_a_fixed_opponent_are_exact(tmp_path: Path) -> None:
    overrides = ["against=fixed", "opponent=always_stand", "memory=all", "response=best", "num_envs=64"]
    overrides.append("round_decisions=256")
    trainer = make_trainer("q_learning", "bicycle", "total", 1, 1_000, overrides)
    row = run("q_learning", trainer, tmp_path).rows[-1]
    assert set(row.gaps) == {"player", "banker"}
    for role, other in (("player", "banker"), ("banker", "player")):
        best = solver.best_response("bicycle", role, "always_stand", "total").ev
        own = trainer.pair(average=False)
        policy = own.player if role == "player" else own.banker
        assert row.gaps[role] == best - solver.action_values("bicycle", role, "always_stand").ev(policy) >= 0
        assert policy.role != other
    table = next(tmp_path.iterdir()) / TABLE_MD
    assert "player's gap" in table.read_text()


def test_the_terminal_gets_the_table_in_aligned_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    done = program("cfr_plus", CHEMIN, "--iterations", "3", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"cfr_plus on `{CHEMIN}`, both roles by total, seed 1"
    (header,) = [line for line in lines if "NashConv, average" in line]
    (end,) = [line for line in lines if line.strip().startswith("3 ")]
    place = header.index("NashConv, average")
    assert float(end[place : place + len("NashConv, average")]) > 0
    assert lines[-1].startswith("kept in ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_keeps_and_prints_what_was_scored(number: int, tmp_path: Path) -> None:
    arguments = ("cfr_plus", CHEMIN, "--iterations", "1000000000", "--out", str(tmp_path))
    running = subprocess.Popen(
        [sys.executable, "-m", "agents.selfplay", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for _ in range(3):
        assert "NashConv" in running.stderr.readline()
    running.send_signal(number)
    printed, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    (path,) = tmp_path.iterdir()
    kept = json.loads((path / TABLE_JSON).read_text())
    assert kept["interrupted"] is True
    assert len(kept["rows"]) >= 3
    assert f"Interrupted; scored up to {kept['rows'][-1]['iterations']:,} iterations" in printed
    assert rescore(path)[-1]["average"] == kept["rows"][-1]["average"]
    assert len((path / METRICS).read_text().splitlines()) == len(kept["rows"])


def test_a_run_stopped_before_anything_is_scored_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer("cfr_plus", CHEMIN, steps=5)

    def stop(until: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "advance", stop)
    with pytest.raises(KeyboardInterrupt):
        run("cfr_plus", trainer, tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_snapshot_that_a_stop_cuts_short_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = TabularPolicy.save

    def stops_in_the_second(self: TabularPolicy, path: Path) -> None:
        if path.parent.name == "step_000000000002" and path.name.startswith("last"):
            raise KeyboardInterrupt
        save(self, path)

    monkeypatch.setattr(TabularPolicy, "save", stops_in_the_second)
    finished = run("cfr_plus", make_trainer("cfr_plus", CHEMIN, steps=5), tmp_path)
    assert finished.interrupted
    assert [row.step for row in finished.rows] == [1]
    assert [entry["iterations"] for entry in rescore(finished.path)] == [1]


def test_a_damaged_folder_is_refused(finished: Finished, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not the folder of a run of `python -m agents.selfplay`"):
        rescore(tmp_path)
    (tmp_path / RUN).write_text("[]")
    with pytest.raises(ConfigError, match="is not the folder of a run"):
        rescore(tmp_path)
    wrong: dict[str, Any] = {**finished.about, "rules": {"num_decks": 0}}
    (tmp_path / RUN).write_text(json.dumps(wrong))
    with pytest.raises(ConfigError, match="num_decks"):
        rescore(tmp_path)


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="no run can be kept there"):
        run("cfr_plus", make_trainer("cfr_plus", CHEMIN, steps=1), tmp_path / "file")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cfr", CHEMIN), "error: trainer 'cfr' is not known"),
        (("cfr_plus", CHEMIN, "--decisions", "5"), "--decisions: trainer 'cfr_plus' counts iterations; use"),
        (("cfr_plus", CHEMIN, "--rule", "num_decks=0"), "num_decks"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = program(*arguments, "--out", str(tmp_path))
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not any(tmp_path.iterdir())


def test_a_trainer_without_settings_says_so() -> None:
    done = program("cfr_plus", CHEMIN, "--set", "foo=1")
    assert done.returncode == 2
    assert done.stderr.strip().endswith("unknown key 'foo'; allowed: none")
