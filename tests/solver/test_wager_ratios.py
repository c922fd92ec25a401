"""W1: the exact ratio of unequal wagers is where the banker's best response turns over."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, RulesConfig, load_rules

JUST = Fraction(1, 10**12)
TINY = {"point_values": {"A": 1, "5": 5, "K": 0, "6": 6}, "num_decks": 2, "num_initial_cards": 1}


@cache
def ratios_of(sheet: str, number: int) -> tuple[solver.WagerRatio, ...]:
    return solver.wager_ratios(load_rules(sheet), ["logical_way"] * number)


def mixed(ratios: tuple[solver.WagerRatio, ...]) -> list[solver.WagerRatio]:
    return [ratio for ratio in ratios if len(set(ratio.choices)) == 2]


def money(ratio: solver.WagerRatio, quotient: Fraction, shares: tuple[int, ...]) -> list[Fraction]:
    """Wagers with `quotient` times as much on standing as on drawing hands, split unevenly by `shares`."""
    on = {
        token: sum(share for share, own in zip(shares, ratio.choices, strict=True) if own == token)
        for token in ("stand", "draw")
    }
    factor = {"stand": quotient, "draw": Fraction(1)}
    return [
        factor[token] * Fraction(share, on[token]) for token, share in zip(ratio.choices, shares, strict=True)
    ]


def answer(rules: RulesConfig, number: int, wagers: list[Fraction], ratio: solver.WagerRatio) -> Action:
    found = solver.banker_best_response(rules, ["logical_way"] * number, wagers, "total")
    return found.table[ratio.choices][ratio.total].best


@pytest.mark.parametrize(("sheet", "number"), [("bicycle", 2), ("hawaiian_gardens", 2), ("bicycle", 3)])
def test_the_best_response_turns_over_at_the_ratio(sheet: str, number: int) -> None:
    rules = load_rules(sheet)
    assert len(mixed(ratios_of(sheet, number))) == 2**number - 2
    every = mixed(ratios_of(sheet, number))
    some = every[:2] + every[5:]  # one and two drawers; each seat with each kind of hand
    for ratio in some:
        assert ratio.ratio is not None
        shares = (1, 3, 7)[:number]
        below, above = ratio.ratio - JUST, ratio.ratio + JUST
        assert answer(rules, number, money(ratio, below, shares), ratio) is Action.STAND
        assert answer(rules, number, money(ratio, ratio.ratio, shares), ratio) is Action.STAND  # equal: stand
        assert answer(rules, number, money(ratio, above, shares), ratio) is Action.DRAW


@pytest.mark.parametrize("sheet", ["bicycle", "hawaiian_gardens", "bicycle_bonus"])
@pytest.mark.parametrize("number", [2, 3])
def test_the_gain_is_linear_in_the_wagers(sheet: str, number: int) -> None:
    """gain = sum of wager times `gains`, for wagers unrelated to those from which the gains were found."""
    wagers = (Fraction(2, 7), Fraction(11), Fraction(5, 3))[:number]
    found = solver.banker_best_response(load_rules(sheet), ["logical_way"] * number, wagers, "total")
    assert len(ratios_of(sheet, number)) == 2**number
    for ratio in ratios_of(sheet, number):
        gain = sum(wager * gain for wager, gain in zip(wagers, ratio.gains, strict=True))
        assert found.table[ratio.choices][6].draw_gain == gain


@pytest.mark.parametrize("number", [1, 2, 3])
def test_no_ratio_where_all_hands_are_of_one_kind(number: int) -> None:
    one_kind = [ratio for ratio in ratios_of("bicycle", number) if len(set(ratio.choices)) == 1]
    assert [ratio.ratio for ratio in one_kind] == [None, None]
    for ratio in one_kind:
        assert {gain > 0 for gain in ratio.gains} == {ratio.choices[0] == "stand"}


@pytest.mark.parametrize("total", [0, 5, 7, 9])
def test_no_ratio_on_any_other_total(total: int) -> None:
    """W1: only 6 is in doubt; elsewhere both kinds of hands ask for the same move."""
    for ratio in solver.wager_ratios(load_rules("bicycle"), ["logical_way"] * 2, total):
        assert (ratio.total, ratio.ratio) == (total, None)
        assert {gain > 0 for gain in ratio.gains} == {total < 6}


def test_equal_wagers_on_one_hand_of_each_kind_stand() -> None:
    """With two players the ratio is above 1: equal money on both kinds is a stand on 6."""
    for ratio in mixed(ratios_of("bicycle", 2)):
        assert ratio.ratio is not None
        assert ratio.ratio > 1
        assert answer(load_rules("bicycle"), 2, [Fraction(1)] * 2, ratio) is Action.STAND


def test_seats_of_one_kind_that_gain_differently_leave_a_gap_in_which_the_split_decides() -> None:
    rules = load_rules("bicycle")
    players = [
        TabularPolicy.from_totals(rules, "player", draw_on, num_players=3, seat=seat)
        for seat, draw_on in enumerate([range(6), range(5), range(6)])
    ]
    by_choices = {ratio.choices: ratio for ratio in solver.wager_ratios(rules, players)}
    ratio = by_choices["stand", "stand", "draw"]
    one, two, drawn = ratio.gains
    assert one != two
    assert ratio.ratio == -drawn / min(one, two)
    assert ratio.lower_ratio == -drawn / max(one, two)
    assert ratio.lower_ratio < ratio.ratio

    def move(quotient: Fraction, first: Fraction) -> Action:
        """The best move with `quotient` units on the standing hands, a share `first` on the first."""
        wagers = [quotient * first, quotient * (1 - first), Fraction(1)]
        return solver.banker_best_response(rules, players, wagers, "total").table[ratio.choices][6].best

    nearly_all, nearly_none = 1 - JUST, JUST
    for first in (nearly_all, Fraction(1, 2), nearly_none):
        assert move(ratio.ratio + JUST, first) is Action.DRAW
        assert move(ratio.lower_ratio, first) is Action.STAND
    between = (ratio.lower_ratio + ratio.ratio) / 2
    more_to_the_first = one > two
    assert move(between, nearly_all) is (Action.DRAW if more_to_the_first else Action.STAND)
    assert move(between, nearly_none) is (Action.STAND if more_to_the_first else Action.DRAW)


@pytest.mark.parametrize(("sheet", "number"), [("bicycle", 2), ("hawaiian_gardens", 2), ("bicycle", 3)])
def test_equal_players_have_one_ratio(sheet: str, number: int) -> None:
    for ratio in ratios_of(sheet, number):
        assert ratio.lower_ratio == ratio.ratio
        assert ratio.in_doubt is (len(set(ratio.choices)) == 2)


def test_every_total_at_once() -> None:
    """W1: only 6 is in doubt."""
    found = solver.wager_ratios("bicycle", ["logical_way"] * 3, total=None)
    assert {ratio.total for ratio in found} == set(range(10))
    assert tuple(ratio for ratio in found if ratio.total == 6) == ratios_of("bicycle", 3)
    assert {ratio.total for ratio in found if ratio.in_doubt} == {6}


def test_a_pattern_that_never_arises_has_no_entry() -> None:
    found = solver.wager_ratios(load_rules("bicycle"), ["always_draw", "logical_way"])
    assert [ratio.choices for ratio in found] == [("draw", "stand"), ("draw", "draw")]


def test_a_total_that_no_hand_has_gives_no_entry() -> None:
    rules = load_rules("bicycle", **TINY)
    assert solver.wager_ratios(rules, ["logical_way"] * 2, total=3) == ()
    assert len(solver.wager_ratios(rules, ["logical_way"] * 2, total=6)) == 4


@pytest.mark.parametrize("total", [10, -1, 6.0, True, "6"])
def test_a_total_out_of_range_is_refused(total: object) -> None:
    with pytest.raises(ValueError, match=r"^total .*: must be a whole number from 0 to 9$"):
        solver.wager_ratios(load_rules("bicycle"), ["logical_way"] * 2, total)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [[], "logical_way", 2])
def test_players_that_are_no_list_are_refused(players: object) -> None:
    with pytest.raises(ValueError, match=r"players"):
        solver.wager_ratios(load_rules("bicycle"), players)  # type: ignore[arg-type]


def test_a_banker_who_sees_nothing_has_no_ratio() -> None:
    with pytest.raises(ValueError, match=r"banker_sees 'nothing': under .* no pattern of choices decides"):
        solver.wager_ratios(load_rules("bicycle", banker_sees="nothing"), ["logical_way"] * 2)


def test_a_ratio_as_json() -> None:
    both, mixed, *_ = solver.wager_ratios("bicycle", ["logical_way"] * 2, total=np.int64(6))
    assert both.to_dict()["ratio"] is None
    assert Fraction(mixed.to_dict()["ratio"]) == mixed.ratio
    assert Fraction(mixed.to_dict()["lower_ratio"]) == mixed.lower_ratio
