"""Runs a trainer, scores every snapshot exactly by the solver, and keeps it in a folder.

run.json  metrics.jsonl  table.json  table.md
snapshots/step_NNNNNNNNNNNN/{average,last}_{player,banker}.json

Formula:
    nash_conv, exploitability: as in `solver.exploitability`, both roles answered at the level of the run
    gap of a role against a fixed opponent = best response's expectation - its own

Source:
    Definitions: `solver.exploitability`. All figures are exact, of the tables that are saved, whose
    probabilities are multiples of 2^-40; metrics.jsonl has them as floats, table.json as fractions.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from agents.baselines.interface import Pair, Snapshot, Task, Trainer, snapshots
from agents.baselines.mixing import Mixing, mixed_decisions
from agents.baselines.scoring import Score, numbers, role_values
from agents.folders import new_folder
from agents.stopping import stoppable
from pan9_gym import solver
from pan9_gym.cli.tables import Column, Study, Table, written
from pan9_gym.policies import TabularPolicy
from pan9_gym.policies.storage import write, write_text
from pan9_gym.rules import ConfigError, Role, RulesConfig
from pan9_gym.rules.errors import validated
from pan9_gym.solver.levels import Level, read_level

RUN, METRICS, SNAPSHOTS = "run.json", "metrics.jsonl", "snapshots"
TABLE_JSON, TABLE_MD = "table.json", "table.md"

FORMAT = "pan9-selfplay-1"

LAST_COLUMNS = "The last columns: how often the average strategies draw where the equilibrium mixes."

KINDS = ("average", "last")
"""The strategies of a snapshot."""


@dataclass(frozen=True)
class Row:
    """A scored snapshot.

    Attributes:
        step: The trainer's steps so far.
        cpu_seconds: CPU seconds of training.
        average: The score of the average strategies.
        last: That of the latest ones.
        gaps: What each role's latest strategy loses against the fixed opponent, if there is one.
        mix: With which probability the average strategies draw where the equilibrium mixes, by decision.
    """

    step: int
    cpu_seconds: float
    average: Score
    last: Score
    gaps: dict[str, Fraction]
    mix: dict[str, Fraction]

    def to_dict(self, unit: str, exact: bool) -> dict[str, Any]:
        """For JSON, as fractions or as floats."""
        extras = {"gap_to_fixed": self.gaps, "mix": self.mix}
        return {
            unit: self.step,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "average": self.average.to_dict(exact),
            "last": self.last.to_dict(exact),
            **{name: numbers(values, exact) for name, values in extras.items() if values},
        }


@dataclass(frozen=True)
class Finished:
    """A run that is over.

    Attributes:
        path: Its folder.
        about: What was run, as in run.json.
        rows: Its scored snapshots.
        mix: Where the equilibrium mixes, and how.
        scoring_seconds: CPU seconds that scoring and saving took.
        interrupted: Whether it was ended early.
    """

    path: Path
    about: dict[str, Any]
    rows: tuple[Row, ...]
    mix: tuple[Mixing, ...]
    scoring_seconds: float
    interrupted: bool

    def to_dict(self) -> dict[str, Any]:
        """For JSON; fractions as texts."""
        rows = [row.to_dict(self.about["unit"], exact=True) for row in self.rows]
        mix = {decision.label: str(decision.prob) for decision in self.mix}
        ending = {"path": str(self.path), "interrupted": self.interrupted}
        return {**self.about, **ending, "rows": rows, "equilibrium_mix": mix}

    def study(self) -> Study:
        """The table in words."""
        about, mixed = self.about, [decision.label for decision in self.mix]
        seats = f", {about['num_players']} players" if about["num_players"] > 1 else ""
        roles = list(self.rows[-1].gaps)
        header = [about["unit"], "CPU s", "NashConv, average", "NashConv, last"]
        header += [*(f"{role}'s gap" for role in roles), *mixed]
        rows = [
            (
                f"{row.step:,}",
                f"{row.cpu_seconds:.2f}",
                figure(row.average.nash_conv),
                figure(row.last.nash_conv),
                *(figure(row.gaps[role]) for role in roles),
                *(f"{float(row.mix[label]):.4f}" for label in mixed),
            )
            for row in self.rows
        ]
        if mixed:
            blank = [""] * (len(header) - len(mixed) - 1)
            rows.append(("equilibrium", *blank, *(f"{float(decision.prob):.4f}" for decision in self.mix)))
        table = Table("NashConv while they learn", tuple(map(Column, header)), tuple(rows))
        title = (
            f"{about['trainer']} on `{about['sheet']}`{seats}, both roles by {about['level']}, "
            f"seed {about['seed']}"
        )
        return Study(title, (table,), self._notes())

    def _notes(self) -> tuple[str, ...]:
        ev, end = float(self.rows[-1].average.ev), f"{self.rows[-1].step:,} {self.about['unit']}"
        return (
            *((f"Interrupted; scored up to {end}.",) if self.interrupted else ()),
            *((LAST_COLUMNS,) if self.mix else ()),
            f"Exact NashConv, best responses by {self.about['level']}; exploitability is half. "
            f"A player's EV of the average pair at the end: {ev:.9f}.",
            f"Scoring and saving took {self.scoring_seconds:.1f} CPU s more.",
        )


def figure(value: Fraction) -> str:
    """A small figure; exactly zero is written `0`."""
    return "0" if value == 0 else f"{float(value):.2e}"


def run(
    name: str, trainer: Trainer[Any], parent: Path, on_row: Callable[[Row], None] = lambda row: None
) -> Finished:
    """Train, score and keep. Ctrl-C or SIGTERM ends the training; what has been scored is kept.

    Args:
        name: The trainer's name.
        trainer: A new trainer.
        parent: The folder that gets the run's folder.
        on_row: Called after every snapshot, to show progress.

    Raises:
        ConfigError: If nothing can be kept there.
        KeyboardInterrupt: If it is ended before anything is scored; nothing is kept then.
    """
    start = time.process_time()
    about = describe(name, trainer)
    path = _new_folder(parent, about)
    write(path / RUN, about)
    rows: list[Row] = []
    mix = mixed_decisions(trainer.task.rules, trainer.task.level) if trainer.task.num_players == 1 else ()
    with closing(trainer), stoppable() as stop:
        interrupted = _train(trainer, path, mix, rows, on_row)
        stop.ignore()  # what was scored is kept, whatever comes now
        _drop_unscored(path, trainer.unit, rows)
        scoring = time.process_time() - start - rows[-1].cpu_seconds
        finished = Finished(path, about, tuple(rows), mix, scoring, interrupted)
        write(path / TABLE_JSON, finished.to_dict())
        write_text(path / TABLE_MD, written(finished.study(), "markdown") + "\n")
    return finished


def _train(
    trainer: Trainer[Any], path: Path, mix: Sequence[Mixing], rows: list[Row], on_row: Callable[[Row], None]
) -> bool:
    """Train, and add a row for every snapshot; whether it was ended early."""
    try:
        for snapshot in snapshots(trainer):
            row = score(trainer.task, snapshot, trainer.opponents(), mix)
            _keep(path, trainer.unit, snapshot, row)
            rows.append(row)
            on_row(row)
    except KeyboardInterrupt:
        return True
    return False


def _drop_unscored(path: Path, unit: str, rows: Sequence[Row]) -> None:
    """Leave nothing of a snapshot that an interrupt cut short; without a row, nothing at all."""
    if not rows:
        shutil.rmtree(path)
        raise KeyboardInterrupt
    scored = {_place(path, row.step) for row in rows}
    for folder in set((path / SNAPSHOTS).iterdir()) - scored:
        shutil.rmtree(folder)
    lines = [json.dumps(row.to_dict(unit, exact=False)) + "\n" for row in rows]
    write_text(path / METRICS, "".join(lines))


def describe(name: str, trainer: Trainer[Any]) -> dict[str, Any]:
    """What a run is, for JSON."""
    task = trainer.task
    return {
        "format": FORMAT,
        "trainer": name,
        "sheet": task.rules.name,
        "rules": task.rules.model_dump(mode="json"),
        "level": task.level,
        "num_players": task.num_players,
        "seed": task.seed,
        "unit": trainer.unit,
        "steps": task.steps,
        "settings": trainer.settings.model_dump(mode="json"),
    }


def score(task: Task, snapshot: Snapshot, fixed: Pair | None, mix: Sequence[Mixing]) -> Row:
    """A snapshot's exact figures."""
    gaps = {}
    for role in Role if fixed is not None else ():
        assert fixed is not None
        values = role_values(task.rules, role, fixed)
        best = solver.best_response_to_values(values, task.level).ev
        gaps[str(role)] = best - values.ev(snapshot.last.policy(role))
    last = Score.of(task.rules, task.level, snapshot.last)
    alike = snapshot.average.same_as(snapshot.last)
    average = last if alike else Score.of(task.rules, task.level, snapshot.average)
    probs = {decision.label: decision.prob_of(snapshot.average) for decision in mix}
    return Row(snapshot.step, snapshot.cpu_seconds, average, last, gaps, probs)


