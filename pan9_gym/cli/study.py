"""`pan9 study`: tables about a whole game."""

from __future__ import annotations

from typing import Annotated

import typer

from pan9_gym.cli.cache import answered
from pan9_gym.cli.options import (
    AsCsv,
    AsJson,
    AsMarkdown,
    NoCache,
    Sets,
    Sheet,
    read_counts,
    read_exact,
    read_output,
    read_rules,
)
from pan9_gym.cli.studies.counting import DEPTHS, counting
from pan9_gym.cli.studies.money import MoneyQuestion, money
from pan9_gym.rules.catalog import DEFAULT_SHEET

study = typer.Typer(help="Tables about a whole game.", no_args_is_help=True)


@study.command("counting")
def counting_command(
    sheet: Sheet = DEFAULT_SHEET,
    cards_left: Annotated[str, typer.Option(help="Depths: cards left before the hand.")] = ",".join(
        map(str, DEPTHS)
    ),
    shoes: Annotated[int, typer.Option(help="Random shoes at each depth.")] = 2000,
    seed: Annotated[int, typer.Option(help="Decides the shoes.")] = 1,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """The optimum over depleted shoes, and what counting the cards is worth."""
    rules = read_rules(sheet, changes)
    depths = read_counts("cards-left", cards_left) or []
    question = {"study": "counting", "cards_left": depths, "shoes": shoes, "seed": seed}
    output = read_output(json, csv, markdown, no_cache)
    answered(output, rules, question, lambda: counting(rules, depths, shoes, seed))


@study.command("money")
def money_command(
    sheet: Sheet = DEFAULT_SHEET,
    players: Annotated[int, typer.Option(help="Players against the banker.")] = 3,
    wager: Annotated[str, typer.Option(help="What each of them wagers, in dollars.")] = "100",
    best: Annotated[
        bool, typer.Option(help="The banker plays his best response, else the logical way.")
    ] = True,
    hands_per_hour: Annotated[int, typer.Option(help="The pace.")] = 40,
    penetration: Annotated[str, typer.Option(help="The part of the shoe that is dealt.")] = "3/4",
    seed: Annotated[int, typer.Option(help="Decides simulated hands.")] = 1,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """What banking brings and how much it varies; collections, bankrolls, limited cover."""
    question = MoneyQuestion(
        rules=read_rules(sheet, changes),
        num_players=players,
        wager=read_exact("wager", wager),
        best=best,
        hands_per_hour=hands_per_hour,
        penetration=read_exact("penetration", penetration),
        seed=seed,
    )
    output = read_output(json, csv, markdown, no_cache)
    answered(output, question.rules, {"study": "money", **question.to_dict()}, lambda: money(question))
