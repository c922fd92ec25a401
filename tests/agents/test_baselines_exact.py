"""The exact trainers: the bilinear form, CFR+, fictitious play, averages, steps, names and arguments."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from agents.baselines.bilinear import BilinearDuel
from agents.baselines.interface import Average, Task, Trainer, log_spaced, snapshots
from agents.baselines.registry import TRAINERS, make_trainer, trainer_type
from agents.baselines.regrets import Hedge, Regrets
from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.rules import Role
from pan9_gym.solver.levels import read_level

CHEMIN = "baccarat_chemin_de_fer"

GOAL = Fraction(1, 1_000_000)


def nash_conv(trainer: Trainer, average: bool = True) -> Fraction:
    pair, level = trainer.pair(average), trainer.task.level
    return solver.nash_conv(trainer.task.rules, pair.player, pair.banker, level, level)


def trained(name: str, rules: object, level: str, steps: int, *overrides: str) -> Trainer:
    trainer = make_trainer(name, rules, level, 1, steps, overrides)  # type: ignore[arg-type]
    trainer.advance(steps)
    return trainer


@pytest.mark.parametrize("level", ["total", "hand"])
@pytest.mark.parametrize("sheet", [CHEMIN, "bicycle", "uk_1994_player"])
def test_the_form_is_the_exact_game(sheet: str, level: str) -> None:
    rules = load_rules(sheet)
    game = BilinearDuel.of(rules, read_level(level))
    rng = np.random.default_rng(5)
    probs = {role: game.grid(role).legal(rng.random(game.grid(role).shape)) for role in Role}
    tables = {role: game.grid(role).policy(probs[role], "random") for role in Role}
    for role in Role:
        values = solver.action_values(rules, role, tables[role.opponent])
        exact = np.array((values.draw - values.stand) / values.value_unit, dtype=float)
        gains = np.zeros(game.grid(role).shape).ravel()
        np.add.at(gains, game.grid(role).cells(), exact.ravel())
        np.testing.assert_allclose(game.gains(role, probs[role.opponent]).ravel(), gains, atol=1e-11)
    exact = solver.nash_conv(rules, tables[Role.PLAYER], tables[Role.BANKER], level, level)
    assert game.nash_conv(probs[Role.PLAYER], probs[Role.BANKER]) == pytest.approx(float(exact), abs=1e-11)


def test_a_grid_takes_forced_moves_and_writes_short_fractions() -> None:
    game = BilinearDuel.of(load_rules(CHEMIN), "total")
    grid = game.player
    assert np.flatnonzero(grid.free).tolist() == [5]
    policy = grid.policy(np.full(grid.shape, 1 / 3), "third")
    assert policy.draw_prob("0 4") == 1
    assert policy.draw_prob("0 7") == 0
    assert abs(policy.draw_prob("0 5") - Fraction(1, 3)) < Fraction(1, 2**40)
    assert 2**40 % policy.draw_prob("1 4").denominator == 0


@pytest.mark.parametrize(("level", "steps"), [("total", 4_000), ("hand", 1_000)])
def test_cfr_plus_reaches_the_certified_value_of_chemin_de_fer(level: str, steps: int) -> None:
    trainer = trained("cfr_plus", CHEMIN, level, steps)
    assert nash_conv(trainer) < GOAL
    solution = solver.equilibrium(CHEMIN, level, level)
    assert solution.exploitability == 0
    pair = trainer.pair(average=True)
    ev = solver.action_values(CHEMIN, "player", pair.banker).ev(pair.player)
    assert abs(ev - solution.value) < GOAL
    for role, state in ((Role.PLAYER, solution.mixed[0]), (Role.BANKER, solution.mixed[1])):
        hand = {"5": "0 5", "6": "0 6"}.get(state.hand, state.hand)
        assert abs(pair.policy(role).draw_prob(hand, state.choices) - state.draw_prob) < Fraction(1, 100)


def test_cfr_plus_finds_the_mix_that_kemeny_and_snell_published() -> None:
    """With replacement, both roles by totals: 9/11 for the player on 5, 859/2288 for the banker on 6."""
    trainer = trained("cfr_plus", load_rules(CHEMIN, num_decks="infinite"), "total", 10_000)
    assert nash_conv(trainer) < GOAL
    pair = trainer.pair(average=True)
    assert float(pair.player.draw_prob("0 5")) == pytest.approx(9 / 11, abs=1e-3)
    assert float(pair.banker.draw_prob("0 6", ("stand",))) == pytest.approx(859 / 2288, abs=1e-3)


def test_cfr_plus_solves_a_pure_game_exactly() -> None:
    trainer = trained("cfr_plus", "bicycle", "hand", 200)
    assert nash_conv(trainer, average=False) == 0
    assert nash_conv(trainer) < GOAL


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("weights", ["equal", "linear"])
def test_fictitious_play_falls(updates: str, weights: str) -> None:
    overrides = (f"updates={updates}", f"weights={weights}")
    trainer = make_trainer("fictitious_play", CHEMIN, "total", steps=2_000, overrides=overrides)
    found = []
    for steps in (20, 200, 2_000):
        trainer.advance(steps)
        found.append(nash_conv(trainer))
    assert found[0] > found[1] > found[2]
    assert found[2] < found[0] / 4
    assert found[2] < Fraction(1, 15_000)
    assert nash_conv(trainer, average=False) > Fraction(1, 1_000)  # the latest pure answers never settle


def test_regrets_and_hedge_find_what_pays() -> None:
    grid = BilinearDuel.of(load_rules("bicycle"), "total").player
    gains = np.where(np.arange(10) < 6, 0.1, -0.2).reshape(grid.shape)
    regrets, hedge = Regrets(grid), Hedge(grid, rate=2.0, optimism=1.0)
    for _ in range(100):
        regrets.add(gains)
        hedge.add(gains)
    wanted = (gains > 0).astype(float)
    np.testing.assert_array_equal(regrets.probs, wanted)
    np.testing.assert_allclose(hedge.probs, wanted, atol=1e-6)
    expected = 1 / (1 + np.exp(-2.0 * 101 * 0.1))
    assert hedge.probs[0, 0] == pytest.approx(expected)


def test_an_average_weighs() -> None:
    average = Average(np.array([0.5]))
    assert average.probs.tolist() == [0.5]
    average.add(np.array([1.0]), 1)
    average.add(np.array([0.0]), 3)
    assert average.probs.tolist() == [0.25]


def test_steps_are_log_spaced_and_end_at_the_end() -> None:
    assert log_spaced(1) == [1]
    steps = log_spaced(12_345)
    assert steps[0] == 1
    assert steps[-1] == 12_345
    assert steps == sorted(set(steps))
    assert 20 < len(steps) < 34
    late = [step for step in steps if 2 * step >= steps[-1]]
    assert max(after - before for before, after in pairwise(late)) <= steps[-1] / 12 + 1
    trainer = make_trainer("cfr_plus", CHEMIN, steps=100)
    taken = [snapshot.step for snapshot in snapshots(trainer)]
    assert taken == log_spaced(100)


def test_a_task_of_steps_is_the_same_however_it_is_cut() -> None:
    whole, cut = (make_trainer("cfr_plus", CHEMIN, steps=50) for _ in range(2))
    whole.advance(50)
    for until in (3, 3, 20, 50):
        cut.advance(until)
    assert whole.pair(average=True).banker.draw_probs == cut.pair(average=True).banker.draw_probs


def test_every_trainer_says_what_a_step_is_and_whether_it_samples() -> None:
    units = {name: (trainer_type(name).unit, trainer_type(name).samples) for name in TRAINERS}
    exact, sampled = ("iterations", False), ("decisions", True)
    assert units == {
        "cfr_plus": exact,
        "fictitious_play": exact,
        "q_learning": sampled,
        "nfsp": sampled,
        "q_hedge": sampled,
        "ppo": sampled,
    }
    assert all(trainer_type(name).default_steps > 0 for name in TRAINERS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"name": "cfr"},
            "trainer 'cfr' is not known.*known: cfr_plus, fictitious_play, q_learning, nfsp, q_h",
        ),
        ({"rules": "bycicle"}, "rule sheet 'bycicle' is not known"),
        ({"level": "suit"}, "level 'suit' is not known; allowed: hand, total"),
        ({"seed": -1}, "seed"),
        ({"steps": 0}, "iterations"),
        ({"overrides": ["speed=1"]}, "trainer cfr_plus: unknown key 'speed'"),
        ({"overrides": ["speed"]}, "write key=value"),
        ({"name": "fictitious_play", "overrides": ["updates=odd"]}, "field 'updates' has the value 'odd'"),
        ({"name": "q_learning", "overrides": ["epsilon=2"]}, "field 'epsilon' has the value 2"),
        (
            {"name": "ppo", "overrides": ["num_envs=100"]},
            "ppo: batch_size 4096: must divide .* = 400",
        ),
        (
            {"name": "q_learning", "overrides": ["against=fixed", "opponent=tiger"]},
            "field 'opponent': policy 'tiger' is not known",
        ),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"name": "cfr_plus", "rules": CHEMIN, **arguments}
    with pytest.raises(ValueError, match=message) as caught:
        make_trainer(**given)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_game_without_a_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="neither role ever has a choice"):
        make_trainer("cfr_plus", "baccarat_punto_banco")


def test_a_role_without_a_choice_takes_its_forced_moves() -> None:
    trainer = trained("cfr_plus", "uk_1994_house", "total", 50)
    banker = trainer.pair(average=True).banker
    assert banker.draw_probs == policies.get("logical_way", "uk_1994_house", "banker").draw_probs
    assert isinstance(banker, TabularPolicy)
    assert nash_conv(trainer, average=False) == 0
    task = Task(load_rules("uk_1994_house"), "total", 1, 1)
    assert not task.grid(Role.BANKER).free.any()
