"""The exact probabilities of a mixed strategy, from the support that the linear programme proposes.

Formula:
    gain_j(x) = c_j + sum_i A[j, i] x_i = 0        for every mixed decision j of the opponent
    c_j = gain_j(0),        A[j, i] = gain_j(e_i) - gain_j(0)

Symbols:
    x_i: drawing probability at the role's mixed decision i, cut to 0 to 1 at the end
    e_i: 1 at decision i, 0 at the others; the pure decisions stay as proposed throughout
    gain_j: what drawing gains the opponent over standing at j, weighted by reach
    A mixed decision is one that is proposed further than `SUPPORT_TOLERANCE` from 0 and from 1.

Source:
    Derivation: this module. A best response mixes only where both actions are worth the same, so in an
    equilibrium every decision at which the opponent mixes leaves him indifferent; his gains are affine in the
    role's probabilities (`duel`). The equations are solved in rational arithmetic (python-flint); what they
    leave free keeps its proposal, rounded. Whether the answer is an equilibrium is proved elsewhere, by best
    responses.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq, fmpq_mat

from pan9_gym.solver.linear_program import Floats

Place = tuple[int, int]
"""(pattern, group)."""

Probs = dict[Place, Fraction]

SUPPORT_TOLERANCE = 1e-6
"""A proposed probability nearer than this to 0 or 1 is taken as pure."""

FREE_DENOMINATOR = 1000
"""Where the equations leave a probability free, it is the fraction nearest to the proposal with a denominator
of at most this."""


def split_support(proposal: Floats) -> tuple[Probs, list[Place]]:
    """The pure probabilities of a proposal, and the places that mix."""
    pure: Probs = {}
    mixed: list[Place] = []
    for pattern, row in enumerate(proposal):
        for group, prob in enumerate(row):
            if SUPPORT_TOLERANCE < prob < 1 - SUPPORT_TOLERANCE:
                mixed.append((pattern, group))
            else:
                pure[pattern, group] = Fraction(round(float(prob)))
    return pure, mixed


def solve_mix(proposal: Floats, gains: Callable[[Probs], list[Fraction]]) -> tuple[Probs, bool]:
    """Probabilities that make the opponent indifferent wherever he mixes.

    Args:
        proposal: The numerical solution, shape (patterns, groups).
        gains: For a strategy, the opponent's gain from drawing at each of his mixed decisions: an affine
            function of the probabilities.

    Returns:
        The probabilities, and whether the equations determine them.
    """
    pure, mixed = split_support(proposal)
    start = {**pure, **dict.fromkeys(mixed, Fraction(0))}
    constants = gains(start)
    if not mixed:
        return start, True
    columns = []
    for place in mixed:
        moved = gains({**start, place: Fraction(1)})
        columns.append([after - before for after, before in zip(moved, constants, strict=True)])
    guess = [Fraction(float(proposal[place])).limit_denominator(FREE_DENOMINATOR) for place in mixed]
    solution, determined = _solve_affine(columns, constants, guess)
    return {**start, **dict(zip(mixed, solution, strict=True))}, determined


def _solve_affine(
    columns: list[list[Fraction]], constants: list[Fraction], guess: list[Fraction]
) -> tuple[list[Fraction], bool]:
    """Solve sum_i columns[i] x_i = -constants; free unknowns keep their guess."""
    num_rows, num_unknowns = len(constants), len(columns)
    if num_rows == 0:
        return guess, False
    entries = [
        [_flint(columns[i][row]) for i in range(num_unknowns)] + [_flint(-constants[row])]
        for row in range(num_rows)
    ]
    reduced, rank = fmpq_mat(entries).rref()
    solution = list(guess)
    pivots = {}
    for row in range(rank):
        pivot = next(column for column in range(num_unknowns + 1) if reduced[row, column] != 0)
        if pivot == num_unknowns:  # contradictory equations: the proposal stands, and the certificate says so
            return guess, False
        pivots[pivot] = row
    for pivot, row in pivots.items():
        value = _fraction(reduced[row, num_unknowns])
        free = (column for column in range(num_unknowns) if column not in pivots)
        solution[pivot] = value - sum(
            (_fraction(reduced[row, column]) * guess[column] for column in free), Fraction(0)
        )
    return [min(max(value, Fraction(0)), Fraction(1)) for value in solution], len(pivots) == num_unknowns


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
