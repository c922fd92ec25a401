"""The compiled steps of a hand: random numbers, cards, choices, money. One code for every sheet.

The round `i` is the row of the arrays that a step works on. Numbers are uint64 wherever they index, which
saves the check for negative indexes. Whatever the source, a hand's cards are first laid out in the order of
the deal, as many as it may take at most; playing it uses them one by one, and an untaken draw uses none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pan9_gym.game import batch_tables as tables

Array = np.ndarray[Any, Any]
Record = Any

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Nothing is allocated, so arrays need no counts of references (`_nrt`), which cost twice the hand itself."""

step = njit(forceinline=True, **OPTIONS)

U64 = np.uint64
ZERO, ONE, TEN = U64(0), U64(1), U64(10)

# SplitMix64 (Steele, Lea, Flood 2014), with Stafford's variant 13 of the mixing function.
GAMMA = U64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = U64(0xBF58476D1CE4E5B9), U64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3 = U64(30), U64(27), U64(31)
SEAT_GAMMA = U64(0xD1342543DE82EF95)
PART_BITS, PART, PARTS = U64(16), U64(0xFFFF), U64(1 << 16)
MANTISSA_SHIFT, TO_UNIT = U64(11), 2.0**-53

KEY = U64((1 << tables.KEY_BITS) - 1)
VALUE, VALUE_SHIFT = U64((1 << tables.VALUE_BITS) - 1), U64(tables.VALUE_SHIFT)
SUIT, SUIT_SHIFT = U64((1 << tables.SUIT_BITS) - 1), U64(tables.SUIT_SHIFT)
NOT_BC = U64(tables.NOT_BC_RANK)
MIXED = U64(tables.MIXED)
OWN, HELD = U64(tables.OWN), U64(tables.HELD)
NO_ACTION = -1


class Source(NamedTuple):
    """Where cards come from.

    Attributes:
        t: The record of `batch_tables.TABLES`.
        codes: The shoe, uint32, shape (size,); a continuing shoe's kinds are its first places.
        stamps: uint64, shape (size + 1,): for each place of a fresh shoe the hand that drew it last; the last
            entry counts hands.
        streams: uint64, shape (rounds,): where each round's random stream stands.
        shoe: A continuing shoe's cards by kind, uint8, shape (rounds, size); (0, 0) for fresh shoes.
        at: uint16, shape (rounds,): the place of the next card of a continuing shoe.
        unseen: uint16, shape (rounds, values): cards in it by point value before the hand.
        given: uint32, shape (rounds, max_cards): cards that somebody listed, in the order of the deal.
        listed: uint8, shape (rounds,): how many he listed; 0 for a hand from the shoe.
    """

    t: Record
    codes: Array
    stamps: Array
    streams: Array
    shoe: Array
    at: Array
    unseen: Array
    given: Array
    listed: Array


class Hand(NamedTuple):
    """How hands are played.

    Attributes:
        t: The record of `batch_tables.TABLES`.
        moves: The seats' moves by information state, uint8, shape (states,).
        draw_probs: The probabilities where a move is `MIXED`, float64, shape (states,).
        cards: The cards of the hand at work, uint32, shape (max_cards + 1,), in the order of the deal; the
            last is no card.
        totals: uint8, shape (rounds, seats).
        actions: int8, shape (rounds, seats); -1 where a natural ended the hand.
    """

    t: Record
    moves: Array
    draw_probs: Array
    cards: Array
    totals: Array
    actions: Array


@step
def row_of(cards: Array, i: U64) -> U64:
    """Where round `i` has its cards: in a row of its own, or in the one row that all share."""
    return min(i, U64(cards.shape[0]) - ONE)


@step
def mix(number: U64) -> U64:
    """A one-to-one scrambling of 64 bits."""
    number = (number ^ (number >> SHIFT_1)) * MIX_1
    number = (number ^ (number >> SHIFT_2)) * MIX_2
    return number ^ (number >> SHIFT_3)


@step
def too_low(low: U64, bound: U64) -> Any:
    """Whether a part of a product lies in the remainder that would favour some numbers (Lemire 2019)."""
    return low < bound and low < PARTS % bound


@step
def below(bound: U64, stream: U64) -> tuple[U64, U64]:
    """A uniform whole number below `bound`, and where the random stream stands then."""
    while True:
        stream += GAMMA
        product = (mix(stream) & PART) * bound
        if not too_low(product & PART, bound):
            return product >> PART_BITS, stream


