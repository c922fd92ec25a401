"""The certificate: wrong proposals are mended or said; uniqueness is proved or not claimed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pan9_gym import evaluation, load_rules, policies, solver
from pan9_gym.rules import Role
from pan9_gym.solver.linear_program import Proposal

RARE = (144, 1, 1, 1, 1, 1, 1)
"""A shoe in which most hands hardly ever arise, so that the linear programme does not see them."""

LEVELS = [(a, b) for a in ("hand", "total") for b in ("hand", "total")]


@pytest.mark.parametrize(("player_level", "banker_level"), LEVELS)
@pytest.mark.parametrize("banker_sees", ["nothing", "choice", "card"])
def test_rare_hands_are_played_right_too(banker_sees: str, player_level: str, banker_level: str) -> None:
    rules = load_rules("bicycle", banker_sees=banker_sees)
    found = solver.equilibrium(rules, player_level, banker_level, RARE)
    assert found.exploitability == 0
    assert found.lower == found.value == found.upper


@pytest.mark.parametrize("change", [{"num_decks": 700}, {"num_decks": 1000}, {"payout": "1/1000000"}])
def test_a_mixed_equilibrium_with_a_wrong_pure_proposal_is_mended(change: dict[str, Any]) -> None:
    found = solver.equilibrium(load_rules("baccarat_chemin_de_fer", **change))
    assert found.exploitability == 0
    assert found.mixed


def test_a_report_on_rare_hands_is_exact() -> None:
    found = evaluation.report("bicycle", "logical_way", "banker", shoe=RARE)
    assert found.worst_case_gap == solver.worst_case_gap("bicycle", "logical_way", "banker", shoe=RARE)
    assert len(found.assumptions) == 1


@pytest.fixture
def hopeless(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, ...]]:
    """A shoe for which the proposal mixes everywhere with nonsense and cannot be mended."""

    def nonsense(game: Any, player_level: str, banker_level: str) -> Proposal:
        rows, columns = game.banker_states.shape
        return Proposal(np.full((1, columns), 0.5), np.full((rows, columns), 0.25))

    module = import_module("pan9_gym.solver.equilibrium")
    monkeypatch.setattr(module, "propose", nonsense)
    monkeypatch.setattr(module, "solve_mix", _taken_as_it_is)
    yield (20, 7, 6, 5, 4, 3, 2)
    module._solve.cache_clear()


def _taken_as_it_is(proposal: Any, gains: Any) -> tuple[dict[tuple[int, int], Fraction], bool]:
    places = np.ndindex(proposal.shape)
    return {place: Fraction(float(proposal[place])) for place in places}, True


def test_what_is_not_proved_is_a_bound_and_says_so(hopeless: tuple[int, ...]) -> None:
    found = solver.equilibrium("bicycle", shoe=hopeless)
    assert found.exploitability > 0
    assert found.upper - found.lower == 2 * found.exploitability
    assert found.lower <= found.value <= found.upper
    assert found.unique is None


def test_a_worst_case_gap_that_is_not_proved_is_refused_or_a_bound(hopeless: tuple[int, ...]) -> None:
    with pytest.raises(ArithmeticError, match="the value of 'bicycle' is only known to lie from"):
        solver.worst_case_gap("bicycle", "wizard", "banker", shoe=hopeless)
    for role in Role:
        bound = solver.worst_case_gap("bicycle", "wizard", role, shoe=hopeless, allow_bound=True)
        solution = solver.equilibrium("bicycle", shoe=hopeless)
        value = solution.upper if role is Role.PLAYER else -solution.lower
        wizard = policies.get("wizard", "bicycle", role)
        assert bound == value + solver.best_response("bicycle", role.opponent, wizard, shoe=hopeless).ev
        report = evaluation.report("bicycle", "wizard", role, shoe=hopeless)
        assert report.worst_case_gap == bound
        assert "upper bound" in report.assumptions[-1]
        assert "upper bound" in report.table()


def test_uniqueness_is_not_claimed_where_a_decision_is_indifferent() -> None:
    """With nothing but face cards standing and drawing are worth the same everywhere."""
    found = solver.equilibrium("bicycle", shoe=(8, 0, 0, 0, 0, 0, 0))
    assert found.exploitability == 0
    assert found.margins[0].margin == 0
    assert found.unique is None


def test_uniqueness_is_not_claimed_where_the_mix_is_not_determined() -> None:
    """By hands, hands of one total mix in many ways; only their sum is determined."""
    rules = load_rules("baccarat_chemin_de_fer", num_decks="infinite")
    found = solver.equilibrium(rules)
    assert found.exploitability == 0
    assert found.mixed
    assert all(entry.margin >= 0 for entry in found.margins)
    assert found.unique is None
    assert solver.equilibrium(rules, "total", "total").unique is True


def test_the_json_of_an_equilibrium_holds_both_strategies() -> None:
    found = solver.equilibrium(load_rules("baccarat_chemin_de_fer", num_decks="infinite"), "total", "total")
    data = found.to_dict()
    assert "9/11" in data["player"][0]
    assert [[Fraction(prob) for prob in row] for row in data["banker"]] == [
        list(row) for row in found.banker.draw_probs
    ]
