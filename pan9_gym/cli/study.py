"""`pan9 study`: tables about a whole game."""

from __future__ import annotations

from typing import Annotated

import typer

from pan9_gym.cli.cache import answered, cached
from pan9_gym.cli.options import (
    POLICIES,
    AsCsv,
    AsJson,
    AsMarkdown,
    NoCache,
    Sets,
    Sheet,
    Shoe,
    read_counts,
    read_exact,
    read_output,
    read_rules,
    read_shoe_option,
)
from pan9_gym.cli.strategy import EQUILIBRIUM, policy_key, read_policy
from pan9_gym.cli.studies.counting import DEPTHS, counting
from pan9_gym.cli.studies.effects import effects
from pan9_gym.cli.studies.money import MoneyQuestion, money
from pan9_gym.cli.studies.readings import readings
from pan9_gym.cli.studies.returns import returns
from pan9_gym.cli.studies.seats import seats
from pan9_gym.cli.tables import written
from pan9_gym.rules.catalog import DEFAULT_SHEET, load_rules, sheet_names
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role

study = typer.Typer(help="Tables about a whole game.", no_args_is_help=True)


@study.command("returns")
def returns_command(
    sheet: Sheet = DEFAULT_SHEET,
    player: Annotated[str, typer.Option(help=f"The player's policy: {POLICIES}.")] = "logical_way",
    banker: Annotated[str, typer.Option(help=f"The banker's policy: {POLICIES}.")] = EQUILIBRIUM,
    shoe: Shoe = None,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """What every wager returns, the final totals, and the outcomes by the player's first total."""
    rules, counts = read_rules(sheet, changes), read_shoe_option(shoe)
    own = read_policy(player, rules, Role.PLAYER, counts)
    other = read_policy(banker, rules, Role.BANKER, counts)
    question = {"study": "returns", "policies": [policy_key(own), policy_key(other)], "shoe": counts}
    output = read_output(json, csv, markdown, no_cache)
    answered(output, rules, question, lambda: returns(rules, own, other, counts))


@study.command("effects")
def effects_command(
    sheet: Sheet = DEFAULT_SHEET,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """Each rule changed alone, and each card removed alone: what that does to the value of the game."""
    rules = read_rules(sheet, changes)
    output = read_output(json, csv, markdown, no_cache)
    answered(output, rules, {"study": "effects"}, lambda: effects(rules))


@study.command("readings")
def readings_command(
    sheets: Annotated[
        list[str] | None, typer.Argument(help="Only the readings that concern these sheets.")
    ] = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """Every reading of the rule texts valued beside its alternative."""
    known = [load_rules(sheet) for sheet in sheets or sheet_names()]
    question = {"study": "readings", "sheets": sheets, "rules": [rules.fingerprint for rules in known]}
    output = read_output(json, csv, markdown, no_cache)
    print(written(cached(question, lambda: readings(sheets), output.use_cache), output.form))


@study.command("seats")
def seats_command(
    sheet: Sheet = DEFAULT_SHEET,
    most: Annotated[int, typer.Option(help="Tables of one player to this many.")] = 7,
    player: Annotated[str, typer.Option(help="What the players play, by name.")] = "logical_way",
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """Several players against the banker: best responses, wagers that decide, equilibria."""
    rules = read_rules(sheet, changes)
    if not 1 <= most <= rules.max_players:
        raise ConfigError(f"--most {most}: {rules.name!r} allows 1 to {rules.max_players} players")
    question = {"study": "seats", "most": most, "player": player}
    output = read_output(json, csv, markdown, no_cache)
    answered(output, rules, question, lambda: seats(rules, most, player))


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
    collection: Annotated[
        str | None,
        typer.Option(
            help="Dollars a hand from banker and player, such as 4,2; default a published schedule."
        ),
    ] = None,
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
        collection=_read_collection(collection),
    )
    output = read_output(json, csv, markdown, no_cache)
    answered(output, question.rules, {"study": "money", **question.to_dict()}, lambda: money(question))


def _read_collection(text: str | None) -> tuple[int, int] | None:
    given = read_counts("collection", text)
    if given is None:
        return None
    if len(given) != 2 or min(given) < 0:
        raise ConfigError(f"--collection {text!r}: two amounts of at least 0 are needed, such as 4,2")
    return given[0], given[1]
