"""Learning from dealt hands in rounds: each role in turn learns against a fixed opponent, then is averaged.

Formula:
    round k:  for each role:  learn on from n hands against the opponent's strategy;  p_k = what was learned
    P_k = sum over l <= k of w_l p_l / sum over l <= k of w_l,        w_l = l^`weight_power`

Symbols:
    p_k: the role's strategy after round k; P_k: the average. Learners of values play what is worth more
        ("best"), or what regret matching+ or hedge makes of the values of all rounds (`regrets`)
    the opponent: his average (fictitious self-play), his latest strategy (best responses in turn), or a named
        policy that never changes; the banker meets what the player has learned in the same round
    Several players share p_k: one learns at seat 0, and the others play what the banker would meet

Source:
    Heinrich, Lanctot and Silver 2015, "Fictitious self-play in extensive-form games". The average is the
    exact one of tables (`interface.Average`), not a second net that imitates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal, TypeVar

import gymnasium
import numpy as np
from pydantic import Field

import pan9_gym
from agents.baselines.bilinear import Floats
from agents.baselines.interface import Average, Pair, Settings, Task, Trainer, Unit
from agents.baselines.regrets import Hedge, Regrets
from agents.fields import Positive
from pan9_gym import policies
from pan9_gym.envs.vector import HandVectorEnv
from pan9_gym.game.info_state import has_choice
from pan9_gym.rules import ConfigError, Role

gymnasium.register_envs(pan9_gym)

OBSERVE = {"total": ("total",), "hand": ("total", "counts")}
"""What nets see of the own hand at each level."""


class SelfPlaySettings(Settings):
    """What can be set about every trainer that deals hands."""

    against: Literal["average", "last", "fixed"] = "average"
    """Whom a role meets: the other's average strategy, his latest one, or `opponent`."""
    opponent: str = "logical_way"
    """The named policy of the other role; read only if `against` is "fixed"."""
    weight_power: Annotated[float, Field(ge=0)] = 1.0
    """The k-th strategy counts k to this power in the average."""
    num_envs: Positive = 4096
    """Hands that are dealt at a time."""
    round_decisions: Positive = 65_536
    """Decisions of a role in a round; rounded up to whole batches of hands."""


class ValueSettings(SelfPlaySettings):
    """What can be set about trainers that learn what actions are worth."""

    response: Literal["best", "matching", "hedge"] = "best"
    """Whether the better action is played, regrets are matched, or summed gains weighed."""
    hedge_rate: Annotated[float, Field(gt=0)] = 5.0
    """The step size of hedge, for gains in units."""
    optimism: Annotated[float, Field(ge=0)] = 5.0
    """How often more the latest gains count in hedge."""
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The share of decisions made at random, each hand by itself."""


S = TypeVar("S", bound=SelfPlaySettings)


class Learner(ABC):
    """Learns one role.

    Attributes:
        grid: The role's decisions.
        envs: Where it plays.
    """

    def __init__(self, task: Task, role: Role, settings: SelfPlaySettings) -> None:
        self.grid = task.grid(role)
        self.envs = make_envs(task, role, settings)

    @abstractmethod
    def learn(self, met: Pair, decisions: int, done: float) -> int:
        """Learn on against the other role, among players who play as they are said to.

        Args:
            met: What everybody else plays.
            decisions: How many are to be made at least.
            done: The part of the run that is over, 0 to 1.

        Returns:
            The decisions that were made.
        """

    @abstractmethod
    def respond(self) -> Floats:
        """The strategy after a round, in the shape of the grid; called once a round."""

    def meet(self, met: Pair) -> None:
        """Change everybody else's policy from the next deal on."""
        if self.grid.states.role is Role.BANKER:
            self.envs.set_opponents({"players": met.players})
        else:
            self.envs.set_opponents({"banker": met.banker, "players": met.players[1:]})


