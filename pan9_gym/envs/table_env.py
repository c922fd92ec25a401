"""`Pan9/Table-v0`: every seat of a table as an agent, for PettingZoo. Needs pettingzoo, from the extra `table`.

    import pettingzoo
    import pan9_gym.envs.table_env  # registers it

    env = pettingzoo.make("aec", "Pan9/Table-v0", num_players=2)
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from pan9_gym.envs.table_aec import TableEnv  # first: it says which extra is missing

# isort: split
import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from pan9_gym.envs.arguments import check_option
from pan9_gym.envs.setup import IllegalAction
from pan9_gym.envs.table_draw import DrawPlay
from pan9_gym.envs.table_full import FullPlay
from pan9_gym.rules.errors import closest

ENV_ID = "Pan9/Table-v0"

MODES: dict[str, type[DrawPlay] | type[FullPlay]] = {"draw": DrawPlay, "full": FullPlay}


def env(
    mode: str = "draw",
    render_mode: str | None = None,
    illegal_action: IllegalAction = "error",
    max_cycles: int | None = None,
    max_decisions: int | None = None,
    **arguments: Any,
) -> TableEnv:
    """Make the table environment; DOC"""
    check_option("mode", mode, tuple(MODES))
    play = MODES[mode]
    allowed = inspect.signature(play).parameters
    for name in arguments:
        if name not in allowed:
            raise ValueError(
                f"argument {name!r} is not known with mode={mode!r}{closest(name, allowed)}; "
                f"allowed: {', '.join(allowed)}"
            )
    return TableEnv(play(**arguments), render_mode, illegal_action, max_cycles, max_decisions)


def parallel_env(max_cycles: int | None = None, **arguments: Any) -> Any:
    """The same environment by PettingZoo's `turn_based_aec_to_parallel`.

    Every step reads the action of the one agent whose mask is not zero, `info["active_agent"]`.

    Args:
        max_cycles: Steps after which the episode is cut.
        **arguments: As in `env`.
    """
    return turn_based_aec_to_parallel(env(max_decisions=max_cycles, **arguments))


def register() -> None:
    """Register the environment in both of PettingZoo's registries; a second call changes nothing."""
    if ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ENV_ID, "pan9_gym.envs.table_env:env")
        pettingzoo.register("parallel", ENV_ID, "pan9_gym.envs.table_env:parallel_env")


register()
