"""The whole table with the bank that goes round: every question of `pan9_gym.table` is an agent's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from pan9_gym.envs.arguments import check_option
from pan9_gym.envs.observation import Observation
from pan9_gym.envs.setup import Forced
from pan9_gym.envs.table_glimpse import Glimpse, glimpse, opened
from pan9_gym.envs.table_menu import Menu
from pan9_gym.envs.table_observation import TableEncoder
from pan9_gym.envs.table_options import read_cards, read_dice
from pan9_gym.envs.table_play import Nets, Play
from pan9_gym.envs.table_text import table_text
from pan9_gym.rules.catalog import DEFAULT_SHEET, RulesLike
from pan9_gym.rules.fields import read_whole
from pan9_gym.table.requests import Decision, Phase
from pan9_gym.table.seating import HOUSE, NUM_PLACES, StackedDice
from pan9_gym.table.sheets import table_config
from pan9_gym.table.shoes import StackedTableShoe
from pan9_gym.table.table import Table, new_table

HOUSE_AGENT = "house_0"
"""The House as an agent; it never has a choice, and is asked only with `forced="offer"`."""


class FullPlay(Play):
    """A session at a table.

    The arguments are those of `table_env.env` with `mode="full"`.

    Raises:
        ValueError: If an argument is not possible.
    """

    def __init__(
        self,
        rules: RulesLike = DEFAULT_SHEET,
        num_seats: int | None = None,
        num_hands: int = 20,
        forced: Forced = "offer",
        wager_choices: Sequence[int] | None = None,
        side_choices: Sequence[int] | None = None,
        stake_choices: Sequence[int] | None = None,
        table: Mapping[str, Any] | None = None,
    ) -> None:
        check_option("forced", forced, get_args(Forced))
        self._num_hands = read_whole("num_hands", num_hands, 1)
        self._skips = forced == "skip"
        self.config = table_config(rules, **_fields(num_seats, table, not self._skips))
        self.menu = Menu(self.config, wager_choices, side_choices, stake_choices)
        self.actions = self.menu.meanings
        self._names = {name: HOUSE_AGENT if name == HOUSE else name for name in self.config.participants}
        self._participants = {agent: name for name, agent in self._names.items()}
        self.agents = tuple(self._participants)
        asked = self.config.bank == "house" and not self._skips  # the House, in every hand
        self.deciders = (*self.config.seats, HOUSE_AGENT) if asked else self.config.seats
        self.encoder = TableEncoder(self.config, self.menu)
        self.layouts = dict.fromkeys(self.agents, self.encoder.layout)
        self.due = ""
        self.ending = ""
        self.mask = np.zeros(len(self.actions), dtype=np.int8)
        self._table: Table | None = None
        self._last: dict[str, Fraction] = {}
        self._made: list[int] = []

    @property
    def table(self) -> Table:
        """The table; to read, not to write.

        Raises:
            ValueError: If there has been no reset.
        """
        if self._table is None:
            raise ValueError("the table is not open; call reset() first")
        return self._table

    def start(self, rng: np.random.Generator, options: Mapping[str, Any]) -> None:
        """Open a table; `cards` and `dice` list its cards and throws."""
        self._cards = read_cards(self.config, self._num_hands, options.get("cards"))
        self._throws = read_dice(self.config, self._num_hands, options.get("dice"))
        self._rng, self._rng_state = rng, rng.bit_generator.state
        self._open()

    def _open(self) -> None:
        """The session from its beginning, with the randomness that it had then."""
        cards, throws = self._cards, self._throws
        self._rng.bit_generator.state = self._rng_state
        self._table = new_table(
            self.config,
            self._rng,
            shoe=None if cards is None else StackedTableShoe(" ".join(map(str, cards))),
            dice=None if throws is None else StackedDice(*throws),
        )
        self.ending, self._last, self._made = "", {}, []
        self._table.begin_hand()
        self._go_on()

    def act(self, action: int) -> Nets:
        """Answer the question that is pending."""
        self._decide(action)
        nets = self._go_on()
        self._made.append(action)
        return nets

    def save(self) -> int:
        """How many answers have been given."""
        return len(self._made)

    def restore(self, saved: int) -> None:
        """Play the session again, up to an answer."""
        made = self._made[:saved]
        self._open()
        for action in made:
            self.act(action)

    def _decide(self, action: int) -> None:
        request = self.table.pending
        assert request is not None
        value = self.menu.choices[action].value(request)
        self.table.decide(Decision(request.participant, request.phase, value))

    def _go_on(self) -> Nets:
        """Go on to the next question, over the ends of hands and over questions without a choice."""
        nets: Nets = {}
        table = self.table
        while not self.ending:
            if table.pending is not None:
                self.mask = self.menu.mask(table.pending)
                if not self._skips or int(self.mask.sum()) > 1:
                    self.due = self._names[table.pending.participant]
                    return nets
                self._decide(int(np.argmax(self.mask)))
                continue
            self._count(nets)
        self.due, self.mask = "", np.zeros(len(self.actions), dtype=np.int8)
        return nets

    def _count(self, nets: Nets) -> None:
        """A hand is over: its money, and the next hand or the end."""
        state = self.table.state
        self._last = dict(state.current.flows)
        for name, agent in self._names.items():
            nets[agent] = nets.get(agent, 0.0) + float(self._last.get(name, 0))
        if self.table.over:
            self.ending = "terminated"
        elif state.num_hands >= self._num_hands:
            self.ending = "truncated"
        else:
            self.table.begin_hand()

    def glimpse(self, agent: str) -> Glimpse:
        """What an agent may know."""
        return glimpse(self.table, self._participants[agent])

    def observe(self, agent: str) -> Observation:
        """What an agent may know, encoded."""
        return self.encoder.encode(self.glimpse(agent))

    def info(self, agent: str) -> dict[str, Any]:
        """The hand's number; for who is due the phase, and of a draw `info_state`, `seat`, `num_players`."""
        known: dict[str, Any] = {"hand": self.table.state.num_hands}
        request = self.table.pending
        if request is None or agent != self.due:
            return known
        known["phase"] = request.phase.value
        if request.phase is Phase.DRAW:
            view = request.view
            known |= {"info_state": view.info_state, "seat": view.seat, "num_players": view.num_players}
        return known

    def render(self) -> str:
        """The table as whoever is due may see it; once the last hand is settled, open."""
        header = f"hand {self.table.state.num_hands} of {self._num_hands}"
        known = self.glimpse(self.due) if self.due else opened(self.table)
        return table_text(header, self.config, known, self.due, self._last)


def _fields(num_seats: int | None, table: Mapping[str, Any] | None, offered: bool) -> dict[str, Any]:
    if table is not None and not isinstance(table, Mapping):
        raise ValueError(f"table {table!r}: a mapping such as {{'collection': {{'banker': 1}}}} is needed")
    fields = dict(table or {})
    for name, instead in (("occupied", "num_seats"), ("offer_forced", "forced"), ("rules", "rules")):
        if name in fields:
            raise ValueError(f"table: {name!r} is given by the argument {instead}")
    if num_seats is not None:
        fields["occupied"] = tuple(range(read_whole("num_seats", num_seats, 1, NUM_PLACES)))
    return {**fields, "offer_forced": offered}
