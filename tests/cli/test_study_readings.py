"""`pan9 study readings`: every reading of the rule texts is there, and its values are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.cli.studies import reading_values
from pan9_gym.cli.studies.reading_values import Measure
from pan9_gym.cli.studies.readings import READINGS, readings
from pan9_gym.cli.tables import Cell, Study, Table, written
from pan9_gym.evaluation import Estimate
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import RulesConfig, load_rules
from pan9_gym.rules.catalog import sheet_names
from pan9_gym.rules.errors import ConfigError

# Every clause of the project's rule texts in which a reading is marked; the texts are not in the repository.
CLAUSES_WITH_A_READING = """
T1 T2 T3 T4 T5 T6 T7 U1 U4 U5 U10 U11 U13 B5 B8 S3 S5 S6 S7 S8 S9 H2 H3 H4 H5 H6 H7 H11 H13 H14 H15
""".split()

# Fields whose readings only the sheets' `sources:` mark.
CLAUSES_OF_SHEETS = ["C2", "B1", "B4"]

TINY = {"point_values": {"A": 1, "5": 5, "K": 0, "6": 6}, "num_decks": 1, "num_initial_cards": 1}


def test_every_reading_is_there() -> None:
    found = {reading.clause for reading in READINGS}
    assert found == {*CLAUSES_WITH_A_READING, *CLAUSES_OF_SHEETS}


def test_every_entry_is_about_known_sheets_and_says_what_it_compares() -> None:
    for reading in READINGS:
        assert set(reading.sheets) <= set(sheet_names())
        assert reading.taken != reading.other
        if isinstance(reading.measure, str):
            assert reading.measure.startswith("no value")
        else:
            assert reading.measure.quantity


@pytest.fixture(scope="module")
def bicycle() -> Iterator[Study]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_values, "NUM_HANDS", 400)
        yield readings(["bicycle"])
    reading_values._hands.cache_clear()


@pytest.fixture(scope="module")
def kingdom() -> Study:
    return readings(["uk_1994_house", "uk_1994_player"])


def row_of(table: Table, clause: str, other: str) -> dict[str, Cell]:
    """The one row of a clause and an alternative."""
    names = [column.name for column in table.columns]
    found = [dict(zip(names, row, strict=True)) for row in table.rows]
    (row,) = [row for row in found if row["clause"] == clause and row["alternative"] == other]
    return row


def test_a_row_has_both_values_and_their_difference(bicycle: Study) -> None:
    row = row_of(bicycle.tables[0], "T4", "banker_sees nothing")
    assert row["taken"] == Fraction(-403172216947, 35169937233795)
    assert row["other"] == 0
    assert row["difference"] == Fraction(403172216947, 35169937233795)


def test_alternatives_that_change_nothing_have_a_difference_of_exactly_0(bicycle: Study) -> None:
    """On a fresh shoe nobody's best move depends on the choices he sees, and forced moves are best anyway."""
    assert row_of(bicycle.tables[0], "T4", "choices simultaneous")["difference"] == 0
    assert row_of(bicycle.tables[0], "B4", "forced as in S3")["difference"] == 0
    assert solver.seats_equilibrium("bicycle", reading_values.SEATS, level="total").kind == "nash"


def test_only_what_a_stake_limits_is_simulated(bicycle: Study) -> None:
    """T3: a banker's figure is simulated under `gross`, exact if every wager uses cover or all is covered."""
    table = bicycle.tables[1]
    assert {row[0] for row in table.rows} == {"T2", "T3"}
    net = row_of(table, "T3", "net")
    assert isinstance(net["taken"], float)
    assert isinstance(net["other"], float)
    assert net["taken, exact"] is net["other, exact"] is None
    alone = solver.banker_best_response("bicycle", ["logical_way"] * 3, level="total")
    assert row_of(table, "T3", "unlimited")["other, exact"] == alone.ev
    uses = row_of(table, "T3", "gross, a push uses cover")
    assert uses["other"] is None
    assert uses["other, exact"] == alone.ev / 3  # the first of three equal seats
    assert uses["standard error"] == pytest.approx(net["standard error"], rel=0.9)


def test_the_house_takes_the_bank_from_a_single_bettor(kingdom: Study) -> None:
    """U5: what the reading costs him."""
    row = row_of(kingdom.tables[0], "U5", "the player keeps the bank")
    assert row["taken"] == solver.equilibrium("uk_1994_house").value
    assert row["other"] == solver.equilibrium("uk_1994_player").value


