"""`pan9 rules`: the rule sheets, and one sheet with its fields."""

from __future__ import annotations

import json

from pan9_gym.cli.strategy import ranges
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.rules.catalog import load_rules, sheet_names
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role


def all_sheets() -> Study:
    """The sheets that come with the package, a line each."""
    columns = (
        Column("sheet"),
        Column("decks"),
        Column("player"),
        Column("banker"),
        Column("ties the banker wins"),
        Column("pays"),
        Column("players"),
        Column("side bets"),
        Column("fingerprint"),
    )
    rows = []
    for name in sheet_names():
        rules = load_rules(name)
        rows.append(
            (
                name,
                "infinite" if rules.with_replacement else str(rules.num_decks),
                _drawing(rules, Role.PLAYER),
                "tableau" if rules.banker_tableau else _drawing(rules, Role.BANKER),
                ", ".join(map(str, sorted(rules.banker_wins_ties))) or "none",
                f"{rules.payout}",
                f"1-{rules.max_players}" if rules.max_players > 1 else "1",
                ", ".join(rules.side_bets.offered) or "none",
                rules.fingerprint,
            )
        )
    return Study("Rule sheets", (Table("Sheets", columns, tuple(rows)),))


def one_sheet(rules: RulesConfig) -> Study:
    """Every field of a sheet with its value."""
    fields = {field: value for field, value in rules.model_dump(mode="json").items() if field != "name"}
    rows = [(field, _value(value)) for field, value in fields.items()]
    rows.append(("fingerprint", rules.fingerprint))
    return Study(
        f"Rule sheet {rules.name}", (Table("Fields", (Column("field"), Column("value")), tuple(rows)),)
    )


def _drawing(rules: RulesConfig, role: Role) -> str:
    """What a role must do and may do, by total."""
    seen = (STAND_TOKEN,) if rules.banker_tableau else ()
    by_moves: dict[tuple[Action, ...], list[str]] = {}
    for total in TOTALS:
        if total not in rules.naturals:
            by_moves.setdefault(legal_actions(rules, role, total, seen), []).append(str(total))
    free = by_moves.pop((Action.STAND, Action.DRAW), [])
    forced = [f"{moves[0].name.lower()}s {ranges(totals)}" for moves, totals in by_moves.items()]
    return ", ".join([*forced, *([f"free {ranges(free)}"] if free else [])]) if forced else "free"


def _value(value: object) -> str:
    """A field's value as the sheet would have it."""
    return value if isinstance(value, str) else json.dumps(value)
