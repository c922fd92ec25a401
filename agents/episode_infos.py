"""The info dicts of a step, made only if somebody reads them.

Where an episode is one decision, every environment ends on every step, and making a dict for each costs more
than playing the hands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

Info = dict[str, Any]


class _Running(Info):
    """The empty info that all environments share whose episode goes on."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            "environments whose episode goes on share this empty info dict, so that nothing can be written "
            "into it; put a dict of your own in its place: infos[i] = {...}"
        )

    __setitem__ = setdefault = update = __ior__ = _refuse


RUNNING = _Running()
"""The info of an environment whose episode goes on."""


class LazyInfos(Sequence[Info], ABC):
    """Info dicts that are made together when one is first read, and stay the same objects from then on."""

    __slots__ = ("_made", "_num_envs")

    def __init__(self, num_envs: int) -> None:
        self._num_envs = num_envs
        self._made: list[Info] | None = None

    @abstractmethod
    def _make(self) -> list[Info]:
        """The dicts, one for each environment; called once."""

    def __len__(self) -> int:
        return self._num_envs

    @overload
    def __getitem__(self, index: SupportsIndex) -> Info: ...
    @overload
    def __getitem__(self, index: slice) -> list[Info]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Info | list[Info]:
        return (self._made or self._entries())[index]

    def __setitem__(self, index: SupportsIndex, info: Info) -> None:
        self._entries()[index] = info

    def __iter__(self) -> Iterator[Info]:
        return iter(self._entries())

    def __repr__(self) -> str:
        return repr(self._entries())

    def _entries(self) -> list[Info]:
        if self._made is None:
            self._made = self._make()
        return self._made


class EpisodeInfos(LazyInfos):
    """What SB3 takes for the list of a step's info dicts, one for each environment.

    The dicts are made together when one of them is first read, and stay the same objects from then on, for
    wrappers like `VecNormalize` write into them. Where an episode ended they have SB3's keys
    `terminal_observation`, `TimeLimit.truncated` and `episode` (return `r`, length `l` and time `t`, as
    `Monitor` gives them); the others are `RUNNING`.

    Args:
        ended: Whose episode ended, bool, shape (n,).
        timeouts: Whose episode was cut off without being over, bool, shape (n,).
        returns: Sums of the episode's rewards, float64, shape (n,).
        lengths: Numbers of its steps, int64, shape (n,).
        seconds: The time since the start.
        final_obs: The last observation of each episode that ended, n rows.

    The arrays are not copied: nobody may write into them later.
    """

    __slots__ = ("_arrays", "_seconds")

    def __init__(
        self,
        ended: npt.NDArray[np.bool_],
        timeouts: npt.NDArray[np.bool_],
        returns: npt.NDArray[np.float64],
        lengths: npt.NDArray[np.int64],
        seconds: float,
        final_obs: npt.NDArray[Any],
    ) -> None:
        super().__init__(len(ended))
        self._arrays = (ended, timeouts, returns, lengths, final_obs)
        self._seconds = seconds

    def _make(self) -> list[Info]:
        ended, timeouts, returns, lengths, final_obs = self._arrays
        seconds = round(self._seconds, 6)
        places = np.flatnonzero(ended)
        columns = (places, timeouts[places], returns[places], lengths[places])
        rows = zip(final_obs[places], *(column.tolist() for column in columns), strict=True)
        made: list[Info] = [RUNNING] * len(ended)
        for last, i, timeout, total, length in rows:
            rounded = total if total.is_integer() else round(total, 6)  # round() takes as long as the rest
            made[i] = {
                "terminal_observation": last,
                "TimeLimit.truncated": timeout,
                "episode": {"r": rounded, "l": length, "t": seconds},
            }
        return made
