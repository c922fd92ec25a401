"""What happened at the table, as data: one `Event` per step, complete enough to recompute every figure.

Every value is what JSON can hold: money is a whole number of chips or a text such as "19/20", a card is its
text such as "Qs", a place is a number from 0 to 7, a participant is "seat_0" to "seat_7", "house" or "room".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Event:
    """One step of a hand.

    Attributes:
        kind: Its name, such as "card" or "transfer".
        data: Its particulars.
    """

    kind: str
    data: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the kind under "event", then the particulars."""
        return {"event": self.kind, **self.data}


def money(amount: Fraction | int) -> int | str:
    """A sum of money for JSON: whole chips as a number, parts of a chip as a text.

    >>> money(Fraction(4)), money(Fraction(19, 20))
    (4, '19/20')
    """
    return amount.numerator if amount.denominator == 1 else str(amount)
