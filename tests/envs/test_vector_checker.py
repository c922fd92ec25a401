"""`check_vector_env` accepts honest vector environments and finds planted faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import pan9_gym  # noqa: F401  # registers the environments
from pan9_gym.envs.vector_checker import Reference, VectorEnvError, check_vector_env
from tests.envs import faulty_vectors as faulty
from tests.envs.faulty_vectors import Cards, CardsVector, Edited, changed, info_changed, put

SAME, NEXT, OFF = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED
PLAYER, DEALER = "Pan9/Player-v0", "Pan9/PlayerDealer-v0"
every_mode = pytest.mark.parametrize("mode", AutoresetMode)


def pan9(env_id: str, mode: AutoresetMode, **arguments: Any) -> Callable[[], Any]:
    return lambda: gymnasium.make_vec(
        env_id, num_envs=3, vectorization_mode="vector_entry_point", autoreset_mode=mode, **arguments
    )


def stacked(number: int, seed: int, num_envs: int) -> tuple[dict[str, Any], Sequence[dict[str, Any]]]:
    """The same cards for the vector and the scalar environments."""
    rng = np.random.default_rng([seed, number])
    cards = rng.choice([*"A23456JQK"], size=(num_envs, 8)).tolist()
    return {"options": {"cards": cards}}, [{"options": {"cards": own}} for own in cards]


@every_mode
@pytest.mark.parametrize(
    ("env_id", "arguments"),
    [
        (PLAYER, {"rules": "uk_1994_house"}),
        (PLAYER, {"rules": "bicycle_bonus", "forced": "skip"}),
        (PLAYER, {"observe": "shoe", "shoe_mode": "continuing"}),
        (DEALER, {"rules": "bicycle_bonus"}),
        (DEALER, {"rules": "hawaiian_gardens", "num_players": 2}),
    ],
    ids=str,
)
def test_our_environments_are_honest(env_id: str, arguments: dict[str, Any], mode: AutoresetMode) -> None:
    summary = check_vector_env(
        pan9(env_id, mode, **arguments), num_steps=40, copies=True, observed_masks=True
    )
    wrong_modes = {SAME: 2, NEXT: 1, OFF: 1}
    assert len(summary.skipped) == wrong_modes[mode] + 1
    assert "no reference is given" in summary.skipped.values()


@every_mode
@pytest.mark.parametrize("env_id", [PLAYER, DEALER])
def test_our_environments_follow_the_scalar_ones_on_listed_cards(env_id: str, mode: AutoresetMode) -> None:
    rules = {"rules": "hawaiian_gardens"}
    reference = Reference(lambda: gymnasium.make(env_id, **rules), stacked, goes_on=False)
    summary = check_vector_env(pan9(env_id, mode, **rules), num_steps=40, reference=reference)
    assert "reference" in summary.passed


@every_mode
def test_the_in_place_mode_must_be_told(mode: AutoresetMode) -> None:
    make = pan9(PLAYER, mode, copy=False)
    with pytest.raises(VectorEnvError, match=r"to stay after later calls \(or in_place=True\)"):
        check_vector_env(make, num_steps=40)
    assert "outputs overwritten by the caller" in check_vector_env(make, num_steps=40, in_place=True).skipped


@every_mode
@pytest.mark.parametrize("env_id", ["CartPole-v1", PLAYER])
def test_gymnasiums_synchronous_environment_is_honest(env_id: str, mode: AutoresetMode) -> None:
    def one() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(env_id)

    summary = check_vector_env(
        lambda: SyncVectorEnv([one] * 3, autoreset_mode=mode), num_steps=40, reference=Reference(one)
    )
    assert "reference" in summary.passed


def test_gymnasiums_asynchronous_environment_is_honest() -> None:
    def make(**arguments: Any) -> AsyncVectorEnv:
        return AsyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 2, **arguments)

    assert "close" in check_vector_env(make, num_steps=40).passed


def test_an_environment_without_lists_of_seeds_and_with_shared_randomness_is_honest() -> None:
    env = gymnasium.make_vec("CartPole-v1", 3, "vector_entry_point")
    env.reset(seed=1)
    dtype = env.step(np.zeros(3, dtype=np.int64))[1].dtype  # single precision in Gymnasium 1.4
    summary = check_vector_env(env, num_steps=40, reward_dtype=dtype)
    assert summary.skipped["lists of seeds"].startswith("a list is refused")


def test_without_a_callable_the_environment_stays_open() -> None:
    env = CardsVector(SAME)
    summary = check_vector_env(env, num_steps=40)
    assert not env.closed
    assert summary.skipped["close"] == summary.skipped["metadata"] == "needs a callable"


def test_only_what_is_random_is_asked_for_randomness() -> None:
    env = faulty.SeedFixed(SAME)
    assert check_vector_env(env, num_steps=40, random=False).skipped["other seeds"] == "random=False"


def test_a_clock_among_the_infos_can_be_ignored() -> None:
    make = lambda: gymnasium.wrappers.vector.RecordEpisodeStatistics(CardsVector(NEXT))  # noqa: E731
    with pytest.raises(VectorEnvError, match=r"infos\['episode'\].*as before with the same seed"):
        check_vector_env(make, num_steps=40)
    assert "calls" in check_vector_env(make, num_steps=40, ignored_infos=["t"], in_place=True).passed


@every_mode
def test_the_honest_model_of_the_faults_passes_every_check(mode: AutoresetMode) -> None:
    summary = check_vector_env(
        lambda: CardsVector(mode),
        num_steps=40,
        copies=True,
        observed_masks=True,
        reference=Reference(Cards),
    )
    assert {*summary.skipped} <= {"reset_mask", "actions of reset steps"}


EDITS: dict[str, tuple[AutoresetMode, Any, str]] = {
    "final_obs is the next episode's": (SAME, faulty.final_is_next, "the first of the next to differ"),
    "no final_obs": (SAME, faulty.final_without_obs, r"environment \d: expected infos\['_final_obs'\] to be"),
    "final_obs of one missing": (
        SAME,
        info_changed("_final_obs", put(2, False)),
        "environment 2: .* be True",
    ),
    "final_obs where nothing ended": (SAME, info_changed("_final_obs", put(1, True)), "environment 1: .* no"),
    "no final_info": (SAME, info_changed("_final_info", put(2, False)), r"environment 2: .*_final_info"),
    "final_obs of another dtype": (SAME, faulty.final_of_other_dtype, r"final_obs.*found float64 of shape"),
    "observations reused": (NEXT, faulty.reused(0), r"environment \d: expected observation .* to stay"),
    "rewards reused": (SAME, faulty.reused(1), r"environment \d: expected reward .* to stay after later"),
    "terminations reused": (OFF, faulty.reused(2), r"expected terminated .* to stay after later calls"),
    "truncations reused": (OFF, faulty.reused(3), r"expected truncated .* to stay after later calls"),
    "infos reused": (SAME, faulty.info_reused, r"expected infos\['turn'\] .* to stay after later calls"),
    "rewards late": (SAME, faulty.rewards_late, "expected reward .* as before with the same seed"),
    "rewards late over a reset": (NEXT, faulty.rewards_late, "expected reward 0 and no end in the step that"),
    "masks late": (SAME, faulty.masks_late, "no error.* found ValueError: the third action needs"),
    "a mask of nothing": (SAME, info_changed("action_mask", put(1, 0)), "environment 1: .*a legal action"),
    "a mask of another dtype": (OFF, info_changed("action_mask", np.float64), "reset.*mask of 0 and 1"),
    "observations of another dtype": (SAME, changed(0, np.float64), "observation space, found float64"),
    "observations without a row": (SAME, changed(0, lambda obs: obs[1:]), r"shape \(3, 2\) instead of"),
    "an observation outside": (
        SAME,
        changed(0, put(2, 9999)),
        "step 1 after .* environment 2: .* outside it",
    ),
    "an observation not a number": (SAME, changed(0, put(0, np.nan)), "environment 0: .*one outside it"),
    "rewards of another dtype": (SAME, changed(1, np.float32), "found float32 of shape"),
    "rewards of another shape": (SAME, changed(1, lambda r: r[:, None]), r"found float64 of shape \(4, 1\)"),
    "a reward not a number": (SAME, changed(1, put(3, np.nan)), "environment 3: expected a number as reward"),
    "terminations in a list": (SAME, changed(2, list), "terminations .* found a list instead of an array"),
    "truncations in a list": (SAME, changed(3, list), "truncations .* found a list instead of an array"),
    "terminations as numbers": (SAME, changed(2, np.int64), "terminations .* found int64"),
    "an info without its mask": (SAME, info_changed("_turn", lambda _: None), r"mask infos\['_turn'\]"),
    "a mask of an info as numbers": (SAME, info_changed("_turn", np.int8), r"infos\['_turn'\].*int8"),
    "a mask of an info too short": (SAME, info_changed("_turn", lambda m: m[1:]), r"found bool of shape \(3"),
    "an info in a list": (SAME, info_changed("turn", list), "with 4 rows, found a list"),
    "an info without a row": (SAME, info_changed("turn", lambda t: t[1:]), r"4 rows, found shape \(3,\)"),
    "four parts of a step": (SAME, lambda env, call, parts: parts.pop(), r"expected a tuple of"),
}

CLASSES: dict[str, tuple[Callable[[], CardsVector], str]] = {
    "the seed is ignored": (lambda: faulty.SeedIgnored(SAME), "as before with the same seed and actions"),
    "every seed is one": (lambda: faulty.SeedFixed(SAME), "expected other seeds to give other episodes"),
    "rows are equal": (
        lambda: faulty.EqualRows(NEXT),
        "environment 1: .*other episodes than environment 0's",
    ),
    "resets are alike": (lambda: faulty.ResetsAlike(SAME), "resets without a seed to give other episodes"),
    "episodes are alike": (lambda: faulty.EpisodesAlike(SAME), "expected episodes that start differently"),
    "lists of seeds are not read": (lambda: faulty.FirstSeedForAll(SAME), "the episode of its own seed"),
    "reset_mask is ignored": (lambda: faulty.ResetMaskIgnored(OFF), "as it is not reset, found"),
    "reset_mask resets nothing": (
        lambda: faulty.ResetMaskResetsNothing(OFF),
        "the first of the next to differ",
    ),
    "reset_mask moves the others": (
        lambda: faulty.ResetMaskRestartsOthersSilently(OFF),
        "as if the others had not been reset",
    ),
    "the reset step acts": (lambda: faulty.ActsInResetStep(NEXT), "whatever the actions of steps that only"),
    "an end is kept over a reset": (lambda: faulty.ResetsAgain(NEXT), "as before with the same seed and"),
    "outputs are the state": (lambda: faulty.HandsOutItsObservations(OFF), "as it is not reset, found"),
    "metadata are shared": (lambda: faulty.SharedMetadata(SAME), "expected metadata of its own"),
    "copies are not independent": (lambda: faulty.SharedGenerators(SAME), "as in its deep copy"),
    "it closes once": (lambda: faulty.ClosesOnce(SAME), "close, the second time: .* RuntimeError: the pipe"),
    "next-step is same-step": (lambda: faulty.says(SAME, NEXT), "expected reward 0 and no end"),
    "same-step is next-step": (lambda: faulty.says(NEXT, SAME), r"infos\['_final_obs'\] to be True"),
    "the mode is a text": (lambda: faulty.says(SAME, "SameStep"), "expected an AutoresetMode"),
    "no mode": (
        lambda: faulty.nothing_said(SAME),
        "expected an AutoresetMode as 'autoreset_mode', found None",
    ),
    "the spaces do not fit": (lambda: faulty.wrong_space(SAME), "expected single_action_space batched"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_fault_in_what_calls_return_is_found(name: str) -> None:
    mode, edit, message = EDITS[name]
    with pytest.raises(VectorEnvError, match=message):
        check_vector_env(lambda: Edited(mode, edit), num_steps=40)


@pytest.mark.parametrize("name", CLASSES)
def test_a_fault_in_what_calls_do_is_found(name: str) -> None:
    make, message = CLASSES[name]
    with pytest.raises(VectorEnvError, match=message):
        check_vector_env(make, num_steps=40, copies="copies" in name)


def test_a_mask_of_the_hand_before_is_found_where_the_observation_decides_it() -> None:
    with pytest.raises(VectorEnvError, match="that its observation had before"):
        check_vector_env(
            lambda: Edited(SAME, faulty.mask_of_the_hand_before), num_steps=40, observed_masks=True
        )


def test_masks_are_those_of_the_method() -> None:
    class Late(Edited, faulty.MasksWithMethod):
        pass

    with pytest.raises(VectorEnvError, match=r"expected the mask .* of action_masks\(\)"):
        check_vector_env(lambda: Late(SAME, faulty.mask_of_the_hand_before), num_steps=40)
    assert check_vector_env(lambda: faulty.MasksWithMethod(SAME), num_steps=40)


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        (faulty.rewards_late_since_reset, "reward"),
        (faulty.final_is_earlier, r"infos\['final_obs'\]"),
        (faulty.mask_of_the_hand_before, r"infos\['action_mask'\]"),
    ],
)
def test_a_reference_finds_wrong_values_of_the_right_form(edit: Any, name: str) -> None:
    check_vector_env(lambda: Edited(SAME, edit), num_steps=40)
    with pytest.raises(VectorEnvError, match=f"expected {name} .* as in the reference, found"):
        check_vector_env(lambda: Edited(SAME, edit), num_steps=40, reference=Reference(Cards))
