"""The end of a hand: hands compared, wagers settled from the action seat, within the cover (T2, T3, S9)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from pan9_gym.rules.cards import Card
from pan9_gym.rules.cover import Cover, covered_wagers
from pan9_gym.rules.settlement import both_hands_payoff
from pan9_gym.table.events import money
from pan9_gym.table.faults import FaultKind
from pan9_gym.table.seating import BOTH, HOUSE, ROOM, clockwise_from
from pan9_gym.table.state import Hand, Stage, TableState, Wager

FORFEIT = Fraction(-1)
"""A forfeited wager goes to the banker like a lost one (H13-H15)."""


@dataclass(frozen=True)
class Claim:
    """A wager and what it gets per unit; `None` where it is void."""

    wager: Wager
    payoff: Fraction | None
    against: str


def settle(state: TableState) -> None:
    """Open the hands, pay, pass the bank on, discard."""
    hand = state.current
    order = clockwise_from(hand.action, {wager.place for wager in hand.wagers} - {BOTH})
    _open_hands(state, order)
    claims = [_claim(hand, wager) for wager in _in_order(state, (*order, BOTH))]
    with_banker = [claim for claim in claims if claim.against == hand.banker and claim.payoff is not None]
    parts = _covered(state, with_banker)
    for claim in claims:
        part = claim.wager.amount if claim.payoff is not None else Fraction(0)
        for place, other in enumerate(with_banker):
            if other is claim:
                part = parts[place]
        _pay(state, claim, part)
    won = any(claim.wager.bet is None and claim.payoff is not None and claim.payoff > 0 for claim in claims)
    _finish_hand(state, won)


def _in_order(state: TableState, places: tuple[int, ...]) -> list[Wager]:
    """All wagers in the order of settlement, side bets last or with the hand they are on (S9)."""
    hand = state.current
    by_hand = [wager for place in places for pile in (hand.wagers, hand.sides) for wager in _on(pile, place)]
    if state.config.side_bets_settled == "with_wager":
        return by_hand
    return sorted(by_hand, key=lambda wager: wager.bet is not None)


def _on(wagers: list[Wager], place: int) -> list[Wager]:
    """The wagers on a hand, circle 1 first, side bets in the order they were made."""
    return sorted((wager for wager in wagers if wager.place == place), key=lambda wager: wager.circle)


def final_cards(hand: Hand, seat: int) -> tuple[Card, ...]:
    """A seat's final hand."""
    drawn = hand.drawn.get(seat)
    return hand.initial[seat] if drawn is None else (*hand.initial[seat], drawn)


def _open_hands(state: TableState, order: tuple[int, ...]) -> None:
    hand = state.current
    if hand.round is None:
        return
    banker = len(hand.seats) - 1
    for place in (hand.banker_place, *order):
        if place in hand.seats:
            seat = hand.seats.index(place) if place != hand.banker_place else banker
            cards = final_cards(hand, seat)
            if state.faults.active and state.faults.of_hand(FaultKind.MISANNOUNCED, place):
                said = (hand.round.total(seat) + 1) % 10  # H17: the cards speak
                state.tell("fault", fault=FaultKind.MISANNOUNCED.value, place=place, said=said)
            state.tell(
                "hand_opened",
                place=place,
                by=hand.owner(place),
                cards=list(map(str, cards)),
                total=hand.round.total(seat),
            )


def _claim(hand: Hand, wager: Wager) -> Claim:
    if wager.place == BOTH:
        return _claim_on_both(hand, wager)
    against = hand.banker if wager.bet is None or hand.rules.banker_holds(wager.bet) else HOUSE
    if wager.place in hand.void:
        return Claim(wager, None, against)
    if _is_forfeited(hand, wager):
        return Claim(wager, FORFEIT, against)
    seat, round_ = hand.seats.index(wager.place), hand.playing
    totals = (round_.total(seat), round_.total(len(hand.seats) - 1))
    if wager.bet is None:
        return Claim(wager, hand.dealt.payoffs[totals[0]][totals[1]], against)
    cards, number = final_cards(hand, seat), hand.rules.num_initial_cards
    return Claim(wager, hand.rules.side_bets.payoff(wager.bet, cards, number, totals), against)


def _is_forfeited(hand: Hand, wager: Wager) -> bool:
    """A fouled hand forfeits every wager on it; who touches his wager forfeits that wager (H13, H14)."""
    if hand.fouled.get(wager.place) == FaultKind.TOUCHED_WAGER:
        return wager.bet is None and wager.circle == 1
    return wager.place in hand.fouled


def _claim_on_both(hand: Hand, wager: Wager) -> Claim:
    """A wager on both opposing hands (R1); void where one of them is."""
    payoffs = [_claim(hand, Wager(wager.by, place, 0, wager.amount)).payoff for place in hand.base_places()]
    if any(payoff is None for payoff in payoffs):
        return Claim(wager, None, hand.banker)
    first, second = (payoff or Fraction(0) for payoff in payoffs)
    return Claim(wager, both_hands_payoff(first, second), hand.banker)


def _covered(state: TableState, claims: list[Claim]) -> tuple[Fraction, ...]:
    """The part of each wager that is played for, in their order (T3); a bet at what is payable (S9)."""
    hand, config = state.current, state.config
    return covered_wagers(
        hand.stake or Fraction(0),
        [claim.wager.amount for claim in claims],
        [claim.payoff or Fraction(0) for claim in claims],
        range(len(claims)),
        Cover.UNLIMITED if hand.stake is None else config.cover,
        config.push_uses_cover,
    )


def _pay(state: TableState, claim: Claim, part: Fraction) -> None:
    hand, wager = state.current, claim.wager
    net = _to_chips(state, part * (claim.payoff or 0))
    state.tell(
        "settled",
        **wager.to_dict(),
        against=claim.against,
        covered=money(part),
        payoff=None if claim.payoff is None else money(claim.payoff),
        net=money(net),
        why="void"
        if claim.payoff is None
        else hand.fouled[wager.place]
        if _is_forfeited(hand, wager)
        else "cards",
    )
    if net > 0:
        state.transfer(claim.against, wager.by, net, "wager")
    else:
        state.transfer(wager.by, claim.against, -net, "wager")
    if wager.bet is None and claim.payoff is not None and not part and state.config.collection_returned:
        _return_collection(state, wager)


def _to_chips(state: TableState, net: Fraction) -> Fraction:
    if net <= 0 or state.config.round_to_chips == "exact":
        return net
    return Fraction(floor(net if state.config.round_to_chips == "down" else net + Fraction(1, 2)))


def _return_collection(state: TableState, wager: Wager) -> None:
    hand = state.current
    for payer, place, amount in hand.collected:
        if (payer, place) == (wager.by, wager.place):
            state.transfer(ROOM, payer, amount, "collection_returned")


def _finish_hand(state: TableState, opposing_hand_won: bool) -> None:
    state.end_bank_turn(opposing_hand_won)
    _discard(state)
    state.current.stage = Stage.OVER


def _discard(state: TableState) -> None:
    """All cards go to the discards; those of opened hands have been seen, and those that lay open."""
    hand = state.current
    shown = [card for seat in range(len(hand.seats)) for card in final_cards(hand, seat)] + hand.open_cards
    for card in hand.taken:
        state.discard(card, card in shown)
        if card in shown:
            shown.remove(card)
    hand.open_cards.clear()
