"""`RulesConfig` and `load_rules` as objects: frozen, hashable, picklable, with overrides."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from pydantic import ValidationError

from pan9_gym.rules import DrawRule, RulesConfig, load_rules
from pan9_gym.rules.fields import FrozenMapping

SHEETS = ("bicycle", "bicycle_bonus", "hawaiian_gardens", "uk_1994_house", "uk_1994_player")


def test_a_config_is_frozen() -> None:
    rules = load_rules("bicycle")
    with pytest.raises(ValidationError, match="frozen"):
        rules.num_decks = 8  # type: ignore[misc]
    with pytest.raises(TypeError, match="item assignment"):
        rules.point_values["A"] = 5  # type: ignore[index]
    assert rules == RulesConfig()


@pytest.mark.parametrize("sheet", SHEETS)
def test_json_brings_the_same_rules_back(sheet: str) -> None:
    rules = load_rules(sheet)
    assert RulesConfig.model_validate(json.loads(rules.model_dump_json())) == rules


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_pickle_brings_the_same_rules_back(sheet: str) -> None:
    rules = load_rules(sheet)
    back = pickle.loads(pickle.dumps(rules))
    assert back == rules
    assert hash(back) == hash(rules)
    assert copy.deepcopy(rules) == rules


def test_equal_rules_have_one_hash_and_other_rules_another() -> None:
    assert len({load_rules("bicycle"), RulesConfig(), load_rules("bicycle_bonus")}) == 2


def test_a_config_is_handed_back_as_it_is() -> None:
    rules = load_rules("uk_1994_house")
    assert load_rules(rules) is rules


def test_overrides_are_named_and_leave_the_other_fields_alone() -> None:
    rules = load_rules("bicycle_bonus", num_decks=8, payout=Fraction(19, 20))
    assert rules.name == "bicycle_bonus, num_decks=8, payout=19/20"
    assert (rules.num_decks, rules.payout) == (8, Fraction(19, 20))
    unchanged = set(RulesConfig.model_fields) - {"name", "num_decks", "payout"}
    assert all(getattr(rules, field) == getattr(load_rules("bicycle_bonus"), field) for field in unchanged)


def test_an_override_may_be_the_object_itself() -> None:
    rule = DrawRule(must_draw=frozenset({0, 1}))
    assert load_rules("bicycle", player_draw_rule=rule).player_draw_rule == rule


@pytest.mark.parametrize("written", ["19/20", "0.95", "38/40", Fraction(19, 20)])
def test_a_payout_is_exact_however_it_is_written(written: str | Fraction) -> None:
    assert load_rules("bicycle", payout=written).payout == Fraction(19, 20)


def test_a_copy_with_changes_has_a_fingerprint_of_its_own() -> None:
    rules = load_rules("bicycle")
    before = rules.fingerprint  # is cached now
    assert rules.initial_counts[0] == 144
    changed = rules.model_copy(update={"num_decks": 8})
    assert changed.initial_counts[0] == 96
    assert changed.fingerprint == load_rules("bicycle", num_decks=8).fingerprint != before
    assert rules.model_copy() == rules


def test_a_copy_with_changes_is_validated() -> None:
    with pytest.raises(ValidationError, match="must be a whole number from 1 to 1000"):
        load_rules("bicycle").model_copy(update={"num_decks": 0})


def test_a_frozen_mapping_is_equal_and_hashed_by_content() -> None:
    one, other = FrozenMapping({"A": 1, "K": 0}), FrozenMapping({"K": 0, "A": 1})
    assert one == other
    assert hash(one) == hash(other)
    assert one != FrozenMapping({"A": 1, "K": 1})
    assert repr(one) == "{'A': 1, 'K': 0}"


def test_a_payout_may_be_a_numpy_integer() -> None:
    payout = load_rules("bicycle", payout=np.int64(2)).payout
    assert payout == 2
    assert type(payout.numerator) is int
