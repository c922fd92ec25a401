"""What it is worth to count cards against an opponent who plays the equilibrium of a full shoe.

Formula:
    playing gain = E[b(s) - e(s)],        betting gain = E[max(b(s), 0)],        favourable = P(b(s) > 0)
    control: E[e(s)] = e(full shoe),      so E[b(s)] = e(full shoe) + playing gain
    average over depths = sum_d mean_d / m,      its error = sqrt(sum_d error_d^2) / m

Symbols:
    s: a shoe that is left at a depth, random (`depleted_shoes`); E, P: estimated by a sample of such shoes
    e(s): expectation of the role's own full-shoe equilibrium strategy over s
    b(s): expectation of his best response by hand, over s, to the opponent's full-shoe strategy
    d, m: a depth (cards left), and how many there are
    favourable: the share of shoes, 0 to 1, with b(s) above 0 by more than rounding
    All others are in units per unit wagered and hand dealt.

Source:
    Playing and betting gains apart: Griffin 1979, The Theory of Blackjack. Derivation: this module. The
    playing gain is not negative for any shoe, as e(s) is one of the answers that b(s) is the best of. The
    betting gain is what one earns who wagers one unit, or takes the bank, only when the count is favourable,
    and nothing otherwise. Hands from a random rest of a shoe are hands from the shoe, so a fixed strategy's
    mean expectation stays what it was: the exchangeability behind the fundamental theorem of card counting
    (Thorp and Walden 1973).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from pan9_gym.game.info_state import read_role
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.terms import Role
from pan9_gym.solver.depleted_shoes import DepletedShoes, depleted_shoes
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.estimates import Estimate
from pan9_gym.solver.shoe_state import TIE


@dataclass(frozen=True)
class CountingGain:
    """What counting is worth at one depth or on average over depths, in units per hand dealt.

    Attributes:
        fixed_ev: The mean expectation of the full-shoe strategy; the control of the sample.
        playing_gain: The mean gain of playing every shoe by its count.
        betting_gain: The mean earned by wagering one unit only where that is favourable.
        favourable: The share of shoes on which it is, by more than rounding.
    """

    fixed_ev: Estimate
    playing_gain: Estimate
    betting_gain: Estimate
    favourable: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name).to_dict() for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class WorthOfCounting:
    """What counting is worth to a role.

    Attributes:
        role: Who counts.
        num_shoes: Shoes at each depth.
        seed: Their seed.
        fresh_ev: The role's expectation with a full shoe: what every `fixed_ev` estimates.
        depths: By cards left.
        average: The mean over the depths, weighted equally.
    """

    role: Role
    num_shoes: int
    seed: int
    fresh_ev: float
    depths: Mapping[int, CountingGain]
    average: CountingGain

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "role": self.role,
            "num_shoes": self.num_shoes,
            "seed": self.seed,
            "fresh_ev": self.fresh_ev,
            "depths": {str(cards_left): gain.to_dict() for cards_left, gain in self.depths.items()},
            "average": self.average.to_dict(),
        }


def worth_of_counting(
    rules: RulesLike, role: Role | str, cards_left: int | Sequence[int], num_shoes: int, seed: int
) -> WorthOfCounting:
    """What counting is worth to a role whose opponent plays the full shoe's equilibrium by hand.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        role: "player" or "banker": who counts.
        cards_left: Cards left before the hand: one depth, or several, such as those of a whole shoe dealt to
            a cut card.
        num_shoes: Shoes at each depth, at least 2; one takes about 0.2 ms.
        seed: Decides the shoes.

    >>> found = worth_of_counting("bicycle", "banker", [30, 60], num_shoes=50, seed=1)
    >>> found.depths[30].playing_gain.mean > found.depths[60].playing_gain.mean > 0
    True

    Raises:
        ValueError: If an argument is out of range or cards are dealt with replacement.
    """
    rules, role = load_rules(rules), read_role(role)
    shoes = depleted_shoes(rules, num_shoes, seed)
    depths = _read_depths(shoes, cards_left)
    fresh = equilibrium(rules)
    gains = {depth: _gain(shoes, role, fresh, depth) for depth in depths}
    return WorthOfCounting(
        role=role,
        num_shoes=shoes.num_shoes,
        seed=shoes.seed,
        fresh_ev=float(fresh.value if role is Role.PLAYER else -fresh.value),
        depths=gains,
        average=CountingGain(
            *(
                _averaged(getattr(gain, name) for gain in gains.values())
                for name in CountingGain.__dataclass_fields__
            )
        ),
    )


def _read_depths(shoes: DepletedShoes, cards_left: int | Sequence[int]) -> list[int]:
    given = cards_left if isinstance(cards_left, Sequence | np.ndarray) else [cards_left]
    depths = [shoes.depth(depth) for depth in given]
    if not depths or len(set(depths)) < len(depths):
        raise ValueError(f"cards_left {cards_left!r}: at least one depth, and each once, is needed")
    return depths


def _gain(shoes: DepletedShoes, role: Role, fresh: Equilibrium, cards_left: int) -> CountingGain:
    own, opponent = fresh.policy(role).array, fresh.policy(role.opponent).array
    fixed, best = [], []
    for state in shoes.states(cards_left):
        response = state.best_response(role, opponent)
        fixed.append(response.values.ev(own))
        best.append(response.ev)
    fixed_evs, best_evs = np.array(fixed), np.array(best)
    return CountingGain(
        fixed_ev=Estimate.of(fixed_evs),
        playing_gain=Estimate.of(best_evs - fixed_evs),
        betting_gain=Estimate.of(np.maximum(best_evs, 0.0)),
        favourable=Estimate.of(best_evs > TIE),
    )


def _averaged(means: Iterable[Estimate]) -> Estimate:
    """The mean of independent means, weighted equally."""
    listed = list(means)
    if len(listed) == 1:
        return listed[0]
    error = sqrt(sum(entry.standard_error**2 for entry in listed)) / len(listed)
    return Estimate(sum(entry.mean for entry in listed) / len(listed), error)
