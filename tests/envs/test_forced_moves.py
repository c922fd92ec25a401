"""Totals on which a sheet leaves no choice: masked, replaced, refused or skipped (S3, H4, U2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pan9_gym import Action
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv

Deal = Callable[..., list[str]]

STAND, DRAW = Action.STAND, Action.DRAW
OF_TOTAL = ["K K K", "A K K", "2 K K", "3 K K", "4 K K", "5 K K", "6 K K", "6 A K", "6 2 K", "6 3 K"]

FREE = [[1, 1]] * 10
S3 = [[0, 1]] * 5 + [[1, 1]] * 2 + [[1, 0]] * 3  # draw on 0-4, free on 5 and 6, stand on 7-9
U2 = [[0, 1]] * 6 + [[1, 0]] * 4  # draw on 0-5, stand on 6-9
MASKS = {
    ("bicycle", "player"): FREE,
    ("bicycle", "banker"): FREE,
    ("bicycle_bonus", "player"): S3,
    ("bicycle_bonus", "banker"): S3,
    ("hawaiian_gardens", "player"): FREE,
    ("hawaiian_gardens", "banker"): S3,
    ("uk_1994_house", "player"): FREE,
    ("uk_1994_house", "banker"): U2,
    ("uk_1994_player", "player"): FREE,
    ("uk_1994_player", "banker"): FREE,
}
every_seat = pytest.mark.parametrize(("sheet", "role"), MASKS)


def dealt(
    sheet: str, role: str, total: int, deal: Deal, **options: Any
) -> tuple[PlayerEnv | PlayerDealerEnv, dict[str, Any]]:
    """An environment whose agent holds `total` against a hand of 9."""
    own = OF_TOTAL[total]
    if role == "player":
        env: PlayerEnv | PlayerDealerEnv = PlayerEnv(sheet, **options)
        cards = deal(own, "6 3 K", draws="K K")
    else:
        env = PlayerDealerEnv(sheet, **options)
        cards = deal("6 3 K", own, draws="K K")
    return env, env.reset(options={"cards": cards})[1]


@every_seat
@pytest.mark.parametrize("total", range(10))
def test_the_mask_is_the_sheets_rule(sheet: str, role: str, total: int, deal: Deal) -> None:
    env, info = dealt(sheet, role, total, deal)
    assert info["action_mask"].tolist() == MASKS[sheet, role][total]
    assert env.action_masks().tolist() == MASKS[sheet, role][total]


@every_seat
@pytest.mark.parametrize("total", range(10))
@pytest.mark.parametrize("action", [STAND, DRAW])
def test_an_illegal_move_is_replaced_by_the_forced_one_and_info_says_so(
    sheet: str, role: str, total: int, action: Action, deal: Deal
) -> None:
    env, _ = dealt(sheet, role, total, deal)
    info = env.step(action)[4]
    legal = bool(MASKS[sheet, role][total][action])
    assert info["action_replaced"] is not legal
    assert info["action"] == (action if legal else 1 - action)


def test_the_replaced_move_is_the_one_that_is_played(deal: Deal) -> None:
    """A 3 that asks to stand must draw, and wins with the 6; a 7 that asks for a card gets none."""
    env = PlayerEnv("bicycle_bonus")
    env.reset(options={"cards": deal("3 K K", "6 2 K", draws="6")})
    _, reward, _, _, info = env.step(STAND)
    assert (info["totals"], reward) == ((9, 8), 1.0)
    env.reset(options={"cards": deal("6 A K", "6 2 K", draws="2")})
    _, reward, _, _, info = env.step(DRAW)
    assert (info["totals"], reward) == ((7, 8), -1.0)


@pytest.mark.parametrize(
    ("sheet", "role", "total", "action", "forced"),
    [
        ("bicycle_bonus", "player", 4, STAND, "DRAW on 4"),
        ("bicycle_bonus", "player", 7, DRAW, "STAND on 7"),
        ("hawaiian_gardens", "banker", 0, STAND, "DRAW on 0"),
        ("uk_1994_house", "banker", 6, DRAW, "STAND on 6"),
    ],
)
def test_in_the_error_mode_an_illegal_move_raises_and_the_hand_still_waits(
    sheet: str, role: str, total: int, action: Action, forced: str, deal: Deal
) -> None:
    env, _ = dealt(sheet, role, total, deal, illegal_action="error")
    with pytest.raises(ValueError, match=rf"^action {action.name} is illegal: '{sheet}' forces {forced}$"):
        env.step(action)
    info = env.step(1 - action)[4]
    assert info["action"] == 1 - action
    assert not info["action_replaced"]


def test_in_the_error_mode_legal_moves_are_played(deal: Deal) -> None:
    for action in (STAND, DRAW):
        env, _ = dealt("bicycle_bonus", "player", 5, deal, illegal_action="error")
        assert env.step(action)[4]["action"] == action


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_skip_offers_only_hands_with_a_choice(env: Any) -> None:
    made = env("bicycle_bonus", forced="skip")
    states = made.game.states[made.seat]
    totals = set()
    for number in range(200):
        _, info = made.reset(seed=5 if number == 0 else None)
        totals.add(states.column_totals[info["info_state"] % len(states.hands)])
        assert info["action_mask"].tolist() == [1, 1]
        made.step(number % 2)
    assert totals == {5, 6}


def test_offer_deals_the_forced_hands_too() -> None:
    made = PlayerEnv("bicycle_bonus")
    masks = {tuple(made.reset(seed=number)[1]["action_mask"].tolist()) for number in range(60)}
    assert masks == {(0, 1), (1, 1), (1, 0)}


def test_skip_leaves_out_forced_hands_and_changes_nothing_else() -> None:
    """From the same seed the hands offered with "skip" are those of "offer" that have a choice."""
    offered, skipped = PlayerEnv("bicycle_bonus"), PlayerEnv("bicycle_bonus", forced="skip")
    free = []
    for number in range(300):
        _, info = offered.reset(seed=9 if number == 0 else None)
        result = offered.step(STAND)
        if info["action_mask"].all():
            free.append((info["info_state"], result[1], result[4]["totals"]))
    found = []
    for number in range(len(free)):
        _, info = skipped.reset(seed=9 if number == 0 else None)
        result = skipped.step(STAND)
        found.append((info["info_state"], result[1], result[4]["totals"]))
    assert len(free) > 30
    assert found == free


def test_skip_changes_nothing_for_a_role_that_always_has_a_choice() -> None:
    runs = []
    for forced in ("offer", "skip"):
        made = PlayerEnv("hawaiian_gardens", forced=forced)
        runs.append([made.reset(seed=number)[1]["info_state"] for number in range(50)])
    assert runs[0] == runs[1]


def test_skip_refuses_a_role_that_never_has_a_choice() -> None:
    wanted = "^forced='skip': the banker never has a choice under 'uk_1994_house'; use forced='offer'$"
    with pytest.raises(ValueError, match=wanted):
        PlayerDealerEnv("uk_1994_house", forced="skip")
    PlayerEnv("uk_1994_house", forced="skip")


def test_skip_refuses_listed_cards_that_leave_no_choice(deal: Deal) -> None:
    made = PlayerEnv("bicycle_bonus", forced="skip")
    with pytest.raises(ValueError, match=r"options\['cards'\].*the move is forced.*forced='skip'"):
        made.reset(options={"cards": deal("4 K K", "6 2 K", draws="6")})
    obs, _ = made.reset(options={"cards": deal("5 K K", "6 2 K", draws="6")})
    assert np.array_equal(obs, made.encode("0 0 5"))
