"""What is written on the command line, read: the options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import typer

from pan9_gym.cli.tables import Form
from pan9_gym.evaluation.plan import MOST_HANDS
from pan9_gym.game import stakes as money
from pan9_gym.policies.named import CHARTS
from pan9_gym.rules.catalog import load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError, validated
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.strict_yaml import apply_override
from pan9_gym.solver.deal_distribution import ShoeLike

POLICIES = f"a name ({', '.join(CHARTS)}), equilibrium (one player), or a policy file"
"""What a policy may be on the command line."""

Sheet = Annotated[str, typer.Argument(help="A sheet's name (see `pan9 rules`) or a path to a sheet.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", help="A rule that differs, such as num_decks=8 or side_bets.tie.payout=8."),
]
Shoe = Annotated[
    str | None,
    typer.Option(
        help="Cards left of each point value, lowest first, such as 140,48,48,48,48,48,48; "
        "by suit (clubs, diamonds, hearts, spades) with slashes: 36/36/36/32,12/12/12/12,..."
    ),
]
Wagers = Annotated[str | None, typer.Option(help="One wager per player, such as 1,5/2; default 1 each.")]
Stakes = Annotated[
    list[str] | None,
    typer.Option("--stake", help="A side stake of the player per unit wagered, such as dragon=1/20."),
]
SeatStakes = Annotated[
    list[str] | None,
    typer.Option(
        "--stake",
        help="A side stake of every player per unit wagered, such as dragon=1/20, or of one player, such as "
        "0:dragon=1/20.",
    ),
]
ALL_CORES = "all"
"""What `--threads` says for as many as there are cores."""

Threads = Annotated[
    str, typer.Option(help=f"Threads, or {ALL_CORES}: one for each core; the result is the same.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; fractions as texts.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV, exact values beside decimals.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Find the answer anew even if it is kept.")]


@dataclass(frozen=True)
class Output:
    """How an answer is printed, and whether a kept one will do.

    Attributes:
        form: The form.
        use_cache: Whether a kept answer will do.
    """

    form: Form
    use_cache: bool


def read_output(json: bool, csv: bool, markdown: bool, no_cache: bool = False) -> Output:
    """The form asked for; a table for people if none is.

    Raises:
        ConfigError: If two forms are asked for.
    """
    asked: list[Form] = []
    asked += ["json"] if json else []
    asked += ["csv"] if csv else []
    asked += ["markdown"] if markdown else []
    if len(asked) > 1:
        raise ConfigError(f"--{asked[0]} and --{asked[1]} exclude each other; one form may be given")
    return Output(asked[0] if asked else "human", not no_cache)


def read_rules(sheet: str, changes: Sequence[str] | None) -> RulesConfig:
    """A sheet, with what differs.

    Args:
        sheet: A name or a path.
        changes: Texts such as "num_decks=8" or "side_bets.tie.payout=8".

    Raises:
        ConfigError: If there is no such sheet, or a field or value is not allowed.
    """
    rules = load_rules(sheet)
    if not changes:
        return rules
    data: dict[str, Any] = rules.model_dump(mode="json")
    for change in changes:
        apply_override(data, change)
    data["name"] = f"{rules.name}, {', '.join(changes)}"
    return validated(RulesConfig, data, f"rules {rules.name!r} with {', '.join(changes)}")


def read_shoe_option(text: str | None) -> ShoeLike | None:
    """Cards left of each point value; with "/" between suits, counts[value, suit].

    Raises:
        ConfigError: Naming the text.
    """
    if text is None or "/" not in text:
        return read_counts("shoe", text)
    return [read_counts("shoe", part.replace("/", ",")) or [] for part in text.split(",")]


def read_counts(field: str, text: str | None) -> list[int] | None:
    """Whole numbers separated by commas.

    Raises:
        ConfigError: Naming the option and the text.
    """
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"--{field} {text!r}: whole numbers separated by commas are needed") from None


def read_amounts(field: str, text: str | None) -> list[Fraction] | None:
    """Exact amounts separated by commas, such as "1,5/2".

    Raises:
        ConfigError: Naming the option and the text.
    """
    return None if text is None else [read_exact(field, part) for part in text.split(",")]


def read_exact(field: str, text: str) -> Fraction:
    """An exact number.

    Raises:
        ConfigError: Naming the option and the text.
    """
    try:
        return read_fraction(text.strip())
    except ValueError as error:
        raise ConfigError(f"--{field} {text!r}: {error}") from None


def read_stakes(texts: Sequence[str] | None) -> dict[str, Fraction] | None:
    """Side stakes from texts such as "dragon=1/20".

    Raises:
        ConfigError: Naming the text.
    """
    stakes: dict[str, Fraction] = {}
    for text in texts or []:
        bet, equals, amount = text.partition("=")
        if not equals or bet in stakes:
            raise ConfigError(f"--stake {text!r}: write a side bet once, such as dragon=1/20")
        stakes[bet.strip()] = read_exact("stake", amount)
    return stakes or None


def read_seat_stakes(
    texts: Sequence[str] | None, number: int, rules: RulesConfig
) -> list[dict[str, Fraction] | None]:
    """Each player's side stakes.

    Raises:
        ConfigError: If a text names no stake, a player who is not there, a bet twice, or one not offered.
    """
    found: list[dict[str, Fraction]] = [{} for _ in range(number)]
    for text in texts or []:
        seat, colon, stake = text.rpartition(":")
        known = seat.strip()
        if colon and known not in map(str, range(number)):
            raise ConfigError(f"--stake {text!r}: there is no player {known!r}; 0 to {number - 1} are there")
        read = read_stakes([stake]) or {}
        try:
            money.read_stakes(rules, read)
        except ValueError as error:
            raise ConfigError(f"--stake {text!r}: {error}") from None
        for own in [found[int(known)]] if colon else found:
            if own.keys() & read.keys():
                raise ConfigError(f"--stake {text!r}: a player's side bet is given twice; once is needed")
            own |= read
    return [own or None for own in found]


def read_threads(text: str) -> int:
    """A number of threads.

    Raises:
        ConfigError: If this machine has fewer cores, or it is no number.
    """
    most = os.cpu_count() or 1
    if text.strip() == ALL_CORES:
        return most
    known = text.strip()
    if not (known.isascii() and known.isdigit()) or not 1 <= int(known) <= most:
        raise ConfigError(f"--threads {text}: 1 to {most} are possible on this machine, or {ALL_CORES}")
    return int(known)


def read_hands(text: str) -> int:
    """A number of hands.

    Raises:
        ConfigError: If it is none, or out of range.
    """
    digits, _, power = text.strip().lower().partition("e")
    known = power.removeprefix("+")
    number = Fraction(0)
    if not power or (known.isascii() and known.isdigit() and len(known) <= 2):
        number = read_exact("hands", digits) * 10 ** int(known or 0)
    if ("e" in text.lower() and not power) or number.denominator != 1 or not 1 <= number <= MOST_HANDS:
        raise ConfigError(
            f"--hands {text!r}: a whole number from 1 to 1e13 is needed, such as 1e9 or 1000000"
        )
    return int(number)
