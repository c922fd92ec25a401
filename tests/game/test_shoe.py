"""The shoe deals every order of the cards with the same probability, never a card that is not there.

Each chi-square test has a fixed seed, significance 1e-4, and a stated alternative against which its power is
computed (non-central chi-square), so that a test that would not notice is not mistaken for one that passed.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from pan9_gym.game import Shoe, StackedShoe
from pan9_gym.game.shoe import BLOCK_NUMBERS, ROW_CARDS, full_shoe
from pan9_gym.rules import RulesConfig, load_rules
from pan9_gym.rules.cards import Card, parse_cards

RULES = load_rules("bicycle")
INFINITE = load_rules("bicycle", num_decks="infinite")
ONE_PACK = load_rules("bicycle", num_decks=1)
COUNTS = {0: 144, 1: 48, 2: 48, 3: 48, 4: 48, 5: 48, 6: 48}
PROBS = np.array([1 / 3, *[1 / 9] * 6])
SIGNIFICANCE = 1e-4
WANTED_POWER = 0.99


def new_shoe(rules: RulesConfig = RULES, seed: int = 1, **options: Any) -> Shoe:
    return Shoe(rules, rng=np.random.default_rng(seed), **options)


def draw_all(shoe: Shoe, number: int) -> list[Any]:
    return [shoe.draw() for _ in range(number)]


# Counts


def test_c1_c2_a_full_shoe_is_twelve_packs_of_36() -> None:
    shoe = new_shoe()
    assert shoe.num_cards_left == 432
    assert shoe.counts() == Counter(COUNTS)


def test_c2_the_uk_shoe_is_eight_packs() -> None:
    assert new_shoe(load_rules("uk_1994_house")).num_cards_left == 288


def test_with_suits_every_kind_comes_once_a_pack() -> None:
    counts = new_shoe(with_suits=True).counts()
    assert set(counts.values()) == {12}
    assert {str(card) for card in counts} == {rank + suit for rank in "A23456JQK" for suit in "cdhs"}


@pytest.mark.parametrize("with_suits", [False, True])
def test_all_cards_dealt_are_the_cards_of_the_shoe(with_suits: bool) -> None:
    shoe = new_shoe(with_suits=with_suits)
    for _ in range(3):  # the third shoe is dealt from the order the second one left
        assert Counter(draw_all(shoe, 432)) == Counter(full_shoe(RULES, with_suits))
        assert shoe.num_cards_left == 0
        assert shoe.counts() == Counter()
        shoe.shuffle()


def test_counts_are_those_of_the_cards_not_yet_dealt() -> None:
    shoe = new_shoe()
    left = Counter(COUNTS)
    for number in range(1, 433):
        left[shoe.draw()] -= 1
        assert shoe.counts() == +left
        assert shoe.num_cards_left == 432 - number


def test_an_empty_shoe_says_so() -> None:
    shoe = new_shoe(ONE_PACK)
    draw_all(shoe, 36)
    with pytest.raises(ValueError, match="the shoe is empty: all 36 cards are dealt"):
        shoe.draw()


# Cut card, penetration, start_cards


@pytest.mark.parametrize(
    ("penetration", "cut"), [(1, 432), (0.75, 324), (Fraction(1, 3), 144), (0.5, 216), (0.7, 302)]
)
def test_the_cut_card_comes_up_after_its_part_of_the_shoe(penetration: Any, cut: int) -> None:
    shoe = new_shoe(penetration=penetration)
    draw_all(shoe, cut - 1)
    assert not shoe.cut_card_reached
    shoe.draw()
    assert shoe.cut_card_reached
    shoe.shuffle()
    assert not shoe.cut_card_reached


@pytest.mark.parametrize("penetration", [0, -0.5, 1.01, float("nan"), Fraction(0)])
def test_penetration_out_of_range(penetration: Any) -> None:
    with pytest.raises(ValueError, match=r"penetration .* must be greater than 0 and at most 1"):
        new_shoe(penetration=penetration)


def test_start_cards_leaves_a_random_number_in_its_range() -> None:
    shoe = new_shoe(start_cards=(60, 62))
    left = []
    for _ in range(300):
        left.append(shoe.num_cards_left)
        assert shoe.counts().total() == shoe.num_cards_left
        shoe.shuffle()
    assert set(left) == {60, 61, 62}
    assert min(Counter(left).values()) > 60  # a third each, four standard deviations allowed


def test_start_cards_may_be_one_number() -> None:
    assert new_shoe(start_cards=(8, 8)).num_cards_left == 8
    assert new_shoe(start_cards=(432, 432)).num_cards_left == 432


@pytest.mark.parametrize("start_cards", [(0, 5), (5, 4), (1, 433)])
def test_start_cards_out_of_range(start_cards: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"start_cards .* 1 <= low <= high <= 432"):
        new_shoe(start_cards=start_cards)


def test_cards_that_start_cards_dealt_out_are_not_dealt_again() -> None:
    shoe = new_shoe(start_cards=(100, 100))
    counts = shoe.counts()
    assert Counter(draw_all(shoe, 100)) == counts


# With replacement


def test_with_replacement_the_shoe_never_changes_and_never_ends() -> None:
    shoe = new_shoe(INFINITE, penetration=0.5)
    draw_all(shoe, 1000)
    assert shoe.num_cards_left is None
    assert not shoe.cut_card_reached
    assert shoe.counts() == Counter({0: 12, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4})


def test_with_replacement_a_shoe_that_is_never_shuffled_does_not_grow() -> None:
    shoe = new_shoe(INFINITE)
    draw_all(shoe, 100)
    most = 3 * BLOCK_NUMBERS + len(pickle.dumps(shoe))  # what is prepared comes and goes
    draw_all(shoe, 50_000)
    assert len(pickle.dumps(shoe)) < most


# Seeds


def sequence(seed: int, stir: bool) -> list[Any]:
    legacy, standard = import_module("numpy.random"), import_module("random")
    shoe = new_shoe(seed=seed, start_cards=(200, 432))
    cards = []
    for number in range(600):
        if stir:
            legacy.seed(number)
            standard.seed(number)
            standard.random()
            legacy.random()
        if shoe.num_cards_left == 0:
            shoe.shuffle()
        cards.append(shoe.draw())
    return cards


def test_the_same_seed_deals_the_same_cards_whatever_the_global_random_state() -> None:
    assert sequence(5, stir=True) == sequence(5, stir=False) == sequence(5, stir=True)
    assert sequence(5, stir=False) != sequence(6, stir=False)


# Stacked shoe


def test_a_stacked_shoe_deals_its_cards_in_order() -> None:
    shoe = StackedShoe(RULES, ["A", "5", " q ", Card("6"), "Ks"])
    assert [shoe.draw() for _ in range(5)] == [1, 5, 0, 6, 0]
    with pytest.raises(ValueError, match="has run out: 5 cards were listed and the hand needs more"):
        shoe.draw()


def test_a_stacked_shoe_with_suits_deals_cards() -> None:
    shoe = StackedShoe(RULES, ["As", "5h"], with_suits=True)
    assert (shoe.draw(), shoe.draw()) == parse_cards("As 5h")


@pytest.mark.parametrize(
    ("cards", "options", "message"),
    [
        (
            ["A", "7"],
            {},
            "card '7' is not in the pack of 'bicycle'; ranks allowed: A, 2, 3, 4, 5, 6, J, Q, K",
        ),
        (["A", "x"], {}, "card 'x' is not known"),
        (["As", "5"], {"with_suits": True}, "card '5': side stakes need a suit on every card, such as '5s'"),
        (["A"] * 49, {}, "card 'A': cards of its kind are listed 49 times; the shoe has 48"),
        (["J"] * 73 + ["K"] * 72, {}, "card 'J': cards of its kind are listed 145 times; the shoe has 144"),
        (
            ["As"] * 13,
            {"with_suits": True},
            "card 'As': cards of its kind are listed 13 times; the shoe has 12",
        ),
    ],
)
def test_a_stacked_shoe_refuses_impossible_cards(
    cards: list[str], options: dict[str, bool], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        StackedShoe(RULES, cards, **options)


def test_with_replacement_a_stacked_shoe_may_repeat_a_card() -> None:
    shoe = StackedShoe(INFINITE, ["A"] * 49)
    assert draw_all(shoe, 49) == [1] * 49  # type: ignore[arg-type]  # any card source


# Statistics


def chi_square(counts: np.ndarray, probs: np.ndarray) -> float:
    wanted = probs.ravel() * counts.sum()
    return float(((counts.ravel() - wanted) ** 2 / wanted).sum())


def check(statistic: float, noncentrality: float, degrees: int) -> None:
    """The statistic is below its threshold, and the alternative would have been above it."""
    threshold = chi2.isf(SIGNIFICANCE, degrees)
    assert ncx2.sf(threshold, degrees, noncentrality) > WANTED_POWER
    assert statistic < threshold
    assert statistic > chi2.ppf(SIGNIFICANCE, degrees)  # nor too good to be random


def noncentrality(number: int, probs: np.ndarray, favoured: np.ndarray, excess: float) -> float:
    """n sum (p1 - p0)^2 / p0, where the favoured cells come `excess` too often and the others make room."""
    mass = probs[favoured].sum()
    shifted = np.where(favoured, probs * (1 + excess), probs * (1 - excess * mass / (1 - mass)))
    assert shifted.sum() == pytest.approx(1)
    return float(number * ((shifted - probs) ** 2 / probs).sum())


def tally(cards: Sequence[int]) -> np.ndarray:
    return np.bincount(cards, minlength=7)


def pair_tally(first: Sequence[int], second: Sequence[int]) -> np.ndarray:
    return np.bincount(7 * np.array(first) + np.array(second), minlength=49).reshape(7, 7)


def test_first_card_has_the_probabilities_of_the_shoe() -> None:
    """Alternative: the 5 is dealt 5 % too often."""
    shoe, cards = new_shoe(seed=11), []
    for _ in range(250_000):
        shoe.shuffle()
        cards.append(shoe.draw())
    strength = noncentrality(len(cards), PROBS, np.arange(7) == 5, 0.05)
    check(chi_square(tally(cards), PROBS), strength, 6)


def test_first_two_cards_have_the_probabilities_of_dealing_without_replacement() -> None:
    """Alternative: the second card repeats the first one's value 5 % too often (or too rarely)."""
    number = 250_000
    shoe, first, second = new_shoe(ONE_PACK, seed=12), [], []
    for _ in range(number):
        shoe.shuffle()
        first.append(shoe.draw())
        second.append(shoe.draw())
    counts = np.array([12, 4, 4, 4, 4, 4, 4])
    probs = (np.outer(counts, counts) - np.diag(counts)) / (36 * 35)
    strength = noncentrality(number, probs, np.eye(7, dtype=bool), 0.05)
    check(chi_square(pair_tally(first, second), probs), strength, 48)
    # with replacement the pair would have other probabilities, and this test would see it
    other = np.outer(counts, counts) / 36**2
    assert chi_square(pair_tally(first, second), other) > chi2.isf(SIGNIFICANCE, 48)


