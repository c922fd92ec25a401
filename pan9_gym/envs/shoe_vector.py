"""Many shoes at once behind Gymnasium's vector interface, on the compiled engine.

Importing this module loads Numba; `gymnasium.make_vec` does so when it makes such an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from pan9_gym.envs.observation import Observation, shoe_shares
from pan9_gym.envs.setup import seat_arrays
from pan9_gym.envs.sheets import read_sheet
from pan9_gym.envs.shoe_env import DRAW_ACTIONS
from pan9_gym.envs.shoe_observation import ShoeEncoder
from pan9_gym.envs.shoe_setup import ShoeSetup
from pan9_gym.envs.vector_arguments import Flags
from pan9_gym.envs.vector_base import Array, EngineVectorEnv, Infos, marked, read_num_envs
from pan9_gym.game.batch_mixed import MixedShoes
from pan9_gym.game.batch_shoes import BatchShoes
from pan9_gym.game.round import Game
from pan9_gym.rules.terms import SuitClass


class ShoeVectorEnv(EngineVectorEnv):
    """N independent shoes, in each of which one seat decides what to play a hand for and whether to draw.

    Not registered itself: `ShoePlayerVectorEnv` and `ShoePlayerDealerVectorEnv` say which seat the agent has.

    Environment i has random stream i of the seed, so that its hands do not depend on `num_envs`. The streams
    are not those of the scalar environment; on listed shoes both say the same, bit for bit.

    Observations are float32, shape (num_envs, D); rewards float64, terminations and truncations bool, shape
    (num_envs,). Infos hold arrays with one row per environment, and for each `key` the mask `_key`, bool,
    shape (num_envs,), of the environments it is about; a key about none is missing, and the masks of one call
    may be one array.

    | key | dtype | shape | where |
    |---|---|---|---|
    | info_state | int64 | (num_envs,) | always; -1 while no draw is due |
    | action_mask | int8 | (num_envs, 2 + amounts) | always; zeros where the shoe is over |
    | amount | int64 | (num_envs,) | always; of the hand that is played or was played last |
    | rules | int64 | (num_envs,) | with several sheets: the place of the episode's |
    | action | int64 | (num_envs,) | after a decision |
    | action_replaced | bool | (num_envs,) | after a decision |
    | totals | int8 | (num_envs, seats) | after a decision that ended a hand, banker last |

    With same-step autoreset, the default, `infos["final_obs"]` and `infos["final_info"]` are about the shoes
    that are over, zeros elsewhere. Which of Gymnasium's vector wrappers take which mode: see `HandVectorEnv`.

    Args:
        setups: The arguments, read; one for each sheet.
        num_envs: N, at least 1.
        autoreset_mode: An `AutoresetMode` or its name.
        copy: Whether outputs are new arrays. `False` is the in-place mode: outputs are the environment's own
            arrays, which its next call overwrites.
        render_mode: `None`; the vector environment draws nothing.

    Raises:
        ValueError: If an argument is not possible. Unlike the scalar environment's, the cut card must leave
            room for one hand.
    """

    def __init__(
        self,
        setups: Sequence[ShoeSetup],
        num_envs: int,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
    ) -> None:
        self._setups = tuple(setups)
        self.seat, self.amounts = setups[0].hand.seat, setups[0].amounts
        batches = [_batch(setup, read_num_envs(num_envs)) for setup in setups]
        self._batch = batches[0] if len(batches) == 1 else MixedShoes(batches)
        actions = DRAW_ACTIONS + len(self.amounts)
        super().__init__(setups, self._batch, actions, autoreset_mode, copy, render_mode)
        full = [setup.hand.game.rules.initial_counts for setup in setups]
        self._full_counts = np.array(full, dtype=np.uint16)
        self._full = np.tile(self._full_counts[0], (self.num_envs, 1))
        self._table = np.concatenate([setup.encoder.encode_all() for setup in setups])

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Infos]:
        """Start shoes; what to play their first hands for is due.

        Args:
            seed: A whole number: environment i starts with stream i of it. A list with a seed or `None` for
                each environment: i starts as environment 0 of its seed. Without one the first reset takes
                fresh entropy and later ones go on.
            options: `{"reset_mask": mask}`, bool, shape (num_envs,), resets only these; the first reset must
                be of all. `{"cards": [...]}` has for each environment a list of all cards of its shoe in the
                order of the deal, or `None`; lists of environments that are not reset are not read.
                `{"rules": [...]}` has for each a sheet of several, by name or place, or `None`.

        Returns:
            All observations, and infos about the environments that were reset.

        Raises:
            ValueError: If an argument or a listed card is not possible; after a wrong card the environments
                that were to be reset have no shoe.
            gymnasium.error.ResetNeeded: If the first reset is not of all.
        """
        mask, cards = self._read_reset(seed, options)
        chosen = self._every if mask is None else mask
        self._over[chosen] = False
        try:
            self._batch.start(mask, cards)
        except ValueError:
            self._batch.abandon(chosen)
            raise
        self._started = True
        return self._observe("obs"), self._state_infos(chosen)

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, Array, Array, Array, Infos]:
        """Stand (0), draw (1), or pick the amount of the next hand (2 and more), in every shoe.

        Args:
            actions: Whole numbers, shape (num_envs,).

        Returns:
            Observations, rewards in units (0 where no hand ended), terminations, truncations (never), infos.

        Raises:
            gymnasium.error.ResetNeeded: If a shoe is over or none was started; nothing is played.
            ValueError: If the actions are wrong, naming the environment; nothing is played.
        """
        batch, playing = self._batch, self._playing()
        batch.play(actions, playing)
        ended = batch.hand_over & playing
        rewards = self._give("rewards", np.where(ended, batch.payoffs, 0.0))
        over = batch.shoe_over & playing
        terminated, truncated = self._give("terminated", over), self._give("truncated", self._none)
        infos: Infos = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            infos = self._final(over, ended)
            playing, ended = playing & ~over, ended & ~over
            self._start(over)
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP and self._over.any():
            self._start(self._over)
        self._over = over
        infos.update(self._state_infos(self._every))
        infos.update(self._done_infos(playing, ended))
        return self._observe("obs"), rewards, terminated, truncated, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Which actions are legal now: int8, shape (num_envs, 2 + amounts); zeros where the shoe is over."""
        return self._batch.action_mask

    def encode(
        self,
        hand: Sequence[int] | str | None = None,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
        amount: int = 1,
        rules: str | int = 0,
    ) -> Observation:
        """One environment's observation of any decision, as `ShoeEnv.encode`; float32, shape (D,)."""
        encoder = self._setups[read_sheet(self._names, rules, "rules")].encoder
        return encoder.encode_decision(hand, choices, suits, shoe, amount)

    def observation_layout(self) -> str:
        """The layout of observations as a Markdown table, generated from the encoder."""
        return self.encoder.layout_table()

    @property
    def game(self) -> Game:
        """Who is at the table, for what stakes; by the first of several sheets."""
        return self._setups[0].hand.game

    @property
    def encoder(self) -> ShoeEncoder:
        """The encoder of observations, by the first of several sheets."""
        return self._setups[0].encoder

    def set_opponents(self, opponents: Mapping[str, Any] | None) -> None:
        """Change the policies of all shoes from the next time on that one starts.

        Args:
            opponents: As in the constructor.

        Raises:
            ValueError: If a policy is not possible; nothing changes then.
        """
        every = [setup.read_policies(opponents) for setup in self._setups]
        policies = [(seat_arrays(seats), seat_arrays(others)) for seats, others in every]
        if isinstance(self._batch, BatchShoes):
            self._batch.set_policies(*policies[0])
        else:
            for number, own in enumerate(policies):
                self._batch.set_policies(number, *own)

    def _start(self, over: Flags) -> None:
        """Start shoes of sheets that are drawn."""
        self._draw_sheets(over)
        self._batch.start(over)

    def _playing(self) -> Flags:
        """The environments that the step plays on."""
        waiting = ~self._batch.shoe_over if self._started else self._none
        over = self._over if self.autoreset_mode is AutoresetMode.NEXT_STEP else self._none
        if not (waiting | over).all():
            number = int(np.argmin(waiting | over))
            raise gymnasium.error.ResetNeeded(
                f"step: the shoe of environment {number} is over or none was started; call reset() first"
            )
        return waiting

    def _final(self, over: Flags, ended: Flags) -> Infos:
        """What is said of the shoes that are over, before others are started."""
        final_obs = self._observe("final_obs")
        final_obs[~over] = 0
        final = {**self._state_infos(over, "final "), **self._done_infos(over, ended & over, "final ")}
        return marked({"final_obs": final_obs, "final_info": final}, over.copy())

    def _state_infos(self, about: Flags, kind: str = "") -> Infos:
        """What is known before a decision, or at the end of a shoe; zeros elsewhere."""
        batch = self._batch
        infos = {
            "info_state": self._give(f"{kind}info_state", batch.info_state.astype(np.int64) * about),
            "action_mask": self._give(f"{kind}action_mask", self.action_masks() * about[:, np.newaxis]),
            "amount": self._give(f"{kind}amount", batch.amount.astype(np.int64) * about),
            **self._sheet_infos(about),
        }
        return marked(infos, about.copy())

    def _done_infos(self, playing: Flags, ended: Flags, kind: str = "") -> Infos:
        """What is known after a decision, and where it ended a hand; zeros elsewhere."""
        batch, infos = self._batch, {}
        if playing.any():
            infos = marked(
                {
                    "action": self._give(f"{kind}action", batch.played.astype(np.int64) * playing),
                    "action_replaced": self._give(f"{kind}replaced", batch.replaced & playing),
                },
                playing.copy(),
            )
        if ended.any():
            totals = batch.totals.view(np.int8) * ended[:, np.newaxis]
            infos.update(marked({"totals": self._give(f"{kind}totals", totals)}, ended.copy()))
        return infos

    def _observe(self, name: str) -> Observation:
        """All observations; of a shoe that is over, what is left of it."""
        batch, encoder = self._batch, self.encoder
        rows, sheets = batch.info_state, self._sheets()
        if sheets is not None:
            num_rows = encoder.hand.states.num_states + 1
            rows = rows % num_rows + sheets * num_rows
            self._full = self._full_counts[sheets]
        obs = self._look_up(name, self._table, rows)
        if encoder.observes_shoe:
            encoder.show_shoe(obs, shoe_shares(batch.unseen, self._full))
        if encoder.has_wager:
            obs[:, 1] = encoder.wager_share(batch.amount * ~batch.wagering)
        return obs


def _batch(setup: ShoeSetup, num_envs: int) -> BatchShoes:
    hand = setup.hand
    return BatchShoes(
        hand.game,
        hand.seat,
        hand.draw_probs,
        num_envs,
        others=seat_arrays(setup.others),
        amounts=setup.amounts,
        fee=setup.fee,
        skip_forced=hand.skips_forced,
        replace_illegal=hand.replaces_illegal,
        **hand.shoe,
    )
