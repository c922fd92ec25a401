"""`RulesConfig`: one rule sheet of the family of nine-point games, as validated, frozen data.

Its defaults are the default sheet, `bicycle`. A sheet is data and never a subclass: a rule that differs is a
field that differs.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from pan9_gym.rules.cards import SUITS
from pan9_gym.rules.fields import (
    Flag,
    FrozenMapping,
    InitialCards,
    NumDecks,
    Payout,
    PointValues,
    SeatCount,
    Tableau,
    Totals,
    WagerLimit,
)
from pan9_gym.rules.side_bets import NEEDS_SUITS, SideBet, SideBets
from pan9_gym.rules.terms import STAND_TOKEN, Role, Visible, draw_token

PAN_9_POINT_VALUES = FrozenMapping({"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "J": 0, "Q": 0, "K": 0})
"""Clause C1; the ranks that are missing are not in the pack."""


class DrawRule(BaseModel):
    """The totals of the first cards on which a role has no choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    must_draw: Totals = frozenset()
    must_stand: Totals = frozenset()

    @model_validator(mode="after")
    def _forces_one_move(self) -> Self:
        both = sorted(self.must_draw & self.must_stand)
        if both:
            raise ValueError(f"must_draw and must_stand both name the totals {both}; a total may be in one")
        return self


