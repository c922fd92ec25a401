"""How a hand unfolds: the shoe, the round with explicit chance, and the numbers of information states."""

from pan9_gym.game.info_state import InfoStates, has_choice, info_states, legal_table
from pan9_gym.game.round import Game, Round, new_game
from pan9_gym.game.shoe import Shoe, StackedShoe

__all__ = [
    "Game",
    "InfoStates",
    "Round",
    "Shoe",
    "StackedShoe",
    "has_choice",
    "info_states",
    "legal_table",
    "new_game",
]
