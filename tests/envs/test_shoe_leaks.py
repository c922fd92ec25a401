"""Nothing in a shoe shows a card before the agent may see it.

Two listed shoes that have the same cards where the agent sees them, and any others elsewhere, look exactly
alike until the hand that tells them apart is over: observation, infos, masks, text. The other seats' policies
do not look at their cards here, so that their choices are alike too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_roles import ShoePlayerDealerEnv, ShoePlayerEnv
from pan9_gym.envs.vector_roles import ShoePlayerDealerVectorEnv, ShoePlayerVectorEnv
from pan9_gym.rules import load_rules
from tests.envs.conftest import Deal

PAIRS = 40
BLIND = ("always_draw", "always_stand", "uniform")
PURE = BLIND[:2]
RANKS = [*"A23456JQK"]
FIRST, SECOND = (3, 0), (3, 1)
"""What the agent does in its hands: it plays both, stands in the first and draws in the second."""


@dataclass
class Table:
    """A table with the agent somewhere, and a shoe."""

    rng: np.random.Generator
    policies: tuple[str, ...] = BLIND
    dealer: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng, num_players = self.rng, int(self.rng.integers(1, 4))
        self.seat = int(rng.integers(num_players + 1))
        self.seats = num_players + 1
        self.dealer = self.seat == num_players
        sees, choices = rng.choice(["nothing", "choice"]), rng.choice(["in_turn", "simultaneous"])
        players = [str(name) for name in rng.choice(self.policies, num_players - (not self.dealer))]
        self.arguments = {
            "rules": load_rules("bicycle", banker_sees=str(sees), choices=str(choices)),
            "num_players": num_players,
            "observe": ("shoe", "hand", ("mix", "shoe", "cards", "choices", "total"))[rng.integers(3)],
            "opponents": {"players": players, "banker": str(rng.choice(self.policies))},
            "fee": "1/7",
        }
        if not self.dealer:
            self.arguments["seat"] = self.seat
        self.cards = self.any_cards()
        self.seed = int(rng.integers(1000))

    def any_cards(self) -> list[str]:
        return [str(card) for card in self.rng.choice(RANKS, 12 * self.seats)]

    def scalar(self) -> ShoeEnv:
        env: Callable[..., ShoeEnv] = ShoePlayerDealerEnv if self.dealer else ShoePlayerEnv
        return env(render_mode="ansi", **self.arguments)

    def used_in_the_first_hand(self) -> int:
        env = self.scalar()
        views(env, self.cards, self.seed, FIRST)
        return 432 - int(str(env.render()).split()[0])

    def own_places(self) -> list[int]:
        """Where in the shoe the agent's first cards of the second hand lie."""
        start = self.used_in_the_first_hand() + self.seat
        return [start, start + self.seats, start + 2 * self.seats]

    def alike(self) -> list[str]:
        """A shoe that differs in all cards that the agent does not see before the second hand is over."""
        own = self.own_places()
        used = own[0] - self.seat
        other = self.any_cards()
        return [self.cards[k] if k < used or k in own else other[k] for k in range(len(self.cards))]


def views(env: ShoeEnv, cards: list[str], seed: int, actions: tuple[int, ...]) -> list[Any]:
    """All that is shown before each action and after the last."""
    obs, info = env.reset(seed=seed, options={"cards": cards})
    seen: list[Any] = [look(env, obs, info)]
    for action in actions:
        obs, reward, over, truncated, info = env.step(action)
        assert not over
        seen += [look(env, obs, info), reward, truncated]
    return seen


def look(env: ShoeEnv, obs: Any, info: dict[str, Any]) -> list[Any]:
    shown = {**info, "action_mask": info["action_mask"].tolist()}
    return [obs.tolist(), shown, env.render(), env.action_masks().tolist()]


