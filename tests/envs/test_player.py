"""`Pan9/Player-v0`: the rewards of dealt hands, worked out by hand, and who plays the other seats.

The cards of a hand are listed in the order of the deal by the fixture `deal`; the banker is the last hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import Action, TabularPolicy, load_rules
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.policies import Policy
from pan9_gym.rules import sheet_names
from tests.rules.tableau import BANKER_DRAWS_AGAINST

Deal = Callable[..., list[str]]

STAND, DRAW = Action.STAND, Action.DRAW
BACCARAT = ("baccarat_chemin_de_fer", "baccarat_punto_banco")
PAN9 = [sheet for sheet in sheet_names() if sheet not in BACCARAT]
WIN = {"uk_1994_house": 0.95}  # 19 to 20; every other sheet pays 1 to 1

# player, banker (who plays the logical way), the player's action, draw cards, totals at the end, the sheets
# on which the reward is not the usual one, the usual reward
HANDS: dict[str, tuple[str, str, Action, str, tuple[int, int], dict[str, float], float]] = {
    "win, nobody draws": ("6 2 Q", "6 A K", STAND, "", (8, 7), WIN, 1.0),
    "loss, nobody draws": ("6 K Q", "6 A K", STAND, "", (6, 7), {}, -1.0),
    "win with a drawn card": ("3 K Q", "6 A K", DRAW, "6", (9, 7), WIN, 1.0),
    "loss with a drawn card": ("4 K Q", "6 A K", DRAW, "6", (0, 7), {}, -1.0),
    "the banker draws himself to 0": ("5 K Q", "3 2 J", STAND, "5", (5, 0), WIN, 1.0),
    "both draw, the player first": ("4 K Q", "A K J", DRAW, "2 6", (6, 7), {}, -1.0),
    "tie on 0": ("4 K Q", "5 K J", DRAW, "6 5", (0, 0), {"bicycle_bonus": -1, "hawaiian_gardens": -1}, 0.0),
    "tie on 1": ("5 K Q", "5 Q J", DRAW, "6 6", (1, 1), {"hawaiian_gardens": -1}, 0.0),
    "tie on 2": ("6 6 K", "6 6 Q", DRAW, "K K", (2, 2), {}, 0.0),
    "tie on 8": ("6 2 K", "5 3 Q", STAND, "", (8, 8), {}, 0.0),
    "tie on 9": ("6 3 K", "5 4 Q", STAND, "", (9, 9), {}, 0.0),
}


@pytest.mark.parametrize("sheet", PAN9)
@pytest.mark.parametrize("hand", HANDS)
def test_the_reward_of_a_dealt_hand(sheet: str, hand: str, deal: Deal) -> None:
    player, banker, action, draws, totals, other, usual = HANDS[hand]
    env = PlayerEnv(sheet)
    env.reset(options={"cards": deal(player, banker, draws=draws)})
    _, reward, terminated, truncated, info = env.step(action)
    assert info["totals"] == totals
    assert info["action"] == action
    assert reward == other.get(sheet, usual)
    assert (terminated, truncated) == (True, False)


# the banker plays the logical way in chemin de fer and the tableau in punto banco
BACCARAT_HANDS: dict[str, tuple[str, str, Action, str, tuple[int, int], float]] = {
    "both stand, win": ("5 2", "3 3", STAND, "", (7, 6), 1.0),
    "both stand, loss": ("10 6", "9 8", STAND, "", (6, 7), -1.0),
    "both stand, tie on 7": ("4 3", "K 7", STAND, "", (7, 7), 0.0),
    "both draw, the player first": ("2 K", "10 A", DRAW, "5 8", (7, 9), -1.0),
    "a drawn card makes 9, which is no natural": ("2 2", "K Q", DRAW, "5 9", (9, 9), 0.0),
}


@pytest.mark.parametrize("sheet", BACCARAT)
@pytest.mark.parametrize("hand", BACCARAT_HANDS)
def test_the_reward_of_a_dealt_hand_of_baccarat(sheet: str, hand: str, deal: Deal) -> None:
    player, banker, action, draws, totals, reward = BACCARAT_HANDS[hand]
    env = PlayerEnv(sheet)
    env.reset(options={"cards": deal(player, banker, draws=draws)})
    _, found, terminated, truncated, info = env.step(action)
    assert (info["totals"], info["action"], found) == (totals, action, reward)
    assert (terminated, truncated) == (True, False)


@pytest.mark.parametrize("card", range(10))
@pytest.mark.parametrize("banker", range(8))
def test_K3_the_tableau_answers_the_players_card_whatever_policy_is_named(
    banker: int, card: int, deal: Deal
) -> None:
    """The banker holds a king and his total; a card he takes is a 9."""
    held, drawn = ({0: "K", 1: "A"}.get(value, str(value)) for value in (banker, card))
    draws = BANKER_DRAWS_AGAINST[f"draw:{card}"][banker] == "D"
    for name in ("logical_way", "always_draw", "always_stand"):
        env = PlayerEnv("baccarat_punto_banco", opponents={"banker": name})
        env.reset(options={"cards": deal("2 3", f"K {held}", draws=f"{drawn} 9")})
        totals = env.step(DRAW)[4]["totals"]
        assert totals == ((5 + card) % 10, (banker + 9) % 10 if draws else banker)


@pytest.mark.parametrize("sheet", sheet_names())
def test_rewards_of_random_hands_follow_from_the_final_totals(sheet: str) -> None:
    """The settlement written once more, from the clauses: B6, S4, H1, U8, U9."""
    lost_ties = {"bicycle_bonus": {0}, "hawaiian_gardens": {0, 1}}.get(sheet, set())
    env = PlayerEnv(sheet)
    seen = set()
    for number in range(400):
        env.reset(seed=number)
        _, reward, _, _, info = env.step(number % 2)
        player, banker = info["totals"]
        tie = -1.0 if player in lost_ties else 0.0
        wanted = WIN.get(sheet, 1.0) if player > banker else -1.0 if player < banker else tie
        assert reward == wanted
        seen.add((reward, player == banker))
    assert {(-1.0, False), (WIN.get(sheet, 1.0), False), (0.0, True)} <= seen


def test_the_wager_multiplies_the_payoff_and_becomes_a_float_last(deal: Deal) -> None:
    for wager, wanted in ((2, 1.9), ("1/3", 19 / 60), ("0.1", 0.095), (10**6, 950_000.0)):
        env = PlayerEnv("uk_1994_house", wagers=[wager])
        env.reset(options={"cards": deal("6 2 Q", "6 A K")})
        assert env.step(STAND)[1] == wanted


def test_other_players_wagers_do_not_touch_the_reward(deal: Deal) -> None:
    for wagers in ([1, 3, 1], [7, 3, "1/2"]):
        env = PlayerEnv(num_players=3, seat=1, wagers=wagers)
        env.reset(options={"cards": deal("6 3 K", "6 2 K", "6 A K", "6 Q K")})
        assert env.step(STAND)[1] == 3.0


@pytest.mark.parametrize("seat", range(7))
def test_every_seat_gets_its_own_cards_sees_the_earlier_choices_and_its_own_reward(
    seat: int, deal: Deal
) -> None:
    """Seats 0-6 hold 0 to 6, so that 0-5 draw the logical way; each draws a 2; the banker stands on 7."""
    hands = ["K K K", "A K K", "2 K K", "3 K K", "4 K K", "5 K K", "6 K K"]
    env = PlayerEnv(num_players=7, seat=seat, observe="hand")
    obs, info = env.reset(options={"cards": deal(*hands, "6 A K", draws="2 2 2 2 2 2 2")})
    own = (0, 0, seat)
    choices = ("draw",) * seat
    assert np.array_equal(obs, env.encode(own, choices))
    assert obs[7:].tolist() == [1.0] * seat
    hand_number = env.game.states[seat].hands.index(tuple(sorted(own)))
    assert info["info_state"] == (2**seat - 1) * 84 + hand_number
    _, reward, _, _, info = env.step(DRAW)
    totals = [2, 3, 4, 5, 6, 7, 6]
    totals[seat] = seat + 2
    assert info["totals"] == (*totals, 7)
    assert reward == {0: -1, 1: -1, 2: -1, 3: -1, 4: -1, 5: 0, 6: 1}[seat]


def test_the_pattern_has_the_first_seat_least_significant(deal: Deal) -> None:
    """Seat 0 stands on 8, seat 1 draws on 3, seat 2 stands on 6: pattern 0 + 2 + 0 for seat 3."""
    env = PlayerEnv(num_players=4, seat=3)
    cards = deal("6 2 K", "3 K K", "6 K K", "A A A", "6 A K", draws="K K")
    obs, info = env.reset(options={"cards": cards})
    assert obs.tolist() == [0, 3, 0, 0, 0, 0, 0, 0, 1, 0]
    assert divmod(info["info_state"], 84) == (2, env.game.states[3].hands.index((1, 1, 1)))


def test_later_seats_choose_after_the_agent_and_draw_after_it(deal: Deal) -> None:
    env = PlayerEnv(num_players=2, seat=0)
    cards = deal("A K K", "2 K K", "6 A K", draws="6 4")
    env.reset(options={"cards": cards})
    assert env.step(DRAW)[4]["totals"] == (7, 6, 7)
    env.reset(options={"cards": cards})
    assert env.step(STAND)[4]["totals"] == (1, 8, 7)


def test_step_shows_the_hand_that_was_decided(deal: Deal) -> None:
    env = PlayerEnv(num_players=2, seat=1)
    obs, info = env.reset(options={"cards": deal("A K K", "2 K 3", "6 A K", draws="6 4")})
    after, _, _, _, final = env.step(DRAW)
    assert np.array_equal(obs, after)
    assert final["info_state"] == info["info_state"]


def test_actions_are_numbers_of_any_library_or_names(deal: Deal) -> None:
    cards = deal("A K K", "6 A K", draws="6")
    for action in (1, DRAW, np.int64(1), np.uint8(1), np.array(1)):
        env = PlayerEnv()
        env.reset(options={"cards": cards})
        assert env.step(action)[4]["action"] == 1


def final_totals(env: PlayerEnv, cards: list[str], action: Action = STAND) -> tuple[int, ...]:
    env.reset(options={"cards": cards})
    totals: tuple[int, ...] = env.step(action)[4]["totals"]
    return totals


class DrawsOnAces:
    """A `Policy` that is no table: it draws with an ace, whatever the total."""

    def draw_prob(self, hand: Any, choices: Any = (), suits: Any = None) -> float:
        return float(1 in hand)


@pytest.mark.parametrize(
    ("banker", "total"),
    [
        ("logical_way", 7),
        ("always_draw", 9),
        ("always_stand", 7),
        ("wizard", 7),
        (TabularPolicy.from_totals(load_rules("bicycle"), "banker", {7}), 9),
        (DrawsOnAces(), 9),
    ],
)
def test_the_banker_may_be_a_name_a_table_or_any_policy(banker: Any, total: int, deal: Deal) -> None:
    env = PlayerEnv(opponents={"banker": banker})
    assert final_totals(env, deal("6 K K", "6 A K", draws="2"))[1] == total


def test_a_class_with_draw_prob_is_a_policy() -> None:
    assert isinstance(DrawsOnAces(), Policy)


def test_the_banker_of_the_published_chart_draws_on_6_against_a_hand_that_stood(deal: Deal) -> None:
    cards = deal("6 K K", "6 Q K", draws="3 3")
    for banker, totals in (("wizard", (6, 9)), ("logical_way", (6, 6))):
        env = PlayerEnv(opponents={"banker": banker})
        assert final_totals(env, cards) == totals
        assert final_totals(env, cards, DRAW) == (9, 6)  # against a card he stands


def test_a_list_names_the_other_players_in_seat_order(deal: Deal) -> None:
    hands = ["2 K K", "6 K K", "3 K K", "6 A K"]
    env = PlayerEnv(num_players=3, seat=1, opponents={"players": ["always_stand", "always_draw"]})
    assert final_totals(env, deal(*hands, draws="4")) == (2, 6, 7, 7)
    env = PlayerEnv(num_players=3, seat=1, opponents={"players": ["always_draw", "always_stand"]})
    assert final_totals(env, deal(*hands, draws="4")) == (6, 6, 3, 7)


def test_one_policy_plays_all_other_players_and_the_banker_keeps_the_default(deal: Deal) -> None:
    for players in ("always_stand", DrawsOnAces()):
        env = PlayerEnv(num_players=3, seat=1, opponents={"players": players})
        cards = deal("2 K K", "6 K K", "3 K K", "5 K K", draws="4")
        assert final_totals(env, cards) == (2, 6, 3, 9)


def test_by_default_all_play_the_logical_way(deal: Deal) -> None:
    env = PlayerEnv(num_players=3, seat=1)
    cards = deal("5 K K", "A K K", "6 K K", "4 K K", draws="A 2")
    assert final_totals(env, cards) == (6, 1, 6, 6)


def test_a_table_for_a_seat_must_be_of_that_seat() -> None:
    rules = load_rules("bicycle")
    table = TabularPolicy.from_totals(rules, "player", range(5), num_players=3, seat=2)
    PlayerEnv(num_players=3, seat=1, opponents={"players": ["logical_way", table]})
    with pytest.raises(ValueError, match="is for player seat 2 of num_players=3; here player seat 0"):
        PlayerEnv(num_players=3, seat=1, opponents={"players": [table, "logical_way"]})


def test_set_opponents_counts_from_the_next_hand_on(deal: Deal) -> None:
    cards = deal("6 K K", "6 Q A", draws="2")
    env = PlayerEnv()
    env.reset(options={"cards": cards})
    env.set_opponents({"banker": "always_draw"})
    assert env.step(STAND)[4]["totals"] == (6, 7)
    assert final_totals(env, cards) == (6, 9)
    env.set_opponents(None)
    assert final_totals(env, cards) == (6, 7)


def test_opponents_that_are_refused_change_nothing(deal: Deal) -> None:
    env = PlayerEnv(opponents={"banker": "always_draw"})
    with pytest.raises(ValueError, match="policy 'allways_stand' is not known"):
        env.set_opponents({"banker": "allways_stand"})
    assert final_totals(env, deal("6 K K", "6 Q A", draws="2")) == (6, 9)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"observe": "total"},
        {"num_players": 3, "seat": 2},
        {"num_players": 3, "seat": 1, "observe": ("choices", "cards", "wagers")},
        {"rules": "bicycle_bonus", "forced": "skip"},
    ],
)
def test_encode_equals_the_observation_of_every_hand_that_comes(arguments: dict[str, Any]) -> None:
    env = PlayerEnv(**arguments)
    states = env.game.states[env.seat]
    patterns = set()
    for number in range(300):
        obs, info = env.reset(seed=number)
        pattern, hand = divmod(info["info_state"], len(states.hands))
        assert np.array_equal(env.encode(states.hands[hand], states.patterns[pattern]), obs)
        patterns.add(pattern)
    assert len(patterns) == 2**env.seat


@pytest.mark.parametrize("sheet", PAN9)
def test_all_84_hands_have_their_own_state_and_observation(sheet: str, deal: Deal) -> None:
    env = PlayerEnv(sheet)
    card = {0: "K", 1: "A"}
    seen = []
    for hand in env.game.states[0].hands:
        own = " ".join(card.get(value, str(value)) for value in reversed(hand))
        obs, info = env.reset(options={"cards": deal(own, "6 2 K")})
        assert np.array_equal(obs, env.encode(hand))
        seen.append(info["info_state"])
    assert seen == [*range(84)]


@pytest.mark.parametrize("sheet", BACCARAT)
def test_every_hand_of_baccarat_but_the_naturals_has_its_own_state_and_observation(
    sheet: str, deal: Deal
) -> None:
    env = PlayerEnv(sheet)
    card = {0: "10", 1: "A"}
    seen, naturals = [], []
    for number, hand in enumerate(env.game.states[0].hands):
        cards = deal(" ".join(card.get(value, str(value)) for value in reversed(hand)), "5 2")
        if sum(hand) % 10 in (8, 9):
            naturals.append(number)
            with pytest.raises(ValueError, match="a natural ends the hand before any decision"):
                env.reset(options={"cards": cards})
        else:
            obs, info = env.reset(options={"cards": cards})
            assert np.array_equal(obs, env.encode(hand))
            seen.append(info["info_state"])
    assert sorted(seen + naturals) == [*range(55)]
    assert len(naturals) == 11  # 0 8, 1 7, 2 6, 3 5, 4 4, 9 9 and 0 9, 1 8, 2 7, 3 6, 4 5


@pytest.mark.parametrize("made", [PlayerEnv, lambda: gymnasium.make("Pan9/Player-v0")])
def test_step_needs_a_hand_that_waits(made: Callable[[], Any]) -> None:
    env = made()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset"):
        env.step(STAND)
    env.reset(seed=1)
    env.step(STAND)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"no hand waits for a decision; call reset"):
        env.step(STAND)
    assert not env.unwrapped.action_masks().any()


def test_a_reset_that_fails_leaves_no_hand_to_go_on_with(deal: Deal) -> None:
    env = PlayerEnv()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="card 'Z' is not known"):
        env.reset(options={"cards": ["Z"] * 8})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(STAND)
    assert final_totals(env, deal("6 2 K", "6 A K")) == (8, 7)


def test_a_stacked_shoe_that_runs_out_says_so(deal: Deal) -> None:
    env = PlayerEnv()
    env.reset(options={"cards": deal("6 K K", "6 A K")})
    with pytest.raises(ValueError, match="stacked shoe has run out: 6 cards were listed"):
        env.step(DRAW)
    with pytest.raises(gymnasium.error.ResetNeeded):  # the failed step ended the hand
        env.step(STAND)


def test_more_cards_than_the_hand_takes_stay_in_the_stacked_shoe(deal: Deal) -> None:
    env = PlayerEnv()
    assert final_totals(env, deal("6 K K", "6 A K", draws="A A A A A A")) == (6, 7)
