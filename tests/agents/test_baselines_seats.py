"""Self-play with several players who share one strategy: exact scores, what is learned, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from agents.baselines.interface import Pair, Task
from agents.baselines.neural import DQNLearner, NFSPSettings
from agents.baselines.q_learning import QLearner
from agents.baselines.registry import make_trainer
from agents.baselines.runner import TABLE_JSON, rescore, run
from agents.baselines.scoring import Score
from agents.baselines.self_play import SelfPlay
from agents.baselines.tasks import load_task
from pan9_gym import load_rules, policies, solver
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, Role
from pan9_gym.solver.levels import Level

BICYCLE = load_rules("bicycle")


def task(num_players: int, level: Level = "total") -> Task:
    return Task(BICYCLE, level, seed=1, steps=1, num_players=num_players)


def random_pair(num_players: int, pure: bool, level: Level = "total") -> Pair:
    rng = np.random.default_rng(num_players)
    made = task(num_players, level)
    grids = [made.grid(role) for role in Role]
    draws = [rng.random(grid.shape) for grid in grids]
    names = ["player", "banker"]
    return Pair(
        *(
            grid.policy(draw > 0.5 if pure else draw, name)
            for grid, draw, name in zip(grids, draws, names, strict=True)
        )
    )


def nash_conv(pair: Pair, level: Level) -> Fraction:
    """The definition, by the solver's own best responses."""
    number = pair.player.num_players
    values = [solver.seat_values(BICYCLE, pair.players, pair.banker, seat) for seat in range(number)]
    values.append(solver.banker_values(BICYCLE, pair.players))
    gains = [
        solver.best_response_to_values(seat, level).ev - seat.ev(policy)
        for seat, policy in zip(values, (*pair.players, pair.banker), strict=True)
    ]
    return sum(gains, Fraction(0))


@pytest.mark.parametrize("level", ["total", "hand"])
@pytest.mark.parametrize(("num_players", "pure"), [(1, False), (2, False), (3, True)])
def test_the_score_is_the_sum_of_all_seats_gains(num_players: int, pure: bool, level: Level) -> None:
    pair = random_pair(num_players, pure, level)
    score = Score.of(BICYCLE, level, pair)
    if num_players == 1:
        assert score.nash_conv == solver.nash_conv(BICYCLE, pair.player, pair.banker, level, level)
        return
    assert score.nash_conv == nash_conv(pair, level) > 0
    evaluated = solver.evaluate_seats(BICYCLE, pair.players, pair.banker)
    assert set(evaluated.evs) == {score.ev}


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_score_of_the_logical_way_is_where_the_solvers_iteration_starts(num_players: int) -> None:
    pair = Pair(*(policies.get("logical_way", BICYCLE, role, num_players) for role in Role))
    history = solver.seats_equilibrium(BICYCLE, num_players, level="total").history
    assert Score.of(BICYCLE, "total", pair).nash_conv == history[0] > history[-1] == 0


def test_a_banker_who_looks_at_who_drew_is_scored_exactly_too() -> None:
    pair = random_pair(3, pure=True)
    rows = tuple(tuple(map(Fraction, row)) for row in np.random.default_rng(1).integers(2, size=(8, 84)))
    banker = TabularPolicy(BICYCLE, pair.banker.states, rows)
    odd = Pair(pair.player, banker)
    assert Score.of(BICYCLE, "hand", odd).nash_conv == nash_conv(odd, "hand")


def test_the_banker_goes_by_how_many_drew() -> None:
    grid = task(3).grid(Role.BANKER)
    assert grid.shape == (4, 10)
    assert grid.rows.tolist() == [0, 1, 1, 2, 1, 2, 2, 3]
    draws = np.random.default_rng(0).random(grid.shape)
    policy = grid.policy(draws, "random")
    np.testing.assert_allclose(policy.array.ravel(), draws.ravel()[grid.cells()], atol=1e-12)


def test_players_share_a_strategy_that_sees_the_own_hand_alone() -> None:
    pair = random_pair(3, pure=False)
    assert [player.seat for player in pair.players] == [0, 1, 2]
    assert [player.states.shape[0] for player in pair.players] == [1, 2, 4]
    assert {row for player in pair.players for row in player.draw_probs} == {pair.player.draw_probs[0]}


def self_play(name: str, num_players: int, decisions: int, *overrides: str) -> SelfPlay[NFSPSettings]:
    trainer = make_trainer(name, BICYCLE, "total", 1, decisions, overrides, num_players)
    assert isinstance(trainer, SelfPlay)
    return trainer


