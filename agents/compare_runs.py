"""Runs to be compared: named, read, judged under a sheet, sorted by task and by config."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agents.config import HOW_IT_LEARNS, TrainConfig
from agents.extract import Extracted
from agents.parts import parts_of
from agents.run_folder import GREEDY, METRICS, STOCHASTIC, RunFolder
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import ConfigError, RulesConfig, load_rules


@dataclass(frozen=True)
class ComparedRun:
    """A run in a comparison.

    Attributes:
        name: What tables call it.
        folder: Its folder.
        trained: Its config; of one part, where it learned several.
        judged: The same with the rules that it is judged under.
        policies: Its policies under those rules.
        notes: Moves that these rules forbid and that were replaced.
        part: The part's label, where it learned several.
    """

    name: str
    folder: RunFolder
    trained: TrainConfig
    judged: TrainConfig
    policies: Extracted
    notes: tuple[str, ...] = ()
    part: str = ""

    @property
    def rules(self) -> RulesConfig:
        """The rules that it is judged under."""
        return load_rules(self.judged.sheet)

    @property
    def elsewhere(self) -> bool:
        """Whether it is judged under other rules than it was trained on."""
        return self.rules.fingerprint != load_rules(self.trained.sheet).fingerprint

    @property
    def is_duel(self) -> bool:
        """Whether it plays one player against the banker for the wager alone."""
        return self.judged.num_players == 1 and not self.judged.side_stakes

    @property
    def task(self) -> dict[str, Any]:
        """The fields that say what is played, the rules by name."""
        fields = self.judged.model_dump(mode="json", exclude=_learning_fields(self.judged))
        return {**fields, "rules": self.rules.name}

    @property
    def unusual(self) -> tuple[str, ...]:
        """What the task has besides rules, role and opponent that differs from the default, in words."""
        defaults = TrainConfig.model_fields
        return tuple(
            f"{key} {_short(value)}"
            for key, value in self.task.items()
            if key not in ("rules", "role", "opponent") and value != defaults[key].default
        )

    @property
    def task_key(self) -> str:
        """A text that is equal for runs of the same task."""
        return _as_text({**self.task, "rules": self.rules.fingerprint})

    @property
    def config_key(self) -> str:
        """A text that is equal for runs that differ by the seed alone."""
        data = self.trained.model_dump(mode="json", exclude={"name", "seed"})
        return _as_text({**data, "rules": load_rules(self.trained.sheet).fingerprint})


def open_runs(paths: Sequence[str], on: str | None = None) -> list[ComparedRun]:
    """The runs of these folders.

    Args:
        paths: The runs' folders.
        on: A sheet to judge them under; default each run's own.

    Raises:
        ConfigError: If there is none, if a folder is not one of a finished run, or if the sheet's hands or
            visible choices are not those that a run was trained on.
    """
    if not paths:
        raise ConfigError("nothing to compare: give the folder of at least one run, such as runs/RUN")
    opened = zip(_names(paths), paths, strict=True)
    return [run for name, path in opened for run in _open_run(name, RunFolder.open(path), on)]


def _open_run(name: str, folder: RunFolder, on: str | None) -> list[ComparedRun]:
    """A run; one that learned several sheets or roles comes once for each."""
    config, policies = folder.config(), folder.policies()
    if config.shoes is not None:
        raise ConfigError(
            f"run {str(folder.path)!r}: is judged on {config.shoes.number} depleted shoes, not at one table; "
            f"`python -m agents.evaluate` shows what it found"
        )
    parts = parts_of(config)
    if len(parts) > 1:
        if on is not None:
            raise ConfigError(
                f"run {str(folder.path)!r}: has learned {len(parts)} sheets and roles, so that it cannot be "
                f"judged under another sheet; leave out --on"
            )
        return [
            ComparedRun(f"{name}, {part.label}", folder, part.config, part.config, own, part=part.label)
            for part, own in zip(parts, policies, strict=True)
        ]
    config = parts[0].config
    if on is None:
        return [ComparedRun(name, folder, config, config, policies[0])]
    return [_on_sheet(name, folder, config, on)]


def _on_sheet(name: str, folder: RunFolder, config: TrainConfig, on: str) -> ComparedRun:
    """A run judged under another sheet than its own."""
    rules = load_rules(on)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        greedy, stochastic = (
            TabularPolicy.load(folder.path / file, rules, allow_other_rules=True)
            for file in (GREEDY, STOCHASTIC)
        )
    notes = dict.fromkeys(str(entry.message).rsplit("/", 1)[-1] for entry in caught)
    judged = config.model_copy(update={"rules": on})
    return ComparedRun(name, folder, config, judged, Extracted(greedy, stochastic), tuple(notes))


def by_task(runs: Sequence[ComparedRun], across: bool) -> list[list[ComparedRun]]:
    """The runs of each task together.

    Args:
        runs: At least one run.
        across: Whether several tasks are meant.

    Raises:
        ConfigError: If there are several tasks and that is not meant, naming what differs.
    """
    groups = _grouped((run.task_key, run) for run in runs)
    if len(groups) > 1 and not across:
        first, other = groups[0][0], groups[1][0]
        differing = [key for key in first.task if first.task[key] != other.task.get(key)] or ["rules"]
        raise ConfigError(
            f"these runs are of different tasks: {first.name!r} has {_fields(first, differing)}, "
            f"{other.name!r} has {_fields(other, differing)}; with --across each task gets a table of its own"
        )
    return groups


def by_config(runs: Sequence[ComparedRun]) -> dict[str, list[ComparedRun]]:
    """The runs of each config together, by its name; algorithms, then numbers, tell equal names apart."""
    groups = _grouped((run.config_key, run) for run in runs)
    names = [group[0].trained.name for group in groups]
    learners = [group[0].trained.algorithm for group in groups]
    names = [
        name if names.count(name) == 1 else f"{name}, {learner}"
        for name, learner in zip(names, learners, strict=True)
    ]
    return dict(zip(_numbered(names), groups, strict=True))


def read_history(run: ComparedRun) -> list[dict[str, Any]]:
    """The evaluations of a run, from its metrics; empty if it kept none.

    Raises:
        ConfigError: If a line of the file is damaged.
    """
    path = run.folder.path / METRICS
    if not path.is_file():
        return []
    history = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            for group in ("exact", "exact_stochastic"):
                float(entry[group]["gap"])
            int(entry["decisions"])
            own = {key: float(gap) for key, gap in entry["parts"][run.part].items()} if run.part else {}
        except (ValueError, TypeError, KeyError):
            raise ConfigError(f"{path}: line {number} is damaged: it holds no exact gaps") from None
        history.append(entry | {key: {"gap": gap} for key, gap in own.items()})
    return history


def _grouped(keyed: Iterable[tuple[str, ComparedRun]]) -> list[list[ComparedRun]]:
    groups: dict[str, list[ComparedRun]] = {}
    for key, run in keyed:
        groups.setdefault(key, []).append(run)
    return list(groups.values())


def _learning_fields(config: TrainConfig) -> set[str]:
    settings = {name for name in TrainConfig.model_fields if isinstance(getattr(config, name), BaseModel)}
    return (settings | HOW_IT_LEARNS) & set(TrainConfig.model_fields)


def _fields(run: ComparedRun, keys: Sequence[str]) -> str:
    return ", ".join(f"{key} {run.task.get(key)!r}" for key in keys)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _as_text(data: dict[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)


def _names(runs: Sequence[str]) -> list[str]:
    """The folders' names; where two are equal, with as much of their paths as tells them apart."""
    paths = [Path(run).resolve() for run in runs]
    names = [path.name for path in paths]
    for length in range(2, 100):
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            break
        names = [
            "/".join(path.parts[-length:]) if name in twice else name
            for name, path in zip(names, paths, strict=True)
        ]
    return _numbered(names)


def _numbered(names: Sequence[str]) -> list[str]:
    """Names of which those that come several times have their place behind them."""
    return [name if names.count(name) == 1 else f"{name} ({place + 1})" for place, name in enumerate(names)]
