"""YAML read strictly: version 1.2, no duplicate keys, no aliases, no tags, no directives, a size limit.

YAML 1.2 reads `1e-4` as a number and `no` as a word; ruamel.yaml refuses a key that is given twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, DocumentStartEvent, ScalarEvent

from pan9_gym.rules.errors import ConfigError

SIZE_LIMIT = 1_000_000
"""Bytes; the project's own files have a hundredth of it."""


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping with text keys.

    Raises:
        ConfigError: If the file is missing, too large, or no such YAML.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    if len(raw) > SIZE_LIMIT:
        raise ConfigError(f"{path}: is too large; at most {SIZE_LIMIT} bytes are read")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, source: str) -> dict[str, Any]:
    """Read YAML text whose top level is a mapping with text keys; an empty text is an empty mapping.

    >>> parse_yaml("learning_rate: 1e-4", "example")
    {'learning_rate': 0.0001}

    Raises:
        ConfigError: If it is not; the message starts with `source`.
    """
    try:
        forbidden = _forbidden_feature(text)
        data = None if forbidden else YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{source}{line}: is not valid YAML: {str(problem).strip()}") from None
    except RecursionError:
        raise ConfigError(f"{source}: is not valid YAML: nested too deeply") from None
    except ValueError as error:  # a number or a date that Python cannot hold
        raise ConfigError(f"{source}: is not valid YAML: {error}") from None
    if forbidden:
        raise ConfigError(f"{source}: {forbidden}")
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{source}: must be a mapping with text keys")
    return data


def apply_override(data: dict[str, Any], override: str) -> None:
    """Write a text such as "seed=3" or "ppo.learning_rate=1e-3" into a mapping, the value read as YAML.

    Raises:
        ConfigError: If it is no key=value, or a name before a dot has no fields.
    """
    key, equals, value = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"override {override!r}: write key=value, such as seed=3 or num_decks=8")
    if not value.strip():
        raise ConfigError(f"override {override!r}: has no value; write one, or null for none")
    target = data
    *parents, leaf = key.strip().split(".")
    for parent in parents:
        if target.get(parent) is None:
            target[parent] = {}
        target = target[parent]
        if not isinstance(target, dict):
            raise ConfigError(f"override {override!r}: {parent!r} has no fields")
    target[leaf] = parse_yaml(f"value: {value}", f"override {override!r}")["value"]


def _forbidden_feature(text: str) -> str:
    """What YAML offers, the text uses and this project does not take; empty if there is nothing."""
    if not any(mark in text for mark in ("*", "!", "%", "<<")):  # no second parse for nearly every file
        return ""
    for event in YAML(typ="safe", pure=True).parse(text):
        if isinstance(event, AliasEvent):
            return "aliases (*name) are not allowed; write the value out"
        if isinstance(event, DocumentStartEvent) and (event.version or event.tags):
            return "directives (%NAME) are not allowed; YAML is read as version 1.2"
        if isinstance(event, ScalarEvent) and event.value == "<<":
            return f"merge keys (<<) are not allowed; line {event.start_mark.line + 1} has one"
        if getattr(event, "tag", None):
            return f"tags (!name) are not allowed; line {event.start_mark.line + 1} has one"
    return ""
