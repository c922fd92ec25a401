"""The compiled engine says what the readable engine says: on the same cards, every output, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from pan9_gym.game import Game, Round
from pan9_gym.game.batch_round import BatchRound
from pan9_gym.rules import Action
from tests.game.batches import (
    ALL_SHEETS,
    first_state,
    play_until,
    random_cards,
    random_game,
    random_policy,
)

GAMES = 60
ROUNDS = 12

every_sheet = pytest.mark.parametrize("sheet", ALL_SHEETS)


def check_end(batch: BatchRound, number: int, end: Round) -> None:
    game = batch.game
    choices = [int(choice) for choice in end.choices] or [-1] * game.num_seats
    assert batch.actions[number].tolist() == choices
    assert batch.totals[number].tolist() == [end.total(seat) for seat in range(game.num_seats)]
    assert batch.num_used[number] == end.num_dealt


@every_sheet
def test_hands_of_policies_alone(sheet: str) -> None:
    rng = np.random.default_rng([1, ALL_SHEETS.index(sheet)])
    for _ in range(GAMES):
        game = random_game(sheet, rng)
        policies = [random_policy(game, seat, rng) for seat in range(game.num_seats)]
        batch = BatchRound(game, None, policies, ROUNDS)
        cards = [random_cards(game, rng) for _ in range(ROUNDS)]
        batch.play(cards=cards)
        for number, listed in enumerate(cards):
            end, _ = first_state(game, listed, policies)
            check_end(batch, number, end)
            assert batch.payoffs[number].tolist() == [float(net) for net in end.returns()]


def waiting_cards(game: Game, policies: list[object], rng: np.random.Generator) -> list[str]:
    """Cards that no natural ends."""
    while True:
        cards = random_cards(game, rng)
        if not first_state(game, cards, policies)[0].is_terminal:
            return cards


@every_sheet
def test_hands_with_an_agent_in_any_seat(sheet: str) -> None:
    rng = np.random.default_rng([2, ALL_SHEETS.index(sheet)])
    seats = set()
    for _ in range(GAMES):
        game = random_game(sheet, rng)
        agent = int(rng.integers(game.num_seats))
        seats.add(agent - game.num_seats if agent == game.banker_seat else agent)
        policies = [
            None if seat == agent else random_policy(game, seat, rng) for seat in range(game.num_seats)
        ]
        batch = BatchRound(game, agent, policies, ROUNDS, continues=not game.rules.with_replacement)
        cards = [waiting_cards(game, policies, rng) for _ in range(ROUNDS)]
        batch.deal(cards=cards)
        dealt = [first_state(game, listed, policies) for listed in cards]
        for number, (state, _) in enumerate(dealt):
            assert batch.info_state[number] == state.info_state(agent)
            assert batch.action_mask[number].tolist() == [move in state.legal_actions() for move in Action]
            assert batch.num_used[number] == state.num_dealt
        actions = rng.integers(0, 2, ROUNDS)
        batch.finish(actions)
        for number, (state, shoe) in enumerate(dealt):
            legal = state.legal_actions()
            action = actions[number] if actions[number] in legal else legal[0]
            assert batch.replaced[number] == (action != actions[number])
            end = play_until(state.apply(Action(action)), shoe, policies)
            check_end(batch, number, end)
            assert batch.payoffs[number] == float(end.seat_return(agent))
    assert seats == {0, -1} if game.rules.max_players == 1 else len(seats) >= 5
