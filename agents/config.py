"""The training configuration: YAML in `configs/train/`, overridden by `key=value` on the command line.

Every field has its meaning beside it; an unknown key or an impossible value is an error that names the file,
the field, the value and what is allowed. Defaults are the settings that reach gap 0 on the default sheet.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pan9_gym.envs.observation import FEATURES
from pan9_gym.rules.errors import ConfigError, closest, validated
from pan9_gym.rules.strict_yaml import apply_override, parse_yaml, read_yaml

Positive = Annotated[int, Field(gt=0)]
Rate = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]


def _read_observe(value: object) -> object:
    if value in ("total", "hand") or (
        isinstance(value, list) and all(isinstance(name, str) for name in value)
    ):
        return value
    raise ValueError(f'must be "total", "hand" or a list of features out of {", ".join(FEATURES)}')


Observe = Annotated[str | list[str], BeforeValidator(_read_observe)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OnPolicySettings(_Settings):
    """PPO and MaskablePPO. One step is one hand, so gamma and lambda have nothing to discount."""

    rollout_decisions: Positive = 4096
    """Decisions between two updates, over all environments; a multiple of `num_envs`."""
    batch_size: Annotated[int, Field(ge=2)] = 1024
    """Decisions per gradient step."""
    num_epochs: Positive = 4
    """Passes over each rollout."""
    learning_rate: Rate = 1e-3
    """Adam's step size at the start; falls linearly."""
    final_rate_share: Share = 0.02
    """The part of `learning_rate` that is left at the end."""
    entropy_coefficient: Annotated[float, Field(ge=0)] = 0.03
    """Weight of the entropy bonus, which keeps rarely met decisions alive. Actions whose worth differs by
    less stay about as likely, so that the greedy policy may flip between them."""


class DQNSettings(_Settings):
    """DQN; rewards are scaled for it, see `reward_scale` in `agents.make_env`."""

    buffer_size: Positive = 500_000
    """Transitions kept."""
    batch_size: Positive = 4096
    """Transitions per gradient step."""
    learning_starts: Positive = 4096
    """Decisions before the first gradient step."""
    decisions_per_update: Positive = 256
    """Decisions between two gradient steps, over all environments; a multiple of `num_envs`."""
    learning_rate: Rate = 3e-3
    """Adam's step size at the start; falls linearly."""
    final_rate_share: Share = 0.02
    """The part of `learning_rate` that is left at the end."""
    epsilon: Share = 0.3
    """Share of random moves, from start to end: with one decision a hand, exploring costs nothing later.
    SB3 draws once for all environments of a step."""


class TrainConfig(_Settings):
    """One training run."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")] = "run"
    """Names the run folder; set from the file's name."""
    rules: str = "bicycle"
    """A rule sheet's name, or a path to one."""
    role: Literal["player", "banker"] = "player"
    """Who learns; the banker is the player-dealer."""
    opponent: str = "logical_way"
    """The other role's policy: a named policy, "equilibrium", or "best_response" (to the logical way)."""
    observe: Observe = "total"
    """What the agent observes, as the environments take it: "total", "hand", or a list of features."""
    algorithm: Literal["ppo", "dqn", "maskable_ppo"] = "ppo"
    """The learner; "maskable_ppo" for sheets that force moves."""
    num_decisions: Positive = 200_000
    """Length of the run."""
    num_envs: Annotated[int, Field(gt=0, le=4096)] = 256
    """Environments stepped together: more make a run cheaper, as the net is asked once for all of them."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 1
    """Decides cards, exploration and initial weights."""
    hidden_sizes: Annotated[list[Positive], Field(min_length=1)] = [64, 64]
    """Hidden layers of the net."""
    early_checkpoint: Positive = 4096
    """Decisions after which the early agent of the tables is kept."""
    evaluate_every: Positive = 8192
    """Decisions between two exact evaluations."""
    num_checkpoints: Positive = 4
    """Evenly spaced checkpoints, the last at the end."""
    chart_every: Positive = 5
    """Evaluations between two strategy charts in TensorBoard."""
    ppo: OnPolicySettings = OnPolicySettings()
    """Settings of "ppo" and "maskable_ppo"."""
    dqn: DQNSettings = DQNSettings()
    """Settings of "dqn"."""

    @model_validator(mode="after")
    def _settings_fit_each_other(self) -> Self:
        between = self.ppo.rollout_decisions if self.on_policy else 1
        if -(-self.early_checkpoint // between) * between >= self.num_decisions:
            raise ValueError(
                f"early_checkpoint {self.early_checkpoint}: there must be an update between it and "
                f"num_decisions={self.num_decisions}"
                + (f", and one comes every ppo.rollout_decisions={between}" if self.on_policy else "")
            )
        if self.on_policy:
            self._check_on_policy()
        else:
            self._check_dqn()
        return self

    def _check_on_policy(self) -> None:
        if self.ppo.rollout_decisions % self.num_envs:
            raise ValueError(
                f"ppo.rollout_decisions {self.ppo.rollout_decisions}: "
                f"a multiple of num_envs={self.num_envs} is needed"
            )
        if self.ppo.batch_size > self.ppo.rollout_decisions:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size}: "
                f"at most ppo.rollout_decisions={self.ppo.rollout_decisions} is possible"
            )

    def _check_dqn(self) -> None:
        if self.dqn.learning_starts >= self.num_decisions:
            raise ValueError(
                f"dqn.learning_starts {self.dqn.learning_starts}: must be less than "
                f"num_decisions={self.num_decisions}"
            )
        if self.dqn.batch_size > self.dqn.buffer_size:
            raise ValueError(
                f"dqn.batch_size {self.dqn.batch_size}: "
                f"at most dqn.buffer_size={self.dqn.buffer_size} is possible"
            )
        if self.dqn.decisions_per_update % self.num_envs:
            raise ValueError(
                f"dqn.decisions_per_update {self.dqn.decisions_per_update}: "
                f"a multiple of num_envs={self.num_envs} is needed"
            )

    @property
    def on_policy(self) -> bool:
        """Whether the learner is PPO or MaskablePPO."""
        return self.algorithm != "dqn"


def config_names() -> tuple[str, ...]:
    """The configs that come with the repository, sorted."""
    folder = files("pan9_gym.configs") / "train"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def load_config(source: str | Path, overrides: list[str] | None = None) -> TrainConfig:
    """Read a training config.

    Args:
        source: A name from `config_names`, or a path to a YAML file.
        overrides: Texts such as "seed=3" or "ppo.learning_rate=1e-3".

    Raises:
        ConfigError: If there is no such config, or a key or value is not allowed.
    """
    text = str(source)
    if isinstance(source, Path) or text.endswith((".yaml", ".yml")) or "/" in text:
        path = Path(source)
        data, label, name = read_yaml(path), str(path), path.stem
    else:
        if text not in config_names():
            raise ConfigError(
                f"config {text!r} is not known{closest(text, config_names())}; "
                f"known: {', '.join(config_names())}; or give a path to a .yaml file"
            )
        label, name = f"configs/train/{text}.yaml", text
        data = parse_yaml(
            (files("pan9_gym.configs") / "train" / f"{text}.yaml").read_text(encoding="utf-8"), label
        )
    data = {"name": name, **data}
    for override in overrides or []:
        apply_override(data, override)
    changed = f" with {', '.join(overrides)}" if overrides else ""
    return validated(TrainConfig, data, label + changed)
