"""Readings of the Bicycle Casino's sheet alone, in the order of the clauses."""

from __future__ import annotations

from pan9_gym.cli.studies.reading_stakes import BONUSES, bet_ev, if_offered
from pan9_gym.cli.studies.reading_values import (
    VALUE,
    Measure,
    Reading,
    by_field_of,
    by_rule,
    fixed,
    nothing,
    seats_value,
    value_of_policy,
    with_open_hands,
)
from pan9_gym.cli.studies.readings_california import BICYCLE, SEATED
from pan9_gym.rules.collection import PUBLISHED_TIERS

TIER = PUBLISHED_TIERS[0]

LIMITS = "changes no hand; the choice of wagers in Pan9/ShoePlayer-v0"

CIRCLES = (
    "per unit; circle 1 plays the logical way; circle 2, with as large a wager or a larger one, always stands"
)


def shared_hand(taken: str, other: str) -> Measure:
    """A hand that one of two bettors plays."""
    return Measure("EV of a disputed hand", value_of_policy(taken), value_of_policy(other), CIRCLES)


BICYCLE_READINGS = (
    Reading("B1", BICYCLE, "up to seven players", "any other number", SEATED, "max_players"),
    Reading("T3", BICYCLE, "wagers from 1 to 10 units", "any other limits", LIMITS, "wager_limits"),
    *(
        Reading(
            "B1",
            BICYCLE,
            "no side bets",
            f"{bet} as in {clause}",
            Measure(bet_ev(bet).words, nothing, if_offered(bet), bet_ev(bet).note),
            "side_bets",
        )
        for bet, clause in zip(BONUSES, ("S6", "S7", "S8"), strict=True)
    ),
    Reading(
        "B4",
        BICYCLE,
        "players are free",
        "forced as in S3",
        by_field_of(VALUE, "player_draw_rule", "bicycle_bonus"),
        "player_draw_rule",
    ),
    *(
        Reading(
            "B5",
            BICYCLE,
            "banker is free",
            other,
            by_field_of(VALUE, "banker_draw_rule", sheet),
            "banker_draw_rule",
        )
        for other, sheet in (("forced as in H4", "hawaiian_gardens"), ("as the House, U2", "uk_1994_house"))
    ),
    Reading(
        "B5",
        BICYCLE,
        "hands closed till settlement",
        "open before he acts",
        by_rule(VALUE, with_open_hands),
        "banker_sees",
    ),
    Reading(
        "B8",
        BICYCLE,
        "equal wagers: circle 1 decides",
        "the higher circle decides",
        shared_hand("logical_way", "always_stand"),
    ),
    Reading(
        "B8",
        BICYCLE,
        "differing policies: a dispute",
        "circle 1 plays on his own",
        shared_hand("always_stand", "logical_way"),
    ),
    Reading(
        "B8",
        BICYCLE,
        "circle 2 pays a collection",
        "it pays none",
        fixed(
            "collection of circle 2",
            TIER.player,
            0,
            f"dollars a hand at limits {TIER.least}-{TIER.most} of a published schedule",
        ),
    ),
    Reading(
        "B8",
        BICYCLE,
        "no back line on the bank",
        "half of it may be shared",
        Measure(
            "EV of half the bank",
            nothing,
            lambda rules: seats_value(rules) / 2,
            "half of the value to the banker",
        ),
    ),
)
