"""Who takes turns with whom, and the figures that come of it, with their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pan9_gym.benchmark.contenders import (
    BANKER,
    CONTINUING,
    Makers,
    Table,
    bare_kernel,
    readable_round,
    scalar_env,
    simulator,
    vector_env,
)
from pan9_gym.benchmark.figures import Figure
from pan9_gym.benchmark.peers import GYMNASIUM, envpool_name, peers, pgx_name
from pan9_gym.rules.catalog import DEFAULT_SHEET, load_rules, sheet_names

SIZES = (64, 1024, 16384, 131072)
FIGURE_SIZES = SIZES[:3]
"""Numbers of environments to which figures are given."""

QUICK_SIZES = SIZES[:2]
SEVEN = 7

TIMES_ENVPOOL = {64: 25.0, 1024: 60.0, 16384: 60.0}
TIMES_PGX = {1024: 6.0, 16384: 6.0}
TIMES_GYMNASIUM = 10.0
PART_OF_THE_KERNEL = {16384: 0.6}
PART_OF_THE_FRESH_SHOE = 0.5
COST_PER_CARD = 1.5


@dataclass(frozen=True)
class Group:
    """What takes turns with each other.

    Attributes:
        title: What it is about.
        makers: The contenders.
        figures: Their ratios.
    """

    title: str
    makers: Makers
    figures: tuple[Figure, ...]

    def with_text(self, text: str) -> Group:
        """The figures whose name has a text, and the contenders that they need or whose own name has it.

        Everything, if the title has it.
        """
        if text in self.title:
            return self
        figures = tuple(figure for figure in self.figures if text in figure.name)
        needed = {name for figure in figures for name in (figure.over, figure.under)}
        makers = {name: make for name, make in self.makers.items() if name in needed or text in name}
        return Group(self.title, makers, figures)


def all_groups(with_peers: bool, all_sheets: bool, quick: bool) -> tuple[list[Group], list[str]]:
    """What is measured, and a remark about each peer that is missing.

    Args:
        with_peers: Whether peers take part.
        all_sheets: Whether every sheet has a group, or the default sheet alone.
        quick: One player and small batches only.
    """
    sizes = QUICK_SIZES if quick else SIZES
    others, remarks = peers(sizes) if with_peers else ({}, [])
    found = [default_group(sizes, others, quick)]
    compared = {figure.under for figure in found[0].figures} & set(others)
    yardsticks = {name: others[name] for name in others if name in compared}
    for sheet in sheet_names() if all_sheets else ():
        if sheet != DEFAULT_SHEET:
            found.append(
                sheet_group(sheet, [size for size in sizes if size in FIGURE_SIZES], yardsticks, quick)
            )
    return found, remarks


def sheet_group(sheet: str, sizes: Sequence[int], others: Makers, quick: bool) -> Group:
    """The figures of a sheet, with one player and with seven where it allows them."""
    most = load_rules(sheet).max_players
    tables = [Table(sheet, number) for number in (1, SEVEN) if number == 1 or (number <= most and not quick)]
    makers = {name: make for table in tables for name, make in table_makers(table, sizes).items()}
    figures = [figure for table in tables for figure in table_figures(table, sizes)]
    figures += [cost_per_card(sheet, size) for size in sizes if len(tables) > 1]
    makers |= others
    there = tuple(figure for figure in figures if figure.over in makers and figure.under in makers)
    return Group(sheet, makers, there)


def default_group(sizes: Sequence[int], others: Makers, quick: bool) -> Group:
    """The default sheet with all that is measured once: the readable round, the simulator, the banker."""
    group = sheet_group(DEFAULT_SHEET, sizes, others, quick)
    more: Makers = {}
    for number in (1,) if quick else (1, SEVEN):
        table = Table(DEFAULT_SHEET, number)
        more[f"readable round, {table.players}"] = partial(readable_round, table)
        more[f"simulator, {table.players}"] = partial(simulator, table)
    banker = Table(DEFAULT_SHEET, 1)
    more[f"scalar env of the banker, {banker.players}"] = partial(scalar_env, banker, BANKER)
    more[f"vector env of the banker {sizes[1]:,}, {banker.players}"] = partial(
        vector_env, banker, sizes[1], BANKER
    )
    return Group(group.title, {**more, **group.makers}, group.figures)


def table_makers(table: Table, sizes: Sequence[int]) -> Makers:
    """The contenders of which figures are made."""
    found: Makers = {
        scalar_name(table): partial(scalar_env, table),
        f"scalar env, continuing shoe, {table.players}": partial(scalar_env, table, **CONTINUING),
    }
    for size in sizes:
        found[vector_name(table, size)] = partial(vector_env, table, size)
        found[continuing_name(table, size)] = partial(vector_env, table, size, **CONTINUING)
        found[kernel_name(table, size)] = partial(bare_kernel, table, size)
    return found


def table_figures(table: Table, sizes: Sequence[int]) -> list[Figure]:
    """The figures of one table; those against peers have targets for one player."""
    one = table.num_players == 1
    found = []
    for size in sizes:
        own = vector_name(table, size)
        found.append(Figure(own, envpool_name(size), TIMES_ENVPOOL.get(size) if one else None))
        found.append(Figure(own, pgx_name(size), TIMES_PGX.get(size) if one else None))
        found.append(Figure(own, kernel_name(table, size), PART_OF_THE_KERNEL.get(size)))
        found.append(Figure(continuing_name(table, size), own, PART_OF_THE_FRESH_SHOE))
    found.append(Figure(scalar_name(table), GYMNASIUM, TIMES_GYMNASIUM if one else None))
    return found


def cost_per_card(sheet: str, size: int) -> Figure:
    """What a card costs with seven players, in costs of a card with one: the rates the other way round."""
    one, seven = (vector_name(Table(sheet, number), size) for number in (1, SEVEN))
    label = f"cost of a card: {seven} / {one}"
    return Figure(one, seven, COST_PER_CARD, at_most=True, unit="cards", label=label)


def scalar_name(table: Table) -> str:
    """The name of the environment of one hand."""
    return f"scalar env, {table.players}"


def vector_name(table: Table, size: int) -> str:
    """The name of the vector environment with a fresh shoe."""
    return f"vector env {size:,}, {table.players}"


def continuing_name(table: Table, size: int) -> str:
    """The name of the vector environment with a continuing shoe and its counts observed."""
    return f"vector env {size:,}, continuing shoe, {table.players}"


def kernel_name(table: Table, size: int) -> str:
    """The name of the bare kernel."""
    return f"bare kernel {size:,}, {table.players}"
