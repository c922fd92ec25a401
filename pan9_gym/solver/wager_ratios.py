"""When unequal wagers change the banker's move: the published rule of thumb, judged exactly.

Formula:
    gain = sum over standing seats of w_i s_i + sum over drawing seats of w_j d_j
    S min(s) + D min(d)  <=  gain  <=  S max(s) + D max(d)
    ratio = -min(d) / min(s),        lower_ratio = -max(d) / max(s)

    There are ratios if s > 0 > d for every seat of its kind. With S / D above `ratio` drawing is right for
    every split of the money, up to `lower_ratio` standing is; between the two the split decides. Where seats
    of one kind gain alike the two ratios are one.

Symbols:
    gain: what the banker gains by drawing over standing on a total, after a pattern of choices, in units
    w_i: wager of seat i, above 0, in units
    s_i, d_j: that gain per unit wagered by a seat that stood, and by one that drew, when the decision arises
    S, D: all money on standing hands, and on drawing hands

Source:
    The rule judged: W1 (only a banker's 6 is in doubt; play it the opposite way to the largest wagers).
    Derivation: this module. The gain is linear in the wagers (`seat_sums`), and a split moves a kind's money
    between its least and its greatest gain; it comes as close to both as one likes, and reaches them only
    where the seats of the kind gain alike.
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
from pan9_gym.solver.action_values import ActionValues
from pan9_gym.solver.deal_distribution import ShoeLike
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
        ratio: Money on standing hands over money on drawing hands above which drawing is right, however the
            money is split among the seats of a kind; `None` where no ratio decides: all hands of one kind, or
            gains that do not have opposite signs.
        lower_ratio: The ratio up to which standing is right, however the money is split; equal to `ratio`
            where seats of one kind gain alike, `None` where `ratio` is.
    """

    total: int
    choices: Choices
    gains: tuple[Fraction, ...]
    ratio: Fraction | None
    lower_ratio: Fraction | None

    @property
    def in_doubt(self) -> bool:
        """Whether some wagers ask for a card and others forbid it."""
        return min(self.gains) < 0 < max(self.gains)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "total": self.total,
            "choices": list(self.choices),
            "gains": [str(gain) for gain in self.gains],
            "ratio": None if self.ratio is None else str(self.ratio),
            "lower_ratio": None if self.lower_ratio is None else str(self.lower_ratio),
        }


def wager_ratios(
    rules: RulesLike, players: Sequence[PolicyLike], total: int | None = 6, shoe: ShoeLike | None = None
) -> tuple[WagerRatio, ...]:
    """The exact ratios for every pattern of choices that arises.

    They are ratios of money on standing hands to money on drawing hands above which a card is right; where
    it is the other way round, the money on drawing hands asking for a card, `gains` tells.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        total: The banker's total; `None` for every total.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    Raises:
        ValueError: If an argument is not possible.
    """
    total = as_int(total)
    if total is not None and (type(total) is not int or total not in TOTALS):
        raise ValueError(f"total {total!r}: must be a whole number from 0 to 9")
    game = read_game(rules, players, shoe)
    if game.banker_states.num_visible != game.num_players:
        raise ValueError(f"banker_sees 'nothing': under {game.rules.name!r} no pattern of choices decides")
    by_seat = [_values_of(game, seat) for seat in range(game.num_players)]
    ratios = []
    for own in TOTALS if total is None else (total,):
        gains_by_seat = [_draw_gains(values, own) for values in by_seat]
        for choices in gains_by_seat[0]:
            gains = tuple(of_seat[choices] for of_seat in gains_by_seat)
            ratios.append(WagerRatio(own, choices, gains, *_ratios(choices, gains)))
    return tuple(ratios)


def _values_of(game: SeatsGame, seat: int) -> ActionValues:
    """What both actions are worth to the banker per unit of one seat's wager."""
    return banker_action_values(game, [Fraction(other == seat) for other in range(game.num_players)])


def _draw_gains(values: ActionValues, total: int) -> dict[Choices, Fraction]:
    """What drawing gains over standing on `total`, when it arises, by pattern."""
    columns = [column for column, own in enumerate(values.states.column_totals) if own == total]
    gains = {}
    for pattern, choices in enumerate(values.states.patterns):
        prob = sum((values.reach_prob(pattern, column) for column in columns), Fraction(0))
        if prob:
            gain = sum((values.draw_gain(pattern, column) for column in columns), Fraction(0))
            gains[choices] = gain / prob
    return gains


def _ratios(choices: Choices, gains: tuple[Fraction, ...]) -> tuple[Fraction | None, Fraction | None]:
    """`ratio` and `lower_ratio`."""
    pairs = list(zip(map(token_action, choices), gains, strict=True))
    standing = [gain for action, gain in pairs if action is Action.STAND]
    drawing = [gain for action, gain in pairs if action is Action.DRAW]
    if not standing or not drawing or min(standing) <= 0 or max(drawing) >= 0:
        return None, None
    return -min(drawing) / min(standing), -max(drawing) / max(standing)
