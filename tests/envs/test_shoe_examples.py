"""Shoes by example: side stakes, fees, passed banks, naturals, skipped hands, and where a shoe ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pan9_gym.envs.shoe_env import ShoeEnv
from pan9_gym.envs.shoe_roles import ShoePlayerDealerEnv, ShoePlayerEnv
from pan9_gym.game import StackedShoe, new_game
from pan9_gym.rules import Action, RulesConfig, load_rules
from tests.envs.conftest import Deal


def test_side_stakes_ride_along_per_unit_wagered(deal: Deal) -> None:
    """A Dragon of 1/20 with a natural suited nine pays in proportion to the wager."""
    rules = load_rules("bicycle_bonus")
    hand = deal("5h 4h Kh", "2c 3d 2s")
    for wager, fee in ((1, 0), (10, 0), (3, "1/7")):
        env = ShoePlayerEnv(rules, side_stakes={"dragon": "1/20", "super_0": "1/3"}, fee=fee)
        game = new_game(rules, wagers=[wager], side_stakes=[{"dragon": "1/20", "super_0": "1/3"}])
        env.reset(options={"cards": [*hand, *hand[:2]]})
        env.step(1 + wager)
        state = game.new_round().deal_first_cards(StackedShoe(rules, hand, with_suits=True)._cards)
        ended = state.apply_all([Action.STAND, Action.STAND])
        found = env.step(0)[1]
        assert found == float(ended.returns()[0] - Fraction(fee))
        assert ended.returns()[0] == wager * (1 + Fraction(1, 20) * dragon_payout(rules) - Fraction(1, 3))


def dragon_payout(rules: RulesConfig) -> Fraction:
    """What a suited nine of three cards is paid, from its own one-unit stake."""
    stacked = StackedShoe(rules, "5h 2c 4h 3d Kh 2s".split(), with_suits=True)._cards
    base, more = (
        new_game(rules, side_stakes=[stakes]).new_round().deal_first_cards(cards)
        for stakes, cards in ((None, (5, 2, 4, 3, 0, 2)), ({"dragon": 1}, stacked))
    )
    nets = [state.apply_all([Action.STAND, Action.STAND]).returns()[0] for state in (base, more)]
    return nets[1] - nets[0]


@pytest.mark.parametrize(("fee", "wager", "won"), [("1/3", 1, 2 / 3), (2, 1, -1.0), ("1/7", 10, 69 / 7)])
def test_a_fee_is_paid_for_every_hand_that_is_played(fee: Any, wager: int, won: float, deal: Deal) -> None:
    env = ShoePlayerEnv(fee=fee)
    win, tie = deal("6 2 K", "6 A K"), deal("6 A K", "5 2 K")
    env.reset(options={"cards": [*win, *tie, *"23"]})
    for result in (won, -float(Fraction(fee))):
        env.step(1 + wager)
        assert env.step(0)[1] == result


def test_a_passed_hand_costs_nothing_and_its_cards_are_seen(deal: Deal) -> None:
    env = ShoePlayerDealerEnv(fee=5, opponents={"players": "always_stand", "banker": "always_draw"})
    obs, _ = env.reset(
        options={"cards": [*deal("K 2 A", "6 6 6", draws="5"), *deal("K 2 A", "6 6 6"), "3", "4"]}
    )
    assert obs[8:15].tolist() == [1.0] * 7
    obs, reward, over, _, info = env.step(2)
    assert (reward, over, info["amount"], info["totals"]) == (0.0, False, 0, (3, 3))
    seen = np.array([1, 1, 1, 0, 0, 1, 3], dtype=np.float32)
    full = np.array(env.game.rules.initial_counts, dtype=np.float32)
    assert np.array_equal(obs[8:15], (full - seen) / full)
    env.step(3)
    obs, reward, over, _, info = env.step(0)
    assert (reward, over, info["amount"], info["totals"]) == (-4.0, True, 1, (3, 8))
    seen += np.array([1, 1, 1, 0, 0, 0, 3], dtype=np.float32)
    assert np.array_equal(obs[8:15], (full - seen) / full)


def test_a_natural_ends_the_hand_at_the_wagers_step(deal: Deal) -> None:
    env = ShoePlayerEnv("baccarat_chemin_de_fer", fee="1/2")
    env.reset(options={"cards": [*deal("4 5", "K 8"), *deal("K 5", "K 4", draws="4 2"), *"KK"]})
    _, reward, over, _, info = env.step(2 + 3)
    assert (reward, over, info["amount"], info["totals"]) == (3.5, False, 4, (9, 8))
    assert env.step(2)[1:3] == (0.0, False)
    _, reward, over, _, info = env.step(1)
    assert (reward, over, info["totals"]) == (0.5, True, (9, 6))


def test_forced_hands_are_skipped_at_the_wagers_step(deal: Deal) -> None:
    """bicycle_bonus: a player must draw on 0 to 4 and must stand on 7 to 9."""
    env = ShoePlayerEnv("bicycle_bonus", forced="skip")
    shoe = [*deal("K 2 A", "6 A K", draws="5"), *deal("6 A K", "6 A A"), *deal("5 A K", "6 A K"), *"23"]
    env.reset(options={"cards": shoe})
    assert env.step(5)[1:3] == (4.0, False)  # 3 draws a 5: 8 against 7
    assert env.step(3)[1:3] == (-2.0, False)  # 7 stands: 7 against 8
    _, reward, over, _, info = env.step(2)
    assert (reward, over, info["action_mask"][:2].tolist()) == (0.0, False, [1, 1])
    assert env.step(1)[1] == 1.0  # 6 draws a 2: 8 against 7


def test_a_shoe_is_over_when_a_hand_might_not_be_dealt_from_it(deal: Deal) -> None:
    hand = deal("6 A K", "6 A K")  # both stand
    for spare, hands in ((1, 0), (2, 1), (7, 1), (8, 2), (13, 2), (14, 3)):
        env = ShoePlayerEnv()
        cards = [*hand, *hand, *hand][: 6 + spare]
        if hands == 0:
            with pytest.raises(ValueError, match="lists 7 cards; a hand may take 8"):
                env.reset(options={"cards": cards})
            continue
        cards = [*hand, *hand, *hand, *hand][: 6 + spare]
        env.reset(options={"cards": cards})
        for number in range(hands):
            env.step(2)
            assert env.step(0)[2] is (number == hands - 1)


def left(env: ShoeEnv, obs: npt.NDArray[Any]) -> int:
    """How many cards the observation says are left."""
    places = slice(1, 8) if env.seat == env.game.banker_seat else slice(2, 9)
    shares = obs[places.stop : places.stop + 7]
    return round(float((shares * np.array(env.game.rules.initial_counts)).sum()))


@pytest.mark.parametrize("env", [ShoePlayerEnv, ShoePlayerDealerEnv])
@pytest.mark.parametrize(("penetration", "start"), [(0.1, None), (Fraction(1, 3), (330, 340)), (1, (8, 30))])
def test_the_hand_in_which_the_cut_card_comes_is_the_last(env: Any, penetration: Any, start: Any) -> None:
    made = env(penetration=penetration, start_cards=start)
    cut = round(432 * penetration)
    starts = set()
    for shoe in range(30):
        obs, info = made.reset(seed=1 if shoe == 0 else None)
        starts.add(left(made, obs))
        over = False
        while not over:
            before = 432 - left(made, obs)
            assert before < cut
            assert 432 - before >= 8
            obs, _, over, *_ = made.step(3)
            assert not over
            assert left(made, obs) == 432 - before  # the hand's cards are seen when it is over
            obs, _, over, _, info = made.step(shoe % 2)
            dealt = 432 - left(made, obs)
            assert 6 <= dealt - before <= 8
            assert over == (dealt >= cut or 432 - dealt < 8)
        assert not info["action_mask"].any()
    low, high = start or (432, 432)
    assert low <= min(starts) <= max(starts) <= high
    assert len(starts) > (high - low) / 4


def test_shares_are_the_cards_really_left_to_the_end_of_a_pack() -> None:
    """From one pack, all of its cards: what was in the hands shown is missing from the shares, no more."""
    rules = load_rules("bicycle", num_decks=1)
    env = ShoePlayerEnv(rules, render_mode="ansi")
    full = np.array(rules.initial_counts)
    for shoe in range(20):
        obs, _ = env.reset(seed=5 if shoe == 0 else None)
        seen, over = np.zeros(7, dtype=int), False
        while not over:
            assert np.array_equal(obs[9:16], ((full - seen) / full).astype(np.float32))
            env.step(2)
            obs, _, over, *_ = env.step(1)
            hands = [line for line in str(env.render()).splitlines() if " = " in line]
            shown = [int(card) for line in hands for card in line.split(": ")[1].split(" = ")[0].split()]
            seen += np.bincount(shown, minlength=7)
        assert np.array_equal(obs[9:16], ((full - seen) / full).astype(np.float32))
        assert (seen <= full).all()
