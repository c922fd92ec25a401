"""The validation ladder: two baccarat games whose answers are published (R3, K1-K3).

Golden values are in tests/golden/siblings.json. Beside them stands an enumeration that shares no code with
the solver: plain loops over the cards of both hands, from whose counts every expectation, both best responses
and so the certificate of every equilibrium are worked out again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import perm
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import policies, solver
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Role, RulesConfig, load_rules
from pan9_gym.rules.side_bets import SideBet
from tests.rules.tableau import BANKER_DRAWS_AGAINST, PLAYER

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "siblings.json").read_text(encoding="utf-8")
)
CHEMIN, PUNTO = "baccarat_chemin_de_fer", "baccarat_punto_banco"
INFINITE = "infinite"

Hand = tuple[int, int]
Outcomes = tuple[int, int, int]
"""Ordered deals of six cards that the player loses, ties and wins."""

LEVELS = {"A": ("total", "total"), "B2": ("total", "hand"), "B3": ("hand", "hand")}
every_shoe = pytest.mark.parametrize("decks", [1, 6, INFINITE])
every_level = pytest.mark.parametrize("levels", LEVELS.values(), ids=LEVELS)


class Enumeration:
    """Every way in which six cards can be dealt, as counts; what nobody takes comes last and is any card.

    Attributes:
        num_deals: All ordered deals of six cards.
        decided: Outcomes of the hands that a natural ends.
        stood: For both hands and the player's card (`None` if he stood) the outcomes if the banker stands.
        drew: The same if the banker draws.
    """

    def __init__(self, decks: int | str) -> None:
        again = decks == INFINITE
        copies = 4 if again else 4 * int(decks)
        left = [4 * copies, *([copies] * 9)]
        self._gone = 0 if again else 1
        self.num_deals = 52**6 if again else perm(52 * int(decks), 6)
        self.decided: Outcomes = (0, 0, 0)
        self.stood: dict[tuple[Hand, Hand, int | None], Outcomes] = {}
        self.drew: dict[tuple[Hand, Hand, int | None], Outcomes] = {}
        hands = list(combinations_with_replacement(range(10), 2))
        for player in hands:
            for banker in hands:
                shoe, ways = list(left), 2 ** ((player[0] != player[1]) + (banker[0] != banker[1]))
                for card in (*player, *banker):
                    ways *= shoe[card]
                    shoe[card] -= self._gone
                self._play(player, banker, shoe, ways)

    def _play(self, player: Hand, banker: Hand, shoe: list[int], ways: int) -> None:
        own, other = sum(player) % 10, sum(banker) % 10
        fifth, sixth = sum(shoe), sum(shoe) - self._gone
        if own > 7 or other > 7:
            self.decided = added(self.decided, outcome(own, other, ways * fifth * sixth))
            return
        for card in (None, *range(10)):
            rest, before_banker = list(shoe), ways * sixth  # a card that stays with nobody comes last
            if card is not None:
                before_banker = ways * shoe[card]
                rest[card] -= self._gone
            final = (own + (card or 0)) % 10
            any_card = fifth if card is None else sixth
            self.stood[player, banker, card] = outcome(final, other, before_banker * any_card)
            drew: Outcomes = (0, 0, 0)
            for last in range(10):
                drew = added(drew, outcome(final, (other + last) % 10, before_banker * rest[last]))
            self.drew[player, banker, card] = drew

    def outcomes(self, player_draws: Callable[[Hand], bool], banker_draws: Callable[..., bool]) -> Outcomes:
        """What pure strategies bring."""
        result = self.decided
        for (player, banker, card), stood in self.stood.items():
            if (card is not None) == player_draws(player):
                drew = self.drew[player, banker, card]
                result = added(result, drew if banker_draws(banker, card) else stood)
        return result

    def player_values(self, key: Callable[[Hand], Any], banker: TabularPolicy) -> dict[Any, list[Fraction]]:
        """For each decision of the player what standing and drawing bring him, weighted by its frequency."""
        probs = by_hand(banker)
        found: dict[Any, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
        for (own, other, card), stood in self.stood.items():
            prob, stand, draw = probs[other, card], net(stood), net(self.drew[own, other, card])
            found[key(own)][card is not None] += stand + prob * (draw - stand)
        return {k: [value / self.num_deals for value in pair] for k, pair in found.items()}

    def banker_values(self, key: Callable[[Hand], Any], player: TabularPolicy) -> dict[Any, list[Fraction]]:
        """The same for the banker, to whom every unit that the player wins is lost."""
        probs = {hand: player.draw_prob(hand) for hand in player.states.hands}
        found: dict[Any, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
        for (other, own, card), stood in self.stood.items():
            weight = probs[other] if card is not None else 1 - probs[other]
            if weight:
                pair = found[key(own), card]
                pair[0] -= weight * net(stood)
                pair[1] -= weight * net(self.drew[other, own, card])
        return {k: [value / self.num_deals for value in pair] for k, pair in found.items()}


def outcome(player: int, banker: int, deals: int) -> Outcomes:
    return (deals * (player < banker), deals * (player == banker), deals * (player > banker))


def added(first: Outcomes, second: Outcomes) -> Outcomes:
    return (first[0] + second[0], first[1] + second[1], first[2] + second[2])


def net(outcomes: Outcomes) -> int:
    return outcomes[2] - outcomes[0]


def total(hand: Hand) -> int:
    return sum(hand) % 10


def by_hand(banker: TabularPolicy) -> Mapping[tuple[Hand, int | None], Fraction]:
    seen = [("stand" if card is None else f"draw:{card}", card) for card in (None, *range(10))]
    return {
        (hand, card): banker.draw_prob(hand, (token,)) for token, card in seen for hand in banker.states.hands
    }


@cache
def enumeration(decks: int | str) -> Enumeration:
    return Enumeration(decks)


@cache
def chemin(decks: int | str) -> RulesConfig:
    return load_rules(CHEMIN, num_decks=decks)


@cache
def punto(decks: int | str) -> solver.Evaluation:
    rules = load_rules(PUNTO, num_decks=decks)
    return solver.evaluate(
        rules, policies.get("logical_way", rules, "player"), policies.get("logical_way", rules, "banker")
    )


def punto_enumerated(decks: int | str) -> Outcomes:
    """Both sides by the table that the tests write out."""

    def banker_draws(hand: Hand, card: int | None) -> bool:
        return BANKER_DRAWS_AGAINST["stand" if card is None else f"draw:{card}"][total(hand)] == "D"

    return enumeration(decks).outcomes(lambda hand: PLAYER[total(hand)] == "D", banker_draws)


def test_every_golden_entry_says_where_it_is_from_and_how_it_was_made() -> None:
    entries = [GOLDEN, *(entry for entry in GOLDEN.values() if isinstance(entry, dict))]
    assert len(entries) == 4
    assert all(entry["source"] and entry["method"] for entry in entries)


# Punto banco


def test_K3_punto_banco_8_decks_has_the_published_counts() -> None:
    golden, found = GOLDEN["punto_banco_8_decks"], punto(8)
    deals = perm(416, 6)
    counts = [prob * deals for prob in (found.loss_prob, found.win_prob, found.tie_prob)]
    assert counts == [int(golden[key]) for key in ("banker_wins", "player_wins", "tie")]
    assert sum(counts) == deals == 4998398275503360


@pytest.mark.parametrize("decks", [1, 6, 8, INFINITE])
def test_K3_punto_banco_equals_the_enumeration_for_any_number_of_packs(decks: int | str) -> None:
    lost, tied, won = punto_enumerated(decks)
    deals, found = enumeration(decks).num_deals, punto(decks)
    assert lost + tied + won == deals
    assert (found.loss_prob, found.tie_prob, found.win_prob) == (
        Fraction(lost, deals),
        Fraction(tied, deals),
        Fraction(won, deals),
    )
    assert found.ev == Fraction(won - lost, deals)


@pytest.mark.parametrize("bet", ["player", "banker_hand", "tie"])
def test_R3_K3_the_wagers_of_punto_banco_are_worth_what_is_published(bet: str) -> None:
    """From the joint distribution of the totals and the sheet's own pay tables."""
    found, rules = punto(8), load_rules(PUNTO)
    ev = found.ev
    if bet != "player":
        ev = sum(
            (
                prob * rules.side_bets.payoff(SideBet(bet), (), 2, (player, banker))
                for player, row in enumerate(found.joint_totals)
                for banker, prob in enumerate(row)
            ),
            Fraction(0),
        )
    assert f"{float(100 * ev):.4f}" == GOLDEN["punto_banco_8_decks"]["ev_percent_to_four_decimals"][bet]


