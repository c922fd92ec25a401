"""The settlement that an audit expects: hands opened, wagers settled and paid, computed from `rules`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.rules.cover import Cover, covered_wagers
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.settlement import both_hands_payoff, wager_payoff
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.table.audit_hand import AuditedHand, cards_of
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.seating import BOTH, HOUSE, ROOM, clockwise_from

Data = Mapping[str, Any]


@dataclass
class _Due:
    """A wager and what it gets per unit; `None` where it is void."""

    wager: Data
    payoff: Fraction | None
    against: str
    covered: Fraction

    @property
    def amount(self) -> Fraction:
        return read_fraction(self.wager["amount"])


def settlement(hand: AuditedHand, config: TableConfig) -> list[Data]:
    """The lines of a settlement, up to the last payment, in order."""
    order = hand.places if hand.action < 0 else clockwise_from(hand.action, hand.places)
    lines: list[Data] = []
    if any(map(hand.plays, order)):
        opened = (hand.banker_place, *(place for place in order if hand.plays(place)))
        lines += [_opened(hand, place) for place in opened]
    dues = [_due(hand, wager) for wager in _in_order(hand, order, config)]
    _cover(hand, dues, config)
    for due in dues:
        lines += _paid(hand, due, config)
    return lines


def _opened(hand: AuditedHand, place: int) -> Data:
    cards = hand.cards[place]
    data = {"place": place, "by": hand.owner(place), "cards": cards, "total": hand.total(place)}
    return {"event": "hand_opened", **data}


def _in_order(hand: AuditedHand, order: tuple[int, ...], config: TableConfig) -> list[Data]:
    """Wagers on hands, circle 1 first, then those on both; then side bets, or these hand by hand (S9)."""
    rank = {place: number for number, place in enumerate((*order, BOTH))}
    by_hand = sorted(
        hand.wagers, key=lambda wager: (rank[wager["place"]], wager["bet"] is not None, wager["circle"])
    )
    if config.side_bets_settled == "with_wager":
        return by_hand
    return sorted(by_hand, key=lambda wager: wager["bet"] is not None)


def _due(hand: AuditedHand, wager: Data) -> _Due:
    bet = None if wager["bet"] is None else SideBet(wager["bet"])
    against = hand.banker if bet is None or hand.rules.banker_holds(bet) else HOUSE
    if wager["place"] == BOTH:
        parts = [_payoff(hand, {**wager, "place": place}) for place in hand.places]
        known = [part for part in parts if part is not None]
        payoff = both_hands_payoff(known[0], known[1]) if len(known) == 2 else None
    else:
        payoff = _payoff(hand, wager)
    return _Due(wager, payoff, against, Fraction(0) if payoff is None else read_fraction(wager["amount"]))


def _payoff(hand: AuditedHand, wager: Data) -> Fraction | None:
    place = wager["place"]
    if place in hand.void:
        return None
    if hand.forfeit(wager) is not None:
        return Fraction(-1)
    totals = (hand.total(place), hand.total(hand.banker_place))
    if wager["bet"] is None:
        return wager_payoff(hand.rules, *totals)
    cards = cards_of(hand.cards[place])
    return hand.rules.side_bets.payoff(SideBet(wager["bet"]), cards, hand.rules.num_initial_cards, totals)


def _cover(hand: AuditedHand, dues: list[_Due], config: TableConfig) -> None:
    held = [due for due in dues if due.against == hand.banker and due.payoff is not None]
    if hand.stake is None or config.cover is Cover.UNLIMITED:
        return
    parts = covered_wagers(
        hand.stake,
        [due.amount for due in held],
        [due.payoff or Fraction(0) for due in held],
        range(len(held)),
        config.cover,
        config.push_uses_cover,
    )
    for due, part in zip(held, parts, strict=True):
        due.covered = part


def _paid(hand: AuditedHand, due: _Due, config: TableConfig) -> list[Data]:
    wager = due.wager
    net = _rounded(due.covered * (due.payoff or 0), config)
    settled = {
        "against": due.against,
        "covered": money(due.covered),
        "payoff": None if due.payoff is None else money(due.payoff),
        "net": money(net),
        "why": "void" if due.payoff is None else hand.forfeit(wager) or "cards",
    }
    lines: list[Data] = [{"event": "settled", **wager, **settled}]
    if net:
        source, target = (due.against, wager["by"]) if net > 0 else (wager["by"], due.against)
        lines.append(_transfer(source, target, abs(net), "wager"))
    lacks_cover = due.payoff is not None and not due.covered
    if wager["bet"] is None and lacks_cover and config.collection_returned:
        lines += [
            _transfer(ROOM, payer, amount, "collection_returned")
            for payer, place, amount in hand.collected
            if (payer, place) == (wager["by"], wager["place"])
        ]
    return lines


def _transfer(source: str, target: str, amount: Fraction, reason: str) -> Data:
    return {
        "event": "transfer",
        "source": source,
        "target": target,
        "amount": money(amount),
        "reason": reason,
    }


def _rounded(net: Fraction, config: TableConfig) -> Fraction:
    if net <= 0 or config.round_to_chips == "exact":
        return net
    half = Fraction(1, 2) if config.round_to_chips == "nearest" else Fraction(0)
    return Fraction((net + half) // 1)
