"""The same game for OpenSpiel, as an independent check and yardstick. Needs open_spiel, from that extra."""

try:
    import pyspiel  # noqa: F401  # one line instead of a traceback where the extra is missing
except ImportError as error:
    raise ImportError(
        "pan9_gym.benchmark.openspiel needs open_spiel: pip install 'pan9-gym[openspiel]'"
    ) from error

from pan9_gym.benchmark.openspiel.game import Pan9Game, PolicyPair

__all__ = ["Pan9Game", "PolicyPair"]
