"""pan9-gym."""
