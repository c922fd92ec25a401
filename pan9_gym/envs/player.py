"""`Pan9/Player-v0`: a player's draw decision, once per hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pan9_gym.envs.hand_env import HandEnv
from pan9_gym.envs.setup import Forced, IllegalAction, RulesOption, ShoeMode, player_setup
from pan9_gym.envs.sheets import each_sheet
from pan9_gym.game.stakes import Amount
from pan9_gym.rules.catalog import DEFAULT_SHEET


class PlayerEnv(HandEnv):
    """A player's draw decision, once per hand, against the banker.

    ## Description

    Super Pan 9: three cards each from a shoe without 7, 8, 9 and 10; ace 1, 2-6 face value, J Q K 0; the last
    digit of the points counts. The player stands or draws one card; the banker, the card rooms'
    *player-dealer*, has seen who drew and acts last; the higher total wins. Forced moves, ties, payout and
    decks come from the rule sheet (`rules`).

    ## Action Space

    `Discrete(2)`: 0 stand, 1 draw (`pan9_gym.Action`).

    ## Observation Space

    A float32 `Box`. With the default arguments (`observe="hand"`, seat 0):

    | index | feature | meaning | low | high |
    |---|---|---|---|---|
    | 0 | counts | own cards worth 0 | 0 | 3 |
    | 1 | counts | own cards worth 1 | 0 | 3 |
    | 2 | counts | own cards worth 2 | 0 | 3 |
    | 3 | counts | own cards worth 3 | 0 | 3 |
    | 4 | counts | own cards worth 4 | 0 | 3 |
    | 5 | counts | own cards worth 5 | 0 | 3 |
    | 6 | counts | own cards worth 6 | 0 | 3 |

    With `observe="total"`:

    | index | feature | meaning | low | high |
    |---|---|---|---|---|
    | 0 | total | 1 if the own total is 0 | 0 | 1 |
    | 1 | total | 1 if the own total is 1 | 0 | 1 |
    | 2 | total | 1 if the own total is 2 | 0 | 1 |
    | 3 | total | 1 if the own total is 3 | 0 | 1 |
    | 4 | total | 1 if the own total is 4 | 0 | 1 |
    | 5 | total | 1 if the own total is 5 | 0 | 1 |
    | 6 | total | 1 if the own total is 6 | 0 | 1 |
    | 7 | total | 1 if the own total is 7 | 0 | 1 |
    | 8 | total | 1 if the own total is 8 | 0 | 1 |
    | 9 | total | 1 if the own total is 9 | 0 | 1 |

    Each earlier seat that is seen adds `1 if player i drew`. `env.unwrapped.observation_layout()` prints the
    table for any arguments.

    ## Starting State

    Cards are dealt one at a time clockwise from seat 0; seats before the agent have chosen. `reset(options=
    {"cards": ["A", "5", ...]})` deals the listed cards in that order: first the hands, one card at a time,
    then one card per taken draw, seat 0 first and the banker last.

    On sheets with naturals (baccarat) a hand that ends at once brings no decision and no episode: `reset`
    deals on to the next hand, and refuses listed cards that make a natural. The mean reward there is
    conditional on hands without a natural, while exact values count every hand.

    ## Rewards

    Net payoff in units when the hand is over: the player's wager times its payoff, and the
    payoffs of its side stakes.
    The exact fraction is turned to float last.

    ## Episode End

    `terminated` is true after the one step. `truncated` is never true.

    ## Information

    Both calls: `info_state`, the number of the information state (see `pan9_gym.game.info_state`), and
    `action_mask`, int8 (2,), 1 where legal, zeros once the hand is over. A step adds `action`, the move that
    was played, `action_replaced`, whether it was not the move asked for, and `totals`, the final totals of
    all seats, banker last. Before the end, `info` holds nothing that the seat may not see.

    ## Arguments

    - `rules`: a sheet's name, a path to a sheet, or a `RulesConfig`; or a list of them, from which each
      episode's is drawn. Sheets of one list have the same cards and information states; the presets of
      `observe` then have the feature `rules` too (forced moves, ties, pay, packs), and `info["rules"]` is the
      sheet's place. `reset(options={"rules": "bicycle"})` takes this one.
    - `num_players`: players against the banker, 1 to the sheet's `max_players`.
    - `seat`: the agent's seat, 0 at the banker's left.
    - `opponents`: `{"banker": policy, "players": policy or list}`; each a policy's name (`logical_way`,
      `always_draw`, `always_stand`, `uniform`, `wizard`), a `TabularPolicy` or a `Policy`; the list
      names the other players in seat order.
      Default: all play the logical way.
    - `observe`: "total" (own total and choices), "hand" (counts of the own cards and choices, one to one with
      the information state), "shoe" (hand, and for each point value the share of its cards that a continuing
      shoe held before the hand: all cards of earlier hands are known once they are settled, those that
      `start_cards` dealt out too; listed cards and fresh shoes are full), or a tuple of features out of
      total, counts, cards, choices, num_drawers, suit_class, wagers, shoe, mix, rules. "mix" is the shares of
      "shoe", each divided by the share of all cards: of order 1 in any shoe, and the easier to learn from.
    - `forced`: "offer" gives the agent every hand and a mask; "skip" plays the hands in which it has no
      choice by itself, so the mean reward is conditional on having a choice.
    - `illegal_action`: "replace" plays the forced move and says so in `info`; "error" raises.
    - `wagers`: one per player, in units; whole numbers, fractions or texts such as "1/2".
    - `side_stakes`: the agent's stakes on side bets of the sheet, per unit wagered, such as
      `{"dragon": "1/20"}`.
    - `shoe_mode`: "fresh" deals every hand from a full shoe; "continuing" goes on until the cut card, which
      comes after the part `penetration` of the shoe (default: while a hand can be dealt). `start_cards=(low,
      high)` starts every shoe with that many cards left, drawn uniformly, the others dealt out unseen.
    - `render_mode`: "ansi" or `None`.

    ## Version History

    - v0: first version.

    ## References

    The rule sheets in `configs/rules/` name their sources clause by clause.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """

    def __init__(
        self,
        rules: RulesOption = DEFAULT_SHEET,
        num_players: int = 1,
        seat: int = 0,
        opponents: Mapping[str, Any] | None = None,
        observe: str | Sequence[str] = "hand",
        forced: Forced = "offer",
        illegal_action: IllegalAction = "replace",
        wagers: Sequence[Amount] | None = None,
        side_stakes: Mapping[str, Amount] | None = None,
        shoe_mode: ShoeMode = "fresh",
        penetration: float | None = None,
        start_cards: tuple[int, int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        setups = each_sheet(
            player_setup,
            rules,
            num_players=num_players,
            seat=seat,
            opponents=opponents,
            observe=observe,
            forced=forced,
            illegal_action=illegal_action,
            wagers=wagers,
            side_stakes=side_stakes,
            shoe_mode=shoe_mode,
            penetration=penetration,
            start_cards=start_cards,
        )
        super().__init__(setups, render_mode)