def test_cards_beyond_the_first_row_have_the_probabilities_of_the_shoe() -> None:
    """The second 32 cards of a shoe. Alternative: the 5 is dealt 5 % too often there.

    Counts of m of N cards vary (N - m) / (N - 1) as much as independent ones; the statistic is scaled so.
    """
    shoes, size = 8000, 432
    shoe, cards = new_shoe(seed=13), []
    for _ in range(shoes):
        shoe.shuffle()
        draw_all(shoe, ROW_CARDS)
        cards += draw_all(shoe, ROW_CARDS)
    scale = (size - 1) / (size - ROW_CARDS)
    strength = noncentrality(len(cards), PROBS, np.arange(7) == 5, 0.05)
    check(scale * chi_square(tally(cards), PROBS), scale * strength, 6)


def test_a_card_is_as_likely_at_every_place_of_a_pack() -> None:
    """Where the ace of spades lies. Alternative: 10 % too often beyond the first row of 32 cards."""
    number, ace, places = 80_000, Card("A", "s"), []
    shoe = new_shoe(ONE_PACK, seed=14, with_suits=True)
    for _ in range(number):
        shoe.shuffle()
        place = 0
        while shoe.draw() != ace:
            place += 1
        places.append(place)
    probs = np.full(36, 1 / 36)
    strength = noncentrality(number, probs, np.arange(36) >= ROW_CARDS, 0.1)
    check(chi_square(np.bincount(places, minlength=36), probs), strength, 35)


