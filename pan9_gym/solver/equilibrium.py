"""The equilibrium of one player against the banker, with its certificate.

A linear programme proposes; the mixed probabilities, if any, are solved again in rationals; the exact best
responses of both roles certify the pair. Pure decisions that they show to be wrong are turned round and the
pair is certified again. If the certificate is not exactly zero in the end the result says by how much.

Formula:
    lower = -B(p) <= value of the game <= A(q) = upper
    exploitability = (A(q) + B(p)) / 2 = (upper - lower) / 2
    turned round: p -> 1 - p at a free pure decision with gain (2 p - 1) < 0
    margin = gain where p = 1, -gain where p = 0

Symbols:
    p, q: drawing probabilities of the player and the banker; in the last two lines p is either role's
    A(q), B(p): what the player, and the banker, get by the best response to the other (`best_response`)
    gain: what drawing gains over standing at a decision when it arises
    All are in units per unit wagered; the banker's are the player's negated (side stakes are his to hold).

Source:
    Derivation: this module, with `linear_program` and `mixing`. `unique`: any two equilibria of a zero-sum
    game can be interchanged. So another p' is a best response to q and agrees with p wherever the margin is
    strict; and q is a best response to p', so p' leaves the banker indifferent where q mixes, which has one
    solution where p mixes. The same goes for q. The published case is chemin de fer: Kemeny and Snell 1957,
    Ethier and Gamez 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pan9_gym.game.info_state import Choices, InfoStates, read_role
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver.action_values import values_in
from pan9_gym.solver.best_response import BestResponse, Decision, best_response_to_values
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.duel import duel
from pan9_gym.solver.levels import Level, expanded, groups, read_level
from pan9_gym.solver.linear_program import Proposal, propose
from pan9_gym.solver.mixing import Place, Probs, solve_mix, split_support
from pan9_gym.solver.setting import Setting, StakesLike, read_setting

MAX_REPAIRS = 5
"""How often wrong pure decisions of a proposal are turned round before the result is a bound."""


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
        value: The player's expectation under the pair, side stakes included; the game's value where
            `exploitability` is 0.
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

    def policy(self, role: Role | str) -> TabularPolicy:
        """The strategy of a role."""
        return self.player if read_role(role) is Role.PLAYER else self.banker

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "value": str(self.value),
            "player_level": self.player_level,
            "banker_level": self.banker_level,
            "exploitability": str(self.exploitability),
            "player": self.player.texts(),
            "banker": self.banker.texts(),
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
    shoe: ShoeLike | None = None,
    side_stakes: StakesLike | None = None,
) -> Equilibrium:
    """Solve one player against the banker exactly.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player_level: "hand" (by composition) or "total".
        banker_level: The same for the banker.
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.
        side_stakes: The player's stakes by side bet, per unit wagered; the banker must hold them all.

    >>> from pan9_gym import load_rules
    >>> solution = equilibrium(load_rules("bicycle"), "total", "total")
    >>> solution.value, solution.exploitability, solution.unique
    (Fraction(-403172216947, 35169937233795), Fraction(0, 1), True)

    Raises:
        ValueError: If a level is not known, the shoe does not fit, or the banker does not hold a side stake.
    """
    setting = read_setting(rules, shoe, side_stakes)
    _check_zero_sum(setting)
    return _solve(setting, read_level(player_level, "player_level"), read_level(banker_level, "banker_level"))


def _check_zero_sum(setting: Setting) -> None:
    outside = ", ".join(bet for bet, _ in setting.stakes if not setting.rules.banker_holds(bet))
    if outside:
        raise ValueError(
            f"side_stakes {outside}: under {setting.rules.name!r} not the banker but the House holds it, "
            "so the game is not zero-sum; allowed are bets that the banker holds"
        )


@lru_cache(maxsize=64)
def _solve(setting: Setting, player_level: Level, banker_level: Level) -> Equilibrium:
    levels = {Role.PLAYER: player_level, Role.BANKER: banker_level}
    proposal = propose(duel(setting), player_level, banker_level)
    best = pair = _certify(_Search(setting, levels, proposal))
    for _ in range(MAX_REPAIRS):
        if best.exploitability == 0:
            break
        proposal = _repaired(proposal, pair, levels)
        pair = _certify(_Search(setting, levels, proposal))
        best = min(best, pair, key=lambda found: found.exploitability)
    return _described(setting.rules, levels, best)


@dataclass(frozen=True)
class _Certified:
    """A pair of strategies with the exact best responses to them.

    Attributes:
        policies: Both strategies.
        answers: The best response of each role to the other's strategy.
        determined: Whether the mixed probabilities are determined by the opponent's indifference.
        value: The player's expectation.
    """

    policies: dict[Role, TabularPolicy]
    answers: dict[Role, BestResponse]
    determined: bool
    value: Fraction

    @property
    def exploitability(self) -> Fraction:
        """Half the sum of both roles' gains."""
        return sum((answer.ev for answer in self.answers.values()), Fraction(0)) / 2


