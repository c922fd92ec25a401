"""Readings that the baccarat sheets rest on, in the order of the clauses."""

from __future__ import annotations

from pan9_gym.cli.studies.reading_stakes import banker_hand_if_ties_lose, bet_ev
from pan9_gym.cli.studies.reading_values import VALUE, Reading, by_field, by_rule
from pan9_gym.rules.side_bets import SideBet

CHEMIN_DE_FER, PUNTO_BANCO = ("baccarat_chemin_de_fer",), ("baccarat_punto_banco",)

BACCARAT_READINGS = (
    Reading(
        "R1",
        CHEMIN_DE_FER,
        "one opposing hand",
        "two opposing hands",
        "the game against two hands is not modelled",
        "max_players",
    ),
    Reading(
        "R3",
        PUNTO_BANCO,
        "banker's hand: a tie voids",
        "a tie loses it",
        by_rule(bet_ev(SideBet.BANKER_HAND), banker_hand_if_ties_lose),
        "side_bets",
    ),
    *(
        Reading(
            "R4", sheets, f"{taken} packs", f"{other} packs", by_field(VALUE, num_decks=other), "num_decks"
        )
        for sheets, taken, others in ((CHEMIN_DE_FER, 6, (8, "infinite")), (PUNTO_BANCO, 8, (6, "infinite")))
        for other in others
    ),
)
