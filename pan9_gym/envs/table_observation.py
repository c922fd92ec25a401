"""The observation of a whole table: the moment, then each place, clockwise from the agent's own.

Each feature names its entries and computes their numbers side by side; the layout is the list of the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pan9_gym.envs.observation import Entry, Observation
from pan9_gym.envs.table_glimpse import Glimpse
from pan9_gym.envs.table_menu import Menu
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Action, SuitClass
from pan9_gym.table.config import TableConfig, places_of
from pan9_gym.table.requests import Phase
from pan9_gym.table.seating import BOTH, NUM_PLACES

Numbers = Callable[[Glimpse], Sequence[float]]
AtPlace = Callable[[Glimpse, int], float]


@dataclass(frozen=True)
class Feature:
    """Entries of an observation and how their numbers come about."""

    entries: tuple[Entry, ...]
    numbers: Numbers


def feature(name: str, meanings: Sequence[str], numbers: Numbers, high: float = 1) -> Feature:
    """A feature whose entries lie between 0 and `high`."""
    return Feature(tuple(Entry(name, meaning, 0, high) for meaning in meanings), numbers)


class TableEncoder:
    """Encodes what a participant may know.

    Args:
        config: The table.
        menu: The actions, whose greatest sums the money is divided by.
    """

    def __init__(self, config: TableConfig, menu: Menu) -> None:
        self._config, self._menu = config, menu
        self._features = (*self._of_the_moment(), *self._of_the_hand(), *self._of_the_places())
        self.layout: tuple[Entry, ...] = tuple(
            entry for feature_ in self._features for entry in feature_.entries
        )

    def encode(self, known: Glimpse) -> Observation:
        """An observation: float32, shape (len(layout),), a new array each time."""
        numbers = [number for feature_ in self._features for number in feature_.numbers(known)]
        return np.array(numbers, dtype=np.float32)

    def _of_the_moment(self) -> list[Feature]:
        config = self._config
        turns = config.max_consecutive_banks * config.refused_rounds * len(config.bank_order)
        stake = max(self._menu.stakes)
        full = config.rules.initial_counts
        values = config.rules.values
        return [
            feature(
                "phase",
                [f"1 if the question is {phase.value}" for phase in Phase],
                lambda known: [float(known.phase is phase) for phase in Phase],
            ),
            feature(
                "role",
                ["1 if the agent banks this hand", "1 if it has a hand against the bank"],
                lambda known: [float(known.banker == known.place), float(_plays(known))],
            ),
            feature(
                "stake", [f"the banker's stake, divided by {stake}"], lambda known: [known.stake / stake]
            ),
            feature(
                "bank",
                [
                    f"hands in a row that the holder of the bank turn has banked, divided by {turns}",
                    f"refusals since the last hand, divided by {turns}",
                ],
                lambda known: [min(1.0, known.held / turns), min(1.0, known.refusals / turns)],
            ),
            feature(
                "unseen",
                [f"share of the cards worth {value} that no former hand has shown" for value in values],
                lambda known: [left / number for left, number in zip(known.unseen, full, strict=True)],
            ),
        ]

    def _of_the_hand(self) -> list[Feature]:
        rules = self._config.rules
        values = rules.values
        found = [
            feature(
                "counts",
                [f"cards worth {value} in the own hand or the one to be played" for value in values],
                lambda known: [float(known.values.count(value)) for value in values],
                rules.num_initial_cards,
            )
        ]
        if SideBet.DRAGON in rules.side_bets.offered:
            meanings = [f"1 if there is a Dragon stake on it and it is {kind.label}" for kind in SuitClass]
            found.append(
                feature(
                    "suit_class", meanings, lambda known: [float(known.suits == kind) for kind in SuitClass]
                )
            )
        return found

    def _of_the_places(self) -> list[Feature]:
        config = self._config
        taken = frozenset(places_of(config.participants))
        found = [
            _each_place("sits", "1 if somebody sits", lambda _, place: float(place in taken)),
            _each_place("asked", "1 if who is asked sits", lambda known, place: float(known.asked == place)),
            _each_place("banks", "1 if the banker sits", lambda known, place: float(known.banker == place)),
            _each_place(
                "playing", "1 if the hand is to be played", lambda known, place: float(known.playing == place)
            ),
            _each_place(
                "action", "1 if settlement begins", lambda known, place: float(known.action == place)
            ),
            *self._money(),
            _each_place("stood", "1 if the hand was seen to stand", _chose(Action.STAND)),
            _each_place("drew", "1 if the hand was seen to draw", _chose(Action.DRAW)),
        ]
        values = config.rules.values
        if config.rules.banker_sees == "card":
            found += [
                _each_place("seen_card", f"1 if it was seen to draw a card worth {value},", _drew(value))
                for value in values
            ]
        if config.faults.any:
            found += [
                _each_place("exposed", f"cards worth {value} face up", self._exposed(value), 4)
                for value in values
            ]
        return found

    def _money(self) -> list[Feature]:
        config = self._config
        most = float(config.limits.most)
        bettors = len(config.participants)
        found = [
            _each_place("wager", f"the hand's wager, divided by {most:g},", _on(most, circles=(1, 1))),
            *(
                self._side_bet(bet, float(self._menu.most_on(config, bet)), bettors)
                for bet in config.rules.side_bets.offered
            ),
        ]
        if config.back_line:
            both = f"back-line wagers on the hand, divided by {2 * most:g},"
            own = f"the agent's back-line wager on the hand, divided by {most:g},"
            found.append(_each_place("back_line", both, _on(2 * most, circles=(2, 3))))
            found.append(_each_place("own_back_line", own, _on(most, circles=(2, 3), own=True)))
        if config.both_hands:
            found.append(_on_both(most, bettors))
        if config.tie_bettors != "own":
            most_on = float(self._menu.most_on(config, SideBet.TIE))
            own = f"the agent's stake on a tie of the hand, divided by {most_on:g},"
            found.append(_each_place("own_tie", own, _on(most_on, bet=SideBet.TIE, own=True)))
        return found

    def _side_bet(self, bet: SideBet, most: float, bettors: int) -> Feature:
        if bet is SideBet.TIE and self._config.tie_bettors != "own":
            most *= bettors
        meaning = f"stakes on {bet.value} on the hand, divided by {most:g},"
        return _each_place(bet.value, meaning, _on(most, bet=bet))

    def _exposed(self, value: int) -> AtPlace:
        points = self._config.rules.point_values
        return lambda known, place: float(
            min(4, sum(points[card.rank] == value for card in known.exposed.get(place, ())))
        )


def _on_both(most: float, bettors: int) -> Feature:
    """Wagers on both hands (R1), which lie at no place."""
    total, own = _on(most * bettors, circles=(0, 0)), _on(most, circles=(0, 0), own=True)
    meanings = [
        f"wagers on both hands, divided by {most * bettors:g}",
        f"the agent's wager on both hands, divided by {most:g}",
    ]
    return feature("both", meanings, lambda known: [total(known, BOTH), own(known, BOTH)])


def _each_place(name: str, meaning: str, number: AtPlace, high: float = 1) -> Feature:
    """A feature with one entry for each place, clockwise from the agent's own."""
    meanings = [f"{meaning} {_where(offset)}" for offset in range(NUM_PLACES)]
    return feature(
        name,
        meanings,
        lambda known: [number(known, (known.place + offset) % NUM_PLACES) for offset in range(NUM_PLACES)],
        high,
    )


def _where(offset: int) -> str:
    return (
        f"{offset} places clockwise" if offset > 1 else ("at the agent's left" if offset else "at its place")
    )


def _plays(known: Glimpse) -> bool:
    own = any(wager.place == known.place and wager.circle == 1 for wager in known.wagers)
    return own and known.banker != known.place


def _chose(action: Action) -> AtPlace:
    def number(known: Glimpse, place: int) -> float:
        return float(place in known.seen and known.seen[place].action is action)

    return number


def _drew(value: int) -> AtPlace:
    def number(known: Glimpse, place: int) -> float:
        return float(place in known.seen and known.seen[place].card == value)

    return number


def _on(
    most: float, circles: tuple[int, int] = (0, 3), bet: SideBet | None = None, own: bool = False
) -> AtPlace:
    """The sum of some wagers on a hand, divided by `most`."""
    first, last = circles

    def number(known: Glimpse, place: int) -> float:
        amounts = [
            wager.amount
            for wager in known.wagers
            if wager.place == place
            and wager.bet is bet
            and first <= wager.circle <= last
            and (not own or wager.by == known.participant)
        ]
        return float(sum(amounts)) / most

    return number