def test_what_a_house_without_a_choice_sees_is_worth_nothing(kingdom: Study) -> None:
    rows = [row for row in kingdom.tables[0].rows if row[:2] == ("T4", "uk_1994_house")]
    assert [row[-1] for row in rows] == [0, 0]


def test_sheets_of_one_value_share_a_row(kingdom: Study) -> None:
    both = "uk_1994_house, uk_1994_player"
    assert {row[1] for row in kingdom.tables[-1].rows} == {both, "uk_1994_player"}
    assert len(kingdom.tables) == 2  # nothing simulated


def test_the_study_can_be_written_and_read_back(kingdom: Study) -> None:
    assert Study.from_dict(kingdom.to_dict()) == kingdom
    assert "tie_bettors banker" in written(kingdom, "human")


def test_an_unknown_sheet_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"rule sheet 'bicycel' is not known .did you mean 'bicycle'"):
        readings(["bicycel"])


def deals(rules: RulesConfig) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Every order of four cards off a full shoe, with its probability."""
    counts = dict(zip(rules.values, rules.initial_counts, strict=True))
    for cards in product(rules.values, repeat=4):
        left, prob = dict(counts), Fraction(1)
        for card in cards:
            prob *= Fraction(left[card], sum(left.values()))
            left[card] -= 1
        if prob:
            yield prob, cards


def payoff(player: int, banker: int) -> int:
    return (player % 10 > banker % 10) - (player % 10 < banker % 10)


def test_open_hands_by_enumeration() -> None:
    """B5: the banker knows the player's final hand, so that each first card has its own best move."""
    rules = load_rules("bicycle", **TINY)
    played: dict[tuple[int, bool], dict[tuple[int, ...], list[Fraction]]] = {}
    for prob, (own, other, drawn, answer) in deals(rules):
        for draws in (False, True):
            total = own + drawn * draws
            seen = (drawn, other) if draws else (other,)
            both = played.setdefault((own, draws), {}).setdefault(seen, [Fraction(0), Fraction(0)])
            both[0] += prob * payoff(total, other)
            both[1] += prob * payoff(total, other + answer)
    value = {key: sum(map(min, answers.values())) for key, answers in played.items()}
    expected = sum(max(value[own, False], value[own, True]) for own in rules.values)
    assert reading_values.with_open_hands(rules) == expected


def test_wagers_taken_back_are_worth_more_than_the_game() -> None:
    """H13: a wager is left on the hands that are worth something, and on no other."""
    rules = load_rules("hawaiian_gardens")
    banker = solver.equilibrium(rules).banker
    row = solver.best_response(rules, "player", banker, "total").table[()]
    kept = [decision for decision in row if max(decision.ev_stand or 0, decision.ev_draw or 0) > 0]
    assert [decision.hand for decision in kept] == ["7", "8", "9"]
    by_total = sum((decision.prob * (decision.ev_stand or 0) for decision in kept), Fraction(0))
    values = solver.action_values(rules, "player", banker)
    best = np.maximum(np.maximum(values.stand, values.draw), 0)
    by_hand = Fraction(int(best.sum()), values.value_unit)
    assert reading_values.with_wager_taken_back(rules) == by_hand
    assert 0 < by_hand - by_total < Fraction(1, 1000)  # some compositions of 6 are worth their wager


def test_three_threes_among_four_cards_by_enumeration() -> None:
    """S6 on the final hand: every order of the 36 cards of one pack that may win."""
    rules = load_rules("bicycle_bonus", num_decks=1)
    ranks, reds = ("A", "2", "3", "4", "5", "6", "J", "Q", "K"), "dh"
    points = {**{str(number): number for number in range(2, 7)}, "A": 1, "J": 0, "Q": 0, "K": 0}
    pack = [(rank, suit) for rank in ranks for suit in "cdhs"]
    expected, weight = Fraction(-1), Fraction(1, 36 * 35 * 34)

    def prize(suits: Sequence[str]) -> int:
        colours = {suit in reds for suit in suits}
        return (3000 if len(set(suits)) == 1 else 300 if len(colours) == 1 else 150) + 1

    for first in permutations(pack, 3):
        threes = [suit for rank, suit in first if rank == "3"]
        if len(threes) == 3:
            expected += weight * prize(threes)
        elif len(threes) == 2 and sum(points[rank] for rank, _ in first) % 10 <= 5:
            for card in pack:
                if card[0] == "3" and card not in first:
                    expected += weight / 33 * prize([*threes, card[1]])
    assert reading_values.bc_on_final_hand(rules) == expected


