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
    BankDecision,
    CoverSample,
    CoverValue,
    bank_decisions,
    bankroll_for,
    cover_sample,
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

MOST_HANDS_PER_HOUR = 10_000

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
        collection: What the room takes for a hand from the banker and from each player, in dollars; `None`
            for the tiers of the published schedule that hold the wager.
    """

    rules: RulesConfig
    num_players: int = 3
    wager: Fraction = Fraction(100)
    best: bool = True
    hands_per_hour: int = 40
    penetration: Fraction = Fraction(3, 4)
    seed: int = 1
    collection: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: all but the rules that decides the answer."""
        return {
            "num_players": self.num_players,
            "wager": str(self.wager),
            "best": self.best,
            "hands_per_hour": self.hands_per_hour,
            "penetration": str(self.penetration),
            "seed": self.seed,
            "collection": self.collection,
        }

    @property
    def tiers(self) -> tuple[CollectionTier, ...]:
        """The collections in question; none where the House banks or no published tier holds the wager."""
        if self.collection is not None:
            return (CollectionTier(int(self.wager), int(self.wager), *self.collection),)
        held = [tier for tier in PUBLISHED_TIERS if tier.least <= self.wager <= tier.most]
        return () if self.rules.bank == "house" else tuple(held)


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


def money(question: MoneyQuestion) -> Study:
    """Answer a question.

    Raises:
        ValueError: If an argument is not possible.
    """
    _check(question)
    with working("the exact variance of a hand"):
        bank = _solved(question)
    how = "his best response" if question.best else "the logical way"
    number = question.num_players
    who = f"{number} logical-way player{'s' if number > 1 else ''}"
    tables = [_spread(bank)]
    notes = [
        f"{question.hands_per_hour} hands an hour, {question.penetration} of the shoe dealt; sampled: "
        f"{POOL} hands, seed {question.seed}, and {RUNS} runs of results drawn from them"
    ]
    if question.tiers:
        tables.append(_collections(bank))
    else:
        notes.append(
            "no collections: the House banks, or no published tier holds the wager; see --collection"
        )
    return Study(
        f"The banker's money under {question.rules.name}: {who} at {question.wager} dollars, "
        f"the banker plays {how}",
        (*tables, _bankrolls(bank), _cover(bank)),
        tuple(notes),
    )


def _check(question: MoneyQuestion) -> None:
    """Refuse what is not possible.

    Raises:
        ValueError: Naming the option, its value and what is allowed.
    """
    if question.rules.naturals or question.rules.banker_tableau:
        raise ConfigError(f"rules {question.rules.name!r}: the study is about games without naturals")
    read_num_players(question.rules, question.num_players)
    if question.wager <= 0:
        raise ConfigError(f"--wager {question.wager}: must be greater than 0")
    if not 1 <= question.hands_per_hour <= MOST_HANDS_PER_HOUR:
        raise ConfigError(
            f"--hands-per-hour {question.hands_per_hour}: must be from 1 to {MOST_HANDS_PER_HOUR}"
        )
    if not 0 < question.penetration <= 1:
        raise ConfigError(f"--penetration {question.penetration}: must be greater than 0 and at most 1")


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
    question, pace = bank.question, bank.question.hands_per_hour
    apart = "hands taken as uncorrelated"
    rows: list[tuple[Cell, ...]] = [("a hand", 1, bank.ev, bank.standard_deviation, "exact")]
    if not question.rules.with_replacement:
        cards = question.penetration * sum(question.rules.initial_counts)
        hands = max(1, int(cards / bank.cards_per_hand))
        rows.append(("a shoe", hands, hands * bank.ev, *_shoe_deviation(bank, hands)))
    rows.append(("an hour", pace, pace * bank.ev, bank.standard_deviation * sqrt(pace), apart))
    alone = bank.risk.independent_standard_deviation * float(question.wager)
    notes = [
        f"a shoe: as many hands as its dealt part holds at {float(bank.cards_per_hand):.3f} cards each",
        f"seats that did not share the banker's hand would have the standard deviation {alone:.2f}",
    ]
    if question.num_players > 1:
        notes.append(f"correlation of two seats' results: {bank.risk.correlation(0, 1):.4f}")
    columns = (
        Column("time"),
        Column("hands", "whole"),
        Column("expectation, dollars", "float"),
        Column("standard deviation", "float"),
        Column("how the deviation is found"),
    )
    return Table("What banking brings before collection, and its spread", columns, tuple(rows), tuple(notes))


