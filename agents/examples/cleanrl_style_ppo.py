"""Proximal policy optimisation in one file, as CleanRL presents its algorithms, scored by the exact solver.

    python -m agents.examples.cleanrl_style_ppo --rules bicycle --num-decisions 1000000

Everything that learns is in this file; of this package it uses the vector environment, `from_callable` and
`report`, as a user's own file would.

Formula:
    A = r - V(s)
    loss = mean max(-A w, -A clip(w, 1 - c, 1 + c)) + 1/2 mean (V(s) - r)^2 - h mean H(s)

Symbols:
    r: the hand's reward in units
    V: the critic
    w: new probability of the action taken over the old one
    c: `clip`; h: `entropy_coefficient`
    H: entropy of the actor's choice in state s

Source:
    Schulman et al. 2017, "Proximal policy optimization algorithms" (arXiv 1707.06347), equations 7 and 9. A
    hand is one decision, so that no return reaches beyond it and the advantage needs no discount.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
import typer
from torch import nn

import pan9_gym
from pan9_gym import TabularPolicy, evaluation

gymnasium.register_envs(pan9_gym)

NEVER = -1e9
"""The logit of an action that is not legal."""


@dataclass(frozen=True)
class Args:
    """Everything that can be set."""

    rules: str = "bicycle"
    env_id: str = "Pan9/PlayerDealer-v0"
    seed: int = 1
    num_decisions: int = 1_000_000
    num_envs: int = 1024
    num_steps: int = 16
    """Steps of all environments between two updates."""
    num_epochs: int = 4
    num_minibatches: int = 4
    learning_rate: float = 1e-3
    """At the start; falls linearly to 2 % of it."""
    clip: float = 0.2
    entropy_coefficient: float = 0.01
    """At the start; falls linearly to 0, as actions whose worth differs by less would stay mixed."""
    max_grad_norm: float = 0.5


class Agent(nn.Module):
    """An actor and a critic with a net each.

    Args:
        num_features: Entries of an observation.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.actor = _net(num_features, 2, last_scale=0.01)
        self.critic = _net(num_features, 1, last_scale=1.0)

    def choices(self, obs: torch.Tensor, masks: torch.Tensor) -> torch.distributions.Categorical:
        """What the actor does at each observation, among the legal actions."""
        logits = self.actor(obs).masked_fill(~masks, NEVER)
        return torch.distributions.Categorical(logits=logits)


def _net(inputs: int, outputs: int, last_scale: float) -> nn.Sequential:
    layers = [nn.Linear(inputs, 64), nn.Linear(64, 64), nn.Linear(64, outputs)]
    for layer, scale in zip(layers, (2**0.5, 2**0.5, last_scale), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


@dataclass(frozen=True)
class Batch:
    """The hands between two updates, one row each."""

    obs: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    rewards: torch.Tensor

    def rows(self, chosen: torch.Tensor) -> Batch:
        """Some of the hands."""
        return Batch(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


class Hands:
    """Environments that keep their place between two rollouts.

    Args:
        args: The arguments.
    """

    def __init__(self, args: Args) -> None:
        self.envs = gymnasium.make_vec(
            args.env_id,
            num_envs=args.num_envs,
            vectorization_mode="vector_entry_point",
            rules=args.rules,
            observe="total",
        )
        self._obs, self._infos = self.envs.reset(seed=args.seed)

    @property
    def num_features(self) -> int:
        """Entries of an observation."""
        return int(self._obs.shape[1])

    def play(self, agent: Agent, num_steps: int) -> Batch:
        """Play some steps of all environments: every step ends each hand and deals the next."""
        steps: list[tuple[torch.Tensor, ...]] = []
        for _ in range(num_steps):
            obs, masks = torch.from_numpy(self._obs), torch.from_numpy(self._infos["action_mask"]).bool()
            with torch.no_grad():
                choices: Any = agent.choices(obs, masks)  # torch.distributions has no types
                actions = choices.sample()
                log_probs = choices.log_prob(actions)
            self._obs, rewards, _, _, self._infos = self.envs.step(actions.numpy())
            steps.append((obs, masks, actions, log_probs, torch.from_numpy(rewards).float()))
        return Batch(*(torch.cat(part) for part in zip(*steps, strict=True)))


def train(args: Args) -> tuple[Agent, Hands]:
    """Train an agent.

    Args:
        args: The arguments.

    Returns:
        The agent and its environments.
    """
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    hands = Hands(args)
    agent = Agent(hands.num_features)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    num_updates = max(1, args.num_decisions // (args.num_envs * args.num_steps))
    for update in range(num_updates):
        left = 1 - update / num_updates
        optimizer.param_groups[0]["lr"] = args.learning_rate * max(left, 0.02)
        batch = hands.play(agent, args.num_steps)
        for _ in range(args.num_epochs):
            for rows in torch.randperm(len(batch.rewards)).chunk(args.num_minibatches):
                optimizer.zero_grad()
                loss(agent, batch.rows(rows), args, left).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
    return agent, hands


def loss(agent: Agent, batch: Batch, args: Args, left: float) -> torch.Tensor:
    """What an update makes smaller: the formula of this file; `left` is the part of the run still to come."""
    values = agent.critic(batch.obs).squeeze(1)
    advantages = batch.rewards - values.detach()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    choices: Any = agent.choices(batch.obs, batch.masks)
    ratios = (choices.log_prob(batch.actions) - batch.log_probs).exp()
    clipped = ratios.clamp(1 - args.clip, 1 + args.clip)
    actor = torch.max(-advantages * ratios, -advantages * clipped).mean()
    critic = 0.5 * (values - batch.rewards).square().mean()
    bonus = args.entropy_coefficient * left * choices.entropy().mean()
    return torch.as_tensor(actor + critic - bonus)


def policies(agent: Agent, hands: Hands, args: Args) -> tuple[TabularPolicy, TabularPolicy]:
    """The net as exact tables: its greedy and its stochastic policy."""
    envs: Any = hands.envs.unwrapped

    def draw_prob(hand: Sequence[int], choices: Sequence[str]) -> float:
        obs: npt.NDArray[np.float32] = envs.encode(hand, choices)
        with torch.no_grad():
            return float(agent.actor(torch.from_numpy(obs)).double().softmax(0)[1])

    role = "banker" if args.env_id == "Pan9/PlayerDealer-v0" else "player"
    stochastic = TabularPolicy.from_callable(args.rules, role, draw_prob, name="PPO, stochastic")
    return stochastic.greedy("PPO"), stochastic


def main(
    rules: Annotated[str, typer.Option(help="A rule sheet.")] = Args.rules,
    env_id: Annotated[str, typer.Option(help="Pan9/Player-v0 or Pan9/PlayerDealer-v0.")] = Args.env_id,
    seed: Annotated[int, typer.Option(help="Cards, exploration and initial weights.")] = Args.seed,
    num_decisions: Annotated[int, typer.Option(help="Length of the run.")] = Args.num_decisions,
) -> None:
    """Train and print the exact report."""
    args = Args(rules=rules, env_id=env_id, seed=seed, num_decisions=num_decisions)
    greedy, stochastic = policies(*train(args), args)
    for policy in (greedy, stochastic):
        print(evaluation.report(args.rules, policy, policy.role).table(), end="\n\n")


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
