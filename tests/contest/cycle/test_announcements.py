"""Announcements over HTTP: everybody reads all published ones, organizers correct or withdraw them."""

from __future__ import annotations

from typing import Any

import pytest

from contest.people.rules import Role
from contest.values import DAY, iso, utc_day
from tests.stage import Answered, Stage
from tests.toys import toy_cycle


@pytest.fixture
def olga(stage: Stage) -> str:
    stage.load(toy_cycle(final=3))
    return stage.person(Role.ORGANIZER, "olga")


def words(name: str) -> dict[str, Any]:
    return {"title": {"ru": f"О {name}", "en": f"About {name}"}, "text": {"ru": f"Про {name}", "en": f"On {name}"}}


def post(stage: Stage, olga: str, path: str = "", **said: Any) -> Answered:
    stage.advance(3)
    return stage.request("POST", f"/v1/announcing{path}", said, olga)


def listed(stage: Stage, query: str = "") -> list[tuple[str, str]]:
    stage.advance(3)
    found = stage.request("GET", f"/v1/announcements{query}").json["announcements"]
    return [(each["title"]["en"], each["state"]) for each in found]


@pytest.mark.clause("D 6.12", "R 9.2", "D 9.14")
def test_what_an_organizer_announces_is_read_by_everybody_with_its_moment(stage: Stage, olga: str) -> None:
    moment = iso(stage.now + DAY)
    made = post(stage, olga, kind="schedule", about={"run": "x"}, effective_at=moment, **words("rain"))
    assert made.status == 201
    read = stage.request("GET", f"/v1/announcements/{made.json['announcement_id']}").json
    assert read == made.json
    assert (read["kind"], read["about"], read["effective_at"]) == ("schedule", {"run": "x"}, moment)
    assert (read["title"]["ru"], read["published_at"]) == ("О rain", iso(stage.now))
    assert listed(stage) == [("About rain", "published")]


def test_a_draft_is_nobodys_until_it_is_published_or_discarded(stage: Stage, olga: str) -> None:
    answer = post(stage, olga, as_draft=True, **words("rain")).json["announcement_id"]
    assert stage.request("GET", f"/v1/announcements/{answer}").code == "unknown_announcement"
    assert listed(stage) == []
    drafts = stage.request("GET", "/v1/announcement-drafts", None, olga).json["announcements"]
    assert [draft["announcement_id"] for draft in drafts] == [answer]
    published = post(stage, olga, f"/{answer}/publication", text={"ru": "Дождь", "en": "Rain"}).json
    assert (published["state"], published["title"]["en"], published["text"]["en"]) == (
        "published",
        "About rain",
        "Rain",
    )
    assert listed(stage) == [("About rain", "published")]
    assert stage.request("GET", "/v1/announcement-drafts", None, olga).json["announcements"] == []
    again = post(stage, olga, f"/{answer}/publication")
    assert (again.code, again.json["error"]["details"][0]["state"]) == ("announcement_state", "published")
    answer = post(stage, olga, as_draft=True, **words("rain")).json["announcement_id"]
    assert post(stage, olga, f"/{answer}/withdrawal", reason="no").json["state"] == "discarded"
    assert stage.request("GET", f"/v1/announcements/{answer}").status == 404
    assert post(stage, olga, f"/{answer}/publication").code == "announcement_state"


@pytest.mark.clause("D 6.12")
def test_a_corrected_and_a_withdrawn_one_stay_to_be_read_as_what_they_are(stage: Stage, olga: str) -> None:
    first = post(stage, olga, **words("rain")).json["announcement_id"]
    second = post(stage, olga, f"/{first}/correction", **words("snow")).json
    assert (second["corrects"], second["state"]) == (first, "published")
    old = stage.request("GET", f"/v1/announcements/{first}").json
    assert (old["state"], old["corrected_by"], old["text"]["en"]) == ("corrected", second["announcement_id"], "On rain")
    post(stage, olga, f"/{second['announcement_id']}/withdrawal", reason="sunshine")
    assert listed(stage) == [("About snow", "withdrawn"), ("About rain", "corrected")]
    told = stage.request("GET", f"/v1/announcements/{second['announcement_id']}").json
    assert (told["reason"], told["text"]["en"]) == ("sunshine", "On snow")
    for path, said in (("correction", words("hail")), ("withdrawal", {"reason": "x"}), ("publication", {})):
        assert post(stage, olga, f"/{first}/{path}", **said).code == "announcement_state"
        assert post(stage, olga, f"/nothing/{path}", **said).code == "unknown_announcement"


