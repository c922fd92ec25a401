"""How many nodes the game tree has (perft): a rule that moves a choice or a card moves one of these counts.

A node is a history: the cards in the order they were dealt, and the choices. The tiny shoe is one pack of
three ranks, so four cards each of the points 0, 1 and 5.

With S(m) the number of sequences of m cards, no value more than four times,

    S(m) = m! [x^m] (1 + x + x^2/2! + x^3/3! + x^4/4!)^3,

S(0..8) = 1, 3, 9, 27, 81, 240, 690, 1890, 4830, and one free player against a free banker with k first cards,
so that m = 2k are dealt before the choices, there are

    terminal nodes   S(m) + 2 S(m + 1) + S(m + 2)     (nobody draws; one of the two; both)
    decisions        S(m) + [S(m) + S(m + 1)]         (the player; the banker after a stand and after a draw)
    chance nodes     S(0) + ... + S(m - 1)            (the first cards)
                     + S(m) + S(m) + S(m + 1)         (the player's card; the banker's, after a stand, a draw)
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial, perm
from typing import Any

import pytest

from pan9_gym.game import Round, new_game
from pan9_gym.rules import load_rules

TINY = {"point_values": {"A": 1, "5": 5, "K": 0}, "num_decks": 1}

GOLDEN: dict[str, tuple[str, int, dict[str, Any], dict[str, int]]] = {
    # m = 6: S(6) + 2 S(7) + S(8) = 690 + 3780 + 4830; 690 + 690 + 1890; (1+3+9+27+81+240) + 690 + 690 + 1890
    "bicycle": ("bicycle", 1, {}, {"chance": 3631, "decision": 3270, "terminal": 9300}),
    # m = 4: 81 + 2*240 + 690; 81 + 81 + 240; (1+3+9+27) + 81 + 81 + 240
    "two first cards": (
        "bicycle",
        1,
        {"num_initial_cards": 2},
        {"chance": 442, "decision": 402, "terminal": 1251},
    ),
    # What the banker sees changes information, not histories: as the line above.
    "two first cards, drawn card seen": (
        "bicycle",
        1,
        {"num_initial_cards": 2, "banker_sees": "card"},
        {"chance": 442, "decision": 402, "terminal": 1251},
    ),
    # With replacement S(m) = 3^m, m = 4: 81 + 486 + 729; 81 + 81 + 243; (1+3+9+27) + 81 + 81 + 243
    "two first cards, with replacement": (
        "bicycle",
        1,
        {"num_initial_cards": 2, "num_decks": "infinite"},
        {"chance": 445, "decision": 405, "terminal": 1296},
    ),
    # Forced moves are decisions with one action. Where both roles must draw on every total, m = 4:
    # S(6); S(4) + S(5); (1+3+9+27) + S(4) + S(5)
    "two first cards, everybody must draw": (
        "bicycle",
        1,
        {
            "num_initial_cards": 2,
            "player_draw_rule": {"must_draw": list(range(10))},
            "banker_draw_rule": {"must_draw": list(range(10))},
        },
        {"chance": 361, "decision": 321, "terminal": 690},
    ),
    # Two players and the banker, one first card each, m = 3: the number of drawers is binomial, so terminal
    # S(3) + 3 S(4) + 3 S(5) + S(6) = 27 + 243 + 720 + 690; decisions 27 + (27 + 81) + (27 + 2*81 + 240);
    # chance (1+3+9) + 27 + (27 + 81) + (27 + 2*81 + 240)
    "two players, one first card": (
        "bicycle",
        2,
        {"num_initial_cards": 1},
        {"chance": 577, "decision": 564, "terminal": 1680},
    ),
    # The sheets' own forced moves on the same tiny shoe: derived in `counted_by_hand`.
    "bicycle_bonus": ("bicycle_bonus", 1, {}, {"chance": 2754, "decision": 2705, "terminal": 5628}),
    "hawaiian_gardens": ("hawaiian_gardens", 1, {}, {"chance": 3340, "decision": 3270, "terminal": 7247}),
    "uk_1994_house": ("uk_1994_house", 1, {}, {"chance": 2710, "decision": 3270, "terminal": 5160}),
    "uk_1994_player": ("uk_1994_player", 1, {}, {"chance": 3631, "decision": 3270, "terminal": 9300}),
}


def count_nodes(state: Round, counts: Counter[str]) -> Counter[str]:
    if state.is_terminal:
        counts["terminal"] += 1
    elif state.is_chance:
        counts["chance"] += 1
        for card, _ in state.chance_outcomes():
            count_nodes(state.apply(card), counts)
    else:
        counts["decision"] += 1
        for action in state.legal_actions():
            count_nodes(state.apply(action), counts)
    return counts


def sequences(length: int) -> int:
    """S(m), from the exponential generating function and nothing of this package."""
    one_value = [Fraction(1, factorial(times)) for times in range(5)]
    series = [Fraction(1)]
    for _ in range(3):
        product = [Fraction(0)] * (len(series) + 4)
        for i, left in enumerate(series):
            for j, right in enumerate(one_value):
                product[i + j] += left * right
        series = product
    return int(series[length] * factorial(length))


@pytest.mark.parametrize("variant", GOLDEN)
def test_number_of_nodes(variant: str) -> None:
    sheet, num_players, fields, wanted = GOLDEN[variant]
    game = new_game(load_rules(sheet, **{**TINY, **fields}), num_players)
    assert count_nodes(game.new_round(), Counter()) == wanted


@pytest.mark.parametrize(("variant", "first_cards"), [("bicycle", 6), ("two first cards", 4)])
def test_counts_equal_the_generating_function(variant: str, first_cards: int) -> None:
    m = first_cards
    assert GOLDEN[variant][3] == {
        "chance": sum(map(sequences, range(m))) + 2 * sequences(m) + sequences(m + 1),
        "decision": 2 * sequences(m) + sequences(m + 1),
        "terminal": sequences(m) + 2 * sequences(m + 1) + sequences(m + 2),
    }


ANY = dict.fromkeys(range(10), "SD")
AUTO_TO_4 = {**dict.fromkeys(range(5), "D"), 5: "SD", 6: "SD", **dict.fromkeys(range(7, 10), "S")}
LOGICAL = {**dict.fromkeys(range(6), "D"), **dict.fromkeys(range(6, 10), "S")}


def counted_by_hand(player: dict[int, str], banker: dict[int, str]) -> dict[str, int]:
    """Nodes for three first cards each, from the moves open on each total: loops, and no state."""
    values, four_each = (0, 1, 5), Counter({0: 4, 1: 4, 5: 4})
    counts: Counter[str] = Counter(chance=sum(map(sequences, range(6))))
    for cards in product(values, repeat=6):
        if not Counter(cards) <= four_each:
            continue
        counts["decision"] += 1
        for move in player[sum(cards[0::2]) % 10]:
            counts["chance"] += move == "D"
            left = four_each - Counter(cards)
            for drawn in left if move == "D" else (None,):
                counts["decision"] += 1
                for answer in banker[sum(cards[1::2]) % 10]:
                    counts["chance"] += answer == "D"
                    after = left - Counter([drawn] if drawn is not None else [])
                    counts["terminal"] += len(after) if answer == "D" else 1
    return dict(counts)


@pytest.mark.parametrize(
    ("sheet", "player", "banker"),
    [
        ("bicycle", ANY, ANY),
        ("bicycle_bonus", AUTO_TO_4, AUTO_TO_4),  # S3, and the reading of his "if necessary"
        ("hawaiian_gardens", ANY, AUTO_TO_4),  # H2, H4
        ("uk_1994_house", ANY, LOGICAL),  # U1, U2
        ("uk_1994_player", ANY, ANY),
    ],
)
def test_counts_of_the_sheets_follow_from_their_clauses(
    sheet: str, player: dict[int, str], banker: dict[int, str]
) -> None:
    assert GOLDEN[sheet][3] == counted_by_hand(player, banker)


def test_with_suits_every_card_is_its_own_kind() -> None:
    """Twelve different cards: the number of sequences is a falling factorial."""
    rules = load_rules("bicycle_bonus", **TINY, player_draw_rule={}, banker_draw_rule={})
    game = new_game(rules, side_stakes=[{"dragon": 1}])
    state = game.new_round()
    for _ in range(5):  # five cards laid, so that the rest of the tree is small
        state = state.apply(state.chance_outcomes()[0][0])
    assert len(state.chance_outcomes()) == 7
    assert count_nodes(state, Counter()) == {
        # below five given cards: 7 ways for the sixth, then as above with falling factorials of 7
        "chance": 1 + 7 + 7 + perm(7, 2),
        "decision": 7 + 7 + perm(7, 2),
        "terminal": 7 + 2 * perm(7, 2) + perm(7, 3),
    }