def rescore(
    path: Path,
    rules: RulesConfig | None = None,
    level: Level | None = None,
    num_players: int | None = None,
    last_half: bool = False,
) -> list[dict[str, Any]]:
    """The exact figures of every snapshot of a run, from its saved policies and nothing else.

    Args:
        path: The run's folder.
        rules: The rules that its policies must be for; default those that it names.
        level: The level of the best responses; default the run's.
        num_players: How many players its policies must be for; default the run's.
        last_half: Whether only snapshots of the last half of the run are scored.

    Returns:
        For each snapshot its step, and under "average" and "last" the figures as in table.json.

    Raises:
        ConfigError: If the folder is not one of a run, or a file is damaged.
    """
    about = read_run(path)
    rules = rules or validated(RulesConfig, about["rules"], str(path / RUN))
    level = level or read_level(about["level"])
    num_players = num_players or about["num_players"]
    steps = sorted(int(folder.name.removeprefix("step_")) for folder in (path / SNAPSHOTS).iterdir())
    found = []
    for step in steps:
        if last_half and 2 * step < steps[-1]:
            continue
        average, last = (_load(_place(path, step), kind, rules, num_players) for kind in KINDS)
        of_last = Score.of(rules, level, last)
        of_average = of_last if average.same_as(last) else Score.of(rules, level, average)
        scores = dict(zip(KINDS, (of_average, of_last), strict=True))
        found.append({about["unit"]: step, **{kind: of.to_dict(exact=True) for kind, of in scores.items()}})
    return found


