"""The vector environments of both roles, for `gymnasium.make_vec`."""

from __future__ import annotations

from typing import Unpack

from gymnasium.vector import AutoresetMode

from pan9_gym.envs.setup import DealerArguments, PlayerArguments, dealer_setup, player_setup
from pan9_gym.envs.vector import HandVectorEnv
from pan9_gym.envs.vector_arguments import check_names


class PlayerVectorEnv(HandVectorEnv):
    """Many hands of a player's draw decision: `Pan9/Player-v0` for `gymnasium.make_vec`.

    `PlayerEnv` explains the game and the arguments, `HandVectorEnv` what is its own.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **arguments: Unpack[PlayerArguments],
    ) -> None:
        check_names(self, arguments, PlayerArguments)
        super().__init__(player_setup(**arguments), num_envs, autoreset_mode, copy, render_mode)


class PlayerDealerVectorEnv(HandVectorEnv):
    """Many hands of the player-dealer's draw decision: `Pan9/PlayerDealer-v0` for `gymnasium.make_vec`.

    `PlayerDealerEnv` explains the game and the arguments, `HandVectorEnv` what is its own.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **arguments: Unpack[DealerArguments],
    ) -> None:
        check_names(self, arguments, DealerArguments)
        super().__init__(dealer_setup(**arguments), num_envs, autoreset_mode, copy, render_mode)
