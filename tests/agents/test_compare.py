"""Runs compared: tasks kept apart, other sheets, seeds with intervals, cross-play, curves, JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from agents.compare import compare, compare_runs, main
from agents.compare_crossplay import BEST, matrix
from agents.compare_curves import band, learning_curves
from agents.compare_runs import by_config, by_task, open_runs, read_history
from agents.compare_seeds import mean_interval
from agents.config import load_config
from agents.extract import Extracted
from agents.run_folder import RunFolder
from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.rules import ConfigError

MakeRun = Callable[..., str]
GAPS = (0.2, 0.01, 0.0, 0.003, 0.0)


def metrics(decisions: int, gap: float) -> dict[str, Any]:
    return {"decisions": decisions, "exact": {"gap": gap}, "exact_stochastic": {"gap": gap + 0.001}}


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Folders of runs that trained nothing: a named policy, mixed a little for the stochastic one."""

    def make(config: str = "bicycle_banker", policy: str = "wizard", *overrides: str, **extra: float) -> str:
        loaded = load_config(config, list(overrides))
        folder = RunFolder.create(tmp_path, loaded)
        greedy = policies.get(policy, load_rules(loaded.rules), loaded.role)
        folder.save_policies([Extracted(greedy, mixed(greedy))])
        for number, gap in enumerate(GAPS):
            folder.add_metrics(metrics(100 * number, gap) | {key: number * v for key, v in extra.items()})
        return str(folder.path)

    return make


def mixed(policy: TabularPolicy) -> TabularPolicy:
    def prob(hand: tuple[int, ...], choices: tuple[str, ...]) -> Fraction:
        return policy.draw_prob(hand, choices) * Fraction(9, 10) + Fraction(1, 20)

    return TabularPolicy.from_callable(policy.rules, policy.role, prob, name=f"{policy.name}, stochastic")


def test_nothing_to_compare_is_one_error() -> None:
    with pytest.raises(ConfigError, match=r"^nothing to compare: give the folder of at least one run"):
        compare([])


@pytest.mark.parametrize(
    ("other", "needle"),
    [
        (("bicycle_player", "logical_way"), "has role 'banker', .* has role 'player'; with --across"),
        (("uk_1994_player_banker", "wizard"), "has rules 'bicycle', .* has rules 'uk_1994_player'"),
        (("bicycle_banker", "wizard", "opponent=always_draw"), "'logical_way', .*opponent 'always_draw'"),
    ],
)
def test_runs_of_different_tasks_are_refused_unless_said(
    make_run: MakeRun, other: tuple[str, ...], needle: str
) -> None:
    runs = [make_run(), make_run(*other)]
    with pytest.raises(ConfigError, match=needle) as caught:
        compare(runs)
    assert len(str(caught.value).splitlines()) == 1
    assert compare(runs, across=True).count("exact optimum") == 2


def test_what_an_algorithm_needs_is_no_part_of_the_task(make_run: MakeRun) -> None:
    runs = open_runs(
        [make_run(), make_run("bicycle_banker_dqn"), make_run("bicycle_banker", "wizard", "seed=7")]
    )
    assert len(by_task(runs, across=False)) == 1
    assert [len(group) for group in by_config(runs).values()] == [2, 1]
    assert set(runs[0].task) >= {"rules", "role", "opponent"}


def test_configs_of_the_same_name_get_numbers(make_run: MakeRun) -> None:
    runs = open_runs([make_run(), make_run("bicycle_banker", "wizard", "ppo.num_epochs=3")])
    assert list(by_config(runs)) == ["bicycle_banker, ppo (1)", "bicycle_banker, ppo (2)"]
    runs = open_runs([make_run(), make_run("bicycle_banker", "wizard", "algorithm=dqn", "num_envs=256")])
    assert list(by_config(runs)) == ["bicycle_banker, ppo", "bicycle_banker, dqn"]


def test_every_entry_of_the_cross_play_is_the_solvers(make_run: MakeRun) -> None:
    runs = [make_run(), make_run("bicycle_player", "always_draw")]
    (found,) = compare_runs(runs, across=True).matrices
    opened = {run.name: run.policies for run in open_runs(runs)}
    own = {f"{name}{end}": p for name, e in opened.items() for p, end in zip(e_pair(e), ENDS, strict=True)}
    rules = load_rules("bicycle")
    solved = solver.equilibrium(rules)
    named = {
        role: {"logical way": policies.get("logical_way", rules, role), "equilibrium": solved.policy(role)}
        for role in ("player", "banker")
    }
    assert found.players[-1] == found.bankers[-1] == BEST
    assert len(found.players) == len(found.bankers) == 5
    for player in found.players[:-1]:
        row = own.get(player) or named["player"][player]
        for banker in found.bankers[:-1]:
            column = own.get(banker) or named["banker"][banker]
            assert found.ev(player, banker) == solver.evaluate(rules, row, column).ev
        assert found.ev(player, BEST) == -solver.best_response(rules, "banker", row).ev
    assert found.ev(BEST, "logical way") == solver.best_response(rules, "player", "logical_way").ev
    assert found.ev(BEST, BEST) is None


