"""Polynomials of hands, and the functional that turns them into counts of ordered deals.

Formula:
    P_j = sum_h w_j(h) x^h
    L(x^c) = prod_v falling(n_v, c_v),        L(sum_c a_c x^c) = sum_c a_c L(x^c)
    shifted: F(c) = L(prod_j P_j * x^c)       for every c whose number of cards is one of `degrees`

Symbols:
    x^c: prod_v x_v^c_v, one variable for each point value; c_v cards of value v
    P_j: the hands of seat j; w_j(h): weight of all ordered hands of composition h
    a_c: coefficients of a polynomial, such as the product of the P_j
    n_v: cards of value v in the shoe; falling as in `deal_distribution`, n^m with replacement
    F(c): weighted ordered deals to the seats j and, in a given order of values, c to everybody else

Source:
    Derivation: this module. The product of several seats' polynomials holds every way in which the seats can
    be dealt, by what they hold together; a composition c has prod_v falling(n_v, c_v) ordered deals whoever
    holds its cards. L is applied one card value at a time: once a variable is replaced by numbers, monomials
    that differ only in it are added up, so that the number of terms shrinks at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import Ordering, fmpz_mpoly_ctx

from pan9_gym.solver.deal_distribution import falling

Composition = tuple[int, ...]
"""Cards of each point value, lowest value first."""

Polynomial = Mapping[Composition, int]
"""Weights of compositions."""

Numbers = npt.NDArray[Any]
"""Python integers (dtype object) or float64."""


@dataclass(frozen=True)
class Terms:
    """A polynomial as arrays, no composition twice.

    Attributes:
        powers: Cards of each point value, int64, axes [term, value].
        weights: Python integers, shape (num_terms,).
    """

    powers: npt.NDArray[np.int64]
    weights: Numbers

    @staticmethod
    def of(polynomial: Polynomial) -> Terms:
        """The terms of weights by composition."""
        return Terms(
            np.array(list(polynomial), dtype=np.int64), np.array([*polynomial.values()], dtype=object)
        )


def sum_of_products(products: Iterable[Sequence[Polynomial]], num_values: int) -> Terms:
    """The sum of products of polynomials, exact; a product of none is 1."""
    context = fmpz_mpoly_ctx.get([f"x{value}" for value in range(num_values)], Ordering.lex)
    result = context.from_dict({})
    for factors in products:
        part = context.from_dict({(0,) * num_values: 1})
        for factor in factors:
            part = part * context.from_dict(dict(factor))
        result = result + part
    powers = np.array(result.monoms(), dtype=np.int64).reshape(-1, num_values)
    return Terms(powers, np.array([int(weight) for weight in result.coeffs()], dtype=object))


def product(polynomials: Sequence[Polynomial], num_values: int) -> Terms:
    """The product of polynomials; kept, because it is the same for every shoe."""
    return _product(tuple(sorted(tuple(sorted(factor.items())) for factor in polynomials)), num_values)


@lru_cache(maxsize=32)
def _product(factors: tuple[tuple[tuple[Composition, int], ...], ...], num_values: int) -> Terms:
    return sum_of_products([[dict(factor) for factor in factors]], num_values)


class FallingFunctional:
    """L for one shoe.

    Args:
        shoe: Cards of each point value.
        with_replacement: Whether a dealt card goes back.
        exact: Whether to count in Python integers or in float64.
    """

    def __init__(self, shoe: Sequence[int], with_replacement: bool, exact: bool = True) -> None:
        self._shoe = tuple(shoe)
        self._with_replacement = with_replacement
        self._dtype: Any = object if exact else np.float64

    def shifted(self, terms: Terms, degrees: Sequence[int]) -> dict[Composition, Any]:
        """L(terms * x^c) for every composition c whose number of cards is one of `degrees`."""
        powers, weights = terms.powers, terms.weights.astype(self._dtype)
        order = np.lexsort(tuple(powers.T))  # the last variable is the primary key
        descent = _Descent(self._tables(int(powers.max(initial=0)) + max(degrees)), powers[order], degrees)
        descent.run(0, weights[order], (), 0)
        return descent.found

    def _tables(self, longest: int) -> list[Numbers]:
        """`falling(n_v, m)` for m = 0 ... `longest`, for each value."""
        tables = []
        for number in self._shoe:
            ordered = [falling(number, length, self._with_replacement) for length in range(longest + 1)]
            tables.append(np.array(ordered, dtype=self._dtype))
        return tables


class _Descent:
    """Replaces the variables one after the other, for every choice of the shift c."""

    def __init__(self, tables: list[Numbers], powers: npt.NDArray[np.int64], degrees: Sequence[int]) -> None:
        self.found: dict[Composition, Any] = {}
        self._tables = tables
        self._degrees = frozenset(degrees)
        self._most = max(degrees)
        self._stages = []
        for _ in tables:
            tails = powers[:, 1:]
            changes = np.any(tails[1:] != tails[:-1], axis=1)
            starts = np.concatenate([[0], 1 + np.flatnonzero(changes)])
            self._stages.append((powers[:, 0], starts))
            powers = tails[starts]

    def run(self, stage: int, weights: Numbers, shift: Composition, used: int) -> None:
        """Replace the variable of `stage` and all later ones, when the shift so far is `shift`."""
        if stage == len(self._tables):
            self.found[shift] = weights[0]
            return
        exponents, starts = self._stages[stage]
        last = stage == len(self._tables) - 1
        for number in range(self._most - used + 1):
            if last and used + number not in self._degrees:
                continue
            replaced = weights * self._tables[stage][exponents + number]
            self.run(stage + 1, np.add.reduceat(replaced, starts), (*shift, number), used + number)
