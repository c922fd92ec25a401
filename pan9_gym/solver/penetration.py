"""How the value of the game spreads over shoes dealt to a given depth.

Formula:
    v(s) = saddle point of s;  its mean, standard deviation, least, most and quantiles over the shoes s
    player's gap(s) = v(s) - min_q ev(p*, q; s),        banker's gap(s) = max_p ev(p, q*; s) - v(s)
    differs = share of shoes with gap(s) > 1e-9,        favourable = share with v(s) > 0

Symbols:
    s: a random shoe of the depth (`depleted_shoes`), known to both roles
    v: the player's, in units per unit wagered, within the certificate `exploitability` (`float_saddle`);
        above 0 by more than rounding
    p*, q*: equilibrium strategies of the full shoe, by hand
    ev(p, q; s): the player's expectation over s
    standard deviation: of a sample, with n - 1; quantiles: interpolated between the ordered values

Source:
    Derivation: this module; values from `shoe_state`. For fixed strategies the spread grows as the shoe is
    depleted (Thorp and Walden 1973, the fundamental theorem of card counting); here both roles play every
    shoe perfectly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.terms import Role
from pan9_gym.solver.depleted_shoes import depleted_shoes
from pan9_gym.solver.equilibrium import equilibrium
from pan9_gym.solver.estimates import Estimate
from pan9_gym.solver.float_saddle import CERTIFIED
from pan9_gym.solver.shoe_state import TIE

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@dataclass(frozen=True)
class PenetrationStudy:
    """The value of the game over random shoes of one depth, in units per unit wagered, the player's.

    Attributes:
        cards_left: Cards left in each shoe.
        num_shoes: How many shoes.
        seed: Their seed.
        fresh_value: The value with a full shoe.
        value: The mean value.
        standard_deviation: Of the value from shoe to shoe.
        least: The smallest value.
        most: The largest value.
        quantiles: Values by quantile.
        player_favourable: Share of shoes with a value above 0 by more than rounding.
        differs: By role, the share of shoes on which the fresh shoe's equilibrium strategy is not optimal:
            its worst-case gap is more than 1e-9.
        mixed: Share of shoes whose saddle point mixes.
        exploitability: The largest exploitability of a saddle point: the certificate of all values.
    """

    cards_left: int
    num_shoes: int
    seed: int
    fresh_value: float
    value: Estimate
    standard_deviation: float
    least: float
    most: float
    quantiles: Mapping[float, float]
    player_favourable: Estimate
    differs: Mapping[Role, Estimate]
    mixed: Estimate
    exploitability: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cards_left": self.cards_left,
            "num_shoes": self.num_shoes,
            "seed": self.seed,
            "fresh_value": self.fresh_value,
            "value": self.value.to_dict(),
            "standard_deviation": self.standard_deviation,
            "least": self.least,
            "most": self.most,
            "quantiles": {str(level): value for level, value in self.quantiles.items()},
            "player_favourable": self.player_favourable.to_dict(),
            "differs": {role.value: share.to_dict() for role, share in self.differs.items()},
            "mixed": self.mixed.to_dict(),
            "exploitability": self.exploitability,
        }


def penetration_study(rules: RulesLike, cards_left: int, num_shoes: int, seed: int) -> PenetrationStudy:
    """The distribution of the optimum's expectation over shoes of which `cards_left` cards are left.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        cards_left: Cards left in each shoe: enough for a hand, at most the full shoe.
        num_shoes: How many shoes, at least 2; one takes about 1 ms, or 10 ms where the saddle point mixes.
        seed: Decides the shoes.

    >>> found = penetration_study("uk_1994_house", cards_left=40, num_shoes=2, seed=1)
    >>> found.differs[Role.BANKER].mean, found.exploitability < 1e-12
    (0.0, True)

    Raises:
        ValueError: If an argument is out of range or cards are dealt with replacement.
    """
    rules = load_rules(rules)
    shoes = depleted_shoes(rules, num_shoes, seed)
    cards_left = shoes.depth(cards_left)
    fresh = equilibrium(rules)
    values, gaps, mixed, exploitability = [], [], [], 0.0
    for state in shoes.states(cards_left):
        saddle = state.saddle()
        values.append(saddle.value)
        upper = state.best_response(Role.PLAYER, fresh.banker.array).ev
        lower = -state.best_response(Role.BANKER, fresh.player.array).ev
        gaps.append((saddle.value - lower, upper - saddle.value))
        mixed.append(not saddle.is_pure)
        exploitability = max(exploitability, saddle.exploitability)
    sample = np.array(values)
    return PenetrationStudy(
        cards_left=cards_left,
        num_shoes=shoes.num_shoes,
        seed=shoes.seed,
        fresh_value=float(fresh.value),
        value=Estimate.of(sample),
        standard_deviation=float(sample.std(ddof=1)),
        least=float(sample.min()),
        most=float(sample.max()),
        quantiles=dict(zip(QUANTILES, np.quantile(sample, QUANTILES).tolist(), strict=True)),
        player_favourable=Estimate.of(sample > TIE),
        differs={
            role: Estimate.of(row > CERTIFIED) for role, row in zip(Role, np.transpose(gaps), strict=True)
        },
        mixed=Estimate.of(mixed),
        exploitability=exploitability,
    )
