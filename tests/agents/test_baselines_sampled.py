"""Trainers that deal hands: the hands have the exact frequencies, the learners learn, the bookkeeping holds.

Every chi-square test has a fixed seed and significance 1e-4. Cells that expect fewer than 5 hands are put
together. Each also has a wrong distribution that it must refuse, so that it is seen to notice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from agents.baselines.interface import Pair, Task, snapshots
from agents.baselines.neural import DQNLearner, NFSPSettings, PPOLearner, PPOSettings
from agents.baselines.q_learning import QLearner
from agents.baselines.registry import make_trainer
from agents.baselines.self_play import Learner, SelfPlay
from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules import Action, Role
from pan9_gym.solver.levels import Level

CHEMIN = "baccarat_chemin_de_fer"

SIGNIFICANCE = 1e-4

FEWEST = 5
"""Hands that a cell of a chi-square test must expect."""

Counts = np.ndarray[Any, Any]


def self_play(
    name: str, sheet: str, level: str, decisions: int, *overrides: str, seed: int = 1
) -> SelfPlay[Any]:
    trainer = make_trainer(name, sheet, level, seed, decisions, overrides)
    assert isinstance(trainer, SelfPlay)
    return trainer


def reach(sheet: str, role: Role, opponent: PolicyLike) -> Counts:
    """The exact probability of each information state, given that the role decides."""
    values = solver.action_values(sheet, role, opponent)
    weights = np.array(values.reach / values.reach_unit, dtype=float).ravel()
    return weights / weights.sum()


def too_odd(counts: Counts, probs: Counts) -> bool:
    """Whether a chi-square test refuses the probabilities."""
    wanted = probs * counts.sum()
    common = wanted >= FEWEST
    seen = [*counts[common], counts[~common].sum()]
    expected = [*wanted[common], wanted[~common].sum()]
    if expected[-1] < FEWEST:
        rare = seen.pop(), expected.pop()
        seen[0], expected[0] = seen[0] + rare[0], expected[0] + rare[1]
    difference = np.array(seen) - np.array(expected)
    return float((difference**2 / np.array(expected)).sum()) > chi2.isf(SIGNIFICANCE, len(seen) - 1)


def check_frequencies(counts: Counts, sheet: str, role: Role, opponent: TabularPolicy) -> None:
    assert counts.sum() > 30_000
    assert not too_odd(counts, reach(sheet, role, opponent))
    other = load_rules(sheet, num_decks=1)
    assert too_odd(counts, reach(other, role, "logical_way"))  # type: ignore[arg-type]


def mixing_player(rules: str) -> TabularPolicy:
    """An opponent that mixes, so that what the banker sees depends on it."""
    return TabularPolicy.from_callable(rules, "player", lambda hand, _: 0.25 if sum(hand) % 10 > 3 else 0.75)


def by_state(learner: Learner, observations: Counts) -> Counts:
    """How often each information state is among observations."""
    every = learner.envs.encoder.encode_all()
    number = {row.tobytes(): index for index, row in enumerate(every)}
    assert len(number) == len(every)
    rows, counts = np.unique(observations.astype(np.float32), axis=0, return_counts=True)
    found = np.zeros(len(every), dtype=np.int64)
    found[[number[row.tobytes()] for row in rows]] = counts
    return found


def other_opponent(opponent: TabularPolicy) -> TabularPolicy:
    """Whom a learner meets before, of whom nothing may be left in the hands that are counted."""
    return policies.get("always_draw", opponent.rules, opponent.role)


def met(opponent: TabularPolicy) -> Pair:
    """A pair in which the opponent is all that a learner meets."""
    own = policies.get("uniform", opponent.rules, opponent.role.opponent)
    return Pair(own, opponent) if opponent.role is Role.BANKER else Pair(opponent, own)


def q_learning_hands(task: Task, role: Role, opponent: TabularPolicy) -> Counts:
    learner = make_trainer("q_learning", task.rules, task.level, task.seed, 1).make_learner(role)  # type: ignore[attr-defined]
    assert isinstance(learner, QLearner)
    learner.learn(met(other_opponent(opponent)), 1, 0.0)
    before = learner.visits.copy()
    learner.learn(met(opponent), 40_000, 0.0)
    assert (learner.visits - before).sum() == learner.counts.sum()
    return learner.visits - before


def dqn_hands(task: Task, role: Role, opponent: TabularPolicy) -> Counts:
    settings = NFSPSettings(buffer_size=40_960, gradient_steps=1, batch_size=64)
    learner = DQNLearner(task, role, settings)
    learner.learn(met(other_opponent(opponent)), 1, 0.0)
    assert learner.learn(met(opponent), 40_000, 0.0) == 40_960
    buffer = learner.model.replay_buffer
    assert buffer is not None
    assert buffer.full
    return by_state(learner, buffer.observations.reshape(-1, buffer.observations.shape[-1]))


def ppo_hands(task: Task, role: Role, opponent: TabularPolicy) -> Counts:
    settings = PPOSettings(rollout_steps=10, num_epochs=1)
    learner = PPOLearner(task, role, settings)
    learner.learn(met(other_opponent(opponent)), 1, 0.0)
    assert learner.learn(met(opponent), 40_000, 0.0) == 40_960
    observations = learner.model.rollout_buffer.observations
    return by_state(learner, observations.reshape(-1, observations.shape[-1]))


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("hands", [q_learning_hands, dqn_hands, ppo_hands])
def test_the_hands_that_a_trainer_learns_from_have_the_exact_frequencies(
    hands: Callable[[Task, Role, TabularPolicy], Counts], role: Role
) -> None:
    task = Task(load_rules("bicycle"), "hand", seed=7, steps=1)
    uniform = policies.get("uniform", "bicycle", "banker")
    opponent = mixing_player("bicycle") if role is Role.BANKER else uniform
    check_frequencies(hands(task, role, opponent), "bicycle", role, opponent)


def test_no_hand_meets_the_opponent_of_the_round_before() -> None:
    """The banker's hands of a round are those against its opponent alone, though hands were waiting."""
    trainer = self_play("q_learning", CHEMIN, "total", 1, "num_envs=65536")
    learner = trainer.make_learner(Role.BANKER)
    assert isinstance(learner, QLearner)
    for draws in (1.0, 0.0):
        opponent = TabularPolicy.from_callable(CHEMIN, "player", lambda hand, _, draws=draws: draws)
        before = learner.visits.copy()
        learner.learn(met(opponent), 65_536, 0.0)
        fresh = learner.visits - before
        assert not too_odd(fresh, reach(CHEMIN, Role.BANKER, opponent))


