"""OpenSpiel's algorithms on the package's game give what the solver gives, and policies are carried over."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.rules import Role, RulesConfig
from tests.envs.openspiel_games import every_small, every_table, load, pyspiel, small

from open_spiel.python import policy as openspiel_policy  # isort: skip
from open_spiel.python.algorithms import cfr, exploitability  # isort: skip

from pan9_gym.envs.openspiel_policies import state_at, to_openspiel, to_table  # isort: skip


CLOSE = 1e-9


def random_policy(
    rules: RulesConfig, role: Role, rng: np.random.Generator, num_players: int = 1, seat: int = 0
) -> TabularPolicy:
    """Mixed at most information states, pure at the others."""
    return TabularPolicy.from_callable(
        rules, role, lambda hand, choices: np.clip(2 * rng.random() - 0.5, 0, 1), num_players, seat
    )


def pairs(rules: RulesConfig) -> dict[str, tuple[TabularPolicy, TabularPolicy]]:
    rng = np.random.default_rng(8)
    return {
        "logical_way": tuple(policies.get("logical_way", rules, role) for role in Role),
        "random": tuple(random_policy(rules, role, rng) for role in Role),
    }


@every_small
def test_nash_conv_is_the_solvers(case: str) -> None:
    game, rules, shoe = small(case)
    for name, (player, banker) in pairs(rules).items():
        ours = float(solver.nash_conv(rules, player, banker, shoe=shoe))
        policy = to_openspiel(game, [player], banker)
        assert exploitability.nash_conv(game, policy) == pytest.approx(ours, abs=CLOSE), name
        if case in ("hawaiian_gardens", "chemin de fer"):
            theirs = exploitability.exploitability(game, policy)  # its best response is another, in C++
            assert theirs == pytest.approx(ours / 2, abs=CLOSE), name


@pytest.mark.parametrize("wagers", ["1 1", "1 7/2"])
def test_nash_conv_of_two_players_is_the_solvers(wagers: str) -> None:
    """The sum of three gaps, in units."""
    shoe = (0, 5, 0, 0, 0, 8, 0)
    rules = load_rules("hawaiian_gardens")
    game = load("hawaiian_gardens", 2, shoe=" ".join(map(str, shoe)), wagers=wagers)
    rng = np.random.default_rng(3)
    players = [random_policy(rules, Role.PLAYER, rng, 2, seat) for seat in (0, 1)]
    banker = random_policy(rules, Role.BANKER, rng, 2)
    stakes = [Fraction(wager) for wager in wagers.split()]
    played = solver.evaluate_seats(rules, players, banker, stakes, shoe)
    gaps = solver.banker_best_response(rules, players, stakes, shoe=shoe).ev - played.banker_ev
    for seat, stake in enumerate(stakes):
        answer = solver.seat_best_response(rules, players, banker, seat, shoe=shoe)
        gaps += stake * (answer.ev - played.evs[seat])
    theirs = exploitability.nash_conv(game, to_openspiel(game, players, banker))
    assert theirs == pytest.approx(float(gaps), abs=CLOSE)
    assert gaps > 0.1


@pytest.mark.parametrize("learner", [cfr.CFRSolver, cfr.CFRPlusSolver, pyspiel.CFRSolver])
def test_cfr_comes_nearer_by_openspiels_count_and_by_ours(learner: Any) -> None:
    game, rules, shoe = small("chemin de fer")
    left = []
    found = learner(game)
    for _ in range(3):
        for _ in range(10):
            found.evaluate_and_update_policy()
        average = found.average_policy()
        player, banker = (to_table(game, average, seat) for seat in (0, 1))
        ours = float(solver.nash_conv(rules, player, banker, shoe=shoe))
        measure = pyspiel.nash_conv if learner is pyspiel.CFRSolver else exploitability.nash_conv
        assert measure(game, average) == pytest.approx(ours, abs=CLOSE)
        left.append(ours)
    uniform = float(solver.nash_conv(rules, "uniform", "uniform", shoe=shoe))
    assert uniform > 5 * left[0] > 5 * left[2] > 0


def test_nothing_is_to_be_gained_against_the_solvers_equilibrium() -> None:
    game, rules, shoe = small("chemin de fer")
    solution = solver.equilibrium(rules, shoe=shoe)
    assert solution.mixed
    policy = to_openspiel(game, [solution.player], solution.banker)
    assert abs(exploitability.nash_conv(game, policy)) < CLOSE


# Policies carried over


@every_table
def test_a_table_comes_back_as_it_was(sheet: str, num_players: int) -> None:
    rules, game, rng = load_rules(sheet), load(sheet, num_players), np.random.default_rng(5)
    tables = [random_policy(rules, Role.PLAYER, rng, num_players, seat) for seat in range(num_players)]
    banker = random_policy(rules, Role.BANKER, rng, num_players)
    policy = to_openspiel(game, tables, banker)
    for seat, table in enumerate((*tables, banker)):
        back = to_table(game, policy, seat, elsewhere=table)
        assert back.array == pytest.approx(table.array, abs=1e-15)
        assert back.states == table.states


@every_small
def test_the_states_that_are_found_are_all_that_arise(case: str) -> None:
    game, _, _ = small(case)
    arising = {seat: set() for seat in (0, 1)}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.current_player() >= 0:
            arising[state.current_player()].add(state.information_state_string())
        stack += [state.child(action) for action in state.legal_actions()]
    for seat, states in enumerate(game.table.game.states):
        found = [state_at(game, seat, hand, choices) for choices in states.patterns for hand in states.hands]
        assert {state.information_state_string() for state in found if state is not None} == arising[seat]


def test_where_no_hand_leads_the_table_says_what_is_asked_for() -> None:
    game, _, _ = small("bicycle")
    uniform = openspiel_policy.UniformRandomPolicy(game)
    table = to_table(game, uniform, 0, elsewhere="always_draw", name="from OpenSpiel")
    assert (table.draw_prob("0 2 5"), table.draw_prob("1 1 1")) == (Fraction(1, 2), 1)
    assert table.name == "from OpenSpiel"


class Wrong(openspiel_policy.Policy):  # type: ignore[misc]
    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        return {0: 0.0, 1: 0.5}


def test_policies_that_do_not_fit_are_refused() -> None:
    game = load("bicycle", 2)
    with pytest.raises(ValueError, match="one policy per player is needed, so 2"):
        to_openspiel(game, ["uniform"], "uniform")
    with pytest.raises(ValueError, match="policy 'best' is not known"):
        to_openspiel(game, ["uniform", "best"], "uniform")
    with pytest.raises(ValueError, match="seat 3: must be a seat from 0 to 2"):
        to_table(game, openspiel_policy.UniformRandomPolicy(game), 3)
    with pytest.raises(ValueError, match=r"at 'player 0, hand 0 0 0' sum to 0\.5"):
        to_table(game, Wrong(game, [0, 1, 2]), 0)
