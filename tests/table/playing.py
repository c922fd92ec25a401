"""Tables in tests: legal decisions at random, worked scenarios, and what they left in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from pan9_gym.rules import RulesConfig
from pan9_gym.table import (
    Decision,
    Event,
    Fault,
    ListedFaults,
    Phase,
    Request,
    StackedDice,
    StackedTableShoe,
    Table,
    new_table,
    table_config,
)
from pan9_gym.table.requests import Amounts

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
CALIFORNIA = SHEETS[:3]
NOTHING: Mapping[str, Any] = {}


def sum_within(allowed: Amounts, rng: np.random.Generator) -> Any:
    if allowed.or_none and rng.random() < 0.3:
        return 0
    if allowed.least == allowed.most:
        return allowed.least
    return int(rng.integers(allowed.least, (allowed.most or 40) + 1))


def random_value(request: Request, rng: np.random.Generator) -> Any:
    """A legal answer."""
    if request.options:
        if request.phase is Phase.BANK and rng.random() < 0.8:
            return "accept"
        return request.options[int(rng.integers(len(request.options)))]
    sums = {name: sum_within(allowed, rng) for name, allowed in request.amounts.items()}
    if request.phase is Phase.STAKE:
        return sums["stake"]
    if request.phase is Phase.WAGER:
        base = sums.pop("base")
        return {"base": base, "side": sums if base else {}}
    parts: dict[str, dict[str, Any]] = {}
    for name, amount in sums.items():
        part, _, seat = name.partition(" ")
        parts.setdefault(part, {})[seat] = amount
    return parts


def play_at_random(table: Table, rng: np.random.Generator) -> list[Event]:
    """A hand of random legal decisions."""
    events = table.begin_hand()
    while table.pending is not None:
        request = table.pending
        events += table.decide(Decision(request.participant, request.phase, random_value(request, rng)))
    return events


class Scenario:
    """A table with stacked cards, dice and faults, played by answers that a test lists.

    Args:
        rules: The sheet.
        cards: One text of cards per shoe.
        dice: The throws; a throw of 2 counts to the banker's left.
        faults: What goes wrong.
        **fields: Fields of the table.
    """

    def __init__(
        self,
        rules: str | RulesConfig,
        *cards: str,
        dice: Iterable[tuple[int, ...]] = ((1, 1),) * 9,
        faults: Iterable[Fault] = (),
        **fields: Any,
    ) -> None:
        fields = {"limits": {"least": 1, "most": 100}, **fields}
        self.table = new_table(
            table_config(rules, **fields),
            np.random.default_rng(1),
            shoe=StackedTableShoe(*cards),
            dice=StackedDice(*dice),
            faults=ListedFaults(faults),
        )
        self.events: list[Event] = []
        self.asked: list[tuple[str, str]] = []
        self.requests: list[Request] = []
        self.net: dict[str, Any] = {}

    def play(
        self,
        wagers: Mapping[str, Any] = NOTHING,
        moves: Mapping[str, str] = NOTHING,
        *,
        stake: int = 1000,
        bank: Mapping[str, str] = NOTHING,
        others: Mapping[str, Any] = NOTHING,
        top_up: str = "decline",
    ) -> Scenario:
        """One hand.

        Args:
            wagers: By participant, a sum or what phase "wager" takes; who is missing sits out.
            moves: By participant; who is missing stands where he may.
            stake: The banker's.
            bank: Who does not accept.
            others: What phase "others" takes, by participant.
            top_up: The banker's answer.
        """
        self.events = self.table.begin_hand()
        self.asked, self.requests = [], []
        while self.table.pending is not None:
            request = self.table.pending
            who = request.participant
            wager = wagers.get(who, 0)
            value = {
                Phase.BANK: bank.get(who, "accept"),
                Phase.STAKE: stake,
                Phase.WAGER: {"base": wager} if isinstance(wager, int) else wager,
                Phase.OTHERS: others.get(who, {}),
                Phase.TOP_UP: top_up,
                Phase.DRAW: moves.get(who, request.options[0] if request.options else ""),
            }[request.phase]
            self.asked.append((who, request.phase.value))
            self.requests.append(request)
            self.events += self.table.decide(Decision(who, request.phase, value))
        self.net = dict(self.events[-1].data["net"])
        assert sum(map(Fraction, self.net.values())) == 0
        return self

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The particulars of all events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def kinds(self) -> list[str]:
        """The kinds of all events in order, decisions left out."""
        return [event.kind for event in self.events if event.kind != "decision"]

    def hands(self) -> dict[str, str]:
        """The final hands by participant, as ranks."""
        return {hand["by"]: " ".join(card[:-1] for card in hand["cards"]) for hand in self.of("hand_opened")}

    def totals(self) -> dict[str, int]:
        """The final totals by participant."""
        return {hand["by"]: hand["total"] for hand in self.of("hand_opened")}

    def covered(self) -> dict[str, Any]:
        """The part played for of each wager on a hand, by its bettor."""
        return {row["by"]: row["covered"] for row in self.of("settled") if row["bet"] is None}

    def who_drew(self, phase: str = "draw") -> list[str]:
        """Who was asked in a phase, in order."""
        return [who for who, asked in self.asked if asked == phase]
