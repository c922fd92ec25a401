"""Saved runs side by side: `python -m agents.compare RUN [RUN ...]`.

Runs of the same rules, role and opponent share a table with the logical way and the exact optimum; below it
stands for every decision on which they differ what each of them plays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.extract import Extracted
from agents.results import YARDSTICKS, Results, judge_policies
from agents.run_folder import RunFolder
from pan9_gym import evaluation
from pan9_gym.evaluation.tables import markdown_table
from pan9_gym.rules import load_rules

Key = tuple[str, str, str]


def compare(runs: list[str]) -> str:
    """Tables of saved runs as Markdown, one for each set of rules, role and opponent.

    Args:
        runs: The runs' folders.

    Raises:
        ConfigError: If a folder is not one of a finished run.
    """
    groups: dict[Key, list[tuple[str, RunFolder]]] = {}
    for name, folder in zip(_names(runs), map(RunFolder.open, runs), strict=True):
        config = folder.config()
        key = (load_rules(config.rules).fingerprint, config.role, config.opponent)
        groups.setdefault(key, []).append((name, folder))
    return "\n".join(_group_text(named) for named in groups.values())


def _names(runs: list[str]) -> list[str]:
    """The folders' names; where two are equal, with as much of their paths as tells them apart."""
    paths = [Path(run).resolve() for run in runs]
    names = [path.name for path in paths]
    for length in range(2, 100):
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            break
        names = [
            "/".join(path.parts[-length:]) if name in twice else name
            for name, path in zip(names, paths, strict=True)
        ]
    return [name if names.count(name) == 1 else f"{name} ({place + 1})" for place, name in enumerate(names)]


def _group_text(named: list[tuple[str, RunFolder]]) -> str:
    agents = []
    for name, folder in named:
        policies: Extracted = folder.policies()
        agents += [(name, policies.greedy), (f"{name}, stochastic", policies.stochastic)]
    results = judge_policies(named[0][1].config(), agents)
    greedy = [name for name, _ in named]
    return f"{results.markdown(with_disagreements=False)}\n{_moves(results, [*greedy, YARDSTICKS[0]])}\n"


def _moves(results: Results, labels: list[str]) -> str:
    """What each greedy policy plays wherever one of them is not optimal, with the price."""
    by_label = {label: results.report(label).disagreements for label in labels}
    situations: dict[str, str] = {}
    for entries in by_label.values():
        for entry in entries:
            situations.setdefault(entry.situation, entry.best.name.lower())
    if not situations:
        return "Every one of them plays the optimum everywhere."
    rows = []
    for situation, best in situations.items():
        row = [situation, best]
        for entries in by_label.values():
            found = [entry for entry in entries if entry.situation == situation]
            costs = [f"{entry.policy_move}: {evaluation.number(entry.cost)} a hand" for entry in found]
            row.append("; ".join(costs) or "best")
        rows.append(row)
    return markdown_table(["decision", "best", *labels], rows)


def main(runs: Annotated[list[str], typer.Argument(help="The folders of runs.")]) -> None:
    """Compare saved runs exactly with each other, the logical way and the optimum."""
    print(compare(runs))


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
