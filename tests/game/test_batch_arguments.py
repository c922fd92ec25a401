"""The compiled engine's bad input, forced moves, memory and laziness."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pan9_gym.game import Game, batch_kernels, new_game
from pan9_gym.game.batch_compile import kernel, needs_compiling, say_if_compiling
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.game.batch_tally import HandTally
from pan9_gym.rules import load_rules
from tests.game.batches import random_policy

BICYCLE = new_game("bicycle")
BONUS = new_game("bicycle_bonus")
INFINITE = new_game(load_rules("bicycle", num_decks="infinite"))


def policies(game: Game, agent: int | None) -> list[Any]:
    rng = np.random.default_rng(0)
    return [None if seat == agent else random_policy(game, seat, rng) for seat in range(game.num_seats)]


def batch_of(game: Game = BICYCLE, agent: int | None = 0, number: Any = 4, **options: Any) -> BatchRound:
    return BatchRound(game, agent, policies(game, agent), number, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": 0}, "num_rounds 0: a whole number from 1 is needed"),
        ({"number": 2.0}, r"num_rounds 2\.0"),
        ({"agent": 2}, "agent_seat 2: a whole number from 0 to 1 is needed"),
        ({"seed": -1}, "seed -1"),
        ({"continues": True, "penetration": 0}, "penetration 0: must be greater than 0"),
        ({"continues": True, "penetration": 7 / 432}, "leaves 7 cards; a hand with num_players=1 may take 8"),
        ({"continues": True, "start_cards": (7, 20)}, r"start_cards \(7, 20\): leaves 7 cards"),
        ({"continues": True, "start_cards": (20, 433)}, r"start_cards \(20, 433\)"),
        ({"continues": True, "game": INFINITE}, "needs a full, finite shoe"),
        ({"continues": True, "game": new_game("bicycle", shoe={0: 100})}, "needs a full, finite shoe"),
        (
            {"game": new_game("uk_1994_house"), "agent": 1, "skip_forced": True},
            "seat 1 never has a choice under 'uk_1994_house'",
        ),
    ],
)
def test_arguments_that_are_not_possible(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batch_of(**arguments)


def test_policies_that_do_not_fit() -> None:
    for draw_probs, message in (
        ([None], "one array per seat is needed, so 2"),
        ([None, None], r"draw_probs\[1\]: seat 1 is played by a policy"),
        ([np.zeros((1, 84)), np.zeros((2, 84))], r"draw_probs\[0\]: seat 0 is the agent's"),
        ([None, np.zeros((3, 84))], r"draw_probs\[1\] has shape \(3, 84\); \(2, 84\) is needed"),
        ([None, np.full((1, 84), 1.5)], r"draw_probs\[1\]: 1.5 is no probability"),
        ([None, np.full((1, 84), np.nan)], r"draw_probs\[1\]: nan is no probability"),
    ):
        with pytest.raises(ValueError, match=message):
            BatchRound(BICYCLE, 0, draw_probs, 1)
    with pytest.raises(ValueError, match=r"draw_probs\[1\]: 'bicycle_bonus' forces DRAW on 0"):
        BatchRound(BONUS, 0, [None, np.zeros((1, 84))], 1)
    batch = batch_of()
    with pytest.raises(ValueError, match="one array per seat"):
        batch.set_policies([])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 2, 0], r"actions\[2\] 2: must be 0 \(STAND\) or 1 \(DRAW\)"),
        ([0, 1, 1, -1], r"actions\[3\] -1"),
        ([0, 1], r"shape \(4,\) are needed, not int64 of shape \(2,\)"),
        ([[0], [1], [0], [1]], r"not int64 of shape \(4, 1\)"),
        ([0.0, 1.0, 0.0, 1.0], "not float64"),
        ([True, False, True, False], "not bool"),
    ],
)
def test_actions_that_are_none(actions: Any, message: str) -> None:
    batch = batch_of()
    batch.deal()
    with pytest.raises(ValueError, match=message):
        batch.finish(actions)
    assert batch.waiting.all()  # nothing was played
    batch.finish([0, 1, 1, 0])


def test_actions_of_any_whole_number_type() -> None:
    ends = []
    for kind in (np.uint8, np.int32, np.int64, np.uint64):
        batch = batch_of(seed=3)
        batch.deal()
        batch.finish(np.array([0, 1, 1, 0], dtype=kind))
        ends.append(batch.totals.tolist())
    assert ends.count(ends[0]) == 4


def test_illegal_actions_are_replaced_or_named() -> None:
    cards = ["5 5 5 5 4 5 K K", "K K K K K K 5 5"]  # player totals 4 and 0: must draw
    for replace in (True, False):
        batch = batch_of(BONUS, number=2, replace_illegal=replace)
        batch.deal(cards=[text.split() for text in cards])
        assert batch.action_mask.tolist() == [[0, 1], [0, 1]]
        if not replace:
            with pytest.raises(
                ValueError, match=r"actions\[1\] STAND is illegal: 'bicycle_bonus' forces DRAW"
            ):
                batch.finish([1, 0])
            batch.finish([1, 1])
        else:
            batch.finish([1, 0])
            assert batch.replaced.tolist() == [False, True]
        assert batch.actions[:, 0].tolist() == [1, 1]


def test_a_round_that_does_not_wait_cannot_be_finished() -> None:
    batch = batch_of()
    with pytest.raises(ValueError, match="finish: round 0 does not wait for an action"):
        batch.finish([0] * 4)
    batch.deal()
    batch.finish([0] * 4, which=np.array([True, False, True, False]))
    with pytest.raises(ValueError, match="finish: round 0 does not wait"):
        batch.finish([0] * 4)
    batch.finish([9, 0, 9, 0], which=np.array([False, True, False, True]))  # those of others are not read


def test_which_must_be_a_mask() -> None:
    batch = batch_of()
    for which in (np.array([0, 1]), np.ones(3, dtype=bool), [True]):
        with pytest.raises(ValueError, match=r"which: bool of shape \(4,\) is needed"):
            batch.deal(which)


def test_calls_for_the_other_kind_of_batch() -> None:
    with pytest.raises(ValueError, match="seat 0 is the agent's"):
        batch_of().play()
    alone = batch_of(agent=None)
    with pytest.raises(ValueError, match="deal: no seat is an agent's"):
        alone.deal()
    with pytest.raises(ValueError, match="finish: no seat is an agent's"):
        alone.finish([0] * 4)
    with pytest.raises(ValueError, match="seeds: 1 are given"):
        alone.seed_each([1])


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([None], "cards: 1 lists; one per round is needed, so 2"),
        ([None, ["A"]], r"cards\[1\] lists 1 cards; 6 to 8 are needed"),
        ([["7"] * 6, None], "card '7' is not in the pack"),
        ([None, ["A"] * 49], "listed 49 times"),
    ],
)
def test_cards_that_cannot_be_dealt(cards: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batch_of(number=2).deal(cards=cards)


def test_listed_cards_that_do_not_reach_a_decision_or_run_out() -> None:
    with pytest.raises(ValueError, match=r"cards\[0\]: a natural ends the hand before any decision"):
        batch_of(new_game("baccarat_chemin_de_fer"), number=1).deal(cards=["9 A K K".split()])
    skipping = batch_of(BONUS, number=1, skip_forced=True)
    with pytest.raises(ValueError, match="the move is forced and such hands are skipped"):
        skipping.deal(cards=["K K K K K K".split()])
    batch = BatchRound(BICYCLE, 0, [None, np.zeros((1, 84))], 2)
    batch.deal(cards=["K K K K K K".split(), None])
    with pytest.raises(ValueError, match=r"cards\[0\] lists 6 cards and the hand needs more"):
        batch.finish([1, 0])


def test_listed_cards_leave_a_continuing_shoe_alone() -> None:
    ends = []
    for listed in (False, True):
        batch = batch_of(number=1, continues=True, seed=9)
        batch.deal()
        batch.finish([1])
        if listed:
            batch.deal(cards=["A 2 3 4 5 6 K K".split()])
            batch.finish([1])
        batch.deal()
        ends.append((batch.unseen.tolist(), batch._cards[0].tolist()))
    assert ends[0][0] == ends[1][0]


def test_policies_change_from_the_next_deal_on() -> None:
    batch = BatchRound(BICYCLE, 0, [None, np.zeros((1, 84))], 50)
    batch.deal()
    batch.set_policies([None, np.ones((1, 84))])
    batch.finish([0] * 50)
    assert not batch.actions[:, 1].any()
    batch.deal()
    batch.finish([0] * 50)
    assert batch.actions[:, 1].all()


@pytest.mark.parametrize("continues", [False, True])
def test_hands_without_a_choice_are_skipped(continues: bool) -> None:
    """Only 5 and 6 are free; skipped hands of a continuing shoe use up their cards."""
    batch = batch_of(BONUS, number=2000, skip_forced=True, continues=continues, seed=1)
    batch.deal()
    assert (batch.action_mask == 1).all()
    totals = {BONUS.states[0].column_totals[state] for state in batch.info_state}
    assert totals == {5, 6}
    if continues:
        used = 432 - batch.unseen.sum(axis=1)
        assert 0.1 < (used == 0).mean() < 0.4
        assert set(used[used > 0]) >= {6, 7, 8, 13, 14}


def test_amounts_too_fine_for_exact_nets() -> None:
    game = new_game("uk_1994_house", 2, wagers=["1/1000000007", "1/998244353"])
    with pytest.raises(ValueError, match="the nets of seat 2 are whole numbers of 1/"):
        BatchRound(game, None, [np.zeros((1, 84)), np.zeros((1, 84)), policies(game, None)[2]], 1)
    game = new_game("bicycle", 2, wagers=[1, "1/3000000019"])
    with pytest.raises(ValueError, match="so use rounder amounts"):
        HandTally(game, policies(game, None))
    with pytest.raises(ValueError, match="num_hands 0"):
        HandTally(BICYCLE, policies(BICYCLE, None)).play(0, seed=1)


@pytest.mark.parametrize("continues", [False, True])
def test_nothing_grows(continues: bool) -> None:
    batch, actions = batch_of(number=256, continues=continues), np.zeros(256, dtype=np.int64)

    def hands(number: int) -> None:
        for _ in range(number):
            batch.deal()
            batch.finish(actions)

    hands(100)
    tracemalloc.start()
    hands(10)
    before = tracemalloc.get_traced_memory()
    hands(5000)
    after = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after[0] - before[0] < 2000
    assert after[1] - before[0] < 20_000  # the most at any time: no copies of arrays either


@pytest.mark.parametrize(("num_players", "most"), [(1, 500), (7, 500)])
def test_bytes_a_round_with_a_continuing_shoe(num_players: int, most: int) -> None:
    game = new_game("bicycle", num_players)
    sizes = []
    for number in (1000, 2000):
        batch = batch_of(game, number=number, continues=True)
        sizes.append(
            sum(
                part.nbytes
                for part in vars(batch).values()
                if isinstance(part, np.ndarray) and part.base is None
            )
        )
    assert (sizes[1] - sizes[0]) / 1000 <= most


def test_numba_is_loaded_with_the_compiled_engine_only() -> None:
    code = """
