"""The encoder: its layout table is what it encodes, and `observe="hand"` is one to one with the state."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import load_rules
from pan9_gym.envs.observation import FEATURES, Encoder
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.game.info_state import InfoStates, info_states
from pan9_gym.rules.terms import SuitClass

FORCED = {("banker", "draw"): range(5), ("banker", "stand"): range(7, 10)}
WAGERS = (Fraction(1), Fraction(1, 2), Fraction(5))

# What each meaning in the layout table says: a pattern, and the number from the hand, choices and suits.
Reading = Callable[[re.Match[str], tuple[int, ...], tuple[str, ...], int], float]
MEANINGS: dict[str, Reading] = {
    r"1 if the own total is (\d)": lambda m, hand, choices, suits: float(str(sum(hand))[-1] == m[1]),
    r"own cards worth (\d)": lambda m, hand, choices, suits: float(sum(str(card) == m[1] for card in hand)),
    r"points of own card (\d), lowest first, divided by 9": (
        lambda m, hand, choices, suits: sorted(hand)[int(m[1]) - 1] / 9
    ),
    r"1 if player (\d) drew": lambda m, hand, choices, suits: float(choices[int(m[1])].startswith("draw")),
    r"1 if player (\d) drew a card worth (\d)": (
        lambda m, hand, choices, suits: float(choices[int(m[1])] == f"draw:{m[2]}")
    ),
    r"share of the earlier seats seen to draw": (
        lambda m, hand, choices, suits: sum(token != "stand" for token in choices) / len(choices)
    ),
    r"1 if the own cards are (suited|same colour|off suit)": (
        lambda m, hand, choices, suits: float(["suited", "same colour", "off suit"].index(m[1]) == suits)
    ),
    r"share of the cards worth (\d) left before the hand": lambda m, hand, choices, suits: 1.0,
    r"share of the cards worth (\d) left, divided by that of all cards": lambda m, hand, choices, suits: 1.0,
    r"1 if the (player|banker) must (draw|stand) on (\d)": (
        lambda m, hand, choices, suits: float(int(m[3]) in FORCED.get((m[1], m[2]), ()))
    ),
    r"1 if the bank wins ties on (\d)": lambda m, hand, choices, suits: float(m[1] in "01"),
    r"p / \(1 \+ p\), where a winning wager is paid p": lambda m, hand, choices, suits: 19 / 39,
    r"1 / packs in the shoe, 0 with replacement": lambda m, hand, choices, suits: 1 / 12,
    r"player (\d)'s share of all wagers": (
        lambda m, hand, choices, suits: float(WAGERS[int(m[1])] / Fraction(13, 2))
    ),
}


def encoder(observe: Any, states: InfoStates) -> Encoder:
    return Encoder(
        states, observe, WAGERS[: states.num_players], load_rules("hawaiian_gardens", payout="19/20")
    )


def states_of(
    role: str, num_players: int = 3, seat: int = 0, suits: bool = False, **rules: Any
) -> InfoStates:
    return info_states(load_rules("bicycle", **rules), role, num_players, seat, suits)


CASES: dict[str, tuple[Any, InfoStates]] = {
    "total, first seat": ("total", states_of("player")),
    "hand, first seat": ("hand", states_of("player")),
    "total, third seat": ("total", states_of("player", seat=2)),
    "hand, third seat": ("hand", states_of("player", seat=2)),
    "total, banker": ("total", states_of("banker")),
    "hand, banker": ("hand", states_of("banker")),
    "hand, Dragon stake": ("hand", states_of("player", seat=1, suits=True)),
    "total, Dragon stake": ("total", states_of("player", seat=1, suits=True)),
    "hand, drawn cards seen": ("hand", states_of("banker", num_players=1, banker_sees="card")),
    "two cards": ("hand", states_of("banker", num_initial_cards=2)),
    "nothing seen": ("hand", states_of("banker", banker_sees="nothing")),
    "simultaneous choices": ("hand", states_of("player", seat=2, choices="simultaneous")),
    "all but suits": (
        ("wagers", "num_drawers", "choices", "cards", "counts", "total"),
        states_of("banker"),
    ),
    "all features": (FEATURES, states_of("player", seat=2, suits=True)),
}
every_case = pytest.mark.parametrize("case", CASES)


@every_case
def test_every_entry_is_what_the_layout_table_says(case: str) -> None:
    observe, states = CASES[case]
    made = encoder(observe, states)
    rows = [re.fullmatch(r"\| (\d+) \| (\w+) \| (.+) \| (\S+) \| (\S+) \|", row) for row in _rows(made)]
    assert [int(row[1]) for row in rows] == [*range(len(made.layout))]
    suit_classes = [*SuitClass] if states.with_suits else [None]
    for hand, choices, suits in product(states.hands[::7], states.patterns, suit_classes):
        obs = made.encode(hand, choices, suits)
        for row, number in zip(rows, obs, strict=True):
            found = [
                (reading, match)
                for text, reading in MEANINGS.items()
                if (match := re.fullmatch(text, row[3]))
            ]
            assert len(found) == 1, row[3]
            reading, match = found[0]
            assert number == np.float32(reading(match, hand, choices, suits)), row[0]


def _rows(made: Encoder) -> list[str]:
    head, rule, *rows = made.layout_table().splitlines()
    assert head == "| index | feature | meaning | low | high |"
    assert rule == "|---|---|---|---|---|"
    return rows


@every_case
def test_bounds_hold_everywhere_and_are_those_of_the_table(case: str) -> None:
    made = encoder(*CASES[case])
    observations = made.encode_all()
    assert observations.dtype == np.float32
    assert observations.shape == (made.states.num_states, len(made.layout))
    assert (observations >= made.low).all()
    assert (observations <= made.high).all()
    cells = [row.strip("| ").split(" | ") for row in _rows(made)]
    assert [float(row[3]) for row in cells] == made.low.tolist()
    assert [float(row[4]) for row in cells] == made.high.tolist()


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][0] in ("total", "hand")])
def test_bounds_of_the_two_presets_are_reached(case: str) -> None:
    made = encoder(*CASES[case])
    observations = made.encode_all()
    seen_zero = [entry.meaning.endswith(("worth 7", "worth 8", "worth 9")) for entry in made.layout]
    assert not any(seen_zero)  # no entry for a card that is not in the pack
    assert np.array_equal(observations.min(axis=0), made.low)
    assert np.array_equal(observations.max(axis=0), made.high)


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][0] == "hand"])
def test_observe_hand_is_one_to_one_with_the_information_state(case: str) -> None:
    made = encoder(*CASES[case])
    states = made.states
    possible = [index for index in range(states.num_states) if _can_arise(states, index)]
    assert len(np.unique(made.encode_all()[possible], axis=0)) == len(possible)


def _can_arise(states: InfoStates, index: int) -> bool:
    """Not those with a drawn card that is not in the pack: base 11 has a digit for each of 0-9."""
    pattern = states.patterns[index // states.shape[1]]
    return not any(token in ("draw:7", "draw:8", "draw:9") for token in pattern)


def test_observe_total_tells_totals_and_choices_apart_and_nothing_else() -> None:
    made = encoder("total", states_of("banker"))
    states = made.states
    keys = {(total, pattern) for total in states.hand_totals for pattern in states.patterns}
    assert len(keys) == 80
    assert len(np.unique(made.encode_all(), axis=0)) == 80
    assert np.array_equal(made.encode("0 1 5", ("stand",) * 3), made.encode("2 2 2", ("stand",) * 3))


def test_a_hand_may_be_written_in_any_order_and_as_cards() -> None:
    made = encoder("hand", states_of("player"))
    wanted = made.encode((0, 1, 5))
    assert wanted.tolist() == [1, 1, 0, 0, 0, 1, 0]
    for hand in ("5 0 1", "Q A 5", [5, 1, 0], (1, 0, 5)):
        assert np.array_equal(made.encode(hand), wanted)


def test_the_same_state_is_a_new_array_each_time() -> None:
    made = encoder("hand", states_of("player"))
    made.encode("0 1 5")[:] = 9
    made.encode_index(0)[:] = 9
    assert made.encode("0 1 5").tolist() == [1, 1, 0, 0, 0, 1, 0]
    assert made.encode_index(0).tolist() == [3, 0, 0, 0, 0, 0, 0]


def test_features_come_in_the_order_named() -> None:
    made = encoder(("num_drawers", "total"), states_of("banker"))
    assert [entry.feature for entry in made.layout] == ["num_drawers"] + ["total"] * 10
    obs = made.encode("0 0 3", ("draw", "stand", "draw"))
    assert obs.tolist() == [np.float32(2 / 3), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_the_docstring_has_the_tables_of_both_presets(env: type[Any]) -> None:
    text = inspect.cleandoc(env.__doc__)
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    assert [table.strip() for table in tables] == [
        env(observe=observe).observation_layout() for observe in ("hand", "total")
    ]


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_the_docstring_says_which_entry_an_earlier_seat_adds(env: type[Any]) -> None:
    assert "`1 if player i drew`" in inspect.cleandoc(env.__doc__)
    last = [
        row
        for row in env(num_players=3, **_last_seat(env)).observation_layout().splitlines()
        if "drew" in row
    ]
    assert [row.split(" | ")[2] for row in last][-1] == f"1 if player {len(last) - 1} drew"


def _last_seat(env: type[Any]) -> dict[str, int]:
    return {"seat": 2} if env is PlayerEnv else {}


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_the_docstring_explains_every_argument_in_order(env: type[Any]) -> None:
    text = inspect.cleandoc(env.__doc__).partition("## Arguments")[2].partition("## Version")[0]
    explained = re.findall(r"^- `(\w+)`", text, flags=re.MULTILINE)
    wanted = [
        name for name in inspect.signature(env).parameters if name not in ("penetration", "start_cards")
    ]
    assert explained == wanted
    assert "`penetration`" in text
    assert "`start_cards=(low,\n  high)`" in text
    for feature in FEATURES:
        assert feature in text


def test_the_environments_space_is_the_encoders() -> None:
    env = gymnasium.make(
        "Pan9/PlayerDealer-v0", num_players=3, wagers=[1, "1/2", 5], observe=("total", "wagers")
    )
    made = env.unwrapped.encoder
    assert env.observation_space == gymnasium.spaces.Box(made.low, made.high, dtype=np.float32)
    obs, _ = env.reset(seed=1)
    assert obs[10:].tolist() == [np.float32(float(wager / Fraction(13, 2))) for wager in WAGERS]


@pytest.mark.parametrize(
    ("observe", "parts"),
    [
        (
            "totals",
            (
                "observe 'totals'",
                "did you mean 'total'?",
                "allowed: total, hand, shoe, or a tuple of features",
            ),
        ),
        ("", ("observe ''", "allowed: total, hand, shoe")),
        (None, ("observe None", "total, hand, shoe, or a tuple of features")),
        (3, ("observe 3", "total, hand, shoe, or a tuple of features")),
        ({"total"}, ("observe {'total'}", "or a tuple of features")),
        ((), ("observe ()", "nothing")),
        (("total", "tota"), ("feature 'tota'", "did you mean 'total'?", "allowed: total, counts")),
        ((3,), ("feature 3", "allowed: total, counts, cards, choices, num_drawers, suit_class, wagers")),
        (("total", "total"), ("observe ('total', 'total')", "twice")),
        (("suit_class",), ("'suit_class'", "dragon stake")),
        (("num_drawers",), ("'num_drawers'", "sees no earlier seat")),
        (("choices",), ("observe ('choices',)", "nothing")),
    ],
)
def test_what_cannot_be_observed_is_one_clear_error(observe: Any, parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        PlayerEnv(observe=observe)
    assert len(str(caught.value).splitlines()) == 1
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("0 1", ("draw",)), ("hand '0 1'", "3 point values")),
        (("0 1 7", ("draw",)), ("hand '0 1 7'", "[0, 1, 2, 3, 4, 5, 6]")),
        (("0 1 5", ()), ("choices ()", "1 tokens are needed")),
        (("0 1 5", ("fold",)), ("choice 'fold'", "allowed: stand, draw")),
        (("0 1 5", ("draw",), SuitClass.SUITED), ("suit class", "not part of this state")),
    ],
)
def test_a_state_that_does_not_exist_is_one_clear_error(
    arguments: tuple[Any, ...], parts: tuple[str, ...]
) -> None:
    env = PlayerDealerEnv()
    with pytest.raises(ValueError, match=r".+") as caught:
        env.encode(*arguments)
    for part in parts:
        assert part in str(caught.value)
