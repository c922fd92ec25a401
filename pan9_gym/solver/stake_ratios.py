"""From which stake on a side bet another move is right: exact ratios of stake to wager.

Formula:
    gain(s) = g_0 + s g_1
    g_0 = 2 gain(1) - gain(2),        g_1 = gain(2) - gain(1)
    ratio = -g_0 / g_1        if g_0 <= 0 < g_1 or g_1 < 0 < g_0, else none

Symbols:
    s: stake on one side bet, per unit wagered, 0 or more
    gain(s): what drawing gains over standing at a decision when it arises, per unit wagered
    g_0, g_1: from the wager alone, and from each unit staked
    ratio: the move is another at stakes up to it than above it; a tie stands, so it is 0 where g_0 = 0 < g_1

Source:
    Side bets: the clauses of `setting`. Derivation: this module. Against a fixed opponent the payoff is
    linear in the stake and the reach of a decision does not depend on it, so the gain is a straight line
    through the exact values at the stakes 1 and 2. A player who does not look at the suits of his hand adds
    the gains over the suit classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pan9_gym.game.info_state import Choices, InfoStates, legal_table, read_role
from pan9_gym.game.stakes import read_bet
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import TOTALS, as_int, read_flag
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.action_values import ActionValues, values_in
from pan9_gym.solver.deal_distribution import ShoeLike
from pan9_gym.solver.levels import Level, group_label, groups, read_level
from pan9_gym.solver.setting import read_setting


@dataclass(frozen=True)
class StakeRatio:
    """How a side stake decides one decision against a fixed opponent.

    Attributes:
        hand: The hand or total, with the suit class where it is seen and used, such as "6 off suit".
        choices: The choices seen.
        prob: The probability that the decision arises.
        gain: What drawing gains over standing by the wager alone, per unit wagered, when it arises.
        gain_per_stake: What it gains besides for each unit staked.
        ratio: The stake per unit wagered above which the other move is right; `None` where no stake changes
            it.
        above: The best move above the ratio, and at every stake where there is none; a tie stands.
    """

    hand: str
    choices: Choices
    prob: Fraction
    gain: Fraction
    gain_per_stake: Fraction
    ratio: Fraction | None
    above: Action

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "hand": self.hand,
            "choices": list(self.choices),
            "prob": str(self.prob),
            "gain": str(self.gain),
            "gain_per_stake": str(self.gain_per_stake),
            "ratio": None if self.ratio is None else str(self.ratio),
            "above": self.above.name,
        }


def stake_ratios(
    rules: RulesLike,
    bet: SideBet | str,
    role: Role | str = Role.PLAYER,
    opponent: PolicyLike = "logical_way",
    total: int = 6,
    level: str = "total",
    shoe: ShoeLike | None = None,
    blind: bool = False,
) -> tuple[StakeRatio, ...]:
    """The exact ratio for every free decision on a total that arises.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        bet: The side bet on which the player has a stake.
        role: "player" or "banker": whose decisions.
        opponent: The other role's policy, by name or object.
        total: The total of the first cards.
        level: "hand" (by composition) or "total".
        shoe: Cards left of each point value, lowest first, or counts[value, suit] where suits matter; default
            a full shoe.
        blind: Whether the player does not use the suits of his hand, although a Dragon stake shows them.

    >>> [(entry.hand, round(float(entry.ratio), 4)) for entry in stake_ratios("bicycle_bonus", "dragon")]
    [('6 suited', 0.0179), ('6 same colour', 0.0294), ('6 off suit', 0.1347)]

    Raises:
        ValueError: If an argument is not possible.
    """
    known, own_role, read = load_rules(rules), read_role(role), read_level(level)
    blind = read_flag("blind", blind)
    read_bet(known, bet)
    wanted = as_int(total)
    if type(wanted) is not int or wanted not in TOTALS:
        raise ValueError(f"total {total!r}: must be a whole number from 0 to 9")
    values = [values_in(read_setting(known, shoe, {bet: stake}), own_role, opponent) for stake in (1, 2)]
    states = values[0].states
    legal = legal_table(known, states)
    ratios = []
    for label, columns in _decisions(states, read, blind):
        if states.column_totals[columns[0]] != wanted:
            continue
        for pattern, choices in enumerate(states.patterns):
            prob = sum((values[0].reach_prob(pattern, column) for column in columns), Fraction(0))
            if prob and len(legal[pattern][columns[0]]) > 1:
                once, twice = (_gain(found, pattern, columns) / prob for found in values)
                ratios.append(_ratio(label, choices, prob, 2 * once - twice, twice - once))
    return tuple(ratios)


def _decisions(states: InfoStates, level: Level, blind: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a decision is called, and its columns."""
    used = replace(states, with_suits=False) if blind else states
    merged = states.num_suit_classes // used.num_suit_classes
    for group in groups(used, level):
        columns = (column * merged + suits for column in group for suits in range(merged))
        yield group_label(used, level, group), tuple(columns)


def _gain(values: ActionValues, pattern: int, columns: Iterable[int]) -> Fraction:
    return sum((values.draw_gain(pattern, column) for column in columns), Fraction(0))


def _ratio(hand: str, choices: Choices, prob: Fraction, gain: Fraction, per_stake: Fraction) -> StakeRatio:
    changes = gain <= 0 < per_stake or gain > 0 > per_stake
    return StakeRatio(
        hand=hand,
        choices=choices,
        prob=prob,
        gain=gain,
        gain_per_stake=per_stake,
        ratio=-gain / per_stake if changes else None,
        above=Action.DRAW if (per_stake or gain) > 0 else Action.STAND,
    )
