"""The training programs: Stable-Baselines3 on the environments, judged exactly. Run from the repository."""

from __future__ import annotations

import sys
from importlib.util import find_spec

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")

_missing = [name for name in NEEDED if find_spec(name) is None]
if _missing:
    _message = f"agents needs {', '.join(_missing)}, from the extra `train`: pip install -e '.[train]'"
    if sys.argv[:1] == ["-m"]:  # `python -m agents...` is being started: one line, no traceback
        sys.exit(_message)
    raise ImportError(_message)
