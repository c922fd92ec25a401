"""The draw decisions of every seat: hands by the readable engine, wagers fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from pan9_gym.envs.arguments import check_cards, check_option, shoe_options
from pan9_gym.envs.hand_env import MASKS
from pan9_gym.envs.observation import Encoder, Observation, shoe_shares
from pan9_gym.envs.rendering import render_ansi
from pan9_gym.envs.setup import EachStakes, Forced, ShoeMode
from pan9_gym.envs.table_play import Nets, Play
from pan9_gym.game.info_state import has_choice
from pan9_gym.game.round import Game, Round, new_game
from pan9_gym.game.shoe import CardSource, Shoe, StackedShoe, counts_by_value
from pan9_gym.game.stakes import Amount
from pan9_gym.rules.catalog import DEFAULT_SHEET, RulesLike
from pan9_gym.rules.fields import as_int, read_whole
from pan9_gym.rules.terms import Action

CHANGING = ("due", "mask", "ending", "_hands", "_totals", "_state", "_source")
"""What an action changes, but for the shoe; each is replaced, none is written to."""


class DrawPlay(Play):
    """Hands of fixed wagers in which every seat is an agent.

    The arguments are those of `table_env.env` with `mode="draw"`.

    Raises:
        ValueError: If an argument is not possible.
    """

    actions: tuple[str, ...] = ("stand", "draw")

    def __init__(
        self,
        rules: RulesLike = DEFAULT_SHEET,
        num_players: int = 1,
        num_hands: int = 1,
        observe: str | Sequence[str] = "hand",
        forced: Forced = "offer",
        wagers: Sequence[Amount] | None = None,
        side_stakes: EachStakes = None,
        shoe_mode: ShoeMode = "fresh",
        penetration: float | None = None,
    ) -> None:
        check_option("forced", forced, get_args(Forced))
        check_option("shoe_mode", shoe_mode, get_args(ShoeMode))
        num_hands = read_whole("num_hands", num_hands, 1)
        whole = as_int(num_players)
        each = (
            [side_stakes] * whole if isinstance(side_stakes, Mapping) and type(whole) is int else side_stakes
        )
        self.game: Game = new_game(rules, num_players, wagers=wagers, side_stakes=each)  # type: ignore[arg-type]
        self._continues = shoe_mode == "continuing"
        self._shoe_options = shoe_options(self.game, self._continues, penetration, None)
        self._skips, self._num_hands = forced == "skip", num_hands
        self.agents = (*(f"player_{seat}" for seat in range(self.game.num_players)), "banker_0")
        self._seats = {agent: seat for seat, agent in enumerate(self.agents)}
        free = [has_choice(self.game.rules, states) for states in self.game.states]
        if self._skips and not any(free):
            raise ValueError(
                f"forced='skip': nobody ever has a choice under {self.game.rules.name!r}; use forced='offer'"
            )
        self.deciders = tuple(
            agent for agent, chooses in zip(self.agents, free, strict=True) if chooses or not self._skips
        )
        self.encoders = {
            agent: Encoder(states, observe, self.game.wagers, self.game.rules)
            for agent, states in zip(self.agents, self.game.states, strict=True)
        }
        self.layouts = {agent: encoder.layout for agent, encoder in self.encoders.items()}
        self.due, self.mask = "", MASKS[()]
        self.ending = ""
        self._rng: np.random.Generator | None = None
        self._shoe: Shoe | None = None
        self._totals: tuple[int, ...] | None = None

    def start(self, rng: np.random.Generator, options: Mapping[str, Any]) -> None:
        """Deal the first hand; `options["cards"]` lists its cards in the order of the deal."""
        stacked = None if options.get("cards") is None else self._stacked(options["cards"])
        if self._rng is not rng:
            self._rng = rng
            self._shoe = Shoe(self.game.rules, rng=rng, with_suits=self.game.with_suits, **self._shoe_options)
        self._hands, self.ending, self._totals = 0, "", None
        if stacked is None:
            self._deal()
        else:
            self._state, self._source = stacked
            self._wait()

    def _stacked(self, cards: Any) -> tuple[Round, CardSource]:
        check_cards("options['cards']", cards)
        if len(cards) < self.game.max_cards:
            raise ValueError(
                f"options['cards'] lists {len(cards)} cards; a hand may take {self.game.max_cards}"
            )
        source = StackedShoe(self.game.rules, cards, self.game.with_suits)
        state, asked = self._opened(self.game.new_round(), source)
        if not asked:
            raise ValueError(f"options['cards'] {list(cards)}: nobody has a decision in this hand")
        return state, source

    def _deal(self) -> None:
        """Deal until somebody has a decision; hands that bring none are not counted."""
        shoe = self._shoe
        assert shoe is not None
        asked = False
        while not asked:
            if not self._continues:
                shoe.shuffle()
                state = self.game.new_round()
            else:
                if shoe.cut_card_reached or (shoe.num_cards_left or 0) < self.game.max_cards:
                    shoe.shuffle()
                state = self.game.new_round(shoe.counts())
            state, asked = self._opened(state, shoe)
        self._state, self._source = state, shoe
        self._wait()

    def _opened(self, state: Round, source: CardSource) -> tuple[Round, bool]:
        """The hand dealt, up to the first decision, and whether there is one."""
        first = [source.draw() for _ in range(self.game.num_initial_deals)]
        state = self._carried(state.deal_first_cards(first), source)
        return state, not state.is_terminal

    def _carried(self, state: Round, source: CardSource) -> Round:
        """The hand up to a decision that somebody has to make."""
        while not state.is_terminal:
            if state.is_chance:
                state = state.apply(source.draw())
            elif self._skips and len(state.legal_actions()) == 1:
                state = state.apply(state.legal_actions()[0])
            else:
                break
        return state

    def _wait(self) -> None:
        seat = self._state.current_seat
        self.due = "" if seat is None else self.agents[seat]
        self.mask = MASKS[self._state.legal_actions()]

    def act(self, action: int) -> Nets:
        """Stand or draw; the last seat's choice settles the hand."""
        state = self._carried(self._state.apply(Action(action)), self._source)
        self._state = state
        if not state.is_terminal:
            self._wait()
            return {}
        self._hands += 1
        self._totals = tuple(state.total(seat) for seat in range(self.game.num_seats))
        nets = dict(zip(self.agents, map(float, state.returns()), strict=True))
        if self._hands == self._num_hands:
            self.ending = "terminated"
            self._wait()
        else:
            self._deal()
        return nets

    def save(self) -> tuple[Any, ...]:
        """The hand and the counts; not the cards that the shoe has dealt."""
        return tuple(getattr(self, name) for name in CHANGING)

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Go back; the shoe keeps the order of its cards from where an error has left it."""
        for name, value in zip(CHANGING, saved, strict=True):
            setattr(self, name, value)

    def info_state(self, agent: str) -> int:
        """The number of what a seat knows so far; earlier seats that have not chosen count as standing."""
        seat, state = self._seats[agent], self._state
        states = self.game.states[seat]
        digits = [0] * states.num_visible
        for earlier, choice in enumerate(state.choices[: states.num_visible]):
            if choice is Action.DRAW:
                card = self.game.values_of(state.hands[earlier][-1:])[0]
                digits[earlier] = 1 + card if states.cards_seen else 1
        return states.number(digits, state.initial_hand(seat), state.suit_class(seat) or 0)

    def observe(self, agent: str) -> Observation:
        """The seat's hand and the choices it has seen so far; after the end, of the decided hand."""
        encoder, shares = self.encoders[agent], None
        if encoder.observes_shoe:
            rules = self.game.rules
            shares = shoe_shares(counts_by_value(rules, self._state.shoe), rules.initial_counts)
        return encoder.encode_index(self.info_state(agent), shares)

    def info(self, agent: str) -> dict[str, Any]:
        """`info_state` of whoever is due, and the `totals` of the latest settled hand, banker last."""
        known: dict[str, Any] = {} if self._totals is None else {"totals": self._totals}
        return {**known, "info_state": self.info_state(agent)} if agent == self.due else known

    def render(self) -> str:
        """The hand as the seat that is due may see it; once the last hand is settled, open."""
        seat = self._seats[self.due] if self.due else -1
        return f"hand {min(self._hands + 1, self._num_hands)} of {self._num_hands}, " + render_ansi(
            self._state, seat
        )
