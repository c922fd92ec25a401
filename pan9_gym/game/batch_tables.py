"""What the compiled engine looks up: hands by the sum of their cards, and money as whole numbers.

A card is one uint32 with four fields: its *key* (bits 0-10), its point value (11-16), its suit as one of four
bits with a fifth that says "not the rank of the BC bonus" (17-21), and its place in a pack (22-27). The keys
are chosen so that no two hands of at most three cards have the same sum of keys: adding the cards of a hand
up gives the number of its information state by one look-up and its total by another.

Money is exact: every net amount of a seat is a whole number of units of `unit_numerator / unit_denominator`,
which the sheet's payouts, the wagers and the stakes decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import gcd, lcm
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates
from pan9_gym.game.round import Game
from pan9_gym.game.stakes import SideStakes, held_by_banker
from pan9_gym.rules.cards import RED_SUITS, SUITS, Card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import BC_RANK, NEEDS_SUITS, SideBet
from pan9_gym.rules.terms import Action, SuitClass

HAND_KEYS = (0, 1, 4, 13, 32, 71, 124, 218, 375, 572)
"""Key of the lowest point value, the next, ...: the sums of up to three of them are all different."""

KEY_BITS, VALUE_BITS, SUIT_BITS = 11, 6, 5
VALUE_SHIFT = KEY_BITS
SUIT_SHIFT = VALUE_SHIFT + VALUE_BITS
KIND_SHIFT = SUIT_SHIFT + SUIT_BITS
NOT_BC_RANK = 1 << len(SUITS)

COUNT_WORDS = 3
"""uint64 words of four counts each: at most ten point values."""

MAX_SEATS = 8
MAX_FIRST_CARDS = 3

MIXED = 2
"""A policy's move that chance decides; the other moves are the actions."""

STAND_MASK, FREE_MASK = np.array([[1, 0], [1, 1]], dtype=np.int8).view(np.uint16).ravel().tolist()
"""Masks that allow one action and both: two int8 read as one uint16."""

OWN, HELD = 0, 1
"""Whose net amounts: the player's, or what the banker gets from him."""

LARGEST_EXACT = 2**53
"""float64 holds every whole number up to it."""


def engine_version() -> str:
    """A name that changes with the code that is compiled into the kernels.

    Numba's cache on disk looks at the file of the kernel and at the types of its arguments, not at the files
    of the functions it calls; a name of its own in the type keeps a kernel of other steps from being used.
    """
    files = [
        Path(__file__).with_name(f"batch_{name}.py") for name in ("tables", "steps", "dealing", "kernels")
    ]
    return "version_" + sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


TABLES = np.dtype(
    [
        ("size", "u8"),  # cards of the shoe
        ("finite", "u8"),  # 0 with replacement
        ("num_seats", "u8"),  # players and banker
        ("num_first", "u8"),  # cards dealt before the first choice
        ("max_cards", "u8"),  # the most cards a hand takes
        ("agent", "u8"),  # the agent's seat; num_seats where nobody is
        ("first_slots", "u8", (MAX_SEATS, MAX_FIRST_CARDS)),  # places of a seat's first cards in the deal
        ("cards_seen", "u8"),  # 1 where drawn cards are seen
        ("sees", "u8", (MAX_SEATS,)),  # 1 where a seat sees the earlier choices
        ("weight", "u8", (MAX_SEATS,)),  # of a seat's digit in the patterns
        ("num_hands", "u8"),
        ("suit_factor", "u8", (MAX_SEATS,)),  # suit classes in a seat's information state: 1 or 3
        ("policy_start", "u8", (MAX_SEATS,)),  # where a seat's policy starts
        ("hand_index", "u1", (1 << KEY_BITS,)),  # by sum of keys
        ("last_digit", "u1", (1 << VALUE_BITS,)),  # by sum of point values
        ("suit_class", "u1", (1 << SUIT_BITS,)),  # by union of suit bits
        ("has_naturals", "u8"),
        ("natural", "u8", (10,)),  # by total
        ("tableau", "u8"),  # 1 where the banker's legal move depends on what he sees
        ("legal", "u2", (11, 10)),  # the agent's mask, two int8 as one number: by what is seen, total
        ("with_suits", "u8"),
        (
            "pays",
            "i8",
            (2, MAX_SEATS, 100),
        ),  # net units: OWN or HELD, player, 10 * player total + banker total
        ("dragon", "i8", (2, MAX_SEATS, 2, 2, 3)),  # by total 9, drew, suit class of all cards
        ("bc", "i8", (2, MAX_SEATS, 2, 3)),  # by three threes, suit class of the first cards
        ("unit_numerator", "i8", (MAX_SEATS,)),
        ("unit_denominator", "f8", (MAX_SEATS,)),
        ("paid", "f8", (MAX_SEATS, 100)),  # the net of a seat that has one opponent and no bet on suits
        ("num_values", "u8"),
        ("class_code", "u4", (10,)),  # a card of each point value, lowest first, where suits are not needed
        ("one_card", "u8", (10, COUNT_WORDS)),  # by point value: one card in counts of a continuing shoe
        ("full_counts", "u8", (COUNT_WORDS,)),  # all cards of such a shoe
        ("cut_place", "u8"),  # cards before the cut card
        ("least_start", "u8"),  # the fewest and the most cards that a new shoe holds
        ("most_start", "u8"),
        (engine_version(), "u1"),
    ],
    align=True,
)
"""All tables of fixed size as one record: one argument of a kernel, and one compilation for every sheet."""

