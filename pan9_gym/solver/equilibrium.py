"""The equilibrium of one player against the banker, with its certificate.

A linear programme proposes; the mixed probabilities, if any, are solved again in rationals; the exact best
responses of both roles certify the pair. If the certificate is not exactly zero the result says by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pan9_gym.game.info_state import Choices, InfoStates
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import action_values
from pan9_gym.solver.best_response import BestResponse, Decision, best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeCounts, read_shoe
from pan9_gym.solver.duel import duel
from pan9_gym.solver.levels import Level, expanded, groups, read_level
from pan9_gym.solver.linear_program import Proposal, propose
from pan9_gym.solver.mixing import Place, Probs, solve_mix, split_support


@dataclass(frozen=True)
class StateMargin:
    """How strictly a pure decision of an equilibrium is right.

    Attributes:
        role: Whose decision it is.
        hand: The hand, or at level "total" the total.
        choices: The choices seen.
        margin: What the other action would lose there, in units per unit wagered.
    """

    role: Role
    hand: str
    choices: Choices
    margin: Fraction


@dataclass(frozen=True)
class MixedState:
    """A decision at which an equilibrium mixes.

    Attributes:
        role: Whose decision it is.
        hand: The hand, or at level "total" the total.
        choices: The choices seen.
        draw_prob: The probability of drawing.
    """

    role: Role
    hand: str
    choices: Choices
    draw_prob: Fraction


@dataclass(frozen=True)
class Equilibrium:
    """A pair of strategies and the proof of how good it is.

    Attributes:
        value: The player's expectation under the pair; the game's value where `exploitability` is 0.
        player: The player's strategy.
        banker: The banker's strategy.
        player_level: The level of the player's strategy and of his best response.
        banker_level: The same for the banker.
        exploitability: Half the sum of both roles' exact gains from a best response at their levels; 0 proves
            an equilibrium.
        lower: What the player is sure to get with `player`: a lower bound on the value.
        upper: What `banker` concedes at most: an upper bound on the value.
        mixed: The decisions that mix.
        margins: The free pure decisions that arise, narrowest first.
        unique: `True` if it is proved to be the only equilibrium at the decisions that arise; `None` if that
            is not known.
        assumptions: What the figures take for granted.
    """

    value: Fraction
    player: TabularPolicy
    banker: TabularPolicy
    player_level: Level
    banker_level: Level
    exploitability: Fraction
    lower: Fraction
    upper: Fraction
    mixed: tuple[MixedState, ...]
    margins: tuple[StateMargin, ...]
    unique: bool | None
    assumptions: tuple[str, ...]

    def policy(self, role: Role) -> TabularPolicy:
        """The strategy of a role."""
        return self.player if role is Role.PLAYER else self.banker

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "value": str(self.value),
            "player_level": self.player_level,
            "banker_level": self.banker_level,
            "exploitability": str(self.exploitability),
            "lower": str(self.lower),
            "upper": str(self.upper),
            "mixed": [
                {"role": m.role, "hand": m.hand, "choices": list(m.choices), "draw_prob": str(m.draw_prob)}
                for m in self.mixed
            ],
            "margins": [
                {"role": m.role, "hand": m.hand, "choices": list(m.choices), "margin": str(m.margin)}
                for m in self.margins
            ],
            "unique": self.unique,
            "assumptions": list(self.assumptions),
        }


def equilibrium(
    rules: RulesLike,
    player_level: str = "hand",
    banker_level: str = "hand",
    shoe: Sequence[int] | None = None,
) -> Equilibrium:
    """Solve one player against the banker exactly.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player_level: "hand" (by composition) or "total".
        banker_level: The same for the banker.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> from pan9_gym import load_rules
    >>> solution = equilibrium(load_rules("bicycle"), "total", "total")
    >>> solution.value, solution.exploitability, solution.unique
    (Fraction(-403172216947, 35169937233795), Fraction(0, 1), True)

    Raises:
        ValueError: If a level is not known or the shoe does not fit.
    """
    rules = load_rules(rules)
    return _solve(rules, read_level(player_level), read_level(banker_level), read_shoe(rules, shoe))


@lru_cache(maxsize=64)
def _solve(rules: RulesConfig, player_level: Level, banker_level: Level, shoe: ShoeCounts) -> Equilibrium:
    levels = {Role.PLAYER: player_level, Role.BANKER: banker_level}
    game = duel(rules, shoe)
    proposal = propose(game, player_level, banker_level)
    search = _Search(rules, shoe, levels, proposal)
    player, player_determined = search.exact(Role.PLAYER)
    banker, banker_determined = search.exact(Role.BANKER)
    against_banker = best_response_to_values(action_values(rules, Role.PLAYER, banker, shoe), player_level)
    banker_values = action_values(rules, Role.BANKER, player, shoe)
    against_player = best_response_to_values(banker_values, banker_level)
    answers = {Role.PLAYER: against_banker, Role.BANKER: against_player}
    exploitability = (against_banker.ev + against_player.ev) / 2
    mixed = tuple(
        entry
        for role, policy in ((Role.PLAYER, player), (Role.BANKER, banker))
        for entry in _mixed_states(role, policy, answers[role], levels[role])
    )
    margins = tuple(
        entry
        for role, policy in ((Role.PLAYER, player), (Role.BANKER, banker))
        for entry in _margins(role, policy, answers[role], levels[role])
    )
    strict = all(entry.margin > 0 for entry in margins) and player_determined and banker_determined
    return Equilibrium(
        value=-banker_values.ev(banker),
        player=player,
        banker=banker,
        player_level=player_level,
        banker_level=banker_level,
        exploitability=exploitability,
        lower=-against_player.ev,
        upper=against_banker.ev,
        mixed=mixed,
        margins=tuple(sorted(margins, key=lambda entry: entry.margin)),
        unique=True if strict and exploitability == 0 else None,
        assumptions=rules.assumptions(num_players=1),
    )


@dataclass(frozen=True)
class _Search:
    """Turns the proposal into exact strategies."""

    rules: RulesConfig
    shoe: ShoeCounts
    levels: dict[Role, Level]
    proposal: Proposal

    def exact(self, role: Role) -> tuple[TabularPolicy, bool]:
        """The role's exact strategy, and whether its probabilities are determined."""
        _, opponent_mixes = split_support(self._proposed(role.opponent))

        def opponent_gains(probs: Probs) -> list[Fraction]:
            policy = self._policy(role, probs)
            values = action_values(self.rules, role.opponent, policy, self.shoe)
            _, stand, draw = values.grouped(groups(values.states, self.levels[role.opponent]))
            return [Fraction(draw[place] - stand[place], values.value_unit) for place in opponent_mixes]

        probs, determined = solve_mix(self._proposed(role), opponent_gains)
        return self._policy(role, probs), determined

    def _proposed(self, role: Role) -> Any:
        return self.proposal.player if role is Role.PLAYER else self.proposal.banker

    def _policy(self, role: Role, probs: Probs) -> TabularPolicy:
        states = duel(self.rules, self.shoe).states(role)
        level = self.levels[role]
        num_groups = len(groups(states, level))
        rows = tuple(
            tuple(probs[pattern, group] for group in range(num_groups)) for pattern in range(states.shape[0])
        )
        return TabularPolicy(self.rules, states, expanded(states, level, rows), f"equilibrium {role}")


def _places(states: InfoStates, level: Level, answer: BestResponse) -> list[tuple[Place, Decision]]:
    """Each decision with the pattern and a column it stands for."""
    parts = groups(states, level)
    return [
        ((pattern, parts[index][0]), decision)
        for pattern, row in enumerate(answer.table.values())
        for index, decision in enumerate(row)
    ]


def _mixed_states(role: Role, policy: TabularPolicy, answer: BestResponse, level: Level) -> list[MixedState]:
    return [
        MixedState(role, decision.hand, decision.choices, policy.draw_probs[pattern][column])
        for (pattern, column), decision in _places(policy.states, level, answer)
        if 0 < policy.draw_probs[pattern][column] < 1
    ]


def _margins(role: Role, policy: TabularPolicy, answer: BestResponse, level: Level) -> list[StateMargin]:
    margins = []
    for (pattern, column), decision in _places(policy.states, level, answer):
        prob = policy.draw_probs[pattern][column]
        if decision.is_free and prob in (0, 1):
            margin = decision.draw_gain if prob == 1 else -decision.draw_gain
            margins.append(StateMargin(role, decision.hand, decision.choices, margin))
    return margins
