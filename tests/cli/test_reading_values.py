"""What readings are worth: values that no other command gives, by enumeration or by another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from pan9_gym import solver
from pan9_gym.cli.studies import reading_cover, reading_stakes, reading_values
from pan9_gym.cli.studies.reading_values import Measure, Sampled
from pan9_gym.evaluation import CoverValue, cover_sample
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import RulesConfig, load_rules
from pan9_gym.rules.cover import action_seat_probs

TINY = {"point_values": {"A": 1, "5": 5, "K": 0, "6": 6}, "num_decks": 1, "num_initial_cards": 1}


def deals(rules: RulesConfig) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Every order of four cards off a full shoe, with its probability."""
    counts = dict(zip(rules.values, rules.initial_counts, strict=True))
    for cards in product(rules.values, repeat=4):
        left, prob = dict(counts), Fraction(1)
        for card in cards:
            prob *= Fraction(left[card], sum(left.values()))
            left[card] -= 1
        if prob:
            yield prob, cards


def payoff(player: int, banker: int) -> int:
    return (player % 10 > banker % 10) - (player % 10 < banker % 10)


def test_open_hands_by_enumeration() -> None:
    """B5: the banker knows the player's final hand, so that each first card has its own best move."""
    rules = load_rules("bicycle", **TINY)
    played: dict[tuple[int, bool], dict[tuple[int, ...], list[Fraction]]] = {}
    for prob, (own, other, drawn, answer) in deals(rules):
        for draws in (False, True):
            total = own + drawn * draws
            seen = (drawn, other) if draws else (other,)
            both = played.setdefault((own, draws), {}).setdefault(seen, [Fraction(0), Fraction(0)])
            both[0] += prob * payoff(total, other)
            both[1] += prob * payoff(total, other + answer)
    value = {key: sum(map(min, answers.values())) for key, answers in played.items()}
    expected = sum(max(value[own, False], value[own, True]) for own in rules.values)
    assert reading_values.with_open_hands(rules) == expected


def test_wagers_taken_back_are_worth_more_than_the_game() -> None:
    """H13: a wager is left on the hands that are worth something, and on no other."""
    rules = load_rules("hawaiian_gardens")
    banker = solver.equilibrium(rules).banker
    row = solver.best_response(rules, "player", banker, "total").table[()]
    kept = [decision for decision in row if max(decision.ev_stand or 0, decision.ev_draw or 0) > 0]
    assert [decision.hand for decision in kept] == ["7", "8", "9"]
    by_total = sum((decision.prob * (decision.ev_stand or 0) for decision in kept), Fraction(0))
    values = solver.action_values(rules, "player", banker)
    best = np.maximum(np.maximum(values.stand, values.draw), 0)
    by_hand = Fraction(int(best.sum()), values.value_unit)
    assert reading_values.with_wager_taken_back(rules) == by_hand
    assert 0 < by_hand - by_total < Fraction(1, 1000)  # some compositions of 6 are worth their wager


def test_three_threes_among_four_cards_by_enumeration() -> None:
    """S6 on the final hand: every order of the 36 cards of one pack that may win."""
    rules = load_rules("bicycle_bonus", num_decks=1)
    ranks, reds = ("A", "2", "3", "4", "5", "6", "J", "Q", "K"), "dh"
    points = {**{str(number): number for number in range(2, 7)}, "A": 1, "J": 0, "Q": 0, "K": 0}
    pack = [(rank, suit) for rank in ranks for suit in "cdhs"]
    expected, weight = Fraction(-1), Fraction(1, 36 * 35 * 34)

    def prize(suits: Sequence[str]) -> int:
        colours = {suit in reds for suit in suits}
        return (3000 if len(set(suits)) == 1 else 300 if len(colours) == 1 else 150) + 1

    for first in permutations(pack, 3):
        threes = [suit for rank, suit in first if rank == "3"]
        if len(threes) == 3:
            expected += weight * prize(threes)
        elif len(threes) == 2 and sum(points[rank] for rank, _ in first) % 10 <= 5:
            for card in pack:
                if card[0] == "3" and card not in first:
                    expected += weight / 33 * prize([*threes, card[1]])
    assert reading_stakes.bc_on_final_hand(rules) == expected