Tables = npt.NDArray[Any]


def read_tables(game: Game, agent_seat: int | None) -> Tables:
    """The tables of a game, shape (1,), dtype `TABLES`.

    Args:
        game: Who is at the table, for what stakes.
        agent_seat: The seat that waits for an action; `None` for nobody.

    Raises:
        ValueError: If the amounts are so fine or large that float64 cannot hold the nets exactly.
    """
    tables = np.zeros(1, dtype=TABLES)
    record = tables[0]
    rules, seats = game.rules, range(game.num_seats)
    record["size"] = sum(game.counts.values())
    record["finite"] = not rules.with_replacement
    record["num_seats"], record["num_first"] = game.num_seats, game.num_initial_deals
    record["max_cards"] = game.max_cards
    record["agent"] = game.num_seats if agent_seat is None else agent_seat
    slots = np.full((MAX_SEATS, MAX_FIRST_CARDS), game.max_cards)  # a place that holds no card
    for seat, card in product(seats, range(rules.num_initial_cards)):
        slots[seat, card] = card * game.num_seats + (seat - game.first_to_deal) % game.num_seats
    record["first_slots"] = slots
    _write_states(record, game.states)
    record["last_digit"] = np.arange(1 << VALUE_BITS) % 10
    record["suit_class"] = [_suit_class(bits) for bits in range(1 << SUIT_BITS)]
    record["has_naturals"] = bool(rules.naturals)
    record["natural"] = [total in rules.naturals for total in TOTALS]
    if agent_seat is not None:
        record["tableau"], record["legal"] = _legal(game, agent_seat)
    record["with_suits"] = game.with_suits
    _write_classes(record, rules)
    _write_money(record, game)
    return tables


def _write_states(record: Any, states: Sequence[InfoStates]) -> None:
    """The numbering of information states; policies lie one after the other, the agent's left out."""
    start = 0
    for seat, own in enumerate(states):
        record["sees"][seat] = own.num_visible > 0
        record["weight"][seat] = len(own.tokens) ** seat if seat < len(states) - 1 else 0
        record["suit_factor"][seat] = own.num_suit_classes
        record["policy_start"][seat] = start
        if seat != record["agent"]:
            start += own.num_states
    banker = states[-1]
    record["cards_seen"] = banker.cards_seen
    record["num_hands"] = len(banker.hands)
    keys = dict(zip(sorted(set(banker.point_values.values())), HAND_KEYS, strict=False))
    for index, hand in enumerate(banker.hands):
        record["hand_index"][sum(keys[value] for value in hand)] = index


def _suit_class(bits: int) -> SuitClass:
    present = {suit for place, suit in enumerate(SUITS) if bits >> place & 1}
    if len(present) <= 1:
        return SuitClass.SUITED
    return SuitClass.SAME_COLOUR if len({suit in RED_SUITS for suit in present}) == 1 else SuitClass.OFF_SUIT


def _legal(game: Game, seat: int) -> tuple[bool, npt.NDArray[np.uint16]]:
    """Whether what the banker sees matters, and the masks, uint16, shape (11, 10)."""
    rules, states = game.rules, game.states[seat]
    tableau = bool(rules.banker_tableau) and seat == game.banker_seat
    masks = np.zeros((11, 10, 2), dtype=np.int8)
    for row, total in product(range(11 if tableau else 1), TOTALS):
        token = states.tokens[row] if tableau and row < len(states.tokens) else ""
        if tableau and token not in rules.banker_tableau:
            continue  # a card that is not in the pack
        legal = legal_actions(rules, game.role(seat), total, (token,) if tableau else ())
        masks[row, total] = [action in legal for action in Action]
    return tableau, masks.view(np.uint16)[..., 0]


def _write_classes(record: Any, rules: RulesConfig) -> None:
    """Cards by point value, and the words that count them: four lanes of 16 bits, lowest value first."""
    record["num_values"] = len(rules.values)
    for place, (value, number) in enumerate(zip(rules.values, rules.initial_counts, strict=True)):
        word, lane = divmod(place, 4)
        record["class_code"][place] = HAND_KEYS[place] | value << VALUE_SHIFT
        record["one_card"][value, word] = 1 << 16 * lane
        record["full_counts"][word] += np.uint64((number & 0xFFFF) << 16 * lane)


