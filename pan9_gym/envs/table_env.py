"""`Pan9/Table-v0`: every seat of a table as a PettingZoo agent. Needs pettingzoo, from the extra `table`.

    import pettingzoo
    import pan9_gym.envs.table_env  # registers it

    env = pettingzoo.make("aec", "Pan9/Table-v0", num_players=2)

`env` below is the specification. A worked hand with the reward of every call: two players wager 3 units and
1. Player 0 has 2 3 K, draws a 3 and has 8; player 1 has 6 K J and stands on 6; the banker has 4 Q 2, draws an
ace and has 7. Nobody wins anything while the hand lasts: `last()` gives 0 to each. The banker's choice ends
the hand and the episode for all; each agent then has one more turn, in which `last()` gives what it has
won since its own choice and the only action is `None`.

>>> import pettingzoo
>>> env = pettingzoo.make("aec", "Pan9/Table-v0", num_players=2, wagers=[3, 1])
>>> env.reset(options={"cards": ["2", "6", "4", "3", "K", "Q", "K", "J", "2", "3", "A", "5"]})
>>> moves = {"player_0": 1, "player_1": 0, "banker_0": 1}
>>> won = dict.fromkeys(env.agents, 0.0)
>>> for agent in env.agent_iter():
...     seen, reward, terminated, truncated, info = env.last()
...     won[agent] += reward
...     action = None if terminated or truncated else moves[agent]
...     print(agent, seen["observation"], seen["action_mask"], reward, won[agent], action)
...     env.step(action)
player_0 [1. 0. 1. 1. 0. 0. 0.] [1 1] 0.0 0.0 1
player_1 [2. 0. 0. 0. 0. 0. 1. 1.] [1 1] 0.0 0.0 0
banker_0 [1. 0. 1. 0. 1. 0. 0. 1. 0.] [1 1] 0.0 0.0 1
player_0 [1. 0. 1. 1. 0. 0. 0.] [0 0] 3.0 3.0 None
player_1 [2. 0. 0. 0. 0. 0. 1. 1.] [0 0] -1.0 -1.0 None
banker_0 [1. 0. 1. 0. 1. 0. 0. 1. 0.] [0 0] -2.0 -2.0 None

The numbers are counts of own cards worth 0 to 6, then a 1 for each earlier seat that drew. In an episode of
several hands there is no such turn between them: the settled hand's reward comes with the agent's next
decision, which is about the next hand.

The same cards at a whole table of three, where the bank is offered first and money is in chips:

>>> table = pettingzoo.make("aec", "Pan9/Table-v0", mode="full", num_seats=3, num_hands=1)
>>> cards = ["2", "6", "4", "3", "K", "Q", "K", "J", "2", "3", "A", "5"]
>>> table.reset(options={"cards": cards, "dice": [(1, 1, 6)]})
>>> before = ["bank: accept", "stake: 40", "wager: 5", "wager: 1", "others: nothing", "others: nothing"]
>>> answers = iter([*before, "draw: draw", "draw: stand", "draw: draw"])
>>> for agent in table.agent_iter():
...     _, reward, terminated, truncated, info = table.last()
...     answer = None if terminated or truncated else next(answers)
...     print(agent, reward, answer)
...     table.step(None if answer is None else table.play.actions.index(answer))
seat_0 0.0 bank: accept
seat_0 0.0 stake: 40
seat_1 0.0 wager: 5
seat_2 0.0 wager: 1
seat_1 0.0 others: nothing
seat_2 0.0 others: nothing
seat_1 0.0 draw: draw
seat_2 0.0 draw: stand
seat_0 0.0 draw: draw
seat_0 -4.0 None
seat_1 5.0 None
seat_2 -1.0 None
"""

from __future__ import annotations

import inspect
from typing import Any

from pan9_gym.envs.table_aec import TableEnv  # first: it says which extra is missing

# isort: split
import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from pan9_gym.envs.arguments import check_option
from pan9_gym.envs.setup import IllegalAction
from pan9_gym.envs.table_draw import DrawPlay
from pan9_gym.envs.table_full import FullPlay
from pan9_gym.rules.errors import closest

ENV_ID = "Pan9/Table-v0"

MODES: dict[str, type[DrawPlay] | type[FullPlay]] = {"draw": DrawPlay, "full": FullPlay}


