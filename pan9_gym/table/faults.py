"""What goes wrong at a table: a model of faults by their rates, and a list of faults for worked scenarios.

The table asks the model at every opportunity; what it then does is in `dealing` and `procedure` (H5-H17).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, Field


class FaultKind(StrEnum):
    """The kinds of fault.

    Each is asked about once per card that leaves the shoe (BOXED, DEAD, OUT_OF_ORDER, EXPOSED), once per card
    of the deal (WRONG_SPOT), or once per hand of cards (the others).
    """

    BOXED = "boxed"
    DEAD = "dead"
    OUT_OF_ORDER = "out_of_order"
    EXPOSED = "exposed"
    WRONG_SPOT = "wrong_spot"
    BANKER_COUNT = "banker_count"
    WRONG_NUMBER = "wrong_number"
    BANKER_EXPOSED = "banker_exposed"
    MISSED_DRAW = "missed_draw"
    LATE_MOVE = "late_move"
    MISPLAYED = "misplayed"
    FOULED = "fouled"
    TOUCHED_WAGER = "touched_wager"
    MISANNOUNCED = "misannounced"


Rate = Field(default=0.0, ge=0.0, lt=1.0, strict=True)


class FaultRates(BaseModel):
    """How often each kind of fault happens per opportunity; none by default.

    Attributes:
        boxed: A card lies face up in the shoe (H9).
        dead: A card is dealt off the table (H9).
        out_of_order: A card is taken out of the shoe by error (H9).
        exposed: A card lands face up on the table (H8).
        wrong_spot: A card of the deal goes to the wrong place (H7).
        banker_count: The banker is dealt a wrong number of cards (H7).
        wrong_number: A player is dealt a wrong number of cards (H15).
        banker_exposed: The banker's hand is exposed before a player's choice (H6).
        missed_draw: A hand that asked for a card is passed over (H10).
        late_move: A hand is moved to the other box after the draw (H11).
        misplayed: The house dealer misplays a hand the logical way (H5).
        fouled: A player fouls his hand (H14).
        touched_wager: A player touches his wager after "all hands set" (H13).
        misannounced: A total is announced wrongly (H17).
        reported: Of the wrong numbers of cards, how many are seen before the draw begins (H7, H15).
        surplus: Of the wrong numbers of cards, how many are one too many.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    boxed: float = Rate
    dead: float = Rate
    out_of_order: float = Rate
    exposed: float = Rate
    wrong_spot: float = Rate
    banker_count: float = Rate
    wrong_number: float = Rate
    banker_exposed: float = Rate
    missed_draw: float = Rate
    late_move: float = Rate
    misplayed: float = Rate
    fouled: float = Rate
    touched_wager: float = Rate
    misannounced: float = Rate
    reported: float = Field(default=0.5, ge=0.0, le=1.0, strict=True)
    surplus: float = Field(default=0.5, ge=0.0, le=1.0, strict=True)

    def deals_a_hand(self, num_hands: int, num_cards: int, foul_is_misdeal: bool) -> float:
        """How often a hand is dealt in the mean, misdeals counted (H7).

        Args:
            num_hands: Hands dealt to, the banker's too.
            num_cards: Cards of each before the draw.
            foul_is_misdeal: Whether a wrong number of cards that is reported in time is a misdeal (H15).
        """
        stands = (1 - self.wrong_spot) ** (num_hands * num_cards) * (1 - self.banker_count)
        if foul_is_misdeal:
            stands *= (1 - self.wrong_number * self.reported) ** (num_hands - 1)
        return 1 / max(stands, sys.float_info.min)

    @property
    def cards_a_card(self) -> float:
        """How many cards leave the shoe in the mean until one plays (H9)."""
        return 1 / ((1 - self.boxed) * (1 - self.dead))

    @property
    def any(self) -> bool:
        """Whether anything ever goes wrong."""
        return any(getattr(self, kind) for kind in FaultKind)


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        kind: What goes wrong.
        card: For a fault of a card, which one since the deal began, the first being 0; replacements count.
        place: For a fault of a hand, its place.
        reported: Whether a wrong number of cards is seen before the draw begins.
        surplus: Whether a wrong number of cards is one too many, not one too few.
    """

    kind: FaultKind
    card: int | None = None
    place: int | None = None
    reported: bool = True
    surplus: bool = True


class Faults(Protocol):
    """Whatever decides what goes wrong."""

    @property
    def active(self) -> bool:
        """Whether anything may go wrong at all."""
        ...

    def of_card(self, kind: FaultKind, card: int) -> Fault | None:
        """Whether this happens to the card with this number."""
        ...

    def of_hand(self, kind: FaultKind, place: int) -> Fault | None:
        """Whether this happens to the hand at this place."""
        ...


class RandomFaults:
    """Faults at random, with given rates.

    Args:
        rates: How often each kind happens.
        rng: The source of randomness; a rate of 0 uses none.
    """

    def __init__(self, rates: FaultRates, rng: np.random.Generator) -> None:
        self._rates = rates
        self._rng = rng
        self.active = rates.any

    def of_card(self, kind: FaultKind, card: int) -> Fault | None:
        """Whether this happens to the card with this number."""
        return Fault(kind, card=card) if self._strikes(getattr(self._rates, kind)) else None

    def of_hand(self, kind: FaultKind, place: int) -> Fault | None:
        """Whether this happens to the hand at this place."""
        if not self._strikes(getattr(self._rates, kind)):
            return None
        reported, surplus = self._strikes(self._rates.reported), self._strikes(self._rates.surplus)
        return Fault(kind, place=place, reported=reported, surplus=surplus)

    def _strikes(self, rate: float) -> bool:
        return rate > 0.0 and bool(self._rng.random() < rate)


class ListedFaults:
    """Faults as a scenario lists them; each happens once.

    Args:
        faults: The faults.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._left = list(faults)

    @property
    def active(self) -> bool:
        """Whether one is left."""
        return bool(self._left)

    def of_card(self, kind: FaultKind, card: int) -> Fault | None:
        """Whether this happens to the card with this number."""
        return self._take(next((f for f in self._left if f.kind is kind and f.card == card), None))

    def of_hand(self, kind: FaultKind, place: int) -> Fault | None:
        """Whether this happens to the hand at this place."""
        return self._take(next((f for f in self._left if f.kind is kind and f.place == place), None))

    def _take(self, fault: Fault | None) -> Fault | None:
        if fault is not None:
            self._left.remove(fault)
        return fault
