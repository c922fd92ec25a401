"""Training configs: what comes with the repository loads; what is wrong is said in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.config import TrainConfig, config_names, load_config
from agents.make_env import forces_moves, make_vec_env, net_inputs, reward_scale
from agents.opponents import resolve_opponent
from agents.parts import parts_of
from pan9_gym import load_rules, policies, solver
from pan9_gym.game import info_states, legal_table
from pan9_gym.rules import ConfigError, Role, sheet_names


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", config_names())
def test_every_config_loads_and_makes_its_environment(name: str) -> None:
    config = load_config(name)
    assert config.name == name
    for part, inputs in zip(parts_of(config), net_inputs(config), strict=True):
        assert inputs.states.role == part.config.role in config.roles
        assert inputs.rules == load_rules(part.config.sheet)
        assert part.config.sheet in config.sheets


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("sheet", sheet_names())
def test_there_is_a_config_for_each_role_with_a_choice_on_each_sheet(sheet: str, role: Role) -> None:
    rules = load_rules(sheet)
    free = any(len(moves) == 2 for row in legal_table(rules, info_states(rules, role)) for moves in row)
    assert (f"{sheet}_{role}" in config_names()) == free


def test_forced_moves_are_trained_with_masks() -> None:
    for name in config_names():
        config = load_config(name)
        forced = False
        for part in parts_of(config):
            rules = load_rules(part.config.sheet)
            states = info_states(rules, part.config.role)
            forced |= any(
                len(moves) == 1 and total not in rules.naturals  # a natural ends the hand before any decision
                for row in legal_table(rules, states)
                for total, moves in zip(states.column_totals, row, strict=True)
            )
        assert (config.algorithm == "maskable_ppo") == forced == forces_moves(config), name


def test_overrides_reach_nested_fields_and_read_numbers() -> None:
    config = load_config("bicycle_player", ["seed=7", "ppo.learning_rate=1e-4", "hidden_sizes=[8]"])
    assert (config.seed, config.ppo.learning_rate, config.hidden_sizes) == (7, 1e-4, [8])


def test_a_number_such_as_1e_4_in_yaml_is_a_number(tmp_path: Path) -> None:
    path = written(tmp_path, "rules: bicycle\nppo:\n  learning_rate: 1e-4\n")
    assert load_config(path).ppo.learning_rate == 1e-4


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("rulez: bicycle\n", ["own.yaml", "'rulez'", "did you mean 'rules'", "num_decisions"]),
        ("ppo: {learning_rat: 1}\n", ["ppo.learning_rat", "did you mean 'learning_rate'"]),
        ("role: dealer\n", ["'role'", "'dealer'", "'player'", "'banker'"]),
        ("num_decisions: 0\n", ["'num_decisions'", "0", "greater than 0"]),
        ("seed: -1\n", ["'seed'", "-1", "greater than or equal to 0"]),
        ("algorithm: sarsa\n", ["'algorithm'", "'sarsa'", "'ppo'"]),
        ("ppo: {learning_rate: 2}\n", ["'ppo.learning_rate'", "2", "less than or equal to 1"]),
        ("seed: 1\nseed: 2\n", ["own.yaml", "line 2", "duplicate key"]),
        ("rules: &r bicycle\nname: *r\n", ["own.yaml", "alias"]),
        ("- a\n- b\n", ["own.yaml", "mapping"]),
    ],
)
def test_a_wrong_config_is_refused_in_words(tmp_path: Path, text: str, needles: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        load_config(written(tmp_path, text))
    for needle in needles:
        assert needle in str(raised.value)


def test_an_unknown_config_lists_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"'bicycle_plyer' is not known \(did you mean 'bicycle_player'\?\)"
    ):
        load_config("bicycle_plyer")


@pytest.mark.parametrize("override", ["seed", "=3", "seed.x=3"])
def test_a_malformed_override_is_refused(override: str) -> None:
    with pytest.raises(ConfigError, match="override"):
        load_config("bicycle_player", ["seed=3", override])


def test_an_unknown_sheet_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"known sheets: baccarat_.*, bicycle, bicycle_bonus"):
        net_inputs(TrainConfig(rules="bycicle"))


def test_an_unknown_opponent_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'opponent' has the value 'x'.*logical_way.*equilibrium"):
        net_inputs(TrainConfig(opponent="x"))


def test_an_unknown_feature_names_the_field() -> None:
    with pytest.raises(ConfigError, match=r"'observe' has the value \['colour'\].*allowed: total"):
        net_inputs(TrainConfig(observe=["colour"]))


@pytest.mark.parametrize(
    ("sheet", "role"),
    [
        ("uk_1994_house", "banker"),
        ("baccarat_punto_banco", "player"),
        ("baccarat_punto_banco", "banker"),
    ],
)
def test_a_role_without_a_choice_is_refused(sheet: str, role: Role) -> None:
    with pytest.raises(ConfigError, match=f"the {role} never has a choice under '{sheet}'"):
        net_inputs(TrainConfig(rules=sheet, role=role))


@pytest.mark.parametrize(
    ("overrides", "field"),
    [
        (["ppo.rollout_decisions=100", "num_envs=64"], "ppo.rollout_decisions"),
        (["ppo.rollout_decisions=64", "ppo.batch_size=65", "num_envs=64"], "ppo.batch_size"),
        (["early_checkpoint=200000"], "early_checkpoint 200000: there must be an update between it and"),
        (
            ["num_decisions=4096", "early_checkpoint=1"],
            "early_checkpoint 1: .*every ppo.rollout_decisions=4096",
        ),
        (
            ["algorithm=dqn", "num_envs=63"],
            "dqn.decisions_per_update 256: a multiple of num_envs=63 is needed",
        ),
        (["algorithm=dqn", "dqn.learning_starts=200000"], "dqn.learning_starts 200000"),
        (["algorithm=dqn", "dqn.buffer_size=4000"], "dqn.batch_size 4096: at most dqn.buffer_size=4000"),
        (["ppo.batch_size=1"], "ppo.batch_size.*greater than or equal to 2"),
        (["num_envs=100000"], "num_envs.*less than or equal to 65536"),
        (["name=../escape"], "name.*pattern"),
        (["seed=true"], "seed.*valid integer"),
        (["seed='7'"], "seed.*valid integer"),
        (["observe=foo"], "observe.*must be total, hand, shoe or a list of features out of total"),
    ],
)
def test_contradicting_settings_name_the_field(overrides: list[str], field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        load_config("bicycle_player", overrides)


def test_opponents_that_only_a_solver_can_name() -> None:
    rules = load_rules("bicycle")
    wizard = policies.get("wizard", rules, "banker")
    assert resolve_opponent(rules, Role.BANKER, "equilibrium").draw_probs == wizard.draw_probs
    assert resolve_opponent(rules, Role.BANKER, "best_response").draw_probs == wizard.draw_probs
    value = solver.equilibrium(rules).value
    player = resolve_opponent(rules, Role.PLAYER, "equilibrium")
    assert solver.best_response(rules, "banker", player).ev == -value


@pytest.mark.parametrize(("algorithm", "scale"), [("ppo", 1.0), ("dqn", 0.5)])
def test_rewards_are_scaled_for_DQN_but_episode_statistics_are_not(algorithm: str, scale: float) -> None:
    config = load_config("bicycle_player", [f"algorithm={algorithm}", "num_envs=8"])
    assert reward_scale(config) == scale
    vec_env = make_vec_env(config)
    vec_env.reset()
    seen = set()
    for _ in range(20):
        _, rewards, dones, infos = vec_env.step([1] * 8)
        assert dones.all()
        for reward, info in zip(rewards, infos, strict=True):
            assert reward == scale * info["episode"]["r"]
            seen.add(float(info["episode"]["r"]))
    assert seen == {-1.0, 0.0, 1.0}
