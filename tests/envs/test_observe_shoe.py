"""Features "shoe" and "mix": what the shoe held before the hand, in scalar and vector environments alike."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

import pan9_gym
from pan9_gym.envs.observation import shoe_mix, shoe_shares
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.envs.vector_roles import PlayerDealerVectorEnv, PlayerVectorEnv
from pan9_gym.rules import load_rules
from pan9_gym.rules.cards import Card

gymnasium.register_envs(pan9_gym)

FULL = np.array([144, 48, 48, 48, 48, 48, 48])
SHOE = slice(7, 14)
SUITED: dict[str, Any] = {"rules": "bicycle_bonus", "side_stakes": {"dragon": 1}}
CONTINUING: dict[str, Any] = {"observe": "shoe", "shoe_mode": "continuing", "start_cards": (100, 200)}
GOOD = ["6s", "6h", "2s", "Ad", "Kc", "Kh", "As", "Ah"]
MODES = ("SAME_STEP", "NEXT_STEP", "DISABLED")

either_stake = pytest.mark.parametrize("more", [{}, SUITED], ids=["points", "suits"])


def left(obs: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The counts of which the observation has the shares."""
    counts = obs[..., SHOE].astype(float) * FULL
    assert np.allclose(counts, counts.round(), atol=1e-4)
    return counts.round().astype(np.int64)


@either_stake
@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_the_scalar_environment_shows_the_shoe_before_the_hand(env: Any, more: dict[str, Any]) -> None:
    made = env(**CONTINUING, **more)
    values = made.game.rules.point_values
    before, dealt = None, np.zeros(7)
    for number in range(120):
        obs, _ = made.reset(seed=1 if number == 0 else None)
        if before is not None and before.sum() - left(obs).sum() in range(6, 9):
            assert np.array_equal(before - left(obs), dealt)
        before = left(obs)
        after, *_ = made.step(number % 2)
        assert np.array_equal(after, obs)  # the hand that was decided
        cards = [card for hand in made._state.hands for card in hand]
        found = Counter(values[card.rank] if isinstance(card, Card) else card for card in cards)
        dealt = np.array([found[value] for value in range(7)])
        assert (before >= dealt).all()


@either_stake
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env", [PlayerVectorEnv, PlayerDealerVectorEnv])
def test_the_vector_environment_shows_the_shoes_before_the_hands(
    env: Any, mode: str, more: dict[str, Any]
) -> None:
    made = env(50, autoreset_mode=mode, **CONTINUING, **more)
    actions = np.arange(50) % 2
    obs, _ = made.reset(seed=1)
    history = [left(obs)]
    for _ in range(40):
        assert np.array_equal(made._batch.unseen, left(obs))
        decided, *_, infos = made.step(actions)
        used = made._batch.num_used.copy()
        if mode == "SAME_STEP":
            assert np.array_equal(infos["final_obs"], obs)
            obs = decided
        else:
            assert np.array_equal(decided, obs)
            obs = made.step(actions)[0] if mode == "NEXT_STEP" else made.reset()[0]
        history.append(left(obs))
        if mode != "SAME_STEP":
            went_on = history[-1].sum(axis=1) < history[-2].sum(axis=1) - 5
            lost = (history[-2] - history[-1]).sum(axis=1)
            assert (lost[went_on] == used[went_on]).mean() > 0.9  # the others start a shoe
    sums = np.array(history).sum(axis=2)
    assert ((sums[0] >= 100) & (sums[0] <= 200)).all()
    drops = [np.isin(one - other, [6, 7, 8]).mean() for one, other in pairwise(sums)]
    assert min(drops[:10]) == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_listed_cards_and_fresh_shoes_are_full(mode: str) -> None:
    scalar = PlayerEnv(**CONTINUING)
    scalar.reset(seed=1)
    wanted, _ = scalar.reset(options={"cards": GOOD})
    vector = PlayerVectorEnv(3, autoreset_mode=mode, **CONTINUING)
    vector.reset(seed=1)
    obs, _ = vector.reset(options={"cards": [None, GOOD, None]})
    assert np.array_equal(obs[1], wanted)
    assert (wanted[SHOE] == 1).all()
    assert (obs[::2, SHOE] < 1).any()
    assert (PlayerVectorEnv(4, observe="shoe").reset(seed=1)[0][:, SHOE] == 1).all()
    assert (PlayerEnv(observe="shoe").reset(seed=1)[0][SHOE] == 1).all()
    infinite = load_rules("bicycle", num_decks="infinite")
    assert (PlayerEnv(infinite, observe="shoe").reset(seed=1)[0][SHOE] == 1).all()


