"""Tasks of several parts, one agent for sheets, roles or shoes, and the opponent who is solved for again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from rich.console import Console

from agents.compare import compare, compare_runs
from agents.compare_runs import read_history
from agents.config import TrainConfig, load_config
from agents.evaluate import evaluate
from agents.exam import Exam
from agents.judge import Judge
from agents.learners import make_learner
from agents.make_env import make_vec_env, net_inputs
from agents.part_results import PartResults
from agents.parts import parts_of
from agents.re_solving import SolvingAgain, solving_again
from agents.run_folder import RunFolder, load_policies
from agents.train import Run, train
from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.game import legal_table
from pan9_gym.rules import ConfigError, Role
from pan9_gym.solver.depleted_shoes import depleted_shoes

TINY = ["num_decisions=512", "num_envs=64", "early_checkpoint=128"]
PPO = ["ppo.rollout_decisions=128", "ppo.batch_size=64"]
SHOES = ["shoes.cards_left=[16, 20]", "shoes.number=10"]


def tiny(name: str, *overrides: str) -> TrainConfig:
    return load_config(name, [*TINY, *PPO, *overrides])


@pytest.fixture(scope="module")
def every_sheet(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tiny("task_j_all"), tmp_path_factory.mktemp("runs"), Console(quiet=True))


@pytest.fixture(scope="module")
def some_shoes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tiny("task_g_player", *SHOES), tmp_path_factory.mktemp("runs"), Console(quiet=True))


def tables(exam: Exam, policy: str) -> Sequence[TabularPolicy]:
    return [policies.get(policy, judge.values.rules, judge.values.states.role) for judge in exam.judges]


def test_one_agent_for_all_sheets_is_judged_at_each_sheet_and_role_with_a_choice() -> None:
    exam = Exam.of(load_config("task_j_all"))
    labels = [part.label for part in exam.parts]
    assert len(labels) == len(set(labels)) == 9
    assert "uk_1994_house_banker" not in labels
    gaps = exam.gaps(tables(exam, "logical_way"))
    for part, gap in zip(exam.parts, gaps, strict=True):
        rules, role = load_rules(part.config.sheet), Role(part.config.role)
        assert gap == solver.best_response(rules, role, "logical_way").ev - Judge.of(part.config).ev(
            policies.get("logical_way", rules, role)
        )
    assert exam.gap(tables(exam, "logical_way")) == max(gaps) > 0


def test_the_gap_on_depleted_shoes_is_the_mean_over_seeded_ones() -> None:
    exam = Exam.of(load_config("task_g_player"))
    assert len(exam.parts) == 200
    rules = load_rules("bicycle")
    states = [state for depth in range(16, 41) for state in depleted_shoes(rules, 8, 1).states(depth)]
    assert [part.shoe for part in exam.parts] == [state.shoe for state in states]
    gaps = exam.gaps(tables(exam, "logical_way"))
    for state, gap in zip(states[::20], gaps[::20], strict=True):
        best = state.best_response("player", "logical_way").ev
        assert float(gap) == pytest.approx(best - state.ev("logical_way", "logical_way"), abs=1e-12)
    assert exam.gap(tables(exam, "logical_way")) == sum(gaps) / 200


@pytest.mark.parametrize("sheet", ["bicycle", "bicycle_bonus", "hawaiian_gardens"])
@pytest.mark.parametrize("role", ["player", "banker"])
def test_no_table_for_all_shoes_beats_the_shoe_blind_optimum(role: str, sheet: str) -> None:
    masked = ["algorithm=maskable_ppo", f"rules={sheet}"]
    exam = Exam.of(tiny("task_g_player", *SHOES, f"role={role}", *masked))
    assert exam.shoe_blind is not None
    best = exam.gap(exam.shoe_blind)
    assert 0 < best <= exam.gap(tables(exam, "logical_way"))
    table = exam.shoe_blind[0]
    rng = np.random.default_rng(1)
    legal = legal_table(table.rules, table.states)
    for _ in range(20):
        pattern, column = (int(rng.integers(size)) for size in table.states.shape)
        if len(legal[pattern][column]) == 1:
            continue
        rows = [list(row) for row in table.draw_probs]
        rows[pattern][column] = 1 - rows[pattern][column]
        other = TabularPolicy(table.rules, table.states, tuple(map(tuple, rows)))
        assert exam.gap([other] * len(exam.parts)) >= best


def test_a_net_is_asked_with_what_is_left_of_each_shoe() -> None:
    config = tiny("task_g_player", *SHOES, "observe=[counts, shoe]")
    env = gymnasium.make("Pan9/Player-v0", observe=("counts", "shoe"), shoe_mode="continuing").unwrapped
    full = np.array(load_rules("bicycle").initial_counts)
    for part, inputs in zip(parts_of(config), net_inputs(config), strict=True):
        place = inputs.states.index("1 5 6")
        expected = env.encode("1 5 6", shoe=np.array(part.shoe) / full)
        assert (inputs.observations[place] == expected).all()


def test_training_shoes_are_as_deep_as_those_that_judge() -> None:
    vec_env = make_vec_env(tiny("task_g_player", "observe=[counts, shoe]", "num_envs=128"))
    observed = [vec_env.reset()]
    for _ in range(30):
        observed.append(vec_env.step(np.zeros(128, dtype=np.int64))[0])
    left = np.rint(np.concatenate(observed)[:, 7:] * load_rules("bicycle").initial_counts).sum(axis=1)
    assert left.min() == 16
    assert left.max() == 40


def test_one_net_sees_which_role_and_sheet_it_plays() -> None:
    config = load_config("task_j_all")
    inputs = dict(zip((part.label for part in parts_of(config)), net_inputs(config), strict=True))
    player, banker = inputs["bicycle_player"].observations, inputs["bicycle_banker"].observations
    assert player.shape[1] == banker.shape[1]
    assert (player[:, -2:] == [1, 0]).all()
    assert (banker[:, -2:] == [0, 1]).all()
    other = inputs["hawaiian_gardens_player"].observations
    assert (other[:, :10] == player[:, :10]).all()
    assert not (other == player).all(axis=1).any()


def test_a_run_of_several_parts_keeps_the_policies_of_each(every_sheet: Run) -> None:
    folder = RunFolder.open(every_sheet.folder.path)
    exam = Exam.of(folder.config())
    greedy = [part.greedy for part in folder.policies()]
    results = every_sheet.results
    assert isinstance(results, PartResults)
    rows = {row.label: row for row in results.rows}
    assert rows["agent at the end"].gaps == exam.gaps(greedy)
    assert every_sheet.history[-1]["exact"]["gap"] == float(exam.gap(greedy))
    by_part = every_sheet.history[-1]["parts"]
    assert by_part["bicycle_banker"]["exact"] == float(exam.gaps(greedy)[1])
    kept = json.loads((folder.path / "best.json").read_text(encoding="utf-8"))
    best = [
        TabularPolicy.load(folder.path / "parts" / part.label / "best_policy.json", part.config.sheet)
        for part in exam.parts
    ]
    assert exam.gap(best) == Fraction(kept["gap"])
    for place in folder.checkpoints().values():
        assert len(load_policies(place, exam.parts)) == 9
    assert any("Illegal moves chosen while learning: 0." in note for note in results.notes)
    assert evaluate(str(folder.path)).count("bicycle bonus banker") == 1


def test_a_run_of_several_parts_is_compared_at_each(every_sheet: Run) -> None:
    path = str(every_sheet.folder.path)
    with pytest.raises(ConfigError, match=r"of different tasks.*--across"):
        compare([path])
    found = compare_runs([path], across=True)
    assert len(found.tasks) == 9
    (run,) = found.tasks[0].runs
    last = read_history(run)[-1]
    assert last["exact"]["gap"] == every_sheet.history[-1]["parts"][run.part]["exact"]
    with pytest.raises(ConfigError, match=r"has learned 9 sheets and roles.*leave out --on"):
        compare([path], on=["bicycle"])


def test_a_run_on_shoes_shows_the_shoe_blind_optimum_and_is_not_compared(some_shoes: Run) -> None:
    text = some_shoes.results.markdown()
    assert "Judged at 10 depleted shoes: its gap is the mean" in text
    assert "| shoe-blind optimum" in text
    assert evaluate(str(some_shoes.folder.path)).splitlines()[0] == text.splitlines()[0]
    with pytest.raises(ConfigError, match=r"is judged on 10 depleted shoes.*agents.evaluate"):
        compare([str(some_shoes.folder.path)])


def test_against_an_opponent_who_answers_the_gap_is_the_worst_case_gap() -> None:
    judge = Judge.of(load_config("task_c_totals"))
    policy = TabularPolicy.from_totals("bicycle", "player", {0, 1, 2, 3, 4})
    gap = solver.worst_case_gap("bicycle", policy, "player")
    assert judge.gap(policy) == gap > 0
    assert judge.figures(policy, worst_case=False)["gap"] == float(gap)
    assert judge.ev(policy) == solver.equilibrium("bicycle").value - gap


def test_the_opponent_is_found_again_every_few_updates() -> None:
    config = tiny("task_c_totals", "resolve_every=2")
    model = make_learner(config, make_vec_env(config))
    (callback,) = solving_again(config, Exam.of(config).extractor)
    assert isinstance(callback, SolvingAgain)
    given: list[TabularPolicy] = []
    envs = model.get_env().envs.unwrapped
    real = envs.set_opponents
    envs.set_opponents = lambda opponents: (given.append(opponents["banker"]), real(opponents))
    model.learn(config.num_decisions, callback=callback)
    assert callback.solutions == len(given) == 2  # four rollouts of 128
    first = Exam.of(config).extractor.extract(make_learner(config, make_vec_env(config)), "untrained")[0]
    assert (
        given[0].draw_probs == solver.best_response("bicycle", "banker", first.stochastic).policy.draw_probs
    )
    fixed = load_config("task_a_totals")
    assert solving_again(fixed, Exam.of(fixed).extractor) == []


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["rules=[]"], "'rules'.*at least one"),
        (["rules=3"], "'rules' has the value 3"),
        (["rules=[bicycle, nothing]"], "nothing"),
        (["rules=[bicycle, bicycle]", "role=both"], "names the sheet of bicycle_player twice"),
        (
            ["rules=[bicycle, uk_1994_player]", "num_players=2"],
            "num_players 2: is not possible together with rules",
        ),
        (["role=both", "wagers=[2]"], "wagers .2.: is not possible together with role='both'"),
        (["role=both", "num_envs=63"], "num_envs 63: an even number"),
        (["role=both", "opponent=re_solved"], "opponent 're_solved': is not possible"),
        (["rules=[bicycle, uk_1994_player]", "opponent=equilibrium"], "'opponent'.*solved for one sheet"),
        (["rules=[bicycle, bicycle_bonus]"], "'algorithm' has the value 'ppo'.*bicycle_bonus.*maskable_ppo"),
        (["rules=[bicycle, baccarat_chemin_de_fer]", "algorithm=maskable_ppo"], "differ in"),
        (["rules=[uk_1994_house, baccarat_punto_banco]", "role=banker"], "banker never has a choice"),
        (["shoes.cards_left=[40, 16]"], "cards_left .40, 16.: the fewest come first"),
        (["shoes.cards_left=[16, 40]", "shoes.number=7"], "number 7: a multiple of the 25 depths"),
        (["shoes.cards_left=[2, 3]"], "'shoes'.*2"),
        (["shoes.cards_left=[16, 17]", "shoes.number=2"], "number 2: a multiple of the 2 depths .*2 each"),
        (["resolve_every=3"], "resolve_every 3: needs opponent='re_solved'"),
        (["role=both", "algorithm=stock_ppo", "num_envs=1"], "role 'both': stock_ppo takes one environment"),
        (["target_gap=.inf"], "target_gap"),
        (["shoes.cards_left=[16, 40]", "role=both"], "shoes .*: is not possible together with role"),
    ],
)
def test_parts_that_are_not_possible_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        net_inputs(load_config("bicycle_player", ["num_envs=64", *overrides]))


def test_a_list_of_which_one_part_is_left_is_compared(tmp_path: Path) -> None:
    config = tiny("bicycle_banker", "rules=[uk_1994_house, bicycle]", "evaluate_every=512")
    run = train(config, tmp_path, Console(quiet=True)).folder.path
    assert "under `bicycle`" in compare([str(run)])


def test_compared_runs_against_a_re_solved_opponent_show_worst_case_gaps(tmp_path: Path) -> None:
    run = train(tiny("task_c_totals"), tmp_path, Console(quiet=True))
    (table,) = compare_runs([str(run.folder.path)]).tasks
    per_seed = table.seeds.tables[0]
    (row,) = per_seed.rows
    names = [column.name for column in per_seed.columns]
    assert float(row[names.index("gap")]) == run.history[-1]["exact"]["gap"]
    assert float(row[names.index("stochastic gap")]) == run.history[-1]["exact_stochastic"]["gap"]
    assert "Judged by the worst-case gap" in table.markdown()


def test_another_opponent_is_checked_like_a_config(every_sheet: Run) -> None:
    with pytest.raises(ConfigError, match=r"re_solved.*is not possible together with rules"):
        evaluate(str(every_sheet.folder.path), "re_solved")
