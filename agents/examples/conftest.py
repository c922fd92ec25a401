"""Keeps pytest's search for doctests away from the example whose framework is optional."""

collect_ignore = ["torchrl_ppo.py"]
