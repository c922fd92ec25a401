"""OpenSpiel, or one line that says which extra brings it."""

from __future__ import annotations

try:
    import pyspiel
    from open_spiel.python import policy as openspiel_policy
except ImportError as error:
    raise ImportError(
        "pan9_gym's game for OpenSpiel needs open_spiel: pip install 'pan9-gym[openspiel]'"
    ) from error

__all__ = ["openspiel_policy", "pyspiel"]
