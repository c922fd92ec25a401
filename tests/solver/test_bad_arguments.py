"""Bad arguments: one clear line that names the field and the value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import load_rules

RULES = load_rules("bicycle")
PLAYER = policies.get("logical_way", RULES, "player")
BANKER = policies.get("logical_way", RULES, "banker")
FULL = (144, 48, 48, 48, 48, 48, 48)

CALLS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **options: solver.evaluate(RULES, PLAYER, BANKER, **options),
    "action_values": lambda **options: solver.action_values(RULES, "player", BANKER, **options),
    "best_response": lambda **options: solver.best_response(RULES, "player", BANKER, **options),
    "equilibrium": lambda **options: solver.equilibrium(RULES, **options),
    "nash_conv": lambda **options: solver.nash_conv(RULES, PLAYER, BANKER, **options),
    "exploitability": lambda **options: solver.exploitability(RULES, PLAYER, BANKER, **options),
    "worst_case_gap": lambda **options: solver.worst_case_gap(RULES, PLAYER, "player", **options),
}
BAD_SHOES = {
    "too few entries": ((1, 2, 3), "one count for each of the point values (0, 1, 2, 3, 4, 5, 6) is needed"),
    "too many entries": ((*FULL, 1), "one count for each of the point values"),
    "more cards than the packs hold": (
        (145, *FULL[1:]),
        "the count of value 0 must be a whole number from 0 to 144",
    ),
    "negative": ((144, -1, *FULL[2:]), "the count of value 1 must be a whole number from 0 to 48"),
    "no whole number": (
        (144, 48, 2.5, *FULL[3:]),
        "the count of value 2 must be a whole number from 0 to 48",
    ),
    "too few cards": ((7, 0, 0, 0, 0, 0, 0), "holds 7 cards; one hand may need 8"),
}


def refused(call: Callable[[], Any], *parts: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in parts:
        assert part in message


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("fault", BAD_SHOES)
def test_a_shoe_that_does_not_fit(function: str, fault: str) -> None:
    shoe, message = BAD_SHOES[fault]
    refused(lambda: CALLS[function](shoe=shoe), f"shoe {shoe!r}", message)


def test_a_shoe_with_replacement_must_hold_a_card() -> None:
    rules = load_rules("bicycle", num_decks="infinite")
    refused(lambda: solver.equilibrium(rules, shoe=[0] * 7), "holds 0 cards; one hand may need 1")


def test_a_shoe_may_be_a_list_or_an_array() -> None:
    wanted = solver.evaluate(RULES, PLAYER, BANKER).ev
    for shoe in (list(FULL), np.array(FULL), np.array(FULL, dtype=np.uint8)):
        assert solver.evaluate(RULES, PLAYER, BANKER, shoe).ev == wanted


@pytest.mark.parametrize(
    ("function", "option"),
    [
        ("best_response", "level"),
        ("equilibrium", "player_level"),
        ("equilibrium", "banker_level"),
        ("nash_conv", "player_level"),
        ("exploitability", "banker_level"),
        ("worst_case_gap", "player_level"),
    ],
)
@pytest.mark.parametrize("level", ["composition", "", None, 3])
def test_a_level_that_is_not_known(function: str, option: str, level: Any) -> None:
    refused(lambda: CALLS[function](**{option: level}), f"level {level!r}", "hand, total")


@pytest.mark.parametrize("role", ["dealer", "", None, 1])
def test_a_role_that_is_not_known(role: Any) -> None:
    for call in (
        lambda: solver.best_response(RULES, role, BANKER),
        lambda: solver.action_values(RULES, role, BANKER),
        lambda: solver.worst_case_gap(RULES, PLAYER, role),
    ):
        refused(call, f"role {role!r}", "player, banker")


def test_a_role_may_be_a_text() -> None:
    found = solver.action_values(RULES, "banker", PLAYER)
    assert found.states.role == "banker"
    assert found.reach.sum() == found.reach_unit


def test_a_policy_for_the_other_role() -> None:
    refused(
        lambda: solver.evaluate(RULES, BANKER, BANKER),
        "is for banker seat 1",
        "here player seat 0 of num_players=1 is",
    )
    refused(
        lambda: solver.evaluate(RULES, PLAYER, PLAYER),
        "is for player seat 0",
        "here banker seat 1 of num_players=1 is",
    )
    refused(
        lambda: solver.best_response(RULES, "player", PLAYER), "is for player seat 0", "here banker seat 1"
    )
    refused(
        lambda: solver.worst_case_gap(RULES, BANKER, "player"), "is for banker seat 1", "here player seat 0"
    )


def test_a_policy_for_several_players() -> None:
    several = policies.get("logical_way", RULES, "banker", num_players=3)
    seated = policies.get("logical_way", RULES, "player", num_players=3, seat=1)
    refused(
        lambda: solver.evaluate(RULES, PLAYER, several),
        "num_players=3",
        "here banker seat 1 of num_players=1",
    )
    refused(
        lambda: solver.evaluate(RULES, seated, BANKER), "num_players=3", "here player seat 0 of num_players=1"
    )


def test_a_policy_for_other_cards_or_another_view() -> None:
    baccarat = load_rules("bicycle", num_initial_cards=2)
    seeing = load_rules("bicycle", banker_sees="card")
    for other in (baccarat, seeing):
        banker = policies.get("logical_way", other, "banker")
        refused(lambda banker=banker: solver.evaluate(RULES, PLAYER, banker), "here banker seat 1")


def test_a_policy_that_other_rules_allow_but_these_forbid() -> None:
    """A table made under free rules may draw on 7; the bonus sheet forbids that (S3)."""
    bonus = load_rules("bicycle_bonus")
    free = TabularPolicy.from_totals(RULES, "player", range(8))
    banker = policies.get("logical_way", bonus, "banker")
    parts = ("draw_prob", "total 7", "'bicycle_bonus' forces the player to STAND on 7")
    refused(lambda: solver.evaluate(bonus, free, banker), *parts)
    refused(lambda: solver.best_response(bonus, "banker", free), *parts)
    refused(lambda: solver.nash_conv(bonus, free, banker), *parts)
    refused(lambda: solver.worst_case_gap(bonus, free, "player"), *parts)


def test_a_policy_made_for_other_rules_that_is_legal_here_is_taken() -> None:
    bonus = load_rules("bicycle_bonus")
    own = [policies.get("logical_way", bonus, role) for role in ("player", "banker")]
    assert solver.evaluate(bonus, PLAYER, BANKER) == solver.evaluate(bonus, *own)


def test_the_message_says_which_rules() -> None:
    with pytest.raises(
        ValueError, match=re.escape("needed, with the cards and visible choices of 'bicycle'")
    ):
        solver.evaluate(RULES, BANKER, BANKER)


@pytest.mark.parametrize("shoe", [5, "0123456", {0: 3}])
def test_a_shoe_that_is_no_list_of_counts_is_refused(shoe: object) -> None:
    with pytest.raises(ValueError, match="one count for each of the point values"):
        solver.equilibrium(load_rules("bicycle"), shoe=shoe)


@pytest.mark.parametrize("policy", [None, 5, "typo"])
def test_what_is_no_policy_is_refused(policy: Any) -> None:
    refused(lambda: solver.evaluate(RULES, policy, BANKER), "policy", repr(policy))
    refused(lambda: solver.best_response(RULES, "banker", policy), "policy", repr(policy))
    refused(lambda: solver.worst_case_gap(RULES, policy, "player"), "policy", repr(policy))
