"""The side bets of the rule sheets: their pay tables, and what a stake of one unit wins.

Payoffs are net, in units per unit staked: a payout of 100 to 1 gives +100, a lost stake -1. The cards settle
a side bet whether the hand wins or loses.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pan9_gym.rules.cards import Card, suit_class
from pan9_gym.rules.fields import Flag, FrozenMapping, Payout, TotalPayouts
from pan9_gym.rules.terms import SuitClass

LOST = Fraction(-1)

BC_RANK = "3"
"""The rank that the BC bonus pays (S6)."""


class SideBet(StrEnum):
    """The side bets a sheet may offer, by the names of their fields."""

    TIE = "tie"
    DRAGON = "dragon"
    SUPER_0 = "super_0"
    BC = "bc"
    BANKER_HAND = "banker_hand"


NEEDS_SUITS = frozenset({SideBet.DRAGON, SideBet.BC})
"""The side bets that only suits can settle."""


class _PayTable(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TieWager(_PayTable):
    """A wager that the final totals are equal (U10)."""

    payout: Payout = Fraction(7)
    against: Literal["house", "banker"] = "house"

    def payoff(self, player_total: int, banker_total: int) -> Fraction:
        """Net units per unit staked."""
        return self.payout if player_total == banker_total else LOST


class BankerHandWager(_PayTable):
    """A wager that the banker's hand wins; equal totals return it (R3)."""

    payout: Payout = Fraction(19, 20)

    def payoff(self, player_total: int, banker_total: int) -> Fraction:
        """Net units per unit staked."""
        if player_total == banker_total:
            return Fraction(0)
        return self.payout if banker_total > player_total else LOST


class SuitPayouts(_PayTable):
    """A payout for each suit class."""

    suited: Payout
    same_colour: Payout
    off_suit: Payout

    def of(self, kind: SuitClass) -> Fraction:
        """The payout of a suit class."""
        by_class: dict[SuitClass, Fraction] = {
            SuitClass.SUITED: self.suited,
            SuitClass.SAME_COLOUR: self.same_colour,
            SuitClass.OFF_SUIT: self.off_suit,
        }
        return by_class[kind]


class DragonBonus(_PayTable):
    """A wager that the player's final hand totals 9, paid by its size and suits (S7)."""

    three_card: SuitPayouts = SuitPayouts(suited=Fraction(20), same_colour=Fraction(10), off_suit=Fraction(2))
    four_card: SuitPayouts = SuitPayouts(suited=Fraction(100), same_colour=Fraction(40), off_suit=Fraction(4))

    def payoff(self, total: int, num_cards: int, kind: SuitClass) -> Fraction:
        """Net units per unit staked for a final hand of three or four cards."""
        if num_cards not in (3, 4):
            raise ValueError(f"a hand of {num_cards} cards has no Dragon payout; allowed are 3 and 4 cards")
        if total != 9:
            return LOST
        return (self.three_card if num_cards == 3 else self.four_card).of(kind)


class Super0(_PayTable):
    """A wager on a tie on a low total (S8).

    `on` is the reading of the pay table's column: the total of a player-banker tie, or the player's own total
    (which would be worth about +12 units a unit to the player).
    """

    payouts: TotalPayouts = FrozenMapping(
        {0: Fraction(100), 1: Fraction(50), 2: Fraction(40), 3: Fraction(20), 4: Fraction(10)}
    )
    on: Literal["tie", "own_total"] = "tie"

    def payoff(self, player_total: int, banker_total: int) -> Fraction:
        """Net units per unit staked."""
        if self.on == "tie" and player_total != banker_total:
            return LOST
        return self.payouts.get(player_total, LOST)


class BCBonus(_PayTable):
    """A wager that the first three cards are threes, paid in money by their suits (S6).

    `prizes` and `stake` are in dollars; `stake_returned` says whether a winner also gets the stake back.
    """

    prizes: SuitPayouts = SuitPayouts(
        suited=Fraction(3000), same_colour=Fraction(300), off_suit=Fraction(150)
    )
    stake: Payout = Fraction(1)
    stake_returned: Flag = True

    def payoff(self, cards: tuple[Card, ...]) -> Fraction:
        """Net units per unit staked for the first three cards."""
        if len(cards) != 3:
            raise ValueError(f"{len(cards)} cards have no BC bonus; it is paid on the first three")
        if any(card.rank != BC_RANK for card in cards):
            return LOST
        prize = self.prizes.of(suit_class(cards)) / self.stake
        return prize if self.stake_returned else prize - 1


class SideBets(_PayTable):
    """The side bets a sheet offers; a missing one is not offered."""

    tie: TieWager | None = None
    dragon: DragonBonus | None = None
    super_0: Super0 | None = None
    bc: BCBonus | None = None
    banker_hand: BankerHandWager | None = None

    @property
    def offered(self) -> tuple[SideBet, ...]:
        """The side bets on offer, in a fixed order."""
        return tuple(bet for bet in SideBet if getattr(self, bet) is not None)

    def payoff(
        self, bet: SideBet, cards: tuple[Card, ...], num_initial_cards: int, totals: tuple[int, int]
    ) -> Fraction:
        """Net units per unit staked on `bet` for a player's final hand.

        Args:
            bet: The side bet; it must be offered.
            cards: The player's final hand in the order dealt; suits are needed for `NEEDS_SUITS`.
            num_initial_cards: How many of the cards were dealt before the draw.
            totals: The final totals (player, banker).

        Raises:
            ValueError: If the sheet does not offer the bet.
        """
        table = getattr(self, bet)
        if isinstance(table, TieWager | Super0 | BankerHandWager):
            return table.payoff(*totals)
        if isinstance(table, DragonBonus):
            return table.payoff(totals[0], len(cards), suit_class(cards))
        if isinstance(table, BCBonus):
            return table.payoff(cards[:num_initial_cards])
        raise ValueError(f"side bet {bet.value!r} is not offered by these rules")