@pytest.mark.parametrize("number", range(PAIRS))
def test_shoes_that_differ_in_hidden_cards_look_alike_until_the_hand_is_over(number: int) -> None:
    table = Table(np.random.default_rng([1, number]))
    shoes, actions = (table.cards, table.alike()), (*FIRST, SECOND[0])
    assert shoes[0] != shoes[1]
    first, second = (views(table.scalar(), cards, table.seed, actions) for cards in shoes)
    assert first == second


def test_afterwards_and_where_own_cards_differ_they_do_not() -> None:
    """The contrast that shows that the comparison above can fail."""
    over = own = 0
    for number in range(PAIRS):
        table = Table(np.random.default_rng([1, number]))
        views_of = [
            views(table.scalar(), cards, table.seed, (*FIRST, *SECOND))
            for cards in (table.cards, table.alike())
        ]
        over += views_of[0] != views_of[1]
        changed, place = [*table.cards], table.own_places()[1]
        changed[place] = "2" if changed[place] != "2" else "5"
        actions = (*FIRST, SECOND[0])
        before, after = (
            views(table.scalar(), cards, table.seed, actions) for cards in (table.cards, changed)
        )
        assert before[:-3] == after[:-3]
        own += before[-3] != after[-3]
    assert (over, own) == (PAIRS, PAIRS)


@pytest.mark.parametrize("number", range(PAIRS // 2))
def test_the_vector_environment_does_not_tell_them_apart_either(number: int) -> None:
    table = Table(np.random.default_rng([2, number]), PURE)
    shoes = [table.cards, table.alike()]
    make: Any = ShoePlayerDealerVectorEnv if table.dealer else ShoePlayerVectorEnv
    venv = make(2, **table.arguments)
    outputs: list[Any] = [venv.reset(seed=[5, 5], options={"cards": shoes})]
    outputs += [venv.step(np.full(2, action)) for action in (*FIRST, SECOND[0])]
    for output in outputs:
        for part in (*output[:-1], *(output[-1][key] for key in output[-1])):
            assert np.array_equal(part[0], part[1])


def test_a_banker_sees_the_card_that_is_drawn_and_not_the_hand(deal: Deal) -> None:
    """Chemin de fer: the player's 5 is shown in the same way whatever his first two cards are."""
    env = ShoePlayerDealerEnv("baccarat_chemin_de_fer", render_mode="ansi")
    ends = ("K", "K", "K")
    seen = []
    for player, drawn in (("2 3", "5"), ("A 4", "5"), ("A 4", "6")):
        cards = [*deal(player, "K 4", draws=drawn), *ends, *"9876"]
        seen.append(views(env, cards, 1, (3,)))
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]
    assert "2 3" not in str(seen)


def test_suits_of_others_are_hidden(deal: Deal) -> None:
    env = ShoePlayerEnv("bicycle_bonus", num_players=2, seat=1, side_stakes={"dragon": 1}, render_mode="ansi")
    seen = []
    for neighbour, banker, coming in (
        ("6h 2h Kh", "6h Ah Kh", "2h 3h 4h 5h"),
        ("6s 2d Qc", "5c 2c Jd", "6s Ks 4c 5c"),
    ):
        cards = [*deal(neighbour, "5h Kd Kh", banker, draws=coming), *["Ah"] * 3]
        seen.append(views(env, cards, 1, (3,)))
    assert seen[0] == seen[1]
    assert "5h Kd Kh" in str(seen[0])


@pytest.mark.parametrize("env", [ShoePlayerEnv, ShoePlayerDealerEnv])
def test_infos_hold_these_keys_and_no_cards(env: Any) -> None:
    made = env(num_players=2)
    _, info = made.reset(seed=1)
    before = {"info_state", "action_mask", "amount"}
    assert {*info} == before
    assert {*made.step(3)[4]} == before | {"action", "action_replaced"}
    info = made.step(1)[4]
    assert {*info} == before | {"action", "action_replaced", "totals"}
    assert len(info["totals"]) == 3
    assert all(type(total) is int and 0 <= total <= 9 for total in info["totals"])
