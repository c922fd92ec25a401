"""Stable-Baselines3 learners for self-play in rounds: neural fictitious self-play with DQN, and PPO.

A net is asked about every decision after a round, and the tables of its answers are averaged exactly; no
second net imitates the first. Torch runs with one thread.

Formula:
    rate at the part x of the run or the round that is over:  rate (1 - x (1 - final_rate_share))

Symbols:
    rate: Adam's step size at the start
    final_rate_share: the part of it that is left at the end

Source:
    Heinrich and Silver 2016, "Deep reinforcement learning from self-play in imperfect-information games"
    (NFSP), with exact averages for its supervised net; DQN: Mnih et al. 2015; PPO: Schulman et al. 2017.
    Responses to a net's values that are no best ones: Brown et al. 2019, "Deep counterfactual regret
    minimization".
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field, model_validator
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import Logger

from agents.baselines.bilinear import Floats
from agents.baselines.interface import Pair, Task
from agents.baselines.self_play import (
    Learner,
    SelfPlay,
    SelfPlaySettings,
    ValueLearner,
    ValueSettings,
    stream,
)
from agents.fields import Positive, Rate, Share
from agents.vec_env import Pan9VecEnv
from pan9_gym.rules import Action, Role

REWARD_SCALE = 0.5
"""For DQN: an error is then at most 1, where SB3's smooth-L1 loss is quadratic and fits the mean. A banker's
rewards are divided by the number of players besides."""


class NFSPSettings(ValueSettings):
    """What can be set about neural fictitious self-play."""

    hidden_sizes: list[Positive] = Field(default_factory=lambda: [64, 64])
    """Units of each hidden layer."""
    learning_rate: Rate = 3e-3
    """Adam's step size at the start; falls linearly."""
    final_rate_share: Share = 0.05
    """The part of `learning_rate` that is left at the end."""
    rate_over: Literal["run", "round"] = "run"
    """Over what `learning_rate` falls; by "round" where a round is a whole best response."""
    batch_size: Annotated[int, Field(ge=2)] = 4096
    """Hands per gradient step."""
    buffer_size: Positive = 65_536
    """Hands kept; some of them against opponents of earlier rounds."""
    gradient_steps: Positive = 1
    """Gradient steps after each `num_envs` hands."""


class QHedgeSettings(NFSPSettings):
    """What can be set about hedge on a net's values: the same, with other defaults."""

    response: Literal["best", "matching", "hedge"] = "hedge"
    """Whether the better action is played, regrets are matched, or summed gains weighed."""
    against: Literal["average", "last", "fixed"] = "last"
    """Whom a role meets: the other's average strategy, his latest one, or `opponent`."""
    weight_power: Annotated[float, Field(ge=0)] = 2.0
    """The k-th strategy counts k to this power in the average."""


class PPOSettings(SelfPlaySettings):
    """What can be set about PPO self-play."""

    hidden_sizes: list[Positive] = Field(default_factory=lambda: [64, 64])
    """Units of each hidden layer."""
    learning_rate: Rate = 2e-3
    """Adam's step size at the start; falls linearly."""
    final_rate_share: Share = 0.02
    """The part of `learning_rate` that is left at the end."""
    rate_over: Literal["run", "round"] = "run"
    """Over what `learning_rate` falls; by "round" where a round is a whole best response."""
    rollout_steps: Positive = 4
    """Decisions of each environment between two updates."""
    batch_size: Annotated[int, Field(ge=2)] = 4096
    """Decisions per gradient step."""
    num_epochs: Positive = 4
    """Passes over each rollout."""
    entropy_coefficient: Annotated[float, Field(ge=0)] = 0.01
    """Weight of the entropy bonus."""
    strategy: Literal["stochastic", "greedy"] = "stochastic"
    """What of the net is averaged and met: its probabilities, or its likelier actions."""
    against: Literal["average", "last", "fixed"] = "last"
    """Whom a role meets: the other's average strategy, his latest one, or `opponent`."""
    round_decisions: Positive = 16_384
    """Decisions of a role in a round; rounded up to whole batches of hands."""
    weight_power: Annotated[float, Field(ge=0)] = 2.0
    """The k-th strategy counts k to this power in the average."""

    @model_validator(mode="after")
    def _whole_batches(self) -> Self:
        rollout = self.rollout_steps * self.num_envs
        if rollout % self.batch_size:
            raise ValueError(
                f"batch_size {self.batch_size}: must divide rollout_steps x num_envs = {rollout}"
            )
        return self


