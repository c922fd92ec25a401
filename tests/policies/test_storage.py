"""The policy file: exact there and back, refused where it is not what it says, never half written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pan9_gym import policies
from pan9_gym.policies import storage
from pan9_gym.policies.tabular import TabularPolicy
from pan9_gym.rules import ConfigError, SuitClass, load_rules

RULES = load_rules("bicycle")
BONUS = load_rules("bicycle_bonus")
WIZARD = policies.get("wizard", RULES, "banker")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "policy.json"


@pytest.fixture
def data(path: Path) -> dict[str, Any]:
    """What a good file holds."""
    WIZARD.save(path)
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def refused(path: Path, *parts: str, rules: Any = RULES, **options: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        TabularPolicy.load(path, rules, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 1000 + len(str(path))
    for part in parts:
        assert part in message


# There and back


def fine_grained(hand: tuple[int, ...], choices: tuple[str, ...]) -> Any:
    """9/11, thirds, tenths as floats, and a number with a denominator of over three hundred digits."""
    return [Fraction(9, 11), Fraction(1, 3), 0.1, 0.7, 5e-324, 1 - 2**-53][sum(hand) % 6]


@pytest.mark.parametrize(
    ("role", "num_players", "seat"), [("player", 1, 0), ("player", 5, 3), ("banker", 1, 0), ("banker", 3, 0)]
)
def test_a_policy_comes_back_exactly(path: Path, role: str, num_players: int, seat: int) -> None:
    policy = TabularPolicy.from_callable(RULES, role, fine_grained, num_players, seat, name="net 1")
    policy.save(path)
    loaded = TabularPolicy.load(path, RULES)
    assert loaded == policy
    assert loaded.draw_probs == policy.draw_probs
    assert Fraction(9, 11) in loaded.draw_probs[0]
    assert Fraction(0.1) in loaded.draw_probs[0]
    assert (loaded.name, loaded.rules) == ("net 1", RULES)


@pytest.mark.parametrize("name", ["logical_way", "always_draw", "always_stand", "uniform", "wizard"])
def test_named_policies_come_back(path: Path, name: str) -> None:
    policy = policies.get(name, BONUS, "banker")
    policy.save(str(path))
    assert TabularPolicy.load(str(path), BONUS) == policy


def test_a_policy_with_suit_classes_comes_back(path: Path) -> None:
    policy = TabularPolicy.from_callable(
        BONUS, "player", lambda hand, choices, suits: Fraction(suits is SuitClass.SUITED), with_suits=True
    )
    policy.save(path)
    assert TabularPolicy.load(path, BONUS) == policy


def test_the_file_is_the_one_that_the_design_describes(data: dict[str, Any]) -> None:
    assert {key: value for key, value in data.items() if key != "draw_prob"} == {
        "format": "pan9-policy-1",
        "name": "wizard",
        "role": "banker",
        "num_players": 1,
        "seat": 1,
        "with_suits": False,
        "rules_name": "bicycle",
        "rules_fingerprint": RULES.fingerprint,
        "layout_fingerprint": WIZARD.states.fingerprint,
    }
    assert [len(row) for row in data["draw_prob"]] == [84, 84]
    assert {entry for row in data["draw_prob"] for entry in row} == {"0", "1"}


def test_equal_rows_are_stored_once_and_stand_for_every_pattern(path: Path) -> None:
    policy = policies.get("logical_way", RULES, "banker", num_players=7)
    policy.save(path)
    assert len(json.loads(path.read_text(encoding="utf-8"))["draw_prob"]) == 1
    assert TabularPolicy.load(path, RULES) == policy


def test_missing_folders_are_made(tmp_path: Path) -> None:
    WIZARD.save(tmp_path / "runs" / "one" / "policy.json")
    assert TabularPolicy.load(tmp_path / "runs" / "one" / "policy.json", RULES) == WIZARD


def test_decimals_written_by_hand_are_read_exactly(path: Path, data: dict[str, Any]) -> None:
    data["draw_prob"][0][0] = "0.1"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert TabularPolicy.load(path, RULES).draw_probs[0][0] == Fraction(1, 10)


# Other rules, other layouts


def test_a_file_for_other_rules_is_refused(path: Path) -> None:
    WIZARD.save(path)
    eight = load_rules("bicycle", num_decks=8)
    parts = ("'bicycle'", RULES.fingerprint, eight.fingerprint, "allow_other_rules=True accepts it")
    refused(path, "was made for the rules", *parts, rules=eight)


def test_the_name_of_the_rules_does_not_matter(path: Path) -> None:
    WIZARD.save(path)
    renamed = RULES.model_copy(update={"name": "my own sheet"})
    assert TabularPolicy.load(path, renamed).draw_probs == WIZARD.draw_probs


def test_allow_other_rules_takes_a_table_that_is_legal_without_a_word(path: Path) -> None:
    WIZARD.save(path)
    eight = load_rules("bicycle", num_decks=8)
    loaded = TabularPolicy.load(path, eight, allow_other_rules=True)
    assert (loaded.rules, loaded.draw_probs) == (eight, WIZARD.draw_probs)


def test_allow_other_rules_replaces_illegal_moves_and_lists_them(path: Path) -> None:
    TabularPolicy.from_totals(RULES, "player", {0, 1, 2, 5, 8}).save(path)
    with pytest.warns(UserWarning, match="moves that 'bicycle_bonus' does not allow were replaced") as caught:
        loaded = TabularPolicy.load(path, BONUS, allow_other_rules=True)
    assert len(caught) == 1
    listed = str(caught[0].message).partition("replaced: ")[2]
    assert listed == "total 3: DRAW; total 4: DRAW; total 8: STAND"
    assert loaded.draw_probs == TabularPolicy.from_totals(BONUS, "player", {0, 1, 2, 3, 4, 5}).draw_probs


def test_the_warning_points_at_the_caller(path: Path) -> None:
    TabularPolicy.from_totals(RULES, "player", {8}).save(path)
    with pytest.warns(UserWarning, match="replaced") as caught:
        TabularPolicy.load(path, BONUS, allow_other_rules=True)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("allow_other_rules", [False, True])
@pytest.mark.parametrize(
    "other", [{"banker_sees": "nothing"}, {"banker_sees": "card"}, {"num_initial_cards": 2}], ids=str
)
def test_another_layout_is_refused_always(path: Path, other: dict[str, Any], allow_other_rules: bool) -> None:
    WIZARD.save(path)
    rules = load_rules("bicycle", **other)
    refused(
        path,
        "layout_fingerprint",
        WIZARD.states.fingerprint,
        rules=rules,
        allow_other_rules=allow_other_rules,
    )


# Damaged files


def set_field(field: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.__setitem__(field, value)


def set_entry(value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["draw_prob"][1].__setitem__(3, value)


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], None], tuple[str, ...]]] = {
    "no format": (lambda data: data.pop("format"), ("format None", "'pan9-policy-1' is needed")),
    "another format": (set_field("format", "pan9-policy-9"), ("format 'pan9-policy-9'",)),
    "a long format": (set_field("format", "x" * 10**6), ("format 'xxx", "...")),
    "no role": (lambda data: data.pop("role"), ("field 'role' is missing",)),
    "another role": (set_field("role", "dealer"), ("field 'role' has the value 'dealer'",)),
    "a key too many": (set_field("extra", 1), ("unknown key 'extra'",)),
    "players as text": (set_field("num_players", "1"), ("field 'num_players' has the value '1'",)),
    "eight players": (set_field("num_players", 8), ("field 'num_players' has the value 8",)),
    "no players": (set_field("num_players", 0), ("field 'num_players' has the value 0",)),
    "other players": (set_field("num_players", 2), ("layout_fingerprint",)),
    "a seat that is not there": (
        lambda data: data.update(role="player", seat=3),
        ("seat 3 is out of range: with num_players=1 it is 0 to 0",),
    ),
    "suits of a banker": (set_field("with_suits", True), ("the banker never holds a Dragon stake",)),
    "fingerprint of nothing": (set_field("layout_fingerprint", "0"), ("layout_fingerprint '0'",)),
    "no rows": (set_field("draw_prob", []), ("field 'draw_prob'",)),
    "rows as text": (set_field("draw_prob", "0" * 10**6), ("field 'draw_prob' has the value", "...")),
    "a number for a text": (set_entry(1), ("field 'draw_prob.1.3' has the value 1",)),
    "many numbers": (lambda data: data["draw_prob"].__setitem__(0, [1] * 84), ("field 'draw_prob.0.0'",)),
    "three rows": (
        lambda data: data["draw_prob"].append(["0"] * 84),
        ("draw_prob has shape (3, 84)", "2 x 84"),
    ),
    "a short row": (lambda data: data["draw_prob"][1].pop(), ("draw_prob has shape (2, 83, 84)", "2 x 84")),
    "a long row": (lambda data: data["draw_prob"][0].append("0"), ("draw_prob has shape (2, 84, 85)",)),
    "no fraction": (set_entry("half"), ("field 'draw_prob' has the value 'half'", "such as '9/11'")),
    "an empty text": (set_entry(""), ("has the value ''",)),
    "not a number": (set_entry("nan"), ("has the value 'nan'",)),
    "over nothing": (set_entry("1/0"), ("has the value '1/0'",)),
    "too likely": (set_entry("3/2"), ("Fraction(3, 2)", "hand 0 0 3 (total 3)", "from 0 to 1")),
    "negative": (set_entry("-1/2"), ("Fraction(-1, 2)", "hand 0 0 3 (total 3)")),
    # these would take all memory or minutes if they were read as numbers
    "a huge power": (set_entry("1e400000000"), ("has the value '1e400000000'",)),
    "a tiny power": (set_entry("1e-400000000"), ("has the value '1e-400000000'",)),
    "a capital power": (set_entry("1E-400000000"), ("has the value '1E-400000000'",)),
    "a million digits": (set_entry("1/" + "9" * 10**6), ("has the value '1/999", "...")),
}


@pytest.mark.parametrize("fault", DAMAGE)
@pytest.mark.parametrize("allow_other_rules", [False, True])
def test_a_damaged_file_is_one_clear_error(
    path: Path, data: dict[str, Any], fault: str, allow_other_rules: bool
) -> None:
    damage, parts = DAMAGE[fault]
    damage(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    refused(path, *parts, allow_other_rules=allow_other_rules)


def test_a_forced_move_that_the_table_does_not_take_is_an_error(path: Path) -> None:
    policies.get("logical_way", BONUS, "player").save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["draw_prob"][0][0] = "0"
    path.write_text(json.dumps(data), encoding="utf-8")
    refused(
        path,
        "hand 0 0 0 (total 0)",
        "forces the player to DRAW on 0",
        rules=BONUS,
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", '"pan9-policy-1"', "[" * 200_000, "not JSON at all", "{'format': 1}"],
    ids=["empty", "open", "list", "null", "number", "text", "deep", "words", "python"],
)
def test_text_that_is_no_policy_file(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    refused(path)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(path: Path, data: dict[str, Any], part: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    refused(path, "is damaged or not a policy file")


def test_bytes_that_are_no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00{}")
    refused(path, "is damaged or not a policy file")


def test_a_number_too_long_for_python(path: Path, data: dict[str, Any]) -> None:
    text = json.dumps(data).replace('"num_players": 1', '"num_players": ' + "1" * 5000)
    path.write_text(text, encoding="utf-8")
    refused(path, "is damaged or not a policy file")


def test_an_oversized_file_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WIZARD.save(path)
    monkeypatch.setattr(storage, "SIZE_LIMIT", path.stat().st_size)
    assert TabularPolicy.load(path, RULES) == WIZARD
    monkeypatch.setattr(storage, "SIZE_LIMIT", path.stat().st_size - 1)
    refused(path, "is larger than", "so it is no policy file")


def test_a_file_without_end_is_not_read_to_its_end() -> None:
    refused(Path("/dev/zero"), f"is larger than {storage.SIZE_LIMIT} bytes")


def test_a_missing_file_and_a_folder(path: Path, tmp_path: Path) -> None:
    refused(path, "cannot be read (No such file or directory)")
    refused(tmp_path, "cannot be read (Is a directory)")


# Atomic writing


def test_a_crash_at_the_end_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WIZARD.save(path)
    before = path.read_bytes()

    def crash(source: str, target: Path) -> None:
        assert Path(source).read_text(encoding="utf-8").endswith("}\n")  # the new file was complete
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="no space left"):
        policies.get("always_draw", RULES, "player").save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_crash_while_writing_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    WIZARD.save(path)
    before = path.read_bytes()

    def crash(handle: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(type(error)):
        policies.get("always_draw", RULES, "player").save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_saving_again_replaces_the_file(path: Path) -> None:
    WIZARD.save(path)
    other = policies.get("always_stand", RULES, "player")
    other.save(path)
    assert TabularPolicy.load(path, RULES) == other
    assert list(path.parent.iterdir()) == [path]


def test_a_saved_file_has_the_permissions_of_any_new_file(path: Path) -> None:
    WIZARD.save(path)
    plain = path.with_name("plain.txt")
    plain.write_text("x", encoding="utf-8")
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_key_that_comes_twice_is_refused(path: Path) -> None:
    WIZARD.save(path)
    text = path.read_text(encoding="utf-8").rstrip().removesuffix("}").rstrip()
    path.write_text(text + ', "role": "banker"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="the key 'role' comes twice"):
        TabularPolicy.load(path, RULES)


@pytest.mark.parametrize("seat", [0, 5])
def test_a_bankers_file_with_another_seat_is_refused(path: Path, seat: int) -> None:
    WIZARD.save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "seat": seat}), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"field 'seat' has the value {seat}: the banker .* has seat 1"):
        TabularPolicy.load(path, RULES)


def test_a_name_that_is_no_text_is_refused_before_it_is_saved() -> None:
    with pytest.raises(ValueError, match="name None: a text is needed"):
        TabularPolicy.from_callable(RULES, "player", lambda hand, choices: 1, name=None)
