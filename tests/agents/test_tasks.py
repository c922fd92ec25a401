"""The tasks of the suite: of each the judge says what the exact report says, and learners keep the rules."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from rich.console import Console

from agents.config import RE_SOLVED, TrainConfig, config_algorithms, config_names, load_config
from agents.extract import Extractor
from agents.judge import Judge
from agents.learners import make_learner
from agents.make_env import make_vec_env, net_inputs, reward_scale, wagers_of
from agents.opponents import others_of
from agents.parts import parts_of
from agents.train import train
from pan9_gym import TabularPolicy, evaluation, load_rules, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.rules import ConfigError

TASKS = [name for name in config_names() if name.startswith("task_")]
FEW_SEATS = [
    name
    for name in TASKS
    if load_config(name).num_players == 1
    and len(parts_of(load_config(name))) == 1
    and load_config(name).opponent != RE_SOLVED
]
MANY_SEATS = [name for name in TASKS if load_config(name).num_players > 1]
TINY = [
    "num_decisions=512",
    "num_envs=64",
    "early_checkpoint=128",
    "ppo.rollout_decisions=128",
    "ppo.batch_size=64",
]
THREE_SEATS = ["num_players=3", "early_checkpoint=65536"]


def three_seats(name: str) -> TrainConfig:
    """The task with three players, whose exact values take a tenth of a second instead of twelve."""
    wagers = ["wagers=[1, 2, '5/2']"] if load_config(name).wagers else []
    return load_config(name, [*THREE_SEATS, *wagers])


def random_table(judge: Judge, seed: int, mixed: bool) -> TabularPolicy:
    """Any legal policy of the judge's seat."""
    rng = np.random.default_rng(seed)
    states = judge.values.states

    def draw_prob(*_: object) -> float:
        return rng.random() if mixed else float(rng.integers(2))

    return TabularPolicy.from_callable(
        judge.values.rules,
        states.role,
        draw_prob,
        states.num_players,
        states.seat if states.role == "player" else 0,
        with_suits=states.with_suits,
    )


def agrees_with_the_report(config: TrainConfig) -> None:
    judge = Judge.of(config)
    for seed, mixed in ((1, True), (2, False)):
        policy = random_table(judge, seed, mixed)
        report = evaluation.report(
            config.rules,
            policy,
            config.role,
            others_of(config),
            config.seat,
            wagers_of(config),
            config.side_stakes,
        )
        assert judge.report(policy) == report
        assert (judge.ev(policy), judge.gap(policy)) == (report.ev, report.gap)
        assert judge.gap(report.best_response.policy) == 0
        assert judge.costliest(policy) == report.disagreements[:5]
        assert judge.costliest(policy, 1000) == report.disagreements
        figures = judge.figures(policy)
        assert figures["gap"] == float(report.gap)
        assert figures["agreement"] == float(report.agreement or 0)
        assert figures.get("worst_case_gap") == (
            None if report.worst_case_gap is None else float(report.worst_case_gap)
        )


@pytest.mark.parametrize("name", FEW_SEATS)
def test_the_judge_is_the_exact_report(name: str) -> None:
    agrees_with_the_report(load_config(name))


