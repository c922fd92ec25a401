"""Means with their uncertainty.

Formula:
    mean = sum_i x_i / n
    standard error = sqrt(variance / n),        variance = sum_i (x_i - mean)^2 / (n - 1)
                                                         = max(0, sum_i x_i^2 - n mean^2) / (n - 1)
    interval = mean - z standard error  to  mean + z standard error
    z_score = (mean - exact) / standard error

Symbols:
    x_i: independent values, of any unit, which the mean and its error share
    n: how many; for a single value `estimate` gives an infinite error
    z: 2.5758, the 0.995 quantile of the standard normal distribution: a 99 % interval
    exact: the value the mean estimates; with no spread z_score is 0 if they agree and infinite if not

Source:
    Definition: this module. The variance is the unbiased one of a sample; the interval takes the mean to be
    normal, which the central limit theorem makes nearly true for many values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, isfinite, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

CONFIDENCE_99 = 2.5758293035489004
"""The 0.995 quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Estimate:
    """A sample mean.

    Attributes:
        mean: The mean.
        standard_error: Its standard error; infinite for a single value.
        num_trials: For a share, of how many trials; its interval is Wilson's, so that none is certain.
    """

    mean: float
    standard_error: float
    num_trials: int | None = None

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Estimate:
        """The mean of at least two independent values; of truth values their share.

        Raises:
            ValueError: If there are fewer.
        """
        given = np.asarray(values)
        if given.dtype == bool and given.size > 1:
            return share(int(given.sum()), given.size)
        sample = given.astype(float)
        if sample.size < 2:
            raise ValueError(f"values {values!r}: at least two are needed")
        return cls(float(sample.mean()), float(sample.std(ddof=1)) / sqrt(len(sample)))

    @property
    def interval_99(self) -> tuple[float, float]:
        """The 99 % confidence interval: Wilson's of a share, else the normal approximation."""
        if self.num_trials is not None:
            return _wilson(self.mean, self.num_trials)
        half = CONFIDENCE_99 * self.standard_error
        return self.mean - half, self.mean + half

    def z_score(self, exact: float) -> float:
        """Distance from an exact value in standard errors; 0 or infinite where there is no spread."""
        difference = self.mean - exact
        if self.standard_error == 0:
            return copysign(inf, difference) if difference else 0.0
        return difference / self.standard_error

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity: `None` where a single value leaves the error unknown."""
        known = isfinite(self.standard_error)
        return {
            "mean": self.mean,
            "standard_error": self.standard_error if known else None,
            "interval_99": list(self.interval_99) if known else None,
        }


def estimate(total: float, total_of_squares: float, number: int) -> Estimate:
    """The mean and standard error of `number` values from their sum and their sum of squares."""
    mean = total / number
    if number < 2:
        return Estimate(mean, inf)
    variance = max(0.0, (total_of_squares - number * mean**2) / (number - 1))
    return Estimate(mean, sqrt(variance / number))


def share(num_hits: int, num_trials: int) -> Estimate:
    """The share of hits in trials."""
    part = num_hits / num_trials
    return Estimate(part, sqrt(part * (1 - part) / num_trials), num_trials)


def _wilson(part: float, number: int) -> tuple[float, float]:
    """Wilson's interval of a share (E. B. Wilson 1927, J. Amer. Statist. Assoc. 22)."""
    square = CONFIDENCE_99**2 / number
    middle = (part + square / 2) / (1 + square)
    half = CONFIDENCE_99 / (1 + square) * sqrt(part * (1 - part) / number + square / (4 * number))
    return max(0.0, middle - half), min(1.0, middle + half)
