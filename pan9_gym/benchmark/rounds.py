"""Interleaved rounds: contenders take turns of equal CPU time, so that a busy machine is fair to all.

Formula:
    rate = (what was counted in a turn) / (CPU seconds of the turn, of all threads of this process)
    ratio of a round = (rate of one contender in it) / (rate of the other in it)

Symbols:
    round: one turn of each contender, in a fixed order; the first one warms up and does not count

Source:
    Definition: this module. The figure is the median of the rounds; the spread is the smallest and largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import process_time
from typing import Literal

Unit = Literal["hands", "decisions", "cards"]
"""What is counted."""

Clock = Callable[[], float]
"""CPU seconds of this process so far, of all its threads."""

Tell = Callable[[str], object]
"""Called with what is done next."""


@dataclass(frozen=True)
class Count:
    """What was played.

    Attributes:
        hands: Hands that ended.
        decisions: Decisions that mattered: a step whose action is ignored, as after an episode's end under
            next-step autoreset, is none.
        cards: Cards dealt; 0 where nobody counts them.
    """

    hands: int
    decisions: int
    cards: float = 0.0

    def __add__(self, other: Count) -> Count:
        return Count(self.hands + other.hands, self.decisions + other.decisions, self.cards + other.cards)


@dataclass(frozen=True)
class Contender:
    """What is measured.

    Attributes:
        name: A name of its own among those it is measured with.
        play: Plays on for a short while, some milliseconds if possible, and says what it played. What
            outlasts a call, such as an environment, is made beforehand.
    """

    name: str
    play: Callable[[], Count]


@dataclass(frozen=True)
class Turn:
    """One contender's turn in one round.

    Attributes:
        count: What it played.
        cpu_seconds: The CPU time it took, of all threads.
    """

    count: Count
    cpu_seconds: float

    def rate(self, unit: Unit) -> float:
        """How many per CPU second."""
        return float(getattr(self.count, unit)) / self.cpu_seconds


@dataclass(frozen=True)
class Spread:
    """One figure of several rounds.

    Attributes:
        median: The median.
        low: The smallest.
        high: The largest.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of one value per round."""
        return cls(median(values), min(values), max(values))

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Rounds:
    """What the contenders did.

    Attributes:
        turns: For each contender's name its turns, one per round.
    """

    turns: dict[str, tuple[Turn, ...]]

    def rates(self, name: str, unit: Unit = "hands") -> tuple[float, ...]:
        """A contender's rate in each round, per CPU second."""
        return tuple(turn.rate(unit) for turn in self.turns[name])

    def rate(self, name: str, unit: Unit = "hands") -> Spread:
        """A contender's rate per CPU second."""
        return Spread.of(self.rates(name, unit))

    def ratio(self, over: str, under: str, unit: Unit = "hands") -> Spread:
        """How many times as fast one contender is as the other, round by round."""
        pairs = zip(self.rates(over, unit), self.rates(under, unit), strict=True)
        return Spread.of([one / other for one, other in pairs])


def interleaved(
    contenders: Sequence[Contender],
    num_rounds: int,
    cpu_seconds: float,
    tell: Tell | None = None,
    clock: Clock = process_time,
) -> Rounds:
    """Let contenders take turns: one round to warm up, then those that count.

    Args:
        contenders: In the order of their turns; names differ.
        num_rounds: How many rounds count, at least 1.
        cpu_seconds: A turn ends with the first `play` after which it has taken this much CPU time.
        tell: Called with a line before each round.
        clock: What measures.

    Raises:
        ValueError: If there is no round, or two contenders have one name.
    """
    names = [contender.name for contender in contenders]
    if num_rounds < 1 or len(set(names)) < len(names):
        raise ValueError(f"num_rounds {num_rounds}: must be at least 1; names {names}: must differ")
    turns: dict[str, list[Turn]] = {name: [] for name in names}
    for number in range(num_rounds + 1):
        if tell is not None:
            tell(f"round {number} of {num_rounds}" if number else "warming up")
        for contender in contenders:
            turn = take_turn(contender, cpu_seconds, clock)
            if number:
                turns[contender.name].append(turn)
    return Rounds({name: tuple(taken) for name, taken in turns.items()})


def take_turn(contender: Contender, cpu_seconds: float, clock: Clock = process_time) -> Turn:
    """Play until the CPU time is used up, at least once."""
    start = clock()
    count, taken = contender.play(), clock() - start
    while taken < cpu_seconds:
        count += contender.play()
        taken = clock() - start
    return Turn(count, taken)
