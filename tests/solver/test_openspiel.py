"""OpenSpiel's own algorithms on the same game give what the solver gives.

The game for OpenSpiel needs neither the solver's counts nor `Round`; its probabilities are those of drawing
one card after another. Expected values, best responses and exploitability come from OpenSpiel's
algorithms (https://github.com/google-deepmind/open_spiel, open_spiel/python/algorithms). The shoes are small
and uneven: some hands and some drawn cards are impossible, some information states never arise.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import best_response, expected_game_score, exploitability, get_all_states

from pan9_gym import TabularPolicy, load_rules, policies, solver
from pan9_gym.benchmark.openspiel import Pan9Game, PolicyPair
from pan9_gym.benchmark.openspiel.dealing import Shoe
from pan9_gym.rules import Role, RulesConfig

CLOSE = 1e-10

PAN9 = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")
GAMES: dict[str, tuple[str, dict[str, Any], tuple[int, ...]]] = {
    **{f"{sheet}, 9 cards": (sheet, {}, (3, 0, 2, 0, 0, 4, 0)) for sheet in PAN9},
    **{f"{sheet}, 14 cards": (sheet, {}, (0, 5, 0, 2, 0, 0, 7)) for sheet in PAN9},
    "chemin de fer, 7 cards": ("baccarat_chemin_de_fer", {}, (0, 1, 0, 2, 0, 3, 0, 1, 0, 0)),
    "chemin de fer, 11 cards": ("baccarat_chemin_de_fer", {}, (0, 4, 0, 0, 3, 0, 0, 0, 0, 4)),
    "with replacement": ("bicycle", {"num_decks": "infinite", "num_initial_cards": 2}, (1, 0, 5, 0, 0, 0, 3)),
    "nothing seen": ("bicycle_bonus", {"banker_sees": "nothing"}, (3, 0, 2, 0, 0, 4, 0)),
    "drawn card seen": ("hawaiian_gardens", {"banker_sees": "card"}, (0, 4, 2, 0, 3, 0, 0)),
}

every_game = pytest.mark.parametrize("case", GAMES)


def made(case: str) -> tuple[RulesConfig, tuple[int, ...], Pan9Game]:
    sheet, fields, shoe = GAMES[case]
    rules = load_rules(sheet, **fields)
    return rules, shoe, Pan9Game(rules, shoe)


def random_policy(rules: RulesConfig, role: Role, rng: np.random.Generator) -> TabularPolicy:
    """Mixed at most information states, pure at the others."""
    return TabularPolicy.from_callable(
        rules, role, lambda hand, choices: np.clip(2 * rng.random() - 0.5, 0, 1)
    )


def pairs(rules: RulesConfig, shoe: tuple[int, ...]) -> dict[str, tuple[TabularPolicy, TabularPolicy]]:
    """The pairs of policies that are compared."""
    rng = np.random.default_rng(20)
    certified = solver.equilibrium(rules, shoe=shoe)
    return {
        **{
            name: (policies.get(name, rules, "player"), policies.get(name, rules, "banker"))
            for name in ("logical_way", "uniform")
        },
        "equilibrium": (certified.player, certified.banker),
        "random": (random_policy(rules, Role.PLAYER, rng), random_policy(rules, Role.BANKER, rng)),
    }


@every_game
def test_values_and_best_responses_are_openspiels(case: str) -> None:
    rules, shoe, game = made(case)
    for name, (player, banker) in pairs(rules, shoe).items():
        pair = PolicyPair(game, player, banker)
        root = game.new_initial_state()
        value = float(solver.evaluate(rules, player, banker, shoe).ev)
        theirs = expected_game_score.policy_value(root, [pair, pair])
        assert theirs == pytest.approx([value, -value], abs=CLOSE), name
        ours = [
            float(solver.best_response(rules, Role.PLAYER, banker, shoe=shoe).ev),
            float(solver.best_response(rules, Role.BANKER, player, shoe=shoe).ev),
        ]
        answers = [best_response.BestResponsePolicy(game, seat, pair).value(root) for seat in (0, 1)]
        assert answers == pytest.approx(ours, abs=CLOSE), name


@pytest.mark.parametrize("case", [*(case for case in GAMES if "9 cards" in case), "chemin de fer, 7 cards"])
def test_exploitability_is_openspiels(case: str) -> None:
    """Whose best response here is the one in C++, another algorithm than that of the test above."""
    rules, shoe, game = made(case)
    for name, (player, banker) in pairs(rules, shoe).items():
        ours = float(solver.exploitability(rules, player, banker, shoe=shoe))
        theirs = exploitability.exploitability(game, PolicyPair(game, player, banker))
        assert theirs == pytest.approx(ours, abs=CLOSE), name


@every_game
def test_openspiel_finds_nothing_to_gain_against_our_equilibrium(case: str) -> None:
    rules, shoe, game = made(case)
    found = solver.equilibrium(rules, shoe=shoe)
    assert found.exploitability == 0
    assert abs(exploitability.nash_conv(game, PolicyPair(game, found.player, found.banker))) < CLOSE


def test_one_of_the_equilibria_mixes() -> None:
    rules, shoe, _ = made("chemin de fer, 11 cards")
    assert solver.equilibrium(rules, shoe=shoe).mixed


@every_game
def test_the_information_states_that_arise_are_those_that_the_solver_says_arise(case: str) -> None:
    rules, shoe, game = made(case)
    every = get_all_states.get_all_states(game, -1, False, False, to_string=lambda state: state.history_str())
    theirs = {state.information_state_string() for state in every.values()}
    ours = set()
    for role in Role:
        table = solver.best_response(rules, role, "uniform", shoe=shoe).table
        for choices, row in table.items():
            ours |= {f"{role} {found.hand} {' '.join(choices)}" for found in row if found.prob > 0}
    assert theirs == ours


@every_game
def test_it_is_a_sound_game_for_openspiel(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    pyspiel.random_sim_test(made(case)[2], num_sims=5, serialize=False, verbose=False)
    assert capfd.readouterr().err == ""


def test_probabilities_are_those_of_drawing_one_card_after_another() -> None:
    """By hand: out of two aces and a five, an ace and a five come as A5 or 5A, 2/3 1/2 + 1/3 1."""
    assert Shoe((1, 5), (2, 1), False).next_cards((), 2) == {(1, 1): Fraction(1, 3), (1, 5): Fraction(2, 3)}
    assert Shoe((1, 5), (2, 1), False).next_card((1,)) == {1: Fraction(1, 2), 5: Fraction(1, 2)}
    assert Shoe((1, 5), (2, 1), True).next_cards((1,), 2) == {
        (1, 1): Fraction(4, 9),
        (1, 5): Fraction(4, 9),
        (5, 5): Fraction(1, 9),
    }
