"""What the game is: rule sheets as data, cards, totals, settlement. No randomness; reads YAML only."""

from pan9_gym.rules.catalog import DEFAULT_SHEET, RulesLike, load_rules, sheet_names
from pan9_gym.rules.config import DrawRule, RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Action, Outcome, Role, SuitClass, Visible

__all__ = [
    "DEFAULT_SHEET",
    "Action",
    "ConfigError",
    "DrawRule",
    "Outcome",
    "Role",
    "RulesConfig",
    "RulesLike",
    "SuitClass",
    "Visible",
    "load_rules",
    "sheet_names",
]
