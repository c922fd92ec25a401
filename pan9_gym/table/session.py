"""A session: many hands at one table, the participants' policies deciding; deterministic given a seed.

    session = Session(table_config("bicycle"), Participant(wager=5), seed=1)
    for events in session.hands(1000):
        ...

The table has a stream of random numbers of its own: its hands can be replayed from the decisions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any, cast

import numpy as np

from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import is_whole
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import Event
from pan9_gym.table.participants import Participant, SeatPolicies, happens
from pan9_gym.table.posts import Post, posts
from pan9_gym.table.requests import Decision, Phase, Request
from pan9_gym.table.seating import HOUSE
from pan9_gym.table.table import Table, new_table

MOST_SEED = 2**63 - 1


def open_table(config: TableConfig, seed: int) -> Table:
    """The table of a session: a seed alone decides its cards, dice and faults.

    Raises:
        ValueError: If the seed is no whole number from 0.
    """
    return new_table(config, _generators(seed)[0])


def _generators(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """The table's source of randomness and the participants'."""
    if not is_whole(seed) or not 0 <= seed <= MOST_SEED:
        raise ValueError(f"seed {seed!r}: must be a whole number from 0 to {MOST_SEED}")
    first, second = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(first), np.random.default_rng(second)


class Session:
    """Hands at one table.

    Args:
        config: The table.
        participants: Who decides, by name ("seat_0", "house"); who is missing is `Participant()`. One alone
            decides for all.
        seed: Decides every card, throw, fault and mixed choice.

    Attributes:
        table: The table; to read.
        participants: Everybody's decisions.
        seed: The seed.

    Raises:
        ValueError: If somebody is named who is not at the table, or wagers what the table does not take.
    """

    def __init__(
        self, config: TableConfig, participants: Participant | Mapping[str, Participant], *, seed: int
    ) -> None:
        given = participants
        if isinstance(given, Participant):
            given = dict.fromkeys(config.participants, given)
        strangers = sorted(set(given) - set(config.participants))
        if strangers:
            raise ValueError(
                f"participant {strangers[0]!r}: is not at the table; there are "
                f"{', '.join(config.participants)}"
            )
        self.participants = {name: given.get(name, Participant()) for name in config.participants}
        for name, participant in self.participants.items():
            participant.check(name, config)
        table_rng, self._rng = _generators(seed)
        self.table = new_table(config, table_rng)
        self.seed = seed
        self._policies: dict[Post, TabularPolicy] = {}

    def hands(self, num_hands: int) -> Iterator[list[Event]]:
        """Play hands; fewer if all refuse the bank.

        Args:
            num_hands: How many offers of the bank, dealt or not.

        Returns:
            The events of each, which is played when it is asked for.

        Raises:
            ValueError: If `num_hands` is no whole number from 0.
        """
        return map(_joined, self._each(num_hands))

    def steps(self, num_hands: int) -> Iterator[list[Event]]:
        """Play hands a decision at a time; fewer if all refuse the bank.

        Args:
            num_hands: How many offers of the bank, dealt or not.

        Returns:
            The events of each hand's beginning and of each decision, which is made when it is asked for.

        Raises:
            ValueError: If `num_hands` is no whole number from 0.
        """
        return chain.from_iterable(self._each(num_hands))

    def hand(self) -> list[Event]:
        """Play one hand."""
        return _joined(self._hand())

    def posts(self) -> list[Post]:
        """The hands that participants may have to play."""
        return posts(self.table.config, self.participants)

    def prepare(self, post: Post) -> TabularPolicy:
        """The policy that plays a hand; made when it is first asked for, which may take long.

        Raises:
            ValueError: Naming the participant, if his policy cannot play it.
        """
        policy = self._policies.get(post)
        if policy is None:
            self._policies[post] = policy = self._find(post)
        return policy

    def _find(self, post: Post) -> TabularPolicy:
        who, config = self.participants[post.participant], self.table.config
        seats = cast(SeatPolicies, who.banker if post.role is Role.BANKER else who.player)
        rules = config.rules_under(HOUSE) if post.house_banks else config.rules
        try:
            return seats.seat_policy(rules, post.role, post.num_players, post.seat, post.with_suits)
        except ValueError as error:
            raise ValueError(f"{post}: {error}") from None

    def _each(self, num_hands: int) -> Iterator[Iterator[list[Event]]]:
        if not is_whole(num_hands) or num_hands < 0:
            raise ValueError(f"num_hands {num_hands!r}: must be a whole number from 0")
        return (self._hand() for _ in takewhile(lambda _: not self.table.over, range(num_hands)))

    def _hand(self) -> Iterator[list[Event]]:
        table = self.table
        yield table.begin_hand()
        while table.pending is not None:
            request = table.pending
            yield table.decide(Decision(request.participant, request.phase, self._answer(request)))

    def _answer(self, request: Request) -> Any:
        if len(request.options) == 1:  # `offer_forced` asks all the same
            return request.options[0]
        if request.phase is Phase.DRAW:
            return self._move(request)
        return self.participants[request.participant].answer(request, self.table.config, self._rng)

    def _move(self, request: Request) -> str:
        view = request.view
        assert view.info_state is not None
        assert view.seat is not None
        is_banker = view.seat == view.num_players
        with_suits = not is_banker and any(
            wager["bet"] == SideBet.DRAGON and wager["place"] == view.place for wager in view.wagers
        )
        role = Role.BANKER if is_banker else Role.PLAYER
        house_banks = view.banker == HOUSE
        policy = self.prepare(
            Post(request.participant, house_banks, role, view.num_players, view.seat, with_suits)
        )
        draws = happens(policy.array.item(view.info_state), self._rng)
        return "draw" if draws else "stand"


def _joined(steps: Iterable[list[Event]]) -> list[Event]:
    return list(chain.from_iterable(steps))
