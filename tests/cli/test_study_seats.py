"""`pan9 study seats`: the tables agree with the solver, and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from pan9_gym import solver
from pan9_gym.cli.studies import seats as study_seats
from pan9_gym.cli.studies.seats import seats
from pan9_gym.cli.tables import Study, Table, written
from pan9_gym.rules import load_rules
from pan9_gym.solver.many_seats import read_game
from pan9_gym.solver.seat_sums import banker_action_values

THREE = 3


@pytest.fixture(scope="module")
def bicycle() -> Study:
    return seats(load_rules("bicycle"), THREE, most_with_risk=2)


def column(table: Table, name: str) -> list[object]:
    place = [own.name for own in table.columns].index(name)
    return [row[place] for row in table.rows]


def test_values_are_those_of_the_solver(bicycle: Study) -> None:
    values = bicycle.tables[0]
    assert column(values, "players") == [1, 2, 3]
    for level in ("total", "hand"):
        for number, value in enumerate(column(values, f"best by {level}"), start=1):
            best = solver.banker_best_response("bicycle", ["logical_way"] * number, level=level)
            assert value == best.ev
    assert column(values, "logical way") == [0, 0, 0]
    assert column(values, "best by total")[2] == 3 * column(values, "best per unit")[2]  # type: ignore[operator]
    assert "exactly 0 over totals" in values.notes[-1]


def test_the_deviation_is_shown_as_far_as_asked(bicycle: Study) -> None:
    one, two, three = column(bicycle.tables[0], "standard deviation")
    banker = solver.banker_best_response("bicycle", ["logical_way"] * 2, level="total").policy
    assert two == solver.banker_risk("bicycle", ["logical_way"] * 2, banker).standard_deviation
    assert isinstance(one, float)
    assert three is None
    single, pair, _ = column(bicycle.tables[0], "if seats were independent")
    assert single == one
    assert pair < two  # type: ignore[operator]  # seats meet one banker's hand


def test_the_gains_of_the_moves_add_up(bicycle: Study) -> None:
    values, moves = bicycle.tables[:2]
    for number, gain in enumerate(column(values, "gain"), start=1):
        rows = zip(column(moves, "players"), column(moves, "gain a hand"), strict=True)
        assert sum(part for players, part in rows if players == number) == gain  # type: ignore[misc]
    for row in moves.rows:
        prob, when, a_hand = row[-3:]
        assert prob * when == a_hand  # type: ignore[operator]


def test_the_banker_draws_on_6_while_few_have_drawn(bicycle: Study) -> None:
    moves = bicycle.tables[1]
    found = [row[:5] for row in moves.rows]
    assert found == [
        (1, 0, 6, "draw", 1),
        (2, 0, 6, "draw", 1),
        (3, 0, 6, "draw", 1),
        (3, 1, 6, "draw", 3),
    ]


def test_ratios_are_those_of_the_solver_one_row_a_class(bicycle: Study) -> None:
    table = bicycle.tables[2]
    assert [row[:5] for row in table.rows] == [(2, 1, 1, 6, 2), (3, 2, 1, 6, 3), (3, 1, 2, 6, 3)]
    for row in table.rows:
        number, _, drew = row[:3]
        assert isinstance(number, int)
        for ratio in solver.wager_ratios("bicycle", ["logical_way"] * number):
            if ratio.choices.count("draw") == drew:
                assert row[5:7] == (ratio.lower_ratio, ratio.ratio)
    assert column(table, "equal wagers") == ["stand", "draw", "stand"]


def test_w1_only_6_is_in_doubt(bicycle: Study) -> None:
    notes = bicycle.tables[2].notes
    assert "the only totals in doubt: 6; on every other total that he is free on, all seats" in notes[0]
    assert not any("no choice" in note for note in notes)


def test_everybody_at_once(bicycle: Study) -> None:
    table = bicycle.tables[3]
    assert column(table, "kind") == ["nash"] * THREE
    assert column(table, "NashConv") == [0] * THREE
    assert column(table, "banker") == column(bicycle.tables[0], "best by total")
    assert [own.name for own in table.columns][4:] == ["player 0", "player 1", "player 2"]
    assert column(table, "player 2")[:2] == [None, None]
    assert "player 0 sits at the banker's left" in table.notes[0]
    assert sum(table.rows[2][4:]) == -table.rows[2][3]  # type: ignore[arg-type, operator]


def test_seats_of_one_kind_that_gain_differently_show_both_ratios() -> None:
    """Who always draws gains otherwise by the banker's card than who draws on a low total."""
    found = solver.wager_ratios("bicycle", ["logical_way", "logical_way", "always_draw"])
    (row,) = [row for row in study_seats._ratio_rows(THREE, found) if row[2] == 2]
    ends = row[5:7]
    assert ends == (
        min(ratio.lower_ratio for ratio in found if ratio.choices.count("draw") == 2),  # type: ignore[type-var]
        max(ratio.ratio for ratio in found if ratio.choices.count("draw") == 2),  # type: ignore[type-var]
    )
    assert ends[0] < 1 < ends[1]  # type: ignore[operator]


