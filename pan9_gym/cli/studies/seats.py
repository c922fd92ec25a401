"""`pan9 study seats`: what several players change for the banker, and when unequal wagers change his move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pan9_gym.cli.progress import tracked
from pan9_gym.cli.tables import Cell, Column, Study, Table
from pan9_gym.evaluation.tables import number as shown
from pan9_gym.game.info_state import Choices, read_num_players
from pan9_gym.policies.named import get
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Action, Role, Visible, token_action
from pan9_gym.solver import (
    ActionValues,
    BestResponse,
    Decision,
    WagerRatio,
    banker_risk,
    best_response_to_values,
    seats_equilibrium,
    wager_ratios,
)
from pan9_gym.solver.many_seats import read_game
from pan9_gym.solver.seat_sums import banker_action_values
from pan9_gym.solver.seats_game import Pattern, SeatsGame

MOST_WITH_RATIOS = 4
MOST_AT_EQUILIBRIUM = 4

VALUES = (
    Column("players", "whole"),
    Column("logical way", "exact"),
    Column("best by total", "exact"),
    Column("best by hand", "exact"),
    Column("gain", "exact"),
    Column("best per unit", "exact"),
    Column("standard deviation", "float"),
    Column("if seats were independent", "float"),
)

MOVES = (
    Column("players", "whole"),
    Column("drew", "whole"),
    Column("total", "whole"),
    Column("best move"),
    Column("patterns", "whole"),
    Column("arises", "share"),
    Column("gain when it does", "exact"),
    Column("gain a hand", "exact"),
)

RATIOS = (
    Column("players", "whole"),
    Column("stood", "whole"),
    Column("drew", "whole"),
    Column("total", "whole"),
    Column("patterns", "whole"),
    Column("stand up to", "exact"),
    Column("draw above", "exact"),
    Column("equal wagers"),
)


@dataclass(frozen=True)
class _Answer:
    """The banker's values against `number` players, his best responses by total and, its worth, by hand."""

    number: int
    values: ActionValues
    logical: TabularPolicy
    best: BestResponse
    ev_by_hand: Fraction


def seats(rules: RulesConfig, most: int = 7, player: str = "logical_way", most_with_risk: int = 4) -> Study:
    """The study of one sheet: equal wagers, all players alike.

    Args:
        rules: The rules; the banker may not see drawn cards.
        most: The greatest number of players.
        player: How they play, by name.
        most_with_risk: Up to how many players the standard deviation is found too; 36 seconds for seven.

    Raises:
        ValueError: If an argument is not possible.
    """
    most = read_num_players(rules, most)
    answers = _answers(rules, most, player)
    moves, said_of_moves = _moves_table(answers)
    ratios, said_of_ratios = _ratio_table(rules, range(2, min(most, MOST_WITH_RATIOS) + 1), player)
    tables = (
        Table(
            "The banker's expectation, in units for 1 unit a player",
            VALUES,
            tuple(
                _values_row(answer, player, answer.number <= most_with_risk)
                for answer in tracked(answers, "standard deviations")
            ),
            (
                f"players play {player}; best: the banker's best response by the pattern of choices",
                "gain: best by total over the logical way; standard deviation: of his hand, best by total",
                _by_hand_in_words(answers),
            ),
        ),
        *moves,
        *ratios,
        _equilibrium_table(rules, range(1, min(most, MOST_AT_EQUILIBRIUM) + 1)),
    )
    notes = (*said_of_moves, *said_of_ratios, *rules.assumptions(most))
    return Study(f"Several seats under {rules.name}", tables, notes)


def _answers(rules: RulesConfig, most: int, player: str) -> list[_Answer]:
    """The banker's answers to each number of players; their sums are made one by one, for the progress."""
    games = [read_game(rules, [player] * number, None) for number in range(1, most + 1)]
    steps = [(game, pattern) for game in games for pattern in game.patterns if _is_first_of_kind(pattern)]
    for game, pattern in tracked(steps, "sums over patterns of choices"):
        if game.arises(pattern):
            for seat in {0, game.num_players - 1}:
                game.banker_sums(seat, pattern)
    return [_answer(game) for game in tracked(games, "values by number of players")]


