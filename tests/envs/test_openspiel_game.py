"""The game for OpenSpiel is `game.round`'s: same hands, same knowledge, sound by OpenSpiel's checks."""

from __future__ import annotations

import pickle
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pan9_gym.envs.observation import Encoder
from pan9_gym.game import Round, Shoe, new_game
from pan9_gym.rules import Action
from tests.envs.openspiel_games import every_small, every_table, load, pyspiel, small

from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation  # isort: skip

from pan9_gym.envs.openspiel_game import Pan9Game  # isort: skip
from pan9_gym.envs.openspiel_position import num_ordered_deals  # isort: skip


def played(start: Round, source: Shoe, rng: np.random.Generator) -> list[Round]:
    """A hand at random, card by card: every state of it."""
    states = [start]
    while not states[-1].is_terminal:
        legal = states[-1].legal_actions()
        move = source.draw() if states[-1].is_chance else legal[int(rng.integers(len(legal)))]
        states.append(states[-1].apply(move))
    return states


# What happens


@every_table
def test_a_hand_on_the_same_cards_is_the_rounds(sheet: str, num_players: int) -> None:
    rng = np.random.default_rng(num_players)
    game, own = load(sheet, num_players), new_game(sheet, num_players)
    encoders = [Encoder(states, "hand", own.wagers, own.rules) for states in own.states]
    source = Shoe(own.rules, rng=rng)
    for _ in range(60):
        source.shuffle()
        rounds = played(own.new_round(), source, rng)
        state = game.new_initial_state()
        for seat in range(own.num_seats):
            assert state.is_chance_node()
            assert state.returns() == [0.0] * own.num_seats
            state.apply_action(own.states[0].hand_index(rounds[-1].initial_hand(seat)))
        for before, after in pairwise(rounds):
            if before.num_dealt < own.num_initial_deals:
                continue
            if before.seat_due is not None:
                outcomes = {card: float(prob) for card, prob in before.chance_outcomes()}
                assert dict(state.chance_outcomes()) == pytest.approx(outcomes)
                state.apply_action(after.hands[before.seat_due][-1])
            else:
                same_decision(game, state, before, encoders)
                state.apply_action(int(after.choices[-1]))
        assert state.is_terminal()
        assert state.returns() == [float(net) for net in rounds[-1].returns()]
        hands = state.position.round.hands
        assert [*map(sorted, hands)] == [*map(sorted, rounds[-1].hands)]
        assert sum(state.position.round.returns()) == 0


def same_decision(game: Any, state: Any, own: Round, encoders: list[Encoder]) -> None:
    """Who chooses, between what, knowing what."""
    seat, num_seats = own.current_seat, own.game.num_seats
    assert seat is not None
    assert state.current_player() == seat
    assert state.legal_actions() == sorted(own.legal_actions())
    assert not any(state.legal_actions(other) for other in range(num_seats) if other != seat)
    encoded = encoders[seat].encode_index(own.info_state(seat))
    tensor = np.array(state.information_state_tensor())
    assert tensor[:num_seats].tolist() == np.eye(num_seats)[seat].tolist()
    assert tensor[num_seats:][: len(encoded)].tolist() == encoded.tolist()
    assert not tensor[num_seats + len(encoded) :].any()
    assert state.observation_tensor() == tensor.tolist()
    assert state.information_state_string() == game.table.info_text(seat, own.info_state(seat))


def sheet_file(folder: Path, fields: str) -> str:
    file = folder / "own.yaml"
    file.write_text(f"fields:\n{fields}")
    return str(file)


def multiset_probs(state: Any, prob: Fraction, found: dict[Any, float], seats: int) -> None:
    """The probability of each seat's first cards by OpenSpiel's chance nodes."""
    if len(state.history()) == seats:
        found[tuple(state.position.hand(seat) for seat in range(seats))] += prob
        return
    for action, chance in state.chance_outcomes():
        multiset_probs(state.child(action), prob * chance, found, seats)


