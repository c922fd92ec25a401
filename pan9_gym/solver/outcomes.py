"""How a hand of one player against the banker ends, with exact probabilities.

An *ending* is the pair of final totals and, where suits settle a side stake, what the player's final hand is
paid as.

Formula:
    P(ending) = (sum deals(h, b, x, y) share(f, g | h, x) p_a(h, f) q_a'(t, b)
                 + sum deals(h, b) share(f | h)) / falling(N, 2k + 2)

    The first sum is over hands that play on, the second over those that a natural decides at once; both over
    the cards that lead to the ending.

Symbols:
    h, b, x, y, N, k, deals: as in `deal_distribution`; x or y is not named where the seat stands
    f, g: suit class of the player's first cards and of his final hand; one class where suits settle nothing
    share: part of the deals with these values in which the player's own cards have these classes
    p_a(h, f), q_a'(t, b): probability that the player, and the banker who sees the pattern t, act so

Source:
    Derivation: this module, from the deals of `deal_distribution` and the shares of `suits`. Naturals: K1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.cards import Card
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import STAND_TOKEN, draw_token
from pan9_gym.solver.deal_distribution import IntMatrix, deal_distribution
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.setting import Setting
from pan9_gym.solver.suits import IntArray, OwnCards, own_cards


@dataclass(frozen=True)
class Ending:
    """One way a hand may end.

    Attributes:
        cards: A hand that every side bet pays as it pays the player's; empty where suits settle nothing.
        totals: The final totals (player, banker).
        prob: Its probability.
    """

    cards: tuple[Card, ...]
    totals: tuple[int, int]
    prob: Fraction


def endings(setting: Setting, player: TabularPolicy, banker: TabularPolicy) -> tuple[Ending, ...]:
    """Every ending that may happen; their probabilities add up to 1.

    Args:
        setting: The rules, the shoe and the side stakes.
        player: The player's policy, with suit classes or without.
        banker: The banker's policy.
    """
    own = own_cards(setting.rules, setting.suits)
    counts, unit = _counts(setting, own, player, banker)
    return tuple(
        Ending(
            own.stand_ins[label],
            (int(own_total), int(other)),
            Fraction(counts[label, own_total, other], unit),
        )
        for label, own_total, other in zip(*np.nonzero(counts), strict=True)
    )


def _counts(
    setting: Setting, own: OwnCards, player: TabularPolicy, banker: TabularPolicy
) -> tuple[IntArray, int]:
    """Weighted ordered deals, axes [kind of the player's hand, player total, banker total], and their sum."""
    rules, states = setting.rules, banker.states
    distribution = deal_distribution(rules, setting.shoe)
    player_probs, player_unit = scaled(player.draw_probs)
    banker_probs, banker_unit = scaled(banker.draw_probs)
    draw = player_probs[0].reshape(-1, player.states.num_suit_classes, 1)
    totals = np.array(states.hand_totals)
    decided = distribution.decided.astype(object)
    counts = np.zeros((len(own.stand_ins), len(TOTALS), len(TOTALS)), dtype=object)
    at_once = _by_total(distribution.deals(None, None) * decided * banker_unit, totals)
    _add(counts, own, None, totals, draw * 0 + player_unit, at_once)
    for player_card in (None, *rules.values):
        token = STAND_TOKEN if player_card is None else draw_token(player_card if states.cards_seen else None)
        row = banker_probs[states.pattern_index((token,) if states.num_visible else ())]
        answered: IntMatrix = np.zeros((len(totals), len(TOTALS)), dtype=object)
        for banker_card in (None, *rules.values):
            deals = distribution.deals(player_card, banker_card) * (1 - decided)
            weights = banker_unit - row if banker_card is None else row
            answered = answered + _by_total(deals * weights, (totals + (banker_card or 0)) % 10)
        _add(counts, own, player_card, totals, player_unit - draw if player_card is None else draw, answered)
    return counts, distribution.num_deals * player_unit * banker_unit


def _by_total(deals: IntMatrix, totals: npt.NDArray[np.int64]) -> IntMatrix:
    """Deals [player hand, banker hand] summed to [player hand, total of the banker]."""
    order = np.argsort(totals, kind="stable")
    present, starts = np.unique(totals[order], return_index=True)
    summed: IntMatrix = np.zeros((len(deals), len(TOTALS)), dtype=object)
    summed[:, present] = np.add.reduceat(deals[:, order], starts, axis=1)
    return summed


def _add(
    counts: IntArray,
    own: OwnCards,
    card: int | None,
    totals: npt.NDArray[np.int64],
    probs: IntArray,
    answered: IntMatrix,
) -> None:
    """Add deals [player hand, banker total], with the player's probabilities by suit class, to the counts."""
    parts = (own.parts[card] * probs).reshape(len(totals), -1)
    places = own.labels[card].reshape(len(totals), -1), ((totals + (card or 0)) % 10)[:, None]
    np.add.at(counts, places, own.share_out(answered, card, parts))
