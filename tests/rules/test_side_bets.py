"""The bonus bets of bicycle_bonus on a fresh shoe, counted card by card, against golden values."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pan9_gym.rules import RulesConfig, SuitClass, load_rules
from pan9_gym.rules.cards import SUITS, Card, suit_class
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.side_bets import (
    BankerHandWager,
    BCBonus,
    DragonBonus,
    SideBet,
    Super0,
    TieWager,
)

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "side_bets.json").read_text(encoding="utf-8")
)
RULES = load_rules("bicycle_bonus")
KINDS = [Card(rank, suit) for rank in RULES.point_values for suit in SUITS]
COPIES = 12  # of each of the 36 kinds
NUM_CARDS = 432


@cache
def first_cards() -> dict[tuple[Card, ...], Fraction]:
    """The probability of every multiset of three first cards."""
    deals = {
        cards: math.prod(math.comb(COPIES, number) for number in Counter(cards).values())
        for cards in itertools.combinations_with_replacement(KINDS, 3)
    }
    assert sum(deals.values()) == math.comb(NUM_CARDS, 3)
    return {cards: Fraction(count, math.comb(NUM_CARDS, 3)) for cards, count in deals.items()}


def total(cards: tuple[Card, ...]) -> int:
    return hand_total(card_values(RULES, cards))


@cache
def final_hands(draws_up_to: int) -> Counter[tuple[int, int, SuitClass]]:
    """Ways (three cards unordered, then the fourth) of each (total, size, suit class) of the final hand.

    Hands that stand count once for each of the 429 cards they leave.
    """
    ways: Counter[tuple[int, int, SuitClass]] = Counter()
    for cards, prob in first_cards().items():
        count = int(prob * math.comb(NUM_CARDS, 3))
        if total(cards) > draws_up_to:
            ways[total(cards), 3, suit_class(cards)] += count * (NUM_CARDS - 3)
            continue
        for card in KINDS:
            final = (*cards, card)
            ways[total(final), 4, suit_class(final)] += count * (COPIES - cards.count(card))
    return ways


def ev(payoff: Callable[[int, int, SuitClass], Fraction], draws_up_to: int) -> Fraction:
    ways = final_hands(draws_up_to)
    return sum((count * payoff(*hand) for hand, count in ways.items()), Fraction(0)) / ways.total()


def bc_ev(bet: BCBonus) -> Fraction:
    return sum((prob * bet.payoff(cards) for cards, prob in first_cards().items()), Fraction(0))


@pytest.mark.parametrize("kind", SuitClass)
def test_S6_probability_of_each_bc_prize(kind: SuitClass) -> None:
    prize = {SuitClass.SUITED: 3000, SuitClass.SAME_COLOUR: 300, SuitClass.OFF_SUIT: 150}[kind]
    assert RULES.side_bets.bc is not None
    won = [prob for cards, prob in first_cards().items() if RULES.side_bets.bc.payoff(cards) == prize]
    assert sum(won) == Fraction(GOLDEN["bc_bonus_12_decks"]["probabilities"][kind.name.lower()])


def test_S6_three_3s_are_all_that_wins() -> None:
    assert RULES.side_bets.bc is not None
    won = sum(prob for cards, prob in first_cards().items() if RULES.side_bets.bc.payoff(cards) > 0)
    assert won == Fraction(GOLDEN["bc_bonus_12_decks"]["any_three_3s"])
    assert won == Fraction(48 * 47 * 46, 432 * 431 * 430)


@pytest.mark.parametrize("stake", [1, 5])
def test_S6_ev_of_a_bc_stake(stake: int) -> None:
    expected = Fraction(GOLDEN["bc_bonus_12_decks"]["ev_per_stake_if_stake_returned"][str(stake)])
    assert bc_ev(BCBonus(stake=Fraction(stake))) == expected


def test_S6_stakes_at_which_the_bc_bonus_is_fair() -> None:
    golden = GOLDEN["bc_bonus_12_decks"]
    assert bc_ev(BCBonus(stake=Fraction(golden["breakeven_stake_if_stake_returned"]))) == 0
    kept = Fraction(golden["breakeven_stake_if_stake_not_returned"])
    assert bc_ev(BCBonus(stake=kept, stake_returned=False)) == 0
    assert kept == Fraction(golden["expected_prize"])


@pytest.mark.parametrize("draws_up_to", [4, 5, 6])
def test_S7_ev_of_a_dragon_stake(draws_up_to: int) -> None:
    assert RULES.side_bets.dragon is not None
    expected = Fraction(GOLDEN["dragon_bonus_12_decks"]["ev"][str(draws_up_to)])
    assert ev(RULES.side_bets.dragon.payoff, draws_up_to) == expected


def test_S8_the_players_own_total_would_be_worth_12_units_a_unit() -> None:
    golden = GOLDEN["super_0_own_total_12_decks"]
    bet = Super0(on="own_total")
    value = ev(lambda final, _size, _kind: bet.payoff(final, 9), draws_up_to=5)
    assert value == Fraction(golden["ev"])
    assert value > 12
    ways = final_hands(5)
    won = sum(count for (final, _, _), count in ways.items() if bet.payoff(final, 9) > 0)
    assert Fraction(won, ways.total()) == Fraction(golden["any_win"])


def all_payoffs(rules: RulesConfig) -> Iterator[Fraction]:
    """Payoffs of every bet on offer for some hands of every total against every banker total."""
    hands = [cards for cards in itertools.combinations(KINDS, 3) if cards[0].suit == "h"][::50]
    for bet, cards, banker in itertools.product(rules.side_bets.offered, hands, range(10)):
        yield rules.side_bets.payoff(bet, cards, 3, (total(cards), banker))


@pytest.mark.parametrize(
    "sheet", ["bicycle_bonus", "uk_1994_house", "uk_1994_player", "baccarat_punto_banco"]
)
def test_a_stake_is_lost_at_most_once_and_payoffs_are_exact(sheet: str) -> None:
    payoffs = list(all_payoffs(load_rules(sheet)))
    assert {type(payoff) for payoff in payoffs} == {Fraction}
    assert min(payoffs) == -1
    assert max(payoffs) > 0


def test_the_defaults_of_the_pay_tables_are_those_of_the_sheets() -> None:
    bonus = RULES.side_bets
    assert (bonus.bc, bonus.dragon, bonus.super_0) == (BCBonus(), DragonBonus(), Super0())
    assert load_rules("uk_1994_house").side_bets.tie == TieWager()
    assert load_rules("baccarat_punto_banco").side_bets.banker_hand == BankerHandWager()


def test_the_bets_on_offer_are_listed_in_a_fixed_order() -> None:
    assert RULES.side_bets.offered == (SideBet.DRAGON, SideBet.SUPER_0, SideBet.BC)
    bets = ("banker_hand", "bc", "super_0", "dragon", "tie")
    everything = load_rules("bicycle", side_bets={bet: {} for bet in bets})
    assert everything.side_bets.offered == tuple(SideBet)


@pytest.mark.parametrize("cards", [(), (Card("3", "h"),) * 2, (Card("3", "h"),) * 4])
def test_S6_only_three_cards_have_a_bc_bonus(cards: tuple[Card, ...]) -> None:
    with pytest.raises(ValueError, match=f"{len(cards)} cards have no BC bonus"):
        BCBonus().payoff(cards)


@pytest.mark.parametrize("num_cards", [2, 5])
def test_S7_only_three_and_four_cards_have_a_dragon_payout(num_cards: int) -> None:
    with pytest.raises(ValueError, match=f"a hand of {num_cards} cards has no Dragon payout"):
        DragonBonus().payoff(9, num_cards, SuitClass.SUITED)


@pytest.mark.parametrize("bet", SideBet)
def test_the_sheet_bicycle_offers_no_side_bet(bet: SideBet) -> None:
    with pytest.raises(ValueError, match=f"side bet '{bet.value}' is not offered by these rules"):
        load_rules("bicycle").side_bets.payoff(bet, (Card("3", "h"),) * 3, 3, (9, 9))
