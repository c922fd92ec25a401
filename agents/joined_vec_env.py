"""Several vector environments side by side as one, so that one net learns all of them: `JoinedVecEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from agents.episode_infos import Info, LazyInfos
from agents.vec_env import ROWS, Array, Pan9VecEnv, SeededVecEnv
from pan9_gym.rules.fields import as_int

LAST = "terminal_observation"
"""The key of infos for an episode's last observation."""


class JoinedVecEnv(SeededVecEnv):
    """Vector environments side by side behind SB3's interface, such as the player's and the player-dealer's.

    Environments 0 to n - 1 are the n of the first part, the next those of the second, and so on. An
    observation is the part's own, zeros on the right up to the longest, and a one-hot of the part. Rewards,
    masks and infos are the parts' own, but for the last observations of episodes, which are in the joined
    form too. Infos are made only if they are read. Everything that is handed out stays as it is.

    Environment i of part k has random stream i of the k-th of `part_seeds(seed)`: parts share no hands.

    Attributes are the vector environments', and may differ from part to part. Where attributes are set and
    methods called, `indices` must be all environments of some parts; `action_masks` takes any.

    Args:
        parts: The environments, at least one; `CountingVecEnv` among them go on counting illegal moves.

    Attributes:
        parts: The environments; seeds, options and actions are given to the joined ones, not to them.

    Raises:
        ValueError: If there is no part, one stands there twice, observes no flat float32 box, or has other
            actions than the first.
    """

    def __init__(self, parts: Sequence[Pan9VecEnv]) -> None:
        if not parts:
            raise ValueError("parts: none is given; at least one vector environment is needed")
        for number in range(len(parts)):
            _check(number, parts)
        boxes = [cast(spaces.Box, part.observation_space) for part in parts]
        self.parts = tuple(parts)
        self._layout = Layout(tuple(box.shape[0] for box in boxes))
        bounds = np.cumsum([0, *(part.num_envs for part in parts)]).tolist()
        self._rows = [slice(start, stop) for start, stop in pairwise(bounds)]
        self._part_of = np.repeat(np.arange(len(parts)), np.diff(bounds)).tolist()
        self._blank = np.zeros((bounds[-1], self._layout.width), dtype=np.float32)
        self._blank[:, self._layout.one_hot] = np.eye(len(parts), dtype=np.float32)[self._part_of]
        super().__init__(bounds[-1], self._layout.space(boxes), parts[0].action_space)

    def encode_part(self, part: int, observations: Array) -> npt.NDArray[np.float32]:
        """A part's observations in the joined form.

        Args:
            part: The part's place.
            observations: Its own observations, shape (N, its features).

        Returns:
            float32, shape (N, longest part's features + parts), a new array.

        Raises:
            ValueError: If there is no such part, or its observations have another shape.
        """
        number = as_int(part)
        if type(number) is not int or not 0 <= number < len(self.parts):
            raise ValueError(f"part {part!r}: must be 0 to {len(self.parts) - 1}")
        observations = np.asarray(observations)
        wanted = self._layout.widths[number]
        if observations.ndim != 2 or observations.shape[1] != wanted:
            raise ValueError(f"observations of shape {observations.shape}: part {number} needs (N, {wanted})")
        return self._layout.encode(number, observations)

    def reset(self) -> npt.NDArray[np.float32]:
        """Start all episodes anew, with the seed and options given since the last reset.

        Returns:
            Observations, float32, shape (num_envs, longest part's features + parts).

        Raises:
            ValueError: If the options are not one dict for each environment, or not possible.
        """
        if len(self._options) != self.num_envs:
            raise ValueError(f"options: {len(self._options)} dicts for {self.num_envs} environments")
        seeds = [None] * len(self.parts) if self._seed is None else part_seeds(self._seed, len(self.parts))
        observations = []
        for part, rows, seed in zip(self.parts, self._rows, seeds, strict=True):
            part.set_options(self._options[rows])
            if seed is not None:
                part.seed(seed)
            observations.append(part.reset())
        self._seed = None
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [info for part in self.parts for info in part.reset_infos]
        return self._join(observations)

    def step_async(self, actions: Array) -> None:
        """Hand the actions, shape (num_envs,), to the parts for `step_wait`.

        Raises:
            ValueError: If there is not one action for each environment.
        """
        if np.shape(actions) != (self.num_envs,):
            raise ValueError(f"actions of shape {np.shape(actions)}: ({self.num_envs},) is needed")
        for part, rows in zip(self.parts, self._rows, strict=True):
            part.step_async(np.asarray(actions)[rows])

    def step_wait(self) -> VecEnvStepReturn:
        """Take the step.

        Returns:
            Observations, float32, shape (num_envs, longest part's features + parts); scaled rewards, float32,
            and whose episode ended, bool, both shape (num_envs,); and the infos.
        """
        steps = [part.step_wait() for part in self.parts]
        observations = self._join([cast(Array, step[0]) for step in steps])
        rewards, ended = (np.concatenate([step[place] for step in steps]) for place in (1, 2))
        infos = JoinedInfos([step[3] for step in steps], self._layout)
        return observations, rewards, ended, cast(list[Info], infos)

    def action_masks(self) -> Array:
        """Which actions are legal now, int8, shape (num_envs, actions), in one array."""
        return np.concatenate([part.action_masks() for part in self.parts])

    def close(self) -> None:
        """Close all parts."""
        for part in self.parts:
            part.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the vector environments of all parts have an attribute."""
        return all(part.has_attr(attr_name) for part in self.parts)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of each environment's part, once for each of the environments asked for."""
        return self._each([part.get_attr for part in self.parts], attr_name, indices)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the vector environments.

        Raises:
            ValueError: If `indices` are not all environments of one or several parts.
        """
        for number in self._whole_parts(f"attribute {attr_name!r}", indices):
            self.parts[number].set_attr(attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environments, once for each part asked for.

        Returns:
            For each of the environments asked for its row of `action_masks`, else what its part returns.

        Raises:
            ValueError: If `indices` are not all environments of one or several parts, but for `action_masks`.
        """
        if method_name == ROWS:
            rows = [part.env_method(ROWS, *method_args, **method_kwargs) for part in self.parts]
            masks = list(chain.from_iterable(rows))
            return masks if indices is None else [masks[i] for i in self._chosen(indices)]
        answers = {
            number: self.parts[number].env_method(method_name, *method_args, **method_kwargs)[0]
            for number in self._whole_parts(f"method {method_name!r}", indices)
        }
        return [answers[self._part_of[i]] for i in self._chosen(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Yes for SB3's `Monitor`, whose statistics the infos have; no for every other wrapper."""
        return self._each([part.env_is_wrapped for part in self.parts], wrapper_class, indices)

    def _join(self, observations: Sequence[Array]) -> npt.NDArray[np.float32]:
        """The parts' observations in one new array."""
        joined = self._blank.copy()
        for rows, width, own in zip(self._rows, self._layout.widths, observations, strict=True):
            joined[rows, :width] = own
        return joined

    def _each(self, ask: Sequence[Any], about: Any, indices: VecEnvIndices) -> list[Any]:
        """What the parts answer, once for each of the environments asked for; others are not asked."""
        places = [self._part_of[i] for i in self._chosen(indices)]
        answers = {number: ask[number](about, 0)[0] for number in dict.fromkeys(places)}
        return [answers[number] for number in places]

    def _whole_parts(self, what: str, indices: VecEnvIndices) -> list[int]:
        """The places of the parts whose environments are asked for, all of each."""
        chosen = sorted(self._chosen(indices))
        numbers = list(dict.fromkeys(self._part_of[i] for i in chosen))
        every = range(self.num_envs)
        if chosen != [i for number in numbers for i in every[self._rows[number]]]:
            raise ValueError(
                f"indices {indices!r}: {what} is of all environments of a part together; "
                f"None or those of whole parts are needed"
            )
        return numbers


@dataclass(frozen=True)
class Layout:
    """How the parts' observations become joined ones.

    Attributes:
        widths: How many features each part has.
    """

    widths: tuple[int, ...]

    @property
    def width(self) -> int:
        """How many features a joined observation has."""
        return max(self.widths) + len(self.widths)

    @property
    def one_hot(self) -> slice:
        """Where the one-hot of the part is."""
        return slice(max(self.widths), self.width)

    def space(self, boxes: Sequence[spaces.Box]) -> spaces.Box:
        """The space of joined observations, from those of the parts."""
        low = np.min([self.encode(k, box.low[np.newaxis])[0] for k, box in enumerate(boxes)], axis=0)
        high = np.max([self.encode(k, box.high[np.newaxis])[0] for k, box in enumerate(boxes)], axis=0)
        low[self.one_hot] = 0
        return spaces.Box(low, high, dtype=np.float32)

    def encode(self, part: int, observations: Array) -> npt.NDArray[np.float32]:
        """A part's observations, shape (N, its features), in the joined form."""
        joined = np.zeros((len(observations), self.width), dtype=np.float32)
        joined[:, : self.widths[part]] = observations
        joined[:, self.one_hot.start + part] = 1
        return joined


class JoinedInfos(LazyInfos):
    """The info dicts of all parts.

    Args:
        parts: Those of each part.
        layout: Gives last observations their joined form.
    """

    __slots__ = ("_layout", "_parts")

    def __init__(self, parts: Sequence[Sequence[Info]], layout: Layout) -> None:
        super().__init__(sum(map(len, parts)))
        self._parts = parts
        self._layout = layout

    def _make(self) -> list[Info]:
        made: list[Info] = []
        for number, infos in enumerate(self._parts):
            entries = list(infos)
            ended = [info for info in entries if LAST in info]
            if ended:
                own = np.array([info[LAST] for info in ended])
                for info, last in zip(ended, self._layout.encode(number, own), strict=True):
                    info[LAST] = last
            made += entries
        self._parts = ()
        return made


def part_seeds(seed: int, num_parts: int) -> list[int]:
    """The seed of each part: runs of neighbouring seeds, and the parts of a run, have no hands in common.

    Args:
        seed: The seed of all, at least 0.
        num_parts: How many there are.
    """
    drawn = [np.random.SeedSequence([seed, number]).generate_state(1)[0] for number in range(num_parts)]
    return [int(one) for one in drawn]


def _check(number: int, parts: Sequence[Pan9VecEnv]) -> None:
    """Refuse a part that cannot stand beside those before it."""
    part, first = parts[number], parts[0]
    space = part.observation_space
    if any(part is other for other in parts[:number]):
        raise ValueError(f"part {number} stands there twice: each must be an environment of its own")
    if not isinstance(space, spaces.Box) or len(space.shape) != 1 or space.dtype != np.float32:
        raise ValueError(f"part {number} observes {space}: a flat box of float32 is needed")
    if part.action_space != first.action_space:
        raise ValueError(
            f"part {number} has the actions {part.action_space}, part 0 has {first.action_space}: all parts "
            f"must have the same"
        )