def _shoe_deviation(bank: _Banking, hands: int) -> tuple[float, str]:
    """The standard deviation over the hands of a shoe, and how it is found."""
    alone = bank.standard_deviation * sqrt(hands)
    if bank.question.num_players > 1:
        return alone, "hands taken as uncorrelated"
    covariance = hand_covariance(bank.question.rules, "logical_way", bank.banker)
    both = hands * (hands - 1) * float(covariance * bank.question.wager**2)
    return sqrt(
        alone**2 + both
    ), f"exact; two hands have the covariance {float(covariance):.2e} units squared"


def _collections(bank: _Banking) -> Table:
    question = bank.question
    edge = bank.risk.ev / question.num_players
    rows = [
        (
            f"{entry.tier.least}-{entry.tier.most}",
            entry.tier.banker,
            entry.tier.player,
            entry.break_even_action,
            entry.preferred_from,
            entry.bank_ev,
            entry.play_ev,
            _advice(entry),
        )
        for entry in bank_decisions(question.tiers, edge, bank.player_ev, bank.action, question.wager)
    ]
    columns = (
        Column("limits"),
        Column("banker pays", "whole"),
        Column("player pays", "whole"),
        Column("action that pays for the bank", "exact"),
        Column("bank beats play above", "exact"),
        Column("bank brings", "exact"),
        Column("play brings", "exact"),
        Column("best"),
    )
    whose = "as given" if question.collection is not None else "of a published schedule that hold the wager"
    notes = (
        f"dollars a hand; edge {float(edge):.6f} per unit of action, action {bank.action}; "
        f"as a player {float(bank.player_ev):.6f} per unit against such a banker",
        "best: of taking the bank, playing one wager against another banker, and sitting out",
    )
    return Table(f"Collections {whose}", columns, tuple(rows), notes)


def _advice(entry: BankDecision) -> str:
    best = max(entry.bank_ev, entry.play_ev, 0)
    return "sit out" if best == 0 else "bank" if best == entry.bank_ev else "play"


def _bankrolls(bank: _Banking) -> Table:
    fee = bank.question.tiers[0].banker if bank.question.tiers else 0
    ev, deviation = bank.ev - fee, bank.standard_deviation
    results = _hand_results(bank) - fee
    rng = np.random.default_rng(bank.question.seed)
    rows: list[tuple[Cell, ...]] = []
    cases = [(hands, risk) for hands in HANDS for risk in RISKS]
    for hands, risk in tracked(cases, "checking ruin by simulation"):
        needed = bankroll_for(risk, ev, deviation, hands)
        check = simulated_ruin(results, needed, hands, RUNS, rng)
        rows.append((str(hands), risk, needed, check.mean, check.standard_error))
    for risk in RISKS:
        needed = bankroll_for(risk, ev, deviation)
        rows.append(("any number", risk, needed if isfinite(needed) else None, None, None))
    columns = (
        Column("hands"),
        Column("risk of ruin", "part"),
        Column("bankroll, dollars", "float"),
        Column("ruin in simulated runs", "part"),
        Column("its standard error", "part"),
    )
    notes = (
        f"by the normal approximation, after a collection of {fee} dollars a hand: expectation {ev:.4f}, "
        f"standard deviation {deviation:.2f}",
        "without an edge no bankroll is safe for any number of hands",
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
            rows.append(
                (
                    float(stake) * wager,
                    f"{cover}, pushes use cover" if pushes else cover,
                    found.banker.covered * wager,
                    *_figure(found.banker, wager),
                    found.banker_standard_deviation * wager,
                    *_figure(found.players[0], wager),
                    *_figure(found.players[-1], wager),
                )
            )
    columns = (
        Column("stake", "float"),
        Column("cover"),
        Column("covered", "float"),
        Column("banker", "float"),
        Column("banker's error", "float"),
        Column("deviation, sampled", "float"),
        Column("first seat", "float"),
        Column("first seat's error", "float"),
        Column("last seat", "float"),
        Column("last seat's error", "float"),
    )
    notes = (
        "dollars a hand before collection; settlement begins at player 0, the first seat (T2, T3)",
        "a figure without an error is exact, one with a standard error is sampled; so is what is covered",
    )
    return Table("When the stake does not cover every wager", columns, tuple(rows), notes)


def _figure(value: CoverValue, wager: float) -> tuple[Cell, Cell]:
    """An expectation in dollars, and its standard error where it is sampled."""
    error = value.simulated.standard_error if value.simulated is not None else 0.0
    return value.ev * wager, error * wager or None
