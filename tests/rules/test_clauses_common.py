"""Clauses C1-C3, T4 and T6: the pack, the totals, and what the California sheets have in common."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pan9_gym.rules import RulesConfig, Visible, load_rules
from pan9_gym.rules.cards import parse_cards
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.settlement import wager_payoff

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
CALIFORNIA = ("bicycle", "bicycle_bonus", "hawaiian_gardens")


def total_of(rules: RulesConfig, cards: str) -> int:
    return hand_total(card_values(rules, parse_cards(cards)))


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(
    ("rank", "points"),
    [("A", 1), ("2", 2), ("3", 3), ("4", 4), ("5", 5), ("6", 6), ("J", 0), ("Q", 0), ("K", 0)],
)
def test_C1_points_of_each_rank(sheet: str, rank: str, points: int) -> None:
    assert card_values(load_rules(sheet), parse_cards(rank)) == (points,)


@pytest.mark.parametrize("sheet", SHEETS)
def test_C1_a_pack_has_nine_ranks_in_four_suits(sheet: str) -> None:
    one_pack = load_rules(sheet, num_decks=1)
    assert one_pack.values == (0, 1, 2, 3, 4, 5, 6)
    assert one_pack.initial_counts == (12, 4, 4, 4, 4, 4, 4)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("rank", ["7", "8", "9", "10"])
def test_C1_sevens_to_tens_are_not_in_the_pack(sheet: str, rank: str) -> None:
    with pytest.raises(
        ValueError, match=rf"card '{rank}h' is not in the pack of '{sheet}'; ranks allowed: A, 2"
    ):
        card_values(load_rules(sheet), parse_cards(f"A 2 {rank}h"))


@pytest.mark.parametrize(
    ("sheet", "num_decks", "num_cards", "counts"),
    [
        ("bicycle", 12, 432, (144, 48, 48, 48, 48, 48, 48)),
        ("bicycle_bonus", 12, 432, (144, 48, 48, 48, 48, 48, 48)),
        ("hawaiian_gardens", 12, 432, (144, 48, 48, 48, 48, 48, 48)),
        ("uk_1994_house", 8, 288, (96, 32, 32, 32, 32, 32, 32)),
        ("uk_1994_player", 8, 288, (96, 32, 32, 32, 32, 32, 32)),
    ],
)
def test_C2_packs_and_cards(sheet: str, num_decks: int, num_cards: int, counts: tuple[int, ...]) -> None:
    rules = load_rules(sheet)
    assert rules.num_decks == num_decks
    assert rules.initial_counts == counts
    assert sum(rules.initial_counts) == num_cards


def test_C2_another_number_of_packs_may_be_assumed_for_hawaiian_gardens() -> None:
    rules = load_rules("hawaiian_gardens", num_decks=8)
    assert sum(rules.initial_counts) == 288
    assert rules.fingerprint != load_rules("hawaiian_gardens").fingerprint


def test_C2_infinite_packs_mean_cards_with_replacement() -> None:
    rules = load_rules("bicycle", num_decks="infinite")
    assert rules.with_replacement
    assert rules.num_decks is None
    assert rules.initial_counts == (12, 4, 4, 4, 4, 4, 4)
    assert not load_rules("bicycle").with_replacement


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("A A Q 5", 7),
        ("6 5 J 3", 4),
        ("2 K Q 6", 8),
        ("5 5 K 6", 6),
        ("3 4 2", 9),
        ("5 5 K K", 0),
        ("6 6 4", 6),
        ("6 4 3", 3),
        ("6 4 3 5", 8),
    ],
)
def test_C3_worked_examples(sheet: str, cards: str, total: int) -> None:
    assert total_of(load_rules(sheet), cards) == total


@pytest.mark.parametrize("sheet", SHEETS)
def test_T1_U1_three_cards_are_dealt_before_the_choice(sheet: str) -> None:
    assert load_rules(sheet).num_initial_cards == 3


@pytest.mark.parametrize("sheet", SHEETS)
def test_T4_choices_are_made_in_turn_and_are_seen_but_no_card_is(sheet: str) -> None:
    rules = load_rules(sheet)
    assert rules.choices == "in_turn"
    assert rules.banker_sees is Visible.CHOICE


@pytest.mark.parametrize("sheet", SHEETS)
def test_T4_the_alternative_simultaneous_is_another_rule_set(sheet: str) -> None:
    rules = load_rules(sheet, choices="simultaneous")
    assert rules.choices == "simultaneous"
    assert rules.fingerprint != load_rules(sheet).fingerprint


@pytest.mark.parametrize("seen", [Visible.NOTHING, Visible.CARD])
def test_T4_what_the_banker_sees_has_alternatives(seen: Visible) -> None:
    rules = load_rules("bicycle", banker_sees=seen.value)
    assert rules.banker_sees is seen
    assert rules.fingerprint != load_rules("bicycle").fingerprint


@pytest.mark.parametrize("sheet", CALIFORNIA)
def test_T6_even_money(sheet: str) -> None:
    rules = load_rules(sheet)
    assert wager_payoff(rules, 9, 8) == 1
    assert wager_payoff(rules, 8, 9) == -1


@pytest.mark.parametrize("sheet", CALIFORNIA)
def test_T6_other_odds_are_an_alternative(sheet: str) -> None:
    rules = load_rules(sheet, payout="19/20")
    assert wager_payoff(rules, 9, 8) == Fraction(19, 20)
    assert wager_payoff(rules, 8, 9) == -1


@pytest.mark.parametrize("sheet", CALIFORNIA)
def test_T6_the_room_never_holds_the_bank(sheet: str) -> None:
    rules = load_rules(sheet)
    assert rules.bank == "player"
    assert not rules.house_banks_single_wager


@pytest.mark.parametrize("sheet", SHEETS)
def test_T3_exact_values_take_full_cover_for_granted(sheet: str) -> None:
    assert any("full cover" in note and "T3" in note for note in load_rules(sheet).assumptions(3))
