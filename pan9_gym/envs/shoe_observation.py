"""What an observation in a shoe holds: which decision is due, for how much, and the hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pan9_gym.envs.observation import Encoder, Entry, Observation, markdown_layout
from pan9_gym.rules.terms import SuitClass

DRAW_DUE = Entry("due", "1 if a draw decision is due, 0 if an amount is", 0, 1)
WAGER = Entry("wager", "the hand's wager, divided by the greatest; 0 before it is chosen", 0, 1)


class ShoeEncoder:
    """Encodes both kinds of decision of a shoe.

    The entries are `due`, for a player `wager`, then those of the hand's encoder. Before a hand is dealt
    these are 0, but for what does not depend on it: shares of the cards left, wagers, rules.

    Args:
        hand: The encoder of a hand's information states.
        most: The greatest wager; `None` for a banker, who does not choose one.
    """

    def __init__(self, hand: Encoder, most: int | None) -> None:
        self.hand = hand
        self._most = most
        own = (DRAW_DUE,) if most is None else (DRAW_DUE, WAGER)
        self.layout: tuple[Entry, ...] = (*own, *hand.layout)
        self.low = np.array([entry.low for entry in self.layout], dtype=np.float32)
        self.high = np.array([entry.high for entry in self.layout], dtype=np.float32)
        shift = len(own)
        self._places = slice(shift, len(self.layout))
        self.has_wager = most is not None

    def encode(self, info_state: int | None, shoe: npt.ArrayLike | None, amount: int = 0) -> Observation:
        """An observation.

        Args:
            info_state: The number of the information state; `None` before the hand is dealt.
            shoe: The shares of the cards left before the hand, lowest point value first; `None` for all.
            amount: The hand's wager; not read before it is dealt.

        Returns:
            float32, shape (len(layout),); a new array each time.
        """
        obs = np.zeros(len(self.layout), dtype=np.float32)
        if info_state is None:
            obs[self._places] = self.hand.before_the_hand()
        else:
            obs[self._places] = self.hand.encode_index(info_state)
            obs[0] = 1
            if self._most is not None:
                obs[1] = self.wager_share(amount)
        if shoe is not None:
            self.show_shoe(obs, shoe)
        return obs

    @property
    def observes_shoe(self) -> bool:
        """Whether observations depend on what is left of the shoe."""
        return self.hand.observes_shoe

    def show_shoe(self, obs: Observation, shares: npt.ArrayLike) -> None:
        """Write into observations what is left of the shoe; see `Encoder.show_shoe`."""
        self.hand.show_shoe(obs[..., self._places], shares)

    def encode_decision(
        self,
        hand: Sequence[int] | str | None = None,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
        amount: int = 1,
    ) -> Observation:
        """The observation of any decision, float32, shape (len(layout),).

        Args:
            hand: Point values of the first cards; `None` for the decision before the hand.
            choices: Tokens of the earlier seats that are seen.
            suits: The suit class, only while a Dragon stake is held.
            shoe: For each point value the share of its cards left before the hand; default all.
            amount: The hand's wager, where the agent is a player.

        Raises:
            ValueError: If there is no such information state or wager.
        """
        if self._most is not None and not 1 <= amount <= self._most:
            raise ValueError(f"amount {amount}: a wager from 1 to {self._most} is needed")
        info_state = None if hand is None else self.hand.states.index(hand, choices, suits)
        return self.encode(info_state, shoe, amount)

    def encode_all(self) -> Observation:
        """Every observation with a full shoe, float32, shape (num_states + 1, len(layout)).

        The last row is the one before the hand is dealt; the wager is left 0.
        """
        rows = np.zeros((self.hand.states.num_states + 1, len(self.layout)), dtype=np.float32)
        rows[:-1, self._places] = self.hand.encode_all()
        rows[:-1, 0] = 1
        rows[-1, self._places] = self.hand.before_the_hand()
        return rows

    def wager_share(self, amount: npt.ArrayLike) -> Observation:
        """The entry `wager` of each amount, float32."""
        return np.divide(amount, self._most or 1, dtype=np.float32)

    def layout_table(self) -> str:
        """The layout as a Markdown table: index, feature, meaning, low, high."""
        return markdown_layout(self.layout)
