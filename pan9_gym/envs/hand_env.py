"""The environment of one seat for one hand: what the player's and the player-dealer's environments share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt

from pan9_gym.envs.arguments import read_action
from pan9_gym.envs.observation import Encoder, Observation, shoe_shares
from pan9_gym.envs.rendering import render_ansi
from pan9_gym.envs.scalar_base import SeatEnv
from pan9_gym.envs.setup import HandSetup
from pan9_gym.envs.sheets import read_reset
from pan9_gym.game.round import Round
from pan9_gym.game.shoe import CardSource, Shoe, StackedShoe, counts_by_value
from pan9_gym.policies.play import Seats, play, read_opponents
from pan9_gym.rules.terms import Action, SuitClass

if TYPE_CHECKING:
    from pan9_gym.envs.hand_blocks import HandBlocks

Mask = npt.NDArray[np.int8]

MANY_HANDS = 1000
"""After so many hands since the seed or new opponents the compiled engine plays ahead."""

STAND_OR_DRAW = (Action.STAND, Action.DRAW)

MASKS: dict[tuple[Action, ...], Mask] = {
    legal: np.array([action in legal for action in STAND_OR_DRAW], dtype=np.int8)
    for legal in ((), (Action.STAND,), (Action.DRAW,), STAND_OR_DRAW)
}
"""The mask of each set of legal actions."""


class HandEnv(SeatEnv[HandSetup]):
    """One seat's one decision per hand, against policies in the other seats.

    Not registered itself: `PlayerEnv` and `PlayerDealerEnv` say which seat the agent has.

    Hands are played by the readable engine; from the `MANY_HANDS`-th after a seed or a change of opponents on
    fresh-shoe hands come in blocks from the compiled one, which the tests hold to be the same game; the first
    block of an installation compiles for some seconds. With `render_mode="ansi"`, several sheets or a
    continuing shoe all hands are the readable engine's, so that these options change the hands of a seed from
    there on.

    Args:
        setups: The arguments, read; one for each sheet.
        render_mode: "ansi" or `None`.

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(self, setups: Sequence[HandSetup], render_mode: str | None) -> None:
        super().__init__(setups, len(Action), render_mode)
        self._policies = self._next_policies = [setup.seats for setup in setups]
        self._source: CardSource | None = None
        self._state: Round | None = None
        self._info_state = 0
        self._hands_dealt = 0
        self._blocks: HandBlocks | None = None
        self._dealt_legal: tuple[Action, ...] = ()

    @property
    def encoder(self) -> Encoder:
        """The encoder of observations."""
        return self._setup.encoder

    @property
    def _hand(self) -> HandSetup:
        return self._setup

    @property
    def _seats(self) -> Seats:
        return self._policies[self._sheet]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a hand and play it up to the agent's decision.

        Args:
            seed: Starts the random stream and a new shoe; without one the first reset takes fresh entropy and
                later ones go on.
            options: `{"cards": [...]}` deals these cards, in text notation, in the order of the deal;
                `{"rules": sheet}` takes this sheet of several, by name or place.

        Returns:
            The observation and the info.

        Raises:
            ValueError: If an option or a listed card is not possible.
        """
        unchanged = seed is None and self._policies is self._next_policies
        if self._blocks is not None and unchanged and not options:
            return self._deal_from_block(self._blocks)
        self._state = None  # a reset that fails leaves no hand to go on with
        self._dealt_legal = ()
        cards, sheet = read_reset(options, self._names)
        self._start(seed, sheet)
        if not unchanged:  # blocks were dealt from another seed or against other opponents
            self._blocks, self._hands_dealt = None, 0
        self._hands_dealt += 1
        self._policies = self._next_policies
        if self._hands_dealt > MANY_HANDS and cards is None and self._may_play_ahead():
            return self._deal_from_block(self._new_blocks())
        self._state = self._deal_stacked(cards) if cards is not None else self._deal(self._shoe())
        self._info_state = self._state.info_state(self.seat)
        info = {"info_state": self._info_state, "action_mask": self.action_masks(), **self._sheet_info()}
        return self._observe(self._state), info

    def step(self, action: np.int64 | int | Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Stand (0) or draw (1); the hand is played to its end.

        Returns:
            The observation of the decided hand, the reward in units, `True`, `False`, and the info.

        Raises:
            gymnasium.error.ResetNeeded: If no hand waits for a decision.
            ValueError: If the action is not 0 or 1, or is illegal and `illegal_action="error"`.
        """
        if self._dealt_legal:
            return self._step_in_block(action)
        state = self._waiting_state()
        played, replaced = self._legal_action(state.legal_actions(), action)
        assert self._source is not None
        self._state = None  # a step that fails, such as a stacked shoe that runs out, ends the hand
        self._state = play(state.apply(played), self._source, self._seats, self.np_random)
        reward = float(self._state.seat_return(self.seat))
        totals = tuple(self._state.total(seat) for seat in range(self.game.num_seats))
        info = {**self._final_info(totals, played, replaced), **self._sheet_info()}
        return self._observe(state), reward, True, False, info

    def render(self) -> str | None:
        """The hand as text where `render_mode="ansi"`: what the agent may see, and all cards at the end.

        Raises:
            gymnasium.error.ResetNeeded: If no hand has been dealt.
        """
        if not self._draws():
            return None
        if self._state is None:
            raise gymnasium.error.ResetNeeded("render: no hand has been dealt; call reset() first")
        return render_ansi(self._state, self.seat)

    def action_masks(self) -> Mask:
        """Which actions are legal now: int8, shape (2,), 1 where legal; zeros when the hand is over."""
        legal = self._dealt_legal if self._state is None else self._state.legal_actions()
        return MASKS[legal].copy()

    def encode(
        self,
        hand: Sequence[int] | str,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
        rules: str | int | None = None,
    ) -> Observation:
        """The observation of any information state, to hand a net to `TabularPolicy.from_callable`.

        See `Encoder.encode`; without `shoe` the shoe is full. Where there are several sheets `rules` is the
        name or place of one; by default that of the latest hand.
        """
        return self._setups[self._place(rules)].encoder.encode(hand, choices, suits, shoe)

    def set_opponents(self, opponents: Mapping[str, Any] | None) -> None:
        """Change the other seats' policies from the next hand on.

        Args:
            opponents: As in the constructor.

        Raises:
            ValueError: If a policy is not possible; nothing changes then.
        """
        self._next_policies = [read_opponents(setup.game, self.seat, opponents) for setup in self._setups]

    def _observe(self, state: Round) -> Observation:
        shares = None
        if self.encoder.observes_shoe:
            rules = self.game.rules
            shares = shoe_shares(counts_by_value(rules, state.shoe), rules.initial_counts)
        return self.encoder.encode_index(self._info_state, shares)

    def _deal(self, shoe: Shoe) -> Round:
        self._source = shoe
        while True:
            if not self._setup.continues:
                shoe.shuffle()
                state = self.game.new_round()
            else:
                if shoe.cut_card_reached or (shoe.num_cards_left or 0) < self.game.max_cards:
                    shoe.shuffle()
                state = self.game.new_round(shoe.counts())
            state = play(state, shoe, self._seats, self.np_random)
            if state.is_terminal:  # a natural ended the hand before the agent's turn
                continue
            if not self._setup.skips_forced or len(state.legal_actions()) > 1:
                return state
            self._play_forced(state, shoe)

    def _play_forced(self, state: Round, shoe: Shoe) -> None:
        """Finish a hand in which the agent has no choice."""
        play(state.apply(state.legal_actions()[0]), shoe, self._seats, self.np_random)

    def _deal_stacked(self, cards: Sequence[Any]) -> Round:
        game = self.game
        if len(cards) < game.num_initial_deals:
            raise ValueError(
                f"options['cards'] lists {len(cards)} cards; "
                f"{game.num_initial_deals} to {game.max_cards} are needed"
            )
        self._source = StackedShoe(game.rules, cards, game.with_suits)
        state = play(game.new_round(), self._source, self._seats, self.np_random)
        if state.is_terminal:
            raise ValueError(f"options['cards'] {list(cards)}: a natural ends the hand before any decision")
        if self._setup.skips_forced and len(state.legal_actions()) == 1:
            raise ValueError(
                f"options['cards'] {list(cards)}: the move is forced, and forced='skip' skips such hands"
            )
        return state

    def _waiting_state(self) -> Round:
        if self._state is None or self._state.is_terminal:
            raise gymnasium.error.ResetNeeded("step: no hand waits for a decision; call reset() first")
        return self._state

    def _legal_action(self, legal: tuple[Action, ...], action: Any) -> tuple[Action, bool]:
        chosen = read_action(action)
        if chosen in legal:
            return chosen, False
        if not self._setup.replaces_illegal:
            states = self.game.states[self.seat]
            total = states.column_totals[self._info_state % states.shape[1]]
            raise ValueError(
                f"action {chosen.name} is illegal: {self.game.rules.name!r} forces {legal[0].name} on {total}"
            )
        return legal[0], True

    def _final_info(self, totals: tuple[int, ...], played: Action, replaced: bool) -> dict[str, Any]:
        return {
            "info_state": self._info_state,
            "action_mask": np.zeros(2, dtype=np.int8),
            "action": int(played),
            "action_replaced": replaced,
            "totals": totals,
        }

    def _may_play_ahead(self) -> bool:
        """Whether nothing but the agent's action is open once a hand is dealt, and nobody looks at cards."""
        return not self._setup.continues and len(self._setups) == 1 and self.render_mode is None

    def _new_blocks(self) -> HandBlocks:
        from pan9_gym.envs.hand_blocks import HandBlocks  # loads Numba, only for those who play much

        self._blocks = HandBlocks(self._setup, self._seats, int(self.np_random.integers(2**62)))
        return self._blocks

    def _deal_from_block(self, blocks: HandBlocks) -> tuple[Observation, dict[str, Any]]:
        self._state = None
        self._info_state, self._dealt_legal = blocks.deal()
        info = {"info_state": self._info_state, "action_mask": MASKS[self._dealt_legal].copy()}
        return self.encoder.encode_index(self._info_state), info

    def _step_in_block(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        assert self._blocks is not None
        played, replaced = self._legal_action(self._dealt_legal, action)
        self._dealt_legal = ()
        reward, totals = self._blocks.finish(played)
        obs = self.encoder.encode_index(self._info_state)
        return obs, reward, True, False, self._final_info(totals, played, replaced)
