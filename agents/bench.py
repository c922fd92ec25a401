"""What the environment costs a learner: `python -m agents.bench [--json] [--quick]`.

Decisions per CPU second of SB3's adapter beside SB3's `DummyVecEnv`, and the environment's share of PPO runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from agents.benchmark_rates import adapter_group
from agents.benchmark_shares import ShareLine, questions
from pan9_gym.benchmark.engine import GroupResult, Settings, met_text, rate_text
from pan9_gym.benchmark.machine import ENGINE_PACKAGES, Machine, hold_to_one_core, this_machine
from pan9_gym.benchmark.rounds import Tell
from pan9_gym.evaluation.tables import markdown_table

PACKAGES = (*ENGINE_PACKAGES, "torch", "stable-baselines3", "sb3-contrib")

SHARE_HEADER = (
    "run",
    "environment's share",
    "lowest to highest",
    "target",
    "met",
    "share with infos",
    "decisions / CPU s",
)


@dataclass(frozen=True)
class Report:
    """What was measured.

    Attributes:
        machine: On what.
        settings: How.
        rates: The adapter beside `DummyVecEnv`.
        shares: The environment's shares of PPO runs.
    """

    machine: Machine
    settings: Settings
    rates: GroupResult
    shares: tuple[ShareLine, ...]

    @classmethod
    def measured(cls, settings: Settings, tell: Tell) -> Report:
        """Measure everything, held to one core.

        Args:
            settings: How many rounds, and whether a smoke run is enough.
            tell: Called with a line about what is measured next.
        """
        machine = this_machine(PACKAGES)
        hold_to_one_core()
        rates = GroupResult.measured(adapter_group(), settings, tell)
        shares = []
        for question in questions(settings.quick):
            tell(f"measuring: {question.name}")
            shares.append(question.line(1 if settings.quick else settings.num_rounds))
        return cls(machine, settings, rates, tuple(shares))

    def text(self) -> str:
        """Everything as Markdown, which also reads well in a terminal."""
        settings = self.settings
        manner = (
            f"{settings.num_rounds} interleaved rounds, turns of {settings.cpu_seconds:g} CPU seconds, "
            f"one thread; medians of the rounds"
        )
        shares = markdown_table(SHARE_HEADER, [share_row(line) for line in self.shares])
        head = "\n".join([*self.machine.lines(), manner])
        return "\n\n".join([head, *self.rates.text(), "## The environment's share of the CPU time", shares])

    def json(self) -> str:
        """The same as JSON."""
        found = {
            "machine": self.machine.to_dict(),
            "num_rounds": self.settings.num_rounds,
            "cpu_seconds": self.settings.cpu_seconds,
            "rates": self.rates.to_dict(),
            "shares": [line.to_dict() for line in self.shares],
        }
        return json.dumps(found, indent=2)


def share_row(line: ShareLine) -> tuple[str, ...]:
    """A row about a run."""
    return (
        line.question.name,
        f"{line.share.median:.2%}",
        f"{line.share.low:.2%} to {line.share.high:.2%}",
        f"at most {line.question.settings.most:.0%}",
        met_text(line.is_met),
        f"{line.with_infos.median:.2%}",
        rate_text(line.rate.median),
    )


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of every measurement.")] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run; its figures mean nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of tables.")] = False,
) -> None:
    """What the environment costs a learner of Stable-Baselines3, in CPU time."""
    report = Report.measured(
        Settings(num_rounds=rounds, quick=quick), lambda line: typer.echo(line, err=True)
    )
    typer.echo(report.json() if as_json else report.text())


if __name__ == "__main__":
    from agents.command_line import run_command

    run_command(main)
