"""Clauses R1-R4 and K1-K3: baccarat of the same Regulations, and the rules of the published analyses."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pan9_gym.rules import Action, Role, Visible, load_rules
from pan9_gym.rules.cards import parse_cards
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.scoring import card_values, hand_total
from pan9_gym.rules.settlement import wager_payoff
from pan9_gym.rules.side_bets import SideBet
from pan9_gym.rules.strict_yaml import read_yaml
from tests.rules.tableau import BANKER_DRAWS_AGAINST, PLAYER

CHEMIN, PUNTO = "baccarat_chemin_de_fer", "baccarat_punto_banco"
SHEETS = (CHEMIN, PUNTO)
MOVES = {"D": (Action.DRAW,), "S": (Action.STAND,), "free": (Action.STAND, Action.DRAW)}
FOLDER = Path(__file__).parents[2] / "configs" / "rules"
DRAWN = [(total, seen) for seen in BANKER_DRAWS_AGAINST for total in range(8)]

both_sheets = pytest.mark.parametrize("sheet", SHEETS)


@both_sheets
@pytest.mark.parametrize("total", range(10))
def test_R1_a_tie_voids_the_wager(sheet: str, total: int) -> None:
    assert wager_payoff(load_rules(sheet), total, total) == 0


@both_sheets
@pytest.mark.parametrize(("higher", "lower"), [(1, 0), (9, 8), (9, 0)])
def test_R1_wagers_with_the_banker_at_1_to_1(sheet: str, higher: int, lower: int) -> None:
    rules = load_rules(sheet)
    assert wager_payoff(rules, higher, lower) == 1
    assert wager_payoff(rules, lower, higher) == -1


@both_sheets
def test_R1_one_opposing_hand_is_the_reading(sheet: str) -> None:
    assert load_rules(sheet).max_players == 1


@pytest.mark.parametrize(("sheet", "bank"), [(CHEMIN, "player"), (PUNTO, "house")])
def test_R2_the_house_holds_the_bank_except_in_chemin_de_fer(sheet: str, bank: str) -> None:
    assert load_rules(sheet).bank == bank


@pytest.mark.parametrize("total", range(10))
def test_R3_in_punto_banco_nobody_has_an_option(total: int) -> None:
    rules = load_rules(PUNTO)
    assert len(legal_actions(rules, Role.PLAYER, total)) == 1
    for seen in BANKER_DRAWS_AGAINST:
        assert len(legal_actions(rules, Role.BANKER, total, (seen,))) == 1


@pytest.mark.parametrize("player", range(10))
@pytest.mark.parametrize("banker", range(10))
def test_R3_K3_the_bankers_hand_pays_19_to_20_and_a_tie_returns_the_stake(player: int, banker: int) -> None:
    payoff = load_rules(PUNTO).side_bets.payoff(SideBet.BANKER_HAND, (), 2, (player, banker))
    wanted = Fraction(19, 20) if banker > player else Fraction(-1) if banker < player else Fraction(0)
    assert isinstance(payoff, Fraction)
    assert payoff == wanted


@pytest.mark.parametrize("player", range(10))
@pytest.mark.parametrize("banker", range(10))
def test_R3_K3_the_tie_pays_8_to_1(player: int, banker: int) -> None:
    payoff = load_rules(PUNTO).side_bets.payoff(SideBet.TIE, (), 2, (player, banker))
    assert payoff == (8 if player == banker else -1)


def test_R3_R4_the_side_wagers_are_those_of_punto_banco_and_the_bank_holds_them() -> None:
    punto = load_rules(PUNTO)
    assert punto.side_bets.offered == (SideBet.TIE, SideBet.BANKER_HAND)
    assert punto.banker_holds(SideBet.TIE)
    assert punto.banker_holds(SideBet.BANKER_HAND)
    assert load_rules(CHEMIN).side_bets.offered == ()


@both_sheets
@pytest.mark.parametrize("field", ["num_decks", "point_values", "naturals", "player_draw_rule"])
def test_R4_decks_and_drawing_rules_name_the_analyses_as_their_source(sheet: str, field: str) -> None:
    clause = read_yaml(FOLDER / f"{sheet}.yaml")["sources"][field]["clause"]
    ids = {clause} if isinstance(clause, str) else set(clause)
    assert ids & {"K1", "K2", "K3"}


@pytest.mark.parametrize(("sheet", "num_decks", "num_cards"), [(CHEMIN, 6, 312), (PUNTO, 8, 416)])
def test_K1_full_packs_of_52_cards(sheet: str, num_decks: int, num_cards: int) -> None:
    rules = load_rules(sheet)
    assert rules.num_decks == num_decks
    assert rules.values == tuple(range(10))
    assert rules.initial_counts == (16 * num_decks, *(4 * num_decks,) * 9)
    assert sum(rules.initial_counts) == num_cards


@both_sheets
@pytest.mark.parametrize("num_decks", [1, 2, 6, 8, 100])
def test_K1_any_number_of_packs_is_possible_and_so_are_cards_with_replacement(
    sheet: str, num_decks: int
) -> None:
    assert sum(load_rules(sheet, num_decks=num_decks).initial_counts) == 52 * num_decks
    assert load_rules(sheet, num_decks="infinite").with_replacement


@both_sheets
@pytest.mark.parametrize(
    ("rank", "points"),
    [("A", 1), *((str(rank), rank) for rank in range(2, 10)), ("10", 0), ("J", 0), ("Q", 0), ("K", 0)],
)
def test_K1_points_of_each_rank(sheet: str, rank: str, points: int) -> None:
    assert card_values(load_rules(sheet), parse_cards(rank)) == (points,)


@both_sheets
@pytest.mark.parametrize(("cards", "total"), [("9 9", 8), ("10 K", 0), ("7 8", 5), ("A 9", 0), ("6 7 8", 1)])
def test_K1_the_last_digit_counts(sheet: str, cards: str, total: int) -> None:
    assert hand_total(card_values(load_rules(sheet), parse_cards(cards))) == total


@both_sheets
def test_K1_two_first_cards_and_a_two_card_8_or_9_is_a_natural(sheet: str) -> None:
    rules = load_rules(sheet)
    assert rules.num_initial_cards == 2
    assert rules.naturals == {8, 9}


@both_sheets
@pytest.mark.parametrize("total", [8, 9])
@pytest.mark.parametrize("role", list(Role))
def test_K1_no_card_goes_to_a_natural(sheet: str, total: int, role: Role) -> None:
    for seen in BANKER_DRAWS_AGAINST:
        assert legal_actions(load_rules(sheet), role, total, (seen,)) == (Action.STAND,)


@both_sheets
def test_K1_the_player_is_first_and_his_card_lies_face_up(sheet: str) -> None:
    rules = load_rules(sheet)
    assert rules.banker_sees is Visible.CARD
    assert rules.choices == "in_turn"


@both_sheets
def test_K1_even_money_and_ties_push(sheet: str) -> None:
    rules = load_rules(sheet)
    assert (rules.payout, rules.banker_wins_ties) == (1, frozenset())


@pytest.mark.parametrize(("total", "moves"), [*enumerate(["D", "D", "D", "D", "D", "free", "S", "S"])])
def test_K2_the_player_of_chemin_de_fer_is_free_on_5_only(total: int, moves: str) -> None:
    assert legal_actions(load_rules(CHEMIN), Role.PLAYER, total) == MOVES[moves]


@pytest.mark.parametrize(("total", "seen"), DRAWN)
def test_K2_the_banker_of_chemin_de_fer_is_free(total: int, seen: str) -> None:
    assert legal_actions(load_rules(CHEMIN), Role.BANKER, total, (seen,)) == MOVES["free"]


@pytest.mark.parametrize(("total", "move"), [*enumerate(PLAYER)])
def test_K3_the_player_of_punto_banco_draws_on_0_to_5_and_stands_on_6_and_7(total: int, move: str) -> None:
    assert legal_actions(load_rules(PUNTO), Role.PLAYER, total) == MOVES[move]


@pytest.mark.parametrize(("total", "seen"), DRAWN)
def test_K3_the_tableau_of_the_banker(total: int, seen: str) -> None:
    found = legal_actions(load_rules(PUNTO), Role.BANKER, total, (seen,))
    assert found == MOVES[BANKER_DRAWS_AGAINST[seen][total]]


def test_K3_the_table_of_these_tests_says_what_the_clause_says() -> None:
    """On 0-2 always; on 3 unless 8; on 4 if 2-7; on 5 if 4-7; on 6 if 6-7; after a stand on 0-5."""
    drawn_on = {3: {*range(10)} - {8}, 4: {*range(2, 8)}, 5: {*range(4, 8)}, 6: {6, 7}, 7: set()}
    assert len(DRAWN) == 11 * 8
    for card in range(10):
        row = BANKER_DRAWS_AGAINST[f"draw:{card}"]
        assert row == "DDD" + "".join("D" if card in drawn_on[total] else "S" for total in range(3, 8))
    assert BANKER_DRAWS_AGAINST["stand"] == PLAYER == "DDDDDDSS"


def test_K3_the_tableau_needs_to_know_what_the_player_did() -> None:
    rules = load_rules(PUNTO)
    for choices in ((), ("draw",)):
        with pytest.raises(
            ValueError, match=r"choices \(.*: the tableau of 'baccarat_punto_banco' has stand"
        ):
            legal_actions(rules, Role.BANKER, 5, choices)


def test_K3_a_tableau_may_bind_a_banker_who_sees_only_that_a_card_was_taken() -> None:
    rules = load_rules("bicycle", max_players=1, banker_tableau={"stand": [6], "draw": [0, 1]})
    found = {
        seen: [total for total in range(10) if legal_actions(rules, Role.BANKER, total, (seen,))[0]]
        for seen in ("stand", "draw")
    }
    assert found == {"stand": [6], "draw": [0, 1]}
