"""A small final written by hand: two teams, two files, everything right. Tests spoil one thing each.

Keys, hashes and scores are real; times are milliseconds after START. Nothing of the contest's code is used, so that the
checker is held to the specification and not to what the platform happens to do.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import pickle
from collections.abc import Sequence
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from markup_core.accuracy import score_of
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from markup_core.sample import summarise
from rehearsal.history import Story, story_of, to_text
from rehearsal.play.material import Cycle, Material
from tracks import registry

START = 1_795_262_550_000
INTERVAL = 60_000
RUN = "r" * 20
KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key for tests").digest())
KEY_ID = hashlib.sha256(KEY.public_key().public_bytes_raw()).hexdigest()[:16]
STRANGE = "hrd_" + "s" * 43
STRANGE_CONNECTION = "Zm9yZWlnbmVyIQ="
TEAMS = {"ann": "1" * 15, "bob": "2" * 15}
FILES = {1: "9" * 15, 2: "8" * 15}
SKILLS = {"ann": 0.9, "bob": 0.4}
_OF_REQUESTS = ("method", "key", "body_sha256", "content_sha256", "reached", "path", "means")
LANGUAGES = {"rus": ["rus", "rus-free", "lit", "social", "hist"], "eng": ["eng", "eng-free"]}
Json = Any

CAUSES = ("network", "organizer_decision", "platform", "team_invalid", "team_late")


def opening(number: int, after: int = 0) -> str:
    """Return the moment so many milliseconds after a file's opening."""
    return to_text(START + (number - 1) * INTERVAL + after)


def signature(said: Json) -> str:
    return base64.b64encode(KEY.sign(canonical_bytes(said))).decode()


def _answered(number: int) -> Json:
    """Return the fate of a file that was handed out at its opening and answered 20 s later."""
    times = {"handed_out_at": opening(number), "answered_at": opening(number, 20_000)}
    return {"number": number, "state": "answered", "cause": None, **times}


@cache
def _material() -> Material:
    """Return the essays of all stories, which nothing changes."""
    return Material(Cycle.demonstrated("essay"), len(FILES))


