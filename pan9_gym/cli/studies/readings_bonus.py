"""Readings of the page with the bonus bets alone, in the order of the clauses."""

from __future__ import annotations

from pan9_gym.cli.studies.reading_cover import with_super_0_at_last, with_super_0_at_once
from pan9_gym.cli.studies.reading_stakes import (
    BOTH_LOGICAL,
    SMALL_POOL,
    all_bonuses,
    bc_on_final_hand,
    bet_ev,
    bets,
    dragon_that_must_win,
    super_0_against,
    super_0_from_pool,
)
from pan9_gym.cli.studies.reading_values import (
    SEATS,
    VALUE,
    Measure,
    Quantity,
    Reading,
    Valuation,
    by_field,
    by_field_of,
    by_rule,
)
from pan9_gym.cli.studies.readings_california import BONUS
from pan9_gym.rules.side_bets import SideBet

BC, DRAGON, SUPER_0 = map(bet_ev, (SideBet.BC, SideBet.DRAGON, SideBet.SUPER_0))


def of_bet(clause: str, taken: str, other: str, measure: Measure) -> Reading:
    """A reading of the field of the side bets."""
    return Reading(clause, BONUS, taken, other, measure, "side_bets")


def paid_otherwise(quantity: Quantity, bet: str, **changes: object) -> Measure:
    """A side bet as it is against its pay table with other lines."""
    return by_field(quantity, side_bets=bets(**{bet: changes}))


def pool(quantity: str, taken: Valuation, other: Valuation, what: str) -> Measure:
    """A side bet that the banker's stake does not cover."""
    return Measure(quantity, taken, other, f"{what}; {BOTH_LOGICAL}, his stake is {SMALL_POOL}")


BC_AND_DRAGON = (
    of_bet("S6", "bc: the first three cards", "three 3s in the final hand", by_rule(BC, bc_on_final_hand)),
    of_bet(
        "S6",
        "bc: colour without suited",
        "every fitting line is paid",
        paid_otherwise(BC, "bc", prizes={"suited": 3450, "same_colour": 450, "off_suit": 150}),
    ),
    *(
        of_bet("S6", "bc: stake $1", f"stake ${stake}", paid_otherwise(BC, "bc", stake=stake))
        for stake in (2, 5)
    ),
    of_bet(
        "S6",
        "bc: a winner's stake returns",
        "stake_returned false",
        paid_otherwise(BC, "bc", stake_returned=False),
    ),
    of_bet(
        "S7",
        "dragon: colour without suited",
        "every fitting line is paid",
        paid_otherwise(
            DRAGON,
            "dragon",
            three_card={"suited": 30, "same_colour": 10, "off_suit": 2},
            four_card={"suited": 140, "same_colour": 40, "off_suit": 4},
        ),
    ),
    of_bet(
        "S7",
        "dragon: needs no winning hand",
        "a 9 that ties loses it",
        by_rule(DRAGON, dragon_that_must_win),
    ),
)

ALL_BETS = (
    of_bet("S8", "super_0 on a tie", "on own_total", paid_otherwise(SUPER_0, "super_0", on="own_total")),
    of_bet(
        "S9",
        "any combination of side bets",
        "one a hand",
        Measure(
            "EV of the three bonuses",
            all_bonuses(together=True),
            all_bonuses(together=False),
            "what 1 unit on each adds to the value to a player; player and banker play on the stakes",
        ),
    ),
    of_bet(
        "S9",
        "super_0 against the banker",
        "somebody else holds it",
        Measure(
            "EV of super_0, 1 wagered",
            super_0_against(True),
            super_0_against(False),
            "per unit on super_0; the player plays the logical way, the banker answers all he holds",
        ),
    ),
    Reading(
        "S9",
        BONUS,
        "bonuses use what is payable",
        "what is staked",
        pool(
            f"EV of super_0, stake {SMALL_POOL}",
            super_0_from_pool(payable=True),
            super_0_from_pool(payable=False),
            "per unit beside 1 wagered, one player",
        ),
    ),
    Reading(
        "S9",
        BONUS,
        "bonuses after all wagers",
        "each with its wager",
        pool(
            f"EV at the left, stake {SMALL_POOL}",
            with_super_0_at_last,
            with_super_0_at_once,
            f"of 1 wagered and 1 on super_0, the first of {SEATS} such players",
        ),
    ),
)

BONUS_READINGS = (
    Reading(
        "S3",
        BONUS,
        "banker as_players",
        "banker free",
        by_field_of(VALUE, "banker_draw_rule", "bicycle"),
        "banker_draw_rule",
    ),
    Reading(
        "S5",
        BONUS,
        "a flat collection",
        "a share of the wager",
        "a price: $1 is 10 % of a $10 wager, 1 % of a $100 one",
    ),
    *BC_AND_DRAGON,
    *ALL_BETS,
)
