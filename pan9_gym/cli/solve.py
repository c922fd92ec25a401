"""`pan9 solve`: the certified equilibrium of a game, or the best response to given policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan9_gym.cli.progress import working
from pan9_gym.cli.strategy import choices_text, policy_key, policy_name, strategy_table
from pan9_gym.cli.tables import Column, Study, Table
from pan9_gym.game.info_state import read_num_players
from pan9_gym.game.stakes import read_wagers
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.terms import Role
from pan9_gym.solver import (
    BestResponse,
    Equilibrium,
    banker_best_response,
    best_response,
    equilibrium,
    seat_best_response,
    seats_equilibrium,
)
from pan9_gym.solver.deal_distribution import ShoeLike

CLOSEST = 12
"""Decisions listed of those that are hardest to get right."""

FIGURES = (Column("figure"), Column("value", "exact"), Column("exactly"))


@dataclass(frozen=True)
class Question:
    """What is to be solved.

    Attributes:
        rules: The rules.
        role: Whose strategy is asked for; `None` for everybody's.
        num_players: Players against the banker.
        seat: The player who responds, with `against`, from 0 at the banker's left; `None` for 0.
        player_level: "hand" or "total".
        banker_level: The same for the banker.
        shoe: Cards left of each point value; `None` for a full shoe.
        wagers: One per player; `None` for 1 each.
        side_stakes: The player's stakes on side bets, per unit wagered.
        against: The policy of everybody else; `None` for the equilibrium.
    """

    rules: RulesConfig
    role: Role | None = None
    num_players: int = 1
    seat: int | None = None
    player_level: str = "hand"
    banker_level: str = "hand"
    shoe: ShoeLike | None = None
    wagers: Sequence[Fraction] | None = None
    side_stakes: dict[str, Fraction] | None = None
    against: str | TabularPolicy | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: all but the rules that decides the answer."""
        return {
            "role": self.role,
            "num_players": self.num_players,
            "seat": self.seat,
            "levels": [self.player_level, self.banker_level],
            "shoe": None if self.shoe is None else list(self.shoe),
            "wagers": None if self.wagers is None else [str(wager) for wager in self.wagers],
            "side_stakes": {bet: str(stake) for bet, stake in (self.side_stakes or {}).items()},
            "against": policy_key(self.against),
        }


def solve(question: Question) -> Study:
    """Answer a question.

    Raises:
        ValueError: If an argument is not possible.
    """
    number = _checked(question)
    with working(f"solving {question.rules.name}"):
        if question.against is not None:
            return _respond(question)
        return _one_player(question) if number == 1 else _several(question)


def _checked(question: Question) -> int:
    """The number of players.

    Raises:
        ValueError: If two options do not fit.
    """
    number = read_num_players(question.rules, question.num_players)
    read_wagers(number, question.wagers)
    if number == 1 and question.wagers is not None:
        raise ConfigError("--wagers: one player's values are per unit wagered; leave the wager out")
    if number > 1 and question.side_stakes:
        raise ConfigError(f"--stake: side stakes are solved for one player; --players is {number}")
    if question.seat is not None and (question.against is None or question.role is not Role.PLAYER):
        raise ConfigError(f"--seat {question.seat}: is for --role player with --against")
    if number > 1 and isinstance(question.against, TabularPolicy):
        raise ConfigError(
            f"--against {question.against.name!r}: a policy file is for one seat; with --players {number} "
            "a name is needed, such as logical_way"
        )
    return number


def _title(question: Question, what: str) -> str:
    parts = [what, f"under {question.rules.name}"]
    parts.append("one player" if question.num_players == 1 else f"{question.num_players} players")
    if question.shoe is not None:
        parts.append(f"shoe {','.join(map(str, question.shoe))}")
    if question.wagers is not None:
        parts.append(f"wagers {', '.join(map(str, question.wagers))}")
    parts += [f"{bet} stake {stake}" for bet, stake in (question.side_stakes or {}).items()]
    return ", ".join(parts)


def _figure(name: str, value: Fraction) -> tuple[str, Fraction, str]:
    return name, value, str(value)


