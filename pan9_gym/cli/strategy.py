"""Strategies in words: on which totals a policy draws, and which hands are exceptions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from pan9_gym.cli.tables import Column, Table
from pan9_gym.game.info_state import Choices, InfoStates
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.errors import ConfigError
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.terms import Role, SuitClass
from pan9_gym.solver import equilibrium
from pan9_gym.solver.deal_distribution import ShoeLike

EQUILIBRIUM = "equilibrium"
"""The name of the equilibrium's strategy, solved for where it is asked for."""

MOST_EXCEPTIONS = 12
"""Hands listed one by one; more are counted."""


def strategy_table(title: str, policies: dict[str, TabularPolicy]) -> Table:
    """How some seats play: a row for each pattern of choices they see; equal rows are written once.

    Args:
        title: The table's title.
        policies: Seats by name.
    """
    rows = []
    for name, policy in policies.items():
        by_play: dict[tuple[str, str], list[Choices]] = {}
        for pattern, choices in enumerate(policy.states.patterns):
            by_play.setdefault(_in_words(policy.states, policy.draw_probs[pattern]), []).append(choices)
        rows += [(name, _seen(policy.states, seen, by_play), *play) for play, seen in by_play.items()]
    columns = (Column("seat"), Column("choices seen"), Column("draws on"), Column("exceptions"))
    return Table(title, columns, tuple(rows))


def choices_text(choices: Choices) -> str:
    """Visible choices in one cell."""
    return " ".join(choices) or "none"


def read_policy(
    text: str,
    rules: RulesConfig,
    role: Role | None = None,
    shoe: ShoeLike | None = None,
    any_rules: bool = False,
) -> str | TabularPolicy:
    """A policy as it is written on the command line: a name, "equilibrium", or the path of a policy file.

    Args:
        text: What is written.
        rules: The rules.
        role: Whose strategy "equilibrium" is, in the game of one player; `None` where it is not possible.
        shoe: The shoe of that game.
        any_rules: Whether a file made for other rules is taken, forced moves replaced.

    Raises:
        ConfigError: If the file is no policy file for these rules, or of another role.
    """
    if text == EQUILIBRIUM and role is not None:
        return equilibrium(rules, shoe=shoe).policy(role)
    if not (text.endswith(".json") or "/" in text or "\\" in text):
        return text
    policy = TabularPolicy.load(Path(text), rules, any_rules)
    if role not in (None, policy.role):
        raise ConfigError(f"{text}: is a policy of the {policy.role}; one of the {role} is needed here")
    printable = "".join(letter if letter.isprintable() else " " for letter in policy.name)
    return replace(policy, name=printable)


def policy_key(policy: str | TabularPolicy | None) -> Any:
    """What tells a policy from others, for JSON."""
    return [policy.name, policy.texts()] if isinstance(policy, TabularPolicy) else policy


def policy_name(policy: str | TabularPolicy) -> str:
    """What tables call a policy."""
    return policy if isinstance(policy, str) else policy.name


def _seen(states: InfoStates, seen: list[Choices], by_play: dict[tuple[str, str], list[Choices]]) -> str:
    if len(by_play) == 1 and len(states.patterns) > 1:
        return "any"
    texts = [choices_text(choices) for choices in seen]
    return "; ".join(texts) if len(texts) <= MOST_EXCEPTIONS else f"{texts[0]}; and {len(texts) - 1} others"


def _in_words(states: InfoStates, row: tuple[Fraction, ...]) -> tuple[str, str]:
    """(totals it draws on, hands that differ from their total), by suit class where that matters."""
    kinds = list(SuitClass) if states.with_suits else [None]
    by_kind = {kind: _draws(states, row, kind or 0) for kind in kinds}
    exceptions = [text for kind, (_, texts) in by_kind.items() for text in _prefixed(kind, texts)]
    if len(exceptions) > MOST_EXCEPTIONS:
        exceptions = [f"{len(exceptions)} hands differ from their total"]
    draws = {kind: ranges(labels) or "nothing" for kind, (labels, _) in by_kind.items()}
    if len(set(draws.values())) == 1:
        return next(iter(draws.values())), "; ".join(exceptions)
    texts = [text for kind, totals in draws.items() for text in _prefixed(kind, [totals])]
    return "; ".join(texts), "; ".join(exceptions)


def _prefixed(kind: SuitClass | None, texts: list[str]) -> list[str]:
    return texts if kind is None else [f"{kind.label} {text}" for text in texts]


def _draws(states: InfoStates, row: tuple[Fraction, ...], kind: int) -> tuple[list[str], list[str]]:
    """Labels of the totals drawn on, and of the hands that differ, within one suit class."""
    draws, exceptions = [], []
    for total in TOTALS:
        hands = [hand for hand, own in enumerate(states.hand_totals) if own == total]
        probs = [row[hand * states.num_suit_classes + kind] for hand in hands]
        if not probs:
            continue
        usual = max(set(probs), key=lambda prob: (probs.count(prob), -prob))
        if usual:
            draws.append(str(total) if usual == 1 else f"{total} with {usual}")
        exceptions += [
            f"{' '.join(map(str, states.hands[hand]))}: {_move(prob)}"
            for hand, prob in zip(hands, probs, strict=True)
            if prob != usual
        ]
    return draws, exceptions


def _move(prob: Fraction) -> str:
    return {0: "stand", 1: "draw"}.get(int(prob), "") if prob in (0, 1) else f"draw with {prob}"


def ranges(labels: list[str]) -> str:
    """Labels with runs of totals as ranges: 0-5."""
    parts: list[list[str]] = []
    for label in labels:
        if label.isdigit() and parts and parts[-1][-1].isdigit() and int(parts[-1][-1]) + 1 == int(label):
            parts[-1].append(label)
        else:
            parts.append([label])
    return ", ".join(part[0] if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