def test_the_same_counts_are_the_same_observation() -> None:
    """Bit for bit: a vector environment's row, encoded by the scalar one from its counts."""
    scalar, vector = PlayerEnv(**CONTINUING), PlayerVectorEnv(200, **CONTINUING)
    obs, infos = vector.reset(seed=1)
    for row, number, counts in zip(obs, infos["info_state"], vector._batch.unseen, strict=True):
        hand = scalar.game.states[0].hands[number]
        assert np.array_equal(row, scalar.encode(hand, shoe=counts / FULL))
        assert np.array_equal(row, vector.encode(hand, shoe=counts / FULL))
        assert scalar.observation_space.contains(row)


MIXED: dict[str, Any] = {**CONTINUING, "observe": ("mix", "counts"), "start_cards": (8, 40)}
MIX = slice(0, 7)


def test_the_mix_is_how_rich_the_rest_of_the_shoe_is() -> None:
    """By hand: of 12 cards left 4 are worth 0, which is a pack's third; 8 are worth 6, six times a ninth."""
    counts = np.array([4, 0, 0, 0, 0, 0, 8])
    assert shoe_mix(shoe_shares(counts, FULL), FULL).tolist() == [1, 0, 0, 0, 0, 0, 6]
    assert (shoe_mix(np.ones(7), FULL) == 1).all()
    assert (shoe_mix(np.zeros(7), FULL) == 0).all()
    only_sixes = np.array([0, 0, 0, 0, 0, 0, 1 / 48])
    env = PlayerEnv(observe=("mix",))
    obs = env.encode((0, 0, 0), shoe=only_sixes)
    assert obs.tolist() == [0, 0, 0, 0, 0, 0, 9]
    assert obs[-1] == env.observation_space.high[-1]


@pytest.mark.parametrize("more", [{}, {"rules": ["bicycle", "hawaiian_gardens"]}], ids=["one", "several"])
@pytest.mark.parametrize("env_id", ["Pan9/Player-v0", "Pan9/PlayerDealer-v0"])
def test_the_mix_of_the_same_counts_is_the_same_bits(env_id: str, more: dict[str, Any]) -> None:
    """A vector environment's rows after some hands, encoded by the scalar one from the engine's counts."""
    scalar = gymnasium.make(env_id, **MIXED, **more).unwrapped
    vector = gymnasium.make_vec(env_id, 200, vectorization_mode="vector_entry_point", **MIXED, **more)
    obs, infos = vector.reset(seed=1)
    for number in range(4):
        counts = vector._batch.unseen.astype(float)
        assert np.allclose(obs[:, MIX], counts / counts.sum(axis=1, keepdims=True) / (FULL / FULL.sum()))
        for row, state, left in zip(obs, infos["info_state"], counts, strict=True):
            encoder = scalar.encoder
            assert np.array_equal(row, encoder.encode_index(state, shoe_shares(left, FULL)))
            assert scalar.observation_space.contains(row)
        obs, *_, infos = vector.step(np.full(200, number % 2))


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_the_scalar_environment_shows_the_mix_of_its_shoe(env: Any) -> None:
    both, mixed = (env(**{**MIXED, "observe": observe}) for observe in (("shoe", "mix"), ("mix", "counts")))
    for number in range(50):
        seed = 1 if number == 0 else None
        obs, other = both.reset(seed=seed)[0], mixed.reset(seed=seed)[0]
        assert np.array_equal(obs[7:], other[MIX])
        counts = obs[:7].astype(float) * FULL
        assert np.allclose(obs[7:], counts / counts.sum() / (FULL / FULL.sum()))
        both.step(number % 2)
        mixed.step(number % 2)


def test_the_mix_is_full_where_the_shoe_is() -> None:
    vector = PlayerVectorEnv(3, **MIXED)
    vector.reset(seed=1)
    obs, _ = vector.reset(options={"cards": [None, GOOD, None]})
    assert (obs[1, MIX] == 1).all()
    assert (obs[::2, MIX] != 1).any()
    assert (PlayerVectorEnv(4, observe=("mix",)).reset(seed=1)[0] == 1).all()
    infinite = load_rules("bicycle", num_decks="infinite")
    assert (PlayerEnv(infinite, observe=("mix",)).reset(seed=1)[0] == 1).all()
