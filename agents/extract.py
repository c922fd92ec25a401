"""A trained net as exact tables: it is asked about every information state once.

The greedy policy takes the likelier (or higher-valued) action; the stochastic one keeps the probabilities
with which the learner acts: the net's own for PPO, epsilon-greedy for DQN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.base_class import BaseAlgorithm

from pan9_gym.envs.hand_env import HandEnv
from pan9_gym.game.info_state import legal_table
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import Action, Role


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
    """Asks nets about every information state of one environment's agent.

    Args:
        env: The environment the net is trained on.
    """

    def __init__(self, env: HandEnv) -> None:
        self._rules = env.game.rules
        self._states = env.game.states[env.seat]
        self._observations = env.encoder.encode_all()
        legal = legal_table(self._rules, self._states)
        self._masks = np.array([[action in actions for action in Action] for row in legal for actions in row])

    def extract(self, model: BaseAlgorithm, name: str) -> Extracted:
        """The model's policies under the names `name` and "`name`, stochastic"."""
        probs, greedy = draw_probabilities(model, self._observations, self._masks)
        return Extracted(self._table(greedy, name), self._table(probs, f"{name}, stochastic"))

    def _table(self, probs: npt.NDArray[np.float64], name: str) -> TabularPolicy:
        states = self._states

        def draw_prob(hand: Sequence[int], choices: Sequence[str]) -> float:
            return float(probs[states.index(hand, choices)])

        seat = states.seat if states.role is Role.PLAYER else 0
        return TabularPolicy.from_callable(
            self._rules, states.role, draw_prob, states.num_players, seat, name
        )


def draw_probabilities(
    model: BaseAlgorithm, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What a model does at each observation.

    Args:
        model: PPO, MaskablePPO or DQN.
        observations: float32, shape (states, features).
        masks: Which actions are legal, shape (states, 2).

    Returns:
        Drawing probabilities as the learner acts, and those of its greedy policy, both float64 (states,).
    """
    policy: Any = model.policy
    policy.set_training_mode(False)
    with torch.no_grad():
        inputs = torch.as_tensor(observations, device=model.device)
        if isinstance(model, DQN):
            values = policy.q_net(inputs).double().numpy()
            greedy = (values[:, Action.DRAW] > values[:, Action.STAND]).astype(np.float64)
            epsilon = model.exploration_final_eps  # the same from start to end, see DQNSettings
            return (1 - epsilon) * greedy + epsilon / 2, greedy
        if isinstance(model, MaskablePPO):
            distribution = policy.get_distribution(inputs, action_masks=masks)
        else:
            distribution = policy.get_distribution(inputs)
        probs = distribution.distribution.probs.double().numpy()
    draw = probs[:, Action.DRAW] / probs.sum(axis=1)
    return draw, (probs[:, Action.DRAW] > probs[:, Action.STAND]).astype(np.float64)
