"""A trained net as exact tables: it is asked about every information state once.

The greedy policy takes the likelier (or higher-valued) action; the stochastic one keeps the probabilities
with which the learner acts: the net's own for PPO, epsilon-greedy for DQN.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from agents.algorithms import Algorithm
from pan9_gym.envs.hand_env import HandEnv
from pan9_gym.game.info_state import legal_table
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import Action


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
    """Asks nets about every information state of one environment's agent, suit classes included.

    States that look the same to the net are asked about once: a banker against seven players who observes
    the number of drawers has 10,752 states and 80 observations.

    Args:
        env: The environment the net is trained on.
        learner: The algorithm.
    """

    def __init__(self, env: HandEnv, learner: Algorithm) -> None:
        self._learner = learner
        self._rules = env.game.rules
        self._states = env.game.states[env.seat]
        legal = legal_table(self._rules, self._states)
        masks = np.array([[action in moves for action in Action] for row in legal for moves in row])
        self._forced = ~masks.all(axis=1)
        self._forced_move = masks[:, Action.DRAW].astype(np.float64)
        seen = np.concatenate([env.encoder.encode_all(), masks.astype(np.float32)], axis=1)
        rows, places = np.unique(seen, axis=0, return_inverse=True)
        self._observations = np.ascontiguousarray(rows[:, : -len(Action)])
        self._masks = rows[:, -len(Action) :] > 0
        self._places = places.reshape(-1)

    def extract(self, model: BaseAlgorithm, name: str) -> Extracted:
        """The model's policies under the names `name` and "`name`, stochastic"."""
        probs, greedy = draw_probabilities(self._learner, model, self._observations, self._masks)
        return Extracted(self._table(greedy, name), self._table(probs, f"{name}, stochastic"))

    def _table(self, probs: npt.NDArray[np.float64], name: str) -> TabularPolicy:
        """Equal rows are one object, which makes a table of many patterns cheap."""
        played = np.where(self._forced, self._forced_move, probs[self._places]).reshape(self._states.shape)
        exact = {prob: Fraction(prob) for prob in np.unique(played).tolist()}
        rows, places = np.unique(played, axis=0, return_inverse=True)
        tuples = [tuple(exact[prob] for prob in row) for row in rows.tolist()]
        draw_probs = tuple(tuples[place] for place in places.reshape(-1).tolist())
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
