"""`pan9 study effects`: what each rule is worth alone, and each card, one player against the banker.

The value of a game is that of its equilibrium by hand, to the player, per unit wagered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.cli.progress import tracked, working
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import STAND_TOKEN, Role, Visible, draw_token
from pan9_gym.solver.equilibrium import Equilibrium, equilibrium
from pan9_gym.solver.removal import effects_of_removal

PACKS = (*range(1, 17), "infinite")
LOST_TIES: dict[str, list[int]] = {"none": [], "on 0": [0], "on 0 and 1": [0, 1], "all": list(TOTALS)}
FORCED: dict[str, dict[str, list[int]]] = {
    "free": {},
    "draw 0-4, stand 7-9": {"must_draw": [0, 1, 2, 3, 4], "must_stand": [7, 8, 9]},
    "draw 0-5, stand 6-9": {"must_draw": [0, 1, 2, 3, 4, 5], "must_stand": [6, 7, 8, 9]},
}
"""Free (B4), the page with the bonus bets (S3), the House (U2)."""

CHANGES = (
    Column("rule"),
    Column("is"),
    Column("value", "exact"),
    Column("difference", "exact"),
    Column("equilibrium"),
    Column("player differs on"),
    Column("banker differs on"),
    Column("exploitability", "exact"),
)
REMOVALS = (
    Column("card of value"),
    Column("in the shoe", "whole"),
    Column("effect on the value, millionths", "exact"),
    Column("effect for fixed strategies, millionths", "exact"),
)
MILLION = 1_000_000
"""The effect of one card is less than a thousandth of a wager."""


@dataclass(frozen=True)
class Change:
    """One rule changed.

    Attributes:
        rule: What it is called.
        label: What it is changed to.
        field: The field of `RulesConfig`.
        value: The field's value.
    """

    rule: str
    label: str
    field: str
    value: Any


def effects(rules: RulesConfig) -> Study:
    """Each rule changed alone, and the effects of removing a card.

    Args:
        rules: The rules, with a full shoe.

    Raises:
        ArithmeticError: If the value of a shoe without one card is not proved exactly.
    """
    tables = [rule_changes(rules)]
    notes = ["values: the player's, per unit wagered, of the equilibrium by hand"]
    if rules.with_replacement:
        notes.append("cards are dealt with replacement, so no card is ever removed")
    else:
        with working("effects of removal"):
            tables.append(removals(rules))
    return Study(
        f"{rules.name}: what each rule and each card is worth",
        tuple(tables),
        (*notes, *rules.assumptions(num_players=1)),
    )


def rule_changes(rules: RulesConfig) -> Table:
    """The game solved again with each rule changed alone, all else as it is."""
    sheet = equilibrium(rules)
    rows: list[tuple[Cell, ...]] = [("as it is", None, *_figures(sheet, sheet))]
    left_out = []
    for change in tracked(_changes(rules), "rules changed"):
        try:
            changed = load_rules(rules, **{change.field: change.value})
        except ConfigError:
            left_out.append(f"{change.rule} {change.label}")
            continue
        same = getattr(changed, change.field) == getattr(rules, change.field)
        found = sheet if same else equilibrium(changed)
        label = f"{change.label} (as it is)" if same else change.label
        rows.append((change.rule, label, *_figures(found, sheet)))
    notes = [
        "differs on: totals with a hand that is played otherwise than in the equilibrium of the first line",
        "exploitability 0 proves the value",
    ]
    if left_out:
        notes.append(f"not possible here: {'; '.join(left_out)}")
    return Table("Each rule changed alone", CHANGES, tuple(rows), tuple(notes))


def _changes(rules: RulesConfig) -> list[Change]:
    """Every change; no forced moves for a banker who never chooses."""
    forced = [
        Change(f"forced moves of the {role}", name, f"{role}_draw_rule", totals)
        for role in ((Role.PLAYER,) if rules.banker_tableau else Role)
        for name, totals in FORCED.items()
    ]
    return [
        *(Change("packs", str(number), "num_decks", number) for number in PACKS),
        *(Change("the bank wins ties", name, "banker_wins_ties", ties) for name, ties in LOST_TIES.items()),
        *(Change("a win pays", payout, "payout", payout) for payout in ("1", "19/20")),
        *forced,
        *(Change("the banker sees", sees.value, "banker_sees", sees) for sees in Visible),
    ]


def _figures(found: Equilibrium, sheet: Equilibrium) -> tuple[Cell, ...]:
    mixed = len(found.mixed)
    return (
        found.value,
        found.value - sheet.value,
        f"mixes on {mixed} decision{'' if mixed == 1 else 's'}" if mixed else "pure",
        *(_differs(sheet.policy(role), found.policy(role)) for role in Role),
        found.exploitability,
    )


def _differs(before: TabularPolicy, after: TabularPolicy) -> str | None:
    """The totals with a hand that two policies play differently, by what the player did."""
    if not before.states.num_visible and not after.states.num_visible:
        return _totals(_differing(before, after, None)) or None
    after_draw = {total for value in before.rules.values for total in _differing(before, after, value)}
    parts = {"stood": _differing(before, after, None), "drew": after_draw}
    return "; ".join(f"{did} {_totals(totals)}" for did, totals in parts.items() if totals) or None


def _totals(totals: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(totals)))


def _differing(before: TabularPolicy, after: TabularPolicy, card: int | None) -> set[int]:
    """The totals played differently against a player who drew a card, `None` for one who stood."""
    rows = zip(before.states.column_totals, _row(before, card), _row(after, card), strict=True)
    return {total for total, old, new in rows if old != new}


def _row(policy: TabularPolicy, card: int | None) -> tuple[Fraction, ...]:
    """The drawing probabilities against what the policy sees of that."""
    states = policy.states
    token = STAND_TOKEN if card is None else draw_token(card if states.cards_seen else None)
    return policy.draw_probs[states.pattern_index((token,) if states.num_visible else ())]


def removals(rules: RulesConfig) -> Table:
    """What one card fewer of a value changes: in the value of the game, and if nobody changes his strategy.

    Raises:
        ArithmeticError: If a value is not proved exactly.
    """
    solution = equilibrium(rules)
    of_value = effects_of_removal(rules)
    of_pair = effects_of_removal(rules, player=solution.player, banker=solution.banker)
    rows: list[tuple[Cell, ...]] = [
        (str(value), number, *(_millionths(found.effects[value]) for found in (of_value, of_pair)))
        for value, number in zip(rules.values, of_value.shoe, strict=True)
    ]
    rows.append(("any", sum(of_value.shoe), _millionths(of_value.mean), _millionths(of_pair.mean)))
    notes = (
        "what the player's expectation changes by when one card of the value is missing",
        "any: the mean over all cards, exactly 0 for fixed strategies",
    )
    return Table("Effects of removal", REMOVALS, tuple(rows), notes)


def _millionths(effect: Fraction | None) -> Fraction | None:
    return None if effect is None else effect * MILLION
