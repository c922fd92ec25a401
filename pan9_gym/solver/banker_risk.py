"""How much a banker's result varies: the exact variance of a hand over seats that all meet his one hand.

Formula:
    Var = sum_i w_i^2 Var(X_i) + 2 sum_{i < j} w_i w_j Cov(X_i, X_j)
    E[X_i X_j] = sum over patterns and c of [sum_t Q_i^t Q_j^t B^t]_c R_ij(c) / F(|c| + (n - 2) k + r)
    R_ij(c) = L( prod_{l != i, j} P_l * x^c ) * falling(N - (n - 2) k - |c|, r)
    two hands of one shoe, one player: Cov(X, X') = sum_c [T^2]_c A(c) - (sum_c [T]_c A(c))^2
    Q^t = sum_c u(c) f(total(c), t) x^c,        T = sum over patterns and t of Q^t B^t

Symbols:
    Var: of the banker's result -sum_i w_i X_i, in units squared; w_i: wager of player i, in units
    X_i: payoff of player i, units per unit wagered; X, X': one player's in two hands
    t: the banker's final total; B^t: polynomial of his final compositions of total t, weighted orders
    Q_i^t: final compositions of seat i, weighted by what they are paid against t
    [..]_c: coefficient of x^c; |c|: its number of cards, those of both seats and the banker, or of both hands
    r: drawers other than i and j; F(m) = falling(N, m); A(c) = prod_v falling(n_v, c_v) / F(|c|)
    n, k, N, n_v, L, P_l, u, f: as in `seats_game` and `falling_functional`; weights over their denominators

Source:
    Derivation: this module and `seats_game`. Given t, the payoffs of two seats are weights on their own final
    cards alone. The covariances are not 0: the banker has one hand against all, and one shoe deals to all.
    Two hands of a shoe are correlated too, a little. The order of a shuffled shoe is exchangeable, so it does
    not matter which two of its hands they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod, sqrt
from typing import Any

from pan9_gym.game.info_state import read_seat
from pan9_gym.game.stakes import Amount, read_wagers
from pan9_gym.policies.named import resolve
from pan9_gym.policies.play import PolicyLike
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import Action, Role
from pan9_gym.solver.deal_distribution import IntMatrix, ShoeLike, falling
from pan9_gym.solver.duel import scaled
from pan9_gym.solver.evaluate import evaluate
from pan9_gym.solver.falling_functional import Composition, Polynomial, Terms, sum_of_products
from pan9_gym.solver.many_seats import count_players, read_game
from pan9_gym.solver.seat_sums import joint_totals
from pan9_gym.solver.seats_game import OthersKey, Pattern, SeatPart, SeatsGame, finals_of, others_key


@dataclass(frozen=True)
class BankerRisk:
    """What one hand brings a banker, and how much it varies, exactly.

    Attributes:
        ev: His expectation, in units.
        variance: The variance of his result, in units squared.
        covariances: Of the players' payoffs per unit wagered, `covariances[seat][seat]`.
        wagers: Each player's wager, in units.
        assumptions: What the figures take for granted.
    """

    ev: Fraction
    variance: Fraction
    covariances: tuple[tuple[Fraction, ...], ...]
    wagers: tuple[Fraction, ...]
    assumptions: tuple[str, ...]

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of a hand, in units."""
        return sqrt(self.variance)

    @property
    def independent_standard_deviation(self) -> float:
        """What it would be if the seats did not share the banker's hand and the shoe."""
        return sqrt(sum(wager**2 * row[seat] for seat, (wager, row) in enumerate(self._rows)))

    @property
    def _rows(self) -> list[tuple[Fraction, tuple[Fraction, ...]]]:
        return list(zip(self.wagers, self.covariances, strict=True))

    def correlation(self, first: int, second: int) -> float:
        """The correlation of two players' payoffs.

        Raises:
            ValueError: If there is no such seat.
        """
        first, second = (read_seat(len(self.wagers), seat) for seat in (first, second))
        both = self.covariances[first][first] * self.covariances[second][second]
        return float(self.covariances[first][second]) / sqrt(both) if both else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "ev": str(self.ev),
            "variance": str(self.variance),
            "standard_deviation": self.standard_deviation,
            "independent_standard_deviation": self.independent_standard_deviation,
            "covariances": [[str(number) for number in row] for row in self.covariances],
            "wagers": [str(wager) for wager in self.wagers],
            "assumptions": list(self.assumptions),
        }


