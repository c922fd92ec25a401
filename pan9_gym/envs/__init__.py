"""What an agent sees: Gymnasium environments for the player's and the player-dealer's draw decisions."""
