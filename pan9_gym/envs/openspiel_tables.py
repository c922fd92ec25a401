"""Tables of drawing probabilities as a policy of OpenSpiel's, for any game that names information states.

It knows nothing of a game but those names, so that both of the package's games for OpenSpiel use it: the one
that `game.round` drives, and the independent one that checks the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pan9_gym.envs.openspiel_extra import openspiel_policy
from pan9_gym.game.info_state import Choices, Hand, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.terms import Action

MoveProbs = dict[str, dict[int, float]]
"""The probability of each legal action at each information state, by its name."""


def move_probs(policy: TabularPolicy, name: Callable[[Hand, Choices], str]) -> MoveProbs:
    """What a table does at each information state.

    Args:
        policy: The table; without suit classes.
        name: What the game calls an information state of this seat, from its hand and what it sees.
    """
    states = policy.states
    rows = zip(states.patterns, policy.array, legal_table(policy.rules, states), strict=True)
    return {
        name(hand, pattern): {
            int(action): float(prob if action is Action.DRAW else 1 - prob) for action in moves
        }
        for pattern, row, legal in rows
        for hand, prob, moves in zip(states.hands, row, legal, strict=True)
    }


class TablePolicy(openspiel_policy.Policy):
    """All seats' policies, as OpenSpiel asks for them.

    Args:
        game: The game.
        probs: The probability of each legal action at each information state of each seat, by its name.
    """

    def __init__(self, game: Any, probs: Mapping[str, Mapping[int, float]]) -> None:
        super().__init__(game, list(range(game.num_players())))
        self._probs = probs

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action."""
        seat = state.current_player() if player_id is None else player_id
        return dict(self._probs[state.information_state_string(seat)])
