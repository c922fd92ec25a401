"""A log audited: every total, payout, cover, collection and bank turn, recomputed from the log alone.

Nothing is dealt or decided again, and no sum is taken from the log: cards, choices, throws, decisions and
faults are what is believed; what follows from them is computed here from `rules`, and what must come next is
held against what does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.table.audit_hand import AuditedHand, cards_of
from pan9_gym.table.audit_settlement import settlement
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.log import UNUSABLE, line_text, open_log, shortened
from pan9_gym.table.replay import Discrepancy, Verdict
from pan9_gym.table.seating import (
    BOTH,
    HOUSE,
    HOUSE_PLACE,
    ROOM,
    action_place,
    counted_place,
    left_of,
    place_of,
    seat_name,
)

Data = Mapping[str, Any]


def audit(path: str | Path, rules: RulesConfig | None = None) -> Verdict:
    """Recompute everything in a log that follows from its decisions, cards and throws.

    Args:
        path: The log.
        rules: The rules that it must be of; `None` for any.

    Raises:
        ConfigError: If it is no log, damaged, of another version or other rules; naming the line.
    """
    reader = open_log(path, rules)
    auditor = Auditor(reader.header.table)
    num_lines = 1
    for number, text in reader.lines():
        data = reader.parse(number, text)
        try:
            expected = auditor.check(data)
        except UNUSABLE as error:
            said = shortened(f"{type(error).__name__}: {error}")
            expected = f"a line from which the rest can be computed ({said})"
        if expected is not None:
            wrong = Discrepancy(number, shortened(text), expected)
            return Verdict(num_lines, auditor.num_hands, False, wrong)
        num_lines = number
    return Verdict(num_lines, auditor.num_hands, auditor.over)


class Auditor:
    """An audit, a line at a time.

    Args:
        config: The table.

    Attributes:
        num_hands: Hands that are complete.
        over: Whether the last line has come.
    """

    def __init__(self, config: TableConfig) -> None:
        self.config = config
        self.num_hands = 0
        self.over = False
        self._hand = AuditedHand()
        self._due: deque[Data] = deque()
        self._accounts = dict.fromkeys((*config.participants, ROOM), Fraction(0))
        self._turn = self._held = self._refusals = 0

    def check(self, data: Data) -> str | None:
        """What must stand there instead of a line; `None` if the line is right."""
        if self.over:
            return "no line"
        kind = data["event"]
        if kind == "fault" and data["fault"] == "misannounced":
            return None  # H17: said between two lines that follow from each other
        if self._hand.decided is not None and kind != "choice":
            return f"the move of the hand at place {self._hand.next_to_choose}"
        if kind in ("hand_opened", "settled") and not self._hand.settling:
            hand = self._hand
            if self.config.num_dice and hand.action < 0:
                return "a throw of the dice before the settlement"
            if kind == "hand_opened" and hand.next_to_choose is not None and not hand.rules.naturals:
                return f"the move of the hand at place {hand.next_to_choose}"
            if hand.misplayed:
                return f"the correction of the misplayed hand at place {min(hand.misplayed)} (H5)"
            hand.settling = True
            self._due.extend(settlement(self._hand, self.config))
        wrong = self._held_against_due(data) if self._due else self._step(data)
        if wrong is not None:
            return wrong
        if kind == "transfer":
            self._move(data)
        self._go_on(kind)
        return None

    def _held_against_due(self, data: Data) -> str | None:
        expected = self._due.popleft()
        if not _same(expected, data):
            return line_text(expected)
        if data["event"] == "settled":
            self._hand.note_settled(data)
        return None

    def _step(self, data: Data) -> str | None:
        step = _STEPS.get(data["event"])
        if step is not None:
            return step(self, data)
        return None if data["event"] in _BELIEVED else "a line of a kind that may come here"

    def _go_on(self, kind: str) -> None:
        """Say what follows from the end of the settlement, which is not due before."""
        if kind in ("settled", "transfer") and self._hand.settling and not self._due:
            self._due.append(self._bank_turn())
        elif kind == "bank_turn":
            self._due.append(self._hand_over(dealt=self._hand.settling))
        elif kind == "hand_over":
            self.num_hands += 1

    def _move(self, data: Data) -> None:
        amount = read_fraction(data["amount"])
        for account, change in ((data["source"], -amount), (data["target"], amount)):
            self._accounts[account] += change
            self._hand.flows[account] = self._hand.flows.get(account, Fraction(0)) + change

    def _hand_over(self, dealt: bool) -> Data:
        net = {name: money(amount) for name, amount in sorted(self._hand.flows.items())}
        return {"event": "hand_over", "hand": self._hand.number, "dealt": dealt, "net": net}

    # The bank

    @property
    def _candidate(self) -> str:
        return self.config.bank_order[self._turn]

    def _pass_on(self) -> None:
        self._held, self._turn = 0, (self._turn + 1) % len(self.config.bank_order)

    def _bank_turn(self) -> Data:
        hand, holder = self._hand, self._candidate
        if hand.turn_used:
            self._held += 1
        most = None if self.config.bank == "until_lost" else self.config.max_consecutive_banks
        over = hand.turn_used and (hand.opposing_hand_won if most is None else self._held >= most)
        if over:
            self._pass_on()
        turn = {"holder": holder, "used": hand.turn_used, "over": over, "next": self._candidate}
        return {"event": "bank_turn", **turn}

    def _begin(self, data: Data) -> str | None:
        self._hand = AuditedHand(self.num_hands + 1, self.config.tied_circles)
        return _unless(data["hand"] == self.num_hands + 1, f"hand {self.num_hands + 1}")

    def _offer(self, data: Data) -> str | None:
        if self._candidate == HOUSE and not self.config.offer_forced:  # U4: it never refuses
            self._accept()
        return _unless(data["to"] == self._candidate, f"an offer to {self._candidate!r}")

    def _accept(self) -> None:
        self._refusals = 0
        self._seat(self._candidate)
        if self._hand.banker != HOUSE:
            self._collect(self._hand.banker, self._hand.banker_place, self.config.collection.banker)
        if self.config.collection_from == "seated":
            for place in left_of(self._hand.banker_place, self.config.occupied):
                if place != self._hand.banker_place:
                    self._collect(seat_name(place), place, self.config.collection.player)

    def _seat(self, banker: str) -> None:
        hand = self._hand
        hand.banker, hand.rules = banker, self.config.rules_under(banker)
        hand.banker_place = place_of(banker)
        self._must("bank_accepted", by=banker, place=hand.banker_place, rules=hand.rules.name)

    def _refuse(self) -> None:
        self._must("bank_refused", by=self._candidate)
        if not self._held:
            self._refusals += 1
        self._pass_on()
        order = len(self.config.bank_order)
        if self._refusals and self._refusals % order == 0:
            self._must("no_banker", session_over=self._refusals // order >= self.config.refused_rounds)
            self._due.append(self._hand_over(dealt=False))

    def _house_takes(self, data: Data) -> str | None:
        if not self._single_bettor():
            return "no taking of the bank: not one opposing player alone has wagered (U5)"
        former, hand = self._hand.banker, self._hand
        self._seat(HOUSE)
        hand.turn_used, hand.stake = self.config.single_wager_uses_turn, None
        expected = {"event": "house_takes_bank", "former": former, "wagers": len(hand.base_wagers)}
        return None if _same(expected, data) else line_text(expected)

    def _single_bettor(self) -> bool:
        """Whether the House must take the bank (U5)."""
        one = len({wager["by"] for wager in self._hand.base_wagers}) == 1
        return one and self.config.takes_single_wagers and self._hand.banker != HOUSE

    # Decisions and what follows from them

    def _must(self, kind: str, **data: Any) -> None:
        self._due.append({"event": kind, **data})

    def _collect(self, payer: str, place: int, amount: Fraction) -> None:
        if amount:
            self._hand.collected.append((payer, place, amount))
            self._must("transfer", source=payer, target=ROOM, amount=money(amount), reason="collection")

    def _decided(self, data: Data) -> str | None:
        by, phase, value = data["by"], data["phase"], data["value"]
        if phase == "bank":
            if by != self._candidate:
                return f"a decision by {self._candidate!r}"
            if value == "accept":
                self._accept()
            else:
                self._refuse()
        elif phase == "stake":
            self._hand.stake = read_fraction(value)
            self._must("stake", by=by, amount=value)
        elif phase == "wager":
            self._wagered(by, value)
        elif phase == "others":
            self._wagered_on_others(by, value)
        elif phase == "top_up":
            self._topped_up(by, value)
        elif phase == "draw":
            return self._hand.note_decision(data, self.config)
        else:
            return "a decision of a phase that there is"
        return None

    def _wagered(self, by: str, value: Data) -> None:
        if not value.get("base", 0):
            self._must("sits_out", by=by)
            return
        if self.config.collection_from == "bettors":
            self._collect(by, place_of(by), self.config.collection.player)
        self._place(by, place_of(by), 1, value["base"], None)
        side = value.get("side", {})
        for bet in (bet.value for bet in self.config.rules.side_bets.offered):
            if side.get(bet):
                self._place(by, place_of(by), 1, side[bet], bet)

    def _wagered_on_others(self, by: str, value: Data) -> None:
        hand, collection = self._hand, self.config.collection
        if value.get("both"):
            self._place(by, BOTH, 0, value["both"], None)
        back, tie = value.get("back", {}), value.get("tie", {})
        for place in hand.places:
            if amount := back.get(seat_name(place)):
                circle = 1 + sum(wager["place"] == place for wager in hand.base_wagers)
                fee = collection.player if collection.back_line is None else collection.back_line
                self._collect(by, place, fee)
                self._place(by, place, circle, amount, None)
        for place in hand.places:
            if amount := tie.get(seat_name(place)):
                self._place(by, place, 0, amount, "tie")

    def _topped_up(self, by: str, value: str) -> None:
        self._must("top_up", by=by, answer=value)
        if value == "ask":  # U11: the shortfall, up to the table maximum
            wagered = sum((read_fraction(wager["amount"]) for wager in self._hand.base_wagers), Fraction(0))
            shortfall = (self._hand.stake or Fraction(0)) - wagered
            self._place(HOUSE, HOUSE_PLACE, 1, money(min(shortfall, Fraction(self.config.limits.most))), None)

    def _place(self, by: str, place: int, circle: int, amount: Any, bet: str | None) -> None:
        wager = {"by": by, "place": place, "circle": circle, "amount": amount, "bet": bet}
        self._hand.wagers.append(wager)
        self._must("wager", **wager)

    def _no_wagers(self, data: Data) -> str | None:
        if self._hand.base_wagers:
            return "the closing of wagers"
        for payer, _, amount in self._hand.collected:
            back = {"source": ROOM, "target": payer, "amount": money(amount)}
            self._must("transfer", **back, reason="collection_returned")
        self._due.append(self._bank_turn())
        return None

    def _close(self, data: Data) -> str | None:
        if self._single_bettor():
            return "the House's taking of the bank (U5)"
        expected = {"event": "wagers_closed", "places": list(self._hand.places)}
        return None if _same(expected, data) else line_text(expected)

    # Cards

    def _dice(self, data: Data) -> str | None:
        hand, config, dice = self._hand, self.config, data["dice"]
        if hand.action >= 0:
            return "no second throw"
        counted = counted_place(hand.banker_place, sum(dice))
        action = first = action_place(hand.banker_place, counted, hand.places)
        if config.deal_from == "left":
            first = hand.places[0]
        elif counted == hand.banker_place and config.banker_count == "banker_first":
            first = counted
        hand.action = action
        if len(dice) != config.num_dice or not all(die in range(1, 7) for die in dice):
            return f"{config.num_dice} dice"
        expected = {"event": "dice", "dice": dice, "counted": counted, "action": action, "first": first}
        return None if _same(expected, data) else line_text(expected)

    def _set(self, data: Data) -> str | None:
        place = self._hand.next_to_choose
        return _unless(place == self._hand.banker_place, f"the move of the hand at place {place}")

    def _total(self, data: Data) -> str | None:
        hand = self._hand
        cards = hand.cards[hand.banker_place]
        if data["event"] == "banker_opened":
            cards = cards[: hand.rules.num_initial_cards]
            if data["cards"] != cards:
                return f"the cards {cards}"
        elif data["action"] != hand.moves.get(hand.banker_place):
            return f"the move that was made at place {hand.banker_place}"
        total = hand_total(card_values(hand.rules, cards_of(cards)))
        return _unless(
            data["by"] == hand.banker and type(data["total"]) is int and data["total"] == total,
            f"the total {total} of {hand.banker!r}",
        )

    def _choice(self, data: Data) -> str | None:
        return self._hand.note_choice(data, self.config)

    def _session_ends(self, data: Data) -> str | None:
        accounts = {name: money(amount) for name, amount in self._accounts.items()}
        over = self._refusals // len(self.config.bank_order) >= self.config.refused_rounds
        expected = {"event": "session_ends", "hands": self.num_hands, "over": over, "accounts": accounts}
        self.over = _same(expected, data)
        return None if self.over else line_text(expected)

    def _note(self, data: Data) -> str | None:
        self._hand.note(data, self.config)
        return None

    def _may_not_come(self, data: Data) -> str | None:
        return "no such line here: nothing before it leads to it"


_STEPS: Mapping[str, Callable[[Auditor, Data], str | None]] = {
    "hand_begins": Auditor._begin,
    "bank_offered": Auditor._offer,
    "decision": Auditor._decided,
    "house_takes_bank": Auditor._house_takes,
    "no_wagers": Auditor._no_wagers,
    "wagers_closed": Auditor._close,
    "dice": Auditor._dice,
    "banker_opened": Auditor._total,
    "banker_commits": Auditor._total,
    "choice": Auditor._choice,
    "hands_set": Auditor._set,
    "session_ends": Auditor._session_ends,
    **dict.fromkeys(("card", "card_removed", "misdeal", "fault"), Auditor._note),
    **dict.fromkeys(
        ("bank_accepted", "bank_refused", "no_banker", "stake", "sits_out", "wager", "top_up", "transfer"),
        Auditor._may_not_come,
    ),
    **dict.fromkeys(("bank_turn", "hand_over"), Auditor._may_not_come),
}

_BELIEVED = frozenset({"shuffle", "cards_returned", "discards_shuffled"})
"""Lines from which no money follows; a replay checks them too."""


def _unless(right: bool, expected: str) -> str | None:
    return None if right else expected


def _same(expected: Data, data: Data) -> bool:
    return line_text(expected) == line_text(data)
