"""One environment for several sheets: each episode's is drawn from a list, and part of the observation.

Sheets of one list must have the same cards, hands and information states; what may differ and matters for a
decision is in the feature "rules".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pan9_gym.envs.arguments import CardList, check_cards, check_options
from pan9_gym.envs.setup import HandSetup, RulesOption
from pan9_gym.envs.shoe_setup import ShoeSetup
from pan9_gym.rules.catalog import DEFAULT_SHEET, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import closest
from pan9_gym.rules.fields import as_int

Setup = TypeVar("Setup", HandSetup, ShoeSetup)

SHARED_FIELDS = (
    "point_values",
    "num_initial_cards",
    "naturals",
    "banker_tableau",
    "banker_sees",
    "choices",
)
"""What sheets of one list must agree in."""


def each_sheet(
    read: Callable[..., Setup], rules: RulesOption = DEFAULT_SHEET, **arguments: Any
) -> tuple[Setup, ...]:
    """The setup of every sheet.

    Args:
        read: Reads the arguments of one sheet.
        rules: A sheet or a list of sheets.
        **arguments: All others.

    Raises:
        ValueError: If a list is empty, names a sheet twice, or has sheets that cannot share one environment.
    """
    if isinstance(rules, str | Path | RulesConfig) or not isinstance(rules, Sequence):
        return (read(rules=rules, **arguments),)
    sheets = [load_rules(one) for one in rules]
    _check(sheets)
    setups = tuple(read(rules=sheet, several=len(sheets) > 1, **arguments) for sheet in sheets)
    every: Sequence[HandSetup | ShoeSetup] = setups
    amounts = {setup.amounts for setup in every if isinstance(setup, ShoeSetup)}
    if len({len(choices) for choices in amounts}) > 1:
        raise ValueError("rules: the sheets' wager_limits differ; give wager_choices that all allow")
    return setups


def sheets_of(setups: Sequence[HandSetup] | Sequence[ShoeSetup]) -> tuple[str, ...]:
    """The names of the sheets."""
    every: Sequence[HandSetup | ShoeSetup] = setups
    hands = [setup.hand if isinstance(setup, ShoeSetup) else setup for setup in every]
    return tuple(hand.game.rules.name for hand in hands)


def read_sheet(names: Sequence[str], rules: object, name: str) -> int:
    """The place of a sheet in a list, from its name or its place.

    Raises:
        ValueError: If it is neither.
    """
    number = as_int(rules)
    if isinstance(rules, str) and rules in names:
        return list(names).index(rules)
    if type(number) is not int or not 0 <= number < len(names):
        near = closest(str(rules), names)
        raise ValueError(f"{name} {rules!r} is none of the sheets{near}; allowed: {', '.join(names)}")
    return number


def drawn_sheet(rng: np.random.Generator, number: int) -> int:
    """The place of an episode's sheet, uniform; one sheet uses no randomness."""
    return int(rng.integers(number)) if number > 1 else 0


def read_reset(options: Mapping[str, Any] | None, names: Sequence[str]) -> tuple[CardList | None, int | None]:
    """The stacked cards and the place of the sheet from the options of a reset; `None` where not given.

    Raises:
        ValueError: If an option is not known or not possible.
    """
    check_options(options, ("cards", "rules") if len(names) > 1 else ("cards",))
    given = options or {}
    cards, rules = given.get("cards"), given.get("rules")
    if cards is not None:
        check_cards("options['cards']", cards)
    return cards, None if rules is None else read_sheet(names, rules, "options['rules']")


def _check(sheets: Sequence[RulesConfig]) -> None:
    if not sheets:
        raise ValueError("rules: an empty list; at least one sheet is needed")
    names = [sheet.name for sheet in sheets]
    for sheet in sheets:
        if names.count(sheet.name) > 1:
            raise ValueError(f"rules: {sheet.name!r} is listed twice; give sheets of one list other names")
        for field in SHARED_FIELDS:
            if getattr(sheet, field) != getattr(sheets[0], field):
                raise ValueError(
                    f"rules: {sheets[0].name!r} and {sheet.name!r} differ in {field}; sheets of one "
                    f"environment must agree in {', '.join(SHARED_FIELDS)}"
                )
