"""The exact best response to a fixed opponent, with the value of both actions at every decision.

Formula:
    prob(G) = sum_{i in G} reach[i]
    gain(G) = sum_{i in G} (draw[i] - stand[i]) / prob(G),        0 where the decision never arises
    best(G) = the only legal action, else DRAW if gain(G) > 0, else STAND
    ev = D + sum_G (draw or stand, as best(G) says)

Symbols:
    G: a decision: one pattern of choices with the columns that the level cannot tell apart (`levels`)
    i: the information states in G
    reach, stand, draw, D: as in `action_values`
    gain, ev: per unit wagered for a player, in units for the banker

Source:
    Derivation: this module, from `action_values`. A role acts once in a hand, so his expectation is a sum in
    which every decision has a term of its own: the best of each is the best of all, and a pure strategy is
    enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.game.info_state import Choices, InfoStates, legal_table
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.levels import Level, expanded, group_label, groups, read_level
from pan9_gym.solver.setting import StakesLike


@dataclass(frozen=True)
class Decision:
    """One decision against a fixed opponent.

    Attributes:
        hand: The hand, such as "0 1 5", or at level "total" the total, such as "6"; a player with a Dragon
            stake sees its suit class too: "6 off suit".
        choices: The choices seen.
        prob: The probability that it arises.
        ev_stand: The role's expectation when it stands there; `None` if it never arises.
        ev_draw: The role's expectation when it draws there; `None` if it never arises.
        legal: The legal actions.
    """

    hand: str
    choices: Choices
    prob: Fraction
    ev_stand: Fraction | None
    ev_draw: Fraction | None
    legal: tuple[Action, ...]

    @property
    def draw_gain(self) -> Fraction:
        """`ev_draw - ev_stand`; 0 where the decision never arises."""
        if self.ev_stand is None or self.ev_draw is None:
            return Fraction(0)
        return self.ev_draw - self.ev_stand

    @property
    def is_free(self) -> bool:
        """Whether there is a choice and it arises."""
        return len(self.legal) > 1 and self.prob > 0

    @property
    def best(self) -> Action:
        """The better legal action; a tie stands."""
        if len(self.legal) == 1:
            return self.legal[0]
        return Action.DRAW if self.draw_gain > 0 else Action.STAND


@dataclass(frozen=True)
class BestResponse:
    """The best answer to a fixed opponent.

    Attributes:
        ev: Its expectation for the role asked for: a player's per unit wagered, the banker's in units, summed
            over the seats.
        policy: The answer; ties stand.
        level: "hand" or "total".
        table: For each pattern of choices the decisions by hand or by total.
    """

    ev: Fraction
    policy: TabularPolicy
    level: Level
    table: Mapping[Choices, tuple[Decision, ...]]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "ev": str(self.ev),
            "level": self.level,
            "table": [
                {
                    "choices": list(decision.choices),
                    "hand": decision.hand,
                    "prob": str(decision.prob),
                    "ev_stand": None if decision.ev_stand is None else str(decision.ev_stand),
                    "ev_draw": None if decision.ev_draw is None else str(decision.ev_draw),
                    "best": decision.best.name,
                }
                for row in self.table.values()
                for decision in row
            ],
        }


def decisions(values: ActionValues, level: Level) -> dict[Choices, tuple[Decision, ...]]:
    """Every decision with the conditional value of both actions."""
    states = values.states
    parts = groups(states, level)
    legal = legal_table(values.rules, states)
    reach, stand, draw = values.grouped(parts)
    table = {}
    for pattern, choices in enumerate(states.patterns):
        row = []
        for index, group in enumerate(parts):
            prob = Fraction(reach[pattern, index], values.reach_unit)
            weight = prob * values.value_unit
            row.append(
                Decision(
                    hand=group_label(states, level, group),
                    choices=choices,
                    prob=prob,
                    ev_stand=stand[pattern, index] / weight if prob else None,
                    ev_draw=draw[pattern, index] / weight if prob else None,
                    legal=legal[pattern][group[0]],
                )
            )
        table[choices] = tuple(row)
    return table


def best_response_to_values(values: ActionValues, level: str) -> BestResponse:
    """The best response, from values per information state.

    Args:
        values: The values of both actions at every information state of the role that responds.
        level: "hand" (by composition) or "total".

    Raises:
        ValueError: If the level is not known.
    """
    level = read_level(level)
    table = decisions(values, level)
    states: InfoStates = values.states
    rows = tuple(tuple(Fraction(decision.best) for decision in row) for row in table.values())
    policy = TabularPolicy(values.rules, states, expanded(states, level, rows), f"best response by {level}")
    return BestResponse(values.ev(policy), policy, level, table)


def best_response(
    rules: RulesLike,
    role: Role | str,
    opponent: PolicyLike,
    level: str = "hand",
    shoe: ShoeLike | None = None,
    side_stakes: StakesLike | None = None,
) -> BestResponse:
    """The best response of `role` to `opponent`, one player against the banker.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        role: "player" or "banker": who responds.
        opponent: The other role's policy, by name or object.
        level: "hand" (by composition) or "total".
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.
        side_stakes: The player's stakes by side bet, per unit wagered; the banker answers those he holds.

    >>> from pan9_gym import load_rules, policies
    >>> rules = load_rules("bicycle")
    >>> best_response(rules, "banker", policies.get("logical_way", rules, "player"), level="total").ev
    Fraction(403172216947, 35169937233795)

    Raises:
        ValueError: If an argument is not possible.
    """
    return best_response_to_values(action_values(rules, role, opponent, shoe, side_stakes), read_level(level))
