"""One hand as an immutable state with explicit chance: deal, choices in turn, draw cards, returns.

`Game` holds what does not change during a hand; `Round` is a state. A state is a chance node (a card is due),
a decision (a seat chooses) or terminal. Cards are consumed one at a time clockwise from `first_to_deal`, then
one per taken draw from seat 0, the banker last; an untaken draw consumes none. Nobody else deals cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from pan9_gym.game.info_state import InfoStates, check_num_players, info_states
from pan9_gym.game.shoe import CardKind, full_shoe
from pan9_gym.rules.cards import Card, suit_class
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import read_fraction
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.side_bets import NEEDS_SUITS, SideBet
from pan9_gym.rules.terms import STAND_TOKEN, Action, Role, SuitClass, draw_token


@dataclass(frozen=True)
class Game:
    """What does not change during a hand; made by `new_game`.

    Attributes:
        rules: The rules.
        num_players: Players against the banker; the banker is seat `num_players`.
        wagers: Each player's wager, in units.
        side_stakes: Each player's stakes on side bets, per unit wagered.
        first_to_deal: The seat that gets the first card (T2); the banker may be it.
        shoe: How many cards of each kind the shoe holds before the hand.
    """

    rules: RulesConfig
    num_players: int
    wagers: tuple[Fraction, ...]
    side_stakes: tuple[tuple[tuple[SideBet, Fraction], ...], ...]
    first_to_deal: int
    shoe: tuple[tuple[CardKind, int], ...]

    @property
    def num_seats(self) -> int:
        """Players and the banker."""
        return self.num_players + 1

    @property
    def banker_seat(self) -> int:
        """The banker's seat number."""
        return self.num_players

    @cached_property
    def with_suits(self) -> bool:
        """Whether cards have suits in this hand."""
        return any(bet in NEEDS_SUITS for stakes in self.side_stakes for bet, _ in stakes)

    @cached_property
    def num_initial_deals(self) -> int:
        """Cards dealt before the first choice."""
        return self.num_seats * self.rules.num_initial_cards

    @property
    def max_cards(self) -> int:
        """The most cards one hand can take."""
        return self.num_initial_deals + self.num_seats

    @cached_property
    def counts(self) -> dict[CardKind, int]:
        """`shoe` as a dictionary."""
        return dict(self.shoe)

    @cached_property
    def states(self) -> tuple[InfoStates, ...]:
        """The numbering of every seat's information states, banker last."""
        players = [
            info_states(
                self.rules,
                Role.PLAYER,
                self.num_players,
                seat,
                with_suits=any(bet is SideBet.DRAGON for bet, _ in self.side_stakes[seat]),
            )
            for seat in range(self.num_players)
        ]
        return (*players, info_states(self.rules, Role.BANKER, self.num_players))

    def role(self, seat: int) -> Role:
        """The role of a seat."""
        return Role.BANKER if seat == self.banker_seat else Role.PLAYER

    def value_of(self, card: CardKind) -> int:
        """A card's point value."""
        return self.rules.point_values[card.rank] if isinstance(card, Card) else card

    def new_round(self, shoe: Mapping[CardKind, int] | None = None) -> Round:
        """The state before the first card.

        Args:
            shoe: Cards of each kind that are left, where a shoe goes on from hand to hand; default
                `self.shoe`.
        """
        return Round(self, self.counts if shoe is None else shoe, ((),) * self.num_seats, (), 0)


def new_game(
    rules: RulesConfig,
    num_players: int = 1,
    *,
    wagers: Sequence[int | str | Fraction] | None = None,
    side_stakes: Sequence[Mapping[str, int | str | Fraction] | None] | None = None,
    first_to_deal: int = 0,
    shoe: Mapping[CardKind, int] | None = None,
) -> Game:
    """Set up hands for `num_players` players against the banker.

    Args:
        rules: The rules.
        num_players: 1 to `rules.max_players`.
        wagers: One per player, in units, greater than 0; default 1 each.
        side_stakes: For each player the stakes on side bets by name, per unit wagered, or `None`.
        first_to_deal: The seat that gets the first card; `num_players` is the banker.
        shoe: Cards of each kind in the shoe; default a full shoe.

    Raises:
        ValueError: If an argument is out of range, a side bet is not offered, or the shoe is too small.
    """
    check_num_players(rules, num_players)
    if not 0 <= first_to_deal <= num_players:
        raise ValueError(f"first_to_deal {first_to_deal!r}: must be a seat from 0 to {num_players}")
    stakes = _read_side_stakes(rules, num_players, side_stakes)
    with_suits = any(bet in NEEDS_SUITS for seat in stakes for bet, _ in seat)
    kinds = Counter(full_shoe(rules, with_suits)) if shoe is None else Counter(dict(shoe))
    game = Game(
        rules=rules,
        num_players=num_players,
        wagers=_read_wagers(num_players, wagers),
        side_stakes=stakes,
        first_to_deal=first_to_deal,
        shoe=tuple(kinds.items()),
    )
    if not rules.with_replacement and kinds.total() < game.max_cards:
        raise ValueError(
            f"the shoe holds {kinds.total()} cards; "
            f"a hand with num_players={num_players} may take {game.max_cards}"
        )
    return game


