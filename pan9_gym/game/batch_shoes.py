"""Many shoes at once, compiled, in which the agent decides before each hand what to play it for.

A round of `BatchShoes` is a shoe dealt to its cut card. Before a hand the agent picks an amount, knowing
every card that is gone; then it stands or draws. With the amount 0 it sits the hand out: another policy plays
its seat. Importing this module loads Numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pan9_gym.game import batch_shoe_kernels as kernels
from pan9_gym.game.batch_arrays import CardList, DrawProbs, SeededRounds, Which
from pan9_gym.game.batch_cards import flat_policies, write_shoe
from pan9_gym.game.batch_compile import say_if_compiling
from pan9_gym.game.batch_kernels import FINE, NOT_AN_ACTION, NOT_WAITING
from pan9_gym.game.batch_tables import LARGEST_EXACT, most_units, read_tables, unit
from pan9_gym.game.round import Game
from pan9_gym.rules.fields import read_whole

DRAW_ACTIONS = kernels.DRAW_ACTIONS

ListedShoes = dict[int, npt.NDArray[np.uint32]]
"""For a round all cards of its shoe, in the order of the deal."""


class BatchShoes(SeededRounds):
    """N shoes of one game.

    Args:
        game: Who is at the table, for what stakes; the agent's wager, where it is a player, is 1.
        agent_seat: The seat whose actions are given to `play`.
        draw_probs: For each seat, banker last, the draw probabilities, as in `BatchRound`.
        num_rounds: N, at least 1.
        others: The same for hands that the agent sits out, with an entry for its seat too.
        amounts: What the agent may play a hand for: whole multiples of the game's wagers, 0 to sit it out.
        fee: Units that the agent pays for each hand it plays, at least 0.
        seed: Decides every card and every mixed choice, see `SeededRounds.seed`.
        penetration: The part of the shoe dealt before the cut card comes.
        start_cards: The inclusive range of cards a newly shuffled shoe holds.
        skip_forced: Play the draw decisions in which the agent has no choice by themselves.
        replace_illegal: Play the legal action with the lowest number instead of an illegal one; else `play`
            raises.

    Attributes:
        wagering: Whether a round waits for an amount, not for a draw decision, bool, shape (N,).
        info_state: The agent's information state, int32, shape (N,); -1 while no draw is due.
        action_mask: Legal actions, int8, shape (N, 2 + len(amounts)): stand, draw, then the amounts; all 0
            where the shoe is over. A new array.
        amount: What the hand is or was played for, int32, shape (N,).
        unseen: The cards left in the shoe before the hand by point value, lowest first, uint16, shape
            (N, values); those that `start_cards` dealt out at the start are known.
        hand_over: Whether the latest `play` ended a hand, bool, shape (N,).
        shoe_over: Whether the shoe has come to its end, bool, shape (N,).
        payoffs: The agent's net units of the hand that ended last, float64, shape (N,).
        totals: Final totals of it, uint8, shape (N, seats), banker last.
        actions: The seats' actions in it, int8, shape (N, seats); -1 for all where a natural ended it.
        played: The action played last, int32, shape (N,).
        replaced: Whether an illegal action was replaced by it, bool, shape (N,).

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(
        self,
        game: Game,
        agent_seat: int,
        draw_probs: DrawProbs,
        num_rounds: int,
        *,
        others: DrawProbs,
        amounts: Sequence[int],
        fee: Fraction = Fraction(0),
        seed: int = 0,
        penetration: float | Fraction = 1,
        start_cards: tuple[int, int] | None = None,
        skip_forced: bool = False,
        replace_illegal: bool = True,
    ) -> None:
        agent_seat = read_whole("agent_seat", agent_seat, 0, game.banker_seat)
        super().__init__(game, agent_seat, draw_probs, num_rounds, seed, skip_forced, replace_illegal)
        number = self.num_rounds
        self._seat = agent_seat
        write_shoe(self._tables, game, penetration, start_cards)
        self._other_tables = read_tables(game, None)
        self._other = self._next_other = flat_policies(game, None, others)
        if game.with_suits:
            self._shoe = np.zeros((number, len(self._codes)), dtype=np.uint8)
        else:
            self._cards = np.zeros((number, game.max_cards + 1), dtype=np.uint32)
        self._listed_cards = np.zeros((0, len(self._codes)), dtype=np.uint32)
        self._start_counting()
        self._listed_shoes = np.zeros(number, dtype=np.uint16)
        self.amount = np.zeros(number, dtype=np.int32)
        self.wagering = np.zeros(number, dtype=np.bool_)
        self.info_state = np.zeros(number, dtype=np.int32)
        self._legal = np.zeros(number, dtype=np.uint8)
        self._pattern = np.zeros(number, dtype=np.uint32)
        self._used = np.zeros(number, dtype=np.uint8)
        self.hand_over = np.zeros(number, dtype=np.bool_)
        self.shoe_over = np.ones(number, dtype=np.bool_)
        self.payoffs = np.zeros(number, dtype=np.float64)
        self.played = np.zeros(number, dtype=np.int32)
        self.replaced = np.zeros(number, dtype=np.bool_)
        self._amounts = np.array(amounts, dtype=np.int64)
        self._money = self._read_money(fee)
        self._start_shoes(self._all)

    def start(self, which: Which | None = None, cards: Sequence[CardList | None] | None = None) -> None:
        """Start shoes; the rounds then wait for the amount of the first hand.

        Args:
            which: The rounds, bool, shape (N,); default all.
            cards: For each round all cards of its shoe in the order of the deal, at least those of one hand,
                or `None` for a shuffled one. A listed shoe is over when a hand might not be dealt from it.

        Raises:
            ValueError: If an argument does not fit; nothing is started then.
        """
        chosen = self._rounds(which)
        self.start_listed(chosen, self.read_shoes(chosen, cards))

    def start_listed(self, chosen: Which, lists: ListedShoes) -> None:
        """`start`, with the listed shoes as `read_shoes` gives them."""
        self._policies, self._other = self._next_policies, self._next_other
        self._listed_shoes[chosen] = 0
        if lists and not len(self._listed_cards):
            self._listed_cards = np.zeros((self.num_rounds, len(self._codes)), dtype=np.uint32)
        for number, codes in lists.items():
            self._listed_cards[number, : len(codes)] = codes
            self._listed_shoes[number] = len(codes)
        say_if_compiling(kernels.start_shoes)
        kernels.start_shoes(self._arrays(), chosen, self._agent())

    def play(self, actions: npt.ArrayLike, which: Which | None = None) -> None:
        """Play one decision of each round.

        Args:
            actions: 0 to stand, 1 to draw, 2 + k for the k-th amount; whole numbers, shape (N,); those of
                other rounds are not read.
            which: The rounds, bool, shape (N,); default all.

        Raises:
            ValueError: If an action is none or, without `replace_illegal`, illegal, or a shoe is over;
                nothing is played then.
        """
        chosen, wanted = self.read_actions(actions), self._rounds(which)
        say_if_compiling(kernels.play_shoes)
        index, problem = kernels.play_shoes(
            self._arrays(),
            wanted,
            self._agent(),
            *self._other,
            self._other_tables,
            self.refuses_illegal,
            self._skip,
            chosen,
            self.played,
            self.replaced,
        )
        if problem != FINE:
            raise ValueError(self.problem(index, problem, int(chosen[index])))

    def set_policies(self, draw_probs: DrawProbs, others: DrawProbs) -> None:
        """Change the policies of all rounds from the next `start` on.

        Raises:
            ValueError: If they do not fit; nothing changes then.
        """
        policies = flat_policies(self.game, self._seat, draw_probs)
        self._next_other = flat_policies(self.game, None, others)
        self._next_policies = policies

    def _agent(self) -> kernels.Seat:
        return kernels.Seat(
            self._amounts,
            self._money,
            self._listed_shoes,
            self._listed_cards,
            self.amount,
            self.wagering,
            self.info_state,
            self._legal,
            self._pattern,
            self._used,
            self.hand_over,
            self.shoe_over,
            self.payoffs,
        )

    @property
    def action_mask(self) -> npt.NDArray[np.int8]:
        """Legal actions, int8, shape (N, 2 + amounts); zeros where the shoe is over."""
        mask = np.zeros((self.num_rounds, DRAW_ACTIONS + len(self._amounts)), dtype=np.int8)
        going_on = ~self.shoe_over
        mask[:, 0] = self._legal & going_on
        mask[:, 1] = (self._legal >> 1) & going_on
        mask[:, DRAW_ACTIONS:] = (self.wagering & going_on)[:, np.newaxis]
        return mask

    def abandon(self, which: Which) -> None:
        """The shoes of these rounds are over."""
        self.shoe_over[which] = True

    def _start_shoes(self, which: Which) -> None:
        """The next shoe of these rounds is shuffled from one in order."""
        if len(self._shoe):
            self._shoe[which] = self.shoe_in_order()
        self.shoe_over[which] = True

    def _read_money(self, fee: Fraction) -> npt.NDArray[np.int64]:
        """What turns a net in units of the table into the agent's net: see `Seat.money`."""
        one = unit(self._tables, self._seat)
        money = [one.numerator * fee.denominator, fee.numerator * one.denominator]
        scale = one.denominator * fee.denominator
        most = most_units(self._tables, self._seat) * int(self._amounts.max()) * money[0] + money[1]
        if max(most, scale) > LARGEST_EXACT:
            raise ValueError(
                f"amounts, wagers, side_stakes and fee: nets are whole numbers of 1/{scale} up to {most}; at "
                f"most {LARGEST_EXACT} can be held exactly, so use rounder amounts"
            )
        return np.array([*money, scale], dtype=np.int64)

    def read_shoes(self, which: Which, cards: Sequence[CardList | None] | None) -> ListedShoes:
        """The listed shoes of these rounds, whose lists alone are read.

        Raises:
            ValueError: If a list does not fit.
        """
        most = self.game.max_cards
        return self._read_each(which, cards, most, f"a hand may take {most}")

    def problem(self, index: int, problem: int, action: int) -> str:
        """What is wrong with an action, in words."""
        if problem == NOT_WAITING:
            return f"play: the shoe of round {index} is over; start another"
        if problem == NOT_AN_ACTION:
            most = DRAW_ACTIONS + len(self._amounts) - 1
            return f"actions[{index}] {action}: must be 0 (STAND), 1 (DRAW), or 2 to {most} for an amount"
        legal = np.flatnonzero(self.action_mask[index]).tolist()
        due = "an amount" if self.wagering[index] else "a draw decision"
        return f"actions[{index}] {action} is illegal: {due} is due; legal: {', '.join(map(str, legal))}"
