"""The only encoder: what a seat knows as a flat float32 array, and the table of what each entry means.

An observation is a list of features in a fixed layout. `observe="total"` is (total, choices),
`observe="hand"` is (counts, choices), which is one to one with the information state; while a Dragon stake is
held both also have the suit class. `observe="shoe"` is the hand with the shares of the cards that are left in
the shoe before the hand. Where the sheet is drawn for each episode all have the rules too. A tuple of feature
names picks any others, such as "mix", how rich the rest of the shoe is in each point value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import InfoStates
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.errors import closest
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role, SuitClass, token_action

Observation = npt.NDArray[np.float32]

FEATURES = (
    *("total", "counts", "cards", "choices", "num_drawers", "suit_class", "wagers"),
    *("shoe", "mix", "rules"),
)

OF_THE_SHOE = ("shoe", "mix")
"""Features of what is left of the shoe."""

KNOWN_BEFORE = ("wagers", *OF_THE_SHOE, "rules")
"""Features that do not depend on the hand."""

PRESETS = {
    "total": ("total", "choices"),
    "hand": ("counts", "choices"),
    "shoe": ("counts", "shoe", "choices"),
}


@dataclass(frozen=True)
class Entry:
    """One entry of an observation.

    Attributes:
        feature: The feature it belongs to.
        meaning: What the number says.
        low: The smallest value it takes.
        high: The largest value it takes.
    """

    feature: str
    meaning: str
    low: float
    high: float


class Encoder:
    """Encodes one seat's information states.

    Args:
        states: The seat's information states.
        observe: "total", "hand", "shoe", or a sequence of feature names.
        wagers: Each player's wager.
        rules: The sheet.
        several: Whether it is one of several, so that presets have the feature "rules".

    Raises:
        ValueError: If a feature is not known, named twice, or not part of what the seat knows.
    """

    def __init__(
        self,
        states: InfoStates,
        observe: str | Sequence[str],
        wagers: Sequence[Fraction],
        rules: RulesConfig,
        several: bool = False,
    ) -> None:
        self.states = states
        self.features = _read_features(observe, states)
        if several and isinstance(observe, str):
            self.features += ("rules",)
        self._rules = rules_entries(rules)
        self._values = sorted(set(states.point_values.values()))
        self._pack = np.array(rules.initial_counts, dtype=np.int64) // gcd(*rules.initial_counts)
        total_wager = sum(wagers)
        self._wager_shares = [float(wager / total_wager) for wager in wagers]
        self.layout: tuple[Entry, ...] = tuple(
            entry for feature in self.features for entry in self._entries(feature)
        )
        self.low = np.array([entry.low for entry in self.layout], dtype=np.float32)
        self.high = np.array([entry.high for entry in self.layout], dtype=np.float32)
        if not self.layout:
            raise ValueError(f"observe {observe!r}: this seat would observe nothing")
        self._shoe_places = {name: self._place(name) for name in OF_THE_SHOE if name in self.features}
        self._known: dict[int, Observation] = {}

    def encode(
        self,
        hand: Sequence[int] | str,
        choices: Sequence[str] = (),
        suits: SuitClass | None = None,
        shoe: npt.ArrayLike | None = None,
    ) -> Observation:
        """The observation of an information state.

        Args:
            hand: Point values of the first cards, in any order.
            choices: Tokens of the earlier seats that are seen.
            suits: The suit class, only while a Dragon stake is held.
            shoe: For each point value, lowest first, the share of its cards that is left before the hand;
                default all. Read only where the shoe is observed.

        Returns:
            float32, shape (len(layout),); a new array each time.

        Raises:
            ValueError: If there is no such information state.
        """
        return self.encode_index(self.states.index(hand, choices, suits), shoe)

    def encode_index(self, info_state: int, shoe: npt.ArrayLike | None = None) -> Observation:
        """The observation of an information state given by its number; a new array each time."""
        known = self._known.get(info_state)
        if known is None:
            known = self._known[info_state] = self._encode(info_state)
        obs = known.copy()
        if shoe is not None:
            self.show_shoe(obs, shoe)
        return obs

    @property
    def observes_shoe(self) -> bool:
        """Whether observations depend on what is left of the shoe."""
        return bool(self._shoe_places)

    def show_shoe(self, obs: Observation, shares: npt.ArrayLike) -> None:
        """Write into observations what is left of the shoe.

        Args:
            obs: Written where the shoe is observed; shape (..., len(layout)).
            shares: As in `encode`, shape (..., values).
        """
        for feature, place in self._shoe_places.items():
            obs[..., place] = shares if feature == "shoe" else shoe_mix(shares, self._pack)

    def encode_all(self) -> Observation:
        """Every observation with a full shoe, float32, shape (num_states, len(layout)), by `info_state`."""
        return np.stack([self.encode_index(index) for index in range(self.states.num_states)])

    def before_the_hand(self) -> Observation:
        """What is known before a hand is dealt, with a full shoe; float32, shape (len(layout),)."""
        known = [entry.feature in KNOWN_BEFORE for entry in self.layout]
        return np.where(known, self.encode_index(0), np.float32(0))

    def layout_table(self) -> str:
        """The layout as a Markdown table: index, feature, meaning, low, high."""
        return markdown_layout(self.layout)

    def _place(self, feature: str) -> slice:
        """Where a feature's entries lie."""
        places = [index for index, entry in enumerate(self.layout) if entry.feature == feature]
        return slice(places[0], places[-1] + 1)

    def _encode(self, info_state: int) -> Observation:
        pattern, column = divmod(info_state, self.states.shape[1])
        hand_index, suits = divmod(column, self.states.num_suit_classes)
        hand, choices = self.states.hands[hand_index], self.states.patterns[pattern]
        numbers: list[float] = []
        for feature in self.features:
            numbers += self._numbers(feature, hand, choices, suits)
        return np.array(numbers, dtype=np.float32)

    def _entries(self, feature: str) -> list[Entry]:
        states = self.states
        if feature == "total":
            return [Entry(feature, f"1 if the own total is {total}", 0, 1) for total in TOTALS]
        if feature == "counts":
            most = states.num_initial_cards
            return [Entry(feature, f"own cards worth {value}", 0, most) for value in self._values]
        if feature == "cards":
            return [
                Entry(feature, f"points of own card {number + 1}, lowest first, divided by 9", 0, 1)
                for number in range(states.num_initial_cards)
            ]
        if feature == "choices":
            return [entry for seat in range(states.num_visible) for entry in self._choice_entries(seat)]
        if feature == "num_drawers":
            return [Entry(feature, "share of the earlier seats seen to draw", 0, 1)]
        if feature == "suit_class":
            return [Entry(feature, f"1 if the own cards are {kind.label}", 0, 1) for kind in SuitClass]
        if feature == "shoe":
            return [
                Entry(feature, f"share of the cards worth {value} left before the hand", 0, 1)
                for value in self._values
            ]
        if feature == "mix":
            text = "share of the cards worth {} left, divided by that of all cards"
            richest = (self._pack.sum() / self._pack).tolist()
            return [
                Entry(feature, text.format(value), 0, most)
                for value, most in zip(self._values, richest, strict=True)
            ]
        if feature == "rules":
            return [Entry(feature, meaning, 0, 1) for meaning in self._rules]
        return [
            Entry(feature, f"player {seat}'s share of all wagers", 0, 1) for seat in range(states.num_players)
        ]

    def _choice_entries(self, seat: int) -> list[Entry]:
        drew = [Entry("choices", f"1 if player {seat} drew", 0, 1)]
        if not self.states.cards_seen:
            return drew
        return drew + [
            Entry("choices", f"1 if player {seat} drew a card worth {value}", 0, 1) for value in self._values
        ]

    def _numbers(
        self, feature: str, hand: tuple[int, ...], choices: tuple[str, ...], suits: int
    ) -> list[float]:
        if feature == "total":
            return [float(total == hand_total(hand)) for total in TOTALS]
        if feature == "counts":
            return [float(hand.count(value)) for value in self._values]
        if feature == "cards":
            return [value / 9 for value in hand]
        if feature == "choices":
            return [number for token in choices for number in self._choice_numbers(token)]
        if feature == "num_drawers":
            drawers = sum(token_action(token) is Action.DRAW for token in choices)
            return [drawers / len(choices)]
        if feature == "suit_class":
            return [float(kind == suits) for kind in SuitClass]
        if feature == "rules":
            return list(self._rules.values())
        return self._wager_shares if feature == "wagers" else [1.0] * len(self._values)

    def _choice_numbers(self, token: str) -> list[float]:
        drew = [float(token != STAND_TOKEN)]
        if not self.states.cards_seen:
            return drew
        seen = token.partition(":")[2]
        return drew + [float(str(value) == seen) for value in self._values]


