"""What two readings of a clause are worth: the quantities by which `readings` compares them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from pan9_gym.evaluation import CoverSample, CoverValue, Estimate, cover_sample
from pan9_gym.policies.named import get
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import POSITION_WAYS
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver import (
    action_values,
    banker_best_response,
    best_response,
    equilibrium,
    evaluate,
    evaluate_seats,
    seat_best_response,
    seats_equilibrium,
    side_bet,
)
from pan9_gym.solver.duel import duel
from pan9_gym.solver.outcomes import endings
from pan9_gym.solver.setting import read_setting

Value = Fraction | Estimate
"""An exact value, or one estimated from simulated hands."""

SEATS = 3
"""Players where a reading matters only with several."""

NUM_HANDS = 10_000
SEED = 1


@dataclass(frozen=True)
class Measure:
    """How two readings are compared.

    Attributes:
        quantity: What is valued.
        taken: Its value under a sheet's rules.
        other: Its value under the alternative to them.
    """

    quantity: str
    taken: Callable[[RulesConfig], Value]
    other: Callable[[RulesConfig], Value]


@dataclass(frozen=True)
class Reading:
    """A reading and one alternative.

    Attributes:
        clause: The clause that leaves it open.
        sheets: The rule sheets it bears on.
        taken: The reading taken.
        other: The alternative.
        measure: How the two compare, or why they cannot differ in value.
    """

    clause: str
    sheets: tuple[str, ...]
    taken: str
    other: str
    measure: Measure | str


@dataclass(frozen=True)
class Quantity:
    """A number that rules decide.

    Attributes:
        words: What it is.
        of: Its value under rules.
    """

    words: str
    of: Callable[[RulesConfig], Fraction]


def by_field(quantity: Quantity, **overrides: Any) -> Measure:
    """A reading that is a field: the sheet as it is against the sheet with other fields."""
    return Measure(quantity.words, quantity.of, lambda rules: quantity.of(load_rules(rules, **overrides)))


def by_field_of(quantity: Quantity, field: str, sheet: str) -> Measure:
    """A reading that is a field, against what another sheet has there."""
    return Measure(
        quantity.words,
        quantity.of,
        lambda rules: quantity.of(rules.model_copy(update={field: getattr(load_rules(sheet), field)})),
    )


def by_rule(quantity: Quantity, other: Callable[[RulesConfig], Fraction]) -> Measure:
    """A reading that is no field: the quantity of the sheet against what another rule makes of it."""
    return Measure(quantity.words, quantity.of, other)


def fixed(quantity: str, taken: Fraction | int, other: Fraction | int) -> Measure:
    """Two values that are the same on every sheet."""
    return Measure(quantity, lambda rules: Fraction(taken), lambda rules: Fraction(other))


@cache
def game_value(rules: RulesConfig) -> Fraction:
    """The value of one player against the banker, to the player."""
    return equilibrium(rules).value


@cache
def seats_value(rules: RulesConfig) -> Fraction:
    """The banker's expectation where nobody of `SEATS` players and the banker gains by changing alone."""
    return seats_equilibrium(rules, SEATS, level="total").banker_ev


VALUE = Quantity("value to the player, one player", game_value)
TABLE = Quantity(f"value to the banker, {SEATS} players", seats_value)


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
        f"player's EV on a {total} in the wrong box", ev_of_move(total, right), ev_of_move(total, wrong)
    )


def logical_value(rules: RulesConfig) -> Fraction:
    """The player's expectation if both play the logical way."""
    return evaluate(rules, "logical_way", "logical_way").ev


def collections_lost(rules: RulesConfig) -> Fraction:
    """The probability that the first of two hands is won or lost, and so uses up cover for one wager."""
    joint = evaluate(rules, "logical_way", "logical_way").joint_totals
    pushed = (joint[total][total] for total in TOTALS if total not in rules.banker_wins_ties)
    return 1 - sum(pushed, Fraction(0))


def last_seat_ev(rules: RulesConfig, num_players: int, wager: int = 1, last: str = "logical_way") -> Fraction:
    """What the last player gets against the banker's best answer to players who play the logical way.

    Args:
        rules: The rules.
        num_players: Players against the banker.
        wager: The last player's wager; the others' are 1.
        last: How he plays, which the banker does not know.
    """
    players = ["logical_way"] * num_players
    wagers = [*[1] * (num_players - 1), wager]
    banker = banker_best_response(rules, players, wagers).policy
    return evaluate_seats(rules, [*players[:-1], last], banker).evs[-1]


def last_seat_best_ev(rules: RulesConfig, num_players: int) -> Fraction:
    """What the last player gets, against the same banker, if he plays his best."""
    players = ["logical_way"] * num_players
    banker = banker_best_response(rules, players).policy
    return seat_best_response(rules, players, banker, num_players - 1).ev


def bet_ev(bet: SideBet) -> Quantity:
    """A side bet, player and banker playing the logical way."""
    return Quantity(f"EV of a unit on {bet}", lambda rules: side_bet(rules, bet).ev)


