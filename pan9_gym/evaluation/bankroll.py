"""A bankroll against ruin, the action that pays for the collection, and whether to take the bank.

With mean m and standard deviation s of a hand, the sum of many hands is nearly a Brownian motion with drift,
so that the probability of losing a bankroll B within N hands is nearly

    Phi((-B - m N) / (s sqrt(N))) + exp(-2 m B / s^2) Phi((-B + m N) / (s sqrt(N)))

and within any number of hands exp(-2 m B / s^2) for m > 0, else 1 (the reflection principle; Feller 1971,
An Introduction to Probability Theory and Its Applications II, X.5). Hands move in steps and the motion does
not, so the formula is an approximation; `simulated_ruin` says how good it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import erfc, exp, inf, isfinite, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from pan9_gym.rules.collection import CollectionTier
from pan9_gym.rules.fields import read_whole
from pan9_gym.solver.estimates import Estimate, estimate

RISK_TOLERANCE = 1e-10
"""Units of bankroll to which `bankroll_for` solves."""


def ruin_prob(ev: float, standard_deviation: float, bankroll: float, num_hands: int | None = None) -> float:
    """The probability of losing a bankroll, by the normal approximation.

    Args:
        ev: Expectation of a hand, in units, after collections.
        standard_deviation: Of a hand, in units, greater than 0.
        bankroll: In units, greater than 0.
        num_hands: How many hands are played; `None` for any number.

    >>> round(ruin_prob(0.01, 1, 100), 4)
    0.1353

    Raises:
        ValueError: If an argument is not possible.
    """
    _check_hand(ev, standard_deviation)
    if not (isfinite(bankroll) and bankroll > 0):
        raise ValueError(f"bankroll {bankroll!r}: must be greater than 0 and finite")
    if num_hands is None:
        return exp(-2 * ev * bankroll / standard_deviation**2) if ev > 0 else 1.0
    hands = read_whole("num_hands", num_hands, 1)
    spread = standard_deviation * sqrt(hands)
    below = _normal_cdf((-bankroll - ev * hands) / spread)
    reflected = _normal_cdf((-bankroll + ev * hands) / spread)
    # The exponential may be huge where the normal tail is tiny: a product of logarithms.
    back = exp(log(reflected) - 2 * ev * bankroll / standard_deviation**2) if reflected > 0 else 0.0
    return min(1.0, below + back)


def bankroll_for(risk: float, ev: float, standard_deviation: float, num_hands: int | None = None) -> float:
    """The bankroll that is lost with a given probability, in units.

    Args:
        risk: The probability of ruin, between 0 and 1.
        ev: Expectation of a hand, in units, after collections.
        standard_deviation: Of a hand, in units, greater than 0.
        num_hands: How many hands are played; `None` for any number.

    Returns:
        The bankroll; infinite where any number of hands is played without an edge.

    >>> round(bankroll_for(0.05, 0.0115, 0.94, 1000), 1)
    49.0

    Raises:
        ValueError: If an argument is not possible.
    """
    if not 0 < risk < 1:
        raise ValueError(f"risk {risk!r}: must be between 0 and 1")
    _check_hand(ev, standard_deviation)
    if num_hands is None:
        return -log(risk) * standard_deviation**2 / (2 * ev) if ev > 0 else inf
    most = standard_deviation
    while ruin_prob(ev, standard_deviation, most, num_hands) > risk:
        most *= 2
    least = most
    while ruin_prob(ev, standard_deviation, least, num_hands) < risk:
        least /= 2
    root: float = brentq(
        lambda bankroll: ruin_prob(ev, standard_deviation, bankroll, num_hands) - risk,
        least,
        most,
        xtol=RISK_TOLERANCE,
    )
    return root


def simulated_ruin(
    results: npt.NDArray[np.float64],
    bankroll: float,
    num_hands: int,
    num_runs: int,
    rng: np.random.Generator,
    probs: npt.NDArray[np.float64] | None = None,
) -> Estimate:
    """How often a bankroll is lost within so many hands, by simulation: the check of `ruin_prob`.

    Args:
        results: What a hand may bring, in units, shape (num_results,).
        bankroll: In units, greater than 0; it is lost when nothing is left of it.
        num_hands: Hands of a run.
        num_runs: Runs, at least 2.
        rng: Decides the results.
        probs: The probability of each result; equal for `None`.
    """
    num_hands, num_runs = read_whole("num_hands", num_hands, 1), read_whole("num_runs", num_runs, 2)
    money = np.full(num_runs, float(bankroll))
    ruined = np.zeros(num_runs, dtype=bool)
    for _ in range(num_hands):
        money += rng.choice(results, size=num_runs, p=probs)
        ruined |= money <= 0
    lost = float(ruined.sum())
    return estimate(lost, lost, num_runs)


def _check_hand(ev: float, standard_deviation: float) -> None:
    if not isfinite(ev):
        raise ValueError(f"ev {ev!r}: must be finite")
    if not (isfinite(standard_deviation) and standard_deviation > 0):
        raise ValueError(f"standard_deviation {standard_deviation!r}: must be greater than 0 and finite")


def _normal_cdf(z: float) -> float:
    return 0.5 * erfc(-z / sqrt(2))


def break_even_action(collection: Fraction, ev_per_unit: Fraction) -> Fraction | None:
    """The money on the table at which an edge pays for a collection.

    Args:
        collection: What the room takes for a hand, in dollars.
        ev_per_unit: Expectation per unit wagered.

    Returns:
        Dollars; `None` without an edge, because no action is enough.
    """
    return collection / ev_per_unit if ev_per_unit > 0 else None


@dataclass(frozen=True)
class BankDecision:
    """What banking one hand is worth against playing it, at one tier of collections, in dollars.

    Attributes:
        tier: Limits and collections.
        break_even_action: Action at which banking pays its own collection; `None` if none does.
        preferred_from: Action above which banking is better than playing a hand of the given wager against
            another banker; 0 if it always is, `None` where more action does not help.
        bank_ev: Banking's expectation at the given action, after the collection.
        play_ev: Playing's expectation, after the collection.
    """

    tier: CollectionTier
    break_even_action: Fraction | None
    preferred_from: Fraction | None
    bank_ev: Fraction
    play_ev: Fraction

    @property
    def take_the_bank(self) -> bool:
        """Whether banking is better than playing at the given action."""
        return self.bank_ev > self.play_ev

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "limits": [self.tier.least, self.tier.most],
            "banker_collection": self.tier.banker,
            "player_collection": self.tier.player,
            "break_even_action": None if self.break_even_action is None else str(self.break_even_action),
            "preferred_from": None if self.preferred_from is None else str(self.preferred_from),
            "bank_ev": str(self.bank_ev),
            "play_ev": str(self.play_ev),
            "take_the_bank": self.take_the_bank,
        }


def bank_decisions(
    tiers: Sequence[CollectionTier],
    banker_ev_per_unit: Fraction,
    player_ev: Fraction,
    action: Fraction,
    wager: Fraction,
) -> tuple[BankDecision, ...]:
    """Whether to take the bank, for each tier.

    Args:
        tiers: Limits and collections.
        banker_ev_per_unit: The banker's expectation per unit of action.
        player_ev: A player's expectation per unit wagered, against the banker who would bank instead.
        action: What the others wager against one who takes the bank, in dollars.
        wager: What he would wager as a player, in dollars.
    """
    found = []
    for tier in tiers:
        play_ev = wager * player_ev - tier.player
        needed = play_ev + tier.banker  # what the edge on the action must bring
        preferred = break_even_action(max(Fraction(0), needed), banker_ev_per_unit)
        if banker_ev_per_unit == 0 and needed < 0:
            preferred = Fraction(0)
        found.append(
            BankDecision(
                tier=tier,
                break_even_action=break_even_action(Fraction(tier.banker), banker_ev_per_unit),
                preferred_from=preferred,
                bank_ev=action * banker_ev_per_unit - tier.banker,
                play_ev=play_ev,
            )
        )
    return tuple(found)
