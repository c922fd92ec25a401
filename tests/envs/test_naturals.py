"""Baccarat in the environments: hands that a natural ends are dealt past, and cannot be stacked (K1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pan9_gym import Action, load_rules, solver
from pan9_gym.envs.player import PlayerEnv
from pan9_gym.envs.player_dealer import PlayerDealerEnv
from pan9_gym.policies import get
from tests.rules.tableau import BANKER_DRAWS_AGAINST, PLAYER

Deal = Callable[..., list[str]]

SHEETS = ("baccarat_chemin_de_fer", "baccarat_punto_banco")
both_envs = pytest.mark.parametrize("made", [PlayerEnv, PlayerDealerEnv])
both_sheets = pytest.mark.parametrize("sheet", SHEETS)


def shown_first_cards(env: PlayerEnv | PlayerDealerEnv) -> list[list[int]]:
    """The first two cards of both hands, read off the rendered end of the hand."""
    lines = re.findall(r"^(?:player 0|banker  )(?: \(you\))?: (\d) (\d)\b", str(env.render()), re.MULTILINE)
    assert len(lines) == 2
    return [[int(card) for card in cards] for cards in lines]


@both_envs
@both_sheets
@pytest.mark.parametrize("shoe_mode", ["fresh", "continuing"])
def test_every_hand_that_is_offered_has_no_natural_on_either_side(
    made: Any, sheet: str, shoe_mode: str
) -> None:
    env = made(sheet, render_mode="ansi", shoe_mode=shoe_mode)
    totals: Counter[int] = Counter()
    for number in range(300):
        _, info = env.reset(seed=1 if number == 0 else None)
        assert info["action_mask"].any()
        env.step(number % 2)
        totals.update(sum(cards) % 10 for cards in shown_first_cards(env))
    assert set(totals) == set(range(8))


@both_envs
@pytest.mark.parametrize("shoe_mode", ["fresh", "continuing"])
def test_dealing_past_naturals_leaves_them_out_and_changes_nothing_else(made: Any, shoe_mode: str) -> None:
    """From the same seed: the hands without the rule, less those with an 8 or 9; nobody draws in any."""
    free = load_rules("baccarat_chemin_de_fer", naturals=[], player_draw_rule={}, num_decks=1)
    stands = {"banker" if made is PlayerEnv else "players": "always_stand"}
    arguments = {"opponents": stands, "shoe_mode": shoe_mode, "render_mode": "ansi"}
    plain, ending = made(free, **arguments), made(load_rules(free, naturals=[8, 9]), **arguments)
    played = []
    for number in range(200):
        plain.reset(seed=9 if number == 0 else None)
        plain.step(0)
        hands = shown_first_cards(plain)
        if all(sum(cards) % 10 < 8 for cards in hands):
            played.append(hands)
    found = []
    for number in range(len(played)):
        ending.reset(seed=9 if number == 0 else None)
        ending.step(0)
        found.append(shown_first_cards(ending))
    assert 100 < len(played) < 180
    assert found == played


@both_envs
@both_sheets
@pytest.mark.parametrize(
    ("player", "banker"),
    [("5 3", "2 3"), ("2 3", "10 9"), ("K 8", "4 5"), ("9 9", "6 A"), ("4 4", "8 Q"), ("6 A", "A 7")],
)
def test_a_stacked_natural_on_either_side_is_refused_in_one_clear_error(
    made: Any, sheet: str, player: str, banker: str, deal: Deal
) -> None:
    env = made(sheet)
    cards = deal(player, banker, draws="2 3")
    wanted = f"options['cards'] {cards}: a natural ends the hand before any decision"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        env.reset(options={"cards": cards})
    assert not env.action_masks().any()  # no hand waits
    env.reset(options={"cards": deal("2 3", "6 A", draws="2 3")})  # and the environment goes on
    assert env.step(0)[2]


@both_envs
def test_without_naturals_the_same_cards_wait_for_a_decision(made: Any, deal: Deal) -> None:
    """The contrast: the rule ends the hand, and not the cards."""
    env = made(load_rules("baccarat_chemin_de_fer", naturals=[]))
    _, info = env.reset(options={"cards": deal("5 3", "4 5", draws="2 3")})
    assert info["action_mask"].tolist() == [1, 1]


@both_envs
@pytest.mark.parametrize("naturals", [[9], [8, 9], [0, 1, 2, 3, 4, 6, 7, 8, 9]])
def test_the_shares_of_hands_dealt_past_are_the_exact_ones(made: Any, naturals: list[int]) -> None:
    """The totals offered are those that are no naturals, as often as the solver says.

    A chi-square of 1500 hands at significance 1e-4 with up to 8 degrees of freedom: below 32.
    """
    rules = load_rules("baccarat_chemin_de_fer", naturals=naturals, player_draw_rule={})
    env = made(rules)
    states = env.game.states[env.seat]
    role = states.role
    values = solver.action_values(rules, role, get("logical_way", rules, role.opponent))
    reach: Counter[int] = Counter()
    for column, total in enumerate(states.column_totals):
        reach[total] += sum(values.reach_prob(pattern, column) for pattern in range(states.shape[0]))
    played = sum(reach.values(), Fraction(0))
    assert {total for total, prob in reach.items() if prob} == set(range(10)) - set(naturals)
    seen: Counter[int] = Counter()
    for number in range(1500):
        _, info = env.reset(seed=3 if number == 0 else None)
        seen[states.column_totals[info["info_state"] % states.shape[1]]] += 1
    expected = {total: 1500 * float(prob / played) for total, prob in reach.items() if prob}
    assert set(seen) <= set(expected)
    assert sum((seen[total] - mean) ** 2 / mean for total, mean in expected.items()) < 32


@pytest.mark.parametrize("total", range(8))
def test_K2_the_masks_of_chemin_de_fer(total: int, deal: Deal) -> None:
    own = f"K {({0: 'Q', 1: 'A'}).get(total, total)}"
    _, info = PlayerEnv(SHEETS[0]).reset(options={"cards": deal(own, "2 3")})
    assert info["action_mask"].tolist() == ([0, 1] if total <= 4 else [1, 1] if total == 5 else [1, 0])
    for player, card in (("6 K", ""), ("2 2", "7")):
        _, info = PlayerDealerEnv(SHEETS[0]).reset(options={"cards": deal(player, own, draws=card)})
        assert info["action_mask"].tolist() == [1, 1]


@pytest.mark.parametrize("seen", BANKER_DRAWS_AGAINST)
@pytest.mark.parametrize("total", range(8))
def test_K3_the_masks_of_punto_banco(total: int, seen: str, deal: Deal) -> None:
    faces = {0: "Q", 1: "A"}
    own = f"K {faces.get(total, total)}"
    _, info = PlayerEnv(SHEETS[1]).reset(options={"cards": deal(own, "2 3")})
    assert info["action_mask"].tolist() == ([0, 1] if PLAYER[total] == "D" else [1, 0])
    card = int(seen[-1]) if seen != "stand" else None
    draws = "" if card is None else str(faces.get(card, card))
    player = "6 K" if card is None else "2 3"
    _, info = PlayerDealerEnv(SHEETS[1]).reset(options={"cards": deal(player, own, draws=draws)})
    draw = BANKER_DRAWS_AGAINST[seen][total] == "D"
    assert info["action_mask"].tolist() == ([0, 1] if draw else [1, 0])


@pytest.mark.parametrize("action", list(Action))
def test_K3_a_move_against_the_tableau_is_replaced_and_info_says_so(action: Action, deal: Deal) -> None:
    """The banker's 3 stands against an 8 and draws against a 9."""
    env = PlayerDealerEnv(SHEETS[1])
    for card, forced in (("8", Action.STAND), ("9", Action.DRAW)):
        env.reset(options={"cards": deal("2 3", "K 3", draws=f"{card} 4")})
        _, _, _, _, info = env.step(action)
        assert info["action"] == forced
        assert info["action_replaced"] is (action != forced)
        assert info["totals"][1] == (7 if forced else 3)


