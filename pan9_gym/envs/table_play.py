"""What a mode of the table environment is: who plays, who is due, what an action does, what an agent sees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pan9_gym.envs.observation import Entry, Observation

Mask = npt.NDArray[np.int8]

Ending = Literal["", "terminated", "truncated"]
"""How an episode has ended; empty while it goes on."""

Nets = dict[str, float]
"""What each agent has won in hands that were settled."""


class Play(ABC):
    """One mode of the table environment.

    Attributes:
        agents: All agents.
        deciders: Those whose decisions `max_cycles` waits for: whoever is sure to be asked again and again.
        actions: What each action means, the same for all agents.
        layouts: What each entry of an agent's observation means.
        due: Who is to act; empty once the episode has ended.
        ending: How the episode has ended.
        mask: The legal actions of whoever is due.
    """

    agents: tuple[str, ...]
    deciders: tuple[str, ...]
    actions: tuple[str, ...]
    layouts: Mapping[str, tuple[Entry, ...]]
    due: str
    ending: Ending
    mask: Mask

    @abstractmethod
    def start(self, rng: np.random.Generator, options: Mapping[str, Any]) -> None:
        """Begin an episode.

        Args:
            rng: The source of randomness; with another one than before nothing is left of earlier episodes.
            options: The options of the reset that this mode knows.

        Raises:
            ValueError: If an option is not possible.
        """

    @abstractmethod
    def act(self, action: int) -> Nets:
        """Play a legal action of whoever is due, and go on to the next decision.

        Returns:
            What the agents have won in hands that ended; empty where none did.
        """

    @abstractmethod
    def save(self) -> Any:
        """Where the episode stands, for `restore`."""

    @abstractmethod
    def restore(self, saved: Any) -> None:
        """Go back to where the episode stood, after an error in between."""

    @abstractmethod
    def observe(self, agent: str) -> Observation:
        """What an agent knows, a new array."""

    @abstractmethod
    def info(self, agent: str) -> dict[str, Any]:
        """What else an agent may know, a new dictionary."""

    @abstractmethod
    def render(self) -> str:
        """The table as whoever is due may see it; once the last hand is settled, everything."""
