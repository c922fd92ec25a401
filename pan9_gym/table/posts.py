"""Which hands a participant may have to play: what his policies must answer for, known before the first hand.

How many hands play against a banker follows from who wagers, which the participants say beforehand where
their wagers are sums; a wager that a function decides may be made or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import Cover
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.table.config import TableConfig
from pan9_gym.table.participants import Participant, Sum
from pan9_gym.table.seating import HOUSE, HOUSE_PLACE, left_of, place_of, seat_name

Hands = tuple[int, ...]
"""Places of the hands against a banker, in draw order."""


class Post(NamedTuple):
    """A hand that a participant may have to play.

    Attributes:
        participant: Who plays it.
        house_banks: Whether the House banks, by its own rules.
        role: Player or banker.
        num_players: Hands against the banker.
        seat: The hand's number in draw order; `num_players` for the banker.
        with_suits: Whether it has a Dragon stake.
    """

    participant: str
    house_banks: bool
    role: Role
    num_players: int
    seat: int
    with_suits: bool

    def __str__(self) -> str:
        if self.role is Role.BANKER:
            return f"{self.participant} as banker against {self.num_players}"
        return f"{self.participant} as player {self.seat} of {self.num_players}"


def posts(config: TableConfig, participants: Mapping[str, Participant]) -> list[Post]:
    """The hands that everybody may have to play, each once; hands without a free move are left out.

    Args:
        config: The table.
        participants: Everybody's decisions.
    """
    found: dict[Post, None] = {}
    for banker, hands in sorted(set(_deals(config, participants))):
        house_banks, number = banker == HOUSE, len(hands)
        rules = config.rules_under(banker)
        if _has_choices(rules, Role.BANKER):
            found[Post(banker, house_banks, Role.BANKER, number, number, False)] = None
        are_asked = _has_choices(rules, Role.PLAYER) or (config.logical_way and config.offer_forced)
        for seat, place in enumerate(hands if are_asked else ()):
            for who, with_suits in _deciders(config, participants, banker, place):
                found[Post(who, house_banks, Role.PLAYER, number, seat, with_suits)] = None
    return list(found)


def _deals(config: TableConfig, participants: Mapping[str, Participant]) -> Iterator[tuple[str, Hands]]:
    """Who may bank against which hands."""
    wager = {place_of(seat): participants[seat].wager for seat in config.seats}
    for banker in config.bank_order:
        if banker != HOUSE and not participants[banker].bank:
            continue
        others = [place for place in config.occupied if place != place_of(banker)]
        for bettors in _subsets(others, lambda place: _may_be(wager[place])):
            for bank, hands in set(_with_house(config, participants, banker, bettors)):
                sure = (True, False) if config.faults.wrong_number else (True,)  # H15
                for dealt in _subsets(hands, lambda _, sure=sure: sure):  # type: ignore[misc]
                    yield bank, left_of(place_of(bank), dealt)


def _with_house(
    config: TableConfig, participants: Mapping[str, Participant], banker: str, bettors: Hands
) -> Iterator[tuple[str, Hands]]:
    """What the House makes of the wagers: it takes the bank (U5), or wagers too (U11)."""
    if config.takes_single_wagers and banker != HOUSE and len(bettors) == 1:
        yield HOUSE, bettors
        if not any(who.others for who in participants.values()):
            return
    yield banker, bettors
    limited = config.cover is not Cover.UNLIMITED
    if banker != HOUSE and config.house_tops_up and limited and participants[banker].top_up:
        yield banker, (*bettors, HOUSE_PLACE)


def _deciders(
    config: TableConfig, participants: Mapping[str, Participant], banker: str, place: int
) -> Iterator[tuple[str, bool]]:
    """Who may play the hand at a place, its own player or the back line (B8), with and without suits."""
    if place == HOUSE_PLACE and config.house_plays:
        return  # U11: the logical way
    owner = seat_name(place)
    backers = [seat for seat in config.seats if config.back_line and participants[seat].others]
    for who in dict.fromkeys((owner, *backers)):
        if who == banker:
            continue
        for with_suits in _may_be(participants[owner].side.get(SideBet.DRAGON.value, 0)):
            yield who, with_suits


def _may_be(amount: Sum) -> tuple[bool, ...]:
    """Whether a wager is made: surely, never, or either."""
    return (True, False) if callable(amount) else (bool(amount),)


def _subsets(places: Iterable[int], may_be: Callable[[int], tuple[bool, ...]]) -> Iterator[Hands]:
    """What may be left of some places, but for nothing."""
    places = list(places)
    for there in product(*map(may_be, places)):
        if any(there):
            yield tuple(place for place, is_there in zip(places, there, strict=True) if is_there)


def _has_choices(rules: RulesConfig, role: Role) -> bool:
    """Whether the rules leave a role any move free."""
    if role is Role.BANKER and rules.banker_tableau:
        return False
    return any(len(legal_actions(rules, role, total)) > 1 for total in TOTALS)
