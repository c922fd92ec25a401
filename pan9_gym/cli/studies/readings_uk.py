"""Every reading that the UK sheets rest on, beside its alternatives and what compares them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from pan9_gym.cli.studies.reading_values import (
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
    tie_of_banker_who_steers,
    tie_of_player_who_steers,
    tie_of_stranger,
)
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig

UK = ("uk_1994_house", "uk_1994_player")
UK_PLAYER = ("uk_1994_player",)

TIE_STAKES = (1, 100)
"""Per unit wagered: a stake like the wager, and one that outweighs it."""

HOUSE_WAGER = Quantity("EV of the House's unit, beside 2 players", lambda rules: last_seat_ev(rules, 3))


def value_against_house(rules: RulesConfig) -> Fraction:
    """The value to a single player where the House banks."""
    return game_value(load_rules("uk_1994_house"))


def own_tie(stake: int) -> Quantity:
    """What the player's own tie wager is worth to him."""
    return Quantity(
        f"EV per unit of {stake} on a tie for 1 wagered", partial(tie_of_player_who_steers, stake=stake)
    )


TIE_BETTORS = (
    (UK, "tie_bettors any: a stranger", tie_of_stranger),
    (UK_PLAYER, "tie_bettors banker", tie_of_banker_who_steers),
)

UK_READINGS = (
    *(
        Reading("T4", UK, "banker_sees choice", f"banker_sees {seen}", by_field(VALUE, banker_sees=seen))
        for seen in ("nothing", "card")
    ),
    Reading("U1", UK, "choices in_turn", "choices simultaneous", by_field(TABLE, choices="simultaneous")),
    Reading(
        "U1",
        UK,
        "up to 7 opposing players",
        "any other number",
        "no value: how many sit down is an argument; `pan9 study seats` values 1 to 7",
    ),
    Reading(
        "U4",
        UK_PLAYER,
        "the bank goes clockwise",
        "any other fixed order",
        "no value: turns come round equally often",
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "tested after wagers close: the House banks",
        "the player keeps the bank",
        Measure(
            "value to a single bettor",
            value_against_house,
            game_value,
        ),
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "the player's turn is not used",
        "it is lost",
        "no value: the turn is put off or lost, and a hand in the bank is worth the same either way",
    ),
    Reading(
        "U5",
        UK_PLAYER,
        "a House wager is no second bettor",
        "it is one: the player keeps the bank",
        Measure(
            "value to a single bettor",
            value_against_house,
            lambda rules: last_seat_ev(rules, 2),
        ),
    ),
    Reading(
        "U10",
        UK,
        "a tie wager on every hand",
        "on some hands only",
        "no value: EV per unit is that of the hand it is made on",
    ),
    *(
        Reading(
            "U10", sheets, "tie_bettors own", other, by_rule(own_tie(stake), partial(of_other, stake=stake))
        )
        for stake in TIE_STAKES
        for sheets, other, of_other in TIE_BETTORS
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "the House is paid 1:1",
        "the House is paid 19:20",
        by_field(HOUSE_WAGER, payout="19/20"),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "the House is dealt its own hand",
        "it wagers on a player's hand",
        by_rule(HOUSE_WAGER, lambda rules: last_seat_ev(rules, 2, wager=2)),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "the House plays 0-5 / 6-9",
        "as a player: freely",
        by_rule(HOUSE_WAGER, lambda rules: last_seat_best_ev(rules, 3)),
    ),
    Reading(
        "U11",
        UK_PLAYER,
        "uncovered wagers from the banker's left",
        "shared out",
        "no value: which wagers are played for, not what a unit of them is worth",
    ),
    Reading(
        "U13", UK, "the duty of U11 comes before U13", "a wager may be declined", "no value: whether, not how"
    ),
)
"""In the order of the clauses."""
