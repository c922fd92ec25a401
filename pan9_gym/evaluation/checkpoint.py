"""A simulation's counts on disk, from which the same simulation goes on.

A checkpoint is written whole to a file of its own and then renamed, so that a run that is killed leaves the
one before.
"""

from __future__ import annotations

import hashlib
import json
from errno import ENOENT
from os import strerror
from pathlib import Path
from typing import Any

import numpy as np

from pan9_gym.evaluation.chunk_workers import Counts
from pan9_gym.evaluation.plan import Plan
from pan9_gym.policies.storage import write_text
from pan9_gym.rules.errors import ConfigError

FORMAT = "pan9-simulation-2"


def read_checkpoint(path: Path, plan: Plan) -> Counts | None:
    """The counts of an earlier run of the same plan; `None` if there is no such file.

    Raises:
        ConfigError: If the file is no checkpoint, is damaged, or is another plan's.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        raise _unusable(path, "it is no checkpoint of a simulation, or it is damaged") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _unusable(path, f"it is no checkpoint of a simulation (format {FORMAT!r} is needed)")
    if data.get("checksum") != _checksum(data):
        raise _unusable(path, "it is damaged: its checksum is wrong")
    _check_identity(path, data.get("run"), plan)
    return _counts(data)


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(f"checkpoint {path}: {why}; delete it or name another file")


def _check_identity(path: Path, there: Any, plan: Plan) -> None:
    for key, here in plan.identity.items():
        if there.get(key) != here:
            name = {"hands": "number of hands"}.get(key, key)
            said = f"{name} {there.get(key)!r} there, {here!r} here"
            raise _unusable(path, f"it is another run's: {said}")


def _counts(data: dict[str, Any]) -> Counts:
    joint, share_squares = (np.array(data[key], dtype=np.int64) for key in ("joint_totals", "share_squares"))
    return Counts(data["chunks_done"], joint, share_squares, tuple(data["sums"]), tuple(data["squares"]))


def write_checkpoint(path: Path, plan: Plan, counts: Counts) -> None:
    """Keep the counts so far.

    Raises:
        OSError: If the file cannot be written.
    """
    data: dict[str, Any] = {
        "format": FORMAT,
        "run": plan.identity,
        "chunks_done": counts.num_chunks,
        "joint_totals": counts.joint_totals.tolist(),
        "share_squares": counts.share_squares.tolist(),
        "sums": counts.sums,
        "squares": counts.squares,
    }
    data["checksum"] = _checksum(data)
    if not path.parent.is_dir():  # a slip of the pen makes no folders
        raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))
    write_text(path, json.dumps(data))


def _checksum(data: dict[str, Any]) -> str:
    content = {key: value for key, value in data.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