@pytest.mark.parametrize("fields", ["  num_decks: 12\n", "  num_decks: infinite\n  num_initial_cards: 2\n"])
def test_dealing_hands_at_once_is_dealing_one_card_after_another(fields: str, tmp_path: Path) -> None:
    path = sheet_file(tmp_path, fields)
    own = new_game(path, shoe={0: 3, 2: 2, 5: 4})
    exact: dict[Any, Fraction] = defaultdict(Fraction)
    states: dict[Round, Fraction] = {own.new_round(): Fraction(1)}
    for _ in range(own.num_initial_deals):
        following: dict[Round, Fraction] = defaultdict(Fraction)
        for before, prob in states.items():
            for card, chance in before.chance_outcomes():
                following[before.apply(card)] += prob * chance
        states = following
    for state, prob in states.items():
        exact[tuple(state.initial_hand(seat) for seat in range(own.num_seats))] += prob
    theirs: dict[Any, float] = defaultdict(float)
    multiset_probs(load(path, shoe="3 0 2 0 0 4 0").new_initial_state(), 1.0, theirs, own.num_seats)
    assert theirs == pytest.approx({hands: float(prob) for hands, prob in exact.items()}, abs=1e-15)


def test_ordered_deals_by_hand() -> None:
    """Two cards out of an ace, an ace and a five: A5, 5A in 2 ways each, AA in 2."""
    assert num_ordered_deals((2, 1), 2, with_replacement=False) == [2, 4, 0]
    assert num_ordered_deals((2, 1), 2, with_replacement=True) == [4, 4, 1]


def test_a_forced_move_is_the_only_legal_action() -> None:
    game = load("hawaiian_gardens")
    state = game.new_initial_state()
    for hand in ("0 1 5", "0 1 2"):
        state.apply_action(game.table.game.states[0].hand_index(hand))
    assert state.legal_actions() == [Action.STAND, Action.DRAW]
    state.apply_action(Action.STAND)
    assert state.current_player() == 1
    assert state.legal_actions() == [Action.DRAW]
    with pytest.raises(ValueError, match="action 0 is not legal here; legal: DRAW"):
        state.clone()._apply_action(0)


def test_a_natural_ends_the_hand_before_the_first_choice() -> None:
    game = load("baccarat_chemin_de_fer")
    state = game.new_initial_state()
    for hand in ("0 8", "0 5"):
        state.apply_action(game.table.game.states[0].hand_index(hand))
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]


def test_the_banker_of_chemin_de_fer_sees_the_drawn_card() -> None:
    game = load("baccarat_chemin_de_fer")
    state = game.new_initial_state()
    for hand in ("0 4", "0 3"):
        state.apply_action(game.table.game.states[0].hand_index(hand))
    state.apply_action(Action.DRAW)
    assert state.action_to_string(7) == "card 7"
    state.apply_action(7)
    assert state.information_state_string() == "banker, hand 0 3, drew 0:7"
    assert state.information_state_string(0) == "player 0, hand 0 4"


def test_who_drew_is_seen_and_what_was_drawn_is_not() -> None:
    game = load("bicycle", 2)
    state = game.new_initial_state()
    for hand in ("0 0 1", "0 2 5", "1 1 4"):
        state.apply_action(game.table.game.states[0].hand_index(hand))
    assert state.information_state_string(2) == "banker, hand 1 1 4"
    for action in (Action.STAND, Action.DRAW, 6):
        state.apply_action(action)
    assert state.information_state_string() == "banker, hand 1 1 4, drew 1"
    assert str(state) == "0 0 1; 0 2 5 6; 1 1 4 | STAND | DRAW"


# What a seat knows


@every_small
def test_text_and_tensor_say_the_same_everywhere(case: str) -> None:
    """Of every seat at every state: equal names have equal tensors, different names different ones."""
    game, _, _ = small(case)
    for kind in ("information_state", "observation"):
        tensors: dict[str, tuple[float, ...]] = {}
        stack = [game.new_initial_state()]
        while stack:
            state = stack.pop()
            for seat in range(game.num_players()):
                tensor = tuple(getattr(state, f"{kind}_tensor")(seat))
                assert tensors.setdefault(getattr(state, f"{kind}_string")(seat), tensor) == tensor
            stack += [] if len(tensors) > 150 else [state.child(action) for action in state.legal_actions()]
        assert len(set(tensors.values())) == len(tensors) > 20


