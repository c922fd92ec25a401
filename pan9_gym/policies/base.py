"""What decides: the `Policy` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

from pan9_gym.rules.terms import SuitClass


@runtime_checkable
class Policy(Protocol):
    """Anything that says, for each information state of a seat, with which probability it draws."""

    def draw_prob(
        self, hand: str | Iterable[int], choices: Sequence[str] = (), suits: SuitClass | None = None
    ) -> Fraction | float:
        """The probability of drawing.

        Args:
            hand: Point values of the first cards.
            choices: Tokens of the earlier seats that are seen, first seat first.
            suits: The hand's suit class, only while a Dragon stake is held.
        """
        ...
