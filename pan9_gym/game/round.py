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
from typing import cast

from pan9_gym.game.info_state import InfoStates, info_states, read_num_players
from pan9_gym.game.shoe import CardKind, read_counts
from pan9_gym.game.stakes import (
    Amount,
    SideStakes,
    held_by_banker,
    need_suits,
    read_side_stakes,
    read_wagers,
    show_suits,
)
from pan9_gym.rules.cards import Card, suit_class
from pan9_gym.rules.catalog import RulesLike, load_rules
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.fields import TOTALS, is_whole
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.settlement import payoff_table
from pan9_gym.rules.terms import Action, Role, SuitClass


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
    side_stakes: tuple[SideStakes, ...]
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
        return any(need_suits(stakes) for stakes in self.side_stakes)

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
                with_suits=show_suits(self.side_stakes[seat]),
            )
            for seat in range(self.num_players)
        ]
        return (*players, info_states(self.rules, Role.BANKER, self.num_players))

    def role(self, seat: int) -> Role:
        """The role of a seat."""
        return Role.BANKER if seat == self.banker_seat else Role.PLAYER

    @cached_property
    def payoffs(self) -> tuple[tuple[Fraction, ...], ...]:
        """`payoff_table` of the rules: `payoffs[player_total][banker_total]`."""
        return payoff_table(self.rules)

    @cached_property
    def legal_moves(self) -> tuple[tuple[tuple[Action, ...], ...], ...]:
        """`legal_actions` of every seat by total, where no tableau binds it: `legal_moves[seat][total]`."""
        free_of_tableau = self.num_players if self.rules.banker_tableau else self.num_seats
        return tuple(
            tuple(legal_actions(self.rules, self.role(seat), total) for total in TOTALS)
            for seat in range(free_of_tableau)
        )

    def values_of(self, cards: tuple[CardKind, ...]) -> tuple[int, ...]:
        """Point values of cards."""
        if not self.with_suits:
            return cast("tuple[int, ...]", cards)
        return tuple(self.rules.point_values[card.rank] for card in cast("tuple[Card, ...]", cards))

    def new_round(self, shoe: Mapping[CardKind, int] | None = None) -> Round:
        """The state before the first card.

        Args:
            shoe: Cards of each kind that are left, where a shoe goes on from hand to hand; default
                `self.shoe`.
        """
        counts = self.counts if shoe is None else shoe
        return Round(self, counts, ((),) * self.num_seats, (), 0, self.first_to_deal)


