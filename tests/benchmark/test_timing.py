"""What is measured is the work alone, in a process of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from pan9_gym.benchmark import timing
from pan9_gym.benchmark.timing import Timing, in_fresh_process, peak_mib, timed


def test_waiting_is_wall_time_and_no_cpu_time() -> None:
    _, found = timed(lambda: time.sleep(0.05))
    assert found.seconds >= 0.05 > found.cpu_seconds


def test_the_answer_comes_with_the_timing() -> None:
    answer, found = timed(lambda: 7)
    assert answer == 7
    assert found.peak_mib == peak_mib()


def test_equal_pieces_share_the_time_and_not_the_peak() -> None:
    assert Timing(8.0, 4.0, 100.0).each(4) == Timing(2.0, 1.0, 100.0)


def test_memory_that_was_freed_stays_in_the_peak() -> None:
    np.ones(32 * 1024 * 1024)  # 256 MiB, freed at once
    assert peak_mib() > 256


def test_a_fresh_process_is_another_one_with_a_peak_of_its_own() -> None:
    held = np.ones(32 * 1024 * 1024)
    assert in_fresh_process(os.getpid) != os.getpid()
    assert in_fresh_process(peak_mib) < held.nbytes / 1024**2


def test_an_error_in_a_fresh_process_is_raised_here() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        in_fresh_process(int, "seven")


def test_without_proc_the_peak_is_getrusages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    np.ones(32 * 1024 * 1024)
    monkeypatch.setattr(timing, "STATUS", tmp_path / "none")
    assert 256 < peak_mib() < 64 * 1024  # MiB, whatever unit the system gives
