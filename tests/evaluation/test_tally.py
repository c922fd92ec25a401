"""Long runs on the compiled engine: the same for any threads, resumable, and in agreement with the solver.

Agreement is tested at 4 standard errors for at most 9 means and shares in each of 8 cases, and at 5 for 900
pairs of totals: for other seeds the chance of any false alarm is below 1 %. The power is computed: a mean
that is off by 0.008 times the wagers, or a probability by 0.004, is noticed with probability 0.99.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from fractions import Fraction
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from pan9_gym.evaluation import chunks
from pan9_gym.evaluation.checkpoint import read_checkpoint, write_checkpoint
from pan9_gym.evaluation.chunk_workers import ROUNDS, Counts, OneTable, SameCards
from pan9_gym.evaluation.chunks import run_chunks
from pan9_gym.evaluation.long_run import LongRun, exact_tables, long_run, read_plan
from pan9_gym.evaluation.plan import Plan
from pan9_gym.evaluation.run_figures import Figure
from pan9_gym.game import new_game
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.policies.play import seat_policy
from pan9_gym.rules.terms import Outcome, Role
from pan9_gym.solver import evaluate
from pan9_gym.solver.estimates import Estimate, share

LIMIT = 4.0
HANDS = 2_000_000


def small(num_hands: int = 4500, seed: int = 3, versus: str | None = None, **changes: Any) -> Plan:
    """A plan of chunks of 1000 hands."""
    plan = read_plan("bicycle", ["logical_way", "uniform"], "uniform", num_hands, seed, [1, 3], versus)
    return replace(plan, chunk_hands=1000, **changes)


def facts(counts: Counts) -> tuple[Any, ...]:
    return counts.num_chunks, counts.joint_totals.tolist(), counts.sums, counts.squares


both = pytest.mark.parametrize("versus", [None, "logical_way"], ids=["one table", "two tables"])


@both
def test_the_result_does_not_depend_on_threads(versus: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks.os, "cpu_count", lambda: 5)
    plan = small(versus=versus)
    one = run_chunks(plan)
    assert one.joint_totals.sum(axis=(2, 3)).tolist() == [[4500, 4500]] * len(plan.tables)
    for num_threads in (2, 5):
        assert facts(run_chunks(plan, num_threads=num_threads)) == facts(one)


@both
def test_chunks_may_be_played_in_any_order(versus: str | None) -> None:
    plan = small(versus=versus)
    worker = (OneTable if versus is None else SameCards)(plan)
    parts = [worker.play(chunk) for chunk in (4, 0, 3, 2, 1)]
    assert facts(sum(parts, Counts.none(plan))) == facts(run_chunks(plan))


def test_another_seed_plays_other_hands_and_chunks_differ() -> None:
    first, second = (run_chunks(small(seed=seed)) for seed in (3, 4))
    assert first.sums != second.sums
    worker = OneTable(small())
    assert worker.play(0).sums != worker.play(1).sums


@both
def test_the_counts_are_those_of_hands_played_one_by_one(versus: str | None) -> None:
    plan = replace(small(ROUNDS + 77, versus=versus), chunk_hands=ROUNDS + 50)
    game, found = plan.game, run_chunks(plan)
    joint, nets = np.zeros_like(found.joint_totals), []
    for table, policies in enumerate(plan.tables):
        rounds = BatchRound(game, None, [policy.array for policy in policies], ROUNDS)
        every = []
        for chunk, number in enumerate((ROUNDS + 50, 27)):
            alone = BatchRound(game, None, [policy.array for policy in policies], 1) if not versus else rounds
            alone.seed(plan.seed, first=chunk * ROUNDS if versus else chunk)
            for done in range(0, number, alone.num_rounds):
                part = min(alone.num_rounds, number - done)
                alone.play()
                every.append(alone.payoffs[:part].copy())
                for seat in range(game.num_players):
                    np.add.at(joint[table, seat], (alone.totals[:part, seat], alone.totals[:part, -1]), 1)
        nets.append(np.concatenate(every))
    if versus:
        nets.append(nets[0] - nets[1])
    together = np.concatenate(nets, axis=1)
    units = np.array([float(unit) for unit in plan.units] * len(nets))
    assert (found.joint_totals == joint).all()
    np.testing.assert_array_equal(np.array(found.sums) * units, together.sum(axis=0))
    np.testing.assert_array_equal(np.array(found.squares) * units**2, (together**2).sum(axis=0))


@both
@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_stopped_run_goes_on_from_its_checkpoint(
    versus: str | None, num_threads: int, tmp_path: Path
) -> None:
    plan, path, stop = small(9500, versus=versus), tmp_path / "run.json", threading.Event()
    seen: list[int] = []

    def stop_soon(done: int) -> None:
        seen.append(done)
        if done >= 2000:
            stop.set()

    part = long_run(plan, num_threads=num_threads, checkpoint=path, on_progress=stop_soon, stop=stop)
    assert part.num_asked == 9500
    assert part.num_hands == seen[-1] < 9500
    assert part == replace(long_run(replace(plan, num_hands=part.num_hands)), num_asked=9500)
    seen.clear()
    rest = long_run(plan, checkpoint=path, on_progress=seen.append)
    assert seen[0] == part.num_hands
    whole = long_run(plan)
    assert rest == whole
    seen.clear()
    assert long_run(plan, checkpoint=path, on_progress=seen.append) == whole  # finished: nothing is played
    assert seen == [9500]
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_a_run_stopped_at_once_says_that_there_is_nothing(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(ValueError, match="stopped before its first hands"):
        long_run(small(), stop=stop)


def test_an_error_in_a_chunk_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Counts:
        raise RuntimeError("planted")

    monkeypatch.setattr(OneTable, "play", fail)
    with pytest.raises(RuntimeError, match="planted"):
        run_chunks(small(), num_threads=2)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (small(seed=4), r"seed 3 there, 4 here"),
        (small(4501), r"number of hands 4500 there, 4501 here"),
        (small(versus="logical_way"), r"versus '' there, 'logical_way \(\w+\), .*' here"),
        (replace(small(), chunk_hands=999), r"hands of a chunk 1000 there, 999 here"),
        (
            read_plan("bicycle", ["logical_way", "uniform"], "logical_way", 4500, 3, [1, 3]),
            r"policies '.*uniform \(\w+\)' there, '.*logical_way \(\w+\)' here",
        ),
        (
            read_plan("bicycle", ["logical_way", "uniform"], "uniform", 4500, 3),
            r"wagers '1, 3' there, '1, 1'",
        ),
        (
            read_plan("hawaiian_gardens", ["uniform"] * 2, "uniform", 4500, 3),
            r"rules 'bicycle \(\w+\)' there",
        ),
        (read_plan("bicycle", "uniform", "uniform", 4500, 3), r"players 2 there, 1 here"),
    ],
    ids=["seed", "hands", "versus", "chunk", "policy", "wagers", "rules", "players"],
)
def test_a_checkpoint_of_another_run_is_refused_saying_what_differs(
    other: Plan, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    write_checkpoint(path, small(), Counts.none(small()))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"^checkpoint .*run.json: it is another run's: {said}"):
        long_run(other, checkpoint=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        lambda text: "",
        lambda text: text[:-20],
        lambda text: "[]",
        lambda text: "{}",
        lambda text: '{"format": 3}',
        lambda text: "[" * 200_000,
        lambda text: text.replace('"chunks_done": 0', '"chunks_done": 1'),
        lambda text: json.dumps({**json.loads(text), "sums": [1]}),
    ],
    ids=["empty", "cut off", "list", "no keys", "format", "nested", "digit", "sums"],
)
def test_a_damaged_checkpoint_is_one_error(text: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_checkpoint(path, small(), Counts.none(small()))
    path.write_text(text(path.read_text()))
    with pytest.raises(ValueError, match=r"checkpoint .*run.json: it is .*(no checkpoint|damaged)") as error:
        read_checkpoint(path, small())
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="damaged"):
        read_checkpoint(path, small())
    with pytest.raises(OSError, match="No such file"):
        long_run(small(), checkpoint=tmp_path / "none" / "run.json")


@pytest.mark.parametrize(
    ("sheet", "players", "banker", "wagers"),
    [
        ("bicycle", ["logical_way"], "wizard", ["5/2"]),
        ("bicycle", ["uniform"], "uniform", [1]),
        ("hawaiian_gardens", ["uniform"], "logical_way", [1]),
        ("uk_1994_house", ["logical_way"], "logical_way", [1]),
        ("uk_1994_player", ["uniform"], "always_draw", [1]),
        ("baccarat_chemin_de_fer", ["uniform"], "uniform", [1]),
        ("baccarat_punto_banco", ["logical_way"], "logical_way", [1]),
        ("bicycle", ["logical_way", "uniform"], "logical_way", ["1/2", 3]),
    ],
)
def test_the_estimates_agree_with_the_solver(
    sheet: str, players: list[str], banker: str, wagers: list[str | int]
) -> None:
    plan = read_plan(sheet, players, banker, HANDS, 11, wagers)
    found = long_run(plan, exact=exact_tables(plan))
    figures = [*found.own.evs, *(figure for row in found.own.outcomes for figure in row.values())]
    for figure in figures:
        assert figure.exact is not None
        assert abs(figure.z_score or 0) < LIMIT
        low, high = figure.estimate.interval_99
        assert low <= figure.estimate.mean <= high
    for row in found.own.joint_totals:  # 100 pairs
        assert max(abs(figure.z_score or 0) for figure in row.values()) < LIMIT + 1
    reach = LIMIT + norm.ppf(0.99)  # standard errors at which a fault shows with probability 0.99
    assert max(entry.estimate.standard_error for entry in found.own.evs) * reach < 0.008 * sum(
        plan.game.wagers
    )
    assert max(entry.estimate.standard_error for entry in figures[plan.game.num_seats :]) * reach < 0.004


def test_both_tables_of_a_comparison_play_the_same_cards() -> None:
    alike = long_run(small(versus="uniform"))
    assert alike.other is not None
    assert alike.own.simulation == alike.other.simulation  # mixed choices have common numbers too
    assert [figure.estimate for figure in alike.differences] == [Estimate(0.0, 0.0)] * 3


@pytest.mark.parametrize(
    ("sheet", "role", "versus"),
    [("bicycle", Role.BANKER, "logical_way"), ("hawaiian_gardens", Role.PLAYER, "always_draw")],
)
def test_the_paired_difference_agrees_with_the_exact_one(sheet: str, role: Role, versus: str) -> None:
    plan = read_plan(sheet, "logical_way", "wizard", HANDS, 5, None, versus, role)
    found = long_run(plan, exact=exact_tables(plan))
    pairs = [("logical_way", "wizard"), ("logical_way", "wizard")]
    pairs[1] = (versus, "wizard") if role is Role.PLAYER else ("logical_way", versus)
    own, other = (evaluate(sheet, *pair).ev for pair in pairs)
    assert [figure.exact for figure in found.differences] == [own - other, other - own]
    assert found.other is not None
    for figure in (*found.differences, *found.own.evs, *found.other.evs):
        assert abs(figure.z_score or 0) < LIMIT
    apart = sqrt(sum(table.evs[0].estimate.standard_error ** 2 for table in (found.own, found.other)))
    assert found.differences[0].estimate.standard_error < 0.8 * apart  # what common cards are good for


def test_z_scores_of_what_is_impossible_unknown_or_certain() -> None:
    assert Figure(share(0, 10), Fraction(0)).z_score == 0
    assert Figure(share(1, 10), Fraction(0)).z_score == float("inf")
    assert Figure(share(1, 10), Fraction(0)).to_dict()["z_score"] is None
    assert Figure(share(0, 100), Fraction(1, 2)).z_score == pytest.approx(-10)
    assert Figure(Estimate(1.0, float("inf")), Fraction(0)).z_score is None
    assert Figure(Estimate(1.0, 1.0), None).z_score is None


def test_one_hand_has_no_standard_error_and_is_still_json() -> None:
    plan = read_plan("bicycle", "logical_way", "wizard", 1, 1)
    data = json.loads(json.dumps(long_run(plan, exact=exact_tables(plan)).to_dict(), allow_nan=False))
    assert data["own"]["evs"][0]["standard_error"] is None
    assert data["num_hands"] == 1


def test_json_says_what_the_result_holds() -> None:
    plan = small(versus="logical_way")
    found: LongRun = long_run(plan, exact=exact_tables(plan))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["own"]["policies"] == ["logical_way", "uniform", "uniform"]
    assert data["other"]["policies"] == ["logical_way", "uniform", "logical_way"]
    assert len(data["differences"]) == 3
    win = data["own"]["outcomes"][1]["WIN"]
    assert win["mean"] == found.own.simulation.outcomes[1][Outcome.WIN] / 4500
    assert isfinite(win["z_score"])
    assert Fraction(data["own"]["evs"][2]["exact"]) == exact_tables(plan)[0].evs[2]


@pytest.mark.parametrize("num_hands", [0, -1, 10**13 + 1, 1.5, True])
def test_a_wrong_number_of_hands_is_refused(num_hands: Any) -> None:
    with pytest.raises(ValueError, match=r"num_hands .*: a whole number from 1 to 10000000000000"):
        read_plan("bicycle", "logical_way", "wizard", num_hands, 1)


def test_other_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="versus: 1 policies of the player are given; 2 needed"):
        read_plan("bicycle", ["uniform"] * 2, "uniform", 10, 1, None, "uniform", Role.PLAYER)
    with pytest.raises(ValueError, match="seed -1"):
        read_plan("bicycle", "uniform", "uniform", 10, -1)
    for num_threads in (0, 10_000):
        with pytest.raises(ValueError, match=f"num_threads {num_threads}"):
            long_run(small(), num_threads=num_threads)
    fine = read_plan("bicycle", ["uniform"] * 2, "uniform", 10, 1, ["1/9973", "9973"], "logical_way")
    with pytest.raises(ValueError, match=r"wagers and side_stakes: a net may be .* use rounder amounts"):
        long_run(fine)


def test_a_policy_of_another_seat_is_refused() -> None:
    game = new_game("bicycle", 2)
    with pytest.raises(ValueError, match="is for"):
        read_plan("bicycle", seat_policy(game, 1, "uniform"), "uniform", 10, 1)


@pytest.mark.parametrize("seed", [0, 1])
def test_wagers_too_far_apart_are_refused_before_the_first_hand(seed: int, tmp_path: Path) -> None:
    plan = read_plan(
        "bicycle", ["logical_way"] * 2, "logical_way", 1, seed, wagers=[8388607, 1], versus="always_draw"
    )
    with pytest.raises(ValueError, match="wagers and side_stakes: a net may be 8388608 times"):
        long_run(plan)
