"""`Pan9/Table-v0` keeps PettingZoo's promises on every sheet, and its documents are true."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from pan9_gym.envs import table_env
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.rules import sheet_names

PAN9 = [sheet for sheet in sheet_names() if not sheet.startswith("baccarat")]
TABLES = [
    *({"rules": sheet, "num_players": 3, "num_hands": 5} for sheet in PAN9),
    *({"rules": sheet, "num_hands": 5} for sheet in sheet_names() if sheet not in PAN9),
    {
        "rules": "bicycle_bonus",
        "forced": "skip",
        "shoe_mode": "continuing",
        "observe": "shoe",
        "num_hands": 9,
    },
    *({"mode": "full", "rules": sheet, "num_hands": 4} for sheet in sheet_names()),
    {"mode": "full", "rules": "hawaiian_gardens", "num_hands": 4, "forced": "skip", "num_seats": 3},
    {"mode": "full", "num_hands": 4, "table": {"faults": {"exposed": 0.1, "wrong_number": 0.1}}},
    {"mode": "full", "num_hands": 4, "num_seats": 3, "table": {"both_hands": True, "back_line": False}},
    {"mode": "full", "num_hands": 4, "rules": "uk_1994_player", "table": {"tie_bettors": "any"}},
]

every_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: "-".join(map(str, table.values())))

EXPECTED = (  # what PettingZoo says of every environment with masks, and of agents who see differently much
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Agents have different observation space sizes",
    "Observations are different shapes",
)


@pytest.fixture(autouse=True)
def _only_unexpected_warnings() -> Any:
    with warnings.catch_warnings():
        for message in EXPECTED:
            warnings.filterwarnings("ignore", message)
        yield


@every_table
def test_it_passes_the_tests_of_aec_environments(table: dict[str, Any]) -> None:
    api_test(pettingzoo.make("aec", "Pan9/Table-v0", **table), num_cycles=20)
    seed_test(lambda: table_env.env(**table), num_cycles=20)
    render_test(lambda render_mode: table_env.env(render_mode=render_mode, **table))


@every_table
def test_its_conversion_passes_the_test_of_parallel_environments(table: dict[str, Any]) -> None:
    env = pettingzoo.make("parallel", "Pan9/Table-v0", **table)
    assert isinstance(env, turn_based_aec_to_parallel_wrapper)
    parallel_api_test(env, num_cycles=60)


@pytest.mark.parametrize("sheet", sheet_names())
@pytest.mark.parametrize("mode", ["draw", "full"])
def test_it_passes_the_test_of_max_cycles(mode: str, sheet: str) -> None:
    table = {"mode": mode, "rules": sheet, "num_hands": 1000, "illegal_action": "replace"}
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: pettingzoo.make("aec", "Pan9/Table-v0", max_cycles=max_cycles, **table),
            parallel_env=lambda max_cycles: table_env.parallel_env(max_cycles=max_cycles, **table),
        )
    )


PLAYED = """
import numpy as np
from pan9_gym.envs import table_env

numbers = []
for mode in ("draw", "full"):
    env = table_env.env(mode=mode, rules="bicycle_bonus", num_hands=5)
    env.reset(seed=7)
    rng = np.random.default_rng(7)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        action = None if over else int(rng.choice(np.flatnonzero(seen["action_mask"])))
        numbers += [reward, float(seen["observation"] @ np.arange(1, 1 + len(seen["observation"]))), action]
        env.step(action)