def _certify(search: _Search) -> _Certified:
    exact = {role: search.exact(role) for role in Role}
    policies = {role: policy for role, (policy, _) in exact.items()}
    values = {role: values_in(search.setting, role, policies[role.opponent]) for role in Role}
    return _Certified(
        policies=policies,
        answers={role: best_response_to_values(values[role], search.levels[role]) for role in Role},
        determined=all(determined for _, determined in exact.values()),
        value=values[Role.PLAYER].ev(policies[Role.PLAYER]),
    )


def _repaired(proposal: Proposal, pair: _Certified, levels: dict[Role, Level]) -> Proposal:
    """The proposal with every pure decision that the exact values show to be wrong turned round.

    The linear programme sees values weighted by the probability that a decision arises, to about 1e-7; at a
    decision that hardly ever arises it may propose the wrong move.
    """
    arrays = {Role.PLAYER: proposal.player.copy(), Role.BANKER: proposal.banker.copy()}
    for role, policy in pair.policies.items():
        num_groups = len(groups(policy.states, levels[role]))
        for number, ((pattern, column), decision) in enumerate(
            _places(policy.states, levels[role], pair.answers[role])
        ):
            prob = policy.draw_probs[pattern][column]
            if decision.is_free and prob in (0, 1) and decision.draw_gain * (2 * prob - 1) < 0:
                arrays[role][pattern, number % num_groups] = float(decision.best)
    return Proposal(arrays[Role.PLAYER], arrays[Role.BANKER])


def _described(rules: RulesConfig, levels: dict[Role, Level], pair: _Certified) -> Equilibrium:
    mixed: list[MixedState] = []
    margins: list[StateMargin] = []
    for role, policy in pair.policies.items():
        mixed += _mixed_states(role, policy, pair.answers[role], levels[role])
        margins += _margins(role, policy, pair.answers[role], levels[role])
    strict = all(entry.margin > 0 for entry in margins)
    return Equilibrium(
        value=pair.value,
        player=pair.policies[Role.PLAYER],
        banker=pair.policies[Role.BANKER],
        player_level=levels[Role.PLAYER],
        banker_level=levels[Role.BANKER],
        exploitability=pair.exploitability,
        lower=-pair.answers[Role.BANKER].ev,
        upper=pair.answers[Role.PLAYER].ev,
        mixed=tuple(mixed),
        margins=tuple(sorted(margins, key=lambda entry: entry.margin)),
        unique=True if strict and pair.determined and pair.exploitability == 0 else None,
        assumptions=rules.assumptions(num_players=1),
    )


@dataclass(frozen=True)
class _Search:
    """Turns the proposal into exact strategies."""

    setting: Setting
    levels: dict[Role, Level]
    proposal: Proposal

    def exact(self, role: Role) -> tuple[TabularPolicy, bool]:
        """The role's exact strategy, and whether its probabilities are determined."""
        _, opponent_mixes = split_support(self._proposed(role.opponent))

        def opponent_gains(probs: Probs) -> list[Fraction]:
            policy = self._policy(role, probs)
            values = values_in(self.setting, role.opponent, policy)
            _, stand, draw = values.grouped(groups(values.states, self.levels[role.opponent]))
            return [Fraction(draw[place] - stand[place], values.value_unit) for place in opponent_mixes]

        probs, determined = solve_mix(self._proposed(role), opponent_gains)
        return self._policy(role, probs), determined

    def _proposed(self, role: Role) -> Any:
        return self.proposal.player if role is Role.PLAYER else self.proposal.banker

    def _policy(self, role: Role, probs: Probs) -> TabularPolicy:
        states = self.setting.states(role)
        level = self.levels[role]
        num_groups = len(groups(states, level))
        rows = tuple(
            tuple(probs[pattern, group] for group in range(num_groups)) for pattern in range(states.shape[0])
        )
        return TabularPolicy(self.setting.rules, states, expanded(states, level, rows), f"equilibrium {role}")


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