def test_R3_punto_banco_is_its_own_equilibrium() -> None:
    """Nobody has an option, so the one pair there is has nothing to gain."""
    found = solver.equilibrium(load_rules(PUNTO))
    assert (found.value, found.exploitability) == (punto(8).ev, 0)
    assert (found.mixed, found.margins) == ((), ())


# Chemin de fer


def test_K2_chemin_de_fer_with_replacement_has_the_published_value_and_mixes() -> None:
    golden = GOLDEN["chemin_de_fer_with_replacement_totals"]
    found = solver.equilibrium(chemin(INFINITE), "total", "total")
    assert found.value == found.lower == found.upper == Fraction(golden["value_to_player"])
    assert found.exploitability == 0
    assert [(m.role, m.hand, m.choices, m.draw_prob) for m in found.mixed] == [
        (Role.PLAYER, "5", (), Fraction(golden["player_draws_5_prob"])),
        (Role.BANKER, "6", ("stand",), Fraction(golden["banker_draws_6_after_stand_prob"])),
    ]
    assert found.unique is True
    assert all(entry.margin > 0 for entry in found.margins)


def test_K2_with_replacement_the_composition_of_a_hand_is_worth_nothing() -> None:
    value = Fraction(GOLDEN["chemin_de_fer_with_replacement_totals"]["value_to_player"])
    for levels in LEVELS.values():
        assert solver.equilibrium(chemin(INFINITE), *levels).value == value


