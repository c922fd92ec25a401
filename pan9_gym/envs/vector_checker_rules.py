"""What `check_vector_env` knows about single values: their rules, their rows, and whether two are equal."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import Space, spaces
from gymnasium.spaces.utils import is_space_dtype_shape_equiv
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

Flags = npt.NDArray[np.bool_]
AnyVectorEnv = VectorEnv[Any, Any, Any]


class VectorEnvError(AssertionError):
    """A vector environment breaks a rule: which call, which environment, what was expected and what found."""


@dataclass(frozen=True)
class Settings:
    """What the caller of the check says about the environment; `check_vector_env` explains each."""

    in_place: bool
    observed_masks: bool
    copies: bool
    reward_dtype: np.dtype[Any]
    ignored_infos: frozenset[str]


class Outcome(NamedTuple):
    """What one call said about one environment, copied; a reset gives no reward, and nothing ends."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    infos: dict[str, Any]


def fault(call: str, expected: str, found: str, number: int | None = None) -> VectorEnvError:
    """The error for a broken rule."""
    where = "" if number is None else f"environment {number}: "
    return VectorEnvError(f"{call}: {where}expected {expected}, found {found}")


def copied(data: Any) -> Any:
    """A deep copy, quick for arrays and dicts of arrays."""
    if isinstance(data, np.ndarray) and data.dtype != object:
        return data.copy()
    if type(data) is dict:
        return {key: copied(value) for key, value in data.items()}
    return data if isinstance(data, np.generic | int | float | str) else copy.deepcopy(data)


def fingerprint(data: Any) -> Hashable:
    """A value that is equal for equal data, whatever the containers and the width of the numbers."""
    if isinstance(data, np.ndarray | np.generic | int | float):
        return _number_print(np.asarray(data))
    if isinstance(data, Mapping):
        return tuple(sorted((str(key), fingerprint(value)) for key, value in data.items()))
    if isinstance(data, str | bytes) or data is None:
        return data
    if isinstance(data, list | tuple):
        if data and all(isinstance(value, np.generic | int | float) for value in data):
            return _number_print(np.asarray(data))
        return tuple(fingerprint(value) for value in data)
    compares = "__eq__" in {name for kind in type(data).__mro__[:-1] for name in vars(kind)}
    return repr(data) if compares else type(data).__name__


def _number_print(array: npt.NDArray[Any]) -> Hashable:
    if array.dtype.kind in "biu":
        return array.shape, array.astype(np.int64).tobytes()
    if array.dtype.kind == "f":
        return array.shape, (array.astype(np.float64) + 0.0).tobytes()  # minus zero is zero
    return tuple(fingerprint(value) for value in array.tolist())


def difference(one: Outcome, other: Outcome) -> tuple[str, str, str] | None:
    """The first part in which two outcomes differ: its name and what both say."""
    for name, mine, theirs in zip(Outcome._fields, one, other, strict=True):
        if fingerprint(mine) == fingerprint(theirs):
            continue
        if name != "infos":
            return name, str(mine), str(theirs)
        for key in sorted({*mine, *theirs}):
            left, right = mine.get(key, "nothing"), theirs.get(key, "nothing")
            if fingerprint(left) != fingerprint(right):
                return f"infos[{key!r}]", str(left), str(right)
    return None


def misfit(space: Space[Any], value: Any) -> str | None:
    """How the type, shape or dtype of a value is not that of its space; `None` if it is."""
    if isinstance(space, spaces.Dict):
        if not isinstance(value, Mapping) or {*value} != {*space.spaces}:
            return f"a {type(value).__name__} instead of a dict with the keys {sorted(space.spaces)}"
        found = (misfit(part, value[key]) for key, part in space.spaces.items())
        return next((one for one in found if one), None)
    if isinstance(space, spaces.Tuple):
        if not isinstance(value, tuple) or len(value) != len(space.spaces):
            return f"a {type(value).__name__} instead of a tuple of {len(space.spaces)}"
        found = (misfit(part, one) for part, one in zip(space.spaces, value, strict=True))
        return next((one for one in found if one), None)
    if isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary):
        return wrong_array(value, space.shape, space.dtype)
    return None


def wrong_array(value: Any, shape: tuple[int, ...], dtype: Any) -> str | None:
    """How a value is not an array of this shape and dtype; `None` if it is."""
    if not isinstance(value, np.ndarray):
        return f"a {type(value).__name__} instead of an array"
    if value.shape != shape or value.dtype != dtype:
        return f"{value.dtype} of shape {value.shape} instead of {np.dtype(dtype)} of shape {shape}"
    return None


def check_attributes(env: AnyVectorEnv) -> None:
    """Refuse missing or contradictory metadata and spaces.

    Raises:
        VectorEnvError: If there are any.
    """
    if not isinstance(env, VectorEnv):
        raise fault("env", "a gymnasium.vector.VectorEnv", f"a {type(env).__name__}")
    mode = env.metadata.get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        raise fault("metadata", "an AutoresetMode as 'autoreset_mode'", repr(mode))
    if not isinstance(env.num_envs, int) or env.num_envs < 1:
        raise fault("num_envs", "a whole number of at least 1", repr(env.num_envs))
    for name in ("observation_space", "action_space"):
        batched, single = getattr(env, name), getattr(env, f"single_{name}")
        wanted = batch_space(single, env.num_envs)
        if not is_space_dtype_shape_equiv(batched, wanted):
            raise fault(name, f"single_{name} batched, so {wanted}", str(batched))


def check_infos(call: str, infos: Any, num_envs: int, inside: str = "infos") -> None:
    """Refuse infos that are not arrays with one row per environment and a mask for each key.

    Raises:
        VectorEnvError: If there are any.
    """
    if not isinstance(infos, dict):
        raise fault(call, f"{inside} to be a dict", f"a {type(infos).__name__}")
    for key, value in infos.items():
        name, mask = f"{inside}[{key!r}]", infos.get(f"_{key}")
        if is_mask(infos, key):
            continue
        if mask is None and inside == "infos":
            raise fault(call, f"the mask infos['_{key}'] beside {name}", "none")
        wrong = None if mask is None else wrong_array(mask, (num_envs,), np.bool_)
        if wrong:
            raise fault(call, f"{inside}['_{key}'] to be a bool array of shape ({num_envs},)", wrong)
        if isinstance(value, dict) and key != "final_obs":
            check_infos(call, value, num_envs, name)
        elif key != "final_obs" and (not isinstance(value, np.ndarray) or value.shape[:1] != (num_envs,)):
            found = f"shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise fault(call, f"{name} to be an array with {num_envs} rows", found)


def is_mask(infos: Mapping[str, Any], key: str) -> bool:
    """Whether a key of infos says where another one is given."""
    return key.startswith("_") and key[1:] in infos


def spoil(data: Any) -> None:
    """Write other values into every array."""
    if isinstance(data, np.ndarray) and data.flags.writeable:
        if data.dtype.kind in "biuf":
            data[...] = data == 0
        elif data.dtype.kind == "O":
            data[...] = None
    elif isinstance(data, dict):
        for value in data.values():
            spoil(value)
    elif isinstance(data, tuple | list):
        for value in data:
            spoil(value)
