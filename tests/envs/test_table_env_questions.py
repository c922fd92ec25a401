"""At a whole table every question has a legal action, whatever the sheet and the fields; some by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pan9_gym.envs import table_env
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.rules import sheet_names
from pan9_gym.table.faults import FaultKind

SHEETS = sheet_names()
PAN9 = [sheet for sheet in SHEETS if not sheet.startswith("baccarat")]
FAULTS = {kind.value: 0.04 for kind in FaultKind}
BOTH: dict[str, Any] = {"both_hands": True, "back_line": False, "house_tops_up": False}
OTHERS: list[tuple[str, dict[str, Any]]] = [
    *((sheet, {"back_line": True}) for sheet in PAN9),
    *((sheet, BOTH) for sheet in PAN9),
    *((sheet, {**BOTH, "back_line": True, "faults": FAULTS}) for sheet in PAN9),
    *((sheet, {"tie_bettors": "any"}) for sheet in PAN9 if "uk" in sheet),
    ("uk_1994_player", {"tie_bettors": "banker", "back_line": True}),
]
TABLES = [
    *OTHERS,
    *((sheet, {"stake_placed": "after_wagers"}) for sheet in SHEETS),
    *((sheet, {"cover": "unlimited"}) for sheet in SHEETS),
    *((sheet, {"faults": FAULTS}) for sheet in SHEETS),
    ("bicycle", {"logical_way": True, "bank": "until_lost", "shoe": "fresh"}),
    ("bicycle", {"house_tops_up": True, "stake_placed": "after_wagers"}),
]


def played(env: TableEnv, seed: int) -> set[str]:
    """The questions of a session at random; each has a legal action, each observation is in its space."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    asked = set()
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        for agent in env.agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        assert len(legal) > 0
        asked.add(env.infos[env.agent_selection]["phase"])
        willing = [action for action in legal if "refuse" not in env.play.actions[action]]
        env.step(int(rng.choice(willing)))
    return asked


@pytest.mark.parametrize(("sheet", "fields"), TABLES, ids=str)
@pytest.mark.parametrize("forced", ["offer", "skip"])
def test_every_question_has_a_legal_action(sheet: str, fields: dict[str, Any], forced: str) -> None:
    seats = None
    if fields.get("both_hands"):  # two hands against the bank
        seats = 2 if sheet == "uk_1994_house" else 3
    env = table_env.env(mode="full", rules=sheet, num_hands=6, forced=forced, num_seats=seats, table=fields)
    asked = set.union(*(played(env, seed) for seed in range(2)))
    assert asked >= ({"others", "wager"} if (sheet, fields) in OTHERS else {"wager"})


def playing(env: TableEnv, *answers: str) -> None:
    for answer in answers:
        env.step(env.play.actions.index(answer))


def part(env: TableEnv, agent: str, name: str) -> list[float]:
    layout, seen = env.play.layouts[agent], env.observe(agent)["observation"]
    return [float(number) for number, entry in zip(seen, layout, strict=True) if entry.feature == name]


@pytest.mark.parametrize("back_line", [True, False])
def test_a_wager_on_both_hands_is_an_action_is_seen_and_is_settled(back_line: bool) -> None:
    fields = {"both_hands": True, "back_line": back_line, "num_dice": 0}
    env = table_env.env(mode="full", num_seats=3, num_hands=1, table=fields)
    env.reset(options={"cards": ["2", "6", "4", "3", "K", "Q", "4", "3", "J", *"KKK"]})  # 9, 9 and 4
    playing(env, "bank: accept", "stake: 40", "wager: 5", "wager: 1")
    legal = [env.play.actions[place] for place in np.flatnonzero(env.observe("seat_1")["action_mask"])]
    assert legal[-3:] == [f"others: {wager} on both hands" for wager in (1, 5, 10)]
    assert ("others: back the hand 1 clockwise with 5" in legal) == back_line
    playing(env, "others: 5 on both hands")
    for agent, own in {"seat_0": 0, "seat_1": 0.5, "seat_2": 0}.items():
        assert part(env, agent, "both") == pytest.approx([5 / 30, own])
    playing(env, "others: nothing", "draw: stand", "draw: stand", "draw: stand")
    assert env.rewards == {"seat_0": -11, "seat_1": 10, "seat_2": 1}


def test_without_two_hands_nobody_is_asked_about_both() -> None:
    env = table_env.env(mode="full", num_seats=4, table=BOTH)
    env.reset(seed=1)
    playing(env, "bank: accept", "stake: 40", "wager: 5", "wager: 1", "wager: 1")
    assert env.infos[env.agent_selection]["phase"] == "draw"


@pytest.mark.parametrize("sheet", ["bicycle", "uk_1994_player"])
def test_a_stake_after_the_wagers_is_asked_after_them(sheet: str) -> None:
    env = table_env.env(
        mode="full", rules=sheet, num_seats=3, num_hands=1, table={"stake_placed": "after_wagers"}
    )
    env.reset(seed=1)
    phases = []
    while not any(env.truncations.values()):
        agent = env.agent_selection
        phases.append(env.infos[agent]["phase"])
        if phases[-1] == "stake":
            assert agent == "seat_0"
            assert part(env, agent, "stake") == [0]
            assert part(env, agent, "wager")[1:3] == [1, 1]
        legal = np.flatnonzero(env.observe(agent)["action_mask"])
        banks = env.play.actions[legal[0]] == "bank: accept"
        highest = legal[0] if banks or phases[-1] in ("others", "top_up") else legal[-1]
        env.step(int(highest))
    between = ["others", "others"] if sheet == "bicycle" else []
    after = ["top_up"] if sheet == "uk_1994_player" else []
    assert [phase for phase in phases if phase != "draw"] == [
        "bank",
        "wager",
        "wager",
        *between,
        "stake",
        *after,
    ]
    assert sum(env.rewards.values()) == 0
    assert env.play.table.state.current.stake == 80


def test_where_the_house_takes_the_bank_after_the_wagers_nobody_stakes() -> None:
    env = table_env.env(
        mode="full", rules="uk_1994_player", num_seats=3, table={"stake_placed": "after_wagers"}
    )
    env.reset(seed=1)
    playing(env, "bank: accept", "wager: 5", "wager: sit out")
    assert env.infos[env.agent_selection]["phase"] == "draw"
    assert part(env, "house_0", "role") == [1, 0]
    assert part(env, "seat_0", "role") == [0, 0]
