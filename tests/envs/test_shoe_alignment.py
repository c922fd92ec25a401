"""The Shoe vector environments say what the scalar ones say: on the same shoes, every output, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from pan9_gym.envs.shoe_roles import ShoePlayerDealerEnv, ShoePlayerEnv
from pan9_gym.envs.shoe_vector import ShoeVectorEnv
from pan9_gym.envs.vector_roles import ShoePlayerDealerVectorEnv, ShoePlayerVectorEnv
from pan9_gym.game import Game
from tests.envs.vectors import ENVS, Listed, pick, random_mask, same_results
from tests.game.batches import ALL_SHEETS, MOST_SEEN, random_amount, random_rules
from tests.game.hands import SIDE_BETS

CASES = 3
STEPS = 20
SHOES = STEPS + 1

POLICIES = ("logical_way", "always_draw", "always_stand")
OBSERVE = ("shoe", "hand", "total", ("shoe", "total", "mix", "choices"))


@dataclass(frozen=True)
class Case:
    """One role's arguments."""

    dealer: bool
    arguments: dict[str, Any]

    def scalar(self) -> ShoePlayerEnv | ShoePlayerDealerEnv:
        return (ShoePlayerDealerEnv if self.dealer else ShoePlayerEnv)(**self.arguments)

    def vector(self, **arguments: Any) -> ShoeVectorEnv:
        make: Any = ShoePlayerDealerVectorEnv if self.dealer else ShoePlayerVectorEnv
        return make(ENVS, **self.arguments, **arguments)  # type: ignore[no-any-return]


def random_case(sheet: str, rng: np.random.Generator) -> Case:
    """Any finite rules, seats, side stakes and options for which the environment can be made."""
    while True:
        rules = random_rules(sheet, rng)
        if rules.with_replacement:
            continue
        most = min(rules.max_players, MOST_SEEN if rules.banker_sees == "card" else 7)
        num_players = int(rng.integers(1, (min(most, 4) if rules.num_decks == 1 else most) + 1))
        dealer = bool(rng.integers(2))
        bets = [bet for bet in SIDE_BETS.get(sheet, ()) if rng.random() < 0.5]
        others = num_players - (not dealer)
        arguments: dict[str, Any] = {
            "rules": rules,
            "num_players": num_players,
            "opponents": {
                "players": [pick(rng, POLICIES) for _ in range(others)],
                "banker": pick(rng, POLICIES),
            },
            "observe": pick(rng, (*OBSERVE, ("wagers", "shoe")) if dealer else OBSERVE),
            "forced": pick(rng, ("offer", "offer", "skip")),
            "illegal_action": pick(rng, ("replace", "error")),
            "side_stakes": {bet: random_amount(rng) for bet in bets} or None,
            "fee": pick(rng, (0, random_amount(rng))),
        }
        if dealer:
            arguments["wagers"] = pick(rng, (None, [random_amount(rng) for _ in range(num_players)]))
        else:
            arguments["seat"] = int(rng.integers(num_players))
            arguments["wager_choices"] = pick(rng, (None, [1, 5, 10], [3]))
        case = Case(dealer, arguments)
        try:
            case.scalar()
        except ValueError as error:
            if "forced='skip'" not in str(error):  # such a role never has a choice
                raise
        else:
            return case


def random_shoe(game: Game, rng: np.random.Generator) -> list[str]:
    """A shuffled shoe that is cut off after some hands."""
    pack = [f"{rank}{suit}" for rank in game.rules.point_values for suit in "cdhs"]
    cards = pack * (game.rules.num_decks or 1)
    number = rng.integers(game.max_cards, min(len(cards), 4 * game.max_cards) + 1)
    return [str(card) for card in rng.choice(cards, number, replace=False)]


def list_shoes(env: ShoeVectorEnv, shoes: Sequence[Sequence[list[str]]]) -> None:
    """Make every shoe that the vector environment starts one of the next listed ones."""
    queues, start = [iter(listed) for listed in shoes], env._batch.start

    def listed_start(which: npt.NDArray[np.bool_] | None = None, cards: Any = None) -> None:
        chosen = np.ones(ENVS, dtype=bool) if which is None else which
        start(which, [next(queue) if there else None for queue, there in zip(queues, chosen, strict=True)])

    env._batch.start = listed_start  # type: ignore[method-assign]


def choose(env: ShoeVectorEnv, case: Case, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Mostly legal actions; only such where others are errors."""
    masks = env.action_masks()
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    if case.arguments["illegal_action"] == "replace":
        wild = rng.random(ENVS) < 0.2
        actions[wild] = rng.integers(0, masks.shape[1], wild.sum())
    return actions


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("sheet", ALL_SHEETS)
def test_every_output_is_that_of_scalar_environments(sheet: str, mode: AutoresetMode) -> None:
    rng = np.random.default_rng([ALL_SHEETS.index(sheet), [*AutoresetMode].index(mode)])
    ended = 0
    for _ in range(CASES):
        case = random_case(sheet, rng)
        ours = case.vector(autoreset_mode=mode, copy=bool(rng.integers(2)))
        scalar = case.scalar()
        shoes = [[random_shoe(scalar.game, rng) for _ in range(SHOES)] for _ in range(ENVS)]
        scalars = [partial(Listed, case.scalar(), listed) for listed in shoes]
        theirs: Any = SyncVectorEnv(scalars, autoreset_mode=mode)
        assert ours.observation_space == theirs.observation_space
        assert ours.action_space == theirs.action_space
        list_shoes(ours, shoes)
        same_results(ours.reset(seed=1), theirs.reset(seed=1))
        for _ in range(STEPS):
            actions = choose(ours, case, rng)
            results = ours.step(actions), theirs.step(actions)
            same_results(*results)
            ended += int(results[1][2].sum())
            mask = random_mask(mode, results[1][2], rng)
            if mask.any():
                resets = [env.reset(options={"reset_mask": mask.copy()}) for env in (ours, theirs)]
                same_results(*resets)
    assert ended > CASES
