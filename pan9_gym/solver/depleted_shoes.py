"""Random depleted shoes: what is left of a shuffled shoe after most cards are dealt.

Formula:
    P(m) = prod_v C(n_v, m_v) / C(N, M),        sum_v m_v = M
    generator = default_rng([seed, M])

Symbols:
    m_v: cards of value v that are left
    n_v, N: cards of value v in the full shoe, and in all
    M: cards left, set beforehand: from 2k + 2, enough for a hand of k first cards each, to N
    C(n, m): binomial coefficient
    seed: a whole number; with M it decides the shoes, so that depths are independent of each other

Source:
    Derivation: this module. The cards in any M places of a shuffled shoe, such as the last, are a uniformly
    random subset of it, so their values have the multivariate hypergeometric distribution. That holds for a
    depth set beforehand, not for one chosen because a hand happened to end there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_whole
from pan9_gym.solver.shoe_state import ShoeState

MOST_SHOES = 10**6
"""Shoes of one sample, which are all drawn at once."""


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
    number = read_whole("num_shoes", num_shoes, 2, MOST_SHOES)
    return DepletedShoes(rules, number, read_whole("seed", seed, 0))
