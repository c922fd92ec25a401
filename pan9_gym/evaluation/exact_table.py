"""What is exactly true of a table of a long simulation, as far as the solver has it.

Formula:
    e = w (sum_pb P(p, b) (pay(p, b) + sum_i s_i a_i(p, b)))

Symbols:
    e: a player's expectation, in units
    w: his wager
    p, b: final totals of the player and the banker
    P(p, b): the probability of that pair (`SeatsEvaluation`)
    pay: what his wager pays, per unit
    s_i, a_i: his stake on side bet i, per unit wagered, and what the bet pays per unit staked

Source:
    One player: `solver.evaluate`, which has every side stake. Several players: derivation: this module, for
    stakes that totals settle; those that a player's cards settle (Dragon, BC) are not solved there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pan9_gym.evaluation.plan import Policies
from pan9_gym.game.round import Game
from pan9_gym.game.stakes import SideStakes, held_by_banker, need_suits
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import SuitClass
from pan9_gym.solver import evaluate, evaluate_seats

JointProbs = tuple[tuple[Fraction, ...], ...]
"""The probability of each pair of totals, `[player][banker]`."""


@dataclass(frozen=True)
class ExactTable:
    """What is exactly true of a table; `None` for what is not known.

    Attributes:
        evs: Each seat's expectation in units, banker last.
        joint_totals: For each player the probability of each pair of totals.
    """

    evs: tuple[Fraction | None, ...]
    joint_totals: tuple[JointProbs | None, ...]


def exact_table(game: Game, policies: Policies) -> ExactTable:
    """What is exactly true of a table; seven players may take a minute.

    Args:
        game: Who is at the table, for what stakes, with a full shoe.
        policies: Each seat's policy, banker last.
    """
    *players, banker = policies
    return _one_player(game, players[0], banker) if len(players) == 1 else _several(game, players, banker)


def _one_player(game: Game, player: TabularPolicy, banker: TabularPolicy) -> ExactTable:
    rules, wager, stakes = game.rules, game.wagers[0], game.side_stakes[0]
    found = evaluate(rules, player, banker, side_stakes=dict(stakes))
    held, banker_ev = held_by_banker(rules, stakes), -found.ev
    if held != stakes:
        banker_ev = -evaluate(rules, player, banker, side_stakes=dict(held)).ev
    return ExactTable((wager * found.ev, wager * banker_ev), (found.joint_totals,))


def _several(game: Game, players: Sequence[TabularPolicy], banker: TabularPolicy) -> ExactTable:
    blind = [_blind(policy) for policy in players]
    seated = [policy for policy in blind if policy is not None]
    if len(seated) < len(players):  # somebody's play depends on suits, and with it everybody's hands
        return ExactTable((None,) * game.num_seats, (None,) * game.num_players)
    joint = evaluate_seats(game.rules, seated, banker, game.wagers).joint_totals
    held = [held_by_banker(game.rules, stakes) for stakes in game.side_stakes]
    own = [_ev(game, seat, stakes, joint[seat]) for seat, stakes in enumerate(game.side_stakes)]
    against = [_ev(game, seat, stakes, joint[seat]) for seat, stakes in enumerate(held)]
    known = [ev for ev in against if ev is not None]
    banker_ev = -sum(known, Fraction(0)) if len(known) == len(against) else None
    return ExactTable((*own, banker_ev), joint)


def _ev(game: Game, seat: int, stakes: SideStakes, joint: JointProbs) -> Fraction | None:
    """What a player's wager and these stakes bring him in units; `None` where his cards settle one."""
    if need_suits(stakes):
        return None
    bets, num_cards, ev = game.rules.side_bets, game.rules.num_initial_cards, Fraction(0)
    for own in TOTALS:
        for other in TOTALS:
            paid = game.payoffs[own][other]
            for bet, stake in stakes:
                paid += stake * bets.payoff(bet, (), num_cards, (own, other))
            ev += joint[own][other] * paid
    return game.wagers[seat] * ev


def _blind(policy: TabularPolicy) -> TabularPolicy | None:
    """The same play by one who sees no suits; `None` if it depends on them."""
    if not policy.states.with_suits:
        return policy
    rows = tuple(row[:: len(SuitClass)] for row in policy.draw_probs)
    blind = TabularPolicy(policy.rules, replace(policy.states, with_suits=False), rows, policy.name)
    return blind if blind.for_every_suit_class() == policy else None
