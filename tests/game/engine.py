"""What tests of the compiled engine's cards share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from pan9_gym.game import Game
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.game.batch_tables import KIND_SHIFT
from pan9_gym.rules import load_rules

SIGNIFICANCE = 1e-4
ONE_PACK = load_rules("bicycle", num_decks=1)
PACK = 36
PACK_COUNTS = [12, 4, 4, 4, 4, 4, 4]


def policies(game: Game, agent: int | None, action: float) -> list[Any]:
    """The same action everywhere."""
    shapes = [states.shape for states in game.states]
    return [None if seat == agent else np.full(shape, action) for seat, shape in enumerate(shapes)]


def batch_of(
    game: Game, number: int, agent: int | None = 0, action: float = 1.0, **options: Any
) -> BatchRound:
    return BatchRound(game, agent, policies(game, agent, action), number, **options)


def kinds(batch: BatchRound) -> npt.NDArray[np.int64]:
    """The cards that lie before the rounds: places in a pack, shape (rows, max_cards)."""
    return (batch._cards[:, :-1] >> np.uint32(KIND_SHIFT)).astype(np.int64)


def point_values(batch: BatchRound) -> npt.NDArray[np.int64]:
    """The point values of the cards that lie before the rounds, shape (rows, max_cards)."""
    return (batch._cards[:, :-1] // 2048 % 64).astype(np.int64)


def is_likely(observed: npt.NDArray[Any], expected: npt.NDArray[Any] | float, fixed: int = 1) -> bool:
    """Pearson's chi-square test; `fixed` linear relations hold between the counts."""
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic < chi2.isf(SIGNIFICANCE, observed.size - fixed)
