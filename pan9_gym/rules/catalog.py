"""The rule sheets by name: `load_rules` turns a name, a path or a `RulesConfig` into a `RulesConfig`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError, closest, validated
from pan9_gym.rules.strict_yaml import parse_yaml, read_yaml

DEFAULT_SHEET = "bicycle"

RulesLike = str | Path | RulesConfig
"""What is accepted wherever rules are asked for: a sheet's name, a path to a sheet, or the object."""


def sheet_names() -> tuple[str, ...]:
    """The names of the sheets that come with the package, sorted."""
    return tuple(sorted(_sheets()))


def load_rules(rules: RulesLike = DEFAULT_SHEET, **overrides: Any) -> RulesConfig:
    """Load a rule set.

    Args:
        rules: A sheet's name (see `sheet_names`), a path to a YAML file of the same form, or a `RulesConfig`.
        **overrides: Fields that differ, as keywords; the name then says so.

    >>> load_rules("bicycle", num_decks=8).name
    'bicycle, num_decks=8'

    Raises:
        ConfigError: If there is no such sheet, or a field or value is not allowed.
    """
    loaded = rules if isinstance(rules, RulesConfig) else _load_sheet(rules)
    if not overrides:
        return loaded
    changes = ", ".join(f"{field}={value}" for field, value in overrides.items())
    data = {**loaded.model_dump(mode="json"), "name": f"{loaded.name}, {changes}", **overrides}
    return validated(RulesConfig, data, f"rules {loaded.name!r} with {changes}")


def _load_sheet(rules: str | Path) -> RulesConfig:
    if not isinstance(rules, str | Path):
        raise ConfigError(f"rules {rules!r}: must be a sheet's name, a path, or a RulesConfig")
    if isinstance(rules, Path) or rules.endswith((".yaml", ".yml")) or "/" in rules or "\\" in rules:
        path = Path(rules)
        return _sheet_from(read_yaml(path), path.stem, str(path))
    sheets = _sheets()
    if rules not in sheets:
        raise ConfigError(
            f"rule sheet {rules!r} is not known{closest(rules, sheets)}; "
            f"known sheets: {', '.join(sheet_names())}; or give a path to a .yaml file"
        )
    return _own_sheet(rules)


@cache
def _own_sheet(name: str) -> RulesConfig:
    """A sheet that comes with the package, which is read once."""
    source = f"configs/rules/{name}.yaml"
    return _sheet_from(parse_yaml(_sheets()[name].read_text(encoding="utf-8"), source), name, source)


def _sheet_from(data: dict[str, Any], name: str, source: str) -> RulesConfig:
    unknown = sorted(set(data) - {"fields", "sources"})
    if unknown:
        raise ConfigError(f"{source}: unknown key {unknown[0]!r}; a sheet has fields: and sources:")
    fields = data.get("fields")
    if not isinstance(fields, dict):
        raise ConfigError(f"{source}: fields: is missing or no mapping")
    empty = [field for field, value in fields.items() if value is None]
    if empty:
        raise ConfigError(f"{source}: field {empty[0]!r} has no value; write one or leave the field out")
    _check_sources(data.get("sources", {}), source)
    return validated(RulesConfig, {"name": name, **fields}, source)


def _check_sources(sources: object, source: str) -> None:
    if not isinstance(sources, dict):
        raise ConfigError(f"{source}: sources: must be a mapping from fields to their sources")
    known = [field for field in RulesConfig.model_fields if field != "name"]
    for field in sources:
        if field not in known:
            near = closest(str(field), known)
            raise ConfigError(
                f"{source}: sources: names the unknown field {field!r}{near}; allowed: {', '.join(known)}"
            )


def _sheets() -> dict[str, Traversable]:
    folder = files("pan9_gym.configs") / "rules"
    return {
        entry.name.removesuffix(".yaml"): entry for entry in folder.iterdir() if entry.name.endswith(".yaml")
    }
