"""The hands that may have to be played, said beforehand: all that come, and none that cannot."""

from __future__ import annotations

from typing import Any

import pytest

from pan9_gym.rules.terms import Role
from pan9_gym.table import FaultRates, TableConfig, table_config
from pan9_gym.table.participants import Participant
from pan9_gym.table.posts import Post, posts
from pan9_gym.table.session import Session


class Watched(Session):
    """A session that knows which hands were played."""

    def __init__(self, config: TableConfig, participants: Any, seed: int = 4) -> None:
        super().__init__(config, participants, seed=seed)
        self.played: set[Post] = set()

    def prepare(self, post: Post) -> Any:
        self.played.add(post)
        return super().prepare(post)


def at_random(request: Any, rng: Any) -> int:
    return int(rng.integers(2))


def backs(request: Any, rng: Any) -> Any:
    back = [name.split()[1] for name in request.amounts if name.startswith("back ")]
    return {"back": {back[int(rng.integers(len(back)))]: 5}} if back else {}


SESSIONS: dict[str, tuple[TableConfig, Any, int]] = {
    "bicycle": (table_config("bicycle", occupied=(0, 2, 5)), Participant(), 9),
    "one sits out": (table_config("bicycle"), {"seat_3": Participant(wager=0)}, 40),
    "one never banks": (table_config("bicycle", occupied=(0, 2, 5)), {"seat_0": Participant(bank=0)}, 9),
    "any wagers": (table_config("bicycle", occupied=(0, 1, 2)), Participant(wager=at_random), 60),
    "the back line": (table_config("bicycle", occupied=(0, 1, 2)), Participant(others=backs), 60),
    "suits": (table_config("bicycle_bonus", occupied=(0, 1)), Participant(side={"dragon": at_random}), 60),
    "the House": (table_config("uk_1994_player", occupied=(0, 1, 2)), Participant(top_up="1/2"), 60),
    "one bettor": (
        table_config("uk_1994_player", occupied=(0, 1), single_wager_uses_turn=True),
        Participant(),
        30,
    ),
    "foul hands": (
        table_config("bicycle", occupied=(0, 1, 2), faults=FaultRates(wrong_number=0.4)),
        Participant(),
        200,
    ),
    "baccarat": (table_config("baccarat_chemin_de_fer", occupied=(0, 1)), Participant(), 60),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_the_hands_that_come_are_those_that_were_said_to(name: str) -> None:
    config, participants, number = SESSIONS[name]
    session = Watched(config, participants)
    said = session.posts()
    assert len(set(said)) == len(said)
    for _ in session.hands(number):
        pass
    assert session.played == set(said)


def test_numbers_of_hands_that_cannot_occur_are_not_prepared() -> None:
    config = table_config("hawaiian_gardens", occupied=range(6))
    who = dict.fromkeys(config.participants, Participant())
    assert {post.num_players for post in posts(config, who)} == {5}
    assert {post.num_players for post in posts(config, who | {"seat_0": Participant(wager=0)})} == {4, 5}


def test_hands_without_a_free_move_need_no_policy() -> None:
    config = table_config("uk_1994_house")
    who = dict.fromkeys(config.participants, Participant())
    assert {post.role for post in posts(config, who)} == {Role.PLAYER}
    assert not any(post.participant == "house" for post in posts(config, who))
