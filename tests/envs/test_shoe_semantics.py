"""Shoes played again by hand, card by card on `Round`: rewards, observations, infos and the end are the same.

The recomputation has its own policies, its own count of the cards and its own money: a game whose wager is
the chosen one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_roles import ShoePlayerDealerEnv, ShoePlayerEnv
from pan9_gym.game import Game, Round, StackedShoe, new_game
from pan9_gym.rules import Action, Role, RulesConfig, load_rules, sheet_names

POLICIES: dict[str, Callable[[int], bool]] = {
    "logical_way": lambda total: total <= 5,
    "always_draw": lambda total: True,
    "always_stand": lambda total: False,
}
AMOUNTS = (1, 2, Fraction(5, 2), Fraction(1, 3), 7)
SIDE_BETS = {"bicycle_bonus": ("dragon", "super_0", "bc"), "uk_1994_player": ("tie",)}
FEES = (0, Fraction(1, 7), 2)
CASES = 10
"""Random tables for each sheet, with two shoes each."""


@dataclass(frozen=True)
class Table:
    """Who sits where, and the same in the words of the environment."""

    rules: RulesConfig
    num_players: int
    seat: int
    policies: tuple[str, ...]
    own: str
    wagers: tuple[Any, ...]
    stakes: tuple[dict[str, Any] | None, ...]
    fee: Fraction
    skip: bool
    choices: tuple[int, ...] = (1, 3, 10)

    @property
    def dealer(self) -> bool:
        return self.seat == self.num_players

    def env(self, **more: Any) -> ShoeEnv:
        others = [name for seat, name in enumerate(self.policies[:-1]) if seat != self.seat]
        arguments = {
            "rules": self.rules,
            "num_players": self.num_players,
            "opponents": {"players": others, "banker": self.own if self.dealer else self.policies[-1]},
            "fee": self.fee,
            "forced": "skip" if self.skip else "offer",
            **more,
        }
        if self.dealer:
            return ShoePlayerDealerEnv(wagers=self.wagers, side_stakes=self.stakes, **arguments)
        stakes = self.stakes[self.seat]
        return ShoePlayerEnv(seat=self.seat, side_stakes=stakes, wager_choices=self.choices, **arguments)

    def game(self, wager: int) -> Game:
        """The hand for the agent's wager, where it is a player; the others do not touch its money."""
        wagers = [wager if seat == self.seat else one for seat, one in enumerate(self.wagers)]
        return new_game(self.rules, self.num_players, wagers=wagers, side_stakes=self.stakes)


def random_table(sheet: str, rng: np.random.Generator) -> Table:
    rules = load_rules(sheet)
    num_players = int(rng.integers(1, min(rules.max_players, 3) + 1))
    seat = int(rng.integers(num_players + 1))
    names = [str(name) for name in rng.choice([*POLICIES], num_players + 2)]
    stakes: list[dict[str, Any] | None] = []
    for player in range(num_players):
        chosen = {
            bet: str(rng.choice(["1/20", "2"])) for bet in SIDE_BETS.get(sheet, ()) if rng.random() < 0.5
        }
        stakes.append((chosen or None) if seat in (player, num_players) else None)
    return Table(
        rules=rules,
        num_players=num_players,
        seat=seat,
        policies=tuple(names[:-1]),
        own=names[-1],
        wagers=tuple(AMOUNTS[k] for k in rng.integers(len(AMOUNTS), size=num_players)),
        stakes=tuple(stakes),
        fee=Fraction(FEES[rng.integers(3)]),
        skip=bool(rng.random() < 0.4) and not never_chooses(rules, banker=seat == num_players),
    )


def never_chooses(rules: RulesConfig, banker: bool) -> bool:
    """Whether all moves of the role are forced."""
    rule = rules.draw_rule(Role.BANKER if banker else Role.PLAYER)
    return (banker and bool(rules.banker_tableau)) or len(
        rule.must_draw | rule.must_stand | rules.naturals
    ) == 10


