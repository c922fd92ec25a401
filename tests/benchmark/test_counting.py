"""What counts as a hand and as a decision, for this package and for its peers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from pan9_gym.benchmark import contenders, peers
from pan9_gym.benchmark.contenders import CONTINUING, Table
from pan9_gym.benchmark.rounds import Count
from pan9_gym.game.round import new_game

TABLE = Table("bicycle", 1)


class TwoStepEpisodes:
    """Environments whose episodes end with their second decision; the step after that only resets."""

    def __init__(self, num_envs: int) -> None:
        self.phases = np.arange(num_envs) % 3
        self.ignored = 0

    def reset(self) -> None:
        pass

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        assert actions.shape == self.phases.shape
        self.ignored += int((self.phases == 2).sum())
        self.phases = (self.phases + 1) % 3
        over = self.phases == 2
        return None, None, over & (np.arange(len(over)) % 2 == 0), over, {}


def test_slots_that_only_reset_are_no_decisions() -> None:
    """Of three slots two are decisions and one ends a hand; those that start at 2 waste the first one."""
    envs = TwoStepEpisodes(30)
    envs.phases[:] = 0
    play = peers.next_step_slots(envs, 30)
    total = Count(0, 0)
    for _ in range(3):
        total += play()
    steps = 3 * (contenders.steps_of(30) // 8)
    assert total == Count(30 * (steps // 3), 30 * steps - envs.ignored)
    assert envs.ignored == 30 * (steps // 3)


class ThreeSteps:
    """An environment whose episodes take three steps."""

    def __init__(self) -> None:
        self.steps = self.resets = 0

    def reset(self, seed: int | None = None) -> None:
        self.resets += 1

    def step(self, action: int) -> tuple[None, float, bool, bool, dict[str, Any]]:
        assert action in (0, 1)
        self.steps += 1
        return None, 0.0, self.steps % 6 == 3, self.steps % 6 == 0, {}


def test_an_episode_is_a_hand_and_every_step_a_decision() -> None:
    env = ThreeSteps()
    assert contenders.episodes(env)() == Count(100, 300)
    assert (env.steps, env.resets) == (300, 101)


@pytest.mark.parametrize("arguments", [{}, CONTINUING])
def test_a_step_of_our_vector_env_is_a_hand_and_a_decision_for_each(arguments: dict[str, Any]) -> None:
    found = contenders.vector_env(TABLE, 64, **arguments)()
    slots = contenders.steps_of(64) * 64
    assert (found.hands, found.decisions) == (slots, slots)
    assert found.cards == pytest.approx(slots * contenders.cards_per_hand(TABLE))


def test_the_other_contenders_of_ours() -> None:
    kernel = contenders.bare_kernel(TABLE, 64)()
    assert (kernel.hands, kernel.decisions) == (2**15, 2**15)
    scalar = contenders.scalar_env(TABLE)()
    assert (scalar.hands, scalar.decisions) == (100, 100)
    readable = contenders.readable_round(Table("bicycle", 3))()
    assert (readable.hands, readable.decisions) == (100, 400)
    simulated = contenders.simulator(Table("bicycle", 3))()
    assert (simulated.hands, simulated.decisions) == (2**18, 2**20)


def test_cards_of_a_hand_are_those_of_random_play() -> None:
    """Six to eight: half of the player's hands draw, and the banker draws on 0 to 5."""
    probs = contenders.cards_per_hand(TABLE)
    assert 7.0 < probs < 7.2
    game = new_game("bicycle", 7)
    assert 24 < contenders.cards_per_hand(Table("bicycle", 7)) < game.max_cards


def test_naturals_leave_fewer_decisions() -> None:
    found = contenders.simulator(Table("baccarat_punto_banco", 1))()
    assert found.hands < found.decisions < 2 * found.hands


def test_drawn_actions_are_both_and_the_same_again() -> None:
    rows = contenders.drawn_actions(131072)
    assert rows.shape == (8, 131072)
    assert abs(rows.mean() - 0.5) < 0.01
    assert (rows == contenders.drawn_actions(131072)).all()


def test_gymnasiums_blackjack_counts_its_episodes() -> None:
    found = peers.gymnasium_scalar()()
    assert found.hands == 100
    assert 100 < found.decisions < 200
    slots = contenders.steps_of(64) // 8 * 64
    found = peers.gymnasium_sync()()
    assert 0 < found.hands < found.decisions < slots


@pytest.mark.parametrize(("name", "low", "high"), [("kuhn_poker", 200, 300), ("blackjack", 100, 200)])
def test_openspiels_chance_is_no_decision(name: str, low: int, high: int) -> None:
    found = peers.openspiel(name)()
    assert found.hands == 100
    assert low < found.decisions < high


def test_a_missing_peer_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("envpool", "pgx", "rlcard"):
        monkeypatch.setitem(sys.modules, module, None)
    there, remarks = peers.peers((64,))
    assert [remark.split(" (")[0] for remark in remarks] == [
        "envpool takes no part",
        "pgx takes no part",
        "rlcard takes no part",
    ]
    assert all(remark.endswith(": pip install 'pan9-gym[bench]'") for remark in remarks)
    assert list(there) == [
        "Gymnasium Blackjack",
        "Gymnasium Blackjack, SyncVectorEnv 64",
        "OpenSpiel Kuhn poker",
        "OpenSpiel Blackjack",
    ]
