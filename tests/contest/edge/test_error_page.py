"""The page to which every problem's ``type`` leads: a place a code, in both languages."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from contest.errors import InvalidAnswerError, family
from contest.refusals import RefusedError
from contest.wire import problem, type_of
from markup_core.texts import Text
from tests.stage import Program, Stage

pytestmark = pytest.mark.integration


class Places(HTMLParser):
    """What stands in every section, by its id."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._place = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "section":
            self._place = str(dict(attrs)["id"])
            self.texts[self._place] = ""

    def handle_data(self, data: str) -> None:
        if self._place:
            self.texts[self._place] += data


@pytest.fixture
def places(stage: Stage) -> dict[str, str]:
    answered = stage.request("GET", "/docs/errors")
    assert (answered.status, answered.headers["content-type"]) == (200, "text/html")
    assert answered.headers["cache-control"] == "public, max-age=300"
    read = Places()
    read.feed(answered.text)
    return read.texts


def test_every_code_has_a_place_that_says_it_in_both_languages(places: dict[str, str]) -> None:
    assert set(places) == {each.code for each in family()} | {"refused"}
    for each in family():
        assert each.message.en in places[each.code]
        assert each.message.ru in places[each.code]
        assert f"{each.code} {int(each.status)} {each.status.phrase}" in places[each.code]


def test_a_place_names_the_routes_that_refuse_so(places: dict[str, str]) -> None:
    assert "PUT /v1/sessions/{session_id}/files/{number}/answer" in places["invalid_answer"]
    assert "GET /v1/cycle" in places["no_cycle"]
    assert "any other address" in places["unknown_route"]
    assert "GET /v1/earlier/fragment" in places["task_overdue"]
    assert "any other address" not in places["task_overdue"]


def test_a_refusal_leads_to_its_place(places: dict[str, str], red: Program) -> None:
    red.open()
    told = red.get("files/99").json
    page, _, place = told["type"].partition("#")
    assert (page, place) == ("/docs/errors", "unknown_file")
    assert told["error"]["message_ru"] in places[place]
    assert (told["detail"], told["detail_ru"]) == ("99 is not from 1 to 4", "99 не от 1 до 4")


def test_a_reason_of_the_organizers_business_leads_to_the_one_place_for_all(places: dict[str, str]) -> None:
    told = problem(RefusedError("run_over", Text("the run is over", "прогон завершён")), "1")
    assert (told.type, told.error.code, told.detail) == (type_of("refused"), "run_over", "the run is over")
    assert "refused" in places


def test_many_details_are_counted_and_ids_are_quoted() -> None:
    details = [{"code": "x", "message": f"fault {number}", "message_ru": f"ошибка {number}"} for number in range(5)]
    told = problem(InvalidAnswerError(details), "a b/ц=")
    assert told.detail == "fault 0; fault 1; fault 2; and 2 more"
    assert told.detail_ru == "ошибка 0; ошибка 1; ошибка 2; и ещё 2"
    assert re.fullmatch(r"urn:hurdle:request:[A-Za-z0-9%=]+", told.instance)
    assert len(told.error.details) == 5


def test_a_details_sentences_are_the_problems_in_both_languages() -> None:
    told = problem(
        InvalidAnswerError([{"code": "x", "message": "fault", "message_ru": "ошибка"}]),
        "1",
    )
    assert (told.detail, told.detail_ru) == ("fault", "ошибка")
