"""The compiled steps that bring cards: from a full shoe, from a continuing one, from somebody's list.

Whatever the source, a hand's cards are first laid out in the order of the deal, as many as it may take at
most; playing it uses them one by one, and an untaken draw uses none. A continuing shoe is the counts of what
is left of each point value; where suits count it also has an order, drawn as far as it is dealt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pan9_gym.game.batch_steps import (
    GAMMA,
    ONE,
    PART,
    PART_BITS,
    PARTS,
    U64,
    VALUE,
    VALUE_SHIFT,
    ZERO,
    Array,
    Hand,
    Record,
    maker,
    mix,
    rare_step,
    step,
)

LANE_TOPS, LANE_ONES = U64(0x8000800080008000), U64(0x0001000100010001)
TOP_SHIFT, LAST_LANE = U64(15), U64(48)
TWO_WORDS, THREE_WORDS = U64(8), U64(12)


Arrays = tuple[Array, ...]
"""What every kernel is given of its rounds, as `batch_arrays.Rounds` keeps it: the tables, shape (1,); the
other entries of `Source`; moves, draw_probs, cards (shape (rows, max_cards + 1)), totals and actions of
`Hand`. It is a plain tuple, which costs a call less than a named one."""


class Source(NamedTuple):
    """Where cards come from.

    Attributes:
        t: The record of `batch_tables.TABLES`.
        codes: The shoe, uint32, shape (size,); a continuing shoe's kinds are its first places.
        stamps: uint64, shape (size + 1,): for each place of a fresh shoe the hand that drew it last; the last
            entry counts hands.
        streams: uint64, shape (rounds,): where each round's random stream stands.
        shoe: The order of a continuing shoe whose suits count, by kind, uint8, shape (rounds, size); else
            (0, 0).
        at: uint16, shape (rounds,): how many cards of a continuing shoe are dealt.
        unseen: uint64, shape (rounds, words): cards in it by point value before the hand, four counts of 16
            bits in a word, lowest value first; (0, words) for fresh shoes.
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


@maker
def source(arrays: Arrays) -> Source:
    """Where the rounds' cards come from."""
    return Source(
        arrays[0][0],
        arrays[1],
        arrays[2],
        arrays[3],
        arrays[4],
        arrays[5],
        arrays[6],
        arrays[7],
        arrays[8],
    )


@maker
def hand(arrays: Arrays, i: U64) -> Hand:
    """How round `i` is played; its cards are in a row of its own, or in the one row that all share."""
    cards = arrays[11]
    row = cards[min(i, U64(cards.shape[0]) - ONE)]
    return Hand(arrays[0][0], arrays[9], arrays[10], row, arrays[12], arrays[13])


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
def lanes_above(word: U64, spread: U64) -> U64:
    """1 in each lane whose count, below the top bit that is set, is at least that of `spread`."""
    return ((word - spread) & LANE_TOPS) >> TOP_SHIFT


@step
def deal_left(s: Source, h: Hand, i: U64, number: U64, stream: U64) -> U64:
    """Lay out cards by point value from those that are left, whose counts stay as they are.

    The lanes count the cards worth no more than each point value: multiplying by ones adds up the lanes
    before each. A picked card is worth as many values as there are lanes that do not reach beyond it.
    """
    wide, dealt, word_2 = s.t.num_values > TWO_WORDS, ZERO, ZERO
    word_0 = s.unseen[i, 0] * LANE_ONES
    word_1 = (s.unseen[i, 1] + (word_0 >> LAST_LANE)) * LANE_ONES
    total = word_1 >> LAST_LANE
    if wide:
        word_2 = (s.unseen[i, 2] + total) * LANE_ONES
        total = word_2 >> LAST_LANE
    word_0, word_1, word_2 = word_0 | LANE_TOPS, word_1 | LANE_TOPS, word_2 | LANE_TOPS
    while dealt < number:
        stream += GAMMA
        word = mix(stream)
        for _ in range(4):
            left = total - dealt
            product = (word & PART) * left
            word >>= PART_BITS
            if dealt < number and not too_low(product & PART, left):
                spread = ((product >> PART_BITS) + ONE) * LANE_ONES
                above_0, above_1 = lanes_above(word_0, spread), lanes_above(word_1, spread)
                word_0, word_1 = word_0 - above_0, word_1 - above_1
                lanes, value = above_0 + above_1, TWO_WORDS
                if wide:
                    above_2 = lanes_above(word_2, spread)
                    word_2 -= above_2
                    lanes, value = lanes + above_2, THREE_WORDS
                h.cards[dealt] = s.t.class_code[value - ((lanes * LANE_ONES) >> LAST_LANE)]
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
def all_unseen(s: Source, i: U64) -> None:
    """No card of a continuing shoe is dealt."""
    s.at[i] = 0
    for word in range(s.unseen.shape[1]):
        s.unseen[i, word] = s.t.full_counts[word]


