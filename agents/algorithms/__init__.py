"""The learners: one file each. A new one is a file here that defines `ALGORITHM`; nothing else names it."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from agents.algorithms.base import Algorithm, Settings
from pan9_gym.rules.errors import closest

__all__ = ["ALGORITHMS", "Algorithm", "Settings", "known_algorithm"]

_modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]

ALGORITHMS: dict[str, Algorithm] = {
    module.ALGORITHM.name: module.ALGORITHM for module in _modules if hasattr(module, "ALGORITHM")
}
"""Every learner by its name."""


def known_algorithm(name: str) -> str:
    """The name, if there is such a learner.

    Raises:
        ValueError: Listing the known ones.
    """
    if name not in ALGORITHMS:
        known = ", ".join(map(repr, ALGORITHMS))
        raise ValueError(f"there is no such algorithm{closest(name, ALGORITHMS)}; known: {known}")
    return name
