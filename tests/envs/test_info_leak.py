"""Nothing shows a card that the agent may not see before it has chosen.

Two deals that differ only in hidden cards (the others' hands, of the same totals so that their choices are
the same, and all cards still to come) must look exactly alike: observation, info, mask and text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym import load_rules
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.game.info_state import info_states
from pan9_gym.rules import sheet_names

Hand = tuple[int, ...]

BACCARAT = ("baccarat_chemin_de_fer", "baccarat_punto_banco")
PAN9 = [sheet for sheet in sheet_names() if sheet not in BACCARAT]
HANDS = info_states(load_rules("bicycle"), "player").hands
SAME_TOTAL = {hand: [other for other in HANDS if sum(other) % 10 == sum(hand) % 10] for hand in HANDS}
OPPONENTS = ("logical_way", "always_draw", "always_stand", "uniform")
BEFORE = {"info_state", "action_mask"}

hands = st.sampled_from(HANDS)
values = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 6])


def cards_of(hands_in_seat_order: Sequence[Hand], draws: Sequence[int]) -> list[str]:
    face = {0: "K", 1: "A"}
    dealt = [value for cards in zip(*hands_in_seat_order, strict=True) for value in cards]
    return [face.get(value, str(value)) for value in (*dealt, *draws)]


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A table with the agent somewhere, and two deals that are alike for him."""
    num_players = draw(st.integers(1, 4))
    seat = draw(st.integers(0, num_players))  # the last one is the banker
    first = [draw(hands) for _ in range(num_players + 1)]
    other = [
        hand if number == seat else draw(st.sampled_from(SAME_TOTAL[hand]))
        for number, hand in enumerate(first)
    ]
    draw_cards = [
        draw(st.lists(values, min_size=num_players + 1, max_size=num_players + 1)) for _ in range(2)
    ]
    return {
        "sheet": draw(st.sampled_from(PAN9)),
        "num_players": num_players,
        "seat": seat,
        "players": draw(st.sampled_from(OPPONENTS)),
        "observe": draw(
            st.sampled_from(["hand", "total", ("cards", "counts", "total", "choices", "wagers")])
        ),
        "seed": draw(st.integers(0, 2**32)),
        "deals": [cards_of(first, draw_cards[0]), cards_of(other, draw_cards[1])],
    }


def environment(table: dict[str, Any]) -> PlayerEnv | PlayerDealerEnv:
    arguments = {
        "rules": table["sheet"],
        "num_players": table["num_players"],
        "observe": table["observe"],
        "opponents": {"players": table["players"]},
        "render_mode": "ansi",
    }
    if table["seat"] == table["num_players"]:
        return PlayerDealerEnv(**arguments)
    return PlayerEnv(seat=table["seat"], **arguments)


def look(env: PlayerEnv | PlayerDealerEnv, cards: list[str], seed: int) -> tuple[Any, ...]:
    obs, info = env.reset(seed=seed, options={"cards": cards})
    assert {*info} == BEFORE
    return (
        obs.tolist(),
        info["info_state"],
        info["action_mask"].tolist(),
        env.render(),
        env.action_masks().tolist(),
    )


@settings(max_examples=150, deadline=None)
@given(tables())
def test_deals_that_differ_in_hidden_cards_look_the_same(table: dict[str, Any]) -> None:
    env = environment(table)
    assert look(env, table["deals"][0], table["seed"]) == look(env, table["deals"][1], table["seed"])


NO_NATURALS = [hand for hand in info_states(load_rules(BACCARAT[0]), "player").hands if sum(hand) % 10 < 8]


