"""What tests of vector environments share: outputs compared with those of Gymnasium's own vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

ENVS = 5

HAND_IDS = ("Pan9/Player-v0", "Pan9/PlayerDealer-v0")
"""The environments whose episode is one hand."""


def pick(rng: np.random.Generator, options: Sequence[Any]) -> Any:
    return options[rng.integers(len(options))]


class Listed(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A scalar environment whose every reset deals the next of the listed hands."""

    def __init__(self, env: gymnasium.Env[Any, Any], hands: Sequence[list[str]]) -> None:
        super().__init__(env)
        self._hands = iter(hands)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=seed, options={"cards": next(self._hands)})


def same_arrays(ours: Any, theirs: Any) -> None:
    assert isinstance(ours, np.ndarray)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert ours.tobytes() == theirs.tobytes()


def same_infos(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The same keys and arrays; what Gymnasium gives as an array of objects is one array in ours."""
    assert {*ours} == {*theirs}
    for key, wanted in theirs.items():
        if key == "final_info":
            same_infos(ours[key], wanted)
        elif wanted.dtype != object:
            same_arrays(ours[key], wanted)
        else:
            assert ours[key].dtype == {"totals": np.int8, "final_obs": np.float32}[key]
            assert ours[key].shape[:-1] == (ENVS,)
            for there, row, value in zip(theirs[f"_{key}"], ours[key], wanted, strict=True):
                assert there == (value is not None)
                assert row.tolist() == (list(value) if there else [0] * len(row))


def same_results(ours: Sequence[Any], theirs: Sequence[Any]) -> None:
    for mine, wanted in zip(ours[:-1], theirs[:-1], strict=True):
        same_arrays(mine, wanted)
    same_infos(ours[-1], theirs[-1])


def random_mask(mode: AutoresetMode, terminated: npt.NDArray[Any], rng: np.random.Generator) -> Any:
    """Which environments to reset now: with autoreset disabled all that are over, else any or none."""
    mask = rng.random(ENVS) < 0.4
    if mode is AutoresetMode.DISABLED:
        mask |= terminated
    elif rng.random() < 0.5:
        mask[:] = False
    return mask