def _one_player(question: Question) -> Study:
    found = equilibrium(
        question.rules,
        question.player_level,
        question.banker_level,
        shoe=question.shoe,
        side_stakes=question.side_stakes,
    )
    roles = [question.role] if question.role else list(Role)
    figures = [
        _figure("value to the player, units per unit wagered", found.value),
        _figure("what the player is sure of", found.lower),
        _figure("what the banker concedes at most", found.upper),
        _figure("exploitability", found.exploitability),
    ]
    proved = found.exploitability == 0
    proof = "proved: neither role gains by any other strategy" if proved else "a bound only"
    unique = "the only equilibrium where decisions arise" if found.unique else "not shown to be the only one"
    return Study(
        _title(question, f"Equilibrium by {question.player_level} and {question.banker_level}"),
        (
            Table("Value", FIGURES, tuple(figures), (f"{proof}; {unique}",)),
            strategy_table("How to play", {role.value: found.policy(role) for role in roles}),
            *_hard_decisions(found, roles),
        ),
        found.assumptions,
    )


def _hard_decisions(found: Equilibrium, roles: Sequence[Role]) -> list[Table]:
    """The decisions that mix, if any, and the closest of the others."""
    where = (Column("seat"), Column("choices seen"), Column("hand or total"))
    margins = [
        (entry.role.value, choices_text(entry.choices), entry.hand, entry.margin)
        for entry in found.margins
        if entry.role in roles
    ]
    mixed = [
        (entry.role.value, choices_text(entry.choices), entry.hand, entry.draw_prob)
        for entry in found.mixed
        if entry.role in roles
    ]
    tables = []
    if mixed:
        tables.append(Table("Decisions that mix", (*where, Column("draws with", "exact")), tuple(mixed)))
    if margins:
        loses = Column("other move loses there, units", "exact")
        tables.append(Table("Closest decisions", (*where, loses), tuple(margins[:CLOSEST])))
    return tables


def _several(question: Question) -> Study:
    if question.player_level != question.banker_level:
        raise ConfigError(
            f"--banker-level {question.banker_level!r}: with several seats everybody has one level; "
            f"--player-level is {question.player_level!r}"
        )
    rules, number = question.rules, question.num_players
    found = seats_equilibrium(rules, number, question.wagers, question.player_level, question.shoe)
    figures = [
        *(_figure(f"player {seat}, per unit wagered", ev) for seat, ev in enumerate(found.evs)),
        _figure("banker, units", found.banker_ev),
        _figure("NashConv, units", found.nash_conv),
    ]
    seats: dict[str, TabularPolicy] = {}
    if question.role is not Role.BANKER:
        seats |= {f"player {seat}": policy for seat, policy in enumerate(found.players)}
    if question.role is not Role.PLAYER:
        seats["banker"] = found.banker
    kind = "nobody gains by changing alone" if found.kind == "nash" else "a bound only: somebody gains"
    return Study(
        _title(question, f"Equilibrium of several seats by {found.level}"),
        (
            Table("Value", FIGURES, tuple(figures), (f"{found.kind}: {kind}; players are no team",)),
            strategy_table("How to play", seats),
        ),
        found.assumptions,
    )


def _respond(question: Question) -> Study:
    if question.role is None:
        raise ConfigError("--against: say with --role who responds, player or banker")
    against = question.against
    assert against is not None
    found = _best_response(question, question.role, against)
    unit = "units" if question.role is Role.BANKER else "units per unit wagered"
    decisions = [decision for row in found.table.values() for decision in row if decision.is_free]
    rows = [
        (
            choices_text(decision.choices),
            decision.hand,
            decision.prob,
            decision.ev_stand,
            decision.ev_draw,
            decision.best.name.lower(),
        )
        for decision in decisions
    ]
    columns = (
        Column("choices seen"),
        Column("hand or total"),
        Column("arises", "share"),
        Column("stand brings there, units", "exact"),
        Column("draw brings there, units", "exact"),
        Column("best"),
    )
    return Study(
        _title(question, f"Best response of the {question.role} by {found.level} to {policy_name(against)}"),
        (
            Table("Value", FIGURES, (_figure(f"{question.role}, {unit}", found.ev),)),
            strategy_table("How to play", {question.role.value: found.policy}),
            Table("Decisions", columns, tuple(rows)),
        ),
        question.rules.assumptions(question.num_players),
    )


def _best_response(question: Question, role: Role, against: str | TabularPolicy) -> BestResponse:
    rules, number, shoe = question.rules, question.num_players, question.shoe
    level = question.player_level if role is Role.PLAYER else question.banker_level
    if number == 1:
        return best_response(rules, role, against, level, shoe, question.side_stakes)
    players = [against] * number
    if role is Role.BANKER:
        return banker_best_response(rules, players, question.wagers, level, shoe)
    return seat_best_response(rules, players, against, question.seat or 0, question.wagers, level, shoe)
