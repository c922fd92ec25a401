"""What standing and drawing are worth at every information state of one role, against a fixed opponent.

From these numbers come best responses, the gap of any policy (a dot product) and the price of every decision.
Values are weighted by the probability that the state is reached, so that they add up.

Formula:
    ev(p) = D + sum over states of (1 - p) stand + p draw

    player   value_a[h] = sum_{r of action a} sum_b
                              ((1 - q[t, b]) M[r, STAND][h, b] + q[t, b] M[r, DRAW][h, b])
             reach[h]   = deals in which he holds h and no natural decides the hand
    banker   value_a[t, b] = - sum_{r of pattern t} sum_h p_r(h) M[r, a][h, b]
             reach[t, b]   = sum_{r of pattern t} sum_h p_r(h) (deals in r with h and b)

    Values are divided by T u, reach by T.

Symbols:
    p, q: drawing probability of the role and, for the player's values, of the banker; 0 to 1
    value_a: `stand` or `draw`; the player's per unit wagered, the banker's in units
    r, t, h, b, M, p_r, T, u: as in `duel`
    D: the role's expectation over hands that a natural decides at once; the banker's is the player's, negated

Source:
    Derivation: this module, from `duel`. Against a fixed opponent the expectation is linear in each drawing
    probability of the role, and no decision of his changes the reach of another, as he acts once in a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from pan9_gym.game.info_state import InfoStates, read_role
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.deal_distribution import IntMatrix, ShoeLike
from pan9_gym.solver.duel import Duel, duel, scaled
from pan9_gym.solver.setting import Setting, StakesLike, read_setting


@dataclass(frozen=True)
class ActionValues:
    """Exact values per information state, shape `states.shape`, as integers over one denominator.

    Attributes:
        rules: The rules.
        states: The role's information states.
        reach: Probability that the state is reached, times `reach_unit`.
        stand: Expectation of standing, weighted by reach, times `value_unit`; positive for the role.
        draw: Expectation of drawing, weighted by reach, times `value_unit`.
        reach_unit: Denominator of `reach`.
        value_unit: Denominator of `stand`, `draw` and `decided`.
        decided: Expectation over the hands that a natural decides at once, times `value_unit`.
    """

    rules: RulesConfig
    states: InfoStates
    reach: IntMatrix
    stand: IntMatrix
    draw: IntMatrix
    reach_unit: int
    value_unit: int
    decided: int

    def ev(self, policy: TabularPolicy) -> Fraction:
        """The exact expectation of a policy, side stakes included.

        A player's is per unit wagered, the banker's in units.
        """
        self.check(policy)
        probs, unit = scaled(policy.draw_probs)
        chosen = (self.stand * (unit - probs) + self.draw * probs).sum()
        return Fraction(chosen + self.decided * unit, self.value_unit * unit)

    def times(self, units: Fraction) -> ActionValues:
        """The same values for a wager of so many units."""
        return replace(
            self,
            stand=self.stand * units.numerator,
            draw=self.draw * units.numerator,
            decided=self.decided * units.numerator,
            value_unit=self.value_unit * units.denominator,
        )

    def check(self, policy: TabularPolicy) -> None:
        """Refuse a policy of another seat or other cards.

        Raises:
            ValueError: Naming the policy and both seats.
        """
        if policy.states != self.states:
            raise ValueError(
                f"policy {policy.name!r} is for {policy.states.seat_text}; these values are for "
                f"{self.states.seat_text}, with the cards and visible choices of {self.rules.name!r}"
            )

    def reach_prob(self, pattern: int, column: int) -> Fraction:
        """The probability that a state is reached."""
        return Fraction(self.reach[pattern, column], self.reach_unit)

    def draw_gain(self, pattern: int, column: int) -> Fraction:
        """Expectation of drawing minus standing, weighted by reach."""
        return Fraction(self.draw[pattern, column] - self.stand[pattern, column], self.value_unit)

    def grouped(self, columns: Sequence[Sequence[int]]) -> tuple[IntMatrix, IntMatrix, IntMatrix]:
        """`reach`, `stand`, `draw` summed over groups of columns: three arrays (num_patterns, num_groups)."""

        def summed(matrix: IntMatrix) -> IntMatrix:
            return np.stack([matrix[:, list(group)].sum(axis=1) for group in columns], axis=1)

        return summed(self.reach), summed(self.stand), summed(self.draw)


def action_values(
    rules: RulesLike,
    role: Role | str,
    opponent: PolicyLike,
    shoe: ShoeLike | None = None,
    side_stakes: StakesLike | None = None,
) -> ActionValues:
    """The values of both actions at every information state of `role` against `opponent`.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        role: The role whose values are asked for, in the game of one player against the banker.
        opponent: The other role's policy, by name or object.
        shoe: Cards left of each point value, or counts[value, suit] where suits matter; default a full shoe.
        side_stakes: The player's stakes by side bet, per unit wagered. The banker's values count those that
            he holds; while there is a Dragon stake the player's states have the suit class.

    Raises:
        ValueError: If the opponent is not the other role of this game, or the shoe or a stake does not fit.
    """
    return values_in(read_setting(rules, shoe, side_stakes), read_role(role), opponent)


def values_in(setting: Setting, role: Role, opponent: PolicyLike) -> ActionValues:
    """The values of both actions at every information state of `role` in a setting."""
    other = setting.policy(role.opponent, opponent)
    if role is Role.PLAYER:
        return _player_values(duel(setting), other)
    return _banker_values(duel(setting.held), other)


def _player_values(game: Duel, banker: TabularPolicy) -> ActionValues:
    probs, unit = scaled(banker.draw_probs)
    size = game.player_states.shape[1]
    values: dict[Action, IntMatrix] = {action: np.zeros(size, dtype=object) for action in Action}
    for branch in game.branches:
        row = probs[branch.pattern]
        stand, draw = branch.payoffs
        values[branch.action] = values[branch.action] + stand @ (unit - row) + draw @ row
    stood = next(branch for branch in game.branches if branch.action is Action.STAND)
    return ActionValues(
        game.rules,
        game.player_states,
        reach=stood.deals.sum(axis=1)[None, :],
        stand=values[Action.STAND][None, :],
        draw=values[Action.DRAW][None, :],
        reach_unit=game.num_deals,
        value_unit=game.num_deals * game.payoff_unit * unit,
        decided=game.decided_payoff * unit,
    )


def _banker_values(game: Duel, player: TabularPolicy) -> ActionValues:
    probs, unit = scaled(player.draw_probs)
    taken = {Action.DRAW: probs[0], Action.STAND: unit - probs[0]}
    reach, stand, draw = (np.zeros(game.banker_states.shape, dtype=object) for _ in range(3))
    for branch in game.branches:
        weights = taken[branch.action]
        reach[branch.pattern] += weights @ branch.deals
        stand[branch.pattern] -= weights @ branch.payoffs[Action.STAND]
        draw[branch.pattern] -= weights @ branch.payoffs[Action.DRAW]
    return ActionValues(
        game.rules,
        game.banker_states,
        reach=reach,
        stand=stand,
        draw=draw,
        reach_unit=game.num_deals * unit,
        value_unit=game.num_deals * game.payoff_unit * unit,
        decided=-game.decided_payoff * unit,
    )