def rules_entries(rules: RulesConfig) -> dict[str, float]:
    """What a sheet says of choices, ties, pay and packs: for each meaning a number in [0, 1]."""
    found: dict[str, float] = {}
    for role, action in product(Role, (Action.DRAW, Action.STAND)):
        shown = not (rules.banker_tableau and role is Role.BANKER)  # a tableau is shared by all sheets
        for total in TOTALS:
            forced = shown and legal_actions(rules, role, total) == (action,)
            found[f"1 if the {role} must {action.name.lower()} on {total}"] = float(forced)
    ties = rules.banker_wins_ties
    found |= {f"1 if the bank wins ties on {total}": float(total in ties) for total in TOTALS}
    found["p / (1 + p), where a winning wager is paid p"] = float(rules.payout / (1 + rules.payout))
    found["1 / packs in the shoe, 0 with replacement"] = 1 / rules.num_decks if rules.num_decks else 0.0
    return found


def markdown_layout(layout: Sequence[Entry]) -> str:
    """A layout as a Markdown table: index, feature, meaning, low, high."""
    rows = ["| index | feature | meaning | low | high |", "|---|---|---|---|---|"]
    for index, entry in enumerate(layout):
        rows.append(f"| {index} | {entry.feature} | {entry.meaning} | {entry.low:g} | {entry.high:g} |")
    return "\n".join(rows)


