"""Hands played on every rule sheet and written down, so that a change of behaviour shows as a change of text.

    python -m tests.game.playthroughs            # write tests/golden/playthroughs/<sheet>.txt again

Read the difference before you commit it: it is the change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path

from pan9_gym.game import Round, StackedShoe, new_game
from pan9_gym.rules import Action, Role, load_rules

FOLDER = Path(__file__).parents[1] / "golden" / "playthroughs"
COMMAND = "python -m tests.game.playthroughs"


@dataclass(frozen=True)
class Hand:
    """A stacked hand.

    Attributes:
        title: What it shows.
        cards: The first cards of each seat, banker last.
        choices: What each seat does, banker last: a card it draws, or "-" to stand.
        wagers: The players' wagers.
        first: The seat that gets the first card.
        side_stakes: The players' side stakes, per unit wagered.
    """

    title: str
    cards: tuple[str, ...]
    choices: tuple[str, ...]
    wagers: tuple[str, ...]
    first: int = 0
    side_stakes: tuple[dict[str, str], ...] = field(default=())

    def shoe(self) -> Iterator[str]:
        """The cards in the order of the shoe."""
        seats = [
            self.cards[(self.first + place) % len(self.cards)].split() for place in range(len(self.cards))
        ]
        for row in zip_longest(*seats):
            yield from row
        yield from (choice for choice in self.choices if choice != "-")


HANDS: dict[str, tuple[Hand, ...]] = {
    "bicycle": (
        Hand(
            "B4, B6: stand, draw and push",
            cards=("A A 5", "K 2 3", "6 6 4", "5 5 6"),
            choices=("-", "4", "-", "-"),
            wagers=("1", "5/2", "10"),
        ),
        Hand(
            "T2: the banker gets the first card; free choice on every total",
            cards=("3 4 2", "5 5 K", "Q J K", "6 4 3"),
            choices=("K", "5", "-", "5"),
            wagers=("1", "5/2", "10"),
            first=3,
        ),
    ),
    "bicycle_bonus": (
        Hand(
            "S4, S6, S7, S8: suited threes; a tie on 0 loses the wager and wins Super 0",
            cards=("3h 3h 3h", "Kc 2d 3s", "5c 5d Ks"),
            choices=("-", "5h", "Jh"),
            wagers=("2", "1"),
            side_stakes=({"bc": "1/2", "dragon": "1"}, {"super_0": "1/4"}),
        ),
        Hand(
            "S3, S7: forced moves; a four-card 9 in one colour",
            cards=("6d 5h 3d", "6c 2h Kd", "6h 6c 4d"),
            choices=("5d", "-", "Ac"),
            wagers=("2", "1"),
            first=1,
            side_stakes=({"bc": "1/2", "dragon": "1"}, {"super_0": "1/4"}),
        ),
    ),
    "hawaiian_gardens": (
        Hand(
            "H1, H4: the banker must draw on 1 and wins the tie on 1",
            cards=("5 6 K", "K Q 2", "6 4 Q", "A K Q"),
            choices=("-", "3", "-", "J"),
            wagers=("1", "2", "4"),
        ),
        Hand(
            "H1, H4: the banker must stand on 8; a tie on 8 is a push",
            cards=("2 6 J", "6 3 K", "2 3 K", "3 5 K"),
            choices=("-", "-", "A", "-"),
            wagers=("1", "2", "4"),
            first=2,
        ),
        Hand(
            "H4: the banker is free on 5 and 6",
            cards=("K K 6", "K K 5"),
            choices=("-", "2"),
            wagers=("3",),
        ),
    ),
    "uk_1994_house": (
        Hand(
            "U2, U9, U10: the House must stand on 6, pays 19 to 20 and 7 to 1 on a tie",
            cards=("4 4 Q", "3 3 J", "2 3 Q", "6 6 4"),
            choices=("-", "-", "K", "-"),
            wagers=("2", "4", "1"),
            side_stakes=({"tie": "1/2"}, {"tie": "1/4"}, {}),
        ),
        Hand(
            "U2, U8: the House must draw on 5; equal totals are void",
            cards=("K 6 3", "K K 5"),
            choices=("A", "5"),
            wagers=("20",),
        ),
        Hand(
            "U2: the House must draw on 5 after a stand too",
            cards=("K 4 3", "A A 3"),
            choices=("-", "4"),
            wagers=("20",),
            first=1,
        ),
    ),
    "uk_1994_player": (
        Hand(
            "U3, U9, U10: even money from the banker, ties against the House",
            cards=("4 4 Q", "3 3 J", "6 6 4"),
            choices=("-", "-", "-"),
            wagers=("2", "4"),
            side_stakes=({"tie": "1/2"}, {"tie": "1/4"}),
        ),
        Hand(
            "U2: a player who banks is free, here to draw on 6",
            cards=("A 2 4", "K K 4", "2 2 2"),
            choices=("-", "5", "2"),
            wagers=("2", "4"),
            first=2,
        ),
    ),
    "baccarat_chemin_de_fer": (
        Hand("K1: the banker's natural 9 ends the hand", ("2 4", "10 9"), (), ("2",)),
        Hand("K1: the player's natural 8 ends the hand", ("K 8", "A 4"), (), ("2",)),
        Hand("K1: 8 against 9, both natural", ("3 5", "4 5"), (), ("2",), first=1),
        Hand("K1: a tie of naturals voids the wager", ("9 9", "7 A"), (), ("2",)),
        Hand(
            "K2: the player must draw on 4; the banker sees the 7 and stands on 6",
            ("A 3", "10 6"),
            ("7", "-"),
            ("2",),
        ),
        Hand(
            "K2: free on 5, the player stands; the banker is free to draw on 6",
            ("2 3", "K 6"),
            ("-", "3"),
            ("2",),
        ),
        Hand("K2: the player must stand on 7", ("5 2", "Q A"), ("-", "8"), ("2",)),
    ),
    "baccarat_punto_banco": (
        Hand(
            "K1, R3: a natural settles the banker's hand at 19:20 and the tie at once",
            cards=("2 4", "10 9"),
            choices=(),
            wagers=("2",),
            side_stakes=({"banker_hand": "1", "tie": "1/2"},),
        ),
        Hand(
            "K3: the player must draw on 5; the banker must stand on 3 against an 8, a tie",
            cards=("2 3", "K 3"),
            choices=("8", "-"),
            wagers=("2",),
            side_stakes=({"banker_hand": "1", "tie": "1/2"},),
        ),
        Hand(
            "K3: the banker must draw on 6 against a 6",
            cards=("A 3", "10 6"),
            choices=("6", "A"),
            wagers=("2",),
            side_stakes=({"banker_hand": "1"},),
        ),
        Hand("K3: the player must stand on 6; the banker must draw on 5", ("K 6", "J 5"), ("-", "J"), ("2",)),
    ),
}


def transcript(sheet: str) -> str:
    """The text of all hands of a sheet."""
    rules = load_rules(sheet)
    lines = [f"# Hands on the sheet {sheet}; written by `{COMMAND}`."]
    for number, hand in enumerate(HANDS[sheet], start=1):
        game = new_game(
            rules,
            len(hand.wagers),
            wagers=hand.wagers,
            side_stakes=hand.side_stakes or None,
            first_to_deal=hand.first,
        )
        lines += ["", f"Hand {number}. {hand.title}", *_setting(hand)]
        lines += _play(game.new_round(), hand)
    return "\n".join(lines) + "\n"


def _setting(hand: Hand) -> Iterator[str]:
    for seat, wager in enumerate(hand.wagers):
        side = hand.side_stakes[seat] if hand.side_stakes else {}
        extra = "".join(f", {bet} {stake} per unit" for bet, stake in side.items())
        yield f"  player {seat} wagers {wager}{extra}"
    yield f"  shoe: {' '.join(hand.shoe())}"


def _play(state: Round, hand: Hand) -> Iterator[str]:
    cards = list(hand.shoe())
    source = StackedShoe(state.game.rules, cards, state.game.with_suits)
    while not state.is_terminal:
        if state.seat_due is not None:
            name = _name(state, state.seat_due)
            yield f"  card {state.num_dealt + 1:2}: {cards[state.num_dealt]:2} to {name}"
            state = state.apply(source.draw())
        else:
            seat = len(state.choices)
            action = Action.STAND if hand.choices[seat] == "-" else Action.DRAW
            yield _choice(state, seat, action)
            state = state.apply(action)
    yield from _settlement(state)


def _choice(state: Round, seat: int, action: Action) -> str:
    legal = state.legal_actions()
    forced = " (forced)" if len(legal) == 1 else ""
    seen = " ".join(state.visible_choices(seat)) or "nothing"
    hand = " ".join(map(str, state.initial_hand(seat)))
    suits = state.suit_class(seat)
    kind = "" if suits is None else f" {suits.name}"
    return (
        f"  {_name(state, seat)} holds {hand}{kind} = {state.total(seat)}, sees {seen}, "
        f"info state {state.info_state(seat)}: {action.name}{forced}"
    )


def _settlement(state: Round) -> Iterator[str]:
    returns = state.returns()
    banker = state.game.banker_seat
    for seat, net in enumerate(returns):
        against = "" if seat == banker else f" against {state.total(banker)}"
        yield f"  {_name(state, seat)}: {state.total(seat)}{against}, net {_signed(net)}"
    rest = sum(returns, Fraction(0))
    if rest:
        yield f"  the House, which does not bank: net {_signed(-rest)}"


def _name(state: Round, seat: int) -> str:
    return "banker" if state.game.role(seat) is Role.BANKER else f"player {seat}"


def _signed(net: Fraction) -> str:
    return f"+{net}" if net > 0 else str(net)


def main() -> None:
    """Write every transcript."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for sheet in HANDS:
        (FOLDER / f"{sheet}.txt").write_text(transcript(sheet), encoding="utf-8")


if __name__ == "__main__":
    main()