class WagerLimits(BaseModel):
    """The least and the most that one player may wager on a hand, in units, which are whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: WagerLimit = 1
    most: WagerLimit = 10

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"least {self.least} is greater than most {self.most}; it must not be")
        return self


class RulesConfig(BaseModel):
    """The rules of a nine-point game (clause ids refer to the `sources:` of the rule sheets).

    Attributes:
        name: The sheet's name; no rule, and in no fingerprint.
        num_decks: Packs in the shoe (C2); `None`, written `infinite`, means cards with replacement.
        point_values: Points of each rank in the pack (C1).
        num_initial_cards: Cards dealt to each seat before its one choice.
        player_draw_rule: Totals on which a player must draw or stand (S3).
        banker_draw_rule: Totals on which the banker must draw or stand (U2, H4).
        naturals: Totals of the first cards that end the hand at once, on either side (K1).
        banker_tableau: Where the banker never chooses: for each choice he may see, the totals on which he
            draws; on the others he stands (K3). Empty where his draw rule says what he must do.
        banker_sees: What the banker, and a player who chooses later, sees of an earlier seat (T4).
        choices: Whether a player sees the choices of the seats before it (T4).
        banker_wins_ties: Totals on which a tie loses the player's wager (S4, H1); other ties return it.
        payout: What a winning wager is paid per unit (U9).
        max_players: Hands that may play against the banker (B1, U1).
        bank: Who holds the bank (U2, U9).
        house_banks_single_wager: Whether the House takes the bank from a player when only one opposing
            player has wagered (U5).
        wager_limits: What a player may wager on a hand (T3); they change no hand, and no fingerprint.
        side_bets: Pay tables of the side bets on offer (S6-S8, U10).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "bicycle"
    num_decks: NumDecks = 12
    point_values: PointValues = PAN_9_POINT_VALUES
    num_initial_cards: InitialCards = 3
    player_draw_rule: DrawRule = DrawRule()
    banker_draw_rule: DrawRule = DrawRule()
    naturals: Totals = frozenset()
    banker_tableau: Tableau = FrozenMapping({})
    banker_sees: Visible = Visible.CHOICE
    choices: Literal["in_turn", "simultaneous"] = "in_turn"
    banker_wins_ties: Totals = frozenset()
    payout: Payout = Fraction(1)
    max_players: SeatCount = 7
    bank: Literal["house", "player"] = "player"
    house_banks_single_wager: Flag = False
    wager_limits: WagerLimits = WagerLimits()
    side_bets: SideBets = SideBets()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @model_validator(mode="after")
    def _side_bets_fit_the_hand(self) -> Self:
        paid_by_size = [bet.value for bet in self.side_bets.offered if bet in NEEDS_SUITS]
        if paid_by_size and self.num_initial_cards != 3:
            raise ValueError(
                f"side_bets {', '.join(paid_by_size)}: the pay tables are for three first cards; "
                f"num_initial_cards is {self.num_initial_cards}, allowed is 3"
            )
        return self

    @model_validator(mode="after")
    def _baccarat_has_one_player(self) -> Self:
        for field in ("naturals", "banker_tableau"):
            if getattr(self, field) and self.max_players != 1:
                raise ValueError(f"{field}: is defined for max_players 1; max_players is {self.max_players}")
        return self

    @model_validator(mode="after")
    def _naturals_leave_hands_to_play(self) -> Self:
        hands = combinations_with_replacement(self.values, self.num_initial_cards)
        if all(sum(hand) % 10 in self.naturals for hand in hands):
            raise ValueError(f"naturals: {sorted(self.naturals)} end every hand at once; one must be left")
        return self

    @model_validator(mode="after")
    def _tableau_answers_every_choice(self) -> Self:
        if not self.banker_tableau:
            return self
        if self.banker_draw_rule != DrawRule():
            raise ValueError("banker_tableau and banker_draw_rule both bind the banker; one may be given")
        seen = {
            Visible.NOTHING: set(),
            Visible.CHOICE: {STAND_TOKEN, draw_token(None)},
            Visible.CARD: {STAND_TOKEN, *map(draw_token, self.values)},
        }[self.banker_sees]
        if set(self.banker_tableau) != seen:
            raise ValueError(
                f"banker_tableau: has the choices {sorted(self.banker_tableau)}; with banker_sees "
                f"{self.banker_sees.value!r} it needs {sorted(seen)}"
            )
        return self

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, validated and with a fingerprint of its own where `update` changes fields."""
        if not update:
            return super().model_copy(deep=deep)
        fields = {field: getattr(self, field) for field in type(self).model_fields}
        return type(self).model_validate({**fields, **update})

    @property
    def with_replacement(self) -> bool:
        """Whether a dealt card goes back, so that every card has the same probabilities."""
        return self.num_decks is None

    @cached_property
    def values(self) -> tuple[int, ...]:
        """The distinct point values in the pack, lowest first: the axis `value` of counts."""
        return tuple(sorted(set(self.point_values.values())))

    @cached_property
    def initial_counts(self) -> tuple[int, ...]:
        """Cards of each point value in a full shoe, lowest value first; with replacement, in one pack."""
        ranks = Counter(self.point_values.values())
        return tuple(ranks[value] * len(SUITS) * (self.num_decks or 1) for value in self.values)

    def draw_rule(self, role: Role) -> DrawRule:
        """The forced moves of a role."""
        return self.player_draw_rule if Role(role) is Role.PLAYER else self.banker_draw_rule

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every field but the name and the limits: equal where hands and what they pay are equal.

        Rules of baccarat that a sheet does not use are left out: sheets without them keep the fingerprint
        that saved policies bear.
        """
        data = self.model_dump(mode="json", exclude={"name", "wager_limits"})
        for part, field in ((data, "naturals"), (data, "banker_tableau"), (data["side_bets"], "banker_hand")):
            if not part[field]:
                del part[field]
        return fingerprint_of(data)

    def banker_holds(self, bet: SideBet) -> bool:
        """Whether the banker, not a House that lets a player bank, takes the other side of a side bet."""
        tie = self.side_bets.tie
        with_house = bet is SideBet.TIE and tie is not None and tie.against == "house"
        return not (with_house and self.bank == "player")

    def assumptions(self, num_players: int) -> tuple[str, ...]:
        """What exact values for `num_players` players against the banker take for granted."""
        cover = "full cover: the banker's stake pays every wager (T3)"
        if self.house_banks_single_wager and self.bank == "player" and num_players == 1:
            return (cover, "hypothetical: with one opposing wager the House takes the bank (U5)")
        return (cover,)


def fingerprint_of(data: dict[str, Any]) -> str:
    """A short hash of JSON data, independent of the order of its keys."""
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
