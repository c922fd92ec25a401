"""The means of shoes: the exact values of the solver, whatever the wagers and the number of environments.

Significance 1e-4 for each mean (two-sided, normal approximation), seeds fixed. Power, with 160,000 hands and
a standard deviation below 0.96: a hand that is off by 0.015 units is caught with probability above 0.99.
What is compared hand by hand has no noise.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

from pan9_gym import load_rules, solver
from pan9_gym.envs.shoe_roles import ShoePlayerEnv

ENVS, SEEDS = 40_000, 4
SIGNIFICANCE, WANTED_POWER = 1e-4, 0.99
LARGEST_DEVIATION, NOTICED = 0.96, 0.015
Z = NormalDist().inv_cdf(1 - SIGNIFICANCE / 2)

PLAYER, DEALER = "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"
Array = npt.NDArray[Any]


def make(env_id: str, num_envs: int, **arguments: Any) -> Any:
    return gymnasium.make_vec(
        env_id, num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments
    ).unwrapped


def logical_way(env: Any, obs: Array) -> Array:
    """Draw on 0 to 5, by the cards that the observation counts; a forced move replaces another."""
    values = np.array(env.game.rules.values)
    start = 1 if env.seat == env.game.banker_seat else 2
    totals = (obs[:, start : start + len(values)] @ values).astype(np.int64) % 10
    draws: Array = (totals <= 5).astype(np.int64)
    return draws


def hands(env: Any, number: int, wagers: Any, seed: int) -> Array:
    """The rewards of the first hands, shape (hands, N); `wagers` gives the action of each hand."""
    env.reset(seed=seed)
    rewards = np.zeros((number, env.num_envs))
    for hand in range(number):
        obs, rewards[hand], *_ = env.step(np.array(np.broadcast_to(wagers(hand), env.num_envs)))
        waits = obs[:, 0] == 1
        actions = np.where(waits, logical_way(env, obs), 2)
        assert waits.all()
        _, paid, *_ = env.step(actions)
        rewards[hand] += paid
    return rewards


def test_the_power_is_what_the_module_says() -> None:
    error = LARGEST_DEVIATION / sqrt(ENVS * SEEDS)
    assert 1 - NormalDist().cdf(Z - NOTICED / error) > WANTED_POWER


def check_mean(rewards: Array, exact: Any) -> None:
    deviation = float(exact.standard_deviation)
    assert deviation < LARGEST_DEVIATION
    assert abs(rewards.mean() - float(exact.ev)) < Z * deviation / sqrt(rewards.size)


@pytest.mark.parametrize(("sheet", "wager"), [("hawaiian_gardens", 1), ("uk_1994_house", 10)])
def test_every_hand_of_a_shoe_has_the_exact_value_of_the_first(sheet: str, wager: int) -> None:
    env = make(PLAYER, ENVS, rules=sheet)
    exact = solver.evaluate(sheet, "logical_way", "logical_way")
    rewards = np.concatenate([hands(env, 5, lambda _: 1 + wager, seed) for seed in range(SEEDS)], axis=1)
    for hand in (0, 4):
        check_mean(rewards[hand] / wager, exact)


@pytest.mark.parametrize("num_players", [1, 2])
def test_a_banker_who_passed_before_has_the_exact_value(num_players: int) -> None:
    """Three hands are passed, the fourth is accepted."""
    env = make(DEALER, ENVS, rules="hawaiian_gardens", num_players=num_players)
    exact = solver.evaluate_seats(
        load_rules("hawaiian_gardens"), ["logical_way"] * num_players, "logical_way"
    ).banker_ev
    found = []
    for seed in range(SEEDS):
        env.reset(seed=seed)
        for _ in range(3):
            assert not env.step(np.full(ENVS, 2))[1].any()
        obs, *_ = env.step(np.full(ENVS, 3))
        found.append(env.step(logical_way(env, obs))[1])
    rewards = np.concatenate(found)
    assert abs(rewards.mean() - float(exact)) < Z * rewards.std() / sqrt(rewards.size)


def test_an_opponent_who_draws_always_is_told_from_the_logical_way() -> None:
    """The power in practice."""
    env = make(PLAYER, ENVS, opponents={"banker": "always_draw"})
    rewards = hands(env, 1, lambda _: 2, 1)[0]
    check_mean(rewards, solver.evaluate("bicycle", "logical_way", "always_draw"))
    wrong = solver.evaluate("bicycle", "logical_way", "logical_way")
    assert abs(rewards.mean() - float(wrong.ev)) > Z * LARGEST_DEVIATION / sqrt(ENVS)


def test_hands_do_not_depend_on_the_wagers() -> None:
    """The same draw decisions: the same cards, and rewards in proportion."""
    number, rng = 8, np.random.default_rng(3)
    any_wagers = rng.integers(2, 12, (number, 500))
    ones, tens, mixed = (
        hands(make(PLAYER, 500), number, wagers, 7)
        for wagers in (lambda _: 2, lambda _: 11, lambda hand: any_wagers[hand])
    )
    assert np.abs(ones).sum() > 1000
    assert np.array_equal(tens, 10 * ones)
    assert np.array_equal(mixed, (any_wagers - 1) * ones)


@pytest.mark.parametrize("env_id", [PLAYER, DEALER])
def test_hands_do_not_depend_on_the_number_of_environments(env_id: str) -> None:
    few, many = (make(env_id, number, penetration=0.2, start_cards=(380, 420)) for number in (3, 50))
    seen = few.reset(seed=5)[0], many.reset(seed=5)[0]
    for number in range(60):
        assert np.array_equal(seen[0], seen[1][:3])
        actions = np.where(seen[1][:, 0] == 1, logical_way(many, seen[1]), 2 + number % 2)
        results = few.step(actions[:3]), many.step(actions)
        for ours, theirs in zip(results[0][:4], results[1][:4], strict=True):
            assert np.array_equal(ours, theirs[:3])
        seen = results[0][0], results[1][0]


def test_start_cards_takes_every_size_of_the_range_alike() -> None:
    env = make(PLAYER, 20_000, start_cards=(10, 14))
    obs, _ = env.reset(seed=2)
    sizes = (obs[:, 9:] @ np.array(env.game.rules.initial_counts)).round().astype(int)
    counts = np.bincount(sizes, minlength=15)
    assert counts.sum() == counts[10:15].sum()
    error = sqrt(20_000 * 0.2 * 0.8)
    assert (np.abs(counts[10:15] - 4000) < 4.5 * error).all()  # five of 1e-5


def test_wagering_on_the_count_beats_every_flat_wager() -> None:
    """Exact values of shoes as the environment shows them; some favour the player and some do not."""
    rules = load_rules("hawaiian_gardens", num_decks=1)
    env = ShoePlayerEnv(rules, start_cards=(8, 16))
    least, most = env.amounts[0], env.amounts[-1]
    full = np.array(rules.initial_counts)
    evs = []
    for number in range(150):
        obs, _ = env.reset(seed=1 if number == 0 else None)
        counts = (obs[9:16] * full).round().astype(int)
        assert 8 <= counts.sum() <= 16
        state = solver.shoe_state(rules, counts.tolist())
        evs.append(state.best_response("player", "logical_way").ev)
    values = np.array(evs)
    chosen = np.where(values > 0, most, least)
    assert 30 < (values > 0).sum() < 120
    assert (chosen * values).mean() > max((flat * values).mean() for flat in env.amounts) + 0.01


def test_passing_a_bank_that_does_not_pay_its_collection_beats_taking_every_one() -> None:
    rules, fee = load_rules("bicycle", num_decks=1), 0.01
    rng = np.random.default_rng(2)
    pack = np.repeat(range(7), rules.initial_counts)
    evs = []
    for _ in range(100):
        counts = np.bincount(rng.permutation(pack)[: rng.integers(8, 17)], minlength=7)
        evs.append(solver.shoe_state(rules, counts.tolist()).best_response("banker", "logical_way").ev - fee)
    values = np.array(evs)
    assert 5 < (values > 0).sum() < 95
    assert np.maximum(values, 0).mean() > max(values.mean(), 0)