ENDS = ("", ", stochastic")


def e_pair(extracted: Extracted) -> tuple[TabularPolicy, TabularPolicy]:
    return extracted.greedy, extracted.stochastic


def test_a_saddle_point_shows_in_the_matrix() -> None:
    rules = load_rules("bicycle")
    solved = solver.equilibrium(rules)
    pair = [[("e", solved.policy(role))] for role in ("player", "banker")]
    found = matrix(rules, *pair)
    assert found.ev("e", "e") == found.ev("e", BEST) == found.ev(BEST, "e") == solved.value


def test_each_sheet_has_a_matrix_of_its_own(make_run: MakeRun) -> None:
    found = compare_runs([make_run(), make_run("uk_1994_house_player", "logical_way")], across=True)
    assert [entry.rules.name for entry in found.matrices] == ["bicycle", "uk_1994_house"]
    assert [len(entry.bankers) for entry in found.matrices] == [5, 3]


def test_runs_are_judged_under_another_sheet_with_forced_moves(make_run: MakeRun) -> None:
    run = make_run()
    found = compare_runs([run], on=["bicycle_bonus", "uk_1994_player"])
    assert [task.results.rows[0][1].rules.name for task in found.tasks] == ["bicycle_bonus", "uk_1994_player"]
    name = Path(run).name
    bonus = found.tasks[0].results.report(name)
    assert bonus.ev == -solver.evaluate("bicycle_bonus", "logical_way", "wizard").ev
    text = found.markdown()
    assert f"{name} was trained on `bicycle`." in text
    assert "policy_stochastic.json: moves that 'bicycle_bonus' does not allow were replaced" in text
    row = next(entry for entry in found.tasks[0].seeds.tables[0].rows)
    assert row[-2:] == (None, None)  # what it learned by was another sheet


def test_runs_of_different_sheets_meet_under_one(make_run: MakeRun) -> None:
    runs = [make_run(), make_run("uk_1994_player_banker")]
    assert compare(runs, on=["hawaiian_gardens"]).count("exact optimum") == 1


def test_a_sheet_of_other_cards_is_refused(make_run: MakeRun) -> None:
    with pytest.raises(ConfigError, match=r"policy\.json: layout_fingerprint"):
        compare([make_run()], on=["baccarat_punto_banco"])


def test_seeds_share_a_row_with_an_interval(make_run: MakeRun) -> None:
    runs = [
        make_run("bicycle_banker", policy, f"seed={seed}")
        for seed, policy in enumerate(["wizard", "logical_way", "wizard"], start=1)
    ]
    found = compare_runs(runs).tasks[0]
    per_seed, per_config = (table.rows for table in found.seeds.tables)
    assert [(row[2], row[3], row[6], row[7]) for row in per_seed] == [(s, 400, 200, 400) for s in (1, 2, 3)]
    greedy, _ = per_config
    gap = found.results.report(Path(runs[1]).name).gap
    assert greedy[:4] == ("bicycle_banker", "greedy", 3, gap / 3)
    assert greedy[4:6] == (0.0, pytest.approx(float(gap)))
    assert greedy[6:] == (0, gap, 2)


def test_the_interval_of_a_mean() -> None:
    values = [Fraction(number, 10) for number in range(20)]
    low, high = mean_interval(values) or (np.nan, np.nan)
    assert (low, high) == mean_interval(values)
    half = 1.96 * np.std([float(value) for value in values]) / np.sqrt(20)
    assert (low, high) == pytest.approx((0.95 - half, 0.95 + half), abs=0.03)
    assert mean_interval(values[:1]) is None
    assert mean_interval([Fraction(1, 3)] * 3) == (1 / 3, 1 / 3)


def test_a_seed_that_comes_twice_is_said(make_run: MakeRun) -> None:
    run = make_run()
    assert "bicycle_banker: a seed comes twice" in compare([run, run])


def test_a_band_holds_the_last_value_of_each_curve() -> None:
    first = np.array([0.0, 2.0, 4.0]), np.array([1.0, 0.5, 0.0])
    other = np.array([1.0, 3.0, 5.0]), np.array([0.8, 0.6, 0.4])
    x, low, high = band([first, other])
    assert x.tolist() == [1, 2, 3, 4]
    assert low.tolist() == [0.8, 0.5, 0.5, 0.0]
    assert high.tolist() == [1.0, 0.8, 0.6, 0.6]


