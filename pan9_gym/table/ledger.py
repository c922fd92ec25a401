"""What a session came to for everybody, from its log alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from pan9_gym.rules.cover import Cover, used_cover
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.fields import read_fraction
from pan9_gym.table.config import TableConfig
from pan9_gym.table.log import HEADER, UNUSABLE, open_log, shortened
from pan9_gym.table.seating import ROOM


@dataclass
class SeatAccount:
    """One participant's session. Money is in chips; what somebody loses is less than 0.

    Attributes:
        hands_played: Dealt hands on which he had a wager on a hand.
        hands_banked: Dealt hands that he banked.
        offers_refused: Offers of the bank that he refused.
        wagered: His wagers on hands that were dealt.
        as_player: What those won or lost.
        as_banker: What wagers on hands won or lost him as banker.
        side_bets: What side bets won or lost, his own and those against him.
        collections: What the room took, less what it gave back.
        stakes: His stakes as banker.
        cover_used: Of each stake, the most that was used up at a moment of the settlement (T3): under `gross`
            the amounts of all wagers that were won or lost, or what they are paid where that is more, with
            `push_uses_cover` pushes too; under `net` what was paid less what was collected before, at its
            highest; under `unlimited` there is no stake.
        returned: The part of his wagers, side bets too, that came back for lack of cover.
        net: What he has won in all.
    """

    hands_played: int = 0
    hands_banked: int = 0
    offers_refused: int = 0
    wagered: Fraction = Fraction(0)
    as_player: Fraction = Fraction(0)
    as_banker: Fraction = Fraction(0)
    side_bets: Fraction = Fraction(0)
    collections: Fraction = Fraction(0)
    stakes: Fraction = Fraction(0)
    cover_used: Fraction = Fraction(0)
    returned: Fraction = Fraction(0)
    net: Fraction = Fraction(0)

    def to_dict(self) -> dict[str, Any]:
        """By the attributes' names."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


@dataclass
class Ledger:
    """Everybody's session, added up line by line.

    Attributes:
        seats: By participant.
        fees: What the room has got.
        num_hands: Hands begun.
        num_dealt: Hands dealt.
    """

    seats: dict[str, SeatAccount] = field(default_factory=dict)
    fees: Fraction = Fraction(0)
    num_hands: int = 0
    num_dealt: int = 0
    _bettors: set[str] = field(default_factory=set)
    _banker: str = ""
    _stake: Fraction = Fraction(0)
    _used: Fraction = Fraction(0)
    _most_used: Fraction = Fraction(0)
    _cover: Cover = Cover.GROSS
    _pushes_use: bool = False

    @property
    def balance(self) -> Fraction:
        """Everybody's net and the room's fees: zero."""
        return sum((seat.net for seat in self.seats.values()), self.fees)

    def add(self, data: Mapping[str, Any]) -> None:
        """Take a line of the log."""
        kind = data["event"]
        if kind == HEADER:
            self._open(TableConfig.model_validate(data["table"]))
        elif kind == "hand_begins":
            self._bettors, self._banker, self._stake = set(), "", Fraction(0)
            self._used = self._most_used = Fraction(0)
            self.num_hands += 1
        elif kind == "bank_refused":
            self.seats[data["by"]].offers_refused += 1
        elif kind == "bank_accepted":
            self._banker = data["by"]
        elif kind == "house_takes_bank":
            self._stake = Fraction(0)
        elif kind == "stake":
            self._stake = read_fraction(data["amount"])
        elif kind == "transfer":
            self._transfer(data)
        elif kind == "settled":
            self._settled(data)
        elif kind == "hand_over" and data["dealt"]:
            self._dealt()

    def _open(self, table: TableConfig) -> None:
        self.seats = {name: SeatAccount() for name in table.participants}
        self._cover, self._pushes_use = table.cover, table.push_uses_cover

    def _dealt(self) -> None:
        self.num_dealt += 1
        banker = self.seats[self._banker]
        banker.hands_banked += 1
        banker.stakes += self._stake
        banker.cover_used += self._most_used
        for bettor in self._bettors:
            self.seats[bettor].hands_played += 1

    def _transfer(self, data: Mapping[str, Any]) -> None:
        amount = read_fraction(data["amount"])
        for name, change in ((data["source"], -amount), (data["target"], amount)):
            if name == ROOM:
                self.fees += change
                continue
            self.seats[name].net += change
            if data["reason"] != "wager":
                self.seats[name].collections -= change

    def _settled(self, data: Mapping[str, Any]) -> None:
        net, covered, amount = (
            read_fraction(data["net"]),
            read_fraction(data["covered"]),
            read_fraction(data["amount"]),
        )
        own, other = self.seats[data["by"]], self.seats[data["against"]]
        if data["payoff"] is not None:
            own.returned += amount - covered
            if self._stake and data["against"] == self._banker:
                self._used += covered * used_cover(
                    read_fraction(data["payoff"]), self._cover, self._pushes_use
                )
                self._most_used = max(self._most_used, self._used)
        if data["bet"] is None:
            self._bettors.add(data["by"])
            own.wagered += amount
            own.as_player += net
            other.as_banker -= net
        else:
            own.side_bets += net
            other.side_bets -= net


def ledger_of(path: str | Path) -> Ledger:
    """What a log says that a session came to.

    Raises:
        ConfigError: If it is no log, or damaged; naming the line.
    """
    reader, ledger = open_log(path), Ledger()
    ledger.add({"event": HEADER, "table": reader.header.table})
    for number, text in reader.lines():
        data = reader.parse(number, text)
        try:
            ledger.add(data)
        except UNUSABLE as error:
            said = shortened(f"{type(error).__name__}: {error}")
            raise ConfigError(f"{path}: line {number}: is of no use ({said}): {shortened(text)}") from None
    return ledger
