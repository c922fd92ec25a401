"""Readings that the UK sheets of Super Pan 9 rest on, in the order of the clauses."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from pan9_gym.cli.studies.reading_cover import AT_THE_TABLE, share_of_cover
from pan9_gym.cli.studies.reading_stakes import (
    tie_held_by_banker,
    tie_of_banker_who_steers,
    tie_of_player_who_steers,
    tie_of_stranger,
)
from pan9_gym.cli.studies.reading_values import (
    SEATS,
    TABLE,
    VALUE,
    Measure,
    Quantity,
    Reading,
    by_field,
    by_rule,
    game_value,
    last_seat_best_ev,
    last_seat_ev,
    last_seat_ev_if_paid,
    nothing,
    seats_value,
)
from pan9_gym.cli.studies.readings_california import SEATED
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig

UK = ("uk_1994_house", "uk_1994_player")
UK_HOUSE, UK_PLAYER = ("uk_1994_house",), ("uk_1994_player",)

TIE_STAKES = (1, 100)
"""Per unit wagered: a stake like the wager, and one that outweighs it."""

HOUSE_WAGER = Quantity(
    "EV of the House's unit",
    partial(last_seat_ev, num_players=3),
    "its hand beside 2 players', all the logical way; the banker's best answer by hand",
)


def value_against_house(rules: RulesConfig) -> Fraction:
    """The value to a single player where the House banks."""
    return game_value(load_rules("uk_1994_house"))


SINGLE = Quantity("value to a single bettor", value_against_house, "of the equilibrium, per unit wagered")


def own_tie(stake: int) -> Quantity:
    """What the player's own tie wager is worth to him."""
    return Quantity(
        f"EV a unit, {stake} on a tie",
        partial(tie_of_player_who_steers, stake=stake),
        f"per unit to whoever stakes {stake} on a tie beside a wager of 1, all that the stake changes",
    )


TIE_BETTORS = (
    (UK, "tie_bettors any (stranger)", tie_of_stranger),
    (UK_PLAYER, "tie_bettors banker", tie_of_banker_who_steers),
)

BANK = (
    *(
        Reading(
            "T4",
            UK,
            "banker_sees choice",
            f"banker_sees {seen}",
            by_field(VALUE, banker_sees=seen),
            "banker_sees",
        )
        for seen in ("nothing", "card")
    ),
    Reading(
        "U1",
        UK,
        "choices in_turn",
        "choices simultaneous",
        by_field(TABLE, choices="simultaneous"),
        "choices",
    ),
    Reading("U1", UK, "up to 7 opposing players", "any other number", SEATED, "max_players"),
    Reading(
        "U4",
        UK_HOUSE,
        "the House keeps the bank",
        "a player banks",
        by_rule(TABLE, lambda rules: seats_value(load_rules("uk_1994_player"))),
        "bank",
    ),
    Reading(
        "U4",
        UK_PLAYER,
        "the bank goes clockwise",
        "any other fixed order",
        "turns come round equally often",
        "bank",
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "one wager: the House banks",
        "the player keeps the bank",
        by_rule(SINGLE, game_value),
        "house_banks_single_wager",
    ),
    Reading(
        "U5",
        UK_HOUSE,
        "house_banks_single_wager false",
        "true",
        by_field(VALUE, house_banks_single_wager=True),
        "house_banks_single_wager",
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "his turn is not used",
        "it is lost",
        Measure(TABLE.words, TABLE.of, nothing, TABLE.note),
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "a House wager is no second one",
        "it is: the player banks",
        by_rule(SINGLE, partial(last_seat_ev, num_players=2)),
    ),
    Reading(
        "U8",
        UK,
        "void ties return the stake",
        "ties on 0 lose, as in S4",
        by_field(VALUE, banker_wins_ties=[0]),
        "banker_wins_ties",
    ),
)

TIES = (
    Reading(
        "U10",
        UK,
        "a tie wager on every hand",
        "on some hands only",
        "a unit is worth the same on each hand it is made on",
        "side_bets",
    ),
    *(
        Reading(
            "U10", sheets, "tie_bettors own", other, by_rule(own_tie(stake), partial(of_other, stake=stake))
        )
        for stake in TIE_STAKES
        for sheets, other, of_other in TIE_BETTORS
    ),
    Reading(
        "U10",
        UK_PLAYER,
        "tie against house",
        "against banker",
        by_rule(own_tie(1), partial(tie_held_by_banker, stake=1)),
        "side_bets",
    ),
)

HOUSE_WAGERS = (
    Reading(
        "U11",
        UK_PLAYER,
        "the House is paid 1:1",
        "it alone is paid 19:20",
        by_rule(HOUSE_WAGER, partial(last_seat_ev_if_paid, num_players=3, payout="19/20")),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "the House has its own hand",
        "it wagers on a player's",
        by_rule(HOUSE_WAGER, partial(last_seat_ev, num_players=2, wager=2)),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "the House plays 0-5 / 6-9",
        "as a player: freely",
        by_rule(HOUSE_WAGER, partial(last_seat_best_ev, num_players=3)),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "covered from the banker's left",
        "shared out equally",
        Measure(
            "EV at the left, cover 1",
            share_of_cover(Fraction(1)),
            share_of_cover(Fraction(1, SEATS)),
            f"of a unit; {AT_THE_TABLE}, reduced to 1 unit before the deal",
        ),
    ),
    Reading(
        "U13",
        UK_PLAYER,
        "U11 comes before U13",
        "the House may decline",
        by_rule(HOUSE_WAGER, nothing),
    ),
)

UK_READINGS = (*BANK, *TIES, *HOUSE_WAGERS)