def test_curves_show_each_seed_and_zero(make_run: MakeRun) -> None:
    runs = open_runs([make_run("bicycle_banker", "wizard", f"seed={seed}") for seed in (1, 2)])
    figure = learning_curves(runs, {run.name: read_history(run) for run in runs}, "decisions")
    greedy, stochastic = figure.axes
    curves = [line for line in greedy.lines if len(line.get_xdata()) == len(GAPS)]
    assert [line.get_ydata().tolist() for line in curves] == [list(GAPS)] * 2
    assert greedy.get_yscale() == stochastic.get_yscale() == "symlog"
    assert greedy.get_ylim()[0] < 0
    assert len(greedy.collections) == 1  # the band
    legend = greedy.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["bicycle_banker, 2 seeds"]


@pytest.mark.parametrize(
    ("times", "axes"),
    [
        ({}, ["decisions"]),
        ({"seconds": 0.5}, ["decisions", "seconds"]),
        ({"seconds": 0.5, "cpu_seconds": 0.4}, ["decisions", "cpu_seconds"]),
    ],
)
def test_pictures_are_written(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], times: Any, axes: list[str]
) -> None:
    folder = tmp_path / "new" / "plots"
    main([make_run(**times), make_run("bicycle_player", "logical_way", **times)], across=True, plots=folder)
    stems = [f"bicycle_{role}_logical_way_{axis}" for role in ("banker", "player") for axis in axes]
    assert sorted(path.stem for path in folder.iterdir()) == sorted(stems)
    for stem in stems:
        assert f"written: {folder / stem}.png" in capsys.readouterr().out or stem != stems[0]
        with Image.open(folder / f"{stem}.png") as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 10


def test_json_holds_fractions_as_texts(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run()
    main([run], as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"tasks", "cross_play", "plots"}
    (task,) = found["tasks"]
    assert task["task"] == {"rules": "bicycle", "role": "banker", "opponent": "logical_way"} | task["task"]
    assert task["rows"][Path(run).name]["against_opponent"]["ev"] == "403172216947/35169937233795"
    (matrix,) = found["cross_play"][0]["tables"]  # more bankers than players: they are the rows
    assert matrix["columns"][0]["name"] == "banker, against player"
    assert [entry["name"] for entry in matrix["columns"][1:]] == ["logical way", "equilibrium", BEST]
    assert [row[0] for row in matrix["rows"]][-3:] == ["logical way", "equilibrium", BEST]
    assert matrix["rows"][0][1] == "-403172216947/35169937233795"
    assert matrix["rows"][-1][-1] is None


def test_curves_of_another_sheet_are_refused(make_run: MakeRun, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--plots shows how runs learned on their own sheets"):
        main([make_run()], on=["bicycle_bonus"], plots=tmp_path / "plots")


def test_a_run_without_metrics_is_compared_but_has_no_curve(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run()
    (Path(run) / "metrics.jsonl").unlink()
    assert "exact optimum" in compare([run])
    with pytest.raises(ConfigError, match="kept no metrics, so it has no learning curve"):
        main([run], plots=tmp_path / "plots")


@pytest.mark.parametrize("line", ["{", "[]", '{"decisions": 1}', '{"decisions": null}', "3"])
def test_damaged_metrics_are_one_error(make_run: MakeRun, line: str) -> None:
    run = make_run()
    with (Path(run) / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(ConfigError, match=r"metrics\.jsonl: line 6 is damaged"):
        compare([run])


def test_plots_that_are_a_file_are_one_error(make_run: MakeRun, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="no picture can be kept there"):
        main([make_run()], plots=file)


def test_other_sheets_do_not_excuse_a_damaged_folder(make_run: MakeRun, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(make_run(), copy)
    policies.get("logical_way", load_rules("bicycle"), "player").save(copy / "policy.json")
    with pytest.raises(ConfigError, match="is of a player"):
        compare([str(copy)], on=["bicycle_bonus"])


def test_more_policies_join_the_cross_play(make_run: MakeRun, tmp_path: Path) -> None:
    rules = load_rules("bicycle")
    file = tmp_path / "own.json"
    mixed(policies.get("always_draw", rules, "player")).save(file)
    (found,) = compare_runs([make_run()], against=["uniform", str(file)]).matrices
    assert found.players == ("logical way", "equilibrium", "uniform", str(file), BEST)
    assert found.bankers[-2:] == ("uniform", BEST)
    own = TabularPolicy.load(file, rules)
    assert found.ev(str(file), "uniform") == solver.evaluate(rules, own, "uniform").ev
    with pytest.raises(ConfigError, match="'nobody'"):
        compare_runs([make_run()], against=["nobody"])
    with pytest.raises(ConfigError, match=r"nowhere\.json: cannot be read"):
        compare_runs([make_run()], against=["nowhere.json"])


def test_runs_with_side_stakes_have_no_cross_play(make_run: MakeRun) -> None:
    staked = make_run("bicycle_bonus_banker", "wizard", "side_stakes={bc: 1/20}")
    assert compare_runs([staked]).matrices == ()
    assert "- Task: side_stakes bc 1/20." in compare([staked])
    (found,) = compare_runs([staked, make_run("bicycle_bonus_banker")], across=True).matrices
    assert found.notes == (f"Left out for their several players or side stakes: {Path(staked).name}.",)
