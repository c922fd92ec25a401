"""`pan9 study counting`: how a shoe's remaining cards move the optimum, and what knowing them is worth."""

from __future__ import annotations

from collections.abc import Sequence

from pan9_gym.cli.progress import tracked
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Role
from pan9_gym.solver import CountingGain, PenetrationStudy, penetration_study, worth_of_counting

DEPTHS = (30, 60, 120, 200)
"""Cards left, by default."""

PENETRATION = (
    Column("cards left", "whole"),
    Column("mean value", "float"),
    Column("standard error", "float"),
    Column("sd over shoes", "float"),
    Column("1 %", "float"),
    Column("median", "float"),
    Column("99 %", "float"),
    Column("value above 0", "part"),
    Column("player's play changes", "part"),
    Column("banker's play changes", "part"),
    Column("optimum mixes", "part"),
)

GAINS = (
    Column("role"),
    Column("cards left"),
    Column("gain by playing", "float"),
    Column("error of that", "float"),
    Column("wagering when favourable", "float"),
    Column("error of this", "float"),
    Column("more than without counting", "float"),
    Column("favourable shoes", "part"),
    Column("full shoe's strategy", "float"),
)


def counting(
    rules: RulesConfig, cards_left: Sequence[int] = DEPTHS, num_shoes: int = 2000, seed: int = 1
) -> Study:
    """The study of one sheet.

    Args:
        rules: The rules, with a finite number of decks.
        cards_left: Depths: cards left before the hand.
        num_shoes: Random shoes at each depth.
        seed: Decides the shoes.

    Raises:
        ValueError: If an argument is not possible.
    """
    found = [
        penetration_study(rules, depth, num_shoes, seed) for depth in tracked(cards_left, "solving shoes")
    ]
    worth = {
        role: worth_of_counting(rules, role, cards_left, num_shoes, seed)
        for role in tracked(list(Role), "counting")
    }
    rows = []
    for role, result in worth.items():
        depths = {**{str(depth): gain for depth, gain in result.depths.items()}, "mean": result.average}
        rows += [_gain_row(role, depth, gain, max(0.0, result.fresh_ev)) for depth, gain in depths.items()]
    fresh = f"{found[0].fresh_value:.6f}"
    return Study(
        f"Counting under {rules.name}: {num_shoes} random shoes at each depth, seed {seed}",
        (
            Table(
                "The value of the game to the player over depleted shoes",
                PENETRATION,
                tuple(map(_penetration_row, found)),
                (
                    f"value with a full shoe: {fresh}; each value is certified to "
                    f"{max(study.exploitability for study in found):.0e}",
                ),
            ),
            Table(
                "What counting is worth against an opponent who plays the full shoe's equilibrium",
                GAINS,
                tuple(rows),
                (
                    "gain by playing: over the full shoe's strategy on the same shoes, units per hand",
                    "wagering when favourable: what one unit wagered (the bank accepted) only on favourable "
                    "shoes earns per hand dealt; more than without counting: than always or never doing so",
                ),
            ),
        ),
        (
            "sampled shoes, not exact: standard errors are given; units per unit wagered",
            *rules.assumptions(1),
        ),
    )


def _penetration_row(study: PenetrationStudy) -> tuple[int | float, ...]:
    quantiles = [study.quantiles[level] for level in (0.01, 0.5, 0.99)]
    return (
        study.cards_left,
        study.value.mean,
        study.value.standard_error,
        study.standard_deviation,
        *quantiles,
        study.player_favourable.mean,
        study.differs[Role.PLAYER].mean,
        study.differs[Role.BANKER].mean,
        study.mixed.mean,
    )


def _gain_row(role: Role, depth: str, gain: CountingGain, without: float) -> tuple[str | float, ...]:
    return (
        role.value,
        depth,
        gain.playing_gain.mean,
        gain.playing_gain.standard_error,
        gain.betting_gain.mean,
        gain.betting_gain.standard_error,
        gain.betting_gain.mean - without,
        gain.favourable.mean,
        gain.fixed_ev.mean,
    )