@both_envs
def test_skip_is_refused_where_the_tableau_leaves_no_choice_and_offers_the_fives_of_chemin_de_fer(
    made: Any,
) -> None:
    with pytest.raises(ValueError, match=r"never has a choice under 'baccarat_punto_banco'"):
        made(SHEETS[1], forced="skip")
    env = PlayerEnv(SHEETS[0], forced="skip")
    seen = set()
    for number in range(60):
        obs, info = env.reset(seed=number)
        assert info["action_mask"].tolist() == [1, 1]
        seen.add(env.game.states[0].column_totals[info["info_state"]])
        assert np.array_equal(obs, env.encode(env.game.states[0].hands[info["info_state"]]))
    assert seen == {5}


@both_envs
def test_side_bets_of_punto_banco_are_paid_in_the_reward(made: Any, deal: Deal) -> None:
    """A unit, two on the banker's hand at 19:20 and one on the tie at 8:1; the bank gets the opposite."""
    stakes: dict[str, Any] = {"banker_hand": 2, "tie": 1}
    arguments = {"side_stakes": stakes} if made is PlayerEnv else {"side_stakes": [stakes]}
    sign = 1 if made is PlayerEnv else -1
    env = made(SHEETS[1], **arguments)
    for player, banker, net in (("K 6", "K 7", -1 + 1.9 - 1), ("K 7", "A 6", 8.0), ("K 7", "K 6", 1 - 2 - 1)):
        env.reset(options={"cards": deal(player, banker)})
        assert env.step(0)[1] == pytest.approx(sign * net, abs=1e-12)
