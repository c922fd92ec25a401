"""What a run found, as text and JSON: the agents beside the logical way and the exact optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.callbacks import Early
from agents.config import TrainConfig
from agents.exam import Exam, Policies, greedy_of, stochastic_of
from agents.extract import Extracted
from agents.judge import Judge
from agents.part_results import PartResults, judge_parts
from pan9_gym import evaluation
from pan9_gym.evaluation import Report
from pan9_gym.policies import TabularPolicy

YARDSTICKS = ("logical way", "exact optimum")
"""The last rows of every table."""

BLIND = "suit-blind optimum"
"""The row before them while suits are seen: the best that can be done without looking at them."""

MAX_ROWS = 20
"""Decisions listed per agent: all of them for an agent that plays by totals."""


@dataclass(frozen=True)
class Results:
    """The table of a run of one part.

    Attributes:
        config: The run's config.
        rows: (label, report) in the order of the table.
        notes: Lines about the run itself: how long it took, since when the gap is 0.
    """

    config: TrainConfig
    rows: tuple[tuple[str, Report], ...]
    notes: tuple[str, ...] = ()

    def report(self, label: str) -> Report:
        """The report of a row."""
        return dict(self.rows)[label]

    def markdown(self, with_disagreements: bool = True) -> str:
        """The table, the optimum in words, and where the agents differ from it.

        Args:
            with_disagreements: Whether to list those decisions.
        """
        first = self.rows[0][1]
        role = "player-dealer (banker)" if self.config.role == "banker" else "player"
        parts = [
            f"## The {role} under `{first.rules.name}`, against `{first.against_opponent.opponent}`"
            + _besides(self.config),
            "EV in units per unit wagered, for the role; gaps to the optimum against this opponent and to "
            "the value of the game; agreement with the optimum by frequency.",
            evaluation.comparison_table(self.rows),
            f"**{evaluation.optimum_in_words(first)}**",
        ]
        for label, report in self.rows if with_disagreements else ():
            if label not in (BLIND, *YARDSTICKS):
                parts += _in_words(label, report)
        notes = [*self.notes, *(f"Assumes {entry}." for entry in first.assumptions)]
        parts.append("\n".join(f"- {note}" for note in notes))
        return "\n\n".join(parts) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        return {
            "config": self.config.model_dump(mode="json"),
            "rows": {label: report.to_dict() for label, report in self.rows},
            "optimum": evaluation.optimum_in_words(self.rows[0][1]),
            "notes": list(self.notes),
        }


def _besides(config: TrainConfig) -> str:
    """What the table has besides one player's wager of 1."""
    found = [] if config.num_players == 1 else [f"{config.num_players} players"]
    found += [f"wagers {', '.join(map(str, config.wagers))}"] if config.wagers else []
    found += [f"{bet} {stake}" for bet, stake in (config.side_stakes or {}).items()]
    return "".join(f", {text}" for text in found)


def _in_words(label: str, report: Report) -> list[str]:
    """Where an agent differs from the optimum, and what it has found that the logical way misses."""
    if report.disagreements:
        listed = evaluation.disagreement_table(report.disagreements, MAX_ROWS)
        return [f"Where the {label} differs from the optimum:", listed]
    found = evaluation.missed_in_words(report)
    discovery = f" It has found what the logical way misses: {found}." if found else ""
    return [f"The {label} differs from the optimum nowhere.{discovery}"]


def judge_run(
    exam: Exam, final: Sequence[Extracted], early: Early | None, notes: Sequence[str] = ()
) -> Results | PartResults:
    """The exact reports on a run's agents, the logical way and the optimum.

    Args:
        exam: The exam of the run's task.
        final: The trained policies.
        early: Those of the early checkpoint, where there is one.
        notes: Lines about the run.
    """
    agents = _named("agent at the end", final)
    if early is not None:
        agents = _named(f"agent after {early.decisions:,}", early.policies) + agents
    if len(exam.parts) > 1:
        return judge_parts(exam, agents, notes)
    single = [(label, policies[0]) for label, policies in agents]
    return judge_policies(exam.parts[0].config, single, notes)


def _named(label: str, extracted: Sequence[Extracted]) -> list[tuple[str, Policies]]:
    return [(label, greedy_of(extracted)), (f"{label}, stochastic", stochastic_of(extracted))]


def judge_policies(
    config: TrainConfig, agents: Sequence[tuple[str, TabularPolicy]], notes: Sequence[str] = ()
) -> Results:
    """The exact reports on policies, the logical way and the optimum.

    Args:
        config: Names the rules, the role and the opponent.
        agents: (label, policy) in the order of the rows.
        notes: Lines about the run.
    """
    judge = Judge.of(config)
    if judge.is_answered:
        notes = [*notes, "Judged by the worst-case gap; the table's gap is that against the equilibrium."]
    rows = [(label, judge.report(policy)) for label, policy in agents]
    if judge.blind_optimum is not None:
        rows.append((BLIND, judge.report(judge.blind_optimum)))
    yardsticks = (judge.logical_way, judge.best.policy)
    rows += [(label, judge.report(policy)) for label, policy in zip(YARDSTICKS, yardsticks, strict=True)]
    return Results(config, tuple(rows), tuple(notes))


def held_since(history: Sequence[dict[str, Any]], bound: float = 0.0) -> int | None:
    """The decisions since which the greedy policy's exact gap was `bound` or less at every evaluation."""
    since = None
    for entry in history:
        if judged_gap(entry) > bound:
            since = None
        elif since is None:
            since = int(entry["decisions"])
    return since


def first_hit(history: Sequence[dict[str, Any]], bound: float = 0.0) -> int | None:
    """The decisions after which the greedy policy's exact gap was first `bound` or less."""
    return next((int(entry["decisions"]) for entry in history if judged_gap(entry) <= bound), None)


def judged_gap(entry: dict[str, Any]) -> float:
    """The greedy policy's gap in an entry of the metrics; per unit wagered where wagers differ."""
    exact = entry["exact"]
    return float(exact.get("gap_per_unit", exact["gap"]))
