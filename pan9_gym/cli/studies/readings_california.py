"""Every reading that the California sheets rest on, beside its alternatives and what compares them."""

from __future__ import annotations

from fractions import Fraction

from pan9_gym.cli.studies.reading_values import (
    SEATS,
    TABLE,
    VALUE,
    Measure,
    Reading,
    banker_under_cover,
    bc_on_final_hand,
    bet_ev,
    by_field,
    by_field_of,
    by_rule,
    collections_lost,
    dragon_that_must_win,
    first_player_if_begun,
    fixed,
    last_seat_ev,
    logical_value,
    misplayed,
    super_0_against,
    ways,
    ways_of_two_dice,
    with_open_hands,
    with_wager_taken_back,
)
from pan9_gym.rules.cover import action_seat_probs
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Action

CALIFORNIA = ("bicycle", "bicycle_bonus", "hawaiian_gardens")
NOT_BONUS = ("bicycle", "hawaiian_gardens")
BICYCLE, BONUS, HAWAIIAN = (("bicycle",), ("bicycle_bonus",), ("hawaiian_gardens",))

BC, DRAGON, SUPER_0 = map(bet_ev, (SideBet.BC, SideBet.DRAGON, SideBet.SUPER_0))
FIRST_OF_7 = "chance to be settled first at the banker's left, 7 players"

ORDER = "no value: an order in time, with no chance or choice in it"
SEATED = "no value: how many sit down is an argument; `pan9 study seats` values 1 to 7"
RARE = "no value: what follows a fault; the hand that is then played has its usual values"
MONEY = "no value: it moves money between bettors or to the room, not between a hand and the banker"


def bets(**changes: dict[str, object]) -> dict[str, object]:
    """The side bets of the bonus sheet with some pay tables changed."""
    offered: dict[str, object] = {"bc": {}, "dragon": {}, "super_0": {}}
    return {**offered, **changes}


