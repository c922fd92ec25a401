"""Answers kept on disk, so that a question asked again is answered at once.

An entry's name is a hash of the question (with the rules' fingerprint in it) and of the source code and rule
sheets that answer it, so that no entry outlives a change of either. Entries are written whole to a file of
their own and then renamed: two processes at once write the same answer, and a process that is stopped leaves
no half entry.
The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from pan9_gym.cli.options import Output
from pan9_gym.cli.tables import Study, written
from pan9_gym.policies.storage import write_text
from pan9_gym.rules.config import RulesConfig

FOLDER_VARIABLE = "PAN9_CACHE_DIR"
"""The environment variable that names another folder."""

_ANSWERED_BY = ("rules", "game", "policies", "solver", "evaluation", "cli")


def cache_folder() -> Path:
    """Where answers are kept."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named).expanduser() if named else user_cache_path("pan9-gym", appauthor=False)


@cache
def solver_version() -> str:
    """A hash of all source code and rule sheets that decide an answer."""
    digest = hashlib.sha256()
    for folder in (*(files("pan9_gym") / part for part in _ANSWERED_BY), files("pan9_gym.configs") / "rules"):
        for source in _sources(folder):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _sources(entry)
        elif entry.name.endswith((".py", ".yaml")):
            found.append(entry)
    return found


def cached(question: dict[str, Any], answer: Callable[[], Study], use_cache: bool = True) -> Study:
    """The answer kept for a question, or a new one, which is then kept.

    A damaged entry is replaced, with a warning; a folder that cannot be written to only costs time.

    Args:
        question: All that decides the answer, as JSON data; the rules as their fingerprint.
        answer: Finds it.
        use_cache: Whether to look at what is kept; a new answer is kept in any case.
    """
    key = json.dumps({**question, "solver": solver_version()}, sort_keys=True)
    path = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
    kept = _read(path, key) if use_cache else None
    if kept is not None:
        return kept
    study = answer()
    data = study.to_dict()
    _write(path, {"question": key, "study": data, "checksum": _checksum(data)})
    return study


def _checksum(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def answered(
    output: Output, rules: RulesConfig, question: dict[str, Any], answer: Callable[[], Study]
) -> None:
    """Print the answer to a question about some rules, a kept one if that will do.

    Args:
        output: How it is printed, and whether a kept answer will do.
        rules: The rules; their name is in the answer's title, their fingerprint decides the rest.
        question: All else that decides the answer, as JSON data.
        answer: Finds it.
    """
    whole = {**question, "rules": rules.fingerprint, "name": rules.name}
    found = cached(whole, answer, output.use_cache)
    notes = (*found.notes, f"rules fingerprint {rules.fingerprint}")
    print(written(replace(found, notes=notes), output.form))


def clear_cache() -> int:
    """Delete every kept answer; how many there were."""
    kept = list(cache_folder().glob("*.json"))
    for entry in kept:
        entry.unlink(missing_ok=True)
    return len(kept)


def _read(path: Path, key: str) -> Study | None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        _warn(f"cache entry {path} cannot be read ({error}); it is made anew")
        return None
    try:
        entry = json.loads(text)
        if entry["question"] != key:
            raise ValueError("it answers another question")
        if entry["checksum"] != _checksum(entry["study"]):
            raise ValueError("its checksum is wrong")
        return Study.from_dict(entry["study"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        _warn(f"cache entry {path} is damaged ({error}); it is made anew")
        return None


def _write(path: Path, entry: dict[str, Any]) -> None:
    try:
        write_text(path, json.dumps(entry))
    except OSError as error:
        _warn(f"the answer cannot be kept in {path.parent} ({error.strerror})")


def _warn(message: str) -> None:
    print(f"warning: {message}", file=sys.stderr)