def _is_first_of_kind(pattern: Pattern) -> bool:
    """Whether no seat draws after one that stands; players who play alike share the sums of such patterns."""
    return list(pattern) == sorted(pattern, reverse=True)


def _answer(game: SeatsGame) -> _Answer:
    number = game.num_players
    values = banker_action_values(game, [Fraction(1)] * number)
    logical = get("logical_way", game.rules, Role.BANKER, number)
    best, by_hand = (best_response_to_values(values, level) for level in ("total", "hand"))
    return _Answer(number, values, logical, best, by_hand.ev)


def _values_row(answer: _Answer, player: str, with_risk: bool) -> tuple[Cell, ...]:
    number, values, best = answer.number, answer.values, answer.best
    players = [player] * number
    risk = banker_risk(values.rules, players, best.policy) if with_risk else None
    logical = values.ev(answer.logical)
    return (
        number,
        logical,
        best.ev,
        answer.ev_by_hand,
        best.ev - logical,
        best.ev / number,
        risk.standard_deviation if risk else None,
        risk.independent_standard_deviation if risk else None,
    )


def _by_hand_in_words(answers: list[_Answer]) -> str:
    gains = [answer.ev_by_hand - answer.best.ev for answer in answers]
    if not any(gains):
        return "by hand: telling compositions apart gains the banker exactly 0 over totals"
    return f"by hand: telling compositions apart gains the banker up to {shown(max(gains))} over totals"


def _moves_table(answers: list[_Answer]) -> tuple[list[Table], list[str]]:
    """The table of moves, or what to say where there are none."""
    found = {answer.number: _moves_rows(answer) for answer in answers}
    nowhere = ", ".join(str(players) for players, rows in found.items() if not rows)
    rows = tuple(row for rows in found.values() for row in rows)
    if not rows:
        return [], [f"the best response by total is the logical way with this many players: {nowhere}"]
    notes = (
        "the gains a hand of one number of players add up to the gain above",
        *([f"nowhere with this many players: {nowhere}"] if nowhere else []),
    )
    return [Table("Where the best response by total leaves the logical way", MOVES, rows, notes)], []


def _moves_rows(answer: _Answer) -> list[tuple[Cell, ...]]:
    """The moves that differ, added up over the patterns with equally many drawing hands."""
    found: dict[tuple[int, int, Action], list[Decision]] = {}
    for choices, decision in _differing(answer):
        key = (_drawing(choices), int(decision.hand), decision.best)
        found.setdefault(key, []).append(decision)
    rows: list[tuple[Cell, ...]] = []
    for (drew, total, best), decisions in sorted(found.items()):
        prob = sum((decision.prob for decision in decisions), Fraction(0))
        gain = sum((decision.prob * abs(decision.draw_gain) for decision in decisions), Fraction(0))
        seen = drew if answer.values.states.num_visible else None
        move = best.name.lower()
        rows.append((answer.number, seen, total, move, len(decisions), prob, gain / prob, gain))
    return rows


def _differing(answer: _Answer) -> Iterator[tuple[Choices, Decision]]:
    """The free decisions of the best response that the logical way takes otherwise."""
    states = answer.values.states
    for (choices, row), probs in zip(answer.best.table.items(), answer.logical.draw_probs, strict=True):
        by_total = dict(zip(states.column_totals, probs, strict=True))
        for decision in row:
            if decision.is_free and decision.best != by_total[int(decision.hand)]:
                yield choices, decision


def _drawing(choices: Choices) -> int:
    return sum(token_action(token) is Action.DRAW for token in choices)


