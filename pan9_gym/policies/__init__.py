"""Who decides: everything that decides is a `Policy`; a learned one becomes a `TabularPolicy`."""

from pan9_gym.policies.base import Policy
from pan9_gym.policies.named import CHARTS, get, resolve
from pan9_gym.policies.tabular import TabularPolicy

__all__ = ["CHARTS", "Policy", "TabularPolicy", "get", "resolve"]
