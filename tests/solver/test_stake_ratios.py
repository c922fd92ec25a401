"""From which stake on a side bet another move is right."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from pan9_gym import solver
from pan9_gym.rules import Action, load_rules

BONUS = load_rules("bicycle_bonus")


def best_moves(role: str, bet: str, stake: Fraction, level: str, rules: Any) -> dict[Any, Action]:
    answer = solver.best_response(rules, role, "logical_way", level, side_stakes={bet: stake})
    return {
        (decision.hand, decision.choices): decision.best for row in answer.table.values() for decision in row
    }


@pytest.mark.parametrize(
    ("sheet", "role", "bet", "level"),
    [
        ("bicycle_bonus", "player", "dragon", "total"),
        ("bicycle_bonus", "player", "dragon", "hand"),
        ("bicycle_bonus", "player", "super_0", "hand"),
        ("bicycle_bonus", "banker", "super_0", "hand"),
        ("uk_1994_house", "player", "tie", "hand"),
    ],
)
def test_the_best_move_changes_at_the_ratio_and_nowhere_else(
    sheet: str, role: str, bet: str, level: str
) -> None:
    for total in (5, 6):
        found = solver.stake_ratios(sheet, bet, role, total=total, level=level)
        assert found
        ratios = {entry.ratio for entry in found if entry.ratio}
        stakes = {Fraction(1, 10**6), Fraction(10**6)}
        for ratio in sorted(ratios)[:: max(1, len(ratios) // 3)]:
            stakes |= {ratio * Fraction(999, 1000), ratio, ratio * Fraction(1001, 1000)}
        for stake in stakes:
            moves = best_moves(role, bet, stake, level, sheet)
            for entry in found:
                below = entry.ratio is not None and stake < entry.ratio
                even = stake == entry.ratio
                wanted = Action(1 - entry.above) if below else Action.STAND if even else entry.above
                assert moves[entry.hand, entry.choices] is wanted


def test_S7_drawing_on_a_six_pays_from_these_dragon_stakes_on() -> None:
    """Per suit class, and for a player who does not look at his suits (fresh shoe, logical banker)."""
    by_class = solver.stake_ratios(BONUS, "dragon")
    (blind,) = solver.stake_ratios(BONUS, "dragon", blind=True)
    assert {entry.hand: entry.ratio for entry in by_class} == {
        "6 suited": Fraction(22729575997833, 1271445374566675),
        "6 same colour": Fraction(92696633543291, 3152241631965300),
        "6 off suit": Fraction(186290402746667, 1383160024774500),
    }
    assert (blind.hand, blind.ratio) == ("6", Fraction(212392945871601, 3263066648972800))
    assert {entry.above for entry in (*by_class, blind)} == {Action.DRAW}


@pytest.mark.parametrize("level", ["total", "hand"])
def test_blind_is_the_mean_over_the_suit_classes(level: str) -> None:
    by_class = solver.stake_ratios(BONUS, "dragon", level=level)
    blind = solver.stake_ratios(BONUS, "dragon", level=level, blind=True)
    for entry in blind:
        parts = [part for part in by_class if part.hand.startswith(f"{entry.hand} ")]
        assert sum(part.prob for part in parts) == entry.prob
        for field in ("gain", "gain_per_stake"):
            mean = sum(part.prob * getattr(part, field) for part in parts) / entry.prob
            assert getattr(entry, field) == mean
        if level == "hand":  # what the wager gains does not depend on suits
            assert {part.gain for part in parts} == {entry.gain}


def test_a_bet_that_a_choice_does_not_touch_has_no_ratio() -> None:
    for bet, role in (("bc", "player"), ("bc", "banker"), ("dragon", "banker")):
        for total in (5, 6):
            for entry in solver.stake_ratios(BONUS, bet, role, total=total):
                assert (entry.gain_per_stake, entry.ratio) == (0, None)
                assert entry.above is (Action.DRAW if entry.gain > 0 else Action.STAND)


def test_a_stake_that_the_house_holds_does_not_touch_the_banker() -> None:
    for total in range(10):
        assert {e.ratio for e in solver.stake_ratios("uk_1994_player", "tie", "banker", total=total)} == {
            None
        }
    against_him = load_rules("uk_1994_player", side_bets={"tie": {"payout": 7, "against": "banker"}})
    found = [e for total in range(10) for e in solver.stake_ratios(against_him, "tie", "banker", total=total)]
    assert any(entry.ratio for entry in found)


def test_forced_moves_have_no_entry() -> None:
    assert (
        solver.stake_ratios(BONUS, "dragon", total=4) == solver.stake_ratios(BONUS, "dragon", total=8) == ()
    )


def test_where_the_wager_is_indifferent_any_stake_decides() -> None:
    """With a six, a three and six kings left the player's 6 K K wins, whether he draws or not."""
    shoe = [[2, 2, 1, 1], [0] * 4, [0] * 4, [1, 0, 0, 0], [0] * 4, [0] * 4, [1, 0, 0, 0]]
    found = solver.stake_ratios(BONUS, "dragon", shoe=shoe)
    assert [entry.hand for entry in found] == ["6 suited", "6 same colour", "6 off suit"]
    for entry in found:
        assert (entry.gain, entry.ratio, entry.above) == (0, 0, Action.DRAW)
        assert entry.gain_per_stake > 0


def test_ratios_go_to_json() -> None:
    found = [entry.to_dict() for entry in solver.stake_ratios(BONUS, "dragon")]
    data = json.loads(json.dumps(found))
    assert data[0]["hand"] == "6 suited"
    assert Fraction(data[0]["ratio"]) == Fraction(22729575997833, 1271445374566675)
    assert data[0]["above"] == "DRAW"


@pytest.mark.parametrize("total", [10, -1, "6", 6.0, None, True])
def test_a_total_that_does_not_exist(total: Any) -> None:
    with pytest.raises(ValueError, match=r"^total .*: must be a whole number from 0 to 9$"):
        solver.stake_ratios(BONUS, "dragon", total=total)


def test_other_bad_arguments() -> None:
    for options, message in (
        ({"level": "composition"}, "level 'composition'"),
        ({"role": "dealer"}, "role 'dealer'"),
        ({"shoe": (1, 2)}, "shoe"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.stake_ratios(BONUS, "dragon", **options)
