"""Readings of the Hawaiian Gardens sheet alone, in the order of the clauses."""

from __future__ import annotations

from pan9_gym.cli.studies.reading_values import (
    TABLE,
    VALUE,
    Measure,
    Reading,
    by_field,
    by_field_of,
    by_rule,
    fixed,
    last_seat_ev,
    logical_value,
    misplayed,
    nothing,
    with_wager_taken_back,
)
from pan9_gym.cli.studies.readings_california import HAWAIIAN
from pan9_gym.rules.collection import PUBLISHED_TIERS
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action

TIER = PUBLISHED_TIERS[0]

PER_UNIT = "the player's, per unit wagered"

CHOICES = (
    Reading(
        "H1",
        HAWAIIAN,
        "ties on 2 to 9 push",
        "the bank wins every tie",
        by_field(VALUE, banker_wins_ties=list(TOTALS)),
        "banker_wins_ties",
    ),
    Reading(
        "H2",
        HAWAIIAN,
        "players are free",
        "forced as in S3",
        by_field_of(VALUE, "player_draw_rule", "bicycle_bonus"),
        "player_draw_rule",
    ),
    Reading(
        "H3",
        HAWAIIAN,
        "unseen hands: the logical way",
        "unseen hands stand",
        Measure(
            "EV of the unseen hand",
            lambda rules: last_seat_ev(rules, 2),
            lambda rules: last_seat_ev(rules, 2, last="always_stand"),
            "the 2nd of 2, per unit wagered; the banker answers as if both played the logical way",
        ),
    ),
    *(
        Reading(
            "H4",
            HAWAIIAN,
            "banker free on 5 and 6",
            other,
            by_field_of(VALUE, "banker_draw_rule", sheet),
            "banker_draw_rule",
        )
        for other, sheet in (("free on every total", "bicycle"), ("as the House, U2", "uk_1994_house"))
    ),
)

FAULTS = (
    Reading("H5", HAWAIIAN, "a misplay is reset", "it stands", misplayed(5, Action.DRAW)),
    Reading("H5", HAWAIIAN, "a misplay is reset", "it stands", misplayed(6, Action.STAND)),
    Reading(
        "H6",
        HAWAIIAN,
        "an exposed banker is free",
        "he plays the logical way",
        by_rule(VALUE, logical_value),
    ),
    Reading(
        "H7",
        HAWAIIAN,
        "a misdeal keeps the bank",
        "the bank passes on",
        Measure(TABLE.words, TABLE.of, nothing, TABLE.note),
    ),
    Reading(
        "H7",
        HAWAIIAN,
        "a misdeal keeps the wagers",
        "they may be changed",
        "a fresh deal: a unit is worth the same; amounts are arguments",
    ),
    Reading(
        "H7",
        HAWAIIAN,
        "a misdeal keeps the collection",
        "it is paid again",
        fixed(
            "collections if misdealt",
            TIER.player,
            2 * TIER.player,
            f"a player's dollars a hand, limits {TIER.least}-{TIER.most} of a published schedule",
        ),
    ),
    Reading(
        "H7",
        HAWAIIAN,
        "new dice after a misdeal",
        "the dice stay",
        "before a throw the chances are the same either way",
    ),
    Reading(
        "H11",
        HAWAIIAN,
        "moved late, 5 keeps its card",
        "late_move_5_6 new_box",
        misplayed(5, Action.DRAW),
    ),
    Reading(
        "H11",
        HAWAIIAN,
        "moved late, 6 takes no card",
        "late_move_5_6 new_box",
        misplayed(6, Action.STAND),
    ),
    Reading(
        "H13",
        HAWAIIAN,
        "wagers close before the deal",
        "open till hands are set",
        by_rule(VALUE, with_wager_taken_back),
    ),
    Reading(
        "H14",
        HAWAIIAN,
        "a fouled hand's wager is lost",
        "it returns",
        fixed("result of a fouled hand", -1, 0, PER_UNIT),
    ),
    Reading(
        "H15",
        HAWAIIAN,
        "fault told in time: void",
        "forfeited all the same",
        fixed("result if told in time", 0, -1, PER_UNIT),
    ),
    Reading(
        "H15",
        HAWAIIAN,
        "told too late: forfeited",
        "void all the same",
        fixed("result if told too late", -1, 0, PER_UNIT),
    ),
)

HAWAIIAN_READINGS = (*CHOICES, *FAULTS)