import sys, pan9_gym, pan9_gym.game, pan9_gym.policies, pan9_gym.envs.player
assert "numba" not in sys.modules
import pan9_gym.game.batch_tables, pan9_gym.game.batch_cards
assert "numba" not in sys.modules
import pan9_gym.game.batch_round
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_lie_on_disk_after_the_first_call() -> None:
    batch = batch_of()
    batch.deal()
    batch.finish([0] * 4)
    batch_of(agent=None).play()
    HandTally(BICYCLE, policies(BICYCLE, None)).play(1, seed=1)
    names = ("deal_rounds", "finish_rounds", "play_rounds", "tally_hands")
    assert not any(needs_compiling(getattr(batch_kernels, name)) for name in names)


def test_compiling_is_announced_once_in_a_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pan9_gym.game.batch_compile.needs_compiling", lambda compiled: True)
    say_if_compiling.cache_clear()
    batch_of(agent=None).play()
    batch_of(agent=None).play()
    assert capsys.readouterr().err == "pan9_gym: compiling play_rounds, once; some seconds\n"
    say_if_compiling.cache_clear()


def test_where_no_cache_can_be_written_kernels_are_compiled_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*, cache: bool = False, **options: object) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: ("compiled", function.__name__)

    monkeypatch.setattr("pan9_gym.game.batch_compile.njit", refusing)
    assert kernel(refusing) == ("compiled", "refusing")


