"""Random depleted shoes: what is left of a shuffled shoe after most cards are dealt; and sample means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import as_int
from pan9_gym.solver.shoe_state import ShoeState


@dataclass(frozen=True)
class SampleMean:
    """The mean of independent values.

    Attributes:
        mean: The mean.
        standard_error: Its standard error, the sample standard deviation / sqrt(number).
    """

    mean: float
    standard_error: float

    @classmethod
    def of(cls, values: npt.ArrayLike) -> SampleMean:
        """The mean of at least two values."""
        sample = np.asarray(values, dtype=float)
        return cls(float(sample.mean()), float(sample.std(ddof=1)) / sqrt(len(sample)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"mean": self.mean, "standard_error": self.standard_error}


def read_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number of any library from `least` to `most`.

    Raises:
        ValueError: Naming the argument, the value and the range.
    """
    number = as_int(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        end = "" if most is None else f" to {most}"
        raise ValueError(f"{name} {value!r}: a whole number from {least}{end} is needed")
    return number


@dataclass(frozen=True)
class DepletedShoes:
    """Seeded samples of depleted shoes, made by `depleted_shoes`.

    The same seed and depth give the same shoes in every study; different depths are independent.

    Attributes:
        rules: The rules.
        num_shoes: Shoes at each depth.
        seed: Decides the shoes.
    """

    rules: RulesConfig
    num_shoes: int
    seed: int

    def depth(self, cards_left: object) -> int:
        """A number of cards left with which a hand can be dealt.

        Raises:
            ValueError: Naming the number and the range.
        """
        least = 2 * self.rules.num_initial_cards + 2
        return read_whole("cards_left", cards_left, least, sum(self.rules.initial_counts))

    def states(self, cards_left: int) -> Iterator[ShoeState]:
        """Shoes with `cards_left` cards, each a uniformly random subset of the full shoe's cards."""
        rng = np.random.default_rng([self.seed, cards_left])
        sample = rng.multivariate_hypergeometric(self.rules.initial_counts, cards_left, self.num_shoes)
        for counts in sample.tolist():
            yield ShoeState(self.rules, tuple(counts))


def depleted_shoes(rules: RulesConfig, num_shoes: object, seed: object) -> DepletedShoes:
    """Samples of depleted shoes.

    Raises:
        ValueError: If an argument is out of range or cards are dealt with replacement.
    """
    if rules.with_replacement:
        raise ValueError("num_decks infinite: cards are dealt with replacement, so no shoe is depleted")
    return DepletedShoes(rules, read_whole("num_shoes", num_shoes, 2), read_whole("seed", seed, 0))
