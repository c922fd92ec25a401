"""Several players and the banker answering each other: an equilibrium, or exactly how far it is from one.

The players are not a team. In turn everybody plays the best response to all others; the policies with the
least NashConv are the answer.

Formula:
    NashConv = sum_i w_i (E_i - e_i) + (E_b - e_b),        0 exactly at an equilibrium

Symbols:
    e_i, E_i: expectation of player i as he plays, and by his best response alone; units per unit wagered
    e_b, E_b: the same for the banker, in units
    w_i: wager of player i, in units

Source:
    NashConv: Lanctot et al. 2019 (OpenSpiel). Iteration: derivation: this module; it need not end in an
    equilibrium, and `kind` says whether it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pan9_gym.game.info_state import read_num_players
from pan9_gym.game.stakes import Amount, read_wagers
from pan9_gym.policies.named import get
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import read_whole
from pan9_gym.rules.terms import Role
from pan9_gym.solver.best_response import best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.levels import Level, read_level
from pan9_gym.solver.many_seats import evaluated, read_game
from pan9_gym.solver.seat_sums import banker_action_values, seat_action_values
from pan9_gym.solver.seats_game import SeatsGame


@dataclass(frozen=True)
class SeatsEquilibrium:
    """Policies for everybody at the table, and how far they are from an equilibrium.

    Attributes:
        kind: "nash" if nobody gains by changing alone to another strategy of `level`; "bound" if somebody
            does, so that `nash_conv`, exact for these policies, only bounds how far an equilibrium is.
        level: The level of everybody's answers.
        players: The players' policies in seat order.
        banker: The banker's policy.
        nash_conv: The sum of what everybody would gain by answering the others best, in units.
        history: `nash_conv` before each round of answers.
        evs: Each player's expectation, in units per unit wagered.
        banker_ev: The banker's expectation, in units.
        assumptions: What the figures take for granted.
    """

    kind: Literal["nash", "bound"]
    level: Level
    players: tuple[TabularPolicy, ...]
    banker: TabularPolicy
    nash_conv: Fraction
    history: tuple[Fraction, ...]
    evs: tuple[Fraction, ...]
    banker_ev: Fraction
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "kind": self.kind,
            "level": self.level,
            "players": [player.texts() for player in self.players],
            "banker": self.banker.texts(),
            "nash_conv": str(self.nash_conv),
            "history": [str(gains) for gains in self.history],
            "evs": [str(ev) for ev in self.evs],
            "banker_ev": str(self.banker_ev),
            "assumptions": list(self.assumptions),
        }


def seats_equilibrium(
    rules: RulesLike,
    num_players: int,
    wagers: Sequence[Amount] | None = None,
    level: str = "hand",
    shoe: ShoeLike | None = None,
    max_rounds: int = 8,
) -> SeatsEquilibrium:
    """Let everybody answer everybody in turn, from the logical way, until nobody gains.

    In a round the banker answers the players, then each player in seat order answers everybody as they play
    by then. The policies with the least NashConv are returned.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        num_players: Players against the banker.
        wagers: One per player; default 1 each.
        level: "hand" (by composition) or "total", for everybody's answers.
        shoe: Cards left of each point value, lowest first; default a full shoe.
        max_rounds: When to stop if somebody still gains.

    Raises:
        ValueError: If an argument is not possible.
    """
    rules = load_rules(rules)
    num_players = read_num_players(rules, num_players)
    stakes, read = read_wagers(num_players, wagers), read_level(level)
    max_rounds = read_whole("max_rounds", max_rounds, 1)
    players = [get("logical_way", rules, Role.PLAYER, num_players, seat) for seat in range(num_players)]
    banker = get("logical_way", rules, Role.BANKER, num_players)
    history: list[Fraction] = []
    game = read_game(rules, players, shoe)
    best: tuple[Fraction, SeatsGame, TabularPolicy] | None = None
    for _ in range(max_rounds):
        values = banker_action_values(game, stakes)
        answer = best_response_to_values(values, read)
        gains = answer.ev - values.ev(banker) + _seat_gains(game, banker, stakes, read)
        history.append(gains)
        if best is None or gains < best[0]:
            best = (gains, game, banker)
        if gains == 0:
            break
        banker = answer.policy
        game = _players_answered(game, banker, read)
    assert best is not None
    found = evaluated(best[1], best[2], stakes)
    return SeatsEquilibrium(
        kind="nash" if best[0] == 0 else "bound",
        level=read,
        players=best[1].players,
        banker=best[2],
        nash_conv=best[0],
        history=tuple(history),
        evs=found.evs,
        banker_ev=found.banker_ev,
        assumptions=found.assumptions,
    )


def _seat_gains(game: SeatsGame, banker: TabularPolicy, stakes: Sequence[Fraction], level: Level) -> Fraction:
    """What the players would gain by the best response, each alone, added up in units."""
    gains = Fraction(0)
    for seat, (player, wager) in enumerate(zip(game.players, stakes, strict=True)):
        values = seat_action_values(game, banker, seat)
        gains += wager * (best_response_to_values(values, level).ev - values.ev(player))
    return gains


def _players_answered(game: SeatsGame, banker: TabularPolicy, level: Level) -> SeatsGame:
    """The table after each player in seat order has answered everybody as they play by then."""
    for seat in range(game.num_players):
        answer = best_response_to_values(seat_action_values(game, banker, seat), level).policy
        if answer.draw_probs != game.players[seat].draw_probs:
            players = (*game.players[:seat], answer, *game.players[seat + 1 :])
            game = SeatsGame(game.rules, players, game.shoe)
    return game