def test_an_observation_may_hold_the_total_only() -> None:
    game = load("bicycle", 2, observe="total")
    assert game.observation_tensor_shape() == [3 + 10 + 2]
    assert game.information_state_tensor_shape() == [3 + 7 + 2]
    state = game.new_initial_state()
    assert state.observation_string(0) == "player 0: "
    for hand in ("0 0 1", "0 2 5", "1 1 4"):
        state.apply_action(game.table.game.states[0].hand_index(hand))
    assert state.observation_string() == "player 0: 1 if the own total is 1: 1"
    assert state.observation_tensor() == [1, 0, 0, 0, 1, *[0] * 10]


def test_the_parts_of_a_tensor_have_names() -> None:
    game = load("bicycle", 2)
    found = make_observation(game, INFO_STATE_OBS_TYPE)
    found.set_from(game.new_initial_state(), 2)
    assert {name: part.shape for name, part in found.dict.items()} == {
        "seat": (3,),
        "counts": (7,),
        "choices": (2,),
    }
    assert found.dict["seat"].tolist() == [0, 0, 1]
    public = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    with pytest.raises(ValueError, match="only what a single player knows can be observed"):
        make_observation(game, public)
    with pytest.raises(ValueError, match=r"params \{'more': 1\}: this game's observations have none"):
        make_observation(game, INFO_STATE_OBS_TYPE, {"more": 1})


# OpenSpiel's own checks


@every_table
def test_openspiels_simulation_test_passes(
    sheet: str, num_players: int, capfd: pytest.CaptureFixture[str]
) -> None:
    pyspiel.random_sim_test(load(sheet, num_players), num_sims=3, serialize=True, verbose=False)
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("ignore")  # the other games that its module imports
@every_table
def test_openspiels_api_test_passes(sheet: str, num_players: int) -> None:
    tests = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    for _ in range(3):
        tests.GamesSimTest().sim_game(load(sheet, num_players))


def test_states_and_games_survive_being_written_down() -> None:
    game = load("uk_1994_house", 2, wagers="1 5/2", shoe="9 9 9 9 9 9 9", observe="total")
    assert str(pickle.loads(pickle.dumps(game))) == str(game) == str(pyspiel.load_game(str(game)))
    state = game.new_initial_state()
    for action in (3, 40, 11, 1):
        state.apply_action(action)
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    copy = state.clone()
    for other in (again, copy):
        assert str(other) == str(state)
        assert other.history() == state.history()
    copy.apply_action(copy.legal_actions()[0])
    assert len(state.history()) == len(copy.history()) - 1 == 4
    assert state.position is not copy.position


# Errors


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rules": "bicicle"}, "rule sheet 'bicicle' is not known .did you mean 'bicycle'"),
        ({"num_players": 8}, "num_players 8: 'bicycle' allows 1 to 7"),
        ({"num_players": 0}, "num_players 0: 'bicycle' allows 1 to 7"),
        ({"shoe": "1 2"}, "shoe '1 2': 7 whole numbers are needed, the cards worth 0, 1, 2, 3, 4, 5, 6"),
        ({"shoe": "1 1 1 1 1 1 -1"}, "shoe '1 1 1 1 1 1 -1': 7 whole numbers are needed"),
        ({"shoe": "145 1 1 1 1 1 1"}, "shoe: card 0 has the number 145; allowed is 0 to 144"),
        ({"shoe": "1 1 1 1 1 1 1"}, "the shoe holds 7 cards; a hand with num_players=1 may take 8"),
        ({"wagers": "1 2"}, "wagers .*: one per player is needed, so 1"),
        ({"wagers": "-1"}, "wagers '-1': must be greater than 0"),
        ({"observe": "cards"}, "observe 'cards' is not known; allowed: 'hand', 'total'"),
    ],
)
def test_a_bad_parameter_is_one_line_that_names_it(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        pyspiel.load_game("python_pan9", params)
    assert "\n" not in str(caught.value)


def test_openspiel_itself_refuses_what_is_no_parameter(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(pyspiel.SpielError, match=r"Unknown parameter 'decks'\. Available parameters are: "):
        pyspiel.load_game("python_pan9(decks=8)")
    capfd.readouterr()  # OpenSpiel also prints it


def test_the_game_loads_without_parameters() -> None:
    game = pyspiel.load_game("python_pan9")
    assert isinstance(game, Pan9Game)
    assert (game.num_players(), game.table.game.rules.name) == (2, "bicycle")
    assert Pan9Game().num_players() == 2
