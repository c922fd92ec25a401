"""The state of a table: the hand in play, the accounts, and what goes on from hand to hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from pan9_gym.game.round import Game, Round
from pan9_gym.rules.cards import Card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Action
from pan9_gym.table.bank import Bank
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import Event, money
from pan9_gym.table.faults import Faults
from pan9_gym.table.seating import Dice, left_of
from pan9_gym.table.shoes import TableShoe


class Stage(StrEnum):
    """Where a hand stands."""

    BANK = "bank"
    STAKE = "stake"
    WAGER = "wager"
    OTHERS = "others"
    TOP_UP = "top_up"
    DEAL = "deal"
    DRAW = "draw"
    SETTLE = "settle"
    OVER = "over"


@dataclass(frozen=True)
class Wager:
    """A wager on a hand, or a side bet on it.

    Attributes:
        by: The bettor.
        place: The place of the hand.
        circle: 1 for the hand's own player, 2 and 3 for the back line (B8), 0 for other wagers.
        amount: Chips.
        bet: The side bet; `None` for a wager on the hand.
    """

    by: str
    place: int
    circle: int
    amount: Fraction
    bet: SideBet | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "by": self.by,
            "place": self.place,
            "circle": self.circle,
            "amount": money(self.amount),
            "bet": None if self.bet is None else self.bet.value,
        }


@dataclass
class Hand:
    """One hand. Places are 0 to 7; seats are numbers in draw order, the banker last.

    Attributes:
        number: The hand's number at this table, from 1.
        stage: Where it stands.
        rules: The rules of this hand; the House's where it banks.
        tied_circles: Which of equal wagers on a hand decides, the "lower" circle's or the "higher" (B8).
        banker: Who banks it.
        banker_place: Where he sits.
        turn_used: Whether it counts as the bank turn of whoever was offered the bank (U5).
        stake: The banker's stake; `None` without a limit.
        queue: Who is still to be asked for wagers.
        wagers: Wagers on hands, in the order they were made.
        sides: Side bets, likewise.
        shown_wagers: Both, and sits-out, as data for whoever is asked.
        collected: Collections paid, by (participant, place).
        hand_places: Places of the players' hands in draw order.
        action: Where settlement begins.
        first: Where the deal begins.
        deals: How many times the hand was dealt.
        taken: Cards that left the shoe since the deal began.
        cards: Each place's cards, the draw card last.
        exposed: Cards that lie face up, by participant.
        round: Its state.
        seats: Places of the round's seats, banker last.
        initial: Each seat's first cards.
        actions: What each seat did, corrections included.
        drawn: The draw cards by seat, corrections included.
        amended: Whether the round must be replayed with corrections.
        logical: Seats that are played the logical way.
        to_replace: Seats whose draw card was exposed (H8).
        dealt_late: Draw cards that are not yet given, as (seat, card, exposed) (T4, S3).
        missed: A seat that was passed over, and the card that is its own (H10).
        players_set: Whether all players' hands are set.
        banker_shown: Whether the banker's hand is open (H6).
        fouled: Places whose wagers are forfeited, with the reason (H13-H15).
        void: Places whose wagers are returned (H15).
        open_cards: Cards that all have seen and that are in no hand that will be opened (H8, H9).
        flows: What each account has won or lost in this hand.
    """

    number: int
    rules: RulesConfig
    tied_circles: str = "lower"
    stage: Stage = Stage.BANK
    banker: str = ""
    banker_place: int = -1
    turn_used: bool = True
    stake: Fraction | None = None
    queue: list[str] = field(default_factory=list)
    wagers: list[Wager] = field(default_factory=list)
    sides: list[Wager] = field(default_factory=list)
    shown_wagers: tuple[dict[str, Any], ...] = ()
    collected: list[tuple[str, int, Fraction]] = field(default_factory=list)
    hand_places: tuple[int, ...] = ()
    action: int = -1
    first: int = -1
    deals: int = 0
    taken: list[Card] = field(default_factory=list)
    cards: dict[int, list[Card]] = field(default_factory=dict)
    exposed: dict[str, tuple[Card, ...]] = field(default_factory=dict)
    round: Round | None = None
    seats: tuple[int, ...] = ()
    initial: list[tuple[Card, ...]] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    drawn: dict[int, Card] = field(default_factory=dict)
    amended: bool = False
    logical: set[int] = field(default_factory=set)
    to_replace: list[int] = field(default_factory=list)
    dealt_late: list[tuple[int, Card, bool]] = field(default_factory=list)
    missed: tuple[int, Card] | None = None
    players_set: bool = False
    banker_shown: bool = False
    fouled: dict[int, str] = field(default_factory=dict)
    void: set[int] = field(default_factory=set)
    open_cards: list[Card] = field(default_factory=list)
    flows: dict[str, Fraction] = field(default_factory=dict)

    @property
    def playing(self) -> Round:
        """The round.

        Raises:
            ValueError: If no cards are dealt.
        """
        if self.round is None:
            raise ValueError(f"hand {self.number}: no round is in play")
        return self.round

    @property
    def dealt(self) -> Game:
        """The game of the round."""
        return self.playing.game

    def owner(self, place: int) -> str:
        """Who has the hand at a place."""
        if place == self.banker_place:
            return self.banker
        return next((wager.by for wager in self.wagers if wager.place == place and wager.circle == 1), "")

    def base_places(self) -> tuple[int, ...]:
        """Places with a wager by their own player, in draw order."""
        return left_of(self.banker_place, [wager.place for wager in self.wagers if wager.circle == 1])

    def decider(self, place: int) -> str:
        """Who plays the hand: the largest wager on it has the last word, then the circle (B8)."""
        if place == self.banker_place:
            return self.banker
        on_it = [wager for wager in self.wagers if wager.place == place]
        way = -1 if self.tied_circles == "lower" else 1
        return max(on_it, key=lambda wager: (wager.amount, way * wager.circle)).by


@dataclass
class TableState:
    """Everything about a table that changes.

    Attributes:
        config: The table.
        rng: The source of randomness.
        shoe: Where the cards come from.
        dice: The dice cup.
        faults: What goes wrong.
        bank: Whose turn it is to bank.
        accounts: What everybody has won since the table opened, the room too.
        hand: The hand in play.
        num_hands: Hands begun.
        over: Whether the session has ended.
        discards: Cards of former hands since the last shuffle, and whether they were shown.
        seen: How many cards of each point value have been shown since the last shuffle.
        stale: Whether the shoe must be shuffled before the next hand.
        events: What has happened since the last decision.
    """

    config: TableConfig
    rng: np.random.Generator
    shoe: TableShoe
    dice: Dice
    faults: Faults
    bank: Bank
    accounts: dict[str, Fraction]
    hand: Hand | None = None
    num_hands: int = 0
    over: bool = False
    discards: list[tuple[Card, bool]] = field(default_factory=list)
    seen: Counter[int] = field(default_factory=Counter)
    stale: bool = True
    events: list[Event] = field(default_factory=list)

    @property
    def current(self) -> Hand:
        """The hand in play.

        Raises:
            ValueError: If there is none.
        """
        if self.hand is None:
            raise ValueError("no hand is in play; begin one")
        return self.hand

    def tell(self, kind: str, **data: Any) -> None:
        """Record an event."""
        self.events.append(Event(kind, data))

    def transfer(self, source: str, target: str, amount: Fraction, reason: str) -> None:
        """Move chips from one account to another, unless there is nothing to move."""
        if not amount:
            return
        flows = self.current.flows
        for account, change in ((source, -amount), (target, amount)):
            self.accounts[account] += change
            flows[account] = flows.get(account, Fraction(0)) + change
        self.tell("transfer", source=source, target=target, amount=money(amount), reason=reason)

    def end_bank_turn(self, opposing_hand_won: bool) -> None:
        """Count the hand to whose turn it is at the bank, and pass the bank on where his turn is over."""
        holder, used = self.bank.candidate, self.current.turn_used
        over = self.bank.hand_over(used, opposing_hand_won)
        self.tell("bank_turn", holder=holder, used=used, over=over, next=self.bank.candidate)

    def discard(self, card: Card, shown: bool) -> None:
        """A card goes to the discards; with replacement there are none."""
        if self.config.rules.with_replacement:
            return
        self.discards.append((card, shown))
        self.seen[self.config.rules.point_values[card.rank]] += shown

    def unseen(self) -> tuple[int, ...]:
        """Cards of each point value that nobody has seen since the last shuffle but in his own hand.

        Cards that lie face up in a hand in play are still counted; `View.exposed` has them.
        """
        rules = self.config.rules
        if rules.with_replacement:
            return rules.initial_counts
        seen = Counter(self.seen)
        seen.update(rules.point_values[card.rank] for card in (self.hand.open_cards if self.hand else ()))
        counts = zip(rules.values, rules.initial_counts, strict=True)
        return tuple(number - seen[value] for value, number in counts)
