"""`TableConfig`: everything that a table adds to a rule sheet, as validated, frozen data.

Where a sheet is silent the reading taken at the table is a field with its alternatives; `sheets.table_config`
fills in what each sheet says.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, model_validator

from pan9_gym.rules.cards import SUITS
from pan9_gym.rules.config import RulesConfig, WagerLimits
from pan9_gym.rules.cover import Cover
from pan9_gym.rules.fields import Flag, Payout, read_fraction
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.table.faults import FaultRates
from pan9_gym.table.seating import HOUSE, HOUSE_PLACE, NUM_PLACES, place_of, seat_name


def _read_part(value: object) -> Fraction:
    part = read_fraction(value)
    if not 0 < part <= 1:
        raise ValueError("must be greater than 0 and at most 1")
    return part


def _read_fee(value: object) -> Fraction:
    fee = read_fraction(value)
    if fee < 0:
        raise ValueError("must be at least 0")
    return fee


def _read_places(value: object) -> tuple[int, ...]:
    places = tuple(value) if isinstance(value, list | tuple | set | frozenset | range) else ()
    known = all(type(place) is int and 0 <= place < NUM_PLACES for place in places)
    if not places or not known or len(set(places)) != len(places):
        raise ValueError(f"must be a list of different places from 0 to {NUM_PLACES - 1}")
    return tuple(sorted(places))


def _whole(least: int, most: int) -> BeforeValidator:
    def read(value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return value

    return BeforeValidator(read)


Part = Annotated[Fraction, BeforeValidator(_read_part), PlainSerializer(str)]
Fee = Annotated[Fraction, BeforeValidator(_read_fee), PlainSerializer(str)]
Places = Annotated[tuple[int, ...], BeforeValidator(_read_places)]


MOST_DEALS = 100
"""How often a hand may be dealt in the mean, for misdeals."""


class Collections(BaseModel):
    """What the room takes for a hand, flat, in chips (S5, T6).

    Attributes:
        banker: From the banker.
        player: From each player.
        back_line: From each back-line bettor, for each position; `None` is the player's, the reading of B8.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    banker: Fee = Fraction(0)
    player: Fee = Fraction(0)
    back_line: Fee | None = None


