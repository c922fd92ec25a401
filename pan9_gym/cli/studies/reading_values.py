"""What two readings of a clause are worth: how they compare, and values of the game and its seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.evaluation import Estimate
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import POSITION_WAYS
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import DRAW_TOKEN, Action, Role
from pan9_gym.solver import (
    BestResponse,
    banker_best_response,
    banker_values,
    best_response,
    best_response_to_values,
    equilibrium,
    evaluate,
    evaluate_seats,
    seat_best_response,
    seats_equilibrium,
)
from pan9_gym.solver.duel import duel
from pan9_gym.solver.setting import read_setting

Floats = npt.NDArray[np.float64]

SEATS = 3
"""Players where a reading matters only with several."""

FULL_TABLE = 7
"""Players at a table without an empty seat (T5)."""

PENETRATION = Fraction(3, 4)
"""The part of the shoe before the cut card, as in `pan9 study money`."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """A value estimated from simulated hands.

    Attributes:
        results: What each hand brought; the value is their mean.
    """

    results: Floats

    @cached_property
    def estimate(self) -> Estimate:
        """The value and its standard error."""
        return Estimate.of(self.results)


Value = Fraction | Sampled
"""An exact value, or one estimated from simulated hands."""

Valuation = Callable[[RulesConfig], Value]


@dataclass(frozen=True)
class Quantity:
    """A number that rules decide.

    Attributes:
        words: What it is, in few words.
        of: Its value under rules.
        note: What it is, in full.
    """

    words: str
    of: Callable[[RulesConfig], Fraction]
    note: str = ""


@dataclass(frozen=True)
class Measure:
    """How two readings are compared.

    Attributes:
        quantity: What is valued, in few words.
        taken: Its value under a sheet's rules.
        other: Its value under the alternative to them.
        note: What is valued, in full.
    """

    quantity: str
    taken: Valuation
    other: Valuation
    note: str = ""


@dataclass(frozen=True)
class Reading:
    """A reading and one alternative.

    Attributes:
        clause: The clause that leaves it open.
        sheets: The rule sheets it bears on.
        taken: The reading taken.
        other: The alternative.
        measure: How the two compare, or why they have no value to compare.
        field: The field of the sheets whose source says that it is a reading; `None` for one of the table.
    """

    clause: str
    sheets: tuple[str, ...]
    taken: str
    other: str
    measure: Measure | str
    field: str | None = None


def by_field(quantity: Quantity, **overrides: Any) -> Measure:
    """A reading that is a field: the sheet as it is against the sheet with other fields."""
    return by_rule(quantity, lambda rules: quantity.of(load_rules(rules, **overrides)))


def by_field_of(quantity: Quantity, field: str, sheet: str) -> Measure:
    """A reading that is a field, against what another sheet has there."""
    return by_rule(
        quantity,
        lambda rules: quantity.of(rules.model_copy(update={field: getattr(load_rules(sheet), field)})),
    )


def by_rule(quantity: Quantity, other: Valuation) -> Measure:
    """A reading that is no field: the quantity of the sheet against what another rule makes of it."""
    return Measure(quantity.words, quantity.of, other, quantity.note)


def fixed(quantity: str, taken: Fraction | int, other: Fraction | int, note: str = "") -> Measure:
    """Two values that are the same on every sheet."""
    return Measure(quantity, lambda rules: Fraction(taken), lambda rules: Fraction(other), note)


def nothing(rules: RulesConfig) -> Fraction:
    """What a wager brings that is not made, or a hand that is not played."""
    return Fraction(0)


@cache
def game_value(rules: RulesConfig) -> Fraction:
    """The value of one player against the banker, to the player."""
    return equilibrium(rules).value


@cache
def seats_value(rules: RulesConfig) -> Fraction:
    """The banker's expectation where nobody of `SEATS` players and the banker gains by changing alone."""
    return seats_equilibrium(rules, SEATS, level="total").banker_ev


VALUE = Quantity(
    "value to a player", game_value, "of the equilibrium, one player against the banker, per unit wagered"
)
TABLE = Quantity(
    "value to the banker",
    seats_value,
    f"of the equilibrium by total, {SEATS} players who wager 1 each, in units",
)


def with_open_hands(rules: RulesConfig) -> Fraction:
    """The value to the player if the banker sees all of his final hand before he acts; both are free.

    Each hand of the player is then answered on its own:

        value = sum over h of max over actions of sum over seen cards, banker hands b of min over answers
    """
    game = duel(read_setting(load_rules(rules, banker_sees="card")))
    best: dict[Action, Any] = dict.fromkeys(Action, 0)
    for branch in game.branches:
        best[branch.action] = best[branch.action] + np.minimum(*branch.payoffs).sum(axis=1)
    return Fraction(
        int(np.maximum(best[Action.STAND], best[Action.DRAW]).sum()), game.num_deals * game.payoff_unit
    )


def with_wager_taken_back(rules: RulesConfig) -> Fraction:
    """The value to a player who may take his wager back after he has seen his cards."""
    row = best_response(rules, Role.PLAYER, equilibrium(rules).banker).table[()]
    best = ((decision.prob, max(decision.ev_stand or 0, decision.ev_draw or 0)) for decision in row)
    return sum((prob * max(Fraction(0), Fraction(ev)) for prob, ev in best), Fraction(0))


def value_of_policy(name: str) -> Callable[[RulesConfig], Fraction]:
    """What a named policy brings the player against the banker of the equilibrium."""
    return lambda rules: evaluate(rules, name, equilibrium(rules).banker).ev


