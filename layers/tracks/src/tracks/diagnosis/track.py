"""The diagnosis track through the Protocol: epicrises out, diagnoses in (D; tracks.md §1).

The stage is a parameter of the cycle, or ``by_set`` where one cycle has sets of several stages: then it follows from
the versions that an item holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracks.base import PlainTrack
from tracks.capabilities import ArchiveRules, EarlierOrder, Reviewed, Unpacked
from tracks.diagnosis import classifier, earlier
from tracks.diagnosis.aggregate import aggregate, joined
from tracks.diagnosis.answers import validate
from tracks.diagnosis.board import BOARDS, FINAL, comparison, rank, sections, value
from tracks.diagnosis.items import hand_out, read_item, read_reference
from tracks.diagnosis.replay import RULES, draw, judged, judgements, replayed, rotation
from tracks.diagnosis.schemas import SCHEMAS
from tracks.diagnosis.score import record, respond
from tracks.diagnosis.stages import ARCHIVE, MODES, NOTICE_PERIODS, SIZES, complete, policies, stage_in, steps_in, use
from tracks.diagnosis.unpack import unpack
from tracks.protocol import (
    ItemFacts,
    Json,
    Outcome,
    Place,
    Policies,
    Reason,
    Section,
    Standing,
    Step,
    Turn,
    Verdict,
)
from tracks.rules import Called, ReplayRules, Text

_TURN = ("step", "kind", "answer", "after_ms")


class DiagnosisTrack(PlainTrack):
    """Diagnoses of lung diseases. Stateless."""

    name = "diagnosis"
    items_called = Called(Text("epicrisis", "эпикриз"), Text("epicrises", "эпикризы"))
    whole_texts = True
    open_tests = False
    mode_rules = MODES
    board_rules = BOARDS
    forms = SCHEMAS
    periods = NOTICE_PERIODS
    sizes = SIZES
    earlier_first = "preliminary"

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """One epicrisis at once, v3 then v2, or the dialogue of the final (D 7.12, 8.9, 9.10.1)."""
        return steps_in(parameters["stage"])

    def steps_of(self, item: Json, parameters: Json) -> tuple[Step, ...]:
        """The steps of the stage whose versions the item holds (D 9.12)."""
        return steps_in(stage_in(item, parameters["stage"]))

    def policies(self, mode: str) -> Policies:
        """Missed and late joiners' files are wrong, ten sessions a day (D 6.7, 7.13, 8.11)."""
        return policies(mode)

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check the parameters; ``stage`` must be given."""
        return complete(raw)

    def classifier(self, parameters: Json) -> Json:
        """The six nosologies with their codes (D 6.5), and the studies that may be asked for (D-App4)."""
        return {
            "nosologies": classifier.nosology_codes(),
            "healthy": classifier.HEALTHY,
            "studies": classifier.study_codes(),
        }

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an epicrisis and that its XML can be read safely; its group is the nosology of its data set."""
        return read_item(raw, use(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check what is known of the patient."""
        return read_reference(raw, stage_in(item, parameters["stage"]))

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """A folder of the contest's XML files with ``references.csv`` (D 9.5)."""
        return unpack(files, use(parameters))

    def texts(self, item: Json) -> tuple[str, ...]:
        """The epicrisis in each of its versions."""
        return tuple(item["versions"].values())

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """One version's XML under an opaque name: neither the nosology nor another version (D 9.5)."""
        return hand_out(item, file_id, step)

    @property
    def archive_rules(self) -> ArchiveRules:
        """Publish the systems' work after the final; no epicrisis, no true diagnosis (D 14.5, 14.7)."""
        return ARCHIVE

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return the turns: diagnoses and requests for studies, when each came; no study that was brought back."""
        return [{name: each[name] for name in _TURN if name in each} for each in answer]

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer as received; a preliminary diagnosis after a study or another one is refused."""
        return validate(body, step, stage_in(item, parameters["stage"]))

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """The files of the study asked for, or that the epicrisis has none (D 9.10.1.3.2); None for a diagnosis."""
        return respond(item, turns, use(parameters))

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Score record of one epicrisis; without any answer it is wrong."""
        return record(item, answer, references, parameters)

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Matrices, bounds, Sk and the barrier, and what the board compares; nothing here is resampled."""
        return aggregate(outcomes, use(parameters))

    def joined(self, aggregates: Sequence[Json], parameters: Json) -> Json:
        """The semifinal's and stage 1's results as one (D-App1в, formula 16)."""
        return joined(aggregates, use(parameters))

    def comparison(self, standings: Sequence[Standing], parameters: Json, board: str) -> tuple[Section, ...]:
        """Table 2 of all teams by nosologies; who goes to the final, or the partial barrier (D-App1б, D-App1в)."""
        return comparison(standings, use(parameters), board)

    def replay_rules(self) -> ReplayRules:
        """Stage 2: two to four systems, eight clinicians, 16 to 32 rounds (D 9.10.8)."""
        return RULES

    def lot(
        self, teams: Sequence[str], people: Sequence[str], seed: int
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """С1 … С4 and КС1 … КС8 (D 9.10.8.5)."""
        drawn = draw(teams, people, seed)
        return drawn.systems, drawn.clinicians

    def rotation(self, rounds: int) -> Sequence[Sequence[Sequence[int]]]:
        """Who works with whom (D 9.10.8.5)."""
        return [[[each - 1 for each in pair] for pair in pairs] for pairs in rotation(rounds)]

    def replayed(self, item: Json, file_id: str, turns: Sequence[Turn], parameters: Json) -> Sequence[Json]:
        """v3F, then the trajectory (D 9.10.8.3)."""
        return replayed(item, file_id, turns, use(parameters))

    def judged(self, works: Sequence[Reviewed], parameters: Json) -> Json:
        """Completeness, clarity and interpretability of a system (D 1.12, 1.13, 1.5)."""
        return judged(works, use(parameters))

    def judgements(self, results: Mapping[str, Json]) -> Section:
        """The same of all systems."""
        return judgements(results)

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Sk; of a selection's session whether it passed."""
        return value(aggregate)

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Whether the barrier is overcome in all six nosologies. The selection has none, and the semifinal alone states
        none: only the final can, where its results count with stage 1's.

        Clause: D 8.17, D 5.4
        """
        found: bool | None = None if aggregate["stage"] == "semifinal" and board != FINAL else aggregate.get("barrier")
        return found

    def rank(self, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """By the integral criterion (D-App1в); equal in all: one place; undefined results last."""
        return rank(standings, board)

    def passed(self, aggregate: Json) -> bool | None:
        """Whether a session of the selection named its epicrisis' code; the other stages pass nobody (D 7.8).

        Clause: TS D-1, D 7.8
        """
        found: bool | None = aggregate.get("passed")
        return found

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Counts, the integral criterion, the nosologies, the files (D 6.11)."""
        return sections(aggregate, outcomes)

    def earlier_order(
        self, contest: Json, params: Mapping[str, Json]
    ) -> tuple[EarlierOrder | None, tuple[Reason, ...]]:
        """Stage, kind of session and choices in the words of the contest's earlier clients."""
        return earlier.order(contest, params)

    def earlier_document(self, content: Json) -> tuple[str, str]:
        """The version of the epicrisis, and its XML."""
        return content["version"], content["xml"]

    def earlier_answer(self, raw: Json, step: str) -> Json:
        """Codes alone are enough for these clients; the selection stage wants them in another field."""
        return earlier.answer(raw, step)

    def earlier_request(self, code: Json) -> Json:
        """A study by its query code."""
        return {"study": code}

    def earlier_documents(self, response: Json) -> tuple[str, ...]:
        """The XML of what a request brought, in its order; nothing of what the epicrisis has no file of."""
        return tuple(each["xml"] for each in response["files"]) if response else ()
