"""The programs as a user runs them: train, evaluate, compare; the run folder; bad input in one line."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import train as train_module
from agents.compare import compare
from agents.config import load_config
from agents.evaluate import evaluate
from agents.run_folder import RunFolder
from agents.train import train
from pan9_gym import TabularPolicy, evaluation, load_rules, policies
from pan9_gym.rules import ConfigError

TINY = [
    "num_decisions=512",
    "num_envs=8",
    "ppo.rollout_decisions=128",
    "ppo.batch_size=64",
    "early_checkpoint=128",
    "evaluate_every=128",
    "num_checkpoints=2",
    "chart_every=1",
]


def program(module: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture(scope="module")
def run_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parent = tmp_path_factory.mktemp("runs")
    return train(load_config("bicycle_banker", TINY), parent, Console(quiet=True)).folder.path


def test_train_prints_a_table_for_a_player_and_a_player_dealer(tmp_path: Path) -> None:
    overrides = [part for override in TINY for part in ("--set", override)]
    done = program("agents.train", "--out", str(tmp_path), *overrides)
    assert done.returncode == 0, done.stderr
    for needle in (
        "The player under `bicycle`",
        "The player's optimum against logical_way is the logical way",
        "The player-dealer (banker) under `bicycle`",
        "draw on 6, player stood, worth 0.0115 a hand",
        "agent after 128",
        "agent at the end, stochastic",
        "logical way",
        "exact optimum",
        "worst-case gap",
        "CPU seconds in all",
    ):
        assert needle in done.stdout
    assert len(list(tmp_path.iterdir())) == 2


def test_the_run_folder_holds_what_the_design_lists(run_path: Path) -> None:
    names = {entry.name for entry in run_path.iterdir()}
    assert names == {
        "config.yaml",
        "policy.json",
        "policy_stochastic.json",
        "best_policy.json",
        "best.json",
        "table.json",
        "table.md",
        "metrics.jsonl",
        "checkpoints",
        "tensorboard",
    }
    checkpoints = sorted(entry.name for entry in (run_path / "checkpoints").iterdir())
    assert checkpoints == ["step_000000128", "step_000000256", "step_000000512"]
    for checkpoint in checkpoints:
        files = {entry.name for entry in (run_path / "checkpoints" / checkpoint).iterdir()}
        assert files == {"model.zip", "policy.json", "policy_stochastic.json"}


def test_the_resolved_config_is_kept(run_path: Path) -> None:
    assert RunFolder.open(run_path).config() == load_config("bicycle_banker", TINY)


def test_the_metrics_are_those_of_the_saved_policy(run_path: Path) -> None:
    lines = [json.loads(line) for line in (run_path / "metrics.jsonl").read_text().splitlines()]
    steps = [line["decisions"] for line in lines]
    assert steps == sorted(set(steps))
    assert steps[-1] == 512
    table = json.loads((run_path / "table.json").read_text())
    gap = Fraction(table["rows"]["agent at the end"]["against_opponent"]["gap"])
    assert lines[-1]["exact"]["gap"] == float(gap)
    assert set(lines[-1]["exact"]) == {"ev", "gap", "worst_case_gap", "agreement"}


def test_tensorboard_has_the_exact_figures_and_the_chart(run_path: Path) -> None:
    events = EventAccumulator(str(run_path / "tensorboard"))
    events.Reload()
    tags = events.Tags()
    for name in ("exact/ev", "exact/gap", "exact/worst_case_gap", "exact/agreement", "exact_stochastic/gap"):
        assert name in tags["scalars"]
    assert tags["images"] == ["strategy/chart"]
    lines = [json.loads(line) for line in (run_path / "metrics.jsonl").read_text().splitlines()]
    logged = {event.step: event.value for event in events.Scalars("exact/gap")}
    assert logged == {line["decisions"]: pytest.approx(line["exact"]["gap"], abs=1e-6) for line in lines}


def test_evaluate_gives_the_final_rows_of_the_runs_own_table(run_path: Path) -> None:
    text = evaluate(str(run_path))
    own = (run_path / "table.md").read_text()
    agent_rows = [line for line in text.splitlines() if line.startswith("| agent at the end")]
    assert len(agent_rows) == 2
    figures = [cell.strip() for cell in agent_rows[0].split("|")][2:]
    assert any([cell.strip() for cell in line.split("|")][2:] == figures for line in own.splitlines())


def test_evaluate_takes_another_opponent(run_path: Path) -> None:
    assert "against `always_draw`" in evaluate(str(run_path), "always_draw")
    with pytest.raises(ConfigError, match="'opponent' has the value 'nobody'"):
        evaluate(str(run_path), "nobody")


def test_compare_puts_runs_beside_the_logical_way_and_the_optimum(run_path: Path, tmp_path: Path) -> None:
    other = train(load_config("bicycle_banker", [*TINY, "seed=2"]), tmp_path, Console(quiet=True)).folder.path
    text = compare([str(run_path), str(other)])
    for needle in (run_path.name, other.name, "logical way", "exact optimum", "total 6, player stood"):
        assert needle in text
    assert text.count("exact optimum") == 1


def test_compare_keeps_different_games_apart(run_path: Path, tmp_path: Path) -> None:
    other = train(load_config("uk_1994_house_player", TINY), tmp_path, Console(quiet=True)).folder.path
    assert compare([str(run_path), str(other)], across=True).count("exact optimum") == 2


@pytest.mark.parametrize("module", ["agents.evaluate", "agents.compare"])
def test_a_folder_that_is_no_run_is_one_line(module: str, tmp_path: Path) -> None:
    done = program(module, str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith("error: run ")
    assert "config.yaml, policy.json, policy_stochastic.json is missing" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_folder_is_said() -> None:
    with pytest.raises(ConfigError, match="there is no such folder"):
        RunFolder.open("nowhere")


def test_a_policy_for_other_rules_is_refused(run_path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run_path, copy)
    text = (copy / "config.yaml").read_text().replace("rules: bicycle", "rules: uk_1994_player")
    (copy / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match="was made for the rules 'bicycle'"):
        evaluate(str(copy))


@pytest.mark.parametrize("name", ["policy.json", "config.yaml"])
def test_a_damaged_file_is_said(run_path: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run_path, copy)
    (copy / name).write_bytes((copy / name).read_bytes()[:40] + b"\x00{[")
    with pytest.raises(ConfigError, match=name):
        evaluate(str(copy))


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        (["no_such_config"], "config 'no_such_config' is not known"),
        (["--set", "sed=3"], "unknown key 'sed'"),
        (["--set", "rules=nowhere"], "rule sheet 'nowhere' is not known"),
        (["--set", "num_envs=63"], "ppo.rollout_decisions"),
        (["--set", "opponent=nobody"], "'opponent' has the value 'nobody'"),
    ],
)
def test_bad_input_to_train_is_one_error_and_no_traceback(
    arguments: list[str], needle: str, tmp_path: Path
) -> None:
    done = program("agents.train", "--out", str(tmp_path), *arguments)
    assert done.returncode == 2
    assert needle in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_keeps_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting(train_module.ExactCallback):
        def _on_step(self) -> bool:
            if self.num_timesteps >= 256:
                raise KeyboardInterrupt
            return super()._on_step()

    monkeypatch.setattr(train_module, "ExactCallback", Interrupting)
    run = train(load_config("bicycle_player", TINY), tmp_path, Console(quiet=True))
    assert run.interrupted
    assert "Interrupted" in run.results.markdown()
    rules = load_rules("bicycle")
    saved = TabularPolicy.load(run.folder.path / "policy.json", rules)
    assert saved.draw_probs == run.results.report("agent at the end").policy.draw_probs
    assert (run.folder.path / "table.md").is_file()


def test_training_without_the_extra_says_which_to_install(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    code = (
        "import importlib.util, runpy, sys\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'torch' else real(name, *a)\n"
        "sys.argv = ['-m']\n"
        "runpy.run_module('agents.train', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 1
    assert done.stderr.strip() == "agents needs torch, from the extra `train`: pip install -e '.[train]'"


def test_a_bad_second_config_is_refused_before_the_first_is_trained(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("role: banker\nopponent: nobody\n", encoding="utf-8")
    done = program("agents.train", "bicycle_player", str(bad), "--out", str(tmp_path / "runs"))
    assert done.returncode == 2
    assert "'opponent' has the value 'nobody'" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_an_out_that_is_a_file_is_one_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="no run can be kept there"):
        train(load_config("bicycle_player", TINY), file, Console(quiet=True))


@pytest.fixture
def copied(run_path: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "a" / run_path.name
    shutil.copytree(run_path, copy)
    return copy


def test_an_empty_config_is_not_the_default_config(copied: Path) -> None:
    (copied / "config.yaml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"is not the resolved config of a run: .*rules.*role"):
        evaluate(str(copied))


def test_a_policy_of_the_other_role_is_refused(copied: Path) -> None:
    policies.get("logical_way", load_rules("bicycle"), "player").save(copied / "policy.json")
    with pytest.raises(ConfigError, match=r"policy\.json: is of a player.*says role 'banker'"):
        evaluate(str(copied))


def test_compare_tells_runs_of_the_same_name_apart(run_path: Path, copied: Path) -> None:
    policies.get("wizard", load_rules("bicycle"), "banker").save(copied / "policy.json")
    text = compare([str(run_path), str(copied)])
    labels = [f"{path.parent.name}/{path.name}" for path in (run_path, copied)]
    assert all(f"| {label} " in text for label in labels)
    moves = text.split("| decision", 1)[1]
    bad = evaluation.report("bicycle", RunFolder.open(run_path).policies()[0].greedy, "banker")
    assert bad.disagreements
    assert moves.count(" a hand") >= len(bad.disagreements)


def test_compare_names_the_folder_one_stands_in(run_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run_path)
    assert f"| {run_path.name} " in compare(["."])


def test_the_early_agent_has_learned_from_the_decisions_its_row_names(run_path: Path) -> None:
    """Rollouts of 128 decisions, two updates of four epochs each per rollout in SB3's counter."""
    table = json.loads((run_path / "table.json").read_text())
    assert "agent after 128" in table["rows"]
    saved = run_path / "checkpoints" / "step_000000128" / "model.zip"
    with zipfile.ZipFile(saved) as archive:
        data = json.loads(archive.read("data"))
    assert data["num_timesteps"] == 128
    assert data["_n_updates"] == load_config("bicycle_banker", TINY).ppo.num_epochs


