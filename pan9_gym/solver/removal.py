"""Effects of removal: what one card fewer of a value does to an expectation, exactly.

Formula:
    effect(v) = f(n - e_v) - f(n)
    mean = sum_v n_v effect(v) / N,        0 for fixed policies

Symbols:
    f: the value of the game by hand, or the player's expectation under two fixed policies, in units per unit
        wagered, positive for the player
    n, n_v, N: the shoe, its cards of value v, and all its cards; at least 2k + 3 with k first cards each
    e_v: one card of value v, taken out; no effect where n_v = 0

Source:
    Griffin 1979, The Theory of Blackjack, where the effects are those of a fixed strategy. The balance:
    derivation: this module. A shoe from which an unknown card is missing deals the same hands as the whole
    shoe, so f(n) is the mean of f(n - e_v). The value of the game has no such balance: both roles see which
    card is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pan9_gym.policies.play import PolicyLike
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.solver.deal_distribution import ShoeCounts, ShoeLike, read_shoe
from pan9_gym.solver.equilibrium import equilibrium
from pan9_gym.solver.evaluate import evaluate


@dataclass(frozen=True)
class RemovalEffects:
    """The effects of removal of a shoe.

    Attributes:
        quantity: What changes: "value", the value of the game by hand, or "ev", the player's expectation
            under two fixed policies.
        shoe: Cards left of each point value before the removal.
        base: The quantity for this shoe, in units per unit wagered, positive for the player.
        effects: By point value, the change when one card of the value is removed; `None` where there is none.
    """

    quantity: Literal["value", "ev"]
    shoe: ShoeCounts
    base: Fraction
    effects: Mapping[int, Fraction | None]

    @property
    def mean(self) -> Fraction:
        """The mean effect of removing a random card: exactly 0 for fixed policies."""
        counted = zip(self.shoe, self.effects.values(), strict=True)
        total = sum((number * effect for number, effect in counted if effect is not None), Fraction(0))
        return total / sum(self.shoe)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "quantity": self.quantity,
            "shoe": list(self.shoe),
            "base": str(self.base),
            "effects": {
                str(value): None if effect is None else str(effect) for value, effect in self.effects.items()
            },
            "mean": str(self.mean),
        }


def effects_of_removal(
    rules: RulesLike,
    shoe: ShoeLike | None = None,
    player: PolicyLike | None = None,
    banker: PolicyLike | None = None,
) -> RemovalEffects:
    """The exact effects of removal, of the game's value or of a pair of policies.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        shoe: Cards left of each point value, lowest first; default a full shoe.
        player: The player's policy, by name or object, with `banker`; default the value of the game.
        banker: The banker's policy.

    >>> from pan9_gym import load_rules
    >>> found = effects_of_removal(load_rules("bicycle"), player="logical_way", banker="wizard")
    >>> found.effects[6], found.mean
    (Fraction(-6262151917379, 164419456567991625), Fraction(0, 1))

    Raises:
        ValueError: If one policy is given without the other, cards are dealt with replacement, or the shoe
            does not fit or is too small for a hand without one of its cards.
        ArithmeticError: If the value of a game is not proved exactly.
    """
    rules = load_rules(rules)
    full = read_shoe(rules, shoe)
    _check(rules, full, player, banker)

    def quantity(counts: ShoeCounts) -> Fraction:
        if player is None or banker is None:
            return _game_value(rules, counts)
        return evaluate(rules, player, banker, counts).ev

    base = quantity(full)
    effects: dict[int, Fraction | None] = {}
    for place, value in enumerate(rules.values):
        fewer = (*full[:place], full[place] - 1, *full[place + 1 :])
        effects[value] = quantity(fewer) - base if full[place] else None
    return RemovalEffects("value" if player is None else "ev", full, base, effects)


def _check(rules: RulesConfig, shoe: ShoeCounts, player: object, banker: object) -> None:
    if (player is None) != (banker is None):
        missing = "player" if player is None else "banker"
        raise ValueError(f"{missing} None: fixed policies are given for both roles, or for neither")
    if rules.with_replacement:
        raise ValueError("num_decks infinite: cards are dealt with replacement, so none is ever removed")
    need = 2 * rules.num_initial_cards + 3
    if sum(shoe) < need:
        raise ValueError(
            f"shoe {shoe}: holds {sum(shoe)} cards; {need} are needed to deal a hand without one"
        )


def _game_value(rules: RulesConfig, shoe: ShoeCounts) -> Fraction:
    solution = equilibrium(rules, shoe=shoe)
    if solution.exploitability != 0:
        raise ArithmeticError(
            f"the value of {rules.name!r} with the shoe {shoe} is only known to lie from {solution.lower} "
            f"to {solution.upper}"
        )
    return solution.value
