"""The policy file: JSON with the seat, the fingerprints of rules and layout, and rows of exact fractions."""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pan9_gym.game.info_state import InfoStates, legal_table
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError, validated

FORMAT = "pan9-policy-1"

LONGEST_PROBABILITY = 4000
"""Characters of one probability; Python reads no number of more than 4300 digits."""

LONGEST_MESSAGE = 300
"""Characters of an error about a file's content."""

_PROBABILITY = re.compile(r"-?[0-9]+([/.][0-9]+)?")
"""No power of ten: a short text such as "1e-400000000" would take all memory."""

SIZE_LIMIT = 64_000_000
"""Bytes; the largest real file, a banker against seven players, has under a tenth of it."""


class PolicyFile(BaseModel):
    """What a policy file holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["pan9-policy-1"]
    name: str = "table"
    role: Literal["player", "banker"]
    num_players: int = Field(ge=1, le=7)
    seat: int = Field(ge=0, le=7)
    with_suits: bool = False
    rules_name: str
    rules_fingerprint: str
    layout_fingerprint: str
    draw_prob: list[list[str]] = Field(min_length=1)

    def rows(self, path: str | Path, states: InfoStates) -> tuple[tuple[Fraction, ...], ...]:
        """The table as fractions; one row stands for all patterns."""
        rows = tuple(tuple(_probability(path, text) for text in row) for row in self.draw_prob)
        return rows * states.shape[0] if len(rows) == 1 else rows


def _probability(path: str | Path, text: str) -> Fraction:
    try:
        if len(text) <= LONGEST_PROBABILITY and _PROBABILITY.fullmatch(text):
            return Fraction(text)
    except ZeroDivisionError:
        pass
    raise ConfigError(
        f"{path}: field 'draw_prob' has the value {_shortened(repr(text))}: "
        f"a fraction such as '9/11' is needed"
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}..."


def write(path: Path, data: dict[str, Any]) -> None:
    """Write JSON so that a crash leaves the old file or the new one, never a part."""
    write_text(path, json.dumps(data, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file so that a crash leaves the old file or the new one, never a part.

    Its permissions are those of any new file, not the private ones of a temporary file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: Path) -> PolicyFile:
    """Read a policy file.

    Raises:
        ConfigError: If it cannot be read or is no policy file.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
        if len(raw) > SIZE_LIMIT:
            raise ConfigError(f"{path}: is larger than {SIZE_LIMIT} bytes, so it is no policy file")
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=_without_repetition)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except ConfigError:
        raise
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is damaged or not a policy file ({error})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else None
        found = _shortened(repr(found))
        raise ConfigError(f"{path}: is not a policy file: format {found}, but {FORMAT!r} is needed")
    try:
        return validated(PolicyFile, data, str(path))
    except ConfigError as error:  # a table can have a fault in every entry: the first one is named
        raise ConfigError(_shortened(str(error).splitlines()[0])) from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} comes twice")
    return dict(pairs)


def check_fits(
    path: str | Path, data: PolicyFile, rules: RulesConfig, states: InfoStates, allow_other_rules: bool
) -> None:
    """Refuse a file whose numbers mean something else, or that was made for other rules.

    Raises:
        ConfigError: Naming both fingerprints.
    """
    if data.layout_fingerprint != states.fingerprint:
        raise ConfigError(
            f"{path}: layout_fingerprint {data.layout_fingerprint!r} is of other cards or visible choices "
            f"than those of {rules.name!r} ({states.fingerprint!r})"
        )
    if data.seat != states.seat:
        raise ConfigError(
            f"{path}: field 'seat' has the value {data.seat}: the {states.role} of num_players="
            f"{states.num_players} has seat {states.seat}"
        )
    if data.rules_fingerprint != rules.fingerprint and not allow_other_rules:
        raise ConfigError(
            f"{path}: was made for the rules {data.rules_name!r} ({data.rules_fingerprint!r}), not for "
            f"{rules.name!r} ({rules.fingerprint!r}); allow_other_rules=True accepts it"
        )


def with_forced_moves(
    path: str | Path, rows: tuple[tuple[Fraction, ...], ...], rules: RulesConfig, states: InfoStates
) -> tuple[tuple[Fraction, ...], ...]:
    """Replace moves that these rules do not allow by the forced move, and list them in one warning.

    A table of another shape comes back as it is, to be refused for its shape.
    """
    num_patterns, num_columns = states.shape
    if [len(row) for row in rows] != [num_columns] * num_patterns:
        return rows
    replaced: set[str] = set()
    fitted = []
    for row, legal in zip(rows, legal_table(rules, states), strict=True):
        new_row = []
        for column, prob in enumerate(row):
            if len(legal[column]) == 1 and prob != legal[column][0]:
                replaced.add(f"total {states.column_totals[column]}: {legal[column][0].name}")
                prob = Fraction(legal[column][0])
            new_row.append(prob)
        fitted.append(tuple(new_row))
    if replaced:
        warnings.warn(
            f"{path}: moves that {rules.name!r} does not allow were replaced: {'; '.join(sorted(replaced))}",
            stacklevel=3,
        )
    return tuple(fitted)
