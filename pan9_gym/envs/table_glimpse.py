"""What one participant may know at a moment of a hand: the only place where the table environment looks.

Cards come from the own hand, or from the hand that one is asked to play; choices of other hands are those
that the information state of that hand has; wagers, bank, dice and exposed cards are public.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pan9_gym.game.round import Round
from pan9_gym.rules.cards import Card
from pan9_gym.rules.terms import Action, SuitClass
from pan9_gym.table.dealing import kind_of
from pan9_gym.table.requests import Phase, Request
from pan9_gym.table.seating import place_of
from pan9_gym.table.settling import final_cards
from pan9_gym.table.state import Hand, TableState, Wager
from pan9_gym.table.table import Table


@dataclass(frozen=True)
class Seen:
    """What was seen of a hand's choice.

    Attributes:
        action: The choice.
        card: The point value of the drawn card where the rules show it.
    """

    action: Action
    card: int | None = None


@dataclass(frozen=True)
class Glimpse:
    """What a participant may know.

    Attributes:
        place: His place.
        participant: Who he is.
        phase: What is asked; `None` between hands.
        asked: The place of whoever is asked.
        playing: The place of the hand that is to be played, while a draw is asked.
        banker: The banker's place; `None` while the bank is offered.
        action: Where settlement begins; `None` before the dice.
        stake: The banker's stake in chips, 0 without one.
        wagers: All wagers and side bets.
        values: Point values of his first cards.
        suits: Their suit class where it is part of his information state.
        opened: The final cards of all hands by place, once they are settled.
        seen: The choices that he has seen, his own among them, by place.
        exposed: Cards that lie face up, by place.
        unseen: Cards of each point value that no former hand has shown.
        held: Hands in a row that whoever is offered the bank has banked.
        refusals: Refusals since the last hand.
    """

    place: int
    participant: str
    phase: Phase | None = None
    asked: int | None = None
    playing: int | None = None
    banker: int | None = None
    action: int | None = None
    stake: float = 0.0
    wagers: tuple[Wager, ...] = ()
    values: tuple[int, ...] = ()
    suits: SuitClass | None = None
    opened: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    seen: Mapping[int, Seen] = field(default_factory=dict)
    exposed: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    unseen: tuple[int, ...] = ()
    held: int = 0
    refusals: int = 0


def glimpse(table: Table, participant: str) -> Glimpse:
    """What a participant may know now."""
    state, request = table.state, table.pending
    hand = state.current
    place = place_of(participant)
    drawing = request is not None and request.phase is Phase.DRAW
    playing = request.view.place if request is not None and drawing else None
    shown = playing if request is not None and request.participant == participant else None
    values, suits, seen = _cards(hand, place if shown is None else shown)
    return Glimpse(
        place=place,
        participant=participant,
        phase=None if request is None else request.phase,
        asked=None if request is None else place_of(request.participant),
        playing=playing,
        banker=hand.banker_place if hand.banker else None,
        action=hand.action if hand.action >= 0 else None,
        stake=float(hand.stake or 0),
        wagers=(*hand.wagers, *hand.sides),
        values=values,
        suits=suits,
        seen=seen,
        exposed={place_of(who): cards for who, cards in hand.exposed.items() if who},
        unseen=_unseen(state, request),
        held=state.bank.held,
        refusals=state.bank.refusals,
    )


def opened(table: Table) -> Glimpse:
    """What everybody may know once a hand is settled; `place` is nobody's."""
    hand = table.state.current
    cards = {place: tuple(dealt) for place, dealt in hand.cards.items()}
    cards |= {place: final_cards(hand, seat) for seat, place in enumerate(hand.seats)}
    seen = {place: Seen(action) for place, action in zip(hand.seats, hand.actions, strict=False)}
    anybody = glimpse(table, table.config.participants[0])
    return replace(anybody, place=-1, values=(), suits=None, opened=cards, seen=seen)


def _unseen(state: TableState, request: Request | None) -> tuple[int, ...]:
    return state.unseen() if request is None else request.view.unseen


def _cards(hand: Hand, place: int) -> tuple[tuple[int, ...], SuitClass | None, dict[int, Seen]]:
    """What the owner or player of a hand knows by it; nothing where there is none."""
    if hand.round is None or place not in hand.seats:
        return (), None, {}
    seat, round_ = hand.seats.index(place), hand.round
    chosen = range(len(round_.choices))
    visible = [other for other in chosen if other < round_.game.states[seat].num_visible or other == seat]
    seen = {hand.seats[other]: _choice(round_, seat, other) for other in visible}
    return _values(hand, seat, place), round_.suit_class(seat), seen


def _values(hand: Hand, seat: int, place: int) -> tuple[int, ...]:
    """A seat's first cards; for a banker who was dealt too few only those (H7)."""
    dealt = hand.cards[place]
    if len(dealt) < hand.rules.num_initial_cards:
        return hand.dealt.values_of(tuple(kind_of(card, hand.dealt) for card in dealt))
    return hand.playing.initial_hand(seat)


def _choice(round_: Round, seat: int, other: int) -> Seen:
    action = round_.choices[other]
    if action is Action.STAND or other == seat or not round_.game.states[seat].cards_seen:
        return Seen(action)
    return Seen(action, round_.game.values_of(round_.hands[other][-1:])[0])
