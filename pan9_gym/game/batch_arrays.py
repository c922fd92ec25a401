"""What every part of the compiled engine keeps: the arrays of N rounds, their streams, their policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.batch_cards import flat_policies, listed_codes, shoe_codes, stream_keys
from pan9_gym.game.batch_tables import read_tables
from pan9_gym.game.round import Game
from pan9_gym.rules.cards import SUITS, Card
from pan9_gym.rules.fields import read_whole

LARGEST_ACTION = 2**62
INT64 = np.dtype(np.int64)

DrawProbs = Sequence[npt.ArrayLike | None]
"""Each seat's draw probabilities by information state, banker last; `None` for the agent."""

Which = npt.NDArray[np.bool_]
CardList = Sequence[str | Card]


class Rounds:
    """The arrays of N rounds, which the kernels write."""

    def __init__(
        self, game: Game, agent_seat: int | None, draw_probs: DrawProbs, num_rounds: int, seed: int
    ) -> None:
        self.game = game
        self.agent_seat = agent_seat
        self.num_rounds = read_whole("num_rounds", num_rounds, 1)
        self._tables = read_tables(game, agent_seat)
        self._policies = flat_policies(game, agent_seat, draw_probs)
        self._codes = shoe_codes(game)
        self._stamps = np.zeros(len(self._codes) + 1, dtype=np.uint64)
        self._cards = np.zeros((1, game.max_cards + 1), dtype=np.uint32)
        self._streams = stream_keys(read_whole("seed", seed, 0), self.num_rounds)
        self._shoe = np.zeros((0, 0), dtype=np.uint8)
        self._at = np.zeros(0, dtype=np.uint16)
        self._unseen = np.zeros((0, 2), dtype=np.uint64)
        self._given = np.zeros((0, game.max_cards), dtype=np.uint32)
        self._listed = np.zeros(self.num_rounds, dtype=np.uint8)
        self._any_listed = False
        self.totals = np.zeros((self.num_rounds, game.num_seats), dtype=np.uint8)
        self.actions = np.zeros((self.num_rounds, game.num_seats), dtype=np.int8)

    @property
    def unseen(self) -> npt.NDArray[np.uint16]:
        """With a continuing shoe its cards by point value, uint16, shape (N, values); a view."""
        return self._unseen.view(np.uint16)[:, : len(self.game.rules.values)]

    def _start_counting(self) -> None:
        """A continuing shoe for each round: words of four counts, at least two."""
        words = max(2, -(-len(self.game.rules.values) // 4))
        self._unseen = np.zeros((self.num_rounds, words), dtype=np.uint64)
        self._at = np.zeros(self.num_rounds, dtype=np.uint16)

    def shoe_in_order(self) -> npt.NDArray[np.int64]:
        """The kinds of a full shoe's cards, pack by pack, shape (size,)."""
        return np.arange(len(self._codes)) % (len(self.game.rules.point_values) * len(SUITS))

    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """What every kernel is given: see `batch_dealing.Arrays`."""
        source = (self._codes, self._stamps, self._streams, self._shoe, self._at, self._unseen, self._given)
        hand = (*self._policies, self._cards, self.totals, self.actions)
        return (self._tables, *source, self._listed, *hand)


def _writeable(array: Any) -> Any:
    """The array, or a copy of one that cannot be written to, for which Numba would compile a kernel anew."""
    return array if array.flags.writeable else array.copy()


class SeededRounds(Rounds):
    """Rounds that are told what to do: whose streams start anew, whose cards are listed, who acts how.

    Args:
        game: Who is at the table.
        agent_seat: The seat whose actions are given; `None` for nobody's.
        draw_probs: The policies of the other seats.
        num_rounds: N.
        seed: Decides every card and every mixed choice.
        skip_forced: Whether hands in which the agent has no choice are played by themselves.
        replace_illegal: Whether a legal action is played instead of an illegal one.

    Attributes:
        refuses_illegal: Whether an illegal action is an error.
    """

    def __init__(
        self,
        game: Game,
        agent_seat: int | None,
        draw_probs: DrawProbs,
        num_rounds: int,
        seed: int,
        skip_forced: bool,
        replace_illegal: bool,
    ) -> None:
        super().__init__(game, agent_seat, draw_probs, num_rounds, seed)
        self._all = np.ones(self.num_rounds, dtype=np.bool_)
        self._skip, self.refuses_illegal = skip_forced, not replace_illegal
        self._next_policies = self._policies

    def seed(self, seed: int, which: Which | None = None, first: int = 0) -> None:
        """Start random streams and shoes anew: round i has stream `first + i` of the seed, whatever N is.

        Args:
            seed: A whole number from 0.
            which: The rounds, bool, shape (N,); default all.
            first: The stream of round 0.
        """
        chosen, first = self._rounds(which), read_whole("first", first, 0)
        self._streams[chosen] = stream_keys(read_whole("seed", seed, 0), self.num_rounds, first)[chosen]
        self._start_shoes(chosen)

    def seed_each(self, seeds: Sequence[int | None]) -> None:
        """Start each round anew with a seed of its own, as round 0 of that seed; `None` leaves a round alone.

        Raises:
            ValueError: If there is not one entry per round, or one is no seed.
        """
        if len(seeds) != self.num_rounds:
            raise ValueError(f"seeds: {len(seeds)} are given; one per round is needed, so {self.num_rounds}")
        for number, seed in enumerate(seeds):
            if seed is not None:
                self._streams[number] = stream_keys(read_whole(f"seeds[{number}]", seed, 0), 1)[0]
        self._start_shoes(np.array([seed is not None for seed in seeds]))

    def _rounds(self, which: Which | None) -> Which:
        if which is None:
            return self._all
        given = np.asarray(which)
        if given.dtype != np.bool_ or given.shape != (self.num_rounds,):
            raise ValueError(
                f"which: bool of shape ({self.num_rounds},) is needed, not {given.dtype} of {given.shape}"
            )
        which = _writeable(np.ascontiguousarray(given))
        return which

    def _read_each(
        self, which: Which, cards: Sequence[CardList | None] | None, least: int, needed: str
    ) -> dict[int, npt.NDArray[np.uint32]]:
        """The codes of the listed cards of these rounds, by round; other rounds' lists are not read.

        Args:
            which: The rounds, bool, shape (N,).
            cards: A list or `None` for each round.
            least: The fewest cards of a list.
            needed: What the error says is needed.

        Raises:
            ValueError: If there is not one entry per round, a list is too short, or it has impossible cards.
        """
        if cards is None:
            return {}
        if len(cards) != self.num_rounds:
            raise ValueError(f"cards: {len(cards)} lists; one per round is needed, so {self.num_rounds}")
        found = {}
        for number in np.flatnonzero(which).tolist():
            listed = cards[number]
            if listed is None:
                continue
            if len(listed) < least:
                raise ValueError(f"cards[{number}] lists {len(listed)} cards; {needed}")
            try:
                found[number] = listed_codes(self.game, listed)
            except ValueError as error:
                raise ValueError(f"cards[{number}]: {error}") from None
        return found

    def _start_shoes(self, which: Which) -> None:
        """What a new stream begins with."""
        raise NotImplementedError

    def read_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Actions of all rounds, int64, shape (N,); which ones there are is not looked at.

        Raises:
            ValueError: If they are no whole numbers of this shape.
        """
        try:
            given = np.asarray(actions)
        except ValueError:  # lists of different lengths
            raise ValueError(f"actions: whole numbers of shape ({self.num_rounds},) are needed") from None
        if given.dtype is INT64 and given.shape == (self.num_rounds,) and given.flags.carray:
            return given
        if given.shape != (self.num_rounds,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: whole numbers of shape ({self.num_rounds},) are needed, "
                f"not {given.dtype} of shape {given.shape}"
            )
        if given.dtype == np.uint64 and (given > LARGEST_ACTION).any():
            index = int(np.argmax(given > LARGEST_ACTION))
            raise ValueError(f"actions[{index}] {given[index]}: is far too large")
        whole: npt.NDArray[np.int64] = _writeable(np.ascontiguousarray(given, dtype=np.int64))
        return whole
