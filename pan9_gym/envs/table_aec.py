"""The frame of PettingZoo round a table: agents in turn, rewards, endings, refusals."""

from __future__ import annotations

import operator
from typing import Any, ClassVar, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding

try:
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError("pan9_gym.envs.table_env needs pettingzoo: pip install 'pan9-gym[table]'") from error

from pan9_gym.envs.arguments import UnsupportedRenderMode, check_option
from pan9_gym.envs.observation import markdown_layout
from pan9_gym.envs.setup import IllegalAction
from pan9_gym.envs.table_play import Nets, Play
from pan9_gym.rules.fields import read_whole


class TableEnv(AECEnv):
    """A table whose seats are agents, one at a time; made by `table_env.env`, which explains it.

    Args:
        play: What is played.
        render_mode: "ansi", "human", which prints, or `None`.
        illegal_action: "error", or "replace" by the first legal action.
        max_cycles: Decisions of each agent after which the episode is cut; one that has made them is played
            by its first legal action until the others have too.
        max_decisions: Decisions of all agents together after which the episode is cut.

    Raises:
        ValueError: If an argument is not possible.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "pan9_table_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,  # by aec_to_parallel; turn_based_aec_to_parallel is the way
    }

    def __init__(
        self,
        play: Play,
        render_mode: str | None = None,
        illegal_action: IllegalAction = "error",
        max_cycles: int | None = None,
        max_decisions: int | None = None,
    ) -> None:
        super().__init__()
        modes = (None, *self.metadata["render_modes"])
        check_option("render_mode", render_mode, modes, UnsupportedRenderMode)
        check_option("illegal_action", illegal_action, get_args(IllegalAction))
        self.render_mode = render_mode
        self.play = play
        self._replaces = illegal_action == "replace"
        self._max_cycles = None if max_cycles is None else read_whole("max_cycles", max_cycles, 1)
        self._max_decisions = None if max_decisions is None else read_whole("max_decisions", max_decisions, 1)
        self._rng: np.random.Generator | None = None
        self.possible_agents = list(play.agents)
        self.agents: list[str] = []
        num_actions = len(play.actions)
        self._spaces: dict[str, spaces.Dict] = {}
        for agent, layout in play.layouts.items():
            low, high = ([getattr(entry, end) for entry in layout] for end in ("low", "high"))
            box = spaces.Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)
            mask = spaces.Box(0, 1, (num_actions,), dtype=np.int8)
            self._spaces[agent] = spaces.Dict({"observation": box, "action_mask": mask})
        self._actions = {agent: spaces.Discrete(num_actions) for agent in play.agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations, always the same object."""
        return self._spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions, always the same object."""
        return self._actions[self._known(agent)]

    def observation_layout(self, agent: str) -> str:
        """What each entry of an agent's observation means, as a Markdown table."""
        return markdown_layout(self.play.layouts[self._known(agent)])

    def action_layout(self) -> str:
        """What each action means, as a Markdown table; it is the same for all agents."""
        rows = [f"| {number} | {meaning} |" for number, meaning in enumerate(self.play.actions)]
        return "\n".join(["| action | meaning |", "|---|---|", *rows])

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Starts the random stream; without one the first reset takes fresh entropy and later ones go
                on.
            options: `cards`, in full mode `dice` too, as `table_env` explains; others are not read, as
                PettingZoo's tests demand.

        Raises:
            ValueError: If an option is not possible; there is no episode then.
        """
        self.agents = []
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        self.play.start(self._rng, options or {})
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._decisions = dict.fromkeys(self.agents, 0)
        self._skip_agent_selection: str | None = None
        self.infos: dict[str, dict[str, Any]] = {agent: self.play.info(agent) for agent in self.agents}
        self.agent_selection = self.play.due

    def step(self, action: Any) -> None:
        """The action of `agent_selection`; `None` for an agent that has ended.

        Raises:
            gymnasium.error.ResetNeeded: If no episode is in play.
            ValueError: If the action is not possible, or not `None` for an agent that has ended.

        Whatever is raised, nothing has changed.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("step: no agent is left to act; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ValueError(
                    f"action {action!r}: the episode has ended for {agent!r}, whose only action is None"
                )
            self._was_dead_step(None)
            return
        legal, replaced = self._legal(agent, action)
        nets = self._played(agent, legal)
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        for name in self.agents:
            self.rewards[name] = nets.get(name, 0.0)
            self.infos[name] = self.play.info(name)
        if self._replaces:
            self.infos[agent]["action_replaced"] = replaced
        self._accumulate_rewards()
        self._end_or_turn()
        if self.render_mode == "human":
            self.render()

    def _legal(self, agent: str, action: Any) -> tuple[int, bool]:
        """The action to play, and whether it is not the one asked for."""
        mask = self.play.mask
        number = _whole(action)
        if not 0 <= number < len(mask):
            raise ValueError(
                f"action {action!r} of {agent!r}: must be a whole number from 0 to {len(mask) - 1}"
            )
        if mask[number]:
            return number, False
        legal = np.flatnonzero(mask)
        if self._replaces:
            return int(legal[0]), True
        allowed = ", ".join(f"{place} ({self.play.actions[place]})" for place in legal)
        raise ValueError(
            f"action {number} ({self.play.actions[number]}) of {agent!r}: is not legal now; legal: {allowed}"
        )

    def _played(self, agent: str, action: int) -> Nets:
        """Play an action and what follows from it; all of it or, after an error, nothing."""
        saved = self.play.save()
        self._decisions[agent] += 1
        try:
            return self._go_on(self.play.act(action))
        except BaseException:
            self._decisions[agent] -= 1
            self.play.restore(saved)
            raise

    def _go_on(self, nets: Nets) -> Nets:
        """Play for agents that have made all their decisions, until somebody else is due."""
        if self._max_cycles is None:
            return nets
        while self.play.due and not self._cut() and self._decisions[self.play.due] >= self._max_cycles:
            for agent, net in self.play.act(int(np.argmax(self.play.mask))).items():
                nets[agent] = nets.get(agent, 0.0) + net
        return nets

    def _cut(self) -> bool:
        """Whether the episode has had all its decisions."""
        if self._max_decisions is not None and sum(self._decisions.values()) >= self._max_decisions:
            return True
        most = self._max_cycles
        return most is not None and all(self._decisions[agent] >= most for agent in self.play.deciders)

    def _end_or_turn(self) -> None:
        """Everybody ends at once, or the next agent is due."""
        ending = self.play.ending or ("truncated" if self._cut() else "")
        if not ending:
            self.agent_selection = self.play.due
            return
        ended = self.terminations if ending == "terminated" else self.truncations
        ended.update(dict.fromkeys(self.agents, True))
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent knows, with the mask of its legal actions: zeros unless it is due.

        Raises:
            ValueError: If there is no such agent.
            gymnasium.error.ResetNeeded: If there has been no reset.
        """
        self._known(agent)
        if not hasattr(self, "rewards"):
            raise gymnasium.error.ResetNeeded("observe: nothing has been dealt; call reset() first")
        due = agent == self.play.due and not self.terminations.get(agent) and not self.truncations.get(agent)
        mask = self.play.mask.copy() if due else np.zeros(len(self.play.actions), dtype=np.int8)
        return {"observation": self.play.observe(agent), "action_mask": mask}

    def render(self) -> str | None:
        """The table as text, as whoever is due may see it, at last open; printed where `render_mode="human"`.

        Raises:
            gymnasium.error.ResetNeeded: If there has been no reset.
        """
        if self.render_mode is None:
            gymnasium.logger.warn('render() was called without render_mode="ansi" or "human"')
            return None
        if not hasattr(self, "rewards"):
            raise gymnasium.error.ResetNeeded("render: nothing has been dealt; call reset() first")
        text = self.play.render()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing is open."""

    def _known(self, agent: str) -> str:
        if agent not in self._actions:
            raise ValueError(
                f"agent {agent!r} is not at this table; agents: {', '.join(self.possible_agents)}"
            )
        return agent


def _whole(action: Any) -> int:
    """The number of an action; -1 for what is none."""
    try:
        return -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:  # a float, a text, `None`, several numbers
        return -1