def new_game(
    rules: RulesLike,
    num_players: int = 1,
    *,
    wagers: Sequence[Amount] | None = None,
    side_stakes: Sequence[Mapping[str, Amount] | None] | None = None,
    first_to_deal: int = 0,
    shoe: Mapping[CardKind, int] | None = None,
) -> Game:
    """Set up hands for `num_players` players against the banker.

    Args:
        rules: A sheet's name, a path, or a `RulesConfig`.
        num_players: 1 to `rules.max_players`.
        wagers: One per player, in units, greater than 0; default 1 each.
        side_stakes: For each player the stakes on side bets by name, per unit wagered, or `None`.
        first_to_deal: The seat that gets the first card; `num_players` is the banker.
        shoe: Cards of each kind in the shoe; default a full shoe.

    Raises:
        ValueError: If an argument is out of range, a side bet is not offered, or the shoe is too small.
    """
    rules = load_rules(rules)
    num_players = read_num_players(rules, num_players)
    if not is_whole(first_to_deal) or not 0 <= first_to_deal <= num_players:
        raise ValueError(f"first_to_deal {first_to_deal!r}: must be a seat from 0 to {num_players}")
    stakes = read_side_stakes(rules, num_players, side_stakes)
    with_suits = any(map(need_suits, stakes))
    kinds = read_counts(rules, with_suits, shoe)
    game = Game(
        rules=rules,
        num_players=num_players,
        wagers=read_wagers(num_players, wagers),
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


@dataclass(frozen=True, slots=True)
class Round:
    """A state of one hand.

    Attributes:
        game: What does not change.
        shoe: Cards of each kind before the hand.
        hands: Each seat's cards in the order it got them, banker last.
        choices: The actions taken so far, seat 0 first.
        num_dealt: Cards consumed so far.
        seat_due: The seat that gets the card that is due; `None` where no card is due.
    """

    game: Game
    shoe: Mapping[CardKind, int] = field(hash=False)
    hands: tuple[tuple[CardKind, ...], ...]
    choices: tuple[Action, ...]
    num_dealt: int
    seat_due: int | None

    @property
    def is_chance(self) -> bool:
        """Whether a card is due."""
        return self.seat_due is not None

    @property
    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        if self.seat_due is not None:
            return False
        return len(self.choices) == self.game.num_seats or self.ends_on_a_natural

    @property
    def ends_on_a_natural(self) -> bool:
        """Whether a hand of first cards has a total that ends everything (K1)."""
        naturals = self.game.rules.naturals
        if not naturals or self.num_dealt < self.game.num_initial_deals or self.choices:
            return False
        return any(self.total(seat) in naturals for seat in range(self.game.num_seats))

    @property
    def current_seat(self) -> int | None:
        """The seat that chooses; `None` at a chance node and at the end."""
        chosen = len(self.choices)
        if self.seat_due is not None or chosen == self.game.num_seats or self.ends_on_a_natural:
            return None
        return chosen

    def total(self, seat: int) -> int:
        """The total of a seat's cards so far."""
        return hand_total(self.game.values_of(self.hands[seat]))

    def legal_actions(self) -> tuple[Action, ...]:
        """The moves of the seat that chooses; one move means it is forced. Empty where no seat chooses."""
        seat = self.current_seat
        if seat is None:
            return ()
        if self.game.rules.banker_tableau and seat == self.game.banker_seat:
            return legal_actions(self.game.rules, Role.BANKER, self.total(seat), self.visible_choices(seat))
        return self.game.legal_moves[seat][self.total(seat)]

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
        due = len(self.choices) if action is Action.DRAW else None
        return Round(self.game, self.shoe, self.hands, (*self.choices, action), self.num_dealt, due)

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
        num_dealt = self.num_dealt + 1
        due = (seat + 1) % game.num_seats if num_dealt < game.num_initial_deals else None
        return Round(game, self.shoe, dealt, self.choices, num_dealt, due)

    def deal_first_cards(self, cards: Sequence[CardKind]) -> Round:
        """The state after all first cards at once: the same as applying them one by one.

        Args:
            cards: All first cards of all seats, in the order of the deal.

        Raises:
            ValueError: If this is not the start of a hand, or the cards are too many, too few or not in
                the shoe.
        """
        game = self.game
        if self.num_dealt or len(cards) != game.num_initial_deals:
            raise ValueError(f"{len(cards)} first cards: {game.num_initial_deals - self.num_dealt} are due")
        for card in set(cards):
            number = self.shoe.get(card, 0)
            if number == 0 or (number < cards.count(card) and not game.rules.with_replacement):
                raise ValueError(f"card {card!r} is dealt {cards.count(card)} times; the shoe has {number}")
        seats, first = game.num_seats, game.first_to_deal
        hands = tuple(tuple(cards[(seat - first) % seats :: seats]) for seat in range(seats))
        return Round(game, self.shoe, hands, (), len(cards), None)

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
        return tuple(states.tokens[digit] for digit in self._visible_digits(seat, states))

    def _visible_digits(self, seat: int, states: InfoStates) -> list[int]:
        """What `seat` sees of the earlier seats, as the digits of its pattern, first seat first."""
        number = states.num_visible
        if len(self.choices) < number or (self.seat_due is not None and self.seat_due < number):
            raise ValueError(f"seat {seat} sees {number} earlier seats; they have not all chosen yet")
        if not states.cards_seen:
            return [int(choice) for choice in self.choices[:number]]
        return [self._seen_digit(earlier) for earlier in range(number)]

    def _seen_digit(self, seat: int) -> int:
        if self.choices[seat] is Action.STAND:
            return 0
        return 1 + self.game.values_of(self.hands[seat][-1:])[0]

    def initial_hand(self, seat: int) -> tuple[int, ...]:
        """The point values of a seat's first cards, sorted."""
        first = self.hands[seat][: self.game.rules.num_initial_cards]
        return tuple(sorted(self.game.values_of(first)))

    def suit_class(self, seat: int) -> SuitClass | None:
        """The suit class of a seat's first cards where it is part of the seat's state, else `None`."""
        if not self.game.states[seat].with_suits:
            return None
        return suit_class(self._cards(seat)[: self.game.rules.num_initial_cards])

    def _cards(self, seat: int) -> tuple[Card, ...]:
        return tuple(card if isinstance(card, Card) else Card(str(card)) for card in self.hands[seat])

    def info_state(self, seat: int) -> int:
        """The number of what `seat` knows when it chooses.

        Raises:
            ValueError: If its first cards are not dealt, or an earlier seat that it sees has not chosen.
        """
        if self.num_dealt < self.game.num_initial_deals:
            raise ValueError(f"seat {seat} has no information state before all first cards are dealt")
        states = self.game.states[seat]
        digits = self._visible_digits(seat, states)
        return states.number(digits, self.initial_hand(seat), self.suit_class(seat) or 0)

    def returns(self) -> tuple[Fraction, ...]:
        """Net units for each seat, banker last.

        They sum to zero, but for a tie wager held by a House that is not the banker (U10).

        Raises:
            ValueError: If the hand is not over.
        """
        return tuple(self.seat_return(seat) for seat in range(self.game.num_seats))

    def seat_return(self, seat: int) -> Fraction:
        """Net units for one seat.

        Raises:
            ValueError: If the hand is not over.
        """
        if not self.is_terminal:
            raise ValueError("returns are known only when the hand is over")
        game = self.game
        if seat != game.banker_seat:
            return self._player_return(seat, game.side_stakes[seat])
        held = [held_by_banker(game.rules, stakes) for stakes in game.side_stakes]
        return -sum((self._player_return(player, held[player]) for player in range(seat)), Fraction(0))

    def _player_return(self, seat: int, stakes: SideStakes) -> Fraction:
        """What a player's wager and these of its side stakes bring."""
        rules, wager = self.game.rules, self.game.wagers[seat]
        totals = (self.total(seat), self.total(self.game.banker_seat))
        net = self.game.payoffs[totals[0]][totals[1]]
        for bet, stake in stakes:
            net += stake * rules.side_bets.payoff(bet, self._cards(seat), rules.num_initial_cards, totals)
        return net if wager == 1 else wager * net
