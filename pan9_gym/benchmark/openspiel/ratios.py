"""How long OpenSpiel's own algorithms take for the same answers, on shoes small enough for them to finish.

OpenSpiel's side is its Python best response, NashConv and CFR+ on `openspiel.game`; for a game in Python
those in C++ are no faster. This side is exact, and cold but for the imports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from open_spiel.python.algorithms import (
    best_response,
    cfr,
    expected_game_score,
    exploitability,
)

from pan9_gym import policies, solver
from pan9_gym.benchmark.openspiel.game import ROLES, Pan9Game, PolicyPair
from pan9_gym.benchmark.timing import Timing, in_fresh_process, timed
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig

Counts = tuple[int, ...]

SHOES: dict[str, tuple[str, Counts]] = {
    "bicycle, 17 cards": ("bicycle", (6, 3, 0, 3, 0, 0, 5)),
    "bicycle, one pack": ("bicycle", (12, 4, 4, 4, 4, 4, 4)),
    "chemin de fer, 16 cards": ("baccarat_chemin_de_fer", (4, 4, 0, 0, 3, 0, 0, 0, 1, 4)),
}
"""The rules, and cards of each point value, lowest first. The equilibrium of the last game mixes."""

TOO_LARGE = ("bicycle, one pack",)
"""Where one best response takes OpenSpiel so long that the other questions are not asked."""

CFR_TARGET = 1e-3
"""CFR+ stops when its average policy's exploitability is below this."""

CFR_STEP = 5
"""Iterations between looks at the exploitability, which are not timed."""

CFR_ITERATIONS = 40
"""CFR+ stops here in any case."""


@dataclass(frozen=True)
class Ratio:
    """One question, answered twice.

    Attributes:
        name: The question and the game.
        openspiel: What OpenSpiel took.
        ours: What this package took.
        difference: The largest difference between the two answers.
        note: A remark.
    """

    name: str
    openspiel: Timing
    ours: Timing
    difference: float
    note: str

    @property
    def ratio(self) -> float:
        """How many times as long OpenSpiel took."""
        return self.openspiel.seconds / self.ours.seconds


@dataclass(frozen=True)
class Comparison:
    """A question over a shoe.

    Attributes:
        name: The question and the game.
        question: Answers it twice.
        game: A key of `SHOES`.
    """

    name: str
    question: Callable[[str, RulesConfig, Counts], Ratio]
    game: str

    def ratio(self) -> Ratio:
        """Measure both sides in a fresh interpreter."""
        sheet, shoe = SHOES[self.game]
        return in_fresh_process(self.question, self.name, load_rules(sheet), shoe)

    def remark(self) -> str:
        """What the game is: its cards, and the size of its tree."""
        sheet, shoe = SHOES[self.game]
        rules = load_rules(sheet)
        held = zip(rules.values, shoe, strict=True)
        cards = ", ".join(f"{number} of {value}" for value, number in held if number)
        histories = num_histories(Pan9Game(rules, shoe).new_initial_state())
        return f"{self.game}: {cards} points; a tree of {histories} histories"


def comparisons() -> list[Comparison]:
    """Every question over every shoe."""
    questions = {
        "best responses of both roles": best_responses,
        "exploitability": exploitabilities,
        "equilibrium": equilibria,
    }
    return [
        Comparison(f"OpenSpiel: {name}, {game}", question, game)
        for game in SHOES
        for name, question in questions.items()
        if game not in TOO_LARGE or question is best_responses
    ]


def num_histories(state: Any) -> int:
    """How many histories go through a state of OpenSpiel's, itself included."""
    return 1 + sum(num_histories(state.child(action)) for action in state.legal_actions())


def uniform_pair(game: Pan9Game) -> PolicyPair:
    """Both roles uniform, so that every information state counts."""
    return PolicyPair(game, *(policies.get("uniform", game.table.rules, role) for role in ROLES))


def best_response_values(game: Pan9Game, pair: PolicyPair) -> list[float]:
    """What each role gets by OpenSpiel's best response to the other."""
    return [
        float(best_response.BestResponsePolicy(game, seat, pair).value(game.new_initial_state()))
        for seat in range(len(ROLES))
    ]


def best_responses(name: str, rules: RulesConfig, shoe: Counts) -> Ratio:
    """Both roles' best responses to the uniform policy."""
    ours, our_timing = timed(
        lambda: [solver.best_response(rules, role, "uniform", shoe=shoe).ev for role in ROLES]
    )
    game = Pan9Game(rules, shoe)
    pair = uniform_pair(game)
    theirs, their_timing = timed(lambda: best_response_values(game, pair))
    difference = max(abs(float(exact) - value) for exact, value in zip(ours, theirs, strict=True))
    return Ratio(name, their_timing, our_timing, difference, "against the uniform policy")


def exploitabilities(name: str, rules: RulesConfig, shoe: Counts) -> Ratio:
    """The exploitability of the uniform policies."""
    ours, our_timing = timed(lambda: solver.exploitability(rules, "uniform", "uniform", shoe=shoe))
    game = Pan9Game(rules, shoe)
    pair = uniform_pair(game)
    theirs, their_timing = timed(lambda: exploitability.nash_conv(game, pair) / len(ROLES))
    return Ratio(name, their_timing, our_timing, abs(float(ours) - theirs), "of the uniform policies")


def equilibria(name: str, rules: RulesConfig, shoe: Counts) -> Ratio:
    """An equilibrium: certified here, approached there."""
    ours, our_timing = timed(lambda: solver.equilibrium(rules, shoe=shoe))
    game = Pan9Game(rules, shoe)
    policy, left, iterations, their_timing = approach_by_cfr(game)
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * len(ROLES))[0]
    note = (
        f"CFR+ stopped after {iterations} iterations at exploitability {left:.1e}; "
        f"ours is {ours.exploitability}"
    )
    return Ratio(name, their_timing, our_timing, abs(float(ours.value) - float(value)), note)


def approach_by_cfr(game: Pan9Game) -> tuple[Any, float, int, Timing]:
    """CFR+ until its average policy is near enough: the policy, its exploitability, iterations, time."""
    learner = cfr.CFRPlusSolver(game)
    steps: list[Timing] = []
    left = float("inf")
    while left >= CFR_TARGET and len(steps) * CFR_STEP < CFR_ITERATIONS:
        steps.append(timed(lambda: [learner.evaluate_and_update_policy() for _ in range(CFR_STEP)])[1])
        policy = learner.average_policy()
        left = float(exploitability.nash_conv(game, policy)) / len(ROLES)
    timing = Timing(
        sum(step.seconds for step in steps), sum(step.cpu_seconds for step in steps), steps[-1].peak_mib
    )
    return policy, left, len(steps) * CFR_STEP, timing
