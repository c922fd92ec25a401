"""The environments whose episode is a shoe: a player who chooses wagers, a banker who may pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pan9_gym.envs.setup import EachStakes, Forced, IllegalAction, RulesOption
from pan9_gym.envs.sheets import each_sheet
from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_setup import shoe_dealer_setup, shoe_player_setup
from pan9_gym.game.stakes import Amount
from pan9_gym.rules.catalog import DEFAULT_SHEET


class ShoePlayerEnv(ShoeEnv):
    """A player who wagers on a count: `Pan9/ShoePlayer-v0`.

    ## Description

    The episode is a shoe, from the shuffle to the cut card. Before each hand the player sees how many cards
    of each point value are left and chooses its wager within the limits of the table; then it is dealt a hand
    and stands or draws. The game is that of `PlayerEnv`. Whoever knows the count can tell hands that favour
    the player from those that do not, and can play the draw decision better.

    ## Action Space

    `Discrete(2 + number of wagers)`: 0 stand, 1 draw, 2 + k the k-th wager, by default 2 for the least to 11
    for ten units. Draw decisions and wagers take turns; `info["action_mask"]` says which actions are legal.
    An action of the other kind counts as illegal: it is replaced by the legal one with the lowest number,
    the least wager or the forced move, else standing.

    ## Observation Space

    `Box`, float32. Default `observe="shoe"` for one player:

    | index | feature | meaning | low | high |
    |---|---|---|---|---|
    | 0 | due | 1 if a draw decision is due, 0 if an amount is | 0 | 1 |
    | 1 | wager | the hand's wager, divided by the greatest; 0 before it is chosen | 0 | 1 |
    | 2 | counts | own cards worth 0 | 0 | 3 |
    | 3 | counts | own cards worth 1 | 0 | 3 |
    | 4 | counts | own cards worth 2 | 0 | 3 |
    | 5 | counts | own cards worth 3 | 0 | 3 |
    | 6 | counts | own cards worth 4 | 0 | 3 |
    | 7 | counts | own cards worth 5 | 0 | 3 |
    | 8 | counts | own cards worth 6 | 0 | 3 |
    | 9 | shoe | share of the cards worth 0 left before the hand | 0 | 1 |
    | 10 | shoe | share of the cards worth 1 left before the hand | 0 | 1 |
    | 11 | shoe | share of the cards worth 2 left before the hand | 0 | 1 |
    | 12 | shoe | share of the cards worth 3 left before the hand | 0 | 1 |
    | 13 | shoe | share of the cards worth 4 left before the hand | 0 | 1 |
    | 14 | shoe | share of the cards worth 5 left before the hand | 0 | 1 |
    | 15 | shoe | share of the cards worth 6 left before the hand | 0 | 1 |

    The other `observe` of `PlayerEnv` are possible too, but for `wagers`; `observation_layout()` prints the
    table. Before a hand is dealt the entries about it are 0.

    ## Starting State

    A shuffled shoe. `reset(options={"cards": ["A", "5", ...]})` lists its first cards in the order of the
    deal; it is over when a hand might not be dealt from the listed cards that are left.

    ## Rewards

    When a hand ends: wager times payoff, with the side stakes, less `fee`; 0 otherwise. Hands that a natural
    ends, and with `forced="skip"` hands without a choice, end with the wager's own step. The exact fraction
    is turned to float last.

    ## Episode End

    `terminated` is true when the hand during which the cut card came is over, or a further hand might not be
    dealt. `truncated` is never true. One player's shoe of 432 cards has about 60 hands, two steps each.

    ## Information

    `info_state` (-1 while no draw is due), `action_mask`, int8 (2 + wagers,), and `amount`, the wager of the
    hand that is played or was played last, 0 before the first. A step adds `action`, what was played, and
    `action_replaced`; where a hand ended `totals`, the final totals of all seats, banker last.

    ## Arguments

    `rules`, `num_players`, `seat`, `opponents`, `illegal_action`, `side_stakes` and `render_mode` are those
    of `PlayerEnv`, `penetration` and `start_cards` those of its continuing shoe. Further:

    - `wager_choices`: whole units within the sheet's `wager_limits`, lowest first; default all.
    - `fee`: a flat collection in units that the player pays for each hand (T6, S5); default 0.
    - `forced`: "offer" or "skip", for draw decisions.

    ## Version History

    - v0: first version.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """

    def __init__(
        self,
        rules: RulesOption = DEFAULT_SHEET,
        num_players: int = 1,
        seat: int = 0,
        opponents: Mapping[str, Any] | None = None,
        observe: str | Sequence[str] = "shoe",
        forced: Forced = "offer",
        illegal_action: IllegalAction = "replace",
        wager_choices: Sequence[int] | None = None,
        side_stakes: Mapping[str, Amount] | None = None,
        fee: Amount = 0,
        penetration: float | None = None,
        start_cards: tuple[int, int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        setups = each_sheet(
            shoe_player_setup,
            rules,
            num_players=num_players,
            seat=seat,
            opponents=opponents,
            observe=observe,
            forced=forced,
            illegal_action=illegal_action,
            wager_choices=wager_choices,
            side_stakes=side_stakes,
            fee=fee,
            penetration=penetration,
            start_cards=start_cards,
        )
        super().__init__(setups, render_mode)


class ShoePlayerDealerEnv(ShoeEnv):
    """A player-dealer who accepts or passes the bank hand by hand: `Pan9/ShoePlayerDealer-v0`.

    ## Description

    The episode is a shoe, from the shuffle to the cut card. Before each hand the bank is offered: the agent
    sees how many cards of each point value are left and passes or accepts. Whoever passes has no part in the
    hand: somebody else banks it by a policy, and its cards are seen. Whoever accepts plays the banker's hand
    of `PlayerDealerEnv`. Without a `fee` the bank is nearly always worth having; a collection makes it a
    question of the count.

    ## Action Space

    `Discrete(4)`: 0 stand, 1 draw, 2 pass, 3 accept. Offers and draw decisions take turns;
    `info["action_mask"]` says which actions are legal. An action of the other kind counts as illegal: it is
    replaced by the legal one with the lowest number, passing or the forced move, else standing.

    ## Observation Space

    As in `ShoePlayerEnv`, without the entry `wager`; after the shoe's shares the choices of the players.
    Every `observe` of `PlayerDealerEnv` is possible, `wagers` too.

    ## Starting State, Rewards, Episode End, Information

    As in `ShoePlayerEnv`. A passed hand pays 0 and costs no fee; `info["amount"]` is 1 for a hand that was
    accepted and 0 for one that was passed.

    ## Arguments

    `rules`, `num_players`, `illegal_action`, `wagers`, `side_stakes` and `render_mode` are those of
    `PlayerDealerEnv`, `penetration` and `start_cards` those of its continuing shoe, `fee` and `forced` those
    of `ShoePlayerEnv`. Further:

    - `opponents`: `{"players": ..., "banker": policy}`, the players and whoever banks the passed hands;
      default the logical way.

    ## Version History

    - v0: first version.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """

    def __init__(
        self,
        rules: RulesOption = DEFAULT_SHEET,
        num_players: int = 1,
        opponents: Mapping[str, Any] | None = None,
        observe: str | Sequence[str] = "shoe",
        forced: Forced = "offer",
        illegal_action: IllegalAction = "replace",
        wagers: Sequence[Amount] | None = None,
        side_stakes: EachStakes = None,
        fee: Amount = 0,
        penetration: float | None = None,
        start_cards: tuple[int, int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        setups = each_sheet(
            shoe_dealer_setup,
            rules,
            num_players=num_players,
            opponents=opponents,
            observe=observe,
            forced=forced,
            illegal_action=illegal_action,
            wagers=wagers,
            side_stakes=side_stakes,
            fee=fee,
            penetration=penetration,
            start_cards=start_cards,
        )
        super().__init__(setups, render_mode)