def test_q_values_are_the_exact_values_up_to_chance() -> None:
    trainer = self_play(
        "q_learning", "bicycle", "total", 2_000_000, "against=fixed", "memory=all", "epsilon=1"
    )
    trainer.advance(2_000_000)
    for role, learner in trainer.learners.items():
        assert isinstance(learner, QLearner)
        values = solver.action_values("bicycle", role, "logical_way")
        weights = np.zeros((3, learner.grid.shape[0] * learner.grid.shape[1]))
        for row, matrix in zip(weights, (values.stand, values.draw, values.reach), strict=True):
            np.add.at(row, learner.grid.cells(), np.array(matrix, dtype=float).ravel())
        exact = weights[:2] / weights[2] * values.reach_unit / values.value_unit
        errors = (learner.values.T - exact) * np.sqrt(learner.counts.T)  # rewards lie from -1 to 1
        assert np.abs(errors[:, learner.grid.free.ravel()]).max() < 4.5


def test_q_learning_by_totals_finds_gap_zero_against_the_logical_way() -> None:
    trainer = self_play(
        "q_learning", "bicycle", "total", 1_500_000, "against=fixed", "memory=all", "response=best"
    )
    *_, last = snapshots(trainer)
    fixed = trainer.opponents()
    assert fixed is not None
    for role in Role:
        values = solver.action_values("bicycle", role, fixed.policy(role.opponent))
        best = solver.best_response_to_values(values, "total").ev
        assert best == values.ev(last.last.policy(role))
    trainer.close()


