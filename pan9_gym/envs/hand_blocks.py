"""Fresh-shoe hands that the compiled engine plays ahead, for a scalar environment that plays many.

Such a hand depends on what the agent does only after its one decision. So a block of hands is dealt, and each
is played to its end twice from the same cards, once for each action. Importing this module loads Numba.
"""

from __future__ import annotations

import numpy as np

from pan9_gym.envs.setup import HandSetup, seat_arrays
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.policies.play import Seats
from pan9_gym.rules.terms import Action

BLOCK_HANDS = 1024

LEGAL: tuple[tuple[Action, ...], ...] = (
    (),
    (Action.STAND,),
    (Action.DRAW,),
    (Action.STAND, Action.DRAW),
)
"""The legal actions by bits: 1 for standing, 2 for drawing."""


class HandBlocks:
    """An endless row of hands.

    Args:
        setup: The environment's arguments; the shoe is a fresh one for each hand.
        seats: The other seats' policies.
        seed: Decides every card and every mixed choice.
    """

    def __init__(self, setup: HandSetup, seats: Seats, seed: int) -> None:
        self._batch = BatchRound(
            setup.game,
            setup.seat,
            seat_arrays(seats),
            BLOCK_HANDS,
            skip_forced=setup.skips_forced,
        )
        self._seed, self._first, self._place = seed, 0, BLOCK_HANDS - 1
        self._info_states: list[int] = []
        self._legal: list[int] = []
        self._payoffs: list[list[float]] = []
        self._totals: list[list[list[int]]] = []

    def deal(self) -> tuple[int, tuple[Action, ...]]:
        """The next hand's information state and the legal actions."""
        self._place += 1
        if self._place == BLOCK_HANDS:
            self._play_ahead()
        return self._info_states[self._place], LEGAL[self._legal[self._place]]

    def finish(self, action: Action) -> tuple[float, tuple[int, ...]]:
        """What a legal action in the latest hand pays, in units, and the final totals, banker last."""
        return self._payoffs[action][self._place], tuple(self._totals[action][self._place])

    def _play_ahead(self) -> None:
        batch, self._payoffs, self._totals = self._batch, [], []
        for action in Action:
            batch.seed(self._seed, first=self._first)
            batch.deal()
            batch.finish(np.full(BLOCK_HANDS, action))
            self._payoffs.append(batch.payoffs.tolist())
            self._totals.append(batch.totals.tolist())
        self._info_states = batch.info_state.tolist()
        self._legal = (batch.action_mask @ np.array([1, 2])).tolist()
        self._first += BLOCK_HANDS
        self._place = 0
