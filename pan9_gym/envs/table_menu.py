"""What the actions at a whole table mean: one fixed menu, from which each question takes its part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from pan9_gym.envs.table_play import Mask
from pan9_gym.rules.cover import Cover
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.requests import ACCEPT, ASK, DECLINE, LOGICAL, REFUSE, Amounts, Phase, Request
from pan9_gym.table.seating import NUM_PLACES, place_of, seat_name

Sums = tuple[tuple[str, Any], ...]
"""Chips by what they are put on."""


@dataclass(frozen=True)
class Choice:
    """One action.

    Attributes:
        phase: The question that it answers.
        meaning: In words.
        word: The answer where it is a word.
        sums: The chips: of "stake"; of "base" and side bets; of "back" or "tie" on another hand; of "both".
        offset: How many places clockwise from the bettor that hand lies; 0 where no one hand is meant.
    """

    phase: Phase
    meaning: str
    word: str = ""
    sums: Sums = ()
    offset: int = 0

    def value(self, request: Request) -> Any:
        """The answer as the table takes it."""
        if request.options:
            return self.word
        if self.phase is Phase.STAKE:
            return self.sums[0][1]
        if self.phase is Phase.WAGER:
            side = {name: amount for name, amount in self.sums if name != "base"}
            return {"base": dict(self.sums).get("base", 0), "side": side}
        if not self.offset:
            return dict(self.sums)
        return {name: {self._seat(request): amount} for name, amount in self.sums}

    def is_legal(self, request: Request) -> bool:
        """Whether the question allows it."""
        if self.phase is not request.phase:
            return False
        if request.options:
            return self.word in request.options
        on = f" {self._seat(request)}" if self.offset else ""
        names = [(f"{name}{on}", amount) for name, amount in self.sums]
        return all(name in request.amounts and _fits(request.amounts[name], sum_) for name, sum_ in names)

    def _seat(self, request: Request) -> str:
        return seat_name((place_of(request.participant) + self.offset) % NUM_PLACES)


def _fits(allowed: Amounts, amount: Any) -> bool:
    if allowed.least == allowed.most:
        return bool(amount == allowed.least)
    return bool(allowed.least <= amount and (allowed.most is None or amount <= allowed.most))


class Menu:
    """All actions at a table. Every question has a legal one: to sums, nothing or any stake is an answer.

    Args:
        config: The table.
        wager_choices: Wagers in chips, the lowest first; default the least, the middle and the most.
        side_choices: Stakes on side bets; default the least.
        stake_choices: The banker's stakes; default 1, 4 and 8 times the most that a player may wager.

    Raises:
        ValueError: If a sum is not within the table's limits.
    """

    def __init__(
        self,
        config: TableConfig,
        wager_choices: Sequence[int] | None = None,
        side_choices: Sequence[int] | None = None,
        stake_choices: Sequence[int] | None = None,
    ) -> None:
        limits, side = config.limits, config.side_limits
        middle = {limits.least, (limits.least + limits.most) // 2, limits.most}
        self.wagers = _read("wager_choices", wager_choices, sorted(middle), limits.least, limits.most)
        self.side_stakes = _read("side_choices", side_choices, [side.least], side.least, side.most)
        stakes = [limits.most * number for number in (1, 4, 8)]
        self.stakes = _read("stake_choices", stake_choices, stakes, limits.least, None)
        self.choices = tuple(self._choices(config))

    @property
    def meanings(self) -> tuple[str, ...]:
        """Every action in words."""
        return tuple(f"{choice.phase.value}: {choice.meaning}" for choice in self.choices)

    def mask(self, request: Request) -> Mask:
        """Which actions answer a question: int8, 1 where legal."""
        return np.array([choice.is_legal(request) for choice in self.choices], dtype=np.int8)

    def most_on(self, config: TableConfig, bet: SideBet) -> Fraction:
        """The most that one bettor may put on a side bet."""
        bonus = config.rules.side_bets.bc
        if bet is SideBet.BC and bonus is not None:
            return bonus.stake / config.chip_value
        return Fraction(config.side_limits.most)

    def _choices(self, config: TableConfig) -> Iterator[Choice]:
        yield Choice(Phase.DRAW, "stand", "stand")
        yield Choice(Phase.DRAW, "draw", "draw")
        if config.logical_way:
            yield Choice(Phase.DRAW, "play the logical way", LOGICAL)
        if config.bank != "house":
            yield Choice(Phase.BANK, "accept", ACCEPT)
            yield Choice(Phase.BANK, "refuse", REFUSE)
            if config.cover is not Cover.UNLIMITED:
                for stake in self.stakes:
                    yield Choice(Phase.STAKE, str(stake), sums=(("stake", stake),))
        elif config.offer_forced:
            yield Choice(Phase.BANK, "accept", ACCEPT)  # the House, which may not refuse
        if config.house_tops_up:
            yield Choice(Phase.TOP_UP, "ask the House", ASK)
            yield Choice(Phase.TOP_UP, "decline", DECLINE)
        yield from self._wagers(config)
        yield from self._others(config)

    def _wagers(self, config: TableConfig) -> Iterator[Choice]:
        yield Choice(Phase.WAGER, "sit out")
        bets = config.rules.side_bets.offered
        bonus = config.rules.side_bets.bc
        stakes: list[tuple[Any, ...]] = [(0, *self.side_stakes)] * len(bets)
        if bonus is not None:
            stakes[bets.index(SideBet.BC)] = (0, money(bonus.stake / config.chip_value))
        for wager in self.wagers:
            for sums in product(*stakes):
                side = [(bet.value, stake) for bet, stake in zip(bets, sums, strict=True) if stake]
                meaning = "".join(f", {name} {stake}" for name, stake in side)
                yield Choice(Phase.WAGER, f"{wager}{meaning}", sums=(("base", wager), *side))

    def _others(self, config: TableConfig) -> Iterator[Choice]:
        yield Choice(Phase.OTHERS, "nothing")
        for offset in range(1, NUM_PLACES):
            if config.back_line:
                for wager in self.wagers:
                    meaning = f"back the hand {offset} clockwise with {wager}"
                    yield Choice(Phase.OTHERS, meaning, sums=(("back", wager),), offset=offset)
            if config.tie_bettors != "own":
                for stake in self.side_stakes:
                    meaning = f"{stake} on a tie of the hand {offset} clockwise"
                    yield Choice(Phase.OTHERS, meaning, sums=(("tie", stake),), offset=offset)
        if config.both_hands:
            for wager in self.wagers:
                yield Choice(Phase.OTHERS, f"{wager} on both hands", sums=(("both", wager),))


def _read(
    name: str, given: Sequence[int] | None, default: list[int], least: int, most: int | None
) -> tuple[int, ...]:
    if given is None:
        return tuple(default)
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ValueError(f"{name} {given!r}: a list of whole chips such as [1, 5, 10] is needed")
    sums = [read_whole(name, amount, least, most) for amount in given]
    if sums != sorted(set(sums)):
        raise ValueError(f"{name} {given!r}: each sum may come once, the lowest first")
    return tuple(sums)
