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

from pan9_gym.evaluation.simulate import played_hands, read_whole
from pan9_gym.evaluation.statistics import Estimate, estimate
from pan9_gym.game.info_state import read_seat
from pan9_gym.game.round import new_game
from pan9_gym.game.stakes import Amount, read_amount, read_wagers
from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.cover import Cover, certain_cover, covered_wagers, settlement_order
from pan9_gym.solver.many_seats import evaluate_seats

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


def limited_cover(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    stake: Amount,
    wagers: Sequence[Amount] | None = None,
    cover: str = "gross",
    push_uses_cover: bool = False,
    action_seats: Sequence[int] | None = None,
    num_hands: int = 20_000,
    seed: int = 1,
) -> tuple[LimitedCover, ...]:
    """What everybody gets when the banker's stake limits the action.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        banker: The banker's policy.
        stake: The banker's stake, in units.
        wagers: One per player, in units; default 1 each.
        cover: "gross", "net" or "unlimited" (T3).
        push_uses_cover: Whether a returned wager uses its amount of the stake, under "gross".
        action_seats: Where settlement begins, one result each; default every seat.
        num_hands: Hands to simulate where a figure is not exact.
        seed: Decides every card and every mixed choice of the simulated hands.

    Raises:
        ValueError: If an argument is not possible.
    """
    rules, number = load_rules(rules), len(players)
    amounts, limit = read_wagers(number, wagers), read_amount("stake", stake)
    reading = _read_cover(cover)
    starts = range(number) if action_seats is None else [read_seat(number, seat) for seat in action_seats]
    num_hands, seed = read_whole("num_hands", num_hands, 2), read_whole("seed", seed, 0)
    evs = evaluate_seats(rules, players, banker, amounts).evs
    payoffs, places = _simulated_payoffs(rules, [*players, banker], num_hands, seed)
    found = []
    for start in starts:
        order = settlement_order(number, start)
        certain = certain_cover(limit, amounts, rules.payout, order, reading, push_uses_cover)
        parts = np.array(
            [
                [float(part) for part in covered_wagers(limit, amounts, row, order, reading, push_uses_cover)]
                for row in payoffs
            ]
        )[places]
        paid = np.array([[float(payoff) for payoff in row] for row in payoffs])[places]
        found.append(
            LimitedCover(
                action_seat=start,
                players=tuple(
                    _player_value(evs[seat], certain.get(seat), parts[:, seat], paid[:, seat])
                    for seat in range(number)
                ),
                banker=_banker_value(evs, certain, parts, paid),
                banker_standard_deviation=float((parts * paid).sum(axis=1).std(ddof=1)),
                num_hands=num_hands,
                seed=seed,
                assumptions=(f"the banker's stake is {limit} units, cover {reading.value} (T3)",),
            )
        )
    return tuple(found)


def _read_cover(cover: str) -> Cover:
    try:
        return Cover(cover)
    except ValueError:
        raise ValueError(f"cover {cover!r} is not known; allowed: {', '.join(Cover)}") from None


def _simulated_payoffs(
    rules: RulesConfig, policies: Sequence[PolicyLike], num_hands: int, seed: int
) -> tuple[list[tuple[Fraction, ...]], npt.NDArray[np.int64]]:
    """The rows of payoffs per unit wagered that came up, and which row each hand has."""
    game = new_game(rules, len(policies) - 1)
    rows: dict[tuple[Fraction, ...], int] = {}
    places = [
        rows.setdefault(tuple(state.returns()[:-1]), len(rows))
        for state in played_hands(game, policies, num_hands, seed)
    ]
    return list(rows), np.array(places)


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