def test_the_table_lists_every_decision_of_an_agent_by_totals(run_path: Path) -> None:
    text = (run_path / "table.md").read_text()
    assert "more decisions cost" not in text


def test_runs_that_start_together_get_folders_of_their_own(tmp_path: Path) -> None:
    config = load_config("bicycle_player", TINY)
    paths = {RunFolder.create(tmp_path, config).path for _ in range(4)}
    assert len(paths) == 4


def interrupted_at(monkeypatch: pytest.MonkeyPatch, decisions: int) -> None:
    class Interrupting(train_module.ExactCallback):
        def _on_step(self) -> bool:
            if self.num_timesteps >= decisions:
                signal.raise_signal(signal.SIGTERM)
            return super()._on_step()

    monkeypatch.setattr(train_module, "ExactCallback", Interrupting)


def test_sigterm_keeps_what_was_learned_and_no_step_comes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_at(monkeypatch, 256)
    before = signal.getsignal(signal.SIGTERM)
    run = train(load_config("bicycle_player", TINY), tmp_path, Console(quiet=True))
    assert run.interrupted
    assert signal.getsignal(signal.SIGTERM) == before
    lines = [json.loads(line) for line in (run.folder.path / "metrics.jsonl").read_text().splitlines()]
    steps = [line["decisions"] for line in lines]
    assert steps == sorted(set(steps))
    assert (run.folder.path / "table.json").is_file()
    assert "agent at the end" in evaluate(str(run.folder.path))


def test_a_run_in_which_nothing_was_learned_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, *arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stable_baselines3.ppo.PPO.learn", refuse)
    with pytest.raises(KeyboardInterrupt):
        train(load_config("bicycle_player", TINY), tmp_path, Console(quiet=True))
    assert not list(tmp_path.iterdir())
