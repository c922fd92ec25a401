"""One reading of the arguments for all environments: from what users write to a game, a seat and policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np
import numpy.typing as npt

from pan9_gym.envs.arguments import check_option, shoe_options
from pan9_gym.envs.observation import Encoder
from pan9_gym.game.info_state import MAX_PATTERNS, has_choice, read_num_players, read_seat
from pan9_gym.game.round import Game, new_game
from pan9_gym.game.stakes import Amount
from pan9_gym.policies.play import Seats, read_opponents
from pan9_gym.rules.catalog import DEFAULT_SHEET, RulesLike, load_rules

Forced = Literal["offer", "skip"]
IllegalAction = Literal["replace", "error"]
ShoeMode = Literal["fresh", "continuing"]

RulesOption = RulesLike | Sequence[RulesLike]
"""A sheet, or a list of sheets from which each episode's is drawn."""

EachStakes = Mapping[str, Amount] | Sequence[Mapping[str, Amount] | None] | None
"""The players' side stakes: one mapping for all, or one or `None` for each."""


class HandArguments(TypedDict, total=False):
    """What both roles' environments take; `PlayerEnv` explains each."""

    opponents: Mapping[str, Any] | None
    observe: str | Sequence[str]
    forced: Forced
    illegal_action: IllegalAction
    shoe_mode: ShoeMode
    penetration: float | None
    start_cards: tuple[int, int] | None


class PlayerArguments(HandArguments, total=False):
    """What `PlayerEnv` takes."""

    rules: RulesOption
    num_players: int
    seat: int
    wagers: Sequence[Amount] | None
    side_stakes: Mapping[str, Amount] | None


class DealerArguments(HandArguments, total=False):
    """What `PlayerDealerEnv` takes."""

    rules: RulesOption
    num_players: int
    wagers: Sequence[Amount] | None
    side_stakes: EachStakes


@dataclass(frozen=True)
class HandSetup:
    """The arguments of an environment, read and checked.

    Attributes:
        game: Who is at the table, for what stakes.
        seat: The agent's seat.
        seats: The other seats' policies.
        encoder: The encoder of observations.
        skips_forced: Whether hands without a choice are played by themselves.
        replaces_illegal: Whether an illegal action is replaced by the forced one.
        continues: Whether the shoe goes on from hand to hand.
        shoe: With such a shoe `penetration` and `start_cards`, else empty.
    """

    game: Game
    seat: int
    seats: Seats
    encoder: Encoder
    skips_forced: bool
    replaces_illegal: bool
    continues: bool
    shoe: dict[str, Any]

    @property
    def draw_probs(self) -> list[npt.NDArray[np.float64] | None]:
        """The other seats' policies as the compiled engine takes them."""
        return seat_arrays(self.seats)


def seat_arrays(seats: Seats) -> list[npt.NDArray[np.float64] | None]:
    """The seats' policies as the compiled engine takes them."""
    return [None if policy is None else policy.array for policy in seats]


def player_setup(
    rules: RulesLike = DEFAULT_SHEET,
    num_players: int = 1,
    seat: int = 0,
    wagers: Sequence[Amount] | None = None,
    side_stakes: Mapping[str, Amount] | None = None,
    several: bool = False,
    **arguments: Unpack[HandArguments],
) -> HandSetup:
    """A player's seat; arguments as in `PlayerEnv`, and whether the sheet is one of several.

    Raises:
        ValueError: If an argument is not possible.
    """
    loaded = load_rules(rules)
    num_players = read_num_players(loaded, num_players)
    seat = read_seat(num_players, seat)
    stakes = [side_stakes if other == seat else None for other in range(num_players)]
    game = new_game(loaded, num_players, wagers=wagers, side_stakes=stakes)
    return _read(game, seat, several, **arguments)


def dealer_setup(
    rules: RulesLike = DEFAULT_SHEET,
    num_players: int = 1,
    wagers: Sequence[Amount] | None = None,
    side_stakes: EachStakes = None,
    several: bool = False,
    **arguments: Unpack[HandArguments],
) -> HandSetup:
    """The banker's seat; arguments as in `PlayerDealerEnv`, and whether the sheet is one of several.

    Raises:
        ValueError: If an argument is not possible.
    """
    loaded = load_rules(rules)
    num_players = read_num_players(loaded, num_players)
    stakes = [side_stakes] * num_players if isinstance(side_stakes, Mapping) else side_stakes
    game = new_game(loaded, num_players, wagers=wagers, side_stakes=stakes)
    return _read(game, num_players, several, **arguments)


def _read(
    game: Game,
    agent_seat: int,
    several: bool,
    *,
    opponents: Mapping[str, Any] | None = None,
    observe: str | Sequence[str] = "hand",
    forced: Forced = "offer",
    illegal_action: IllegalAction = "replace",
    shoe_mode: ShoeMode = "fresh",
    penetration: float | None = None,
    start_cards: tuple[int, int] | None = None,
) -> HandSetup:
    check_option("forced", forced, get_args(Forced))
    check_option("illegal_action", illegal_action, get_args(IllegalAction))
    check_option("shoe_mode", shoe_mode, get_args(ShoeMode))
    if game.states[agent_seat].shape[0] > MAX_PATTERNS:
        raise ValueError(
            f"num_players {game.num_players}: seat {agent_seat} sees {game.states[agent_seat].shape[0]} "
            f"patterns of choices and cards; at most {MAX_PATTERNS} are possible"
        )
    seats = read_opponents(game, agent_seat, opponents)
    encoder = Encoder(game.states[agent_seat], observe, game.wagers, game.rules, several)
    if forced == "skip" and not has_choice(game.rules, game.states[agent_seat]):
        raise ValueError(
            f"forced='skip': the {game.role(agent_seat)} never has a choice under {game.rules.name!r}; "
            f"use forced='offer'"
        )
    continues = shoe_mode == "continuing"
    return HandSetup(
        game=game,
        seat=agent_seat,
        seats=seats,
        encoder=encoder,
        skips_forced=forced == "skip",
        replaces_illegal=illegal_action == "replace",
        continues=continues,
        shoe=shoe_options(game, continues, penetration, start_cards),
    )
