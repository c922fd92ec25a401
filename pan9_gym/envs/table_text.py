"""A whole table as text: what one participant may see."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pan9_gym.envs.rendering import HIDDEN
from pan9_gym.envs.table_glimpse import Glimpse
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.table.config import TableConfig
from pan9_gym.table.events import money
from pan9_gym.table.seating import BOTH, place_of


def table_text(
    header: str, config: TableConfig, known: Glimpse, due: str, last: Mapping[str, Fraction]
) -> str:
    """The table as one participant may see it.

    Args:
        header: What the first line begins with.
        config: The table.
        known: What the participant may know.
        due: Who is asked; empty once the episode has ended.
        last: What the latest hand brought everybody.
    """
    lines = [f"{header}, {config.rules.name}"]
    if known.stake:
        lines[0] += f", stake {known.stake:g}"
    lines += [_line(config.rules, known, name, place_of(name)) for name in config.participants]
    if due and known.phase is not None:
        lines.append(f"{due} is asked: {known.phase.value}")
    if last:
        flows = ", ".join(f"{name} {money(last.get(name, Fraction(0)))}" for name in config.participants)
        lines.append(f"the latest hand brought: {flows}")
    return "\n".join(lines)


def _line(rules: RulesConfig, known: Glimpse, name: str, place: int) -> str:
    parts = []
    if known.banker == place:
        parts.append("banks")
    for wager in known.wagers:
        if wager.place == place or (wager.place == BOTH and wager.by == name):
            by = "" if wager.by == name else f" by {wager.by}"
            on = "wager" if wager.bet is None else wager.bet.value
            both = " on both hands" if wager.place == BOTH else ""
            parts.append(f"{on} {money(wager.amount)}{both}{by}")
    if place in known.opened:
        cards = known.opened[place]
        total = hand_total(card_values(rules, cards))
        parts.append(f"cards {' '.join(map(str, cards))} = {total}")
    elif place == _shown(known) and known.values:
        points = " ".join(map(str, known.values))
        parts.append(f"cards worth {points} = {hand_total(known.values)}")
    elif place in known.exposed:
        parts.append(f"cards {HIDDEN}, face up " + " ".join(map(str, known.exposed[place])))
    if place in known.seen:
        parts.append("draws" if known.seen[place].action else "stands")
    you = " (you)" if place == known.place else ""
    return f"{name}{you}: {', '.join(parts) or '-'}"


def _shown(known: Glimpse) -> int:
    """Whose cards the participant sees: the hand that he is asked to play, or his own."""
    asked = known.asked == known.place and known.playing is not None
    return known.playing if asked and known.playing is not None else known.place
