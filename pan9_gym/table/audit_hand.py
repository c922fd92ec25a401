"""What an audit knows of the hand it is in: its banker, wagers, cards and faults, as the log says them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pan9_gym.rules.cards import Card, parse_card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.terms import Action, Role
from pan9_gym.table.config import TableConfig
from pan9_gym.table.seating import clockwise_from

Data = Mapping[str, Any]


@dataclass
class AuditedHand:
    """One hand, as far as the log has come.

    Attributes:
        number: Its number.
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
        chosen: Places whose hands have moved, in order.
        flows: What everybody has won in it.
    """

    number: int = 0
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
    chosen: list[int] = field(default_factory=list)
    flows: dict[str, Fraction] = field(default_factory=dict)

    @property
    def base_wagers(self) -> list[Data]:
        """Wagers on hands."""
        return [wager for wager in self.wagers if wager["bet"] is None]

    @property
    def places(self) -> tuple[int, ...]:
        """Places of players' hands in draw order."""
        own = [wager["place"] for wager in self.wagers if wager["circle"] == 1 and wager["bet"] is None]
        return clockwise_from((self.banker_place + 1) % 8, own)

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
        return order[len(self.chosen)] if len(self.chosen) < len(order) else None

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
            self.chosen = []
        elif data["fault"] == "wrong_number":
            self.fouls_found.add(data["place"])
            if not data["reported"]:
                self.fouled[data["place"]] = "wrong_number"
            elif config.reported_foul == "void":
                self.void.add(data["place"])
        elif data["fault"] in ("fouled", "touched_wager") and data["forfeits"]:
            self.fouled.setdefault(data["place"], data["fault"])
        elif data["fault"] == "fouled":
            self.void.add(data["place"])

    def note_choice(self, data: Data) -> str | None:
        """A move; what must stand there where it is not its turn or the rules do not allow it."""
        place = self.next_to_choose
        self.chosen.append(data["place"])
        if data["place"] != place:
            return f"the move of the hand at place {place}"
        is_banker = place == self.banker_place
        if self.rules.banker_tableau and is_banker:
            return None
        role = Role.BANKER if is_banker else Role.PLAYER
        first = cards_of(self.cards[data["place"]][: self.rules.num_initial_cards])
        if len(first) < self.rules.num_initial_cards:
            return None  # H7: found when the banker's hand is opened
        legal = legal_actions(self.rules, role, hand_total(card_values(self.rules, first)))
        words = {Action.STAND: "stand", Action.DRAW: "draw"}
        allowed = [words[action] for action in legal]
        return None if data["action"] in allowed else f"one of the moves {', '.join(allowed)}"

    def note_settled(self, data: Data) -> None:
        """Whether a hand has won."""
        if data["bet"] is None and data["payoff"] is not None and Fraction(data["payoff"]) > 0:
            self.opposing_hand_won = True


def cards_of(texts: Iterable[str]) -> tuple[Card, ...]:
    """Cards from their texts."""
    return tuple(map(parse_card, texts))
