"""pan9-gym: Super Pan 9 as a reinforcement-learning environment whose truth is known.

Importing the package registers the environment ids and loads nothing else; the names below load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pan9_gym import envs, evaluation, game, policies, solver
    from pan9_gym.policies.tabular import TabularPolicy
    from pan9_gym.rules import Action, RulesConfig, load_rules

_SUBMODULES = ("charts", "envs", "evaluation", "game", "policies", "rules", "solver")
_NAMES = {
    "Action": "pan9_gym.rules",
    "RulesConfig": "pan9_gym.rules",
    "load_rules": "pan9_gym.rules",
    "TabularPolicy": "pan9_gym.policies",
}

__all__ = [
    "Action",
    "RulesConfig",
    "TabularPolicy",
    "envs",
    "evaluation",
    "game",
    "load_rules",
    "policies",
    "solver",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES, *_NAMES})


from pan9_gym.envs.registration import register_all  # noqa: E402  # after the lazy names, which it needs none of

register_all()