@pytest.mark.parametrize("name", MANY_SEATS)
def test_the_judge_is_the_exact_report_for_several_seats(name: str) -> None:
    agrees_with_the_report(three_seats(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY_SEATS)
def test_the_judge_is_the_exact_report_for_seven_seats(name: str) -> None:
    agrees_with_the_report(load_config(name))


@pytest.mark.parametrize(
    "overrides",
    [["num_players=3", "seat=1"], ["role=banker", "num_players=2", "opponent=always_draw"], ["wagers=[3]"]],
)
def test_the_judge_is_the_exact_report_at_other_tables(overrides: list[str]) -> None:
    agrees_with_the_report(load_config("bicycle_player", overrides))


def test_the_judges_optimum_is_the_solvers() -> None:
    wagers = [1, 2, "5/2"]
    config = three_seats("task_d_unequal")
    best = solver.banker_best_response("bicycle", ["logical_way"] * 3, wagers)
    judge = Judge.of(config)
    assert judge.optimum == best.ev
    policy = random_table(judge, 3, mixed=False)
    assert judge.figures(policy)["gap_per_unit"] == float(judge.gap(policy) / Fraction("5.5"))
    assert "gap_per_unit" not in Judge.of(three_seats("task_d_equal")).figures(policy)


def test_disagreements_of_equal_cost_come_in_the_order_of_the_report() -> None:
    """Seats are alike, so that a policy by the number of drawers loses the same at many patterns."""
    judge = Judge.of(three_seats("task_d_equal"))
    policy = TabularPolicy.from_totals("bicycle", "banker", {0, 1, 7}, 3)
    found = evaluation.disagreements(judge.values, policy)
    assert len({entry.cost for entry in found}) < len(found)
    for number in (1, 2, 5, 9):
        assert judge.costliest(policy, number) == found[:number]


@pytest.mark.parametrize("name", ["task_f_20", "task_f_10"])
def test_the_suit_blind_optimum_loses_to_the_optimum(name: str) -> None:
    config = load_config(name)
    judge = Judge.of(config)
    blind = judge.blind_optimum
    assert blind is not None
    assert judge.gap(blind) > Fraction(1, 1000)
    (row,) = blind.draw_probs
    assert all(row[column] == row[column + 1] == row[column + 2] for column in range(0, len(row), 3))
    stake = Fraction(str((config.side_stakes or {})["dragon"]))
    (ratio,) = solver.stake_ratios("bicycle_bonus", "dragon", blind=True)
    assert ratio.ratio is not None
    assert blind.draw_prob("0 1 5", (), 0) == (stake > ratio.ratio)


@pytest.mark.parametrize("name", TASKS)
def test_a_net_is_asked_about_every_state_of_a_task(name: str) -> None:
    config = load_config(name, TINY)
    model = make_learner(config, make_vec_env(config))
    inputs = net_inputs(config)
    every = Extractor(inputs, config.learner).extract(model, "net")
    assert len(every) == len(inputs) == len(parts_of(config))
    for tables, asked in zip(every[:20], inputs, strict=False):
        assert tables.greedy.states == asked.states
        legal = legal_table(asked.rules, asked.states)
        masks = np.array([[action in moves for action in (0, 1)] for row in legal for moves in row])
        options = {"action_masks": masks} if config.learner.masks else {}
        predicted, _ = model.predict(asked.observations, deterministic=True, **options)
        table = np.array([[int(prob) for prob in row] for row in tables.greedy.draw_probs])
        forced = ~masks.all(axis=1)
        assert (table.ravel() == np.where(forced, masks[:, 1], predicted)).all()


def test_seven_seats_have_128_patterns_and_the_suit_classes_are_seen() -> None:
    (seven,), (dragon,) = (net_inputs(load_config(name)) for name in ("task_d_equal", "task_f_20"))
    assert seven.states.shape == (128, 84)
    assert dragon.states.shape == (1, 252)
    assert dragon.observations.shape == (252, 10 + 3)


def test_rewards_of_several_seats_are_scaled_to_where_the_loss_of_DQN_is_quadratic() -> None:
    assert reward_scale(load_config("task_d_equal", ["algorithm=dqn"])) == 1 / 14
    assert reward_scale(load_config("task_d_unequal", ["algorithm=dqn"])) == 1 / 56
    assert reward_scale(load_config("task_d_equal")) == 1


@pytest.mark.parametrize("name", TASKS)
def test_a_task_can_be_trained_by_each_of_its_algorithms(name: str) -> None:
    for algorithm in config_algorithms(name):
        config = load_config(name, [f"algorithm={algorithm}"])
        assert config.algorithm == algorithm
        assert make_vec_env(config).num_envs == config.num_envs


@pytest.mark.parametrize("name", ["task_e_player", "task_e_banker", "task_f_20"])
def test_a_masked_learner_makes_no_illegal_move(name: str, tmp_path) -> None:
    run = train(load_config(name, TINY), tmp_path, Console(quiet=True))
    assert any("Illegal moves chosen while learning: 0." in note for note in run.results.notes)
    assert ("suit-blind optimum" in run.results.markdown()) == (name == "task_f_20")


def test_illegal_moves_are_counted() -> None:
    vec_env = make_vec_env(load_config("task_e_player", TINY))
    vec_env.reset()
    masks = vec_env.action_masks()
    vec_env.step(np.ones(64, dtype=np.int64))
    assert vec_env.illegal_moves == (masks[:, 1] == 0).sum() > 0
    vec_env.step(vec_env.action_masks().argmax(axis=1))
    assert vec_env.illegal_moves == (masks[:, 1] == 0).sum()


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["num_players=8"], "'num_players' or 'seat': num_players 8.*1 to 7"),
        (["num_players=3", "wagers=[1, 2]"], "wagers .1, 2.: one for each player"),
        (["wagers=[-1]"], "'wagers'.*-1"),
        (["wagers=[0.5]"], "wagers"),
        (["seat=1"], "seat 1: a player's is 0 to 0"),
        (["role=banker", "num_players=3", "seat=1"], "seat 1: .*the banker has none"),
        (["side_stakes={dragon: 1/20}"], "'side_stakes'.*dragon"),
        (["rules=bicycle_bonus", "algorithm=maskable_ppo", "side_stakes={dragon: 0}"], "'side_stakes'.*0"),
        (["num_players=2", "side_stakes={dragon: 1/20}"], "side_stakes .*for one player"),
        (["num_players=2", "role=banker", "opponent=equilibrium"], "'opponent'.*solved for one player"),
        (["num_players=2", "opponent=wizard"], "'opponent' has the value 'wizard'"),
        (["rules=bicycle_bonus"], "'algorithm' has the value 'ppo'.*forces moves.*use maskable_ppo"),
        (
            ["rules=bicycle_bonus", "algorithm=dqn", "num_envs=64"],
            "'algorithm' has the value 'dqn'.*forces moves",
        ),
        (
            ["rules=uk_1994_house", "algorithm=dqn", "num_envs=64", "side_stakes={tie: 1/2}"],
            "cannot learn the player.*smooth-L1 loss",
        ),
    ],
)
def test_a_table_that_is_not_possible_is_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        net_inputs(load_config("bicycle_player", overrides))


def test_rules_of_a_stake_keep_its_states() -> None:
    rules = load_rules("bicycle_bonus")
    assert Judge.of(load_config("task_f_20")).values.states == info_states(rules, "player", with_suits=True)
