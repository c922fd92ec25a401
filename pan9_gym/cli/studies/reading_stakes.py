"""What two readings of a side bet or a tie wager are worth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from pan9_gym.cli.studies.reading_values import Quantity, game_value
from pan9_gym.policies.named import get
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.solver import action_values, best_response, equilibrium, evaluate, side_bet
from pan9_gym.solver.outcomes import endings
from pan9_gym.solver.setting import read_setting

BONUSES = (SideBet.BC, SideBet.DRAGON, SideBet.SUPER_0)

SMALL_POOL = 10
"""Units of the banker's stake that a bonus may exceed: a tenth of what Super 0 pays on 0."""

BOTH_LOGICAL = "player and banker play the logical way"


def bets(**changes: dict[str, object]) -> dict[str, object]:
    """The side bets of the bonus sheet with some pay tables changed."""
    offered: dict[str, object] = {str(bet): {} for bet in BONUSES}
    return {**offered, **changes}


def bet_ev(bet: SideBet) -> Quantity:
    """A side bet, player and banker playing the logical way."""
    return Quantity(f"EV of {bet}", lambda rules: side_bet(rules, bet).ev, f"per unit staked; {BOTH_LOGICAL}")


def if_offered(bet: SideBet) -> Callable[[RulesConfig], Fraction]:
    """The same where a sheet without side bets offers those of the bonus sheet."""
    return lambda rules: bet_ev(bet).of(load_rules(rules, side_bets=bets()))


def super_0_against(held: bool) -> Callable[[RulesConfig], Fraction]:
    """Super 0 against the banker's best answer to the logical way; his stake on it is 1 wager or none."""

    def found(rules: RulesConfig) -> Fraction:
        stakes = {"super_0": 1} if held else None
        banker = best_response(rules, Role.BANKER, "logical_way", side_stakes=stakes).policy
        return side_bet(rules, SideBet.SUPER_0, banker=banker).ev

    return found


@cache
def _added(rules: RulesConfig, stakes: tuple[SideBet, ...]) -> Fraction:
    """What a unit on each of some side bets adds to the value, player and banker playing on them."""
    return equilibrium(rules, side_stakes=dict.fromkeys(stakes, 1)).value - game_value(rules)


def all_bonuses(together: bool) -> Callable[[RulesConfig], Fraction]:
    """What a unit on each bonus adds to the value: on one hand, or on a hand for each of them."""
    parts = (BONUSES,) if together else tuple((bet,) for bet in BONUSES)
    return lambda rules: sum((_added(rules, stakes) for stakes in parts), Fraction(0))


def super_0_from_pool(payable: bool) -> Callable[[RulesConfig], Fraction]:
    """Super 0 beside 1 wagered, the wager settled first from a stake of `SMALL_POOL`.

    It uses the amount payable, so that at most what is left of the stake is paid, or only the amount staked.
    """

    def found(rules: RulesConfig) -> Fraction:
        joint = evaluate(rules, "logical_way", "logical_way").joint_totals
        total = Fraction(0)
        for own in TOTALS:
            for other in TOTALS:
                left = SMALL_POOL - int(own != other or own in rules.banker_wins_ties)
                payoff: Fraction = rules.side_bets.payoff(
                    SideBet.SUPER_0, (), rules.num_initial_cards, (own, other)
                )
                total += joint[own][other] * (min(payoff, Fraction(left)) if payable else payoff)
        return total

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


def tie_held_by_banker(rules: RulesConfig, stake: int) -> Fraction:
    """The same where the banker holds the stake, so that he too plays on it."""
    pays = rules.side_bets.tie
    assert pays is not None
    held = load_rules(rules, side_bets={"tie": {"payout": str(pays.payout), "against": "banker"}})
    return (equilibrium(held, side_stakes={"tie": stake}).value - game_value(rules)) / stake


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


def banker_hand_if_ties_lose(rules: RulesConfig) -> Fraction:
    """The wager on the banker's hand if a tie loses it."""
    tie = evaluate(rules, "logical_way", "logical_way").tie_prob
    return side_bet(rules, SideBet.BANKER_HAND).ev - tie
