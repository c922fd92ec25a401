"""Replay and audit: true logs hold, cut logs hold up to the cut, and a change is found where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pan9_gym.rules.errors import ConfigError
from pan9_gym.table import table_config
from pan9_gym.table.audit import audit
from pan9_gym.table.ledger import ledger_of
from pan9_gym.table.log import LogWriter, line_text, session_lines
from pan9_gym.table.participants import Participant
from pan9_gym.table.replay import replay
from pan9_gym.table.session import Session
from tests.table.playing import SHEETS
from tests.table.session_logs import (
    FAULTS,
    LOGGED_SHEETS,
    VARIANTS,
    changed,
    first,
    logged,
    random_session,
    write,
)

CHECKS = {"replay": replay, "audit": audit}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sheet", LOGGED_SHEETS)
def test_a_true_log_holds_and_its_accounts_sum_to_zero(tmp_path: Path, sheet: str, variant: str) -> None:
    lines = logged(sheet, variant)
    path = write(tmp_path / "log.jsonl", lines)
    for check in CHECKS.values():
        verdict = check(path)
        assert verdict.discrepancy is None
        assert verdict.complete
        assert verdict.num_lines == len(lines)
        assert verdict.num_hands == json.loads(lines[-1])["hands"]
    ledger = ledger_of(path)
    assert ledger.balance == 0
    for seat in ledger.seats.values():
        assert seat.net == seat.as_player + seat.as_banker + seat.side_bets - seat.collections
        assert 0 <= seat.cover_used <= seat.stakes


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_cut_log_holds_up_to_the_cut(tmp_path: Path, check: Callable[..., Any]) -> None:
    lines = logged("hawaiian_gardens")
    whole = ("\n".join(lines[:200]) + "\n").encode()
    path = tmp_path / "log.jsonl"
    for cut in (0, 1, 30, len(lines[199]) + 2, len(lines[199]) + 3):
        path.write_bytes(whole[: len(whole) - cut])
        verdict = check(path)
        assert verdict.holds
        assert not verdict.complete
        assert verdict.num_lines == 200 - (cut > 1) - (cut > len(lines[199]) + 2)
        ledger_of(path)


def event(kind: str, **fields: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda data: data["event"] == kind and all(data[name] == value for name, value in fields.items())


PLANTED: dict[str, tuple[Callable[[dict[str, Any]], Any], dict[str, Any]]] = {
    "a total": (event("hand_opened"), {"total": 11}),
    "the banker's total": (event("banker_opened"), {"total": 12}),
    "the banker's last total": (event("banker_commits"), {"total": True}),
    "a payout": (lambda data: data["event"] == "settled" and data["payoff"] == 1, {"payoff": 2}),
    "what is won": (lambda data: data["event"] == "settled" and data["net"], {"net": 1000}),
    "a move": (event("choice", how="free", action="draw"), {"action": "stand"}),
    "the banker's move": (event("banker_commits", action="stand"), {"action": "draw"}),
    "a covered part": (lambda data: data["event"] == "settled" and data["covered"], {"covered": "1/3"}),
    "a payment": (event("transfer", reason="wager"), {"amount": "1/7"}),
    "who is paid": (event("transfer", reason="wager"), {"target": "room"}),
    "a collection": (event("transfer", reason="collection"), {"amount": 3}),
    "who pays the collection": (event("transfer", reason="collection"), {"source": "seat_5"}),
    "a balance": (event("hand_over", dealt=True), {"net": {}}),
    "the number of a hand": (event("hand_begins"), {"hand": 2}),
    "the bank's turn": (event("bank_turn"), {"next": "seat_6"}),
    "whom the bank is offered": (event("bank_offered"), {"to": "seat_4"}),
    "whether a turn is over": (event("bank_turn"), {"over": "no"}),
    "the count": (event("dice"), {"counted": 8}),
    "where settlement begins": (event("dice"), {"action": 9}),
    "a wager": (event("wager"), {"amount": 77}),
    "a wager's place": (event("wager"), {"place": 6, "by": "seat_6"}),
    "a stake": (event("stake"), {"amount": 78}),
    "the accounts": (event("session_ends"), {"accounts": {}}),
    "the number of hands": (event("session_ends"), {"hands": 26}),
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@pytest.mark.parametrize("planted", PLANTED)
def test_a_change_is_found_where_it_stands(tmp_path: Path, planted: str, check: Callable[..., Any]) -> None:
    wanted, fields = PLANTED[planted]
    lines = logged("bicycle")
    place = first(lines, wanted)
    verdict = check(write(tmp_path / "log.jsonl", changed(lines, place, **fields)))
    assert verdict.discrepancy is not None
    assert verdict.discrepancy.line == place + 1
    assert verdict.num_lines == place
    assert verdict.discrepancy.says.startswith(changed(lines, place, **fields)[place][:50])
    if check is replay:
        assert verdict.discrepancy.expected == lines[place]


@pytest.mark.parametrize("kind", ["card", "choice", "transfer", "settled", "wager", "bank_turn", "hand_over"])
def test_a_missing_line_and_one_too_many_are_found(tmp_path: Path, kind: str) -> None:
    lines = logged("bicycle")
    place = first(lines, event(kind))
    for wrong in (lines[:place] + lines[place + 1 :], lines[:place] + lines[place:][:1] + lines[place:]):
        path = write(tmp_path / "log.jsonl", wrong)
        assert not replay(path).holds
        assert not audit(path).holds


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        (event("choice", how="free"), {"how": "forced"}),
        (event("choice", how="forced"), {"how": "free"}),
        (event("choice"), {"by": "house"}),
        (event("choice"), {"place": 7}),
        (event("decision", phase="draw"), {"by": "house"}),
        (event("decision", phase="draw"), {"phase": "later"}),
        (event("decision", phase="draw"), {"value": "fold"}),
    ],
)
def test_a_move_that_does_not_follow_from_its_decision_is_found(
    tmp_path: Path, wanted: Callable[[dict[str, Any]], bool], fields: dict[str, Any]
) -> None:
    lines = logged("bicycle_bonus")
    place = first(lines, wanted)
    found = audit(write(tmp_path / "log.jsonl", changed(lines, place, **fields))).discrepancy
    assert found is not None
    assert found.line == place + 1


def test_a_hand_played_the_logical_way_is_held_to_it_unless_dealers_misplay(tmp_path: Path) -> None:
    lines = logged("hawaiian_gardens")
    free = [place for place, text in enumerate(lines) if '"value":"logical_way"' in text]
    for place in free:
        action = json.loads(lines[place + 1])["action"]
        wrong = {"draw": "stand", "stand": "draw"}[action]
        found = audit(write(tmp_path / "log.jsonl", changed(lines, place + 1, action=wrong))).discrepancy
        assert found is not None
        assert found.line == place + 2
        assert f"the move {action} by" in found.expected
    misplayed = logged("hawaiian_gardens", "faults", 200)
    place = next(place for place, text in enumerate(misplayed) if '"fault":"misplayed"' in text)
    path = write(tmp_path / "log.jsonl", misplayed)
    assert audit(path).discrepancy is None
    found = audit(write(path, changed(misplayed, place, place=8))).discrepancy
    assert found is not None
    assert found.expected.startswith("the correction of the misplayed hand")


@pytest.mark.parametrize("sheet", ["hawaiian_gardens", "uk_1994_player", "baccarat_punto_banco"])
def test_a_table_that_asks_for_forced_moves_too_is_audited(tmp_path: Path, sheet: str) -> None:
    config = table_config(sheet, offer_forced=True, faults=FAULTS)
    session = Session(config, Participant(player="uniform", banker="uniform", top_up="1/2"), seed=2)
    steps = session_lines(session, 20)
    path = write(tmp_path / "log.jsonl", [line_text(line) for lines in steps for line in lines])
    for check in CHECKS.values():
        assert check(path).discrepancy is None


def test_a_line_from_which_nothing_can_be_computed_is_a_wrong_line(tmp_path: Path) -> None:
    lines = logged("bicycle_bonus")
    place = first(lines, event("transfer"))
    for fields in ({"amount": "1/0"}, {"amount": None}, {"source": []}):
        path = write(tmp_path / "log.jsonl", changed(lines, place, **fields))
        for check in CHECKS.values():
            found = check(path).discrepancy
            assert found is not None
            assert found.line == place + 1
    place = first(lines, event("card"))
    path = write(tmp_path / "log.jsonl", changed(lines, place, place=9))
    assert audit(path).discrepancy is not None


def test_a_log_that_does_not_add_up_is_of_no_use_to_the_ledger(tmp_path: Path) -> None:
    lines = logged("bicycle")
    place = first(lines, event("transfer"))
    for fields in ({"amount": "1/0"}, {"source": "seat_9"}):
        path = write(tmp_path / "log.jsonl", changed(lines, place, **fields))
        with pytest.raises(ConfigError, match=f"line {place + 1}: is of no use"):
            ledger_of(path)


def test_a_line_after_the_last_one_is_found(tmp_path: Path) -> None:
    lines = logged("bicycle")
    path = write(tmp_path / "log.jsonl", [*lines, lines[1]])
    for check in CHECKS.values():
        found = check(path).discrepancy
        assert found is not None
        assert (found.line, found.expected) == (len(lines) + 1, "no line")


def test_a_decision_that_the_table_refuses_is_named_with_what_is_allowed(tmp_path: Path) -> None:
    lines = logged("bicycle")
    place = first(lines, event("decision", phase="wager"))
    for fields in (
        {"value": {"base": 1000}},
        {"by": "seat_7"},
        {"phase": "draw"},
        {"value": [1]},
        {"by": {}},
    ):
        found = replay(write(tmp_path / "log.jsonl", changed(lines, place, **fields))).discrepancy
        assert found is not None
        assert found.line == place + 1
        assert found.expected.startswith("a decision by 'seat_1' for phase 'wager'")


@pytest.mark.parametrize("variant", ["faults", "other readings"])
@pytest.mark.parametrize("sheet", ["bicycle", "baccarat_punto_banco"])
def test_the_audit_knows_who_decides_a_dispute_and_what_a_tableau_leaves(
    tmp_path: Path, sheet: str, variant: str
) -> None:
    for seed in range(4):
        path = write(tmp_path / f"{seed}.jsonl", random_session(sheet, variant, 80, seed))
        assert {name: check(path).holds for name, check in CHECKS.items()} == dict.fromkeys(CHECKS, True)


@pytest.mark.parametrize("doubled", [False, True])
def test_the_audit_wants_one_throw_of_the_dice(tmp_path: Path, doubled: bool) -> None:
    lines = list(logged("bicycle"))
    place = first(lines, event("dice"))
    lines[place : place + 1] = [lines[place]] * (2 if doubled else 0)
    found = audit(write(tmp_path / "log.jsonl", lines)).discrepancy
    assert found is not None
    assert found.expected == ("no second throw" if doubled else "a throw of the dice before the settlement")


def test_a_stake_with_an_exponent_is_no_sum(tmp_path: Path) -> None:
    lines = logged("bicycle")
    place = first(lines, lambda data: data.get("phase") == "stake")
    path = write(tmp_path / "log.jsonl", changed(lines, place, value="1e99999999"))
    for check in CHECKS.values():
        found = check(path).discrepancy
        assert found is not None
        assert found.line == place + 1


def test_another_seed_or_another_card_is_found_by_the_replay_alone(tmp_path: Path) -> None:
    lines = logged("bicycle")
    found = replay(write(tmp_path / "log.jsonl", changed(lines, 0, seed=4))).discrepancy
    assert found is not None
    place = first(lines, event("dice"))
    assert found.line == place + 1


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_session_of_100000_hands_balances_and_replays_to_the_bit(tmp_path: Path, sheet: str) -> None:
    number = 1 if sheet == "uk_1994_house" else 3
    config = table_config(
        sheet, occupied=tuple(range(number)), collection={"banker": 2, "player": 1}, refused_rounds=1000
    )
    session = Session(config, Participant(player="uniform", banker="uniform", bank="9/10", wager=3), seed=9)
    path = tmp_path / "log.jsonl"
    with LogWriter(path) as writer:
        for lines in session_lines(session, 100_000):
            for line in lines:
                writer.write(line)
    assert sum(session.table.accounts.values()) == 0
    for check in CHECKS.values():
        verdict = check(path)
        assert (verdict.holds, verdict.complete, verdict.num_hands) == (True, True, 100_000)
    assert ledger_of(path).balance == 0