def _copied(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copy lines with all that is in them, in a fifth of the time that copy.deepcopy takes."""
    return pickle.loads(pickle.dumps(lines))  # noqa: S301 - our own, of a line above


@cache
def _first_pen() -> Pen:
    return Pen()


def fresh_pen() -> Pen:
    """Return a pen whose story nobody has changed; the first one of a process writes it."""
    return _first_pen().copy()


class Pen:
    """Writes the lines of the story; tests change them, then read the story."""

    def __init__(self) -> None:
        self.material = _material()
        self.essays = [json.loads(json.dumps(entry.item)) for entry in self.material.sets["final"]]
        self.track = registry.get("essay")
        raw = {"languages": LANGUAGES, "classifier": "default"}
        self.parameters, reasons = self.track.read_parameters(raw)
        assert not reasons
        self.lines: list[dict[str, Any]] = []
        self.calls = 0
        self._write()

    def copy(self) -> Pen:
        """Return a pen that goes on from here; writing all again takes longer."""
        twin = copy.copy(self)
        twin.lines = _copied(self.lines)
        return twin

    def story(self) -> Story:
        return story_of(_copied(self.lines))

    def find(self, kind: str, **what: Any) -> dict[str, Any]:
        """Return the only line of a kind with these values."""
        (line,) = self.all(kind, **what)
        return line

    def all(self, kind: str, **what: Any) -> list[dict[str, Any]]:
        return [
            line
            for line in self.lines
            if line["kind"] == kind and all(line.get(name) == value for name, value in what.items())
        ]

    def answer(self, of: str) -> Json:
        return self.answer_line(of)["body"]

    def answer_line(self, of: str) -> dict[str, Any]:
        return self.find("answer", of=of)

    def item(self, team: str, sk: str) -> dict[str, Any]:
        return self.find("item", pk=f"SESSION#{TEAMS[team]}", sk=sk)["item"]

    def forget(self, line: dict[str, Any]) -> None:
        self.lines.remove(line)

    def add(self, kind: str, **what: Any) -> dict[str, Any]:
        line = {"kind": kind, **what}
        self.lines.append(line)
        return line

    def call(self, team: str, what: str, number: int | None, at: int, status: int | None, **more: Any) -> int:
        """Write a request and its answer at one moment after START; return its number."""
        self.calls += 1
        asked = {name: more.pop(name) for name in _OF_REQUESTS if name in more}
        moment = START + at
        self.add("request", n=self.calls, at=moment, team=team, what=what, number=number, **asked)
        said = {"said": {}, "file_ids": [], "seen": status is not None, **more}
        self.add("response", n=self.calls, at=moment, status=status, **said)
        return self.calls

    def markup(self, team: str, number: int, variant: int = 0) -> Json:
        markup = self.material.answer(self.content(number), SKILLS[team], variant)
        return dump(load(markup))

    def content(self, number: int) -> Json:
        essay = self.essays[number - 1]
        meta = {"id": FILES[number], "subject": essay["meta"]["subject"]}
        return {"meta": meta, "criteria": {}, "selections": [], "text": essay["text"]}

    def hand_out(self, team: str, number: int, at: int = 0, **more: Any) -> int:
        """Write that the file is handed out ``at`` milliseconds after its opening."""
        moment = (number - 1) * INTERVAL + at
        times = {"handed_out_at": opening(number, at), "answer_by": opening(number, at + min(50_000, 60_000 - at))}
        digest = sha256_hex(canonical_bytes(self.content(number)))
        actual = {"number": number, "file_id": FILES[number], **times, "content_sha256": digest}
        path = f"/v1/sessions/{TEAMS[team]}/files/{number}"
        found = {"file_ids": [FILES[number]], "texts": [number], "path": path}
        return self.call(team, "file", number, moment, 200, said={**actual, **more}, **found)

    def receipt(self, team: str, number: int, at: int, **more: Any) -> Json:
        digest = sha256_hex(canonical_bytes(self.markup(team, number)))
        file = {"team_id": team, "session_id": TEAMS[team], "file_id": FILES[number], "number": number}
        times = dict.fromkeys(("received_at", "decided_at"), opening(number, at))
        receipt = {**file, "send": 1, "status": "accepted", "reason": None, **times, "content_sha256": digest}
        receipt |= {"key_id": KEY_ID, **more}
        return {"receipt": receipt, "signature": signature(receipt)}

    def send(self, team: str, number: int, at: int, said: Json, **more: Any) -> int:
        """Write an answer sent ``at`` milliseconds after the opening, with the receipt that came back."""
        digest = said["receipt"]["content_sha256"] if "receipt" in said else None
        words = {"body_sha256": f"raw {team} {number} {digest}", "content_sha256": digest, **more}
        status = words.pop("status", 200)
        return self.call(team, "answer", number, (number - 1) * INTERVAL + at, status, said=said, **words)

    @staticmethod
    def farewell(token: str, connection: str) -> Json:
        """Write a stranger's frames to the event channel and the answers."""
        heard: Json = {"told": ["connection-auth-error"], "spoken_in": [], "parted": []}
        return {"token": token, "connection": connection, **heard}

    def keep(self, team: str, number: int, said: Json) -> None:
        """Store a receipt."""
        receipt = said["receipt"]
        sk = f"RECEIPT#{number:04d}#{receipt['send']:02d}"
        item = {"body": canonical_json(said), "status": receipt["status"], "content_sha256": receipt["content_sha256"]}
        self.add("item", table="exchange", pk=f"SESSION#{TEAMS[team]}", sk=sk, item=item)

    def keep_answer(self, team: str, number: int, markup: Json, *, scored: bool = True) -> None:
        """Store an answer, and its score."""
        content = canonical_json(markup)
        digest = sha256_hex(content.encode())
        self.add("object", name=f"answers/{TEAMS[team]}/{number}/{digest}.json", sha256=digest, text=content)
        if scored:
            record = canonical_json(self.record(number, markup))
            sk = f"SCORE#{number:04d}#{digest}#conditions"
            self.add("item", table="scores", pk=f"SESSION#{TEAMS[team]}", sk=sk, item={"record": record})
            self.add("written", what="SCORE", pk=f"SESSION#{TEAMS[team]}", sk=sk, sha256="same")

    def record(self, number: int, markup: Json) -> Json:
        experts = [dict(markup) for markup in self.material.experts(self.essays[number - 1]["text"])]
        return self.track.score(self.essays[number - 1], markup, experts, self.parameters)

    def file_item(self, team: str, number: int, **more: Any) -> None:
        digest = sha256_hex(canonical_bytes(self.markup(team, number)))
        opened = START + (number - 1) * INTERVAL
        answer = {"send": 1, "received_at": opened + 20_000, "content_sha256": digest}
        item = {"number": number, "handed_out_at": opened, "answer_by": opened + 50_000, "sends": 1, "answer": answer}
        item |= more
        self.add("item", table="exchange", pk=f"SESSION#{TEAMS[team]}", sk=f"FILE#{number:04d}", item=item)

    def result(self, team: str, *numbers: int) -> Json:
        """Compute the library's result of a team's answers."""
        scores = [score_of(self.record(number, self.markup(team, number))) for number in numbers]
        languages = {subject: language for language, subjects in LANGUAGES.items() for subject in subjects}
        counted = {"files": len(numbers), "answered": len(numbers)}
        result = {**summarise(scores, 1, languages).to_dict(), **counted}
        missed = {"missed_as_zero": {"relative_accuracy": result["relative_accuracy"]}}
        return json.loads(canonical_json({**result, **missed}))

    def row(self, team: str, *numbers: int) -> Json:
        """Return a row of the board without its place, of a team that answered these files and missed none."""
        result = self.result(team, *numbers)
        value = result["relative_accuracy"]
        told = {"team_id": team, "team": team, "result": result, "value": value, "files": len(numbers)}
        audit = {"relative_accuracy": value, "difference": 0.0, "flagged": False}
        return {**told, "answered": len(numbers), "barrier": value >= 100, "audit": audit}

    def _write(self) -> None:
        limits = {"request_ms": 10_000, "answer_ms": 50_000, "total_ms": 60_000, "join_ms": 120_000}
        schedule = {"run": RUN, "starts_at": to_text(START), "interval_ms": INTERVAL, "limits": limits}
        self.add("header", format=1, seed=1, teams=2, listening=0, files=2, faults=[], driven=True, **schedule)
        for number, essay in enumerate(self.essays, start=1):
            experts = [dict(markup) for markup in self.material.experts(essay["text"])]
            self.add("own", number=number, item=essay, experts=experts)
        self._run()
        parameters = {"body": json.dumps({"version": 1, "bootstrap_seed": 1, "track": self.parameters})}
        self.add("item", table="catalogue", pk="CYCLE#demo", sk="PARAMETERS#000001", item=parameters)
        for team in TEAMS:
            self._participation(team)
        self.call("ann", "channel_answer", None, 20_000, 200, said=self.receipt("ann", 1, 20_000))
        self.call("strangers", "unknown", None, 0, 401, said={"token": STRANGE})
        details = {"opens_at": to_text(START + INTERVAL), "server_time": to_text(START + INTERVAL - 1)}
        not_yet = {"error": {"code": "not_open_yet", "details": [details]}, "retry_after": "1"}
        self.call("ann", "pry_early", 2, INTERVAL - 1, 425, said=not_yet)
        self.call("ann", "pry_others", None, 30_000, 404)
        self.call("ann", "pry_staff", None, 31_000, 403)
        self.call("bob", "join_again", None, 32_000, 409)
        self.call("strangers", "connect_unknown", None, 0, 101, said=self.farewell(STRANGE, STRANGE_CONNECTION))
        self.add("answer", of="published_at", body=self.calls)
        self._board()
        self._archive()
        for queue in ("QueuesScoring", "QueuesScoringDeadLetters"):
            self.add("left", queue=queue, messages=0)

    def _run(self) -> None:
        rows = [self._row(number) for number in FILES]
        run = {"run_id": RUN, "track": "essay", "files": len(FILES), "starts_at": to_text(START)}
        limits = {"interval_ms": INTERVAL, "limits": dict(self.find("header")["limits"])}
        statement = {"kind": "commitment", **run, **limits, "root": "0" * 64, "key_id": KEY_ID}
        run |= {
            "interval_s": INTERVAL / 1000,
            "limits": {"request_s": 10, "answer_s": 50, "total_s": 60},
            "join_until": to_text(START + 120_000),
            "commitment": {"statement": statement, "signature": signature(statement)},
            **{name: [] for name in ("pauses", "amendments", "rulings")},
        }
        self.add("answer", of="run", body=run)
        self.add("answer", of="run_before", body=copy.deepcopy(run))
        self._record(rows)
        for row in rows:
            opens_at = START + (row["number"] - 1) * INTERVAL
            moments = {"planned_at": opens_at, "opens_at": opens_at, "armed_at": opens_at - 60_000}
            release = {"number": row["number"], "file_id": row["file_id"], **moments}
            self.add("item", table="exchange", pk=f"RUN#{RUN}", sk=f"RELEASE#{row['number']:04d}", item=release)
        public = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
        key = {"key_id": KEY_ID, "public_key": public, "valid_from": to_text(START), "valid_until": None}
        self.add("answer", of="keys", body={"keys": [key]})

    def _record(self, rows: list[Json]) -> None:
        files = [
            {
                **_answered(number),
                "asked_at": opening(number),
                "answer_by": opening(number, 50_000),
                **dict.fromkeys(("headers_at", "body_at", "decided_at"), opening(number, 20_000)),
                "evidence": {},
            }
            for number in FILES
        ]
        armed = {"armed_at": to_text(START - 60_000), "armed_by": "timer"}
        record = {
            "commitment": copy.deepcopy(self.answer("run")["commitment"]),
            "rulings": [],
            "plans": [{"amendment": 0, "rows": rows}],
            "releases": [{"number": row["number"], "opens_at": row["planned_at"], **armed} for row in rows],
            "sessions": [
                {
                    "team_id": team,
                    "session_id": session_id,
                    "opened_at": to_text(START - 60_000),
                    "closed_at": to_text(START + len(FILES) * INTERVAL),
                    "files": copy.deepcopy(files),
                }
                for team, session_id in TEAMS.items()
            ],
        }
        self.add("answer", of="record", body=record)
        self.add("answer", of="record_verified", body=[])

    def archive_record(self) -> None:
        """Let everybody's copy of the record in the archive be as it now is."""
        self.answer("archive")["record.json"] = self.archived({"record": self.answer("record")})

    def _row(self, number: int) -> Json:
        return {
            "number": number,
            "planned_at": opening(number),
            "file_id": FILES[number],
            "content_sha256": sha256_hex(canonical_bytes(self.content(number))),
            "salt": f"{number:064x}",
        }

    def _participation(self, team: str) -> None:
        self.call(team, "open", None, -30_000, 201, said={"session_id": TEAMS[team]})
        self.add("item", table="exchange", pk=f"RUN#{RUN}", sk=f"SESSION#{team}#{TEAMS[team]}", item={})
        for number in FILES:
            self.hand_out(team, number)
            said = self.receipt(team, number, 20_000)
            self.send(team, number, 20_000, said)
            self.keep(team, number, said)
            self.keep_answer(team, number, self.markup(team, number))
            self.file_item(team, number)
        deliveries = [{"number": number, "state": "answered", "cause": None} for number in FILES]
        status = {"state": "finished", "voided_share": 0.0, "solution_voided": False, "deliveries": deliveries}
        self.add("answer", of=f"status/{team}", body=status)
        self.add("answer", of=f"report/{team}", body=self._report(team))

    def _report(self, team: str) -> Json:
        """Return a team's report, of files that were handed out as they opened and answered 20 s later."""
        files = [
            {**_answered(number), "opens_at": opening(number), "request_by": opening(number, 10_000)}
            for number in FILES
        ]
        at_once = {"count": 2, "mean": 0.0, "max": 0, "p50": 0, "p95": 0}
        after = {"count": 2, "mean": 20_000.0, "max": 20_000, "p50": 20_000, "p95": 20_000}
        return {
            "files": files,
            "timing": {"processing_ms": after, "delay_ms": at_once},
            "voided": {"files": 0, "share": 0.0, "by_cause": {cause: {"files": 0, "share": 0.0} for cause in CAUSES}},
            "result": self.result(team, *FILES),
            "solution": {"voided_share": 0.0, "voided": False, "allowed_share": 0.05},
        }

    def _board(self) -> None:
        rows = [self.row(team, *FILES) for team in TEAMS]
        rows.sort(key=lambda row: -row["result"]["relative_accuracy"])
        self.add("answer", of="board", body={})
        self.add("answer", of="history", body={})
        self.show_board([{"place": place, **row} for place, row in enumerate(rows, start=1)])

    def show_board(self, rows: Sequence[Json]) -> None:
        """Have the board, and its history from a moment on, show these rows."""
        places = [{"team_id": row["team_id"], "place": row["place"]} for row in rows]
        self.answer("board").update(rows=list(rows))
        self.answer("history").update(points=[{"at": "2026-10-05T10:00:00.000Z", "places": places}])

    def _archive(self) -> None:
        """Write the archive of this final: essays, markups of experts and teams, the board, the record."""
        rows = [{**row, "overcame": row["barrier"]} for row in self.answer("board")["rows"]]
        made: dict[str, Json] = {"board.json": {"rows": rows}, "record.json": {"record": self.answer("record")}}
        for number, file_id in FILES.items():
            made[f"essays/{file_id}.json"] = self.content(number)
            for place, markup in enumerate(self.material.experts(self.essays[number - 1]["text"]), start=1):
                meta = {"id": file_id, "expert": f"expert-{place}"}
                made[f"experts/{file_id}/{place}-expert-{place}.json"] = {**markup, "meta": meta}
            for team in TEAMS:
                made[f"markups/{team}/{file_id}.json"] = self.markup(team, number)
        for team in TEAMS:
            fates = [
                {"number": number, "file_id": file_id, "state": "answered", "cause": None}
                for number, file_id in FILES.items()
            ]
            made[f"markups/{team}/files.json"] = {"team_id": team, "files": fates}
        made |= {name: {} for name in ("LICENSE.txt", "README.md", "README.ru.md", "manifest.json")}
        made |= {
            "parameters.json": {"track": self.parameters},
            "classifier.json": self.track.classifier(self.parameters),
        }
        self.add("answer", of="archive_before", body=409)
        self.add("answer", of="archive", body={name: self.archived(content) for name, content in made.items()})
        self.add("answer", of="archive_status", body=200)
        self.add("answer", of="archive_verified", body={"rows": len(TEAMS), "faults": []})

    @staticmethod
    def archived(content: Json) -> Json:
        """Return a file of the archive as the history has it."""
        text = canonical_json(content)
        return {"sha256": sha256_hex(text.encode()), "text": text}
