"""Leaderboards as tables for other programs: of the platform's answer, of a file of it, of a final's archive.

**Decision**: a place that equal results share is the first of them; a baseline has none (null). What a source does not
say is null: an archive names teams by their ids alone, and the platform's answer not the scorer.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markup_core.frames import Frame, Kind
from markup_core.reading.archives import BROKEN_ARCHIVE
from markup_core.receipt import canonical_bytes, sha256_hex
from pku.errors import PkuError

MOST_BYTES: Final = 256 * 1024**2
_MAIN: Final = "board.json"
_COLUMNS: Final[dict[str, Kind]] = {
    "place": "whole",
    "team_id": "text",
    "team": "text",
    **dict.fromkeys(("value", "low", "high"), "number"),
    "overcame": "truth",
    **dict.fromkeys(("files", "answered"), "whole"),
    "session_id": "text",
    "signature": "text",
}


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard as JSON, with the parameters of its archive, if it is from one."""

    body: Mapping[str, Any]
    parameters: Mapping[str, Any]

    def to_frame(self) -> Frame:
        """Return the board's rows in their order, each with the signature of its numbers.

        The signature names cycle, run, board and session, the version of the parameters, scorer and seed where they
        are known, and the first 16 hexadecimal digits of the SHA-256 of the row's whole result.
        """
        rows = []
        for row in self.body["rows"]:
            # A row of an archive has its interval in the result under the name of its value.
            intervals = (row["result"].get("interval_95") or {}).items()
            own = [ends for name, ends in intervals if ends and row["result"].get(name) == row["value"]]
            low, high = row.get("interval") or next(iter(own), (None, None))
            overcame = row["barrier"] if "barrier" in row else row.get("overcame")
            numbers = (row["value"], low, high, overcame, row["files"], row["answered"], row["session_id"])
            rows.append((row["place"], row["team_id"], row.get("team"), *numbers, self._signature(row)))
        return Frame.of("board", _COLUMNS, rows)

    def _signature(self, row: Mapping[str, Any]) -> str:
        scorer = self.parameters.get("scorer") or {}
        parts = {
            "cycle": self.body.get("cycle"),
            "run": self.body.get("run_id"),
            "board": (self.body.get("board") or {}).get("key"),
            "session": row["session_id"],
            "parameters": self.parameters.get("version", row.get("parameters_version")),
            "scorer": f"{scorer['track']} {scorer['version']}" if scorer else None,
            "seed": self.parameters.get("bootstrap_seed"),
            "fingerprint": sha256_hex(canonical_bytes(row["result"]))[:16],
        }
        return "|".join(["hurdle", *(f"{name}:{part}" for name, part in parts.items() if part is not None)])


def read_board(path: Path, name: str = _MAIN) -> Board:
    """Read a board from an archive (``name`` is its file there) or from a file of ``pku board --json``.

    Raises :class:`PkuError` for a file that holds no board.
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                board = Board(_member(archive, name), _member(archive, "parameters.json"))
        else:
            if path.stat().st_size > MOST_BYTES:
                raise PkuError("not_a_board", path=path)
            board = Board(json.loads(path.read_bytes()), {})
        board.to_frame()  # finds what is missing
    except (*BROKEN_ARCHIVE, KeyError, TypeError, AttributeError) as error:
        raise PkuError("not_a_board", path=path) from error
    return board


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(name)
    return json.loads(archive.read(name))
