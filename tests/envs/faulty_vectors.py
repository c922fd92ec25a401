"""A small honest vector environment, and the same with one fault each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

BIG = 5
"""From this card on the third action is legal."""

Result = tuple[Any, ...]


class Cards(gymnasium.Env[Any, Any]):
    """A card of 0 to 9 a turn; an action takes 0, 1 or, of a big card, 2 times its value, with noise."""

    observation_space = spaces.Box(-1, 1000, (2,), np.float32)
    action_space = spaces.Discrete(3)

    def __init__(self) -> None:
        self.card = self.turn = 0

    def look(self) -> tuple[Any, dict[str, Any]]:
        mask = np.array([1, 1, self.card >= BIG], dtype=np.int8)
        return np.array([self.card, self.turn], dtype=np.float32), {"action_mask": mask, "turn": self.turn}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self.card, self.turn = int(self.np_random.integers(10)), 0
        return self.look()

    def step(self, action: Any) -> Result:
        if action == 2 and self.card < BIG:
            raise ValueError("the third action needs a big card")
        reward = self.card * int(action) + float(self.np_random.normal())
        self.card, self.turn = int(self.np_random.integers(10)), self.turn + 1
        obs, info = self.look()
        terminated = bool(self.np_random.random() < 0.4)
        return obs, reward, terminated, not terminated and self.turn == 5, info


class CardsVector(VectorEnv[Any, Any, Any]):
    """Many `Cards`, environment i seeded with `seed + i`, in every autoreset mode; honest."""

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # type: ignore[misc]

    def __init__(self, mode: AutoresetMode, num_envs: int = 4) -> None:
        self.mode = mode
        self.metadata = {"autoreset_mode": mode}  # type: ignore[misc]
        self.num_envs = num_envs
        self.envs = [Cards() for _ in range(num_envs)]
        self.single_observation_space = Cards.observation_space
        self.single_action_space = Cards.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.over = np.zeros(num_envs, dtype=bool)
        self.obs = np.zeros((num_envs, 2), dtype=np.float32)

    def seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        return [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed

    def begin(self, number: int, seed: int | None = None) -> dict[str, Any]:
        self.obs[number], info = self.envs[number].reset(seed=seed)
        return info

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        infos: dict[str, Any] = {}
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool))
        for number, own in enumerate(self.seeds(seed)):
            if mask[number]:
                infos = self._add_info(infos, self.begin(number, own), number)
        self.over = self.over & ~mask
        return self.obs.copy(), infos

    def step(self, actions: Any) -> Result:
        rewards, ended = np.zeros(self.num_envs), np.zeros((2, self.num_envs), dtype=bool)
        infos: dict[str, Any] = {}
        for number, env in enumerate(self.envs):
            if self.over[number]:
                assert self.mode is AutoresetMode.NEXT_STEP
                info = self.begin(number)
            else:
                self.obs[number], rewards[number], *ended[:, number], info = env.step(actions[number])
                if ended[:, number].any() and self.mode is AutoresetMode.SAME_STEP:
                    final = {"final_obs": self.obs[number].copy(), "final_info": info}
                    infos = self._add_info(infos, final, number)
                    info = self.begin(number)
            infos = self._add_info(infos, info, number)
        if self.mode is not AutoresetMode.SAME_STEP:
            self.over = ended.any(axis=0)
        return self.obs.copy(), rewards, ended[0].copy(), ended[1].copy(), infos


class Edited(CardsVector):
    """What calls return, changed by `edit`, which gets the environment, the call's name and its result."""

    def __init__(self, mode: AutoresetMode, edit: Callable[[CardsVector, str, list[Any]], None]) -> None:
        super().__init__(mode)
        self.edit = edit
        self.before: Any = None

    def reset(self, **arguments: Any) -> Result:
        return self.edited("reset", super().reset(**arguments))

    def step(self, actions: Any) -> Result:
        return self.edited("step", super().step(actions))

    def edited(self, call: str, result: Result) -> Result:
        parts = [*result]
        self.edit(self, call, parts)
        return tuple(parts)


