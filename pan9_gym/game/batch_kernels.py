"""The compiled loops over rounds: deal to the agent's decision, finish it, play whole hands, tally them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pan9_gym.game import batch_tables as tables
from pan9_gym.game.batch_compile import kernel
from pan9_gym.game.batch_dealing import Arrays, Source, close_hand, give_up, hand, lay_out, open_hand, source
from pan9_gym.game.batch_steps import (
    ONE,
    U64,
    ZERO,
    Array,
    Hand,
    act,
    ended_by_natural,
    first_sum,
    info_state,
    legal_moves,
    other_policies,
    play_seats,
    seat_net,
    seat_units,
    step,
)

FREE, STAND_ONLY = np.uint16(tables.FREE_MASK), np.uint16(tables.STAND_MASK)
FINE, NOT_AN_ACTION, NOT_WAITING, ILLEGAL = 0, 1, 2, 3
"""What is wrong with an action."""


@step
def play_on(h: Hand, i: U64, stream: U64, action: U64, pattern: U64, used: U64) -> U64:
    """The agent acts and the later seats choose; how many cards the hand used."""
    agent = h.t.agent
    pattern, used = act(h, i, agent, first_sum(h, agent), action, pattern, used)
    pattern, used = play_seats(h, i, stream, agent + ONE, h.t.num_seats, pattern, used)
    return used


class Wait(NamedTuple):
    """What a round that waits for the agent is left with; arrays as in `BatchRound`.

    Attributes:
        info: int64, shape (rounds,), the information state.
        mask: uint16, shape (rounds,), legal actions.
        pattern: uint32, shape (rounds,), the earlier choices.
        used: uint8, shape (rounds,), cards used.
    """

    info: Array
    mask: Array
    pattern: Array
    used: Array


@step
def deal_once(s: Source, h: Hand, w: Wait, i: U64) -> bool:
    """Deal a hand and bring it to the agent's decision; whether it gets there."""
    stream = open_hand(s, h, i)
    if ended_by_natural(h, i):
        w.used[i] = h.t.num_first
        return False
    agent = h.t.agent
    pattern, used = play_seats(h, i, stream, ZERO, agent, ZERO, h.t.num_first)
    own = first_sum(h, agent)
    w.info[i], w.mask[i] = info_state(h, agent, own, pattern), legal_moves(h, own, pattern)
    w.pattern[i], w.used[i] = pattern, used
    return True


@step
def deal_one(s: Source, h: Hand, w: Wait, i: U64, skip: bool) -> bool:
    """Deal hands until one waits for the agent; a listed hand is dealt once, whether it waits or not."""
    reached = deal_once(s, h, w, i)
    if reached and not (skip and w.mask[i] != FREE):
        return True
    while s.listed[i] == 0:
        used = U64(w.used[i])
        if reached:
            action = U64(w.mask[i] != STAND_ONLY)
            used = play_on(h, i, s.streams[i], action, U64(w.pattern[i]), used)
        close_hand(s, h, i, used)
        reached = deal_once(s, h, w, i)
        if reached and not (skip and w.mask[i] != FREE):
            return True
    return False


@kernel
def deal_rounds(
    arrays: Arrays,
    which: Array,
    skip: bool,
    info: Array,
    mask: Array,
    pattern: Array,
    used: Array,
    waiting: Array,
) -> None:
    """Bring the rounds of `which` to the agent's decision; the other arrays are as in `BatchRound`."""
    s = source(arrays)
    w = Wait(info, mask, pattern, used)
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            h = hand(arrays, i)
            if waiting[i]:
                give_up(s, h, i, U64(used[i]))
            waiting[i] = deal_one(s, h, w, i, skip)


@step
def find_problem(chosen: Array, which: Array, waiting: Array, mask: Array, strict: bool) -> Any:
    """The first round whose action cannot be played, and why."""
    for i in range(U64(chosen.shape[0])):
        if which[i]:
            if not waiting[i]:
                return np.int64(i), NOT_WAITING
            if chosen[i] != 0 and chosen[i] != 1:
                return np.int64(i), NOT_AN_ACTION
            if strict and mask[i] != FREE and (chosen[i] == 0) != (mask[i] == STAND_ONLY):
                return np.int64(i), ILLEGAL
    return 0, FINE


class Done(NamedTuple):
    """What a finished round is left with; arrays as in `BatchRound`.

    Attributes:
        replaced: bool, shape (rounds,), whether an illegal action was replaced.
        payoffs: float64, shape (rounds,), the agent's net.
    """

    replaced: Array
    payoffs: Array


