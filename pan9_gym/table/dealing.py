"""The deal: dice, three cards to each hand one at a time, and the round that goes on from them (T2, T5, S2).

Cards leave the shoe in `take`, which knows what to do with boxed, dead and wrongly taken cards (H9) and where
the shoe runs out (H7). A misdeal returns all cards and deals again.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import cast

from pan9_gym.game.round import Game, new_game
from pan9_gym.game.shoe import CardKind
from pan9_gym.rules.cards import Card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.table.faults import FaultKind
from pan9_gym.table.seating import NUM_PLACES, action_place, clockwise_from, counted_place
from pan9_gym.table.state import Hand, Stage, TableState

RAN_OUT = "shoe_ran_out"
"""The reason of a misdeal after which a new shoe is needed."""


class Misdeal(Exception):
    """The hand must be dealt again (H7)."""


@lru_cache(maxsize=4096)
def game_of(rules: RulesConfig, dragons: tuple[bool, ...], first_to_deal: int) -> Game:
    """The game of a hand; stakes in it only say who knows the suits of his hand."""
    stakes = [{SideBet.DRAGON.value: 1} if dragon else None for dragon in dragons]
    return new_game(rules, len(dragons), side_stakes=stakes, first_to_deal=first_to_deal)


def kind_of(card: Card, game: Game) -> CardKind:
    """A card as the round has it: with its suit only where suits are part of what a seat knows."""
    return card if game.with_suits else game.rules.point_values[card.rank]


def prepare_shoe(state: TableState) -> None:
    """Shuffle before a hand where the cut card has come up, or every hand has a fresh shoe."""
    if state.config.shoe == "fresh" or state.stale or state.shoe.cut_card_reached:
        new_shoe(state)


def new_shoe(state: TableState) -> None:
    """Shuffle all cards."""
    state.shoe.shuffle()
    state.discards.clear()
    state.seen.clear()
    state.stale = False
    state.tell("shuffle", cards=state.shoe.num_cards_left)


def take(state: TableState, drawing: bool = False) -> Card:
    """The next card that plays.

    Args:
        state: The table.
        drawing: Whether this is the draw, in which a shoe that runs out is filled from the discards.

    Raises:
        Misdeal: If the shoe runs out in the deal, or there are no discards.
    """
    hand = state.current
    while True:
        if state.shoe.num_cards_left == 0:
            _refill(state, drawing)
        card = cast(Card, state.shoe.draw())
        number = len(hand.taken)
        hand.taken.append(card)
        if not state.faults.active or _plays(state, card, number):
            return card


def _plays(state: TableState, card: Card, number: int) -> bool:
    """Whether a card plays; boxed and dead cards do not (H9)."""
    for kind in (FaultKind.BOXED, FaultKind.DEAD):
        if state.faults.of_card(kind, number):
            state.tell("fault", fault=kind.value, card=str(card))
            if kind is FaultKind.BOXED:
                state.current.open_cards.append(card)
            return False
    if state.faults.of_card(FaultKind.OUT_OF_ORDER, number):  # it goes under the shoe and is the next in play
        state.tell("fault", fault=FaultKind.OUT_OF_ORDER.value, card=str(card))
    return True


def _refill(state: TableState, drawing: bool) -> None:
    if not drawing or not state.discards:
        raise Misdeal(RAN_OUT)
    number = ceil(state.config.discard_part * len(state.discards))
    order = state.rng.permutation(len(state.discards))
    picked = [state.discards[place] for place in order[:number]]
    state.discards[:] = [state.discards[place] for place in order[number:]]
    for card, shown in picked:
        state.seen[state.config.rules.point_values[card.rank]] -= shown
    state.shoe.put_back([card for card, _ in picked])
    state.stale = True
    state.tell("discards_shuffled", cards=[str(card) for card, _ in picked])


def run_deal(state: TableState) -> None:
    """Throw the dice and deal until a deal stands (H7: new dice, and nothing else anew)."""
    hand = state.current
    while True:
        _clear(hand)
        try:
            _set_action(state)
            _deal_cards(state)
            _check_counts(state)
        except Misdeal as misdeal:
            declare_misdeal(state, str(misdeal))
            continue
        _open_round(state)
        hand.stage = Stage.DRAW if hand.round is not None else Stage.SETTLE
        return


def declare_misdeal(state: TableState, reason: str) -> None:
    """Return all cards; bank, wagers and collections stay (H7)."""
    hand = state.current
    state.tell("misdeal", reason=reason)
    if reason == RAN_OUT:
        new_shoe(state)
    else:
        state.shoe.put_back(hand.taken)
        state.tell("cards_returned", cards=[str(card) for card in hand.taken])
    hand.taken = []
    hand.stage = Stage.DEAL


def _clear(hand: Hand) -> None:
    hand.hand_places = hand.base_places()
    hand.deals += 1
    hand.taken, hand.cards, hand.exposed = [], {}, {}
    hand.round, hand.seats, hand.initial, hand.actions, hand.drawn = None, (), [], [], {}
    hand.amended, hand.logical, hand.to_replace, hand.dealt_late = False, set(), [], []
    hand.missed, hand.players_set, hand.banker_shown = None, False, False
    hand.fouled, hand.void, hand.open_cards = {}, set(), []


def _set_action(state: TableState) -> None:
    """Where deal and settlement begin (T2)."""
    hand, config = state.current, state.config
    left = hand.hand_places[0]
    hand.action = hand.first = left
    if not config.num_dice:
        return
    dice = state.dice.throw()
    counted = counted_place(hand.banker_place, sum(dice))
    hand.action = action_place(hand.banker_place, counted, hand.hand_places)
    if config.deal_from == "action":
        on_banker = counted == hand.banker_place and config.banker_count == "banker_first"
        hand.first = counted if on_banker else hand.action
    state.tell("dice", dice=list(dice), counted=counted, action=hand.action, first=hand.first)


def _deal_cards(state: TableState) -> None:
    hand, config = state.current, state.config
    dealt = {*hand.hand_places, hand.banker_place}
    places = clockwise_from(hand.first, range(NUM_PLACES) if config.deal_empty_seats else dealt)
    short = _short_places(state)
    hand.cards = {place: [] for place in places}
    for turn in range(hand.rules.num_initial_cards):
        for place in places:
            if turn == hand.rules.num_initial_cards - 1 and short.get(place) == -1:
                continue
            _deal_one(state, place, unseen=place not in dealt)
    for place in places:
        if short.get(place) == 1:
            _deal_one(state, place, unseen=False)
    for place in places:
        if place not in dealt:
            del hand.cards[place]


def _short_places(state: TableState) -> dict[int, int]:
    """Places that get a card too few (-1) or too many (1), with what becomes of it later."""
    hand = state.current
    short: dict[int, int] = {}
    if not state.faults.active:
        return short
    for place in (*hand.hand_places, hand.banker_place):
        kind = FaultKind.BANKER_COUNT if place == hand.banker_place else FaultKind.WRONG_NUMBER
        fault = state.faults.of_hand(kind, place)
        if fault is not None:
            short[place] = 1 if fault.surplus else -1
            hand.fouled[place] = "reported" if fault.reported else "wrong_number"
    return short


def _deal_one(state: TableState, place: int, unseen: bool) -> None:
    hand = state.current
    card = take(state)
    number = len(hand.taken) - 1
    if state.faults.active and state.faults.of_card(FaultKind.WRONG_SPOT, number):
        state.tell("fault", fault=FaultKind.WRONG_SPOT.value, card=str(card), place=place)
        raise Misdeal(FaultKind.WRONG_SPOT.value)
    hand.cards[place].append(card)
    exposed = state.faults.active and bool(state.faults.of_card(FaultKind.EXPOSED, number))
    who = "" if unseen else hand.owner(place)
    state.tell("card", place=place, to=who, card=str(card), turn="deal", exposed=exposed)
    if unseen and exposed:
        hand.open_cards.append(card)
    elif exposed:
        expose(state, who, card)


def expose(state: TableState, who: str, card: Card) -> None:
    """A card lands face up, for everybody to see (H8)."""
    hand = state.current
    hand.exposed = {**hand.exposed, who: (*hand.exposed.get(who, ()), card)}


def _check_counts(state: TableState) -> None:
    """What a wrong number of cards leads to, as far as it is seen before the draw (H7, H15)."""
    hand = state.current
    for place, reason in list(hand.fouled.items()):
        wrong = {"place": place, "cards": len(hand.cards[place]), "reported": reason == "reported"}
        if place == hand.banker_place:
            if reason == "reported":
                state.tell("fault", fault=FaultKind.BANKER_COUNT.value, **wrong)
                raise Misdeal(FaultKind.BANKER_COUNT.value)
            continue
        state.tell("fault", fault=FaultKind.WRONG_NUMBER.value, **wrong)
        if reason == "reported" and state.config.reported_foul == "misdeal":
            raise Misdeal(FaultKind.WRONG_NUMBER.value)
        if reason == "reported":
            hand.void.add(place)
            del hand.fouled[place]
        hand.hand_places = tuple(other for other in hand.hand_places if other != place)
        hand.open_cards += hand.exposed.get(hand.owner(place), ())


def _open_round(state: TableState) -> None:
    """The round of the hands that play; none where no player's hand is left."""
    hand = state.current
    if not hand.hand_places:
        return
    hand.seats = (*hand.hand_places, hand.banker_place)
    first = hand.seats.index(clockwise_from(hand.first, hand.seats)[0])
    dragons = {wager.place for wager in hand.sides if wager.bet is SideBet.DRAGON}
    game = game_of(hand.rules, tuple(place in dragons for place in hand.hand_places), first)
    number = hand.rules.num_initial_cards
    hand.initial = [tuple(hand.cards[place][:number]) for place in hand.seats]
    if len(hand.initial[-1]) < number:  # H7: the banker's short hand is found when it is opened
        hand.initial[-1] = (*hand.initial[-1], *(hand.initial[0][:1] * (number - len(hand.initial[-1]))))
    hand.round = game.new_round().deal_first_cards(first_cards(hand, game))


def first_cards(hand: Hand, game: Game) -> list[CardKind]:
    """The first cards in the order of the deal."""
    seats = len(hand.seats)
    order = [(game.first_to_deal + step) % seats for step in range(seats)]
    return [
        kind_of(hand.initial[seat][turn], game)
        for turn in range(hand.rules.num_initial_cards)
        for seat in order
    ]