class ValueLearner(Learner):
    """Learns what the actions of one role are worth."""

    def __init__(self, task: Task, role: Role, settings: ValueSettings) -> None:
        super().__init__(task, role, settings)
        self._response: Regrets | Hedge | None = None
        if settings.response != "best":
            matching = settings.response == "matching"
            hedge = Hedge(self.grid, settings.hedge_rate, settings.optimism)
            self._response = Regrets(self.grid) if matching else hedge

    @abstractmethod
    def gains(self) -> Floats:
        """What drawing is worth more than standing, in the shape of the grid."""

    def respond(self) -> Floats:
        """The better actions, or what regrets or summed gains say after they are added to."""
        gains = self.gains()
        if self._response is None:
            return self.grid.legal(gains > 0)
        self._response.add(gains)
        return self._response.probs


class SelfPlay(Trainer[S]):
    """Both roles in rounds. A role that never has a choice makes no decisions.

    Attributes:
        learners: The learner of each role that has a choice.
    """

    unit: ClassVar[Unit] = "decisions"
    samples = True

    def __init__(self, task: Task, settings: S) -> None:
        super().__init__(task, settings)
        grids = {role: task.grid(role) for role in Role}
        self._last = {role: grid.legal(np.full(grid.shape, 0.5)) for role, grid in grids.items()}
        self._averages = {role: Average(probs) for role, probs in self._last.items()}
        self._round = 0
        self._fixed = self._fixed_opponents()
        self.learners = {
            role: self.make_learner(role)
            for role, grid in grids.items()
            if has_choice(task.rules, grid.states)
        }

    @abstractmethod
    def make_learner(self, role: Role) -> Learner:
        """A new learner of a role."""

    def advance(self, until: int) -> None:
        """Play whole rounds."""
        while self.step < until:
            self._round += 1
            weight = self._round**self.settings.weight_power
            for role, learner in self.learners.items():
                done = min(self.step / self.task.steps, 1.0)
                self.step += learner.learn(self._met(), self.settings.round_decisions, done)
                self._last[role] = learner.respond()
                self._averages[role].add(self._last[role], weight)

    def draw_probs(self, role: Role, average: bool) -> Floats:
        """The average or the latest strategy."""
        return self._averages[role].probs if average else self._last[role]

    def opponents(self) -> Pair | None:
        """The named policies, if the roles meet them."""
        return self._fixed

    def close(self) -> None:
        """Close the environments."""
        for learner in self.learners.values():
            learner.envs.close()

    def _met(self) -> Pair:
        return self._fixed or self.pair(average=self.settings.against == "average")

    def _fixed_opponents(self) -> Pair | None:
        if self.settings.against != "fixed":
            return None
        try:
            name, rules, number = self.settings.opponent, self.task.rules, self.task.num_players
            return Pair(*(policies.get(name, rules, role, number) for role in Role))
        except ValueError as error:
            raise ConfigError(f"field 'opponent': {error}") from None


def make_envs(task: Task, role: Role, settings: SelfPlaySettings) -> HandVectorEnv:
    """The vector environment of a role, seeded; its opponent is set before the first hand that counts."""
    env_id = "Pan9/Player-v0" if role is Role.PLAYER else "Pan9/PlayerDealer-v0"
    envs = gymnasium.make_vec(
        env_id,
        num_envs=settings.num_envs,
        vectorization_mode="vector_entry_point",
        rules=task.rules,
        num_players=task.num_players,
        observe=_observed(task, role),
        copy=False,
    )
    assert isinstance(envs, HandVectorEnv)
    envs.reset(seed=stream(task, role))
    return envs


def stream(task: Task, role: Role, purpose: int = 0) -> int:
    """The seed of what is random about one role."""
    entropy = [task.seed, list(Role).index(role), purpose]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def _observed(task: Task, role: Role) -> tuple[str, ...]:
    own = OBSERVE[task.level]
    if task.num_players == 1:
        return (*own, "choices")
    return (*own, "num_drawers") if task.grid(role).states.num_visible else own
