"""Runs cells, each in a process of its own, and keeps what is finished: an interrupted benchmark goes on.

CELL-seedN/{RUN/, output.txt, score.json}
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from agents.stopping import stoppable
from agents.suite.cells import Cell
from agents.suite.scores import Score, score_of
from pan9_gym.policies.storage import write
from pan9_gym.rules import ConfigError

SCORE, OUTPUT = "score.json", "output.txt"

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


_running: set[subprocess.Popen[bytes]] = set()
"""The processes at the moment, which a stop ends."""


@dataclass(frozen=True)
class Job:
    """One cell with one seed.

    Attributes:
        cell: The cell.
        seed: The seed.
        base: The benchmark's folder.
    """

    cell: Cell
    seed: int
    base: Path

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self.base / f"{self.cell.task}-{self.cell.learner}-seed{self.seed}"

    def kept(self) -> Score | None:
        """The score of an earlier run of the same cell, seed and settings; `None` if there is none."""
        try:
            score = Score.from_dict(json.loads((self.folder / SCORE).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, ArithmeticError):
            return None
        wanted = (self.cell.label, self.seed, self.cell.key(self.seed))
        is_there = (self.base / score.run).is_dir()
        return score if is_there and (score.cell, score.seed, score.key) == wanted else None

    def run(self) -> Score:
        """Train, score by another process, and keep.

        Raises:
            ConfigError: If one of the two processes fails; what it said is in the message.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        given = [*self.cell.arguments(self.seed), "--out", str(self.folder)]
        _, cpu = self._program(self.cell.program, given)
        (run,) = [path for path in self.folder.iterdir() if path.is_dir()]
        text, _ = self._program("agents.suite.rescore", [self.cell.task, self.cell.learner, str(run)])
        score = score_of(self.cell, self.seed, run, self.base, json.loads(text), cpu)
        write(self.folder / SCORE, score.to_dict())
        return score

    def _program(self, module: str, arguments: Sequence[str]) -> tuple[str, float]:
        """What a program of ours prints, and the CPU seconds it took."""
        output = self.folder / OUTPUT
        with output.open("w", encoding="utf-8") as out, (self.folder / "errors.txt").open("w+") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdout=out,
                stderr=errors,
                env={**os.environ, **ONE_THREAD},
            )
            _running.add(process)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            _running.discard(process)
            errors.seek(0)
            said = errors.read().strip().splitlines()
        if process.returncode != 0:
            last = said[-1] if said else f"exit code {process.returncode}"
            raise ConfigError(f"cell {self.cell.label}, seed {self.seed}: {module} failed: {last}")
        return output.read_text(encoding="utf-8"), usage.ru_utime + usage.ru_stime


def jobs_of(cells: Sequence[Cell], seeds: Sequence[int], base: Path) -> tuple[Job, ...]:
    """Every cell with every seed; trainers without chance have one seed."""
    return tuple(Job(cell, seed, base) for cell in cells for seed in (seeds if cell.is_random else seeds[:1]))


@dataclass(frozen=True)
class Outcome:
    """What became of jobs.

    Attributes:
        scores: The scores of those that did not fail, in their order.
        failed: What the others said.
    """

    scores: tuple[Score, ...]
    failed: tuple[str, ...]


def run_all(jobs: Sequence[Job], at_once: int, tell: Callable[[str], None]) -> Outcome:
    """Run the jobs that have no score yet.

    Args:
        jobs: What to run.
        at_once: Processes at the same time.
        tell: Called with a line about every job.

    Raises:
        KeyboardInterrupt: On Ctrl-C or SIGTERM, after all processes have ended; what is finished is kept.
    """
    scores = {job: score for job in jobs if (score := job.kept()) is not None}
    waiting = [job for job in jobs if job not in scores]
    failed: list[str] = []
    if scores:
        tell(f"{len(scores)} of {len(jobs)} runs are there already")
    with stoppable(), ThreadPoolExecutor(at_once) as pool:
        running = {pool.submit(job.run): job for job in waiting}
        try:
            for done, future in enumerate(as_completed(running), start=1):
                job = running[future]
                try:
                    scores[job] = future.result()
                    line = _in_short(scores[job])
                except ConfigError as error:
                    failed.append(str(error))
                    line = str(error)
                tell(f"{done} of {len(waiting)}: {line}")
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(_running):
                process.terminate()
            raise
    return Outcome(tuple(scores[job] for job in jobs if job in scores), tuple(failed))


def _in_short(score: Score) -> str:
    verdict = "met" if score.met else "missed"
    return (
        f"{score.cell}, seed {score.seed}: {verdict}, gap {float(score.gap):.2g} at the end, "
        f"{score.cpu_seconds:.0f} CPU s"
    )