class SeedIgnored(CardsVector):
    def seeds(self, seed: Any) -> list[int | None]:
        return [None] * self.num_envs


class SeedFixed(CardsVector):
    def seeds(self, seed: Any) -> list[int | None]:
        return super().seeds(seed if seed is None else 77)


class EqualRows(CardsVector):
    def seeds(self, seed: Any) -> list[int | None]:
        return [seed] * self.num_envs if isinstance(seed, int) else super().seeds(seed)


class ResetsAlike(CardsVector):
    """A reset without a seed begins the episode of the last seed again."""

    last = 0

    def seeds(self, seed: Any) -> list[int | None]:
        self.last = self.last if seed is None else seed
        return super().seeds(self.last)


class EpisodesAlike(CardsVector):
    def begin(self, number: int, seed: int | None = None) -> dict[str, Any]:
        if seed is None:
            state = self.envs[number].np_random.bit_generator.state
            info = super().begin(number, 5 + number)
            self.envs[number].np_random.bit_generator.state = state
            return info
        return super().begin(number, seed)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        if seed is None:
            seed = [int(env.np_random.integers(2**30)) for env in self.envs]
        return super().reset(seed=seed, options=options)


class FirstSeedForAll(CardsVector):
    """Of a list of seeds only the first is read."""

    def seeds(self, seed: Any) -> list[int | None]:
        if isinstance(seed, list):
            seed = next(one for one in seed if one is not None)
        return super().seeds(seed)


class ResetMaskIgnored(CardsVector):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        return super().reset(seed=seed)


class ResetMaskRestartsOthersSilently(CardsVector):
    """The others show what they showed and have drawn another card."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        for number in np.flatnonzero(~(options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool))):
            self.envs[number].np_random.random()
        return super().reset(seed=seed, options=options)


class ResetMaskResetsNothing(CardsVector):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        if options is None:
            return super().reset(seed=seed)
        self.over[:] = False
        infos: dict[str, Any] = {}
        for number in np.flatnonzero(options["reset_mask"]):
            infos = self._add_info(infos, self.envs[number].look()[1], int(number))
        return self.obs.copy(), infos


class ActsInResetStep(CardsVector):
    """The action of the step that resets is played as an extra draw of a card."""

    def step(self, actions: Any) -> Result:
        over = self.over.copy()
        for number in np.flatnonzero(over & (actions == 0)):
            self.envs[number].np_random.random()
        return super().step(actions)


class ResetsAgain(CardsVector):
    """An episode that ended before a reset is followed by another reset, in the first step."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        over = self.over.copy()
        result = super().reset(seed=seed, options=options)
        self.over = over
        return result


class SharedMetadata(CardsVector):
    """The mode is written into the dict of the class."""

    metadata: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]

    def __init__(self, mode: AutoresetMode) -> None:
        super().__init__(mode)
        del self.metadata
        self.metadata["autoreset_mode"] = mode


class SharedGenerators(CardsVector):
    """A deep copy draws from the generators of the original."""

    def __deepcopy__(self, memo: dict[int, Any]) -> SharedGenerators:
        twin = type(self)(self.mode)
        twin.obs, twin.over = self.obs.copy(), self.over.copy()
        for env, own in zip(self.envs, twin.envs, strict=True):
            own.card, own.turn, own.np_random = env.card, env.turn, env.np_random
        return twin


class ClosesOnce(CardsVector):
    def close(self, **kwargs: Any) -> None:
        if self.closed:
            raise RuntimeError("the pipe is closed")
        super().close(**kwargs)


class MasksWithMethod(CardsVector):
    def action_masks(self) -> Any:
        return np.array([env.look()[1]["action_mask"] for env in self.envs])


