"""What the banker's stake and the action seat change when the stake does not cover every wager (T3).

A player's result is payoff times the covered part of the wager, X C. Where C is the same however the hands
end, the expectation is C E[X] and exact. Elsewhere it depends on who won, lost and pushed before, and is
estimated from simulated hands, the exact E[X] being used as a control variate:

    E[X C] = c E[X] + E[X (C - c)],     c the mean of C in the sample

Every figure says which of both it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.evaluation.simulate import MOST_HANDS, played_hands
from pan9_gym.game.info_state import read_seat
from pan9_gym.game.round import new_game
from pan9_gym.game.stakes import Amount, read_amount, read_wagers
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import Cover, certain_cover, covered_wagers, settlement_order
from pan9_gym.rules.fields import read_flag, read_whole
from pan9_gym.solver.estimates import Estimate, estimate
from pan9_gym.solver.many_seats import count_players, evaluate_seats

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CoverValue:
    """What a hand brings one seat under limited cover, in units.

    Attributes:
        exact: The expectation where it is known exactly, else `None`.
        simulated: The estimate from simulated hands where it is not, else `None`.
        covered: The mean part of the wager that is played for, in units; for the banker their sum.
    """

    exact: Fraction | None
    simulated: Estimate | None
    covered: float

    @property
    def ev(self) -> float:
        """The expectation, exact or estimated."""
        if self.simulated is not None:
            return self.simulated.mean
        return float(self.exact or 0)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "exact": None if self.exact is None else str(self.exact),
            "simulated": None if self.simulated is None else self.simulated.to_dict(),
            "covered": self.covered,
        }


@dataclass(frozen=True)
class LimitedCover:
    """A table under limited cover, settled from one seat.

    Attributes:
        action_seat: Where settlement begins.
        players: Each player's value.
        banker: The banker's value.
        banker_standard_deviation: Of the banker's hand, in units; from simulated hands.
        num_hands: Hands simulated.
        seed: Their seed.
        assumptions: What the figures take for granted.
    """

    action_seat: int
    players: tuple[CoverValue, ...]
    banker: CoverValue
    banker_standard_deviation: float
    num_hands: int
    seed: int
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "action_seat": self.action_seat,
            "players": [value.to_dict() for value in self.players],
            "banker": self.banker.to_dict(),
            "banker_standard_deviation": self.banker_standard_deviation,
            "num_hands": self.num_hands,
            "seed": self.seed,
            "assumptions": list(self.assumptions),
        }


@dataclass(frozen=True)
class CoverSample:
    """A table's exact expectations and simulated hands, from which any stake can be settled.

    Attributes:
        rules: The rules.
        wagers: Each player's wager, in units.
        evs: Each player's exact expectation per unit wagered, under full cover.
        rows: The rows of payoffs per unit wagered that came up in the simulated hands.
        places: Which row each hand has, shape (num_hands,).
        seed: The seed of the hands.
    """

    rules: RulesConfig
    wagers: tuple[Fraction, ...]
    evs: tuple[Fraction, ...]
    rows: tuple[tuple[Fraction, ...], ...]
    places: npt.NDArray[np.int64]
    seed: int

    def payoffs(self) -> Floats:
        """Payoffs per unit wagered, axes [hand, player]."""
        return np.array([[float(payoff) for payoff in row] for row in self.rows])[self.places]

    def settled(
        self, stake: Amount, cover: str = "gross", push_uses_cover: bool = False, action_seat: int = 0
    ) -> LimitedCover:
        """What everybody gets when the banker's stake limits the action.

        Args:
            stake: The banker's stake, in units.
            cover: "gross", "net" or "unlimited" (T3).
            push_uses_cover: Whether a returned wager uses its amount of the stake, under "gross".
            action_seat: Where settlement begins.

        Raises:
            ValueError: If an argument is not possible.
        """
        number = len(self.wagers)
        limit, reading = read_amount("stake", stake), _read_cover(cover)
        push_uses_cover = read_flag("push_uses_cover", push_uses_cover)
        order = settlement_order(number, read_seat(number, action_seat))
        certain = certain_cover(limit, self.wagers, self.rules.payout, order, reading, push_uses_cover)
        covered = [
            covered_wagers(limit, self.wagers, row, order, reading, push_uses_cover) for row in self.rows
        ]
        parts = np.array([[float(part) for part in row] for row in covered])[self.places]
        paid = self.payoffs()
        return LimitedCover(
            action_seat=order[0],
            players=tuple(
                _player_value(self.evs[seat], certain.get(seat), parts[:, seat], paid[:, seat])
                for seat in range(number)
            ),
            banker=_banker_value(self.evs, certain, parts, paid),
            banker_standard_deviation=float((parts * paid).sum(axis=1).std(ddof=1)),
            num_hands=len(self.places),
            seed=self.seed,
            assumptions=(f"the banker's stake is {limit} units, cover {reading.value} (T3)",),
        )


def cover_sample(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    wagers: Sequence[Amount] | None = None,
    num_hands: int = 20_000,
    seed: int = 1,
) -> CoverSample:
    """Solve a table under full cover and simulate hands of it.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        banker: The banker's policy.
        wagers: One per player, in units; default 1 each.
        num_hands: Hands to simulate where a figure is not exact, at least 2.
        seed: Decides every card and every mixed choice of the simulated hands.

    Raises:
        ValueError: If an argument is not possible.
    """
    rules = load_rules(rules)
    amounts = read_wagers(count_players(players), wagers)
    num_hands, seed = read_whole("num_hands", num_hands, 2, MOST_HANDS), read_whole("seed", seed, 0)
    evs = evaluate_seats(rules, players, banker, amounts).evs
    rows: dict[tuple[Fraction, ...], int] = {}
    places = [
        rows.setdefault(state.returns()[:-1], len(rows))
        for state in played_hands(new_game(rules, len(players)), [*players, banker], num_hands, seed)
    ]
    return CoverSample(rules, amounts, evs, tuple(rows), np.array(places), seed)


def _read_cover(cover: str) -> Cover:
    try:
        return Cover(cover)
    except ValueError:
        raise ValueError(f"cover {cover!r} is not known; allowed: {', '.join(Cover)}") from None


def _player_value(ev: Fraction, certain: Fraction | None, parts: Floats, paid: Floats) -> CoverValue:
    if certain is not None:
        return CoverValue(certain * ev, None, float(certain))
    return CoverValue(None, _controlled(parts[:, None], paid[:, None], [ev]), float(parts.mean()))


def _banker_value(
    evs: Sequence[Fraction], certain: dict[int, Fraction], parts: Floats, paid: Floats
) -> CoverValue:
    covered = float(parts.mean(axis=0).sum())
    if len(certain) == len(evs):
        return CoverValue(
            -sum((certain[seat] * ev for seat, ev in enumerate(evs)), Fraction(0)), None, covered
        )
    return CoverValue(None, _controlled(parts, -paid, [-ev for ev in evs]), covered)


def _controlled(parts: Floats, paid: Floats, evs: Sequence[Fraction]) -> Estimate:
    """The mean of sum_i X_i C_i over hands [hand, seat], with the exact E[X_i] as control variates."""
    means = parts.mean(axis=0)
    rest = (paid * (parts - means)).sum(axis=1)
    found = estimate(float(rest.sum()), float((rest**2).sum()), len(rest))
    return Estimate(found.mean + float(means @ [float(ev) for ev in evs]), found.standard_error)
