"""What a long simulation plays: the table, its policies, how many hands, and whether deals are duplicated.

A *deal* is one order of the cards. With duplicates it is played once for each seat that may get its first
card, so that every seat holds every hand once; with one player the second time exchanges his cards and the
banker's. The hands of a deal depend on each other, so deals are what averages and their errors are made of.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy.typing as npt

from pan9_gym.game.batch_tables import engine_version
from pan9_gym.game.round import Game
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import read_whole

CHUNK_HANDS = 2**20
"""Hands of a chunk: some hundredths of a second for one player."""

MOST_HANDS = 10**13
"""Hands of one simulation; they would take days."""

Policies = tuple[TabularPolicy, ...]


@dataclass(frozen=True)
class Plan:
    """A simulation, before it is run.

    Attributes:
        game: Who is at the table, for what stakes.
        policies: Each seat's policy, banker last.
        versus: The other policies that play the same cards, or `None`.
        num_hands: Hands to play at each table; with duplicates as many more as complete the last deal.
        seed: Decides every card and every mixed choice.
        duplicate: Whether each deal is played once for each seat that may get its first card.
        chunk_hands: Hands of a chunk; the last one may have fewer.
    """

    game: Game
    policies: Policies
    versus: Policies | None
    num_hands: int
    seed: int
    duplicate: bool = False
    chunk_hands: int = CHUNK_HANDS

    def __post_init__(self) -> None:
        read_whole("num_hands", self.num_hands, 1, MOST_HANDS)
        read_whole("seed", self.seed, 0)
        read_whole("chunk_hands", self.chunk_hands, 1, 2**31)

    @property
    def tables(self) -> tuple[Policies, ...]:
        """The policies, and the others if there are any."""
        return (self.policies,) if self.versus is None else (self.policies, self.versus)

    @cached_property
    def rotations(self) -> tuple[Game, ...]:
        """The game, once for each way in which a deal is played."""
        firsts = range(self.game.num_seats) if self.duplicate else (self.game.first_to_deal,)
        return tuple(replace(self.game, first_to_deal=first) for first in firsts)

    @property
    def hands_of_deal(self) -> int:
        """Hands that one deal is played in at each table."""
        return self.game.num_seats if self.duplicate else 1

    @property
    def num_sums(self) -> int:
        """How many sums are kept: one per seat; for two tables those of both and of the differences."""
        return self.game.num_seats * (1 if self.versus is None else 3)

    @property
    def num_deals(self) -> int:
        """Deals to play."""
        return -(-self.num_hands // self.hands_of_deal)

    @property
    def chunk_deals(self) -> int:
        """Deals of a chunk."""
        return max(1, self.chunk_hands // self.hands_of_deal)

    @property
    def num_chunks(self) -> int:
        """Chunks to play."""
        return -(-self.num_deals // self.chunk_deals)

    def deals_in(self, num_chunks: int) -> int:
        """How many deals the first chunks have together."""
        return min(num_chunks * self.chunk_deals, self.num_deals)

    def hands_in(self, num_chunks: int) -> int:
        """How many hands the first chunks have together at each table."""
        return self.deals_in(num_chunks) * self.hands_of_deal

    @cached_property
    def units(self) -> tuple[Fraction, ...]:
        """What one unit of each seat's sums is worth."""
        from pan9_gym.game.batch_tally import HandTally  # loads Numba

        return HandTally(self.game, draw_probs(self.policies)).units

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that decides the counts, as JSON data in words."""
        game = self.game
        return {
            "rules": f"{game.rules.name} ({game.rules.fingerprint})",
            "players": game.num_players,
            "wagers": ", ".join(map(str, game.wagers)),
            "side stakes": stakes_text(game),
            "policies": ", ".join(map(_known_as, self.policies)),
            "versus": ", ".join(map(_known_as, self.versus or ())),
            "duplicate deals": "yes" if self.duplicate else "no",
            "seed": self.seed,
            "hands": self.num_hands,
            "hands of a chunk": self.chunk_hands,
            "engine": engine_version(),
        }


def stakes_text(game: Game) -> str:
    """Every player's side stakes in words; empty if there are none."""
    return ", ".join(
        f"player {seat} {bet} {amount}"
        for seat, stakes in enumerate(game.side_stakes)
        for bet, amount in stakes
    )


def _known_as(policy: TabularPolicy) -> str:
    content = json.dumps(policy.texts())
    return f"{policy.name} ({hashlib.sha256(content.encode()).hexdigest()[:12]})"


def draw_probs(policies: Policies) -> list[npt.ArrayLike]:
    """The policies as the compiled engine takes them."""
    return [policy.array for policy in policies]
