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
from math import exp, inf, log, nan, sqrt
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import log_ndtr

from pan9_gym.rules.collection import CollectionTier
from pan9_gym.rules.fields import read_fraction, read_whole
from pan9_gym.solver.estimates import Estimate, share

TOLERANCE = 1e-12
"""The relative error to which `bankroll_for` solves."""

MOST_HANDS = 10**12
"""Hands of a formula."""

MOST_SIMULATED = 10**8
"""Hands of a simulated run, and runs."""

Floats = npt.NDArray[np.float64]

LARGEST, SMALLEST = 1e100, 1e-100
"""Sums of money beyond which floating point would not hold what is made of them."""


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
    ev, deviation = read_number("ev", ev), read_number("standard_deviation", standard_deviation, above_0=True)
    capital = read_number("bankroll", bankroll, above_0=True) / deviation
    drift = ev / deviation  # in standard deviations, as the bankroll
    if num_hands is None:
        return exp(-2 * drift * capital) if ev > 0 else 1.0
    hands = read_whole("num_hands", num_hands, 1, MOST_HANDS)
    below = log_ndtr((-capital - drift * hands) / sqrt(hands))
    # The exponential may be huge where the normal tail is tiny: their product by logarithms.
    reflected = log_ndtr((-capital + drift * hands) / sqrt(hands)) - 2 * drift * capital
    return min(1.0, exp(below) + exp(reflected))


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
    if not 0 < read_number("risk", risk) < 1:
        raise ValueError(f"risk {risk!r}: must be between 0 and 1")
    ev, deviation = read_number("ev", ev), read_number("standard_deviation", standard_deviation, above_0=True)
    if num_hands is None:
        return -log(risk) * deviation**2 / (2 * ev) if ev > 0 else inf
    drift = ev / deviation
    most = 1.0
    while ruin_prob(drift, 1, most, num_hands) > risk:
        most *= 2
    least = most
    while ruin_prob(drift, 1, least, num_hands) < risk:
        least /= 2
    root: float = brentq(
        lambda capital: ruin_prob(drift, 1, capital, num_hands) - risk, least, most, xtol=least * TOLERANCE
    )
    return root * deviation


def simulated_ruin(
    results: npt.ArrayLike,
    bankroll: float,
    num_hands: int,
    num_runs: int,
    rng: np.random.Generator,
    probs: npt.ArrayLike | None = None,
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
    num_hands = read_whole("num_hands", num_hands, 1, MOST_SIMULATED)
    num_runs = read_whole("num_runs", num_runs, 2, MOST_SIMULATED)
    outcomes, weights = _read_results(results, probs)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng {rng!r}: a numpy.random.Generator is needed")
    money = np.full(num_runs, read_number("bankroll", bankroll, above_0=True))
    ruined = np.zeros(num_runs, dtype=bool)
    for _ in range(num_hands):
        money += rng.choice(outcomes, size=num_runs, p=weights)
        ruined |= money <= 0
    return share(int(ruined.sum()), num_runs)


def _read_results(results: Any, probs: Any) -> tuple[Floats, Floats | None]:
    """Results and their probabilities as arrays.

    Raises:
        ValueError: If they are no lists of finite numbers of one length, or the probabilities do not add up.
    """
    outcomes = _read_list("results", results)
    if probs is None:
        return outcomes, None
    weights = _read_list("probs", probs)
    if weights.shape != outcomes.shape or weights.min() < 0 or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"probs {probs!r}: one probability for each result is needed, adding up to 1")
    return outcomes, weights / weights.sum()


def _read_list(name: str, given: Any) -> Floats:
    numbers = np.asarray(given)
    if numbers.ndim != 1 or not numbers.size or numbers.dtype.kind not in "iuf":
        raise ValueError(f"{name} {given!r}: a list of numbers is needed")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} {given!r}: every number must be finite")
    return numbers.astype(float)


def read_number(name: str, given: Any, above_0: bool = False) -> float:
    """A finite number of any library.

    Raises:
        ValueError: Naming the argument, the value and what is allowed.
    """
    number: Any = given if isinstance(given, Real) and not isinstance(given, bool) else nan
    if not abs(number) <= LARGEST or not number >= (SMALLEST if above_0 else -LARGEST):
        least = f"from {SMALLEST:g}" if above_0 else f"from -{LARGEST:g}"
        raise ValueError(f"{name} {given!r}: a number {least} to {LARGEST:g} is needed")
    return float(number)


def break_even_action(collection: Fraction, ev_per_unit: Fraction) -> Fraction | None:
    """The money on the table at which an edge pays for a collection.

    Args:
        collection: What the room takes for a hand, in dollars.
        ev_per_unit: Expectation per unit wagered.

    Returns:
        Dollars; `None` without an edge, because no action is enough.

    Raises:
        ValueError: If an argument is not exact, or the collection is less than 0.
    """
    fee, edge = _read_exact("collection", collection, least=0), _read_exact("ev_per_unit", ev_per_unit)
    return fee / edge if edge > 0 else None


def _read_exact(name: str, given: Any, least: int | None = None) -> Fraction:
    try:
        number = read_fraction(given)
    except ValueError as error:
        raise ValueError(f"{name} {given!r}: {error}") from None
    if least is not None and number < least:
        raise ValueError(f"{name} {given}: must be at least {least}")
    return number


@dataclass(frozen=True)
class BankDecision:
    """What banking one hand is worth against playing it, at one tier of collections, in dollars.

    Attributes:
        tier: Limits and collections.
        break_even_action: Action at which banking pays its own collection; `None` if none does.
        preferred_from: Action above which banking is better than playing a hand of the given wager against
            another banker; 0 if it always is, `None` where more action does not help (without an edge banking
            may still be better below some action).
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

    Raises:
        ValueError: If an argument is not exact, or a sum of money is less than 0.
    """
    banker_ev_per_unit = _read_exact("banker_ev_per_unit", banker_ev_per_unit)
    player_ev = _read_exact("player_ev", player_ev)
    action, wager = _read_exact("action", action, least=0), _read_exact("wager", wager, least=0)
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
