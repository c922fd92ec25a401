"""The words of the game: actions, outcomes, roles and what is visible.

The numbers behind the names are fixed here and nowhere else; other libraries number the same two actions the
other way round, so code uses the names.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Action(IntEnum):
    """What a seat does with its hand once."""

    STAND = 0
    DRAW = 1


class Outcome(IntEnum):
    """A wager's result for the player who made it, before any rule on ties."""

    LOSS = -1
    TIE = 0
    WIN = 1


class Role(StrEnum):
    """A seat's part in a hand. The banker is the card rooms' *player-dealer*."""

    PLAYER = "player"
    BANKER = "banker"

    @property
    def opponent(self) -> Role:
        """The other role."""
        return Role.BANKER if self is Role.PLAYER else Role.PLAYER


class Visible(StrEnum):
    """What a seat that acts later, the banker above all, sees of a seat that acted earlier."""

    NOTHING = "nothing"
    CHOICE = "choice"
    CARD = "card"


class SuitClass(IntEnum):
    """How alike the suits of a hand are; `SAME_COLOUR` excludes `SUITED` (clauses S6, S7)."""

    SUITED = 0
    SAME_COLOUR = 1
    OFF_SUIT = 2

    @property
    def label(self) -> str:
        """In words, such as "off suit"."""
        return self.name.lower().replace("_", " ")


STAND_TOKEN = "stand"
"""A stood hand, as seats that act later see it."""

DRAW_TOKEN = "draw"
"""A hand that drew, as seats that act later see it where the drawn card stays face down."""


def draw_token(value: int | None) -> str:
    """A hand that drew, as later seats see it: `"draw"`, or `"draw:7"` where the card lies face up."""
    return DRAW_TOKEN if value is None else f"{DRAW_TOKEN}:{value}"


def token_action(token: str) -> Action:
    """The action behind a token.

    >>> token_action("draw:7")
    <Action.DRAW: 1>
    """
    return Action.STAND if token == STAND_TOKEN else Action.DRAW
