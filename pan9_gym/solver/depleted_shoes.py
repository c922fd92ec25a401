"""Random depleted shoes: what is left of a shuffled shoe after most cards are dealt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_whole
from pan9_gym.solver.shoe_state import ShoeState


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
