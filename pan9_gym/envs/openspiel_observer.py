"""What a seat knows as OpenSpiel asks for it: as a text and as a tensor, both from the package's encoder."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from pan9_gym.envs.openspiel_extra import pyspiel
from pan9_gym.envs.openspiel_position import Position
from pan9_gym.envs.openspiel_setup import Table, observation_text


class HasPosition(Protocol):
    """A state of the game for OpenSpiel."""

    position: Position


class Observer:
    """Writes what a seat knows when it chooses, as a text and as a tensor that say the same.

    Before its turn a seat sees its hand, once that is dealt, and no choices; from its turn on it sees what it
    knew then, since it chooses once. The tensor is the seat's number, one-hot, and then the array of
    `Encoder`, with zeros at the end for seats that see fewer choices than the banker.

    Args:
        table: What the states share.
        kind: OpenSpiel's description of what is asked; a single player's, with what is public.
        params: OpenSpiel's parameters of an observation; there are none.

    Attributes:
        tensor: float32, shape (num_seats + longest layout,).
        dict: The parts of `tensor` by name: "seat", then each feature of the encoder.

    Raises:
        ValueError: If something else is asked than what one seat knows.
    """

    def __init__(self, table: Table, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"params {params!r}: this game's observations have none")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"observation {kind}: only what a single player knows can be observed")
        self._table = table
        self._is_info_state = kind.perfect_recall
        self._encoders = table.info_encoders if kind.perfect_recall else table.encoders
        longest = max((encoder.layout for encoder in self._encoders), key=len)
        self._num_seats = table.game.num_seats
        self.tensor = np.zeros(self._num_seats + len(longest), dtype=np.float32)
        self.dict = {"seat": self.tensor[: self._num_seats]}
        features = [entry.feature for entry in longest]
        for feature in dict.fromkeys(features):
            start = self._num_seats + features.index(feature)
            self.dict[feature] = self.tensor[start : start + features.count(feature)]

    def set_from(self, state: HasPosition, player: int) -> None:
        """Fill `tensor` with what a seat knows."""
        self.tensor.fill(0)
        self.tensor[player] = 1
        known = self._numbers(state.position, player)
        self.tensor[self._num_seats : self._num_seats + len(known)] = known

    def string_from(self, state: HasPosition, player: int) -> str:
        """What a seat knows, in words; for an information state, its name."""
        if not self._is_info_state:
            numbers = self._numbers(state.position, player)
            return f"{self._table.name(player)}: {observation_text(self._encoders[player].layout, numbers)}"
        info_state = known_state(state.position, player)
        return self._table.name(player) if info_state is None else self._table.info_text(player, info_state)

    def _numbers(self, position: Position, seat: int) -> Any:
        info_state, encoder = known_state(position, seat), self._encoders[seat]
        return encoder.before_the_hand() if info_state is None else encoder.encode_index(info_state)


def known_state(position: Position, seat: int) -> int | None:
    """The number of what a seat knows: before its turn as if all had stood, before its cards `None`."""
    state = position.round
    if not position.deals_hands and (seat == state.current_seat or seat < len(state.choices)):
        return state.info_state(seat)
    hand, states = position.hand(seat), state.game.states[seat]
    return None if hand is None else states.number([0] * states.num_visible, hand)
