"""The exact report on a policy: expectation, gaps, agreement, and the price of every disagreement.

Definitions, for the policy's own role (design of the project, section 4):

    gap            = EV of the best response to the opponent - EV of the policy                     >= 0
    worst-case gap = value of the game for the role - EV against the opponent's best response       >= 0
    agreement      = share of free decisions played as the best response, weighted by frequency
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.evaluation import tables
from pan9_gym.evaluation.at_table import AtTable, read_at_table
from pan9_gym.evaluation.disagreements import Disagreement, agreement, disagreements
from pan9_gym.game.stakes import Amount
from pan9_gym.policies.play import PolicyLike, seat_policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.best_response import BestResponse, best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.exploitability import worst_case_gap
from pan9_gym.solver.setting import StakesLike


@dataclass(frozen=True)
class Matchup:
    """A policy against one opponent, exactly.

    Attributes:
        opponent: The opponent's name.
        ev: The policy's expectation, positive for its role: a player's in units per unit wagered, the
            banker's in units, summed over the seats.
        gap: What it falls short of the best response to this opponent.
        agreement: How far it agrees with that best response; `None` where the role never has a choice.
    """

    opponent: str
    ev: Fraction
    gap: Fraction
    agreement: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "opponent": self.opponent,
            "ev": str(self.ev),
            "gap": str(self.gap),
            "agreement": None if self.agreement is None else str(self.agreement),
        }


@dataclass(frozen=True)
class Report:
    """What is exactly true of a policy.

    Attributes:
        rules: The rules.
        role: The policy's role.
        policy: The policy.
        against_opponent: Against the opponent asked about.
        against_equilibrium: Against the equilibrium's opponent; `None` where the game has no value: several
            players, or a side stake that the banker does not hold.
        against_logical_way: Against the logical way.
        worst_case_gap: What it falls short of the game's value when the opponent answers it best;
            `assumptions` say so where it is only an upper bound. `None` where the game has no value.
        best_response: The optimum against the opponent asked about.
        disagreements: Where it parts from that optimum, the costliest first.
        logical_way_misses: Where the logical way parts from that optimum.
        assumptions: What the figures take for granted.
    """

    rules: RulesConfig
    role: Role
    policy: TabularPolicy
    against_opponent: Matchup
    against_equilibrium: Matchup | None
    against_logical_way: Matchup
    worst_case_gap: Fraction | None
    best_response: BestResponse
    disagreements: tuple[Disagreement, ...]
    logical_way_misses: tuple[Disagreement, ...]
    assumptions: tuple[str, ...]

    @property
    def ev(self) -> Fraction:
        """The policy's expectation against the opponent asked about."""
        return self.against_opponent.ev

    @property
    def gap(self) -> Fraction:
        """What it falls short of the optimum against the opponent asked about."""
        return self.against_opponent.gap

    @property
    def agreement(self) -> Fraction | None:
        """How far it agrees with that optimum; `None` where the role never has a choice."""
        return self.against_opponent.agreement

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        equilibrium = self.against_equilibrium
        return {
            "rules_name": self.rules.name,
            "rules_fingerprint": self.rules.fingerprint,
            "role": str(self.role),
            "policy": self.policy.name,
            "against_opponent": self.against_opponent.to_dict(),
            "against_equilibrium": None if equilibrium is None else equilibrium.to_dict(),
            "against_logical_way": self.against_logical_way.to_dict(),
            "worst_case_gap": None if self.worst_case_gap is None else str(self.worst_case_gap),
            "best_response_ev": str(self.best_response.ev),
            "disagreements": [entry.to_dict() for entry in self.disagreements],
            "logical_way_misses": [entry.to_dict() for entry in self.logical_way_misses],
            "assumptions": list(self.assumptions),
        }

    def table(self, max_rows: int = 10) -> str:
        """The report as Markdown.

        Args:
            max_rows: How many disagreements to list.
        """
        return tables.report_table(self, max_rows)


def report(
    rules: RulesLike,
    policy: PolicyLike,
    role: Role | str,
    opponents: Mapping[str, Any] | PolicyLike | None = None,
    seat: int = 0,
    wagers: Sequence[Amount] | None = None,
    side_stakes: StakesLike | None = None,
    shoe: ShoeLike | None = None,
) -> Report:
    """Report on a policy, for one to seven players against the banker.

    How many players there are is read off `wagers`, the policy, or a list of players among the opponents; it
    is one where none of them says.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        policy: A policy's name or a policy, such as one from `TabularPolicy.from_callable`.
        role: "player" or "banker".
        opponents: As the environments take them: `{"banker": policy, "players": policy or list}` for a
            player, `{"players": policy or list}` for the banker; or just the other role's policy. Default:
            the logical way.
        seat: The player's seat; the banker has none.
        wagers: One per player, in units; default 1 each.
        side_stakes: The player's stakes on side bets, per unit wagered, for one player.
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.

    >>> found = report("bicycle", "logical_way", "banker")
    >>> [entry.situation for entry in found.disagreements], round(float(found.gap), 4)
    (['total 6, player stood'], 0.0115)

    Raises:
        ValueError: If an argument is not possible.
    """
    table = read_at_table(rules, policy, role, opponents, seat, wagers, side_stakes, shoe)
    own, logical_way = table.own, seat_policy(table.game, table.seat, "logical_way")
    values = table.values(table.opponents)
    best = best_response_to_values(values, "hand")
    return Report(
        rules=table.rules,
        role=table.role,
        policy=own,
        against_opponent=_matchup(table.opponent_name, values, own),
        against_equilibrium=_against_equilibrium(table),
        against_logical_way=_matchup("logical_way", table.values(table.seated("logical_way")), own),
        worst_case_gap=_worst_case_gap(table),
        best_response=best,
        disagreements=disagreements(values, own),
        logical_way_misses=disagreements(values, logical_way),
        assumptions=(*table.rules.assumptions(table.num_players), *_value_note(table)),
    )


def _against_equilibrium(table: AtTable) -> Matchup | None:
    if table.solution is None:
        return None
    opponent = table.solution.policy(table.role.opponent)
    return _matchup(opponent.name, table.values(table.seated(opponent)), table.own)


def _worst_case_gap(table: AtTable) -> Fraction | None:
    if table.solution is None:
        return None
    return table.units * worst_case_gap(
        table.rules, table.own, table.role, shoe=table.shoe, side_stakes=table.side_stakes, allow_bound=True
    )


def _value_note(table: AtTable) -> tuple[str, ...]:
    """That the worst-case gap is only a bound, where the game's value is not proved exactly."""
    if table.solution is None or table.solution.exploitability == 0:
        return ()
    margin = float(2 * table.units * table.solution.exploitability)
    return (f"worst-case gap: an upper bound, at most {margin:.1e} too large",)


def _matchup(opponent: str, values: ActionValues, own: TabularPolicy) -> Matchup:
    ev = values.ev(own)
    return Matchup(opponent, ev, best_response_to_values(values, "hand").ev - ev, agreement(values, own))