class TableConfig(BaseModel):
    """A table. Money is in chips of `chip_value` dollars; places are numbered 0 to 7 clockwise.

    Attributes:
        rules: The rule sheet, under which a player banks (or the House, with `bank: house`).
        house_rules: The sheet of the hands on which the House takes the bank from the players (U2, U5, U9).
        occupied: The places where somebody sits.
        limits: The least and the most that a player may wager (T3, B7).
        side_limits: The same for a side bet.
        chip_value: Dollars a chip; the BC bonus is in dollars (S6).
        collection: The collections (S5).
        collection_from: Who pays (T1): whoever wagers, or everybody seated before wagers are made.
        collection_returned: Whether a wager that finds no cover gets its collection back (T1).
        stake_placed: Whether the banker places his stake before the players wager, or after (T1).
        bank: Who holds the bank: always the House (R2, U4 where it does not offer the bank), the players in
            turn (B2, S1), the players and the House in turn (U4), or a player until he loses (R2).
        max_consecutive_banks: Hands in a row that one may bank (T7, S1).
        refused_rounds: After how many rounds in which all refuse the session ends (T7).
        single_wager_uses_turn: Whether a hand that the House takes over uses the player's turn (U5).
        cover: How far the banker's stake covers wagers (T3).
        push_uses_cover: Whether a wager that is returned uses its amount of the stake (T3, U11).
        side_bets_settled: Whether side bets are settled after all wagers on hands, or each with the wagers on
            its hand (S9); it matters where the stake does not cover them all.
        num_dice: Dice in the cup (T2); 0 for none: deal and settlement begin at the banker's left.
        deal_from: Where the deal begins (T2, B3): at the counted place, or at the banker's left.
        banker_count: Who gets the first card where the count falls on the banker (T2).
        deal_empty_seats: Whether hands are dealt to places without a wager and discarded (T5).
        cards_after_choices: Whether all players choose before any draw card is given (T4, S3).
        tie_bettors: Who may wager on a tie, and on whose hand (U10): players on their own, players on any,
            or the banker too.
        house_tops_up: Whether a player-banker may ask the House to wager the rest of his stake (U11).
        round_to_chips: Whether what a wager wins is paid exactly, or rounded to whole chips (U9).
        back_line: Whether others may wager on a position, in circles 2 and 3 (B8).
        tied_circles: Which of equal wagers on a position decides how it plays (B8).
        both_hands: Whether others may wager on both hands where two oppose the banker (R1).
        logical_way: Whether a player may have his hand played the logical way (H5).
        misplayed_card: Whether a hand whose card the house dealer missed gets the next card after the
            banker's, or the players' draw cards are backed up as in H10; a surplus card likewise (H5).
        exposed_banker: How the banker plays whose hand was exposed too early (H6).
        late_move_5_6: How a 5 or 6 plays that is moved to the other box late (H11).
        penalty: What touching a wager after "all hands set" costs (H13).
        fouled_hand: Whether fouling one's hand forfeits the wagers on it, or they are returned (H14).
        reported_foul: What a wrong number of cards leads to that is reported in time (H15).
        shoe: Whether one shoe goes on to the cut card, or every hand has a fresh one.
        penetration: The part of the shoe that lies before the cut card.
        discard_part: The part of the discards that is shuffled in where the shoe runs out in the draw (H7).
        offer_forced: Whether a participant, the House too, is asked where he has one legal answer: a forced
            move, or the House's turn at the bank.
        faults: How often things go wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: RulesConfig
    house_rules: RulesConfig | None = None
    occupied: Places = tuple(range(NUM_PLACES))
    limits: WagerLimits = WagerLimits()
    side_limits: WagerLimits = WagerLimits()
    chip_value: Payout = Fraction(1)
    collection: Collections = Collections()
    collection_from: Literal["bettors", "seated"] = "bettors"
    collection_returned: Flag = False
    stake_placed: Literal["before_wagers", "after_wagers"] = "before_wagers"
    bank: Literal["house", "players", "with_house", "until_lost"] = "players"
    max_consecutive_banks: Annotated[int, _whole(1, 1000)] = 1
    refused_rounds: Annotated[int, _whole(1, 1000)] = 2
    single_wager_uses_turn: Flag = False
    cover: Cover = Cover.GROSS
    push_uses_cover: Flag = False
    side_bets_settled: Literal["after_wagers", "with_wager"] = "after_wagers"
    num_dice: Annotated[int, _whole(0, 3)] = 3
    deal_from: Literal["action", "left"] = "action"
    banker_count: Literal["banker_first", "next_seat"] = "banker_first"
    deal_empty_seats: Flag = False
    cards_after_choices: Flag = False
    tie_bettors: Literal["own", "any", "banker"] = "own"
    house_tops_up: Flag = False
    round_to_chips: Literal["exact", "down", "nearest"] = "exact"
    back_line: Flag = False
    tied_circles: Literal["lower", "higher"] = "lower"
    both_hands: Flag = False
    logical_way: Flag = False
    misplayed_card: Literal["after_banker", "backed_up"] = "after_banker"
    exposed_banker: Literal["own_choice", "logical_way"] = "own_choice"
    late_move_5_6: Literal["keep", "new_box"] = "keep"
    penalty: Literal["forfeit", "none"] = "forfeit"
    fouled_hand: Literal["forfeit", "void"] = "forfeit"
    reported_foul: Literal["void", "misdeal"] = "void"
    shoe: Literal["continuing", "fresh"] = "continuing"
    penetration: Part = Fraction(3, 4)
    discard_part: Part = Fraction(1, 2)
    offer_forced: Flag = False
    faults: FaultRates = FaultRates()

    @property
    def house_plays(self) -> bool:
        """Whether the House may bank or wager, and so has a place."""
        return self.bank in ("house", "with_house") or self.house_tops_up or self.takes_single_wagers

    @property
    def takes_single_wagers(self) -> bool:
        """Whether the House takes the bank where one opposing player has wagered (U5)."""
        return self.rules.house_banks_single_wager and self.bank != "house"

    @property
    def seats(self) -> tuple[str, ...]:
        """The seated participants, clockwise from place 0."""
        return tuple(seat_name(place) for place in self.occupied)

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody who plays, the House last."""
        return (*self.seats, HOUSE) if self.house_plays else self.seats

    @property
    def bank_order(self) -> tuple[str, ...]:
        """Who is offered the bank, clockwise."""
        if self.bank == "house":
            return (HOUSE,)
        return (*self.seats, HOUSE) if self.bank == "with_house" else self.seats

    def rules_under(self, banker: str) -> RulesConfig:
        """The rules of a hand by who banks it."""
        return self.house_rules if banker == HOUSE and self.house_rules is not None else self.rules

    @model_validator(mode="after")
    def _the_house_has_a_place(self) -> Self:
        if self.house_plays and HOUSE_PLACE in self.occupied:
            raise ValueError(
                f"occupied: names place {HOUSE_PLACE}, which the House has at this table; "
                f"allowed are 0 to {HOUSE_PLACE - 1}"
            )
        return self

    @model_validator(mode="after")
    def _hands_fit_the_rules(self) -> Self:
        bankers = 0 if self.bank == "house" else 1
        least, most = bankers + 1, self.rules.max_players + bankers
        if self.house_plays and self.bank != "house":
            most -= 1  # the House may have a hand of its own, and the players' banker one against him
        if not least <= len(self.occupied) <= most:
            raise ValueError(
                f"occupied: {len(self.occupied)} places are taken; under {self.rules.name!r} with bank "
                f"{self.bank!r} it must be {least} to {most}"
            )
        return self

    @model_validator(mode="after")
    def _the_house_banks_by_its_own_rules(self) -> Self:
        in_turn = self.bank == "with_house" or self.takes_single_wagers
        if in_turn and self.house_rules is None:
            raise ValueError("house_rules: is missing; the House may take the bank and needs its own sheet")
        if not in_turn and self.bank != "house" and self.house_rules is not None:
            raise ValueError(
                f"house_rules: {self.house_rules.name!r} is given, but with bank {self.bank!r} the House "
                f"never banks; it must be left out"
            )
        if self.house_rules is not None and self.house_rules.num_decks != self.rules.num_decks:
            raise ValueError(
                f"house_rules: has num_decks {self.house_rules.num_decks}; one shoe serves both, so it must "
                f"be {self.rules.num_decks}"
            )
        return self

    @model_validator(mode="after")
    def _hands_come_to_an_end(self) -> Self:
        hands = NUM_PLACES if self.deal_empty_seats else len(self.participants)
        number = self.rules.num_initial_cards
        deals = self.faults.deals_a_hand(hands, number, self.reported_foul == "misdeal")
        if deals > MOST_DEALS:
            raise ValueError(
                f"faults: with these rates of wrong_spot, banker_count and wrong_number a hand of {hands} is "
                f"dealt {deals:.3g} times in the mean; at most {MOST_DEALS} are allowed"
            )
        cards = hands * (number + 1) * self.faults.cards_a_card
        shoe = (self.rules.num_decks or inf) * len(self.rules.point_values) * len(SUITS)
        if cards > shoe / 2 or self.faults.cards_a_card > MOST_DEALS:
            raise ValueError(
                f"faults: with these rates of boxed and dead a hand of {hands} takes {cards:.3g} cards in "
                f"the mean; at most half a shoe of {shoe} is allowed, and {MOST_DEALS} for each that plays"
            )
        return self

    @model_validator(mode="after")
    def _two_hands_can_oppose(self) -> Self:
        player_banks = self.bank in ("players", "until_lost")
        if self.both_hands and (most := len(self.seats) - player_banks) < 2:
            raise ValueError(f"both_hands: needs two hands against the banker; there can be {most}")
        if self.both_hands and self.house_tops_up:
            raise ValueError("both_hands: is not possible with house_tops_up, whose wager is a third hand")
        return self

    @model_validator(mode="after")
    def _tie_bettors_have_a_tie_wager(self) -> Self:
        if self.tie_bettors != "own" and SideBet.TIE not in self.rules.side_bets.offered:
            raise ValueError(f"tie_bettors: {self.tie_bettors!r}, but {self.rules.name!r} has no tie wager")
        return self


def places_of(participants: tuple[str, ...]) -> tuple[int, ...]:
    """The places of participants."""
    return tuple(map(place_of, participants))
