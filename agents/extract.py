"""A trained net as exact tables: it is asked about every information state of its task once.

The greedy policy takes the likelier (or higher-valued) action; the stochastic one keeps the probabilities
with which the learner acts: the net's own for PPO, epsilon-greedy for DQN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from agents.algorithms import Algorithm
from agents.make_env import NetInputs
from pan9_gym.game.info_state import InfoStates, legal_table
from pan9_gym.policies import TabularPolicy
from pan9_gym.policies.tabular import Row
from pan9_gym.rules import Action, RulesConfig


@dataclass(frozen=True)
class Extracted:
    """The two policies of a net.

    Attributes:
        greedy: The likelier action everywhere.
        stochastic: The probabilities with which the learner acts.
    """

    greedy: TabularPolicy
    stochastic: TabularPolicy


class Extractor:
    """Asks nets about every information state of all parts of their task, suit classes included.

    States that look the same to the net are asked about once: a banker against seven players who observes
    the number of drawers has 10,752 states and 80 observations.

    Args:
        inputs: What the net is asked about each part.
        learner: The algorithm.
    """

    def __init__(self, inputs: Sequence[NetInputs], learner: Algorithm) -> None:
        self._learner = learner
        self._parts: list[_AskedPart] = []
        seen, start = [], 0
        for part in inputs:
            legal = legal_table(part.rules, part.states)
            masks = np.array([[action in moves for action in Action] for row in legal for moves in row])
            rows = slice(start, start := start + len(masks))
            self._parts.append(_AskedPart(part.rules, part.states, masks, rows))
            seen.append(np.concatenate([part.observations, masks.astype(np.float32)], axis=1))
        every, places = np.unique(np.concatenate(seen), axis=0, return_inverse=True)
        self._observations = np.ascontiguousarray(every[:, : -len(Action)])
        self._masks = every[:, -len(Action) :] > 0
        self._places = places.reshape(-1)

    def extract(self, model: BaseAlgorithm, name: str) -> tuple[Extracted, ...]:
        """The model's policies at each part, under the names `name` and "`name`, stochastic"."""
        probs, greedy = draw_probabilities(self._learner, model, self._observations, self._masks)
        found = []
        for part in self._parts:
            places = self._places[part.rows]
            tables = part.table(greedy[places], name), part.table(probs[places], f"{name}, stochastic")
            found.append(Extracted(*tables))
        return tuple(found)


class _AskedPart:
    """One part, and the rows of the observations that are about it."""

    def __init__(
        self, rules: RulesConfig, states: InfoStates, masks: npt.NDArray[np.bool_], rows: slice
    ) -> None:
        self.rows = rows
        self._rules, self._states = rules, states
        self._forced = ~masks.all(axis=1)
        self._forced_move = masks[:, Action.DRAW].astype(np.float64)

    def table(self, probs: npt.NDArray[np.float64], name: str) -> TabularPolicy:
        """A policy by its drawing probabilities; equal rows are one object, so that many are cheap."""
        played = np.where(self._forced, self._forced_move, probs).reshape(self._states.shape)
        exact: dict[float, Fraction] = {}
        rows: dict[tuple[float, ...], Row] = {}
        for row in map(tuple, played.tolist()):
            if row not in rows:
                exact |= {prob: Fraction(prob) for prob in row if prob not in exact}
                rows[row] = tuple(map(exact.__getitem__, row))
        draw_probs = tuple(rows[row] for row in map(tuple, played.tolist()))
        return TabularPolicy(self._rules, self._states, draw_probs, name)


def draw_probabilities(
    learner: Algorithm,
    model: BaseAlgorithm,
    observations: npt.NDArray[np.float32],
    masks: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What a model does at each observation.

    Args:
        learner: Its algorithm.
        model: The model.
        observations: float32, shape (states, features).
        masks: Which actions are legal, shape (states, 2).

    Returns:
        Drawing probabilities as the learner acts, and those of its greedy policy, both float64 (states,).
    """
    model.policy.set_training_mode(False)
    with torch.no_grad():
        return learner.draw_probs(model, torch.as_tensor(observations, device=model.device), masks)
