"""The checks of `check_vector_env`: a vector environment is played again and again, and the runs compared.

A check returns why it was skipped, or `None`; it raises at the first fault.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from pan9_gym.envs.vector_checker_reference import Reference, follow_reference
from pan9_gym.envs.vector_checker_rules import (
    AnyVectorEnv,
    Flags,
    Outcome,
    VectorEnvError,
    difference,
    fault,
    fingerprint,
)
from pan9_gym.envs.vector_checker_watch import Change, Choice, WatchedEnv

SHORT = 50
"""Steps of a trial that looks for differences between episodes that start alike."""

CERTAIN = 31
"""Coincidences, each of probability 1/2 at most, of which all together have probability below 1e-9."""

Calls = list[tuple[str, list[Outcome]]]


@dataclass
class Case:
    """One run of the checker."""

    env: WatchedEnv
    make: Callable[[], AnyVectorEnv] | None
    seed: int
    num_steps: int
    random: bool
    reference: Reference | None
    first: Calls = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    starts_vary: bool = False
    independent: bool = False

    @property
    def choice(self) -> Choice:
        """The actions of every run that is compared."""
        return Choice(self.seed)

    @property
    def enough(self) -> int:
        """Coincidences to be certain, for all pairs of environments together."""
        return CERTAIN + 2 * math.ceil(math.log2(self.env.num_envs + 1))

    def other_seeds(self, number: int) -> list[int]:
        """Seeds whose `seed + i` are all different."""
        return [self.seed + k * (self.env.num_envs + 1) for k in range(1, number + 1)]

    def run(self, env: WatchedEnv, num_steps: int, choice: Choice | None = None, **reset: Any) -> Calls:
        """A reset and steps, with everything they said."""
        rows = env.reset(**reset)
        return [(env.call, rows), *_play(env, choice or self.choice, num_steps)]

    @contextmanager
    def fresh(self) -> Iterator[WatchedEnv]:
        """Another instance, closed in the end."""
        assert self.make is not None
        with closed_afterwards(self.make()) as env:
            yield WatchedEnv(env, self.env.settings)


@contextmanager
def closed_afterwards(env: AnyVectorEnv) -> Iterator[AnyVectorEnv]:
    """Close the environment; after a fault it need not close well."""
    try:
        yield env
    except BaseException:
        with suppress(Exception):
            env.close()
        raise
    env.close()


def _play(env: WatchedEnv, choice: Choice, num_steps: int) -> Calls:
    """Steps, and where there is no autoreset a reset of what is over."""
    calls: Calls = []
    for _ in range(num_steps):
        calls += _step(env, choice)
        if env.mode is AutoresetMode.DISABLED and env.over.any():
            rows = env.reset(mask=env.over.copy())
            calls.append((env.call, rows))
    return calls


def _step(env: WatchedEnv, choice: Choice) -> Calls:
    rows = env.step(choice)
    return [(env.call, rows)]


def _compare(
    wanted: Calls, found: Calls, why: str, numbers: Sequence[int] | None = None, first: int = 0
) -> None:
    """Refuse the first difference of two runs from a call on, in all environments or these."""
    for (_, rows), (call, others) in zip(wanted[first:], found[first:], strict=True):
        for number in range(len(rows)) if numbers is None else numbers:
            unlike = difference(rows[number], others[number])
            if unlike:
                name, mine, theirs = unlike
                raise fault(call, f"{name} {mine} {why}", theirs, number)


def _check_calls(case: Case) -> str | None:
    case.env.keeps = True
    case.first = case.run(case.env, case.num_steps, seed=case.seed)
    case.env.keeps = False
    case.changes = [*case.env.changes]
    return None


def _check_again(case: Case) -> str | None:
    for _ in range(case.num_steps):  # the reset comes, if it can, while an environment waits for one
        if case.env.mode is AutoresetMode.SAME_STEP or case.env.over.any():
            break
        case.env.step(case.choice)
    again = case.run(case.env, case.num_steps, seed=case.seed)
    _compare(case.first, again, "as before with the same seed and actions")
    return None


def _check_fresh(case: Case) -> str | None:
    if case.make is None:
        return "needs a callable"
    with case.fresh() as env:
        again = case.run(env, case.num_steps, seed=case.seed)
    _compare(case.first, again, "as in another instance with the same seed and actions")
    return None


def _check_idle(case: Case) -> str | None:
    if case.env.mode is not AutoresetMode.NEXT_STEP:
        return "only with next-step autoreset"
    again = case.run(case.env, case.num_steps, Choice(case.seed, idle=1), seed=case.seed)
    _compare(case.first, again, "whatever the actions of steps that only reset")
    return None


def _check_spoilt(case: Case) -> str | None:
    if case.env.settings.in_place:
        return "outputs may be the environment's own"
    case.env.spoils = True
    again = case.run(case.env, case.num_steps, seed=case.seed)
    case.env.spoils = False
    _compare(case.first, again, "although the caller had written into earlier outputs")
    return None


def _check_seeds(case: Case) -> str | None:
    if not case.random:
        return "random=False"
    seeds = case.other_seeds(case.enough)
    _check_varied(case, [{"seed": seed} for seed in seeds], "other seeds")
    resets = [[fingerprint(row.observation) for row in case.env.reset(seed=seed)] for seed in seeds]
    case.starts_vary = all(len({*row}) > 1 for row in zip(*resets, strict=True))
    return None


def _check_unseeded(case: Case) -> str | None:
    if not case.random:
        return "random=False"
    case.env.reset(seed=case.seed)
    _check_varied(case, [{}] * case.enough, "resets without a seed")
    return None


def _check_varied(case: Case, resets: Sequence[dict[str, Any]], what: str) -> None:
    """Refuse environments with the same episode in all trials, or always that of another environment."""
    for steps in (0, min(case.num_steps, SHORT)):
        rows: list[tuple[Hashable, ...]] = [()] * case.env.num_envs
        for reset in resets:
            trial = case.run(case.env, steps, Choice(case.seed, alike=True), **reset)
            rows = [(*row, story) for row, story in zip(rows, _stories(trial), strict=True)]
            constant = next((i for i, row in enumerate(rows) if len({*row}) == 1), None)
            twin = next((i for i, row in enumerate(rows) if row in rows[:i]), None)
            if constant is None and twin is None:
                return
    call = case.env.call
    if constant is not None:
        raise fault(call, f"{what} to give other episodes", f"one episode, {len(resets)} times", constant)
    assert twin is not None
    other = rows.index(rows[twin])
    raise fault(call, f"other episodes than environment {other}'s", f"its own, {len(resets)} times", twin)


def _stories(calls: Calls) -> list[Any]:
    """For each environment what its reset and steps said; resets of others are left out."""
    kept = [rows for number, (_, rows) in enumerate(calls) if number == 0 or rows[0].reward is not None]
    return [fingerprint(row) for row in zip(*kept, strict=True)]


def _check_changes(case: Case) -> str | None:
    if not case.random:
        return "random=False"
    if not case.starts_vary:
        return "episodes start alike, whatever the seed"
    rows = [[c for c in case.changes if c.number == number] for number in range(case.env.num_envs)]
    if len(case.changes) - case.env.num_envs < case.enough:
        return f"only {len(case.changes)} episodes of {case.num_steps} steps were followed by others"
    call = f"{case.num_steps} steps"
    for group in (case.changes, *rows):
        if len(group) >= case.enough and all(change.last == change.first for change in group):
            expected = "the last observation of an episode and the first of the next to differ"
            raise fault(call, expected, f"the same {len(group)} times", group[0].number)
    alike = [len({change.first for change in row}) <= 1 for row in rows]
    for number, row in enumerate(rows):
        if all(alike) or (alike[number] and len(row) > case.enough):
            raise fault(call, "episodes that start differently", f"{len(row)} alike", number)
    return None


def _check_seed_lists(case: Case) -> str | None:
    env, count = case.env, case.env.num_envs
    seeds = case.other_seeds(count)
    steps = 1 if env.mode is AutoresetMode.DISABLED else min(case.num_steps, 5)  # no reset by mask yet
    try:
        env.reset(seed=seeds)
    except VectorEnvError as error:
        if error.__cause__ is None:
            raise
        return f"a list is refused: {error.__cause__}"
    first = case.run(env, steps, seed=seeds)
    others = case.other_seeds(2 * count)[count:]
    lists: list[list[int | None]] = [
        [seeds[i] if i == kept else others[i] for i in range(count)] for kept in range(min(count, 8))
    ]
    lists += [[seeds[i] if i % 2 == kept else None for i in range(count)] for kept in (0, 1)]
    wanted = _stories(first)
    for mixed in lists:
        found = _stories(case.run(env, steps, seed=mixed))
        for number in range(count):
            if mixed[number] == seeds[number] and found[number] != wanted[number]:
                expected = f"the episode of its own seed {seeds[number]}"
                raise fault(f"reset(seed={mixed})", expected, "another", number)
    case.independent = True
    if case.random:
        drawn = np.reshape(case.other_seeds(case.enough * count), (case.enough, count)).tolist()
        _check_varied(case, [{"seed": row} for row in drawn], "other seeds in a list")
    return None


def _check_reset_mask(case: Case) -> str | None:
    if case.env.mode is not AutoresetMode.DISABLED:
        return "only without autoreset"
    singles = np.eye(case.env.num_envs, dtype=np.bool_)
    for mask in (*singles[:4], *~singles[:4], singles[::2].any(axis=0)):
        if mask.any():
            _check_one_mask(case, mask)
    return None if case.independent else "in part: without seed lists environments may share randomness"


def _check_one_mask(case: Case, mask: Flags) -> None:
    """The masked go on as after a reset of all with the seed, the others as if there were no reset."""
    env, seed = case.env, case.other_seeds(1)[0]
    alone = [*case.run(env, 0, seed=case.seed), *_step(env, case.choice)]
    reset = [*case.run(env, 0, seed=seed), *_step(env, case.choice)]
    env.reset(seed=case.seed)
    mixed = [*case.run(env, 0, seed=seed, mask=mask), *_step(env, case.choice)]
    if case.independent:
        _compare(reset, mixed, "as after a reset of all with this seed", np.flatnonzero(mask).tolist())
        _compare(alone, mixed, "as if the others had not been reset", np.flatnonzero(~mask).tolist(), first=1)


def _check_copies(case: Case) -> str | None:
    if not case.env.settings.copies:
        return "copies=False"
    case.run(case.env, 3, seed=case.seed)
    twin = copy.deepcopy(case.env)
    copied = _play(twin, case.choice, case.num_steps)
    _compare(copied, _play(case.env, case.choice, case.num_steps), "as in its deep copy, played before")
    return None


def _check_metadata(case: Case) -> str | None:
    """An instance's mode must not be written where others read theirs."""
    if case.make is None:
        return "needs a callable"
    metadata, mode = case.env.env.metadata, case.env.mode
    other = next(one for one in AutoresetMode if one is not mode)
    try:
        metadata["autoreset_mode"] = other
        case.make().close()
        if metadata["autoreset_mode"] is not other:
            raise fault("making another instance", "metadata of its own", "a change of the first one's")
    finally:
        metadata["autoreset_mode"] = mode
    return None


def _check_close(case: Case) -> str | None:
    if case.make is None:
        return "needs a callable"
    env = case.make()
    env.reset(seed=case.seed)
    for call in ("close", "close, the second time"):
        try:
            env.close()
        except Exception as error:
            raise fault(call, "no error", f"{type(error).__name__}: {error}") from error
        if not env.closed:
            raise fault(call, "the attribute closed to be True", "False")
    return None


def _check_reference(case: Case) -> str | None:
    if case.reference is None:
        return "no reference is given"
    follow_reference(case.env, case.reference, case.choice, case.num_steps)
    return None


CHECKS: dict[str, Callable[[Case], str | None]] = {
    "calls": _check_calls,
    "the same seed again": _check_again,
    "the same seed in another instance": _check_fresh,
    "actions of reset steps": _check_idle,
    "outputs overwritten by the caller": _check_spoilt,
    "other seeds": _check_seeds,
    "resets without a seed": _check_unseeded,
    "one episode after another": _check_changes,
    "lists of seeds": _check_seed_lists,
    "reset_mask": _check_reset_mask,
    "deep copies": _check_copies,
    "metadata": _check_metadata,
    "close": _check_close,
    "reference": _check_reference,
}