def test_a_nine_that_must_win_by_the_joint_totals() -> None:
    """S7, with one payout for all nines so that suits do not matter."""
    line = {"suited": 7, "same_colour": 7, "off_suit": 7}
    rules = load_rules("bicycle_bonus", side_bets={"dragon": {"three_card": line, "four_card": line}})
    joint = solver.evaluate(rules, "logical_way", "logical_way").joint_totals
    wins = sum(joint[9][banker] for banker in range(9))
    assert reading_stakes.dragon_that_must_win(rules) == 8 * wins - 1


def improved(rules: RulesConfig, worth: Callable[[TabularPolicy], Fraction]) -> Fraction:
    """The worth of the banker's best policy by total, each decision tried on its own."""
    logical = {(token, total) for token in ("stand", "draw") for total in range(6)}

    def policy(drawn: set[tuple[str, int]]) -> TabularPolicy:
        draw_on = {token: {total for seen, total in drawn if seen == token} for token in ("stand", "draw")}
        return TabularPolicy.from_totals(rules, "banker", draw_on)

    start = worth(policy(logical))
    better = {
        (token, total)
        for token, total in product(("stand", "draw"), range(10))
        if worth(policy(logical ^ {(token, total)})) > start
    }
    return worth(policy(logical ^ better))


@pytest.mark.parametrize("stake", [1, 100])
def test_a_banker_who_bets_on_ties_steers_them(stake: int) -> None:
    """U10, `tie_bettors: banker`, by trying every decision of his; one card, so that totals are hands."""
    rules = load_rules("uk_1994_player", **TINY)

    def worth(policy: TabularPolicy) -> Fraction:
        tie = solver.side_bet(rules, "tie", banker=policy).ev
        return stake * tie - solver.evaluate(rules, "logical_way", policy).ev

    alone = solver.best_response(rules, "banker", "logical_way").ev
    found = reading_stakes.tie_of_banker_who_steers(rules, stake)
    assert found == (improved(rules, worth) - alone) / stake


def test_a_house_that_adds_its_wager_to_the_only_hand_changes_nothing() -> None:
    """U11: the larger wager decides the banker's answer, and another closed hand is no news."""
    rules = load_rules("uk_1994_player")
    assert reading_values.last_seat_ev(rules, 2, wager=2) == solver.equilibrium(rules).value


def test_dice() -> None:
    """T2: positions of two and of three dice."""
    every = range(1, 9)
    assert sum(reading_values.ways(position) for position in every) == 216
    two = [reading_values.ways_of_two_dice(position) for position in every]
    assert two == [4, 1 + 3, 2 + 2, 3 + 1, 4, 5, 6, 5]


def test_a_measure_by_field_compares_the_sheet_with_itself_changed() -> None:
    measure = reading_values.by_field(reading_values.VALUE, banker_draw_rule={"must_stand": [6]})
    assert isinstance(measure, Measure)
    rules = load_rules("bicycle")
    assert measure.taken(rules) == solver.equilibrium(rules).value
    assert measure.other(rules) == Fraction(0)


def test_a_house_that_alone_is_paid_less() -> None:
    """U11: with payout 1 nothing differs; a House that is the only bettor is the game with that payout."""
    rules = load_rules("uk_1994_player")
    same = reading_values.last_seat_ev_if_paid(rules, 2, "1")
    assert same == reading_values.last_seat_ev(rules, 2)
    less = load_rules(rules, payout="1/4")
    alone = solver.best_response(less, "banker", "logical_way").ev
    assert reading_values.last_seat_ev_if_paid(rules, 1, "1/4") == -alone


