"""Duplicate deals: the same cards from every seat, errors that are those of whole deals, runs that go on.

Agreement with the solver is tested at 4 standard errors for 30 figures: for other seeds the chance of a false
alarm is below 0.2 %. The errors themselves are tested by the mean of z^2 over 400 independent parts, which is
1 with a standard deviation of 0.07; errors that take the hands of a deal for independent give 0.4 for nets,
0.5 for wins and 1.8 for ties.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pan9_gym.evaluation.chunk_workers import OUTCOMES, Counts, SameCards
from pan9_gym.evaluation.chunks import run_chunks
from pan9_gym.evaluation.exact_table import exact_table
from pan9_gym.evaluation.long_run import exact_tables, long_run, read_plan
from pan9_gym.evaluation.plan import Plan, draw_probs
from pan9_gym.evaluation.run_figures import Figure, net_estimates, simulated_tables
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.game.batch_tables import KIND_SHIFT
from pan9_gym.game.round import Game, Round
from pan9_gym.game.shoe import full_shoe
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.cards import Card
from pan9_gym.rules.terms import Action, Outcome, Role
from pan9_gym.solver import evaluate, side_bet
from pan9_gym.solver.estimates import Estimate

LIMIT = 4.0
LOGICAL = "logical_way"


def small(versus: str | None = "always_stand", **changes: Any) -> Plan:
    """A plan of chunks of 999 hands, so of 333 deals."""
    plan = read_plan("bicycle", [LOGICAL, "uniform"], "uniform", 4500, 3, [1, 3], versus, duplicate=True)
    return replace(plan, chunk_hands=999, **changes)


def facts(counts: Counts) -> tuple[Any, ...]:
    arrays = counts.joint_totals.tolist(), counts.share_squares.tolist()
    return counts.num_chunks, *arrays, counts.sums, counts.squares


def cards_of(game: Game, policies: tuple[TabularPolicy, ...], seed: int, stream: int) -> list[Card]:
    """The cards of the first hand of a stream, in the order of the deal."""
    rounds = BatchRound(game, None, draw_probs(policies), 1)
    rounds.seed(seed, first=stream)
    rounds.play()
    pack = full_shoe(game.rules.model_copy(update={"num_decks": 1}), with_suits=True)
    cards = [pack[int(code) >> KIND_SHIFT] for code in rounds._cards[0, : game.max_cards]]
    return [card for card in cards if isinstance(card, Card)]


def by_hand(game: Game, policies: tuple[TabularPolicy, ...], cards: list[Card]) -> Round:
    """A hand played on the readable engine by policies that do not mix."""
    kinds = [card if game.with_suits else game.rules.point_values[card.rank] for card in cards]
    state = game.new_round().deal_first_cards(kinds[: game.num_initial_deals])
    while not state.is_terminal:
        seat = state.current_seat
        assert seat is not None
        state = state.apply(Action(int(policies[seat].array.item(state.info_state(seat)))))
        if state.is_chance:
            state = state.apply(kinds[state.num_dealt])
    return state


@pytest.mark.parametrize(
    ("sheet", "players", "stakes", "versus"),
    [
        ("bicycle", [LOGICAL], None, "always_draw"),
        (
            "bicycle_bonus",
            [LOGICAL, "always_draw"],
            [{"dragon": "1/2"}, {"bc": "1/4", "super_0": 1}],
            LOGICAL,
        ),
        ("hawaiian_gardens", [LOGICAL] * 3, None, None),
        ("baccarat_chemin_de_fer", [LOGICAL], None, "always_stand"),
    ],
)
def test_every_seat_holds_every_hand_of_a_deal_once(
    sheet: str, players: list[str], stakes: Any, versus: str | None
) -> None:
    wagers, deals = ["5/2", 1, 3][: len(players)], 12
    number = deals * (len(players) + 1)
    plan = read_plan(sheet, players, LOGICAL, number, 9, wagers, versus, side_stakes=stakes, duplicate=True)
    seats, nets = plan.game.num_seats, []
    joint = np.zeros((len(plan.tables), len(players), 100), dtype=np.int64)
    squares = np.zeros((len(plan.tables), len(players), 103), dtype=np.int64)
    for deal in range(deals):
        brought = []
        for table, policies in enumerate(plan.tables):
            cards = [cards_of(game, policies, plan.seed, deal) for game in plan.rotations]
            assert all(entry == cards[0] for entry in cards)
            states = [by_hand(game, policies, cards[0]) for game in plan.rotations]
            for seat in range(seats):
                assert Counter(state.initial_hand(seat) for state in states) == Counter(
                    state.initial_hand(0) for state in states
                )
            if seats == 2:
                first = slice(plan.game.rules.num_initial_cards)
                hands = [[hand[first] for hand in state.hands] for state in states]
                assert hands[0] == hands[1][::-1]
            brought.append([sum(state.seat_return(seat) for state in states) for seat in range(seats)])
            for seat in range(len(players)):
                pairs = [state.total(seat) * 10 + state.total(seats - 1) for state in states]
                labels = Counter(pairs) + Counter(100 + int(OUTCOMES[pair]) for pair in pairs)
                np.add.at(joint[table, seat], pairs, 1)
                for label, found in labels.items():
                    squares[table, seat, label] += found**2
        if versus is not None:
            brought.append([own - other for own, other in zip(*brought, strict=True)])
        nets.append([net for entry in brought for net in entry])
    counts = run_chunks(plan)
    units = [plan.units[place % seats] for place in range(plan.num_sums)]
    for place, unit in enumerate(units):
        assert counts.sums[place] * unit == sum(row[place] for row in nets)
        assert counts.squares[place] * unit**2 == sum(row[place] ** 2 for row in nets)
    assert counts.joint_totals.reshape(joint.shape).tolist() == joint.tolist()
    assert counts.share_squares.tolist() == squares.tolist()


@pytest.mark.parametrize("versus", [None, "always_stand"])
def test_neither_threads_nor_the_order_of_chunks_matter(
    versus: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    plan = small(versus)
    one = run_chunks(plan)
    assert (plan.num_deals, plan.num_chunks) == (1500, 5)
    assert one.joint_totals.sum(axis=(2, 3)).tolist() == [[4500, 4500]] * len(plan.tables)
    assert facts(run_chunks(plan, num_threads=3)) == facts(one)
    worker = SameCards(plan)
    assert facts(sum((worker.play(chunk) for chunk in (4, 1, 0, 3, 2)), Counts.none(plan))) == facts(one)


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_stopped_run_goes_on_from_its_checkpoint(num_threads: int, tmp_path: Path) -> None:
    plan, path, stop = small(num_hands=9000), tmp_path / "run.json", threading.Event()

    def stop_soon(done: int) -> None:
        if done >= 1998:
            stop.set()

    part = long_run(plan, num_threads=num_threads, checkpoint=path, on_progress=stop_soon, stop=stop)
    assert (part.num_hands % 999, part.num_asked) == (0, 9000)
    assert part.num_hands < 9000
    assert part == replace(long_run(replace(plan, num_hands=part.num_hands)), num_asked=9000)
    assert long_run(plan, checkpoint=path) == long_run(plan)
    with pytest.raises(ValueError, match="it is another run's: duplicate deals 'yes' there, 'no' here"):
        long_run(replace(plan, duplicate=False), checkpoint=path)


def test_hands_are_played_to_the_end_of_the_last_deal() -> None:
    found = long_run(replace(small(), num_hands=10))
    assert (found.num_hands, found.num_asked, found.num_deals) == (12, 12, 4)
    assert found.to_dict()["num_deals"] == 4
    one = json.loads(json.dumps(long_run(replace(small(), num_hands=1)).to_dict(), allow_nan=False))
    assert (one["num_hands"], one["num_deals"]) == (3, 1)
    assert one["own"]["outcomes"][0]["WIN"]["standard_error"] is None
    assert one["own"]["evs"][0]["interval_99"] is None


def test_policies_that_are_alike_never_differ() -> None:
    found = long_run(small(versus="uniform"))  # mixed choices have common numbers too
    assert found.other is not None
    assert found.own.simulation == found.other.simulation
    assert [figure.estimate for figure in found.differences] == [Estimate(0.0, 0.0)] * 3


@pytest.mark.parametrize(
    ("sheet", "players", "role", "versus"),
    [
        ("bicycle", [LOGICAL], Role.BANKER, ["wizard"]),
        ("hawaiian_gardens", [LOGICAL], Role.PLAYER, ["uniform"]),
        ("bicycle", [LOGICAL, "uniform"], Role.PLAYER, ["always_draw"] * 2),
    ],
)
def test_estimates_and_differences_agree_with_the_solver(
    sheet: str, players: list[str], role: Role, versus: list[str]
) -> None:
    plan = read_plan(sheet, players, LOGICAL, 600_000, 5, None, versus, role, duplicate=True)
    found = long_run(plan, exact=exact_tables(plan))
    assert found.other is not None
    figures = [*found.differences, *found.own.evs, *found.other.evs]
    figures += [figure for row in found.own.outcomes for figure in row.values()]
    for figure in figures:
        assert figure.exact is not None
        assert abs(figure.z_score or 0) < LIMIT
    if len(players) == 1:
        own, other = (evaluate(sheet, *pair).ev for pair in ((LOGICAL, LOGICAL), _pair(role, versus[0])))
        assert found.differences[0].exact == own - other


def _pair(role: Role, policy: str) -> tuple[str, str]:
    return (policy, LOGICAL) if role is Role.PLAYER else (LOGICAL, policy)


def test_errors_are_those_of_whole_deals() -> None:
    plan = read_plan("bicycle", LOGICAL, LOGICAL, 400 * 1000, 8, None, "always_stand", duplicate=True)
    plan, exact = replace(plan, chunk_hands=1000), exact_tables(plan)
    worker, squares = SameCards(plan), dict[str, float]()
    for chunk in range(400):
        counts = worker.play(chunk)
        evs = net_estimates(plan, counts)
        table = simulated_tables(plan, counts, evs, exact)[0]
        figures = {
            "net": table.evs[0],
            "difference": Figure(evs[4], Fraction(exact[0].evs[0] or 0) - Fraction(exact[1].evs[0] or 0)),
            "win": table.outcomes[0][Outcome.WIN],
            "tie": table.outcomes[0][Outcome.TIE],
            "pair": table.joint_totals[0][9, 9],
        }
        for name, figure in figures.items():
            assert figure.z_score is not None
            squares[name] = squares.get(name, 0) + figure.z_score**2
            low, high = figure.estimate.interval_99
            assert low < figure.estimate.mean < high
    for name, total in squares.items():
        assert total / 400 == pytest.approx(1, abs=0.28), name


def test_the_nets_of_a_table_need_fewer_hands() -> None:
    errors = []
    for duplicate in (False, True):
        plan = read_plan("bicycle", LOGICAL, "wizard", 200_000, 1, duplicate=duplicate)
        errors.append(long_run(plan).own.evs[0].estimate.standard_error)
    assert 0.6 < errors[1] / errors[0] < 0.7


def test_wagers_whose_sums_would_not_fit_are_refused() -> None:
    plan = read_plan("bicycle", [LOGICAL] * 2, LOGICAL, 1, 1, wagers=[2**22 - 2, 1])
    with pytest.raises(ValueError, match=r"a net may be 4194303 times .* less than 2796202 times can be"):
        long_run(replace(plan, duplicate=True))


def test_exact_nets_with_side_stakes_of_several_players() -> None:
    both = [{"super_0": "1/2"}, {"super_0": 1}]
    plan = read_plan("bicycle_bonus", [LOGICAL] * 2, LOGICAL, 300_000, 4, [1, 2], side_stakes=both)
    found = long_run(plan, exact=exact_tables(plan))
    for figure in found.own.evs:
        assert abs(figure.z_score or 0) < LIMIT
    bare = exact_tables(read_plan("bicycle_bonus", [LOGICAL] * 2, LOGICAL, 1, 1))[0]
    one = side_bet("bicycle_bonus", "super_0", LOGICAL, LOGICAL).ev  # all that counts are one's own totals
    assert [float(ev or 0) for ev in exact_tables(plan)[0].evs[:2]] == pytest.approx(
        [float((bare.evs[0] or 0) + one / 2), float(2 * ((bare.evs[1] or 0) + one))]
    )


def test_the_house_holds_tie_stakes_of_several_players() -> None:
    sides = [{"tie": "1/4"}, None]
    plan = read_plan("uk_1994_player", [LOGICAL] * 2, LOGICAL, 1, 1, side_stakes=sides)
    without = read_plan("uk_1994_player", [LOGICAL] * 2, LOGICAL, 1, 1)
    found, bare = exact_tables(plan)[0], exact_tables(without)[0]
    assert found.evs[1:] == bare.evs[1:]
    assert found.evs[0] != bare.evs[0]
    alone = exact_tables(read_plan("uk_1994_player", LOGICAL, LOGICAL, 1, 1, side_stakes=sides[:1]))[0]
    assert alone.evs[0] is not None
    assert alone.evs[1] == 0
    assert alone.evs[0] < 0


def test_what_depends_on_suits_is_not_known_of_several_players() -> None:
    sides = [{"dragon": "1/20"}, None]
    plan = read_plan("bicycle_bonus", [LOGICAL] * 2, LOGICAL, 10, 1, side_stakes=sides)
    blind = exact_tables(plan)[0]
    assert [ev is None for ev in blind.evs] == [True, False, True]
    assert None not in blind.joint_totals
    policy = plan.policies[0]
    free = next(
        place for place, total in enumerate(policy.states.column_totals) if total == 6
    )  # its first suit class
    rows = [
        [1 - prob if place == free else prob for place, prob in enumerate(row)] for row in policy.draw_probs
    ]
    seeing = TabularPolicy(policy.rules, policy.states, tuple(map(tuple, rows)), "seeing")
    unknown = exact_table(plan.game, (seeing, *plan.policies[1:]))
    assert unknown.evs == (None,) * 3
    assert unknown.joint_totals == (None,) * 2
    found = long_run(replace(plan, policies=(seeing, *plan.policies[1:])), exact=[unknown])
    assert all(figure.exact is None for row in found.own.outcomes for figure in row.values())
    assert all(figure.exact is None for row in found.own.joint_totals for figure in row.values())
