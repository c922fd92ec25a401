"""Punto banco's fixed moves (K3), written from the published table and not from the sheet."""

from __future__ import annotations

BANKER_DRAWS_AGAINST = {
    "stand": "DDDDDDSS",
    "draw:0": "DDDDSSSS",
    "draw:1": "DDDDSSSS",
    "draw:2": "DDDDDSSS",
    "draw:3": "DDDDDSSS",
    "draw:4": "DDDDDDSS",
    "draw:5": "DDDDDDSS",
    "draw:6": "DDDDDDDS",
    "draw:7": "DDDDDDDS",
    "draw:8": "DDDSSSSS",
    "draw:9": "DDDDSSSS",
}
"""For each choice of the player the banker's move on 0 to 7; on 8 and 9 the hand is over."""

PLAYER = "DDDDDDSS"
"""The player's move on 0 to 7."""