def env(
    mode: str = "draw",
    render_mode: str | None = None,
    illegal_action: IllegalAction = "error",
    max_cycles: int | None = None,
    max_decisions: int | None = None,
    **arguments: Any,
) -> TableEnv:
    """Make the table environment.

    ## Description

    `mode="draw"`: hands of fixed wagers whose draw decisions are the agents', players first, the banker last.
    `mode="full"`: the whole table of `pan9_gym.table`: the bank is offered, the banker stakes, the others
    wager, the cards are dealt from the dice's place, everybody chooses, wagers are settled within the cover,
    the bank goes on.

    ## Agents

    draw: `player_0` ... and `banker_0`. full: `seat_0` ... clockwise and, where the House may bank or wager,
    `house_0`, which never has a choice and is asked only with `forced="offer"`; who banks changes from hand
    to hand, and the observation says it.

    ## Action Space

    draw: `Discrete(2)`, 0 stand, 1 draw. full: one `Discrete` for all questions, the same for all agents;
    `action_layout()` prints it. At the default table:

    | actions | meaning |
    |---|---|
    | 0-1 | draw: stand, draw; on sheets with it then the logical way |
    | 2-3 | bank: accept, refuse |
    | 4-6 | stake: 10, 40, 80 |
    | 7-10 | wager: sit out, 1, 5, 10; each wager with every combination of side bets |
    | 11-32 | others: nothing, or back the hand 1, 2, ... 7 places clockwise with 1, 5, 10 (B8) |

    Under `uk_1994_player` two more ask the House to fill the stake, or do not. With `tie_bettors` others may
    wager on a tie of a hand (U10), with `both_hands` on both hands (R1). Of the wagers on other hands an
    agent can make one a hand. Whatever is asked, one action at least is legal.

    ## Observation Space

    `Dict` of `observation`, a flat float32 `Box`, and `action_mask`, int8, 1 where legal, all 0 unless the
    agent is due. draw: as the seat's scalar environment encodes it (`PlayerEnv`, `PlayerDealerEnv`); earlier
    seats that have not chosen yet look like seats that stood. full: the features below, at the default table
    105 numbers; `observation_layout(agent)` prints every entry in either mode.

    | feature | entries | meaning |
    |---|---|---|
    | phase | 6 | which question is asked |
    | role | 2 | whether the agent banks, whether it has a hand against the bank |
    | stake | 1 | the banker's stake |
    | bank | 2 | how long the bank has been held, how often refused |
    | unseen | 7 | cards of each point value that no hand has shown since the shuffle |
    | counts | 7 | the own hand, or the one that the agent is asked to play |
    | sits, asked, banks, playing, action | 8 each | who sits, is asked, banks, plays, is paid first |
    | wager | 8 | the wager at each place |
    | back_line, own_back_line | 8 each | back-line wagers there, the agent's own |
    | stood, drew | 8 each | choices that the agent has seen |

    Places are counted clockwise from the agent's own, so that one net can play every seat. Where the sheet
    has them there are also `suit_class`, stakes on each side bet, `both`, `own_tie`, `seen_card`, and with
    faults `exposed`. Nothing depends on cards or choices that the agent may not know.

    ## Rewards

    draw: units, each player's wager times its payoff and its side stakes; the banker's is minus their sum,
    but for a tie wager held by a House that does not bank. full: chips, all that flowed in the hand, the
    room's collections too, without which they sum to zero. All agents get them when a hand is settled.

    ## Episode End

    draw: terminates after `num_hands` hands; hands that a natural ends, or with `forced="skip"` those in
    which nobody has a choice, are not counted. full: terminates when all refuse the bank often enough (T7),
    is truncated after `num_hands` hands, dealt or not.

    ## Information

    draw: `info_state` of who is due; `totals` of the latest settled hand. full: the number of the `hand`; for
    who is due the `phase`, and for a draw `info_state`, `seat` and `num_players`. With
    `illegal_action="replace"` also `action_replaced` of the agent's latest action.

    Args:
        mode: "draw" or "full".
        render_mode: "ansi" gives the table as who is due may see it, and open once the last hand is settled;
            "human" prints it after every step.
        illegal_action: "error" refuses an illegal action, and nothing changes; "replace" plays the first
            legal one.
        max_cycles: Decisions of each agent after which the episode is truncated; who has made them is played
            by the first legal action until all have.
        max_decisions: Decisions of all agents together after which it is truncated.
        **arguments: Both modes: `rules`; `num_hands`, default 1 and 20; `forced`, "offer" or "skip" moves
            without a choice. draw: `num_players`, `observe`, `wagers`, `side_stakes`, `shoe_mode`,
            `penetration` as in `PlayerEnv`, `side_stakes` for all or a list. full: `num_seats`, default as
            many as the sheet allows; `wager_choices`, `side_choices`, `stake_choices` in chips; `table`, a
            mapping of fields of `TableConfig`, such as `{"collection": {"player": 1}}`.

    `reset(options={"cards": [...]})` lists the cards of the first hand, in full mode of all hands, enough for
    every draw and no more of any than the shoe has; in full mode a card without a suit gets one, and `dice`
    lists the throws, as in `[(1, 1, 6)]`.

    Raises:
        ValueError: If an argument is not possible; the message names it, its value and what is allowed.
    """
    check_option("mode", mode, tuple(MODES))
    play = MODES[mode]
    allowed = inspect.signature(play).parameters
    for name in arguments:
        if name not in allowed:
            raise ValueError(
                f"argument {name!r} is not known with mode={mode!r}{closest(name, allowed)}; "
                f"allowed: {', '.join(allowed)}"
            )
    return TableEnv(play(**arguments), render_mode, illegal_action, max_cycles, max_decisions)


def parallel_env(max_cycles: int | None = None, **arguments: Any) -> Any:
    """The same environment by PettingZoo's `turn_based_aec_to_parallel`.

    Every step reads the action of the one agent whose mask is not zero, `info["active_agent"]`.

    Args:
        max_cycles: Steps after which the episode is cut.
        **arguments: As in `env`.
    """
    return turn_based_aec_to_parallel(env(max_decisions=max_cycles, **arguments))


def register() -> None:
    """Register the environment in both of PettingZoo's registries; a second call changes nothing."""
    if ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ENV_ID, "pan9_gym.envs.table_env:env")
        pettingzoo.register("parallel", ENV_ID, "pan9_gym.envs.table_env:parallel_env")


register()
