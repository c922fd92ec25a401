"""What the states of one game for OpenSpiel share: its parameters read, its encoders, its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pan9_gym.envs.arguments import check_option
from pan9_gym.envs.observation import Encoder, Entry, Observation
from pan9_gym.envs.openspiel_position import Position
from pan9_gym.game.info_state import Choices, Hand, read_num_players
from pan9_gym.game.round import Game, new_game
from pan9_gym.rules.catalog import DEFAULT_SHEET, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import DRAW_TOKEN, STAND_TOKEN

DEFAULTS: dict[str, Any] = {
    "rules": DEFAULT_SHEET,
    "num_players": 1,
    "shoe": "",
    "wagers": "",
    "observe": "hand",
}
"""Every parameter of the game, with its default."""

OBSERVE = ("hand", "total")
"""What an observation may hold; both mean the same to every seat."""


@dataclass(frozen=True)
class Table:
    """Who is at the table, and how each seat's knowledge is written.

    Attributes:
        game: The rules, the seats, the wagers and the shoe.
        observe: What an observation holds; an information state always holds the hand.
    """

    game: Game
    observe: str

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return self

    @cached_property
    def start(self) -> Position:
        """The position before the first card."""
        return Position(self.game.new_round())

    @cached_property
    def info_encoders(self) -> tuple[Encoder, ...]:
        """The encoder of each seat's information states."""
        return self._encoders("hand")

    @cached_property
    def encoders(self) -> tuple[Encoder, ...]:
        """The encoder of each seat's observations."""
        return self.info_encoders if self.observe == "hand" else self._encoders(self.observe)

    def _encoders(self, observe: str) -> tuple[Encoder, ...]:
        game = self.game
        return tuple(Encoder(states, observe, game.wagers, game.rules) for states in game.states)

    def info_text(self, seat: int, info_state: int) -> str:
        """The name of an information state by its number."""
        states = self.game.states[seat]
        pattern, hand = divmod(info_state, states.shape[1])
        return self.text(seat, states.hands[hand], states.patterns[pattern])

    def text(self, seat: int, hand: Hand, choices: Choices) -> str:
        """The name of an information state, such as "player 1, hand 0 1 5, drew 0".

        It lists the seats that are seen to have drawn, with their cards where these are seen.
        """
        drew = [
            f"{drawer}{token.removeprefix(DRAW_TOKEN)}"
            for drawer, token in enumerate(choices)
            if token != STAND_TOKEN
        ]
        named = f"{self.name(seat)}, hand {' '.join(map(str, hand))}"
        return f"{named}, drew {' '.join(drew)}" if drew else named

    def name(self, seat: int) -> str:
        """What a seat is called."""
        return "banker" if seat == self.game.banker_seat else f"player {seat}"


def observation_text(layout: tuple[Entry, ...], numbers: Observation) -> str:
    """An observation in words: what its entries mean, where they are not 0."""
    pairs = zip(layout, numbers, strict=True)
    return "; ".join(f"{entry.meaning}: {number:g}" for entry, number in pairs if number)


def read_table(given: Mapping[str, Any]) -> Table:
    """The table from the game's parameters.

    Raises:
        ValueError: Naming the parameter, its value and what is allowed.
    """
    params = {**DEFAULTS, **given}
    check_option("observe", params["observe"], OBSERVE)
    rules = load_rules(params["rules"])
    num_players = read_num_players(rules, params["num_players"])
    wagers = str(params["wagers"]).split() or None
    game = new_game(rules, num_players, wagers=wagers, shoe=_read_shoe(rules, str(params["shoe"])))
    return Table(game, params["observe"])


def _read_shoe(rules: RulesConfig, text: str) -> dict[Any, int] | None:
    """Cards of each point value from a text such as "6 3 0 3 0 0 5"; `None` for a full shoe."""
    counts = text.split()
    if not counts:
        return None
    if len(counts) != len(rules.values) or not all(count.isdecimal() for count in counts):
        values = ", ".join(map(str, rules.values))
        raise ValueError(
            f"shoe {text!r}: {len(rules.values)} whole numbers are needed, the cards worth {values}"
        )
    return {value: int(count) for value, count in zip(rules.values, counts, strict=True)}
