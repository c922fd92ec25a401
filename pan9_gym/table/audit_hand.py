"""What an audit knows of the hand it is in: its banker, wagers, cards and faults, as the log says them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pan9_gym.policies.named import LOGICAL_WAY
from pan9_gym.rules.cards import Card, parse_card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.terms import Action, Role
from pan9_gym.table.config import TableConfig
from pan9_gym.table.requests import LOGICAL
from pan9_gym.table.seating import HOUSE, left_of

Data = Mapping[str, Any]

MOVES = {Action.STAND: "stand", Action.DRAW: "draw"}
"""The words of the moves."""


@dataclass
class AuditedHand:
    """One hand, as far as the log has come.

    Attributes:
        number: Its number.
        tied_circles: Which of equal wagers on a hand decides (B8).
        rules: The rules by who banks.
        banker: Who banks.
        banker_place: Where he sits.
        stake: His stake; `None` without a limit.
        turn_used: Whether it counts as the bank turn of whoever was offered the bank.
        wagers: All wagers, as the log has them.
        collected: Collections as (payer, the place they are for, amount).
        action: Where settlement begins; -1 for the banker's left.
        cards: Each place's cards.
        fouled: Places whose wagers are forfeited, with the reason.
        void: Places whose wagers are returned.
        fouls_found: Places whose cards are wrong in number.
        settling: Whether the settlement has begun.
        opposing_hand_won: Whether a wager on a hand has won.
        moves: What the hands have done by place, in order.
        decided: A decision of the draw whose move is still to come.
        misplayed: Places whose logical way the house dealer has played wrongly so far (H5).
        banker_shown: Whether the banker's hand was exposed too early (H6).
        flows: What everybody has won in it.
    """

    number: int = 0
    tied_circles: str = "lower"
    rules: RulesConfig = field(default_factory=RulesConfig)
    banker: str = ""
    banker_place: int = -1
    stake: Fraction | None = None
    turn_used: bool = True
    wagers: list[Data] = field(default_factory=list)
    collected: list[tuple[str, int, Fraction]] = field(default_factory=list)
    action: int = -1
    cards: dict[int, list[str]] = field(default_factory=dict)
    fouled: dict[int, str] = field(default_factory=dict)
    void: set[int] = field(default_factory=set)
    fouls_found: set[int] = field(default_factory=set)
    settling: bool = False
    opposing_hand_won: bool = False
    moves: dict[int, str] = field(default_factory=dict)
    decided: str | None = None
    misplayed: set[int] = field(default_factory=set)
    banker_shown: bool = False
    flows: dict[str, Fraction] = field(default_factory=dict)

    @property
    def base_wagers(self) -> list[Data]:
        """Wagers on hands."""
        return [wager for wager in self.wagers if wager["bet"] is None]

    @property
    def places(self) -> tuple[int, ...]:
        """Places of players' hands in draw order."""
        own = [wager["place"] for wager in self.wagers if wager["circle"] == 1 and wager["bet"] is None]
        return left_of(self.banker_place, own)

    def owner(self, place: int) -> str:
        """Who has the hand at a place."""
        if place == self.banker_place:
            return self.banker
        return str(
            next(wager["by"] for wager in self.wagers if (wager["place"], wager["circle"]) == (place, 1))
        )

    @property
    def next_to_choose(self) -> int | None:
        """The place of the hand that moves next; `None` after the banker's."""
        order = (*filter(self.plays, self.places), self.banker_place)
        return order[len(self.moves)] if len(self.moves) < len(order) else None

    def forfeit(self, wager: Data) -> str | None:
        """Why a wager is forfeited; who touches his wager forfeits that one alone (H13, H14)."""
        reason = self.fouled.get(wager["place"])
        if reason == "touched_wager" and (wager["bet"] is not None or wager["circle"] != 1):
            return None
        return reason

    def plays(self, place: int) -> bool:
        """Whether a player's hand was in play to the end."""
        return place not in self.fouls_found

    def total(self, place: int) -> int:
        """The total of a place's cards."""
        return hand_total(card_values(self.rules, cards_of(self.cards[place])))

    def note(self, data: Data, config: TableConfig) -> None:
        """Cards and faults."""
        kind = data["event"]
        if kind == "card":
            self.cards.setdefault(data["place"], []).append(data["card"])
        elif kind == "card_removed":
            cards = self.cards[data["place"]]
            del cards[len(cards) - 1 - cards[::-1].index(data["card"])]  # a draw card: the last such
        elif kind == "misdeal":
            self.cards, self.fouled, self.void, self.fouls_found = {}, {}, set(), set()
            self.moves, self.misplayed, self.decided, self.banker_shown = {}, set(), None, False
            self.action = -1
        else:
            self._note_fault(data["fault"], data, config)

    def _note_fault(self, fault: str, data: Data, config: TableConfig) -> None:
        if fault == "banker_exposed":
            self.banker_shown = True
        elif fault == "misplayed":
            self.misplayed.discard(data["place"])
        elif fault == "wrong_number":
            self.fouls_found.add(data["place"])
            if not data["reported"]:
                self.fouled[data["place"]] = fault
            elif config.reported_foul == "void":
                self.void.add(data["place"])
        elif fault in ("fouled", "touched_wager") and data["forfeits"]:
            self.fouled.setdefault(data["place"], fault)
        elif fault == "fouled":
            self.void.add(data["place"])

    def decider(self, place: int) -> str:
        """Who plays a hand: the largest wager on it, then the circle (B8)."""
        if place == self.banker_place:
            return self.banker
        on_it = [wager for wager in self.base_wagers if wager["place"] == place]
        way = -1 if self.tied_circles == "lower" else 1
        largest = max(on_it, key=lambda wager: (read_fraction(wager["amount"]), way * wager["circle"]))
        return str(largest["by"])

    def note_decision(self, data: Data, config: TableConfig) -> str | None:
        """An answer of the draw; what must stand there where it may not be given."""
        place = self.next_to_choose
        if place is None:
            return "no decision: all hands have moved"
        legal = self._legal(place)
        if self._unasked(place, legal, config) is not None:
            return f"the move of the hand at place {place}, which is not asked"
        options = (*legal, LOGICAL) if config.logical_way and place != self.banker_place else legal
        if data["by"] != self.decider(place) or data["value"] not in options:
            return f"a decision by {self.decider(place)!r}, one of {', '.join(options)}"
        self.decided = data["value"]
        return None

    def note_choice(self, data: Data, config: TableConfig) -> str | None:
        """A move; what must stand there where it does not follow from the decision or is not allowed."""
        place = self.next_to_choose
        if place is None or data["place"] != place:
            return f"the move of the hand at place {place}"
        decided, self.decided = self.decided, None
        self.moves[place] = data["action"]
        legal = self._legal(place)
        how = self._unasked(place, legal, config)
        if decided is not None:
            how = LOGICAL if decided == LOGICAL else "free"
        if how is None:
            return f"a decision by {self.decider(place)!r}"
        allowed = legal if decided in (None, LOGICAL) else (decided,)
        is_bound = place == self.banker_place and self.rules.banker_tableau  # by what the replay knows
        if how == LOGICAL and not is_bound and data["action"] != self._logical(place, legal):
            self.misplayed.add(place)
            if place == self.banker_place or not config.faults.misplayed:
                allowed = (self._logical(place, legal),)
        if (data["by"], data["how"]) != (self.decider(place), how) or data["action"] not in allowed:
            return f"the move {' or '.join(map(str, allowed))} by {self.decider(place)!r}, {how}"
        return None

    def _unasked(self, place: int, legal: tuple[str, ...], config: TableConfig) -> str | None:
        """How a hand moves whose player is not asked; `None` where he is."""
        is_banker = place == self.banker_place
        if self.banker_shown and (not is_banker or config.exposed_banker == LOGICAL):
            return LOGICAL  # H6
        if config.offer_forced:
            return None
        if not is_banker and self.owner(place) == HOUSE:
            return LOGICAL  # U11
        return "forced" if len(legal) == 1 or (is_banker and self.rules.banker_tableau) else None

    def _legal(self, place: int) -> tuple[str, ...]:
        """The moves that the rules allow; under a tableau, which the replay knows, both."""
        if place == self.banker_place and self.rules.banker_tableau:
            return tuple(MOVES.values())
        role = Role.BANKER if place == self.banker_place else Role.PLAYER
        return tuple(MOVES[action] for action in legal_actions(self.rules, role, self._first_total(place)))

    def _logical(self, place: int, legal: tuple[str, ...]) -> str:
        """The move of the logical way, or the one that the rules force (H5)."""
        wanted = MOVES[Action(int(self._first_total(place) in LOGICAL_WAY))]
        return wanted if wanted in legal else legal[0]

    def _first_total(self, place: int) -> int:
        first = self.cards[place][: self.rules.num_initial_cards]
        return hand_total(card_values(self.rules, cards_of(first)))

    def note_settled(self, data: Data) -> None:
        """Whether a hand has won."""
        if data["bet"] is None and data["payoff"] is not None and read_fraction(data["payoff"]) > 0:
            self.opposing_hand_won = True


def cards_of(texts: Iterable[str]) -> tuple[Card, ...]:
    """Cards from their texts."""
    return tuple(map(parse_card, texts))
