"""Who decides for a participant: how he plays cards, takes the bank, and wagers.

How a hand is played depends on how many hands oppose the banker, which varies from hand to hand: a
`SeatPolicies` answers for each number, seat and role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from pan9_gym.policies.base import Policy
from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.terms import Role
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.requests import ACCEPT, ASK, DECLINE, REFUSE, Amounts, Phase, Request

MOST_HANDS = 7
"""Hands that may play against a banker."""

Sum = int | Callable[[Request, np.random.Generator], int]
"""Chips: always the same, or what a function says when asked."""


class SeatPolicies(Protocol):
    """How somebody plays at every seat, whatever the number of hands."""

    @property
    def name(self) -> str:
        """What logs call it."""
        ...

    def seat_policy(
        self, rules: RulesConfig, role: Role, num_players: int, seat: int, with_suits: bool
    ) -> TabularPolicy:
        """The policy of a seat among `num_players` hands against the banker."""
        ...


@dataclass(frozen=True)
class OnePolicy:
    """A policy's name, or a policy, wherever it fits.

    Attributes:
        policy: It; a table fits one number of hands only.
    """

    policy: PolicyLike

    @property
    def name(self) -> str:
        """What logs call it."""
        if isinstance(self.policy, str):
            return self.policy
        return str(getattr(self.policy, "name", type(self.policy).__name__))

    def seat_policy(
        self, rules: RulesConfig, role: Role, num_players: int, seat: int, with_suits: bool
    ) -> TabularPolicy:
        """The policy of a seat among `num_players` hands against the banker.

        Raises:
            ValueError: If it is for another seat or number of hands.
        """
        own = seat if role is Role.PLAYER else 0
        return resolve(self.policy, rules, role, num_players, own, with_suits)


@dataclass(frozen=True)
class Participant:
    """What one participant decides.

    Attributes:
        player: How he plays a hand against the banker.
        banker: How he plays the banker's.
        bank: The probability that he accepts the bank.
        wager: His wager on his own hand; 0 sits out.
        stake: His stake as banker; `None` is `default_stake`.
        side: His side bets by name; 1 makes one whose stake the sheet fixes (S6), 0 does not.
        others: His wagers on other hands, as phase "others" takes them; `None` makes none.
        top_up: The probability that he asks the House to fill his stake (U11).

    Raises:
        ValueError: If a probability or a sum is impossible.
    """

    player: SeatPolicies | PolicyLike = "logical_way"
    banker: SeatPolicies | PolicyLike = "logical_way"
    bank: Fraction | int | str = 1
    wager: Sum = 1
    stake: Sum | None = None
    side: Mapping[str, Sum] = field(default_factory=dict)
    others: Callable[[Request, np.random.Generator], Mapping[str, Any]] | None = None
    top_up: Fraction | int | str = 0

    def __post_init__(self) -> None:
        for name in ("bank", "top_up"):
            object.__setattr__(self, name, _read_prob(name, getattr(self, name)))
        for name in ("player", "banker"):
            object.__setattr__(self, name, _seat_policies(getattr(self, name)))

    def check(self, who: str, config: TableConfig) -> None:
        """Refuse sums that the table would refuse.

        Raises:
            ValueError: Naming the participant, the sum and what is allowed.
        """
        limits = config.limits
        _check_sum(f"{who}: wager", self.wager, Amounts(limits.least, limits.most))
        if self.stake is not None:
            _check_sum(f"{who}: stake", self.stake, Amounts(limits.least, None, or_none=False))
        offered = [bet.value for bet in config.rules.side_bets.offered]
        for name, amount in self.side.items():
            if name not in offered:
                known = ", ".join(offered) or "none"
                raise ValueError(
                    f"{who}: side bet {name!r}: is not offered by {config.rules.name!r}; offered: {known}"
                )
            bonus = config.rules.side_bets.bc
            if name == SideBet.BC.value and bonus is not None:
                _check_fixed(f"{who}: side bet {name!r}", amount, bonus.stake / config.chip_value)
            else:
                limits = config.side_limits
                _check_sum(f"{who}: side bet {name!r}", amount, Amounts(limits.least, limits.most))

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what decides, functions by their names."""
        return {
            "player": _name(self.player),
            "banker": _name(self.banker),
            "bank": str(self.bank),
            "wager": _name(self.wager),
            "stake": _name(self.stake),
            "side": {name: _name(amount) for name, amount in self.side.items()},
            "others": _name(self.others),
            "top_up": str(self.top_up),
        }

    def answer(self, request: Request, config: TableConfig, rng: np.random.Generator) -> Any:
        """The answer to any question but for a card."""
        if request.phase is Phase.BANK:
            return ACCEPT if happens(Fraction(self.bank), rng) else REFUSE
        if request.phase is Phase.TOP_UP:
            return ASK if happens(Fraction(self.top_up), rng) else DECLINE
        if request.phase is Phase.STAKE:
            return default_stake(config) if self.stake is None else _sum(self.stake, request, rng)
        if request.phase is Phase.OTHERS:
            return {} if self.others is None else self.others(request, rng)
        base = _sum(self.wager, request, rng)
        if not base or not self.side:
            return {"base": base}
        side = {name: _side(amount, name, request, rng) for name, amount in self.side.items()}
        return {"base": base, "side": side}


def default_stake(config: TableConfig) -> int:
    """A banker's stake that covers the table maximum on every hand; side bets may win more than it holds."""
    return MOST_HANDS * config.limits.most


def happens(prob: Fraction | float, rng: np.random.Generator) -> bool:
    """Whether something with a probability happens; what is certain uses no randomness."""
    return prob == 1 or (prob > 0 and bool(rng.random() < prob))


def _read_prob(name: str, value: object) -> Fraction:
    try:
        prob = read_fraction(value)
    except ValueError as error:
        raise ValueError(f"{name} {value!r}: {error}") from None
    if not 0 <= prob <= 1:
        raise ValueError(f"{name} {value}: must be a probability from 0 to 1")
    return prob


def _seat_policies(given: SeatPolicies | PolicyLike) -> SeatPolicies:
    if isinstance(given, str | Policy):
        return OnePolicy(given)
    if not hasattr(given, "seat_policy"):
        raise ValueError(f"policy {given!r}: a name, a policy, or policies for every seat are needed")
    return given


def _check_sum(name: str, amount: Sum, allowed: Amounts) -> None:
    if callable(amount):
        return
    fits = type(amount) is int and amount >= allowed.least
    fits = fits and (allowed.most is None or amount <= allowed.most)
    if not (fits or (allowed.or_none and type(amount) is int and amount == 0)):
        raise ValueError(f"{name} {amount!r}: must be {allowed.words}")


def _check_fixed(name: str, amount: Sum, stake: Fraction) -> None:
    """A bet whose stake the sheet fixes is made or not (S6)."""
    if not callable(amount) and (type(amount) is not int or amount not in (0, 1, stake)):
        raise ValueError(f"{name} {amount!r}: must be 0, or 1 for the stake of {money(stake)} that it has")


def _sum(amount: Sum, request: Request, rng: np.random.Generator) -> int:
    return amount(request, rng) if callable(amount) else amount


def _side(amount: Sum, name: str, request: Request, rng: np.random.Generator) -> Any:
    allowed, given = request.amounts.get(name), _sum(amount, request, rng)
    fixed = allowed is not None and allowed.least == allowed.most
    return allowed.least if fixed and given and allowed is not None else given


def _name(decides: object) -> Any:
    if decides is None or isinstance(decides, int):
        return decides
    return str(getattr(decides, "name", getattr(decides, "__name__", type(decides).__name__)))
