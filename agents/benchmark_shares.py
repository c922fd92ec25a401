"""Which part of a PPO run's CPU time goes into the environment.

Formula:
    share = (CPU time inside the environment's step) / (CPU time of `learn`)
    share with infos = the same with the time that making the info dicts takes

Symbols:
    info dicts: the adapter leaves them until they are read; SB3's learners read those of all environments
    CPU time: of all threads of this process; torch has one

Source:
    Definition: this module. "Default" are SB3's settings with a rollout of 2,048 decisions in all, "large" is
    a rollout of 16,384 with minibatches of 4,096 and 4 epochs.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from agents.benchmark_rates import player_env
from pan9_gym.benchmark.contenders import BANKER, PLAYER, SEED
from pan9_gym.benchmark.rounds import Spread


@dataclass(frozen=True)
class PPOSettings:
    """Settings of PPO, and the target.

    Attributes:
        name: What they are called.
        num_envs: Environments stepped together.
        rollout: Decisions between two updates, over all environments.
        batch_size: Decisions per gradient step.
        num_epochs: Passes over each rollout.
        num_rollouts: How many rollouts are one measurement.
        most: The largest share that the environment may have.
    """

    name: str
    num_envs: int
    rollout: int
    batch_size: int
    num_epochs: int
    num_rollouts: int
    most: float


DEFAULT = PPOSettings("default", 64, 2048, 64, 10, 1, 0.02)
LARGE = PPOSettings("large", 64, 16384, 4096, 4, 2, 0.1)
WIDE = PPOSettings("large", 1024, 16384, 4096, 4, 2, 0.1)


@dataclass(frozen=True)
class Question:
    """A run whose share is asked for.

    Attributes:
        settings: PPO's.
        env_id: The environment.
        num_players: Players against the banker.
    """

    settings: PPOSettings
    env_id: str
    num_players: int

    @property
    def name(self) -> str:
        """What runs."""
        settings = self.settings
        players = f"{self.num_players} player{'s' if self.num_players > 1 else ''}"
        return f"PPO {settings.name}, {settings.num_envs:,} environments, {self.env_id}, {players}"

    def line(self, num_rounds: int) -> ShareLine:
        """Let it learn: a rollout to warm up, then the measurements."""
        torch.set_num_threads(1)
        settings = self.settings
        env = TimedVecEnv(player_env(settings.num_envs, self.env_id, self.num_players))
        model = PPO(
            "MlpPolicy",
            env,
            n_steps=settings.rollout // settings.num_envs,
            batch_size=settings.batch_size,
            n_epochs=settings.num_epochs,
            seed=SEED,
            device="cpu",
        )
        model.learn(settings.rollout)
        decisions = settings.rollout * settings.num_rollouts
        shares, with_infos, rates = [], [], []
        for _ in range(num_rounds):
            env.in_steps = env.in_infos = 0.0
            start = process_time()
            model.learn(decisions, reset_num_timesteps=False)
            taken = process_time() - start
            shares.append(env.in_steps / taken)
            with_infos.append((env.in_steps + env.in_infos) / taken)
            rates.append(decisions / taken)
        return ShareLine(self, Spread.of(shares), Spread.of(with_infos), Spread.of(rates))


@dataclass(frozen=True)
class ShareLine:
    """A share that was measured.

    Attributes:
        question: What ran.
        share: The environment's share of the CPU time.
        with_infos: The same with the info dicts.
        rate: Decisions per CPU second of the whole run.
    """

    question: Question
    share: Spread
    with_infos: Spread
    rate: Spread

    @property
    def is_met(self) -> bool:
        """Whether the median is within the target."""
        return self.share.median <= self.question.settings.most

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.question.name,
            "share": self.share.to_dict(),
            "share_with_infos": self.with_infos.to_dict(),
            "decisions": self.rate.to_dict(),
            "target": self.question.settings.most,
            "met": self.is_met,
        }


class TimedVecEnv(VecEnvWrapper):
    """Measures the CPU time that another environment takes.

    Args:
        venv: The other one.

    Attributes:
        in_steps: Seconds inside its steps.
        in_infos: Seconds in making its infos.
    """

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.in_steps = self.in_infos = 0.0

    def reset(self) -> VecEnvObs:
        """Reset, which is not timed."""
        return self.venv.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Step, then have the infos made, which the learner would do."""
        start = process_time()
        step = self.venv.step_wait()
        stepped = process_time()
        list(step[3])
        self.in_steps += stepped - start
        self.in_infos += process_time() - stepped
        return step


def questions(quick: bool) -> list[Question]:
    """What is asked: both roles, with one player and with seven; for a quick run less."""
    return [
        Question(settings, env_id, num_players)
        for num_players in ((1,) if quick else (1, 7))
        for env_id in (PLAYER, BANKER)
        for settings in ((DEFAULT, WIDE) if quick else (DEFAULT, LARGE, WIDE))
    ]
