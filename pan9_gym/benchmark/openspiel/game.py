"""One player against the banker as an OpenSpiel game: the same game by another road.

Nothing here comes from `pan9_gym.solver` or `pan9_gym.game.round`: probabilities are those of drawing one
card after another, the moves are those of `legal_actions`, the payoff is that of `wager_payoff`. OpenSpiel's
own best response, exploitability and CFR then check the solver's. It shares nothing with the game to be used,
`pan9_gym.envs.openspiel_game`, but how a table becomes a policy of OpenSpiel's.

A chance node deals a multiset of point values at once: the player's first cards, the banker's, then the card
of a seat that draws, before the next seat chooses. Its action is the number of the multiset among all of that
size in lexicographic order. A seat's action is an `Action`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyspiel

from pan9_gym.benchmark.openspiel.dealing import Shoe, multisets, outcomes
from pan9_gym.envs.openspiel_tables import TablePolicy, move_probs
from pan9_gym.game.info_state import Choices, Hand
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.settlement import wager_payoff
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role, Visible, draw_token

ROLES = (Role.PLAYER, Role.BANKER)
"""OpenSpiel's players 0 and 1."""


@dataclass(frozen=True)
class Table:
    """What all states of a game share; OpenSpiel deep-copies a state's attributes for every child.

    Attributes:
        rules: The rules.
        shoe: What can be dealt.
    """

    rules: RulesConfig
    shoe: Shoe

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return self


class Pan9Game(pyspiel.Game):
    """One player against the banker; player 0 is the player, player 1 the banker.

    Args:
        rules: The rules.
        shoe: Cards of each point value, lowest first; default a full shoe.
    """

    def __init__(self, rules: RulesConfig, shoe: Sequence[int] | None = None) -> None:
        counts = rules.initial_counts if shoe is None else tuple(shoe)
        self.table = Table(rules, Shoe(rules.values, counts, rules.with_replacement))
        most = max(1.0, float(rules.payout))
        kind = pyspiel.GameType(
            short_name="python_pan9_independent",
            long_name=f"Super Pan 9, one player against the banker: {rules.name}",
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=len(ROLES),
            min_num_players=len(ROLES),
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=len(Action),
            max_chance_outcomes=len(multisets(rules.values, rules.num_initial_cards)),
            num_players=len(ROLES),
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=len(ROLES),
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> Pan9State:
        """The state before the first card."""
        return Pan9State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What writes information states."""
        return Observer()


class Pan9State(pyspiel.State):
    """A state: what chance has dealt and what the seats have chosen, in order."""

    def __init__(self, game: Pan9Game) -> None:
        super().__init__(game)
        self.table = game.table
        self.deals: tuple[Hand, ...] = ()
        self.choices: tuple[Action, ...] = ()

    def drawn(self, seat: int) -> Hand:
        """The card that a seat drew, if any: the deals after the first two belong to the draws in order."""
        if self.choices[seat : seat + 1] != (Action.DRAW,):
            return ()
        place = len(ROLES) + self.choices[:seat].count(Action.DRAW)
        return self.deals[place] if place < len(self.deals) else ()

    def seen(self, seat: int) -> Choices:
        """What a seat sees of the other's choice, as tokens."""
        visible = self.table.rules.banker_sees
        if ROLES[seat] is Role.PLAYER or visible is Visible.NOTHING or not self.choices:
            return ()
        if self.choices[0] is Action.STAND:
            return (STAND_TOKEN,)
        card = self.drawn(0) if visible is Visible.CARD else ()
        return (draw_token(card[0] if card else None),)

    def _num_due(self) -> int:
        """How many cards chance deals now."""
        if len(self.deals) < len(ROLES):
            return self.table.rules.num_initial_cards
        return len(ROLES) + self.choices.count(Action.DRAW) - len(self.deals)

    def _dealt(self, action: int) -> Hand:
        """The cards that a chance node's action stands for."""
        return multisets(self.table.rules.values, self._num_due())[action]

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        if self._num_due():
            return False
        firsts = (hand_total(hand) for hand in self.deals[: len(ROLES)])
        return len(self.choices) == len(ROLES) or any(total in self.table.rules.naturals for total in firsts)

    def current_player(self) -> int:
        """Whose turn it is: chance's, a seat's or nobody's."""
        if self._num_due():
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else len(self.choices)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each multiset that may come now, by number, with its probability."""
        dealt = sorted(card for cards in self.deals for card in cards)
        return outcomes(self.table.shoe, tuple(dealt), self._num_due())

    def _legal_actions(self, seat: int) -> list[int]:
        total = hand_total(self.deals[seat])
        legal = legal_actions(self.table.rules, ROLES[seat], total, self.seen(seat))
        return [int(action) for action in legal]

    def _apply_action(self, action: int) -> None:
        if self._num_due():
            self.deals = (*self.deals, self._dealt(action))
        else:
            self.choices = (*self.choices, Action(action))

    def _action_to_string(self, seat: int, action: int) -> str:
        if seat == pyspiel.PlayerId.CHANCE:
            return " ".join(map(str, self._dealt(action)))
        return Action(action).name

    def returns(self) -> list[float]:
        """Net units for the player and for the banker; zero before the end."""
        if not self.is_terminal():
            return [0.0, 0.0]
        totals = [hand_total((*self.deals[seat], *self.drawn(seat))) for seat in range(len(ROLES))]
        net = float(wager_payoff(self.table.rules, *totals))
        return [net, -net]

    def __str__(self) -> str:
        return f"{self.deals} {[choice.name for choice in self.choices]}"


def info_state_text(role: Role, hand: Hand, choices: Choices) -> str:
    """An information state as OpenSpiel's key: the role, its first cards and what it sees."""
    return f"{role} {' '.join(map(str, hand))} {' '.join(choices)}"


class Observer:
    """OpenSpiel's way to ask for information states; no tensors."""

    tensor = None
    dict: dict[str, Any] = {}  # noqa: RUF012  # OpenSpiel's name for the tensor's parts

    def set_from(self, state: Pan9State, player: int) -> None:
        """Nothing to set without a tensor."""

    def string_from(self, state: Pan9State, player: int) -> str:
        """What a seat knows; OpenSpiel also asks before its first cards are dealt."""
        hand = state.deals[player] if player < len(state.deals) else ()
        return info_state_text(ROLES[player], hand, state.seen(player))


class PolicyPair(TablePolicy):
    """Both roles' policies, as OpenSpiel asks for them.

    Args:
        game: The game.
        player: The player's policy.
        banker: The banker's policy.
    """

    def __init__(self, game: Pan9Game, player: TabularPolicy, banker: TabularPolicy) -> None:
        pairs = (move_probs(policy, partial(info_state_text, policy.role)) for policy in (player, banker))
        super().__init__(game, {key: probs for pair in pairs for key, probs in pair.items()})
