"""YAML read strictly: version 1.2, no duplicate keys, no aliases, no tags of foreign objects, a size limit.

YAML 1.2 reads `1e-4` as a number and `no` as a word; ruamel.yaml refuses a key that is given twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from pan9_gym.rules.errors import ConfigError

SIZE_LIMIT = 1_000_000
"""Bytes; the project's own files have a hundredth of it."""


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping with text keys.

    Raises:
        ConfigError: If the file is missing, too large, or no such YAML.
    """
    try:
        size = path.stat().st_size
        if size > SIZE_LIMIT:
            raise ConfigError(f"{path}: {size} bytes; at most {SIZE_LIMIT} are read")
        return parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None


def parse_yaml(text: str, source: str) -> dict[str, Any]:
    """Read YAML text whose top level is a mapping with text keys; an empty text is an empty mapping.

    >>> parse_yaml("learning_rate: 1e-4", "example")
    {'learning_rate': 0.0001}

    Raises:
        ConfigError: If it is not; the message starts with `source`.
    """
    try:
        if any(isinstance(event, AliasEvent) for event in YAML(typ="safe", pure=True).parse(text)):
            raise ConfigError(f"{source}: aliases (*name) are not allowed; write the value out")
        data = YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{source}{line}: is not valid YAML: {str(problem).strip()}") from None
    except RecursionError:
        raise ConfigError(f"{source}: is not valid YAML: nested too deeply") from None
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{source}: must be a mapping with text keys")
    return data