@step
def use_up(s: Source, h: Hand, i: U64, used: U64) -> None:
    """Of the cards laid out from a continuing shoe the used ones are seen; the others were never dealt."""
    seen_0, seen_1, one_card = ZERO, ZERO, s.t.one_card
    for number in range(s.t.max_cards):
        value, was_used = (U64(h.cards[number]) >> VALUE_SHIFT) & VALUE, ZERO - U64(number < used)
        seen_0 += one_card[value, 0] & was_used
        seen_1 += one_card[value, 1] & was_used
    s.unseen[i, 0] -= seen_0
    s.unseen[i, 1] -= seen_1
    if s.t.num_values > TWO_WORDS:
        for number in range(used):
            s.unseen[i, 2] -= one_card[(U64(h.cards[number]) >> VALUE_SHIFT) & VALUE, 2]
    s.at[i] = U64(s.at[i]) + used


@step
def show_shoe(s: Source, h: Hand, i: U64) -> None:
    """Lay out the next cards of a continuing shoe as they lie there."""
    place = U64(s.at[i])
    for number in range(s.t.max_cards):
        h.cards[number] = s.codes[s.shoe[i, place + number]]


@step
def deal_next(s: Source, h: Hand, i: U64, number: U64, stream: U64) -> U64:
    """Lay out the next cards of a continuing shoe: by suit from its order, else by point value."""
    if s.shoe.shape[0] == 0:
        return deal_left(s, h, i, number, stream)
    stream = shuffle_on(s, i, U64(s.at[i]), number, stream)
    show_shoe(s, h, i)
    return stream


@rare_step
def burn(s: Source, h: Hand, i: U64, stream: U64) -> U64:
    """Deal out the cards beyond a number drawn from the range."""
    number, stream = below(s.t.most_start - s.t.least_start + ONE, stream)
    left = s.t.size - s.t.least_start - number
    while left > ZERO:
        burnt = min(left, s.t.max_cards)
        stream = deal_next(s, h, i, burnt, stream)
        use_up(s, h, i, burnt)
        left -= burnt
    return stream


@step
def new_shoe(s: Source, h: Hand, i: U64, stream: U64) -> U64:
    """Start a shoe: all cards are back, and those beyond the number drawn from the range are dealt out."""
    all_unseen(s, i)
    if s.t.size > s.t.least_start:
        stream = burn(s, h, i, stream)
    return stream


@step
def deal_on(s: Source, h: Hand, i: U64, stream: U64) -> U64:
    """Lay out the next cards of a continuing shoe, of a new one after the cut card."""
    if s.at[i] >= s.t.cut_place or s.t.size - U64(s.at[i]) < s.t.max_cards:
        stream = new_shoe(s, h, i, stream)
    return deal_next(s, h, i, s.t.max_cards, stream)


@step
def lay_out(s: Source, h: Hand, i: U64) -> None:
    """Lay out a hand that was dealt before; one that is in a row of its own lies there still."""
    if s.listed[i] > 0:
        for number in range(s.t.max_cards):
            h.cards[number] = s.given[i, number]
    elif s.shoe.shape[0] > 0:
        show_shoe(s, h, i)


@step
def open_hand(s: Source, h: Hand, i: U64) -> U64:
    """Lay out the cards of a new hand; where the random stream stands then."""
    stream = s.streams[i]
    if s.listed[i] > 0:
        stream += GAMMA
        lay_out(s, h, i)
    elif s.unseen.shape[0] > 0:
        stream = deal_on(s, h, i, stream)
    else:
        stream = deal_fresh(s, h, stream)
    s.streams[i] = stream
    return stream


@step
def close_hand(s: Source, h: Hand, i: U64, used: U64) -> None:
    """After a hand: its cards are out of a continuing shoe."""
    if s.unseen.shape[0] > 0 and s.listed[i] == 0:
        use_up(s, h, i, used)


@step
def give_up(s: Source, h: Hand, i: U64, used: U64) -> None:
    """A hand that waits is not played on: what it used is out of a continuing shoe."""
    if s.shoe.shape[0] > 0:
        show_shoe(s, h, i)
    if s.unseen.shape[0] > 0:
        use_up(s, h, i, used)
