"""`Pan9/PlayerDealer-v0`: the bank's rewards, worked out by hand: minus the sum over the seats."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import pytest

from pan9_gym import Action, TabularPolicy, load_rules
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.rules import sheet_names

Deal = Callable[..., list[str]]

STAND, DRAW = Action.STAND, Action.DRAW
PAN9 = [sheet for sheet in sheet_names() if not sheet.startswith("baccarat")]
LOSS = {"uk_1994_house": -0.95}  # what the bank pays a winner: 19 for 20, else 1 for 1

# player (the logical way), banker, the banker's action, draw cards, totals, other sheets, the usual reward
HANDS: dict[str, tuple[str, str, Action, str, tuple[int, int], dict[str, float], float]] = {
    "loses": ("6 2 Q", "6 A K", STAND, "", (8, 7), LOSS, -1.0),
    "wins": ("6 K Q", "6 A K", STAND, "", (6, 7), {}, 1.0),
    "wins with a drawn card": ("6 A K", "4 K Q", DRAW, "4", (7, 8), {}, 1.0),
    "both draw, the player first": ("4 K Q", "A K J", DRAW, "2 6", (6, 7), {}, 1.0),
    "both draw, the bank loses": ("4 K Q", "A K J", DRAW, "5 6", (9, 7), LOSS, -1.0),
    "tie on 0": ("4 K Q", "5 K J", DRAW, "6 5", (0, 0), {"bicycle_bonus": 1, "hawaiian_gardens": 1}, 0.0),
    "tie on 1": ("5 K Q", "5 Q J", DRAW, "6 6", (1, 1), {"hawaiian_gardens": 1}, 0.0),
    "tie on 9": ("6 3 K", "5 4 Q", STAND, "", (9, 9), {}, 0.0),
}


def played(env: PlayerDealerEnv, cards: list[str], action: Action) -> tuple[float, tuple[int, ...]]:
    env.reset(options={"cards": cards})
    _, reward, _, _, info = env.step(action)
    return reward, info["totals"]


@pytest.mark.parametrize("sheet", PAN9)
@pytest.mark.parametrize("hand", HANDS)
def test_the_reward_of_a_dealt_hand(sheet: str, hand: str, deal: Deal) -> None:
    player, banker, action, draws, totals, other, usual = HANDS[hand]
    reward, found = played(PlayerDealerEnv(sheet), deal(player, banker, draws=draws), action)
    assert found == totals
    assert reward == other.get(sheet, usual)


# the player is the logical way; in punto banco the banker's moves are forced, and these are the forced ones
BACCARAT_HANDS: dict[str, tuple[str, str, Action, str, tuple[int, int], float]] = {
    "both stand, the bank loses": ("5 2", "3 3", STAND, "", (7, 6), -1.0),
    "both stand, the bank wins": ("10 6", "9 8", STAND, "", (6, 7), 1.0),
    "both draw, the player first": ("2 K", "10 A", DRAW, "5 8", (7, 9), 1.0),
    "a stand on 3 against an 8": ("2 3", "K 3", STAND, "8", (3, 3), 0.0),
    "a draw on 6 against a 7": ("2 3", "K 6", DRAW, "7 3", (2, 9), 1.0),
}


@pytest.mark.parametrize("sheet", ["baccarat_chemin_de_fer", "baccarat_punto_banco"])
@pytest.mark.parametrize("hand", BACCARAT_HANDS)
def test_the_reward_of_a_dealt_hand_of_baccarat(sheet: str, hand: str, deal: Deal) -> None:
    player, banker, action, draws, totals, reward = BACCARAT_HANDS[hand]
    env = PlayerDealerEnv(sheet, illegal_action="error")
    assert played(env, deal(player, banker, draws=draws), action) == (reward, totals)


@pytest.mark.parametrize(
    ("draws", "seen"), [("", "stand"), *((str(card), f"draw:{card}") for card in range(2, 10))]
)
def test_the_banker_of_baccarat_sees_the_drawn_card_and_the_state_numbers_it(
    draws: str, seen: str, deal: Deal
) -> None:
    env = PlayerDealerEnv("baccarat_chemin_de_fer")
    obs, info = env.reset(options={"cards": deal("2 3" if draws else "2 5", "K 6", draws=draws)})
    assert np.array_equal(obs, env.encode((0, 6), (seen,)))
    pattern, hand = divmod(info["info_state"], 55)
    assert pattern == (1 + int(draws) if draws else 0)
    assert env.game.states[1].hands[hand] == (0, 6)


@pytest.mark.parametrize(
    ("wagers", "reward"),
    [(None, 0.0), ([1, 1, 5], 4.0), (["1/2", 3, 2], -1.0), ([2, Fraction(1, 3), 1], 2 / 3)],
)
def test_unequal_wagers_are_summed_over_the_seats(wagers: Any, reward: float, deal: Deal) -> None:
    """The bank holds 7: a tie with seat 0 (a draw to 7), a loss to seat 1 (8), a win against seat 2 (6)."""
    env = PlayerDealerEnv(num_players=3, wagers=wagers)
    cards = deal("5 K K", "6 2 K", "6 Q K", "6 A K", draws="2")
    assert played(env, cards, STAND) == (reward, (7, 8, 6, 7))


def test_the_sum_is_exact_before_it_becomes_a_float(deal: Deal) -> None:
    """Three tenths lost at 19 to 20: -57/200, where a sum of three floats gives another number."""
    env = PlayerDealerEnv("uk_1994_house", num_players=3, wagers=["1/10"] * 3)
    reward, totals = played(env, deal("6 2 K", "6 2 Q", "6 2 J", "6 A K"), STAND)
    assert totals == (8, 8, 8, 7)
    assert reward == -57 / 200
    assert reward != -0.1 * 0.95 - 0.1 * 0.95 - 0.1 * 0.95


def test_the_banker_sees_who_drew_and_the_state_numbers_it(deal: Deal) -> None:
    """Seats 0 and 2 draw, seat 1 stands: pattern 1 + 0 + 4."""
    env = PlayerDealerEnv(num_players=3)
    cards = deal("5 K K", "6 2 K", "2 Q K", "6 A K", draws="2 2 2")
    obs, info = env.reset(options={"cards": cards})
    assert obs.tolist() == [1, 1, 0, 0, 0, 0, 1, 1, 0, 1]
    assert divmod(info["info_state"], 84) == (5, env.game.states[3].hands.index((0, 1, 6)))


@pytest.mark.parametrize("num_players", range(1, 8))
def test_one_to_seven_players(num_players: int, deal: Deal) -> None:
    """All players stand on 8 and win from 7, each its own wager."""
    wagers = [*range(1, num_players + 1)]
    env = PlayerDealerEnv(num_players=num_players, wagers=wagers)
    reward, totals = played(env, deal(*["6 2 K"] * num_players, "6 A K"), STAND)
    assert totals == (8,) * num_players + (7,)
    assert reward == -sum(wagers)
    assert env.observation_space.shape == (7 + num_players,)


def test_with_choices_unseen_the_banker_observes_his_cards_only(deal: Deal) -> None:
    env = PlayerDealerEnv(load_rules("bicycle", banker_sees="nothing"), num_players=2)
    for player in ("5 K K", "6 2 K"):
        obs, info = env.reset(options={"cards": deal(player, "6 K K", "6 A K", draws="2 2")})
        assert obs.tolist() == [1, 1, 0, 0, 0, 0, 1]
        assert info["info_state"] == env.game.states[2].hands.index((0, 1, 6))


def test_with_the_drawn_card_seen_the_banker_observes_it(deal: Deal) -> None:
    env = PlayerDealerEnv(load_rules("bicycle", banker_sees="card"))
    obs, info = env.reset(options={"cards": deal("5 K K", "6 A K", draws="3 2")})
    assert obs.tolist() == [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert divmod(info["info_state"], 84)[0] == 1 + 3
    assert np.array_equal(obs, env.encode("0 1 6", ("draw:3",)))


def test_a_list_names_the_players_in_seat_order(deal: Deal) -> None:
    env = PlayerDealerEnv(
        num_players=3, opponents={"players": ["always_draw", "always_stand", "logical_way"]}
    )
    cards = deal("6 2 K", "2 K K", "3 K K", "6 A K", draws="A 2")
    assert played(env, cards, STAND)[1] == (9, 2, 5, 7)


def test_tables_and_other_policies_play_too(deal: Deal) -> None:
    class NeverDraws:
        def draw_prob(self, hand: Any, choices: Any = (), suits: Any = None) -> int:
            return 0

    table = TabularPolicy.from_totals(load_rules("bicycle"), "player", {8}, num_players=2, seat=0)
    env = PlayerDealerEnv(num_players=2, opponents={"players": [table, NeverDraws()]})
    assert played(env, deal("6 2 K", "2 K K", "6 A K", draws="A"), STAND)[1] == (9, 2, 7)


def test_set_opponents_counts_from_the_next_hand_on(deal: Deal) -> None:
    env = PlayerDealerEnv()
    cards = deal("2 K K", "6 A K", draws="6")
    env.reset(options={"cards": cards})
    env.set_opponents({"players": "always_stand"})
    assert env.step(STAND)[4]["totals"] == (8, 7)
    assert played(env, cards, STAND) == (1.0, (2, 7))


def test_a_uniform_player_draws_about_half_the_time() -> None:
    """1000 hands at significance 1e-4: within 3.89 x 15.8 of 500."""
    env = PlayerDealerEnv(opponents={"players": "uniform"})
    env.reset(seed=2)
    drew = sum(int(env.reset()[0][7]) for _ in range(1000))
    assert abs(drew - 500) < 62


@pytest.mark.parametrize("num_players", [1, 3])
def test_encode_equals_the_observation_of_every_hand_that_comes(num_players: int) -> None:
    env = PlayerDealerEnv(num_players=num_players)
    states = env.game.states[env.seat]
    patterns = set()
    for number in range(300):
        obs, info = env.reset(seed=number)
        pattern, hand = divmod(info["info_state"], len(states.hands))
        assert np.array_equal(env.encode(states.hands[hand], states.patterns[pattern]), obs)
        patterns.add(pattern)
    assert len(patterns) == 2**num_players


def test_a_table_made_with_encode_plays_like_the_net_it_came_from() -> None:
    """What `encode` is for: a function of observations becomes a policy over information states."""
    env = PlayerDealerEnv(observe="total")

    def net(obs: np.ndarray[Any, Any]) -> float:
        return float(obs[:6].sum() or (obs[6] and not obs[10]))  # draws on 0-5, and on 6 if the player stood

    table = TabularPolicy.from_callable(
        env.game.rules, "banker", lambda hand, seen: net(env.encode(hand, seen))
    )
    assert table.draw_prob("0 0 6", ("stand",)) == 1
    assert table.draw_prob("0 0 6", ("draw",)) == 0
    assert table.draw_prob("0 1 6", ("stand",)) == 0
    assert table.draw_prob("0 0 5", ("draw",)) == 1


@pytest.mark.parametrize("made", [PlayerDealerEnv, lambda: gymnasium.make("Pan9/PlayerDealer-v0")])
def test_step_needs_a_hand_that_waits(made: Callable[[], Any]) -> None:
    env = made()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset"):
        env.step(STAND)
    env.reset(seed=1)
    env.step(STAND)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"no hand waits for a decision; call reset"):
        env.step(STAND)
