"""What is fixed before the first card of one player against the banker: rules, shoe, side stakes.

Every function of the solver for one player reads its arguments into a `Setting` once.

Formula:
    side payoff = sum_i s_i a_i(final cards, final totals)
    n_v = sum_s n[v, s]        where the shoe is given by suit

Symbols:
    s_i: the player's stake on side bet i, per unit wagered, above 0
    a_i: what the bet pays net, units per unit staked (`rules.side_bets`); -1 where it loses
    n_v, n[v, s]: cards left of value v, and of value v in suit s; by suit only where suits settle a stake
    held: the stakes of which the banker, not the House, takes the other side

Source:
    Side bets: S6 (BC bonus), S7 (Dragon), S8 (Super 0), S9 (who holds them), U3 and U10 (tie, against the
    House), R3 (tie and banker's hand). Definition: this module. The BC bonus is paid on threes; counts of
    point values can settle it only where no other rank has the value of a three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from pan9_gym.game.info_state import InfoStates, info_states
from pan9_gym.game.stakes import (
    Amount,
    SideStakes,
    held_by_banker,
    need_suits,
    read_stakes,
    show_suits,
)
from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.cards import Card
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import BC_RANK, SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.solver.deal_distribution import ShoeCounts, ShoeLike, SuitCounts, read_shoe, read_suits

StakesLike = Mapping[str, Amount]
"""Side stakes as they may be given, per unit wagered: `{"dragon": Fraction(1, 20)}`."""


@dataclass(frozen=True)
class Setting:
    """What is fixed before the first card; made by `read_setting`.

    Attributes:
        rules: The rules.
        shoe: Cards left of each point value.
        suits: Cards left of each point value and suit; `None` where no suit settles a stake.
        stakes: The player's stakes on side bets, per unit wagered.
    """

    rules: RulesConfig
    shoe: ShoeCounts
    suits: SuitCounts | None
    stakes: SideStakes

    @property
    def held(self) -> Setting:
        """The same with the stakes that the banker holds: what he plays for."""
        return replace(self, stakes=held_by_banker(self.rules, self.stakes))

    def states(self, role: Role) -> InfoStates:
        """The information states of a role."""
        return info_states(self.rules, role, with_suits=self._sees_suits(role))

    def _sees_suits(self, role: Role) -> bool:
        return role is Role.PLAYER and show_suits(self.stakes)

    def policy(self, role: Role, policy: PolicyLike) -> TabularPolicy:
        """A role's policy by name or object; a player's policy by hand plays every suit class alike.

        Raises:
            ValueError: If it is no policy or one for another seat, other cards, or with suits out of sight.
        """
        return resolve(policy, self.rules, role, with_suits=self._sees_suits(role))

    def side_payoff(
        self, cards: tuple[Card, ...], totals: tuple[int, int], of_suits: bool | None = None
    ) -> Fraction:
        """What the side stakes bring the player.

        Args:
            cards: The final hand, or a hand that every side bet pays alike (`suits.OwnCards`).
            totals: The final totals (player, banker).
            of_suits: Only the stakes that suits settle, or only the others; default all.
        """
        table, num_cards = self.rules.side_bets, self.rules.num_initial_cards
        counted = (
            (bet, stake)
            for bet, stake in self.stakes
            if of_suits is None or need_suits(((bet, stake),)) is of_suits
        )
        return sum(
            (stake * table.payoff(bet, cards, num_cards, totals) for bet, stake in counted), Fraction(0)
        )


def read_setting(
    rules: RulesLike, shoe: ShoeLike | None = None, side_stakes: StakesLike | None = None
) -> Setting:
    """Read and check the arguments that all exact functions for one player share.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        shoe: Cards left of each point value, lowest first, or counts[value, suit]; default a full shoe.
        side_stakes: The player's stakes by side bet, per unit wagered.

    Raises:
        ValueError: If the shoe does not fit, lacks suits that a stake needs, or a stake is not possible.
    """
    rules = load_rules(rules)
    stakes = read_stakes(rules, side_stakes)
    if any(bet is SideBet.BC for bet, _ in stakes):
        _check_threes(rules)
    suits = read_suits(rules, shoe) if need_suits(stakes) else None
    return Setting(rules, read_shoe(rules, shoe), suits, stakes)


def _check_threes(rules: RulesConfig) -> None:
    points = rules.point_values.get(BC_RANK)
    alike = [rank for rank, value in rules.point_values.items() if value == points and rank != BC_RANK]
    if points is not None and alike:
        raise ValueError(
            f"side_stakes 'bc': is paid on the rank {BC_RANK}, which counts of point values cannot tell from "
            f"{', '.join(alike)}; under {rules.name!r} all are worth {points}"
        )
