"""What the environments' arguments may be: one clear error for each that may not."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from pan9_gym.game.round import Game
from pan9_gym.game.shoe import Shoe
from pan9_gym.rules.cards import Card
from pan9_gym.rules.fields import as_int
from pan9_gym.rules.terms import Action

ACTIONS = tuple(Action)

CardList = Sequence[str | Card]


class UnsupportedRenderMode(ValueError, TypeError):
    """A render mode that the environment does not have.

    It is a `TypeError` too, because Stable-Baselines3 asks for "rgb_array" first and goes on without it only
    after a `TypeError`.
    """


def check_option(
    name: str, value: object, allowed: Sequence[str | None], error: type[ValueError] = ValueError
) -> None:
    """Refuse a value that is none of the allowed words.

    Raises:
        ValueError: Naming the argument, its value and the allowed words.
    """
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise error(f"{name} {value!r} is not known; allowed: {', '.join(map(repr, allowed))}")


def read_action(action: Any) -> Action:
    """An action from its number, an `Action`, or a whole-number scalar of any library.

    Raises:
        ValueError: If it is none.
    """
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:  # a float, a text, several numbers
        number = -1
    if number != 0 and number != 1:
        raise ValueError(f"action {action!r}: must be 0 (STAND) or 1 (DRAW)")
    return ACTIONS[number]


def check_options(options: object, allowed: Sequence[str]) -> None:
    """Refuse options of a reset that are no mapping or have a key that is not known.

    Raises:
        ValueError: Naming what is wrong and what is allowed.
    """
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise ValueError(f"options {options!r}: a mapping such as {{'cards': [...]}} is needed")
    unknown = sorted(set(options) - set(allowed), key=repr)
    if unknown:
        names = ", ".join(map(repr, allowed))
        raise ValueError(f"options: unknown key {unknown[0]!r}; allowed: {names}")


def check_cards(name: str, cards: object) -> None:
    """Refuse what is no list of cards; whether the shoe has them is not checked.

    Raises:
        ValueError: Naming the option and what is wrong with it.
    """
    if isinstance(cards, str | Card) or not isinstance(cards, Sequence):
        raise ValueError(f"{name} {cards!r}: a list of cards such as ['A', '5', 'Q'] is needed")
    wrong = [card for card in cards if not isinstance(card, str | Card)]
    if wrong:
        raise ValueError(f"{name}: {wrong[0]!r} is no card; write it as a text such as 'A' or '5h'")


def shoe_options(game: Game, continues: bool, penetration: object, start_cards: object) -> dict[str, Any]:
    """The arguments of the `Shoe`, checked before the first reset.

    Raises:
        ValueError: If they are not possible, or given for a fresh shoe.
    """
    if not continues:
        if penetration is not None or start_cards is not None:
            raise ValueError(
                f"penetration {penetration!r}, start_cards {start_cards!r}: need shoe_mode='continuing'"
            )
        return {}
    if game.rules.with_replacement:
        raise ValueError("shoe_mode 'continuing': needs a finite shoe, but num_decks is infinite")
    part = 1 if penetration is None else penetration
    if isinstance(part, bool) or not isinstance(part, Real):
        raise ValueError(f"penetration {penetration!r}: must be a number greater than 0 and at most 1")
    options: dict[str, Any] = {"penetration": part, "start_cards": _read_range(start_cards, game.max_cards)}
    Shoe(game.rules, rng=np.random.default_rng(0), **options)  # refuses what is out of range; deals nothing
    return options


def _read_range(start_cards: object, max_cards: int) -> tuple[int, int] | None:
    if start_cards is None:
        return None
    given = list(start_cards) if isinstance(start_cards, list | tuple) else []
    numbers = [as_int(number) for number in given]
    if len(numbers) != 2 or any(type(number) is not int for number in numbers):
        raise ValueError(f"start_cards {start_cards!r}: must be (low, high), two whole numbers")
    if numbers[0] < max_cards:
        raise ValueError(
            f"start_cards {start_cards!r}: low must be at least {max_cards}, what a hand may take"
        )
    return numbers[0], numbers[1]
