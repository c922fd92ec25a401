"""Pictures. Needs matplotlib, from the extra `train`."""

try:
    import matplotlib  # noqa: F401  # one line instead of a traceback where the extra is missing
except ImportError as error:
    raise ImportError("pan9_gym.charts needs matplotlib: pip install 'pan9-gym[train]'") from error

from pan9_gym.charts.strategy import chart_cells, strategy_chart

__all__ = ["chart_cells", "strategy_chart"]
