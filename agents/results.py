"""What a run found, as text and JSON: the agents beside the logical way and the exact optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.callbacks import Early
from agents.config import TrainConfig
from agents.extract import Extracted
from agents.make_env import resolve_opponent
from pan9_gym import evaluation, policies
from pan9_gym.evaluation import Report
from pan9_gym.game.info_state import read_role
from pan9_gym.policies import TabularPolicy
from pan9_gym.rules import load_rules

YARDSTICKS = ("logical way", "exact optimum")
"""The last rows of every table."""

MAX_ROWS = 20
"""Decisions listed per agent: all of them for an agent that plays by totals."""


@dataclass(frozen=True)
class Results:
    """The table of one run.

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
            f"## The {role} under `{first.rules.name}`, against `{first.against_opponent.opponent}`",
            "EV in units per unit wagered, for the role; gaps to the optimum against this opponent and to "
            "the value of the game; agreement with the optimum by frequency.",
            evaluation.comparison_table(self.rows),
            f"**{evaluation.optimum_in_words(first)}**",
        ]
        for label, report in self.rows[: -len(YARDSTICKS)] if with_disagreements else ():
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


def _in_words(label: str, report: Report) -> list[str]:
    """Where an agent differs from the optimum, and what it has found that the logical way misses."""
    if report.disagreements:
        listed = evaluation.disagreement_table(report.disagreements, MAX_ROWS)
        return [f"Where the {label} differs from the optimum:", listed]
    found = evaluation.missed_in_words(report)
    discovery = f" It has found what the logical way misses: {found}." if found else ""
    return [f"The {label} differs from the optimum nowhere.{discovery}"]


def judge_run(
    config: TrainConfig, final: Extracted, early: Early | None, notes: Sequence[str] = ()
) -> Results:
    """The exact reports on a run's agents, the logical way and the optimum.

    Args:
        config: The run's config.
        final: The trained policies.
        early: Those of the early checkpoint, where there is one.
        notes: Lines about the run.
    """
    agents = [("agent at the end", final.greedy), ("agent at the end, stochastic", final.stochastic)]
    if early is not None:
        agents = [
            (f"agent after {early.decisions:,}", early.policies.greedy),
            (f"agent after {early.decisions:,}, stochastic", early.policies.stochastic),
            *agents,
        ]
    return judge_policies(config, agents, notes)


def judge_policies(
    config: TrainConfig, agents: Sequence[tuple[str, TabularPolicy]], notes: Sequence[str] = ()
) -> Results:
    """The exact reports on policies, the logical way and the optimum.

    Args:
        config: Names the rules, the role and the opponent.
        agents: (label, policy) in the order of the rows.
        notes: Lines about the run.
    """
    rules, role = load_rules(config.rules), read_role(config.role)
    opponent = resolve_opponent(rules, role.opponent, config.opponent)

    def report(policy: TabularPolicy) -> Report:
        return evaluation.report(rules, policy, role, opponent)

    rows = [(label, report(policy)) for label, policy in agents]
    yardsticks = (policies.get("logical_way", rules, role), rows[0][1].best_response.policy)
    rows += [(label, report(policy)) for label, policy in zip(YARDSTICKS, yardsticks, strict=True)]
    return Results(config, tuple(rows), tuple(notes))


def held_since(history: Sequence[dict[str, Any]]) -> int | None:
    """The decisions after which the greedy policy's exact gap was 0 at every later evaluation, if it was."""
    since = None
    for entry in history:
        if entry["exact"]["gap"] != 0:
            since = None
        elif since is None:
            since = int(entry["decisions"])
    return since


def first_hit(history: Sequence[dict[str, Any]]) -> int | None:
    """The decisions after which the greedy policy's exact gap was first 0."""
    return next((int(entry["decisions"]) for entry in history if entry["exact"]["gap"] == 0), None)
