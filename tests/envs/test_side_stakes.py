"""Side stakes in the reward: Dragon, BC, Super 0 (S6-S9) and the tie wager (U10), worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import Action, load_rules
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.rules.terms import SuitClass

Deal = Callable[..., list[str]]

STAND, DRAW = Action.STAND, Action.DRAW
LOW_BANKER = "6s Kh Kd"  # 6: the logical way stands, and loses to 9 and 8
BONUS = "bicycle_bonus"


def reward_of(env: PlayerEnv | PlayerDealerEnv, cards: list[str], action: Action = STAND) -> float:
    env.reset(options={"cards": cards})
    reward: float = env.step(action)[1]
    return reward


@pytest.mark.parametrize(
    ("own", "draw", "odds"),
    [
        ("4h 5h Kh", "", 20),  # three cards, suited
        ("4h 5d Kh", "", 10),  # one colour
        ("4h 5s Kh", "", 2),  # off suit
        ("4c Kc Qc", "5c", 100),  # four cards, suited
        ("4c Kc Qs", "5s", 40),  # one colour
        ("4c Kc Qc", "5h", 4),  # off suit, by the drawn card alone
        ("4h 4h Kh", "", -1),  # suited, but 8
    ],
)
def test_S7_a_dragon_stake_pays_beside_the_wager(own: str, draw: str, odds: int, deal: Deal) -> None:
    """The stake is a twentieth per unit wagered, so that it counts twice with a wager of 2."""
    cards = deal(own, LOW_BANKER, draws=draw)
    action = DRAW if draw else STAND
    for wager in (1, 2):
        env = PlayerEnv(BONUS, side_stakes={"dragon": "1/20"}, wagers=[wager])
        assert reward_of(env, cards, action) == float(wager * (1 + Fraction(odds, 20)))


def test_S7_a_dragon_stake_wins_though_the_hand_ties(deal: Deal) -> None:
    env = PlayerEnv(BONUS, side_stakes={"dragon": 1})
    assert reward_of(env, deal("4h 5h Kh", "4c 5d Ks")) == 20.0


@pytest.mark.parametrize(
    ("own", "net"), [("3h 3h 3h", 3000), ("3h 3d 3h", 300), ("3h 3s 3h", 150), ("3h 3h 4h", -1)]
)
def test_S6_a_bc_stake_is_paid_on_the_first_three_cards(own: str, net: int, deal: Deal) -> None:
    """Three threes are 9 and win against 6, three to the ten lose: 3 + 3 + 4 is 0, which must draw (a K)."""
    env = PlayerEnv(BONUS, side_stakes={"bc": 1})
    base = -1 if own.endswith("4h") else 1
    assert reward_of(env, deal(own, LOW_BANKER, draws="Kd"), DRAW) == base + net


def test_S6_the_stake_of_a_winner_comes_back_or_not_as_the_sheet_says(deal: Deal) -> None:
    prizes = {"prizes": {"suited": 3000, "same_colour": 300, "off_suit": 150}, "stake": 5}
    for returned, net in ((True, Fraction(600)), (False, Fraction(599))):
        rules = load_rules(BONUS, side_bets={"bc": {**prizes, "stake_returned": returned}})
        env = PlayerEnv(rules, side_stakes={"bc": 1})
        assert reward_of(env, deal("3h 3h 3h", LOW_BANKER)) == 1 + net


@pytest.mark.parametrize(
    ("player", "banker", "draws", "wanted"),
    [
        ("4 K K", "5 K J", "6 5", -1 + 100),  # 0-0: the wager loses (S4) and the side bet wins
        ("5 K K", "5 K J", "6 6", 50),
        ("6 6 K", "6 6 Q", "K K", 40),
        ("3 K K", "3 Q K", "K K", 20),
        ("4 K K", "4 Q K", "K K", 10),
        ("5 K K", "5 Q K", "K K", -1),  # a tie on 5
        ("4 K K", "6 A K", "K", -1 - 1),  # no tie: an own 4 wins nothing
    ],
)
def test_S8_super_0_pays_low_ties(player: str, banker: str, draws: str, wanted: int, deal: Deal) -> None:
    env = PlayerEnv(BONUS, side_stakes={"super_0": 1})
    assert reward_of(env, deal(player, banker, draws=draws), DRAW) == wanted


def test_S8_super_0_on_the_own_total_is_the_other_reading(deal: Deal) -> None:
    bets = {"super_0": {"payouts": {0: 100, 1: 50, 2: 40, 3: 20, 4: 10}, "on": "own_total"}}
    env = PlayerEnv(load_rules(BONUS, side_bets=bets), side_stakes={"super_0": 1})
    assert reward_of(env, deal("4 K K", "6 A K", draws="K"), DRAW) == -1 + 10


def test_S9_side_stakes_combine_and_add_up_exactly(deal: Deal) -> None:
    """Three suited threes: the wager 1, Dragon 20 a tenth, BC 3000 a hundredth, Super 0 lost a third."""
    stakes = {"dragon": "1/10", "bc": "1/100", "super_0": "1/3"}
    env = PlayerEnv(BONUS, side_stakes=stakes)
    wanted = 1 + Fraction(20, 10) + Fraction(3000, 100) - Fraction(1, 3)
    assert reward_of(env, deal("3h 3h 3h", LOW_BANKER)) == float(wanted)


@pytest.mark.parametrize(
    ("sheet", "dealer_tie", "dealer_no_tie"),
    [("uk_1994_house", -7.0, 0.05), ("uk_1994_player", 0.0, -1.0)],
)
def test_U10_the_tie_wager_is_the_houses_whoever_banks(
    sheet: str, dealer_tie: float, dealer_no_tie: float, deal: Deal
) -> None:
    """The House that banks pays 7 on a tie and earns 1 else, 0.95 of it lost again; a player-banker never."""
    tie, won = deal("6 2 K", "5 3 Q"), deal("6 2 K", "6 A Q")
    player = PlayerEnv(sheet, side_stakes={"tie": 1})
    assert reward_of(player, tie) == 7.0
    assert reward_of(player, won) == float(player.game.rules.payout - 1)
    dealer = PlayerDealerEnv(sheet, side_stakes={"tie": 1})
    assert reward_of(dealer, tie) == dealer_tie
    assert reward_of(dealer, won) == dealer_no_tie


def test_U10_a_tie_wager_against_the_banker_is_his(deal: Deal) -> None:
    rules = load_rules("uk_1994_player", side_bets={"tie": {"payout": 7, "against": "banker"}})
    dealer = PlayerDealerEnv(rules, side_stakes={"tie": "1/2"})
    assert reward_of(dealer, deal("6 2 K", "5 3 Q")) == -3.5


def test_the_dealer_takes_the_players_stakes_one_mapping_for_all_or_one_each(deal: Deal) -> None:
    """Two hands of 9 beat 6: suited (Dragon 20:1), off suit (2:1)."""
    cards = deal("4h 5h Kh", "4h 5s Kh", LOW_BANKER)
    for stakes, net in (
        ({"dragon": 1}, 2 + 20 + 2),
        ([{"dragon": 1}, None], 2 + 20),
        ([None, {"dragon": "1/2"}], 2 + 1),
        ([None, None], 2),
        (None, 2),
    ):
        env = PlayerDealerEnv(BONUS, num_players=2, side_stakes=stakes)
        assert reward_of(env, cards) == -net


def test_only_the_agents_seat_holds_side_stakes(deal: Deal) -> None:
    """Its neighbour's suited 9 pays nothing extra, and its own loses the stake."""
    env = PlayerEnv(BONUS, num_players=2, seat=1, side_stakes={"dragon": 1}, render_mode="ansi")
    assert reward_of(env, deal("4h 5h Kh", "6h 2h Kh", LOW_BANKER)) == 1 - 1
    assert str(env.render()).splitlines()[-3:] == [
        "player 0: win, net 1",
        "player 1: win, net 0",
        "banker: net -1",
    ]


