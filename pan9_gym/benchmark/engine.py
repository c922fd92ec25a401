"""The tables of `pan9 bench`: what the engine does in a CPU second, beside its targets and its peers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pan9_gym.benchmark.figures import FigureLine
from pan9_gym.benchmark.groups import Group, all_groups
from pan9_gym.benchmark.machine import ENGINE_PACKAGES, Machine, hold_to_one_core, this_machine
from pan9_gym.benchmark.memory import MemoryLine, MemoryQuestion, memory_questions
from pan9_gym.benchmark.peers import PACKAGES
from pan9_gym.benchmark.rounds import Contender, Rounds, Spread, Tell, Unit, interleaved
from pan9_gym.evaluation.tables import markdown_table

RATE_HEADER = ("contender", "hands / CPU s", "lowest to highest", "decisions / CPU s", "cards / CPU s")
FIGURE_HEADER = ("ratio", "of", "median", "lowest to highest", "of decisions", "target", "met")
MEMORY_HEADER = ("memory", "measured", "target", "met")

UNITS: tuple[Unit, ...] = ("hands", "decisions", "cards")

CPU_SECONDS = 0.3
QUICK_CPU_SECONDS = 0.005
NUM_HANDS = 20_000_000
QUICK_NUM_HANDS = 1_000_000


@dataclass(frozen=True)
class Settings:
    """What `pan9 bench` is asked for.

    Attributes:
        num_rounds: Interleaved rounds.
        peers: Whether peers take part.
        sheets: Whether every sheet is measured, not only the default one.
        quick: Whether a smoke run is enough, whose figures mean nothing.
        num_hands: Hands of the long runs; `None` for a short one.
        only: Only what has this text in its name.
    """

    num_rounds: int = 5
    peers: bool = False
    sheets: bool = False
    quick: bool = False
    num_hands: int | None = None
    only: str = ""

    @property
    def cpu_seconds(self) -> float:
        """How long a turn takes."""
        return QUICK_CPU_SECONDS if self.quick else CPU_SECONDS

    @property
    def long_run(self) -> int:
        """Hands of the long runs."""
        return self.num_hands or (QUICK_NUM_HANDS if self.quick else NUM_HANDS)

    def groups(self) -> tuple[list[Group], list[str]]:
        """The groups that have something to measure, and remarks."""
        found, remarks = all_groups(self.peers, self.sheets, self.quick)
        chosen = [group.with_text(self.only) for group in found]
        return [group for group in chosen if group.makers], remarks

    def memory(self) -> list[MemoryQuestion]:
        """What to ask about memory."""
        found = memory_questions(self.long_run, self.quick)
        return [question for question in found if self.only in question.name]


@dataclass(frozen=True)
class GroupResult:
    """What a group's rounds gave.

    Attributes:
        title: What it is about.
        rounds: The turns.
        lines: The figures.
    """

    title: str
    rounds: Rounds
    lines: tuple[FigureLine, ...]

    @classmethod
    def measured(cls, group: Group, settings: Settings, tell: Tell) -> GroupResult:
        """Make the contenders and let them take turns."""
        tell(f"making: {group.title}")
        contenders = [Contender(name, make()) for name, make in group.makers.items()]
        rounds = interleaved(
            contenders,
            settings.num_rounds,
            settings.cpu_seconds,
            lambda line: tell(f"measuring: {group.title}, {line}"),
        )
        return cls(group.title, rounds, tuple(figure.line(rounds) for figure in group.figures))

    def text(self) -> list[str]:
        """The tables."""
        rates = markdown_table(RATE_HEADER, [rate_row(self.rounds, name) for name in self.rounds.turns])
        rows = [figure_row(line) for line in self.lines]
        return [f"## {self.title}", rates, *([markdown_table(FIGURE_HEADER, rows)] if rows else [])]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "title": self.title,
            "rates": {
                name: {unit: self.rounds.rate(name, unit).to_dict() for unit in UNITS}
                for name in self.rounds.turns
            },
            "figures": [line.to_dict() for line in self.lines],
        }


@dataclass(frozen=True)
class EngineReport:
    """What was measured.

    Attributes:
        machine: On what.
        settings: How.
        held: Whether the process was held to one core.
        results: Rates and figures.
        memory: Memory beside its targets.
        remarks: Which peers are missing.
    """

    machine: Machine
    settings: Settings
    held: bool
    results: tuple[GroupResult, ...]
    memory: tuple[MemoryLine, ...]
    remarks: tuple[str, ...]

    @classmethod
    def measured(cls, settings: Settings, tell: Tell) -> EngineReport:
        """Measure everything that is asked for; from then on this process is held to one core.

        Args:
            settings: What is asked for.
            tell: Called with a line about what is measured next.

        Raises:
            ValueError: If nothing has the text `settings.only`.
        """
        machine = this_machine((*ENGINE_PACKAGES, *(PACKAGES if settings.peers else ())))
        held = hold_to_one_core()
        groups, remarks = settings.groups()
        questions = settings.memory()
        if not groups and not questions:
            raise ValueError(f"--only {settings.only!r}: nothing that is measured has this in its name")
        results = tuple(GroupResult.measured(group, settings, tell) for group in groups)
        memory = []
        for question in questions:
            tell(f"measuring: {question.name}")
            memory.append(question.line())
        return cls(machine, settings, held, results, tuple(memory), tuple(remarks))

    def text(self) -> str:
        """Everything as Markdown, which also reads well in a terminal."""
        parts = ["\n".join([*self.machine.lines(), self.manner(), *self.remarks])]
        for result in self.results:
            parts += result.text()
        if self.memory:
            parts += ["## Memory", markdown_table(MEMORY_HEADER, [memory_row(line) for line in self.memory])]
        met = [met for met in self.verdicts() if met is not None]
        if met:
            parts.append(f"{sum(met)} of {len(met)} targets met")
        return "\n\n".join(parts)

    def manner(self) -> str:
        """How it was measured, in a sentence."""
        held = "the process held to one core" if self.held else "not held to one core"
        settings = self.settings
        return (
            f"{settings.num_rounds} interleaved rounds, turns of {settings.cpu_seconds:g} CPU seconds "
            f"(of all threads), {held}; medians of the rounds"
            f"{'; a smoke run, whose figures mean nothing' if settings.quick else ''}"
        )

    def verdicts(self) -> list[bool | None]:
        """Which targets are met, in the order of the tables; `None` where there is no target."""
        ratios = [line.is_met for result in self.results for line in result.lines]
        return [*ratios, *(line.is_met for line in self.memory)]

    def json(self) -> str:
        """The same as JSON."""
        found: dict[str, Any] = {
            "machine": self.machine.to_dict(),
            "num_rounds": self.settings.num_rounds,
            "cpu_seconds": self.settings.cpu_seconds,
            "held_to_one_core": self.held,
            "groups": [result.to_dict() for result in self.results],
            "memory": [line.to_dict() for line in self.memory],
            "remarks": self.remarks,
        }
        return json.dumps(found, indent=2)


def rate_row(rounds: Rounds, name: str) -> Sequence[str]:
    """A contender's row."""
    hands = rounds.rate(name)
    decisions, cards = (rounds.rate(name, unit).median for unit in UNITS[1:])
    return (
        name,
        rate_text(hands.median),
        f"{rate_text(hands.low)} to {rate_text(hands.high)}",
        rate_text(decisions),
        rate_text(cards) if cards else "-",
    )


def figure_row(line: FigureLine) -> Sequence[str]:
    """A figure's row."""
    return (
        line.figure.name,
        line.figure.unit,
        f"{line.ratio.median:.3g}",
        spread_text(line.ratio),
        "-" if line.decisions is None else f"{line.decisions.median:.3g}",
        line.figure.target_text,
        met_text(line.is_met),
    )


def memory_row(line: MemoryLine) -> Sequence[str]:
    """A row about memory."""
    target = "-" if line.target is None else f"at most {line.target:g}"
    return line.name, f"{line.value:.4g} {line.unit}", target, met_text(line.is_met)


def met_text(is_met: bool | None) -> str:
    """The verdict, as in the solver's tables."""
    return "-" if is_met is None else "met" if is_met else "NOT MET"


def spread_text(spread: Spread) -> str:
    """The smallest and the largest."""
    return f"{spread.low:.3g} to {spread.high:.3g}"


def rate_text(rate: float) -> str:
    """Three significant digits with k or M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g}{letter}"
    return f"{rate:.3g}"