def banker_risk(
    rules: RulesLike,
    players: Sequence[PolicyLike],
    banker: PolicyLike,
    wagers: Sequence[Amount] | None = None,
    shoe: ShoeLike | None = None,
) -> BankerRisk:
    """The exact variance of a banker's hand.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        players: The players' policies in seat order, by name or object.
        banker: The banker's policy.
        wagers: One per player; default 1 each.
        shoe: Cards left of each point value, lowest first; default a full shoe.

    >>> found = banker_risk("bicycle", ["logical_way"] * 2, "logical_way")
    >>> found.ev, round(found.standard_deviation, 4), round(found.correlation(0, 1), 4)
    (Fraction(0, 1), 1.5547, 0.3723)

    Raises:
        ValueError: If an argument is not possible.
    """
    rules = load_rules(rules)
    number = count_players(players)
    stakes = read_wagers(number, wagers)
    if number == 1:
        alone = evaluate(rules, players[0], banker, shoe)
        evs, covariances = [alone.ev], [[alone.variance]]
    else:
        game = read_game(rules, players, shoe)
        evs, covariances = _moments(game, resolve(banker, rules, Role.BANKER, number))
    variance = sum(
        (stakes[i] * stakes[j] * covariances[i][j] for i in range(number) for j in range(number)), Fraction(0)
    )
    return BankerRisk(
        ev=-sum((wager * ev for wager, ev in zip(stakes, evs, strict=True)), Fraction(0)),
        variance=variance,
        covariances=tuple(map(tuple, covariances)),
        wagers=stakes,
        assumptions=rules.assumptions(number),
    )


def hand_covariance(
    rules: RulesLike, player: PolicyLike, banker: PolicyLike, shoe: ShoeLike | None = None
) -> Fraction:
    """The covariance of a player's payoffs in two hands of one shoe, both played with the same policies.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        player: The player's policy, by name or object.
        banker: The banker's policy.
        shoe: Cards left of each point value before both hands; default a full shoe.

    >>> hand_covariance("bicycle", "logical_way", "wizard") < 0
    True

    Raises:
        ValueError: If an argument is not possible, or the shoe does not hold two hands.
    """
    rules = load_rules(rules)
    game = read_game(rules, [player], shoe)
    if not rules.with_replacement and sum(game.shoe) < 2 * game.max_cards:
        raise ValueError(
            f"shoe {shoe!r}: holds {sum(game.shoe)} cards; two hands may need {2 * game.max_cards}"
        )
    probs, unit = scaled(resolve(banker, rules, Role.BANKER).draw_probs)
    products = []
    for pattern in filter(game.arises, game.patterns):
        part, row = game.part(0, pattern), probs[game.banker_row(pattern)]
        answers = _banker_hands(game, row, unit)
        products += [[_paid(game, part, total), answers[total]] for total in TOTALS]
    num_values = len(game.shoe)
    one = sum_of_products(products, num_values)
    hand = dict(zip(map(tuple, one.powers.tolist()), one.weights, strict=True))
    scale = game.units() * unit * game.payoff_unit
    ev = _expectation(game, one) / scale
    return _expectation(game, sum_of_products([[hand, hand]], num_values)) / scale**2 - ev**2


def _expectation(game: SeatsGame, terms: Terms) -> Fraction:
    """The weights times the probability that cards of their compositions come first."""
    replaced = game.rules.with_replacement
    by_size: dict[int, int] = {}
    for powers, weight in zip(terms.powers.tolist(), terms.weights, strict=True):
        count = weight * prod(falling(n, c, replaced) for n, c in zip(game.shoe, powers, strict=True))
        by_size[sum(powers)] = by_size.get(sum(powers), 0) + count
    return sum((Fraction(count, game.num_deals(size)) for size, count in by_size.items()), Fraction(0))


