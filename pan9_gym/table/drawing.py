"""The draw: choices in turn from the banker's left, draw cards, the banker's hand (T4, B4, B5, S3, H2-H6)."""

from __future__ import annotations

from pan9_gym.policies.named import LOGICAL_WAY
from pan9_gym.rules.terms import Action
from pan9_gym.table.corrections import check_hands, remove_draw_card, replay
from pan9_gym.table.dealing import Misdeal, declare_misdeal, expose, kind_of, take
from pan9_gym.table.events import money
from pan9_gym.table.faults import FaultKind
from pan9_gym.table.requests import LOGICAL, Phase, Request, View
from pan9_gym.table.seating import HOUSE
from pan9_gym.table.state import Hand, Stage, TableState

MOVES = {Action.STAND: "stand", Action.DRAW: "draw"}
"""The words of the moves."""


def ask_draw(state: TableState) -> Request | None:
    """Ask the next seat, or make the move that it has no choice about."""
    try:
        return _ask_draw(state)
    except Misdeal as misdeal:
        declare_misdeal(state, str(misdeal))
        return None


def answer_draw(state: TableState, value: str) -> None:
    """Make a seat's move."""
    try:
        seat = state.current.playing.current_seat
        assert seat is not None
        if value == LOGICAL:
            _choose(state, seat, _logical(state.current, seat), LOGICAL)
        else:
            _choose(state, seat, Action.STAND if value == MOVES[Action.STAND] else Action.DRAW, "free")
    except Misdeal as misdeal:
        declare_misdeal(state, str(misdeal))


def _ask_draw(state: TableState) -> Request | None:
    hand = state.current
    seat = hand.playing.current_seat
    if seat is None:
        _finish(state)
        return None
    if seat == len(hand.seats) - 1 and not hand.players_set:
        _set_players(state)
        return None
    if seat < len(hand.seats) - 1 and state.faults.active:
        _maybe_expose_banker(state, hand.seats[seat])
    how = _without_choice(state, seat)
    if how is None:
        return _request(state, seat)
    legal = hand.playing.legal_actions()
    _choose(state, seat, legal[0] if how == "forced" else _logical(hand, seat), how)
    return None


def _without_choice(state: TableState, seat: int) -> str | None:
    """Why a seat is not asked; `None` where it is."""
    hand, is_banker = state.current, seat == len(state.current.seats) - 1
    if hand.banker_shown and (not is_banker or state.config.exposed_banker == LOGICAL):
        return LOGICAL  # H6
    if state.config.offer_forced:
        return None
    if _is_house_hand(hand, seat):
        return LOGICAL  # U11
    return "forced" if len(hand.playing.legal_actions()) == 1 else None


def _is_house_hand(hand: Hand, seat: int) -> bool:
    """Whether the House has wagered on this hand against a player-banker (U11)."""
    return seat < len(hand.seats) - 1 and hand.owner(hand.seats[seat]) == HOUSE


def _logical(hand: Hand, seat: int) -> Action:
    """The move of the logical way, or the one that the rules force (H5)."""
    wanted = Action(int(hand.playing.total(seat) in LOGICAL_WAY))
    legal = hand.playing.legal_actions()
    return wanted if wanted in legal else legal[0]


def _request(state: TableState, seat: int) -> Request:
    hand = state.current
    place, is_banker = hand.seats[seat], seat == len(hand.seats) - 1
    options = tuple(MOVES[action] for action in hand.playing.legal_actions())
    if _is_house_hand(hand, seat):
        options = (MOVES[_logical(hand, seat)],)
    elif state.config.logical_way and not is_banker:
        options = (*options, LOGICAL)
    view = View(
        banker=hand.banker,
        stake=None if hand.stake is None else money(hand.stake),
        wagers=hand.shown_wagers,
        exposed=hand.exposed,
        unseen=state.unseen(),
        place=place,
        seat=seat,
        num_players=len(hand.seats) - 1,
        cards=hand.initial[seat],
        choices=hand.playing.visible_choices(seat),
        info_state=hand.playing.info_state(seat),
    )
    return Request(hand.decider(place), Phase.DRAW, options, view=view)


def _choose(state: TableState, seat: int, action: Action, how: str) -> None:
    """Record a seat's move and give it its card."""
    hand = state.current
    place, is_banker = hand.seats[seat], seat == len(hand.seats) - 1
    if how == LOGICAL and not is_banker:
        hand.logical.add(seat)
        other = Action(1 - action)
        misplayed = state.faults.active and other in hand.playing.legal_actions()
        if misplayed and state.faults.of_hand(FaultKind.MISPLAYED, place):
            action = other  # by the house dealer; found when the hands are checked (H5)
    hand.actions.append(action)
    hand.round = hand.playing.apply(action)
    by = hand.decider(place)
    state.tell("choice", place=place, by=by, action=MOVES[action], how=how)
    if action is Action.DRAW:
        _draw(state, seat)


def _draw(state: TableState, seat: int) -> None:
    hand = state.current
    card = take(state, drawing=True)
    number = len(hand.taken) - 1
    hand.drawn[seat] = card
    hand.round = hand.playing.apply(kind_of(card, hand.dealt))
    if seat == len(hand.seats) - 1:
        _give(state, seat, card, exposed=False)
        return
    lands_face_down = hand.rules.banker_sees != "card"
    exposed = (
        lands_face_down and state.faults.active and bool(state.faults.of_card(FaultKind.EXPOSED, number))
    )
    if exposed:
        hand.to_replace.append(seat)
    if state.config.cards_after_choices:
        hand.dealt_late.append((seat, card, exposed))
    else:
        _give(state, seat, card, exposed)