@pytest.mark.parametrize(
    ("own", "suits"),
    [("5h Kh Kh", SuitClass.SUITED), ("5h Kd Kh", SuitClass.SAME_COLOUR), ("5h Kc Kh", SuitClass.OFF_SUIT)],
)
@pytest.mark.parametrize("observe", ["hand", "total"])
def test_a_dragon_stake_shows_the_suit_class(own: str, suits: SuitClass, observe: str, deal: Deal) -> None:
    env = PlayerEnv(BONUS, side_stakes={"dragon": 1}, observe=observe)
    obs, info = env.reset(options={"cards": deal(own, LOW_BANKER, draws="2h")})
    assert np.array_equal(obs, env.encode("0 0 5", suits=suits))
    assert obs[-3:].tolist() == [float(kind == suits) for kind in SuitClass]
    assert info["info_state"] == env.game.states[0].hands.index((0, 0, 5)) * 3 + suits


@pytest.mark.parametrize("stakes", [{"bc": 1}, {"super_0": 1}])
def test_other_stakes_show_no_suits(stakes: dict[str, Any]) -> None:
    env = PlayerEnv(BONUS, side_stakes=stakes)
    assert "suit_class" not in {entry.feature for entry in env.encoder.layout}
    assert env.game.states[0].num_states == 84


def test_with_a_suited_stake_every_listed_card_needs_its_suit(deal: Deal) -> None:
    env = PlayerEnv(BONUS, side_stakes={"dragon": 1})
    with pytest.raises(ValueError, match="card 'K': side stakes need a suit on every card, such as 'Ks'"):
        env.reset(options={"cards": deal("5h K Kh", LOW_BANKER, draws="2h")})


def test_shuffled_hands_with_a_dragon_stake_pay_what_their_cards_say() -> None:
    """Every reward is base + stake x one of the seven odds; -1 and 2 to 1 both come within 300 hands."""
    env = PlayerEnv(BONUS, side_stakes={"dragon": 1})
    odds_seen = set()
    for number in range(300):
        env.reset(seed=number)
        _, reward, _, _, info = env.step(STAND)
        player, banker = info["totals"]
        base = 1 if player > banker else -1 if player < banker or player == 0 else 0
        odds = reward - base
        assert odds in ((2, 4, 10, 20, 40, 100) if player == 9 else (-1,))
        odds_seen.add(odds)
    assert {-1, 2} <= odds_seen
