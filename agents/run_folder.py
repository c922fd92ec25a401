"""A run's folder: what is in it, written so that a crash never leaves half a file.

config.yaml  policy.json  policy_stochastic.json  best_policy.json  best.json  table.json  table.md
metrics.jsonl
checkpoints/step_NNNNNNNNN/{model.zip, policy.json, policy_stochastic.json}  tensorboard/
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from stable_baselines3.common.base_class import BaseAlgorithm

from agents.config import TrainConfig
from agents.extract import Extracted
from agents.folders import new_folder
from pan9_gym.policies import TabularPolicy
from pan9_gym.policies.storage import write, write_text
from pan9_gym.rules import ConfigError, load_rules
from pan9_gym.rules.errors import validated
from pan9_gym.rules.strict_yaml import read_yaml

CONFIG, GREEDY, STOCHASTIC = "config.yaml", "policy.json", "policy_stochastic.json"
TABLE_JSON, TABLE_MD, METRICS = "table.json", "table.md", "metrics.jsonl"
BEST_POLICY, BEST = "best_policy.json", "best.json"
CHECKPOINTS, TENSORBOARD = "checkpoints", "tensorboard"


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
        missing = [name for name in (CONFIG, GREEDY, STOCHASTIC) if not (folder.path / name).is_file()]
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

    def policies(self) -> Extracted:
        """The trained policies.

        Raises:
            ConfigError: If a file is damaged or was made for other rules than the config names.
        """
        config = self.config()
        rules = load_rules(config.rules)
        loaded = [TabularPolicy.load(self.path / name, rules) for name in (GREEDY, STOCHASTIC)]
        for name, policy in zip((GREEDY, STOCHASTIC), loaded, strict=True):
            if policy.role != config.role or policy.num_players != config.num_players:
                raise ConfigError(
                    f"{self.path / name}: is of a {policy.role}, num_players={policy.num_players}; "
                    f"the run's config says role {config.role!r}, num_players={config.num_players}"
                )
        return Extracted(*loaded)

    @property
    def tensorboard(self) -> Path:
        """Where TensorBoard finds the run."""
        return self.path / TENSORBOARD

    def remove(self) -> None:
        """Delete the folder of a run in which nothing was learned."""
        shutil.rmtree(self.path, ignore_errors=True)

    def save_policies(self, extracted: Extracted) -> None:
        """Write both policies."""
        _save_policies(self.path, extracted)

    def save_best(self, step: int, gap: Fraction, policy: TabularPolicy) -> None:
        """Write the best policy so far, and what it is: its step and its exact gap."""
        policy.save(self.path / BEST_POLICY)
        write(self.path / BEST, {"decisions": step, "gap": str(gap)})

    def save_table(self, data: dict[str, Any], markdown: str) -> None:
        """Write the results as JSON and Markdown."""
        write(self.path / TABLE_JSON, data)
        write_text(self.path / TABLE_MD, markdown)

    def add_metrics(self, entry: dict[str, Any]) -> None:
        """Append one line to the metrics."""
        with (self.path / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def save_checkpoint(self, step: int, model: BaseAlgorithm, extracted: Extracted) -> Path:
        """Write the model and its policies; the folder appears whole or not at all."""
        final = self.path / CHECKPOINTS / f"step_{step:09d}"
        temporary = final.with_name(f".{final.name}")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        model.save(temporary / "model.zip")
        _save_policies(temporary, extracted)
        shutil.rmtree(final, ignore_errors=True)
        os.replace(temporary, final)
        return final


def _save_policies(folder: Path, extracted: Extracted) -> None:
    extracted.greedy.save(folder / GREEDY)
    extracted.stochastic.save(folder / STOCHASTIC)
