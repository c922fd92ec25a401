"""One environment for several sheets: each episode's is drawn, and the observation says which rules hold."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from scipy.stats import chisquare

from pan9_gym import load_rules
from pan9_gym.envs.vector_checker import check_vector_env
from tests.envs.vectors import ENVS, HAND_IDS, Listed, same_results
from tests.game.hands import SHEETS

PLAYER, DEALER = HAND_IDS
SHOE_PLAYER, SHOE_DEALER = "Pan9/ShoePlayer-v0", "Pan9/ShoePlayerDealer-v0"
IDS = (*HAND_IDS, SHOE_PLAYER, SHOE_DEALER)
SEVERAL = ["bicycle", "hawaiian_gardens", "uk_1994_house"]

every_id = pytest.mark.parametrize("env_id", IDS)


def make(env_id: str, **arguments: Any) -> Any:
    return gymnasium.make(env_id, **{"rules": SEVERAL, **arguments}).unwrapped


def make_vec(env_id: str, num_envs: int, **arguments: Any) -> Any:
    mode: Any = "vector_entry_point"
    return gymnasium.make_vec(env_id, num_envs, mode, rules=SEVERAL, **arguments).unwrapped


@every_id
def test_the_sheets_are_drawn_evenly_and_by_the_seed(env_id: str) -> None:
    env = make(env_id)
    drawn = [env.reset(seed=7)[1]["rules"]] + [env.reset()[1]["rules"] for _ in range(599)]
    again = [env.reset(seed=7)[1]["rules"]] + [env.reset()[1]["rules"] for _ in range(599)]
    assert drawn == again
    assert chisquare(np.bincount(drawn, minlength=3)).pvalue > 1e-4


@every_id
def test_the_vector_draws_evenly_whatever_its_size(env_id: str) -> None:
    many, few = make_vec(env_id, 600), make_vec(env_id, 4)
    drawn = many.reset(seed=7)[1]["rules"]
    assert few.reset(seed=7)[1]["rules"].tolist() == drawn[:4].tolist()
    assert chisquare(np.bincount(drawn, minlength=3)).pvalue > 1e-4
    later = many.reset()[1]["rules"]
    assert chisquare(np.bincount(3 * drawn + later, minlength=9)).pvalue > 1e-4


@every_id
def test_the_observation_says_which_rules_hold(env_id: str) -> None:
    env = make(env_id)
    places = [index for index, entry in enumerate(env.encoder.layout) if entry.feature == "rules"]
    assert len(places) == 52
    seen = {}
    for sheet in SEVERAL:
        observation, info = env.reset(options={"rules": sheet})
        assert SEVERAL[info["rules"]] == sheet
        assert env.game.rules == load_rules(sheet)
        seen[sheet] = observation[places].tolist()
    assert len({*map(tuple, seen.values())}) == 3
    meanings = [env.encoder.layout[place].meaning for place in places]
    house = dict(zip(meanings, seen["uk_1994_house"], strict=True))
    assert house["1 if the banker must draw on 5"] == house["1 if the banker must stand on 6"] == 1
    assert house["1 if the player must draw on 5"] == house["1 if the bank wins ties on 0"] == 0
    assert house["p / (1 + p), where a winning wager is paid p"] == np.float32(19 / 39)
    assert house["1 / packs in the shoe, 0 with replacement"] == 1 / 8
    garden = dict(zip(meanings, seen["hawaiian_gardens"], strict=True))
    assert [garden[f"1 if the bank wins ties on {total}"] for total in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("env_id", HAND_IDS)
def test_a_net_is_asked_about_one_sheet(env_id: str) -> None:
    env, vector = make(env_id), make_vec(env_id, 1)
    choices = ("draw",) if env_id == DEALER else ()
    for sheet in SEVERAL:
        alone = make(env_id, rules=[sheet], observe=("counts", "choices", "rules"))
        wanted = alone.encode([1, 2, 3], choices)
        assert np.array_equal(env.encode([1, 2, 3], choices, rules=sheet), wanted)
        assert np.array_equal(vector.encode([1, 2, 3], choices, rules=SEVERAL.index(sheet)), wanted)


def test_one_sheet_of_several_plays_as_it_does_alone() -> None:
    cards = ["2", "3", "2", "J", "A", "A", "6", "5"]
    for sheet in SHEETS:
        several, alone = make(PLAYER, rules=list(SHEETS)), make(PLAYER, rules=sheet)
        several.reset(options={"rules": sheet, "cards": cards})
        alone.reset(options={"cards": cards})
        mine, wanted = several.step(1), alone.step(1)
        assert mine[1] == wanted[1]
        assert mine[4].pop("rules") == SHEETS.index(sheet)
        assert mine[4]["totals"] == wanted[4]["totals"]


class Known(Listed):
    """A scalar environment whose every reset takes the next listed hand and sheet."""

    def __init__(self, env: Any, hands: Any, sheets: Any) -> None:
        super().__init__(env, hands)
        self._sheets = iter(sheets)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        cards = next(self._hands)
        return self.env.reset(seed=seed, options={"cards": cards, "rules": next(self._sheets)})


def listed(env: Any, method: str, cards: Any, sheets: Any) -> None:
    """Make every episode of the vector environment one of the next listed ones."""
    mixed, hands, kinds = env._mixed, [iter(each) for each in cards], [iter(each) for each in sheets]
    draw, begin = mixed.choose, getattr(mixed, method)

    def choose(which: Any, games: Any = None) -> None:
        draw(which, np.array([next(k) if w else -1 for k, w in zip(kinds, which, strict=True)]))

    def listed_begin(which: Any = None, cards: Any = None) -> None:
        chosen = np.ones(ENVS, dtype=bool) if which is None else which
        begin(which, [next(q) if there else None for q, there in zip(hands, chosen, strict=True)])

    mixed.choose, mixed.check_cards = choose, lambda which, cards: None
    setattr(mixed, method, listed_begin)


@pytest.mark.parametrize("mode", AutoresetMode)
@every_id
def test_every_output_is_that_of_scalar_environments(env_id: str, mode: AutoresetMode) -> None:
    rng = np.random.default_rng([IDS.index(env_id), [*AutoresetMode].index(mode)])
    shoe = "Shoe" in env_id
    ours = make_vec(env_id, ENVS, autoreset_mode=mode)
    steps, most = (40, 24) if shoe else (8, 8)
    pack = [rank for rank in "A23456JQK" for _ in range(8)]
    cards = [[rng.choice(pack, most, replace=False).tolist() for _ in range(steps + 1)] for _ in range(ENVS)]
    sheets = rng.integers(0, 3, (ENVS, steps + 1)).tolist()
    scalars = [partial(Known, make(env_id), hands, kinds) for hands, kinds in zip(cards, sheets, strict=True)]
    theirs: Any = SyncVectorEnv(scalars, autoreset_mode=mode)
    listed(ours, "start" if shoe else "deal", cards, sheets)
    same_results(ours.reset(seed=1), theirs.reset(seed=1))
    for _ in range(steps):
        masks = ours.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        results = ours.step(actions), theirs.step(actions)
        same_results(*results)
        over = results[1][2]
        if mode is AutoresetMode.DISABLED and over.any():
            same_results(*[env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs)])


@pytest.mark.parametrize("mode", AutoresetMode)
@every_id
def test_the_vector_checker_finds_nothing(env_id: str, mode: AutoresetMode) -> None:
    check_vector_env(lambda: make_vec(env_id, 5, autoreset_mode=mode), num_steps=60)


def test_shoes_of_different_sheets_do_not_share_cards() -> None:
    env = make_vec(PLAYER, 64, shoe_mode="continuing", observe="shoe")
    hands = []
    for number in range(3):
        _, infos = env.reset(seed=5, options={"rules": [number] * 64})
        hands.append(infos["info_state"])
    assert all((one == other).mean() < 0.2 for one, other in ((hands[0], hands[1]), (hands[1], hands[2])))


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([], "rules: an empty list; at least one sheet is needed"),
        (["bicycle", "bicycle"], "rules: 'bicycle' is listed twice"),
        (["bicycle", "baccarat_chemin_de_fer"], "differ in point_values; sheets of one environment must"),
        (["bicycle", "bycicle"], "rule sheet 'bycicle' is not known"),
        (["bicycle", 3], "rules 3: must be a sheet's name"),
    ],
)
def test_sheets_that_cannot_share_an_environment(rules: Any, said: str) -> None:
    for make_one in (make, partial(make_vec_of, num_envs=2)):
        for env_id in (PLAYER, SHOE_DEALER):
            with pytest.raises(ValueError, match=said):
                make_one(env_id, rules=rules)


def make_vec_of(env_id: str, num_envs: int, **arguments: Any) -> Any:
    mode: Any = "vector_entry_point"
    return gymnasium.make_vec(env_id, num_envs, mode, **arguments)


def test_limits_that_give_different_numbers_of_wagers() -> None:
    other = load_rules("bicycle", wager_limits={"least": 1, "most": 5})
    with pytest.raises(ValueError, match="wager_limits differ; give wager_choices that all allow"):
        make(SHOE_PLAYER, rules=["bicycle", other])
    assert make(SHOE_PLAYER, rules=["bicycle", other], wager_choices=[1, 5]).amounts == (1, 5)


@every_id
def test_sheets_in_the_options_that_are_none(env_id: str) -> None:
    env, vector = make(env_id), make_vec(env_id, 2)
    for wrong in ("bicycle_bonus", 3, -1, True, 1.0):
        with pytest.raises(ValueError, match=r"options\['rules'\] .* none of the sheets.*allowed: bicycle, "):
            env.reset(options={"rules": wrong})
        with pytest.raises(ValueError, match=r"options\['rules'\]\[1\] .* is none of the sheets"):
            vector.reset(options={"rules": [None, wrong]})
    with pytest.raises(ValueError, match=r"options\['rules'\] 'bicycle': for each of the 2 environments"):
        vector.reset(options={"rules": "bicycle"})
    with pytest.raises(ValueError, match="unknown key 'rules'"):
        make(env_id, rules="bicycle").reset(options={"rules": "bicycle"})


@every_id
def test_a_wrong_action_of_one_sheet_plays_none_of_another(env_id: str) -> None:
    env = make_vec(env_id, 6, illegal_action="error", autoreset_mode="DISABLED")
    before, _ = env.reset(seed=1, options={"rules": [0, 1, 2, 0, 1, 2]})
    actions = env.action_masks().argmax(axis=1)
    with pytest.raises(ValueError, match=r"actions\[5\] 99"):
        env.step([*actions[:5], 99])
    assert np.array_equal(env.reset(options={"reset_mask": np.arange(6) == 0})[0][1:], before[1:])


def test_a_refused_list_of_cards_leaves_no_shoe_of_any_sheet() -> None:
    env = make_vec(SHOE_PLAYER, 4)
    env.reset(seed=1, options={"rules": [0] * 4})
    env.step(np.full(4, 11))
    env.reset(options={"rules": [1] * 4})
    env.step(np.full(4, 2))
    with pytest.raises(ValueError, match=r"cards\[0\] lists 7 cards"):
        env.reset(options={"cards": [["A"] * 7, None, None, None]})
    for number in range(4):
        assert not env.action_masks()[number].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(4, dtype=int))
    assert env.reset()[1]["amount"].tolist() == [0] * 4
