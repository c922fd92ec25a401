"""No agent's observation, info or text depends on cards or choices that it may not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pan9_gym.envs import table_env
from pan9_gym.envs.table_aec import TableEnv

FACES = {0: "K", 1: "A"}
NO_HAND = {"refuse", "sit", "back", "ask"}  # moves by which other hands than all four would be dealt
Deal = list[list[int]]


def cards_of(hands: Deal, draws: list[int]) -> list[str]:
    """Cards in the order of the deal: the first cards of all hands, then those to draw."""
    values = [value for cards in zip(*hands, strict=True) for value in cards]
    return [FACES.get(value, str(value)) for value in (*values, *draws)]


def same_total(hand: list[int], rng: np.random.Generator) -> list[int]:
    """Another hand of the same total, so that the same moves are legal."""
    while True:
        other = [int(value) for value in rng.integers(0, 7, 3)]
        if sum(other) % 10 == sum(hand) % 10:
            return other


def two_deals(number: int, kept: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Two deals that differ in all but one hand, and in the cards to come."""
    hands = [[int(value) for value in rng.integers(0, 7, 3)] for _ in range(number)]
    others = [hand if seat == kept else same_total(hand, rng) for seat, hand in enumerate(hands)]
    draws = [[int(value) for value in rng.integers(0, 7, number)] for _ in range(2)]
    return cards_of(hands, draws[0]), cards_of(others, draws[1])


def views(env: TableEnv, agent: str, options: dict[str, Any], seed: int) -> list[Any]:
    """All that an agent sees in a hand played by the same random moves, until it is settled."""
    env.reset(seed=seed, options=options)
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        seen = env.observe(agent)
        due = env.agent_selection == agent
        text = env.render() if due else ""
        found.append((seen["observation"].tolist(), seen["action_mask"].tolist(), env.infos[agent], text))
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        moves = [move for move in legal if not NO_HAND & set(env.play.actions[move].split())]
        env.step(int(rng.choice(moves)))
    return found


@pytest.mark.parametrize("sheet", ["bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_player"])
def test_in_draw_mode_hidden_cards_change_nothing(sheet: str) -> None:
    env = table_env.env(rules=sheet, num_players=3, render_mode="ansi")
    rng = np.random.default_rng(1)
    for seed in range(60):
        kept = int(rng.integers(4))
        one, two = two_deals(4, kept, rng)
        agent = env.possible_agents[kept]
        assert views(env, agent, {"cards": one}, seed) == views(env, agent, {"cards": two}, seed)


@pytest.mark.parametrize("sheet", ["bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_player"])
def test_at_a_whole_table_hidden_cards_change_nothing(sheet: str) -> None:
    env = table_env.env(
        mode="full", rules=sheet, num_seats=4, num_hands=1, render_mode="ansi", table={"num_dice": 0}
    )
    rng = np.random.default_rng(2)
    order = ["seat_1", "seat_2", "seat_3", "seat_0"]  # seat 0 banks, and the deal begins at its left
    for seed in range(40):
        kept = int(rng.integers(4))
        one, two = ([*cards, *["K"] * 4] for cards in two_deals(4, kept, rng))
        assert views(env, order[kept], {"cards": one}, seed) == views(env, order[kept], {"cards": two}, seed)
        watched = next(place for place in range(4) if place != kept)
        if sorted(one[watched:12:4]) != sorted(two[watched:12:4]):
            assert views(env, order[watched], {"cards": one}, seed) != views(
                env, order[watched], {"cards": two}, seed
            )


def test_one_information_state_is_one_observation_and_one_observation_one_state() -> None:
    env = table_env.env(rules="bicycle", num_players=2, num_hands=400)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    by_state: dict[tuple[str, int], bytes] = {}
    by_obs: dict[tuple[str, bytes], int] = {}
    while not any(env.terminations.values()):
        agent = env.agent_selection
        seen, _, _, _, info = env.last()
        state, obs = info["info_state"], seen["observation"].tobytes()
        assert by_state.setdefault((agent, state), obs) == obs
        assert by_obs.setdefault((agent, obs), state) == state
        env.step(int(rng.integers(2)))
    assert len(by_state) > 300


def test_who_is_not_due_sees_the_choices_made_so_far_and_no_later_ones() -> None:
    env = table_env.env(num_players=3)
    env.reset(seed=1)
    env.step(1)
    assert env.observe("player_1")["observation"][-1] == 1  # player 0 drew
    assert env.observe("player_2")["observation"][-2:].tolist() == [1, 0]
    assert env.observe("banker_0")["observation"][-3:].tolist() == [1, 0, 0]
    before = env.observe("player_1")["observation"].tolist()
    env.step(1)
    env.step(1)
    assert env.observe("player_1")["observation"].tolist() == before
    assert env.observe("banker_0")["observation"][-3:].tolist() == [1, 1, 1]


def test_at_a_whole_table_each_sees_role_wagers_and_its_own_cards() -> None:
    env = table_env.env(mode="full", num_seats=3, num_hands=1)
    env.reset(seed=1)
    actions = env.play.actions
    for answer in (
        "bank: accept",
        "stake: 80",
        "wager: 5",
        "wager: 10",
        *["others: nothing"] * 2,
        "draw: draw",
    ):
        env.step(actions.index(answer))
    features = [entry.feature for entry in env.play.layouts["seat_0"]]

    def part(agent: str, name: str) -> list[float]:
        seen = env.observe(agent)["observation"]
        return [float(number) for number, feature in zip(seen, features, strict=True) if feature == name]

    assert [part(agent, "role") for agent in env.agents] == [[1, 0], [0, 1], [0, 1]]
    assert part("seat_0", "wager")[:3] == [0, 0.5, 1]
    assert part("seat_2", "wager")[:2] == [1, 0]
    assert part("seat_2", "wager")[7] == 0.5  # seat 1 is seven places clockwise from seat 2
    assert part("seat_0", "stake") == [1]
    assert part("seat_0", "drew") == part("seat_2", "drew")[6:] + part("seat_2", "drew")[:6]
    assert sum(part("seat_1", "drew")) == 1
    assert [sum(part(agent, "counts")) for agent in env.agents] == [3, 3, 3]
    hands = env.play.table.state.current.playing
    assert part("seat_0", "counts") == [hands.initial_hand(2).count(value) for value in range(7)]
