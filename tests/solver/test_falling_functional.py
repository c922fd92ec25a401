"""L(x^c) = prod_v falling(n_v, c_v), against sums term by term."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as all_pairs
from math import perm, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan9_gym.solver.falling_functional import Composition, FallingFunctional, Terms, product

same_every_run = settings(max_examples=60, derandomize=True, deadline=None)


@st.composite
def polynomials(draw: st.DrawFn, num_values: int, signed: bool = True) -> dict[Composition, int]:
    powers = st.tuples(*[st.integers(0, 3)] * num_values)
    least = -(10**30) if signed else 1
    return draw(st.dictionaries(powers, st.integers(least, 10**30).filter(bool), min_size=1, max_size=8))


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[Composition, int], tuple[int, ...], list[int]]:
    """A polynomial, a shoe with as many values, and degrees."""
    num_values = draw(st.integers(1, 4))
    shoe = draw(st.tuples(*[st.integers(0, 9)] * num_values))
    degrees = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True))
    return draw(polynomials(num_values)), shoe, degrees


def direct(
    polynomial: dict[Composition, int], shoe: tuple[int, ...], shift: Composition, replaced: bool
) -> int:
    """L of a shifted polynomial, term by term."""
    return sum(
        weight
        * prod(
            n ** (p + c) if replaced else perm(n, p + c) for n, p, c in zip(shoe, powers, shift, strict=True)
        )
        for powers, weight in polynomial.items()
    )


def by_composition(terms: Terms) -> dict[Composition, int]:
    compositions = [tuple(powers) for powers in terms.powers.tolist()]
    assert len(set(compositions)) == len(compositions)
    return dict(zip(compositions, terms.weights.tolist(), strict=True))


def shifts(num_values: int, degrees: list[int]) -> list[Composition]:
    every = all_pairs(range(max(degrees) + 1), repeat=num_values)
    return [shift for shift in every if sum(shift) in degrees]


@same_every_run
@given(case=cases(), replaced=st.booleans())
def test_shifted_equals_the_direct_sum_for_every_shift(
    case: tuple[dict[Composition, int], tuple[int, ...], list[int]], replaced: bool
) -> None:
    polynomial, shoe, degrees = case
    found = FallingFunctional(shoe, replaced).shifted(Terms.of(polynomial), degrees)
    assert found == {shift: direct(polynomial, shoe, shift, replaced) for shift in shifts(len(shoe), degrees)}


@same_every_run
@given(data=st.data(), replaced=st.booleans())
def test_shifted_in_floating_point_is_the_exact_sum_to_rounding(data: st.DataObject, replaced: bool) -> None:
    shoe = data.draw(st.tuples(*[st.integers(0, 9)] * 3))
    polynomial = data.draw(polynomials(3, signed=False))
    found = FallingFunctional(shoe, replaced, exact=False).shifted(Terms.of(polynomial), [1, 3])
    exact = FallingFunctional(shoe, replaced).shifted(Terms.of(polynomial), [1, 3])
    assert all(isinstance(value, np.float64) for value in found.values())
    assert found == {shift: pytest.approx(value, rel=1e-13, abs=0) for shift, value in exact.items()}


@same_every_run
@given(data=st.data(), num_values=st.integers(1, 4), number=st.integers(1, 3))
def test_product_equals_naive_multiplication(data: st.DataObject, num_values: int, number: int) -> None:
    factors = [data.draw(polynomials(num_values)) for _ in range(number)]
    naive: dict[Composition, int] = {(0,) * num_values: 1}
    for factor in factors:
        result: dict[Composition, int] = {}
        for (one, first), (two, second) in all_pairs(naive.items(), factor.items()):
            powers = tuple(a + b for a, b in zip(one, two, strict=True))
            result[powers] = result.get(powers, 0) + first * second
        naive = result
    assert by_composition(product(factors, num_values)) == {
        powers: weight for powers, weight in naive.items() if weight
    }


def test_the_product_of_nothing_is_one() -> None:
    assert by_composition(product([], 3)) == {(0, 0, 0): 1}


def test_a_shift_alone_counts_ordered_deals() -> None:
    """Three cards from 2 aces and 3 fives: 2 * 1 * 3 deals hold both aces and a five, in each order."""
    found = FallingFunctional((2, 3), with_replacement=False).shifted(Terms.of({(0, 0): 1}), [3])
    assert found == {(0, 3): 6, (1, 2): 12, (2, 1): 6, (3, 0): 0}
    assert 1 * 6 + 3 * 12 + 3 * 6 == perm(5, 3)


def test_counts_beyond_64_bits_stay_whole() -> None:
    found = FallingFunctional((432,), with_replacement=False).shifted(Terms.of({(20,): 1}), [8])
    assert found == {(8,): perm(432, 28)}
    assert Fraction(found[8,]) > 2**200