def _read_wagers(num_players: int, wagers: Sequence[int | str | Fraction] | None) -> tuple[Fraction, ...]:
    if wagers is None:
        return (Fraction(1),) * num_players
    if isinstance(wagers, str) or len(wagers) != num_players:
        raise ValueError(f"wagers {wagers!r}: one per player is needed, so {num_players}")
    return tuple(_read_stake("wagers", wager) for wager in wagers)


def _read_stake(field: str, stake: int | str | Fraction) -> Fraction:
    try:
        amount = read_fraction(stake)
    except ValueError as error:
        raise ValueError(f"{field} {stake!r}: {error}") from None
    if amount <= 0:
        raise ValueError(f"{field} {stake!r}: must be greater than 0")
    return amount


def _read_side_stakes(
    rules: RulesConfig,
    num_players: int,
    side_stakes: Sequence[Mapping[str, int | str | Fraction] | None] | None,
) -> tuple[tuple[tuple[SideBet, Fraction], ...], ...]:
    if side_stakes is None:
        return ((),) * num_players
    if len(side_stakes) != num_players:
        raise ValueError(f"side_stakes {side_stakes!r}: one entry per player is needed, so {num_players}")
    offered = rules.side_bets.offered
    read = []
    for stakes in side_stakes:
        for bet in stakes or {}:
            if bet not in offered:
                names = ", ".join(offered) or "none"
                raise ValueError(f"side bet {bet!r} is not offered by {rules.name!r}; offered: {names}")
        read.append(
            tuple((SideBet(bet), _read_stake("side_stakes", stake)) for bet, stake in (stakes or {}).items())
        )
    return tuple(read)


