"""The learning benchmark: a versioned suite of tasks, several seeds, scores by another process."""
