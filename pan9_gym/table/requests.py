"""What a participant is asked, what he may know, and what he may answer.

A `Decision` is refused with one `ValueError`, and before anything at the table has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pan9_gym.rules.cards import Card


class Phase(StrEnum):
    """What is asked.

    BANK: to bank the next hand, "accept" or "refuse" (U4, B2, S1).
    STAKE: the banker's stake, a whole number of chips (T3).
    WAGER: the wager on the own hand and side bets on it,
        `{"base": 5, "side": {"dragon": 1}}`; `{"base": 0}` sits out (T1).
    OTHERS: wagers on other hands, `{"back": {"seat_3": 5}, "tie": {"seat_2": 1}}` (B8, U10),
        and `{"both": 5}` where it is on offer (R1).
    TOP_UP: whether a player-banker asks the House to wager, "ask" or "decline" (U11).
    DRAW: "stand", "draw" or "logical_way" (B4, H2, H5).
    """

    BANK = "bank"
    STAKE = "stake"
    WAGER = "wager"
    OTHERS = "others"
    TOP_UP = "top_up"
    DRAW = "draw"


MOST_CHIPS = 10**18
"""The largest sum that is taken where the rules have no limit; JSON readers keep such numbers."""

ACCEPT, REFUSE = "accept", "refuse"
ASK, DECLINE = "ask", "decline"
LOGICAL = "logical_way"


@dataclass(frozen=True)
class Amounts:
    """Sums that may be wagered, in whole chips unless there is only one.

    Attributes:
        least: The least.
        most: The most; `None` where there is no limit (T3: the banker's stake) but `MOST_CHIPS`.
        or_none: Whether 0 is allowed too.
    """

    least: Any
    most: Any
    or_none: bool = True

    @property
    def words(self) -> str:
        """What is allowed."""
        most = ", with no limit" if self.most is None else f" to {self.most}"
        return f"{'0 or ' if self.or_none else ''}a whole number of chips from {self.least}{most}"


@dataclass(frozen=True)
class View:
    """What the participant may know when he is asked.

    Attributes:
        banker: Who banks the hand; empty while the bank is offered.
        stake: The banker's stake, once placed.
        wagers: What has been wagered so far, as the events say it.
        exposed: Cards that lie face up, by participant (H8).
        unseen: Cards of each point value, lowest first, that have not been shown since the last shuffle;
            the participant's own hand is not taken off.
        place: The place of the hand to be played; it is not his own where he backs it with most (B8).
        seat: The hand's number in draw order, 0 at the banker's left; `num_players` for the banker.
        num_players: Hands against the banker.
        cards: The hand.
        choices: The choices he sees, as tokens.
        info_state: The number of his information state (`game.info_state`); exposed cards are not in it.
    """

    banker: str = ""
    stake: Any = None
    wagers: tuple[Mapping[str, Any], ...] = ()
    exposed: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    unseen: tuple[int, ...] = ()
    place: int | None = None
    seat: int | None = None
    num_players: int = 0
    cards: tuple[Card, ...] = ()
    choices: tuple[str, ...] = ()
    info_state: int | None = None


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes:
        participant: Who is asked.
        phase: What is asked.
        options: The legal answers where they are words.
        amounts: The legal sums: under "stake"; under "base" and the side bets' names; under "back seat_k",
            "tie seat_k" and "both".
        view: What he may know.
    """

    participant: str
    phase: Phase
    options: tuple[str, ...] = ()
    amounts: Mapping[str, Amounts] = field(default_factory=dict)
    view: View = View()


@dataclass(frozen=True)
class Decision:
    """One answer.

    Attributes:
        participant: Who answers.
        phase: To what, such as "draw".
        value: The answer, as `Phase` says; what JSON can hold.
    """

    participant: str
    phase: Phase | str
    value: Any


def check(request: Request | None, decision: Decision) -> Any:
    """The checked value of a decision.

    Raises:
        ValueError: Naming the field, the value and what is allowed.
    """
    if not isinstance(decision, Decision):
        raise ValueError(f"decision {decision!r}: must be a Decision")
    if request is None:
        raise ValueError(f"decision {decision.value!r} by {decision.participant!r}: nobody is asked now")
    if not isinstance(decision.participant, str) or decision.participant != request.participant:
        raise ValueError(
            f"participant {decision.participant!r}: is not to act; allowed is {request.participant!r}, "
            f"who is asked for phase {request.phase.value!r}"
        )
    if not isinstance(decision.phase, str) or decision.phase != request.phase:
        raise ValueError(
            f"phase {str(decision.phase)!r}: is not now; {request.participant!r} is asked for "
            f"{request.phase.value!r}"
        )
    if request.options:
        return _option(request, decision.value)
    if request.phase is Phase.STAKE:
        return _amount("stake", decision.value, request.amounts["stake"])
    parts = ("base", "side") if request.phase is Phase.WAGER else ("both", "back", "tie")
    return _wagers(request, decision.value, parts)


def _option(request: Request, value: Any) -> str:
    if not isinstance(value, str) or value not in request.options:
        raise ValueError(
            f"{request.phase.value} {value!r}: is not legal for {request.participant!r}; "
            f"allowed: {', '.join(request.options)}"
        )
    return value


def _amount(name: str, value: Any, allowed: Amounts) -> Any:
    if allowed.least == allowed.most and not isinstance(allowed.least, int):
        fits = value == allowed.least  # a sum that is no whole number of chips, as its text
    else:
        fits = type(value) is int and value >= allowed.least
        fits = fits and value <= (MOST_CHIPS if allowed.most is None else allowed.most)
    if fits or (allowed.or_none and value == 0 and type(value) is int):
        return value
    given = repr(value) if type(value) is not int or abs(value) <= MOST_CHIPS else "of more than 10**18"
    raise ValueError(f"{name} {given}: must be {allowed.words}")


ONE_SUM = frozenset({"base", "both"})
"""Parts of an answer that are a sum, not a mapping from names to sums."""


def _wagers(request: Request, value: Any, parts: tuple[str, ...]) -> dict[str, Any]:
    """Checked wagers by the names of `amounts`, without those of 0."""
    if not isinstance(value, Mapping) or not set(value) <= set(parts):
        raise ValueError(
            f"{request.phase.value} {value!r}: must be a mapping; keys allowed: {', '.join(parts)}"
        )
    named: dict[str, Any] = {}
    for part in parts:
        given = value.get(part, 0 if part in ONE_SUM else {})
        if part in ONE_SUM:
            named[part] = _amount(part, given, request.amounts.get(part, Amounts(0, 0)))
        elif not isinstance(given, Mapping):
            raise ValueError(f"{part} {given!r}: must be a mapping from names to whole chips")
        else:
            named |= _named_sums(request, part, given)
    if (
        "base" in named
        and not named["base"]
        and any(amount for key, amount in named.items() if key != "base")
    ):
        raise ValueError(f"side {value['side']!r}: needs a base wager (S9); base is 0")
    return {key: amount for key, amount in named.items() if amount}


def _named_sums(request: Request, part: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    prefix = "" if part == "side" else f"{part} "
    known = [name for name in request.amounts if name.startswith(prefix) and name not in ONE_SUM]
    for name in given:
        if f"{prefix}{name}" not in known:
            raise ValueError(f"{part} {name!r}: is not on offer; allowed: {', '.join(known) or 'none'}")
    sums = {f"{prefix}{name}": amount for name, amount in given.items()}
    return {key: _amount(key, sums[key], request.amounts[key]) for key in known if key in sums}
