"""What Gymnasium asks of the environments whose episode is a shoe: spaces, seeds, copies, text, layouts."""

from __future__ import annotations

import copy
import pickle
from inspect import cleandoc
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_checker import data_equivalence as same
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_roles import ShoePlayerEnv
from pan9_gym.rules import load_rules, sheet_names

PLAYER, DEALER = "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"
VALUES = (0, 1, 2, 3, 4, 5, 6)

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "the last of seven seats, with a short start": (
        PLAYER,
        {"num_players": 7, "seat": 6, "start_cards": (32, 90), "wager_choices": [1, 4, 9]},
    ),
    "mixing opponents": (
        DEALER,
        {"num_players": 2, "opponents": {"players": "uniform", "banker": "uniform"}},
    ),
    "a Dragon stake and a fee": (
        PLAYER,
        {"rules": "bicycle_bonus", "side_stakes": {"dragon": "1/20"}, "fee": "1/3", "forced": "skip"},
    ),
    "naturals and a seen card": (DEALER, {"rules": "baccarat_chemin_de_fer", "penetration": 0.2}),
    "chosen features": (DEALER, {"observe": ("total", "shoe", "wagers", "num_drawers"), "num_players": 3}),
    "text": (PLAYER, {"render_mode": "ansi", "start_cards": (8, 40)}),
}
every_id = pytest.mark.parametrize("env_id", [PLAYER, DEALER])
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def make(env_id: str, **arguments: Any) -> ShoeEnv:
    env = gymnasium.make(env_id, **arguments).unwrapped
    assert isinstance(env, ShoeEnv)
    return env


def variant_env(variant: str) -> ShoeEnv:
    env_id, arguments = VARIANTS[variant]
    return make(env_id, **arguments)


def some_action(mask: Any, number: int) -> int:
    """A legal action that varies from step to step."""
    legal = np.flatnonzero(mask)
    return int(legal[number * 7 % len(legal)])


def rollout(env: Any, steps: int, seed: int | None = None, reset: bool = True) -> list[Any]:
    """Everything that some steps show; shoes that are over are followed by others."""
    seen: list[Any] = [env.reset(seed=seed)] if reset else []
    for number in range(steps):
        seen.append(env.step(some_action(env.unwrapped.action_masks(), number)))
        if seen[-1][2]:
            seen.append(env.reset())
    return seen


@every_id
@pytest.mark.parametrize("sheet", sheet_names())
def test_gymnasiums_checker_passes_on_every_sheet(env_id: str, sheet: str) -> None:
    check_env(make(env_id, rules=sheet))


@every_variant
def test_both_checkers_pass_with_other_arguments(variant: str) -> None:
    check_env(variant_env(variant))
    env_id, arguments = VARIANTS[variant]
    sb3_check_env(gymnasium.make(env_id, **arguments))