print(numbers)
"""


def test_one_seed_is_one_session_in_every_process() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", PLAYED],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hashing, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for hashing in ("1", "2")
    ]
    assert len(found[0]) > 500
    assert found[0] == found[1]


def test_without_a_seed_sessions_differ_and_go_on() -> None:
    def dealt(env: TableEnv, seed: int | None) -> list[float]:
        env.reset(seed=seed)
        return [float(number) for agent in env.agents for number in env.observe(agent)["observation"]]

    one, two = table_env.env(num_players=7), table_env.env(num_players=7)
    assert dealt(one, None) != dealt(two, None)
    first, second = dealt(one, 3), dealt(one, None)
    assert first != second
    assert [dealt(two, 3), dealt(two, None)] == [first, second]


@every_table
def test_layouts_have_an_entry_for_each_number_and_spaces_their_bounds(table: dict[str, Any]) -> None:
    env = table_env.env(**table)
    env.reset(seed=1)
    for agent in env.possible_agents:
        seen = env.observe(agent)
        rows = env.observation_layout(agent).splitlines()[2:]
        assert len(rows) == len(seen["observation"])
        assert len({row.split("|", 2)[2] for row in rows}) == len(rows)
        assert env.observation_space(agent).contains(seen)
    assert len(env.action_layout().splitlines()) - 2 == env.action_space(env.agents[0]).n


def documented(heading: str) -> list[list[str]]:
    text = (table_env.env.__doc__ or "").split(f"## {heading}\n", 1)[1].split("\n    ## ", 1)[0]
    rows = re.findall(r"^ *\|(.*)\|$", text, flags=re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in rows[2:]]


def test_the_documented_features_are_those_of_the_default_table() -> None:
    layout = table_env.env(mode="full").play.layouts["seat_0"]
    found = [(name, len(list(group))) for name, group in groupby(layout, lambda entry: entry.feature)]
    named = [
        (name, int(row[1].split()[0]))
        for row in documented("Observation Space")
        for name in row[0].split(", ")
    ]
    assert found == named
    assert len(layout) == 105
    assert "105 numbers" in (table_env.env.__doc__ or "")


def test_the_documented_actions_are_those_of_the_default_table() -> None:
    actions = table_env.env(mode="full").play.actions
    for numbers, meaning in documented("Action Space"):
        first, last = map(int, numbers.split("-"))
        phase, words = meaning.split(": ", 1)
        there = list(actions[first : last + 1])
        assert all(action.startswith(f"{phase}: ") for action in there)
        if phase != "others":
            assert there == [f"{phase}: {word}" for word in words.split(";")[0].split(", ")]
    assert int(documented("Action Space")[-1][0].split("-")[1]) == len(actions) - 1


def test_registering_twice_changes_nothing() -> None:
    table_env.register()
    assert pettingzoo.spec("aec", "Pan9/Table-v0").namespace == "Pan9"


def test_importing_the_package_loads_no_pettingzoo() -> None:
    code = "import sys, pan9_gym, pan9_gym.envs, pan9_gym.table; print('pettingzoo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_replaced_actions_are_the_first_legal_and_said_to_be_replaced() -> None:
    env = table_env.env(mode="full", illegal_action="replace")
    env.reset(seed=1)
    first = env.agent_selection
    env.step(0)  # "stand", while the bank is offered
    assert env.infos[first]["action_replaced"]
    assert env.play.table.pending is not None
    assert env.play.table.pending.phase == "stake"


def test_human_rendering_prints_what_ansi_gives(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for render_mode in ("ansi", "human"):
        env = table_env.env(render_mode=render_mode, num_players=2)
        env.reset(seed=5)
        env.step(1)
        texts.append(env.render() or capsys.readouterr().out.split("hand 1", 1)[1].split("hand 1", 1)[0])
    assert texts[0].split("hand 1", 1)[1].strip() == texts[1].strip()
    assert "player 1 (you)" in texts[0]


OPEN_HAND = """hand 1 of 1, bicycle, stake 40
seat_0: banks, cards Qh Js 2c As = 3, draws
seat_1: wager 5, wager 1 on both hands, cards 2c 3d Kh 3d = 8, draws
seat_2: wager 1, cards 6d 4s 2c = 2, stands
the latest hand brought: seat_0 -4, seat_1 5, seat_2 -1"""


def test_a_settled_session_renders_all_cards_and_all_money() -> None:
    table = {"both_hands": True, "back_line": False, "num_dice": 0}
    env = table_env.env(mode="full", num_seats=3, num_hands=1, render_mode="ansi", table=table)
    env.reset(options={"cards": "2c 6d Qh 3d 4s Js Kh 2c 2c 3d As 5c".split()})
    answers = ["bank: accept", "stake: 40", "wager: 5", "wager: 1", "others: 1 on both hands"]
    for answer in [*answers, "others: nothing", "draw: draw", "draw: stand"]:
        env.step(env.play.actions.index(answer))
    before = env.render() or ""
    assert "seat_0 (you): banks, cards worth 0 0 2 = 2" in before
    assert not re.search(r"\b[2-6AJQK][cdhs]\b", before)
    env.step(env.play.actions.index("draw: draw"))
    assert env.render() == OPEN_HAND


def test_a_session_that_nobody_banked_renders_without_cards() -> None:
    env = table_env.env(mode="full", num_seats=2, render_mode="ansi")
    env.reset(seed=1)
    for _ in range(4):
        env.step(env.play.actions.index("bank: refuse"))
    assert env.render() == "hand 2 of 20, bicycle\nseat_0: -\nseat_1: -"


def test_in_draw_mode_the_last_hand_renders_open_and_belongs_to_nobody() -> None:
    env = table_env.env(num_players=2, wagers=[3, 1], render_mode="ansi")
    env.reset(options={"cards": ["2", "6", "4", "3", "K", "Q", "K", "J", "2", "3", "A", "5"]})
    for action in (1, 0, 1):
        assert "?" in (env.render() or "")
        env.step(action)
    text = env.render() or ""
    assert "?" not in text
    assert "(you)" not in text
    assert [line for line in text.splitlines() if "net" in line] == [
        "player 0: win, net 3",
        "player 1: loss, net -1",
        "banker: net -2",
    ]


def test_masks_are_zero_for_all_but_who_is_due() -> None:
    env = table_env.env(mode="full", rules="uk_1994_player", num_hands=3)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not any(env.truncations.values()):
        masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
        assert [agent for agent, mask in masks.items() if mask.any()] == [env.agent_selection]
        env.step(int(rng.choice(np.flatnonzero(masks[env.agent_selection]))))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
