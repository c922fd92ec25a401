"""The training programs: Stable-Baselines3 on the environments, judged exactly. Run from the repository."""
