"""What an algorithm has to say for itself: its settings, its learner, and what a trained net of it plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from agents.fields import Positive, Rate, Share, Strict
from pan9_gym.rules import Action

if TYPE_CHECKING:
    from agents.config import TrainConfig

Probs = npt.NDArray[np.float64]

ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}


class Settings(Strict):
    """What every algorithm's settings have."""

    learning_rate: Rate = 1e-3
    """The optimiser's step size at the start; falls to the end."""
    rate_power: Annotated[float, Field(gt=0, le=100)] = 1.0
    """It falls by this power of what remains of the run: 1 is linear; with 2 half-way a quarter is left."""
    final_rate_share: Share = 0.02
    """The part of `learning_rate` that is left at the end."""
    activation: Literal["tanh", "relu"] = "tanh"
    """Between the layers of the net."""

    def rate(self) -> Callable[[float], float]:
        """The step size by the share of the run that remains."""

        def rate_at(remaining: float) -> float:
            left = max(remaining, 0.0)  # the last rollout goes beyond the end
            falling: float = (1 - self.final_rate_share) * left**self.rate_power
            return self.learning_rate * (self.final_rate_share + falling)

        return rate_at


class OnPolicySettings(Settings):
    """One step is one hand, so gamma and lambda have nothing to discount."""

    rollout_decisions: Positive = 4096
    """Decisions between two updates, over all environments; a multiple of `num_envs`."""
    entropy_coefficient: Annotated[float, Field(ge=0)] = 0.03
    """Weight of the entropy bonus, which keeps rarely met decisions alive. Actions whose worth differs by
    less stay about as likely, so that the greedy policy may flip between them."""


class Algorithm(ABC):
    """A learner behind the training programs.

    Attributes:
        name: What configs call it.
        section: The key of its settings in configs; algorithms may share one.
        settings: The model of these settings.
        masks: Whether it chooses among the legal moves only.
        scalar: Whether it gets scalar environments in SB3's `DummyVecEnv`; it is then a row to compare with,
            and has no target.
    """

    name: ClassVar[str]
    section: ClassVar[str]
    settings: ClassVar[type[Settings]]
    masks: ClassVar[bool] = False
    scalar: ClassVar[bool] = False

    @abstractmethod
    def build(self, config: TrainConfig, vec_env: VecEnv) -> BaseAlgorithm:
        """A new learner for a run."""

    @abstractmethod
    def draw_probs(
        self, model: Any, observations: torch.Tensor, masks: npt.NDArray[np.bool_]
    ) -> tuple[Probs, Probs]:
        """What a model does at each observation; called without gradients.

        Args:
            model: A learner that `build` made.
            observations: float32, shape (states, features).
            masks: Which actions are legal, bool, shape (states, 2).

        Returns:
            Drawing probabilities as the learner acts, and those of its greedy policy, both float64 (states,).
        """

    def check(self, config: TrainConfig) -> None:  # noqa: B027  # nothing to refuse is a fine answer
        """Refuse settings that do not fit each other or the run.

        Raises:
            ValueError: Naming the field and what is needed.
        """

    def refusal(self, config: TrainConfig, forced: bool) -> str | None:
        """Why a task cannot be learnt by this algorithm; `None` if it can.

        Args:
            config: The run's config.
            forced: Whether the rules force some of the role's moves.
        """
        if forced and not self.masks:
            masking = "maskable_ppo"
            return f"the sheet forces moves, and {self.name} would choose illegal ones; use {masking}"
        return None

    def reward_scale(self, total_wager: float) -> float:
        """What rewards are multiplied by for the learner.

        Args:
            total_wager: What all players wager together, in units.
        """
        return 1.0

    def decisions_between_updates(self, config: TrainConfig) -> int:
        """The decisions of a rollout; 1 where updates come whenever there is anything to learn from."""
        return 1

    def log_interval(self, config: TrainConfig) -> int:
        """How seldom SB3 writes its own figures: in rollouts here, in episodes where it learns off-policy."""
        return 1

    def common_arguments(self, config: TrainConfig, vec_env: VecEnv) -> dict[str, Any]:
        """What every SB3 learner is made with."""
        settings: Settings = config.settings
        return {
            "policy": "MlpPolicy",
            "env": vec_env,
            "seed": config.seed,
            "device": "cpu",
            "policy_kwargs": {
                "net_arch": list(config.hidden_sizes),
                "activation_fn": ACTIVATIONS[settings.activation],
            },
            "gamma": 1.0,
            "learning_rate": settings.rate(),
        }


class OnPolicy(Algorithm):
    """A learner that forgets each rollout, and acts by its net's own probabilities."""

    def check(self, config: TrainConfig) -> None:
        """Refuse settings that do not fit each other or the run."""
        settings = self._settings(config)
        if settings.rollout_decisions % config.num_envs:
            raise ValueError(
                f"{self.section}.rollout_decisions {settings.rollout_decisions}: "
                f"a multiple of num_envs={config.num_envs} is needed"
            )

    def draw_probs(
        self, model: Any, observations: torch.Tensor, masks: npt.NDArray[np.bool_]
    ) -> tuple[Probs, Probs]:
        """The net's probabilities, and its likelier action."""
        options = {"action_masks": masks} if self.masks else {}
        distribution = model.policy.get_distribution(observations, **options).distribution
        probs = distribution.probs.double().numpy()
        greedy = probs[:, Action.DRAW] > probs[:, Action.STAND]
        return probs[:, Action.DRAW] / probs.sum(axis=1), greedy.astype(np.float64)

    def decisions_between_updates(self, config: TrainConfig) -> int:
        """The decisions of a rollout."""
        return self._settings(config).rollout_decisions

    def rollout_arguments(self, config: TrainConfig, vec_env: VecEnv) -> dict[str, Any]:
        """What every on-policy learner is made with."""
        settings = self._settings(config)
        return {
            **self.common_arguments(config, vec_env),
            "n_steps": settings.rollout_decisions // config.num_envs,
            "ent_coef": settings.entropy_coefficient,
            "gae_lambda": 1.0,
        }

    def _settings(self, config: TrainConfig) -> OnPolicySettings:
        settings = config.settings
        assert isinstance(settings, OnPolicySettings)
        return settings
