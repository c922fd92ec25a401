"""Corrections of a hand whose draw is over, and the round replayed with them (H5, H8, H10, H11)."""

from __future__ import annotations

from pan9_gym.policies.named import LOGICAL_WAY
from pan9_gym.rules.cards import Card
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.terms import Action
from pan9_gym.table.dealing import first_cards, kind_of, take
from pan9_gym.table.faults import FaultKind
from pan9_gym.table.state import Hand, TableState


def replay(hand: Hand) -> None:
    """The round once more, with what was corrected."""
    if not hand.amended:
        return
    game = hand.dealt
    round_ = game.new_round().deal_first_cards(first_cards(hand, game))
    for seat, action in enumerate(hand.actions):
        round_ = round_.apply(action)
        if action is Action.DRAW:
            round_ = round_.apply(kind_of(hand.drawn[seat], game))
    hand.round, hand.amended = round_, False


def check_hands(state: TableState) -> None:
    """Once the banker has acted, clockwise from his left: reset misplayed hands, replace exposed cards."""
    hand = state.current
    for seat in range(len(hand.seats) - 1):
        if seat in hand.logical:
            _reset(state, seat)
        if seat in hand.to_replace:
            _replace(state, seat)


def _reset(state: TableState, seat: int) -> None:
    """Put right a hand that the house dealer misplayed (H5).

    A missing card comes after the banker's and a surplus one is removed, or the cards are backed up.
    """
    hand = state.current
    place = hand.seats[seat]
    proper = Action(int(hand_total(card_values(hand.rules, hand.initial[seat])) in LOGICAL_WAY))
    legal = hand.dealt.legal_moves[seat][hand_total(card_values(hand.rules, hand.initial[seat]))]
    if proper is hand.actions[seat] or proper not in legal:
        return
    state.tell("fault", fault=FaultKind.MISPLAYED.value, place=place)
    hand.actions[seat], hand.amended = proper, True
    if state.config.misplayed_card == "backed_up":
        _back_up(state, seat)
        return
    if proper is Action.DRAW:
        _give_late(state, seat)
        return
    remove_draw_card(state, seat)


def remove_draw_card(state: TableState, seat: int) -> None:
    """Take a draw card off a hand; one that lay face up has been seen all the same."""
    hand = state.current
    card = hand.drawn.pop(seat)
    state.tell("card_removed", place=hand.seats[seat], card=str(card))
    if seat in hand.to_replace:
        hand.open_cards.append(card)
        hand.to_replace.remove(seat)


def _back_up(state: TableState, seat: int) -> None:
    """Each hand from this seat on gets the draw card that it was due; the banker keeps his own."""
    hand = state.current
    players = range(seat, len(hand.seats) - 1)
    cards: list[tuple[Card, bool]] = []
    for other in players:
        if other in hand.drawn:
            card = hand.drawn.pop(other)
            cards.append((card, other in hand.to_replace))
            state.tell("card_removed", place=hand.seats[other], card=str(card))
    due = [other for other in players if hand.actions[other] is Action.DRAW]
    hand.to_replace = [other for other in hand.to_replace if other < seat]
    for number, other in enumerate(due):
        if number == len(cards):
            cards.append((take(state, drawing=True), False))
        card, exposed = cards[number]
        if exposed:
            hand.to_replace.append(other)
        _give(state, other, card)
    hand.open_cards += [card for card, exposed in cards[len(due) :] if exposed]


def _replace(state: TableState, seat: int) -> None:
    """Replace a draw card that was exposed (H8)."""
    hand = state.current
    remove_draw_card(state, seat)
    hand.amended = True
    _give_late(state, seat)


def _give_late(state: TableState, seat: int) -> None:
    _give(state, seat, take(state, drawing=True))


def _give(state: TableState, seat: int, card: Card) -> None:
    hand = state.current
    place = hand.seats[seat]
    hand.drawn[seat] = card
    state.tell("card", place=place, to=hand.owner(place), card=str(card), turn="draw", exposed=False)
