"""The arguments of the environments whose episode is a shoe, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from pan9_gym.envs.setup import (
    EachStakes,
    Forced,
    HandArguments,
    HandSetup,
    IllegalAction,
    RulesOption,
    dealer_setup,
    player_setup,
)
from pan9_gym.envs.shoe_observation import ShoeEncoder
from pan9_gym.game.round import Game
from pan9_gym.game.stakes import Amount, read_amount
from pan9_gym.policies.play import DEFAULT_POLICY, Seats, read_opponents, seat_policy
from pan9_gym.rules.catalog import DEFAULT_SHEET, RulesLike
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import read_whole

PASS, ACCEPT = 0, 1
"""The banker's amounts: he plays a hand for no wagers or for all of them."""


class ShoeOptions(TypedDict, total=False):
    """What is read the same way for a hand and for a shoe; `ShoePlayerEnv` explains each."""

    observe: str | Sequence[str]
    forced: Forced
    illegal_action: IllegalAction
    penetration: float | None
    start_cards: tuple[int, int] | None


class ShoeArguments(ShoeOptions, total=False):
    """What both roles' environments take."""

    rules: RulesOption
    num_players: int
    opponents: Mapping[str, Any] | None
    fee: Amount


class ShoePlayerArguments(ShoeArguments, total=False):
    """What `ShoePlayerEnv` takes."""

    seat: int
    wager_choices: Sequence[int] | None
    side_stakes: Mapping[str, Amount] | None


class ShoeDealerArguments(ShoeArguments, total=False):
    """What `ShoePlayerDealerEnv` takes."""

    wagers: Sequence[Amount] | None
    side_stakes: EachStakes


@dataclass(frozen=True)
class ShoeSetup:
    """The arguments of such an environment, read and checked.

    Attributes:
        hand: What one hand has: game, seat, policies, shoe.
        amounts: What the agent may play a hand for, in whole multiples of the game's wagers; 0 sits it out.
        fee: What it pays for each hand that it plays, in units.
        others: The policies of all seats where the agent sits a hand out.
        encoder: The encoder of observations.
    """

    hand: HandSetup
    amounts: tuple[int, ...]
    fee: Fraction
    others: Seats
    encoder: ShoeEncoder

    def read_policies(self, opponents: Mapping[str, Any] | None) -> tuple[Seats, Seats]:
        """The policies of the other seats, and of all seats where the agent sits a hand out.

        Raises:
            ValueError: If a policy is not possible.
        """
        return read_both(self.hand.game, self.hand.seat, opponents)


def shoe_player_setup(
    rules: RulesLike = DEFAULT_SHEET,
    num_players: int = 1,
    seat: int = 0,
    wager_choices: Sequence[int] | None = None,
    side_stakes: Mapping[str, Amount] | None = None,
    fee: Amount = 0,
    opponents: Mapping[str, Any] | None = None,
    several: bool = False,
    **options: Unpack[ShoeOptions],
) -> ShoeSetup:
    """A player's seat; the arguments are those of `ShoePlayerEnv`.

    Raises:
        ValueError: If an argument is not possible.
    """
    hand = player_setup(
        rules=rules,
        num_players=num_players,
        seat=seat,
        side_stakes=side_stakes,
        several=several,
        **_for_hand(options, opponents),
    )
    if "wagers" in hand.encoder.features:
        raise ValueError("observe: 'wagers' is not possible here: the agent's wager is an entry of its own")
    amounts = _read_wagers(hand.game.rules, wager_choices)
    _, others = read_both(hand.game, seat, opponents)
    encoder = ShoeEncoder(hand.encoder, amounts[-1])
    return ShoeSetup(hand, amounts, _read_fee(fee), others, encoder)


def shoe_dealer_setup(
    rules: RulesLike = DEFAULT_SHEET,
    num_players: int = 1,
    wagers: Sequence[Amount] | None = None,
    side_stakes: EachStakes = None,
    fee: Amount = 0,
    opponents: Mapping[str, Any] | None = None,
    several: bool = False,
    **options: Unpack[ShoeOptions],
) -> ShoeSetup:
    """The banker's seat; the arguments are those of `ShoePlayerDealerEnv`.

    Raises:
        ValueError: If an argument is not possible.
    """
    players, _ = _split(opponents)
    hand = dealer_setup(
        rules=rules,
        num_players=num_players,
        wagers=wagers,
        side_stakes=side_stakes,
        several=several,
        **_for_hand(options, players),
    )
    _, others = read_both(hand.game, hand.seat, opponents)
    return ShoeSetup(hand, (PASS, ACCEPT), _read_fee(fee), others, ShoeEncoder(hand.encoder, None))


def read_both(game: Game, seat: int, opponents: Mapping[str, Any] | None) -> tuple[Seats, Seats]:
    """The policies of the other seats, and of all seats where the agent sits a hand out.

    Args:
        game: Who is at the table.
        seat: The agent's seat.
        opponents: As `read_opponents` takes them; where the agent is the banker also "banker", who banks the
            hands that the agent passes.

    Raises:
        ValueError: If a policy is not possible.
    """
    if game.rules.with_replacement:
        raise ValueError(f"rules {game.rules.name!r}: a shoe is finite, but num_decks is infinite")
    given, own = _split(opponents) if seat == game.banker_seat else (opponents, DEFAULT_POLICY)
    seats = read_opponents(game, seat, given)
    return seats, (*seats[:seat], seat_policy(game, seat, own), *seats[seat + 1 :])


def _split(opponents: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
    """The players' policies, and that of who banks the hands that the agent passes."""
    if not isinstance(opponents, Mapping) or "banker" not in opponents:
        return opponents, DEFAULT_POLICY
    for key in opponents:
        if key not in ("banker", "players"):
            raise ValueError(f"opponents: unknown key {key!r}; allowed: banker, players")
    return {key: policy for key, policy in opponents.items() if key != "banker"}, opponents["banker"]


def _for_hand(options: ShoeOptions, opponents: Mapping[str, Any] | None) -> HandArguments:
    """The options as the setup of a hand reads them, observing the shoe unless they say otherwise."""
    observe = options.get("observe", "shoe")
    return {**options, "opponents": opponents, "observe": observe, "shoe_mode": "continuing"}


def _read_wagers(rules: RulesConfig, choices: Sequence[int] | None) -> tuple[int, ...]:
    least, most = rules.wager_limits.least, rules.wager_limits.most
    if choices is None:
        return tuple(range(least, most + 1))
    if isinstance(choices, str) or not isinstance(choices, Sequence) or not choices:
        raise ValueError(f"wager_choices {choices!r}: a list of whole units such as [1, 2, 5, 10] is needed")
    amounts = [read_whole("wager_choices", choice, least, most) for choice in choices]
    if amounts != sorted(set(amounts)):
        raise ValueError(f"wager_choices {choices!r}: each wager may come once, the lowest first")
    return tuple(amounts)


def _read_fee(fee: Amount) -> Fraction:
    return read_amount("fee", fee, or_zero=True)