class HandsOutItsObservations(CardsVector):
    """Each call has an array of its own, which the next one reads first."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Result:  # type: ignore[override]
        self.obs = self.obs.copy()
        _, infos = super().reset(seed=seed, options=options)
        return self.obs, infos

    def step(self, actions: Any) -> Result:
        self.obs = self.obs.copy()
        return self.obs, *super().step(actions)[1:]


def says(actual: AutoresetMode, said: Any) -> CardsVector:
    """An environment whose metadata name another mode than it has."""
    env = CardsVector(actual)
    env.metadata["autoreset_mode"] = said
    return env


def nothing_said(mode: AutoresetMode) -> CardsVector:
    env = CardsVector(mode)
    env.metadata.clear()
    return env


def wrong_space(mode: AutoresetMode) -> CardsVector:
    env = CardsVector(mode)
    env.action_space = batch_space(env.single_action_space, env.num_envs - 1)
    return env


def changed(part: int, change: Callable[[Any], Any]) -> Callable[[CardsVector, str, list[Any]], None]:
    """An edit of one part of what steps return."""

    def edit(env: CardsVector, call: str, parts: list[Any]) -> None:
        if call == "step":
            parts[part] = change(parts[part])

    return edit


def info_changed(key: str, change: Callable[[Any], Any]) -> Callable[[CardsVector, str, list[Any]], None]:
    """An edit of one info, where it is given; `None` takes it away."""

    def edit(env: CardsVector, call: str, parts: list[Any]) -> None:
        infos = parts[-1]
        if key in infos:
            infos[key] = change(infos[key])
            if infos[key] is None:
                del infos[key]

    return edit


def put(number: int, value: Any) -> Callable[[Any], Any]:
    """A change of one row."""

    def change(array: Any) -> Any:
        array = array.copy()
        array[number] = value
        return array

    return change


def reused(part: int) -> Callable[[Edited, str, list[Any]], None]:
    """One part of what steps return is always the same array."""

    def edit(env: Edited, call: str, parts: list[Any]) -> None:
        if call == "step":
            env.before = parts[part].copy() if env.before is None else env.before
            env.before[...] = parts[part]
            parts[part] = env.before

    return edit


def info_reused(env: Edited, call: str, parts: list[Any]) -> None:
    env.before = parts[-1]["turn"].copy() if env.before is None else env.before
    env.before[...] = parts[-1]["turn"]
    parts[-1]["turn"] = env.before


def final_is_next(env: Edited, call: str, parts: list[Any]) -> None:
    for number in np.flatnonzero(parts[-1].get("_final_obs", [])):
        parts[-1]["final_obs"][number] = parts[0][number].copy()


def final_is_earlier(env: Edited, call: str, parts: list[Any]) -> None:
    for number in np.flatnonzero(parts[-1].get("_final_obs", [])):
        parts[-1]["final_obs"][number] = env.before[number].copy()
    env.before = parts[0].copy()


def final_without_obs(env: Edited, call: str, parts: list[Any]) -> None:
    parts[-1].pop("final_obs", None)
    parts[-1].pop("_final_obs", None)


def final_of_other_dtype(env: Edited, call: str, parts: list[Any]) -> None:
    for number in np.flatnonzero(parts[-1].get("_final_obs", [])):
        parts[-1]["final_obs"][number] = parts[-1]["final_obs"][number].astype(np.float64)


def rewards_late(env: Edited, call: str, parts: list[Any]) -> None:
    if call == "step":
        late = np.zeros(env.num_envs) if env.before is None else env.before
        env.before, parts[1] = parts[1], late


def rewards_late_since_reset(env: Edited, call: str, parts: list[Any]) -> None:
    env.before = None if call == "reset" else env.before
    rewards_late(env, call, parts)


def masks_late(env: Edited, call: str, parts: list[Any]) -> None:
    mask = parts[-1]["action_mask"].copy()
    if call == "step":
        parts[-1]["action_mask"] = env.before
    env.before = mask


def mask_of_the_hand_before(env: Edited, call: str, parts: list[Any]) -> None:
    """Legal, but not all that is legal: at the start of a hand only what the last one allowed too."""
    infos = parts[-1]
    for number in np.flatnonzero(infos.get("_final_info", [])):
        infos["action_mask"][number] &= infos["final_info"]["action_mask"][number]
