"""What the vector environments' own arguments may be: one clear error for each that may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from pan9_gym.envs.arguments import CardList, check_cards, check_options
from pan9_gym.rules.errors import closest
from pan9_gym.rules.fields import read_whole

Flags = npt.NDArray[np.bool_]


def read_autoreset_mode(mode: object) -> AutoresetMode:
    """An autoreset mode from itself, its name or its value.

    Raises:
        ValueError: If it is none.
    """
    for known in AutoresetMode:
        if mode is known or mode in (known.name, known.value):
            return known
    allowed = ", ".join(repr(known.name) for known in AutoresetMode)
    raise ValueError(f"autoreset_mode {mode!r} is not known; allowed: an AutoresetMode, {allowed}")


def read_vector_seed(seed: object, num_envs: int) -> int | list[int | None] | None:
    """The seed of a reset: one number for all, or one number or `None` for each.

    Raises:
        ValueError: If it is none of these.
    """
    if seed is None:
        return None
    if isinstance(seed, np.ndarray) and seed.ndim == 1:
        seed = seed.tolist()
    if not isinstance(seed, list | tuple):
        return read_whole("seed", seed, 0)
    if len(seed) != num_envs:
        raise ValueError(f"seed: {len(seed)} seeds are given; one per environment is needed, so {num_envs}")
    return [None if one is None else read_whole(f"seed[{i}]", one, 0) for i, one in enumerate(seed)]


def read_reset_options(
    options: Mapping[str, Any] | None, num_envs: int, several: bool
) -> tuple[Flags | None, Sequence[CardList | None] | None, Sequence[Any] | None]:
    """The mask, the stacked cards and, of several sheets, those of a reset; `None` where not given.

    Raises:
        ValueError: If an option is not known or not possible.
    """
    check_options(options, ("cards", "reset_mask", "rules") if several else ("cards", "reset_mask"))
    given = options or {}
    mask, cards = given.get("reset_mask"), given.get("cards")
    rules: Any = given.get("rules")
    if mask is not None:
        _check_mask(mask, num_envs)
    if cards is not None:
        _check_lists(cards, num_envs, mask)
    if rules is not None:
        _check_sheets(rules, num_envs)
    return mask, cards, rules


def _check_mask(mask: object, num_envs: int) -> None:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        shown = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
        raise ValueError(f"options['reset_mask']: a bool array of shape ({num_envs},) is needed, not {shown}")
    if not mask.any():
        raise ValueError("options['reset_mask']: at least one environment must be reset")


def _check_sheets(rules: object, num_envs: int) -> None:
    if isinstance(rules, str) or not isinstance(rules, Sequence | np.ndarray) or len(rules) != num_envs:
        raise ValueError(
            f"options['rules'] {rules!r}: for each of the {num_envs} environments a sheet, or None, is needed"
        )


def _check_lists(cards: object, num_envs: int, mask: Flags | None) -> None:
    if isinstance(cards, str) or not isinstance(cards, Sequence) or len(cards) != num_envs:
        raise ValueError(
            f"options['cards'] {cards!r}: for each of the {num_envs} environments "
            f"a list of cards such as ['A', '5', 'Q'], or None, is needed"
        )
    for number, listed in enumerate(cards):
        if listed is not None and (mask is None or mask[number]):
            check_cards(f"options['cards'][{number}]", listed)


def check_names(env: object, arguments: Mapping[str, Any], allowed: Any) -> None:
    """Refuse arguments that an environment does not have.

    Args:
        env: The environment.
        arguments: What was given by keyword.
        allowed: The `TypedDict` of what it has.

    Raises:
        TypeError: Naming the argument and the allowed ones.
    """
    known = sorted(allowed.__optional_keys__ | allowed.__required_keys__)
    for name in arguments:
        if name not in known:
            raise TypeError(
                f"{type(env).__name__}: unknown argument {name!r}{closest(name, known)}; allowed: num_envs, "
                f"autoreset_mode, copy, {', '.join(known)}"
            )
