"""Exact values for one to seven players against the banker, for any shoe and without sampling.

Wagers differ, players' policies may depend on the choices they see, the banker's on his hand and the whole
pattern of choices. The players are not a team: `seats_equilibrium` lets everybody answer everybody in turn.

Formula:
    e_b = -sum_i w_i e_i
    NashConv = sum_i w_i (E_i - e_i) + (E_b - e_b),        0 exactly at an equilibrium

Symbols:
    e_i, E_i: expectation of player i as he plays, and by his best response alone; units per unit wagered
    e_b, E_b: the same for the banker, in units
    w_i: wager of player i, in units

Source:
    NashConv: Lanctot et al. 2019 (OpenSpiel). Sums: derivation: `seats_game` and `seat_sums`; values per
    state are `ActionValues`, so best responses, gaps and prices are those of one player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pan9_gym.game.info_state import Choices, read_num_players, read_seat
from pan9_gym.game.stakes import Amount, read_wagers
from pan9_gym.policies.named import get, resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import TOTALS, is_whole
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.best_response import BestResponse, best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeLike, read_shoe
from pan9_gym.solver.float_values import FloatValues
from pan9_gym.solver.levels import Level, read_level
from pan9_gym.solver.seat_sums import (
    banker_action_values,
    banker_float_values,
    joint_totals,
    pattern_probs,
    seat_action_values,
)
from pan9_gym.solver.seats_game import SeatsGame


@dataclass(frozen=True)
class SeatsEvaluation:
    """What policies bring at a table of several players, exactly.

    Attributes:
        evs: Each player's expectation, in units per unit wagered.
        banker_ev: The banker's expectation, in units: the sum over seats of wager times minus `evs`.
        ev_per_unit: `banker_ev` divided by the total wagered.
        pattern_probs: Probability of each pattern of choices.
        joint_totals: For each player the probability of each pair of final totals,
            `joint_totals[seat][player][banker]`.
        assumptions: What the figures take for granted.
    """

    evs: tuple[Fraction, ...]
    banker_ev: Fraction
    ev_per_unit: Fraction
    pattern_probs: dict[Choices, Fraction]
    joint_totals: tuple[tuple[tuple[Fraction, ...], ...], ...]
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "evs": [str(ev) for ev in self.evs],
            "banker_ev": str(self.banker_ev),
            "ev_per_unit": str(self.ev_per_unit),
            "pattern_probs": {" ".join(pattern): str(prob) for pattern, prob in self.pattern_probs.items()},
            "joint_totals": [[[str(prob) for prob in row] for row in seat] for seat in self.joint_totals],
            "assumptions": list(self.assumptions),
        }


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


def banker_values(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    wagers: Sequence[Amount] | None = None,
    shoe: ShoeLike | None = None,
) -> ActionValues:
    """What both actions are worth to the banker, by pattern of choices and hand, in units.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        wagers: One per player; default 1 each.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    game = read_game(rules, players, shoe)
    return banker_action_values(game, read_wagers(len(players), wagers))


def banker_values_in_float(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    wagers: Sequence[Amount] | None = None,
    shoe: ShoeLike | None = None,
) -> FloatValues:
    """`banker_values` in double precision: the fast path for seven seats and shoes by the thousand.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        wagers: One per player; default 1 each.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    game = read_game(rules, players, shoe, exact=False)
    return banker_float_values(game, read_wagers(len(players), wagers))


def seat_values(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    seat: int,
    shoe: ShoeLike | None = None,
) -> ActionValues:
    """What both actions are worth to one player, by visible choices and hand, in units per unit wagered.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order; the seat's own is not used.
        banker: The banker's policy.
        seat: The player.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    game = read_game(rules, players, shoe)
    own_seat = read_seat(game.num_players, seat)
    return seat_action_values(game, _banker(rules, game.num_players, banker), own_seat)


