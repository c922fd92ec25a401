"""Which moves a seat may make: the one place that decides a forced draw or a forced stand."""

from __future__ import annotations

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Action, Role


def legal_actions(rules: RulesConfig, role: Role, total: int) -> tuple[Action, ...]:
    """The moves open to a seat whose first cards make `total`; one move means it is forced.

    >>> from pan9_gym.rules import load_rules
    >>> legal_actions(load_rules("hawaiian_gardens"), Role.BANKER, 4)
    (<Action.DRAW: 1>,)
    """
    rule = rules.draw_rule(role)
    if total in rule.must_draw:
        return (Action.DRAW,)
    if total in rule.must_stand:
        return (Action.STAND,)
    return (Action.STAND, Action.DRAW)
