"""The compiled steps of a hand: random numbers, cards, choices, money. One code for every sheet.

The round `i` is the row of the arrays that a step works on. Numbers are uint64 wherever they index, which
saves the check for negative indexes.
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
rare_step = njit(**OPTIONS)
maker = njit(inline="always", **OPTIONS)
"""For what holds a record, which no compiled function can return."""

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
def mix(number: U64) -> U64:
    """A one-to-one scrambling of 64 bits."""
    number = (number ^ (number >> SHIFT_1)) * MIX_1
    number = (number ^ (number >> SHIFT_2)) * MIX_2
    return number ^ (number >> SHIFT_3)


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
def legal_moves(h: Hand, cards: U64, pattern: U64) -> Any:
    """The agent's mask, two int8 as one uint16, for first cards of this sum after this pattern."""
    return h.t.legal[pattern * h.t.tableau, h.t.last_digit[(cards >> VALUE_SHIFT) & VALUE]]


@maker
def other_policies(h: Hand, t: Record, moves: Array, draw_probs: Array) -> Hand:
    """The same cards, played by other policies."""
    return Hand(t, moves, draw_probs, h.cards, h.totals, h.actions)


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
def seat_net(h: Hand, i: U64, seat: U64) -> Any:
    """A seat's net, float64: the exact one, rounded once."""
    banker = h.t.num_seats - ONE
    if h.t.with_suits == ZERO and (seat != banker or banker == ONE):
        player = seat if seat != banker else ZERO
        return h.t.paid[seat, U64(h.totals[i, player]) * TEN + U64(h.totals[i, banker])]
    units = seat_units(h, i, seat) * h.t.unit_numerator[seat]
    return np.float64(units) / h.t.unit_denominator[seat]