def evaluate_seats(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    wagers: Sequence[Amount] | None = None,
    shoe: ShoeLike | None = None,
) -> SeatsEvaluation:
    """Evaluate a table exactly.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        banker: The banker's policy.
        wagers: One per player; default 1 each.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> from pan9_gym import load_rules
    >>> found = evaluate_seats(load_rules("bicycle"), ["logical_way"] * 2, "logical_way", wagers=[1, 5])
    >>> found.banker_ev, found.pattern_probs["stand", "stand"]
    (Fraction(0, 1), Fraction(40621622029, 259469691195))

    Raises:
        ValueError: If an argument is not possible.
    """
    game = read_game(rules, players, shoe)
    stakes = read_wagers(len(players), wagers)
    return _evaluated(game, _banker(rules, len(players), banker), stakes)


def _evaluated(game: SeatsGame, banker: TabularPolicy, stakes: Sequence[Fraction]) -> SeatsEvaluation:
    joint = joint_totals(game, banker)
    payoffs = game.payoffs
    evs = tuple(
        sum((seat[p][b] * payoffs[p][b] for p in TOTALS for b in TOTALS), Fraction(0)) / game.payoff_unit
        for seat in joint
    )
    banker_ev = -sum((wager * ev for wager, ev in zip(stakes, evs, strict=True)), Fraction(0))
    return SeatsEvaluation(
        evs=evs,
        banker_ev=banker_ev,
        ev_per_unit=banker_ev / sum(stakes),
        pattern_probs=pattern_probs(game),
        joint_totals=joint,
        assumptions=game.rules.assumptions(game.num_players),
    )


def banker_best_response(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    wagers: Sequence[Amount] | None = None,
    level: str = "hand",
    shoe: ShoeLike | None = None,
) -> BestResponse:
    """The banker's best answer to the players, by pattern of choices; its `ev` is in units.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        wagers: One per player; default 1 each.
        level: "hand" (by composition) or "total".
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    known = read_level(level)
    return best_response_to_values(banker_values(rules, players, wagers, shoe), known)


def seat_best_response(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    seat: int,
    wagers: Sequence[Amount] | None = None,
    level: str = "hand",
    shoe: ShoeLike | None = None,
) -> BestResponse:
    """One player's best answer to everybody else; its `ev` is per unit wagered.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order; the seat's own is not used.
        banker: The banker's policy.
        seat: The player who answers.
        wagers: One per player; they do not change the answer.
        level: "hand" (by composition) or "total".
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    known = read_level(level)
    values = seat_values(rules, players, banker, seat, shoe)
    read_wagers(len(players), wagers)
    return best_response_to_values(values, known)


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
    if not is_whole(max_rounds) or max_rounds < 1:
        raise ValueError(f"max_rounds {max_rounds!r}: must be a whole number of at least 1")
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
    found = _evaluated(best[1], best[2], stakes)
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


def read_game(
    rules: RulesLike, players: Sequence[PolicyLike], shoe: ShoeLike | None, exact: bool = True
) -> SeatsGame:
    """The sums for a table.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        shoe: Cards left of each point value; default a full shoe.
        exact: Whether sums are Python integers or float64.

    Raises:
        ValueError: If an argument is not possible.
    """
    number = count_players(players)
    rules = load_rules(rules)
    read_num_players(rules, number)
    seats = [resolve(policy, rules, Role.PLAYER, number, seat) for seat, policy in enumerate(players)]
    counts = read_shoe(rules, shoe)
    game = SeatsGame(rules, seats, counts, exact)
    if not rules.with_replacement and sum(counts) < game.max_cards:
        raise ValueError(
            f"shoe {shoe!r}: holds {sum(counts)} cards; {number} players may need {game.max_cards}"
        )
    return game


def count_players(players: Sequence[PolicyLike]) -> int:
    """How many policies a list of players has.

    Raises:
        ValueError: If it is no list.
    """
    if isinstance(players, str | bytes) or not isinstance(players, Sequence):
        raise ValueError(f"players {players!r}: a list with one policy per seat is needed")
    return len(players)


def _banker(rules: RulesLike, num_players: int, banker: PolicyLike) -> TabularPolicy:
    return resolve(banker, rules, Role.BANKER, num_players)