def super_0_against(held: bool) -> Callable[[RulesConfig], Fraction]:
    """Super 0 against the banker's best answer to the logical way; his stake on it is 1 wager or none."""

    def found(rules: RulesConfig) -> Fraction:
        stakes = {"super_0": 1} if held else None
        banker = best_response(rules, Role.BANKER, "logical_way", side_stakes=stakes).policy
        return side_bet(rules, SideBet.SUPER_0, banker=banker).ev

    return found


def bc_on_final_hand(rules: RulesConfig) -> Fraction:
    """The BC bonus if three threes among four cards win it too, the player playing the logical way.

    Two threes and a 4, 5 or 6 make 0, 1 or 2 and draw; the drawn card is a three. Three threes come so with
    3 n / (N - 3) times the probability of three threes first, n the number of 4s, 5s and 6s among N cards,
    and with the same suits.
    """
    cards = dict(zip(rules.values, rules.initial_counts, strict=True))
    more = Fraction(3 * (cards[4] + cards[5] + cards[6]), sum(cards.values()) - 3)
    return (side_bet(rules, SideBet.BC).ev + 1) * (1 + more) - 1


def dragon_that_must_win(rules: RulesConfig) -> Fraction:
    """The Dragon bonus if a 9 that ties loses it."""
    setting = read_setting(rules, side_stakes={SideBet.DRAGON: 1})
    pair = (setting.policy(role, get("logical_way", rules, role)) for role in Role)
    return sum(
        (
            ending.prob
            * (Fraction(-1) if ending.totals == (9, 9) else setting.side_payoff(ending.cards, ending.totals))
            for ending in endings(setting, *pair)
        ),
        Fraction(0),
    )


def tie_of_player_who_steers(rules: RulesConfig, stake: int) -> Fraction:
    """What each unit staked on a tie adds to a player who plays for both, against the optimal banker."""
    banker = equilibrium(rules).banker
    both = best_response(rules, Role.PLAYER, banker, side_stakes={"tie": stake})
    return (both.ev - best_response(rules, Role.PLAYER, banker).ev) / stake


def tie_of_stranger(rules: RulesConfig, stake: int) -> Fraction:
    """The same for one who does not play, at any stake: the player plays the logical way."""
    return side_bet(rules, SideBet.TIE, banker=equilibrium(rules).banker).ev


def tie_of_banker_who_steers(rules: RulesConfig, stake: int) -> Fraction:
    """What each unit of the banker's own on a tie adds to his best answer to the logical way.

    A banker who holds the players' stake S has base - S; one who makes it has base + S = 2 base - (base - S).
    """
    held = load_rules(rules, side_bets={"tie": {"payout": "7", "against": "banker"}})
    alone = action_values(held, Role.BANKER, "logical_way")
    less = action_values(held, Role.BANKER, "logical_way", side_stakes={"tie": stake})
    pairs = ((alone.stand, less.stand), (alone.draw, less.draw))
    stand, draw = (2 * own * less.value_unit - other * alone.value_unit for own, other in pairs)
    both = Fraction(int(np.maximum(stand, draw).sum()), alone.value_unit * less.value_unit)
    return (both - best_response(held, Role.BANKER, "logical_way").ev) / stake


def ways(*positions: int) -> int:
    """Of 216 throws of three dice, how many count out one of these positions; the banker is position 1."""
    return sum(POSITION_WAYS[position - 1] for position in positions)


def ways_of_two_dice(*positions: int) -> int:
    """The same of 36 throws of two dice."""
    throws = product(range(1, 7), repeat=2)
    return sum((sum(throw) - 1) % 8 + 1 in positions for throw in throws)


@cache
def _hands(rules: RulesConfig) -> CoverSample:
    """`SEATS` players with wagers of 1 who play the logical way, and the banker's best answer by total."""
    players = ["logical_way"] * SEATS
    banker = banker_best_response(rules, players, level="total").policy
    return cover_sample(rules, players, banker, num_hands=NUM_HANDS, seed=SEED)


def _value(found: CoverValue) -> Value:
    value = found.simulated if found.exact is None else found.exact
    assert value is not None
    return value


def banker_under_cover(cover: str, push_uses_cover: bool = False) -> Callable[[RulesConfig], Value]:
    """The banker's value if his stake is one of `SEATS` equal wagers, settled from his left."""
    return lambda rules: _value(_hands(rules).settled(1, cover, push_uses_cover).banker)


def first_player_if_begun(probs: Sequence[Fraction]) -> Callable[[RulesConfig], Value]:
    """The first player's value under such a stake if settlement begins at each seat with these chances."""

    def found(rules: RulesConfig) -> Value:
        mean = error = 0.0
        for seat, prob in enumerate(probs):
            value = _value(_hands(rules).settled(1, action_seat=seat).players[0])
            part = value if isinstance(value, Estimate) else Estimate(float(value), 0.0)
            mean += float(prob) * part.mean
            error += float(prob) * part.standard_error  # the same hands: errors add up at most
        return Estimate(mean, error)

    return found
