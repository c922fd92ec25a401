"""The compiled loops over shoes in which the agent decides before each hand what to play it for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pan9_gym.game.batch_compile import kernel
from pan9_gym.game.batch_dealing import (
    Arrays,
    Source,
    all_unseen,
    deal_next,
    hand,
    new_shoe,
    show_shoe,
    source,
    use_up,
)
from pan9_gym.game.batch_kernels import (
    FINE,
    FREE,
    ILLEGAL,
    NOT_AN_ACTION,
    NOT_WAITING,
    STAND_ONLY,
    play_on,
)
from pan9_gym.game.batch_steps import (
    GAMMA,
    ONE,
    U64,
    ZERO,
    Array,
    Hand,
    ended_by_natural,
    first_sum,
    info_state,
    legal_moves,
    other_policies,
    play_seats,
    seat_units,
    step,
)

DRAW_ACTIONS = 2
"""Actions below this number are draw decisions; the others pick an amount."""


class Seat(NamedTuple):
    """The agent's seat in every round; arrays are as in `BatchShoes`.

    Attributes:
        amounts: int64, shape (levels,): what it may play a hand for.
        money: int64, shape (3,): net = (units x amount x money[0] - money[1]) / money[2].
        listed: uint16, shape (rounds,): cards of the shoe that somebody listed; 0 for a shuffled one.
        cards: uint32, shape (rounds, most): the listed cards, in the order of the deal.
        amount: int32, shape (rounds,).
        wagering: bool, shape (rounds,).
        info: int32, shape (rounds,); -1 while no draw is due.
        legal: uint8, shape (rounds,): the legal draw decisions, 1 for standing and 2 for drawing; 0 while no
            draw is due.
        pattern: uint32, shape (rounds,), the earlier choices.
        used: uint8, shape (rounds,), cards used.
        hand_over: bool, shape (rounds,).
        shoe_over: bool, shape (rounds,).
        paid: float64, shape (rounds,).
    """

    amounts: Array
    money: Array
    listed: Array
    cards: Array
    amount: Array
    wagering: Array
    info: Array
    legal: Array
    pattern: Array
    used: Array
    hand_over: Array
    shoe_over: Array
    paid: Array


@step
def ask_for_amount(a: Seat, i: U64) -> None:
    """A round waits for the amount of its next hand."""
    a.wagering[i], a.info[i], a.legal[i] = True, -1, 0


@step
def is_legal(a: Seat, i: U64, action: Any) -> bool:
    """Whether an action of the right range may be played."""
    if action >= DRAW_ACTIONS:
        return bool(a.wagering[i])
    return (U64(a.legal[i]) >> U64(action)) & ONE != ZERO


@step
def first_legal(a: Seat, i: U64) -> Any:
    """The legal action with the lowest number."""
    if a.wagering[i]:
        return DRAW_ACTIONS
    return 0 if a.legal[i] & 1 else 1


@step
def is_over(s: Source, a: Seat, i: U64) -> bool:
    """Whether no further hand is dealt from the shoe: the cut card has come, or too few cards are left."""
    end, cut = s.t.size, s.t.cut_place
    if a.listed[i] > 0:
        end = cut = U64(a.listed[i])
    return s.at[i] >= cut or end - U64(s.at[i]) < s.t.max_cards


@step
def end_hand(s: Source, h: Hand, a: Seat, i: U64, used: U64) -> None:
    """Settle a hand of the agent or, for the amount 0, of another one in its seat; its cards are seen."""
    a.paid[i] = 0.0
    if a.amount[i] != 0:
        units = seat_units(h, i, h.t.agent) * a.amount[i] * a.money[0] - a.money[1]
        a.paid[i] = np.float64(units) / np.float64(a.money[2])
    use_up(s, h, i, used)
    a.hand_over[i] = True
    a.shoe_over[i] = is_over(s, a, i)
    ask_for_amount(a, i)


@step
def open_next(s: Source, h: Hand, a: Seat, i: U64) -> U64:
    """Lay out the cards of the next hand; where the random stream stands then."""
    stream = s.streams[i] + GAMMA
    if a.listed[i] > 0:
        show_listed(s, h, a, i)
    else:
        stream = deal_next(s, h, i, s.t.max_cards, stream)
    s.streams[i] = stream
    return stream


@step
def lay_out_again(s: Source, h: Hand, a: Seat, i: U64) -> None:
    """Lay out the cards of the hand that waits; in a row of its own they lie there still."""
    if a.listed[i] > 0:
        show_listed(s, h, a, i)
    elif s.shoe.shape[0] > 0:
        show_shoe(s, h, i)


@step
def show_listed(s: Source, h: Hand, a: Seat, i: U64) -> None:
    """Lay out the next cards of a listed shoe."""
    place = U64(s.at[i])
    for number in range(s.t.max_cards):
        h.cards[number] = a.cards[i, place + number]


@step
def play_for(s: Source, h: Hand, other: Hand, a: Seat, i: U64, amount: Any, skip: bool) -> None:
    """Deal a hand for an amount and play it to the agent's draw decision, or to its end without one."""
    a.amount[i] = amount
    stream, used, seat = open_next(s, h, a, i), h.t.num_first, h.t.agent
    if ended_by_natural(h, i):
        end_hand(s, h, a, i, used)
        return
    if amount == 0:
        _, used = play_seats(other, i, stream, ZERO, h.t.num_seats, ZERO, used)
        end_hand(s, h, a, i, used)
        return
    pattern, used = play_seats(h, i, stream, ZERO, seat, ZERO, used)
    own = first_sum(h, seat)
    legal = legal_moves(h, own, pattern)
    if skip and legal != FREE:
        end_hand(s, h, a, i, play_on(h, i, stream, U64(legal != STAND_ONLY), pattern, used))
        return
    a.info[i], a.wagering[i] = info_state(h, seat, own, pattern), False
    a.pattern[i], a.used[i] = pattern, used
    a.legal[i] = U64(legal == FREE or legal == STAND_ONLY) | U64(legal != STAND_ONLY) << ONE


