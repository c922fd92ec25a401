"""Names, paths and objects are accepted everywhere a rule set is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import pan9_gym
from pan9_gym import TabularPolicy, evaluation, game, load_rules, policies, solver

gymnasium.register_envs(pan9_gym)

ROOT = Path(__file__).parents[1]


USES: dict[str, Callable[[Any], Any]] = {
    "load_rules": load_rules,
    "policies.get": lambda rules: policies.get("logical_way", rules, "player"),
    "policies.resolve": lambda rules: policies.resolve("wizard", rules, "banker"),
    "from_totals": lambda rules: TabularPolicy.from_totals(rules, "player", {0, 1}),
    "from_callable": lambda rules: TabularPolicy.from_callable(rules, "player", lambda hand, choices: 1),
    "info_states": lambda rules: game.info_states(rules, "banker"),
    "new_game": lambda rules: game.new_game(rules).num_seats,
    "evaluate": lambda rules: solver.evaluate(rules, "logical_way", "wizard"),
    "action_values": lambda rules: solver.action_values(rules, "player", "wizard").value_unit,
    "best_response": lambda rules: solver.best_response(rules, "banker", "logical_way").ev,
    "equilibrium": lambda rules: solver.equilibrium(rules).value,
    "nash_conv": lambda rules: solver.nash_conv(rules, "logical_way", "wizard"),
    "exploitability": lambda rules: solver.exploitability(rules, "logical_way", "logical_way"),
    "worst_case_gap": lambda rules: solver.worst_case_gap(rules, "logical_way", "banker"),
    "evaluate_seats": lambda rules: solver.evaluate_seats(rules, ["logical_way"] * 2, "logical_way").evs,
    "banker_values": lambda rules: solver.banker_values(rules, ["logical_way"]).value_unit,
    "seats_equilibrium": lambda rules: solver.seats_equilibrium(rules, 1).banker_ev,
    "wager_ratios": lambda rules: solver.wager_ratios(rules, ["logical_way"] * 2)[1].ratio,
    "banker_risk": lambda rules: solver.banker_risk(rules, ["logical_way"], "wizard").variance,
    "hand_covariance": lambda rules: solver.hand_covariance(rules, "logical_way", "wizard"),
    "side_bet": lambda rules: solver.side_bet(rules, "tie").ev,
    "stake_ratios": lambda rules: solver.stake_ratios(rules, "tie"),
    "shoe_state": lambda rules: solver.shoe_state(rules).ev("logical_way", "wizard"),
    "effects_of_removal": lambda rules: solver.effects_of_removal(
        rules, player="logical_way", banker="wizard"
    ),
    "outcomes_by_start": lambda rules: solver.outcomes_by_start(rules, "logical_way", "wizard"),
    "penetration_study": lambda rules: solver.penetration_study(rules, 40, 2, 1).value,
    "worth_of_counting": lambda rules: solver.worth_of_counting(rules, "player", 40, 2, 1).average,
    "cover_sample": lambda rules: evaluation.cover_sample(rules, ["logical_way"], "wizard", num_hands=2).evs,
    "report": lambda rules: evaluation.report(rules, "logical_way", "banker").gap,
    "simulate": lambda rules: evaluation.simulate(rules, "logical_way", "wizard", 10, seed=1),
    "player env": lambda rules: gymnasium.make("Pan9/Player-v0", rules=rules).reset(seed=1)[1]["info_state"],
    "dealer env": lambda rules: gymnasium.make("Pan9/PlayerDealer-v0", rules=rules).reset(seed=1)[1][
        "info_state"
    ],
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_name_a_path_and_an_object_are_the_same_rules(use: Callable[[Any], Any]) -> None:
    path = ROOT / "configs" / "rules" / "uk_1994_player.yaml"
    by_name, by_path, by_text = use("uk_1994_player"), use(path), use(str(path))
    assert by_name == by_path == by_text == use(load_rules("uk_1994_player"))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_an_unknown_name_lists_the_known_ones_everywhere(use: Callable[[Any], Any]) -> None:
    with pytest.raises(
        ValueError, match=r"rule sheet 'bicicle' is not known .*known sheets: .*bicycle, bicycle_bonus"
    ):
        use("bicicle")


def test_a_policy_file_is_read_for_rules_by_name(tmp_path: Path) -> None:
    policies.get("wizard", "bicycle", "banker").save(tmp_path / "policy.json")
    assert TabularPolicy.load(tmp_path / "policy.json", "bicycle") == TabularPolicy.load(
        tmp_path / "policy.json", load_rules("bicycle")
    )
