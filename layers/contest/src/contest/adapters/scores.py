"""Score records and board entries in the scores table."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from pynamodb.attributes import BinaryAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist

from contest.adapters.dynamo import ScoresItem, condition
from contest.adapters.sessions import session_key
from contest.domain.results.leaderboard import Entry, as_json
from contest.domain.results.scoring import ScoreKey

MAX_RECORD: Final = 350_000
"""Compressed bytes of a record; an item of the table holds 400 KB."""


class RecordTooLargeError(ValueError):
    """A score record does not fit into an item; its message ends in the dead-letter queue."""


class ScoreItem(ScoresItem):
    """A score record, compressed canonical JSON."""

    record = BinaryAttribute(legacy_encoding=False)


class BoardItem(ScoresItem):
    """A team's best claim to a place on a board."""

    entry = UnicodeAttribute()


class DynamoScores:
    """:class:`contest.ports.Scores`."""

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        try:
            item = ScoreItem.get(session_key(session_id), _score_sk(key), consistent_read=True)
        except DoesNotExist:
            return None
        return zlib.decompress(item.record)

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        found = ScoreItem.query(session_key(session_id), ScoreItem.sk.startswith("SCORE#"), consistent_read=True)
        return {_score_key(each.sk): zlib.decompress(each.record) for each in found}

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        packed = zlib.compress(record, 6)
        if len(packed) > MAX_RECORD:
            raise RecordTooLargeError(f"score record of {session_id} {key.number}: {len(packed)} bytes compressed")
        with condition():
            item = ScoreItem(session_key(session_id), _score_sk(key), record=packed)
            item.save(condition=ScoreItem.pk.does_not_exist())

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        try:
            item = BoardItem.get(_board_key(cycle, language), team_id, consistent_read=True)
        except DoesNotExist:
            return None
        return Entry(**json.loads(item.entry))

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        unchanged = BoardItem.entry == _body(before) if before is not None else BoardItem.pk.does_not_exist()
        with condition():
            item = BoardItem(_board_key(cycle, after.language), after.team_id, entry=_body(after))
            item.save(condition=unchanged)

    def claim(self, cycle: str, entry: Entry) -> None:
        BoardItem(_claims_key(cycle, entry.language, entry.team_id), entry.session_id, entry=_body(entry)).save()

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        found = BoardItem.query(_claims_key(cycle, language, team_id), consistent_read=True)
        return [Entry(**json.loads(each.entry)) for each in found]

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [Entry(**json.loads(each.entry)) for each in BoardItem.query(_board_key(cycle, language))]


def _body(entry: Entry) -> str:
    return json.dumps(as_json(entry), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _score_sk(key: ScoreKey) -> str:
    return f"SCORE#{key.number:04d}#{key.answer_sha256}#{key.conditions}"


def _score_key(sk: str) -> ScoreKey:
    _, number, answer_sha256, conditions = sk.split("#")
    return ScoreKey(int(number), answer_sha256, conditions)


def _board_key(cycle: str, language: str) -> str:
    return f"BOARD#{cycle}#qualification#{language}"


def _claims_key(cycle: str, language: str, team_id: str) -> str:
    return f"CLAIMS#{cycle}#{language}#{team_id}"