@every_variant
def test_everything_stays_in_its_space(variant: str) -> None:
    env_id, arguments = VARIANTS[variant]
    env = gymnasium.make(env_id, **arguments)  # with the wrappers that make adds
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    size, amounts = env.action_space.n, len(env.unwrapped.amounts)  # type: ignore[attr-defined]
    assert size == 2 + amounts
    for obs, *rest in rollout(env, 150, seed=5):
        assert env.observation_space.contains(obs)
        mask = rest[-1]["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (size,)
        if len(rest) > 1:
            assert type(rest[0]) is float
            assert rest[2] is False
            assert mask.any() != rest[1]


@every_id
def test_draw_decisions_and_amounts_take_turns(env_id: str) -> None:
    env = make(env_id, rules="bicycle")
    obs, info = env.reset(seed=2)
    last = len(info["action_mask"]) - 1
    for _ in range(30):
        assert obs[0] == 0
        assert info["info_state"] == -1
        assert info["action_mask"].tolist() == [0, 0] + [1] * (last - 1)
        obs, reward, _, _, info = env.step(last)
        assert (obs[0], reward) == (1, 0.0)
        assert info["action_mask"].tolist() == [1, 1] + [0] * (last - 1)
        obs, _, _, _, info = env.step(1)


def test_the_spaces_are_those_of_the_description() -> None:
    assert make(PLAYER).action_space == gymnasium.spaces.Discrete(12)
    assert make(PLAYER, wager_choices=(2, 5)).action_space == gymnasium.spaces.Discrete(4)
    assert make(DEALER, num_players=4).action_space == gymnasium.spaces.Discrete(4)
    assert make(PLAYER).observation_space.shape == (16,)
    assert make(DEALER).observation_space.shape == (16,)  # no wager, but the player's choice
    limits = load_rules("bicycle", wager_limits={"least": 3, "most": 7})
    assert make(PLAYER, rules=limits).amounts == (3, 4, 5, 6, 7)


def test_the_layout_of_the_description_is_the_encoders() -> None:
    assert make(PLAYER).observation_layout() in cleandoc(str(ShoePlayerEnv.__doc__))


@every_variant
def test_a_pickled_environment_and_a_copy_go_on_as_the_original(variant: str) -> None:
    env = variant_env(variant)
    env.reset(seed=4)
    env.step(some_action(env.action_masks(), 1))  # in most shoes a draw decision is due
    others = pickle.loads(pickle.dumps(env)), copy.deepcopy(env), copy.deepcopy(env)
    played = [rollout(one, 80, reset=False) for one in (*others, env)]
    assert all(same(played[0], other) for other in played[1:])


@every_variant
def test_a_seed_decides_everything_and_without_one_the_stream_goes_on(variant: str) -> None:
    one, two = variant_env(variant), variant_env(variant)
    first = rollout(one, 60, seed=9)
    assert same(first, rollout(two, 60, seed=9))
    second = rollout(one, 60)
    assert same(second, rollout(two, 60))
    assert not same(first, second)
    assert not same(first, rollout(two, 60, seed=10))
    assert same(first, rollout(one, 60, seed=9))


def test_environments_without_a_seed_differ() -> None:
    assert not same(rollout(make(PLAYER), 40), rollout(make(PLAYER), 40))


@every_id
def test_what_was_given_out_is_never_written_again(env_id: str) -> None:
    env = make(env_id, start_cards=(8, 40))
    kept = rollout(env, 30, seed=1)
    remembered = copy.deepcopy(kept)
    rollout(env, 60)
    assert same(kept, remembered)
    for obs, *rest in kept:  # nor does it matter what the caller writes into it
        obs[:] = 7
        rest[-1]["action_mask"][:] = 0
    fresh = make(env_id, start_cards=(8, 40))
    assert same(remembered, rollout(fresh, 30, seed=1))


def test_the_opponents_change_with_the_next_shoe() -> None:
    """Against a banker who stands on 0 a player with 1 wins; the logical way draws a 6."""
    hand = ["A", "K", "K", "K", "K", "K"]
    shoe = [*hand, "6", *hand, "6", "2"]
    env = make(PLAYER)
    assert wins_and_losses(env, shoe) == [-1.0, -1.0]
    env.reset(options={"cards": shoe})
    env.set_opponents({"banker": "always_stand"})
    assert [wins_in_a_hand(env), wins_in_a_hand(env)] == [-1.0, -1.0]
    assert wins_and_losses(env, [*hand, *hand, "2", "3"]) == [1.0, 1.0]
    with pytest.raises(ValueError, match="unknown key 'dealer'"):
        env.set_opponents({"dealer": "always_draw"})
    assert wins_and_losses(env, [*hand, *hand, "2", "3"]) == [1.0, 1.0]


def wins_in_a_hand(env: ShoeEnv) -> float:
    """What standing wins for one unit."""
    env.step(2)
    return env.step(0)[1]


def wins_and_losses(env: ShoeEnv, shoe: list[str]) -> list[float]:
    env.reset(options={"cards": shoe})
    return [wins_in_a_hand(env), wins_in_a_hand(env)]


def test_the_policy_of_who_banks_passed_hands_changes_with_the_next_shoe() -> None:
    hand = ["A", "K", "K", "K", "K", "K"]
    env = make(DEALER, opponents={"players": "always_stand", "banker": "always_draw"})
    env.reset(options={"cards": [*hand, "6", "5", "5"]})
    env.set_opponents({"players": "always_stand", "banker": "always_stand"})
    assert env.step(2)[4]["totals"] == (1, 6)
    env.reset(options={"cards": [*hand, "6", "5", "5"]})
    assert env.step(2)[4]["totals"] == (1, 0)


def test_encode_gives_the_observation_of_a_banker() -> None:
    """The first player has 6 and always draws; the second has 2, then 7; the banker has 0, 0, 3."""
    env = make(DEALER, num_players=2, opponents={"players": ["always_draw", "logical_way"]})
    for card, choice in (("4", "draw"), ("K", "stand")):
        second = ["6", "2", "4"] if choice == "draw" else ["6", "A", "K"]
        dealt = [one for cards in zip("AK5", second, "KK3", strict=True) for one in cards]
        obs, _ = env.reset(options={"cards": [*dealt, card, *"A2345"]})
        assert np.array_equal(obs, env.encode())
        obs = env.step(3)[0]
        for hand in ((0, 0, 3), (3, 0, 0)):
            assert np.array_equal(obs, env.encode(hand, ("draw", choice)))
        assert np.array_equal(obs, env.encode((0, 3, 0), ("draw", choice), shoe=np.ones(7), amount=0))
        assert not np.array_equal(obs, env.encode((0, 3, 0), ("stand", choice)))
    shares = np.linspace(0, 1, 7, dtype=np.float32)
    assert np.array_equal(env.encode(None, shoe=shares)[8:15], shares)


def test_encode_takes_the_wager_and_the_shares_of_a_player() -> None:
    env = make(PLAYER, start_cards=(40, 40))
    start, _ = env.reset(seed=3)
    shares = start[9:16]
    assert np.array_equal(start, env.encode(shoe=shares))
    obs = env.step(2 + 6)[0]  # seven units
    hand = [value for value in VALUES for _ in range(int(obs[2 + value]))]
    assert len(hand) == 3
    assert np.array_equal(obs, env.encode(hand, shoe=shares, amount=7))
    assert obs[1] == np.float32(7) / np.float32(10)
    with pytest.raises(ValueError, match="hand"):
        env.encode((9, 9, 9))


def test_the_text_shows_the_shoe_and_the_hand_as_far_as_the_seat_sees_it() -> None:
    env = make(PLAYER, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded, match="render"):
        env.render()
    env.reset(options={"cards": [*"4526AA", "3", "K", "K", "6"]})
    points = "0:144 1:48 2:48 3:48 4:48 5:48 6:48"
    start = f"432 cards left, by points {points}; amount 0\nno hand yet"
    assert env.render() == start
    env.step(5)
    shown = str(env.render())
    assert "432 cards left" in shown
    assert "amount 4" in shown
    assert "player 0 (you): 4 2 1 = 7" in shown
    assert "banker  : ? ? ?" in shown
    env.step(0)
    shown = str(env.render())
    assert "425 cards left, by points" in shown
    assert "banker  : 5 6 1 3 = 5, draws 3" in shown
    assert "player 0: win, net 1" in shown


def test_without_a_render_mode_gymnasium_warns() -> None:
    env = make(PLAYER)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match='without render_mode="ansi"'):
        assert env.render() is None


@every_id
def test_the_spec_makes_the_same_environment_again(env_id: str) -> None:
    env = gymnasium.make(env_id, rules="hawaiian_gardens", num_players=3, fee="1/7", penetration=0.3)
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert same(rollout(env, 30, seed=1), rollout(again, 30, seed=1))


@every_id
def test_gymnasium_makes_a_synchronous_vector_of_them(env_id: str) -> None:
    venv = gymnasium.make_vec(env_id, num_envs=3, vectorization_mode="sync", penetration=0.1)
    obs, infos = venv.reset(seed=3)
    singles = [make(env_id, penetration=0.1) for _ in range(3)]
    starts = [env.reset(seed=3 + number)[0] for number, env in enumerate(singles)]
    assert np.array_equal(obs, np.stack(starts))
    for number in range(10):
        actions = np.array([some_action(mask, number) for mask in infos["action_mask"]])
        obs, rewards, _, _, infos = venv.step(actions)
        steps = [env.step(int(action)) for env, action in zip(singles, actions, strict=True)]
        assert np.array_equal(obs, np.stack([step[0] for step in steps]))
        assert rewards.tolist() == [step[1] for step in steps]
    venv.close()
