"""Combined play: what the wager and side stakes that ride along are worth together on a full shoe."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, SuitClass, load_rules

BONUS = load_rules("bicycle_bonus")
BONUS_STAKES = {"dragon": Fraction(1, 20), "super_0": Fraction(1, 9), "bc": Fraction(1, 50)}


def refused(call: Any, *parts: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


def suited_player(seed: int = 5) -> TabularPolicy:
    """Free moves that depend on the suit class."""
    rng = np.random.default_rng(seed)
    return TabularPolicy.from_callable(
        BONUS, "player", lambda hand, choices, suits: Fraction(int(rng.integers(0, 5)), 4), with_suits=True
    )


def test_the_wager_and_its_side_stakes_add_up() -> None:
    """Expectations add; the variance is not a sum, because the same cards settle everything."""
    player = suited_player()
    by_bet = {bet: solver.side_bet(BONUS, bet, player) for bet in BONUS_STAKES}
    found = solver.evaluate(BONUS, player, "logical_way", side_stakes=BONUS_STAKES)
    alone = solver.evaluate(BONUS, player, "logical_way", side_stakes={"dragon": Fraction(1, 10**12)})
    base = alone.ev - by_bet["dragon"].ev / 10**12
    assert found.ev == base + sum(stake * by_bet[bet].ev for bet, stake in BONUS_STAKES.items())
    assert found.joint_totals == alone.joint_totals
    apart = sum(stake**2 * by_bet[bet].variance for bet, stake in BONUS_STAKES.items())
    assert found.variance != alone.variance + apart
    values = {
        role: solver.action_values(BONUS, role, other, side_stakes=BONUS_STAKES)
        for role, other in (("player", "logical_way"), ("banker", player))
    }
    assert values["player"].ev(player) == found.ev
    assert values["banker"].ev(policies.get("logical_way", BONUS, "banker")) == -found.ev


def test_a_policy_by_hand_plays_every_suit_class_alike() -> None:
    by_hand = TabularPolicy.from_totals(BONUS, "player", {0, 1, 2, 3, 4, 6})
    by_class = TabularPolicy.from_callable(
        BONUS, "player", lambda hand, choices, suits: sum(hand) % 10 == 6, with_suits=True
    )
    arguments = {"banker": "logical_way", "side_stakes": {"dragon": 1}}
    assert solver.evaluate(BONUS, by_hand, **arguments) == solver.evaluate(BONUS, by_class, **arguments)
    answers = [
        solver.best_response(BONUS, "banker", player, side_stakes={"dragon": 1})
        for player in (by_hand, by_class)
    ]
    assert answers[0].ev == answers[1].ev
    found = [solver.nash_conv(BONUS, p, **arguments) for p in (by_hand, by_class)]
    assert found[0] == found[1]
    assert solver.side_bet(BONUS, "super_0", by_hand) == solver.side_bet(BONUS, "super_0", by_class)


def test_levels_tell_suit_classes_apart_while_there_is_a_dragon_stake() -> None:
    by_total, by_hand = (
        solver.best_response(BONUS, "player", "logical_way", level, side_stakes={"dragon": "1/20"}).table[()]
        for level in ("total", "hand")
    )
    sixes = {decision.hand: decision.best for decision in by_total if decision.hand.startswith("6 ")}
    assert sixes == {"6 suited": Action.DRAW, "6 same colour": Action.DRAW, "6 off suit": Action.STAND}
    assert len(by_total) == 30
    assert [decision.hand for decision in by_hand[:3]] == [
        "0 0 0 suited",
        "0 0 0 same colour",
        "0 0 0 off suit",
    ]
    assert sum(decision.prob for decision in by_total) == sum(decision.prob for decision in by_hand) == 1


def test_a_dragon_stake_moves_the_banker_too() -> None:
    """The player who draws on suited sixes draws more often; the banker's own answer is worth more."""
    solved = solver.equilibrium(BONUS, side_stakes={"dragon": "1/20"})
    assert (solved.exploitability, solved.unique) == (0, True)
    assert solved.lower == solved.upper == solved.value
    drawn = {
        suits: {
            solved.player.draw_prob(hand, (), suits) for hand in solved.player.states.hands if sum(hand) == 6
        }
        for suits in SuitClass
    }
    assert drawn == {SuitClass.SUITED: {1}, SuitClass.SAME_COLOUR: {1}, SuitClass.OFF_SUIT: {0}}
    assert solver.nash_conv(BONUS, solved.player, solved.banker, side_stakes={"dragon": "1/20"}) == 0


