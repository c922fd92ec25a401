"""A run's folder: what is in it, written so that a crash never leaves half a file.

config.yaml  policy.json  policy_stochastic.json  best_policy.json  best.json  table.json  table.md
metrics.jsonl
checkpoints/step_NNNNNNNNN/{model.zip, policy.json, policy_stochastic.json}  tensorboard/

The policies of a task with several parts are in folders of their own, parts/LABEL/policy.json and so on.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from stable_baselines3.common.base_class import BaseAlgorithm

from agents.config import TrainConfig
from agents.extract import Extracted
from agents.folders import new_folder
from agents.parts import Part, parts_of
from pan9_gym.policies import TabularPolicy
from pan9_gym.policies.storage import write, write_text
from pan9_gym.rules import ConfigError, load_rules
from pan9_gym.rules.errors import validated
from pan9_gym.rules.strict_yaml import read_yaml

CONFIG, GREEDY, STOCHASTIC = "config.yaml", "policy.json", "policy_stochastic.json"
SELF_PLAY = "run.json"
"""What only the folders of self-play have."""

TABLE_JSON, TABLE_MD, METRICS = "table.json", "table.md", "metrics.jsonl"
NEEDED = [CONFIG, GREEDY, STOCHASTIC]
BEST_POLICY, BEST = "best_policy.json", "best.json"
CHECKPOINTS, TENSORBOARD, PARTS = "checkpoints", "tensorboard", "parts"


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run.

    Attributes:
        path: Where it is.
    """

    path: Path

    @classmethod
    def create(cls, parent: Path, config: TrainConfig) -> RunFolder:
        """A new folder, named after the config, the seed and the time, with the resolved config in it."""
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        stem = f"{config.name}-seed{config.seed}-{stamp}"
        path = new_folder(parent, stem)
        text = StringIO()
        resolved = config.model_dump(mode="json", exclude=config.other_sections)
        YAML(typ="safe", pure=True).dump(resolved, text)
        write_text(path / CONFIG, text.getvalue())
        return cls(path)

    @classmethod
    def open(cls, path: str | Path) -> RunFolder:
        """An existing run.

        Raises:
            ConfigError: If the folder is not one of a run that saved a policy.
        """
        folder = cls(Path(path))
        if not folder.path.is_dir():
            raise ConfigError(f"run {str(path)!r}: there is no such folder")
        missing = _missing(folder.path, folder._parts) if (folder.path / CONFIG).is_file() else NEEDED
        if (folder.path / SELF_PLAY).is_file():
            raise ConfigError(
                f"run {str(path)!r}: is one of `python -m agents.selfplay`, both of whose roles learned; "
                f"its table.md compares them, and `python -m agents.benchmark` its seeds"
            )
        if missing:
            raise ConfigError(
                f"run {str(path)!r}: is not the folder of a finished run: {', '.join(missing)} is missing; "
                f"`python -m agents.train` makes one"
            )
        return folder

    def config(self) -> TrainConfig:
        """The resolved config of the run.

        Raises:
            ConfigError: If it is damaged.
        """
        source = self.path / CONFIG
        data = read_yaml(source)
        config = validated(TrainConfig, data, str(source))
        needed = [field for field in TrainConfig.model_fields if field not in config.other_sections]
        missing = [field for field in needed if field not in data]
        if missing:
            raise ConfigError(
                f"{source}: is not the resolved config of a run: {', '.join(missing)} is missing"
            )
        return config

    def policies(self) -> tuple[Extracted, ...]:
        """The trained policies, one pair for each part of the task.

        Raises:
            ConfigError: If a file is missing, damaged or was made for other rules than the config names.
        """
        return load_policies(self.path, self._parts)

    def checkpoints(self) -> dict[int, Path]:
        """The folders of the checkpoints by their decisions, in order."""
        found = sorted((self.path / CHECKPOINTS).glob("step_" + "[0-9]" * 9))
        return {int(folder.name.removeprefix("step_")): folder for folder in found}

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return parts_of(self.config())

    @property
    def tensorboard(self) -> Path:
        """Where TensorBoard finds the run."""
        return self.path / TENSORBOARD

    def remove(self) -> None:
        """Delete the folder of a run in which nothing was learned."""
        shutil.rmtree(self.path, ignore_errors=True)

    def save_policies(self, extracted: Sequence[Extracted]) -> None:
        """Write both policies of each part."""
        self._save_policies(self.path, extracted)

    def save_best(self, step: int, gap: Fraction, policies: Sequence[TabularPolicy]) -> None:
        """Write the best policies so far, and what they are: their step and their exact gap."""
        for part, policy in zip(self._parts, policies, strict=True):
            policy.save(self.path / _place(part.label) / BEST_POLICY)
        write(self.path / BEST, {"decisions": step, "gap": str(gap)})

    def save_table(self, data: dict[str, Any], markdown: str) -> None:
        """Write the results as JSON and Markdown."""
        write(self.path / TABLE_JSON, data)
        write_text(self.path / TABLE_MD, markdown)

    def add_metrics(self, entry: dict[str, Any]) -> None:
        """Append one line to the metrics."""
        with (self.path / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def save_checkpoint(self, step: int, model: BaseAlgorithm, extracted: Sequence[Extracted]) -> Path:
        """Write the model and its policies; the folder appears whole or not at all."""
        final = self.path / CHECKPOINTS / f"step_{step:09d}"
        temporary = final.with_name(f".{final.name}")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        model.save(temporary / "model.zip")
        self._save_policies(temporary, extracted)
        shutil.rmtree(final, ignore_errors=True)
        os.replace(temporary, final)
        return final

    def _save_policies(self, folder: Path, extracted: Sequence[Extracted]) -> None:
        for part, policies in zip(self._parts, extracted, strict=True):
            policies.greedy.save(folder / _place(part.label) / GREEDY)
            policies.stochastic.save(folder / _place(part.label) / STOCHASTIC)


def load_policies(folder: Path, parts: Sequence[Part]) -> tuple[Extracted, ...]:
    """The policies in the folder of a run or of a checkpoint.

    Args:
        folder: The folder.
        parts: What they must be for.

    Raises:
        ConfigError: If a file is missing, damaged or for something else.
    """
    missing = _missing(folder, parts)
    if missing:
        raise ConfigError(f"{folder}: {', '.join(missing)} is missing")
    return tuple(_load(folder / _place(part.label), part) for part in parts)


def _missing(folder: Path, parts: Sequence[Part]) -> list[str]:
    places = [_place(part.label) / name for part in parts for name in (GREEDY, STOCHASTIC)]
    return [str(place) for place in places if not (folder / place).is_file()]


def _load(folder: Path, part: Part) -> Extracted:
    rules = load_rules(part.config.sheet)
    loaded = [TabularPolicy.load(folder / name, rules) for name in (GREEDY, STOCHASTIC)]
    for name, policy in zip((GREEDY, STOCHASTIC), loaded, strict=True):
        if policy.role != part.config.role or policy.num_players != part.config.num_players:
            raise ConfigError(
                f"{folder / name}: is of a {policy.role}, num_players={policy.num_players}; the config says "
                f"role {part.config.role!r}, num_players={part.config.num_players}"
            )
    return Extracted(*loaded)


def _place(label: str) -> Path:
    """Where the policies of a part are, below their folder."""
    return Path(PARTS) / label if label else Path()