def _ratio_table(rules: RulesConfig, numbers: range, player: str) -> tuple[list[Table], list[str]]:
    """W1: a table of what the banker may decide, and what to say of the rest.

    Neither where he cannot tell patterns or only one player sits down.
    """
    if rules.banker_sees is Visible.NOTHING or not numbers:
        return [], []
    found = [
        (number, _free(rules, wager_ratios(rules, [player] * number, total=None)))
        for number in tracked(numbers, "wager ratios")
    ]
    free = _free_totals(rules)
    bound = sorted({*TOTALS} - {*free})
    in_doubt = sorted({ratio.total for _, ratios in found for ratio in ratios})
    said = [f"W1: the banker has no choice on {_listed(bound) if free else 'any total'}"] if bound else []
    if not in_doubt:
        alike = f"W1: no wagers of {_listed(_ends(numbers), ' to ')} players change a move"
        return [], [*said, *([alike] if free else [])]
    notes = (
        f"over all wagers of {_listed(_ends(numbers), ' to ')} players the only totals in doubt: "
        f"{_listed(in_doubt)}; on every other total that he is free on, all seats gain by the same move",
        "W1 says: only 6, and draw if the standing hands carry more money, which is a ratio of 1",
        "between two different ratios it matters how the money is split among the seats of a kind",
        *said,
    )
    rows = tuple(row for number, ratios in found for row in _ratio_rows(number, ratios))
    title = "The rule of thumb W1: money on standing hands over money on drawing hands"
    return [Table(title, RATIOS, rows, notes)], []


def _free(rules: RulesConfig, ratios: tuple[WagerRatio, ...]) -> list[WagerRatio]:
    """The ratios of the totals that wagers decide and the banker may choose on."""
    free = _free_totals(rules)
    return [ratio for ratio in ratios if ratio.in_doubt and ratio.total in free]


def _free_totals(rules: RulesConfig) -> list[int]:
    return [total for total in TOTALS if len(legal_actions(rules, Role.BANKER, total)) > 1]


def _listed(numbers: Iterable[int | str], comma: str = ", ") -> str:
    return comma.join(map(str, numbers))


def _ends(numbers: range) -> list[int]:
    return list(dict.fromkeys((numbers[0], numbers[-1])))


def _ratio_rows(number: int, ratios: Sequence[WagerRatio]) -> list[tuple[Cell, ...]]:
    """A row for the patterns with equally many drawing hands."""
    classes: dict[tuple[int, int], list[WagerRatio]] = {}
    for ratio in ratios:
        classes.setdefault((ratio.total, _drawing(ratio.choices)), []).append(ratio)
    rows: list[tuple[Cell, ...]] = []
    for (total, drew), alike in sorted(classes.items()):
        lower = [ratio.lower_ratio for ratio in alike if ratio.lower_ratio is not None]
        upper = [ratio.ratio for ratio in alike if ratio.ratio is not None]
        moves = sorted({"draw" if sum(ratio.gains) > 0 else "stand" for ratio in alike})
        ends = (min(lower), max(upper)) if len(lower) == len(alike) else (None, None)
        rows.append((number, number - drew, drew, total, len(alike), *ends, " or ".join(moves)))
    return rows


def _equilibrium_table(rules: RulesConfig, numbers: range) -> Table:
    found = [
        (number, seats_equilibrium(rules, number, level="total"))
        for number in tracked(numbers, "equilibria of several seats")
    ]
    columns = (
        Column("players", "whole"),
        Column("kind"),
        Column("NashConv", "exact"),
        Column("banker", "exact"),
        *(Column(f"player {seat}", "exact") for seat in range(len(numbers))),
    )
    empty: tuple[Cell, ...] = (None,) * len(numbers)
    rows = tuple(
        (number, result.kind, result.nash_conv, result.banker_ev, *(*result.evs, *empty)[: len(numbers)])
        for number, result in found
    )
    logical = all(
        own.draw_probs == get("logical_way", rules, Role.PLAYER, number, seat).draw_probs
        for number, result in found
        for seat, own in enumerate(result.players)
    )
    return Table(
        "Everybody answers everybody, by total: expectations per unit wagered, the banker's in units",
        columns,
        rows,
        (
            "player 0 sits at the banker's left, player 1 at player 0's left, and so on",
            "nash: nobody gains by changing alone; bound: NashConv says by how much it is missed",
            *(["the players of each play the logical way"] if logical else []),
        ),
    )