def _give(state: TableState, seat: int, card: object, exposed: bool) -> None:
    """Give a draw card; a hand that was passed over gets its own card first (H10)."""
    hand = state.current
    place = hand.seats[seat]
    player = seat < len(hand.seats) - 1
    if player and not exposed and hand.missed is None and state.faults.active:
        if state.faults.of_hand(FaultKind.MISSED_DRAW, place):
            hand.missed = (seat, hand.drawn[seat])
            return
    if hand.missed is not None:
        _back_up(state, place)
    state.tell("card", place=place, to=hand.owner(place), card=str(card), turn="draw", exposed=exposed)
    if exposed:
        expose(state, hand.owner(place), hand.drawn[seat])


def _back_up(state: TableState, place: int | None) -> None:
    """The card that a later hand got, or that is still to come, goes to the hand passed over (H10)."""
    hand = state.current
    assert hand.missed is not None
    seat, card = hand.missed
    hand.missed = None
    missed = hand.seats[seat]
    state.tell("fault", fault=FaultKind.MISSED_DRAW.value, place=missed, card=str(card), given_to=place)
    state.tell("card", place=missed, to=hand.owner(missed), card=str(card), turn="draw", exposed=False)


def _maybe_expose_banker(state: TableState, place: int) -> None:
    """The banker's hand is exposed before this player has chosen (H6)."""
    hand = state.current
    if hand.banker_shown or not state.faults.of_hand(FaultKind.BANKER_EXPOSED, place):
        return
    _check_banker_count(state)
    hand.banker_shown = True
    cards = hand.initial[-1]
    state.tell("fault", fault=FaultKind.BANKER_EXPOSED.value, cards=list(map(str, cards)), before=place)
    hand.exposed = {**hand.exposed, hand.banker: cards}


def _set_players(state: TableState) -> None:
    """All players are set: late draw cards, late moves, fouls; then the banker's hand is opened (B5)."""
    hand = state.current
    hand.players_set = True
    for seat, card, exposed in hand.dealt_late:
        _give(state, seat, card, exposed)
    if state.faults.active:
        for seat, place in enumerate(hand.seats[:-1]):
            _late_move(state, seat, place)
        replay(hand)
    state.tell("hands_set")
    if state.faults.active:
        for place in hand.seats[:-1]:
            _forfeits(state, place)
    _check_banker_count(state)
    cards = list(map(str, hand.initial[-1]))
    state.tell("banker_opened", by=hand.banker, cards=cards, total=hand.playing.total(len(hand.seats) - 1))


def _check_banker_count(state: TableState) -> None:
    """A wrong number of the banker's cards is found when his hand is opened (H7)."""
    hand = state.current
    if hand.banker_place in hand.fouled:  # the one misdeal after the draw has begun
        del hand.fouled[hand.banker_place]
        number = len(hand.cards[hand.banker_place])
        state.tell("fault", fault=FaultKind.BANKER_COUNT.value, place=hand.banker_place, cards=number)
        raise Misdeal(FaultKind.BANKER_COUNT.value)


def _late_move(state: TableState, seat: int, place: int) -> None:
    """A hand is moved to the other box after the draw has passed it (H11)."""
    hand = state.current
    if seat in hand.logical or not state.faults.of_hand(FaultKind.LATE_MOVE, place):
        return
    before = hand.actions[seat]
    total = sum(hand.dealt.values_of(tuple(kind_of(card, hand.dealt) for card in hand.initial[seat]))) % 10
    if total in (5, 6):
        action = before if state.config.late_move_5_6 == "keep" else Action(1 - before)
    else:
        action = Action(int(total in LOGICAL_WAY))
    if action not in hand.dealt.legal_moves[seat][total]:
        action = before  # the rules leave this hand no other box
    state.tell("fault", fault=FaultKind.LATE_MOVE.value, place=place, total=total, plays=MOVES[action])
    if action is before:
        return
    if hand.missed is not None and hand.missed[0] == seat:
        _back_up(state, None)
    hand.actions[seat], hand.amended = action, True
    if action is Action.DRAW:
        hand.drawn[seat] = card = take(state, drawing=True)
        _give(state, seat, card, exposed=False)
    else:
        remove_draw_card(state, seat)


def _forfeits(state: TableState, place: int) -> None:
    """A wager touched after "all hands set" (H13), or a hand fouled (H14)."""
    hand = state.current
    for kind in (FaultKind.FOULED, FaultKind.TOUCHED_WAGER):
        if state.faults.of_hand(kind, place):
            reading = state.config.fouled_hand if kind is FaultKind.FOULED else state.config.penalty
            state.tell("fault", fault=kind.value, place=place, forfeits=reading == "forfeit")
            if reading == "forfeit":
                hand.fouled.setdefault(place, kind.value)  # a fouled hand stays one
            elif reading == "void":
                hand.void.add(place)


def _finish(state: TableState) -> None:
    """The banker has committed himself (H12); hands are checked, exposed draw cards replaced (H5, H8)."""
    hand = state.current
    _check_banker_count(state)  # where a natural has ended the hand
    if len(hand.actions) == len(hand.seats):  # a natural leaves nothing to commit to
        total = hand.playing.total(len(hand.seats) - 1)
        state.tell("banker_commits", by=hand.banker, action=MOVES[hand.actions[-1]], total=total)
    if hand.missed is not None:
        _back_up(state, None)
    check_hands(state)
    replay(hand)
    hand.stage = Stage.SETTLE
