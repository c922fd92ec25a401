"""Cards, shoes and policies as the arrays that the compiled engine works on, and the seeds of its streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.batch_tables import (
    HAND_KEYS,
    KIND_SHIFT,
    MIXED,
    NOT_BC_RANK,
    SUIT_SHIFT,
    VALUE_SHIFT,
    Tables,
)
from pan9_gym.game.info_state import legal_table
from pan9_gym.game.round import Game
from pan9_gym.game.shoe import Shoe, StackedShoe, full_shoe
from pan9_gym.rules.cards import SUITS, Card, parse_card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import BC_RANK
from pan9_gym.rules.terms import Action

MOST_CARDS = 2**15 - 1
"""What a lane of a continuing shoe's counts can hold."""


def shoe_codes(game: Game) -> npt.NDArray[np.uint32]:
    """Every card of the game's shoe before the hand, uint32, shape (size,): pack by pack where it is full."""
    rules = game.rules
    pack = full_shoe(rules.model_copy(update={"num_decks": 1}), with_suits=True)
    codes = {card: _code(rules, card, place) for place, card in enumerate(pack) if isinstance(card, Card)}
    places = full_shoe(rules, game.with_suits)
    if sum(game.counts.values()) == len(places):
        return np.array([*codes.values()] * (len(places) // len(pack)), dtype=np.uint32)
    first = {rules.point_values[card.rank]: code for card, code in reversed(codes.items())}
    known: dict[Any, int] = {**codes, **first}
    return np.array([known[kind] for kind, number in game.shoe for _ in range(number)], dtype=np.uint32)


def _code(rules: RulesConfig, card: Card, place: int) -> int:
    value = rules.point_values[card.rank]
    suit = 1 << SUITS.index(card.suit) | NOT_BC_RANK * (card.rank != BC_RANK)
    key = HAND_KEYS[rules.values.index(value)]
    return key | value << VALUE_SHIFT | suit << SUIT_SHIFT | place << KIND_SHIFT


def listed_codes(game: Game, cards: Iterable[str | Card]) -> npt.NDArray[np.uint32]:
    """Cards that somebody lists, uint32, in their order; without suits any suit stands for a card.

    Raises:
        ValueError: If a card is not in the pack, lacks a suit that is needed, or comes too often.
    """
    parsed = [card if isinstance(card, Card) else parse_card(card) for card in cards]
    StackedShoe(game.rules, parsed, game.with_suits)
    ranks = list(game.rules.point_values)
    with_suit = [card if card.suit else Card(card.rank, SUITS[0]) for card in parsed]
    places = [ranks.index(card.rank) * len(SUITS) + SUITS.index(card.suit) for card in with_suit]
    codes = [_code(game.rules, card, place) for card, place in zip(with_suit, places, strict=True)]
    return np.array(codes, dtype=np.uint32)


def flat_policies(
    game: Game, agent_seat: int | None, draw_probs: Sequence[npt.ArrayLike | None]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """The policies of all seats but the agent's, one after the other.

    Args:
        game: Who is at the table.
        agent_seat: The seat without a policy; `None` for nobody.
        draw_probs: For each seat, banker last, probabilities of shape `game.states[seat].shape`; or of one
            row that stands for every pattern. `None` for the agent.

    Returns:
        Moves (an action or `MIXED`), uint8, and draw probabilities, float64, shape (number of states,).

    Raises:
        ValueError: If there are too many or too few, a shape is wrong, an entry is no probability, or a
            forced move is not taken.
    """
    if not isinstance(draw_probs, Sequence) or len(draw_probs) != game.num_seats:
        raise ValueError(f"draw_probs: one array per seat is needed, so {game.num_seats}, banker last")
    parts = [np.zeros(0)]
    for seat, given in enumerate(draw_probs):
        if (given is None) != (seat == agent_seat):
            whose = (
                "the agent's: None is needed" if seat == agent_seat else "played by a policy: None is none"
            )
            raise ValueError(f"draw_probs[{seat}]: seat {seat} is {whose}")
        if given is not None:
            parts.append(_checked(game, seat, given).ravel())
    probs = np.concatenate(parts)
    moves = np.where((probs == 0) | (probs == 1), probs, MIXED).astype(np.uint8)
    return moves, probs


def _checked(game: Game, seat: int, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    states = game.states[seat]
    probs = np.asarray(given, dtype=np.float64)
    if probs.shape not in (states.shape, (1, states.shape[1])):
        raise ValueError(f"draw_probs[{seat}] has shape {probs.shape}; {states.shape} is needed")
    if not ((probs >= 0) & (probs <= 1)).all():
        worst = probs[~((probs >= 0) & (probs <= 1))][0]
        raise ValueError(f"draw_probs[{seat}]: {worst} is no probability")
    probs = np.broadcast_to(probs, states.shape)
    table = legal_table(game.rules, states)
    known = {id(row): _forced(row) for row in table}  # rows that are alike are the same object
    forced = np.stack([known[id(row)] for row in (table if len(known) > 1 else table[:1])])
    wrong = np.argwhere(~np.isnan(forced) & (forced != probs))
    if len(wrong):
        column = wrong[0, 1]
        move = Action(int(forced[wrong[0, 0] % len(forced), column])).name
        total = states.column_totals[column]
        raise ValueError(f"draw_probs[{seat}]: {game.rules.name!r} forces {move} on {total}")
    return probs


def _forced(row: Sequence[tuple[Action, ...]]) -> npt.NDArray[np.float64]:
    """The draw probability of each column whose move is forced, else NaN."""
    return np.array([moves[0] if len(moves) == 1 else np.nan for moves in row], dtype=np.float64)


def stream_keys(seed: int, number: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Where the random streams of a seed start: stream `first + i` is the same whatever the number.

    Args:
        seed: Any whole number from 0.
        number: How many streams.
        first: The number of the first one.

    Returns:
        uint64, shape (number,).
    """
    base, salt = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    places = np.arange(first + 1, first + 1 + number, dtype=np.uint64)
    return _mix(_mix(base + places * np.uint64(0x9E3779B97F4A7C15)) ^ salt)


def next_words(
    streams: npt.NDArray[np.uint64], which: npt.NDArray[np.bool_], bound: int
) -> npt.NDArray[np.int64]:
    """A uniform whole number below `bound` from each of these streams, which move on.

    Args:
        streams: uint64, shape (number,); changed in place.
        which: The streams that are used, bool, shape (number,).
        bound: At most 2^32.

    Returns:
        int64, shape (number,); 0 from the other streams.
    """
    found, left, low = np.zeros(len(streams), dtype=np.int64), which.copy(), 2**32 % bound
    while left.any():
        streams[left] += np.uint64(0x9E3779B97F4A7C15)
        products = (_mix(streams) >> np.uint64(32)) * np.uint64(bound)
        fine = left & ((products & np.uint64(0xFFFFFFFF)) >= low)  # Lemire 2019, as in `batch_steps.below`
        found[fine] = (products >> np.uint64(32))[fine]
        left &= ~fine
    return found


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The mixing function of `batch_steps`, on arrays."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def write_shoe(
    tables: Tables, game: Game, penetration: float | Fraction = 1, start_cards: tuple[int, int] | None = None
) -> None:
    """Write into the tables when a continuing shoe is shuffled and how full it starts; see `Shoe`.

    Raises:
        ValueError: If the shoe is not a full, finite one, an argument is out of range, or the cut card comes
            before a hand is dealt.
    """
    size = len(full_shoe(game.rules))
    if size > MOST_CARDS:
        raise ValueError(
            f"a continuing shoe holds at most {MOST_CARDS} cards; {game.rules.name!r} has {size}"
        )
    if game.rules.with_replacement or sum(game.counts.values()) != size:
        raise ValueError("a continuing shoe needs a full, finite shoe to start from")
    Shoe(game.rules, rng=np.random.default_rng(0), penetration=penetration, start_cards=start_cards)
    least, most = start_cards or (size, size)
    cut = round(penetration * size)
    if min(cut, least) < game.max_cards:
        name, number = ("penetration", penetration) if cut < game.max_cards else ("start_cards", start_cards)
        raise ValueError(
            f"{name} {number!r}: leaves {min(cut, least)} cards; "
            f"a hand with num_players={game.num_players} may take {game.max_cards}"
        )
    record = tables[0]
    record["cut_place"], record["least_start"], record["most_start"] = cut, least, most
