"""A hand as text: what a seat may see while it chooses, and everything once the hand is over."""

from __future__ import annotations

from pan9_gym.game.round import Round
from pan9_gym.game.shoe import CardKind
from pan9_gym.rules.scoring import compare
from pan9_gym.rules.terms import Action

HIDDEN = "?"


def render_ansi(state: Round, seat: int) -> str:
    """The table as `seat` may see it.

    Args:
        state: The hand.
        seat: Whose view it is; its own cards are open, the others' once the hand is over.
    """
    game = state.game
    lines = [f"{game.rules.name}: {game.num_players} against the banker"]
    lines += [_seat_line(state, other, seat) for other in range(game.num_seats)]
    if state.is_terminal:
        nets = state.returns()
        for other in range(game.num_players):
            outcome = compare(state.total(other), state.total(game.banker_seat))
            lines.append(f"player {other}: {outcome.name.lower()}, net {nets[other]}")
        lines.append(f"banker: net {nets[game.banker_seat]}")
    return "\n".join(lines)


def _seat_line(state: Round, other: int, viewer: int) -> str:
    game = state.game
    name = "banker  " if other == game.banker_seat else f"player {other}"
    you = " (you)" if other == viewer else ""
    if other == viewer or state.is_terminal:
        cards = " ".join(_card_text(card) for card in state.hands[other])
        shown = f"{cards} = {state.total(other)}"
    else:
        shown = " ".join([HIDDEN] * game.rules.num_initial_cards)
    return f"{name}{you}: {shown}{_choice_text(state, other, viewer)}"


def _choice_text(state: Round, other: int, viewer: int) -> str:
    if other >= len(state.choices):
        return ""
    visible = state.is_terminal or other == viewer or other < state.game.states[viewer].num_visible
    if not visible:
        return ""
    if state.choices[other] is Action.STAND:
        return ", stands"
    card_seen = state.is_terminal or state.game.states[viewer].cards_seen
    return f", draws {_card_text(state.hands[other][-1]) if card_seen else HIDDEN}"


def _card_text(card: CardKind) -> str:
    return str(card)
