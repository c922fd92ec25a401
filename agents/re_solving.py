"""An opponent who answers the agent best, found again every so many updates."""

from __future__ import annotations

from stable_baselines3.common.callbacks import BaseCallback

from agents.config import RE_SOLVED, TrainConfig
from agents.extract import Extractor
from agents.opponents import others_key
from pan9_gym import solver
from pan9_gym.rules import load_rules


class SolvingAgain(BaseCallback):
    """Makes the other role the exact best response to the agent as it acts while learning.

    Args:
        config: The run's config, with opponent "re_solved" and `resolve_every`.
        extractor: Turns the net into tables.

    Attributes:
        solutions: How often the opponent was found again.
    """

    def __init__(self, config: TrainConfig, extractor: Extractor) -> None:
        super().__init__()
        self.solutions = 0
        self._config = config
        self._extractor = extractor
        self._rollouts = 0

    def _on_rollout_start(self) -> None:
        if self._rollouts % self._config.resolve_every == 0:
            (extracted,) = self._extractor.extract(self.model, "agent")
            rules, role = load_rules(self._config.sheet), self._config.roles[0]
            answer = solver.best_response(rules, role.opponent, extracted.stochastic).policy
            self.training_env.env_method("set_opponents", {others_key(role): answer})
            self.solutions += 1
        self._rollouts += 1

    def _on_step(self) -> bool:
        return True


def solving_again(config: TrainConfig, extractor: Extractor) -> list[BaseCallback]:
    """The callback for a config's opponent; none where he is fixed."""
    return [SolvingAgain(config, extractor)] if config.opponent == RE_SOLVED else []
