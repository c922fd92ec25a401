"""What logged hands say about a policy that did not play them, beside the exact value.

Off-policy estimates are used where the truth cannot be had, so that nobody sees how wrong they are. Here both
can be had.

Formula:
    w_i  = pi(a_i | s_i) / b(a_i | s_i)
    IS   = mean of w_i r_i
    SNIS = sum of w_i r_i / sum of w_i
    DR   = mean of (sum_a pi(a | s_i) q(s_i, a) + w_i (r_i - q(s_i, a_i)))
    standard error = standard deviation of the n terms / sqrt(n); for SNIS of the terms w_i (r_i - SNIS)

Symbols:
    i: a logged hand of n; s_i, a_i, r_i: its information state, the action taken, the reward in units
    pi: the policy asked about; b: the one that played, whose probabilities were logged
    q: mean reward of the logged hands with the same total, the same choices seen and the same action, out of
       the other half of the log

Source:
    Dudik, Langford and Li 2011, "Doubly robust policy evaluation and learning" (arXiv 1103.4601); a hand is
    one decision, hence a contextual bandit. Where the logged probabilities are those that played, the mean of
    w is 1, which `weight_check` tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium
import numpy as np
import numpy.typing as npt

import pan9_gym
from pan9_gym import TabularPolicy
from pan9_gym.evaluation import Estimate

gymnasium.register_envs(pan9_gym)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LoggedHands:
    """Hands as they were logged, one entry each.

    Attributes:
        observations: What the agent saw, float32, shape (n, D).
        info_states: Numbers of the information states, shape (n,).
        actions: 0 stand, 1 draw.
        rewards: Units.
        draw_probs: The probability with which the logging policy drew in this state.
    """

    observations: npt.NDArray[np.float32]
    info_states: Ints
    actions: Ints
    rewards: Floats
    draw_probs: Floats

    @property
    def propensities(self) -> Floats:
        """The probability of the action taken."""
        return np.where(self.actions == 1, self.draw_probs, 1 - self.draw_probs)


def epsilon_mixed(policy: TabularPolicy, epsilon: float) -> Floats:
    """Drawing probabilities by information state of a policy that moves at random with `epsilon`."""
    return ((1 - epsilon) * policy.array + epsilon / 2).ravel()


def log_hands(rules: str, draw_probs: Floats, num_hands: int, seed: int) -> LoggedHands:
    """Play a banker against a logical-way player and log it.

    Args:
        rules: A sheet without forced moves.
        draw_probs: The logging policy: a drawing probability for each information state.
        num_hands: How many hands.
        seed: Cards and actions.
    """
    envs = gymnasium.make_vec(
        "Pan9/PlayerDealer-v0", num_envs=num_hands, vectorization_mode="vector_entry_point", rules=rules
    )
    observations, infos = envs.reset(seed=seed)
    states = infos["info_state"].copy()
    drawn = draw_probs[states]
    actions = (np.random.default_rng([seed, 1]).random(num_hands) < drawn).astype(np.int64)
    _, rewards, _, _, _ = envs.step(actions)
    return LoggedHands(observations, states, actions, rewards, drawn)


def weights(log: LoggedHands, target: TabularPolicy) -> Floats:
    """How much likelier the target makes each logged action.

    Raises:
        ValueError: If a logged action had the probability 0 or less, or above 1.
    """
    propensities = log.propensities
    if not ((propensities > 0) & (propensities <= 1)).all():
        raise ValueError("propensities: an action that was taken has a probability above 0 and at most 1")
    return _prob(target, log.info_states, log.actions) / propensities


def weight_check(log: LoggedHands, target: TabularPolicy) -> float:
    """How many standard errors the mean weight lies from 1: beyond 4 the logged probabilities are wrong."""
    found = Estimate.of(weights(log, target))
    return (found.mean - 1) / found.standard_error if found.standard_error else 0.0


def importance_sampling(log: LoggedHands, target: TabularPolicy) -> Estimate:
    """The target's expectation by weighted rewards; unbiased."""
    return Estimate.of(weights(log, target) * log.rewards)


def self_normalised(log: LoggedHands, target: TabularPolicy) -> Estimate:
    """The same divided by the mean weight: a bias that falls as 1 / n, and a smaller variance."""
    weighted = weights(log, target)
    mean = float((weighted * log.rewards).sum() / weighted.sum())
    return Estimate(mean, Estimate.of(weighted * (log.rewards - mean)).standard_error)


def doubly_robust(log: LoggedHands, target: TabularPolicy) -> Estimate:
    """A model of the rewards, corrected by the weighted rest: right if the model or the weights are."""
    cells = _cells(target, log.info_states)
    halves = np.arange(len(cells)) % 2
    terms = np.zeros(len(cells))
    weighted = weights(log, target)
    for half in (0, 1):
        model = _mean_rewards(log, cells, halves != half)
        own = halves == half
        values = model[cells[own]]
        drawn = _prob(target, log.info_states[own], np.ones(own.sum(), dtype=np.int64))
        direct = drawn * values[:, 1] + (1 - drawn) * values[:, 0]
        rest = log.rewards[own] - values[np.arange(len(values)), log.actions[own]]
        terms[own] = direct + weighted[own] * rest
    return Estimate.of(terms)


ESTIMATES = {
    "importance sampling": importance_sampling,
    "self-normalised": self_normalised,
    "doubly robust": doubly_robust,
}


def _prob(policy: TabularPolicy, states: Ints, actions: Ints) -> Floats:
    drawn = policy.array.ravel()[states]
    return np.where(actions == 1, drawn, 1 - drawn)


def _cells(policy: TabularPolicy, states: Ints) -> Ints:
    """A number for each combination of choices seen and total."""
    patterns, columns = np.divmod(states, policy.states.shape[1])
    totals = np.array(policy.states.column_totals)
    return np.asarray(patterns * 10 + totals[columns], dtype=np.int64)


def _mean_rewards(log: LoggedHands, cells: Ints, chosen: npt.NDArray[np.bool_]) -> Floats:
    """Mean reward by cell and action, shape (cells, 2); 0 where there is no such hand."""
    keys = cells[chosen] * 2 + log.actions[chosen]
    size = 2 * (int(cells.max()) + 1)
    totals = np.bincount(keys, log.rewards[chosen], size)
    return (totals / np.maximum(np.bincount(keys, minlength=size), 1)).reshape(-1, 2)
