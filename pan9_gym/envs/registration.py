"""The environment ids, registered by string so that importing the package loads no environment."""

from __future__ import annotations

import gymnasium

ENTRY_POINTS = {
    "Pan9/Player-v0": "pan9_gym.envs.player:PlayerEnv",
    "Pan9/PlayerDealer-v0": "pan9_gym.envs.player_dealer:PlayerDealerEnv",
    "Pan9/ShoePlayer-v0": "pan9_gym.envs.shoe_roles:ShoePlayerEnv",
    "Pan9/ShoePlayerDealer-v0": "pan9_gym.envs.shoe_roles:ShoePlayerDealerEnv",
}

VECTOR_ENTRY_POINTS = {
    "Pan9/Player-v0": "pan9_gym.envs.vector_roles:PlayerVectorEnv",
    "Pan9/PlayerDealer-v0": "pan9_gym.envs.vector_roles:PlayerDealerVectorEnv",
    "Pan9/ShoePlayer-v0": "pan9_gym.envs.vector_roles:ShoePlayerVectorEnv",
    "Pan9/ShoePlayerDealer-v0": "pan9_gym.envs.vector_roles:ShoePlayerDealerVectorEnv",
}


def register_all() -> None:
    """Register every id; a second call changes nothing."""
    for env_id, entry_point in ENTRY_POINTS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                id=env_id, entry_point=entry_point, vector_entry_point=VECTOR_ENTRY_POINTS[env_id]
            )