def _write_money(record: Any, game: Game) -> None:
    """Net amounts as whole numbers of each seat's unit."""
    held: list[npt.NDArray[Any]] = []
    for player, stakes in enumerate(game.side_stakes):
        _write_seat(record, player, player, OWN, [_amounts(game, player, stakes)])
        held.append(-_amounts(game, player, held_by_banker(game.rules, stakes)))
    _write_seat(record, game.banker_seat, 0, HELD, held)
    units = np.array([*record["pays"][OWN, : game.num_players], record["pays"][HELD, 0]])
    numerators = record["unit_numerator"][: game.num_seats, np.newaxis]
    denominators = record["unit_denominator"][: game.num_seats, np.newaxis]
    record["paid"][: game.num_seats] = (units * numerators).astype(np.float64) / denominators


def _amounts(game: Game, player: int, stakes: SideStakes) -> npt.NDArray[Any]:
    """A player's nets as Fractions: 100 by totals, 12 Dragon, 6 BC; they add up to his net."""
    rules, bets = game.rules, game.rules.side_bets
    by_totals = np.array([game.payoffs[own][other] for own, other in product(TOTALS, TOTALS)], dtype=object)
    dragon, bc = np.full((2, 2, 3), Fraction(0)), np.full((2, 3), Fraction(0))
    for bet, stake in stakes:
        if bet not in NEEDS_SUITS:
            pairs = product(TOTALS, TOTALS)
            by_totals += [stake * bets.payoff(bet, (), rules.num_initial_cards, pair) for pair in pairs]
        elif bet is SideBet.DRAGON and bets.dragon is not None:
            for nine, drew, kind in product(range(2), range(2), SuitClass):
                dragon[nine, drew, kind] += stake * bets.dragon.payoff(9 * nine, 3 + drew, kind)
        elif bets.bc is not None:
            bc[0] += -stake
            for kind in SuitClass:
                bc[1, kind] += stake * bets.bc.payoff(_threes(kind))
    amounts: npt.NDArray[Any] = np.concatenate([by_totals, dragon.ravel(), bc.ravel()])
    return np.array([game.wagers[player] * amount for amount in amounts], dtype=object)


def _threes(kind: SuitClass) -> tuple[Card, ...]:
    suits = {SuitClass.SUITED: "ccc", SuitClass.SAME_COLOUR: "ccs", SuitClass.OFF_SUIT: "ccd"}[kind]
    return tuple(Card(BC_RANK, suit) for suit in suits)


def _write_seat(record: Any, seat: int, first: int, kind: int, amounts: Sequence[npt.NDArray[Any]]) -> None:
    """Write what `seat` gets from the players from `first` on."""
    every = [amount for of_player in amounts for amount in of_player]
    denominator = lcm(*(amount.denominator for amount in every))
    numbers = [[int(amount * denominator) for amount in of_player] for of_player in amounts]
    factor = gcd(*(number for of_player in numbers for number in of_player))
    most = sum(max(map(abs, of_player)) for of_player in numbers) * 3  # three parts are added
    if max(most, denominator) > LARGEST_EXACT:
        raise ValueError(
            f"wagers and side_stakes: the nets of seat {seat} are whole numbers of 1/{denominator} up to "
            f"{most}; at most {LARGEST_EXACT} can be held exactly, so use rounder amounts"
        )
    common = gcd(factor, denominator)
    record["unit_numerator"][seat] = factor // common
    record["unit_denominator"][seat] = denominator // common
    for player, of_player in enumerate(numbers, start=first):
        units = np.array(of_player) // factor
        record["pays"][kind, player] = units[:100]
        record["dragon"][kind, player] = units[100:112].reshape(2, 2, 3)
        record["bc"][kind, player] = units[112:].reshape(2, 3)


def unit(tables: Tables, seat: int) -> Fraction:
    """What one unit of a seat's whole numbers is worth."""
    record = tables[0]
    return Fraction(int(record["unit_numerator"][seat]), int(record["unit_denominator"][seat]))


def most_units(tables: Tables, seat: int) -> int:
    """A bound on the size of a seat's net in one hand, in its units."""
    record = tables[0]
    kind, players = OWN, slice(seat, seat + 1)
    if seat == record["num_seats"] - 1:
        kind, players = HELD, slice(0, seat)
    parts = [np.abs(record[part][kind, players]) for part in ("pays", "dragon", "bc")]
    return sum(int(part.reshape(len(part), -1).max(axis=1).sum()) for part in parts)
