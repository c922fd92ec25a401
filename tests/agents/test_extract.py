"""A net as exact tables: the tables say what the net does at every information state."""

from __future__ import annotations

from fractions import Fraction

import gymnasium
import numpy as np
import pytest
import torch

from agents.config import TrainConfig, load_config
from agents.extract import Extracted, Extractor, draw_probabilities
from agents.learners import make_learner
from agents.make_env import make_vec_env, net_inputs
from pan9_gym import TabularPolicy
from pan9_gym.game import legal_table

SMALL = ["num_envs=4", "ppo.rollout_decisions=64", "ppo.batch_size=32"]
SMALL_DQN = ["num_envs=4", "dqn.buffer_size=5000"]


def extracted(config: TrainConfig) -> tuple[Extracted, object]:
    model = make_learner(config, make_vec_env(config))
    (tables,) = Extractor(net_inputs(config), config.learner).extract(model, "net")
    return tables, model


@pytest.mark.parametrize("observe", ["total", "hand"])
@pytest.mark.parametrize("role", ["player", "banker"])
@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_the_greedy_table_is_what_the_model_predicts(algorithm: str, role: str, observe: str) -> None:
    config = load_config(
        "bicycle_player",
        [
            *(SMALL if algorithm == "ppo" else SMALL_DQN),
            *(f"algorithm={algorithm}", f"role={role}", f"observe={observe}"),
        ],
    )
    tables, model = extracted(config)
    (inputs,) = net_inputs(config)
    predicted, _ = model.predict(inputs.observations, deterministic=True)
    table = np.array([[float(prob) for prob in row] for row in tables.greedy.draw_probs]).ravel()
    assert table.shape == (inputs.states.num_states,)
    assert (table == predicted).all()
    assert tables.greedy.is_deterministic


def test_the_stochastic_table_holds_the_nets_probabilities() -> None:
    tables, model = extracted(load_config("bicycle_player", SMALL))
    env = gymnasium.make("Pan9/Player-v0", observe="total").unwrapped
    with torch.no_grad():
        logits = model.policy.get_distribution(torch.as_tensor(env.encode("0 1 5")[None])).distribution.logits
    expected = torch.softmax(logits.double(), dim=1)[0, 1].item()
    assert float(tables.stochastic.draw_prob("0 1 5")) == pytest.approx(expected, abs=1e-6)
    assert 0 < tables.stochastic.draw_prob("0 1 5") < 1


def test_the_stochastic_table_of_DQN_is_epsilon_greedy() -> None:
    config = load_config("bicycle_player_dqn", [*SMALL_DQN, "dqn.epsilon=0.25"])
    tables, _ = extracted(config)
    found = {prob for row in tables.stochastic.draw_probs for prob in row}
    assert found <= {Fraction(1, 8), Fraction(7, 8)}
    assert tables.stochastic.greedy().draw_probs == tables.greedy.draw_probs


def test_a_masked_net_takes_the_forced_moves() -> None:
    config = load_config("bicycle_bonus_player", SMALL)
    tables, model = extracted(config)
    (legal,) = legal_table(tables.greedy.rules, tables.greedy.states)
    for policy in (tables.greedy, tables.stochastic):
        for prob, moves in zip(policy.draw_probs[0], legal, strict=True):
            assert len(moves) == 2 or prob == moves[0]
    (inputs,) = net_inputs(config)
    masks = np.array([[action in moves for action in (0, 1)] for moves in legal])
    probs, _ = draw_probabilities(config.learner, model, inputs.observations, masks)
    forced = [column for column, moves in enumerate(legal) if len(moves) == 1]
    assert probs[forced] == pytest.approx([float(legal[column][0]) for column in forced], abs=1e-6)


def test_extraction_is_exact_and_saves_to_the_last_bit(tmp_path) -> None:
    tables, _ = extracted(load_config("bicycle_banker", SMALL))
    tables.stochastic.save(tmp_path / "policy.json")
    again = TabularPolicy.load(tmp_path / "policy.json", tables.stochastic.rules)
    assert again.draw_probs == tables.stochastic.draw_probs
