"""What happens around a hand: the bank, wagers and cover, the action, the shoe, and faults.

Pure and deterministic given a Generator and the participants' decisions; hands are dealt and played by
`game.round`, paid by `rules`.
"""

from pan9_gym.table.config import Collections, TableConfig
from pan9_gym.table.events import Event
from pan9_gym.table.faults import Fault, FaultKind, FaultRates, ListedFaults, RandomFaults
from pan9_gym.table.requests import Decision, Phase, Request, View
from pan9_gym.table.seating import StackedDice
from pan9_gym.table.sheets import table_config
from pan9_gym.table.shoes import StackedTableShoe
from pan9_gym.table.table import Table, new_table

__all__ = [
    "Collections",
    "Decision",
    "Event",
    "Fault",
    "FaultKind",
    "FaultRates",
    "ListedFaults",
    "Phase",
    "RandomFaults",
    "Request",
    "StackedDice",
    "StackedTableShoe",
    "Table",
    "TableConfig",
    "View",
    "new_table",
    "table_config",
]