def ev_of_move(total: int, action: Action) -> Callable[[RulesConfig], Fraction]:
    """What a player's total brings when it stands or draws, against the banker of the equilibrium."""

    def found(rules: RulesConfig) -> Fraction:
        answer = best_response(rules, Role.PLAYER, equilibrium(rules).banker, level="total")
        decision = next(decision for decision in answer.table[()] if decision.hand == str(total))
        ev = decision.ev_draw if action is Action.DRAW else decision.ev_stand
        assert ev is not None
        return ev

    return found


def misplayed(total: int, right: Action) -> Measure:
    """A hand of a total that keeps the right move against one that keeps the wrong one."""
    wrong = Action.STAND if right is Action.DRAW else Action.DRAW
    return Measure(
        f"EV of a misplayed {total}",
        ev_of_move(total, right),
        ev_of_move(total, wrong),
        f"a player's on first cards of {total} that lie in the wrong box",
    )


def logical_value(rules: RulesConfig) -> Fraction:
    """The player's expectation if both play the logical way."""
    return evaluate(rules, "logical_way", "logical_way").ev


def collections_lost(rules: RulesConfig) -> Fraction:
    """The probability that the first of two hands is won or lost, and so uses up cover for one wager."""
    joint = evaluate(rules, "logical_way", "logical_way").joint_totals
    pushed = (joint[total][total] for total in TOTALS if total not in rules.banker_wins_ties)
    return 1 - sum(pushed, Fraction(0))


@cache
def _answer(rules: RulesConfig, num_players: int, last_wager: int = 1) -> BestResponse:
    """The banker's best answer by hand to players who play the logical way and wager 1, but for the last."""
    wagers = [*[1] * (num_players - 1), last_wager]
    return banker_best_response(rules, ["logical_way"] * num_players, wagers)


def last_seat_ev(rules: RulesConfig, num_players: int, wager: int = 1, last: str = "logical_way") -> Fraction:
    """What the last player gets against the banker's best answer to players who play the logical way.

    Args:
        rules: The rules.
        num_players: Players against the banker.
        wager: The last player's wager; the others' are 1.
        last: How he plays, which the banker does not know.
    """
    players = [*["logical_way"] * (num_players - 1), last]
    return evaluate_seats(rules, players, _answer(rules, num_players, wager).policy).evs[-1]


def last_seat_best_ev(rules: RulesConfig, num_players: int) -> Fraction:
    """What the last player gets, against the same banker, if he plays his best."""
    banker = _answer(rules, num_players).policy
    return seat_best_response(rules, ["logical_way"] * num_players, banker, num_players - 1).ev


def last_seat_ev_if_paid(rules: RulesConfig, num_players: int, payout: str) -> Fraction:
    """What the last player gets if he alone is paid otherwise, which the banker's best answer counts in.

    The banker's values are linear in the wagers: all hands as they are, less the last, and the last again
    from the rules with the other payout.
    """
    players = ["logical_way"] * num_players
    once, twice = [1] * num_players, [*[1] * (num_players - 1), 2]
    other = load_rules(rules, payout=payout)
    asked = (rules, once, 2), (rules, twice, -1), (other, twice, 1), (other, once, -1)
    found = [(banker_values(of, players, wagers), times) for of, wagers, times in asked]
    unit = lcm(*(values.value_unit for values, _ in found))
    stand = sum(values.stand * (times * unit // values.value_unit) for values, times in found)
    draw = sum(values.draw * (times * unit // values.value_unit) for values, times in found)
    mixed = replace(found[0][0], stand=stand, draw=draw, value_unit=unit)
    banker = best_response_to_values(mixed, "hand").policy
    joint = evaluate_seats(rules, players, banker).joint_totals[-1]
    won, lost = (
        sum(
            (joint[own][bank] for own, bank in product(TOTALS, TOTALS) if sign * (own - bank) > 0),
            Fraction(0),
        )
        for sign in (1, -1)
    )
    lost += sum((joint[total][total] for total in rules.banker_wins_ties), Fraction(0))
    return Fraction(payout) * won - lost


def ev_of_a_seat(house_banks: bool) -> Callable[[RulesConfig], Fraction]:
    """The mean of a hand over everybody at the table, the banker too unless the House has the bank."""
    if house_banks:
        return lambda rules: -seats_value(rules) / SEATS
    return nothing


def hands_to_the_cut(empty_seats: bool) -> Callable[[RulesConfig], Fraction]:
    """Cards before the cut card over the mean number of cards of a hand.

    `SEATS` players play the logical way against the banker's best answer by total; whether cards of the empty
    seats are dealt too.
    """

    def found(rules: RulesConfig) -> Fraction:
        values = banker_values(rules, ["logical_way"] * SEATS)
        banker = best_response_to_values(values, "total").policy
        draws = Fraction(0)
        for pattern, choices in enumerate(values.states.patterns):
            for column in range(values.states.shape[1]):
                drawn = choices.count(DRAW_TOKEN) + banker.draw_probs[pattern][column]
                draws += values.reach_prob(pattern, column) * drawn
        hands = (FULL_TABLE if empty_seats else SEATS) + 1
        cards = hands * rules.num_initial_cards + draws
        return PENETRATION * sum(rules.initial_counts) / cards

    return found


def ways(*positions: int) -> int:
    """Of 216 throws of three dice, how many count out one of these positions; the banker is position 1."""
    return sum(POSITION_WAYS[position - 1] for position in positions)


def ways_of_two_dice(*positions: int) -> int:
    """The same of 36 throws of two dice."""
    throws = product(range(1, 7), repeat=2)
    return sum((sum(throw) - 1) % 8 + 1 in positions for throw in throws)
