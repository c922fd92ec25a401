"""Rounds of several games at once, each round with the game that was drawn for it.

Every game has its own batch of N rounds, of which those are played that have this game now. Random streams
differ from game to game, so that no hand is dealt twice from one stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from pan9_gym.game.batch_arrays import CardList, DrawProbs, Which
from pan9_gym.game.batch_cards import next_words, stream_keys
from pan9_gym.game.batch_kernels import ILLEGAL, NOT_AN_ACTION
from pan9_gym.game.batch_round import BatchRound, Finished
from pan9_gym.game.batch_shoes import BatchShoes

Batch = TypeVar("Batch", BatchRound, BatchShoes)


def _gathered(name: str) -> Any:
    """An attribute of the batches, for each round that of its game; a new array."""

    def gather(self: Mixed[Any]) -> npt.NDArray[Any]:
        found = np.array(getattr(self.batches[0], name))
        for number, batch in enumerate(self.batches[1:], start=1):
            rounds = self.games == number
            found[rounds] = getattr(batch, name)[rounds]
        return found

    return property(gather, doc=f"`{name}` of each round's game; a new array.")


class Mixed(Generic[Batch]):
    """Batches of one shape, and the game of each round.

    Args:
        batches: One for each game, with equal numbers of rounds, seats and actions.

    Attributes:
        games: The place of each round's game, int64, shape (N,).
    """

    info_state = _gathered("info_state")
    action_mask = _gathered("action_mask")
    unseen = _gathered("unseen")
    payoffs = _gathered("payoffs")
    totals = _gathered("totals")
    actions = _gathered("actions")
    replaced = _gathered("replaced")

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches: tuple[Batch, ...] = tuple(batches)
        self.num_rounds: int = self.batches[0].num_rounds
        self.games: npt.NDArray[np.int64] = np.zeros(self.num_rounds, dtype=np.int64)
        self._all: Which = np.ones(self.num_rounds, dtype=np.bool_)
        self._streams = stream_keys(0, self.num_rounds)
        self.seed(0)

    def seed(self, seed: int, which: Which | None = None) -> None:
        """Start random streams anew; see `SeededRounds.seed`."""
        chosen = self._all if which is None else which
        *seeds, last = _seeds(seed, len(self.batches) + 1)
        for batch, own in zip(self.batches, seeds, strict=True):
            batch.seed(own, which)
        self._streams[chosen] = stream_keys(last, self.num_rounds)[chosen]

    def seed_each(self, seeds: Sequence[int | None]) -> None:
        """Start each round anew with a seed of its own; see `SeededRounds.seed_each`."""
        number = len(self.batches) + 1
        every = [[None] * number if seed is None else _seeds(seed, number) for seed in seeds]
        for place, batch in enumerate(self.batches):
            batch.seed_each([own[place] for own in every])
        for i, own in enumerate(every):
            if own[-1] is not None:
                self._streams[i] = stream_keys(own[-1], 1)[0]

    def choose(self, which: Which, games: npt.NDArray[np.int64] | None = None) -> None:
        """Draw the games of these rounds anew, uniformly; entries of `games` from 0 are taken instead."""
        drawn = next_words(self._streams, which, len(self.batches))
        if games is not None:
            drawn = np.where(games >= 0, games, drawn)
        self.games[which] = drawn[which]

    def set_policies(self, number: int, *policies: DrawProbs) -> None:
        """Change the policies of one game, as its batch does it."""
        batch: Any = self.batches[number]
        batch.set_policies(*policies)

    def abandon(self, which: Which) -> None:
        """These rounds wait for nothing any more, in any game."""
        for batch in self.batches:
            batch.abandon(which)

    def _parts(self, which: Which | None) -> Iterator[tuple[Batch, Which]]:
        """Each game's batch with those of the rounds that have this game now."""
        for number, batch in enumerate(self.batches):
            rounds = self.games == number
            if which is not None:
                rounds &= which
            if rounds.any():
                yield batch, rounds

    def _checked(self, actions: npt.ArrayLike, which: Which | None) -> npt.NDArray[np.int64]:
        """The actions, all of which can be played: no game's are played where another's are wrong.

        Raises:
            ValueError: At the first that is wrong.
        """
        chosen: npt.NDArray[np.int64] = self.batches[0].read_actions(actions)
        wanted = self._all if which is None else which
        masks = self.action_mask
        known = (chosen >= 0) & (chosen < masks.shape[1])
        legal = masks[np.arange(self.num_rounds), np.where(known, chosen, 0)] > 0
        strict = self.batches[0].refuses_illegal
        for fine, problem in ((known, NOT_AN_ACTION), (legal | ~known | (not strict), ILLEGAL)):
            if not (fine | ~wanted).all():
                index = int(np.argmin(fine | ~wanted))
                raise ValueError(self.batches[self.games[index]].problem(index, problem, int(chosen[index])))
        return chosen


class MixedRounds(Mixed[BatchRound]):
    """`BatchRound` for several games; `deal` and `finish` as there, each round by its game."""

    waiting = _gathered("waiting")
    listed = _gathered("listed")

    def deal(self, which: Which | None = None, cards: Sequence[CardList | None] | None = None) -> None:
        """Deal hands of the rounds' games; see `BatchRound.deal`."""
        for batch, rounds in self._parts(which):
            batch.deal(rounds, cards)

    def check_cards(self, which: Which | None, cards: Sequence[CardList | None] | None) -> None:
        """Refuse lists of cards; see `BatchRound.check_cards`."""
        for batch, rounds in self._parts(which):
            batch.check_cards(rounds, cards)

    def finish(self, actions: npt.ArrayLike, which: Which | None = None) -> None:
        """Play hands out; see `BatchRound.finish`."""
        chosen = self._checked(actions, which)
        for batch, rounds in self._parts(which):
            batch.finish(chosen, rounds)

    def advance(self, actions: npt.ArrayLike, finished: Finished) -> None:
        """Finish all rounds, draw their next games and deal them; see `BatchRound.advance`."""
        self.finish(actions)
        finished.write(self, self.batches[0].agent_seat)
        self.choose(self._all)
        self.deal()


class MixedShoes(Mixed[BatchShoes]):
    """`BatchShoes` for several games; `start` and `play` as there, each shoe by its game."""

    wagering = _gathered("wagering")
    amount = _gathered("amount")
    hand_over = _gathered("hand_over")
    shoe_over = _gathered("shoe_over")
    played = _gathered("played")

    def start(self, which: Which | None = None, cards: Sequence[CardList | None] | None = None) -> None:
        """Start shoes of the rounds' games; see `BatchShoes.start`. Nothing is started if a list is wrong."""
        parts = [(batch, rounds, batch.read_shoes(rounds, cards)) for batch, rounds in self._parts(which)]
        for batch, rounds, lists in parts:
            batch.start_listed(rounds, lists)

    def play(self, actions: npt.ArrayLike, which: Which | None = None) -> None:
        """Play one decision of each round; see `BatchShoes.play`."""
        chosen = self._checked(actions, which)
        for batch, rounds in self._parts(which):
            batch.play(chosen, rounds)


def _seeds(seed: int, number: int) -> list[int]:
    """Seeds that have nothing to do with one another."""
    words = np.random.SeedSequence([seed, number]).generate_state(number, np.uint64)
    return [int(word) for word in words]
