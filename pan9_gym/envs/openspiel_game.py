"""pan9-gym as a game of OpenSpiel's: importing this module registers `python_pan9`. Extra: openspiel.

    import pyspiel, pan9_gym.envs.openspiel_game
    game = pyspiel.load_game("python_pan9(rules=hawaiian_gardens,num_players=2)")

Everything that happens is what `game.round` says: legal moves, chance, the end, the returns. OpenSpiel's
players 0 to num_players - 1 are the players, num_players is the banker; an action is the number of an
`Action`. A forced move is a state with one legal action; a natural ends the hand before the first choice.

A chance node deals a seat's first cards at once, its outcome being the number of the hand among
`InfoStates.hands`, or one drawn card, its outcome being the points: see `envs.openspiel_position` for why,
and what it saves.

Information states, by number, text and tensor, are the package's own; see `envs.openspiel_observer`.
Returns are the exact ones of the wagers, rounded once to floats (`state.position.round.returns()` are the
exact ones). There are no side bets, so that they sum to zero on every sheet.

Parameters:
    rules: A sheet's name, or a path to a YAML file with a "/" in it or ending in .yaml. Default "bicycle".
    num_players: Players against the banker, 1 to what the sheet allows. Default 1.
    shoe: Cards of each point value, lowest first, such as "6 3 0 3 0 0 5"; default a full shoe.
    wagers: Each player's wager, such as "1 5/2"; default 1 each. OpenSpiel reads a lone "2" as a number and
        refuses it, but not "2/1".
    observe: "hand" (default) or "total": what observations hold. Information states hold the hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pan9_gym.envs.openspiel_extra import pyspiel
from pan9_gym.envs.openspiel_observer import Observer
from pan9_gym.envs.openspiel_setup import DEFAULTS, Table, read_table
from pan9_gym.rules.fields import MAX_PLAYERS
from pan9_gym.rules.terms import Action

SHORT_NAME = "python_pan9"
"""What OpenSpiel loads it by."""

GAME_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="Super Pan 9",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_PLAYERS + 1,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=DEFAULTS,
)


class Pan9Game(pyspiel.Game):
    """Super Pan 9, or another sheet of its family, for OpenSpiel.

    Args:
        params: The parameters by name, as the module's docstring lists them.

    Attributes:
        table: The rules, the seats, the shoe and the encoders; shared by all states.

    Raises:
        ValueError: Naming the parameter, its value and what is allowed.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.table = read_table(params or {})
        super().__init__(GAME_TYPE, _game_info(self.table), dict(params or {}))

    def new_initial_state(self) -> Pan9State:
        """The state before the first card."""
        return Pan9State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What writes information states and observations."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.table, kind, params)

    def max_chance_nodes_in_history(self) -> int:
        """A hand for each seat, and a card for each."""
        return 2 * self.table.game.num_seats


class Pan9State(pyspiel.State):
    """A state of a hand.

    Attributes:
        position: Where the hand stands; `position.round` is the package's own state of it.
    """

    def __init__(self, game: Pan9Game) -> None:
        super().__init__(game)
        self.position = game.table.start

    def current_player(self) -> int:
        """Whose turn it is: chance's, a seat's or nobody's."""
        if self.position.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.position.round.current_seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.position.is_terminal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The hands, by number, or the cards, by points, that may come, with their probabilities."""
        return self.position.chance_outcomes()

    def _legal_actions(self, seat: int) -> list[int]:
        return sorted(int(action) for action in self.position.round.legal_actions())

    def _apply_action(self, action: int) -> None:
        self.position = self.position.apply(action)

    def _action_to_string(self, seat: int, action: int) -> str:
        if seat != pyspiel.PlayerId.CHANCE:
            return Action(action).name
        if not self.position.deals_hands:
            return f"card {action}"
        return f"hand {' '.join(map(str, self.position.round.game.states[0].hands[action]))}"

    def returns(self) -> list[float]:
        """Net units for each seat, banker last; zero before the end."""
        if not self.is_terminal():
            return [0.0] * self.position.round.game.num_seats
        return [float(net) for net in self.position.round.returns()]

    def __str__(self) -> str:
        return str(self.position)


def _game_info(table: Table) -> Any:
    """The sizes that OpenSpiel wants to know before the first state."""
    game = table.game
    payoffs = [payoff for row in game.payoffs for payoff in row]
    lost, won = -min(payoffs), max(payoffs)
    staked, largest = sum(game.wagers, Fraction(0)), max(game.wagers)
    return pyspiel.GameInfo(
        num_distinct_actions=len(Action),
        max_chance_outcomes=max(len(game.states[0].hands), 1 + max(game.rules.values)),
        num_players=game.num_seats,
        min_utility=-float(max(lost * largest, won * staked)),
        max_utility=float(max(won * largest, lost * staked)),
        utility_sum=0.0,
        max_game_length=game.num_seats,
    )


pyspiel.register_game(GAME_TYPE, Pan9Game)
