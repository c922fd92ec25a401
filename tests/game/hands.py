"""Hands for the tests of the round: stacked ones, and random games (hypothesis)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from pan9_gym.game import Game, Round, StackedShoe, new_game
from pan9_gym.rules import Action, RulesConfig, load_rules

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")

BACCARAT = ("baccarat_chemin_de_fer", "baccarat_punto_banco")

HAND_OF = ("K K K", "K K A", "K K 2", "K K 3", "K K 4", "K K 5", "K K 6", "K 6 A", "K 6 2", "K 6 3")
"""A hand of each total, 0 to 9."""


def play(game: Game, cards: str, choices: Iterable[Action] = ()) -> Round:
    """Cards in the order of the shoe and choices in the order of the seats, as far as both are given."""
    shoe = StackedShoe(game.rules, cards.split(), game.with_suits)
    moves, left = iter(choices), len(cards.split())
    state = game.new_round()
    while not state.is_terminal:
        if state.is_chance:
            if left == 0:
                return state
            state, left = state.apply(shoe.draw()), left - 1
        else:
            move = next(moves, None)
            if move is None:
                return state
            state = state.apply(move)
    return state


def one_on_one(rules: RulesConfig, player: str, banker: str, **options: Any) -> Round:
    """The state in which the player chooses, from both hands."""
    dealt = " ".join(f"{p} {b}" for p, b in zip(player.split(), banker.split(), strict=True))
    return play(new_game(rules, **options), dealt)


stakes = st.one_of(
    st.integers(1, 50), st.fractions(min_value=Fraction(1, 8), max_value=20, max_denominator=8)
)
SIDE_BETS = {
    "bicycle_bonus": ("dragon", "super_0", "bc"),
    "uk_1994_house": ("tie",),
    "uk_1994_player": ("tie",),
    "baccarat_punto_banco": ("tie", "banker_hand"),
}


@st.composite
def games(draw: st.DrawFn) -> Game:
    sheet = draw(st.sampled_from((*SHEETS, *BACCARAT)))
    num_players = draw(st.integers(1, load_rules(sheet).max_players))
    bets = SIDE_BETS.get(sheet, ())
    side = [{bet: draw(stakes) for bet in bets if draw(st.booleans())} or None for _ in range(num_players)]
    return new_game(
        load_rules(sheet),
        num_players,
        wagers=[draw(stakes) for _ in range(num_players)],
        side_stakes=side,
        first_to_deal=draw(st.integers(0, num_players)),
    )


def random_hand(game: Game, seed: int) -> list[Round]:
    """Every state of a hand played at random."""
    rng = np.random.default_rng(seed)
    states = [game.new_round()]
    while not states[-1].is_terminal:
        state = states[-1]
        if state.is_chance:
            outcomes = state.chance_outcomes()
            weights = [float(prob) for _, prob in outcomes]
            states.append(state.apply(outcomes[rng.choice(len(outcomes), p=weights)][0]))
        else:
            legal = state.legal_actions()
            states.append(state.apply(legal[rng.integers(len(legal))]))
    return states
