"""The YAML files of the project: `rules/` (one file per rule sheet) and `train/` (one per training run)."""
