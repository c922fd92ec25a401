"""Where a policy and the best response part: which decisions, how often, at what price.

Only free decisions count: where the rules leave no choice nobody can disagree. A decision at which both
actions have the same expectation never disagrees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.game.info_state import Choices, Hand, legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.terms import Action, SuitClass
from pan9_gym.solver.action_values import ActionValues

Kind = tuple[int, int]
"""Total and suit class (0 where none is seen) of a hand."""


@dataclass(frozen=True)
class Disagreement:
    """A decision, or all hands of one total that are played alike, at which a policy is not optimal.

    Attributes:
        total: The total of the first cards.
        hands: The hands concerned.
        all_hands: Whether these are all hands of the total (and suit class) that can arise.
        choices: The choices seen.
        draw_prob: The policy's probability of drawing, averaged by frequency.
        best: The better action.
        prob: How often the decision arises.
        cost: What the policy loses there, per hand played.
        suits: The suit class of the hands; `None` where the role does not see one.
    """

    total: int
    hands: tuple[Hand, ...]
    all_hands: bool
    choices: Choices
    draw_prob: Fraction
    best: Action
    prob: Fraction
    cost: Fraction
    suits: SuitClass | None = None

    @property
    def loss(self) -> Fraction:
        """What the policy loses each time the decision arises."""
        return self.cost / self.prob

    @property
    def situation(self) -> str:
        """The decision in words, such as "total 6, player stood"."""
        seen = f"{'' if self.suits is None else f' {self.suits.label}'}{describe_choices(self.choices)}"
        if self.all_hands:
            return f"total {self.total}{seen}"
        shown = ", ".join(" ".join(map(str, hand)) for hand in self.hands[:3])
        more = f" and {len(self.hands) - 3} more" if len(self.hands) > 3 else ""
        return f"total {self.total} from {shown}{more}{seen}"

    @property
    def policy_move(self) -> str:
        """What the policy does, in words."""
        if self.draw_prob in (0, 1):
            return Action(int(self.draw_prob)).name.lower()
        return f"draw {mixed_percent(float(self.draw_prob))}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "total": self.total,
            "suits": None if self.suits is None else self.suits.name,
            "hands": [list(hand) for hand in self.hands],
            "all_hands_of_the_total": self.all_hands,
            "choices": list(self.choices),
            "draw_prob": str(self.draw_prob),
            "best": self.best.name,
            "prob": str(self.prob),
            "loss": str(self.loss),
            "cost": str(self.cost),
        }


def mixed_percent(prob: float) -> str:
    """A probability strictly between 0 and 1 in percent; never written as 0 % or 100 %."""
    percent = 100 * prob
    if not 0.1 <= percent <= 99.9:
        return "<0.1%" if percent < 50 else ">99.9%"
    return f"{percent:.1f}%"


def describe_choices(choices: Choices) -> str:
    """The choices seen, in words with a leading comma; nothing where none is seen."""
    if not choices:
        return ""
    if len(choices) == 1:
        action, _, card = choices[0].partition(":")
        return ", player stood" if action == "stand" else f", player drew {card}".rstrip()
    return f", players: {' '.join(choices)}"


def disagreements(values: ActionValues, policy: TabularPolicy) -> tuple[Disagreement, ...]:
    """Every disagreement of a policy with the best response, the costliest first.

    Args:
        values: What both actions are worth to the policy's role against the opponent.
        policy: The policy.
    """
    values.check(policy)
    grouped: dict[tuple[int, Kind, Action, Fraction | None], list[int]] = {}
    alike = _played_alike(values, policy)
    for pattern, column, best in _misplayed(values, policy):
        kind = _kind(values, column)
        prob = policy.draw_probs[pattern][column]
        key = (pattern, kind, best, None if (pattern, kind) in alike else prob)
        grouped.setdefault(key, []).append(column)
    found = [
        _merged(values, policy, pattern, columns, best) for (pattern, _, best, _), columns in grouped.items()
    ]
    return tuple(sorted(found, key=lambda entry: (-entry.cost, entry.choices, entry.hands)))


def agreement(values: ActionValues, policy: TabularPolicy) -> Fraction | None:
    """How far a policy agrees with the best response, from 0 to 1; `None` where the role never has a choice.

    Free decisions only, weighted by how often they arise. A mixed policy agrees by 1 - |p - p*|; where both
    actions have the same expectation every policy agrees.
    """
    values.check(policy)
    free = list(_free_places(values))
    weight = sum((values.reach_prob(*place) for place in free), Fraction(0))
    if weight == 0:
        return None
    agreed = sum(
        (values.reach_prob(*place) * (1 - _distance(values, policy, *place)) for place in free), Fraction(0)
    )
    return agreed / weight


def _free_places(values: ActionValues) -> Iterator[tuple[int, int]]:
    for pattern, legal in enumerate(legal_table(values.rules, values.states)):
        for column, actions in enumerate(legal):
            if len(actions) > 1 and values.reach[pattern, column]:
                yield pattern, column


def _best(values: ActionValues, pattern: int, column: int) -> Action | None:
    """The better action; `None` where both are worth the same."""
    gain = values.draw_gain(pattern, column)
    return None if gain == 0 else Action(int(gain > 0))


def _distance(values: ActionValues, policy: TabularPolicy, pattern: int, column: int) -> Fraction:
    best = _best(values, pattern, column)
    return Fraction(0) if best is None else abs(policy.draw_probs[pattern][column] - best)


def _misplayed(values: ActionValues, policy: TabularPolicy) -> Iterator[tuple[int, int, Action]]:
    for pattern, column in _free_places(values):
        best = _best(values, pattern, column)
        if best is not None and policy.draw_probs[pattern][column] != best:
            yield pattern, column, best


def _kind(values: ActionValues, column: int) -> Kind:
    return values.states.column_totals[column], column % values.states.num_suit_classes


def _played_alike(values: ActionValues, policy: TabularPolicy) -> set[tuple[int, Kind]]:
    """The (pattern, kind) at which every hand that can arise is misplayed in the same direction."""
    misplayed: dict[tuple[int, Kind], set[Action]] = {}
    number: dict[tuple[int, Kind], int] = {}
    for pattern, column, best in _misplayed(values, policy):
        key = (pattern, _kind(values, column))
        misplayed.setdefault(key, set()).add(best)
        number[key] = number.get(key, 0) + 1
    return {
        key for key, best in misplayed.items() if len(best) == 1 and number[key] == _num_reached(values, *key)
    }


def _num_reached(values: ActionValues, pattern: int, kind: Kind) -> int:
    """How many columns of a kind can arise."""
    columns = range(values.states.shape[1])
    return sum(_kind(values, column) == kind and values.reach[pattern, column] > 0 for column in columns)


def _merged(
    values: ActionValues, policy: TabularPolicy, pattern: int, columns: list[int], best: Action
) -> Disagreement:
    states = values.states
    total, suits = _kind(values, columns[0])
    prob = sum((values.reach_prob(pattern, column) for column in columns), Fraction(0))
    drawn = sum(
        (values.reach_prob(pattern, column) * policy.draw_probs[pattern][column] for column in columns),
        Fraction(0),
    )
    cost = sum(
        (abs(values.draw_gain(pattern, c)) * _distance(values, policy, pattern, c) for c in columns),
        Fraction(0),
    )
    hands = dict.fromkeys(states.hands[column // states.num_suit_classes] for column in columns)
    return Disagreement(
        total=total,
        hands=tuple(hands),
        all_hands=len(columns) == _num_reached(values, pattern, (total, suits)),
        choices=states.patterns[pattern],
        draw_prob=drawn / prob,
        best=best,
        prob=prob,
        cost=cost,
        suits=SuitClass(suits) if states.with_suits else None,
    )