def printed(value: Fraction, like: str) -> str:
    return f"{float(value):.{len(like.split('.')[1])}f}"


def test_K2_chemin_de_fer_1_deck_by_total_against_composition() -> None:
    golden = GOLDEN["chemin_de_fer_1_deck"]
    found = solver.equilibrium(chemin(1), *LEVELS["B2"])
    assert printed(found.value, golden["B2_value_to_player"]) == golden["B2_value_to_player"]
    (mix,) = [entry for entry in found.mixed if entry.role is Role.PLAYER]
    assert (mix.hand, mix.choices) == ("5", ())
    assert printed(mix.draw_prob, golden["B2_player_draws_5_prob"]) == golden["B2_player_draws_5_prob"]
    assert found.exploitability == 0


def test_K2_chemin_de_fer_1_deck_with_both_sides_by_composition() -> None:
    golden = GOLDEN["chemin_de_fer_1_deck"]["B3_value_to_player"]
    found = solver.equilibrium(chemin(1), *LEVELS["B3"])
    assert printed(found.value, golden) == golden
    assert found.exploitability == 0


@every_shoe
@every_level
def test_K2_every_equilibrium_is_proved_by_the_enumeration(decks: int | str, levels: tuple[str, str]) -> None:
    """Both best responses from the counts of the loops: neither side gains, to the last digit."""
    found = solver.equilibrium(chemin(decks), *levels)
    counts = enumeration(decks)
    decided = Fraction(net(counts.decided), counts.num_deals)
    own, other = (total if level == "total" else lambda hand: hand for level in levels)
    answers = counts.player_values(own, found.banker)
    free = {0: [1], 1: [1], 2: [1], 3: [1], 4: [1], 5: [0, 1], 6: [0], 7: [0]}
    best = sum(
        max(pair[move] for move in free[key if isinstance(key, int) else total(key)])
        for key, pair in answers.items()
    )
    assert decided + best == found.value
    replies = counts.banker_values(other, found.player)
    assert -decided + sum(max(pair) for pair in replies.values()) == -found.value
    assert found.exploitability == 0
    assert found.lower == found.upper == found.value


@every_shoe
def test_K2_by_total_the_equilibrium_is_unique_and_mixes_at_two_decisions(decks: int | str) -> None:
    found = solver.equilibrium(chemin(decks), "total", "total")
    assert found.unique is True
    assert [(m.role, m.hand, m.choices) for m in found.mixed] == [
        (Role.PLAYER, "5", ()),
        (Role.BANKER, "6", ("stand",)),
    ]


@pytest.mark.parametrize("decks", [1, 6])
def test_K2_who_knows_more_does_not_do_worse(decks: int) -> None:
    values = {name: solver.equilibrium(chemin(decks), *levels).value for name, levels in LEVELS.items()}
    assert values["B2"] < values["A"]  # the banker tells hands apart
    assert values["B2"] < values["B3"]  # the player too


def test_K2_more_packs_come_nearer_to_replacement() -> None:
    limit = Fraction(GOLDEN["chemin_de_fer_with_replacement_totals"]["value_to_player"])
    away = [abs(solver.equilibrium(chemin(decks), "total", "total").value - limit) for decks in (1, 2, 6, 24)]
    assert away == sorted(away, reverse=True)
    assert 0 < away[-1] < Fraction(1, 20_000)


def test_K1_the_naturals_are_in_the_value() -> None:
    """Without them the same cards have another value and other mixes (test_mixed_equilibrium.py)."""
    plain = load_rules(
        CHEMIN,
        num_decks=INFINITE,
        naturals=[],
        player_draw_rule={"must_draw": [0, 1, 2, 3, 4], "must_stand": [6, 7, 8, 9]},
    )
    found = solver.equilibrium(plain, "total", "total")
    assert found.value == Fraction(-814416, 53094899)
    assert found.mixed[0].draw_prob == Fraction(5, 11)


@pytest.mark.parametrize(
    ("role", "prob"), [(Role.PLAYER, 0), (Role.PLAYER, 1), (Role.BANKER, 0), (Role.BANKER, 1)]
)
def test_K2_a_pure_choice_where_the_equilibrium_mixes_is_worse_in_the_worst_case(
    role: Role, prob: int
) -> None:
    rules = chemin(INFINITE)
    best = solver.equilibrium(rules, "total", "total").policy(role)

    def pure(hand: Hand, choices: tuple[str, ...]) -> Fraction:
        found = best.draw_prob(hand, choices)
        return found if found in (0, 1) else Fraction(prob)

    policy = TabularPolicy.from_callable(rules, role, pure)
    assert solver.worst_case_gap(rules, best, role, "total", "total") == 0
    assert solver.worst_case_gap(rules, policy, role, "total", "total") > 0