def _banker_hands(game: SeatsGame, row: IntMatrix, unit: int) -> list[Polynomial]:
    """For each final total the weighted orders of the banker's final compositions."""
    by_total: list[dict[Composition, int]] = [{} for _ in TOTALS]
    for action in Action:
        for final, weight in finals_of(game.hands_that(action, row, unit), action).items():
            by_total[_total(game, final)][final] = weight
    return list(by_total)


def _paid(game: SeatsGame, part: SeatPart, banker_total: int) -> Polynomial:
    """Q^t of a seat, times `payoff_unit`."""
    payoffs = game.payoffs[:, banker_total]
    paid = {final: weight * payoffs[_total(game, final)] for final, weight in part.finals.items()}
    return {final: weight for final, weight in paid.items() if weight}


def _total(game: SeatsGame, final: Composition) -> int:
    return sum(value * number for value, number in zip(game.rules.values, final, strict=True)) % 10


def _moments(game: SeatsGame, banker: TabularPolicy) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The expectation of each seat's payoff, and the covariances."""
    payoffs = payoff_table(game.rules)
    evs, squares = [], []
    for joint in joint_totals(game, banker):
        pairs = [(joint[p][b], payoffs[p][b]) for p in TOTALS for b in TOTALS]
        evs.append(sum((prob * payoff for prob, payoff in pairs), Fraction(0)))
        squares.append(sum((prob * payoff**2 for prob, payoff in pairs), Fraction(0)))
    seats = range(game.num_players)
    covariances = [
        [square - ev**2 if i == j else Fraction(0) for j in seats]
        for i, (ev, square) in enumerate(zip(evs, squares, strict=True))
    ]
    moments = _PairMoments(game, banker)
    for first, second in combinations(seats, 2):
        moment = moments.of(first, second)
        covariances[first][second] = covariances[second][first] = moment - evs[first] * evs[second]
    return evs, covariances


class _PairMoments:
    """E[X_i X_j] of two seats; sums that seats or patterns share are made once."""

    def __init__(self, game: SeatsGame, banker: TabularPolicy) -> None:
        self._game = game
        self._probs, self._unit = scaled(banker.draw_probs)
        self._others: dict[OthersKey, dict[Composition, int]] = {}
        self._known: dict[Any, Fraction] = {}

    def of(self, first: int, second: int) -> Fraction:
        """The expectation of the product of two seats' payoffs."""
        game = self._game
        patterns = filter(game.arises, game.patterns)
        moment = sum((self._in_pattern(first, second, pattern) for pattern in patterns), Fraction(0))
        return moment / (game.units() * self._unit * game.payoff_unit**2)

    def _in_pattern(self, first: int, second: int, pattern: Pattern) -> Fraction:
        game = self._game
        pair = sorted((game.part(seat, pattern) for seat in (first, second)), key=lambda p: (p.key, p.action))
        parts = game.parts_but((first, second), pattern)
        row = self._probs[game.banker_row(pattern)]
        key = (*((part.key, part.action) for part in pair), others_key(parts), tuple(row))
        if key not in self._known:
            answers = _banker_hands(game, row, self._unit)
            products = [[*(_paid(game, part, total) for part in pair), answers[total]] for total in TOTALS]
            self._known[key] = self._expectation(sum_of_products(products, len(game.shoe)), parts)
        return self._known[key]

    def _expectation(self, paid: Terms, parts: Sequence[SeatPart]) -> Fraction:
        """The weights of three seats' cards times the probability that everybody is dealt so."""
        deals = self._deals_to(parts)
        sizes = len(parts) * self._game.rules.num_initial_cards + others_key(parts)[1]
        by_size: dict[int, int] = {}
        for composition, weight in zip(map(tuple, paid.powers.tolist()), paid.weights, strict=True):
            size = sum(composition)
            by_size[size] = by_size.get(size, 0) + weight * deals[composition]
        return sum(
            (Fraction(count, self._game.num_deals(size + sizes)) for size, count in by_size.items()),
            Fraction(0),
        )

    def _deals_to(self, parts: Sequence[SeatPart]) -> dict[Composition, int]:
        key = others_key(parts)
        if key not in self._others:
            first = self._game.rules.num_initial_cards
            self._others[key] = self._game.deals_to(parts, range(3 * first, 3 * first + 4))
        return self._others[key]