def test_values_are_those_of_the_whole_table_up_to_chance() -> None:
    """Each role's Q-values against a mixing pair; the player's among others who play the pair's strategy."""
    pair = random_pair(3, pure=False)
    trainer = self_play("q_learning", 3, 1, "epsilon=1", "num_envs=16384")
    seats = {
        Role.PLAYER: solver.seat_values(BICYCLE, pair.players, pair.banker, 0),
        Role.BANKER: solver.banker_values(BICYCLE, pair.players),
    }
    for role, values in seats.items():
        learner = trainer.make_learner(role)
        assert isinstance(learner, QLearner)
        learner.learn(pair, 1_000_000, 0.0)
        weights = np.zeros((3, learner.values.shape[0]))
        for row, matrix in zip(weights, (values.stand, values.draw, values.reach), strict=True):
            np.add.at(row, learner.grid.cells(), np.array(matrix, dtype=float).ravel())
        exact = weights[:2] / weights[2] * values.reach_unit / values.value_unit
        most = 1 if role is Role.PLAYER else 3
        errors = (
            (learner.values.T - exact) * np.sqrt(learner.counts.T) / most
        )  # rewards lie within -most..most
        assert np.abs(errors[:, learner.grid.free.ravel()]).max() < 4.5


def test_best_responses_in_turn_reach_the_equilibrium_of_three_players(tmp_path: Path) -> None:
    overrides = ("response=best", "epsilon=1", "round_decisions=4000000", "num_envs=16384")
    trainer = self_play("q_learning", 3, 16_000_000, *overrides)
    finished = run("q_learning", trainer, tmp_path)
    assert finished.rows[-1].last.nash_conv == 0
    assert finished.path.name.startswith("q_learning-bicycle-3players-total-seed1")
    assert "3 players" in finished.study().title
    kept = json.loads((finished.path / TABLE_JSON).read_text())["rows"]
    again = rescore(finished.path, num_players=3)
    assert [entry["last"] for entry in again] == [row["last"] for row in kept]
    half = rescore(finished.path, last_half=True)
    assert half == [entry for entry in again if 2 * entry["decisions"] >= again[-1]["decisions"]]
    with pytest.raises(ConfigError, match="is for num_players 3, not 2"):
        rescore(finished.path, num_players=2)


@pytest.mark.parametrize("name", ["nfsp", "ppo"])
def test_nets_learn_with_several_players(name: str) -> None:
    overrides = ["num_envs=1024", "batch_size=1024", "round_decisions=16384", "against=last"]
    trainer = self_play(name, 2, 160_000, *overrides)
    before = Score.of(BICYCLE, "total", trainer.pair(average=False)).nash_conv
    trainer.advance(160_000)
    assert Score.of(BICYCLE, "total", trainer.pair(average=False)).nash_conv < before / 5
    trainer.close()


def test_a_bankers_net_sees_how_many_drew_and_scaled_rewards() -> None:
    learner = DQNLearner(task(4), Role.BANKER, NFSPSettings())
    assert learner.envs.encoder.features == ("total", "num_drawers")
    assert learner.gains().shape == (5, 10)


def test_gaps_to_a_fixed_opponent_are_those_of_the_first_seat(tmp_path: Path) -> None:
    overrides = ("against=fixed", "opponent=logical_way", "num_envs=64", "round_decisions=256")
    trainer = self_play("q_learning", 2, 1_000, *overrides)
    row = run("q_learning", trainer, tmp_path).rows[-1]
    fixed = ["logical_way"] * 2
    best = solver.seat_best_response(BICYCLE, fixed, "logical_way", 0, level="total").ev
    own = solver.seat_values(BICYCLE, fixed, "logical_way", 0).ev(trainer.pair(average=False).player)
    assert row.gaps["player"] == best - own >= 0


def test_the_task_of_seven_players_is_read() -> None:
    assert load_task("task_i_seven").num_players == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cfr_plus", "bicycle", "--players", "2"), "num_players 2: trainer 'cfr_plus' knows one player"),
        (("q_learning", "bicycle", "--players", "0"), "num_players 0: 'bicycle' allows 1 to"),
        (("q_learning", "bicycle", "--players", "99"), "num_players 99: 'bicycle' allows 1 to"),
        (("q_learning", "baccarat_chemin_de_fer", "--players", "2"), "num_players 2"),
    ],
)
def test_bad_numbers_of_players_are_one_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agents.selfplay", *arguments, "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not any(tmp_path.iterdir())
