"""`Table`: a table as a deterministic state machine, given a Generator and the participants' decisions.

    table = new_table(table_config("bicycle"), rng)
    events = table.begin_hand()
    while table.pending is not None:
        events += table.decide(Decision(table.pending.participant, table.pending.phase, ...))

`pending` says who is asked, what he may answer and what he may know; `decide` makes his move, lets chance do
what is due, and stops at the next question or at the end of the hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np

from pan9_gym.game.shoe import Shoe
from pan9_gym.table import drawing, wagering
from pan9_gym.table.bank import Bank
from pan9_gym.table.config import TableConfig
from pan9_gym.table.dealing import prepare_shoe, run_deal
from pan9_gym.table.events import Event, money
from pan9_gym.table.faults import Faults, RandomFaults
from pan9_gym.table.requests import Decision, Phase, Request, check
from pan9_gym.table.seating import ROOM, Dice, DiceCup
from pan9_gym.table.settling import settle
from pan9_gym.table.shoes import TableShoe
from pan9_gym.table.state import Hand, Stage, TableState

Step = Callable[[TableState], Request | None]


def _deal(state: TableState) -> None:
    run_deal(state)


def _settle(state: TableState) -> None:
    settle(state)


STEPS: Mapping[Stage, Step] = {
    Stage.BANK: wagering.ask_bank,
    Stage.STAKE: wagering.ask_stake,
    Stage.WAGER: wagering.ask_wager,
    Stage.OTHERS: wagering.ask_others,
    Stage.TOP_UP: wagering.ask_top_up,
    Stage.DEAL: _deal,
    Stage.DRAW: drawing.ask_draw,
    Stage.SETTLE: _settle,
}
"""What each stage does until somebody must be asked: a question, or `None` where it has moved on."""

ANSWERS: Mapping[Phase, Callable[[TableState, Any], None]] = {
    Phase.BANK: wagering.answer_bank,
    Phase.STAKE: wagering.answer_stake,
    Phase.WAGER: wagering.answer_wager,
    Phase.OTHERS: wagering.answer_others,
    Phase.TOP_UP: wagering.answer_top_up,
    Phase.DRAW: drawing.answer_draw,
}
"""What is done with each answer."""


def _plain(value: Any) -> Any:
    """A copy of an answer as JSON has it, so that nobody can change the log."""
    return {key: _plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value


class Table:
    """A table; made by `new_table`. It can be copied and pickled between decisions.

    Attributes:
        state: Everything that changes; to read, not to write.
        pending: Who is asked what; `None` between hands.
    """

    def __init__(self, state: TableState, is_scenario: bool = False) -> None:
        self.state = state
        self.pending: Request | None = None
        self._is_scenario = is_scenario

    @property
    def config(self) -> TableConfig:
        """The table's rules and readings."""
        return self.state.config

    @property
    def over(self) -> bool:
        """Whether the session has ended, since all have refused the bank (T7)."""
        return self.state.over

    @property
    def accounts(self) -> dict[str, Fraction]:
        """What everybody has won since the table opened, the room too; they sum to zero."""
        return dict(self.state.accounts)

    def begin_hand(self) -> list[Event]:
        """Begin the next hand with the offer of the bank.

        Returns:
            What has happened until somebody is asked.

        Raises:
            ValueError: If a hand is in play or the session has ended.
        """
        state = self.state
        if self.pending is not None:
            raise ValueError(f"hand {state.num_hands} is in play; {self.pending.participant!r} is asked")
        if state.over:
            raise ValueError("the session has ended: all have refused the bank")
        with self._all_or_nothing():
            state.num_hands += 1
            state.hand = Hand(state.num_hands, state.config.rules, state.config.tied_circles)
            state.tell("hand_begins", hand=state.num_hands)
            prepare_shoe(state)
            return self._advance()

    def decide(self, decision: Decision) -> list[Event]:
        """Answer the question that is pending.

        Returns:
            What has happened until the next question or the end of the hand.

        Raises:
            ValueError: If the decision is not the one that is asked for, or not legal; nothing has changed.
        """
        value = check(self.pending, decision)
        with self._all_or_nothing():
            request, self.pending = self.pending, None
            assert request is not None
            self.state.tell(
                "decision", by=decision.participant, phase=request.phase.value, value=_plain(decision.value)
            )
            ANSWERS[request.phase](self.state, value)
            return self._advance()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A scenario may run out of listed cards or throws: what is in a block then has not happened."""
        if not self._is_scenario:
            yield
            return
        hand = self.state.hand
        frozen = [self.config, *(() if hand is None else (hand.rules, hand.round))]
        before = deepcopy(self.state, {id(part): part for part in frozen}), self.pending
        try:
            yield
        except ValueError:
            self.state, self.pending = before
            raise

    def _advance(self) -> list[Event]:
        state = self.state
        hand = state.current
        while hand.stage is not Stage.OVER:
            self.pending = STEPS[hand.stage](state)
            if self.pending is not None:
                break
        else:
            self._end_hand(hand)
        events, state.events = state.events, []
        return events

    def _end_hand(self, hand: Hand) -> None:
        net = {name: money(amount) for name, amount in sorted(hand.flows.items())}
        self.state.tell("hand_over", hand=hand.number, dealt=bool(hand.deals), net=net)


def new_table(
    config: TableConfig,
    rng: np.random.Generator,
    *,
    shoe: TableShoe | None = None,
    dice: Dice | None = None,
    faults: Faults | None = None,
) -> Table:
    """Open a table.

    Args:
        config: The table.
        rng: The one source of randomness: shoe, dice and faults.
        shoe: Cards that a scenario stacks; default a shuffled shoe.
        dice: Throws that a scenario lists; default fair ones.
        faults: Faults that a scenario lists; default those of `config.faults`.
    """
    is_scenario = not (shoe is None and dice is None)
    if shoe is None:
        shoe = Shoe(config.rules, rng=rng, with_suits=True, penetration=config.penetration)
    order = config.bank_order
    state = TableState(
        config=config,
        rng=rng,
        shoe=shoe,
        dice=DiceCup(config.num_dice, rng) if dice is None else dice,
        faults=RandomFaults(config.faults, rng) if faults is None else faults,
        bank=Bank(order, None if config.bank == "until_lost" else config.max_consecutive_banks),
        accounts=dict.fromkeys((*config.participants, ROOM), Fraction(0)),
    )
    return Table(state, is_scenario)
