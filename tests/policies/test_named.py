"""The policies with a name, on every sheet and for every seat."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from pan9_gym import policies
from pan9_gym.game import legal_table
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import Action, load_rules, sheet_names
from tests.rules.tableau import BANKER_DRAWS_AGAINST, PLAYER

RULES = load_rules("bicycle")
NAMES = ("logical_way", "always_draw", "always_stand", "uniform", "wizard")
SEATS = [("player", 1, 0), ("player", 7, 0), ("player", 7, 3), ("banker", 1, 0), ("banker", 3, 0)]


def wanted_prob(name: str, role: str, choices: tuple[str, ...], total: int) -> Fraction:
    """What the texts say, without the code's tables."""
    if name == "uniform":
        return Fraction(1, 2)
    if name in ("always_draw", "always_stand"):
        return Fraction(name == "always_draw")
    top = 6 if name == "wizard" and role == "banker" and choices == ("stand",) else 5
    return Fraction(total <= top)


def test_the_names() -> None:
    assert tuple(policies.CHARTS) == NAMES


@pytest.mark.parametrize("sheet", sheet_names())
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("role", "num_players", "seat"), SEATS)
def test_every_name_on_every_sheet_and_seat(
    sheet: str, name: str, role: str, num_players: int, seat: int
) -> None:
    """The chart where the seat is free, the forced move where it is not."""
    rules = load_rules(sheet)
    if num_players > rules.max_players:
        with pytest.raises(ValueError, match=f"num_players {num_players}: '{sheet}' allows 1 to 1"):
            policies.get(name, rules, role, num_players, seat)
        return
    if name == "wizard" and role == "banker" and num_players > 1:
        with pytest.raises(
            ValueError, match=f"'wizard': its banker is published for one player only.*{num_players}"
        ):
            policies.get(name, rules, role, num_players, seat)
        return
    policy = policies.get(name, rules, role, num_players, seat)
    states = policy.states
    assert policy.name == name
    table = zip(states.patterns, policy.draw_probs, legal_table(rules, states), strict=True)
    for choices, row, legal in table:
        for total, moves, prob in zip(states.column_totals, legal, row, strict=True):
            free = len(moves) == 2
            assert prob == (wanted_prob(name, role, choices, total) if free else moves[0])


