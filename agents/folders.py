"""New folders for runs, whatever kind of run it is."""

from __future__ import annotations

from pathlib import Path

from pan9_gym.rules import ConfigError


def new_folder(parent: Path, stem: str) -> Path:
    """A new folder; a number is added to its name while another run has it.

    Args:
        parent: Where runs are kept; made where it is missing.
        stem: The folder's name.

    Raises:
        ConfigError: If no folder can be made there.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for number in range(1, 1000):
            path = parent / (stem if number == 1 else f"{stem}-{number}")
            try:
                path.mkdir()
                return path
            except FileExistsError:
                continue
    except OSError as error:
        raise ConfigError(f"out {str(parent)!r}: no run can be kept there ({error.strerror})") from None
    raise ConfigError(f"out {str(parent)!r}: holds a thousand runs named {stem!r}")
