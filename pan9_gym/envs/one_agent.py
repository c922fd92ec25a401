"""One agent of the table environment as a Gymnasium environment, the others played by policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np

from pan9_gym.envs.observation import Observation
from pan9_gym.envs.table_aec import TableEnv
from pan9_gym.envs.table_draw import DrawPlay
from pan9_gym.envs.table_full import HOUSE_AGENT
from pan9_gym.envs.table_play import Mask
from pan9_gym.policies.base import Policy
from pan9_gym.policies.play import DEFAULT_POLICY, PolicyLike, seat_policy

Mover = Callable[[Mapping[str, Any], Mapping[str, Any]], int]
"""Chooses an action from an agent's observation and info."""


MOST_EPISODES = 1000
"""Episodes in a row without a decision of the agent, after which a reset gives up."""


class OneAgentEnv(gymnasium.Env[Observation, np.int64]):
    """One agent's view of a `TableEnv`.

    The observation is the flat array; the mask is in `info["action_mask"]` and `action_masks()`, where
    sb3-contrib's MaskablePPO looks for it. A step's reward is all that the agent wins until it is due again;
    what it wins before its first decision is added to the first step. Episodes in which it has no decision
    are dealt past.

    With a draw-only table, the default arguments, and the same seed this is `PlayerEnv` (or, for `banker_0`,
    `PlayerDealerEnv`): the same hands, observations and rewards.

    Args:
        env: The table; it is stepped and reset by this environment alone.
        agent: Whose view it is.
        others: For each other agent a callable `(observation, info) -> action`, or at a draw-only table a
            policy or its name, default the logical way; at a whole table "uniform" plays legal actions
            at random.

    Raises:
        ValueError: If an agent is not at the table, or a policy is missing or not possible.
    """

    def __init__(
        self,
        env: TableEnv,
        agent: str = "player_0",
        others: Mapping[str, PolicyLike | Mover] | None = None,
    ) -> None:
        space = env.observation_space(agent)["observation"]
        self.observation_space = space
        self.action_space = env.action_space(agent)
        self.metadata = {**env.metadata, "render_modes": env.metadata["render_modes"]}
        self.render_mode = env.render_mode
        self.table, self.agent = env, agent
        given = dict(others or {})
        for name in given:
            if name not in env.possible_agents or name == agent:
                others_there = [other for other in env.possible_agents if other != agent]
                raise ValueError(
                    f"others: {name!r} is none of the others; allowed: {', '.join(others_there)}"
                )
        self._rng = np.random.default_rng()
        self._movers = {
            name: self._mover(name, given.get(name)) for name in env.possible_agents if name != agent
        }
        self._carried = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode and play it up to the agent's first decision.

        Args:
            seed: Starts the table's random stream, and one of its own for policies that mix.
            options: As in `TableEnv.reset`.

        Raises:
            ValueError: If an option is not possible, or the agent has no decision in what the options list,
                or none in any of many episodes.
        """
        super().reset(seed=seed)
        if seed is not None:
            (self._rng,) = self.np_random.spawn(1)  # not the stream that deals the cards
        self.table.reset(seed=seed, options=options)
        for _ in range(MOST_EPISODES):
            obs, reward, ended, cut, info = self._until_due()
            if not (ended or cut):
                self._carried = reward
                return obs, info
            if options:
                raise ValueError(f"options {options!r}: {self.agent!r} has no decision in what they list")
            self.table.reset()
        self.table.agents = []
        raise ValueError(
            f"agent {self.agent!r}: had no decision in {MOST_EPISODES} episodes; at this table it never has "
            f"one, or max_decisions or max_cycles cut every episode before"
        )

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the agent's action, then the others' until the agent is due again or the episode ends.

        Raises:
            gymnasium.error.ResetNeeded: If no decision is pending.
            ValueError: If the action is not legal; nothing has changed.
        """
        self.table.step(action)
        obs, reward, ended, cut, info = self._until_due()
        reward += self._carried
        self._carried = 0.0
        return obs, reward, ended, cut, info

    def _until_due(self) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        table = self.table
        for name in table.agent_iter():
            seen, reward, ended, cut, info = table.last()
            if name == self.agent:
                if ended or cut:
                    table.agents = []  # nobody is left to act
                return seen["observation"], reward, ended, cut, {**info, "action_mask": seen["action_mask"]}
            table.step(None if ended or cut else self._movers[name](seen, info))
        raise AssertionError("an agent is at the table until the episode ends")

    def action_masks(self) -> Mask:
        """Which actions are legal now; zeros when the episode is over."""
        mask: Mask = self.table.observe(self.agent)["action_mask"]
        return mask

    def render(self) -> Any:
        """The table as text; see `TableEnv.render`."""
        return self.table.render()

    def _mover(self, name: str, chosen: PolicyLike | Mover | None) -> Mover:
        if callable(chosen):
            return chosen
        play = self.table.play
        if isinstance(play, DrawPlay):
            return self._policy_mover(play, name, DEFAULT_POLICY if chosen is None else chosen)
        if chosen == "uniform" or (chosen is None and name == HOUSE_AGENT):
            return self._uniform
        raise ValueError(
            f"others: {name!r} has {chosen!r}; at a whole table a callable or 'uniform' is needed for it"
        )

    def _policy_mover(self, play: DrawPlay, name: str, policy: str | Policy) -> Mover:
        array = seat_policy(play.game, play.agents.index(name), policy).array

        def move(observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
            prob = array.item(info["info_state"])
            return int(prob == 1.0 or (prob > 0.0 and self._rng.random() < prob))

        return move

    def _uniform(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        return int(self._rng.choice(np.flatnonzero(observation["action_mask"])))