def test_s3_a_named_policy_takes_the_forced_moves() -> None:
    bonus = load_rules("bicycle_bonus")
    always = policies.get("always_draw", bonus, "player")
    never = policies.get("always_stand", bonus, "player")
    assert [always.draw_prob(hand) for hand in ("K K 4", "K K 5", "K A 6")] == [1, 1, 0]
    assert [never.draw_prob(hand) for hand in ("K K 4", "K K 5", "K A 6")] == [1, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_k2_in_chemin_de_fer_a_named_player_has_his_way_on_5_only(name: str) -> None:
    policy = policies.get(name, load_rules("baccarat_chemin_de_fer"), "player")
    wanted = {"logical_way": 1, "wizard": 1, "always_draw": 1, "always_stand": 0, "uniform": Fraction(1, 2)}
    found = [policy.draw_prob(f"K {total}" if total > 1 else f"K {'KA'[total]}") for total in range(10)]
    assert found == [1, 1, 1, 1, 1, wanted[name], 0, 0, 0, 0]


def test_k1_in_chemin_de_fer_a_named_banker_stands_on_naturals_and_follows_its_chart_elsewhere() -> None:
    rules = load_rules("baccarat_chemin_de_fer")
    hands = [f"K {total}" if total > 1 else f"K {'KA'[total]}" for total in range(10)]
    drawn = {name: policies.get(name, rules, "banker") for name in ("wizard", "logical_way", "always_draw")}
    for seen in ("stand", *(f"draw:{card}" for card in range(10))):
        rows = {name: [policy.draw_prob(hand, (seen,)) for hand in hands] for name, policy in drawn.items()}
        assert rows["logical_way"] == [1] * 6 + [0] * 4
        assert rows["wizard"] == ([1] * 7 + [0] * 3 if seen == "stand" else [1] * 6 + [0] * 4)
        assert rows["always_draw"] == [1] * 8 + [0] * 2


@pytest.mark.parametrize("name", NAMES)
def test_k3_in_punto_banco_every_named_policy_is_the_tableau(name: str) -> None:
    rules = load_rules("baccarat_punto_banco")
    player, banker = (policies.get(name, rules, role) for role in ("player", "banker"))
    for total in range(8):
        hand = f"K {total}" if total > 1 else f"K {'KA'[total]}"
        assert player.draw_prob(hand) == (PLAYER[total] == "D")
        for seen, moves in BANKER_DRAWS_AGAINST.items():
            assert banker.draw_prob(hand, (seen,)) == (moves[total] == "D")


def test_with_a_dragon_stake_the_named_policies_ignore_the_suits() -> None:
    plain = policies.get("logical_way", RULES, "player")
    staked = policies.get("logical_way", RULES, "player", with_suits=True)
    assert staked.draw_probs[0] == tuple(prob for prob in plain.draw_probs[0] for _ in range(3))


def test_patterns_that_are_played_alike_share_their_row() -> None:
    """A banker against seven players has 128 patterns; the logical way needs one row."""
    policy = policies.get("logical_way", RULES, "banker", num_players=7)
    assert len(policy.draw_probs) == 128
    assert len({id(row) for row in policy.draw_probs}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("logicalway", RULES, "player"),
            r"policy 'logicalway' is not known \(did you mean 'logical_way'\?\); known: ",
        ),
        (("logical_way", RULES, "dealer"), "role 'dealer' is not known"),
        (("logical_way", RULES, "player", 9), "num_players 9"),
        (("logical_way", RULES, "player", 2, 2), "seat 2 is out of range"),
    ],
)
def test_names_and_seats_that_do_not_exist(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        policies.get(*arguments)


# resolve


class DrawsOnFive:
    """A policy of somebody else's."""

    def draw_prob(self, hand: Sequence[int], choices: Sequence[str] = (), suits: Any = None) -> float:
        return float(sum(hand) % 10 <= 5)


def test_resolve_takes_a_name_a_table_or_any_policy() -> None:
    logical = policies.get("logical_way", RULES, "banker", 2)
    assert policies.resolve("logical_way", RULES, "banker", 2) == logical
    assert policies.resolve(logical, RULES, "banker", 2) is logical
    other = policies.resolve(DrawsOnFive(), RULES, "banker", 2)
    assert (other.draw_probs, other.name) == (logical.draw_probs, "DrawsOnFive")
    staked = policies.resolve(DrawsOnFive(), RULES, "player", with_suits=True)
    assert staked.draw_probs == policies.get("logical_way", RULES, "player", with_suits=True).draw_probs


def test_resolve_takes_a_table_for_other_rules_where_it_is_legal() -> None:
    bonus = load_rules("bicycle_bonus")
    found = policies.resolve(policies.get("logical_way", RULES, "player"), bonus, "player")
    assert (found.rules, found.draw_probs) == (bonus, policies.get("logical_way", bonus, "player").draw_probs)
    with pytest.raises(ValueError, match="'bicycle_bonus' forces the player to STAND on 7"):
        policies.resolve(TabularPolicy.from_totals(RULES, "player", {*range(5), 7}), bonus, "player")


def test_resolve_refuses_a_table_for_another_seat() -> None:
    logical = policies.get("logical_way", RULES, "player", 3, 1)
    with pytest.raises(
        ValueError, match="is for player seat 1 of num_players=3; here player seat 2 of num_players=3"
    ):
        policies.resolve(logical, RULES, "player", 3, 2)


@pytest.mark.parametrize("policy", [None, 5, lambda hand, choices: 1])
def test_resolve_refuses_what_is_no_policy(policy: Any) -> None:
    with pytest.raises(ValueError, match=r"a name .*, a TabularPolicy or a Policy is needed"):
        policies.resolve(policy, RULES, "player")


def test_a_table_is_a_policy() -> None:
    assert isinstance(policies.get("uniform", RULES, "player"), policies.Policy)
    assert policies.get("uniform", RULES, "player").draw_prob((0, 0, int(Action.DRAW))) == Fraction(1, 2)