def test_a_cache_older_than_the_sources_needs_compiling(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stats = SimpleNamespace(cache_path=str(tmp_path))
    function = batch_kernels.play_rounds.py_func
    compiled = SimpleNamespace(__name__="play_rounds", py_func=function, stats=stats)
    assert needs_compiling(compiled)
    kept = tmp_path / "batch_kernels.play_rounds-1.nbc"
    kept.touch()
    assert not needs_compiling(compiled)
    os.utime(kept, (0, 0))
    assert needs_compiling(compiled)


@pytest.mark.parametrize(
    "actions", [[[0], [1, 2]], [0, 1], np.zeros(4), np.array([0, 0, 0, 2**63], dtype="u8")]
)
def test_actions_that_are_no_whole_numbers_of_the_shape(actions: Any) -> None:
    batch = batch_of()
    batch.deal()
    with pytest.raises(ValueError, match=r"^actions"):
        batch.finish(actions)


def test_read_only_actions_and_masks_compile_nothing_anew() -> None:
    batch = batch_of()
    batch.deal()
    known = len(batch_kernels.finish_rounds.signatures), len(batch_kernels.deal_rounds.signatures)
    batch.finish(np.broadcast_to(np.int64(1), 4))
    batch.deal(np.broadcast_to(np.True_, 4))
    assert (len(batch_kernels.finish_rounds.signatures), len(batch_kernels.deal_rounds.signatures)) == known


def test_a_wrong_card_names_its_round() -> None:
    with pytest.raises(ValueError, match=r"^cards\[1\]: card '7' is not in the pack"):
        batch_of().deal(cards=[None, ["7"] * 8, None, None])
