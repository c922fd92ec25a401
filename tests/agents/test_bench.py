"""`python -m agents.bench` measures something, says what, and judges figures by their targets."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from agents.bench import share_row
from agents.benchmark_rates import BLACKJACK, adapter_group, adapter_name, player_env, read_infos
from agents.benchmark_shares import DEFAULT, LARGE, PPOSettings, Question, ShareLine, TimedVecEnv, questions
from pan9_gym.benchmark.rounds import Spread


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agents.bench", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def quick() -> dict[str, object]:
    done = program("--quick", "--json", "--rounds", "2")
    assert done.returncode == 0, done.stderr
    assert "measuring: PPO default" in done.stderr
    return json.loads(done.stdout)


def test_it_says_what_it_ran_on(quick: dict[str, dict[str, object]]) -> None:
    assert {"torch", "stable-baselines3", "sb3-contrib", "gymnasium", "numba"} <= set(
        quick["machine"]["versions"]
    )
    assert quick["num_rounds"] == 2


def test_rates_and_ratios_are_positive(
    quick: dict[str, dict[str, list[dict[str, dict[str, float]]]]],
) -> None:
    rates = quick["rates"]["rates"]
    assert set(rates) == set(adapter_group().makers)
    for spreads in rates.values():
        for unit in ("hands", "decisions"):
            assert 0 < spreads[unit]["low"] <= spreads[unit]["median"] <= spreads[unit]["high"]
    for figure in quick["rates"]["figures"]:
        assert figure["ratio"]["low"] > 1, "the adapter is faster than DummyVecEnv, even on a busy machine"
    assert rates[BLACKJACK]["hands"]["median"] < rates[BLACKJACK]["decisions"]["median"]


def test_shares_are_parts_of_the_whole(quick: dict[str, list[dict[str, dict[str, float]]]]) -> None:
    assert len(quick["shares"]) == len(questions(quick=True)) == 4
    for line in quick["shares"]:
        assert 0 < line["share"]["median"] < line["share_with_infos"]["median"] < 1
        assert line["decisions"]["median"] > 0


def test_the_whole_run_asks_about_both_roles_and_seven_players() -> None:
    names = [question.name for question in questions(quick=False)]
    assert len(names) == len(set(names)) == 12
    assert "PPO default, 64 environments, Pan9/PlayerDealer-v0, 7 players" in names


@pytest.mark.parametrize(("settings", "share", "met"), [(DEFAULT, 0.02, "met"), (LARGE, 0.11, "NOT MET")])
def test_a_share_beside_its_target(settings: PPOSettings, share: float, met: str) -> None:
    spread = Spread.of([share])
    row = share_row(ShareLine(Question(settings, "Pan9/Player-v0", 1), spread, spread, Spread.of([1500.0])))
    assert row[1:] == (
        f"{share:.2%}",
        f"{share:.2%} to {share:.2%}",
        f"at most {settings.most:.0%}",
        met,
        f"{share:.2%}",
        "1.5k",
    )


def test_the_timed_environment_changes_nothing() -> None:
    plain, timed = player_env(8), TimedVecEnv(player_env(8))
    for env in (plain, timed):
        env.seed(1)
    assert np.array_equal(plain.reset(), timed.reset())
    assert np.array_equal(plain.step(np.ones(8, dtype=int))[1], timed.step(np.ones(8, dtype=int))[1])
    assert timed.in_steps > 0
    assert timed.in_infos > 0


def test_infos_are_read_as_learners_do() -> None:
    env = player_env(4)
    env.reset()
    _, _, dones, infos = env.step([0] * 4)
    statistics, limited = read_infos(infos, dones)
    assert [entry["l"] for entry in statistics] == [1] * 4
    assert limited == []
    assert adapter_name(4, True) == "adapter 4, infos read"


def test_bad_input_is_one_error() -> None:
    done = program("--rounds", "0")
    assert done.returncode == 2
    assert "--rounds" in done.stderr
    assert "Traceback" not in done.stderr