def test_only_the_house_s_own_hand_is_paid_otherwise() -> None:
    """U11: a banker who pays the House 3:1 plays against its hand, more than where he pays all of them so."""
    rules = load_rules("uk_1994_player")
    own = reading_values.last_seat_ev_if_paid(rules, 3, "3")
    players = ["logical_way"] * 3
    banker = solver.banker_best_response(rules, players).policy
    joint = solver.evaluate_seats(rules, players, banker).joint_totals[-1]
    won = sum(joint[own_total][other] for own_total in range(10) for other in range(own_total))
    if_banker_played_on = reading_values.last_seat_ev(rules, 3) + 2 * won
    everybody = reading_values.last_seat_ev(load_rules(rules, payout="3"), 3)
    assert own < everybody < if_banker_played_on


def test_hands_to_the_cut_card() -> None:
    """T5: 3/4 of 432 cards; each hand has three cards and a fourth one where it draws."""
    rules = load_rules("bicycle")
    banker = solver.banker_best_response(rules, ["logical_way"] * 3, level="total").policy
    found = solver.evaluate_seats(rules, ["logical_way"] * 3, banker)
    draws = sum(prob * pattern.count("draw") for pattern, prob in found.pattern_probs.items())
    values = solver.banker_values(rules, ["logical_way"] * 3)
    for pattern in range(values.states.shape[0]):
        for column, prob in enumerate(banker.draw_probs[pattern]):
            draws += prob * values.reach_prob(pattern, column)
    taken, other = (reading_values.hands_to_the_cut(empty)(rules) for empty in (False, True))
    assert taken == 324 / (12 + draws)
    assert 324 / taken + 12 == 324 / other  # three cards more for each of four empty seats


def test_turns_of_the_bank_leave_nobody_an_edge() -> None:
    """T7: the banker's gain is the players' loss."""
    rules = load_rules("hawaiian_gardens")
    assert reading_values.ev_of_a_seat(house_banks=False)(rules) == 0
    found = solver.seats_equilibrium(rules, 3, level="total")
    assert reading_values.ev_of_a_seat(house_banks=True)(rules) == sum(found.evs) / 3


def test_three_bonuses_on_one_hand_are_not_the_sum_of_each() -> None:
    """S9: bc depends on no move, so that it adds up; dragon and super_0 ask for different moves."""
    rules = load_rules("bicycle_bonus")
    value = {
        bets: solver.equilibrium(rules, side_stakes=dict.fromkeys(bets, 1) or None).value
        for bets in ((), ("dragon",), ("super_0",), ("dragon", "super_0"))
    }
    bc = solver.side_bet(rules, "bc").ev
    together, apart = (reading_stakes.all_bonuses(together)(rules) for together in (True, False))
    assert together == value["dragon", "super_0"] - value[()] + bc
    assert apart == value["dragon",] + value["super_0",] - 2 * value[()] + bc
    assert together > apart


def test_super_0_is_capped_by_the_pool_alone() -> None:
    """S9: a tie on 4 pays 10 in full; on 0 the wager is lost first, which leaves 9; others pay 10."""
    rules = load_rules("bicycle_bonus")
    probs = solver.side_bet(rules, "super_0").by_result
    won = sum(probs[f"payouts.{total}"] for total in range(5))
    expected = 9 * probs["payouts.0"] + 10 * (won - probs["payouts.0"]) - (1 - won)
    assert reading_stakes.super_0_from_pool(payable=True)(rules) == expected
    assert reading_stakes.super_0_from_pool(payable=False)(rules) == solver.side_bet(rules, "super_0").ev


def test_a_tie_wager_that_the_banker_holds_is_worse_for_the_player() -> None:
    """U10: the banker then plays against it too, and the value with the stake is that of a zero-sum game."""
    rules = load_rules("uk_1994_player")
    with_house = reading_stakes.tie_of_player_who_steers(rules, 1)
    assert reading_stakes.tie_held_by_banker(rules, 1) < with_house
    house = load_rules("uk_1994_house")  # a House without a choice plays no better for holding it
    assert reading_stakes.tie_held_by_banker(house, 1) == reading_stakes.tie_of_player_who_steers(house, 1)


def test_a_tie_that_loses_the_wager_on_the_banker_s_hand() -> None:
    """R3: the published probabilities of punto banco, 0.458597 banker, 0.446247 player, 0.095156 tie."""
    found = reading_stakes.banker_hand_if_ties_lose(load_rules("baccarat_punto_banco"))
    assert float(found) == pytest.approx(0.95 * 0.458597 - 0.446247 - 0.095156, abs=2e-6)