@dataclass(frozen=True, slots=True)
class Round:
    """A state of one hand.

    Attributes:
        game: What does not change.
        shoe: Cards of each kind before the hand.
        hands: Each seat's cards in the order it got them, banker last.
        choices: The actions taken so far, seat 0 first.
        num_dealt: Cards consumed so far.
    """

    game: Game
    shoe: Mapping[CardKind, int] = field(hash=False)
    hands: tuple[tuple[CardKind, ...], ...]
    choices: tuple[Action, ...]
    num_dealt: int

    @property
    def seat_due(self) -> int | None:
        """The seat that gets the card that is due; `None` where no card is due."""
        game = self.game
        if self.num_dealt < game.num_initial_deals:
            return (game.first_to_deal + self.num_dealt) % game.num_seats
        last = len(self.choices) - 1
        if (
            last >= 0
            and self.choices[last] is Action.DRAW
            and len(self.hands[last]) == game.rules.num_initial_cards
        ):
            return last
        return None

    @property
    def is_chance(self) -> bool:
        """Whether a card is due."""
        return self.seat_due is not None

    @property
    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return len(self.choices) == self.game.num_seats and not self.is_chance

    @property
    def current_seat(self) -> int | None:
        """The seat that chooses; `None` at a chance node and at the end."""
        if self.is_chance or len(self.choices) == self.game.num_seats:
            return None
        return len(self.choices)

    def total(self, seat: int) -> int:
        """The total of a seat's cards so far."""
        value_of = self.game.value_of
        return hand_total(value_of(card) for card in self.hands[seat])

    def legal_actions(self) -> tuple[Action, ...]:
        """The moves of the seat that chooses; one move means it is forced. Empty where no seat chooses."""
        seat = self.current_seat
        if seat is None:
            return ()
        return legal_actions(self.game.rules, self.game.role(seat), self.total(seat))

    def remaining(self) -> Counter[CardKind]:
        """Cards of each kind that are still in the shoe."""
        counts = Counter(self.shoe)
        if not self.game.rules.with_replacement:
            for hand in self.hands:
                counts.subtract(hand)
        return counts

    def chance_outcomes(self) -> tuple[tuple[CardKind, Fraction], ...]:
        """The cards that may come and their exact probabilities; empty where no card is due."""
        if not self.is_chance:
            return ()
        counts = self.remaining()
        size = counts.total()
        return tuple((card, Fraction(number, size)) for card, number in counts.items() if number > 0)

    def apply(self, move: Action | CardKind) -> Round:
        """The state after a seat's action or a dealt card.

        Raises:
            ValueError: If the action is not legal here or no such card is left.
        """
        seat = self.seat_due
        if seat is not None:
            return self._deal(seat, move)
        legal = self.legal_actions()
        action = next((action for action in legal if action == move), None)
        if action is None:
            allowed = ", ".join(action.name for action in legal) or "none: the hand is over"
            raise ValueError(f"action {move!r} is not legal here; legal: {allowed}")
        return Round(self.game, self.shoe, self.hands, (*self.choices, action), self.num_dealt)

    def _deal(self, seat: int, card: CardKind) -> Round:
        game, hands = self.game, self.hands
        number = self.shoe.get(card, 0)
        if not game.rules.with_replacement:
            number -= sum(hand.count(card) for hand in hands)
        if number <= 0 or isinstance(card, Action):
            raise ValueError(
                f"card {card!r} is due to seat {seat} and none such is left; left: {dict(self.remaining())}"
            )
        dealt = (*hands[:seat], (*hands[seat], card), *hands[seat + 1 :])
        return Round(game, self.shoe, dealt, self.choices, self.num_dealt + 1)

    def apply_all(self, moves: Iterable[Action | CardKind]) -> Round:
        """The state after several moves in order."""
        state = self
        for move in moves:
            state = state.apply(move)
        return state

    def visible_choices(self, seat: int) -> tuple[str, ...]:
        """What `seat` sees of the earlier seats, as tokens.

        Raises:
            ValueError: If one of them has not finished its choice.
        """
        states = self.game.states[seat]
        if len(self.choices) < states.num_visible or (
            self.choices and self.seat_due in range(states.num_visible)
        ):
            raise ValueError(
                f"seat {seat} sees {states.num_visible} earlier seats; they have not all chosen yet"
            )
        return tuple(self._token(earlier, states.cards_seen) for earlier in range(states.num_visible))

    def _token(self, seat: int, card_seen: bool) -> str:
        if self.choices[seat] is Action.STAND:
            return STAND_TOKEN
        return draw_token(self.game.value_of(self.hands[seat][-1]) if card_seen else None)

    def initial_hand(self, seat: int) -> tuple[int, ...]:
        """The point values of a seat's first cards, sorted."""
        value_of = self.game.value_of
        return tuple(sorted(value_of(card) for card in self.hands[seat][: self.game.rules.num_initial_cards]))

    def suit_class(self, seat: int) -> SuitClass | None:
        """The suit class of a seat's first cards where it is part of the seat's state, else `None`."""
        if not self.game.states[seat].with_suits:
            return None
        return suit_class(self._cards(seat)[: self.game.rules.num_initial_cards])

    def _cards(self, seat: int) -> tuple[Card, ...]:
        return tuple(card if isinstance(card, Card) else Card(str(card)) for card in self.hands[seat])

    def info_state(self, seat: int) -> int:
        """The number of what `seat` knows when it chooses."""
        return self.game.states[seat].index(
            self.initial_hand(seat), self.visible_choices(seat), self.suit_class(seat)
        )

    def returns(self) -> tuple[Fraction, ...]:
        """Net units for each seat, banker last.

        They sum to zero, but for a tie wager held by a House that is not the banker (U10).

        Raises:
            ValueError: If the hand is not over.
        """
        if not self.is_terminal:
            raise ValueError("returns are known only when the hand is over")
        game = self.game
        players: list[Fraction] = []
        banker = Fraction(0)
        for seat in range(game.num_players):
            net = self.wager_return(seat)
            banker -= net
            for bet, stake in game.side_stakes[seat]:
                won = game.wagers[seat] * stake * self._side_payoff(seat, bet)
                net += won
                banker -= won if game.rules.banker_holds(bet) else 0
            players.append(net)
        return (*players, banker)

    def wager_return(self, seat: int) -> Fraction:
        """What a player's wager alone brings, in units; the hand must be over."""
        table = payoff_table(self.game.rules)
        return self.game.wagers[seat] * table[self.total(seat)][self.total(self.game.banker_seat)]

    def _side_payoff(self, seat: int, bet: SideBet) -> Fraction:
        rules = self.game.rules
        totals = (self.total(seat), self.total(self.game.banker_seat))
        return rules.side_bets.payoff(bet, self._cards(seat), rules.num_initial_cards, totals)
