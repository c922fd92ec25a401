"""Whose turn it is to hold the bank (U4, B2, S1, T7, R2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Bank:
    """The bank's way round the table.

    Attributes:
        order: Who is offered the bank, clockwise; the House among them where it takes its turn.
        most: How many hands in a row one may bank; `None` where a banker keeps it until he loses (R2).
        turn: Whose turn it is, a place in `order`.
        held: How many hands in a row he has banked.
        refusals: How many have refused since the last hand.
    """

    order: tuple[str, ...]
    most: int | None = 1
    turn: int = 0
    held: int = 0
    refusals: int = 0

    @property
    def candidate(self) -> str:
        """Who is offered the bank next."""
        return self.order[self.turn]

    @property
    def rounds_refused(self) -> int:
        """How many times in a row all have refused."""
        return self.refusals // len(self.order)

    @property
    def all_refused(self) -> bool:
        """Whether the last refusal completed a round of refusals."""
        return self.refusals > 0 and self.refusals % len(self.order) == 0

    def accept(self) -> None:
        """The candidate banks a hand."""
        self.held += 1
        self.refusals = 0

    def refuse(self) -> None:
        """The candidate does not bank; one who has banked and passes has not refused his turn."""
        if not self.held:
            self.refusals += 1
        self._move_on()

    def hand_over(self, used: bool = True, lost: bool = False) -> bool:
        """A hand is over.

        Args:
            used: Whether it counts as the candidate's; where the House took the bank it does not (U5).
            lost: Whether an opposing hand won.

        Returns:
            Whether his turn is over.
        """
        if not used:
            self.held -= 1
            return False
        if lost if self.most is None else self.held >= self.most:
            self._move_on()
            return True
        return False

    def _move_on(self) -> None:
        self.held = 0
        self.turn = (self.turn + 1) % len(self.order)