@kernel
def start_shoes(
    arrays: Arrays,
    which: Array,
    a: Seat,
) -> None:
    """Start the shoes of `which`: a shuffled one, or the one that is listed."""
    s = source(arrays)
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            if a.listed[i] == 0:
                s.streams[i] = new_shoe(s, hand(arrays, i), i, s.streams[i])
            else:
                all_unseen(s, i)
            a.amount[i], a.hand_over[i], a.shoe_over[i] = 0, False, False
            ask_for_amount(a, i)


@step
def find_wrong(chosen: Array, which: Array, a: Seat, strict: bool) -> Any:
    """The first round whose action cannot be played, and why."""
    for i in range(U64(chosen.shape[0])):
        if which[i]:
            if a.shoe_over[i]:
                return np.int64(i), NOT_WAITING
            if chosen[i] < 0 or chosen[i] >= DRAW_ACTIONS + a.amounts.shape[0]:
                return np.int64(i), NOT_AN_ACTION
            if strict and not is_legal(a, i, chosen[i]):
                return np.int64(i), ILLEGAL
    return 0, FINE


@kernel
def play_shoes(
    arrays: Arrays,
    which: Array,
    a: Seat,
    other_moves: Array,
    other_probs: Array,
    other_starts: Array,
    strict: bool,
    skip: bool,
    chosen: Array,
    played: Array,
    replaced: Array,
) -> tuple[int, int]:
    """Play one decision in each round of `which`; nothing is played where an action is wrong.

    `other_moves`, `other_probs` and `other_starts` are a table whose policies play every seat.
    """
    s = source(arrays)
    index, problem = find_wrong(chosen, which, a, strict)
    if problem != FINE:
        return index, problem
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            h = hand(arrays, i)
            action = chosen[i]
            if not is_legal(a, i, action):
                action = first_legal(a, i)
            played[i], replaced[i], a.hand_over[i] = action, action != chosen[i], False
            if a.wagering[i]:
                other = other_policies(h, other_starts[0], other_moves, other_probs)
                play_for(s, h, other, a, i, a.amounts[action - DRAW_ACTIONS], skip)
            else:
                lay_out_again(s, h, a, i)
                used = play_on(h, i, s.streams[i], U64(action), U64(a.pattern[i]), U64(a.used[i]))
                end_hand(s, h, a, i, used)
    return 0, FINE
