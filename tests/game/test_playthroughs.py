"""The transcripts in tests/golden/playthroughs are reproduced to the letter."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from pan9_gym.rules import sheet_names
from tests.game import playthroughs


def written(sheet: str) -> str:
    return (playthroughs.FOLDER / f"{sheet}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("sheet", playthroughs.HANDS)
def test_the_transcript_is_reproduced(sheet: str) -> None:
    assert playthroughs.transcript(sheet) == written(sheet), f"regenerate with `{playthroughs.COMMAND}`"


def test_every_sheet_has_a_transcript_and_no_other_file_lies_there() -> None:
    assert {path.name for path in playthroughs.FOLDER.iterdir()} == {f"{name}.txt" for name in sheet_names()}
    assert set(playthroughs.HANDS) == set(sheet_names())


def test_the_transcripts_show_naturals_that_nobody_answers() -> None:
    """After the four first cards comes the settlement at once."""
    for sheet, naturals in (("baccarat_chemin_de_fer", 4), ("baccarat_punto_banco", 1)):
        hands = written(sheet).split("Hand ")[1:]
        ended = [hand for hand in hands if "holds" not in hand]
        assert len(ended) == naturals
        for hand in ended:
            assert len(re.findall(r"^  card ", hand, re.MULTILINE)) == 4
            assert re.search(r"(player 0|banker): [89]\b", hand)


def test_the_transcripts_show_forced_moves_ties_and_several_players() -> None:
    text = "\n".join(map(written, playthroughs.HANDS))
    assert "DRAW (forced)" in text
    assert "STAND (forced)" in text
    assert re.search(r"player \d: (\d) against \1, net 0", text)  # a push
    assert re.search(r"player \d: ([01]) against \1, net -", text)  # a tie that the banker wins
    assert "player 2" in text


def test_the_money_of_every_hand_adds_up() -> None:
    hands = [hand for sheet in playthroughs.HANDS for hand in written(sheet).split("Hand ")[1:]]
    assert len(hands) == sum(map(len, playthroughs.HANDS.values()))
    for hand in hands:
        assert sum(Fraction(net) for net in re.findall(r"net ([+-]?[\d/]+)", hand)) == 0


def test_the_command_writes_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playthroughs, "FOLDER", tmp_path)
    playthroughs.main()
    for sheet in playthroughs.HANDS:
        assert (playthroughs.FOLDER / f"{sheet}.txt").read_text(encoding="utf-8") == playthroughs.transcript(
            sheet
        )
