"""Policies with a name: the card rooms' guideline, the simplest habits, a published chart.

Where a sheet forces a move, a named policy takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from pan9_gym.game.info_state import InfoStates, info_states, legal_table
from pan9_gym.policies.base import Policy
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.errors import closest
from pan9_gym.rules.terms import STAND_TOKEN, Role

LOGICAL_WAY = frozenset(range(6))
"""Draw on 5 or less, stand on 6 or more (H5)."""

WIZARD_BANKER_AFTER_STAND = frozenset(range(7))
"""The Wizard of Odds' banker draws on 0-6 against a player who stood, else as the logical way (rules.md)."""

Chart = Callable[[InfoStates, tuple[str, ...], int], Fraction]
"""(states, visible choices, total) -> draw probability."""


def _logical_way(states: InfoStates, choices: tuple[str, ...], total: int) -> Fraction:
    return Fraction(total in LOGICAL_WAY)


def _always_draw(states: InfoStates, choices: tuple[str, ...], total: int) -> Fraction:
    return Fraction(1)


def _always_stand(states: InfoStates, choices: tuple[str, ...], total: int) -> Fraction:
    return Fraction(0)


def _uniform(states: InfoStates, choices: tuple[str, ...], total: int) -> Fraction:
    return Fraction(1, 2)


def _wizard(states: InfoStates, choices: tuple[str, ...], total: int) -> Fraction:
    if states.role is Role.BANKER and states.num_players != 1:
        raise ValueError(
            f"policy 'wizard': its banker is published for one player only, "
            f"not for num_players={states.num_players}"
        )
    after_stand = states.role is Role.BANKER and choices == (STAND_TOKEN,)
    return Fraction(total in (WIZARD_BANKER_AFTER_STAND if after_stand else LOGICAL_WAY))


CHARTS: Mapping[str, Chart] = {
    "logical_way": _logical_way,
    "always_draw": _always_draw,
    "always_stand": _always_stand,
    "uniform": _uniform,
    "wizard": _wizard,
}


def get(
    name: str,
    rules: RulesLike,
    role: Role | str,
    num_players: int = 1,
    seat: int = 0,
    with_suits: bool = False,
) -> TabularPolicy:
    """A policy by name: logical_way, always_draw, always_stand, uniform or wizard.

    Args:
        name: The policy's name.
        rules: A sheet's name, a path, or a `RulesConfig`.
        role: "player" or "banker".
        num_players: Players against the banker.
        seat: The player's seat.
        with_suits: Whether the player holds a Dragon stake.

    Raises:
        ValueError: If there is no such policy, role or seat.
    """
    check_name(name)
    rules = load_rules(rules)
    states = info_states(rules, role, num_players, seat, with_suits)
    rows: dict[tuple[Fraction, ...], tuple[Fraction, ...]] = {}
    table = []
    for pattern, legal in zip(states.patterns, legal_table(rules, states), strict=True):
        by_total = [CHARTS[name](states, pattern, total) for total in range(10)]
        row = tuple(
            Fraction(moves[0]) if len(moves) == 1 else by_total[total]
            for moves, total in zip(legal, states.column_totals, strict=True)
        )
        table.append(rows.setdefault(row, row))
    return TabularPolicy(rules, states, tuple(table), name)


def check_name(name: str) -> None:
    """Refuse a name that no policy has.

    Raises:
        ValueError: Listing the known names.
    """
    if name not in CHARTS:
        raise ValueError(
            f"policy {name!r} is not known{closest(str(name), CHARTS)}; known: {', '.join(CHARTS)}"
        )


def resolve(
    policy: str | Policy,
    rules: RulesLike,
    role: Role | str,
    num_players: int = 1,
    seat: int = 0,
    with_suits: bool = False,
) -> TabularPolicy:
    """A `TabularPolicy` for a seat from a name, a `TabularPolicy`, or any `Policy`.

    A player's table by hand alone plays every suit class alike where the seat sees suits.

    Raises:
        ValueError: If it is none of these or is for another seat or for rules under which it is not legal.
    """
    rules = load_rules(rules)
    if isinstance(policy, str):
        return get(policy, rules, role, num_players, seat, with_suits)
    states = info_states(rules, role, num_players, seat, with_suits)
    if isinstance(policy, TabularPolicy):
        if with_suits and policy.states == info_states(rules, role, num_players, seat):
            policy = policy.for_every_suit_class()
        if policy.states != states:
            raise ValueError(
                f"policy {policy.name!r} is for {policy.states.seat_text}; here {states.seat_text} is "
                f"needed, with the cards and visible choices of {rules.name!r}"
            )
        return (
            policy if policy.rules == rules else TabularPolicy(rules, states, policy.draw_probs, policy.name)
        )
    if isinstance(policy, Policy) and not isinstance(policy, type):
        name = type(policy).__name__
        return TabularPolicy.from_callable(rules, role, policy.draw_prob, num_players, seat, name, with_suits)
    raise ValueError(
        f"policy {policy!r}: a name ({', '.join(CHARTS)}), a TabularPolicy or a Policy is needed"
    )
