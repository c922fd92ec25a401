"""Before the deal: the bank, the stake, the wagers, the House's duty (T1, T3, T7, U3-U11, B1-B8)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pan9_gym.rules.cover import Cover
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.table.events import money
from pan9_gym.table.requests import ACCEPT, ASK, DECLINE, REFUSE, Amounts, Phase, Request, View
from pan9_gym.table.seating import BOTH, HOUSE, HOUSE_PLACE, ROOM, left_of, place_of, seat_name
from pan9_gym.table.state import Hand, Stage, TableState, Wager

NUM_CIRCLES = 3
"""Circles on a position: its own player's and two of the back line (B8)."""


def view(state: TableState, hand: Hand) -> View:
    """What everybody may know before the deal."""
    return View(
        banker=hand.banker,
        stake=None if hand.stake is None else money(hand.stake),
        wagers=hand.shown_wagers,
        unseen=state.unseen(),
    )


# The bank


def ask_bank(state: TableState) -> Request | None:
    """Offer the bank to whose turn it is; the House never refuses (U4)."""
    candidate = state.bank.candidate
    state.tell("bank_offered", to=candidate)
    if candidate == HOUSE and not state.config.offer_forced:
        answer_bank(state, ACCEPT)
        return None
    options = (ACCEPT,) if candidate == HOUSE else (ACCEPT, REFUSE)
    return Request(candidate, Phase.BANK, options, view=view(state, state.current))


def answer_bank(state: TableState, value: str) -> None:
    """Accept or refuse the bank."""
    hand, bank = state.current, state.bank
    candidate = bank.candidate
    if value == ACCEPT:
        bank.accept()
        _seat_banker(state, candidate)
        _collect_before_wagers(state)
        if _stake_comes_first(state):
            hand.stage = Stage.STAKE
        else:
            _open_wagers(state)
        return
    bank.refuse()
    state.tell("bank_refused", by=candidate)
    if bank.all_refused:  # T7: no hand, and the offer starts again, or the session ends
        state.over = bank.rounds_refused >= state.config.refused_rounds
        state.tell("no_banker", session_over=state.over)
        hand.stage = Stage.OVER


def _seat_banker(state: TableState, banker: str) -> None:
    hand = state.current
    hand.banker, hand.banker_place = banker, place_of(banker)
    hand.rules = state.config.rules_under(banker)
    state.tell("bank_accepted", by=banker, place=hand.banker_place, rules=hand.rules.name)


def _collect_before_wagers(state: TableState) -> None:
    hand, config = state.current, state.config
    if hand.banker != HOUSE:
        collect(state, hand.banker, hand.banker_place, config.collection.banker)
    if config.collection_from == "seated":
        for place in left_of(hand.banker_place, config.occupied):
            if place != hand.banker_place:
                collect(state, seat_name(place), place, config.collection.player)


def collect(state: TableState, payer: str, place: int, amount: Fraction) -> None:
    """Take a collection (S5, T6)."""
    if amount:
        state.current.collected.append((payer, place, amount))
        state.transfer(payer, ROOM, amount, "collection")


def return_collections(state: TableState, hand: Hand) -> None:
    """Give all collections of a hand back that is not dealt."""
    for payer, _, amount in hand.collected:
        state.transfer(ROOM, payer, amount, "collection_returned")
    hand.collected.clear()


# The stake


def ask_stake(state: TableState) -> Request | None:
    """Ask a player-banker for his stake; the House, and a banker without a cap, has none."""
    hand = state.current
    if hand.banker == HOUSE or state.config.cover is Cover.UNLIMITED:
        _after_stake(state)
        return None
    amounts = {"stake": Amounts(state.config.limits.least, None, or_none=False)}
    return Request(hand.banker, Phase.STAKE, amounts=amounts, view=view(state, hand))


def answer_stake(state: TableState, value: int) -> None:
    """Place the banker's stake."""
    hand = state.current
    hand.stake = Fraction(value)
    state.tell("stake", by=hand.banker, amount=value)
    _after_stake(state)


def _stake_comes_first(state: TableState) -> bool:
    return state.config.stake_placed == "before_wagers"


def _after_stake(state: TableState) -> None:
    if _stake_comes_first(state):
        _open_wagers(state)
    else:
        state.current.stage = Stage.TOP_UP


def _open_wagers(state: TableState) -> None:
    hand = state.current
    hand.stage = Stage.WAGER
    hand.queue = _players(state)


def _players(state: TableState) -> list[str]:
    hand = state.current
    places = left_of(hand.banker_place, state.config.occupied)
    return [seat_name(place) for place in places if place != hand.banker_place]


# Wagers on the own hand


def ask_wager(state: TableState) -> Request | None:
    """Ask the next player for his wager and side bets."""
    hand = state.current
    if not hand.queue:
        _after_base_wagers(state)
        return None
    return Request(hand.queue[0], Phase.WAGER, amounts=_wager_amounts(state), view=view(state, hand))


def _wager_amounts(state: TableState) -> dict[str, Amounts]:
    config = state.config
    amounts = {"base": Amounts(config.limits.least, config.limits.most)}
    for bet in config.rules.side_bets.offered:
        amounts[bet.value] = Amounts(config.side_limits.least, config.side_limits.most)
    bonus = config.rules.side_bets.bc
    if bonus is not None:  # S6: the stake is one sum of dollars
        stake = money(bonus.stake / config.chip_value)
        amounts[SideBet.BC.value] = Amounts(stake, stake)
    return amounts