@step
def deal_fresh(s: Source, h: Hand, stream: U64) -> U64:
    """Lay out cards of a full shoe: a place that was drawn before in this hand is drawn again."""
    size, wanted, dealt = s.t.size, s.t.max_cards, ZERO
    least = PARTS % size
    hand = s.stamps[size] + ONE
    s.stamps[size] = hand
    stamp = hand * s.t.finite
    while dealt < wanted:
        stream += GAMMA
        word = mix(stream)
        for _ in range(4):
            product = (word & PART) * size
            word >>= PART_BITS
            place = product >> PART_BITS
            if dealt < wanted and (product & PART) >= least and s.stamps[place] != hand:
                s.stamps[place] = stamp
                h.cards[dealt] = s.codes[place]
                dealt += ONE
    return stream


@step
def shuffle_on(s: Source, i: U64, start: U64, number: U64, stream: U64) -> U64:
    """Bring random cards to the places from `start` on of a continuing shoe (Fisher-Yates)."""
    size, place, end = s.t.size, start, start + number
    while place < end:
        stream += GAMMA
        word = mix(stream)
        for _ in range(4):
            left = size - place
            product = (word & PART) * left
            word >>= PART_BITS
            if place < end and not too_low(product & PART, left):
                picked = place + (product >> PART_BITS)
                card = s.shoe[i, picked]
                s.shoe[i, picked] = s.shoe[i, place]
                s.shoe[i, place] = card
                place += ONE
    return stream


@step
def mark_seen(s: Source, i: U64, code: U64, number: U64) -> None:
    """Take a card off the counts of the shoe, or leave it where `number` is 0."""
    s.unseen[i, s.t.class_of_value[(code >> VALUE_SHIFT) & VALUE]] -= np.uint16(number)


@step
def new_shoe(s: Source, i: U64, stream: U64) -> U64:
    """Start a shoe: all cards are back, and those beyond the number drawn from the range are dealt out."""
    for value in range(s.unseen.shape[1]):
        s.unseen[i, value] = s.t.full_counts[value]
    burnt = s.t.size - s.t.least_start
    if burnt > ZERO:
        number, stream = below(s.t.most_start - s.t.least_start + ONE, stream)
        burnt -= number
        stream = shuffle_on(s, i, ZERO, burnt, stream)
        for place in range(burnt):
            mark_seen(s, i, U64(s.codes[s.shoe[i, place]]), ONE)
    s.at[i] = burnt
    return stream


@step
def deal_on(s: Source, h: Hand, i: U64, stream: U64) -> U64:
    """Lay out the next cards of a continuing shoe, of a new one after the cut card."""
    if s.at[i] >= s.t.cut_place or s.t.size - U64(s.at[i]) < s.t.max_cards:
        stream = new_shoe(s, i, stream)
    stream = shuffle_on(s, i, U64(s.at[i]), s.t.max_cards, stream)
    lay_out(s, h, i)
    return stream


@step
def lay_out(s: Source, h: Hand, i: U64) -> None:
    """Lay out a hand that was dealt before; one from a fresh shoe lies there still."""
    if s.listed[i] > 0:
        for number in range(s.t.max_cards):
            h.cards[number] = s.given[i, number]
    elif s.shoe.shape[0] > 0:
        show_shoe(s, h, i)


@step
def show_shoe(s: Source, h: Hand, i: U64) -> None:
    """Lay out the next cards of a continuing shoe as they lie there."""
    place = U64(s.at[i])
    for number in range(s.t.max_cards):
        h.cards[number] = s.codes[s.shoe[i, place + number]]


@step
def open_hand(s: Source, h: Hand, i: U64) -> U64:
    """Lay out the cards of a new hand; where the random stream stands then."""
    stream = s.streams[i]
    if s.listed[i] > 0:
        stream += GAMMA
        lay_out(s, h, i)
    elif s.shoe.shape[0] > 0:
        stream = deal_on(s, h, i, stream)
    else:
        stream = deal_fresh(s, h, stream)
    s.streams[i] = stream
    return stream


@step
def use_up(s: Source, h: Hand, i: U64, used: U64) -> None:
    """Of the cards laid out from a continuing shoe the used ones are seen; the others were never dealt."""
    for number in range(s.t.max_cards):
        mark_seen(s, i, U64(h.cards[number]), U64(number < used))
    s.at[i] = U64(s.at[i]) + used


@step
def close_hand(s: Source, h: Hand, i: U64, used: U64) -> None:
    """After a hand: its cards are out of a continuing shoe."""
    if s.shoe.shape[0] > 0 and s.listed[i] == 0:
        use_up(s, h, i, used)


@step
def give_up(s: Source, h: Hand, i: U64, used: U64) -> None:
    """A hand that waits is not played on: what it used is out of a continuing shoe."""
    if s.shoe.shape[0] > 0:
        show_shoe(s, h, i)
        use_up(s, h, i, used)


