"""How good strategies of both roles are, exactly, with one player or several.

Formula:
    nash_conv = sum_i (E_i - e_i) + (E_b - e_b),        exploitability = nash_conv / 2

Symbols:
    e_i, E_i: expectation of the player at seat i as he plays, and by his best response alone, in units; the
        best response looks at all that the seat sees, the choices of earlier seats too
    e_b, E_b: the same for the banker, whose best response looks at the whole pattern of choices

Source:
    Definitions: `solver.exploitability` for one player, `solver.seats_equilibrium` for several, with equal
    wagers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from agents.baselines.interface import Pair
from pan9_gym import solver
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import Action, Role, RulesConfig
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.falling_functional import Numbers
from pan9_gym.solver.levels import Level
from pan9_gym.solver.many_seats import read_game
from pan9_gym.solver.seat_sums import banker_action_values, seat_action_values
from pan9_gym.solver.seats_game import OthersKey, Pattern, SeatsGame


@dataclass(frozen=True)
class Score:
    """How good a pair of strategies is, exactly.

    Attributes:
        nash_conv: The sum of everybody's gains from a best response.
        ev: A player's expectation when the pair meets.
    """

    nash_conv: Fraction
    ev: Fraction

    @classmethod
    def of(cls, rules: RulesConfig, level: Level, pair: Pair) -> Score:
        """Score a pair.

        Raises:
            ValueError: If there are several players and the rules show cards or have naturals.
        """
        players = pair.players
        values = every_seat(rules, pair)
        policies = zip(values, (*players, pair.banker), strict=True)
        gains = [
            solver.best_response_to_values(seat, level).ev - seat.ev(policy) for seat, policy in policies
        ]
        return cls(sum(gains, Fraction(0)), values[0].ev(players[0]))

    @property
    def exploitability(self) -> Fraction:
        """Half of NashConv."""
        return self.nash_conv / 2

    def to_dict(self, exact: bool) -> dict[str, str | float]:
        """For JSON, as fractions or as floats."""
        named = {"nash_conv": self.nash_conv, "exploitability": self.exploitability, "ev": self.ev}
        return numbers(named, exact)


def numbers(named: Mapping[str, Fraction], exact: bool) -> dict[str, str | float]:
    """Figures for JSON, as fractions or as floats."""
    return {name: str(value) if exact else float(value) for name, value in named.items()}


def every_seat(rules: RulesConfig, pair: Pair) -> tuple[ActionValues, ...]:
    """What both actions are worth at every seat among a pair's strategies, the banker's last.

    Raises:
        ValueError: If there are several players and the rules show cards or have naturals.
    """
    players, banker = pair.players, pair.banker
    if len(players) == 1:
        return tuple(solver.action_values(rules, role, pair.policy(role.opponent)) for role in Role)
    game = _AlikeGame(read_game(rules, players, None))
    if not _goes_by_drawers(banker) or any(seat.states.num_visible != seat.seat for seat in players):
        seats = [solver.seat_values(rules, players, banker, seat) for seat in range(len(players))]
        return (*seats, solver.banker_values(rules, players))
    found = []
    for game.seat in range(len(players) + 1):
        if game.seat < len(players):
            found.append(game.spread_out(seat_action_values(game, banker, game.seat)))
        else:
            found.append(game.spread_out(banker_action_values(game, [Fraction(1)] * len(players))))
    return tuple(found)


def role_values(rules: RulesConfig, role: Role, pair: Pair) -> ActionValues:
    """The same for one role alone, the player at seat 0.

    Raises:
        ValueError: As `every_seat`.
    """
    if pair.player.num_players == 1:
        return solver.action_values(rules, role, pair.policy(role.opponent))
    if role is Role.BANKER:
        return solver.banker_values(rules, pair.players)
    return solver.seat_values(rules, pair.players, pair.banker, 0)


def _goes_by_drawers(banker: TabularPolicy) -> bool:
    """Whether he sees who drew, and only their number makes a difference to him."""
    rows = banker.draw_probs
    alike = all(row == rows[2 ** number.bit_count() - 1] for number, row in enumerate(rows))
    return alike and banker.states.num_visible == banker.num_players


class _AlikeGame(SeatsGame):
    """Players who all play alike without looking at each other, and a banker who counts drawers.

    Which of the seats drew then makes no difference, so that of all patterns with as many drawers before and
    after a seat one is looked at: a sixteenth of them with seven players.

    Attributes:
        seat: Whose values are asked for.
    """

    def __init__(self, game: SeatsGame) -> None:
        super().__init__(game.rules, game.players, game.shoe)
        self.seat = 0

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """One pattern of each kind."""
        after = self.num_players - self.seat - 1
        if after < 0:
            return _first_draw(self.num_players)
        own = ((Action.STAND,), (Action.DRAW,))
        return tuple(
            before + mine + later
            for before in _first_draw(self.seat)
            for mine in own
            for later in _first_draw(after)
        )

    def others(self, seat: int, pattern: Pattern) -> tuple[OthersKey, Numbers]:
        """Counts times how many patterns the seat cannot tell from this one."""
        key, counts = super().others(seat, pattern)
        unseen = pattern[self.seat + 1 :]
        return key, counts * comb(len(unseen), sum(unseen))

    def spread_out(self, values: ActionValues) -> ActionValues:
        """Every row as that of the pattern with as many drawers that was looked at."""
        rows = [2 ** number.bit_count() - 1 for number in range(values.states.shape[0])]
        return replace(values, reach=values.reach[rows], stand=values.stand[rows], draw=values.draw[rows])


def _first_draw(seats: int) -> tuple[Pattern, ...]:
    """For each number of drawers the pattern in which the first seats draw."""
    draw, stand = (Action.DRAW,), (Action.STAND,)
    return tuple(draw * drawers + stand * (seats - drawers) for drawers in range(seats + 1))
