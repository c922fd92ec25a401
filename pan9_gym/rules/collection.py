"""Collections: what the room takes for a hand, flat (S5, T6), as one published schedule has it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CollectionTier:
    """The collection at tables of certain limits, in dollars a hand.

    Attributes:
        least: The least wager.
        most: The greatest wager.
        banker: What the banker pays.
        player: What each player pays.
    """

    least: int
    most: int
    banker: int
    player: int


PUBLISHED_TIERS = (
    CollectionTier(10, 100, banker=2, player=1),
    CollectionTier(50, 300, banker=4, player=2),
    CollectionTier(100, 500, banker=5, player=3),
    CollectionTier(200, 700, banker=5, player=4),
    CollectionTier(300, 1000, banker=5, player=5),
    CollectionTier(500, 2000, banker=10, player=10),
)
"""A schedule seen in a California card room; no rule sheet fixes one."""