def test_announcements_come_in_pages_by_kind_and_with_a_tag(stage: Stage, olga: str) -> None:
    for n in range(5):
        post(stage, olga, kind="results" if n == 2 else "general", **words(str(n)))
    stage.advance(3)
    names, after = [], ""
    while True:
        page = stage.request("GET", f"/v1/announcements?limit=2{after}").json
        names.append([each["title"]["en"][-1] for each in page["announcements"]])
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert names == [["4", "3"], ["2", "1"], ["0"]]
    assert listed(stage, "?kind=results") == [("About 2", "published")]
    assert stage.request("GET", "/v1/announcements?after=nothing").code == "bad_cursor"
    stage.advance(3)
    tag = stage.request("GET", "/v1/announcements").headers["etag"]
    headers = {"If-None-Match": tag}
    assert stage.request("GET", "/v1/announcements", headers=headers).status == 304
    post(stage, olga, **words("snow"))
    stage.advance(3)
    assert stage.request("GET", "/v1/announcements", headers=headers).status == 200


@pytest.mark.clause("platform §1 audit")
def test_every_step_is_in_the_log_with_who_took_it(stage: Stage, olga: str) -> None:
    first = post(stage, olga, as_draft=True, **words("rain")).json["announcement_id"]
    post(stage, olga, f"/{first}/publication")
    post(stage, olga, f"/{first}/correction", **words("snow"))
    other = post(stage, olga, **words("hail")).json["announcement_id"]
    post(stage, olga, f"/{other}/withdrawal", reason="sunshine")
    found = [each for each in stage.platform.audit_log.on(utc_day(stage.now)) if each.what.startswith("announcement")]
    assert [each.what.removeprefix("announcement ") for each in found] == [
        *("drafted", "published", "corrected", "published", "withdrawn")
    ]
    assert {each.who for each in found} == {"person:olga"}
    assert (found[-1].before["state"], found[-1].after["reason"]) == ("published", "sunshine")


@pytest.mark.clause("R 4.7", "R 9.2", "D 14.1")
def test_new_sets_and_modules_are_drafted_for_a_person_to_tell_their_purpose(stage: Stage, olga: str) -> None:
    assert listed(stage) == []
    files = toy_cycle(final=4, train=6)
    files["cycle.json"]["known_clients"] = ["a" * 64]
    stage.load(files)
    stage.load(files)
    drafts = stage.request("GET", "/v1/announcement-drafts", None, olga).json["announcements"]
    assert [(each["kind"], each["about"]) for each in drafts] == [
        ("modules", {"modules": ["a" * 64]}),
        ("sets", {"sets": ["train"]}),
    ]
    assert listed(stage) == []


@pytest.mark.clause("R 7.5", "D 8.8", "D 6.9")
def test_planned_finals_and_trials_are_announced_with_start_and_interval(stage: Stage, olga: str) -> None:
    run = stage.plan(in_s=600, interval_s=45)
    stage.advance(1)
    stage.plan(in_s=6000, trial=True)
    stage.tick()
    stage.advance(3)
    trial, final = stage.request("GET", "/v1/announcements").json["announcements"]
    assert (final["announcement_id"], final["effective_at"]) == (f"run-{run.run_id}", iso(run.starts_at))
    assert "one every 45 s" in final["text"]["en"]
    assert "по одному каждые 45 с" in final["text"]["ru"]
    assert trial["title"]["en"].startswith("Trial run")
    assert olga


@pytest.mark.clause("R 5.8")
def test_parameters_that_come_with_a_loaded_cycle_are_announced_as_in_force_at_once(stage: Stage, olga: str) -> None:
    stage.load(toy_cycle(final=3, sends_per_file=4))
    stage.advance(3)
    (told,) = stage.request("GET", "/v1/announcements").json["announcements"]
    assert (told["kind"], told["about"], told["effective_at"]) == ("parameters", {"version": 2}, told["published_at"])
    assert "sends_per_file: 10 → 4" in told["text"]["en"]
    assert olga


def test_what_has_not_the_form_is_refused(stage: Stage, olga: str) -> None:
    wrong: list[dict[str, Any]] = [
        {},
        {"title": {"ru": "О"}, "text": {"ru": "О", "en": "O"}},
        {**words("x"), "kind": "gossip"},
        {**words("x"), "effective_at": "2027-02-30T00:00:00.000Z"},
        {**words("x"), "text": {"ru": " ", "en": "x"}},
        {**words("x"), "about": {"run": 5}},
        {**words("x"), "state": "published"},
    ]
    for item in wrong:
        assert post(stage, olga, **item).code == "invalid_request", item