@pytest.mark.parametrize("lag", [1, BLOCK_NUMBERS // ROW_CARDS])
def test_shoes_do_not_repeat_each_other_across_reshuffles(lag: int) -> None:
    """First cards of a shoe and of the next one, or of the one in the same row of the next block of numbers.

    Alternative: a value comes again 6 % too often.
    """
    number = 2 * 128 * 1000
    shoe, cards = new_shoe(seed=15), []
    for _ in range(number):
        shoe.shuffle()
        cards.append(shoe.draw())
        shoe.draw()  # so that the order of the cards moves too
    blocks = np.array(cards).reshape(-1, 2, lag)
    counts = pair_tally(blocks[:, 0].ravel().tolist(), blocks[:, 1].ravel().tolist())
    probs = np.outer(PROBS, PROBS)
    strength = noncentrality(int(counts.sum()), probs, np.eye(7, dtype=bool), 0.06)
    check(chi_square(counts, probs), strength, 48)


def test_with_replacement_each_card_is_independent_of_the_last() -> None:
    """Adjacent cards, many rows long. Alternative: a value comes again 5 % too often."""
    cards = np.array(draw_all(new_shoe(INFINITE, seed=16), 500_000)).reshape(-1, 2)
    counts = pair_tally(cards[:, 0].tolist(), cards[:, 1].tolist())
    probs = np.outer(PROBS, PROBS)
    strength = noncentrality(len(cards), probs, np.eye(7, dtype=bool), 0.05)
    check(chi_square(counts, probs), strength, 48)


def test_cards_left_by_start_cards_have_the_probabilities_of_the_shoe() -> None:
    """The cards dealt out unseen carry no information. Alternative: the 5 is dealt 8 % too often."""
    number = 20_000
    shoe, cards = new_shoe(ONE_PACK, seed=17, start_cards=(8, 20)), []
    for _ in range(number):
        shoe.shuffle()
        cards += draw_all(shoe, 6)
    scale = 35 / 30
    strength = noncentrality(len(cards), PROBS, np.arange(7) == 5, 0.08)
    check(scale * chi_square(tally(cards), PROBS), scale * strength, 6)


def test_the_cut_card_lies_where_the_decimal_says() -> None:
    """0.7 of 360 cards is 252, although 0.7 * 360 is a little less in floating point."""
    shoe = Shoe(load_rules("bicycle", num_decks=10), rng=np.random.default_rng(1), penetration=0.7)
    for _ in range(251):
        shoe.draw()
    assert not shoe.cut_card_reached
    shoe.draw()
    assert shoe.cut_card_reached
