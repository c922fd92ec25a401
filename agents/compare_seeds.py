"""Several seeds of one config: when each reached the optimum, and how certain their mean is.

Formula:
    interval = the 2.5 % and 97.5 % quantiles of the mean gap over `RESAMPLES` samples of the seeds, drawn
               with replacement

Source:
    The percentile bootstrap (`scipy.stats.bootstrap`), with a fixed random stream. It is too short for a
    handful of seeds, so that the best and the worst seed stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from scipy import stats

from agents.compare_runs import ComparedRun, by_config, read_history
from agents.config import RE_SOLVED
from agents.results import first_hit, held_since
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.evaluation import Report

RESAMPLES = 9999

STREAM = 1
"""The seed of the resampling, so that the same runs give the same interval."""

PER_SEED = (
    Column("run"),
    Column("config"),
    Column("seed", "whole"),
    Column("decisions", "whole"),
    Column("gap", "exact"),
    Column("stochastic gap", "exact"),
    Column("reached after", "whole"),
    Column("held from", "whole"),
)

PER_CONFIG = (
    Column("config"),
    Column("policy"),
    Column("seeds", "whole"),
    Column("mean gap", "exact"),
    Column("95% from", "float"),
    Column("to", "float"),
    Column("best seed", "exact"),
    Column("worst seed", "exact"),
    Column("seeds at 0", "whole"),
)


def mean_interval(values: Sequence[Fraction]) -> tuple[float, float] | None:
    """The bootstrap interval of the mean; `None` for fewer than two values.

    >>> mean_interval([Fraction(0), Fraction(0), Fraction(0)])
    (0.0, 0.0)
    """
    if len(values) < 2:
        return None
    if len(set(values)) == 1:
        return float(values[0]), float(values[0])
    found = stats.bootstrap(
        ([float(value) for value in values],),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=0.95,
        method="percentile",
        random_state=np.random.default_rng(STREAM),
    ).confidence_interval
    return float(found.low), float(found.high)


def seeds_study(runs: Sequence[ComparedRun], reports: Mapping[str, Report]) -> Study:
    """The runs of one task by config and seed.

    Args:
        runs: The runs.
        reports: What is exactly true of each policy, by the run's name, with ", stochastic" for that one.
    """
    seeds, configs, notes = [], [], []
    for label, group in by_config(runs).items():
        gaps = {
            kind: [_gap(run, reports[f"{run.name}{suffix}"]) for run in group]
            for kind, suffix in (("greedy", ""), ("stochastic", ", stochastic"))
        }
        for run, greedy, stochastic in zip(group, *gaps.values(), strict=True):
            history = [] if run.elsewhere else read_history(run)
            steps = history[-1]["decisions"] if history else None
            target = run.trained.target_gap
            hits = (first_hit(history, target), held_since(history, target))
            seeds.append((run.name, label, run.trained.seed, steps, greedy, stochastic, *hits))
        configs += [_config_row(label, kind, values) for kind, values in gaps.items()]
        if len({run.trained.seed for run in group}) < len(group):
            notes.append(f"{label}: a seed comes twice, so that its runs are not independent.")
    return Study(
        "By config and seed",
        (
            Table("Each seed", PER_SEED, tuple(seeds)),
            Table("The seeds of a config together", PER_CONFIG, tuple(configs)),
        ),
        (
            "Gaps are those at the end. After so many decisions the greedy policy reached the config's "
            "target_gap, and held it at every evaluation from so many on.",
            "Intervals: percentile bootstrap over seeds, too short for a handful of them.",
            *notes,
        ),
    )


def _gap(run: ComparedRun, report: Report) -> Fraction:
    """The gap that the run is judged by: the worst-case gap where its opponent answers it."""
    worst = report.worst_case_gap
    return worst if run.judged.opponent == RE_SOLVED and worst is not None else report.gap


def _config_row(
    label: str, kind: str, gaps: Sequence[Fraction]
) -> tuple[str | int | float | Fraction | None, ...]:
    low, high = mean_interval(gaps) or (None, None)
    mean = sum(gaps, Fraction(0)) / len(gaps)
    return label, kind, len(gaps), mean, low, high, min(gaps), max(gaps), sum(gap == 0 for gap in gaps)
