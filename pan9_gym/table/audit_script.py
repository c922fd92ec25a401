"""Recompute every total and payment of a session's log; needs Python and nothing else.

    python audit_script.py LOG

It shares no code with the package that wrote the log. It believes the table, cards, wagers, stakes, throws
and faults, and recomputes every total, what every wager gets, the part of it that the stake covers, every
payment, collection and balance. It stops at the first line that is wrong and says what must stand there.
`log.py` documents the lines. Exit code: 0 if all is right, 1 if a line is wrong, 2 if one cannot be read.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

Data = dict[str, Any]


class Wrong(Exception):
    """A line that is wrong: its number, and what there must be."""


def chips(value: Fraction | int | str) -> int | str:
    """Money as the log writes it."""
    amount = Fraction(value)
    return amount.numerator if amount.denominator == 1 else str(amount)


def demand(line: int, found: Data, **must: Any) -> None:
    """Hold a line's fields against what they must be; 1 is neither true nor 1.0."""
    for name, value in must.items():
        if json.dumps(found.get(name), sort_keys=True) != json.dumps(value, sort_keys=True):
            raise Wrong(line, f"{name} {json.dumps(value)}, not {json.dumps(found.get(name))}")


def suit_class(cards: list[str]) -> str:
    """Suited, of the same colour, or neither."""
    suits = {card[-1] for card in cards}
    other = "same_colour" if suits in ({"d", "h"}, {"c", "s"}) else "off_suit"
    return "suited" if len(suits) == 1 else other


Claim = tuple[Data, "Fraction | None", str, Fraction, Fraction]
"""A wager, what it gets per unit, who holds it, the part played for, what its bettor wins."""


class Hand:
    """What is known of one hand."""

    def __init__(self, table: Data) -> None:
        self.table, self.rules = table, table["rules"]
        self.banker = self.first_banker = ""
        self.place, self.settled = -1, 0
        self.stake: Fraction | None = None
        self.action: int | None = None
        self.wagers: list[Data] = []
        self.flows: dict[str, Fraction] = {}
        self.paid_fees: list[tuple[str, Fraction]] = []
        self.opened: list[int] = []
        self.plan: list[Claim] | None = None
        self.next_payment: Data | None = None
        self.over = self.dealt = self.none_wagered = self.returns = False
        self.clear()

    def clear(self) -> None:
        """Begin to deal."""
        self.cards: dict[int, list[str]] = {}
        self.lost: dict[int, str] = {}
        self.void: set[int] = set()
        self.out: set[int] = set()

    def total(self, place: int, most: int | None = None) -> int:
        """The last digit of the points of a place's cards."""
        points = self.rules["point_values"]
        return int(sum(points[card[:-1]] for card in self.cards[place][:most]) % 10)

    def note(self, data: Data) -> None:
        """Believe stakes, wagers, cards and faults."""
        kind = data["event"]
        self.none_wagered |= kind == "no_wagers"
        if kind == "stake":
            self.stake = Fraction(data["amount"])
        elif kind == "wager":
            self.wagers.append({name: data[name] for name in ("by", "place", "circle", "amount", "bet")})
        elif kind == "misdeal":
            self.clear()
        elif kind == "card":
            self.dealt = True
            self.cards.setdefault(data["place"], []).append(data["card"])
        elif kind == "card_removed":
            cards = self.cards[data["place"]]
            del cards[max(number for number, card in enumerate(cards) if card == data["card"])]
        elif kind == "fault":
            self.note_fault(data["fault"], int(data.get("place", -1)), data)

    def note_fault(self, kind: str, place: int, data: Data) -> None:
        """What a fault costs."""
        if kind == "wrong_number":
            self.out.add(place)
            if not data["reported"]:
                self.lost.setdefault(place, kind)
            elif self.table["reported_foul"] == "void":
                self.void.add(place)
        elif kind in ("fouled", "touched_wager") and data["forfeits"]:
            self.lost.setdefault(place, kind)
        elif kind == "fouled":
            self.void.add(place)

    def bases(self) -> list[Data]:
        """Wagers on hands."""
        return [wager for wager in self.wagers if wager["bet"] is None]

    def order(self) -> list[int]:
        """Places of the hands in the order of settlement."""
        start = self.place + 1 if self.action is None else self.action
        return sorted({w["place"] for w in self.bases()} - {-1}, key=lambda place: (place - start) % 8)


