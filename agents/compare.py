"""Saved runs side by side: `python -m agents.compare RUN [RUN ...]`.

Runs of the same rules, role and opponent share a table with the logical way and the exact optimum; below it
stands for every decision on which they differ what each of them plays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.extract import Extracted
from agents.results import Results, judge_policies
from agents.run_folder import RunFolder
from pan9_gym import evaluation
from pan9_gym.evaluation.tables import markdown_table

Key = tuple[str, str, str]


def compare(runs: list[str]) -> str:
    """Tables of saved runs as Markdown, one for each set of rules, role and opponent.

    Args:
        runs: The runs' folders.

    Raises:
        ConfigError: If a folder is not one of a finished run.
    """
    groups: dict[Key, list[RunFolder]] = {}
    for folder in map(RunFolder.open, runs):
        config = folder.config()
        groups.setdefault((config.rules, config.role, config.opponent), []).append(folder)
    return "\n".join(_group_text(folders) for folders in groups.values())


def _group_text(folders: list[RunFolder]) -> str:
    agents = []
    for folder in folders:
        policies: Extracted = folder.policies()
        name = Path(folder.path).name
        agents += [(name, policies.greedy), (f"{name}, stochastic", policies.stochastic)]
    results = judge_policies(folders[0].config(), agents)
    greedy = [label for label, _ in agents[::2]]
    return f"{results.markdown(with_disagreements=False)}\n{_moves(results, [*greedy, 'logical way'])}\n"


def _moves(results: Results, labels: list[str]) -> str:
    """What each greedy policy plays wherever one of them is not optimal, with the price."""
    situations: dict[str, str] = {}
    for label in labels:
        for entry in results.report(label).disagreements:
            situations.setdefault(entry.situation, entry.best.name.lower())
    if not situations:
        return "Every one of them plays the optimum everywhere."
    rows = []
    for situation, best in situations.items():
        row = [situation, best]
        for label in labels:
            found = [e for e in results.report(label).disagreements if e.situation == situation]
            row.append(
                f"{found[0].policy_move}: {evaluation.number(found[0].cost)} a hand" if found else "best"
            )
        rows.append(row)
    return markdown_table(["decision", "best", *labels], rows)


def main(runs: Annotated[list[str], typer.Argument(help="The folders of runs.")]) -> None:
    """Compare saved runs exactly with each other, the logical way and the optimum."""
    print(compare(runs))


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
