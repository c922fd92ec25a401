"""Exact values for one to seven players against the banker, for any shoe and without sampling.

Wagers differ, players' policies may depend on the choices they see, the banker's on his hand and the whole
pattern of choices.

Formula:
    e_b = -sum_i w_i e_i

Symbols:
    e_i: expectation of player i, in units per unit wagered
    e_b: the banker's, in units
    w_i: wager of player i, in units

Source:
    Derivation: `seats_game` and `seat_sums`; values per state are `ActionValues`, so best responses, gaps and
    prices are those of one player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.game.info_state import Choices, read_num_players, read_seat
from pan9_gym.game.stakes import Amount, read_wagers
from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.best_response import BestResponse, best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeLike, read_shoe, read_shoe_for_float
from pan9_gym.solver.float_values import FloatValues
from pan9_gym.solver.levels import read_level
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
    return evaluated(game, _banker(rules, len(players), banker), stakes)


def evaluated(game: SeatsGame, banker: TabularPolicy, stakes: Sequence[Fraction]) -> SeatsEvaluation:
    """What the players of a game and a banker bring.

    Args:
        game: The sums for a table.
        banker: The banker's policy.
        stakes: Each player's wager.
    """
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
    counts = read_shoe(rules, shoe) if exact else read_shoe_for_float(rules, shoe)
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