def forfeit(hand: Hand, wager: Data) -> str | None:
    """Why a wager is forfeited; who touches his wager forfeits that one alone."""
    reason = hand.lost.get(wager["place"])
    others = wager["bet"] is not None or wager["circle"] != 1
    return None if reason == "touched_wager" and others else reason


def payoff_of(hand: Hand, wager: Data) -> Fraction | None:
    """What a unit of a wager gets; None where it is void."""
    if wager["place"] == -1:
        return both_payoff(hand, wager)
    if wager["place"] in hand.void:
        return None
    if forfeit(hand, wager):
        return Fraction(-1)
    if wager["bet"] is not None:
        return side_payoff(hand, wager["place"], wager["bet"])
    own, bank = hand.total(wager["place"]), hand.total(hand.place)
    if own == bank:
        return Fraction(-1 if own in hand.rules["banker_wins_ties"] else 0)
    return Fraction(hand.rules["payout"]) if own > bank else Fraction(-1)


def both_payoff(hand: Hand, wager: Data) -> Fraction | None:
    """A wager on both hands is void unless both win or both lose."""
    found = [payoff_of(hand, {**wager, "place": place}) for place in hand.order()]
    pair = [payoff for payoff in found if payoff is not None]
    if len(pair) < len(found):
        return None
    return min(pair) if min(pair) > 0 else max(pair) if max(pair) < 0 else Fraction(0)


def side_payoff(hand: Hand, place: int, bet: str) -> Fraction:
    """What a unit on a side bet gets."""
    pays, own, bank = hand.rules["side_bets"][bet], hand.total(place), hand.total(hand.place)
    won = None
    if bet in ("dragon", "bc"):
        won = by_suits(bet, pays, hand.cards[place], own)
    elif bet == "super_0":
        won = pays["payouts"].get(str(own)) if own == bank or pays["on"] == "own_total" else None
    elif own == bank:
        won = pays["payout"] if bet == "tie" else 0
    elif bet == "banker_hand" and bank > own:
        won = pays["payout"]
    return Fraction(-1) if won is None else Fraction(won)


def by_suits(bet: str, pays: Data, cards: list[str], total: int) -> Any:
    """The Dragon's line for a final 9; the prize of three threes, in dollars for the stake."""
    if bet == "dragon":
        lines = pays["three_card" if len(cards) == 3 else "four_card"]
        return lines[suit_class(cards)] if total == 9 else None
    if any(card[:-1] != "3" for card in cards[:3]):
        return None
    prize = Fraction(pays["prizes"][suit_class(cards[:3])]) / Fraction(pays["stake"])
    return prize if pays["stake_returned"] else prize - 1


def opponent(hand: Hand, wager: Data) -> str:
    """Who holds a wager: the banker, but the House holds tie wagers against it."""
    tie = hand.rules["side_bets"]["tie"] if wager["bet"] == "tie" else {}
    return "house" if tie.get("against") == "house" and hand.rules["bank"] == "player" else hand.banker


def settle(hand: Hand) -> list[Claim]:
    """Every wager with what it gets, in the order of settlement."""
    rank = {place: number for number, place in enumerate([*hand.order(), -1])}
    due = sorted(hand.wagers, key=lambda w: (rank[w["place"]], w["bet"] is not None, w["circle"]))
    left, table = hand.stake, hand.table
    if table["side_bets_settled"] == "after_wagers":
        due.sort(key=lambda w: w["bet"] is not None)
    plan: list[Claim] = []
    for wager in due:
        payoff = payoff_of(hand, wager)
        covered, held = Fraction(0 if payoff is None else wager["amount"]), opponent(hand, wager)
        if payoff is not None and held == hand.banker and left is not None:
            covered, left = cover(table, wager, payoff, left)
        plan.append((wager, payoff, held, covered, rounded(table, covered * (payoff or 0))))
    return plan


def cover(table: Data, wager: Data, payoff: Fraction, left: Fraction) -> tuple[Fraction, Fraction]:
    """The part of a wager that the stake covers, and its rest; under "net" what is lost comes back."""
    if table["cover"] == "unlimited":
        return Fraction(wager["amount"]), left
    is_net = table["cover"] == "net"
    needs = payoff if is_net and payoff > 0 else max(Fraction(1), payoff)
    part = min(Fraction(wager["amount"]), left / needs)
    uses = payoff if is_net else needs if payoff or table["push_uses_cover"] else Fraction(0)
    return part, left - part * uses


