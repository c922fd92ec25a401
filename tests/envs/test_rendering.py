"""`render_mode="ansi"`: the table as the agent may see it, and all of it when the hand is over."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import pytest

from pan9_gym import load_rules
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv

Deal = Callable[..., list[str]]


def test_a_player_sees_the_own_cards_and_the_earlier_choices(deal: Deal) -> None:
    env = PlayerEnv(num_players=3, seat=1, render_mode="ansi", wagers=[1, 2, "1/2"])
    env.reset(options={"cards": deal("3 K K", "A 4 K", "6 2 K", "6 A K", draws="2 4")})
    assert env.render() == "\n".join(
        [
            "bicycle: 3 against the banker",
            "player 0: ? ? ?, draws ?",
            "player 1 (you): 1 4 0 = 5",
            "player 2: ? ? ?",
            "banker  : ? ? ?",
        ]
    )
    env.step(1)
    assert env.render() == "\n".join(
        [
            "bicycle: 3 against the banker",
            "player 0: 3 0 0 2 = 5, draws 2",
            "player 1 (you): 1 4 0 4 = 9, draws 4",
            "player 2: 6 2 0 = 8, stands",
            "banker  : 6 1 0 = 7, stands",
            "player 0: loss, net -1",
            "player 1: win, net 2",
            "player 2: win, net 1/2",
            "banker: net -3/2",
        ]
    )


def test_the_banker_sees_every_choice_and_no_other_card(deal: Deal) -> None:
    env = PlayerDealerEnv("hawaiian_gardens", num_players=2, render_mode="ansi")
    env.reset(options={"cards": deal("4 K K", "6 K K", "5 K K", draws="6 5")})
    assert env.render() == "\n".join(
        [
            "hawaiian_gardens: 2 against the banker",
            "player 0: ? ? ?, draws ?",
            "player 1: ? ? ?, stands",
            "banker   (you): 5 0 0 = 5",
        ]
    )
    env.step(1)
    text = env.render()
    assert text is not None
    assert text.splitlines()[3:] == [
        "banker   (you): 5 0 0 5 = 0, draws 5",
        "player 0: tie, net -1",  # 0 against 0: a tie that the bank wins (H1)
        "player 1: win, net 1",
        "banker: net 0",
    ]


def test_a_card_drawn_face_up_is_shown(deal: Deal) -> None:
    env = PlayerDealerEnv(load_rules("bicycle", banker_sees="card"), render_mode="ansi")
    env.reset(options={"cards": deal("4 K K", "6 A K", draws="3")})
    text = env.render()
    assert text is not None
    assert "player 0: ? ? ?, draws 3" in text.splitlines()


def test_choices_made_unseen_are_not_shown_before_the_end(deal: Deal) -> None:
    env = PlayerEnv(load_rules("bicycle", choices="simultaneous"), num_players=2, seat=1, render_mode="ansi")
    env.reset(options={"cards": deal("4 K K", "6 K K", "6 A K", draws="3")})
    before = env.render()
    env.step(0)
    after = env.render()
    assert before is not None
    assert after is not None
    assert "player 0: ? ? ?" in before.splitlines()
    assert "player 0: 4 0 0 3 = 7, draws 3" in after.splitlines()


def test_cards_with_suits_are_shown_with_them(deal: Deal) -> None:
    env = PlayerEnv("bicycle_bonus", side_stakes={"dragon": 1}, render_mode="ansi")
    env.reset(options={"cards": deal("4h Kh Jd", "6s As Kd", draws="5c")})
    assert "player 0 (you): 4h Kh Jd = 4" in str(env.render())
    env.step(1)
    assert "player 0 (you): 4h Kh Jd 5c = 9, draws 5c" in str(env.render())
    assert "player 0: win, net 5" in str(env.render())  # off suit with four cards: 4 to 1, and the wager


def test_gymnasium_make_renders_too() -> None:
    env = gymnasium.make("Pan9/Player-v0", render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert isinstance(text, str)
    assert text.startswith("bicycle: 1 against the banker\nplayer 0 (you): ")


def test_render_before_the_first_hand_asks_for_a_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        PlayerEnv(render_mode="ansi").render()


def test_render_without_the_mode_warns_and_gives_nothing() -> None:
    env = PlayerEnv()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match='without render_mode="ansi"'):
        assert env.render() is None
