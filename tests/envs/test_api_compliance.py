"""One suite over every id and every sheet: what Gymnasium and Stable-Baselines3 ask of an environment.

Warnings are errors in the whole test run, so that a checker's warning fails its test.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_checker import data_equivalence as same
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env as sb3_check_env
from stable_baselines3.common.vec_env import DummyVecEnv

import pan9_gym
from pan9_gym.envs.registration import ENTRY_POINTS, register_all
from pan9_gym.rules import load_rules, sheet_names
from tests.envs.vectors import HAND_IDS

IDS = HAND_IDS
PLAYER, DEALER = "Pan9/Player-v0", "Pan9/PlayerDealer-v0"
every_id = pytest.mark.parametrize("env_id", IDS)
every_sheet = pytest.mark.parametrize("sheet", sheet_names())

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "observe total": (PLAYER, {"observe": "total"}),
    "chosen features": (DEALER, {"observe": ("cards", "num_drawers", "wagers"), "num_players": 3}),
    "last of seven seats": (PLAYER, {"num_players": 7, "seat": 6}),
    "seven players against the dealer": (DEALER, {"num_players": 7, "wagers": [1, 1, 5, 1, "1/2", 2, 1]}),
    "forced hands skipped": (PLAYER, {"rules": "bicycle_bonus", "forced": "skip"}),
    "a continuing shoe": (DEALER, {"shoe_mode": "continuing", "penetration": 0.75, "start_cards": (52, 432)}),
    "a Dragon stake": (PLAYER, {"rules": "bicycle_bonus", "side_stakes": {"dragon": "1/20"}}),
    "mixing opponents": (DEALER, {"num_players": 2, "opponents": {"players": "uniform"}}),
    "text": (PLAYER, {"render_mode": "ansi"}),
    "naturals and a seen card": (DEALER, {"rules": "baccarat_chemin_de_fer", "forced": "skip"}),
    "naturals in a continuing shoe": (
        PLAYER,
        {"rules": "baccarat_chemin_de_fer", "shoe_mode": "continuing", "start_cards": (6, 60)},
    ),
}
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def make(variant: str) -> gymnasium.Env[Any, Any]:
    env_id, arguments = VARIANTS[variant]
    return gymnasium.make(env_id, **arguments)


def rollout(env: gymnasium.Env[Any, Any], hands: int, seed: int | None, stir: bool = False) -> list[Any]:
    """Everything that `hands` hands show; the actions alternate."""
    seen: list[Any] = []
    for number in range(hands):
        seen.append(env.reset(seed=seed if number == 0 else None))
        if stir:
            stir_global_random_states(number)
        seen.append(env.step(np.int64(number % 2)))
    return seen


def stir_global_random_states(number: int) -> None:
    np.random.seed(number)  # noqa: NPY002  # the legacy state is what the environment must not depend on
    import_module("random").seed(number)


def test_the_ids_are_the_two_of_the_design_and_registered_by_the_import() -> None:
    known = {*HAND_IDS, "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"}
    assert {*ENTRY_POINTS} == known
    assert {env_id for env_id in gymnasium.registry if env_id.startswith("Pan9/")} == known


@every_id
@every_sheet
def test_gymnasium_check_env_passes_with_default_arguments(env_id: str, sheet: str) -> None:
    check_env(gymnasium.make(env_id, rules=sheet).unwrapped)


@every_id
@every_sheet
def test_sb3_check_env_passes_with_default_arguments(env_id: str, sheet: str) -> None:
    sb3_check_env(gymnasium.make(env_id, rules=sheet))
    sb3_check_env(gymnasium.make(env_id, rules=sheet).unwrapped)


@every_variant
def test_both_checkers_pass_with_other_arguments(variant: str) -> None:
    check_env(make(variant).unwrapped)
    sb3_check_env(make(variant))


@every_id
@every_sheet
def test_hands_stay_in_the_spaces_and_end_after_one_step(env_id: str, sheet: str) -> None:
    env = gymnasium.make(env_id, rules=sheet)
    env.action_space.seed(3)
    for number in range(50):
        obs, info = env.reset(seed=number)
        assert env.observation_space.contains(obs)
        action = env.action_space.sample(mask=info["action_mask"])
        obs, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(obs)
        assert type(reward) is float
        assert (terminated, truncated) == (True, False)
        assert info["action"] == action
        assert not info["action_replaced"]
        assert info["action_mask"].tolist() == [0, 0]


@every_id
@every_sheet
def test_masks_in_info_and_from_action_masks_agree(env_id: str, sheet: str) -> None:
    env = gymnasium.make(env_id, rules=sheet)
    for number in range(30):
        _, info = env.reset(seed=number)
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (2,)
        assert mask.any()
        assert np.array_equal(mask, env.unwrapped.action_masks())
        mask[:] = 0  # a caller's array
        assert env.unwrapped.action_masks().any()


def test_sb3_contrib_reads_the_masks_through_a_vector_of_environments() -> None:
    venv = DummyVecEnv([lambda: gymnasium.make(DEALER, rules="uk_1994_house")] * 3)
    venv.seed(1)
    venv.reset()
    masks = get_action_masks(venv)
    assert masks.shape == (3, 2)
    assert masks.sum(axis=1).tolist() == [1, 1, 1]  # this House never has a choice


@every_id
@every_sheet
def test_same_seed_same_hands_whatever_happens_to_global_random_states(env_id: str, sheet: str) -> None:
    num_players = min(3, load_rules(sheet).max_players)
    arguments = {"rules": sheet, "opponents": {"players": "uniform"}, "num_players": num_players}
    calm, stirred = (gymnasium.make(env_id, **arguments) for _ in range(2))
    assert same(rollout(calm, 40, seed=7), rollout(stirred, 40, seed=7, stir=True))


@every_id
def test_the_environment_leaves_global_random_states_alone(env_id: str) -> None:
    stir_global_random_states(5)
    before = np.random.get_state(), import_module("random").getstate()  # noqa: NPY002
    rollout(gymnasium.make(env_id, opponents={"players": "uniform"}), 20, seed=None)
    after = np.random.get_state(), import_module("random").getstate()  # noqa: NPY002
    assert same(before[0][1], after[0][1])
    assert before[0][2:] == after[0][2:]
    assert before[1] == after[1]


@every_id
@every_sheet
def test_a_pickled_environment_goes_on_as_the_original(env_id: str, sheet: str) -> None:
    num_players = min(2, load_rules(sheet).max_players)
    env = gymnasium.make(env_id, rules=sheet, opponents={"players": "uniform"}, num_players=num_players)
    env.reset(seed=4)
    other = pickle.loads(pickle.dumps(env))
    assert same(env.step(1), other.step(1))
    assert same(rollout(env, 20, seed=None), rollout(other, 20, seed=None))


@every_variant
def test_a_deep_copy_goes_on_as_the_original_and_apart_from_it(variant: str) -> None:
    env = make(variant)
    env.reset(seed=4)
    first, second = copy.deepcopy(env), copy.deepcopy(env)
    played = rollout(first, 10, seed=None)
    assert same(played, rollout(second, 10, seed=None))
    assert same(played, rollout(env, 10, seed=None))


def test_observations_and_masks_are_not_overwritten_by_later_steps() -> None:
    env = gymnasium.make(PLAYER)
    kept = rollout(env, 1, seed=1)
    remembered = copy.deepcopy(kept)
    rollout(env, 20, seed=None)
    assert same(kept, remembered)


@every_id
def test_metadata_keys_are_those_that_gymnasium_reads(env_id: str) -> None:
    metadata = gymnasium.make(env_id).metadata
    assert {*metadata} == {"render_modes", "render_fps"}
    assert metadata["render_modes"] == ["ansi"]


@every_id
def test_the_spec_makes_the_same_environment_again(env_id: str) -> None:
    env = gymnasium.make(env_id, rules="hawaiian_gardens", num_players=3, observe="total")
    spec = env.spec
    assert spec is not None
    assert (spec.id, spec.nondeterministic, spec.max_episode_steps) == (env_id, False, None)
    again = gymnasium.make(EnvSpec.from_json(spec.to_json()))
    assert again.unwrapped.game == env.unwrapped.game
    assert same(rollout(env, 5, seed=1), rollout(again, 5, seed=1))


def test_rules_may_be_a_name_a_path_or_an_object() -> None:
    sheet = Path(__file__).parents[2] / "configs" / "rules" / "uk_1994_player.yaml"
    rules = [
        gymnasium.make(PLAYER, rules=given).unwrapped.game.rules
        for given in ("uk_1994_player", str(sheet), sheet, pan9_gym.load_rules("uk_1994_player"))
    ]
    assert len({entry.fingerprint for entry in rules}) == 1
    assert rules[0].num_decks == 8


@every_id
def test_registering_again_changes_nothing(env_id: str) -> None:
    before = gymnasium.registry[env_id]
    register_all()
    gymnasium.register_envs(pan9_gym)
    assert gymnasium.registry[env_id] is before


@every_id
def test_gymnasium_makes_a_vector_of_them(env_id: str) -> None:
    venv = gymnasium.make_vec(env_id, num_envs=3, vectorization_mode="sync", rules="hawaiian_gardens")
    obs, infos = venv.reset(seed=3)
    assert obs.shape[0] == 3
    assert infos["action_mask"].shape == (3, 2)
    _, rewards, terminated, _, _ = venv.step(np.zeros(3, dtype=np.int64))
    assert terminated.all()
    assert {*rewards.tolist()} <= {-1.0, 0.0, 1.0}
    singles = [
        gymnasium.make(env_id, rules="hawaiian_gardens").reset(seed=3 + number)[0] for number in range(3)
    ]
    assert np.array_equal(obs, np.stack(singles))
    venv.close()


@pytest.mark.parametrize(
    "program",
    [
        'import pan9_gym; env = gymnasium.make("Pan9/Player-v0", rules="hawaiian_gardens")',
        'env = gymnasium.make("pan9_gym:Pan9/Player-v0", rules="hawaiian_gardens")',
        'import pan9_gym; gymnasium.register_envs(pan9_gym); env = gymnasium.make("Pan9/Player-v0", '
        'rules="hawaiian_gardens")',
    ],
)
def test_every_spelling_of_make_works_in_a_new_process(program: str, tmp_path: Path) -> None:
    code = f"import gymnasium; {program}; env.reset(seed=1); print(env.unwrapped.game.rules.name)"
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (found.returncode, found.stderr, found.stdout) == (0, "", "hawaiian_gardens\n")
