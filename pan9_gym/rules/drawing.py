"""Which moves a seat may make: the one place that decides a forced draw or a forced stand."""

from __future__ import annotations

from collections.abc import Sequence

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Action, Role


def legal_actions(
    rules: RulesConfig, role: Role, total: int, choices: Sequence[str] = ()
) -> tuple[Action, ...]:
    """The moves open to a seat whose first cards make `total`; one move means it is forced.

    Args:
        rules: The rules.
        role: Player or banker.
        total: The total of the seat's first cards.
        choices: The tokens that the banker sees; needed only where a tableau binds him (K3).

    Raises:
        ValueError: If a tableau binds the banker and has no such choice.

    >>> from pan9_gym.rules import load_rules
    >>> legal_actions(load_rules("hawaiian_gardens"), Role.BANKER, 4)
    (<Action.DRAW: 1>,)
    """
    if total in rules.naturals:  # the hand is over; whoever is asked all the same stands
        return (Action.STAND,)
    if role is Role.BANKER and rules.banker_tableau:
        draws_on = rules.banker_tableau.get(choices[0] if choices else "")
        if draws_on is None:
            allowed = ", ".join(rules.banker_tableau)
            raise ValueError(f"choices {choices!r}: the tableau of {rules.name!r} has {allowed}")
        return (Action(int(total in draws_on)),)
    rule = rules.draw_rule(role)
    if total in rule.must_draw:
        return (Action.DRAW,)
    if total in rule.must_stand:
        return (Action.STAND,)
    return (Action.STAND, Action.DRAW)
