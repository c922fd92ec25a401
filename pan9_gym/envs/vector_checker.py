"""`check_vector_env`: whether a vector environment, anybody's, does what Gymnasium promises.

Gymnasium has `check_env` for one environment; this is its counterpart for `gymnasium.vector.VectorEnv`. The
checks are in `vector_checker_checks`; `vector_checker_watch` looks at every call they make, by the rules of
`vector_checker_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv

from pan9_gym.envs.vector_checker_checks import CHECKS, Case, closed_afterwards
from pan9_gym.envs.vector_checker_reference import Reference
from pan9_gym.envs.vector_checker_rules import AnyVectorEnv, Settings, VectorEnvError
from pan9_gym.envs.vector_checker_watch import WatchedEnv

__all__ = ["CheckSummary", "Reference", "VectorEnvError", "check_vector_env"]


@dataclass(frozen=True)
class CheckSummary:
    """What was checked.

    Attributes:
        passed: The checks that were made.
        skipped: The checks that were not, or not wholly, made, and why.
    """

    passed: tuple[str, ...]
    skipped: Mapping[str, str]


def check_vector_env(
    env: AnyVectorEnv | Callable[[], AnyVectorEnv],
    *,
    seed: int = 1,
    num_steps: int = 300,
    random: bool = True,
    in_place: bool = False,
    observed_masks: bool = False,
    copies: bool = False,
    reward_dtype: npt.DTypeLike = np.float64,
    ignored_infos: Collection[str] = (),
    reference: Reference | None = None,
) -> CheckSummary:
    """Play a vector environment, in whichever autoreset mode it says it has, and refuse its first fault.

    Checked of every call:

    - observations and `final_obs` are of their spaces, dtype included; rewards are of `reward_dtype`,
      terminations and truncations bool, each an array of shape (num_envs,);
    - infos are arrays with num_envs rows, or dicts of such, each `key` with its mask `_key`, bool, shape
      (num_envs,);
    - `infos["action_mask"]`, if there is one, is int8, shape (num_envs, n) for `Discrete` actions, has a
      legal action wherever one is awaited, and is what the method `action_masks()` says, if there is one;
    - legal actions raise no error;
    - same-step autoreset: `final_obs` and `final_info` where, and only where, an episode ended; next-step:
      the step that resets pays nothing and ends nothing; disabled: `reset_mask` leaves the observations of
      the others.

    Checked by playing again:

    - outputs stay as they are after later calls, and writing into them changes nothing;
    - one seed gives the same results again, and on another instance; with `copies` a deep copy goes on alike;
    - other seeds, and resets without a seed, give other episodes; so do environments of one batch and, if
      starts vary, episodes of one environment, of which the last observation is not the next one's first;
    - next-step autoreset: actions of steps that reset change nothing;
    - in a list of seeds, if lists are taken, each environment has its own seed and depends on no other. If
      so, `reset_mask` must give the masked what a reset of all gives them, and the others no difference;
    - instances do not share the dict of their metadata; `close()` may be called twice.

    Actions are sampled, by the action mask if there is one. Episodes may have any length, rewards any
    distribution. An honest environment fails a check of randomness with probability below 1e-9 if two of its
    episodes agree with probability 1/2 at most, at their start or within 50 steps (or num_steps). Every
    environment is looked at in Python: a few environments show as much as many.

    Args:
        env: A callable that returns a new vector environment, always alike; its instances are closed. Or a
            vector environment, which is played and not closed; checks that need others are skipped.
        seed: Decides all seeds and actions of the check.
        num_steps: Steps of a run. Episodes that follow others are compared if enough of them end.
        random: Whether episodes differ; `False` skips the checks of randomness.
        in_place: Whether outputs may be overwritten by later calls.
        observed_masks: Whether the observation decides the action mask; then one observation with two masks
            is a fault, which finds masks of another episode.
        copies: Whether `copy.deepcopy` of the environment must give an independent one. Not for environments
            with processes or files: a copy may close theirs.
        reward_dtype: Of the rewards.
        ignored_infos: Keys that may differ between equal runs, such as a clock's. They are not compared.
        reference: A scalar environment to compare every result with. It alone can tell a wrong value that
            is of the right form, such as rewards that come a step late within an episode.

    Returns:
        Which checks passed and which were skipped, and why.

    Raises:
        VectorEnvError: At the first fault, naming the call, the environment and what was expected.
    """
    settings = Settings(in_place, observed_masks, copies, np.dtype(reward_dtype), frozenset(ignored_infos))
    make = None if isinstance(env, VectorEnv) or not callable(env) else env
    played: Any = env if make is None else make()
    with nullcontext() if make is None else closed_afterwards(played):
        case = Case(WatchedEnv(played, settings), make, seed, num_steps, random, reference)
        found = {name: check(case) for name, check in CHECKS.items()}
    passed = tuple(name for name, reason in found.items() if reason is None)
    return CheckSummary(passed, {name: reason for name, reason in found.items() if reason is not None})