def shoe_shares(left: npt.ArrayLike, full: npt.ArrayLike) -> Observation:
    """The shares of the cards that are left, from counts by point value.

    Args:
        left: Cards that are left, shape (..., values), lowest value first.
        full: Cards in a full shoe, shape (values,) or that of `left`.

    Returns:
        float32, the shape of `left`.
    """
    return np.divide(left, full, dtype=np.float32)


def shoe_mix(shares: npt.ArrayLike, pack: npt.ArrayLike) -> Observation:
    """How rich a shoe is in each point value: the share of its cards left, divided by that of all cards.

    With s_v the share and n_v the cards of a pack this is s_v N / (n_1 s_1 + n_2 s_2 + ...), N all of the
    pack: 1 in a full shoe, N / n_v where nothing else is left, 0 in an empty one. The sum is exact in
    float64, so that its order does not matter.

    Args:
        shares: As `shoe_shares` gives them, shape (..., values).
        pack: Cards of each point value in a pack, or in proportion to it, shape (values,).

    Returns:
        float32, the shape of `shares`.
    """
    exact, pack = np.asarray(shares, dtype=np.float32).astype(np.float64), np.asarray(pack, dtype=np.float64)
    left = (exact * pack).sum(axis=-1, keepdims=True)
    mix: Observation = (exact * (pack.sum() / np.where(left > 0, left, 1))).astype(np.float32)
    return mix


def _read_features(observe: str | Sequence[str], states: InfoStates) -> tuple[str, ...]:
    if isinstance(observe, str):
        if observe not in PRESETS:
            raise ValueError(
                f"observe {observe!r} is not known{closest(observe, PRESETS)}; "
                f"allowed: {', '.join(PRESETS)}, or a tuple of features out of {', '.join(FEATURES)}"
            )
        return (*PRESETS[observe], "suit_class") if states.with_suits else PRESETS[observe]
    if not isinstance(observe, list | tuple):
        raise ValueError(
            f"observe {observe!r}: must be one of {', '.join(PRESETS)}, "
            f"or a tuple of features out of {', '.join(FEATURES)}"
        )
    features = tuple(observe)
    for feature in features:
        if feature not in FEATURES:
            raise ValueError(
                f"observe: feature {feature!r} is not known{closest(str(feature), FEATURES)}; "
                f"allowed: {', '.join(FEATURES)}"
            )
    if len(set(features)) != len(features):
        raise ValueError(f"observe {observe!r}: names a feature twice")
    if "suit_class" in features and not states.with_suits:
        raise ValueError("observe: 'suit_class' is known only to a player who holds a dragon stake")
    if "num_drawers" in features and not states.num_visible:
        raise ValueError("observe: 'num_drawers' is not possible: this seat sees no earlier seat")
    return features