def nash_convs(trainer: SelfPlay[Any], level: Level = "total") -> list[tuple[float, float]]:
    rules = trainer.task.rules
    return [
        (
            float(solver.nash_conv(rules, taken.average.player, taken.average.banker, level, level)),
            float(solver.nash_conv(rules, taken.last.player, taken.last.banker, level, level)),
        )
        for taken in snapshots(trainer)
    ]


@pytest.mark.parametrize("response", ["matching", "hedge"])
def test_q_learning_in_self_play_nears_the_mix_of_chemin_de_fer(response: str) -> None:
    found = nash_convs(self_play("q_learning", CHEMIN, "total", 4_000_000, f"response={response}"))
    assert found[0][0] > 0.003
    assert found[-1][0] < 0.0015


def test_best_responses_in_turn_reach_a_pure_saddle() -> None:
    overrides = ("against=last", "response=best", "memory=round", "round_decisions=1000000")
    found = nash_convs(self_play("q_learning", "bicycle", "total", 6_000_000, *overrides))
    assert found[-1][1] == 0


TINY = {
    "nfsp": ("num_envs=1024", "round_decisions=8192", "batch_size=1024", "buffer_size=16384"),
    "q_hedge": ("num_envs=1024", "round_decisions=8192", "batch_size=1024", "buffer_size=16384"),
    "ppo": ("num_envs=1024", "round_decisions=4096", "batch_size=1024"),
}


@pytest.mark.parametrize(("name", "decisions"), [("nfsp", 200_000), ("q_hedge", 200_000), ("ppo", 70_000)])
def test_nets_in_self_play_learn(name: str, decisions: int) -> None:
    found = nash_convs(self_play(name, CHEMIN, "total", decisions, *TINY[name]))
    assert found[-1][0] < found[0][0] / 3
    assert found[-1][1] < found[0][1] / 3


@pytest.mark.parametrize("name", ["q_learning", "nfsp", "ppo"])
def test_the_average_is_exactly_that_of_the_strategies_of_all_rounds(name: str) -> None:
    trainer = self_play(name, CHEMIN, "total", 40_000, *TINY.get(name, ("num_envs=1024",)), "weight_power=2")
    sums = {role: np.zeros(trainer.draw_probs(role, average=False).shape) for role in Role}
    weight = 0
    for number in range(1, 4):
        before = trainer.step
        trainer.advance(before + 1)  # one round of both roles
        assert trainer.step - before == 2 * -(-trainer.settings.round_decisions // 1024) * 1024
        for role in Role:
            sums[role] += number**2 * trainer.draw_probs(role, average=False)
        weight += number**2
    for role in Role:
        np.testing.assert_allclose(trainer.draw_probs(role, average=True), sums[role] / weight)


@pytest.mark.parametrize("name", ["q_learning", "q_hedge", "ppo"])
def test_a_seed_decides_everything(name: str) -> None:
    found = []
    for seed in (1, 1, 2):
        trainer = self_play(name, CHEMIN, "hand", 20_000, *TINY.get(name, ("num_envs=1024",)), seed=seed)
        trainer.advance(20_000)
        found.append(trainer.draw_probs(Role.BANKER, average=True).tobytes())
    assert found[0] == found[1] != found[2]


def test_a_role_without_a_choice_makes_no_decisions() -> None:
    trainer = self_play("q_learning", "uk_1994_house", "total", 200_000)
    trainer.advance(200_000)
    assert list(trainer.learners) == [Role.PLAYER]
    assert (
        trainer.draw_probs(Role.BANKER, average=True).tolist()
        == trainer.task.grid(Role.BANKER).least.tolist()
    )


def test_each_hand_explores_by_itself() -> None:
    learner = DQNLearner(Task(load_rules(CHEMIN), "total", 1, 1), Role.BANKER, NFSPSettings(epsilon=0.25))
    learner.model.exploration_rate = 0.25
    observations = np.repeat(learner.envs.encoder.encode_all()[:1], 10_000, axis=0)
    greedy, _ = learner.model.predict(observations, deterministic=True)
    assert len(set(greedy.tolist())) == 1
    actions, _ = learner.model.predict(observations)
    assert (actions != greedy).mean() == pytest.approx(0.125, abs=0.015)
    assert set(np.unique(actions)) == {Action.STAND, Action.DRAW}