@step
def finish_one(s: Source, h: Hand, w: Wait, d: Done, i: U64, wanted: Any) -> None:
    """Play a round that waits to its end, with the legal action where another one is wanted."""
    lay_out(s, h, i)
    action = U64(wanted)
    if w.mask[i] != FREE:
        action = U64(w.mask[i] != STAND_ONLY)
    d.replaced[i] = action != U64(wanted)
    taken = play_on(h, i, s.streams[i], action, U64(w.pattern[i]), U64(w.used[i]))
    w.used[i] = taken
    d.payoffs[i] = seat_net(h, i, h.t.agent)
    close_hand(s, h, i, taken)


@kernel
def finish_rounds(
    arrays: Arrays,
    which: Array,
    strict: bool,
    chosen: Array,
    info: Array,
    mask: Array,
    pattern: Array,
    used: Array,
    waiting: Array,
    replaced: Array,
    payoffs: Array,
) -> tuple[int, int]:
    """Play the rounds of `which` to their end; nothing is played where an action is wrong."""
    s = source(arrays)
    index, problem = find_problem(chosen, which, waiting, mask, strict)
    if problem != FINE:
        return index, problem
    w, d = Wait(info, mask, pattern, used), Done(replaced, payoffs)
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            h = hand(arrays, i)
            finish_one(s, h, w, d, i, chosen[i])
            waiting[i] = False
    return 0, FINE


@kernel
def finish_and_deal(
    arrays: Arrays,
    which: Array,
    strict: bool,
    chosen: Array,
    info: Array,
    mask: Array,
    pattern: Array,
    used: Array,
    waiting: Array,
    replaced: Array,
    payoffs: Array,
    skip: bool,
    next_moves: Array,
    next_probs: Array,
    last_info: Array,
    last_action: Array,
    last_totals: Array,
) -> tuple[int, int]:
    """`finish_rounds` and then `deal_rounds`, round by round, with the next policies; one call for both.

    What the deal would overwrite of the finished hands goes to `last_info` and `last_action`, int64, shape
    (rounds,), and `last_totals`, int8, shape (rounds, seats).
    """
    s = source(arrays)
    index, problem = find_problem(chosen, which, waiting, mask, strict)
    if problem != FINE:
        return index, problem
    w, d = Wait(info, mask, pattern, used), Done(replaced, payoffs)
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            h = hand(arrays, i)
            last_info[i] = info[i]
            finish_one(s, h, w, d, i, chosen[i])
            last_action[i] = h.actions[i, h.t.agent]
            for seat in range(h.t.num_seats):
                last_totals[i, seat] = h.totals[i, seat]
            waiting[i] = deal_one(s, other_policies(h, h.t, next_moves, next_probs), w, i, skip)
    return 0, FINE


@step
def play_one(s: Source, h: Hand, i: U64) -> U64:
    """One whole hand of all seats; how many cards it used."""
    stream, used = open_hand(s, h, i), h.t.num_first
    if not ended_by_natural(h, i):
        _, used = play_seats(h, i, stream, ZERO, h.t.num_seats, ZERO, used)
    close_hand(s, h, i, used)
    return used


@kernel
def play_rounds(
    arrays: Arrays,
    which: Array,
    used: Array,
    payoffs: Array,
) -> None:
    """Play whole hands of the rounds of `which`, all seats by their policies."""
    s = source(arrays)
    for i in range(U64(s.streams.shape[0])):
        if which[i]:
            h = hand(arrays, i)
            used[i] = play_one(s, h, i)
            for seat in range(h.t.num_seats):
                payoffs[i, seat] = seat_net(h, i, seat)


@step
def tally(h: Hand, i: U64, joint: Array, sums: Array, squares: Array) -> None:
    """Count a finished hand: totals of each player and the banker, and nets with their squares."""
    banker = h.t.num_seats - ONE
    for player in range(banker):
        joint[player, h.totals[i, player], h.totals[i, banker]] += 1
    for seat in range(h.t.num_seats):
        units = seat_units(h, i, seat)
        square = U64(units * units)
        sums[seat] += units
        low = squares[seat, 0] + square
        squares[seat, 1] += U64(low < square)
        squares[seat, 0] = low


@kernel
def tally_hands(
    arrays: Arrays,
    number: U64,
    joint: Array,
    sums: Array,
    squares: Array,
) -> None:
    """Play `number` hands of round 0 one after the other and add them to the tallies.

    Args:
        arrays: Of the rounds.
        number: How many hands.
        joint: int64, shape (players, 10, 10), by player total and banker total.
        sums: int64, shape (seats,), nets in units.
        squares: uint64, shape (seats, 2): low and high 64 bits of the sum of squares in units.
    """
    s = source(arrays)
    h = hand(arrays, ZERO)
    for _ in range(number):
        play_one(s, h, ZERO)
        tally(h, ZERO, joint, sums, squares)