def test_a_nine_that_must_win_by_the_joint_totals() -> None:
    """S7, with one payout for all nines so that suits do not matter."""
    line = {"suited": 7, "same_colour": 7, "off_suit": 7}
    rules = load_rules("bicycle_bonus", side_bets={"dragon": {"three_card": line, "four_card": line}})
    joint = solver.evaluate(rules, "logical_way", "logical_way").joint_totals
    wins = sum(joint[9][banker] for banker in range(9))
    assert reading_values.dragon_that_must_win(rules) == 8 * wins - 1


def improved(rules: RulesConfig, worth: Callable[[TabularPolicy], Fraction]) -> Fraction:
    """The worth of the banker's best policy by total, each decision tried on its own."""
    logical = {(token, total) for token in ("stand", "draw") for total in range(6)}

    def policy(drawn: set[tuple[str, int]]) -> TabularPolicy:
        draw_on = {token: {total for seen, total in drawn if seen == token} for token in ("stand", "draw")}
        return TabularPolicy.from_totals(rules, "banker", draw_on)

    start = worth(policy(logical))
    better = {
        (token, total)
        for token, total in product(("stand", "draw"), range(10))
        if worth(policy(logical ^ {(token, total)})) > start
    }
    return worth(policy(logical ^ better))


@pytest.mark.parametrize("stake", [1, 100])
def test_a_banker_who_bets_on_ties_steers_them(stake: int) -> None:
    """U10, `tie_bettors: banker`, by trying every decision of his; one card, so that totals are hands."""
    rules = load_rules("uk_1994_player", **TINY)

    def worth(policy: TabularPolicy) -> Fraction:
        tie = solver.side_bet(rules, "tie", banker=policy).ev
        return stake * tie - solver.evaluate(rules, "logical_way", policy).ev

    alone = solver.best_response(rules, "banker", "logical_way").ev
    found = reading_values.tie_of_banker_who_steers(rules, stake)
    assert found == (improved(rules, worth) - alone) / stake


def test_a_banker_who_stakes_enough_on_ties_beats_the_house(kingdom: Study) -> None:
    """U10: his own choice lifts the tie wager, which loses 4.6 % between players, above 0."""
    rows = [row for row in kingdom.tables[0].rows if row[3] == "tie_bettors banker"]
    small, large = (row[-2] for row in rows)
    assert small < 0 < large  # type: ignore[operator]


def test_a_house_that_adds_its_wager_to_the_only_hand_changes_nothing() -> None:
    """U11: the larger wager decides the banker's answer, and another closed hand is no news."""
    rules = load_rules("uk_1994_player")
    assert reading_values.last_seat_ev(rules, 2, wager=2) == solver.equilibrium(rules).value


def test_dice() -> None:
    """T2: positions of two and of three dice."""
    every = range(1, 9)
    assert sum(reading_values.ways(position) for position in every) == 216
    two = [reading_values.ways_of_two_dice(position) for position in every]
    assert two == [4, 1 + 3, 2 + 2, 3 + 1, 4, 5, 6, 5]


def test_estimates_of_one_sample_add_up_with_their_errors() -> None:
    """T2: the mean over action seats lies between those of the seats, and so does its error."""
    rules = load_rules("bicycle")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_values, "NUM_HANDS", 200)
        reading_values._hands.cache_clear()
        ends = [
            reading_values.first_player_if_begun([Fraction(a), Fraction(b), Fraction(c)])(rules)
            for a, b, c in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        ]
        third = Fraction(1, 3)
        mean = reading_values.first_player_if_begun([third] * 3)(rules)
    reading_values._hands.cache_clear()
    assert all(isinstance(value, Estimate) for value in (mean, *ends))
    assert mean.mean == pytest.approx(sum(value.mean for value in ends) / 3)  # type: ignore[union-attr, misc]
    assert ends[0].standard_error == 0  # type: ignore[union-attr]  # settled first: exact


def test_a_measure_by_field_compares_the_sheet_with_itself_changed() -> None:
    measure = reading_values.by_field(reading_values.VALUE, banker_draw_rule={"must_stand": [6]})
    assert isinstance(measure, Measure)
    rules = load_rules("bicycle")
    assert (measure.taken(rules), measure.other(rules)) == (solver.equilibrium(rules).value, 0)