def _load(folder: Path, kind: str, rules: RulesConfig, num_players: int) -> Pair:
    """A snapshot's pair.

    Raises:
        ConfigError: If a file is damaged, or not for so many players.
    """
    pair = Pair(*(TabularPolicy.load(_file(folder, kind, role), rules) for role in Role))
    for role in Role:
        found = pair.policy(role).num_players
        if found != num_players:
            raise ConfigError(f"{_file(folder, kind, role)}: is for num_players {found}, not {num_players}")
    return pair


def read_run(path: Path) -> dict[str, Any]:
    """What a run is, from its folder.

    Raises:
        ConfigError: If the folder is not one of a run.
    """
    try:
        about = json.loads((path / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        about = None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ConfigError(f"run {str(path)!r}: is not the folder of a run of `python -m agents.selfplay`")
    return about


def _keep(path: Path, unit: str, snapshot: Snapshot, row: Row) -> None:
    folder = _place(path, snapshot.step)
    for kind, pair in zip(KINDS, (snapshot.average, snapshot.last), strict=True):
        for role in Role:
            pair.policy(role).save(_file(folder, kind, role))
    with (path / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row.to_dict(unit, exact=False)) + "\n")


def _place(path: Path, step: int) -> Path:
    return path / SNAPSHOTS / f"step_{step:012d}"


def _file(folder: Path, kind: str, role: Role) -> Path:
    return folder / f"{kind}_{role}.json"


def _new_folder(parent: Path, about: dict[str, Any]) -> Path:
    """A new folder, named after what is run and the time to the microsecond."""
    sheet = re.sub("[^a-zA-Z0-9_=.]+", "_", about["sheet"])
    seats = f"-{about['num_players']}players" if about["num_players"] > 1 else ""
    stem = f"{about['trainer']}-{sheet}{seats}-{about['level']}-seed{about['seed']}"
    return new_folder(parent, f"{stem}-{datetime.now().strftime('%Y%m%d-%H%M%S-%f')}")