CALIFORNIA_READINGS = (
    Reading("C2", HAWAIIAN, "12 packs", "8 packs", by_field(VALUE, num_decks=8)),
    Reading("T1", CALIFORNIA, "banker's stake is placed before the wagers", "after them", ORDER),
    Reading(
        "T1",
        CALIFORNIA,
        "collection is kept where cover ran out",
        "returned",
        Measure(
            "collections lost, 2nd of 2 players, cover for 1", collections_lost, lambda rules: Fraction(0)
        ),
    ),
    Reading(
        "T2",
        NOT_BONUS,
        "a count on an empty seat moves on",
        "the dice are thrown again",
        fixed(
            "chance to be settled first at the banker's left, 3 players",
            action_seat_probs(SEATS)[0],
            Fraction(ways(1, 2), ways(1, 2, 3, 4)),
        ),
    ),
    Reading(
        "T2",
        NOT_BONUS,
        "a count on an empty seat moves on",
        "the dice are thrown again",
        Measure(
            "EV at the banker's left, 3 players, cover for 1",
            first_player_if_begun(action_seat_probs(SEATS)),
            first_player_if_begun(
                [Fraction(way, ways(1, 2, 3, 4)) for way in (ways(1, 2), ways(3), ways(4))]
            ),
        ),
    ),
    Reading(
        "T2",
        CALIFORNIA,
        "a count on the banker begins at his left",
        "the dice are thrown again",
        fixed(FIRST_OF_7, action_seat_probs(7)[0], Fraction(ways(2), 216 - ways(1))),
    ),
    Reading(
        "T2",
        NOT_BONUS,
        "three dice",
        "two dice",
        fixed(FIRST_OF_7, action_seat_probs(7)[0], Fraction(ways_of_two_dice(1, 2), 36)),
    ),
    Reading(
        "T2",
        BICYCLE,
        "dealing begins at the action seat",
        "at the banker's left",
        "no value: cards of a shuffled shoe are alike in law wherever the deal begins",
    ),
    *(
        Reading(
            "T3",
            CALIFORNIA,
            "cover gross",
            other,
            Measure(
                f"banker's EV, {SEATS} players, his stake 1 wager",
                banker_under_cover("gross"),
                banker_under_cover(*cover),
            ),
        )
        for other, cover in (
            ("net", ("net",)),
            ("unlimited", ("unlimited",)),
            ("gross, a push uses cover", ("gross", True)),
        )
    ),
    *(
        Reading(
            "T4",
            CALIFORNIA,
            "banker_sees choice",
            f"banker_sees {seen}",
            by_field(VALUE, banker_sees=seen),
        )
        for seen in ("nothing", "card")
    ),
    Reading(
        "T4", CALIFORNIA, "choices in_turn", "choices simultaneous", by_field(TABLE, choices="simultaneous")
    ),
    Reading(
        "T5",
        CALIFORNIA,
        "only occupied seats are dealt",
        "deal_empty_seats",
        fixed(f"cards dealt unseen a hand, {SEATS} players", 0, 3 * (7 - SEATS)),
    ),
    Reading("T6", CALIFORNIA, "payout 1", "payout 19/20", by_field(VALUE, payout="19/20")),
    Reading(
        "T7",
        NOT_BONUS,
        "one hand a turn (bicycle), up to two (hawaiian_gardens)",
        "two, one",
        "no value: every player banks as many hands as another in the long run",
    ),
    Reading("B1", CALIFORNIA, "max_players 7", "any other number", SEATED),
    Reading(
        "B4",
        BICYCLE,
        "players are free",
        "forced as in S3",
        by_field_of(VALUE, "player_draw_rule", "bicycle_bonus"),
    ),
    Reading(
        "B5",
        BICYCLE,
        "banker is free",
        "as the House, U2",
        by_field_of(VALUE, "banker_draw_rule", "uk_1994_house"),
    ),
    Reading(
        "B5",
        BICYCLE,
        "players' hands stay closed till settlement",
        "open before the banker acts",
        by_rule(VALUE, with_open_hands),
    ),
    Reading("B8", BICYCLE, "a dispute of equal wagers: lower circle", "higher circle", MONEY),
    Reading("B8", BICYCLE, "circles 2 and 3 pay the same collection", "less or none", MONEY),
    Reading("B8", BICYCLE, "no back line on the bank", "the bank may be shared", MONEY),
    Reading(
        "S3", BONUS, "banker as_players", "banker free", by_field_of(VALUE, "banker_draw_rule", "bicycle")
    ),
    Reading(
        "S5",
        BONUS,
        "a flat collection",
        "a share of the wager",
        "no value: a posted price; $1 flat is 10 % of a $10 wager and 1 % of a $100 one",
    ),
    Reading(
        "S6",
        BONUS,
        "bc: the first three cards",
        "three threes in the final hand",
        by_rule(BC, bc_on_final_hand),
    ),
    Reading(
        "S6",
        BONUS,
        "bc: same colour excludes suited",
        "every line that fits is paid",
        by_field(BC, side_bets=bets(bc={"prizes": {"suited": 3450, "same_colour": 450, "off_suit": 150}})),
    ),
    *(
        Reading(
            "S6", BONUS, "bc: stake $1", f"stake ${stake}", by_field(BC, side_bets=bets(bc={"stake": stake}))
        )
        for stake in (2, 5)
    ),
    Reading(
        "S6",
        BONUS,
        "bc: a winner's stake is returned",
        "stake_returned false",
        by_field(BC, side_bets=bets(bc={"stake_returned": False})),
    ),
    Reading(
        "S7",
        BONUS,
        "dragon: same colour excludes suited",
        "a suited 9 is paid on both lines",
        by_field(
            DRAGON,
            side_bets=bets(
                dragon={
                    "three_card": {"suited": 30, "same_colour": 10, "off_suit": 2},
                    "four_card": {"suited": 140, "same_colour": 40, "off_suit": 4},
                }
            ),
        ),
    ),
    Reading(
        "S7",
        BONUS,
        "dragon: needs no winning hand",
        "a 9 that ties loses it",
        by_rule(DRAGON, dragon_that_must_win),
    ),
    Reading(
        "S8",
        BONUS,
        "super_0 on a tie",
        "on own_total",
        by_field(SUPER_0, side_bets=bets(super_0={"on": "own_total"})),
    ),
    Reading(
        "S9",
        BONUS,
        "any combination of side bets",
        "one at a time",
        "no value: stakes are separate, so that EVs add up",
    ),
    Reading(
        "S9",
        BONUS,
        "super_0 against a banker who plays on it",
        "held by someone else",
        Measure("EV of a unit on super_0 beside one wagered", super_0_against(True), super_0_against(False)),
    ),
    Reading(
        "S9",
        BONUS,
        "settled last, from the cover that is left",
        "settled with the base wager",
        "no value under full cover, which EVs of side bets assume",
    ),
    Reading(
        "H2",
        HAWAIIAN,
        "players are free",
        "forced as in S3",
        by_field_of(VALUE, "player_draw_rule", "bicycle_bonus"),
    ),
    Reading(
        "H3",
        HAWAIIAN,
        "unseen hands play the logical way",
        "unseen hands stand",
        Measure(
            "EV of the unseen one of 2 hands",
            lambda rules: last_seat_ev(rules, 2),
            lambda rules: last_seat_ev(rules, 2, last="always_stand"),
        ),
    ),
    *(
        Reading(
            "H4", HAWAIIAN, "banker free on 5 and 6", other, by_field_of(VALUE, "banker_draw_rule", sheet)
        )
        for other, sheet in (
            ("free on every total", "bicycle"),
            ("as the House, U2", "uk_1994_house"),
        )
    ),
    Reading("H5", HAWAIIAN, "a misplay is reset", "it stands", misplayed(5, Action.DRAW)),
    Reading("H5", HAWAIIAN, "a misplay is reset", "it stands", misplayed(6, Action.STAND)),
    Reading(
        "H6",
        HAWAIIAN,
        "an exposed banker keeps his choice",
        "he too plays the logical way",
        by_rule(VALUE, logical_value),
    ),
    Reading("H7", HAWAIIAN, "a misdeal is dealt again, new dice", "the hand is off", RARE),
    Reading(
        "H11",
        HAWAIIAN,
        "moved late, 5 that drew keeps its card",
        "late_move_5_6 new_box",
        misplayed(5, Action.DRAW),
    ),
    Reading(
        "H11",
        HAWAIIAN,
        "moved late, 6 that stood keeps its cards",
        "late_move_5_6 new_box",
        misplayed(6, Action.STAND),
    ),
    Reading(
        "H13",
        HAWAIIAN,
        "wagers close before the deal",
        "may be taken back till hands are set",
        by_rule(VALUE, with_wager_taken_back),
    ),
    Reading(
        "H14",
        HAWAIIAN,
        "a fouled hand's wager goes to the banker",
        "it is returned",
        fixed("result of a fouled hand", -1, 0),
    ),
    Reading(
        "H15",
        HAWAIIAN,
        "reported in time: the hand is void",
        "it is fouled all the same",
        fixed("result of a hand reported in time", 0, -1),
    ),
)
"""In the order of the clauses of the California sheets."""
