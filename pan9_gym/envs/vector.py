"""Many hands at once behind Gymnasium's vector interface, on the compiled engine.

Importing this module loads Numba; `gymnasium.make_vec` does so when it makes such an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from pan9_gym.envs.observation import Encoder, Observation, shoe_shares
from pan9_gym.envs.setup import HandSetup, seat_arrays
from pan9_gym.envs.sheets import read_sheet
from pan9_gym.envs.vector_arguments import Flags
from pan9_gym.envs.vector_base import Array, EngineVectorEnv, Infos, marked, read_num_envs
from pan9_gym.game.batch_arrays import CardList
from pan9_gym.game.batch_mixed import MixedRounds
from pan9_gym.game.batch_round import BatchRound, Finished
from pan9_gym.game.round import Game
from pan9_gym.policies.play import read_opponents
from pan9_gym.rules.terms import Action, SuitClass

MOST_TABLE_BYTES = 200_000_000
"""The largest table of all observations; a banker who sees the drawn cards of five players needs more."""


class HandVectorEnv(EngineVectorEnv):
    """N independent hands of one seat, each one decision long.

    Not registered itself: `PlayerVectorEnv` and `PlayerDealerVectorEnv` say which seat the agent has.

    Environment i has random stream i of the seed, so that its hands do not depend on `num_envs`. The streams
    are not those of the scalar environment; on listed cards both say the same, bit for bit.

    Observations are float32, shape (num_envs, D); rewards float64, terminations and truncations bool, shape
    (num_envs,). Infos hold arrays with one row per environment, and for each `key` the mask `_key`, bool,
    shape (num_envs,), of the environments it is about; the masks of one call may be one array.

    | key | dtype | shape | where |
    |---|---|---|---|
    | info_state | int64 | (num_envs,) | always |
    | action_mask | int8 | (num_envs, 2) | always; zeros where the hand is over |
    | action | int64 | (num_envs,) | finished hands |
    | action_replaced | bool | (num_envs,) | finished hands |
    | totals | int8 | (num_envs, seats) | finished hands, banker last |
    | rules | int64 | (num_envs,) | with several sheets: the place of the episode's |

    With same-step autoreset, the default, every step finishes a hand and deals the next: `infos["final_obs"]`
    is the finished hand's observation, float32, shape (num_envs, D), and `infos["final_info"]` has all five
    keys about it. With next-step autoreset a hand takes two steps, the second of which ignores the action;
    that wastes half of a game of one decision. With it disabled, a finished hand waits for a reset by mask.
    Of Gymnasium 1.4's vector wrappers same-step refuses every `VectorObservationWrapper` (Transform-,
    Rescale-, Flatten-, Dtype-, Reshape- and `NormalizeObservation`), disabled refuses `NormalizeObservation`;
    `RecordEpisodeStatistics`, `NormalizeReward`, `ClipReward` and `DictInfoToList` take every mode.

    Args:
        setups: The arguments, read; one for each sheet.
        num_envs: N, at least 1.
        autoreset_mode: An `AutoresetMode` or its name.
        copy: Whether outputs are new arrays. `False` is the in-place mode: outputs are the environment's own
            arrays, which its next call overwrites.
        render_mode: `None`; the vector environment draws nothing.

    Raises:
        ValueError: If an argument is not possible. Unlike the scalar environment's, a continuing shoe's cut
            card must leave room for one hand.
    """

    def __init__(
        self,
        setups: Sequence[HandSetup],
        num_envs: int,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
    ) -> None:
        self._setups = tuple(setups)
        self.seat = setups[0].seat
        self._table = np.concatenate([observation_table(setup.encoder) for setup in setups])
        batches = [_batch(setup, read_num_envs(num_envs)) for setup in setups]
        self._batch = batches[0] if len(batches) == 1 else MixedRounds(batches)
        super().__init__(setups, self._batch, len(Action), autoreset_mode, copy, render_mode)
        full = [setup.game.rules.initial_counts for setup in setups]
        self._full_counts = np.array(full, dtype=np.uint16)
        self._full = np.tile(self._full_counts[0], (self.num_envs, 1))  # rows of seven are slow to broadcast
        self._observes_shoe = self.encoder.observes_shoe and setups[0].continues
        self._shares = np.ones(self._full.shape, dtype=np.float32)
        self._all_wait = False
        self._decided_on = np.zeros((0, 0), dtype=np.float32)
        self._finished = Finished.empty(self.num_envs, setups[0].game.num_seats)

    def reset(  # a list of seeds too, as Gymnasium's own do
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Infos]:
        """Deal new hands and play them up to the agent's decision; hands that wait are given up.

        Args:
            seed: A whole number: environment i starts with stream i of it, and a new shoe. A list with a seed
                or `None` for each environment: i starts as environment 0 of its seed. Without one the first
                reset takes fresh entropy and later ones go on.
            options: `{"reset_mask": mask}`, bool, shape (num_envs,), resets only these; the first reset must
                be of all. `{"cards": [...]}` has for each environment a list of cards in the order of the
                deal, or `None`; lists of environments that are not reset are not read.
                `{"rules": [...]}` has for each a sheet of several, by name or place, or `None`.

        Returns:
            All observations, and infos about the environments that were reset.

        Raises:
            ValueError: If an argument or a listed card is not possible; after a wrong card the environments
                that were to be reset have no hand.
            gymnasium.error.ResetNeeded: If the first reset is not of all.
        """
        mask, cards = self._read_reset(seed, options)
        self._deal(mask, cards)
        self._started = True
        return self._observe(), self._hand_infos(mask)

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, Array, Array, Array, Infos]:
        """Stand (0) or draw (1); the hands are played to their end, and new ones dealt as the mode says.

        Args:
            actions: Whole numbers, shape (num_envs,).

        Returns:
            Observations, rewards in units, terminations, truncations (never) and infos.

        Raises:
            gymnasium.error.ResetNeeded: If an environment has no hand that waits; nothing is played.
            ValueError: If the actions are wrong, naming the environment; nothing is played. Or if listed
                cards run out, after which all need a reset.
        """
        playing = self._playing()
        if playing is None and self.autoreset_mode is AutoresetMode.SAME_STEP:
            return self._step_and_deal(actions)
        try:
            self._batch.finish(actions, playing)
        finally:
            self._all_wait = bool(self._batch.waiting.all())
        paid = self._batch.payoffs
        rewards = self._give("rewards", paid if playing is None else np.where(playing, paid, 0.0))
        infos = self._all_over() if playing is None else self._next_step(playing)
        terminated = self._give("terminated", self._every if playing is None else playing)
        return self._observe(), rewards, terminated, self._give("truncated", self._none), infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Which actions are legal now: int8, shape (num_envs, 2); zeros where no hand waits."""
        return self._batch.action_mask * self._batch.waiting[:, np.newaxis]

    def encode(
        self,
        hand: Sequence[int] | str,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
        rules: str | int = 0,
    ) -> Observation:
        """One environment's observation of an information state, as `HandEnv.encode`; float32, shape (D,)."""
        setup = self._setups[read_sheet(self._names, rules, "rules")]
        return setup.encoder.encode(hand, choices, suits, shoe)

    def observation_layout(self) -> str:
        """The layout of observations as a Markdown table, generated from the encoder."""
        return self.encoder.layout_table()

    @property
    def game(self) -> Game:
        """Who is at the table, for what stakes; by the first of several sheets."""
        return self._setups[0].game

    @property
    def encoder(self) -> Encoder:
        """The encoder of observations, by the first of several sheets."""
        return self._setups[0].encoder

    def set_opponents(self, opponents: Mapping[str, Any] | None) -> None:
        """Change the other seats' policies from the next deal on.

        With same-step autoreset that is each environment's next hand. Where some environments are dealt and
        others wait, by a reset mask or in the other modes, the waiting hands go on with the new policies.

        Args:
            opponents: As in the constructor.

        Raises:
            ValueError: If a policy is not possible; nothing changes then.
        """
        every = [read_opponents(setup.game, self.seat, opponents) for setup in self._setups]
        if isinstance(self._batch, BatchRound):
            self._batch.set_policies(seat_arrays(every[0]))
        else:
            for number, seats in enumerate(every):
                self._batch.set_policies(number, seat_arrays(seats))

    def _deal(self, mask: Flags | None, cards: Sequence[CardList | None] | None) -> None:
        chosen = self._every if mask is None else mask
        self._over[chosen] = False
        try:
            self._batch.check_cards(chosen, cards)
        except ValueError:
            self._batch.deal(chosen)  # gives up the hands that wait: their cards leave a continuing shoe
            self._batch.abandon(chosen)
            self._all_wait = False
            raise
        try:
            self._batch.deal(chosen, cards)
        except ValueError:
            self._batch.abandon(chosen)
            raise
        finally:
            self._all_wait = bool(self._batch.waiting.all())
        self._look_at_shoes(chosen)

    def _look_at_shoes(self, dealt: Flags | None = None) -> None:
        """Keep what the shoes held before the hands that were dealt; a listed hand is from a full one."""
        if self._observes_shoe:
            if self._mixed is not None:
                self._full = self._full_counts[self._mixed.games]
            shares = shoe_shares(self._batch.unseen, self._full)
            shares[self._batch.listed] = 1.0
            if dealt is None:
                self._shares = shares
            else:
                np.copyto(self._shares, shares, where=dealt[:, np.newaxis])

    def _playing(self) -> Flags | None:
        """The environments whose hands the step finishes; `None` for all."""
        if self._all_wait:
            return None
        waiting = self._batch.waiting
        over = self._over if self.autoreset_mode is AutoresetMode.NEXT_STEP else self._none
        if not (waiting | over).all():
            number = int(np.argmin(waiting | over))
            raise gymnasium.error.ResetNeeded(
                f"step: environment {number} has no hand that waits; call reset() first"
            )
        return waiting.copy()

    def _step_and_deal(self, actions: npt.ArrayLike) -> tuple[Observation, Array, Array, Array, Infos]:
        """Finish every hand and deal the next ones."""
        done = Finished.empty(*self._finished.totals.shape) if self.copy else self._finished
        sheets = self._sheets()
        try:
            self._batch.advance(actions, done)
        except ValueError:
            self._all_wait = bool(self._batch.waiting.all())
            raise
        final_obs = self._final_obs(done, sheets)
        self._look_at_shoes()
        there = self._every.copy()
        final = {
            "info_state": done.info_state,
            "_info_state": there,
            "action_mask": np.zeros((self.num_envs, 2), dtype=np.int8),
            "_action_mask": there,
            "action": done.action,
            "_action": there,
            "action_replaced": done.replaced,
            "_action_replaced": there,
            "totals": done.totals,
            "_totals": there,
        }
        if sheets is not None:
            final.update({"rules": sheets, "_rules": there})
        infos = {"final_obs": final_obs, "_final_obs": there, "final_info": final, "_final_info": there}
        infos.update(self._hand_infos(None, there))
        truncated = self._give("truncated", self._none)
        return self._observe(), done.payoffs, self._give("terminated", self._every), truncated, infos

    def _all_over(self) -> Infos:
        """The infos after a step that has finished every hand, and dealt none."""
        self._over[:] = True
        return {**self._hand_infos(None), **self._end_infos(None)}

    def _next_step(self, playing: Flags) -> Infos:
        """The infos after a step that deals hands where they were over and has finished the others."""
        ends = self._end_infos(playing) if playing.any() else {}
        self._draw_sheets(self._over)
        self._batch.deal(self._over)
        self._look_at_shoes(self._over)
        self._over = playing
        self._all_wait = not playing.any()
        return {**self._hand_infos(None), **ends}

    def _hand_infos(self, about: Flags | None, there: Flags | None = None) -> Infos:
        """What is known while a hand waits, about these environments or all; `there` marks them."""
        masks = self._batch.action_mask if self._all_wait else self.action_masks()
        info_state = self._batch.info_state
        if about is not None:
            masks, info_state = masks * about[:, np.newaxis], info_state * about
        if there is None:
            there = (self._every if about is None else about).copy()
        infos = {
            "info_state": self._give("info_state", info_state),
            "_info_state": there,
            "action_mask": self._give("action_mask", masks),
            "_action_mask": there,
        }
        if self._mixed is not None:
            infos.update(marked(self._sheet_infos(there), there))
        return infos

    def _end_infos(self, about: Flags | None) -> Infos:
        """What is known once a hand is over; zeros elsewhere."""
        batch = self._batch
        played = batch.actions[:, self.seat].astype(np.int64)
        replaced, totals = batch.replaced, batch.totals.view(np.int8)
        if about is not None:
            played, replaced, totals = played * about, replaced & about, totals * about[:, np.newaxis]
        infos = {
            "action": self._give("action", played),
            "action_replaced": self._give("action_replaced", replaced),
            "totals": self._give("totals", totals),
        }
        return marked(infos, (self._every if about is None else about).copy())

    def _observe(self) -> Observation:
        """All observations; of a hand that is over, the one it was decided on."""
        obs = self._encode("obs", self._batch.info_state, self._sheets())
        if not self.copy:
            return obs
        self._decided_on = obs  # nobody else has it
        return obs.copy()

    def _final_obs(self, done: Finished, sheets: Array | None) -> Observation:
        """What the finished hands were decided on."""
        return self._decided_on if self.copy else self._encode("final_obs", done.info_state, sheets)

    def _encode(self, name: str, info_state: Array, sheets: Array | None) -> Observation:
        obs = self._look_up(name, self._table, self._rows(info_state, sheets))
        if self._observes_shoe:
            self.encoder.show_shoe(obs, self._shares)
        return obs

    def _rows(self, info_state: Array, sheets: Array | None) -> Array:
        """Where the observations lie in the table: each sheet has a part of its own."""
        return info_state if sheets is None else info_state + sheets * self.encoder.states.num_states


def _batch(setup: HandSetup, num_envs: int) -> BatchRound:
    return BatchRound(
        setup.game,
        setup.seat,
        setup.draw_probs,
        num_envs,
        continues=setup.continues,
        skip_forced=setup.skips_forced,
        replace_illegal=setup.replaces_illegal,
        **setup.shoe,
    )


def observation_table(encoder: Encoder) -> Observation:
    """Every observation, float32, shape (states, D).

    Raises:
        ValueError: If the table would be too large.
    """
    size = encoder.states.num_states * len(encoder.layout) * 4
    if size > MOST_TABLE_BYTES:
        raise ValueError(
            f"a vector environment keeps every observation: {encoder.states.num_states} information states "
            f"need {size // 10**6} MB, and {MOST_TABLE_BYTES // 10**6} are allowed; use fewer players"
        )
    return encoder.encode_all()
