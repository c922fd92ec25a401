"""`pan9`: the commands and their options."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from pan9_gym.benchmark.command import app as bench
from pan9_gym.cli.cache import answered, cache_folder, clear_cache
from pan9_gym.cli.evaluate import evaluation_study
from pan9_gym.cli.options import (
    POLICIES,
    AsCsv,
    AsJson,
    AsMarkdown,
    NoCache,
    Sets,
    Sheet,
    Shoe,
    Stakes,
    Wagers,
    read_amounts,
    read_output,
    read_rules,
    read_shoe_option,
    read_stakes,
)
from pan9_gym.cli.progress import working
from pan9_gym.cli.running import run
from pan9_gym.cli.session import replay_command, table_command
from pan9_gym.cli.sheets import all_sheets, one_sheet
from pan9_gym.cli.simulate import simulate_command
from pan9_gym.cli.solve import Question, solve
from pan9_gym.cli.strategy import read_policy
from pan9_gym.cli.study import study
from pan9_gym.cli.tables import written
from pan9_gym.evaluation import report
from pan9_gym.game.info_state import read_role
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.catalog import DEFAULT_SHEET
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role

app = typer.Typer(
    name="pan9",
    help="Super Pan 9, exactly: rule sheets, optimal play, and what everything is worth.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("simulate")(simulate_command)
app.command("table")(table_command)
app.command("replay")(replay_command)
app.add_typer(study, name="study")
app.add_typer(bench, name="bench")


def main() -> None:
    """The entry point of the `pan9` command."""
    run(app)


@app.command("rules")
def rules_command(
    sheet: Annotated[
        str | None, typer.Argument(help="A sheet's name or a path; none lists them all.")
    ] = None,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
) -> None:
    """List the rule sheets, or every field of one."""
    if sheet is None and changes:
        raise ConfigError(f"--set {changes[0]!r}: say which sheet is changed")
    found = all_sheets() if sheet is None else one_sheet(read_rules(sheet, changes))
    print(written(found, read_output(json, csv, markdown).form))


@app.command("solve")
def solve_command(
    sheet: Sheet = DEFAULT_SHEET,
    role: Annotated[str | None, typer.Option(help="player or banker; default both.")] = None,
    players: Annotated[int, typer.Option(help="Players against the banker.")] = 1,
    seat: Annotated[
        int | None, typer.Option(help="The player who responds, with --against; 0 at the banker's left.")
    ] = None,
    player_level: Annotated[str, typer.Option(help="hand (by composition) or total.")] = "hand",
    banker_level: Annotated[str, typer.Option(help="hand (by composition) or total.")] = "hand",
    shoe: Shoe = None,
    wagers: Wagers = None,
    stake: Stakes = None,
    against: Annotated[
        str | None, typer.Option(help=f"Respond to this policy of everybody else: {POLICIES}.")
    ] = None,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
    no_cache: NoCache = False,
) -> None:
    """Solve a game exactly: the certified equilibrium, or the best response to a policy."""
    rules, counts = read_rules(sheet, changes), read_shoe_option(shoe)
    own = None if role is None else read_role(role)
    other = None if own is None or players != 1 else own.opponent
    question = Question(
        rules=rules,
        role=own,
        num_players=players,
        seat=seat,
        player_level=player_level,
        banker_level=banker_level,
        shoe=counts,
        wagers=read_amounts("wagers", wagers),
        side_stakes=read_stakes(stake),
        against=None if against is None else read_policy(against, rules, other, counts),
    )
    output = read_output(json, csv, markdown, no_cache)
    answered(output, rules, {"command": "solve", **question.to_dict()}, lambda: solve(question))


@app.command("evaluate")
def evaluate_command(
    policy: Annotated[str, typer.Argument(help=f"The policy: {POLICIES}.")],
    rules: Annotated[str, typer.Option(help="A sheet's name or a path.")] = DEFAULT_SHEET,
    role: Annotated[str | None, typer.Option(help="player or banker; a file knows its own.")] = None,
    opponent: Annotated[str, typer.Option(help=f"The other role's policy: {POLICIES}.")] = "logical_way",
    shoe: Shoe = None,
    other_rules: Annotated[
        bool, typer.Option("--other-rules", help="Take a file made for other rules; forced moves are played.")
    ] = False,
    changes: Sets = None,
    json: AsJson = False,
    csv: AsCsv = False,
    markdown: AsMarkdown = False,
) -> None:
    """Judge a policy exactly: its expectation, gaps, agreement and costliest decisions."""
    loaded, counts = read_rules(rules, changes), read_shoe_option(shoe)
    named = None if role is None else read_role(role)
    own = read_policy(policy, loaded, named, counts, other_rules)
    own_role = _role_of(own, named)
    output = read_output(json, csv, markdown)
    with working(f"evaluating {policy}"):
        other = read_policy(opponent, loaded, own_role.opponent, counts, other_rules)
        found = report(loaded, own, own_role, other, shoe=counts)
    print(written(evaluation_study(found), output.form))


def _role_of(policy: str | TabularPolicy, role: Role | None) -> Role:
    if isinstance(policy, TabularPolicy):
        return policy.role
    if role is None:
        raise ConfigError(f"--role is needed: policy {policy!r} exists for player and banker")
    return role


@app.command("cache")
def cache_command(
    clear: Annotated[bool, typer.Option("--clear", help="Delete every kept answer.")] = False,
) -> None:
    """Where answers are kept (PAN9_CACHE_DIR names another folder); they may be deleted at any time."""
    print(cache_folder())
    if clear:
        print(f"{clear_cache()} answers deleted")


@app.callback(invoke_without_command=True)
def version_callback(
    show: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """Super Pan 9, exactly: rule sheets, optimal play, and what everything is worth."""
    if show:
        print(version("pan9-gym"))
        raise typer.Exit


if __name__ == "__main__":
    main()
