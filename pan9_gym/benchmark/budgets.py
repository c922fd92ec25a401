"""The solver's budgets, and what each answer takes.

Every measurement is one cold call in a fresh interpreter after all imports, the best of a few such calls.
Only the float best response, which is asked for every hand, is measured warm, over shoes that are all new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan9_gym import solver
from pan9_gym.benchmark.timing import Timing, in_fresh_process, timed
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import load_rules, sheet_names
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver import FloatResponse
from pan9_gym.solver.deal_distribution import ShoeLike

PEAK_MIB = 2048.0
"""The budget of memory, everywhere."""

NUM_SEATS = 7
SEVERAL_SEATS_SHEET = "bicycle"
NUM_SHOES = 500
SEED = 1

Measured = tuple[Timing, str]
"""What a measurement took, and a remark."""


@dataclass(frozen=True)
class Budget:
    """What an answer may take, and how that is measured.

    Attributes:
        name: What is measured.
        seconds: The most wall time.
        measure: Called in a fresh interpreter.
        arguments: Its arguments.
        repeats: How many fresh interpreters; the best time counts, and the highest peak.
    """

    name: str
    seconds: float
    measure: Callable[..., Measured]
    arguments: tuple[Any, ...]
    repeats: int = 3

    def line(self) -> Line:
        """Measure it."""
        runs = [in_fresh_process(self.measure, *self.arguments) for _ in range(self.repeats)]
        best, note = min(runs, key=lambda run: run[0].seconds)
        peak = max(timing.peak_mib for timing, _ in runs)
        return Line(self.name, replace(best, peak_mib=peak), self.seconds, note)


@dataclass(frozen=True)
class Line:
    """A measurement beside its budget.

    Attributes:
        name: What was measured.
        timing: What it took.
        budget: The most wall time, in seconds.
        note: A remark.
    """

    name: str
    timing: Timing
    budget: float
    note: str

    @property
    def is_met(self) -> bool:
        """Whether time and memory are within their budgets."""
        return self.timing.seconds <= self.budget and self.timing.peak_mib <= PEAK_MIB


def budgets() -> list[Budget]:
    """Every budget, the quick ones first."""
    sheets = sheet_names()
    return [
        *(Budget(f"exact evaluation, {sheet}", 0.2, exact_evaluation, (sheet,)) for sheet in sheets),
        *(Budget(f"equilibrium by totals, {sheet}", 2, equilibrium, (sheet, "total")) for sheet in sheets),
        *(Budget(f"equilibrium by hands, {sheet}", 15, equilibrium, (sheet, "hand")) for sheet in sheets),
        *(
            Budget(
                f"float best responses of both roles, new shoe, {sheet}",
                0.001,
                float_best_responses,
                (sheet,),
            )
            for sheet in sheets
        ),
        Budget(f"banker against {NUM_SEATS} seats, float", 5, banker_in_float, (NUM_SEATS,), repeats=1),
        Budget(f"banker against {NUM_SEATS} seats, exact", 60, banker_exactly, (NUM_SEATS,), repeats=1),
    ]


def exact_evaluation(sheet: str) -> Measured:
    """A pair of policies that mix everywhere, with probabilities as a neural net gives them."""
    rules = load_rules(sheet)
    rng = np.random.default_rng(SEED)
    player, banker = (arbitrary_policy(rules, role, rng) for role in Role)
    _, timing = timed(lambda: solver.evaluate(rules, player, banker))
    return timing, "arbitrary mixed policies"


def arbitrary_policy(rules: RulesConfig, role: Role, rng: np.random.Generator) -> TabularPolicy:
    """Probabilities drawn at random, each a double, wherever the role is free."""
    return TabularPolicy.from_callable(rules, role, lambda hand, choices: rng.random())


def equilibrium(sheet: str, level: str) -> Measured:
    """An equilibrium with its certificate, both roles at one level."""
    rules = load_rules(sheet)
    found, timing = timed(lambda: solver.equilibrium(rules, level, level))
    return timing, f"exploitability {found.exploitability}"


def float_best_responses(sheet: str) -> Measured:
    """Both roles' best responses by hand over shoes seen for the first time: the mean, warm."""
    rules = load_rules(sheet)
    rng = np.random.default_rng(SEED)
    left = rng.integers(2 * rules.num_initial_cards + 2, sum(rules.initial_counts), NUM_SHOES)
    shoes = [rng.multivariate_hypergeometric(rules.initial_counts, number).tolist() for number in left]
    opponents = [(role, arbitrary_policy(rules, role.opponent, rng)) for role in Role]

    def answer(shoe: ShoeLike) -> list[FloatResponse]:
        state = solver.shoe_state(rules, shoe)
        return [state.best_response(role, opponent) for role, opponent in opponents]

    answer(rules.initial_counts)  # what does not depend on the shoe is computed once
    _, timing = timed(lambda: [answer(shoe) for shoe in shoes])
    return timing.each(NUM_SHOES), f"mean of {NUM_SHOES} depleted shoes, warm"


def banker_exactly(num_players: int) -> Measured:
    """The banker's best response by pattern and hand to players who go the logical way."""
    rules = load_rules(SEVERAL_SEATS_SHEET)
    players = ["logical_way"] * num_players
    found, timing = timed(lambda: solver.banker_best_response(rules, players))
    return timing, f"{SEVERAL_SEATS_SHEET}, logical way; the banker's ev is {float(found.ev):.6f}"


def banker_in_float(num_players: int) -> Measured:
    """The same values in double precision, then, untimed, how far they are from the exact ones."""
    rules = load_rules(SEVERAL_SEATS_SHEET)
    players = ["logical_way"] * num_players
    found, timing = timed(lambda: solver.banker_values_in_float(rules, players))
    exact = solver.banker_values(rules, players)
    pairs = ((found.stand, exact.stand), (found.draw, exact.draw))
    largest = max(float(abs(floats - whole / exact.value_unit).max()) for floats, whole in pairs)
    note = f"largest deviation of a value, weighted by reach, from exact: {largest:.1e}"
    return timing, f"{SEVERAL_SEATS_SHEET}, logical way; {note}"