@step
def first_sum(h: Hand, seat: U64) -> U64:
    """The sum of a seat's first cards: key and value."""
    slots, cards = h.t.first_slots[seat], h.cards
    return U64(cards[slots[0]]) + U64(cards[slots[1]]) + U64(cards[slots[2]])


@step
def first_suits(h: Hand, seat: U64) -> U64:
    """The union of the suit bits of a seat's first cards."""
    slots, cards = h.t.first_slots[seat], h.cards
    return ((U64(cards[slots[0]]) | U64(cards[slots[1]]) | U64(cards[slots[2]])) >> SUIT_SHIFT) & SUIT


@step
def info_state(h: Hand, seat: U64, cards: U64, pattern: U64) -> U64:
    """The number of what a seat knows, as `InfoStates.number` defines it."""
    hand = pattern * h.t.sees[seat] * h.t.num_hands + U64(h.t.hand_index[cards & KEY])
    if h.t.suit_factor[seat] == ONE:
        return hand
    return hand * h.t.suit_factor[seat] + U64(h.t.suit_class[first_suits(h, seat)])


@step
def chance(stream: U64, seat: U64) -> float:
    """A number in [0, 1) with 53 bits: the seat's own for this hand, so that no choice moves another's."""
    return np.float64(mix(stream + SEAT_GAMMA * (seat + ONE)) >> MANTISSA_SHIFT) * TO_UNIT


@step
def act(h: Hand, i: U64, seat: U64, cards: U64, action: U64, pattern: U64, used: U64) -> tuple[U64, U64]:
    """A seat stands or draws the next card; the pattern of choices and the cards used afterwards."""
    value = ((U64(h.cards[used]) >> VALUE_SHIFT) & VALUE) * action
    h.totals[i, seat] = h.t.last_digit[((cards >> VALUE_SHIFT) & VALUE) + value]
    h.actions[i, seat] = action
    return pattern + h.t.weight[seat] * action * (ONE + value * h.t.cards_seen), used + action


@step
def play_seats(
    h: Hand, i: U64, stream: U64, first: U64, end: U64, pattern: U64, used: U64
) -> tuple[U64, U64]:
    """The seats from `first` up to `end` choose by their policies."""
    for seat in range(first, end):
        cards = first_sum(h, seat)
        state = h.t.policy_start[seat] + info_state(h, seat, cards, pattern)
        action = U64(h.moves[state])
        if action == MIXED:
            action = U64(chance(stream, seat) < h.draw_probs[state])
        pattern, used = act(h, i, seat, cards, action, pattern, used)
    return pattern, used


@step
def ended_by_natural(h: Hand, i: U64) -> bool:
    """Whether a natural ends the hand; its totals and the missing actions are written then."""
    if h.t.has_naturals == ZERO:
        return False
    found = ZERO
    for seat in range(h.t.num_seats):
        total = h.t.last_digit[(first_sum(h, seat) >> VALUE_SHIFT) & VALUE]
        h.totals[i, seat], h.actions[i, seat] = total, NO_ACTION
        found |= h.t.natural[total]
    return found != ZERO


@step
def suit_units(h: Hand, i: U64, kind: U64, player: U64) -> Any:
    """What the bets on suits bring, in units of the seat that is paid."""
    suits, used = first_suits(h, player), h.t.num_first
    units = h.t.bc[kind, player, U64(suits < NOT_BC), h.t.suit_class[suits]]
    drew = U64(h.actions[i, player] == 1)
    for earlier in range(player):
        used += U64(h.actions[i, earlier] == 1)
    suits |= ((U64(h.cards[used]) >> SUIT_SHIFT) & SUIT) * drew
    return units + h.t.dragon[kind, player, U64(h.totals[i, player] == 9), drew, h.t.suit_class[suits]]


@step
def player_units(h: Hand, i: U64, kind: U64, player: U64) -> Any:
    """A player's net, or what the banker has of him, in units."""
    totals = U64(h.totals[i, player]) * TEN + U64(h.totals[i, h.t.num_seats - ONE])
    units = h.t.pays[kind, player, totals]
    return units if h.t.with_suits == ZERO else units + suit_units(h, i, kind, player)


@step
def seat_units(h: Hand, i: U64, seat: U64) -> Any:
    """A seat's net in its units, int64."""
    if seat + ONE != h.t.num_seats:
        return player_units(h, i, OWN, seat)
    units = np.int64(0)
    for player in range(seat):
        units += player_units(h, i, HELD, player)
    return units


@step
def settle(h: Hand, i: U64, payoffs: Array, first: U64, end: U64) -> None:
    """Write the nets of the seats from `first` up to `end`, float64: the exact nets, rounded once."""
    for seat in range(first, end):
        units = seat_units(h, i, seat) * h.t.unit_numerator[seat]
        payoffs[i, seat - first] = np.float64(units) / h.t.unit_denominator[seat]
