"""The vector environment says what scalar environments say: on the same cards, every output, bit for bit.

The scalar ones run in Gymnasium's `SyncVectorEnv` in the same autoreset mode, so that keys, shapes and dtypes
are compared too. Every hand of both is dealt from the same lists of cards, those of autoresets included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.envs.vector import HandVectorEnv
from pan9_gym.envs.vector_roles import PlayerDealerVectorEnv, PlayerVectorEnv
from tests.envs.vectors import ENVS, Listed, pick, random_mask, same_results
from tests.game.batches import ALL_SHEETS, MOST_SEEN, random_amount, random_cards, random_rules
from tests.game.hands import SIDE_BETS

CASES = 9
STEPS = 6
HANDS = 2 * STEPS + 2

POLICIES = ("logical_way", "always_draw", "always_stand")
OBSERVE = ("hand", "total", "shoe", ("mix", "wagers", "shoe", "counts"), ("total", "cards", "choices"))

every_sheet = pytest.mark.parametrize("sheet", ALL_SHEETS)
every_mode = pytest.mark.parametrize("mode", AutoresetMode)


@dataclass(frozen=True)
class Case:
    """One role's arguments."""

    dealer: bool
    arguments: dict[str, Any]

    def scalar(self) -> PlayerEnv | PlayerDealerEnv:
        return (PlayerDealerEnv if self.dealer else PlayerEnv)(**self.arguments)

    def vector(self, **arguments: Any) -> HandVectorEnv:
        make: Any = PlayerDealerVectorEnv if self.dealer else PlayerVectorEnv
        return make(ENVS, **self.arguments, **arguments)  # type: ignore[no-any-return]


def random_case(sheet: str, rng: np.random.Generator) -> Case:
    """Any rules, seats, wagers, side stakes and options for which the environment can be made."""
    while True:
        rules = random_rules(sheet, rng)
        most = min(rules.max_players, MOST_SEEN if rules.banker_sees == "card" else 7)
        num_players = int(rng.integers(1, (min(most, 4) if rules.num_decks == 1 else most) + 1))
        dealer = bool(rng.integers(2))
        bets = [bet for bet in SIDE_BETS.get(sheet, ()) if rng.random() < 0.5]
        others = num_players - (not dealer)
        opponents = {"players": [pick(rng, POLICIES) for _ in range(others)]}
        arguments = {
            "rules": rules,
            "num_players": num_players,
            "opponents": opponents if dealer else {**opponents, "banker": pick(rng, POLICIES)},
            "observe": pick(rng, OBSERVE),
            "forced": pick(rng, ("offer", "offer", "skip")),
            "illegal_action": pick(rng, ("replace", "error")),
            "wagers": pick(rng, (None, [random_amount(rng) for _ in range(num_players)])),
            "side_stakes": {bet: random_amount(rng) for bet in bets} or None,
            "shoe_mode": "fresh" if rules.with_replacement else pick(rng, ("fresh", "continuing")),
        }
        if not dealer:
            arguments["seat"] = int(rng.integers(num_players))
        case = Case(dealer, arguments)
        try:
            case.scalar()
        except ValueError as error:
            if "forced='skip'" not in str(error):  # such a role never has a choice
                raise
        else:
            return case


def deals(env: PlayerEnv | PlayerDealerEnv, rng: np.random.Generator) -> list[list[str]]:
    """Cards of hands that the environment does not refuse."""
    found: list[list[str]] = []
    while len(found) < HANDS:
        cards = random_cards(env.game, rng)
        try:
            env.reset(options={"cards": cards})
        except ValueError as error:
            if "natural" not in str(error) and "forced" not in str(error):
                raise
        else:
            found.append(cards)
    return found


def list_hands(env: HandVectorEnv, hands: Sequence[Sequence[list[str]]]) -> None:
    """Make every deal of the vector environment one of the next listed hands."""
    queues, deal = [iter(listed) for listed in hands], env._batch.deal

    def listed_deal(which: npt.NDArray[np.bool_] | None = None, cards: Any = None) -> None:
        chosen = np.ones(ENVS, dtype=bool) if which is None else which
        deal(which, [next(queue) if there else None for queue, there in zip(queues, chosen, strict=True)])

    env._batch.deal = listed_deal  # type: ignore[method-assign]


def choose(env: HandVectorEnv, case: Case, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Any actions, legal ones where others are errors."""
    actions = rng.integers(0, 2, ENVS)
    masks = env.action_masks()
    if case.arguments["illegal_action"] == "error":
        illegal = (masks[np.arange(ENVS), actions] == 0) & masks.any(axis=1)
        actions[illegal] ^= 1
    return actions


@every_mode
@every_sheet
def test_every_output_is_that_of_scalar_environments(sheet: str, mode: AutoresetMode) -> None:
    rng = np.random.default_rng([ALL_SHEETS.index(sheet), [*AutoresetMode].index(mode)])
    for _ in range(CASES):
        case = random_case(sheet, rng)
        ours = case.vector(autoreset_mode=mode, copy=bool(rng.integers(2)))
        probe = case.scalar()
        hands = [deals(probe, rng) for _ in range(ENVS)]
        scalars = [partial(Listed, case.scalar(), listed) for listed in hands]
        theirs: Any = SyncVectorEnv(scalars, autoreset_mode=mode)
        assert ours.observation_space == theirs.observation_space
        assert ours.single_observation_space == theirs.single_observation_space
        assert (ours.action_space, ours.single_action_space) == (
            theirs.action_space,
            theirs.single_action_space,
        )
        list_hands(ours, hands)
        same_results(ours.reset(seed=1), theirs.reset(seed=1))
        for _ in range(STEPS):
            actions = choose(ours, case, rng)
            results = ours.step(actions), theirs.step(actions)
            same_results(*results)
            mask = random_mask(mode, results[1][2], rng)
            if mask.any():
                resets = [env.reset(options={"reset_mask": mask.copy()}) for env in (ours, theirs)]
                same_results(*resets)


@every_sheet
def test_cards_in_the_options_of_a_reset(sheet: str) -> None:
    """Some environments by list, some from their shoe, some not reset."""
    rng = np.random.default_rng([9, ALL_SHEETS.index(sheet)])
    for _ in range(CASES):
        case = random_case(sheet, rng)
        ours, probe = case.vector(autoreset_mode="DISABLED"), case.scalar()
        before, infos = ours.reset(seed=3)
        cards: list[Any] = [hands[0] for hands in (deals(probe, rng) for _ in range(4))]
        mask = np.array([True, True, True, False, True])
        obs, after = ours.reset(
            options={"cards": [*cards[:2], None, ["unread"], cards[3]], "reset_mask": mask}
        )
        assert np.array_equal(obs[3], before[3])
        assert after["_info_state"].tolist() == mask.tolist()
        actions = choose(ours, case, rng)
        masks = ours.action_masks()
        assert np.array_equal(masks[3], infos["action_mask"][3])
        results = ours.step(actions)
        for number, listed in ((0, cards[0]), (1, cards[1]), (4, cards[3])):
            wanted, info = probe.reset(options={"cards": listed})
            assert np.array_equal(obs[number], wanted)
            assert after["info_state"][number] == info["info_state"]
            assert np.array_equal(masks[number], info["action_mask"])
            _, reward, *_, info = probe.step(actions[number])
            assert results[1][number] == reward
            assert results[4]["totals"][number].tolist() == list(info["totals"])