class HandDQN(DQN):
    """DQN that explores in each hand by itself, where SB3's explores in all environments or in none.

    Hands end after one decision: what comes after them is never used, so that terminal observations, which
    SB3 looks up environment by environment, are left out of the buffer.
    """

    rng: np.random.Generator

    def predict(
        self,
        observation: Any,
        state: tuple[npt.NDArray[Any], ...] | None = None,
        episode_start: npt.NDArray[Any] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[Any], tuple[npt.NDArray[Any], ...] | None]:
        """The better action, or while learning a random one in a share of the hands."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic=True)
        if not deterministic:
            explores = self.rng.random(len(actions)) < self.exploration_rate
            actions = np.where(explores, self.rng.integers(2, size=len(actions)), actions)
        return actions, state

    def _store_transition(
        self,
        replay_buffer: Any,
        buffer_action: npt.NDArray[Any],
        new_obs: Any,
        reward: npt.NDArray[Any],
        dones: npt.NDArray[Any],
        infos: list[dict[str, Any]],
    ) -> None:
        assert bool(dones.all())
        replay_buffer.add(self._last_obs, new_obs, buffer_action, reward, dones, infos)
        self._last_obs = new_obs

    def _update_info_buffer(self, infos: list[dict[str, Any]], dones: Any = None) -> None:
        """No episode statistics: hands are scored exactly."""


class HandPPO(PPO):
    """PPO that keeps no episode statistics, which SB3 gathers environment by environment."""

    def _update_info_buffer(self, infos: list[dict[str, Any]], dones: Any = None) -> None:
        """Hands are scored exactly."""


class Driver:
    """Lets a model learn from round to round.

    Args:
        learner: Whose environments and decisions they are.
        settings: The learner's settings.
    """

    def __init__(self, learner: Learner, settings: NFSPSettings | PPOSettings) -> None:
        torch.set_num_threads(1)  # more threads are slower on nets this small, and change the weights
        self._learner, self._settings, self._done = learner, settings, 0.0
        _, firsts = np.unique(learner.grid.cells(), return_index=True)
        self.observations = torch.as_tensor(learner.envs.encoder.encode_all()[firsts])
        """What the net sees at each decision, shape (cells, features)."""

    def rate(self, remaining: float) -> float:
        """The step size now; SB3's own schedule, for which this much remains, knows one round only."""
        settings = self._settings
        done = self._done if settings.rate_over == "run" else 1 - remaining
        return settings.learning_rate * (1 - done * (1 - settings.final_rate_share))

    def play(self, model: BaseAlgorithm, met: Pair, decisions: int, done: float) -> int:
        """Learn on; SB3 resets the environments first, so that no hand meets an older opponent."""
        self._done = done
        self._learner.meet(met)
        model.set_logger(Logger(None, []))
        never: Any = None  # DQN would log at every fourth hand, into nothing
        model.learn(decisions, log_interval=never)
        return model.num_timesteps


class DQNLearner(ValueLearner):
    """A net of one role's action values."""

    def __init__(self, task: Task, role: Role, settings: NFSPSettings) -> None:
        super().__init__(task, role, settings)
        self._driver = Driver(self, settings)
        self._scale = REWARD_SCALE / _num_paying(task, role)
        self.model = HandDQN(
            "MlpPolicy",
            Pan9VecEnv(self.envs, self._scale),
            learning_rate=self._driver.rate,
            buffer_size=settings.buffer_size,
            learning_starts=0,
            batch_size=settings.batch_size,
            gamma=1.0,
            train_freq=1,
            gradient_steps=settings.gradient_steps,
            replay_buffer_kwargs={"handle_timeout_termination": False},
            exploration_initial_eps=settings.epsilon,
            exploration_final_eps=settings.epsilon,
            policy_kwargs={"net_arch": list(settings.hidden_sizes)},
            seed=stream(task, role, 1),
            device="cpu",
        )
        self.model.rng = np.random.default_rng(stream(task, role, 2))

    def learn(self, met: Pair, decisions: int, done: float) -> int:
        """Play and update."""
        return self._driver.play(self.model, met, decisions, done)

    def gains(self) -> Floats:
        """What drawing is worth more than standing, in units."""
        self.model.policy.set_training_mode(False)
        with torch.no_grad():
            values = self.model.q_net(self._driver.observations).double().numpy() / self._scale
        gains: Floats = (values[:, Action.DRAW] - values[:, Action.STAND]).reshape(self.grid.shape)
        return gains


class PPOLearner(Learner):
    """A net of one role's drawing probabilities."""

    def __init__(self, task: Task, role: Role, settings: PPOSettings) -> None:
        super().__init__(task, role, settings)
        self._driver = Driver(self, settings)
        self._greedy = settings.strategy == "greedy"
        self.model = HandPPO(
            "MlpPolicy",
            Pan9VecEnv(self.envs, 1 / _num_paying(task, role)),
            learning_rate=self._driver.rate,
            n_steps=settings.rollout_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.num_epochs,
            gamma=1.0,
            gae_lambda=1.0,
            ent_coef=settings.entropy_coefficient,
            policy_kwargs={"net_arch": list(settings.hidden_sizes)},
            seed=stream(task, role, 1),
            device="cpu",
        )

    def learn(self, met: Pair, decisions: int, done: float) -> int:
        """Play and update."""
        return self._driver.play(self.model, met, decisions, done)

    def respond(self) -> Floats:
        """The net's probabilities, or its likelier actions."""
        self.model.policy.set_training_mode(False)
        with torch.no_grad():
            distribution: Any = self.model.policy.get_distribution(self._driver.observations).distribution
            probs = distribution.probs.double().numpy()
        draw = probs[:, Action.DRAW] / probs.sum(axis=1)
        return self.grid.legal(draw > 0.5 if self._greedy else draw)


def _num_paying(task: Task, role: Role) -> int:
    """How many wagers a role's reward is the sum of."""
    return task.num_players if role is Role.BANKER else 1


class NFSP(SelfPlay[NFSPSettings]):
    """Neural fictitious self-play for both roles."""

    default_steps = 10_000_000
    settings_type = NFSPSettings

    def make_learner(self, role: Role) -> Learner:
        """A new net."""
        return DQNLearner(self.task, role, self.settings)


class QHedge(NFSP):
    """Nets of action values, with hedge on the values of all rounds instead of best responses."""

    default_steps = 16_000_000
    settings_type = QHedgeSettings


class PPOSelfPlay(SelfPlay[PPOSettings]):
    """PPO against PPO for both roles."""

    default_steps = 4_000_000
    settings_type = PPOSettings

    def make_learner(self, role: Role) -> Learner:
        """A new net."""
        return PPOLearner(self.task, role, self.settings)