@pytest.fixture
def few_hands() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_cover, "NUM_HANDS", 300)
        for kept in (reading_cover.hands, reading_cover._bonus_hands):
            kept.cache_clear()
        yield
    for kept in (reading_cover.hands, reading_cover._bonus_hands):
        kept.cache_clear()


@pytest.mark.usefixtures("few_hands")
def test_sampled_values_are_those_of_limited_cover() -> None:
    """T3: the same hands, means and errors as `cover_sample` gives; exact where it is exact."""
    rules = load_rules("bicycle")
    banker = solver.banker_best_response(rules, ["logical_way"] * 3, level="total").policy
    sample = cover_sample(rules, ["logical_way"] * 3, banker, num_hands=300, seed=reading_cover.SEED)

    def same(value: object, expected: CoverValue) -> bool:
        if not isinstance(value, Sampled):
            return value == expected.exact
        assert expected.simulated is not None
        error = expected.simulated.standard_error
        assert value.estimate.standard_error == pytest.approx(error)
        return value.estimate.mean == pytest.approx(expected.simulated.mean)

    for cover, push in (("gross", False), ("net", False), ("unlimited", False), ("gross", True)):
        for stake in (Fraction(1), Fraction(3, 2)):
            found = reading_cover.banker_under_cover(cover, push, stake)(rules)
            assert same(found, sample.settled(stake, cover, push).banker)
    for seat in range(3):
        found = reading_cover.first_player_if_begun([Fraction(seat == own) for own in range(3)])(rules)
        assert same(found, sample.settled(1, action_seat=seat).players[0])


@pytest.mark.usefixtures("few_hands")
def test_a_mean_over_action_seats_is_that_of_its_parts() -> None:
    """T2: hand by hand, so that its error is its own and no sum of errors."""
    rules, parts = load_rules("bicycle"), []
    for seat in range(3):
        found = reading_cover.first_player_if_begun([Fraction(seat == own) for own in range(3)])(rules)
        parts.append(found.results if isinstance(found, Sampled) else np.full(300, float(found)))
    probs = action_seat_probs(3)
    mean = reading_cover.first_player_if_begun(probs)(rules)
    assert isinstance(mean, Sampled)
    whole = sum(float(prob) * part for prob, part in zip(probs, parts, strict=True))
    assert mean.estimate.mean == pytest.approx(whole.mean())  # type: ignore[union-attr]


@pytest.mark.usefixtures("few_hands")
def test_a_wager_returned_whole_needs_a_stake_as_large() -> None:
    """T3: of a stake of 3/2 the second of equal wagers is covered in half or, returned whole, not at all."""
    sample = reading_cover.hands(load_rules("bicycle"))
    part, whole = (sample.settled(stake).players for stake in (Fraction(3, 2), 1))
    assert part[0].exact == whole[0].exact == sample.evs[0]
    assert part[1].covered == pytest.approx(0.5 + whole[1].covered / 2)


@pytest.mark.usefixtures("few_hands")
def test_bonuses_settled_last_leave_the_first_player_less() -> None:
    """S9: the same hands by hand; with its wager the first seat's bonus is exact."""
    rules = load_rules("bicycle_bonus")
    wagers, stakes = reading_cover._bonus_hands(rules)
    at_last, at_once = [], []
    for wager, stake in zip(wagers, stakes, strict=True):
        used = sum(abs(wager))
        at_last.append(wager[0] + min(stake[0], 10 - used))
        at_once.append(wager[0] + min(stake[0], 10 - abs(wager[0])))
    found = reading_cover.with_super_0_at_last(rules)
    assert isinstance(found, Sampled)
    exact = reading_cover.with_super_0_at_once(rules)
    assert found.estimate.mean - float(exact) == pytest.approx(np.mean(at_last) - np.mean(at_once))
    assert exact == reading_values.logical_value(rules) + reading_stakes.super_0_from_pool(True)(rules)
    assert found.estimate.mean < exact
