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
from pan9_gym.evaluation.disagreements import Disagreement, agreement, disagreements
from pan9_gym.game.info_state import read_role
from pan9_gym.game.round import Game, new_game
from pan9_gym.policies.named import get
from pan9_gym.policies.play import PolicyLike, read_opponents, seat_policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import ActionValues, action_values
from pan9_gym.solver.best_response import BestResponse, best_response_to_values
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.exploitability import worst_case_gap


@dataclass(frozen=True)
class Matchup:
    """A policy against one opponent, exactly.

    Attributes:
        opponent: The opponent's name.
        ev: The policy's expectation, in units per unit wagered, positive for its role.
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
        against_equilibrium: Against the equilibrium's opponent.
        against_logical_way: Against the logical way.
        worst_case_gap: What it falls short of the game's value when the opponent answers it best;
            `assumptions` say so where it is only an upper bound.
        best_response: The optimum against the opponent asked about.
        disagreements: Where it parts from that optimum, the costliest first.
        logical_way_misses: Where the logical way parts from that optimum.
        assumptions: What the figures take for granted.
    """

    rules: RulesConfig
    role: Role
    policy: TabularPolicy
    against_opponent: Matchup
    against_equilibrium: Matchup
    against_logical_way: Matchup
    worst_case_gap: Fraction
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
        return {
            "rules_name": self.rules.name,
            "rules_fingerprint": self.rules.fingerprint,
            "role": str(self.role),
            "policy": self.policy.name,
            "against_opponent": self.against_opponent.to_dict(),
            "against_equilibrium": self.against_equilibrium.to_dict(),
            "against_logical_way": self.against_logical_way.to_dict(),
            "worst_case_gap": str(self.worst_case_gap),
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
    wagers: Sequence[int] | None = None,
    side_stakes: Mapping[str, Any] | None = None,
    shoe: Sequence[int] | None = None,
) -> Report:
    """Report on a policy in the game of one player against the banker.

    Exact reports are about one player, a wager of 1 and no side stakes; `seat`, `wagers` and `side_stakes`
    say so, and anything else is refused. `simulate` takes several seats and wagers.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        policy: A policy's name or a policy, such as one from `TabularPolicy.from_callable`.
        role: "player" or "banker".
        opponents: As the environments take them: `{"banker": policy}` for a player, `{"players": policy}` for
            the banker; or just the opponent's policy. Default: the logical way.
        seat: The player's seat; only 0 is possible.
        wagers: The player's wager; only `[1]` is possible.
        side_stakes: Stakes on side bets; only none are possible.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> found = report("bicycle", "logical_way", "banker")
    >>> [entry.situation for entry in found.disagreements], round(float(found.gap), 4)
    (['total 6, player stood'], 0.0115)

    Raises:
        ValueError: If an argument is not possible.
    """
    _check_one_player(seat, wagers, side_stakes)
    loaded, own_role = load_rules(rules), read_role(role)
    game = new_game(loaded)
    own = seat_policy(game, _seat(game, own_role), policy)
    opponent = _opponent(game, own_role, opponents)
    values = action_values(loaded, own_role, opponent, shoe)
    best = best_response_to_values(values, "hand")
    solution = equilibrium(loaded, shoe=shoe)
    return Report(
        rules=loaded,
        role=own_role,
        policy=own,
        against_opponent=_matchup(opponent.name, values, own),
        against_equilibrium=_against(loaded, own, own_role, solution.policy(own_role.opponent), shoe),
        against_logical_way=_against(
            loaded, own, own_role, get("logical_way", loaded, own_role.opponent), shoe
        ),
        worst_case_gap=worst_case_gap(loaded, own, own_role, shoe=shoe, allow_bound=True),
        best_response=best,
        disagreements=disagreements(values, own),
        logical_way_misses=disagreements(values, get("logical_way", loaded, own_role)),
        assumptions=(*loaded.assumptions(num_players=1), *_value_note(solution)),
    )


def _value_note(solution: Equilibrium) -> tuple[str, ...]:
    """That the worst-case gap is only a bound, where the game's value is not proved exactly."""
    if solution.exploitability == 0:
        return ()
    return (f"worst-case gap: an upper bound, at most {float(2 * solution.exploitability):.1e} too large",)


def _check_one_player(seat: int, wagers: Sequence[int] | None, side_stakes: Mapping[str, Any] | None) -> None:
    only = "exact reports are about one player"
    if seat != 0:
        raise ValueError(f"seat {seat!r}: {only}, who has seat 0")
    if wagers is not None and (not isinstance(wagers, Sequence) or list(wagers) != [1]):
        raise ValueError(f"wagers {wagers!r}: {only} who wagers 1, so [1] or nothing")
    if side_stakes:
        raise ValueError(f"side_stakes {side_stakes!r}: {only} without side stakes")


def _seat(game: Game, role: Role) -> int:
    return game.banker_seat if role is Role.BANKER else 0


def _opponent(game: Game, role: Role, opponents: Mapping[str, Any] | PolicyLike | None) -> TabularPolicy:
    seat = _seat(game, role)
    if opponents is not None and not isinstance(opponents, Mapping):
        return seat_policy(game, game.banker_seat if role is Role.PLAYER else 0, opponents)
    opponent = next(policy for policy in read_opponents(game, seat, opponents) if policy is not None)
    return opponent


def _against(
    rules: RulesConfig, own: TabularPolicy, role: Role, opponent: TabularPolicy, shoe: Sequence[int] | None
) -> Matchup:
    return _matchup(opponent.name, action_values(rules, role, opponent, shoe), own)


def _matchup(opponent: str, values: ActionValues, own: TabularPolicy) -> Matchup:
    ev = values.ev(own)
    return Matchup(opponent, ev, best_response_to_values(values, "hand").ev - ev, agreement(values, own))