def test_players_are_numbered_from_the_banker_s_left() -> None:
    """The first column is seat 0, also where seats of unlike position get unlike values."""
    table = seats(load_rules("bicycle", banker_sees="nothing"), 2, most_with_risk=1).tables[-1]
    found = solver.seats_equilibrium(load_rules("bicycle", banker_sees="nothing"), 2, level="total")
    assert table.rows[1][4:] == found.evs


def test_a_banker_without_a_choice_has_no_thresholds_and_nothing_to_gain() -> None:
    study = seats(load_rules("uk_1994_house"), 2, most_with_risk=1)
    assert [table.title.split()[0] for table in study.tables] == ["The", "Everybody"]
    assert column(study.tables[0], "gain") == [0, 0]
    assert study.notes[:2] == (
        "the best response by total is the logical way with this many players: 1, 2",
        "W1: the banker has no choice on any total",
    )


def test_thresholds_are_left_out_on_totals_without_a_choice() -> None:
    """H4: free on 5 and 6 alone. With 6 forced too, the wagers still ask for both moves on it."""
    free = seats(load_rules("hawaiian_gardens"), 2, most_with_risk=1).tables[2]
    assert [row[3] for row in free.rows] == [6]
    assert free.notes[-1] == "W1: the banker has no choice on 0, 1, 2, 3, 4, 7, 8, 9"
    rule = {"must_stand": [6, 7, 8, 9]}
    bound = load_rules("hawaiian_gardens", banker_draw_rule=rule)
    assert any(ratio.in_doubt for ratio in solver.wager_ratios(bound, ["logical_way"] * 2))
    study = seats(bound, 2, most_with_risk=1)
    assert "W1: the banker has no choice on 6, 7, 8, 9" in study.notes
    assert "W1: no wagers of 2 players change a move" in study.notes
    assert not any("W1" in table.title for table in study.tables)


def test_a_banker_who_sees_nothing_has_no_patterns() -> None:
    study = seats(load_rules("bicycle", banker_sees="nothing"), 2, player="always_draw", most_with_risk=1)
    assert [table.title.split()[0] for table in study.tables] == ["The", "Everybody"]


def test_no_total_in_doubt_is_said() -> None:
    study = seats(load_rules("bicycle"), 2, player="always_draw", most_with_risk=1)
    assert "W1: no wagers of 2 players change a move" in study.notes
    assert not any("W1" in table.title for table in study.tables)


def test_one_player_has_no_ratios() -> None:
    assert len(seats(load_rules("bicycle"), 1).tables) == 3


def test_no_step_of_the_progress_is_more_than_one_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums of many players take long, so that every kind of pattern is a step."""
    asked: dict[str, int] = {}

    def counted(items: Sequence[object], label: str) -> Sequence[object]:
        asked[label] = len(items)
        return items

    monkeypatch.setattr(study_seats, "tracked", counted)
    seats(load_rules("bicycle"), THREE, most_with_risk=1)
    assert asked["sums over patterns of choices"] == 2 + 3 + 4
    assert asked["values by number of players"] == THREE


@pytest.mark.parametrize("player", ["logical_way", "uniform"])
def test_the_sums_made_beforehand_are_all_that_the_values_need(player: str) -> None:
    game = read_game("bicycle", [player] * THREE, None)
    for pattern in game.patterns:
        if study_seats._is_first_of_kind(pattern):
            for seat in (0, THREE - 1):
                game.banker_sums(seat, pattern)
    made = len(game._sums), len(game._others)
    banker_action_values(game, [Fraction(1)] * THREE)
    assert (len(game._sums), len(game._others)) == made


@pytest.mark.parametrize("most", [0, 8, True, "3"])
def test_a_number_of_players_out_of_range_is_refused(most: object) -> None:
    with pytest.raises(ValueError, match=r"^num_players .*: 'bicycle' allows 1 to 7$"):
        seats(load_rules("bicycle"), most)  # type: ignore[arg-type]


def test_the_study_can_be_written_and_read_back(bicycle: Study) -> None:
    assert Study.from_dict(bicycle.to_dict()) == bicycle
    assert "1.127119" in written(bicycle, "human")
