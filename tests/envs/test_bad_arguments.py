"""Bad input: each is one clear line that names the argument, its value and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import load_rules
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv

BONUS = {"rules": "bicycle_bonus"}
CONTINUING = {"shoe_mode": "continuing"}
POLICIES = "logical_way, always_draw, always_stand, uniform, wizard"

# what is given, and the parts that the message must have
BOTH: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    (
        {"rules": "bicicle"},
        ("rule sheet 'bicicle'", "did you mean 'bicycle'?", "hawaiian_gardens, uk_1994_house"),
    ),
    ({"rules": "no_such_sheet.yaml"}, ("no_such_sheet.yaml",)),
    ({"rules": 3}, ("rules 3", "a sheet's name, a path, or a RulesConfig")),
    ({"rules": None}, ("rules None", "a sheet's name")),
    *(
        ({"num_players": value}, (f"num_players {value!r}", "'bicycle' allows 1 to 7"))
        for value in (0, 8, -1, 1.0, "2", True, None, [2])
    ),
    *(({"forced": value}, (f"forced {value!r}", "'offer', 'skip'")) for value in ("sometimes", None, True)),
    *(({"illegal_action": v}, (f"illegal_action {v!r}", "'replace', 'error'")) for v in ("penalty", None)),
    *(({"shoe_mode": v}, (f"shoe_mode {v!r}", "'fresh', 'continuing'")) for v in ("deep", None, ["fresh"])),
    *(({"render_mode": v}, (f"render_mode {v!r}", "None, 'ansi'")) for v in ("human", "rgb_array", 1)),
    ({"wagers": 5}, ("wagers 5", "one per player", "1")),
    ({"wagers": "1"}, ("wagers '1'", "one per player", "1")),
    ({"wagers": {0: 1}}, ("wagers {0: 1}", "one per player")),
    ({"wagers": [1, 1]}, ("wagers [1, 1]", "one per player is needed, so 1")),
    ({"wagers": [], "num_players": 2}, ("wagers []", "one per player is needed, so 2")),
    *(({"wagers": [v]}, (f"wagers {v!r}", "greater than 0")) for v in (0, -1, "-1/2")),
    *(
        ({"wagers": [v]}, (f"wagers {v!r}", "must be exact"))
        for v in (0.5, None, "a", "nan", "inf", True, [1])
    ),
    ({"side_stakes": {"dragon": 1}}, ("side bet 'dragon'", "not offered by 'bicycle'", "offered: none")),
    ({**BONUS, "side_stakes": {"tie": 1}}, ("side bet 'tie'", "offered: dragon, super_0, bc")),
    ({**BONUS, "side_stakes": {3: 1}}, ("side bet 3", "offered: dragon, super_0, bc")),
    *(
        ({**BONUS, "side_stakes": {"dragon": v}}, (f"side_stakes dragon {v!r}", "greater than 0"))
        for v in (0, -1, "-1/20")
    ),
    *(
        ({**BONUS, "side_stakes": {"bc": v}}, (f"side_stakes bc {v!r}", "must be exact"))
        for v in (0.05, None, "x")
    ),
    *(({**BONUS, "side_stakes": v}, (f"side_stakes {v!r}", "is needed")) for v in ("dragon", 5, {"dragon"})),
    ({**BONUS, "side_stakes": ["dragon"]}, ("side_stakes", "'dragon'", "a mapping such as")),
    *(
        ({option: value}, (option, repr(value), "shoe_mode='continuing'"))
        for option, value in (("penetration", 0.5), ("start_cards", (60, 70)), ("penetration", 1))
    ),
    (
        {**CONTINUING, "rules": load_rules("bicycle", num_decks="infinite")},
        ("shoe_mode 'continuing'", "finite shoe", "num_decks is infinite"),
    ),
    *(
        ({**CONTINUING, "penetration": v}, (f"penetration {v!r}", "greater than 0 and at most 1"))
        for v in (0, -0.5, 1.5, float("nan"), float("inf"), "half", True, [0.5])
    ),
    *(
        ({**CONTINUING, "start_cards": v}, (f"start_cards {v!r}", "must be (low, high), two whole numbers"))
        for v in (60, "60 70", (60,), (60, 70, 80), ("a", "b"), (60, 70.5), (True, 70), {60, 70})
    ),
    (
        {**CONTINUING, "start_cards": (7, 70)},
        ("start_cards (7, 70)", "low must be at least 8, what a hand may take"),
    ),
    ({**CONTINUING, "start_cards": (70, 60)}, ("start_cards (70, 60)", "low <= high <= 432")),
    ({**CONTINUING, "start_cards": (60, 433)}, ("start_cards (60, 433)", "low <= high <= 432")),
    ({"opponents": "logical_way"}, ("opponents 'logical_way'", "a mapping such as")),
    ({"opponents": ["logical_way"]}, ("opponents ['logical_way']", "a mapping such as")),
    ({"opponents": {"dealer": "logical_way"}}, ("opponents: unknown key 'dealer'", "allowed:", "players")),
    (
        {"opponents": {"players": ["logical_way"] * 3}, "num_players": 2},
        ("opponents['players']", "one policy, or a list of"),
    ),
    ({"opponents": {"players": 5}, "num_players": 2}, ("opponents['players'] 5", "one policy, or a list of")),
    (
        {"opponents": {"players": "logical_wey"}, "num_players": 2},
        ("policy 'logical_wey'", "did you mean 'logical_way'?", POLICIES),
    ),
]

PLAYER: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    *(
        ({"seat": v, "num_players": 3}, (f"seat {v!r} is out of range", "with num_players=3 it is 0 to 2"))
        for v in (3, -1, 7, "0", None, 0.0, True, [0])
    ),
    ({"seat": 1}, ("seat 1 is out of range", "with num_players=1 it is 0 to 0")),
    *(
        ({"opponents": {"banker": v}}, (f"policy {v!r}", POLICIES))
        for v in ("equilibrium", "best_response", "", None, 5, ["logical_way"])
    ),
    (
        {"opponents": {"banker": "wizard"}, "num_players": 2},
        ("policy 'wizard'", "one player only", "num_players=2"),
    ),
]
DEALER: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"opponents": {"banker": "logical_way"}}, ("opponents: unknown key 'banker'", "allowed: players")),
    (
        {**BONUS, "num_players": 2, "side_stakes": [{"dragon": 1}]},
        ("side_stakes [{'dragon': 1}]", "one entry per player is needed, so 2"),
    ),
]


def refused(call: Callable[[], Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        call()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in parts:
        assert part in message


def ids(cases: list[tuple[dict[str, Any], tuple[str, ...]]]) -> list[str]:
    return [re.sub(r"\s+", " ", str(given)) for given, _ in cases]


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
@pytest.mark.parametrize(("given", "parts"), BOTH, ids=ids(BOTH))
def test_an_argument_that_is_not_possible(
    env: type[Any], given: dict[str, Any], parts: tuple[str, ...]
) -> None:
    refused(lambda: env(**given), parts)


@pytest.mark.parametrize(("given", "parts"), PLAYER, ids=ids(PLAYER))
def test_an_argument_that_is_not_possible_for_a_player(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused(lambda: PlayerEnv(**given), parts)


@pytest.mark.parametrize(("given", "parts"), DEALER, ids=ids(DEALER))
def test_an_argument_that_is_not_possible_for_the_dealer(
    given: dict[str, Any], parts: tuple[str, ...]
) -> None:
    refused(lambda: PlayerDealerEnv(**given), parts)


def test_an_argument_that_does_not_exist() -> None:
    for env, unknown in ((PlayerEnv, "decks"), (PlayerDealerEnv, "seat")):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{unknown}'"):
            env(**{unknown: 1})


def test_a_total_forced_both_ways_is_refused_with_the_sheets_file(tmp_path: Any) -> None:
    sheet = tmp_path / "mine.yaml"
    sheet.write_text("fields:\n  player_draw_rule: {must_draw: [0, 5], must_stand: [5, 9]}\n")
    refused(
        lambda: PlayerEnv(str(sheet)), ("mine.yaml", "player_draw_rule", "must_draw", "must_stand", "[5]")
    )


def test_numbers_of_numpy_are_numbers() -> None:
    env = PlayerEnv(
        num_players=np.int64(3), seat=np.int64(2), shoe_mode="continuing", start_cards=[np.int64(60)] * 2
    )
    assert (env.game.num_players, env.seat) == (3, 2)


def test_a_mistake_in_gymnasium_make_shows_the_same_line() -> None:
    with pytest.raises(
        ValueError, match=re.escape("seat 4 is out of range: with num_players=2 it is 0 to 1")
    ):
        gymnasium.make("Pan9/Player-v0", num_players=2, seat=4)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (5, ("options 5", "a mapping such as")),
        ({"card": []}, ("options: unknown key 'card'", "allowed: 'cards'")),
        ({1: 2, "x": 3}, ("options: unknown key", "allowed: 'cards'")),
        *(
            ({"cards": v}, (f"options['cards'] {v!r}", "a list of cards such as"))
            for v in ("A 5", 7, {"A": 1})
        ),
        ({"cards": ["A"] * 5}, ("lists 5 cards", "6 to 8 are needed")),
        ({"cards": []}, ("lists 0 cards", "6 to 8 are needed")),
        ({"cards": ["A", 5, "K"]}, ("options['cards']", "5 is no card", "a text such as 'A' or '5h'")),
        ({"cards": ["A", None]}, ("None is no card",)),
        ({"cards": ["Z"] * 8}, ("card 'Z'", "A, 2, 3, 4, 5, 6, 7, 8, 9, 10, J, Q, K")),
        ({"cards": ["7"] * 8}, ("card '7' is not in the pack of 'bicycle'", "A, 2, 3, 4, 5, 6, J, Q, K")),
        ({"cards": ["A"] * 49}, ("listed 49 times", "the shoe has 48")),
    ],
)
def test_options_of_reset_that_are_not_possible(options: Any, parts: tuple[str, ...]) -> None:
    env = PlayerEnv()
    refused(lambda: env.reset(options=options), parts)


@pytest.mark.parametrize("options", [None, {}, {"cards": None}])
def test_no_options_deal_from_the_shuffled_shoe(options: Any) -> None:
    env = PlayerEnv()
    wanted = env.reset(seed=3)[1]["info_state"]
    assert env.reset(seed=3, options=options)[1]["info_state"] == wanted


@pytest.mark.parametrize(
    "action",
    [
        2,
        -1,
        "1",
        1.0,
        True,
        None,
        [1],
        (1,),
        {},
        np.float32(1),
        np.bool_(True),
        np.array([1]),
        np.array([0, 1]),
    ],
)
def test_an_action_that_is_none(action: Any) -> None:
    env = PlayerEnv()
    env.reset(seed=1)
    refused(lambda: env.step(action), (f"action {action!r}", "must be 0 (STAND) or 1 (DRAW)"))
    assert env.step(0)[2]  # the hand still waits


@pytest.mark.parametrize("seed", [-1, "1", 1.5])
def test_a_seed_that_is_none_is_refused_by_gymnasium(seed: Any) -> None:
    with pytest.raises(gymnasium.error.Error, match=r"[Ss]eed must be"):
        PlayerEnv().reset(seed=seed)


@pytest.mark.parametrize("wager", [10**400, 10**13])
def test_a_wager_that_no_float_can_pay_is_refused(wager: int) -> None:
    with pytest.raises(ValueError, match=r"wagers .*must be greater than 0 and at most 1000000000000"):
        PlayerEnv(wagers=[wager])


def test_a_reset_that_fails_leaves_no_hand() -> None:
    env = PlayerEnv()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="options"):
        env.reset(options={"cards": 5})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
