"""A vector environment beside scalar ones that must say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import gymnasium
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from pan9_gym.envs.vector_checker_rules import Outcome, difference, fault
from pan9_gym.envs.vector_checker_watch import Choice, WatchedEnv

Resets = Callable[[int, int, int], tuple[dict[str, Any], Sequence[dict[str, Any]]]]


@dataclass(frozen=True)
class Reference:
    """A scalar environment that every sub-environment must follow, result by result.

    Infos are compared where both have a key.

    Attributes:
        make: Returns a new scalar environment.
        resets: Called with the round (0, 1, ...), a seed and `num_envs`; returns the arguments `seed` and
            `options` of the vector environment's reset, and those of each scalar environment's, as dicts,
            which give both the same randomness. `None` for seeds as `SyncVectorEnv` has them: `seed` for
            all, and `seed + i` for scalar environment i.
        goes_on: Whether later episodes agree too, the scalar environment being reset without arguments.
            If not, a round ends with the first episode of each environment.
    """

    make: Callable[[], gymnasium.Env[Any, Any]]
    resets: Resets | None = None
    goes_on: bool = True


class _Scalar:
    """One scalar environment; it says what its row must be, or `None` where it cannot know."""

    def __init__(self, reference: Reference, mode: AutoresetMode) -> None:
        self.env = reference.make()
        self.goes_on = reference.goes_on
        self.mode = mode
        self.live = False

    def begin(self, **arguments: Any) -> Outcome:
        self.live = True
        obs, info = self.env.reset(**arguments)
        return Outcome(self._row(obs), None, None, None, info)

    def step(self, action: Any, over: bool, shown: Outcome) -> Outcome | None:
        """What the step must say; `shown` stands in for the next episode's beginning if that is not known."""
        if not self.live:
            return None
        if over:
            obs, _, _, _, info = self.begin()
            return Outcome(obs, 0.0, False, False, info)
        obs, reward, terminated, truncated, info = self.env.step(action)
        result = Outcome(self._row(obs), float(reward), terminated, truncated, info)
        if not (terminated or truncated):
            return result
        self.live = self.goes_on
        if self.mode is not AutoresetMode.SAME_STEP:
            return result
        start = self.begin() if self.live else shown._replace(infos={})
        ends = {"final_obs": result.observation, "final_info": info}
        return result._replace(observation=start.observation, infos={**start.infos, **ends})

    def _row(self, obs: Any) -> Any:
        """The observation as a row of a batch, which has its space's dtype."""
        space = self.env.observation_space
        batch = concatenate(space, [obs], cast(Any, create_empty_array(space, n=1)))
        return next(iter(iterate(batch_space(space, 1), batch)))


def follow_reference(env: WatchedEnv, reference: Reference, choice: Choice, num_steps: int) -> None:
    """Play rounds beside the scalar environments until so many steps are made.

    Raises:
        VectorEnvError: At the first difference.
    """
    scalars = [_Scalar(reference, env.mode) for _ in range(env.num_envs)]
    resets = reference.resets or _by_seed
    made = number = 0
    try:
        while made < num_steps:
            whole, each = resets(number, choice.seed, env.num_envs)
            rows = env.reset(**whole)
            _check(env, [one.begin(**given) for one, given in zip(scalars, each, strict=True)], rows)
            made += _play_round(env, scalars, choice._replace(seed=choice.seed + number), num_steps - made)
            number += 1
    finally:
        for scalar in scalars:
            scalar.env.close()


def _by_seed(number: int, seed: int, num_envs: int) -> tuple[dict[str, Any], Sequence[dict[str, Any]]]:
    first = seed + number * num_envs
    return {"seed": first}, [{"seed": first + i} for i in range(num_envs)]


def _play_round(env: WatchedEnv, scalars: Sequence[_Scalar], choice: Choice, num_steps: int) -> int:
    """Steps until nothing can be compared any more, at most so many; returns how many were made."""
    for made in range(1, num_steps + 1):
        actions, over = env.sample(choice), env.over.copy()
        rows = env.act(actions)
        parts = zip(scalars, actions, over, rows, strict=True)
        _check(env, [one.step(action, ended, row) for one, action, ended, row in parts], rows)
        if not any(one.live for one in scalars):
            return made
        if env.mode is AutoresetMode.DISABLED and env.over.any():
            ended = env.over.copy()
            rows = env.reset(mask=ended)
            begun = [
                one.begin() if was and one.live else None for one, was in zip(scalars, ended, strict=True)
            ]
            _check(env, begun, rows)
    return num_steps


def _check(env: WatchedEnv, wanted: Sequence[Outcome | None], rows: Sequence[Outcome]) -> None:
    for number, (theirs, row) in enumerate(zip(wanted, rows, strict=True)):
        if theirs is None:
            continue
        mine = row._replace(infos=_shared(row.infos, theirs.infos))
        unlike = difference(theirs._replace(infos=_shared(theirs.infos, row.infos)), mine)
        if unlike:
            name, expected, found = unlike
            raise fault(env.call, f"{name} {expected} as in the reference", found, number)


def _shared(infos: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """The infos that both have."""
    shared = {}
    for key in infos.keys() & others.keys():
        value, other = infos[key], others[key]
        nested = isinstance(value, Mapping) and isinstance(other, Mapping)
        shared[key] = _shared(value, other) if nested else value
    return shared
