"""Bad input: each message names the source, the field, the value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pan9_gym.rules import ConfigError, load_rules, sheet_names
from pan9_gym.rules.strict_yaml import SIZE_LIMIT, parse_yaml, read_yaml


def refusal(**overrides: Any) -> str:
    """The message with which the sheet bicycle refuses fields."""
    with pytest.raises(ConfigError) as caught:
        load_rules("bicycle", **overrides)
    return str(caught.value)


def sheet_refusal(folder: Path, text: str | bytes) -> str:
    """The message with which a sheet is refused; it starts with the path."""
    path = folder / "mine.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load_rules(path)
    message = str(caught.value)
    assert message.startswith(f"{path}")
    return message.removeprefix(str(path))


@pytest.mark.parametrize("name", ["bycicle", "Bicycle", "", "bicycle.yaml.bak", "uk_1994"])
def test_an_unknown_sheet_lists_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_rules(name)
    assert f"rule sheet {name!r} is not known" in str(caught.value)
    assert f"known sheets: {', '.join(sheet_names())}; or give a path" in str(caught.value)


def test_an_unknown_sheet_suggests_a_near_name() -> None:
    with pytest.raises(
        ConfigError, match=r"'hawaian_gardens' is not known \(did you mean 'hawaiian_gardens'\?\)"
    ):
        load_rules("hawaian_gardens")


@pytest.mark.parametrize("rules", [3, None, ["bicycle"], {"num_decks": 8}, b"bicycle", True])
def test_rules_of_a_wrong_type(rules: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        load_rules(rules)
    assert str(caught.value) == f"rules {rules!r}: must be a sheet's name, a path, or a RulesConfig"


def test_an_unknown_override_names_the_field_and_the_allowed_ones() -> None:
    message = refusal(num_deks=8)
    assert "rules 'bicycle' with num_deks=8: unknown key 'num_deks' (did you mean 'num_decks'?)" in message
    assert "allowed: name, num_decks, point_values," in message


@pytest.mark.parametrize("key", ["num_deks", "int", "literal", "a[b]", "1", "true"])
def test_an_unknown_key_of_a_sheet(tmp_path: Path, key: str) -> None:
    message = sheet_refusal(tmp_path, f"fields: {{'{key}': 8}}\n")
    assert message.startswith(f": unknown key {key!r}")
    assert "allowed: name, num_decks," in message


def test_a_key_that_is_no_text(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields: {1: 8}\n")
    assert message.startswith(": unknown key '1'; allowed: name, num_decks,")


@pytest.mark.parametrize(
    ("fields", "key", "allowed"),
    [
        (
            "{side_bets: {tie: {payot: 7}}}",
            "side_bets.tie.payot' (did you mean 'payout'?)",
            "payout, against",
        ),
        (
            "{side_bets: {dragons: {}}}",
            "side_bets.dragons' (did you mean 'dragon'?)",
            "tie, dragon, super_0, bc, banker_hand",
        ),
        ("{banker_draw_rule: {draw: [5]}}", "banker_draw_rule.draw'", "must_draw, must_stand"),
    ],
)
def test_an_unknown_key_inside_a_field(tmp_path: Path, fields: str, key: str, allowed: str) -> None:
    message = sheet_refusal(tmp_path, f"fields: {fields}\n")
    assert message.startswith(f": unknown key '{key}")
    assert message.endswith(f"; allowed: {allowed}")


WHOLE = "must be a whole number from 1 to"
EXACT = 'must be exact: a whole number, or a text such as "19/20"'
POSITIVE = "must be greater than 0 and at most 1000000"
MAPPING = "must be a mapping"
A_LIST = "must be a list of totals 0-9"
A_TOTAL = "is not a total; allowed are 0-9"
A_FLAG = "must be true or false"


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("num_decks", 0, f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", -1, f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", 1001, f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", 8.0, f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", True, f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", "8", f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", "Infinite", f"{WHOLE} 1000, or 'infinite'"),
        ("num_decks", [8], f"{WHOLE} 1000, or 'infinite'"),
        ("point_values", {}, "must be a mapping such as {A: 1, 2: 2, K: 0}"),
        ("point_values", ["A"], "must be a mapping such as {A: 1, 2: 2, K: 0}"),
        ("point_values", {"B": 1}, "'B' is not a rank; allowed are A, 2, 3, 4, 5, 6, 7, 8, 9, 10, J, Q, K"),
        ("point_values", {1: 1}, "1 is not a rank; allowed are A, 2,"),
        ("point_values", {"A": 10}, "10 is not a point value; allowed are 0-9"),
        ("point_values", {"A": -1}, "-1 is not a point value; allowed are 0-9"),
        ("point_values", {"A": 1.0}, "1.0 is not a point value; allowed are 0-9"),
        ("point_values", {"A": True}, "True is not a point value; allowed are 0-9"),
        ("point_values", {2: 2, "2": 3}, "names '2' twice"),
        ("num_initial_cards", 0, f"{WHOLE} 3"),
        ("num_initial_cards", 4, f"{WHOLE} 3"),
        ("num_initial_cards", 3.0, f"{WHOLE} 3"),
        ("player_draw_rule", 5, f"{MAPPING}; keys allowed: must_draw, must_stand"),
        ("banker_draw_rule", "free", f"{MAPPING}; keys allowed: must_draw, must_stand"),
        ("banker_sees", "cards", "'nothing', 'choice' or 'card'"),
        ("banker_sees", True, "'nothing', 'choice' or 'card'"),
        ("choices", "together", "'in_turn' or 'simultaneous'"),
        ("banker_wins_ties", 0, A_LIST),
        ("banker_wins_ties", "0", A_LIST),
        ("banker_wins_ties", {0: 1}, A_LIST),
        ("banker_wins_ties", [10], f"10 {A_TOTAL}"),
        ("banker_wins_ties", [-1], f"-1 {A_TOTAL}"),
        ("banker_wins_ties", [0.0], f"0.0 {A_TOTAL}"),
        ("banker_wins_ties", [False], f"False {A_TOTAL}"),
        ("banker_wins_ties", [0, 0], "names a total twice"),
        ("payout", 0, POSITIVE),
        ("payout", -1, POSITIVE),
        ("payout", "-19/20", POSITIVE),
        ("payout", 1_000_001, POSITIVE),
        ("payout", 0.95, EXACT),
        ("payout", 1.0, EXACT),
        ("payout", float("nan"), EXACT),
        ("payout", True, EXACT),
        ("payout", None, EXACT),
        ("payout", "19/0", EXACT),
        ("payout", "19 to 20", EXACT),
        ("payout", "1e9999", EXACT),
        ("payout", "1" * 401, EXACT),
        ("max_players", 0, f"{WHOLE} 7"),
        ("max_players", 8, f"{WHOLE} 7"),
        ("max_players", True, f"{WHOLE} 7"),
        ("bank", "casino", "'house' or 'player'"),
        ("house_banks_single_wager", 1, A_FLAG),
        ("house_banks_single_wager", "yes", A_FLAG),
        ("side_bets", ["tie"], f"{MAPPING}; keys allowed: tie, dragon, super_0, bc, banker_hand"),
        ("name", 3, "string"),
    ],
)
def test_impossible_values(field: str, value: object, allowed: str) -> None:
    message = refusal(**{field: value})
    assert f"field {field!r} has the value {value!r}: " in message
    assert allowed in message


@pytest.mark.parametrize(
    ("bets", "field", "allowed"),
    [
        ({"tie": 7}, "side_bets.tie", f"{MAPPING}; keys allowed: payout, against"),
        ({"tie": {"payout": 7.5}}, "side_bets.tie.payout", EXACT),
        ({"tie": {"against": "nobody"}}, "side_bets.tie.against", "'house' or 'banker'"),
        ({"bc": {"stake": 0}}, "side_bets.bc.stake", POSITIVE),
        ({"bc": {"stake_returned": "no"}}, "side_bets.bc.stake_returned", A_FLAG),
        (
            {"dragon": {"three_card": 20}},
            "side_bets.dragon.three_card",
            "keys allowed: suited, same_colour, off_suit",
        ),
        ({"super_0": {"payouts": {10: 5}}}, "side_bets.super_0.payouts", f"10 {A_TOTAL}"),
        ({"super_0": {"payouts": {"²": 5}}}, "side_bets.super_0.payouts", A_TOTAL),
        ({"super_0": {"payouts": {0: 5, "0": 6}}}, "side_bets.super_0.payouts", "names 0 twice"),
        ({"super_0": {"on": "total"}}, "side_bets.super_0.on", "'tie' or 'own_total'"),
    ],
)
def test_impossible_pay_tables(bets: dict[str, Any], field: str, allowed: str) -> None:
    message = refusal(side_bets=bets)
    assert f"field {field!r} has the value " in message
    assert allowed in message


def test_a_pay_table_with_a_row_missing() -> None:
    message = refusal(side_bets={"bc": {"prizes": {"suited": 1, "off_suit": 1}}})
    assert message.endswith("field 'side_bets.bc.prizes.same_colour' is missing")


@pytest.mark.parametrize("role", ["player", "banker"])
def test_a_forced_draw_and_a_forced_stand_on_one_total(role: str) -> None:
    message = refusal(**{f"{role}_draw_rule": {"must_draw": [4, 5, 6], "must_stand": [5, 6, 7]}})
    assert f"field '{role}_draw_rule' has the value" in message
    assert "must_draw and must_stand both name the totals [5, 6]; a total may be in one" in message


@pytest.mark.parametrize("bet", ["dragon", "bc"])
def test_a_pay_table_for_three_first_cards_and_another_number_of_them(bet: str) -> None:
    message = refusal(num_initial_cards=2, side_bets={bet: {}})
    assert f"side_bets {bet}: the pay tables are for three first cards" in message
    assert "num_initial_cards is 2, allowed is 3" in message
    assert load_rules("bicycle", num_initial_cards=2, side_bets={"tie": {}}).num_initial_cards == 2


def test_several_faults_are_told_one_a_line() -> None:
    lines = refusal(num_decks=0, bank="casino").splitlines()
    assert len(lines) == 2
    assert ["num_decks" in lines[0].split(": ")[1], "bank" in lines[1].split(": ")[1]] == [True, True]


def test_a_field_without_a_value_is_not_taken_for_infinite(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields:\n  num_decks:\n")
    assert message == ": field 'num_decks' has no value; write one or leave the field out"


def test_a_float_payout_of_a_sheet(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields: {payout: 0.95}\n")
    assert message == f": field 'payout' has the value 0.95: {EXACT}"


@pytest.mark.parametrize("text", ["", "# nothing\n", "fields: 3\n", "fields: [num_decks]\n", "sources: {}\n"])
def test_a_sheet_without_fields(tmp_path: Path, text: str) -> None:
    assert sheet_refusal(tmp_path, text) == ": fields: is missing or no mapping"


def test_a_sheet_with_a_third_part(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields: {}\nfield: {num_decks: 8}\n")
    assert message == ": unknown key 'field'; a sheet has fields: and sources:"


@pytest.mark.parametrize("field", ["num_deks", "name", "1"])
def test_a_source_for_an_unknown_field(tmp_path: Path, field: str) -> None:
    message = sheet_refusal(tmp_path, f"fields: {{}}\nsources: {{'{field}': {{clause: C2, text: words}}}}\n")
    assert message.startswith(f": sources: names the unknown field {field!r}")
    assert "; allowed: num_decks, point_values," in message


def test_a_source_for_an_unknown_field_suggests_a_near_name(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields: {}\nsources: {num_deks: {clause: C2, text: words}}\n")
    assert "(did you mean 'num_decks'?)" in message


@pytest.mark.parametrize("sources", ["3", "[num_decks]", "words", ""])
def test_sources_that_are_no_mapping(tmp_path: Path, sources: str) -> None:
    message = sheet_refusal(tmp_path, f"fields: {{}}\nsources: {sources}\n")
    assert message == ": sources: must be a mapping from fields to their sources"


def test_a_key_given_twice(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields:\n  num_decks: 8\n  payout: 1\n  num_decks: 12\n")
    assert message.startswith(", line 4: is not valid YAML: found duplicate key")
    assert '"num_decks"' in message


def test_an_alias(tmp_path: Path) -> None:
    message = sheet_refusal(
        tmp_path, "fields:\n  player_draw_rule: &d {must_draw: [0]}\n  banker_draw_rule: *d\n"
    )
    assert message == ": aliases (*name) are not allowed; write the value out"


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system", "!mine", "!!set", "!!map", "!<tag:x,1:y>"]
)
def test_a_tag(tmp_path: Path, tag: str) -> None:
    message = sheet_refusal(tmp_path, f"# head\nfields: {tag} {{num_decks: 8}}\n")
    assert message == ": tags (!name) are not allowed; line 2 has one"


def test_a_tag_on_a_scalar(tmp_path: Path) -> None:
    message = sheet_refusal(tmp_path, "fields: {num_decks: !!int '8'}\n")
    assert message == ": tags (!name) are not allowed; line 1 has one"


@pytest.mark.parametrize("directive", ["%YAML 1.1", "%YAML 1.2", "%TAG ! tag:example.org,2000:"])
def test_a_directive(tmp_path: Path, directive: str) -> None:
    message = sheet_refusal(tmp_path, f"{directive}\n---\nfields: {{house_banks_single_wager: yes}}\n")
    assert message == ": directives (%NAME) are not allowed; YAML is read as version 1.2"


def test_marks_inside_words_are_no_alias_tag_or_directive() -> None:
    assert parse_yaml("text: 5 * 3! is 100 % of it  # *!%\n", "example") == {"text": "5 * 3! is 100 % of it"}


@pytest.mark.parametrize(
    ("text", "value"), [("1e-4", 1e-4), ("1E3", 1000.0), ("3e-04", 3e-4), ("2.5e-1", 0.25), ("0.1", 0.1)]
)
def test_a_power_of_ten_is_a_number(text: str, value: float) -> None:
    read = parse_yaml(f"learning_rate: {text}\n", "example")["learning_rate"]
    assert isinstance(read, float)
    assert read == value


@pytest.mark.parametrize("word", ["no", "No", "NO", "off", "yes", "on", "y", "n"])
def test_a_word_is_not_read_as_a_flag(tmp_path: Path, word: str) -> None:
    assert parse_yaml(f"key: {word}\n", "example") == {"key": word}
    message = sheet_refusal(tmp_path, f"fields: {{house_banks_single_wager: {word}}}\n")
    assert message == f": field 'house_banks_single_wager' has the value {word!r}: must be true or false"


def test_true_and_false_are_flags() -> None:
    assert parse_yaml("a: true\nb: false\n", "example") == {"a": True, "b": False}


@pytest.mark.parametrize("text", ["- 1\n- 2\n", "words\n", "3\n", "1: 2\n", "fields: {}\nnull: 3\n"])
def test_a_file_that_is_no_mapping_with_text_keys(tmp_path: Path, text: str) -> None:
    assert sheet_refusal(tmp_path, text) == ": must be a mapping with text keys"


@pytest.mark.parametrize(
    "text",
    [
        "fields: {num_decks: 8\n",
        "fields:\n\tnum_decks: 8\n",
        "fields: {}\n---\nfields: {}\n",
        "fields: {[]: 3, ? {a: 1} : 3}\n",
        "fields: {num_decks: " + "9" * 5000 + "}\n",
        "fields: {num_decks: 2024-99-99}\n",
        "fields: \x00\n",
    ],
)
def test_what_is_not_yaml(tmp_path: Path, text: str) -> None:
    assert ": is not valid YAML: " in sheet_refusal(tmp_path, text)


def test_yaml_nested_too_deeply(tmp_path: Path) -> None:
    depth = 2000
    message = sheet_refusal(tmp_path, f"fields: {'[' * depth}{']' * depth}\n")
    assert message == ": is not valid YAML: nested too deeply"


@pytest.mark.parametrize("as_text", [True, False])
def test_a_missing_file(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "missing.yaml"
    with pytest.raises(ConfigError) as caught:
        load_rules(str(path) if as_text else path)
    assert str(caught.value) == f"{path}: cannot be read (No such file or directory)"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load_rules(tmp_path)
    assert str(caught.value).startswith(str(tmp_path))


def test_an_oversized_file(tmp_path: Path) -> None:
    head = "fields: {num_decks: 8}\n#"
    fits = tmp_path / "fits.yaml"
    fits.write_text(head + "x" * (SIZE_LIMIT - len(head)), encoding="utf-8")
    assert load_rules(fits).num_decks == 8
    message = sheet_refusal(tmp_path, head + "x" * (SIZE_LIMIT - len(head) + 1))
    assert message == f": is too large; at most {SIZE_LIMIT} bytes are read"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without an end")
def test_a_file_without_an_end() -> None:
    with pytest.raises(ConfigError, match=f"^/dev/zero: is too large; at most {SIZE_LIMIT} bytes are read$"):
        read_yaml(Path("/dev/zero"))


@pytest.mark.parametrize("raw", [b"fields: {num_decks: 8} # \xe9\n", b"\xff\xfef\x00"])
def test_text_that_is_not_utf_8(tmp_path: Path, raw: bytes) -> None:
    assert sheet_refusal(tmp_path, raw) == ": is not UTF-8 text"


@pytest.mark.parametrize(
    "text", ["fields: {num_decks: 8, <<: {num_decks: 9, payout: 2}}\n", "<<: {fields: {num_decks: 8}}\n"]
)
def test_merge_keys_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"own: merge keys \(<<\) are not allowed; line 1 has one"):
        parse_yaml(text, "own")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"least": 0}, "least"),
        ({"most": 2_000_000}, "must be a whole number from 1 to 1000000"),
        ({"least": "1"}, "must be a whole number from 1 to 1000000"),
        ({"least": 5, "most": 4}, "least 5 is greater than most 4"),
        ({"lowest": 1}, "lowest"),
        ([1, 10], "wager_limits"),
    ],
)
def test_limits_of_wagers_that_are_not_possible(limits: Any, said: str) -> None:
    assert said in refusal(wager_limits=limits)
