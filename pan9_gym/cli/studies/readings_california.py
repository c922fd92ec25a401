"""Readings that the California sheets share, in the order of the clauses."""

from __future__ import annotations

from fractions import Fraction

from pan9_gym.cli.studies.reading_cover import (
    AT_THE_TABLE,
    BY_DICE,
    at_the_left,
    banker_under_cover,
)
from pan9_gym.cli.studies.reading_values import (
    FULL_TABLE,
    PENETRATION,
    SEATS,
    TABLE,
    VALUE,
    Measure,
    Reading,
    by_field,
    collections_lost,
    ev_of_a_seat,
    fixed,
    game_value,
    hands_to_the_cut,
    nothing,
    ways,
    ways_of_two_dice,
)
from pan9_gym.rules.cover import action_seat_probs

CALIFORNIA = ("bicycle", "bicycle_bonus", "hawaiian_gardens")
NOT_BONUS = ("bicycle", "hawaiian_gardens")
NOT_BICYCLE = ("bicycle_bonus", "hawaiian_gardens")
BICYCLE, BONUS, HAWAIIAN = (("bicycle",), ("bicycle_bonus",), ("hawaiian_gardens",))

SEATED = "an argument; `pan9 study seats` values 1 to 7"

FULL = action_seat_probs(FULL_TABLE)
OTHER_DICE = [Fraction(way, ways(1, 2, 3, 4)) for way in (ways(1, 2), ways(3), ways(4))]
"""The chances of each of three seats if an empty one is thrown again."""


def first_settled(num_players: int, taken: Fraction, other: Fraction) -> Measure:
    """Two readings of the dice by the chance of the seat at the banker's left."""
    quantity = f"first settled, {num_players} players"
    return fixed(quantity, taken, other, "the chance of the seat at the banker's left")


def banker_with(cover: str, push_uses_cover: bool = False) -> Measure:
    """`gross` cover against another reading of it, for a stake of 1."""
    return Measure(
        "banker's EV, stake 1",
        banker_under_cover(),
        banker_under_cover(cover, push_uses_cover),
        f"{AT_THE_TABLE}, his stake is 1",
    )


def part_returned() -> Measure:
    """A part-covered wager returned whole: a stake of 3/2 then does as much as one of 1, wagers being 1."""
    stake = Fraction(3, 2)
    return Measure(
        "banker's EV, stake 3/2",
        banker_under_cover(stake=stake),
        banker_under_cover(stake=Fraction(1)),
        f"{AT_THE_TABLE}, his stake is 3/2",
    )


TURNS = (
    Reading("C2", HAWAIIAN, "12 packs", "8 packs", by_field(VALUE, num_decks=8), "num_decks"),
    Reading(
        "T1",
        CALIFORNIA,
        "the stake is laid before the wagers",
        "after them",
        "what it covers counts, not when; amounts are arguments",
    ),
    Reading(
        "T1",
        CALIFORNIA,
        "collection kept without cover",
        "returned",
        Measure(
            "collections lost",
            collections_lost,
            nothing,
            "by the 2nd of 2 players if the banker's stake covers one wager; all play the logical way",
        ),
    ),
)

DICE = (
    Reading(
        "T2",
        NOT_BONUS,
        "empty seat: count moves on",
        "thrown again",
        first_settled(SEATS, BY_DICE[0], OTHER_DICE[0]),
    ),
    Reading(
        "T2",
        NOT_BONUS,
        "empty seat: count moves on",
        "thrown again",
        at_the_left(BY_DICE, OTHER_DICE),
    ),
    Reading(
        "T2",
        CALIFORNIA,
        "banker: count moves on",
        "thrown again",
        first_settled(FULL_TABLE, FULL[0], Fraction(ways(2), 216 - ways(1))),
    ),
    Reading(
        "T2",
        NOT_BONUS,
        "three dice",
        "two dice",
        first_settled(FULL_TABLE, FULL[0], Fraction(ways_of_two_dice(1, 2), 36)),
    ),
    Reading(
        "T2",
        BICYCLE,
        "dealing begins at the action seat",
        "at the banker's left",
        "a shuffled shoe deals alike wherever it begins",
    ),
    Reading("T2", NOT_BICYCLE, "up to seven players", "any other number", SEATED, "max_players"),
)

COVER = (
    Reading("T3", CALIFORNIA, "cover gross", "net", banker_with("net")),
    Reading("T3", CALIFORNIA, "cover gross", "unlimited", banker_with("unlimited")),
    Reading("T3", CALIFORNIA, "cover gross", "push_uses_cover true", banker_with("gross", True)),
    Reading(
        "T3",
        CALIFORNIA,
        "settled from action seat",
        "from the left",
        at_the_left(BY_DICE, [Fraction(1), Fraction(0), Fraction(0)]),
    ),
    Reading(
        "T3",
        BICYCLE,
        "circle 1 settled before 2",
        "circle 2 first",
        Measure(
            "EV of circle 2, stake 1",
            nothing,
            game_value,
            "of its unit beside circle 1's unit on the only hand; whichever is first uses the stake up",
        ),
    ),
    Reading("T3", CALIFORNIA, "part-covered: it plays", "it returns whole", part_returned()),
)

PLAY = (
    *(
        Reading(
            "T4",
            CALIFORNIA,
            "banker_sees choice",
            f"banker_sees {seen}",
            by_field(VALUE, banker_sees=seen),
            "banker_sees",
        )
        for seen in ("nothing", "card")
    ),
    Reading(
        "T4",
        CALIFORNIA,
        "choices in_turn",
        "choices simultaneous",
        by_field(TABLE, choices="simultaneous"),
        "choices",
    ),
    Reading(
        "T5",
        CALIFORNIA,
        "occupied seats are dealt",
        "deal_empty_seats",
        Measure(
            "hands to the cut card",
            hands_to_the_cut(False),
            hands_to_the_cut(True),
            f"{PENETRATION} of the shoe over the mean cards of a hand; {AT_THE_TABLE}",
        ),
    ),
    Reading("T6", CALIFORNIA, "payout 1", "payout 19/20", by_field(VALUE, payout="19/20"), "payout"),
    Reading(
        "T7",
        NOT_BONUS,
        "one hand a turn, or up to two",
        "the other number",
        "if nobody refuses, everybody banks equally often",
    ),
    Reading(
        "T7",
        HAWAIIAN,
        "players bank in turn",
        "bank house",
        Measure(
            "EV of a seat",
            ev_of_a_seat(house_banks=False),
            ev_of_a_seat(house_banks=True),
            f"mean of a hand over all seats, {SEATS} players who wager 1 against the bank",
        ),
        "bank",
    ),
    Reading(
        "T7",
        NOT_BONUS,
        "all refuse: no hand is dealt",
        "somebody must bank",
        Measure("value to the banker", nothing, TABLE.of, TABLE.note),
    ),
    Reading(
        "T7",
        NOT_BONUS,
        "a round of refusals ends it all",
        "the offer goes on",
        "no money moves; who accepts later is his own choice",
    ),
)

CALIFORNIA_READINGS = (*TURNS, *DICE, *COVER, *PLAY)
