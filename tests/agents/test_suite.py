"""The learning benchmark: its cells, what counts as met, runs kept and resumed, scores by another process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from PIL import Image
from rich.console import Console

from agents.config import load_config
from agents.exam import Exam, greedy_of, stochastic_of
from agents.run_folder import RunFolder, load_policies
from agents.suite.cells import SelfPlayCell, TrainCell, all_cells, chosen_cells
from agents.suite.curves import write_curves
from agents.suite.rescore import rescore
from agents.suite.runs import Job, jobs_of, run_all
from agents.suite.scores import Point, Score, score_of
from agents.suite.tables import in_short, study
from agents.train import train
from pan9_gym.cli.tables import written
from pan9_gym.rules import ConfigError

EXACT = SelfPlayCell("task_h_mixed", "cfr_plus")


def a_score(*gaps: float, **changed: object) -> Score:
    points = tuple(Point(10 * step, float(step), gap) for step, gap in enumerate(gaps))
    score = Score(
        cell="task_a_totals/ppo",
        seed=1,
        key="",
        run="run",
        unit="decisions",
        target=0.0,
        other_target=None,
        points=points,
        gap=Fraction(0),
        other_gap=Fraction(1, 100),
        worst_rescored=Fraction(0),
        yardstick=None,
        illegal_moves=None,
        cpu_seconds=1.5,
    )
    return replace(score, **changed)


def test_every_task_of_the_suite_has_a_cell() -> None:
    cells = all_cells()
    assert len({cell.label for cell in cells}) == len(cells)
    assert {cell.task.split("_")[1] for cell in cells} == set("abcdefghij")
    for cell in cells:
        assert cell.target >= 0
        assert cell.key(1) == cell.key(1) != cell.key(2)


def test_patterns_choose_cells() -> None:
    assert [cell.label for cell in chosen_cells(["task_a_totals/ppo"])] == ["task_a_totals/ppo"]
    assert {cell.task for cell in chosen_cells(["task_h_*"])} == {"task_h_mixed"}
    assert {cell.learner for cell in chosen_cells(["*/dqn"])} == {"dqn"}
    assert chosen_cells([]) == all_cells()
    with pytest.raises(ConfigError, match=r"cells 'task_z': matches no cell; known: task_a_cards/ppo, "):
        chosen_cells(["task_a_totals", "task_z"])


def test_a_target_is_met_if_it_is_held_over_the_last_half() -> None:
    assert a_score(0.5, 0.0, 0.0, 0.0, 0.0).met
    assert a_score(0.5, 0.5, 0.0, 0.0, 0.0).met
    assert not a_score(0.5, 0.5, 0.5, 0.0, 0.0).met
    assert not a_score(0.5, 0.0, 0.0, 0.1, 0.0).met
    assert not a_score(0.5, 0.0, 0.0, 0.0, 0.1).met
    assert a_score(0.5, 0.0, 0.0, 0.1, 0.1, target=0.1).met


@pytest.mark.parametrize(
    "changed",
    [
        {"worst_rescored": Fraction(1, 10**9)},
        {"yardstick": Fraction(1, 1000), "worst_rescored": Fraction(1, 1000), "target": 0.1},
        {"other_target": 1e-3},
        {"illegal_moves": 1},
    ],
)
def test_what_else_a_target_asks_for(changed: dict[str, object]) -> None:
    assert a_score(0.0, 0.0, illegal_moves=0, yardstick=Fraction(1, 10), other_target=0.02).met
    assert not a_score(0.0, 0.0, **changed).met


def test_first_and_held_are_told_apart() -> None:
    score = a_score(0.5, 0.0, 0.02, 0.001, 0.0)
    assert [score.first(bound).step for bound in (1.0, 0.01, 0.0)] == [0, 10, 10]
    assert [score.since(bound).step for bound in (1.0, 0.02, 0.01, 0.0)] == [0, 10, 30, 40]
    assert a_score(0.0, 0.1).since(0.0) is None
    assert a_score(0.2, 0.1).first(0.0) is None


def test_scores_are_kept_to_the_last_bit() -> None:
    score = a_score(0.5, 1e-17, gap=Fraction(1, 3), yardstick=Fraction(2, 7), illegal_moves=0)
    assert Score.from_dict(json.loads(json.dumps(score.to_dict()))) == score


def test_a_cell_is_trained_once_scored_by_another_process_and_kept(tmp_path: Path) -> None:
    (job,) = jobs_of([EXACT], [1, 2, 3], tmp_path)  # nothing is random about it: one seed
    said: list[str] = []
    (score,) = run_all([job], 1, said.append).scores
    assert score.met
    line = f"met, gap 3.1e-07 at the end, {score.cpu_seconds:.0f} CPU s"
    assert said == [f"1 of 1: task_h_mixed/cfr_plus, seed 1: {line}"]
    assert score == job.kept()
    (again,) = run_all([job], 1, said.append).scores
    assert again == score
    assert said[1:] == ["1 of 1 runs are there already"]
    run = tmp_path / score.run
    assert rescore("task_h_mixed", "cfr_plus", run)["checkpoints"][-1]["gap"] == str(score.gap)
    for path in run.glob("snapshots/*/average_player.json"):
        shutil.copy(path.with_name("last_player.json"), path)
    worse = rescore("task_h_mixed", "cfr_plus", run)["checkpoints"]
    assert Fraction(worse[-1]["gap"]) > score.gap
    assert not score_of(EXACT, 1, run, tmp_path, {"checkpoints": worse, "yardstick": None}, 1.0).met


def test_other_settings_are_run_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(EXACT, 1, tmp_path)
    job.folder.mkdir()
    (tmp_path / "run").mkdir()
    kept = a_score(0.0, key=EXACT.key(1), cell=EXACT.label)
    (job.folder / "score.json").write_text(json.dumps(kept.to_dict()))
    assert job.kept() is not None
    monkeypatch.setattr("agents.suite.cells.SUITE", "another suite")
    assert job.kept() is None
    (job.folder / "score.json").write_text("{")
    assert job.kept() is None


def test_a_cell_that_fails_is_said_and_the_others_are_kept(tmp_path: Path) -> None:
    broken = TrainCell("task_e_player", "ppo")  # cannot learn a sheet that forces moves
    said: list[str] = []
    outcome = run_all([Job(broken, 1, tmp_path), Job(EXACT, 1, tmp_path)], 2, said.append)
    (failed,) = outcome.failed
    assert failed.startswith("cell task_e_player/ppo, seed 1: agents.train failed: error: field 'algorithm'")
    assert [score.cell for score in outcome.scores] == [EXACT.label]
    assert Job(EXACT, 1, tmp_path).kept() == outcome.scores[0]
    assert len(said) == 2


def test_a_stopped_benchmark_ends_its_processes_and_can_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agents.benchmark", "--cells", "task_b_totals/ppo", "--seeds", "1"]
    running = subprocess.Popen([*command, "--out", str(tmp_path)], stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "task_b_totals-ppo-seed1"

    def lines() -> list[str]:
        return [line for path in folder.glob("*/metrics.jsonl") for line in path.read_text().splitlines()]

    for _ in range(1200):
        if len(lines()) > 1:  # the first is before anything is learned: a run stopped there leaves nothing
            break
        time.sleep(0.1)
    assert len(lines()) > 1
    running.terminate()
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.splitlines()[-1] == "interrupted; the same command goes on with what is left"
    (run,) = folder.glob("task_b_totals-seed1-*")
    before = (run / "metrics.jsonl").read_bytes()
    time.sleep(1)
    assert (run / "metrics.jsonl").read_bytes() == before
    assert Job(TrainCell("task_b_totals", "ppo"), 1, tmp_path).kept() is None


@pytest.mark.parametrize(
    "changed", [{"gap": "1/0"}, {"points": []}, {"cell": "other"}, {"seed": 2}, {"points": [[0, 0, None]]}]
)
def test_a_damaged_score_is_made_again(tmp_path: Path, changed: dict[str, object]) -> None:
    job = Job(EXACT, 1, tmp_path)
    job.folder.mkdir()
    (tmp_path / "run").mkdir()
    data = a_score(0.0, key=EXACT.key(1), cell=EXACT.label).to_dict()
    (job.folder / "score.json").write_text(json.dumps(data))
    assert job.kept() is not None
    (job.folder / "score.json").write_text(json.dumps(data | changed))
    assert job.kept() is None


def test_a_score_whose_run_is_gone_is_made_again(tmp_path: Path) -> None:
    job = Job(EXACT, 1, tmp_path)
    job.folder.mkdir()
    data = a_score(0.0, key=EXACT.key(1), cell=EXACT.label).to_dict()
    (job.folder / "score.json").write_text(json.dumps(data))
    assert job.kept() is None


def test_a_gap_that_is_no_number_is_not_small() -> None:
    assert not a_score(0.0, float("nan")).met
    assert a_score(0.0, 0.0, yardstick=Fraction(0)).met  # nothing can be below it


def test_the_other_process_judges_by_the_suite_and_not_by_the_run(tmp_path: Path) -> None:
    tiny = ["num_decisions=1024", "num_envs=64", "early_checkpoint=128", "num_checkpoints=8"]
    config = load_config("task_f_20", [*tiny, "ppo.rollout_decisions=128", "ppo.batch_size=64"])
    run = train(config, tmp_path, Console(quiet=True)).folder.path
    done = subprocess.run(
        [sys.executable, "-m", "agents.suite.rescore", "task_f_20", "maskable_ppo", str(run)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    exam = Exam.of(load_config("task_f_20"))
    folder = RunFolder(run)
    steps = [step for step in folder.checkpoints() if step >= 512]
    assert [entry["step"] for entry in found["checkpoints"]] == steps
    for entry in found["checkpoints"]:
        kept = load_policies(folder.checkpoints()[entry["step"]], exam.parts)
        assert entry["gap"] == str(exam.gap(greedy_of(kept)))
        assert entry["other_gap"] == str(exam.gap(stochastic_of(kept)))
    assert found["yardstick"] == str(exam.gap([exam.judges[0].blind_optimum]))
    score = score_of(TrainCell("task_f_20", "maskable_ppo"), 1, run, tmp_path, found, 2.0)
    assert score.points[-1].step == 1024
    assert score.illegal_moves == 0
    with pytest.raises(ConfigError):  # a run of another game
        rescore("task_e_banker", "maskable_ppo", run)


def test_tables_and_curves_show_every_cell(tmp_path: Path) -> None:
    cells = chosen_cells(["task_a_totals/ppo", "task_a_totals/stock_ppo", "task_h_mixed/cfr_plus"])
    scores = [a_score(0.5, 0.0, 0.0, cell=cell.label, seed=seed) for cell in cells for seed in (1, 2)] + [
        a_score(0.5, 0.5, 0.02, cell="task_a_totals/ppo", seed=3)
    ]
    text = written(study(cells, scores), "markdown")
    assert "Missed with at least one seed: 1 of 2 cells with a target, task_a_totals/ppo." in text
    row = next(line for line in text.splitlines() if line.startswith("| a_totals |") and " ppo |" in line)
    assert "2 of 3" in row
    assert "10, 10, never" in row
    assert next(line for line in text.splitlines() if "stock_ppo" in line).count("none") == 1
    write_curves(cells, scores, tmp_path / "new" / "curves.png")
    with Image.open(tmp_path / "new" / "curves.png") as image:
        assert image.size[0] > image.size[1]
    with pytest.raises(ConfigError, match=r"curves .*cannot be written"):
        write_curves(cells, scores, tmp_path / "new" / "curves.png" / "x.png")


def test_the_command_lists_its_cells() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agents.benchmark", "--list", "--cells", "task_h_*"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "task_h_mixed/cfr_plus, target 1e-06\n" in done.stdout
    failed = subprocess.run(
        [sys.executable, "-m", "agents.benchmark", "--cells", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith("error: cells 'nothing': matches no cell; known: task_a_cards/ppo")
    assert len(failed.stderr.splitlines()) == 1


def test_decisions_in_short() -> None:
    written_short = [in_short(number) for number in (0, 999, 1000, 163_840, 2_500_000)]
    assert written_short == ["0", "999", "1k", "164k", "2.5M"]
