"""`pan9 study money`: what banking brings, how much it varies, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.cli.progress import tracked, working
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.evaluation import (
    CoverSample,
    bank_decisions,
    bankroll_for,
    cover_sample,
    ruin_prob,
    simulated_ruin,
)
from pan9_gym.game.info_state import read_num_players
from pan9_gym.policies.named import resolve
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.collection import PUBLISHED_TIERS, CollectionTier
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import DRAW_TOKEN, Role
from pan9_gym.solver import (
    BankerRisk,
    banker_best_response,
    banker_risk,
    banker_values,
    hand_covariance,
)

RISKS = (0.1, 0.05, 0.01)
HANDS = (100, 1000, 10_000)
RUNS = 4000
"""Simulated runs that check the normal approximation."""

POOL = 20_000
"""Simulated hands whose results the runs are made of."""


@dataclass(frozen=True)
class MoneyQuestion:
    """What is asked.

    Attributes:
        rules: The rules.
        num_players: Players against the banker.
        wager: What each of them wagers, in dollars.
        best: Whether the banker plays his best response to the players, else the logical way.
        hands_per_hour: The pace.
        penetration: The part of the shoe that is dealt.
        seed: Decides simulated hands.
    """

    rules: RulesConfig
    num_players: int = 3
    wager: Fraction = Fraction(100)
    best: bool = True
    hands_per_hour: int = 40
    penetration: Fraction = Fraction(3, 4)
    seed: int = 1

    def to_dict(self) -> dict[str, Any]:
        """For JSON: all but the rules that decides the answer."""
        return {
            "num_players": self.num_players,
            "wager": str(self.wager),
            "best": self.best,
            "hands_per_hour": self.hands_per_hour,
            "penetration": str(self.penetration),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class _Banking:
    """The table in question, solved; money in dollars."""

    question: MoneyQuestion
    banker: TabularPolicy
    risk: BankerRisk
    sample: CoverSample
    player_ev: Fraction
    cards_per_hand: Fraction

    @property
    def ev(self) -> float:
        """A hand, before collection."""
        return float(self.risk.ev * self.question.wager)

    @property
    def standard_deviation(self) -> float:
        """Of a hand."""
        return self.risk.standard_deviation * float(self.question.wager)

    @property
    def action(self) -> Fraction:
        """What the players wager together."""
        return self.question.wager * self.question.num_players

    @property
    def tier(self) -> CollectionTier:
        """The first tier whose limits hold the wager; the last one if none does."""
        inside = (tier for tier in PUBLISHED_TIERS if tier.least <= self.question.wager <= tier.most)
        return next(inside, PUBLISHED_TIERS[-1])


def money(question: MoneyQuestion) -> Study:
    """Answer a question.

    Raises:
        ValueError: If an argument is not possible.
    """
    read_num_players(question.rules, question.num_players)
    if question.wager <= 0:
        raise ConfigError(f"--wager {question.wager}: must be greater than 0")
    if question.hands_per_hour < 1:
        raise ConfigError(f"--hands-per-hour {question.hands_per_hour}: must be at least 1")
    if not 0 < question.penetration <= 1:
        raise ConfigError(f"--penetration {question.penetration}: must be greater than 0 and at most 1")
    with working("the exact variance of a hand"):
        bank = _solved(question)
    how = "his best response" if question.best else "the logical way"
    return Study(
        f"The banker's money under {question.rules.name}: {question.num_players} logical-way players at "
        f"{question.wager} dollars, the banker plays {how}",
        (_spread(bank), _collections(bank), _bankrolls(bank), _cover(bank)),
        question.rules.assumptions(question.num_players),
    )


def _solved(question: MoneyQuestion) -> _Banking:
    rules, number = question.rules, question.num_players
    players = ["logical_way"] * number
    values = banker_values(rules, players)
    banker = (
        banker_best_response(rules, players, level="total").policy
        if question.best
        else resolve("logical_way", rules, Role.BANKER, number)
    )
    draws = Fraction(0)
    for pattern, choices in enumerate(values.states.patterns):
        drawers = choices.count(DRAW_TOKEN)
        for column in range(values.states.shape[1]):
            chance = values.reach_prob(pattern, column)
            draws += chance * (drawers + banker.draw_probs[pattern][column])
    sample = cover_sample(rules, players, banker, num_hands=POOL, seed=question.seed)
    return _Banking(
        question=question,
        banker=banker,
        risk=banker_risk(rules, players, banker),
        sample=sample,
        player_ev=sample.evs[0],
        cards_per_hand=(number + 1) * rules.num_initial_cards + draws,
    )


def _spread(bank: _Banking) -> Table:
    question = bank.question
    rows: list[tuple[Cell, ...]] = [("a hand", 1.0, bank.ev, bank.standard_deviation, "exact")]
    if not question.rules.with_replacement:
        cards = question.penetration * sum(question.rules.initial_counts)
        hands = float(cards / bank.cards_per_hand)
        deviation = bank.standard_deviation * sqrt(hands)
        how = "hands of a shoe taken as uncorrelated"
        if question.num_players == 1:
            covariance = float(hand_covariance(question.rules, "logical_way", bank.banker))
            per_wager = float(question.wager) ** 2
            deviation = sqrt(
                hands * bank.standard_deviation**2 + hands * (hands - 1) * covariance * per_wager
            )
            how = f"exact for this number of hands; two hands' covariance {covariance:.2e} per unit squared"
        rows.append(("a shoe", hands, hands * bank.ev, deviation, how))
    pace = question.hands_per_hour
    rows.append(
        ("an hour", float(pace), pace * bank.ev, bank.standard_deviation * sqrt(pace), "uncorrelated")
    )
    apart = bank.risk.independent_standard_deviation * float(question.wager)
    notes = [f"seats that did not share the banker's hand would have the standard deviation {apart:.2f}"]
    if question.num_players > 1:
        notes.append(f"correlation of two seats' results: {bank.risk.correlation(0, 1):.4f}")
    notes.append(f"cards a hand: {float(bank.cards_per_hand):.3f}")
    columns = (
        Column("time"),
        Column("hands", "float"),
        Column("expectation, dollars", "float"),
        Column("standard deviation", "float"),
        Column("how"),
    )
    return Table("What banking brings before collection, and its spread", columns, tuple(rows), tuple(notes))


def _collections(bank: _Banking) -> Table:
    edge = bank.risk.ev / bank.question.num_players
    decisions = bank_decisions(PUBLISHED_TIERS, edge, bank.player_ev, bank.action, bank.question.wager)
    rows = [
        (
            f"{entry.tier.least}-{entry.tier.most}",
            entry.tier.banker,
            entry.tier.player,
            entry.break_even_action,
            entry.preferred_from,
            entry.bank_ev,
            entry.play_ev,
            "yes" if entry.take_the_bank else "no",
        )
        for entry in decisions
    ]
    columns = (
        Column("limits"),
        Column("banker pays", "whole"),
        Column("player pays", "whole"),
        Column("action that pays for it", "exact"),
        Column("bank above an action of", "exact"),
        Column("bank", "exact"),
        Column("play", "exact"),
        Column("take the bank"),
    )
    notes = (
        f"dollars a hand; edge {float(edge):.6f} per unit of action, action {bank.action}; "
        f"as a player {float(bank.player_ev):.6f} per unit against such a banker",
    )
    return Table("Collections of a published schedule", columns, tuple(rows), notes)


def _bankrolls(bank: _Banking) -> Table:
    fee = bank.tier.banker
    ev, deviation = bank.ev - fee, bank.standard_deviation
    results = _hand_results(bank) - fee
    rng = np.random.default_rng(bank.question.seed)
    rows: list[tuple[Cell, ...]] = []
    for hands in tracked(HANDS, "checking ruin by simulation"):
        for risk in RISKS:
            needed = bankroll_for(risk, ev, deviation, hands)
            check = simulated_ruin(results, needed, hands, RUNS, rng)
            rows.append(
                (
                    hands,
                    risk,
                    needed,
                    ruin_prob(ev, deviation, needed, hands),
                    check.mean,
                    check.standard_error,
                )
            )
    for risk in RISKS:
        needed = bankroll_for(risk, ev, deviation)
        rows.append((None, risk, needed if isfinite(needed) else None, risk, None, None))
    columns = (
        Column("hands", "whole"),
        Column("risk of ruin", "float"),
        Column("bankroll, dollars", "float"),
        Column("normal approximation", "float"),
        Column("simulated", "float"),
        Column("its standard error", "float"),
    )
    notes = (
        f"after a collection of {fee} dollars a hand, expectation {ev:.4f}; the last rows are for any number "
        "of hands, without a value where no bankroll is safe",
    )
    return Table("Bankrolls", columns, tuple(rows), notes)


def _hand_results(bank: _Banking) -> npt.NDArray[np.float64]:
    """Simulated results of a hand before collection, in dollars, moved to the exact mean."""
    results = -bank.sample.payoffs().sum(axis=1)
    moved: npt.NDArray[np.float64] = results - results.mean() + float(bank.risk.ev)
    return moved * float(bank.question.wager)


def _cover(bank: _Banking) -> Table:
    question = bank.question
    wager = float(question.wager)
    rows: list[tuple[Cell, ...]] = []
    for quarters in (1, 2, 3, 4):
        for cover, pushes in (("gross", False), ("gross", True), ("net", False)):
            stake = Fraction(quarters * question.num_players, 4)
            found = bank.sample.settled(stake, cover, pushes)
            simulated = found.banker.simulated
            rows.append(
                (
                    stake * question.wager,
                    f"{cover}, pushes use cover" if pushes else cover,
                    found.banker.covered * wager,
                    found.banker.ev * wager,
                    None if simulated is None else simulated.standard_error * wager,
                    found.banker_standard_deviation * wager,
                    found.players[0].ev * wager,
                    found.players[-1].ev * wager,
                    found.players[-1].covered * wager,
                    "exact" if simulated is None else "simulated",
                )
            )
    columns = (
        Column("stake", "exact"),
        Column("cover"),
        Column("action covered", "float"),
        Column("banker", "float"),
        Column("standard error", "float"),
        Column("standard deviation", "float"),
        Column("action seat", "float"),
        Column("last seat", "float"),
        Column("last seat covered", "float"),
        Column("how"),
    )
    notes = ("dollars a hand before collection; settlement begins at player 0 (T2, T3)",)
    return Table("When the stake does not cover every wager", columns, tuple(rows), notes)
