"""Interleaved rounds: the order of turns, what is counted in them, ratios and their spread."""

from __future__ import annotations

import pytest

from pan9_gym.benchmark.figures import Figure
from pan9_gym.benchmark.rounds import Contender, Count, Rounds, Spread, Turn, interleaved, take_turn


class Clock:
    """CPU time that only contenders use up."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Player:
    """Plays one hand of two decisions and seven cards a call, which takes a fixed time."""

    def __init__(self, name: str, clock: Clock, seconds: float, log: list[str]) -> None:
        self.name, self.clock, self.seconds, self.log = name, clock, seconds, log

    def __call__(self) -> Count:
        self.clock.now += self.seconds
        self.log.append(self.name)
        return Count(1, 2, 7.5)


def test_contenders_take_turns_and_warm_up_first() -> None:
    clock, log, told = Clock(), [], []
    fast, slow = Player("fast", clock, 0.5, log), Player("slow", clock, 2.0, log)
    found = interleaved([Contender("fast", fast), Contender("slow", slow)], 2, 1.0, told.append, clock)
    assert log == ["fast", "fast", "slow"] * 3
    assert told == ["warming up", "round 1 of 2", "round 2 of 2"]
    assert found.turns == {
        "fast": (Turn(Count(2, 4, 15.0), 1.0),) * 2,
        "slow": (Turn(Count(1, 2, 7.5), 2.0),) * 2,
    }


def test_a_turn_goes_on_until_its_time_is_used_up() -> None:
    clock, log = Clock(), []
    turn = take_turn(Contender("any", Player("any", clock, 0.25, log)), 1.0, clock)
    assert turn == Turn(Count(4, 8, 30.0), 1.0)
    assert take_turn(Contender("any", Player("any", clock, 5.0, log)), 1.0, clock).count == Count(1, 2, 7.5)


ROUNDS = Rounds(
    {
        "one": (Turn(Count(60, 60, 420), 1.0), Turn(Count(90, 90, 630), 2.0), Turn(Count(50, 50, 350), 1.0)),
        "other": (Turn(Count(10, 20), 1.0), Turn(Count(15, 30), 1.0), Turn(Count(20, 40), 2.0)),
    }
)


def test_rates_are_per_cpu_second() -> None:
    assert ROUNDS.rates("one") == (60.0, 45.0, 50.0)
    assert ROUNDS.rate("one", "cards") == Spread(350.0, 315.0, 420.0)
    assert ROUNDS.rate("other", "decisions") == Spread(20.0, 20.0, 30.0)


def test_ratios_are_taken_round_by_round() -> None:
    """60 / 10, 45 / 15 and 50 / 10; a ratio of the medians would be 50 / 10 with another spread."""
    assert ROUNDS.ratio("one", "other") == Spread(5.0, 3.0, 6.0)
    assert ROUNDS.ratio("one", "other", "decisions") == Spread(2.5, 1.5, 3.0)


@pytest.mark.parametrize(
    ("target", "at_most", "met"),
    [(5.0, False, True), (5.1, False, False), (5.0, True, True), (4.9, True, False)],
)
def test_a_figure_is_met_by_its_median(target: float, at_most: bool, met: bool) -> None:
    line = Figure("one", "other", target, at_most).line(ROUNDS)
    assert line.is_met is met
    assert line.decisions == Spread(2.5, 1.5, 3.0)


def test_a_figure_without_a_target_is_neither_met_nor_missed() -> None:
    assert Figure("one", "other").line(ROUNDS).is_met is None


def test_no_round_and_equal_names_are_refused() -> None:
    contender = Contender("any", lambda: Count(1, 1))
    with pytest.raises(ValueError, match="at least 1"):
        interleaved([contender], 0, 1.0)
    with pytest.raises(ValueError, match="must differ"):
        interleaved([contender, contender], 1, 1.0)