def shuffled(rules: RulesConfig, rng: np.random.Generator, most: int) -> list[str]:
    """A shoe that was cut off somewhere."""
    packs = [f"{rank}{suit}" for rank in rules.point_values for suit in "cdhs"] * (rules.num_decks or 1)
    return [str(card) for card in rng.permutation(packs)[: rng.integers(most // 3, most)]]


@dataclass
class Recomputed:
    """A listed shoe played by hand."""

    table: Table
    source: StackedShoe
    left: Counter[Any]
    state: Round | None = None
    wager: int = 0
    banked_by_others: bool = False
    played: list[Round] = field(default_factory=list)

    def open(self, amount: int) -> bool:
        """Deal a hand; whether the agent has a choice to make in it."""
        self.wager, self.banked_by_others = amount, amount == 0
        self.state = self.table.game(max(amount, 1)).new_round(self.left)
        return self._go_on()

    def decide(self, action: int) -> None:
        assert self.state is not None
        self.state = self.state.apply(Action(action))
        assert not self._go_on()

    def _go_on(self) -> bool:
        state = self.state
        assert state is not None
        while not state.is_terminal:
            seat = state.current_seat
            if seat is None:
                state = state.apply(self.source.draw())
                continue
            legal = state.legal_actions()
            if seat == self.table.seat and not self.banked_by_others:
                self.state = state
                if len(legal) > 1 or not self.table.skip:
                    return True
                state = state.apply(legal[0])
                continue
            name = self.table.own if seat == self.table.seat else self.table.policies[seat]
            wanted = Action(POLICIES[name](state.total(seat)))
            state = state.apply(wanted if wanted in legal else legal[0])
        self.state = state
        self.left = self.left - Counter(card for hand in state.hands for card in hand)
        return False

    @property
    def reward(self) -> float:
        assert self.state is not None
        if self.banked_by_others:
            return 0.0
        return float(self.state.returns()[self.table.seat] - self.table.fee)

    @property
    def over(self) -> bool:
        return self.source.num_cards_left < self.table.game(1).max_cards

    def shares(self) -> npt.NDArray[np.float32]:
        rules = self.table.rules
        found: Counter[int] = Counter()
        for card, number in self.left.items():
            found[card if isinstance(card, int) else rules.point_values[card.rank]] += number
        left = np.array([found[value] for value in rules.values], dtype=np.float32)
        shares: npt.NDArray[np.float32] = np.divide(left, rules.initial_counts, dtype=np.float32)
        return shares


def begin(table: Table, cards: Sequence[str]) -> Recomputed:
    game = table.game(1)
    return Recomputed(table, StackedShoe(table.rules, cards, game.with_suits), Counter(game.counts))


def check_observation(env: ShoeEnv, obs: Any, again: Recomputed, due: bool) -> None:
    """`due`, the wager, the own cards, the shares: entry by entry, and all of it by `encode`."""
    table = again.table
    values, shift = table.rules.values, 1 if table.dealer else 2
    size = len(values)
    before = again.shares()
    if not due:
        assert obs[0] == 0
        assert not obs[1 : shift + size].any()
        assert np.array_equal(obs, env.encode(shoe=before))
    else:
        state = again.state
        assert state is not None
        hand = state.initial_hand(table.seat)
        assert obs[0] == 1
        assert obs[shift : shift + size].tolist() == [hand.count(value) for value in values]
        if not table.dealer:
            assert obs[1] == np.float32(again.wager) / np.float32(10)
        choices, suits = state.visible_choices(table.seat), state.suit_class(table.seat)
        wager = max(again.wager, 1)
        assert np.array_equal(obs, env.encode(hand, choices, suits, shoe=before, amount=wager))
    assert np.array_equal(obs[shift + size : shift + 2 * size], before)


def follow(table: Table, cards: Sequence[str], rng: np.random.Generator) -> Counter[str]:
    """Play a listed shoe at random beside its recomputation; what happened in it."""
    env, again, met = table.env(), begin(table, cards), Counter[str]()
    obs, info = env.reset(options={"cards": list(cards)})
    assert info["amount"] == 0
    over = False
    while not over:
        check_observation(env, obs, again, due=False)
        amounts = (0, 1) if table.dealer else table.choices
        level = int(rng.integers(len(amounts)))
        due = again.open(amounts[level])
        obs, reward, over, _, info = env.step(2 + level)
        assert (info["action"], info["action_replaced"]) == (2 + level, False)
        assert info["amount"] == amounts[level]
        if due:
            assert again.state is not None
            assert (reward, over, "totals" in info) == (0.0, False, False)
            assert info["info_state"] == again.state.info_state(table.seat)
            legal = again.state.legal_actions()
            assert np.flatnonzero(info["action_mask"]).tolist() == sorted(legal)
            check_observation(env, obs, again, due=True)
            action = int(legal[rng.integers(len(legal))])
            again.decide(action)
            obs, reward, over, _, info = env.step(action)
            assert info["amount"] == amounts[level]
        assert again.state is not None
        assert reward == again.reward
        assert info["info_state"] == -1
        assert info["totals"] == tuple(again.state.total(seat) for seat in range(table.num_players + 1))
        assert over == again.over
        met["passed" if again.banked_by_others else "decided" if due else "ended at once"] += 1
        met["rewards"] += reward not in (0, 1, -1)
    check_observation(env, obs, again, due=False)
    assert not info["action_mask"].any()
    return met


@pytest.mark.parametrize("sheet", sheet_names())
def test_shoes_are_what_their_cards_make_them(sheet: str) -> None:
    rng = np.random.default_rng([7, sheet_names().index(sheet)])
    met = Counter[str]()
    for _ in range(CASES):
        table = random_table(sheet, rng)
        for most in (40, 110):
            met += follow(table, shuffled(table.rules, rng, most + table.game(1).max_cards * 2), rng)
    assert met["decided"] > 20
    assert met["rewards"] > 20


def test_the_recomputation_meets_every_kind_of_hand() -> None:
    """Passed banks, hands that a natural or a forced move ends, side stakes and unequal seats all arise."""
    rng = np.random.default_rng(11)
    rules = load_rules("baccarat_chemin_de_fer")
    chemin = Table(
        rules, 1, 1, ("logical_way", ""), "always_draw", (Fraction(1, 3),), (None,), Fraction(1), False
    )
    met = follow(chemin, shuffled(rules, rng, 400)[:130], rng)
    assert min(met[kind] for kind in ("passed", "decided", "ended at once")) >= 3
    bonus = Table(
        load_rules("bicycle_bonus"),
        num_players=3,
        seat=3,
        policies=("logical_way", "always_draw", "always_stand", ""),
        own="logical_way",
        wagers=(1, Fraction(5, 2), 7),
        stakes=({"dragon": "1/20"}, None, {"super_0": 2, "bc": "1/3"}),
        fee=Fraction(1, 7),
        skip=True,
    )
    met = follow(bonus, shuffled(bonus.rules, rng, 300)[:200], rng)
    assert min(met[kind] for kind in ("passed", "decided", "ended at once")) >= 1
