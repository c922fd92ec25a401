"""The environment of one seat for one shoe: before each hand what to play it for, then whether to draw."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from pan9_gym.envs.observation import Observation, shoe_shares
from pan9_gym.envs.rendering import render_ansi
from pan9_gym.envs.scalar_base import SeatEnv
from pan9_gym.envs.setup import HandSetup
from pan9_gym.envs.sheets import read_reset
from pan9_gym.envs.shoe_observation import ShoeEncoder
from pan9_gym.envs.shoe_setup import ShoeSetup
from pan9_gym.game.round import Round
from pan9_gym.game.shoe import CardKind, Shoe, StackedShoe, counts_by_value
from pan9_gym.policies.play import Seats, play
from pan9_gym.rules.terms import Action, SuitClass

Mask = npt.NDArray[np.int8]

DRAW_ACTIONS = len(Action)
"""Actions from this number on pick an amount."""

NO_INFO_STATE = -1


class ShoeEnv(SeatEnv[ShoeSetup]):
    """One seat's decisions from a shuffled shoe to its cut card, against policies in the other seats.

    Not registered itself: `ShoePlayerEnv` and `ShoePlayerDealerEnv` say which seat the agent has.

    Args:
        setups: The arguments, read; one for each sheet.
        render_mode: "ansi" or `None`.

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(self, setups: Sequence[ShoeSetup], render_mode: str | None) -> None:
        super().__init__(setups, DRAW_ACTIONS + len(setups[0].amounts), render_mode)
        self._policies = self._next_policies = [(setup.hand.seats, setup.others) for setup in setups]
        self._source: Shoe | StackedShoe | None = None
        self._left: Counter[CardKind] = Counter()
        self._state: Round | None = None
        self._shown: Round | None = None
        self._amount = 0

    @property
    def amounts(self) -> tuple[int, ...]:
        """What a hand may be played for, in whole multiples of the game's wagers."""
        return self._setup.amounts

    @property
    def encoder(self) -> ShoeEncoder:
        """The encoder of observations."""
        return self._setup.encoder

    @property
    def _hand(self) -> HandSetup:
        return self._setup.hand

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a shoe; what to play its first hand for is due.

        Args:
            seed: Starts the random stream; without one the first reset takes fresh entropy and later ones go
                on.
            options: `{"cards": [...]}`: the first cards of the shoe in the order of the deal, in text
                notation. It is over when a hand might not be dealt from the listed cards that are left.
                `{"rules": sheet}` takes this sheet of several, by name or place.

        Returns:
            The observation and the info.

        Raises:
            ValueError: If an option or a listed card is not possible.
        """
        self._source = self._state = self._shown = None  # a reset that fails leaves no shoe to go on with
        cards, sheet = read_reset(options, self._names)
        self._start(seed, sheet)
        if cards is None:
            self._source = shoe = self._shuffled()
            self._left = shoe.counts()
        else:
            self._source = self._listed(cards)
            self._left = Counter(self.game.counts)
        self._policies = self._next_policies
        self._amount = 0
        return self._observe(), self._info()

    def step(self, action: np.int64 | int | Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Stand (0), draw (1), or pick the amount of the next hand (2 and more).

        Returns:
            The observation, the reward in units, 0 unless a hand ended, whether the shoe is over, `False`,
            and the info.

        Raises:
            gymnasium.error.ResetNeeded: If there is no shoe or it is over.
            ValueError: If the action is none, or is illegal and `illegal_action="error"`.
        """
        if self._source is None:
            raise gymnasium.error.ResetNeeded("step: the shoe is over or none was started; call reset()")
        played = self._read(action)
        if self._state is None:
            ended = self._open(self._source, self.amounts[played - DRAW_ACTIONS])
        else:
            ended = self._play_on(self._state.apply(Action(played)), self._policies[self._sheet][0])
        reward = 0.0 if ended is None else self._close(ended)
        done: dict[str, Any] = {"action": played, "action_replaced": played != int(action)}
        if ended is not None:
            done["totals"] = tuple(ended.total(seat) for seat in range(self.game.num_seats))
        return self._observe(), reward, self._source is None, False, {**self._info(), **done}

    def render(self) -> str | None:
        """The hand as text where `render_mode="ansi"`: what the agent may see, and all cards at the end.

        Raises:
            gymnasium.error.ResetNeeded: If no shoe was started.
        """
        if not self._draws():
            return None
        if self._source is None and self._shown is None:
            raise gymnasium.error.ResetNeeded("render: no shoe was started; call reset() first")
        counts = counts_by_value(self.game.rules, self._left)
        left = " ".join(
            f"{value}:{number}" for value, number in zip(self.game.rules.values, counts, strict=True)
        )
        shown = "no hand yet" if self._shown is None else render_ansi(self._shown, self.seat)
        when = "left" if self._state is None else "left before the hand"
        return f"{sum(counts)} cards {when}, by points {left}; amount {self._amount}\n{shown}"

    def action_masks(self) -> Mask:
        """Which actions are legal now: int8, shape (2 + amounts,); zeros when the shoe is over."""
        mask = np.zeros(DRAW_ACTIONS + len(self.amounts), dtype=np.int8)
        if self._state is not None:
            mask[list(self._state.legal_actions())] = 1
        elif self._source is not None:
            mask[DRAW_ACTIONS:] = 1
        return mask

    def encode(
        self,
        hand: Sequence[int] | str | None = None,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
        amount: int = 1,
        rules: str | int | None = None,
    ) -> Observation:
        """The observation of any decision, float32, shape (D,); see `ShoeEncoder.encode_decision`.

        Where there are several sheets `rules` is the name or place of one; by default that of the latest
        shoe.
        """
        return self._setups[self._place(rules)].encoder.encode_decision(hand, choices, suits, shoe, amount)

    def set_opponents(self, opponents: Mapping[str, Any] | None) -> None:
        """Change the policies from the next shoe on.

        Args:
            opponents: As in the constructor.

        Raises:
            ValueError: If a policy is not possible; nothing changes then.
        """
        self._next_policies = [setup.read_policies(opponents) for setup in self._setups]

    def _shuffled(self) -> Shoe:
        """The sheet's shoe, shuffled; a new one is."""
        is_new = self._shoes[self._sheet] is None
        shoe = self._shoe()
        if not is_new:
            shoe.shuffle()
        return shoe

    def _listed(self, cards: Sequence[Any]) -> StackedShoe:
        if len(cards) < self.game.max_cards:
            raise ValueError(
                f"options['cards'] lists {len(cards)} cards; a hand may take {self.game.max_cards}"
            )
        return StackedShoe(self.game.rules, cards, self.game.with_suits)

    def _read(self, action: Any) -> int:
        """The action that is played: the given one, or the legal one with the lowest number."""
        mask = self.action_masks()
        try:
            number = -1 if isinstance(action, bool) else operator.index(action)
        except TypeError:
            number = -1
        if not 0 <= number < len(mask):
            raise ValueError(
                f"action {action!r}: must be 0 (STAND), 1 (DRAW), or 2 to {len(mask) - 1} for an amount"
            )
        if mask[number]:
            return number
        legal: list[int] = np.flatnonzero(mask).tolist()
        if not self._hand.replaces_illegal:
            due = "an amount" if self._state is None else "a draw decision"
            raise ValueError(f"action {number} is illegal: {due} is due; legal: {', '.join(map(str, legal))}")
        return legal[0]

    def _open(self, source: Shoe | StackedShoe, amount: int) -> Round | None:
        """Deal a hand for an amount; its end, or `None` where the agent's draw decision is due."""
        self._amount = amount
        own, others = self._policies[self._sheet]
        seats = own if amount else others
        state = play(self.game.new_round(self._left), source, seats, self.np_random)
        if not state.is_terminal and self._hand.skips_forced and len(state.legal_actions()) == 1:
            state = play(state.apply(state.legal_actions()[0]), source, seats, self.np_random)
        self._shown = state
        if state.is_terminal:
            return state
        self._state = state
        return None

    def _play_on(self, state: Round, seats: Seats) -> Round:
        assert self._source is not None
        self._state = None
        self._shown = play(state, self._source, seats, self.np_random)
        return self._shown

    def _close(self, ended: Round) -> float:
        """Settle a hand: its cards are known, and the shoe may be over."""
        source = self._source
        assert source is not None
        self._left = ended.remaining()
        cut = isinstance(source, Shoe) and source.cut_card_reached
        if cut or (source.num_cards_left or 0) < self.game.max_cards:
            self._source = None
        if self._amount == 0:
            return 0.0
        return float(self._amount * ended.seat_return(self.seat) - self._setup.fee)

    def _observe(self) -> Observation:
        rules = self.game.rules
        shares = shoe_shares(counts_by_value(rules, self._left), rules.initial_counts)
        info_state = None if self._state is None else self._state.info_state(self.seat)
        return self.encoder.encode(info_state, shares, self._amount)

    def _info(self) -> dict[str, Any]:
        return {
            "info_state": NO_INFO_STATE if self._state is None else self._state.info_state(self.seat),
            "action_mask": self.action_masks(),
            "amount": self._amount,
            **self._sheet_info(),
        }
