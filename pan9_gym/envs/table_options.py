"""The cards and the throws that a reset at a whole table may list: what a shoe and a cup can give."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

from pan9_gym.envs.arguments import check_cards
from pan9_gym.rules.cards import SUITS, Card, parse_card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import as_int
from pan9_gym.rules.scoring import card_values
from pan9_gym.table.config import TableConfig
from pan9_gym.table.seating import DIE_FACES, NUM_PLACES

Throws = tuple[tuple[int, ...], ...]


def read_cards(config: TableConfig, num_hands: int, given: Any) -> tuple[Card, ...] | None:
    """The cards of a session that a scenario lists; enough that no decision can run out of them.

    Raises:
        ValueError: If there are too few, or no shoe of this table has them.
    """
    if given is None:
        return None
    check_cards("options['cards']", given)
    if config.faults.any or (config.shoe == "fresh" and num_hands > 1):
        raise ValueError("options['cards']: not possible with faults or with several hands from fresh shoes")
    hands = NUM_PLACES if config.deal_empty_seats else len(config.participants)
    needed = num_hands * hands * (config.rules.num_initial_cards + 1)
    if len(given) < needed:
        raise ValueError(
            f"options['cards'] lists {len(given)} cards; num_hands={num_hands} may take {needed}"
        )
    cards = tuple(parse_card(str(card)) for card in given)
    _check_shoe(config.rules, cards)
    return _with_suits(config.rules, cards)


def _with_suits(rules: RulesConfig, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Cards without a suit get one in turn, of those that the shoe still has."""
    given = Counter(card for card in cards if card.suit)
    suits, found = deque(SUITS), []
    for card in cards:
        if not card.suit:
            while rules.num_decks is not None and given[Card(card.rank, suits[0])] >= rules.num_decks:
                suits.rotate(-1)
            card = Card(card.rank, suits[0])
            given[card] += 1
            suits.rotate(-1)
        found.append(card)
    return tuple(found)


def _check_shoe(rules: RulesConfig, cards: tuple[Card, ...]) -> None:
    """Refuse cards that are not in the pack, or more of one than the shoe has."""
    card_values(rules, cards)
    if rules.num_decks is None:
        return
    ranks = [Card(card.rank) for card in cards]
    for card, number in Counter([*ranks, *(card for card in cards if card.suit)]).items():
        most = rules.num_decks * (1 if card.suit else len(SUITS))
        if number > most:
            raise ValueError(
                f"options['cards']: card {str(card)!r} is listed {number} times; the shoe has {most}"
            )


def read_dice(config: TableConfig, num_hands: int, given: Any) -> Throws | None:
    """The throws of a session that a scenario lists, one for each hand.

    Raises:
        ValueError: If they are not throws of this table's dice, or too few.
    """
    if given is None:
        return None
    throws = [_faces(throw) for throw in given] if isinstance(given, list | tuple) else []
    legal = [throw for throw in throws if throw is not None and len(throw) == config.num_dice]
    if len(legal) < len(throws) or len(throws) < num_hands or config.faults.any:
        raise ValueError(
            f"options['dice'] {given!r}: a list of {num_hands} throws of {config.num_dice} dice is needed, "
            f"at a table without faults"
        )
    return tuple(legal)


def _faces(throw: Any) -> tuple[int, ...] | None:
    """The faces of a throw; `None` for what is none."""
    faces = tuple(map(as_int, throw)) if isinstance(throw, list | tuple) else (None,)
    return faces if all(type(face) is int and 1 <= face <= DIE_FACES for face in faces) else None
