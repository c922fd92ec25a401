"""The money on the table, read: each player's wager and stakes on side bets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.side_bets import NEEDS_SUITS, SideBet

LARGEST_AMOUNT = 10**12
"""Units; far above any table's limit, and small enough for floats."""

Amount = int | str | Fraction
"""A sum of money as it may be given: exact, such as 2 or "5/2"."""

SideStakes = tuple[tuple[SideBet, Fraction], ...]
"""One player's stakes on side bets, per unit wagered."""


def read_wagers(num_players: int, wagers: Sequence[Amount] | None) -> tuple[Fraction, ...]:
    """One wager per player, in units; 1 each for `None`.

    Raises:
        ValueError: If their number is wrong or one is not exact or not greater than 0.
    """
    if wagers is None:
        return (Fraction(1),) * num_players
    if not _is_list(wagers) or len(wagers) != num_players:
        raise ValueError(f"wagers {wagers!r}: one per player is needed, so {num_players}")
    return tuple(read_amount("wagers", wager) for wager in wagers)


def read_side_stakes(
    rules: RulesConfig, num_players: int, side_stakes: Sequence[Mapping[str, Amount] | None] | None
) -> tuple[SideStakes, ...]:
    """One mapping per player from side bets to stakes, per unit wagered; `None` for none.

    Raises:
        ValueError: If their number is wrong, a bet is not offered, or a stake is not greater than 0.
    """
    if side_stakes is None:
        return ((),) * num_players
    if not _is_list(side_stakes) or len(side_stakes) != num_players:
        raise ValueError(f"side_stakes {side_stakes!r}: one entry per player is needed, so {num_players}")
    return tuple(read_stakes(rules, stakes) for stakes in side_stakes)


def read_stakes(rules: RulesConfig, stakes: Mapping[str, Amount] | None) -> SideStakes:
    """One player's stakes from a mapping such as `{"dragon": "1/20"}`; `None` for none.

    Raises:
        ValueError: If it is no mapping, a bet is not offered, or a stake is not greater than 0.
    """
    if stakes is None:
        return ()
    if not isinstance(stakes, Mapping):
        raise ValueError(f"side_stakes {stakes!r}: a mapping such as {{'dragon': '1/20'}} is needed")
    return tuple(
        (read_bet(rules, bet), read_amount(f"side_stakes {bet}", stake)) for bet, stake in stakes.items()
    )


def read_bet(rules: RulesConfig, bet: SideBet | str) -> SideBet:
    """A side bet by name.

    Raises:
        ValueError: If the sheet does not offer it.
    """
    offered = rules.side_bets.offered
    if not isinstance(bet, str) or bet not in offered:
        names = ", ".join(offered) or "none"
        raise ValueError(f"side bet {bet!r} is not offered by {rules.name!r}; offered: {names}")
    return SideBet(bet)


def need_suits(stakes: SideStakes) -> bool:
    """Whether only suits can settle one of the stakes."""
    return any(bet in NEEDS_SUITS for bet, _ in stakes)


def show_suits(stakes: SideStakes) -> bool:
    """Whether these stakes put the suit class of the hand into their owner's information state."""
    return any(bet is SideBet.DRAGON for bet, _ in stakes)


def held_by_banker(rules: RulesConfig, stakes: SideStakes) -> SideStakes:
    """The stakes whose other side the banker takes."""
    return tuple((bet, stake) for bet, stake in stakes if rules.banker_holds(bet))


def read_amount(field: str, given: Amount, or_zero: bool = False) -> Fraction:
    """A sum of money, greater than 0 or also 0.

    Raises:
        ValueError: Naming the field, the amount and what is allowed.
    """
    try:
        amount = read_fraction(given)
    except ValueError as error:
        raise ValueError(f"{field} {given!r}: {error}") from None
    if not 0 <= amount <= LARGEST_AMOUNT or (amount == 0 and not or_zero):
        shown = given if isinstance(given, Fraction) else repr(given)
        least = "at least 0" if or_zero else "greater than 0"
        raise ValueError(f"{field} {shown}: must be {least} and at most {LARGEST_AMOUNT}")
    return amount


def _is_list(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
