"""`TabularPolicy`: a drawing probability for every information state, exact, legal and immutable.

Every policy that is evaluated exactly becomes one, a neural net too: `from_callable` asks it about every
information state once.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import Choices, InfoStates, info_states, legal_table
from pan9_gym.policies import storage
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action, Role, SuitClass, token_action

DrawOn = Iterable[int] | Mapping[Any, Iterable[int]]
"""Totals to draw on: a set for every pattern, or one set per token, number of drawers, or pattern."""

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class TabularPolicy:
    """A seat's drawing probabilities over its information states.

    Attributes:
        rules: The rules under which it is legal.
        states: The numbering of the seat's information states.
        draw_probs: Fractions, one row per pattern, columns in index order; shape `states.shape`.
        name: What tables call it.

    Raises:
        ValueError: If the shape is wrong, an entry is no probability, or a forced move is not taken.
    """

    rules: RulesConfig
    states: InfoStates
    draw_probs: tuple[Row, ...]
    name: str = "table"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"name {self.name!r}: a text is needed")
        num_patterns, num_columns = self.states.shape
        lengths = {len(row) for row in self.draw_probs}
        if len(self.draw_probs) != num_patterns or lengths != {num_columns}:
            shape = f"({len(self.draw_probs)}, {', '.join(map(str, sorted(lengths)))})"
            raise ValueError(f"draw_prob has shape {shape}; {num_patterns} x {num_columns} are needed")
        problem = next((self._problem(*place) for place in self._illegal_places()), None)
        if problem:
            raise ValueError(problem)

    def _illegal_places(self) -> Iterable[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        for pattern, (row, legal) in enumerate(
            zip(self.draw_probs, legal_table(self.rules, self.states), strict=True)
        ):
            if (id(row), id(legal)) in seen:  # a row that stands for many patterns is checked once
                continue
            seen.add((id(row), id(legal)))
            for column, prob in enumerate(row):
                if not _is_prob(prob) or (len(legal[column]) == 1 and prob != legal[column][0]):
                    yield pattern, column

    def _problem(self, pattern: int, column: int) -> str:
        prob, total = self.draw_probs[pattern][column], self.states.column_totals[column]
        hand = self.states.hands[column // self.states.num_suit_classes]
        where = f"hand {' '.join(map(str, hand))} (total {total}), choices {self.states.patterns[pattern]}"
        if not _is_prob(prob):
            return f"draw_prob {prob!r} for {where}: must be a Fraction from 0 to 1"
        forced = legal_table(self.rules, self.states)[pattern][column][0]
        return (
            f"draw_prob {prob} for {where}: {self.rules.name!r} forces the {self.states.role} "
            f"to {forced.name} on {total}, so {int(forced)} is needed"
        )

    @property
    def role(self) -> Role:
        """Player or banker."""
        return self.states.role

    @property
    def num_players(self) -> int:
        """Players against the banker."""
        return self.states.num_players

    @property
    def seat(self) -> int:
        """The seat, 0 at the banker's left; `num_players` for the banker."""
        return self.states.seat

    @cached_property
    def array(self) -> npt.NDArray[np.float64]:
        """`draw_probs` as float64, shape (num_patterns, num_columns), read-only."""
        array = np.array([[float(prob) for prob in row] for row in self.draw_probs])
        array.flags.writeable = False
        return array

    def for_every_suit_class(self) -> TabularPolicy:
        """The same play by one who sees the suit class of his hand too, holding a Dragon stake."""
        rows = tuple(tuple(prob for prob in row for _ in SuitClass) for row in self.draw_probs)
        return TabularPolicy(self.rules, replace(self.states, with_suits=True), rows, self.name)

    def texts(self) -> list[list[str]]:
        """`draw_probs` for JSON: fractions as texts."""
        return [[str(prob) for prob in row] for row in self.draw_probs]

    @property
    def is_deterministic(self) -> bool:
        """Whether it never mixes."""
        return all(prob in (0, 1) for row in self.draw_probs for prob in row)

    def draw_prob(
        self, hand: str | Iterable[int], choices: Sequence[str] = (), suits: SuitClass | None = None
    ) -> Fraction:
        """The probability of drawing.

        >>> from pan9_gym import load_rules, policies
        >>> policies.get("wizard", load_rules("bicycle"), role="banker").draw_prob("0 1 5", ("stand",))
        Fraction(1, 1)

        Raises:
            ValueError: If there is no such information state.
        """
        return self.draw_probs[self.states.pattern_index(choices)][self.states.column(hand, suits)]

    def greedy(self, name: str | None = None) -> TabularPolicy:
        """The policy that takes the likelier move everywhere; equal chances stand."""
        half = Fraction(1, 2)
        rows = tuple(tuple(Fraction(prob > half) for prob in row) for row in self.draw_probs)
        return TabularPolicy(self.rules, self.states, rows, name or f"{self.name}, greedy")

    @classmethod
    def from_totals(
        cls,
        rules: RulesLike,
        role: Role | str,
        draw_on: DrawOn,
        num_players: int = 1,
        seat: int = 0,
        name: str = "by totals",
    ) -> TabularPolicy:
        """A policy that draws on some totals.

        Args:
            rules: A sheet's name, a path, or a `RulesConfig`.
            role: "player" or "banker".
            draw_on: A set of totals for every pattern; or a mapping from what is seen to a set: the token of
                the one earlier seat, the number of seats that drew, or the tuple of tokens.
            num_players: Players against the banker.
            seat: The player's seat.
            name: What tables call it.

        Raises:
            ValueError: If a total or key is wrong, a pattern is missing, or a forced move is not taken.
        """
        rules = load_rules(rules)
        states = info_states(rules, role, num_players, seat)
        if isinstance(draw_on, Mapping):
            by_key = {key: _totals_row(states, totals) for key, totals in draw_on.items()}
            rows = tuple(by_key[_matching_key(pattern, by_key)] for pattern in states.patterns)
            unused = [key for key in by_key if not any(_matches(key, pattern) for pattern in states.patterns)]
            if unused:
                raise ValueError(f"draw_on: no pattern of choices fits the key {unused[0]!r}")
        else:
            rows = (_totals_row(states, draw_on),) * states.shape[0]
        return cls(rules, states, rows, name)

    @classmethod
    def from_callable(
        cls,
        rules: RulesLike,
        role: Role | str,
        function: Callable[..., Any],
        num_players: int = 1,
        seat: int = 0,
        name: str = "callable",
        with_suits: bool = False,
    ) -> TabularPolicy:
        """A policy from any function, such as a neural net of any framework.

        The function is asked once about every information state in which the seat has a choice; where the
        rules force a move, that move is taken.

        Args:
            rules: A sheet's name, a path, or a `RulesConfig`.
            role: "player" or "banker".
            function: `function(hand, choices) -> draw probability`; `hand` is the sorted tuple of point
                values, `choices` the tuple of tokens. With `with_suits` a third argument is the `SuitClass`.
            num_players: Players against the banker.
            seat: The player's seat.
            name: What tables call it.
            with_suits: Whether the player holds a Dragon stake.

        >>> from pan9_gym import load_rules
        >>> always = TabularPolicy.from_callable(load_rules("bicycle"), "player", lambda hand, choices: 1.0)
        >>> always.draw_prob("6 3 0")
        Fraction(1, 1)

        Raises:
            ValueError: If an answer is no probability.
        """
        if not callable(function):
            raise ValueError(
                f"function {function!r}: a function(hand, choices) -> draw probability is needed"
            )
        rules = load_rules(rules)
        states = info_states(rules, role, num_players, seat, with_suits)
        rows = []
        for pattern, legal in zip(states.patterns, legal_table(rules, states), strict=True):
            row = []
            for column, moves in enumerate(legal):
                hand, suits = _column_state(states, column)
                if len(moves) == 1:
                    row.append(Fraction(moves[0]))
                else:
                    arguments = (hand, pattern, suits) if with_suits else (hand, pattern)
                    row.append(_exact_prob(function(*arguments), arguments))
            rows.append(tuple(row))
        return cls(rules, states, tuple(rows), name)

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON (design: rows of exact fractions), atomically."""
        storage.write(
            Path(path),
            {
                "format": storage.FORMAT,
                "name": self.name,
                "role": str(self.role),
                "num_players": self.num_players,
                "seat": self.seat,
                "with_suits": self.states.with_suits,
                "rules_name": self.rules.name,
                "rules_fingerprint": self.rules.fingerprint,
                "layout_fingerprint": self.states.fingerprint,
                "draw_prob": [[str(prob) for prob in row] for row in _without_repetition(self.draw_probs)],
            },
        )

    @classmethod
    def load(cls, path: str | Path, rules: RulesLike, allow_other_rules: bool = False) -> TabularPolicy:
        """Read a policy file.

        Args:
            path: The file.
            rules: The rules it is for: a sheet's name, a path, or a `RulesConfig`.
            allow_other_rules: Accept a file made for other rules; moves that are not legal under `rules` are
                replaced by the forced move, and a warning lists them.

        Raises:
            ConfigError: If the file is no policy file, is damaged, or is for other rules or another layout.
        """
        rules = load_rules(rules)
        data = storage.read(Path(path))
        try:
            states = info_states(rules, data.role, data.num_players, data.seat, data.with_suits)
            storage.check_fits(path, data, rules, states, allow_other_rules)
            rows = data.rows(path, states)
            if allow_other_rules:
                rows = storage.with_forced_moves(path, rows, rules, states)
            return cls(rules, states, rows, data.name)
        except ConfigError:
            raise
        except ValueError as error:  # a seat, a shape or a move that these rules do not know
            raise ConfigError(f"{path}: {error}") from None


def _column_state(states: InfoStates, column: int) -> tuple[tuple[int, ...], SuitClass | None]:
    hand, suits = divmod(column, states.num_suit_classes)
    return states.hands[hand], SuitClass(suits) if states.with_suits else None


def _without_repetition(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows[:1] if all(row == rows[0] for row in rows) else rows


def _totals_row(states: InfoStates, totals: Iterable[int]) -> Row:
    try:
        wanted = set(totals)
    except TypeError:
        example = "a collection of totals, such as {0, 1}, is needed"
        raise ValueError(f"draw_on {totals!r}: {example}") from None
    wrong = sorted(wanted - set(TOTALS), key=repr)
    if wrong:
        raise ValueError(f"draw_on: {wrong[0]!r} is not a total; allowed are 0-9")
    return tuple(Fraction(total in wanted) for total in states.column_totals)


def _matches(key: object, pattern: Choices) -> bool:
    if isinstance(key, int):
        return sum(token_action(token) is Action.DRAW for token in pattern) == key
    if isinstance(key, str):
        return len(pattern) == 1 and pattern[0] == key
    return key == pattern


def _matching_key(pattern: Choices, keys: Iterable[object]) -> object:
    found = [key for key in keys if _matches(key, pattern)]
    if len(found) != 1:
        how = "no key" if not found else f"the keys {found}"
        raise ValueError(f"draw_on: {how} for the choices {pattern}; exactly one is needed")
    return found[0]


def _is_prob(value: object) -> bool:
    return isinstance(value, Fraction) and 0 <= value.numerator <= value.denominator


def _exact_prob(answer: Any, arguments: tuple[object, ...]) -> Fraction:
    try:
        number = answer.item() if hasattr(answer, "item") else answer  # whatever a framework's scalar is
        if isinstance(number, str | bytes):
            raise TypeError
        exact = isinstance(number, numbers.Rational)
        prob = Fraction(number) if exact else Fraction(float(number))
    except (TypeError, ValueError, OverflowError, RuntimeError):  # no number, several, or not finite
        raise ValueError(f"function{arguments} answered {answer!r}; a probability is needed") from None
    if not 0 <= prob <= 1:
        raise ValueError(f"function{arguments} answered {answer!r}; a probability from 0 to 1 is needed")
    return prob
