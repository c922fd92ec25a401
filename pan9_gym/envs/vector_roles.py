"""The vector environments of both roles, for `gymnasium.make_vec`."""

from __future__ import annotations

from typing import Unpack

from gymnasium.vector import AutoresetMode

from pan9_gym.envs.setup import DealerArguments, PlayerArguments, dealer_setup, player_setup
from pan9_gym.envs.sheets import each_sheet
from pan9_gym.envs.shoe_setup import (
    ShoeDealerArguments,
    ShoePlayerArguments,
    shoe_dealer_setup,
    shoe_player_setup,
)
from pan9_gym.envs.shoe_vector import ShoeVectorEnv
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
        setups = each_sheet(player_setup, **arguments)
        super().__init__(setups, num_envs, autoreset_mode, copy, render_mode)


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
        setups = each_sheet(dealer_setup, **arguments)
        super().__init__(setups, num_envs, autoreset_mode, copy, render_mode)


class ShoePlayerVectorEnv(ShoeVectorEnv):
    """Many shoes of a player who wagers on a count: `Pan9/ShoePlayer-v0` for `gymnasium.make_vec`.

    `ShoePlayerEnv` explains the game and the arguments, `ShoeVectorEnv` what is its own.

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
        **arguments: Unpack[ShoePlayerArguments],
    ) -> None:
        check_names(self, arguments, ShoePlayerArguments)
        setups = each_sheet(shoe_player_setup, **arguments)
        super().__init__(setups, num_envs, autoreset_mode, copy, render_mode)


class ShoePlayerDealerVectorEnv(ShoeVectorEnv):
    """Many shoes of a player-dealer who may pass the bank: `Pan9/ShoePlayerDealer-v0` for `make_vec`.

    `ShoePlayerDealerEnv` explains the game and the arguments, `ShoeVectorEnv` what is its own.

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
        **arguments: Unpack[ShoeDealerArguments],
    ) -> None:
        check_names(self, arguments, ShoeDealerArguments)
        setups = each_sheet(shoe_dealer_setup, **arguments)
        super().__init__(setups, num_envs, autoreset_mode, copy, render_mode)
