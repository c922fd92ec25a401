"""When unequal wagers change the banker's move: the published rule of thumb, judged exactly.

The rule (W1 in the rule texts): only a banker's 6 is in doubt; play it the opposite way to the largest
wagers. A decision's gain from drawing is linear in the wagers,

    gain = sum over standing seats of w_i s_i + sum over drawing seats of w_i d_i,

so where s > 0 > d for every seat of its kind, drawing is right exactly when the money on standing hands
exceeds the money on drawing hands times the ratio -d / s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.game.info_state import Choices
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike
from pan9_gym.rules.fields import TOTALS, as_int
from pan9_gym.rules.terms import Action, token_action
from pan9_gym.solver.many_seats import read_game
from pan9_gym.solver.seat_sums import banker_action_values
from pan9_gym.solver.seats_game import SeatsGame


@dataclass(frozen=True)
class WagerRatio:
    """How the wagers decide one total of the banker after one pattern of choices.

    Attributes:
        total: The banker's total.
        choices: The pattern.
        gains: For each seat what drawing gains over standing per unit of that seat's wager, when the decision
            arises.
        ratio: Money on standing hands over money on drawing hands above which drawing is right; `None` where
            no ratio decides: all hands of one kind, or gains that do not have opposite signs.
    """

    total: int
    choices: Choices
    gains: tuple[Fraction, ...]
    ratio: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "total": self.total,
            "choices": list(self.choices),
            "gains": [str(gain) for gain in self.gains],
            "ratio": None if self.ratio is None else str(self.ratio),
        }


def wager_ratios(
    rules: RulesLike, players: Sequence[PolicyLike], total: int = 6, shoe: Sequence[int] | None = None
) -> tuple[WagerRatio, ...]:
    """The exact ratio for every pattern of choices that arises.

    Where seats of one kind gain differently the ratio is that of the seats least favourable for drawing: the
    smallest gain among standing hands and the largest loss among drawing hands.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        total: The banker's total.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    total = as_int(total)
    if type(total) is not int or total not in TOTALS:
        raise ValueError(f"total {total!r}: must be a whole number from 0 to 9")
    game = read_game(rules, players, shoe)
    if game.banker_states.num_visible != game.num_players:
        raise ValueError(f"banker_sees 'nothing': under {game.rules.name!r} no pattern of choices decides")
    by_seat = [_draw_gains(game, seat, total) for seat in range(game.num_players)]
    ratios = []
    for choices in by_seat[0]:
        gains = tuple(of_seat[choices] for of_seat in by_seat)
        ratios.append(WagerRatio(total, choices, gains, _ratio(choices, gains)))
    return tuple(ratios)


def _draw_gains(game: SeatsGame, seat: int, total: int) -> dict[Choices, Fraction]:
    """What drawing gains over standing on `total` per unit of one seat's wager, by pattern."""
    alone = [Fraction(other == seat) for other in range(game.num_players)]
    values = banker_action_values(game, alone)
    columns = [column for column, own in enumerate(values.states.column_totals) if own == total]
    gains = {}
    for pattern, choices in enumerate(values.states.patterns):
        prob = sum((values.reach_prob(pattern, column) for column in columns), Fraction(0))
        if prob:
            gain = sum((values.draw_gain(pattern, column) for column in columns), Fraction(0))
            gains[choices] = gain / prob
    return gains


def _ratio(choices: Choices, gains: tuple[Fraction, ...]) -> Fraction | None:
    pairs = list(zip(map(token_action, choices), gains, strict=True))
    standing = [gain for action, gain in pairs if action is Action.STAND]
    drawing = [gain for action, gain in pairs if action is Action.DRAW]
    if not standing or not drawing or min(standing) <= 0 or max(drawing) >= 0:
        return None
    return -min(drawing) / min(standing)
