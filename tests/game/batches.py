"""Random games for the tests of the compiled engine, and the same hands on the readable one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game import Game, Round, legal_table, new_game
from pan9_gym.game.shoe import StackedShoe, full_shoe
from pan9_gym.rules import Action, RulesConfig, load_rules
from tests.game.hands import BACCARAT, SHEETS, SIDE_BETS

ALL_SHEETS = (*SHEETS, *BACCARAT)

MOST_SEEN = 3
"""Players whose drawn cards are seen: the banker's table has 11^players rows."""


def random_rules(sheet: str, rng: np.random.Generator) -> RulesConfig:
    """A sheet with what is seen, and when, changed at random; baccarat as it is."""
    if sheet in BACCARAT:
        return load_rules(sheet)
    return load_rules(
        sheet,
        banker_sees=str(rng.choice(["nothing", "choice", "card"])),
        choices=str(rng.choice(["in_turn", "simultaneous"])),
        num_decks=[None, 1, 2, 8, 12][rng.integers(5)] or "infinite",
    )


def random_amount(rng: np.random.Generator) -> Fraction:
    return Fraction(int(rng.integers(1, 60)), int(rng.choice([1, 1, 2, 3, 7, 20])))


def random_game(sheet: str, rng: np.random.Generator) -> Game:
    rules = random_rules(sheet, rng)
    most = MOST_SEEN if rules.banker_sees == "card" else rules.max_players
    if rules.num_decks == 1:  # a hand may take 32 of 36 cards
        most = min(most, 4)
    num_players = int(rng.integers(1, min(most, rules.max_players) + 1))
    bets = SIDE_BETS.get(sheet, ())
    with_bets = rng.random() < 0.7
    side = [
        {bet: random_amount(rng) for bet in bets if with_bets and rng.random() < 0.5} or None
        for _ in range(num_players)
    ]
    return new_game(
        rules,
        num_players,
        wagers=[random_amount(rng) for _ in range(num_players)],
        side_stakes=side,
        first_to_deal=int(rng.integers(num_players + 1)),
    )


def random_policy(
    game: Game, seat: int, rng: np.random.Generator, mixed: bool = False
) -> npt.NDArray[np.float64]:
    """A policy that is random by pattern, hand and suit class; legal, and pure unless mixed."""
    states = game.states[seat]
    probs = rng.random(states.shape) if mixed else rng.integers(0, 2, states.shape).astype(float)
    table = legal_table(game.rules, states)
    known: dict[int, npt.NDArray[np.float64]] = {}
    for row, legal in zip(probs, table, strict=True):
        if id(legal) not in known:
            known[id(legal)] = np.array([moves[0] if len(moves) == 1 else np.nan for moves in legal])
        forced = known[id(legal)]
        row[~np.isnan(forced)] = forced[~np.isnan(forced)]
    return probs


def random_cards(game: Game, rng: np.random.Generator) -> list[str]:
    """As many cards as a hand may take, from a shuffled shoe."""
    shoe = full_shoe(game.rules, with_suits=True)
    picked = rng.choice(len(shoe), game.max_cards, replace=game.rules.with_replacement)
    if game.rules.with_replacement and game.with_suits:  # a stacked shoe without end takes any cards
        picked = picked[: game.max_cards]
    return [str(shoe[place]) for place in picked]


def play_until(state: Round, shoe: StackedShoe, policies: Sequence[npt.NDArray[Any] | None]) -> Round:
    """The readable engine: policies of 0 and 1 decide until a seat without one chooses, or to the end."""
    while not state.is_terminal:
        if state.is_chance:
            state = state.apply(shoe.draw())
            continue
        seat = state.current_seat
        assert seat is not None
        policy = policies[seat]
        if policy is None:
            return state
        state = state.apply(Action(int(policy.ravel()[state.info_state(seat)])))
    return state


def first_state(game: Game, cards: Sequence[str], policies: Sequence[Any]) -> tuple[Round, StackedShoe]:
    shoe = StackedShoe(game.rules, cards, game.with_suits)
    return play_until(game.new_round(), shoe, policies), shoe
