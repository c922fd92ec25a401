"""TorchRL on the vector environments: its collector, its PPO loss, scored by the exact solver.

    pip install -e ".[torchrl]"
    python -m agents.examples.torchrl_ppo --rules bicycle --num-decisions 300000

`HandsEnv` shows a vector environment to TorchRL as one batched `EnvBase`. A hand is one decision: every step
ends every hand, and TorchRL resets them all, so that the advantage is the reward minus the critic's value.
"""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import gymnasium
import torch
import typer
from torch import nn

import pan9_gym
from pan9_gym import TabularPolicy, evaluation

try:
    from tensordict import TensorDict, TensorDictBase
    from tensordict.nn import TensorDictModule
    from torchrl.collectors import Collector
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.modules import MaskedCategorical, ProbabilisticActor
    from torchrl.objectives import ClipPPOLoss
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"{missing.name} is missing; the extra `torchrl` has it: pip install -e '.[torchrl]'"
    ) from None

gymnasium.register_envs(pan9_gym)

NUM_STEPS, NUM_EPOCHS, NUM_MINIBATCHES = 4, 4, 4
LEARNING_RATE = 2e-3
ENTROPY_COEFFICIENT = 0.02


class HandsEnv(EnvBase):  # type: ignore[misc]  # TorchRL has no types
    """A player's vector environment as TorchRL sees it.

    Args:
        rules: A rule sheet.
        num_envs: How many hands at once.
        seed: The first reset's seed.
    """

    def __init__(self, rules: str, num_envs: int, seed: int) -> None:
        super().__init__(batch_size=torch.Size([num_envs]))
        hands: Any = gymnasium.make_vec(
            "Pan9/Player-v0",
            num_envs=num_envs,
            vectorization_mode="vector_entry_point",
            autoreset_mode="Disabled",
            rules=rules,
            observe="total",
        )
        self.hands = hands.unwrapped
        self._next_seed: int | None = seed
        shape = self.batch_size
        self.num_features = len(self.hands.encoder.layout)
        self.observation_spec = Composite(
            observation=Unbounded((*shape, self.num_features)),
            action_mask=Binary(2, (*shape, 2), dtype=torch.bool),
            shape=shape,
        )
        self.action_spec = Categorical(2, shape)
        self.reward_spec = Unbounded((*shape, 1))

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        seed, self._next_seed = self._next_seed, None
        return TensorDict(self._seen(*self.hands.reset(seed=seed)), self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        observations, rewards, terminated, _, infos = self.hands.step(tensordict["action"].numpy())
        over = torch.from_numpy(terminated).unsqueeze(-1)
        seen = self._seen(observations, infos)
        seen["action_mask"] = torch.ones_like(seen["action_mask"])  # a hand that is over asks for nothing
        rewards = torch.from_numpy(rewards).float().unsqueeze(-1)
        return TensorDict({**seen, "reward": rewards, "done": over, "terminated": over}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed

    def _seen(self, observations: Any, infos: dict[str, Any]) -> dict[str, torch.Tensor]:
        masks = torch.from_numpy(infos["action_mask"]).bool()
        return {"observation": torch.from_numpy(observations), "action_mask": masks}


def train(rules: str, num_decisions: int, num_envs: int = 1024, seed: int = 1) -> TabularPolicy:
    """Train a player by PPO.

    Args:
        rules: A rule sheet.
        num_decisions: Length of the run, rounded up to whole rollouts.
        num_envs: Hands at once.
        seed: Decides cards, exploration and initial weights.

    Returns:
        The stochastic policy as an exact table.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = HandsEnv(rules, num_envs, seed)
    actor, critic = _actor(env), _critic(env)
    loss = ClipPPOLoss(
        actor,
        critic,
        clip_epsilon=0.2,
        entropy_coeff=ENTROPY_COEFFICIENT,
        critic_coeff=0.5,
        loss_critic_type="l2",
        normalize_advantage=True,
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=LEARNING_RATE)
    frames = num_envs * NUM_STEPS
    num_updates = -(-num_decisions // frames)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, num_updates)
    collector = Collector(
        env,
        actor,
        frames_per_batch=frames,
        total_frames=num_updates * frames,
        auto_register_policy_transforms=False,
    )
    for batch in collector:
        _update(loss, critic, batch.reshape(-1), optimizer)
        schedule.step()
    collector.shutdown()
    return policy(actor, env, rules)


def _update(
    loss: ClipPPOLoss, critic: TensorDictModule, batch: Any, optimizer: torch.optim.Optimizer
) -> None:
    with torch.no_grad():
        critic(batch)
    batch["value_target"] = batch["next", "reward"]
    batch["advantage"] = batch["value_target"] - batch["state_value"]
    for _ in range(NUM_EPOCHS):
        for rows in torch.randperm(len(batch)).chunk(NUM_MINIBATCHES):
            parts = loss(batch[rows])
            optimizer.zero_grad()
            (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
            optimizer.step()


def _net(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


def _actor(env: HandsEnv) -> ProbabilisticActor:
    net = TensorDictModule(_net(env.num_features, 2), in_keys=["observation"], out_keys=["logits"])
    return ProbabilisticActor(
        net,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )


def _critic(env: HandsEnv) -> TensorDictModule:
    return TensorDictModule(_net(env.num_features, 1), in_keys=["observation"], out_keys=["state_value"])


def policy(actor: ProbabilisticActor, env: HandsEnv, rules: str) -> TabularPolicy:
    """What the actor does everywhere, as an exact table."""
    net = actor.module[0].module

    def draw_prob(hand: Sequence[int], choices: Sequence[str]) -> float:
        with torch.no_grad():
            logits = net(torch.from_numpy(env.hands.encode(hand, choices)))
        return float(logits.double().softmax(0)[1])

    return TabularPolicy.from_callable(rules, "player", draw_prob, name="TorchRL PPO, stochastic")


def main(
    rules: Annotated[str, typer.Option(help="A rule sheet.")] = "bicycle",
    num_decisions: Annotated[int, typer.Option(min=4096, help="Length of the run.")] = 300_000,
    seed: Annotated[int, typer.Option(min=0, help="Cards, exploration and initial weights.")] = 1,
) -> None:
    """Train a player and print the exact report."""
    stochastic = train(rules, num_decisions, seed=seed)
    for found in (stochastic.greedy("TorchRL PPO"), stochastic):
        print(evaluation.report(rules, found, "player").table(), end="\n\n")


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
