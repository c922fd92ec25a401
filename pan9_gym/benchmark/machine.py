"""What a benchmark ran on: the processor, the memory, the system, and the versions of packages.

Neither the host's name nor any path is told, so that what is printed may be published.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CPU_INFO = Path("/proc/cpuinfo")

ENGINE_PACKAGES = ("pan9-gym", "numpy", "numba", "gymnasium")
"""The packages whose versions decide how fast the engine is."""


@dataclass(frozen=True)
class Machine:
    """A machine as far as it matters to speed.

    Attributes:
        cpu: The processor's model name.
        num_cores: Logical cores of the machine.
        num_usable: Those that this process may use.
        memory_gib: Its memory in GiB; `None` where the system does not say.
        system: The operating system and its version.
        python: Python's version and implementation.
        versions: Versions of the packages in question that are installed.
    """

    cpu: str
    num_cores: int
    num_usable: int
    memory_gib: float | None
    system: str
    python: str
    versions: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Two lines of text: the machine and the versions."""
        memory = "" if self.memory_gib is None else f", {self.memory_gib:.0f} GiB"
        cores = f"{self.num_cores} cores, {self.num_usable} usable"
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return [f"{self.cpu}, {cores}{memory}; {self.system}", f"{self.python}; {packages}"]


def this_machine(packages: Sequence[str] = ENGINE_PACKAGES) -> Machine:
    """The machine this process runs on.

    Args:
        packages: Whose versions are told; those that are not installed are left out.
    """
    return Machine(
        cpu=cpu_model(),
        num_cores=os.cpu_count() or 1,
        num_usable=num_usable_cores(),
        memory_gib=memory_gib(),
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        versions=versions_of(packages),
    )


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """The versions of those of the packages that are installed, in the order given."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def cpu_model() -> str:
    """The processor's model name, or its architecture where the system does not say."""
    text = CPU_INFO.read_text() if CPU_INFO.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def num_usable_cores() -> int:
    """How many logical cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_gib() -> float | None:
    """The machine's memory in GiB; `None` where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1024**3
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def hold_to_one_core() -> bool:
    """Hold this process and its later threads to the last core it may use, so that all have one thread.

    Libraries such as XLA size their pools by what the process may use, so call this before they are imported.

    Returns:
        Whether the system can do so.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True