def test_a_bc_stake_changes_what_the_hand_is_worth_and_no_decision() -> None:
    plain, staked = (
        solver.equilibrium(BONUS, side_stakes=stakes) for stakes in (None, {"bc": Fraction(1, 10)})
    )
    assert staked.value == plain.value + solver.side_bet(BONUS, "bc").ev / 10
    assert staked.player.draw_probs == plain.player.draw_probs
    assert staked.banker.draw_probs == plain.banker.draw_probs


def test_the_order_of_the_stakes_is_nothing() -> None:
    backwards = dict(reversed(BONUS_STAKES.items()))
    found = [
        solver.evaluate(BONUS, "logical_way", "logical_way", side_stakes=s) for s in (BONUS_STAKES, backwards)
    ]
    assert found[0] == found[1]


# Bad arguments


def test_a_depleted_shoe_without_suits() -> None:
    shoe = (143, 48, 48, 48, 48, 48, 48)
    for stakes in ({"dragon": 1}, {"bc": 1}):
        refused(
            lambda stakes=stakes: solver.equilibrium(BONUS, shoe=shoe, side_stakes=stakes),
            f"shoe {shoe!r}: suits settle a side bet, so counts[value, suit]",
            "c, d, h, s",
        )
    assert solver.equilibrium(BONUS, shoe=shoe, side_stakes={"super_0": "1/9"}).exploitability == 0


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        ([{"dragon": 1}], "side_stakes [{'dragon': 1}]: a mapping such as"),
        ("dragon", "side_stakes 'dragon': a mapping such as"),
        ({"tie": 1}, "side bet 'tie' is not offered by 'bicycle_bonus'; offered: dragon, super_0, bc"),
        ({"dragon": 0}, "side_stakes dragon 0: must be greater than 0"),
        ({"dragon": 0.5}, "side_stakes dragon 0.5: must be exact"),
    ],
)
def test_stakes_that_are_not_possible(stakes: Any, message: str) -> None:
    calls = [
        lambda: solver.evaluate(BONUS, "logical_way", "logical_way", side_stakes=stakes),
        lambda: solver.action_values(BONUS, "player", "logical_way", side_stakes=stakes),
        lambda: solver.best_response(BONUS, "player", "logical_way", side_stakes=stakes),
        lambda: solver.equilibrium(BONUS, side_stakes=stakes),
        lambda: solver.nash_conv(BONUS, "logical_way", "logical_way", side_stakes=stakes),
        lambda: solver.exploitability(BONUS, "logical_way", "logical_way", side_stakes=stakes),
        lambda: solver.worst_case_gap(BONUS, "logical_way", "player", side_stakes=stakes),
    ]
    for call in calls:
        refused(call, message)


def test_a_stake_that_the_house_holds_has_no_equilibrium() -> None:
    for call in (
        lambda: solver.equilibrium("uk_1994_player", side_stakes={"tie": 1}),
        lambda: solver.worst_case_gap("uk_1994_player", "logical_way", "banker", side_stakes={"tie": 1}),
    ):
        refused(
            call, "side_stakes tie", "not the banker but the House", "allowed are bets that the banker holds"
        )


def test_a_policy_by_suit_class_where_suits_are_out_of_sight() -> None:
    refused(
        lambda: solver.evaluate(BONUS, suited_player(), "logical_way", side_stakes={"super_0": 1}),
        "with a Dragon stake; here player seat 0 of num_players=1 is needed",
    )
