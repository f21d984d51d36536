"""Data sets as the kit brings them: from the real handlers, over connections that break, into folders of all kinds."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from contest.results.rules import set_access
from pku.errors import ExchangeError, Patience, PkuError, Waiting
from pku.exchange import Exchange
from pku.transfers import Fetched, fetch
from tests.pku.platform import DrivenClock, pku_error
from tests.stage import Program, Stage, staged
from tests.stage_addresses import follow
from tests.toys import toy_cycle


class Line:
    """A stage behind HTTP, and the changes of its answers on their way."""

    def __init__(self, stage: Stage, token: str, folder: Path) -> None:
        self.stage, self.token, self.folder = stage, token, folder
        self.asked: list[str] = []
        self.spoil: dict[str, Any] = {}
        """Changes of the next answers by the end of a path: a function for the content, or an error to raise."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.stage.advance(1)
        path = request.url.path
        self.asked.append(path)
        answered = self.at_address(request) if path.startswith("/packs/") else self.at_interface(request)
        name = next((each for each in self.spoil if path.endswith(each)), None)
        if name is not None:
            spoilt = self.spoil[name].pop(0)
            if not self.spoil[name]:
                del self.spoil[name]
            if isinstance(spoilt, Exception):
                raise spoilt
            return httpx.Response(200, content=spoilt(answered.content.decode("latin-1")).encode("latin-1"))
        return answered

    def at_interface(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["Authorization"] == f"Bearer {self.token}"
        answered = self.stage.request(request.method, request.url.path, None, self.token)
        return httpx.Response(answered.status, headers=dict(answered.headers), content=answered.text.encode())

    def at_address(self, request: httpx.Request) -> httpx.Response:
        """Answer as the distribution, which gets nothing but the address."""
        assert "Authorization" not in request.headers
        assert self.token not in str(request.url)
        found = follow(self.stage, request.method, request.url.raw_path.decode())
        return httpx.Response(found.status, content=found.body)

    def fetch(self, name: str = "train", folder: Path | None = None) -> Fetched:
        self.asked.clear()
        transport = httpx.MockTransport(self.answer)
        waiting = Waiting(Patience(5, 5, 1))
        with Exchange(
            "http://stage", self.token, transport=transport, clock=DrivenClock(), waiting=waiting
        ) as exchange:
            return fetch(exchange, name, folder or self.folder, lambda done, of: None)

    @property
    def parts(self) -> list[int]:
        return [int(each.rpartition("/")[2]) for each in self.asked if "/parts/" in each]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    monkeypatch.setattr(set_access, "FILES_OF_PART", 3)
    monkeypatch.setattr(set_access, "PACK", 0)  # no set is given as one file, but where a test says so
    with staged(tmp_path / "stage") as stage:
        stage.load(toy_cycle(train=4, test=2))
        yield Line(stage, Program(stage, stage.team("red")).token, tmp_path / "train")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()


def content(folder: Path) -> Mapping[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.suffix == ".json"}


def expected(train: int = 4) -> Mapping[str, Any]:
    files = toy_cycle(train=train).items()
    return {name.removeprefix("train/"): value for name, value in files if name.startswith("train/")}


def is_set(folder: Path, train: int = 4) -> bool:
    return {name: json.loads(each) for name, each in content(folder).items()} == expected(train)


@pytest.mark.clause("R 2.6", "R 4.2.1", "TS T12")
def test_a_set_lies_there_as_its_files_with_a_sum_of_each(line: Line) -> None:
    result = line.fetch()
    assert (result.files, result.parts_fetched, line.parts) == (8, 3, [1, 2, 3])
    assert is_set(line.folder)
    actual = dict(reversed(pair.split("  ")) for pair in (line.folder / "SHA256SUMS").read_text().splitlines())
    assert actual == {name: hashlib.sha256(file).hexdigest() for name, file in content(line.folder).items()}
    assert not (line.folder / ".pku-parts").exists()


def test_what_broke_off_goes_on_and_nothing_is_written_before_all_is_there(line: Line) -> None:
    line.spoil = {"/parts/3": [httpx.ConnectError("gone")] * 30}
    with pytest.raises(ExchangeError):
        line.fetch()
    assert content(line.folder) == {}
    line.spoil = {}
    assert line.fetch().parts_fetched == 1
    assert line.parts == [3]
    assert is_set(line.folder)


def test_a_damaged_part_is_fetched_again_and_never_believed(line: Line, tmp_path: Path) -> None:
    def turned(text: str) -> str:
        return text.replace("question", "quest1on", 1)

    line.spoil = {"/parts/2": [turned, lambda text: text + " "]}
    assert line.fetch().files == 8
    assert line.parts == [1, 2, 2, 2, 3]
    assert is_set(line.folder)
    line.spoil = {"/parts/1": [turned] * 3}
    with pku_error("data_damaged"):
        line.fetch(folder=tmp_path / "other")
    assert content(tmp_path / "other") == {}


def test_a_part_that_was_damaged_on_the_disk_is_fetched_again(line: Line) -> None:
    line.spoil = {"/parts/3": [httpx.ConnectError("gone")] * 30}
    with pytest.raises(ExchangeError):
        line.fetch()
    one, _ = sorted((line.folder / ".pku-parts").iterdir())
    one.write_bytes(one.read_bytes()[:-1])
    line.spoil = {}
    assert line.fetch().parts_fetched == 2
    assert is_set(line.folder)


def test_asked_again_it_looks_at_every_file_and_fetches_nothing_or_what_is_wrong(line: Line) -> None:
    line.fetch()
    assert line.fetch().parts_fetched == 0
    assert line.parts == []
    (line.folder / "train-002.json").write_text("{}")
    assert line.fetch().parts_fetched == 3
    assert is_set(line.folder)
    (line.folder / "train-002.json").unlink()
    line.fetch()
    assert is_set(line.folder)


def test_a_folder_becomes_what_the_set_is_now(line: Line) -> None:
    line.fetch()
    (line.folder / "notes.md").write_text("mine")
    for size in (2, 5):
        line.stage.load(toy_cycle(train=size, test=2))
        line.fetch()
        assert is_set(line.folder, size)
    assert (line.folder / "notes.md").read_text() == "mine"


def test_somebody_elses_folder_is_not_touched(line: Line) -> None:
    line.folder.mkdir()
    (line.folder / "essay.json").write_text("mine")
    with pku_error("data_folder_in_use"):
        line.fetch()
    assert content(line.folder) == {"essay.json": b"mine"}
    assert line.parts == []


def test_a_name_that_leads_out_of_the_folder_is_refused(line: Line, tmp_path: Path) -> None:
    names = ("../out.json", "/out.json", "a/b.json", "a\\b.json", ".hidden.json", "c:d.json", "x.sh")
    for number, name in enumerate(names):
        part = json.dumps({"files": [{"name": name, "sha256": hashlib.sha256(b"{}").hexdigest(), "text": "{}"}]})
        digest = hashlib.sha256(part.encode()).hexdigest()
        parts = [{"number": 1, "files": 1, "size": len(part), "sha256": digest}]
        manifest = json.dumps({"name": "train", "files": 1, "sha256": "0" * 64, "parts": parts})
        line.spoil = {"/sets/train": [lambda _, told=manifest: told], "/parts/1": [lambda _, told=part: told]}
        inside = tmp_path / str(number)
        with pku_error("data_bad_name"):
            line.fetch(folder=inside / "train")
        assert [each.name for each in inside.rglob("*") if each.is_file()] == [f"{digest}.json"], name


def test_a_set_that_one_may_not_have_is_told(line: Line, tmp_path: Path) -> None:
    with pku_error("unknown_set"):
        line.fetch("test", tmp_path / "test")
    assert not (tmp_path / "test").exists()


def test_a_full_disk_is_said_and_the_same_command_goes_on(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, written = Path.replace, list[str]()

    def full(place: Path, target: Path) -> Path:
        written.append(target.name)
        if len(written) > 5:  # three parts and two files
            raise OSError(28, "No space left on device")
        return replace(place, target)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        with pytest.raises(PkuError) as refused:
            line.fetch()
    assert (refused.value.code, "No space left" in refused.value.text("en")) == ("data_write", True)
    assert len(content(line.folder)) == 2
    assert line.fetch().parts_fetched == 0, "what has come is kept"
    assert is_set(line.folder)
    assert [path.name for path in line.folder.glob(".pku-*")] == [".pku-set"], "nothing half is left"


@pytest.fixture
def as_one(line: Line, monkeypatch: pytest.MonkeyPatch) -> Line:
    """Return a line to a platform that gives sets as one file, too."""
    monkeypatch.setattr(set_access, "PACK", 10_000)
    return line


def zipped(files: Mapping[str, str]) -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return place.getvalue()


def named(line: Line, content: bytes, files: int) -> None:
    """Let the platform name a file of its own as the set."""
    pack = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    told = {"name": "train", "files": files, "sha256": "0" * 64, "pack": pack}
    told |= {"parts": [{"number": 1, "files": files, "size": 10_000, "sha256": "0" * 64}]}
    line.spoil = {"/sets/train": [lambda _: json.dumps(told)], ".zip": [lambda _: content.decode("latin-1")] * 3}


@pytest.mark.clause("TS T12", "R 2.6", "R 4.2.1")
def test_a_set_of_several_parts_comes_as_one_file_from_an_address_without_the_token(as_one: Line) -> None:
    result = as_one.fetch()
    assert (result.files, result.parts_fetched, as_one.parts) == (8, 1, [])
    assert [each.rpartition("/")[0] for each in as_one.asked][-2:] == [
        "/v1/sets/train",
        f"/packs/toy-1/{result.data_set.sha256}",
    ]
    assert is_set(as_one.folder)
    actual = dict(reversed(pair.split("  ")) for pair in (as_one.folder / "SHA256SUMS").read_text().splitlines())
    assert actual == {name: hashlib.sha256(file).hexdigest() for name, file in content(as_one.folder).items()}
    assert as_one.fetch().parts_fetched == 0


def test_an_address_that_is_over_a_lost_connection_or_damage_ask_for_another_address(
    as_one: Line, tmp_path: Path
) -> None:
    for number, (end, spoilt) in enumerate(
        (("/pack", over), (".zip", httpx.ReadError("gone")), (".zip", lambda text: text[:-1] + "?"))
    ):
        as_one.spoil = {end: [spoilt]}
        assert as_one.fetch(folder=tmp_path / str(number)).parts_fetched == 1
        assert len([each for each in as_one.asked if each.endswith("/pack")]) == 2
        assert is_set(tmp_path / str(number))


def over(text: str) -> str:
    """Return an answer with the address of another object."""
    told = json.loads(text)
    return json.dumps({**told, "address": told["address"].replace("/packs/toy-1/", "/packs/toy-2/")})


def test_what_cannot_be_had_as_one_file_is_said_and_nothing_is_written(as_one: Line) -> None:
    faults: tuple[tuple[str, list[Any], str], ...] = (
        ("/pack", [over] * 3, "address_over"),
        (".zip", [httpx.ReadError("gone")] * 3, "connection_failed"),
        (".zip", [lambda text: text[:-1] + "?"] * 3, "data_pack_damaged"),
        (".zip", [lambda text: text + "?"], "unexpected_response"),
        ("/pack", [lambda _: '{"address": "https://elsewhere/packs/a.zip"}'], "unexpected_response"),
        ("/pack", [lambda _: '{"address": "//elsewhere/packs/a.zip"}'], "unexpected_response"),
    )
    for end, spoilt, code in faults:
        as_one.spoil = {end: spoilt}
        with pku_error(code) as refused:
            as_one.fetch()
        assert refused.value.text("ru")
        assert content(as_one.folder) == {}


def test_a_zip_that_is_not_the_sets_files_is_refused(as_one: Line, tmp_path: Path) -> None:
    for number, (packed, code) in enumerate(
        (
            (zipped({"../out.json": "{}"}), "data_bad_name"),
            (zipped({"a/b.json": "{}"}), "data_bad_name"),
            (zipped({"a.json": "{}", "b.json": "{}"}), "data_pack_damaged"),
            (zipped({"a.json": "x" * 10_001}), "data_pack_damaged"),
            (b"no zip", "data_pack_damaged"),
        )
    ):
        named(as_one, packed, 1)
        inside = tmp_path / str(number)
        with pku_error(code):
            as_one.fetch(folder=inside / "train")
        assert [each.suffix for each in inside.rglob("*") if each.is_file()] == [".zip"]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_with_an_altered_byte_is_refused_in_words_or_read(as_one: Line, tmp_path: Path, method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.json", "{}")
    whole = packed.getvalue()
    codes = set()
    for place in range(36, 36 + 21, 3):  # what was packed, behind its header
        named(as_one, whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :], 1)
        try:
            as_one.fetch(folder=tmp_path / str(place))
        except PkuError as error:
            codes.add(error.code)
    assert codes == {"data_pack_damaged"}