def rounded(table: Data, net: Fraction) -> Fraction:
    """What a wager wins, in whole chips where the table says so."""
    if net <= 0 or table["round_to_chips"] == "exact":
        return net
    return Fraction((net + (Fraction(1, 2) if table["round_to_chips"] == "nearest" else 0)) // 1)


def fees_due(hand: Hand) -> list[tuple[str, Fraction]]:
    """Who pays the room how much for the hand, by what was wagered."""
    table, fees = hand.table, hand.table["collection"]
    due = [(hand.first_banker, fees["banker"])] if hand.first_banker != "house" else []
    back_line = fees["player"] if fees["back_line"] is None else fees["back_line"]
    if table["collection_from"] == "seated":
        due += [(f"seat_{p}", fees["player"]) for p in table["occupied"] if f"seat_{p}" != hand.first_banker]
    else:
        due += [(w["by"], fees["player"]) for w in hand.bases() if w["circle"] == 1 and w["by"] != "house"]
    due += [(w["by"], back_line) for w in hand.bases() if w["circle"] > 1]
    return sorted((payer, Fraction(fee)) for payer, fee in due if Fraction(fee))


class Audit:
    """A log, a line at a time."""

    def __init__(self) -> None:
        self.table: Data = {}
        self.accounts: dict[str, Fraction] = {}
        self.hand: Hand | None = None
        self.hands, self.number, self.ended = 0, 0, False

    def line(self, number: int, data: Data) -> None:
        """Check a line."""
        if self.ended:
            raise Wrong(number, "no line after the last one")
        hand, kind, self.number = self.hand, data["event"], number
        if number == 1:
            return self._begin(data)
        if hand is not None and hand.next_payment is not None and kind != "transfer":
            raise Wrong(number, f"the transfer {json.dumps(hand.next_payment)}")
        if kind in ("hand_begins", "session_ends") and hand is not None and not hand.over:
            raise Wrong(number, "the end of the hand before")
        if hand is not None:
            hand.note(data)
        getattr(self, f"_on_{kind}", lambda *_: None)(hand, data)

    def _begin(self, header: Data) -> None:
        if header["format"] != "pan9-table-log-1":
            raise ValueError("no log of a table")
        self.table = header["table"]
        self.fees = sorted({Fraction(fee) for fee in self.table["collection"].values() if fee})

    def _on_hand_begins(self, hand: Hand | None, data: Data) -> None:
        demand(self.number, data, hand=self.hands + 1)
        self.hand, self.hands = Hand(self.table), self.hands + 1

    def _on_bank_accepted(self, hand: Hand, data: Data) -> None:
        by, is_house = data["by"], data["by"] == "house"
        hand.rules = (self.table["house_rules"] if is_house else None) or self.table["rules"]
        hand.banker, hand.place = by, 7 if is_house else int(by[5:])
        hand.first_banker, hand.stake = hand.first_banker or by, None if is_house else hand.stake
        demand(self.number, data, place=hand.place, rules=hand.rules["name"])

    def _on_wagers_closed(self, hand: Hand, data: Data) -> None:
        if sorted(hand.paid_fees) != fees_due(hand):
            due = ", ".join(f"{fee} from {payer}" for payer, fee in fees_due(hand))
            raise Wrong(self.number, f"collections of {due or 'nothing'} before this line")

    def _on_dice(self, hand: Hand, data: Data) -> None:
        counted = (hand.place + sum(data["dice"]) - 1) % 8
        places = {w["place"] for w in hand.bases() if w["circle"] == 1}
        hand.action = min(places, key=lambda place: (place - counted) % 8)
        demand(self.number, data, counted=counted, action=hand.action)

    def _on_banker_opened(self, hand: Hand, data: Data) -> None:
        number = hand.rules["num_initial_cards"]
        demand(self.number, data, cards=hand.cards[hand.place][:number], total=hand.total(hand.place, number))

    def _on_banker_commits(self, hand: Hand, data: Data) -> None:
        demand(self.number, data, total=hand.total(hand.place))

    def _on_hand_opened(self, hand: Hand, data: Data) -> None:
        hand.opened.append(data["place"])
        demand(self.number, data, cards=hand.cards[data["place"]], total=hand.total(data["place"]))

    def _on_settled(self, hand: Hand, data: Data) -> None:
        if hand.plan is None:
            in_play = [place for place in hand.order() if place not in hand.out]
            if hand.opened != ([hand.place, *in_play] if in_play else []):
                raise Wrong(self.number, f"the hands {in_play} opened before this line")
            hand.plan = settle(hand)
        if hand.settled == len(hand.plan):
            raise Wrong(self.number, "no more wagers")
        wager, payoff, held, covered, net = hand.plan[hand.settled]
        hand.settled += 1
        demand(self.number, data, **wager, against=held, payoff=None if payoff is None else chips(payoff))
        why = "void" if payoff is None else forfeit(hand, wager) or "cards"
        demand(self.number, data, covered=chips(covered), net=chips(net), why=why)
        if net:
            source, target = (held, wager["by"]) if net > 0 else (wager["by"], held)
            hand.next_payment = {"source": source, "target": target, "amount": chips(abs(net))}
        lacks_cover = wager["bet"] is None and payoff is not None and not covered
        hand.returns |= self.table["collection_returned"] and lacks_cover

    def _on_transfer(self, hand: Hand, data: Data) -> None:
        amount = Fraction(data["amount"])
        if amount <= 0:
            raise Wrong(self.number, "a sum greater than 0")
        if data["reason"] == "wager":
            demand(self.number, data, **(hand.next_payment or {"reason": "collection"}))
            hand.next_payment = None
        elif data["reason"] == "collection":
            demand(self.number, data, target="room")
            if amount not in self.fees:
                raise Wrong(self.number, f"a collection of {' or '.join(map(str, self.fees))}")
            hand.paid_fees.append((data["source"], amount))
        else:
            self._give_back(hand, data, amount)
        for name, change in ((data["source"], -amount), (data["target"], amount)):
            hand.flows[name] = hand.flows.get(name, Fraction(0)) + change
            self.accounts[name] = self.accounts.get(name, Fraction(0)) + change

    def _give_back(self, hand: Hand, data: Data, amount: Fraction) -> None:
        demand(self.number, data, source="room", reason="collection_returned")
        if (data["target"], amount) not in hand.paid_fees or not (hand.none_wagered or hand.returns):
            raise Wrong(self.number, "no such collection returned")
        hand.paid_fees.remove((data["target"], amount))

    def _on_hand_over(self, hand: Hand, data: Data) -> None:
        if hand.dealt and (hand.plan is None or hand.settled < len(hand.plan)):
            raise Wrong(self.number, "the settlement of all wagers before this line")
        if hand.none_wagered and hand.paid_fees:
            raise Wrong(self.number, "all collections returned before this line")
        net = {name: chips(amount) for name, amount in hand.flows.items()}
        demand(self.number, data, hand=self.hands, dealt=hand.dealt, net=net)
        hand.over = True

    def _on_session_ends(self, hand: Hand | None, data: Data) -> None:
        net = dict.fromkeys(data["accounts"], 0) | {who: chips(sum_) for who, sum_ in self.accounts.items()}
        demand(self.number, data, hands=self.hands, accounts=net)
        self.ended = True


def once(pairs: list[tuple[str, Any]]) -> Data:
    """An object of JSON; a key must not come twice, and no sum have an exponent."""
    found = dict(pairs)
    sums = (found.get(name) for name in ("amount", "covered", "net", "payoff"))
    if len(found) < len(pairs) or any(isinstance(text, str) and "e" in text.lower() for text in sums):
        raise ValueError("a key comes twice, or a sum is no whole number or fraction")
    return found


def check(path: str) -> tuple[int, str]:
    """Check a log: an exit code and what was found."""
    audit, number = Audit(), 0
    with open(path, "rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                data = json.loads(raw.decode("utf-8"), object_pairs_hook=once, parse_constant=Fraction)
                audit.line(number, data)
            except Wrong as wrong:
                return 1, "line {}: there must be {}".format(*wrong.args)
            except Exception as error:  # whatever a damaged line leads to
                if raw.endswith(b"\n") or number == 1:
                    return 2, f"line {number}: cannot be read ({type(error).__name__}: {error})"
                break
    if not number:
        return 2, "is empty"
    if not audit.ended:
        return 0, f"cut off in or after hand {audit.hands}; all lines up to there are right"
    fees = chips(audit.accounts.get("room", 0))
    return 0, f"{audit.hands} hands, {number} lines; every total and payment is right; fees {fees}"


def main(arguments: list[str]) -> int:
    """Check a log and say what was found."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        code, found = check(arguments[0])
    except OSError as error:
        code, found = 2, str(error.strerror)
    print(f"{arguments[0]}: {found}")
    return code


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
