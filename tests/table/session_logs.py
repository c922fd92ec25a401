"""Logs of short sessions for tests: every sheet, random legal decisions, with and without faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pan9_gym.table import FaultKind, FaultRates, Table, table_config
from pan9_gym.table.log import footer_of, header_of, line_text
from pan9_gym.table.participants import Participant
from pan9_gym.table.session import Session
from tests.table.playing import play_at_random

FAULTS = FaultRates(**dict.fromkeys(map(str, FaultKind), 0.03))
FEES = {"banker": 2, "player": 1, "back_line": "1/2"}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"collection": FEES},
    "faults": {"collection": FEES, "faults": FAULTS, "collection_returned": True},
    "readings": {
        "collection": FEES,
        "collection_from": "seated",
        "cover": "net",
        "deal_empty_seats": True,
        "round_to_chips": "down",
        "refused_rounds": 9,
        "penetration": 1,
    },
    "other readings": {
        "collection": FEES,
        "faults": FAULTS,
        "stake_placed": "after_wagers",
        "side_bets_settled": "with_wager",
        "misplayed_card": "backed_up",
        "fouled_hand": "void",
        "reported_foul": "misdeal",
        "late_move_5_6": "new_box",
        "tied_circles": "higher",
        "exposed_banker": "logical_way",
        "shoe": "fresh",
    },
}
LOGGED_SHEETS = (
    "bicycle",
    "bicycle_bonus",
    "hawaiian_gardens",
    "uk_1994_house",
    "uk_1994_player",
    "baccarat_chemin_de_fer",
    "baccarat_punto_banco",
)


def random_session(sheet: str, variant: str, num_hands: int, seed: int = 3) -> list[str]:
    """The lines of a session of random decisions."""
    fields = dict(VARIANTS[variant])
    if sheet == "uk_1994_player" and variant != "plain":
        fields["tie_bettors"] = "banker"
    session = Session(table_config(sheet, **fields), Participant(), seed=seed)
    lines = [line_text(header_of(session))]
    for events in random_hands(session.table, num_hands, seed):
        lines += [line_text(event.to_dict()) for event in events]
    return [*lines, line_text(footer_of(session.table))]


def random_hands(table: Table, num_hands: int, seed: int) -> Iterable[Any]:
    rng = np.random.default_rng(seed)
    for _ in range(num_hands):
        if table.over:
            return
        yield play_at_random(table, rng)


@cache
def logged(sheet: str, variant: str = "plain", num_hands: int = 25) -> tuple[str, ...]:
    return tuple(random_session(sheet, variant, num_hands))


def write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def first(lines: Iterable[str], wanted: Callable[[dict[str, Any]], Any]) -> int:
    """The place of the first line that fits."""
    return next(place for place, text in enumerate(lines) if wanted(json.loads(text)))


def changed(lines: tuple[str, ...], number: int, /, **fields: Any) -> list[str]:
    """The lines with fields of one of them changed."""
    data = json.loads(lines[number]) | fields
    return [*lines[:number], line_text(data), *lines[number + 1 :]]
