"""The same hand for many rounds at once, compiled: bit for bit what `pan9_gym.game.round` says.

`BatchRound` holds N rounds in arrays that are made once and written in place. With an agent, `deal` brings
rounds to the agent's decision and `finish` plays them out from it; without one, `play` plays whole hands.
`batch_tally.HandTally` plays whole hands one after the other and counts them. Importing this module loads
Numba; the first call in an installation compiles for some seconds and keeps the result on disk.

Card `k` of a round is a function of the round's random stream alone; a mixed choice has a random number of
its own for each seat. So a round's hands do not depend on how many others there are, and a fresh-shoe hand's
cards do not depend on what anybody does.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pan9_gym.game import batch_kernels as kernels
from pan9_gym.game.batch_arrays import CardList, DrawProbs, SeededRounds, Which
from pan9_gym.game.batch_cards import flat_policies, write_shoe
from pan9_gym.game.batch_compile import say_if_compiling
from pan9_gym.game.info_state import has_choice
from pan9_gym.game.round import Game
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.terms import Action

INT64, BOOL, INT8, FLOAT64 = map(np.dtype, (np.int64, np.bool_, np.int8, np.float64))


class Finished(NamedTuple):
    """What `BatchRound.advance` writes about the hands it finishes; `empty` makes the arrays.

    Attributes:
        info_state: int64, shape (N,).
        action: The agent's action, int64, shape (N,).
        replaced: bool, shape (N,).
        totals: int8, shape (N, seats), banker last.
        payoffs: The agent's net units, float64, shape (N,).
    """

    info_state: npt.NDArray[np.int64]
    action: npt.NDArray[np.int64]
    replaced: npt.NDArray[np.bool_]
    totals: npt.NDArray[np.int8]
    payoffs: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, num_rounds: int, num_seats: int) -> Finished:
        """Arrays that are not written yet."""
        empty = np.empty
        return cls(
            empty(num_rounds, INT64),
            empty(num_rounds, INT64),
            empty(num_rounds, BOOL),
            empty((num_rounds, num_seats), INT8),
            empty(num_rounds, FLOAT64),
        )

    def write(self, batch: Any, agent_seat: int | None) -> None:
        """Write what a batch, mixed or not, says of its hands, which are all finished."""
        self.info_state[:] = batch.info_state
        self.action[:] = batch.actions[:, agent_seat]
        self.replaced[:] = batch.replaced
        self.totals[:] = batch.totals
        self.payoffs[:] = batch.payoffs


class BatchRound(SeededRounds):
    """N rounds of one game.

    Args:
        game: Who is at the table, for what stakes, from what shoe.
        agent_seat: The seat whose actions are given to `finish`; `None` where policies play all seats.
        draw_probs: For each seat, banker last, the draw probabilities, shape `game.states[seat].shape` (or
            one row for every pattern); `None` for the agent.
        num_rounds: N, at least 1.
        seed: Decides every card and every mixed choice, see `seed`.
        continues: Whether each round has a shoe that goes on from hand to hand.
        penetration: With a continuing shoe, the part dealt before it is shuffled.
        start_cards: With a continuing shoe, the inclusive range of cards a newly shuffled one holds.
        skip_forced: Play hands in which the agent has no choice by themselves.
        replace_illegal: Play the legal action instead of an illegal one; else `finish` raises.

    Attributes:
        info_state: The agent's information state, int64, shape (N,).
        action_mask: Legal actions, int8, shape (N, 2); it stays as it was when the hand is finished.
        waiting: Whether a round waits for the agent, bool, shape (N,).
        unseen: With a continuing shoe, the cards it held before the hand by point value, lowest first,
            uint16, shape (N, values): every card of its earlier hands is known once they are settled, the
            agent's own and those dealt out at the start included. After `finish` those after the hand.
        totals: Final totals, uint8, shape (N, seats), banker last; written up to the agent's seat by `deal`.
        actions: Actions, int8, shape (N, seats); -1 for all where a natural ended the hand.
        num_used: Cards used so far, uint8, shape (N,).
        replaced: Whether an illegal action was replaced, bool, shape (N,).
        payoffs: Net units, float64: the agent's, shape (N,); every seat's where there is no agent, shape
            (N, seats). The exact net of `Round.returns`, rounded once.

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(
        self,
        game: Game,
        agent_seat: int | None,
        draw_probs: DrawProbs,
        num_rounds: int,
        *,
        seed: int = 0,
        continues: bool = False,
        penetration: float | Fraction = 1,
        start_cards: tuple[int, int] | None = None,
        skip_forced: bool = False,
        replace_illegal: bool = True,
    ) -> None:
        if agent_seat is not None:
            agent_seat = read_whole("agent_seat", agent_seat, 0, game.banker_seat)
        super().__init__(game, agent_seat, draw_probs, num_rounds, seed, skip_forced, replace_illegal)
        number = self.num_rounds
        if skip_forced and agent_seat is not None and not has_choice(game.rules, game.states[agent_seat]):
            raise ValueError(f"skip_forced: seat {agent_seat} never has a choice under {game.rules.name!r}")
        if continues:
            write_shoe(self._tables, game, penetration, start_cards)
            if game.with_suits:
                self._shoe = np.zeros((number, len(self._codes)), dtype=np.uint8)
            self._start_counting()
        if agent_seat is not None and not len(self._shoe):
            self._cards = np.zeros((number, game.max_cards + 1), dtype=np.uint32)
        self.info_state = np.zeros(number, dtype=np.int64)
        self._mask = np.zeros(number, dtype=np.uint16)
        self._share_mask()
        self.waiting = np.zeros(number, dtype=np.bool_)
        self._pattern = np.zeros(number, dtype=np.uint32)
        self.num_used = np.zeros(number, dtype=np.uint8)
        self.replaced = np.zeros(number, dtype=np.bool_)
        self.payoffs = np.zeros(number if agent_seat is not None else (number, game.num_seats))
        self._start_shoes(self._all)

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in vars(self).items() if name != "action_mask"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._share_mask()

    def _share_mask(self) -> None:
        """`action_mask` is the kernels' array of masks in other words; a copied batch has its own."""
        self.action_mask = self._mask.view(np.int8).reshape(self.num_rounds, 2)

    @property
    def listed(self) -> Which:
        """Whether a round's hand is of listed cards, bool, shape (N,); a new array."""
        return self._listed > 0

    def set_policies(self, draw_probs: DrawProbs) -> None:
        """Change the policies from the next `deal` or `play` on; hands that wait then go on with these.

        Raises:
            ValueError: If they do not fit; nothing changes then.
        """
        self._next_policies = flat_policies(self.game, self.agent_seat, draw_probs)

    def deal(self, which: Which | None = None, cards: Sequence[CardList | None] | None = None) -> None:
        """Deal hands and bring them to the agent's decision; a hand that still waits is given up.

        Hands that a natural ends are dealt past, with `skip_forced` those without a choice too. Written:
        `info_state`, `action_mask`, `waiting`, `num_used`, `unseen`, and the earlier seats' totals and
        actions.

        Args:
            which: The rounds, bool, shape (N,); default all.
            cards: For each round the cards in the order of the deal, or `None` for cards from its shoe, which
                listed cards leave alone.

        Raises:
            ValueError: If there is no agent, `which` or a listed card does not fit, or a listed hand does not
                reach the agent's decision.
        """
        if self.agent_seat is None:
            raise ValueError("deal: no seat is an agent's; play() plays whole hands")
        chosen = self._prepare(which, cards)
        say_if_compiling(kernels.deal_rounds)
        kernels.deal_rounds(
            self._arrays(),
            chosen,
            self._skip,
            self.info_state,
            self._mask,
            self._pattern,
            self.num_used,
            self.waiting,
        )
        if cards is not None:
            self._check_listed(chosen)

    def finish(self, actions: npt.ArrayLike, which: Which | None = None) -> None:
        """Play hands out from the agent's decision: writes `payoffs`, `totals`, `actions` and `replaced`.

        Args:
            actions: 0 to stand or 1 to draw, whole numbers, shape (N,); those of other rounds are not read.
            which: The rounds, bool, shape (N,); default all.

        Raises:
            ValueError: If an action is none or, without `replace_illegal`, illegal; a round does not wait; or
                listed cards run out. Nothing is played in the first three cases.
        """
        chosen, wanted = self.read_actions(actions), self._rounds(which)
        say_if_compiling(kernels.finish_rounds)
        index, problem = kernels.finish_rounds(
            self._arrays(),
            wanted,
            self.refuses_illegal,
            chosen,
            self.info_state,
            self._mask,
            self._pattern,
            self.num_used,
            self.waiting,
            self.replaced,
            self.payoffs,
        )
        if problem != kernels.FINE:
            raise ValueError(self.problem(index, problem, chosen[index]))
        self._check_used(wanted)

    def advance(self, actions: npt.ArrayLike, finished: Finished) -> None:
        """`finish` all rounds and `deal` them anew in one pass over memory.

        `payoffs`, `replaced` and the later seats' `totals` and `actions` of this batch are left as they
        were: what is known of the finished hands is in `finished`.

        Args:
            actions: As in `finish`.
            finished: Gets what is known of the finished hands.

        Raises:
            ValueError: As `finish`; nothing is played then.
        """
        chosen = self.read_actions(actions)
        if self._any_listed:
            self._advance_listed(chosen, finished)
            return
        say_if_compiling(kernels.finish_and_deal)
        index, problem = kernels.finish_and_deal(
            self._arrays(),
            self._all,
            self.refuses_illegal,
            chosen,
            self.info_state,
            self._mask,
            self._pattern,
            self.num_used,
            self.waiting,
            finished.replaced,
            finished.payoffs,
            self._skip,
            *self._next_policies,
            finished.info_state,
            finished.action,
            finished.totals,
        )
        if problem != kernels.FINE:
            raise ValueError(self.problem(index, problem, chosen[index]))
        self._policies = self._next_policies

    def _advance_listed(self, chosen: npt.NDArray[np.int64], finished: Finished) -> None:
        """`advance` where listed cards may run out, which is checked between the two."""
        self.finish(chosen)
        finished.write(self, self.agent_seat)
        self.deal()

    def play(self, which: Which | None = None, cards: Sequence[CardList | None] | None = None) -> None:
        """Play whole hands by the policies: writes `totals`, `actions`, `payoffs`, `num_used` and `unseen`.

        Args:
            which: The rounds, bool, shape (N,); default all.
            cards: As in `deal`.

        Raises:
            ValueError: If a seat is the agent's, or `which` or a listed card does not fit.
        """
        if self.agent_seat is not None:
            raise ValueError(f"play: seat {self.agent_seat} is the agent's; use deal() and finish()")
        chosen = self._prepare(which, cards)
        say_if_compiling(kernels.play_rounds)
        kernels.play_rounds(self._arrays(), chosen, self.num_used, self.payoffs)
        self._check_used(chosen)

    def _start_shoes(self, which: Which) -> None:
        """The next hand of these rounds is the first of a shoe."""
        if len(self._shoe):
            self._shoe[which] = self.shoe_in_order()
        if len(self._at):
            self._at[which] = len(self._codes)
        self.waiting[which] = False

    def _prepare(self, which: Which | None, cards: Sequence[CardList | None] | None) -> Which:
        chosen = self._rounds(which)
        lists = self._read_lists(chosen, cards)
        self._policies = self._next_policies
        if self._any_listed:
            self.waiting[chosen & (self._listed > 0)] = False  # the shoe never held those cards
            self._listed[chosen] = 0
            self._any_listed = bool(self._listed.any())
        if lists and not len(self._given):
            self._given = np.zeros((self.num_rounds, self.game.max_cards), dtype=np.uint32)
        for number, codes in lists.items():
            self._given[number] = 0
            self._given[number, : len(codes)] = codes
            self._listed[number] = len(codes)
            self._any_listed = True
        return chosen

    def check_cards(self, which: Which | None, cards: Sequence[CardList | None] | None) -> None:
        """Refuse lists of cards that no hand can be dealt from; nothing is changed.

        Raises:
            ValueError: As `deal` does before it deals.
        """
        self._read_lists(self._rounds(which), cards)

    def _read_lists(
        self, which: Which, cards: Sequence[CardList | None] | None
    ) -> dict[int, npt.NDArray[np.uint32]]:
        """The codes of the listed cards, by round."""
        least, most = self.game.num_initial_deals, self.game.max_cards
        lists = self._read_each(which, cards, least, f"{least} to {most} are needed")
        return {number: codes[:most] for number, codes in lists.items()}

    def _check_listed(self, which: Which) -> None:
        """Refuse listed hands that do not reach the agent's decision."""
        for number in np.flatnonzero(which & ~self.waiting):
            skips = ", or the move is forced and such hands are skipped" if self._skip else ""
            raise ValueError(f"cards[{number}]: a natural ends the hand before any decision{skips}")
        self._check_used(which)

    def _check_used(self, which: Which) -> None:
        if not self._any_listed:
            return
        for number in np.flatnonzero(which & (self._listed > 0) & (self.num_used > self._listed)):
            self.waiting[number] = False
            raise ValueError(f"cards[{number}] lists {self._listed[number]} cards and the hand needs more")

    def read_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Actions of all rounds, int64, shape (N,).

        Raises:
            ValueError: If they are no whole numbers of this shape, or no seat is an agent's.
        """
        if self.agent_seat is None:
            raise ValueError("finish: no seat is an agent's; play() plays whole hands")
        return super().read_actions(actions)

    def abandon(self, which: Which) -> None:
        """No hand of these rounds waits any more; its cards stay in a continuing shoe."""
        self.waiting[which] = False

    def problem(self, index: int, problem: int, action: int) -> str:
        """What is wrong with an action, in words."""
        if problem == kernels.NOT_WAITING:
            return f"finish: round {index} does not wait for an action; deal it first"
        if problem == kernels.NOT_AN_ACTION:
            return f"actions[{index}] {action}: must be 0 (STAND) or 1 (DRAW)"
        played = Action(int(action))
        forced = Action(1 - action)
        return f"actions[{index}] {played.name} is illegal: {self.game.rules.name!r} forces {forced.name}"