@st.composite
def baccarat_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Two deals that are alike for the agent; a banker sees the card that the player draws."""
    seat = draw(st.integers(0, 1))
    first = [draw(st.sampled_from(NO_NATURALS)) for _ in range(2)]
    alike = [hand for hand in NO_NATURALS if sum(hand) % 10 == sum(first[1 - seat]) % 10]
    other = list(first)
    other[1 - seat] = draw(st.sampled_from(alike))
    coming = [[draw(st.integers(0, 9)) for _ in range(2)] for _ in range(2)]
    if seat == 1:
        coming[1][0] = coming[0][0]
    return {
        "sheet": draw(st.sampled_from(BACCARAT)),
        "num_players": 1,
        "seat": seat,
        "players": draw(st.sampled_from(OPPONENTS)),
        "observe": draw(st.sampled_from(["hand", "total", ("cards", "counts", "total", "choices")])),
        "seed": draw(st.integers(0, 2**32)),
        "deals": [cards_of(first, coming[0]), cards_of(other, coming[1])],
    }


@settings(max_examples=100, deadline=None)
@given(baccarat_tables())
def test_deals_of_baccarat_that_differ_in_hidden_cards_look_the_same(table: dict[str, Any]) -> None:
    env = environment(table)
    assert look(env, table["deals"][0], table["seed"]) == look(env, table["deals"][1], table["seed"])


@settings(max_examples=60, deadline=None)
@given(tables(), hands)
def test_deals_that_differ_in_the_own_hand_do_not(table: dict[str, Any], own: Hand) -> None:
    """The contrast that shows that the comparison above can fail."""
    table["observe"] = "hand"
    env = environment(table)
    seats = table["num_players"] + 1
    changed = list(table["deals"][0])
    changed[table["seat"] : 3 * seats : seats] = cards_of([own], ())
    views = [look(env, cards, table["seed"]) for cards in (table["deals"][0], changed)]
    kept = sorted(table["deals"][0][table["seat"] : 3 * seats : seats]) == sorted(cards_of([own], ()))
    assert (views[0][:2] == views[1][:2]) is kept


def test_hidden_suits_stay_hidden_while_the_own_are_seen() -> None:
    """With a Dragon stake all cards have suits; those of others, and what comes, are hidden."""
    env = PlayerEnv(
        "bicycle_bonus", num_players=2, seat=1, side_stakes={"dragon": 1}, observe="hand", render_mode="ansi"
    )
    own = ["5h", "Kd", "Kh"]
    shown = []
    for neighbour, banker, coming in (
        (["6h", "2h", "Kh"], ["6h", "Ah", "Kh"], "2h"),
        (["6s", "2d", "Qc"], ["5c", "2c", "Jd"], "6s"),
    ):
        dealt = [card for cards in zip(neighbour, own, banker, strict=True) for card in cards]
        shown.append(look(env, [*dealt, coming], seed=1))
    assert shown[0] == shown[1]
    assert "5h Kd Kh" in shown[0][3]


@pytest.mark.parametrize("env", [PlayerEnv, PlayerDealerEnv])
def test_info_after_the_hand_adds_moves_and_final_totals_and_no_cards(env: Any) -> None:
    made = env(num_players=2)
    made.reset(seed=1)
    info = made.step(1)[4]
    assert {*info} == BEFORE | {"action", "action_replaced", "totals"}
    assert info["action_mask"].tolist() == [0, 0]
    assert len(info["totals"]) == 3
    assert all(type(total) is int and 0 <= total <= 9 for total in info["totals"])


def test_a_player_sees_no_choice_of_a_later_seat() -> None:
    """Seat 2 draws or stands after the agent: until he has chosen, nothing tells them apart."""
    env = PlayerEnv(num_players=3, seat=1, render_mode="ansi")
    views = []
    for later in ((0, 0, 2), (0, 2, 6)):  # draws, stands
        cards = cards_of([(0, 2, 6), (0, 0, 5), later, (0, 1, 6)], [2, 2])
        views.append(look(env, cards, seed=1))
        env.step(0)
        assert env.render() is not None
    assert views[0] == views[1]


def test_skipped_hands_leave_no_trace_in_the_next_one() -> None:
    """Where two seeds offer the same state, they show the same, whatever was skipped before."""
    env = PlayerEnv("bicycle_bonus", forced="skip", render_mode="ansi")
    by_state: dict[int, set[tuple[Any, ...]]] = {}
    for number in range(400):
        obs, info = env.reset(seed=number)
        by_state.setdefault(info["info_state"], set()).add(
            (*obs.tolist(), *info["action_mask"].tolist(), *info)
        )
    assert {len(views) for views in by_state.values()} == {1}
    assert len(by_state) > 10


def test_without_choices_on_view_nothing_is_seen_of_the_others() -> None:
    rules = load_rules("bicycle", banker_sees="nothing")
    env = PlayerDealerEnv(rules, num_players=2, render_mode="ansi")
    views = [
        look(env, cards_of([player, (0, 0, 6), (0, 1, 6)], [2]), seed=1) for player in ((0, 0, 2), (0, 2, 6))
    ]
    assert views[0] == views[1]


def test_the_helper_deals_round_by_round() -> None:
    dealt = cards_of([(1, 2, 3), (4, 5, 6)], [0])
    assert dealt == ["A", "4", "2", "5", "3", "6", "K"]
    assert np.array_equal(PlayerEnv().reset(options={"cards": dealt})[0], PlayerEnv().encode((1, 2, 3)))
