"""Where the certified equilibrium mixes, so that a run can show how its strategies near it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from agents.baselines.interface import Pair
from pan9_gym import solver
from pan9_gym.game.info_state import info_states
from pan9_gym.rules import Role, RulesConfig
from pan9_gym.solver.levels import Level, group_label, groups


@dataclass(frozen=True)
class Mixing:
    """A decision at which the equilibrium mixes.

    Attributes:
        label: Whose decision it is and which, such as "banker 6, stand".
        role: Whose decision it is.
        pattern: Its row in the role's policy.
        column: A column of its hand or total.
        prob: With which probability the equilibrium draws.
    """

    label: str
    role: Role
    pattern: int
    column: int
    prob: Fraction

    def prob_of(self, pair: Pair) -> Fraction:
        """With which probability a pair's strategy draws there."""
        return pair.policy(self.role).draw_probs[self.pattern][self.column]


def mixed_decisions(rules: RulesConfig, level: Level) -> tuple[Mixing, ...]:
    """The decisions at which the equilibrium mixes; for people to compare with, never for learners."""
    found = []
    for state in solver.equilibrium(rules, level, level).mixed:
        states = info_states(rules, state.role)
        columns = {group_label(states, level, group): group[0] for group in groups(states, level)}
        label = f"{state.role} {', '.join((state.hand, *state.choices))}"
        pattern = states.pattern_index(state.choices)
        found.append(Mixing(label, state.role, pattern, columns[state.hand], state.draw_prob))
    return tuple(found)