def answer_wager(state: TableState, value: dict[str, Any]) -> None:
    """Place a player's wager and side bets, or let him sit out."""
    player = state.current.queue.pop(0)
    place = place_of(player)
    if "base" not in value:
        state.tell("sits_out", by=player)
        return
    if state.config.collection_from == "bettors":
        collect(state, player, place, state.config.collection.player)
    for name, amount in value.items():
        bet = None if name == "base" else SideBet(name)
        _place(state, Wager(player, place, 1, Fraction(amount), bet))


def _place(state: TableState, wager: Wager) -> None:
    hand = state.current
    (hand.wagers if wager.bet is None else hand.sides).append(wager)
    data = wager.to_dict()
    hand.shown_wagers = (*hand.shown_wagers, data)
    state.tell("wager", **data)


def _after_base_wagers(state: TableState) -> None:
    hand, config = state.current, state.config
    if not hand.wagers:
        state.tell("no_wagers")
        return_collections(state, hand)
        state.end_bank_turn(opposing_hand_won=False)
        hand.stage = Stage.OVER
        return
    hand.stage = Stage.OTHERS
    if config.back_line or config.both_hands or config.tie_bettors != "own":
        hand.queue = _players(state)
        if config.tie_bettors == "banker" and hand.banker != HOUSE:
            hand.queue.append(hand.banker)


# Wagers on other hands


def ask_others(state: TableState) -> Request | None:
    """Ask the next bettor for wagers on hands that are not his own."""
    hand = state.current
    while hand.queue:
        amounts = _other_amounts(state, hand.queue[0])
        if amounts:
            return Request(hand.queue[0], Phase.OTHERS, amounts=amounts, view=view(state, hand))
        hand.queue.pop(0)
    _close_wagers(state)
    return None


def _other_amounts(state: TableState, bettor: str) -> dict[str, Amounts]:
    hand, config = state.current, state.config
    amounts = {}
    for place in hand.base_places():
        taken = [wager.by for wager in hand.wagers if wager.place == place]
        if config.back_line and bettor not in (*taken, hand.banker) and len(taken) < NUM_CIRCLES:
            amounts[f"back {seat_name(place)}"] = Amounts(config.limits.least, config.limits.most)
        if config.tie_bettors != "own" and bettor != hand.owner(place):
            amounts[f"tie {seat_name(place)}"] = Amounts(config.side_limits.least, config.side_limits.most)
    if config.both_hands and len(hand.base_places()) == 2 and bettor != hand.banker:
        amounts["both"] = Amounts(config.limits.least, config.limits.most)
    return amounts


def answer_others(state: TableState, value: dict[str, Any]) -> None:
    """Place a bettor's wagers on other hands."""
    hand, bettor = state.current, state.current.queue.pop(0)
    collection = state.config.collection
    fee = collection.player if collection.back_line is None else collection.back_line
    for name, amount in value.items():
        part, _, seat = name.partition(" ")
        if part == "both":
            _place(state, Wager(bettor, BOTH, 0, Fraction(amount)))
            continue
        place = place_of(seat)
        if part == "tie":
            _place(state, Wager(bettor, place, 0, Fraction(amount), SideBet.TIE))
            continue
        circle = 1 + sum(wager.place == place for wager in hand.wagers)
        collect(state, bettor, place, fee)
        _place(state, Wager(bettor, place, circle, Fraction(amount)))


def _close_wagers(state: TableState) -> None:
    hand, config = state.current, state.config
    single = len({wager.by for wager in hand.wagers}) == 1
    if config.takes_single_wagers and hand.banker != HOUSE and single:  # U5
        former = hand.banker
        hand.stake = None
        hand.turn_used = config.single_wager_uses_turn
        state.tell("house_takes_bank", former=former, wagers=len(hand.wagers))
        _seat_banker(state, HOUSE)
    state.tell("wagers_closed", places=list(hand.base_places()))
    hand.stage = Stage.TOP_UP if _stake_comes_first(state) else Stage.STAKE


# The House's duty to fill the stake


def ask_top_up(state: TableState) -> Request | None:
    """Ask a player-banker whose stake is greater than the wagers whether the House shall wager (U11)."""
    hand = state.current
    if not state.config.house_tops_up or hand.banker == HOUSE or not _shortfall(hand):
        hand.stage = Stage.DEAL
        return None
    return Request(hand.banker, Phase.TOP_UP, (ASK, DECLINE), view=view(state, hand))


def _shortfall(hand: Hand) -> Fraction:
    if hand.stake is None:
        return Fraction(0)
    return max(Fraction(0), hand.stake - sum((wager.amount for wager in hand.wagers), Fraction(0)))


def answer_top_up(state: TableState, value: str) -> None:
    """The House wagers what is missing, up to the table maximum, or is not asked to (U11)."""
    hand = state.current
    state.tell("top_up", by=hand.banker, answer=value)
    if value == ASK:
        amount = min(_shortfall(hand), Fraction(state.config.limits.most))
        _place(state, Wager(HOUSE, HOUSE_PLACE, 1, amount))
    hand.stage = Stage.DEAL
