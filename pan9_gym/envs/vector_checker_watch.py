"""A vector environment under watch: every call is checked while it is played."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from pan9_gym.envs.vector_checker_rules import (
    AnyVectorEnv,
    Flags,
    Outcome,
    Settings,
    check_attributes,
    check_infos,
    copied,
    difference,
    fault,
    fingerprint,
    is_mask,
    misfit,
    spoil,
    wrong_array,
)


class Choice(NamedTuple):
    """Which actions are sampled: the same choice in the same state gives the same actions.

    `alike` gives every environment the same random numbers, `idle` other ones to steps that only reset.
    """

    seed: int
    alike: bool = False
    idle: int = 0


class Change(NamedTuple):
    """One episode of an environment followed by another: the last and the first observation."""

    number: int
    last: Hashable
    first: Hashable


class WatchedEnv:
    """A vector environment of which every call is checked.

    Args:
        env: The environment.
        settings: What is known about it.

    Attributes:
        over: The environments whose next step, or a reset by mask, begins an episode.
        call: The call that is made, for messages.
        changes: The episodes that followed others, where they are collected.
        keeps: Whether outputs are looked at again after the next calls.
        spoils: Whether outputs are overwritten, as a caller may.
    """

    def __init__(self, env: AnyVectorEnv, settings: Settings) -> None:
        check_attributes(env)
        self.env = env
        self.settings = settings
        self.num_envs = env.num_envs
        self.mode: AutoresetMode = env.metadata["autoreset_mode"]
        self.over: Flags = np.zeros(self.num_envs, dtype=np.bool_)
        self.changes: list[Change] = []
        self.keeps = self.spoils = False
        self.call = "reset"
        self._since, self._steps = "reset", 0
        self._masks: list[Any] = [None] * self.num_envs
        self._last: list[Any] = [None] * self.num_envs
        self._kept: deque[tuple[str, Sequence[Any], list[Outcome]]] = deque(maxlen=2)
        self._mask_of: dict[Hashable, Any] = {}
        self._action_space = copy.deepcopy(env.single_action_space)

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        mask: Flags | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> list[Outcome]:
        """Reset all environments or those of the mask; rows of the others hold what they showed before."""
        given = dict(options or {}) if mask is None else {**(options or {}), "reset_mask": mask.copy()}
        about = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask
        shown = "" if seed is None else f"seed={seed}"
        self.call = f"reset({shown})" if mask is None else f"reset({shown}, reset_mask={mask.tolist()})"
        if mask is None:
            self._since, self._steps = self.call, 0
        else:
            self.call += f" after step {self._steps} after {self._since}"
        arguments: dict[str, Any] = {"seed": list(seed) if isinstance(seed, Sequence) else seed}
        if given:
            arguments["options"] = given
        obs, infos = self._try(lambda: self.env.reset(**arguments), 2)
        result = obs, None, None, None, infos
        began = about & self.over
        self.over = self.over & ~about
        rows = self._read(result)
        self._check_untouched(rows, about)
        self._note_changes(rows, began)
        self._read_masks(infos, about)
        return self._finish(result, rows)

    def step(self, choice: Choice) -> list[Outcome]:
        """Take legal actions of this choice everywhere."""
        return self.act(self.sample(choice))

    def act(self, actions: Sequence[Any]) -> list[Outcome]:
        """Take these actions, one for each environment."""
        self._steps += 1
        self.call = f"step {self._steps} after {self._since}"
        space = self.env.single_action_space
        batch = concatenate(space, actions, cast(Any, create_empty_array(space, n=self.num_envs)))
        result = self._try(lambda: self.env.step(batch), 5)
        self._check_arrays(result)
        rows = self._read(result)
        ended = result[2] | result[3]
        resets = self.over
        if self.mode is AutoresetMode.SAME_STEP:
            self._check_final(result[4], ended)
        elif self.mode is AutoresetMode.NEXT_STEP:
            self._check_reset_step(rows, resets)
        self.over = np.zeros_like(ended) if self.mode is AutoresetMode.SAME_STEP else ended.copy()
        self._note_changes(rows, ended if self.mode is AutoresetMode.SAME_STEP else resets)
        self._read_masks(result[4], np.ones_like(ended))
        return self._finish(result, rows)

    def sample(self, choice: Choice) -> list[Any]:
        """A legal action for each environment; any action where the step only resets."""
        return [self._sample(choice, number) for number in range(self.num_envs)]

    def _sample(self, choice: Choice, number: int) -> Any:
        numbers = [choice.seed, self._steps, 0 if choice.alike else number + 1]
        if self.over[number]:
            numbers.append(choice.idle)
        self._action_space.seed(int(np.random.SeedSequence(numbers).generate_state(1)[0]))
        mask = self._masks[number]
        return self._action_space.sample() if mask is None else self._action_space.sample(mask)

    def _try(self, action: Callable[[], Any], parts: int) -> Any:
        try:
            result = action()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise fault(self.call, "no error, as every argument is allowed", found) from error
        if not isinstance(result, tuple) or len(result) != parts:
            raise fault(self.call, f"a tuple of {parts}", f"{type(result).__name__} {result!r:.60}")
        return result

    def _read(self, result: Sequence[Any]) -> list[Outcome]:
        """One row per environment, after the observations and infos have been checked."""
        space, single = self.env.observation_space, self.env.single_observation_space
        wrong = misfit(space, result[0])
        if wrong:
            raise fault(self.call, "observations of the observation space", wrong)
        if not space.contains(result[0]):
            rows = iterate(space, result[0])
            outside = next((i for i, row in enumerate(rows) if not single.contains(row)), None)
            raise fault(self.call, "an observation in the observation space", "one outside it", outside)
        check_infos(self.call, result[4], self.num_envs)
        return self._rows(result)

    def _rows(self, result: Sequence[Any]) -> list[Outcome]:
        observations = iterate(self.env.observation_space, result[0])
        values = ([None] * self.num_envs if part is None else part for part in result[1:4])
        infos = [self._info(result[4], number) for number in range(self.num_envs)]
        rows = zip(observations, *values, infos, strict=True)
        return [Outcome(*(copied(part) for part in row)) for row in rows]

    def _info(self, infos: Mapping[str, Any], number: int) -> dict[str, Any]:
        """What infos say about one environment, as the scalar environment's info."""
        row: dict[str, Any] = {}
        for key, value in infos.items():
            mask = infos.get(f"_{key}")
            absent = mask is not None and not mask[number]
            if absent or is_mask(infos, key) or key in self.settings.ignored_infos:
                continue
            if key == "final_obs" and not isinstance(value, np.ndarray):
                value = [*iterate(self.env.observation_space, value)]
            row[key] = self._info(value, number) if isinstance(value, dict) else value[number]
        return row

    def _check_arrays(self, result: Sequence[Any]) -> None:
        dtypes = (
            ("rewards", self.settings.reward_dtype),
            ("terminations", np.bool_),
            ("truncations", np.bool_),
        )
        for (name, dtype), value in zip(dtypes, result[1:4], strict=True):
            wrong = wrong_array(value, (self.num_envs,), dtype)
            if wrong:
                raise fault(self.call, f"{name} as an array for {self.num_envs} environments", wrong)
        if np.isnan(result[1]).any():
            raise fault(self.call, "a number as reward", "nan", int(np.isnan(result[1]).argmax()))

    def _check_final(self, infos: Mapping[str, Any], ended: Flags) -> None:
        """Same-step autoreset: infos about the end wherever, and only where, an episode ended."""
        space = self.env.single_observation_space
        for key in ("final_obs", "final_info"):
            there = infos.get(f"_{key}", np.zeros_like(ended))
            if (there != ended).any():
                number = int((there != ended).argmax())
                word = "an" if ended[number] else "no"
                expected = f"infos['_{key}'] to be {ended[number]}, as {word} episode ended"
                raise fault(self.call, expected, str(there[number]), number)
        for number in np.flatnonzero(ended).tolist():
            row = self._info({"final_obs": infos["final_obs"]}, number)["final_obs"]
            wrong = misfit(space, row) or (None if space.contains(row) else f"{row}, outside it")
            if wrong:
                raise fault(self.call, "infos['final_obs'] in the observation space", wrong, number)

    def _check_reset_step(self, rows: Sequence[Outcome], resets: Flags) -> None:
        """Next-step autoreset: the step after the last one of an episode only resets."""
        for number in np.flatnonzero(resets).tolist():
            _, reward, terminated, truncated, _ = rows[number]
            if reward != 0 or terminated or truncated:
                expected = "reward 0 and no end in the step that resets"
                found = f"reward {reward}, terminated {terminated}, truncated {truncated}"
                raise fault(self.call, expected, found, number)

    def _check_untouched(self, rows: Sequence[Outcome], about: Flags) -> None:
        for number in np.flatnonzero(~about).tolist():
            now, before = rows[number].observation, self._last[number]
            if fingerprint(now) != fingerprint(before):
                raise fault(self.call, f"its observation {before}, as it is not reset", str(now), number)

    def _note_changes(self, rows: Sequence[Outcome], began: Flags) -> None:
        for number in np.flatnonzero(began).tolist():
            same_step = self.mode is AutoresetMode.SAME_STEP
            last = rows[number].infos["final_obs"] if same_step else self._last[number]
            self.changes.append(Change(number, fingerprint(last), fingerprint(rows[number].observation)))
        self._last = [row.observation for row in rows]

    def _read_masks(self, infos: Mapping[str, Any], about: Flags) -> None:
        """Keep the action masks of the environments that wait for an action."""
        given, there = infos.get("action_mask"), infos.get("_action_mask")
        for number in np.flatnonzero(about).tolist():
            told = given is not None and there is not None and there[number] and not self.over[number]
            self._masks[number] = copied(given[number]) if told else None  # type: ignore[index]
            if told:
                self._check_mask(self._masks[number], number)

    def _check_mask(self, mask: Any, number: int) -> None:
        space = self.env.single_action_space
        if isinstance(space, spaces.Discrete):
            wrong = wrong_array(mask, (int(space.n),), np.int8)
            if wrong or ((mask != 0) & (mask != 1)).any():
                raise fault(self.call, "an action mask of 0 and 1", wrong or str(mask), number)
            if not mask.any():
                raise fault(self.call, "an action mask with a legal action, as it waits", str(mask), number)
        method = getattr(self.env.unwrapped, "action_masks", None)
        if callable(method) and fingerprint(method()[number]) != fingerprint(mask):
            raise fault(self.call, f"the mask {method()[number]} of action_masks()", str(mask), number)
        if self.settings.observed_masks:
            known = self._mask_of.setdefault(fingerprint(self._last[number]), mask)
            if fingerprint(known) != fingerprint(mask):
                expected = f"the mask {known} that its observation had before"
                raise fault(self.call, expected, str(mask), number)

    def _finish(self, result: Sequence[Any], rows: list[Outcome]) -> list[Outcome]:
        """Look at the outputs of earlier calls again, and keep these."""
        for call, kept, before in self._kept:
            for number, (row, now) in enumerate(zip(before, self._rows(kept), strict=True)):
                found = difference(row, now)
                if found:
                    name, was, became = found
                    expected = f"{name} {was} to stay after later calls (or in_place=True)"
                    raise fault(call, expected, f"{became} after {self.call}", number)
        if self.keeps and not self.settings.in_place:
            self._kept.append((self.call, result, rows))
        else:
            self._kept.clear()
        if self.spoils:
            spoil(result)
        return rows
