"""With faults and back-line wagers too no agent's view depends on cards that it may not know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from pan9_gym.envs import table_env, table_full
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.envs.table_full import FullPlay
from pan9_gym.rules.cards import SUITS, Card
from pan9_gym.table import Phase, StackedTableShoe, new_table
from pan9_gym.table.faults import FaultKind
from pan9_gym.table.seating import place_of

VALUES = {"J": 0, "A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6}
NUM_SHOES, NUM_CARDS = 12, 60  # a misdeal goes on to the next shoe
ALL = {kind.value: 0.05 for kind in FaultKind}
TABLES: dict[str, dict[str, Any]] = {
    "bicycle": {"rules": "bicycle", "table": {"faults": ALL}},
    "exposed": {"rules": "bicycle", "table": {"faults": {"exposed": 0.3, "banker_exposed": 0.2}}},
    "short banker": {
        "rules": "bicycle",
        "table": {"faults": {"banker_count": 0.6, "reported": 0, "surplus": 0}},
    },
    "bicycle_bonus": {"rules": "bicycle_bonus", "table": {"faults": ALL}},
    "hawaiian_gardens": {"rules": "hawaiian_gardens", "table": {"faults": ALL}},
    "uk_1994_player": {"rules": "uk_1994_player", "table": {"faults": ALL, "tie_bettors": "any"}},
}

Shoes = list[list[Card]]


class Run:
    """A hand played by random moves: what each agent saw, and what one of them knows of each shoe.

    Attributes:
        shoes: The cards.
        seen: What each agent saw at each decision.
        known: Cards of each shoe that the agent knows.
        hands: The hands dealt from each shoe.
    """

    def __init__(self, env: TableEnv, agent: str, shoes: Shoes, seed: int, patch: pytest.MonkeyPatch) -> None:
        stacked = StackedTableShoe(*(" ".join(map(str, cards)) for cards in shoes))
        self.shoes = [list(cards) for cards in stacked._shoes]  # the very cards that will be dealt
        patch.setattr(table_full, "new_table", lambda config, rng, **_: new_table(config, rng, shoe=stacked))
        self.seen: dict[str, list[Any]] = {name: [] for name in env.possible_agents}
        self.known: list[list[Card]] = [[] for _ in shoes]
        self.hands: list[list[list[Card]]] = [[] for _ in shoes]
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not any(env.truncations.values()):
            self._look(env, agent, NUM_SHOES - len(stacked._shoes))
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            moves = [move for move in legal if not {"refuse", "sit"} & set(env.play.actions[move].split())]
            env.step(int(rng.choice(moves)))

    def _look(self, env: TableEnv, agent: str, shoe: int) -> None:
        for name in env.agents:
            text = env.render() if name == env.agent_selection else ""
            seen = {key: array.tolist() for key, array in env.observe(name).items()}
            self.seen[name].append((seen, env.infos[name], text))
        assert isinstance(env.play, FullPlay)
        hand, request = env.play.table.state.current, env.play.table.pending
        self.hands[shoe] = list(hand.cards.values())
        places = {place_of(env.play._participants[agent])}
        if request is not None and request.phase is Phase.DRAW and env.agent_selection == agent:
            places.add(request.view.place or 0)
        public = [*hand.open_cards, *(card for cards in hand.exposed.values() for card in cards)]
        self.known[shoe] += public + [card for place in places for card in hand.cards.get(place, [])]


def random_card(rng: np.random.Generator) -> Card:
    return Card(list(VALUES)[rng.integers(7)], SUITS[rng.integers(4)])


def places_in(shoe: list[Card], cards: Iterable[Card]) -> list[int]:
    """Where the very cards lay in the shoe."""
    return [place for place, card in enumerate(shoe) if any(card is other for other in cards)]


def other_shoe(run: Run, number: int, rng: np.random.Generator) -> list[Card]:
    """Other cards wherever the agent does not know them, but hands of the same totals."""
    shoe, kept = run.shoes[number], places_in(run.shoes[number], run.known[number])
    other = [card if place in kept else random_card(rng) for place, card in enumerate(shoe)]
    for hand in run.hands[number]:
        places = places_in(shoe, hand[:3])
        while sum(VALUES[shoe[at].rank] - VALUES[other[at].rank] for at in places) % 10:
            for at in set(places) - set(kept):
                other[at] = random_card(rng)
    return other


@pytest.mark.parametrize("name", TABLES)
def test_with_faults_hidden_cards_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = table_env.env(mode="full", num_seats=4, num_hands=1, render_mode="ansi", **TABLES[name])
    rng = np.random.default_rng(1)
    others_saw = 0
    for seed in range(40):
        agent = str(rng.choice(env.possible_agents))
        shoes = [[random_card(rng) for _ in range(NUM_CARDS)] for _ in range(NUM_SHOES)]
        one = Run(env, agent, shoes, seed, monkeypatch)
        changed = [other_shoe(one, number, rng) for number in range(NUM_SHOES)]
        two = Run(env, agent, changed, seed, monkeypatch)
        assert one.seen[agent] == two.seen[agent]
        others_saw += one.seen != two.seen
    assert others_saw > 30
